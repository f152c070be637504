/* Histograms: counting small integers, and finding the bin of a float. */
#include "variant.h"

#define VALUE uint8_t
#define TYPE u8
#include "hist_tmpl.h"

#define VALUE uint16_t
#define TYPE u16
#include "hist_tmpl.h"

#define VALUE uint32_t
#define TYPE u32
#include "hist_tmpl.h"

/* halo_bin without branches. A range so wide that the quotient is no number counts in the last bin. */
static void bin_f32(const void *samples, int64_t n, const HaloHist *hist, uint32_t *restrict bin)
{
    const double lo = hist->lo, hi = hist->hi, bins = (double)hist->bins, range = hi - lo;
    const uint32_t last = (uint32_t)hist->bins - 1;
    for (int64_t i = 0; i < n; i++) {
        float sample;
        memcpy(&sample, (const char *)samples + i * (int64_t)sizeof sample, sizeof sample);
        const double v = (double)sample, at = (v - lo) * bins / range;
        const bool inside = v >= lo && v <= hi && at < bins;
        const uint32_t found = (uint32_t)(int32_t)(inside ? at : 0.0);
        bin[i] = v != v ? last + 3 : v < lo ? last + 1 : v > hi ? last + 2 : inside ? found : last;
    }
}

const CpuHistKernels CPU_TABLE(hist) = {.count = {count_u8, count_u16, count_u32}, .bin = bin_f32};

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

/* halo_bin without branches: the bin is a double until the end. Samples that are beside the range, or whose
 * quotient is no number because the range is so wide, must not reach the conversion as they are. */
static void bin_f32(const void *samples, int64_t n, const HaloHist *hist, uint32_t *restrict bin)
{
    const double lo = hist->lo, hi = hist->hi, bins = (double)hist->bins, range = hi - lo;
    for (int64_t i = 0; i < n; i++) {
        float sample;
        memcpy(&sample, (const char *)samples + i * (int64_t)sizeof sample, sizeof sample);
        const double v = (double)sample;
        double at = (v - lo) * bins / range;
        at = at < bins - 1.0 ? at : bins - 1.0;
        at = v < lo ? bins : at;
        at = v > hi ? bins + 1.0 : at;
        at = v != v ? bins + 2.0 : at;
        bin[i] = (uint32_t)(int32_t)at;
    }
}

const CpuHistKernels CPU_TABLE(hist) = {.count = {count_u8, count_u16, count_u32}, .bin = bin_f32};

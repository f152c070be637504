/* The power of noise in each bin of a spectrum: the mean of a stretch that holds nothing else, or a low
 * quantile of everything. */
#include <string.h>

#include "denoise.h"
#include "halo/curves.h"

/* Powers are counted in quarters of an octave. */
#define STEPS 4
#define LOWEST (-100) /* octaves */
#define OCTAVES 200
#define COUNTERS (STEPS * OCTAVES)

#define QUANTILE 0.1
/* The power of noise in a bin is distributed exponentially, about; its quantile against its mean is
 * -ln(1 - QUANTILE). */
#define QUANTILE_OF_MEAN 0.10536051565782628

/* Behind it: [channels][size] samples that wait for a window, [size + 2] of a spectrum, and of each channel and
 * bin the sum of powers or, where the noise is found automatically, COUNTERS counters. */
typedef struct Found {
    int64_t waiting, windows;
} Found;

static int64_t bins_of(const Denoise *how) { return how->size / 2 + 1; }

static double *samples_of(const void *found) { return (double *)(void *)((char *)found + sizeof(Found)); }

static double *work_of(const Denoise *how, const void *found)
{
    return samples_of(found) + how->channels * how->size;
}

static double *sums_of(const Denoise *how, const void *found) { return work_of(how, found) + how->size + 2; }

static uint32_t *counters_of(const Denoise *how, const void *found)
{
    return (uint32_t *)(void *)sums_of(how, found);
}

int64_t noise_bytes(const Denoise *how)
{
    const int64_t each = how->automatic ? COUNTERS * (int64_t)sizeof(uint32_t) : (int64_t)sizeof(double);
    return (int64_t)sizeof(Found) + (int64_t)sizeof(double) * (how->channels * how->size + how->size + 2) +
           how->channels * bins_of(how) * each;
}

/* Digital silence, and what is no number, is left out. */
static void count(uint32_t *counter, double power)
{
    if (!(power > 1e-30 && power < 1e30)) return;
    const int step = (int)((halo_log2(power) - LOWEST) * STEPS);
    if (counter[step] < UINT32_MAX) counter[step]++;
}

static void add_window(const Denoise *how, Found *found)
{
    double *work = work_of(how, found);
    for (int c = 0; c < how->channels; c++) {
        double *samples = samples_of(found) + c * how->size;
        memcpy(work, samples, sizeof(double) * (size_t)how->size);
        memmove(samples, samples + how->hop, sizeof(double) * (size_t)(how->size - how->hop));
        denoise_transform(how, work);
        for (int64_t k = 0, at = c * bins_of(how); k < bins_of(how); k++, at++)
            if (how->automatic)
                count(counters_of(how, found) + at * COUNTERS, denoise_power(work, k));
            else
                sums_of(how, found)[at] += denoise_power(work, k);
    }
    found->waiting -= how->hop;
    found->windows++;
}

void noise_take(const void *parameters, void *found_at, const HaloBuf *frames)
{
    const Denoise *how = parameters;
    Found *found = found_at;
    const bool wide = frames->shape.dtype == HALO_F64;
    for (int64_t i = 0; i < frames->cols; i++) {
        const void *at = halo_at(frames, frames->x0 + i, 0);
        for (int c = 0; c < how->channels; c++)
            samples_of(found)[c * how->size + found->waiting] =
                wide ? ((const double *)at)[c] : (double)((const float *)at)[c];
        if (++found->waiting == how->size) add_window(how, found);
    }
}

/* The quantile of what was counted, within a counter in proportion; 0 where nothing was. */
static double quantile_of(const uint32_t *counter)
{
    double all = 0.0, below = 0.0;
    int i = 0;
    for (int k = 0; k < COUNTERS; k++) all += counter[k];
    if (all == 0.0) return 0.0;
    while (below + counter[i] < QUANTILE * all) below += counter[i++];
    const double share = (QUANTILE * all - below) / counter[i];
    return halo_exp2(LOWEST + (i + share) / STEPS);
}

HaloStatus noise_power(const Denoise *how, const void *found, double *power)
{
    const int64_t windows = ((const Found *)found)->windows;
    if (windows == 0)
        return halo_fail(HALO_ERR_INPUT, "denoise: finding the noise takes %lld frames or more: %s",
                         (long long)how->size,
                         how->automatic ? "the sound is shorter" : "give a longer profile");
    for (int64_t i = 0; i < how->channels * bins_of(how); i++)
        power[i] = how->automatic ? quantile_of(counters_of(how, found) + i * COUNTERS) / QUANTILE_OF_MEAN
                                  : sums_of(how, found)[i] / (double)windows;
    return HALO_OK;
}

/* Samples between four tables of levels. */
#include "halo/measures.h"
#include "variant.h"

static void whole(const float *restrict row, int64_t n, uint32_t *restrict bin)
{
    for (int64_t i = 0; i < n; i++) bin[i] = (uint32_t)(int32_t)row[i];
}

static CPU_INLINE float level_of(const CpuLevels *levels, const CpuBetween *at, int64_t bin)
{
    const float before =
        halo_mix(levels->before[at->before + bin], levels->before[at->behind + bin], at->share);
    const float behind =
        halo_mix(levels->behind[at->before + bin], levels->behind[at->behind + bin], at->share);
    return halo_mix(before, behind, levels->share);
}

static CPU_INLINE float kept(float v, float level) { return level != level || v != v ? v : level; }

static void mix(float *restrict row, const uint32_t *restrict bin, int64_t pixels, int channels, int alpha,
                const CpuBetween *restrict column, const CpuLevels *levels)
{
    const CpuLevels l = *levels;
    if (channels == 1 && alpha < 0) {
        for (int64_t x = 0; x < pixels; x++) row[x] = kept(row[x], level_of(&l, &column[x], (int32_t)bin[x]));
        return;
    }
    for (int64_t x = 0; x < pixels; x++, row += channels, bin += channels)
        for (int c = 0; c < channels; c++)
            if (c != alpha) row[c] = kept(row[c], level_of(&l, &column[x], c * l.set + bin[c]));
}

const CpuEqualizeKernels CPU_TABLE(equalize) = {.whole = whole, .mix = mix};

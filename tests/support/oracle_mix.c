/* The oracle of mixing channels, and of gains over time. */
#include <math.h>

#include "oracle.h"

uint64_t oracle_mix(const HaloBuf *src, HaloBuf *dst, const HaloMix *mix, HaloStore store)
{
    uint64_t clipped = 0;
    for (int64_t y = dst->y0; y < dst->y0 + dst->rows; y++)
        for (int64_t x = dst->x0; x < dst->x0 + dst->cols; x++)
            for (int c = 0; c < mix->channels; c++) {
                const HaloMixTerm *term = &mix->term[mix->begin[c]];
                float sum = (float)term->weight * oracle_get(src, x, y, term->channel);
                for (term++; term < &mix->term[mix->begin[c + 1]]; term++)
                    sum = fmaf((float)term->weight, oracle_get(src, x, y, term->channel), sum);
                clipped += oracle_put(dst, x, y, c, sum, store);
            }
    return clipped;
}

/* At (k + 0.5) / n of the way from silence. */
static float gain_at(const float *gain, int64_t k, int64_t n)
{
    const double place = ((double)k + 0.5) * HALO_FADE_PLACES / (double)n, below = floor(place);
    const float *at = gain + (int64_t)below;
    return fmaf((float)(place - below), at[1] - at[0], at[0]);
}

uint64_t oracle_fade(const HaloBuf *src, HaloBuf *dst, const HaloFade *fade, HaloStore store)
{
    uint64_t clipped = 0;
    for (int64_t y = dst->y0; y < dst->y0 + dst->rows; y++)
        for (int64_t x = dst->x0; x < dst->x0 + dst->cols; x++)
            for (int c = 0; c < dst->shape.channels; c++) {
                const int64_t left = dst->shape.width - 1 - x;
                float v = oracle_get(src, x, y, c);
                if (x < fade->in) v = v * gain_at(fade->gain, x, fade->in);
                if (left < fade->out) v = v * gain_at(fade->gain, left, fade->out);
                clipped += oracle_put(dst, x, y, c, v, store);
            }
    return clipped;
}

/* Sums over windows: what every backend has to agree on (docs/numerics.md, "Means of windows"). */
#ifndef HALO_MEANS_H
#define HALO_MEANS_H

#include "halo/numerics.h"

/* Positions are counted from the first sample of output 0's window, and cut into runs, whose length is the
 * largest power of two below the window's n samples, and at most this. So a window of two samples or more ends
 * in a later run than the one it begins in. */
#define HALO_MEAN_RUN 32

HALO_FN int64_t halo_mean_run(int64_t n)
{
    int64_t run = 1;
    while (2 * run < n && run < HALO_MEAN_RUN) run *= 2;
    return run;
}

/* Whole runs between the first and the last that a window of n samples, 2 or more, touches, where it begins at
 * place k of a run. */
HALO_FN int64_t halo_mean_between(int64_t n, int64_t k) { return (k + n - 1) / halo_mean_run(n) - 1; }

/* The neutral element of addition, for -0 too. */
#define HALO_MEAN_NOTHING (-0.0)

/* The smallest power of two that is at least the width: row sums divided by it do not overflow. */
HALO_FN double halo_mean_scale(int64_t width)
{
    double scale = 1.0;
    while (scale < (double)width) scale *= 2.0;
    return scale;
}

/* Can integers be summed over a window instead of convolved with ones, with at most this many ones a side?
 * Their sums are exact in f32, in any order, so the bits are the same, also if the store divides. Not with a
 * constant border, which the column pass would see before the row sums. */
HALO_FN bool halo_mean_ones(const HaloMean *mean, HaloDtype dtype, HaloStore store, int64_t most)
{
    const HaloWindow *window = &mean->window;
    return dtype != HALO_F32 && mean->kind == HALO_MEAN_PLAIN && window->border != HALO_BORDER_CONSTANT &&
           window->width <= most && window->height <= most && store.num == 1.0f && store.den == 1.0f &&
           window->width * window->height * (dtype == HALO_U8 ? 255 : 65535) <= 1 << 24;
}

/* Of `count` samples with this sum, and this sum of squares. */
HALO_FN double halo_variance(double sum, double squares, double count)
{
    const double variance = (squares - sum * sum / count) / count;
    return variance < 0.0 ? 0.0 : variance;
}

#endif

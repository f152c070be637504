/* Difference measures. Each takes two whole buffers in host memory, of one shape except for the sample type
 * and, of sound, the length. */
#ifndef CORE_COMPARE_PART_H
#define CORE_COMPARE_PART_H

#include "core.h"
#include "device/progress.h"
#include "halo/compare.h"

typedef struct Pair {
    const HaloBuf *a, *b;
    double scale; /* samples of b times this are in units of a */
    HaloPool *pool;
    int jobs; /* threads of it, at most */
    HaloMemory *memory;
    Device *device; /* whose program is told of the progress */
} Pair;

/* samples.c: n samples, from the first of pixel (x, y) on, as f64, times `scale`. */
void pair_load(const HaloBuf *from, int64_t x, int64_t y, int64_t n, double scale, double *row);
/* How far two samples are from each other: two NaN not at all, NaN and a number infinitely. */
double pair_distance(double a, double b);

/* difference.c, similarity.c, lag.c: fill in their part of the comparison. */
HaloStatus compare_samples(const Pair *pair, HaloComparison *all);
HaloStatus compare_structure(const Pair *pair, HaloComparison *all);
HaloStatus compare_lag(const Pair *pair, HaloComparison *all);
/* deltae.c, scales.c, flip.c */
HaloStatus compare_colours(const Pair *pair, HaloComparison *all);
HaloStatus compare_scales(const Pair *pair, HaloComparison *all);
HaloStatus compare_flip(const Pair *pair, double ppd, HaloComparison *all);

/* similarity.c: the means of SSIM and, not NULL, of its factor of contrast and structure, over pictures of 11
 * pixels a side at least. */
HaloStatus structure_means(const Pair *pair, double *ssim, double *contrast);

#endif

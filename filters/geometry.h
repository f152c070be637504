/* Sizes and places of pictures as people type them, and the tables that resampling takes, of sound too. */
#ifndef GEOMETRY_H
#define GEOMETRY_H

#include "halo/op.h"

#define GEOMETRY_MOST ((int64_t)1 << 30) /* pixels a side */

/* "WxH", or "WxH+X+Y", where X and Y may be negative. */
typedef struct Rectangle {
    int64_t width, height;
    bool placed; /* x and y are given */
    int64_t x, y;
} Rectangle;

/* "800x600", "800x", "x600", "800" (of the longer side) or "50%". What is not given is 0. */
typedef struct WantedSize {
    int64_t width, height, longer;
    double percent;
} WantedSize;

/* `where` stands before the message of HALO_ERR_USAGE; the others are a parameter's `check`. */
HaloStatus geometry_rectangle(const char *where, const char *text, Rectangle *rectangle);
HaloStatus geometry_size(const char *where, const char *text, WantedSize *size);
HaloStatus geometry_check_rectangle(const char *where, const char *text);
HaloStatus geometry_check_size(const char *where, const char *text);

/* n / d * times, rounded to the nearest integer, halves up, but at least 1. */
int64_t geometry_share(int64_t times, int64_t n, int64_t d);

typedef enum ResampleKernel {
    RESAMPLE_LANCZOS3,
    RESAMPLE_LANCZOS2,
    RESAMPLE_CUBIC,
    RESAMPLE_MITCHELL,
    RESAMPLE_LINEAR,
    RESAMPLE_AREA,
    RESAMPLE_NEAREST
} ResampleKernel;

/* Each axis of the source as it lies or from its end on. */
HaloStatus geometry_turn(HaloBuilder *builder, HaloReg in, bool left, bool up, bool transposed, HaloReg *out);

/* taps_resample.c: a kernel of samples that lie this far away, at most its radius; not of area and nearest. */
double taps_weight(ResampleKernel kernel, double x);
/* The table that makes `size` samples of `length`, as docs/numerics.md defines it, or the rule
 * for it; both live as long as the plan. The source was decimated: one sample stands for every `shrunk`, such
 * as their mean. */
HaloStatus taps_resample(HaloBuilder *builder, int64_t length, int64_t shrunk, int64_t size,
                         ResampleKernel kernel, HaloResampleAxis *axis, HaloResampleRule *rule);

/* taps_rate.c: the table that makes `up` samples of every `down`, of `length` in all, likewise. HALO_ERR_USAGE
 * where it would be too large. */
HaloStatus taps_rate(HaloBuilder *builder, int64_t length, int64_t up, int64_t down, HaloResampleAxis *axis);
/* How many samples to either side taps reach at most, rounded up to a multiple of `down`. */
int64_t taps_rate_reach(int64_t up, int64_t down);

#endif

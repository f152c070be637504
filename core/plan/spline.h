/* One axis of a long smooth mask by B-spline control points (halo/sep_fast.h). */
#ifndef CORE_SPLINE_H
#define CORE_SPLINE_H

#include "halo/sep_fast.h"
#include "plan.h"

/* Control points `step` apart for this axis of a mask. */
typedef struct SplineDesign {
    HaloSepSpline spline;
    double error; /* the part of the taps' magnitude that they are off by; INFINITY: there are none */
    int64_t lowest, highest; /* what an output reads, and its neighbours up to the next control point */
} SplineDesign;

/* Its taps belong to the plan. */
SplineDesign spline_design(HaloBuilder *builder, const HaloSepTaps *mask, int64_t step);

/* Multiplications per sample for the taps, without those of the interpolation to control points and back. */
double spline_taps(const HaloSepSpline *spline);

int64_t taps_floor(int64_t a, int64_t b);
double taps_sum(const HaloSepTaps *taps);
double taps_magnitude(const HaloSepTaps *taps);
/* Corrects the sum of the taps, unless they cancel each other, so that flat areas keep their level. */
void taps_keep_level(float *tap, const HaloSepTaps *taps, double wanted);

#endif

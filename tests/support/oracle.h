/* The plain definition of every primitive, with which backends are compared: one sample after the other, in the
 * order that docs/numerics.md gives, written without the helpers that the backends share (numerics.h). */
#ifndef HALO_TEST_ORACLE_H
#define HALO_TEST_ORACLE_H

#include "halo/bilateral.h"
#include "halo/buffer.h"
#include "halo/combine.h"
#include "halo/fade.h"
#include "halo/gather.h"
#include "halo/local.h"
#include "halo/mix.h"
#include "halo/morphology.h"
#include "halo/objects.h"
#include "halo/primitive.h"
#include "halo/regions.h"
#include "halo/resample.h"
#include "halo/result.h"
#include "halo/sections.h"
#include "halo/sequence.h"
#include "halo/spectrum.h"
#include "halo/warp.h"

/* ---- single values -------------------------------------------------------------------------------------- */

/* index[k] = which of n samples the index first + k reads, found step by step; -1: none. */
void oracle_border(int64_t first, int64_t count, int64_t n, HaloBorder border, int64_t *index);
float oracle_quantise(float v, float white, unsigned *clipped);
/* Where bin k begins: lo + k * (hi - lo) / bins, rounded to f64 once. */
double oracle_edge(double lo, double hi, int64_t bins, int64_t k);
/* As halo_bin: -1 below, -2 above, -3 NaN. */
int64_t oracle_bin(double v, double lo, double hi, int64_t bins);
/* v = result * 2^*exponent with 1 <= |result| < 2; 0, infinities and NaN stay. */
double oracle_normalise(double v, int64_t *exponent);
float oracle_point(float v, const HaloPoint *point);

/* One sample as f32; (x, y) counted in the whole. */
float oracle_get(const HaloBuf *buf, int64_t x, int64_t y, int c);
/* The same as f64. */
double oracle_wide(const HaloBuf *buf, int64_t x, int64_t y, int c);
/* Stores one; returns how many were clipped, 0 or 1. */
uint64_t oracle_put(HaloBuf *buf, int64_t x, int64_t y, int c, float v, HaloStore store);

/* To f64. */
void oracle_put_wide(HaloBuf *buf, int64_t x, int64_t y, int c, double v);

/* ---- primitives; each returns how many samples were clipped --------------------------------------------- */

uint64_t oracle_conv(const HaloBuf *src, HaloBuf *dst, const HaloConv *conv, HaloStore store);
uint64_t oracle_bilateral(const HaloBuf *src, HaloBuf *dst, const HaloBilateral *bilateral, HaloStore store);
uint64_t oracle_sep(const HaloBuf *src, HaloBuf *dst, const HaloSep *sep, HaloStore store);
uint64_t oracle_map(const HaloBuf *src, HaloBuf *dst, const HaloMap *map, HaloStore store);
uint64_t oracle_combine(const HaloBuf *a, const HaloBuf *b, HaloBuf *dst, const HaloCombine *combine,
                        HaloStore store);
/* Everything of HALO_WANT_ALL; out: [channels]. */
void oracle_reduce(const HaloBuf *src, HaloMoments *out);
/* Two moments joined, a before b. */
HaloMoments oracle_merge(const HaloMoments *a, const HaloMoments *b);
/* out: [channels]. */
void oracle_fold(const HaloBuf *src, const HaloFold *fold, double *out);
double oracle_program(const HaloProgram *program, double a, double b, double k);
void oracle_hist(const HaloBuf *src, HaloHistogram *out);
void oracle_hist_parts(const HaloBuf *src, const HaloHist *hist, HaloHistogram *out);
uint64_t oracle_rank(const HaloBuf *src, HaloBuf *dst, const HaloRank *rank, HaloStore store);
uint64_t oracle_local(const HaloBuf *src, HaloBuf *dst, const HaloLocal *local, HaloStore store);
uint64_t oracle_warp(const HaloBuf *src, const HaloBuf *map, HaloBuf *dst, const HaloWarp *warp,
                     HaloStore store);
/* The place of a point of a pixel; and along one axis of n samples which are read there, -1: none, with
 * weights. */
void oracle_warp_place(const HaloWarp *warp, const HaloBuf *map, int64_t x, int64_t y, int i, int j,
                       double place[2]);
void oracle_warp_axis(const HaloWarp *warp, double place, int64_t n, int64_t index[6], float weight[6]);
uint64_t oracle_mean(const HaloBuf *src, HaloBuf *dst, const HaloMean *mean, HaloStore store);
uint64_t oracle_equalize(const HaloBuf *src, HaloBuf *dst, const HaloEqualize *equalize, HaloStore store);
uint64_t oracle_gather(const HaloBuf *src, HaloBuf *dst, const HaloGather *gather, HaloStore store);
uint64_t oracle_mix(const HaloBuf *src, HaloBuf *dst, const HaloMix *mix, HaloStore store);
uint64_t oracle_fade(const HaloBuf *src, HaloBuf *dst, const HaloFade *fade, HaloStore store);
uint64_t oracle_resample(const HaloBuf *src, HaloBuf *dst, const HaloResample *resample, HaloStore store);
uint64_t oracle_sequence(const HaloBuf *const src[], int sources, HaloBuf *dst, const HaloSequence *how,
                         HaloStore store);
uint64_t oracle_spectrum(const HaloBuf *src, HaloBuf *dst, const HaloSpectrum *spectrum, HaloStore store);
uint64_t oracle_sections(const HaloBuf *src, HaloBuf *dst, const HaloSections *sections, HaloStore store);
uint64_t oracle_regions(const HaloBuf *src, HaloBuf *dst, const HaloRegions *regions, HaloStore store);
uint64_t oracle_distance(const HaloBuf *src, HaloBuf *dst, const HaloDistance *distance, HaloStore store);
uint64_t oracle_suppress(const HaloBuf *gx, const HaloBuf *gy, HaloBuf *dst, HaloStore store);
uint64_t oracle_expr(const HaloBuf *const src[], HaloBuf *dst, const HaloExpr *expr, HaloStore store);
uint64_t oracle_color(const HaloBuf *src, HaloBuf *dst, const HaloColor *color, HaloStore store);
uint64_t oracle_dither(const HaloBuf *src, HaloBuf *dst, const HaloDither *how, HaloStore store);
uint64_t oracle_reconstruct(const HaloBuf *src, const HaloBuf *marker, HaloBuf *dst, const HaloReconstruct *how,
                            HaloStore store);
uint64_t oracle_thin(const HaloBuf *src, HaloBuf *dst, const HaloThin *thin, HaloStore store);
uint64_t oracle_watershed(const HaloBuf *src, const HaloBuf *labels, const HaloBuf *mask, HaloBuf *dst,
                          const HaloWatershed *how, HaloStore store);
HaloStatus oracle_objects(const HaloBuf *labels, const HaloBuf *of, const HaloObjects *objects,
                          HaloObjectList *out);
void oracle_scan(const HaloBuf *src, HaloBuf *dst, const HaloScan *scan);

/* The same in f64, of one row (oracle_double.c). */
void oracle_double_conv(const HaloBuf *src, HaloBuf *dst, const HaloConv *conv);
void oracle_double_map(const HaloBuf *src, HaloBuf *dst, const HaloMap *map);
void oracle_double_combine(const HaloBuf *a, const HaloBuf *b, HaloBuf *dst, const HaloCombine *combine);
void oracle_double_rank(const HaloBuf *src, HaloBuf *dst, const HaloRank *rank);
void oracle_double_bilateral(const HaloBuf *src, HaloBuf *dst, const HaloBilateral *bilateral);
void oracle_double_gather(const HaloBuf *src, HaloBuf *dst, const HaloGather *gather);
void oracle_double_mix(const HaloBuf *src, HaloBuf *dst, const HaloMix *mix);
void oracle_double_fade(const HaloBuf *src, HaloBuf *dst, const HaloFade *fade);
void oracle_double_resample(const HaloBuf *src, HaloBuf *dst, const HaloResample *resample);

/* Allocates memory or ends the test program. */
void *oracle_memory(int64_t count, size_t size);

#endif

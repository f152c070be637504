/* The primitives of the CPU backend (halo/backend.h), by which primitives also call each other. */
#ifndef CPU_PRIMITIVES_H
#define CPU_PRIMITIVES_H

#include "halo/backend.h"

HaloStatus cpu_conv(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloConv *conv,
                    HaloStore store);
HaloStatus cpu_sep(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloSep *sep, HaloStore store);
/* The same by `sep->fast`. */
HaloStatus cpu_sep_fast(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloSep *sep,
                        HaloStore store);
HaloStatus cpu_map(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloMap *map, HaloStore store);
HaloStatus cpu_combine(HaloDevice *device, const HaloBuf *a, const HaloBuf *b, HaloBuf *dst,
                       const HaloCombine *combine, HaloStore store);
HaloStatus cpu_reduce(HaloDevice *device, const HaloBuf *src, unsigned want, HaloMoments *out);
HaloStatus cpu_fold(HaloDevice *device, const HaloBuf *src, const HaloFold *fold, double *out);
HaloStatus cpu_hist(HaloDevice *device, const HaloBuf *src, const HaloHist *hist, HaloHistogram *out);
HaloStatus cpu_scan(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloScan *scan);
HaloStatus cpu_rank(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloRank *rank,
                    HaloStore store);
HaloStatus cpu_mean(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloMean *mean,
                    HaloStore store);
/* Chains that begin with a mean. */
bool cpu_chains(const HaloShape *src, const HaloShape *dst, const HaloChain *chain);
HaloStatus cpu_chain(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloChain *chain,
                     HaloStore store);
HaloStatus cpu_local(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloLocal *local,
                     HaloStore store);
HaloStatus cpu_warp(HaloDevice *device, const HaloBuf *src, const HaloBuf *map, HaloBuf *dst,
                    const HaloWarp *warp, HaloStore store);
HaloStatus cpu_bilateral(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloBilateral *bilateral,
                         HaloStore store);
HaloStatus cpu_gather(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloGather *gather,
                      HaloStore store);
HaloStatus cpu_resample(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloResample *resample,
                        HaloStore store);
HaloStatus cpu_sections(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloSections *sections,
                        HaloStore store);
HaloStatus cpu_sequence(HaloDevice *device, const HaloBuf *const src[], int sources, HaloBuf *dst,
                        const HaloSequence *sequence, HaloStore store);
HaloStatus cpu_spectrum(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloSpectrum *spectrum,
                        HaloStore store);
/* The same of a single row, which is resampled along it alone. */
bool cpu_resample_is_line(const HaloBuf *dst, const HaloResample *resample);
HaloStatus cpu_resample_line(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloResample *resample,
                             HaloStore store);
/* The same of means of blocks of integers. */
bool cpu_resample_is_blocks(const HaloBuf *src, const HaloBuf *dst, const HaloResample *how, HaloStore store);
HaloStatus cpu_resample_blocks(HaloDevice *device, const HaloBuf *src, HaloBuf *dst,
                               const HaloResample *resample, HaloStore store);
HaloStatus cpu_expr(HaloDevice *device, const HaloBuf *const src[], int sources, HaloBuf *dst,
                    const HaloExpr *expr, HaloStore store);
HaloStatus cpu_color(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloColor *color,
                     HaloStore store);
HaloStatus cpu_dither(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloDither *dither,
                      HaloStore store);
HaloStatus cpu_mix(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloMix *mix, HaloStore store);
HaloStatus cpu_fade(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloFade *fade,
                    HaloStore store);
HaloStatus cpu_equalize(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloEqualize *equalize,
                        HaloStore store);
HaloStatus cpu_regions(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloRegions *regions,
                       HaloStore store);
HaloStatus cpu_distance(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloDistance *distance,
                        HaloStore store);
HaloStatus cpu_sort_groups(HaloDevice *device, const HaloBuf *src, const HaloBuf *labels,
                           const HaloGroups *groups, HaloBuf *sorted, HaloBuf *order, HaloGroupList *list);
HaloStatus cpu_reduce_groups(HaloDevice *device, const HaloBuf *src, const int64_t *begin, int64_t groups,
                             unsigned want, HaloMoments *out);
HaloStatus cpu_find_regions(HaloDevice *device, const HaloBuf *src, const HaloRegions *how);
HaloStatus cpu_objects(HaloDevice *device, const HaloBuf *labels, const HaloBuf *of, const HaloObjects *objects,
                       HaloObjectList *out);
HaloStatus cpu_suppress(HaloDevice *device, const HaloBuf *gx, const HaloBuf *gy, HaloBuf *dst,
                        HaloStore store);
HaloStatus cpu_reconstruct(HaloDevice *device, const HaloBuf *src, const HaloBuf *marker, HaloBuf *dst,
                           const HaloReconstruct *how, HaloStore store);
HaloStatus cpu_thin(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloThin *thin,
                    HaloStore store);
HaloStatus cpu_watershed(HaloDevice *device, const HaloBuf *src, const HaloBuf *labels, const HaloBuf *mask,
                         HaloBuf *dst, const HaloWatershed *how, HaloStore store);
HaloStatus cpu_ceilings(HaloDevice *device, HaloCeilings *out);

#endif

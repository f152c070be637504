/* Primitives in f64 (docs/numerics.md, "64 bits"): of sound and series that hold more than f32. One plain way
 * each, over pieces of the one row that these have. */
#ifndef CPU_DOUBLE_H
#define CPU_DOUBLE_H

#include "device.h"

/* Is a step with these buffers computed in f64? */
static inline bool cpu_is_double(const HaloBuf *src, const HaloBuf *dst)
{
    return src->shape.dtype == HALO_F64 || dst->shape.dtype == HALO_F64;
}

HaloStatus cpu_double_map(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloMap *map,
                          HaloStore store);
HaloStatus cpu_double_combine(HaloDevice *device, const HaloBuf *a, const HaloBuf *b, HaloBuf *dst,
                              const HaloCombine *combine);
HaloStatus cpu_double_mix(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloMix *mix);
HaloStatus cpu_double_fade(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloFade *fade);
HaloStatus cpu_double_conv(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloConv *conv);
HaloStatus cpu_double_mean(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloMean *mean);
HaloStatus cpu_double_rank(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloRank *rank);
HaloStatus cpu_double_bilateral(HaloDevice *device, const HaloBuf *src, HaloBuf *dst,
                                const HaloBilateral *bilateral);
HaloStatus cpu_double_resample(HaloDevice *device, const HaloBuf *src, HaloBuf *dst,
                               const HaloResample *resample);

/* ---- pieces.c: what they share -------------------------------------------------------------------------- */

typedef struct Doubles Doubles;
struct Doubles {
    /* Makes frames [x, x + frames) of the result in `row`, or elsewhere in the scratch; returns where they are.
     */
    double *(*make)(const Doubles *d, int64_t x, int64_t frames, double *row, double *other);
    const HaloBuf *a, *b;
    HaloBuf *dst;
    const void *how;     /* the parameters */
    int64_t frames;      /* of a piece; 0: as many as the first-level cache holds */
    int64_t widest;      /* elements of a frame in `row`; 0: those of the result */
    int64_t other, each; /* elements of `other`: some, and so many for each frame of a piece */
    double work;         /* elementary steps for each sample of the result */
    const char *name;    /* for messages */
    HaloDevice *device;
    char *scratch; /* set by cpu_double_run, as all below */
    int64_t scratch_bytes, at_row, at_other;
};

/* All pieces of the result, which has one row. */
HaloStatus cpu_double_run(Doubles *d);
/* Frames [x, x + frames) of a source. */
void cpu_double_load(const Doubles *d, const HaloBuf *from, int64_t x, int64_t frames, double *row);
/* The same where they may lie outside of the whole. */
void cpu_double_line(const Doubles *d, const HaloWindow *window, int64_t x, int64_t frames, double *line);
/* Does the source hold frames [x, x + frames), as far as they lie in the whole? */
bool cpu_double_holds(const HaloBuf *src, int64_t x, int64_t frames);

#endif

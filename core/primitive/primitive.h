/* What core knows of a primitive: one row each, in a file of its own in core/primitive/. Whoever builds, joins,
 * explains, weighs or runs steps asks the row; nobody else tells primitives apart. */
#ifndef CORE_PRIMITIVE_H
#define CORE_PRIMITIVE_H

#include "measure/measure.h"

/* Of primitives that measure: they have no result between steps, but one for people. */
typedef struct Measure {
    /* Do its pieces have to be leaves of the tree of a reduction, or does their order not matter? */
    bool leaves;
    /* Is it measured also where nobody asked for the result, for what comes of it later? */
    bool always;
    /* Does its result have the loudness of sound? */
    bool listens;
    /* Can sound be measured block by block? Images are measured whole. */
    bool (*gathers)(const HaloStep *step, const HaloShape *src);
    /* Adds a piece: a whole for a backend, whose first frame is frame `first` of the sound. */
    HaloStatus (*piece)(Slot *slot, const HaloStep *step, const HaloBuf *piece, int64_t first, Measured *all);
    /* All is measured: fills `result` (NULL: nobody asked) and what `resolve` needs. `src` is the last piece,
     * and the whole where the step does not gather. */
    HaloStatus (*conclude)(Slot *slot, const HaloStep *step, const HaloBuf *src, Measured *all,
                           HaloStats *stats, HaloResult *result);
    /* Bytes of host memory that it takes meanwhile. */
    double (*bytes)(const HaloStep *step, const HaloShape *src);
} Measure;

typedef struct Primitive {
    const char *name;
    size_t store; /* where in a HaloStep the HaloStore of its result lies; 0: it has none */
    /* The shape of the result, from those of the sources (NULL: there is no such source). */
    HaloStatus (*shape)(const HaloStep *step, const HaloShape *a, const HaloShape *b, HaloShape *dst);
    HaloReach (*reach)(const HaloStep *step);
    /* Operations for so many samples of the result, or of the source where there is no result. */
    double (*flops)(const HaloStep *step, double samples);
    /* A few words. Sound lies along time: it has no rows. `exact`: not by a way that --precision fast allows.
     */
    void (*describe)(const HaloStep *step, bool sound, bool exact, char *room, size_t size);
    HaloStatus (*run)(const HaloBackend *backend, HaloDevice *device, const HaloStep *step, const HaloBuf *a,
                      const HaloBuf *b, HaloBuf *dst);
    const Measure *measure; /* NULL: it makes a value */
} Primitive;

const Primitive *primitive_of(const HaloStep *step);
HaloStore *primitive_store(HaloStep *step); /* NULL: it has none */

/* ---- what several rows share (window.c) ----------------------------------------------------------------- */

/* The shape after a window of width x height: f32, smaller with VALID. */
HaloStatus window_shape(const HaloShape *in, int64_t width, int64_t height, HaloBorder border, HaloShape *dst);
HaloReach window_reach(int64_t width, int64_t height, int64_t ox, int64_t oy, HaloBorder border);
const char *window_border(HaloBorder border);
HaloReach whole_reach(const HaloStep *step);

#endif

/* What core knows of a primitive: one row each, in a file of its own in this folder. The builder, the
 * optimiser, the cost model, --explain and the executor all use these rows, and have no cases for single
 * primitives. */
#ifndef CORE_PRIMITIVE_H
#define CORE_PRIMITIVE_H

#include "halo/changes.h"
#include "measure/measure.h"
#include "part.h"

/* For primitives that measure: they make no value for other steps, but a result that is reported. */
typedef struct Measure {
    /* Do blocks of samples of this shape have to be nodes of the tree of a reduction (docs/numerics.md)? Else
     * their order does not matter. NULL: never. */
    bool (*leaves)(const HaloStep *step, const HaloShape *src);
    /* Does its result include the loudness of sound? */
    bool has_loudness;
    /* Can samples of this shape be measured block by block? */
    bool (*incremental)(const HaloStep *step, const HaloShape *src);
    /* Adds a block, which a backend sees as a whole; its first frame or pixel is number `first` of all. */
    HaloStatus (*add)(Device *device, const HaloStep *step, const HaloBuf *block, int64_t first, Measured *all);
    /* Finishes: fills the result, for the report or for `resolve`. `src` is the last block, or the whole value
     * if it is not measured in blocks. */
    HaloStatus (*conclude)(Device *device, const HaloStep *step, const HaloBuf *src, Measured *all,
                           HaloResult *result);
    /* Calls the same backend functions as `add` and `conclude`, to query their workspace (backend.h). */
    void (*query)(const HaloBackend *backend, HaloDevice *device, const HaloStep *step, const HaloBuf *block);
    /* Bytes of host memory that it needs while it measures. */
    double (*bytes)(const HaloStep *step, const HaloShape *src);
} Measure;

typedef struct Primitive {
    const char *name;
    bool stores; /* its samples are f32 that become others by the step's store */
    bool blind;  /* its result depends on the values alone, whatever type holds them */
    /* The type that holds all that it makes of samples of this type. NULL: f32. */
    HaloDtype (*holds)(const HaloStep *step, HaloDtype source);
    /* The shape of the result, from those of the sources. */
    HaloStatus (*shape)(const HaloStep *step, const HaloShape *const src[], HaloShape *dst);
    /* The part of source k, of this shape, that is needed for a part of the result. */
    Part (*reads)(const HaloStep *step, int k, const HaloShape *src, Part part);
    /* Where places and channels of source 0 go. `move` says that all stay as they are, in a result of its size.
     * NULL: so it is. */
    void (*moves)(const HaloStep *step, HaloMove *move);
    /* Where it leaves out more of the source in some places than in others: the most that lies between what two
     * neighbours of the result read. NULL, 0: it does not. */
    int64_t (*jumps)(const HaloStep *step);
    /* The part of the result, of this shape, that is made where a part of it is wanted. NULL: just that. */
    Part (*makes)(const HaloStep *step, const HaloShape *dst, Part part);
    /* The length of source 0, which `was` PLAN_ENDLESS or what was made of that, becomes known: sets what of
     * the parameters depends on it. NULL: nothing does. HALO_ERR_INPUT where nothing is left. */
    HaloStatus (*end)(HaloStep *step, int64_t was, int64_t length);
    /* By which factor may the source be decimated on each axis, if a small difference is allowed? NULL: 1. */
    int64_t (*shrinks)(const HaloStep *step);
    /* Takes over what a step of the same primitive makes of its result, whose shape is `between`; false: it
     * cannot. NULL: never. */
    bool (*absorbs)(HaloStep *step, const HaloStep *next, const HaloShape *between);
    /* Leaves of the ways that --precision fast allows a step just what this backend does, so that it is a step
     * as it will be done; `way` is space for one that it cuts down. NULL: there are no such ways. */
    void (*settle)(HaloStep *step, const HaloBackend *backend, HaloSepFast *way);
    /* Sets what the step's `resolve` sets from what was measured; `copy` is for a chain, of which some link is
     * set. NULL: `resolve` does. */
    HaloStatus (*set)(HaloStep *step, const HaloResult *measured, HaloChain *copy);
    /* Bytes of host memory that its tables take. NULL: next to none. */
    double (*bytes)(const HaloStep *step);
    /* Operations for `samples` of the result, or of the source if there is no result. */
    double (*flops)(const HaloStep *step, double samples);
    /* Nanoseconds that a core takes for a sample of the result, or of `src` where there is none: measured, of
     * what has other costs than bytes and operations. NULL: these say it. */
    double (*core_ns)(const HaloStep *step, const HaloShape *src);
    /* The same of a GPU, beside bytes and operations. NULL, 0: a thousandth of a core's. */
    double (*gpu_ns)(const HaloStep *step, const HaloShape *src);
    /* A short description. Sound lies along time: it has no rows. `exact`: not by a way that --precision fast
     * allows. */
    void (*describe)(const HaloStep *step, bool sound, bool exact, char *text, size_t size);
    /* Does a backend have it? NULL: each has. */
    bool (*offered)(const HaloBackend *backend);
    /* Where the result at a time of sound, or in a row of an image, depends on everything before: parts are
     * made in order, by `go_on` in place of `run`, and bytes of state are handed from one to the next, in the
     * memory of the device, zeros to the first; 0: not this step. NULL: none. */
    int64_t (*keeps)(const HaloStep *step, const HaloShape *src);
    HaloStatus (*go_on)(const HaloBackend *backend, HaloDevice *device, const HaloStep *step,
                        const HaloBuf *const src[], HaloBuf *dst, void *state);
    /* Calls the backend's member. NULL: it measures. */
    HaloStatus (*run)(const HaloBackend *backend, HaloDevice *device, const HaloStep *step,
                      const HaloBuf *const src[], HaloBuf *dst);
    const Measure *measure; /* NULL: it makes a value */
} Primitive;

const Primitive *primitive_of(const HaloStep *step); /* list.c */

/* ---- what several rows share ---------------------------------------------------------------------------- */

/* chain.c: of all links of the step's chain. */
double chain_flops(const HaloStep *step, double samples);
void chain_describe(const HaloStep *step, bool sound, bool exact, char *text, size_t size);

/* window.c: the shape after a window: f32, smaller with VALID. */
HaloStatus window_shape(const HaloStep *step, const HaloShape *const src[], HaloShape *dst);
Part window_reads(const HaloStep *step, int k, const HaloShape *src, Part part);
void window_moves(const HaloStep *step, HaloMove *move);
/* The part of the source that lies under the windows of a part of the result. */
Part window_part(const HaloWindow *window, const HaloShape *src, Part part);
/* All of the source, whatever is made of it; and all of the result. */
Part whole_reads(const HaloStep *step, int k, const HaloShape *src, Part part);
Part whole_makes(const HaloStep *step, const HaloShape *dst, Part part);

#endif

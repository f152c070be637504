/* The descriptor of each primitive: one row, in a separate file of this folder. The builder, the
 * optimiser, the cost model, --explain and the executor all use these rows, and have no cases for single
 * primitives. */
#ifndef CORE_PRIMITIVE_H
#define CORE_PRIMITIVE_H

#include "halo/changes.h"
#include "measure/measure.h"
#include "part.h"

/* For primitives that measure: they have no output samples, but a result that is reported. */
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
    /* In place of `add`: the same rows of all sources, at their places in the whole. NULL: `add` is called. */
    HaloStatus (*add_rows)(Device *device, const HaloStep *step, const HaloBuf *const rows[], Measured *all);
    /* Does it hold more memory while it runs, by what it finds? Bands leave half of it. */
    bool grows;
    /* Finishes: fills the result, for the report or for `resolve`. src[0] is the last block, or the whole value
     * if it is not measured in blocks; other sources are whole. */
    HaloStatus (*conclude)(Device *device, const HaloStep *step, const HaloBuf *const src[], Measured *all,
                           HaloResult *result);
    /* Calls the same backend functions as `add` and `conclude`, to query their workspace (backend.h). */
    void (*query)(const HaloBackend *backend, HaloDevice *device, const HaloStep *step, const HaloBuf *block);
    /* Bytes of host memory that it needs while it measures. */
    double (*bytes)(const HaloStep *step, const HaloShape *src);
} Measure;

typedef struct Primitive {
    const char *name;
    bool stores;  /* it computes f32, which the step's store converts to the output type */
    bool blind;   /* its result depends on the values alone, whatever type holds them */
    bool narrows; /* every backend reads f64, where the result is of another type */
    /* A type that holds every result for a source of this shape. NULL: f32. */
    HaloDtype (*holds)(const HaloStep *step, const HaloShape *source);
    /* The shape of the result, from those of the sources. */
    HaloStatus (*shape)(const HaloStep *step, const HaloShape *const src[], HaloShape *dst);
    /* Makes no more columns than these of a picture along time, since the output shows no more. NULL: it makes
     * none. */
    void (*glance)(HaloStep *step, int64_t columns);
    /* The part of source k, of this shape, that is needed for a part of the result. Empty: nothing of it. */
    Part (*reads)(const HaloStep *step, int k, const HaloShape *src, Part part);
    /* Where positions and channels of source 0 appear in the result. `move` is the identity on entry. NULL: it
     * stays the identity. */
    void (*moves)(const HaloStep *step, HaloMove *move);
    /* Does the result depend on where it is, by its coordinates or the size of the whole, or on the places of
     * values of other sizes, beside what `reads` and `moves` say? Then blocks that overlap do not give what the
     * whole gives (halo_plan_reach). NULL: no. */
    bool (*placed)(const HaloStep *step, const HaloShape *const src[]);
    /* The largest gap in the source between what two neighbours of the result read, if gaps differ. NULL, 0:
     * they do not. */
    int64_t (*jumps)(const HaloStep *step);
    /* The part of the result, of this shape, that has to be computed to get `part`. NULL: just `part`. */
    Part (*makes)(const HaloStep *step, const HaloShape *dst, Part part);
    /* Called when the length of source 0 becomes known, which `was` PLAN_ENDLESS or derived from it: updates
     * the parameters that depend on it. NULL: none does. HALO_ERR_INPUT if the result is empty. */
    HaloStatus (*end)(HaloStep *step, int64_t was, int64_t length);
    /* By which factor may the source be decimated on each axis, if a small difference is allowed? NULL: 1. */
    int64_t (*shrinks)(const HaloStep *step);
    /* Merges the next step, of the same primitive, into this one; `between` is the shape of this one's result.
     * False: it cannot. NULL: never. */
    bool (*absorbs)(HaloStep *step, const HaloStep *next, const HaloShape *between);
    /* Reduces the approximations that --precision fast allows to those that this backend uses. `way` is storage
     * for a reduced one. NULL: there are none. */
    void (*settle)(HaloStep *step, const HaloBackend *backend, HaloSepFast *way);
    /* Sets parameters from a measurement, in place of `resolve`. `copy` is storage for a chain, one of whose
     * links is set. NULL: `resolve` is called. */
    HaloStatus (*set)(HaloStep *step, const HaloResult *measured, HaloChain *copy);
    /* Bytes of host memory that its tables take. NULL: next to none. */
    double (*bytes)(const HaloStep *step);
    /* Operations for `samples` of the result, or of the source if there is no result. */
    double (*flops)(const HaloStep *step, double samples);
    /* Measured nanoseconds of a core per sample of the result, or of `src` if there is none, if bytes and
     * operations do not predict the time. NULL: they do. */
    double (*core_ns)(const HaloStep *step, const HaloShape *src);
    /* The same for a GPU, in addition to bytes and operations. NULL, 0: a thousandth of a core's. */
    double (*gpu_ns)(const HaloStep *step, const HaloShape *src);
    /* A short description. Sound has no rows. `exact`: without the approximations of --precision fast. */
    void (*describe)(const HaloStep *step, bool sound, bool exact, char *text, size_t size);
    /* Does the backend have it? NULL: every backend has. */
    bool (*offered)(const HaloBackend *backend);
    /* The bytes of state of a step whose result depends on all samples before it. Its parts are computed in
     * order, by `go_on` in place of `run`, with the state of the part before, in device memory; the first gets
     * zeros. 0: this step has no state. NULL: none has. */
    int64_t (*keeps)(const HaloStep *step, const HaloShape *src);
    HaloStatus (*go_on)(const HaloBackend *backend, HaloDevice *device, const HaloStep *step,
                        const HaloBuf *const src[], HaloBuf *dst, void *state);
    /* Can the backend make the result in parts, from a source of this shape? NULL: yes. */
    bool (*in_bands)(const HaloBackend *backend, const HaloShape *src);
    /* Calls the backend's member. NULL: it measures. */
    HaloStatus (*run)(const HaloBackend *backend, HaloDevice *device, const HaloStep *step,
                      const HaloBuf *const src[], HaloBuf *dst);
    const Measure *measure; /* NULL: it makes a value */
} Primitive;

const Primitive *primitive_of(const HaloStep *step); /* list.c */
/* list.c: is the step computed in f64 (HaloBackend::doubles)? `reg`: the plan's values. */
bool primitive_is_double(const HaloStep *step, const HaloShape *reg);

/* The type that results have before they are stored: f64 where a source has it. */
static inline HaloDtype primitive_dtype(const HaloShape *const src[], int sources)
{
    for (int k = 0; k < sources; k++)
        if (src[k]->dtype == HALO_F64) return HALO_F64;
    return HALO_F32;
}

/* ---- what several rows share ---------------------------------------------------------------------------- */

/* chain.c: of all links of the step's chain. */
double chain_flops(const HaloStep *step, double samples);
void chain_describe(const HaloStep *step, bool sound, bool exact, char *text, size_t size);

/* tables.c: measures of whole values that give tables: not in blocks; nothing is added before `conclude`; they
 * take no memory of a device; and an empty table for each channel. */
bool measure_never(const HaloStep *step, const HaloShape *src);
HaloStatus measure_at_once(Device *device, const HaloStep *step, const HaloBuf *block, int64_t first,
                           Measured *all);
void measure_queries_none(const HaloBackend *backend, HaloDevice *device, const HaloStep *step,
                          const HaloBuf *block);
HaloStatus measure_open_tables(const HaloShape *shape, HaloResult *result);

/* window.c: the shape after a window: f32, smaller with VALID. */
HaloStatus window_shape(const HaloStep *step, const HaloShape *const src[], HaloShape *dst);
Part window_reads(const HaloStep *step, int k, const HaloShape *src, Part part);
void window_moves(const HaloStep *step, HaloMove *move);
/* The part of the source that lies under the windows of a part of the result. */
Part window_part(const HaloWindow *window, const HaloShape *src, Part part);
/* All of the source, whatever is made of it; and all of the result. */
Part whole_reads(const HaloStep *step, int k, const HaloShape *src, Part part);
Part whole_makes(const HaloStep *step, const HaloShape *dst, Part part);
/* None, of steps that compare samples. */
double no_flops(const HaloStep *step, double samples);

/* A type that holds 0 and full scale; f32 where no integers do. */
static inline HaloDtype holds_scale(double white)
{
    if (white == 255.0 || white == 1.0) return HALO_U8;
    return white == 65535.0 ? HALO_U16 : HALO_F32;
}

static inline bool is_same_size(const HaloShape *a, const HaloShape *b)
{
    return a->width == b->width && a->height == b->height;
}

#endif

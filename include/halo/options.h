/* The options of a session. */
#ifndef HALO_OPTIONS_H
#define HALO_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "halo/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HALO_RAW_F64 64 /* HaloOptions::raw_bits: floats of 64 bits */

#define HALO_MAX_PIXELS ((int64_t)1 << 28) /* the default */

typedef enum HaloDeviceChoice {
    HALO_DEVICE_AUTO,
    HALO_DEVICE_CPU,
    HALO_DEVICE_GPU, /* the one that `gpu` names */
    HALO_DEVICE_ALL  /* GPU number `gpu` modulo their number, so that sessions spread over all; if `share` says
                        that there is only one session, large images use the others in bands, too */
} HaloDeviceChoice;

/* FAST allows methods for large masks whose results differ a little: docs/numerics.md has the bound. SINGLE
 * computes sound and series of 64 bits in f32. */
typedef enum HaloPrecision { HALO_PRECISION_EXACT, HALO_PRECISION_FAST, HALO_PRECISION_SINGLE } HaloPrecision;

/* How filters treat alpha. PREMUL: colours are multiplied by it first, so that invisible ones have no weight,
 * and divided by the filtered alpha last. STRAIGHT: alpha is filtered like any channel. IGNORE: colours are
 * filtered without regard to alpha, which stays the input's. */
typedef enum HaloAlpha { HALO_ALPHA_PREMUL, HALO_ALPHA_STRAIGHT, HALO_ALPHA_IGNORE } HaloAlpha;

/* The usual ones: rows (h or y), columns (w or x), channels (c), and, before these, pages (n, z or t). */
#define HALO_AXES "hw|hwc|hwc,alpha|chw|nhw|nhwc|nchw|zyx|tzyx"

/* All zero but struct_size is the default of everything (halo_options_defaults). */
typedef struct HaloOptions {
    size_t struct_size; /* sizeof(HaloOptions) where the program was compiled */
    HaloDeviceChoice device;
    HaloPrecision precision;
    int gpu;            /* which one */
    int jobs;           /* threads, up to 4096; 0: one for each processor that the process may use */
    HaloAlpha alpha;    /* where an operation's alpha= is not given */
    bool linear;        /* images of 8 and 16 bits are decoded from sRGB first, and encoded last */
    int64_t max_pixels; /* of one image, of up to 4 samples each; 0: HALO_MAX_PIXELS. Audio has no such limit */
    int64_t max_memory; /* bytes of host memory for data that grows with a file; 0: three quarters of the
                           machine's, or of a cgroup's limit if that is less */
    int share;          /* the number of sessions that run at the same time and divide that memory; 0: 1 */
    int64_t files;      /* the expected number of files: the time to start a GPU is divided among them; 0: 1 */
    int64_t band_rows;  /* rows computed at a time; 0: chosen. Results do not depend on it */
    int raw_bits;       /* raw sound holds signed integers of this many bits, read as f32: 16, 24 or 32; or
                           HALO_RAW_F64; else 0 */
    bool raw_big;       /* raw samples are big-endian */
    double rate; /* frames per second of inputs that state none; with it arrays are sound; 0: not given */
    const char *columns;     /* of tables in text, by name, number and range, "temp,3-5"; NULL: all */
    const char *time;        /* their column of times, by name or number; "none"; NULL: the first that is one */
    const char *time_format; /* as strptime has it; NULL: it is recognised */
    bool comma;              /* they have a decimal comma */
    const char *read_as;     /* the format of all inputs, by name; NULL: as each says */
    int latency_ms;          /* sound from pipe to pipe: the most that is computed at a time; 0: 100 */
    const char *axes;        /* the dimensions of arrays, such as HALO_AXES; followed by ",alpha": the last of 2
                                channels, or of 4 and more, is alpha if an image of any format names none.
                                NULL: (w), (h, w), (h, w, c) or (n, h, w, c) with up to 4 channels */
    double white;            /* the full scale of floats that have none; 0: they stay numbers */
    bool tolerate;           /* use what can be read of damaged inputs */
    bool verify;             /* compute on both backends and compare: HALO_ERR_BUG where they differ */
    /* NULL, or called, with `context`, in any of the session's threads: between the steps and bands of a run,
     * and between parts of what is loaded, saved, stacked or compared, up to twenty times a second, with the
     * part that is done, 0 to 1 (-1: not known): false ends the work with HALO_ERR_CANCELLED, and an output
     * that is saved is removed; on arrays in host memory it is called in the thread that calls halo; */
    bool (*progress)(void *context, double done);
    /* with each remark on what a run, a load, a save or a stack lost or changed, a sentence; */
    void (*message)(void *context, const char *text);
    /* and for the memory that work on a GPU needs beside its arrays, in the order of `stream` (both or none;
     * NULL from the first: there is no memory). */
    void *(*gpu_alloc)(void *context, int gpu, size_t bytes, void *stream);
    void (*gpu_free)(void *context, int gpu, void *memory, void *stream);
    void *context;
} HaloOptions;

/* All zero but struct_size. */
HALO_API void halo_options_defaults(HaloOptions *options);

#ifdef __cplusplus
}
#endif
#endif

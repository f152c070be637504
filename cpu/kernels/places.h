/* Pixels of other places: resampling and warps. */
#ifndef CPU_KERNELS_PLACES_H
#define CPU_KERNELS_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "halo/buffer.h"
#include "halo/resample.h"
#include "halo/warp.h"

/* ---- resampling ----------------------------------------------------------------------------------------- */

#define CPU_RESAMPLE_LANES 16
/* Outputs that are summed at a time. */
#define CPU_RESAMPLE_OUTPUTS 256

/* Rows side by side, one in each of `lanes` lanes: element e of row l stands at [e * pitch + l]. */
typedef struct CpuResampleKernels {
    int lanes;
    void (*transpose[3])(const void *const *row, int64_t n, float *transposed, int64_t pitch);
    void (*transpose_back)(const float *transposed, int64_t pitch, int64_t n, float *const *row);
    /* Of every lane and channel the sums of some outputs, whose taps lie over `transposed`, elements of which
     * follow each other. The second is for taps that are many, and lie over nearly the same from one output to
     * the next. */
    void (*sums)(const HaloResampleTaps *taps, int64_t outputs, int64_t channels, const float *transposed,
                 float *out);
    void (*sums_along)(const HaloResampleTaps *taps, int64_t outputs, int64_t channels, const float *transposed,
                       float *out);
} CpuResampleKernels;

#define CPU_SPREAD_ROWS 4

/* Rows that become longer, in vectors of outputs: of lane l, tap j weighs element base + place[l] + j *
 * channels by tap[j][l]; 0 <= place[l] < lanes. Places and taps repeat: vectors have one of them in common. */
typedef struct CpuSpread {
    int64_t vectors, taps, channels;
    int64_t *base;  /* [vectors] */
    int32_t *kind;  /* [vectors]: the row of both tables */
    int32_t *place; /* [kinds][lanes] */
    float *tap;     /* [kinds][taps][lanes] */
} CpuSpread;

/* NULL where there is no fast permutation. */
typedef struct CpuSpreadKernels {
    int lanes;
    /* Vectors [from, to) of CPU_SPREAD_ROWS rows at a time. */
    void (*rows)(const CpuSpread *spread, int64_t from, int64_t to, const float *const *line,
                 float *const *out);
    /* Sums down lines, none of which is beyond 31 bits, from element `from` on, as bytes; `past` the caches,
     * where `to` is aligned. Returns how many of n are made. */
    int64_t (*columns)(const float *tap, int64_t taps, const float *const *line, int64_t from, int64_t n,
                       bool past, uint8_t *to, uint64_t *clipped);
} CpuSpreadKernels;

/* Means of blocks of u8 and u16, `across` pixels by `down` rows, that lie side by side from row[…] on: each is
 * its sum times `scale`. `sums` is for that many samples of 32 bits; `out` has 8 floats past the last. */
typedef struct CpuBlockKernels {
    void (*means[2])(const void *const *row, int64_t down, int64_t across, int64_t channels, int64_t outputs,
                     float scale, void *sums, float *out);
    /* The same of bytes by two pixels and two rows, as bytes. Returns the outputs from the first on that are
     * made: not all, and none where it would not be faster. */
    int64_t (*halves)(const void *above, const void *below, int64_t channels, int64_t outputs, uint8_t *out);
} CpuBlockKernels;

/* ---- warps ---------------------------------------------------------------------------------------------- */

#define CPU_WARP_CHUNK 64 /* pixels of a row at a time */

/* Where they read: the first sample of each along both axes, and how far the place is behind a sample. */
typedef struct CpuWarpPlaces {
    int32_t x[CPU_WARP_CHUNK], y[CPU_WARP_CHUNK], phase_x[CPU_WARP_CHUNK], phase_y[CPU_WARP_CHUNK];
    int32_t least_x, most_x, least_y, most_y; /* of x and y */
} CpuWarpPlaces;

typedef struct CpuWarpSource {
    const HaloWarp *how;
    const HaloBuf *src;
    float outside; /* of a constant border */
} CpuWarpSource;

typedef struct CpuWarpKernels {
    /* Of points at (x + k + apart, y), 0 <= k < n; not of maps. */
    void (*places)(const HaloWarp *how, int64_t x, double apart, double y, int64_t n, CpuWarpPlaces *out);
    /* These are given, x and y in turn. */
    void (*places_of_map)(const HaloWarp *how, const float *map, int64_t n, CpuWarpPlaces *out);
    /* The samples there, if the source holds all that is read; and of any places. */
    void (*inside)(const CpuWarpSource *from, const CpuWarpPlaces *places, int64_t n, float *out);
    void (*anywhere)(const CpuWarpSource *from, const CpuWarpPlaces *places, int64_t n, float *out);
} CpuWarpKernels;

#endif

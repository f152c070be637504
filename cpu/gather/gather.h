/* Gathers (HALO_GATHER): what is moved, and to what it is converted. */
#ifndef CPU_GATHER_H
#define CPU_GATHER_H

#include "device.h"
#include "halo/gather.h"

/* Along an axis of the result: output k reads place from + step * k of `length` places, or, outside of them,
 * what the border makes of it. Outputs [first, end) read what lies inside. */
typedef struct CpuPlaces {
    int64_t from, step, length;
    HaloBorder border;
    int64_t first, end;
} CpuPlaces;

typedef struct CpuGather {
    const HaloBuf *src;
    HaloBuf *dst;
    const HaloGather *how;
    HaloStore store;
    bool as_is;                             /* bytes of the source are bytes of the result */
    CpuPlaces x, y;                         /* of the result's columns and rows */
    int64_t size, out_size;                 /* bytes of a pixel of the source, and of the result */
    int64_t tile_cols, tile_rows, tiles;    /* of a task; tasks side by side */
    int64_t pitch;                          /* of rows in a tile */
    int64_t at_tile, at_row, scratch_bytes; /* of a worker: a tile as in the source, and as f32 */
    char *scratch;
    char *value;            /* what the border puts outside, as a pixel of the result; NULL: samples again */
    uint64_t value_clipped; /* samples of it */
    HaloDevice *device;
} CpuGather;

/* A rectangle of the result, counted in its rectangle. */
typedef struct CpuGatherTile {
    int64_t x, y, cols, rows;
} CpuGatherTile;

/* Counts `count` outputs from the k-th on, and finds those that read what lies inside. */
void cpu_find_inside(CpuPlaces *places, int64_t k, int64_t count);
/* What output k reads, or -1. */
int64_t cpu_place(const CpuPlaces *places, int64_t k);

/* Moves the pixels of a tile, all but those of the border's value, to rows `pitch` bytes apart. */
void cpu_gather_move(const CpuGather *gather, const CpuGatherTile *tile, char *to, int64_t pitch);

#endif

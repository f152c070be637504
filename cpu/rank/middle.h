/* Ranks between the first and the last: what their ways share. A task is a tile of outputs; it reads lines of
 * keys, and writes lines of keys.
 *
 * A line lies along the rows of the picture, or along its columns where the picture is narrow: a sorted window
 * does not know which way it was transposed. `along` a line, and `across` from one line to the next. */
#ifndef CPU_RANK_MIDDLE_H
#define CPU_RANK_MIDDLE_H

#include "stencil.h"

/* Rows of the largest block that is sorted by a network, and more exchanges than any such network has. */
#define CPU_NETWORK_MOST 121
#define CPU_NETWORK_EXCHANGES 2048
/* Elements behind a line that may be read and written. */
#define CPU_LINE_SLACK 64

/* One axis of the picture. */
typedef struct CpuRankAxis {
    int64_t whole, held;              /* samples of the picture; the first that the source has */
    int64_t first, count;             /* outputs */
    int64_t offset, window;           /* the window begins at `offset` from its output */
    int64_t source_step, output_step; /* bytes */
} CpuRankAxis;

/* A sorting network of the samples of a window, whose columns come sorted. */
typedef struct CpuNetwork {
    CpuExchange list[CPU_NETWORK_EXCHANGES];
    int64_t exchanges;
} CpuNetwork;

typedef struct CpuMiddle CpuMiddle;

/* Where a task is: outputs from (x, y) on, counted in the rectangle of outputs. */
typedef struct CpuMiddleTask {
    const CpuMiddle *m;
    char *scratch;
    int64_t x, y, cols, rows;
    int64_t wide; /* pixels of a line that it reads */
    int keys;     /* as m->keys, or CPU_KEYS_REAL */
    bool in_place;
    int64_t left, right; /* pixels of a line in place that lie outside of the picture, and are repeated */
    int64_t last_nan;    /* the last line with a NaN, or less than any */
    uint64_t clipped;
} CpuMiddleTask;

typedef void CpuMiddleWay(CpuMiddleTask *task);
/* What it takes of a worker's scratch beyond m->at_own; false where sizes do not fit 63 bits. */
typedef bool CpuMiddleScratch(const CpuMiddle *m, int64_t *total);

struct CpuMiddle {
    const HaloRank *rank;
    const HaloBuf *src;
    HaloBuf *dst;
    HaloStore store;
    HaloDevice *device;
    CpuRankAxis along, across;
    bool transposed;           /* lines are columns */
    int64_t channels, samples; /* of a pixel; of a window */
    HaloDtype keys;            /* what samples are compared as: u8, u16 or, for u32, F32 */
    int64_t key_size;
    int64_t index; /* of the wanted one among all samples of a window */
    bool plain;    /* keys are stored as they are */
    bool stream;   /* results go past the caches */
    CpuMiddleWay *way;
    CpuMiddleScratch *own;
    int64_t tile_cols, tile_rows, tiles; /* outputs of a task; tasks side by side */
    int64_t rows_most;                   /* of a task, where its memory does not allow more */
    int64_t pitch, lines;                /* elements of a line with slack; lines in the ring */
    int64_t at_ring, at_made, at_raw, at_float, at_out, at_own, scratch_bytes;
    char *scratch;
    /* Of the network. */
    uint8_t *slot; /* where in a block the exchanges leave the first of the sorted, the second, ... */
    CpuNetwork *columns, *merge, *merge_nan;
};

/* lines.c: what the task's samples are compared as, by a way that takes floats as they are where it can. */
int cpu_middle_keys(const CpuMiddleTask *task);
/* Line j of the task, counted from the first that it reads, as keys. The last m->lines of them stay.
 * Where the samples are read in place nothing lies behind the line; else there is CPU_LINE_SLACK. */
const void *cpu_middle_line(CpuMiddleTask *task, int64_t j);
/* Space for a line of outputs, with slack. */
void *cpu_middle_out(const CpuMiddleTask *task);
/* The same, or where line j of the outputs is, if keys can be written there: then nothing lies behind it. */
void *cpu_middle_place(const CpuMiddleTask *task, int64_t j);
/* Stores a line of keys as line j of the outputs; they may be there already. */
void cpu_middle_put(CpuMiddleTask *task, int64_t j, const void *keys);

/* network.c: small windows are sorted, many at a time. */
void cpu_network_make(CpuMiddle *m);
CpuMiddleScratch cpu_network_scratch;
/* Can a kernel that holds the whole window in registers do the task, whatever its samples? */
bool cpu_network_in_registers(const CpuMiddleTask *task);
CpuMiddleWay cpu_network_tile;

/* count.c: larger windows are counted. */
void cpu_count_tiles(CpuMiddle *m);
CpuMiddleScratch cpu_count_scratch;
CpuMiddleWay cpu_count_tile;

/* line.c: windows along a line. */
void cpu_line_tiles(CpuMiddle *m, int workers);
CpuMiddleScratch cpu_line_scratch;
CpuMiddleWay cpu_line_tile;

/* oversized.c: windows that have the samples of the picture many times. */
bool cpu_rank_is_oversized(const CpuMiddle *m);
HaloStatus cpu_rank_oversized(const CpuMiddle *m);

/* sort.c: n pairs of a key of so many bits (the upper half) and anything (the lower), by key; pairs with the
 * same key stay in order. Both arrays change; the result is in one of them. */
const uint64_t *cpu_sort_pairs(uint64_t *pair, uint64_t *spare, int64_t n, int bits);

/* Key i of a line, and changing it. */
static inline uint32_t cpu_middle_key(const CpuMiddle *m, const void *line, int64_t i)
{
    return m->keys == HALO_U8    ? ((const uint8_t *)line)[i]
           : m->keys == HALO_U16 ? ((const uint16_t *)line)[i]
                                 : ((const uint32_t *)line)[i];
}

static inline void cpu_middle_set_key(const CpuMiddle *m, void *line, int64_t i, uint32_t key)
{
    if (m->keys == HALO_U8)
        ((uint8_t *)line)[i] = (uint8_t)key;
    else if (m->keys == HALO_U16)
        ((uint16_t *)line)[i] = (uint16_t)key;
    else
        ((uint32_t *)line)[i] = key;
}

/* The sample at a rank between the first and the last. */
HaloStatus cpu_rank_middle(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloRank *rank,
                           HaloStore store);

#endif

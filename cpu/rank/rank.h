/* What the ways of the first and the last rank share: a task's part of the source, with the border round it. */
#ifndef CPU_RANK_H
#define CPU_RANK_H

#include "stencil.h"

/* Up to so many rows and columns each sample of a window is compared. */
#define CPU_RANK_SMALL 6
/* The same of windows that are no rectangles. */
#define CPU_RANK_SMALL_SAMPLES 21

/* A row of a window, and what of it belongs to the window. */
typedef struct CpuSpanRow {
    HaloSpan span;
    int64_t row;
} CpuSpanRow;

typedef struct CpuRank {
    CpuStencil source; /* for its lines: what of it reads samples is set */
    const HaloRank *rank;
    HaloStore store;
    HaloBuf *dst;
    int64_t tile_cols, tile_rows, tiles; /* outputs of a task; tasks side by side */
    int64_t pitch;                       /* elements in a row of a task's part of the source */
    HaloDtype keys;                      /* what samples are compared as: u8, u16 or, for u32, F32 */
    bool extreme;                        /* the first or the last of the sorted is wanted */
    bool small;                          /* of so few samples that each is compared */
    bool plain;                          /* keys are stored as they are, or as the floats they are of */
    bool stream;                         /* results go past the caches */
    CpuSpanRow *span;                    /* [height] where windows are no rectangles; else NULL */
    int64_t at_line, at_area, at_block, at_spare, scratch_bytes;
    char *scratch;
    HaloDevice *device;
} CpuRank;

/* Where a task is. */
typedef struct CpuRankTask {
    const CpuRank *r;
    char *scratch;
    float *line;                          /* space for a line of the source, or a row of outputs */
    int64_t x, y, cols, rows, wide, high; /* outputs; columns and rows of the source they need */
    int keys;                             /* as r->keys, or CPU_KEYS_REAL */
} CpuRankTask;

/* extreme.c: of the first and the last of the sorted. Keys are such that the wanted one is the least or
 * the greatest, also where NaN has to win or to lose. */
bool cpu_rank_extreme_scratch(CpuRank *r, int64_t *total);
void cpu_rank_extreme(const CpuRankTask *task, uint64_t *clipped);
void cpu_rank_extreme_small(const CpuRankTask *task, uint64_t *clipped);
CpuExtreme *cpu_rank_extreme_of(const CpuRankTask *task);
CpuExtremeOf *cpu_rank_small_of(const CpuRankTask *task);
/* What the task's samples are compared as. */
int cpu_rank_extreme_keys(const CpuRankTask *task);
/* Line `row` of the task's part of the source as such keys, where they lie or in `workspace`; where such keys
 * of row `row` of the outputs had best be made, in `workspace` or where they are to be; and such keys stored as
 * that row.
 */
const void *cpu_rank_extreme_read(const CpuRankTask *task, int64_t row, void *workspace);
void *cpu_rank_extreme_place(const CpuRankTask *task, int64_t row, void *workspace);
void cpu_rank_extreme_write(const CpuRankTask *task, int64_t row, void *key, uint64_t *clipped);

/* Added to keys, so that NaN is the first of them. */
uint32_t cpu_rank_extreme_offset(const CpuRank *r);

/* span.c: the same over windows that are no rectangles. */
HaloStatus cpu_rank_span_open(CpuRank *r);
void cpu_rank_span_close(CpuRank *r);
int64_t cpu_rank_span_elements(const CpuRank *r); /* of a row of a tile */
bool cpu_rank_span_scratch(CpuRank *r, int64_t *total);
void cpu_rank_span(const CpuRankTask *task, uint64_t *clipped);
bool cpu_rank_span_is_small(const CpuRank *r);
bool cpu_rank_span_small_scratch(CpuRank *r, int64_t *total);
void cpu_rank_span_small(const CpuRankTask *task, uint64_t *clipped);

#endif

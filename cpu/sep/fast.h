/* Separable convolution by decimated filters (halo/sep_fast.h): what laying out and tasks share.
 *
 * Rows of scratch are planes: one channel after the other. */
#ifndef CPU_SEP_FAST_H
#define CPU_SEP_FAST_H

#include "halo/sep_fast.h"
#include "stencil.h"

/* Cells are the rows from one node to the next. So many of the result are made at a time, so that their nodes
 * share the samples they are made of. */
#define FAST_CELLS 8
/* Nodes of the result that rows of so many cells lie between. */
#define FAST_SMOOTH (FAST_CELLS + HALO_SEP_SUPPORT - 1)
/* Rows of the result that are made of nodes at a time: they should stay in the nearest cache. */
#define FAST_ROWS 4

/* Rows of `pitch` elements at `at` of a task's scratch, whose channels are `plane` elements apart. */
typedef struct FastRows {
    int64_t rows, plane, pitch, at;
} FastRows;

typedef struct CpuFast {
    CpuStencil source; /* for its lines: what of it reads samples is set */
    const HaloSep *sep;
    const HaloSepFast *how;
    HaloStore store;
    HaloBuf *dst;
    int64_t channels;
    int64_t span;                         /* outputs of a row begin at span / 2 before or behind a multiple */
    bool rests;                           /* the nodes of columns leave a rest */
    int64_t tile_cols, tiles, slice_rows; /* of a task; tasks side by side */
    FastRows raw;                         /* a source row, or one of the result, whose pixels lie together */
    FastRows line;                        /* source rows that are taken at a time */
    FastRows node;                        /* sums that are not complete, a ring */
    FastRows along;                       /* nodes along a row: of it, and of the result */
    FastRows passed;                      /* nodes behind the row pass, a ring */
    FastRows smooth;                      /* nodes of the result */
    FastRows sums;                        /* sums of ever more samples, twice, and those of blocks */
    FastRows cross;                       /* the row pass by blocks, a ring */
    FastRows rest;                        /* what nodes leave, of the rows of FAST_CELLS cells */
    FastRows out;                         /* rows of the result, and one that is stored */
    int64_t at_pointer, at_way;           /* [pointers], [span] */
    bool stream;
    char *scratch;
    int64_t scratch_bytes;
    HaloDevice *device;
} CpuFast;

static inline int64_t fast_floor(int64_t a, int64_t b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }
static inline int64_t fast_least(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t fast_most(int64_t a, int64_t b) { return a > b ? a : b; }

/* rows.c: the task with this number. */
void cpu_fast_task(void *context, int64_t index, int worker);

#endif

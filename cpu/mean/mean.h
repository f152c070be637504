/* What the ways of making means share: a task's part of the source, and the rows that it keeps. */
#ifndef CPU_MEAN_H
#define CPU_MEAN_H

#include "halo/chain.h"
#include "stencil.h"

/* Of integers: of samples, and of both halves of their squares. */
#define CPU_MEAN_SUMS 3

/* Where sums lie in the scratch: along a line; lines that windows hold, and those that come again; totals of
 * runs of them, sums of those so far; of the windows of a chunk. */
typedef struct CpuMeanPlane {
    int64_t at_row, at_ring, at_kept, at_total, at_sofar, at_sums;
} CpuMeanPlane;

typedef struct CpuMean {
    CpuStencil source; /* for its lines: what of it reads samples is set */
    HaloWindow window;
    HaloMeanKind kind;
    HaloStore store;
    HaloBuf *dst;
    const HaloChain *chain;              /* its links behind the mean are made with it; NULL: there are none */
    bool compares;                       /* they are cpu_mean_compare */
    bool integer;                        /* samples are integers, whose sums fit 32 bits, */
    bool fits_f32;                       /* and f32 too */
    int64_t tile_cols, tile_rows, tiles; /* outputs of a task; tasks side by side */
    int64_t pitch;                       /* elements of a row of outputs: whole chunks, or a short one */
    int64_t ring, total_ring;            /* rows of lines, and of totals */
    int64_t kept, at_known;              /* lines kept for when they come again; which of them are there */
    double scale, count;                 /* a mean is its sum * scale / count */
    int64_t at_line, at_number, at_slid, at_count, at_counts, at_workspace, at_square, at_between, at_mean,
        at_other;
    int64_t at_come, at_gone; /* lines of integers; the sums of their columns, and of windows */
    int64_t at_column[CPU_MEAN_SUMS], at_sum[CPU_MEAN_SUMS];
    int64_t piece, at_lines, at_interleaved, at_interleaved_square, at_interleaved_sum,
        at_interleaved_workspace; /* lines side by side, a piece of them */
    CpuMeanPlane plane[2];        /* of samples; of their squares */
    int64_t scratch_bytes;
    char *scratch;
    HaloDevice *device;
} CpuMean;

static inline int cpu_mean_planes(const CpuMean *m) { return m->kind == HALO_MEAN_PLAIN ? 1 : 2; }

/* Where a task is. */
typedef struct CpuMeanTask {
    const CpuMean *m;
    char *scratch;
    int64_t x, y, cols, rows, n; /* outputs; elements in a row of them */
} CpuMeanTask;

/* task.c: line `row` of the task's part of the source. */
float *cpu_mean_line(const CpuMeanTask *task, int64_t row);
/* Stores what n means become as elements of row `row` of the outputs, from `first` on. */
void cpu_mean_store(const CpuMeanTask *task, int64_t row, int64_t first, int64_t n, float *mean,
                    uint64_t *clipped);
/* Line `row` of a plane's ring, which lies at position task->y + row: floats, or doubles of what deviates. */
void *cpu_mean_ring_line(const CpuMeanTask *task, int64_t row, int plane);

/* mean.c: the mean and, unless `chain` is NULL, all links behind it. */
HaloStatus cpu_mean_chain(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloMean *mean,
                          const HaloChain *chain, HaloStore store);

/* behind.c: what the links behind the mean make of n means, in these or in the scratch. */
float *cpu_mean_go_on(const CpuMeanTask *task, int64_t row, int64_t first, int64_t n, float *mean);
/* Do they compare bytes with means of bytes? Then this makes row `row` from the windows' sums. */
bool cpu_mean_compares(const CpuMean *m);
void cpu_mean_compare(const CpuMeanTask *task, int64_t row, const int32_t *sum);

/* counts.c: how many numbers there are in windows of floats. Takes what line `row` has of them, each in order;
 * the windows that it ends have as many as it returns. */
bool cpu_mean_counts_scratch(CpuMean *m, int64_t *total);
const double *cpu_mean_counts(const CpuMeanTask *task, int64_t row, const int32_t *number);

/* integers.c: means of integers, and deviations. */
bool cpu_mean_integers_scratch(CpuMean *m, int64_t *total);
void cpu_mean_integers(const CpuMeanTask *task, uint64_t *clipped);

/* floats.c: floats, by runs. */
bool cpu_mean_floats_scratch(CpuMean *m, int64_t *total);
void cpu_mean_floats(const CpuMeanTask *task, uint64_t *clipped);

/* interleaved.c: the sums along CPU_MEAN_LINES lines at once, from `row` on, into their rings. */
bool cpu_mean_is_interleaved(const CpuMean *m);
bool cpu_mean_interleaved_scratch(CpuMean *m, int64_t *total);
void cpu_mean_interleaved(const CpuMeanTask *task, int64_t row);

/* horizontal.c: the sums along a line of floats or doubles. The workspace is in doubles; -1 if its size exceeds
 * 63 bits. */
int64_t cpu_mean_horizontal_workspace(int64_t count, int64_t window, int64_t channels);
void cpu_mean_horizontal(const CpuMeanKernels *kernels, bool doubles, const void *x, const CpuMeanLine *line,
                         double *workspace, double *sum);

#endif

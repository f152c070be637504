/* What the files of means share: sources, targets, and the launches of each file. docs/numerics.md, "Means of
 * windows", defines the order of every sum, and how positions and runs are counted. */
#ifndef HALO_CUDA_MEAN_CUH
#define HALO_CUDA_MEAN_CUH

#include "divisor.cuh"
#include "halo/means.h"
#include "quotients.cuh"

static const int mean_threads = 128;
/* Sums of so many rows of a run are kept in registers. */
#define MEAN_KEPT 16
/* Totals of up to so many runs are added where they are needed; for longer windows their sums are computed
 * beforehand. */
static const int64_t mean_totals_most = 64;

struct MeanSource {
    const char *data; /* the sample at (x0, y0) */
    int64_t stride, x0, y0, width, height;
    int64_t held; /* columns in the buffer */
    int64_t ox, oy;
    HaloDtype dtype;
    HaloBorder border;
    float outside;
    int channels;
    bool ignores; /* NaN count as 0 */
    bool counts;  /* samples count as 1, NaN as 0 */
    bool squares; /* sums are of squares */
};

/* Position p, from `first` on, goes to row (p - base) % ring. HALO_F64 stores the sums themselves. */
struct MeanTarget {
    char *data;
    int64_t stride, first, base, ring;
    bool between;    /* f32 rows for the vertical pass: sums * inverse */
    double rounding; /* not 0: sums times this are rounded to f32 before the division, as between the passes */
    HaloDtype dtype;
    HaloStore store;
    MeanFinish finish;
    unsigned long long *clipped;
};

/* Rows of n elements; position p lies in row (p - base) % ring. Base and ring are multiples of a run, and no
 * position is more than two rings from the base. */
struct MeanRows {
    const void *data;
    int64_t base, ring, n;
};

/* Moves the base so that the ring of positions that starts at `first` lies within two rings of it. */
static inline MeanRows mean_rebased(MeanRows rows, int64_t first)
{
    rows.base += (first - rows.base) / rows.ring * rows.ring;
    return rows;
}

/* The sum between the runs in which a window begins and ends: totals of all runs, to be added up; or, for many
 * runs, the sums themselves, [run - base][n], for windows that end before the wrap, and after it. */
struct MeanBetween {
    MeanRows totals;
    const double *sums[2];
    int64_t base;
};

struct MeanHorizontal {
    MeanSource source;
    MeanTarget target;
    MeanBetween between;
    int64_t window;
    int64_t x, cols, y, lines; /* the first output and line, and their numbers */
    int64_t segments;          /* of a line */
    int runs, planes, rows;    /* of a block: runs of a segment, channels, lines */
    CudaDivisor by_planes;
    int pitch, sums_pitch; /* of a line in shared memory: of samples, of results */
    bool apart;            /* the ends of windows are staged apart from their starts */
};

/* Stores sums, or divides them by counts per window? */
static inline bool mean_makes_doubles(const MeanHorizontal *a)
{
    return a->target.dtype == HALO_F64 || a->target.finish.counts != NULL;
}

struct MeanVertical {
    MeanRows rows;
    MeanBetween between;
    int64_t window, first, count;
    double *sums; /* [position - first][n]; NULL: `target` */
    MeanTarget target;
};

/* A workspace that is allocated like a stack. Without a base it only measures how much is needed, and nothing
 * is launched. */
struct MeanWorkspace {
    char *base;
    int64_t used, most;
};

struct MeanJob {
    HaloDevice *device;
    HaloWindow window;
    MeanSource source;
    MeanTarget target;
    int64_t x, y, cols, rows, n; /* outputs; elements of a row */
    bool all;                    /* the source holds all rows */
    MeanWorkspace *workspace;
};

static inline void *mean_allocate(MeanWorkspace *workspace, int64_t count, int64_t size)
{
    char *const at = workspace->base == NULL ? NULL : workspace->base + workspace->used;
    workspace->used += cuda_ceil_div(count * size, 256) * 256;
    workspace->most = cuda_max(workspace->most, workspace->used);
    return at;
}

/* Integers up to here are exact in f32, in any order. */
static const int64_t mean_exact = 1 << 24;

static inline int64_t mean_white(const MeanSource &s)
{
    if (s.dtype == HALO_F32 || halo_rank_keys(s.dtype, s.border, s.outside) != s.dtype) return mean_exact;
    return s.dtype == HALO_U8 ? 255 : 65535;
}

/* mean.cu: the sums of the job's windows, [rows][n] in its workspace, of samples as this source reads them. */
HaloStatus mean_sums(const MeanJob *job, const MeanSource *source, const double **sums);
/* single_line.cu: pictures of one column, or of one row under windows of several rows, as a job of one line. */
bool mean_column_takes(const MeanJob *job);
HaloStatus mean_column(const MeanJob *job, MeanJob *line);
bool mean_row_takes(const MeanJob *job);
MeanJob mean_row(const MeanJob *job);
/* has_nan.cu: does the source hold a NaN? */
HaloStatus mean_has_nan(HaloDevice *device, const HaloBuf *src, bool *found);
/* integer.cu: windows of integers in one pass over memory, of up to so many channels. */
static const int mean_integer_channels = 8;
bool mean_integer_takes(const MeanJob *job);
HaloStatus mean_integer(const MeanJob *job);
/* deviation.cu: from sums and sums of squares. `numbers`: of the samples that are not NaN; root: of the
 * variances. */
HaloStatus mean_deviations(const MeanJob *job, bool numbers, bool root);
/* deviation_fused.cu: of all samples of small windows, in one pass over memory. */
bool mean_deviations_fused_takes(const MeanJob *job);
HaloStatus mean_deviations_fused(const MeanJob *job, bool root);

/* horizontal.cu, vertical.cu: launches. Totals go to [run - first][n], of runs from `first` on. */
HaloStatus mean_horizontal(HaloDevice *device, const MeanHorizontal *args);
/* Does it need the sums between runs beforehand? Then shared memory cannot hold the windows, or they have too
 * many runs. */
bool mean_horizontal_apart(const HaloDevice *device, const MeanHorizontal *args);
/* narrow.cu: the same for narrow images. */
bool mean_narrow_suits(const MeanSource *source, int64_t cols, int64_t lines);
bool mean_narrow_takes(const MeanHorizontal *args);
HaloStatus mean_narrow(HaloDevice *device, const MeanHorizontal *args);
/* narrow_fused.cu: both passes over narrow images in one. */
bool mean_narrow_fused_takes(const MeanJob *job);
HaloStatus mean_narrow_fused(const MeanJob *job);
HaloStatus mean_horizontal_totals(HaloDevice *device, const MeanHorizontal *args, int64_t first, int64_t runs,
                                  double *totals);
HaloStatus mean_vertical(HaloDevice *device, const MeanVertical *args, bool doubles);
/* Divides sums [position - first][n] of `count` rows by the target's counts. */
HaloStatus mean_vertical_counted(HaloDevice *device, const MeanTarget *target, const double *sums,
                                 int64_t first, int64_t count, int64_t n);
HaloStatus mean_vertical_totals(HaloDevice *device, const MeanRows *rows, bool doubles, int64_t run,
                                int64_t first, int64_t runs, const MeanRows *totals);

/* Calls launch with the length of the window's runs as a constant. */
template <typename F> static HaloStatus mean_by_run(int64_t window, F launch)
{
    switch (halo_mean_run(window)) {
    case 1: return launch(std::integral_constant<int, 1>());
    case 2: return launch(std::integral_constant<int, 2>());
    case 4: return launch(std::integral_constant<int, 4>());
    case 8: return launch(std::integral_constant<int, 8>());
    case 16: return launch(std::integral_constant<int, 16>());
    default: return launch(std::integral_constant<int, HALO_MEAN_RUN>());
    }
}

/* ---- shared memory --------------------------------------------------------------------------------------- */

/* One word is skipped after every run, so that the threads of a warp, which are a run apart, use different
 * banks. */
__host__ CUDA_INLINE int mean_padded(int run, int i) { return i + i / run; }

/* Asynchronous where the GPU can. */
CUDA_INLINE void mean_fetch(float *to, const float *from)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(from)
                 : "memory");
#else
    *to = *from;
#endif
}

CUDA_INLINE void mean_fetched()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

#endif

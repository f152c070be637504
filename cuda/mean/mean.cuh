/* What the files of means share: where samples come from and where they go, who makes what. The order of every
 * sum is in docs/numerics.md, "Means of windows"; positions and runs are counted as there. */
#ifndef HALO_CUDA_MEAN_CUH
#define HALO_CUDA_MEAN_CUH

#include "divisor.cuh"
#include "halo/means.h"
#include "quotients.cuh"

static const int mean_threads = 128;
/* Sums of so many rows of a run are kept in registers. */
#define MEAN_KEPT 16
/* Totals of so many runs are summed where they are needed; of more there are sums beforehand. */
static const int64_t mean_few = 64;

struct MeanSource {
    const char *data; /* the sample at (x0, y0) */
    int64_t stride, x0, y0, width, height;
    int64_t held; /* columns that are there */
    int64_t ox, oy;
    HaloDtype dtype;
    HaloBorder border;
    float outside;
    int channels;
    bool ignores; /* NaN are 0 */
    bool counts;  /* and numbers 1 */
    bool squares; /* sums are of the squares of all that */
};

/* Position p, from `first` on, goes to row (p - base) % ring. F64 takes the sums themselves. */
struct MeanTarget {
    char *data;
    int64_t stride, first, base, ring;
    bool between;    /* f32 rows for the other pass: sums * inverse */
    double rounding; /* not 0: sums times this are rounded to f32 before they are divided, as if they had lain
                        between */
    HaloDtype dtype;
    HaloStore store;
    MeanFinish finish;
    unsigned long long *clipped;
};

/* Rows of n elements; position p lies in row (p - base) % ring. Both are multiples of a run, and no position is
 * more than two rings from the base. */
struct MeanRows {
    const void *data;
    int64_t base, ring, n;
};

/* What positions of rows are counted from, so that none of those from `first` on, a ring of them, is further
 * away. */
static inline MeanRows mean_near(MeanRows rows, int64_t first)
{
    rows.base += (first - rows.base) / rows.ring * rows.ring;
    return rows;
}

/* What lies between the runs that windows begin and end in: totals of all runs, to be summed; or, where these
 * are many, the sums themselves, [run - base][n], for windows that end before the turn, and after it. */
struct MeanBetween {
    MeanRows totals;
    const double *sums[2];
    int64_t base;
};

struct MeanAlong {
    MeanSource source;
    MeanTarget target;
    MeanBetween between;
    int64_t window;
    int64_t x, cols, y, lines; /* the first output and line, and how many */
    int64_t segments;          /* of a line */
    int runs, planes, rows;    /* a block's: runs of a segment, channels, lines */
    CudaDivisor by_planes;
    int pitch, sums_pitch; /* of a line in shared memory: samples, what is made of them */
    bool apart;            /* where windows end lies apart from where they begin */
};

/* Are sums stored, or divided by counts of their own? */
static inline bool mean_makes_doubles(const MeanAlong *a)
{
    return a->target.dtype == HALO_F64 || a->target.finish.counts != NULL;
}

struct MeanDown {
    MeanRows rows;
    MeanBetween between;
    int64_t window, first, count;
    double *sums; /* [position - first][n]; NULL: `target` */
    MeanTarget target;
};

/* Memory that is handed out like a stack. Without a base it only tells how much that will be, and nothing is
 * launched. */
struct MeanRoom {
    char *base;
    int64_t used, most;
};

struct MeanJob {
    HaloDevice *device;
    HaloWindow window;
    MeanSource source;
    MeanTarget target;
    int64_t x, y, cols, rows, n; /* outputs; elements of a row */
    bool all;                    /* rows of the source are there */
    MeanRoom *room;
};

static inline void *mean_take(MeanRoom *room, int64_t count, int64_t size)
{
    char *const at = room->base == NULL ? NULL : room->base + room->used;
    room->used += cuda_ceil_div(count * size, 256) * 256;
    room->most = cuda_max(room->most, room->used);
    return at;
}

/* Whole numbers up to here are exact in f32, in any order; the greatest of the samples, which is as much where
 * they are not whole. */
static const int64_t mean_exact = 1 << 24;

static inline int64_t mean_white(const MeanSource &s)
{
    if (s.dtype == HALO_F32 || halo_rank_keys(s.dtype, s.border, s.outside) != s.dtype) return mean_exact;
    return s.dtype == HALO_U8 ? 255 : 65535;
}

/* mean.cu: the sums of the job's windows, [rows][n] out of its room, of samples as this source reads them. */
HaloStatus mean_sums(const MeanJob *job, const MeanSource *source, const double **sums);
/* line.cu: pictures of one column, or of one row under windows of several, as the job of a line. */
bool mean_column_takes(const MeanJob *job);
HaloStatus mean_column(const MeanJob *job, MeanJob *line);
bool mean_row_takes(const MeanJob *job);
MeanJob mean_row(const MeanJob *job);
/* numbers.cu: is there a NaN in what there is of the source? */
HaloStatus mean_has_nan(HaloDevice *device, const HaloBuf *src, bool *found);
/* whole.cu: windows of whole numbers that one pass over memory can do, of so many channels. */
static const int mean_whole_channels = 8;
bool mean_whole_takes(const MeanJob *job);
HaloStatus mean_whole(const MeanJob *job);
/* deviation.cu: of sums, and of sums of squares. `numbers`: just of the samples that are; root: of variances.
 */
HaloStatus mean_deviations(const MeanJob *job, bool numbers, bool root);
/* deviation_once.cu: of all samples of small windows, in one pass over memory. */
bool mean_deviations_once_takes(const MeanJob *job);
HaloStatus mean_deviations_once(const MeanJob *job, bool root);

/* along.cu, down.cu: launches. Totals go to [run - first][n], of runs from `first` on. */
HaloStatus mean_along(HaloDevice *device, const MeanAlong *args);
/* Does it need what lies between as sums? Shared memory does not hold these windows, or too many runs of them.
 */
bool mean_along_apart(const HaloDevice *device, const MeanAlong *args);
/* narrow.cu: the same for many lines of few samples. */
bool mean_narrow_suits(const MeanSource *source, int64_t cols, int64_t lines);
bool mean_narrow_takes(const MeanAlong *args);
HaloStatus mean_narrow(HaloDevice *device, const MeanAlong *args);
/* narrow_both.cu: and both passes as one. */
bool mean_both_takes(const MeanJob *job);
HaloStatus mean_both(const MeanJob *job);
HaloStatus mean_along_totals(HaloDevice *device, const MeanAlong *args, int64_t first, int64_t runs,
                             double *totals);
HaloStatus mean_down(HaloDevice *device, const MeanDown *args, bool doubles);
/* Sums [position - first][n] of `count` rows become means over the target's counts. */
HaloStatus mean_down_counted(HaloDevice *device, const MeanTarget *target, const double *sums, int64_t first,
                             int64_t count, int64_t n);
HaloStatus mean_down_totals(HaloDevice *device, const MeanRows *rows, bool doubles, int64_t run, int64_t first,
                            int64_t runs, const MeanRows *totals);

/* What launches a kernel for runs of one length, with the length of this window's. */
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

/* One place is left out behind every run, so that the threads of a warp, which are a run apart, do not meet in
 * a bank. */
__host__ __device__ __forceinline__ static int mean_padded(int run, int i) { return i + i / run; }

/* Behind the thread's back, where the GPU can. */
__device__ __forceinline__ static void mean_fetch(float *to, const float *from)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(from)
                 : "memory");
#else
    *to = *from;
#endif
}

__device__ __forceinline__ static void mean_fetched()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

#endif

/* What the files of means share: where samples come from, where means go, and sums of few. The order of every sum is
 * in docs/numerics.md, "Means of windows"; positions and runs are counted as there. */
#ifndef HALO_CUDA_MEAN_CUH
#define HALO_CUDA_MEAN_CUH

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
    bool between; /* f32 rows for the other pass: sums * inverse */
    double rounding; /* not 0: sums times this are rounded to f32 before they are divided, as if they had lain between */
    HaloDtype dtype;
    HaloStore store;
    MeanFinish finish;
    unsigned long long *clipped;
};

/* Rows of n elements; position p lies in row (p - base) % ring. Both are multiples of a run, and no position is more than
 * two rings from the base. */
struct MeanRows {
    const void *data;
    int64_t base, ring, n;
};

/* What positions of rows are counted from, so that none of those from `first` on, a ring of them, is further away. */
static inline MeanRows mean_near(MeanRows rows, int64_t first)
{
    rows.base += (first - rows.base) / rows.ring * rows.ring;
    return rows;
}

/* What lies between the runs that windows begin and end in: totals of all runs, to be summed; or, where these are many, the
 * sums themselves, [run - base][n], for windows that end before the turn, and after it. */
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
    int pitch, sums_pitch;     /* of a line in shared memory: samples, what is made of them */
    bool apart;                /* where windows end lies apart from where they begin */
};

struct MeanDown {
    MeanRows rows;
    MeanBetween between;
    int64_t window, first, count;
    double *sums;      /* [position - first][n]; NULL: `target` */
    MeanTarget target;
};

/* Memory that is handed out like a stack. Without a base it only tells how much that will be, and nothing is launched. */
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
    int64_t held;                /* columns of the source that are there */
    bool all;                    /* and all of its rows */
    MeanRoom *room;
};

static inline void *mean_take(MeanRoom *room, int64_t count, int64_t size)
{
    char *const at = room->base == NULL ? NULL : room->base + room->used;
    room->used += cuda_ceil_div(count * size, 256) * 256;
    room->most = cuda_max(room->most, room->used);
    return at;
}

/* Whole numbers up to here are exact in f32, in any order; the greatest of the samples, which is as much where they are not whole. */
static const int64_t mean_exact = 1 << 24;

static inline int64_t mean_white(const MeanJob *job)
{
    const HaloDtype dtype = job->source.dtype;
    if (dtype == HALO_F32 || halo_rank_keys(dtype, job->window.border, job->window.value) != dtype) return mean_exact;
    return dtype == HALO_U8 ? 255 : 65535;
}

/* mean.cu: the sums of the job's windows, [rows][n] out of its room, of samples as this source reads them. */
HaloStatus mean_sums(const MeanJob *job, const MeanSource *source, const double **sums);
/* The first pass: lines from position y on; and where they go to lie between the passes, out of the job's room. */
HaloStatus mean_lines(const MeanJob *job, int64_t y, int64_t lines, const MeanTarget *target);
MeanTarget mean_lines_target(const MeanJob *job, int64_t base, int64_t ring);
/* few.cu: windows far taller than a picture of few rows. */
bool mean_few_rows_takes(const MeanJob *job);
HaloStatus mean_few_rows(const MeanJob *job);
/* line.cu: pictures of one column, or of one row under windows of several, as the job of a line. */
bool mean_column_takes(const MeanJob *job);
HaloStatus mean_column(const MeanJob *job, MeanJob *line);
bool mean_row_takes(const MeanJob *job);
MeanJob mean_row(const MeanJob *job);
/* numbers.cu: is there a NaN in what there is of the source? */
HaloStatus mean_has_nan(HaloDevice *device, const HaloBuf *src, bool *found);
/* whole.cu: windows of whole numbers that one pass over memory can do. */
bool mean_whole_takes(const MeanJob *job);
HaloStatus mean_whole(const MeanJob *job);
/* whole_line.cu: wide ones along lines. */
bool mean_whole_line_takes(const MeanJob *job);
HaloStatus mean_whole_line(const MeanJob *job);
/* deviation.cu: of sums, and of sums of squares. `numbers`: just of the samples that are; root: of variances. */
HaloStatus mean_deviations(const MeanJob *job, bool numbers, bool root);
/* deviation_once.cu: of all samples of small windows, in one pass over memory. */
bool mean_deviations_once_takes(const MeanJob *job);
HaloStatus mean_deviations_once(const MeanJob *job, bool root);

/* along.cu, down.cu: launches. Totals go to [run - first][n], of runs from `first` on. */
HaloStatus mean_along(HaloDevice *device, const MeanAlong *args);
/* Does it need what lies between as sums? Shared memory does not hold these windows, or too many runs of them. */
bool mean_along_apart(const HaloDevice *device, const MeanAlong *args);
HaloStatus mean_along_totals(HaloDevice *device, const MeanAlong *args, int64_t first, int64_t runs, double *totals);
HaloStatus mean_down(HaloDevice *device, const MeanDown *args, bool doubles);
/* Sums [position - first][n] of `count` rows become means over the target's counts. */
HaloStatus mean_down_counted(HaloDevice *device, const MeanTarget *target, const double *sums, int64_t first, int64_t count,
                             int64_t n);
HaloStatus mean_down_totals(HaloDevice *device, const MeanRows *rows, bool doubles, int64_t run, int64_t first,
                            int64_t runs, const MeanRows *totals);

/* ---- shared memory ------------------------------------------------------------------------------------------------ */

/* One place is left out behind every run, so that the threads of a warp, which are a run apart, do not meet in a bank. */
__host__ __device__ __forceinline__ static int mean_padded(int run, int i) { return i + i / run; }

/* Behind the thread's back, where the GPU can. */
__device__ __forceinline__ static void mean_fetch(float *to, const float *from)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
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

/* ---- sums of few -------------------------------------------------------------------------------------------------- */

/* The sum of the window of value(0), value(1), …, of which the first has this position: at most twice HALO_MEAN_RUN of
 * them, so that one whole run lies between. Runs are powers of two. */
template <typename F> __device__ __forceinline__ double mean_window(int position, int window, F value)
{
    if (window == 1) return value(0);
    const int run = min(HALO_MEAN_RUN, 1 << (31 - __clz(window - 1))), place = position & (run - 1);
    const int end = run - place, last = ((place + window - 1) & -run) - place;
    double sum = value(end - 1), later = value(last);
#pragma unroll 4
    for (int i = end - 2; i >= 0; i--) sum = value(i) + sum;
    if (last > end) {
        double total = value(end);
#pragma unroll 4
        for (int i = end + 1; i < last; i++) total = total + value(i);
        sum = sum + total;
    }
#pragma unroll 4
    for (int i = last + 1; i < window; i++) later = later + value(i);
    return sum + later;
}

/* The sum of the first `offset` samples of a run, at most Run - 1: ends(i) is sample i. Loads go ahead of the sums. T: of a double,
 * or of whatever adds like one. */
template <int Run, typename T = double, typename Ends> __device__ __forceinline__ static T mean_ahead(int offset, Ends ends)
{
    constexpr int batch = Run < 4 ? Run : 4;
    T end = T(HALO_MEAN_NOTHING);
    int i = 0;
#pragma unroll 1
    for (; i + batch <= offset; i += batch) {
        T v[batch];
#pragma unroll
        for (int u = 0; u < batch; u++) v[u] = ends(i + u);
#pragma unroll
        for (int u = 0; u < batch; u++) end = end + v[u];
    }
#pragma unroll 1
    for (; i < offset; i++) end = end + ends(i);
    return end;
}

/* The sums of the windows that begin in a run: put(k, sum) of some of its rows, from k on, which are starts(k) and end in ends(k).
 * Row 0 ends `offset` samples into a run, and these are summed in *end; row `Run - offset` begins the next. `less` lies between
 * the two runs, `more` is one run more, for windows that end in the next; where `next`, they end in the run behind the first,
 * and the sum over that is what comes to lie between. Of a long run the sums from its rows to its last are kept for a half at a
 * time, and made twice for the second: registers are dearer than additions. */
template <int Run, typename T, typename Starts, typename Ends, typename Put>
__device__ __forceinline__ static void mean_run_sums(int offset, bool next, T less, T more, Starts starts, Ends ends, T *end, Put put)
{
    constexpr int half = Run < MEAN_KEPT ? Run : MEAN_KEPT, most = std::is_arithmetic<T>::value ? 8 : 4, batch = half < most ? half : most;
    const int turn = Run - offset;
#pragma unroll
    for (int part = 0; part < Run; part += half) {
        asm volatile("" ::: "memory"); /* what is read again is not kept instead */
        T sum[half], start = starts(Run - 1);
#pragma unroll
        for (int k = Run - 2; k >= part + half; k--) start = starts(k) + start;
#pragma unroll
        for (int k = half - 1; k >= 0; k--) {
            if (part + k < Run - 1) start = starts(part + k) + start;
            sum[k] = start;
        }
#pragma unroll
        for (int first = 0; first < half; first += batch) {
            const int row = part + first;
            T v[batch];
#pragma unroll
            for (int u = 0; u < batch; u++) v[u] = ends(row + u);
            const auto turns = [&]() {
                less = next ? *end : more;
                *end = T(HALO_MEAN_NOTHING);
            };
            if (row < turn && turn < row + batch) { /* few ask for every row */
#pragma unroll
                for (int u = 0; u < batch; u++) {
                    if (row + u == turn) turns();
                    *end = *end + v[u];
                    sum[first + u] = (sum[first + u] + less) + *end;
                }
            } else {
                if (row == turn) turns();
#pragma unroll
                for (int u = 0; u < batch; u++) {
                    *end = *end + v[u];
                    sum[first + u] = (sum[first + u] + less) + *end;
                }
            }
            T some[batch];
#pragma unroll
            for (int u = 0; u < batch; u++) some[u] = sum[first + u];
            put(row, some);
        }
    }
}

#endif

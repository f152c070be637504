/* Means of whole numbers in one pass over pictures of few columns. A block has a strip of rows for each of many segments, side by
 * side: its threads keep the sums of columns that are there, and what the border makes of these is found once, as places among them. A
 * thread has part of a row: the sum of its first window is that of all columns times how often they are in it, and from there on one
 * column comes and one goes. */
#include "whole.cuh"

static const int narrow_resident = 3;     /* blocks of a multiprocessor */
static const int narrow_step = 4;         /* rows of a segment between two barriers */
static const int narrow_batch = 4;        /* outputs of a thread at a time */
static const int narrow_part = 32;        /* outputs of a thread, about: one after the other */
static const int narrow_most = 64;        /* steps of a strip, at most: tables have all its rows */

struct WholeNarrow {
    MeanSource source;
    WholeMeans means;
    int width, height;
    int64_t x, y, rows;             /* outputs */
    int cols;
    int held, words;                /* of a row: samples, and words of four */
    bool together;                  /* are those read whole? */
    int segments, strip;            /* of a block; rows of outputs of one */
    int pitch, means_pitch;         /* of a row in shared memory: sums of columns and of what lies outside, means */
    int parts, part;                /* of a row, and pixels of one */
    CudaDivisor of_words, of_means; /* a row's */
};

/* In a block's shared memory. */
struct NarrowShared {
    uint32_t *sums; /* [rows of a step][segments][pitch] */
    float *means;
    int *rows;      /* of the source, from the block's first position on; -1: outside */
    int *place;     /* of a position: where its column's sums are in a row */
    int *times;     /* [parts][pixels and outside]: how often a column is in the first window */
};

__device__ __forceinline__ static NarrowShared shared_of(const WholeNarrow &a, uint32_t *sums)
{
    NarrowShared s;
    const int lines = a.segments * narrow_step;
    s.sums = sums;
    s.means = reinterpret_cast<float *>(sums + lines * a.pitch);
    s.rows = reinterpret_cast<int *>(s.means + lines * a.means_pitch);
    s.place = s.rows + a.segments * a.strip + a.height - 1;
    s.times = s.place + a.cols + a.width;
    return s;
}

/* ---- what all rows have in common --------------------------------------------------------------------------------- */

/* Does the border have a value of its own in some rows? */
__device__ __forceinline__ static bool find_tables(const WholeNarrow &a, int64_t y, const NarrowShared &shared)
{
    bool beside = false;
    const MeanSource &s = a.source;
    const int channels = s.channels, columns = a.held / channels + 1, lines = a.segments * narrow_step;
    for (int i = (int)threadIdx.x; i < a.segments * a.strip + a.height - 1; i += whole_threads) {
        const bool needed = y + i < a.y + a.rows + a.height - 1;
        const int64_t row = needed ? halo_border_index(y + i + s.oy, s.height, s.border) : s.y0;
        shared.rows[i] = row < 0 ? -1 : (int)(row - s.y0);
        beside = beside || row < 0;
    }
    for (int i = (int)threadIdx.x; i < a.cols + a.width; i += whole_threads) { /* the last comes after the last window */
        const bool needed = i < a.cols + a.width - 1;
        const int64_t column = needed ? halo_border_index(a.x + i + s.ox, s.width, s.border) : -1;
        shared.place[i] = column < 0 ? a.held : (int)(column - s.x0) * channels;
    }
    for (int i = (int)threadIdx.x; i < a.parts * columns; i += whole_threads) shared.times[i] = 0;
    for (int i = (int)threadIdx.x; i < lines * channels; i += whole_threads)
        shared.sums[i / channels * a.pitch + a.held + i % channels] = (uint32_t)s.outside * (uint32_t)a.height;
    beside = __syncthreads_or(beside);
    for (int part = 0; part < a.parts; part++)
        for (int i = (int)threadIdx.x; i < a.width; i += whole_threads) {
            const int first = part * a.part;
            atomicAdd(shared.times + part * columns + shared.place[first + i] / channels, 1);
        }
    __syncthreads();
    return beside;
}

/* A bit for each of some rows that lie outside. */
__device__ __forceinline__ static unsigned bits_of(const int *rows, int count)
{
    unsigned bits = 0;
    for (int k = 0; k < count; k++) bits |= (unsigned)(rows[k] < 0) << k;
    return bits;
}

template <typename S> __device__ __forceinline__ static WholeColumns<S, 1> columns_of(const WholeNarrow &a, int word, int (&at)[4])
{
    WholeColumns<S, 1> c = {};
    c.whole = a.together;
    whole_repeat((unsigned)a.source.outside, &c.outside);
    c.at = at;
    c.word[0] = a.source.data + 4 * word * (int)sizeof(S);
#pragma unroll
    for (int i = 0; i < 4; i++) at[i] = min(4 * word + i, a.held - 1); /* those behind the last are not stored */
    return c;
}

/* ---- rows --------------------------------------------------------------------------------------------------------- */

/* A step's sums of columns become means. Neighbours have rows that are neighbours. */
template <bool Plain> __device__ __forceinline__ static void make_means(const WholeNarrow &a, const NarrowShared &s)
{
    const int channels = a.source.channels, lines = a.segments * narrow_step, columns = a.held / channels + 1;
#pragma unroll 1
    for (int item = (int)threadIdx.x; item < lines * a.parts * channels; item += whole_threads) {
        const int line = item % lines, part = item / lines / channels, channel = item / lines - part * channels;
        const int first = part * a.part, count = min(a.part, a.cols - first);
        const uint32_t *const row = s.sums + line * a.pitch + channel;
        const int *const times = s.times + part * columns, *const goes = s.place + first, *const comes = goes + a.width;
        float *const to = s.means + line * a.means_pitch + first * channels + channel;
        uint32_t sum = 0;
#pragma unroll 4
        for (int i = 0; i < columns; i++) sum += row[i * channels] * (uint32_t)times[i];
        const auto some = [&](int k, auto number) {
            constexpr int batch = decltype(number)::value;
            uint32_t of[batch];
            float mean[batch];
#pragma unroll
            for (int i = 0; i < batch; i++) {
                of[i] = sum;
                sum += row[comes[k + i]] - row[goes[k + i]];
            }
            whole_quotients<Plain>(a.means, of, mean);
#pragma unroll
            for (int i = 0; i < batch; i++) to[(k + i) * channels] = mean[i];
        };
        int k = 0;
#pragma unroll 1
        for (; k + narrow_batch <= count; k += narrow_batch) some(k, std::integral_constant<int, narrow_batch>());
#pragma unroll 1
        for (; k < count; k++) some(k, std::integral_constant<int, 1>());
    }
}

/* Those of each segment's rows from row r of its strip on. */
template <typename D, bool Plain>
__device__ __forceinline__ static void store_means(const WholeNarrow &a, const NarrowShared &s, int64_t y, int r, unsigned *clipped)
{
    const MeanTarget &t = a.means.target;
    const int n = (int)a.of_means.n, apart = whole_threads / n, first = a.of_means.over((int)threadIdx.x), e = (int)threadIdx.x - first * n;
    if (first >= apart) return;
    const int64_t below = a.y + a.rows - y - r; /* rows that there are */
    char *to = t.data + (y + r + first * a.strip - t.base) * t.stride + e * (int64_t)sizeof(D);
    const float *from = s.means + first * a.means_pitch + e;
#pragma unroll 2
    for (int segment = first; segment < a.segments; segment += apart) {
        const int rows = min(narrow_step, a.strip - r);
#pragma unroll
        for (int k = 0; k < narrow_step; k++)
            if (k < rows && segment * a.strip + k < below)
                *(D *)(to + k * t.stride) = whole_sample<D, Plain>(a.means, from[k * a.segments * a.means_pitch], clipped);
        to += (int64_t)apart * a.strip * t.stride;
        from += apart * a.means_pitch;
    }
}

/* ---- a block ------------------------------------------------------------------------------------------------------ */

template <typename S, bool Plain>
__device__ __forceinline__ static void go_down(const WholeNarrow &a, const NarrowShared &s, int64_t y, bool beside, unsigned *clipped)
{
    const int segment = a.of_words.over((int)threadIdx.x), word = (int)threadIdx.x - segment * a.words;
    const bool adds = segment < a.segments;
    const int *const rows = s.rows + segment * a.strip;
    const int apart = a.segments * a.pitch; /* rows of a segment */
    uint32_t *const own = s.sums + segment * a.pitch + 4 * word;
    int at[4];
    WholeColumns<S, 1> columns = columns_of<S>(a, word, at);
    for (int first = 0; adds && first < a.height - 1; first += CUDA_WARP) {
        const int some = min(CUDA_WARP, a.height - 1 - first);
        whole_begin(a.source, some, &columns, beside ? bits_of(rows + first, some) : 0, [&](int k) { return max(rows[first + k], 0); });
    }
#pragma unroll 1
    for (int r = 0; r < a.strip; r += narrow_step) {
        if (adds) {
            const int *const gone = rows + r, *const come = gone + a.height - 1;
            const unsigned bits = beside ? bits_of(come, narrow_step) | bits_of(gone, narrow_step) << narrow_step : 0;
            whole_step<narrow_step>(
                a.source, &columns, bits, [&](int k) { return max(come[k], 0); }, [&](int k) { return max(gone[k], 0); },
                [&](int k) {
#pragma unroll
                    for (int i = 0; i < 4; i++)
                        if (4 * word + i < a.held) own[k * apart + i] = columns.sum[i];
                });
        }
        __syncthreads();
        make_means<Plain>(a, s);
        __syncthreads();
        cuda_typed(a.means.target.dtype, [&](auto zero) { store_means<decltype(zero), Plain>(a, s, y, r, clipped); });
    }
}

template <typename S>
__global__ static void __launch_bounds__(whole_threads, narrow_resident) whole_narrow_kernel(const __grid_constant__ WholeNarrow a)
{
    CUDA_SHARED(uint32_t, sums);
    const int64_t y = a.y + (int64_t)blockIdx.x * a.segments * a.strip;
    const NarrowShared shared = shared_of(a, sums);
    unsigned clipped = 0;
    const bool beside = find_tables(a, y, shared);
    if (a.means.plain)
        go_down<S, true>(a, shared, y, beside, &clipped);
    else
        go_down<S, false>(a, shared, y, beside, &clipped);
    cuda_count_clipped(a.means.target.clipped, clipped);
}

/* ---- laying out --------------------------------------------------------------------------------------------------- */

static int64_t shared_of(const WholeNarrow *a)
{
    const int64_t lines = a->segments * narrow_step, columns = a->held / a->source.channels + 1;
    const int64_t tables = a->segments * a->strip + a->height - 1 + a->cols + a->width + a->parts * columns;
    return (lines * (a->pitch + a->means_pitch) + tables) * (int64_t)sizeof(int);
}

/* As many strips as fill the GPU once, but no short ones: all begin with a whole window, whose rows take far less than outputs. */
static int strip_of(const MeanJob *job, int segments)
{
    const int64_t blocks = narrow_resident * (int64_t)job->device->properties.multiProcessorCount;
    const int64_t high = cuda_ceil_div(cuda_ceil_div(job->rows, blocks * segments), narrow_step);
    const int64_t low = cuda_ceil_div(job->window.height, 4 * narrow_step);
    return (int)cuda_min(narrow_most, cuda_max(high, low)) * narrow_step;
}

static WholeNarrow narrow_of(const MeanJob *job)
{
    WholeNarrow a = {};
    const MeanSource &s = job->source;
    a.source = s;
    a.means = whole_means(job);
    a.width = (int)job->window.width;
    a.height = (int)job->window.height;
    a.x = job->x;
    a.y = job->y;
    a.cols = (int)job->cols;
    a.rows = job->rows;
    a.held = (int)s.held * s.channels;
    a.words = (a.held + 3) / 4;
    a.together = a.held % 4 == 0 && cuda_aligned(s.data, s.stride, 4 * halo_dtype_size(s.dtype));
    a.segments = whole_threads / a.words;
    a.strip = strip_of(job, a.segments);
    a.pitch = (a.held + s.channels) | 1; /* odd: rows of neighbouring threads begin in banks of their own */
    a.means_pitch = (a.cols * s.channels) | 1;
    a.parts = (a.cols + narrow_part - 1) / narrow_part;
    a.part = (a.cols + a.parts - 1) / a.parts;
    a.of_words = cuda_divisor(a.words);
    a.of_means = cuda_divisor(a.cols * s.channels);
    return a;
}

bool mean_whole_narrow_takes(const MeanJob *job)
{
    const HaloWindow &w = job->window;
    if (!whole_fits(job) || !mean_narrow_suits(&job->source, job->cols, job->rows) || job->source.height > INT32_MAX) return false;
    if (w.height > 2 * job->rows || cuda_max(w.width, w.height) > (int64_t)job->device->shared_most / 4) return false;
    const WholeNarrow a = narrow_of(job);
    return shared_of(&a) <= (int64_t)job->device->shared_most;
}

HaloStatus mean_whole_narrow(const MeanJob *job)
{
    const WholeNarrow a = narrow_of(job);
    const int64_t blocks = cuda_ceil_div(a.rows, (int64_t)a.segments * a.strip);
    if (job->source.dtype == HALO_U8)
        CUDA_LAUNCH(job->device, whole_narrow_kernel<uint8_t>, blocks, whole_threads, (int)shared_of(&a), a);
    else
        CUDA_LAUNCH(job->device, whole_narrow_kernel<uint16_t>, blocks, whole_threads, (int)shared_of(&a), a);
    return HALO_OK;
}

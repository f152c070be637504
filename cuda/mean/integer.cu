/* Means of integers in one pass over memory. A block goes down a strip of columns, a few rows per step. A warp
 * turns a row of column sums into prefix sums, channel by channel, so that a window is a difference of two.
 * Sums count modulo 2^32, and those of windows are smaller. */
#include "integer_tile.cuh"

static const int integer_batch = 4;    /* outputs of a thread at a time */
static const int integer_one_word = 2; /* channels, up to which one word per thread is enough */
/* Resident blocks per multiprocessor: more would have too few registers. */
template <int Words> static constexpr int integer_resident = Words == 1 ? 3 : 2;

/* ---- rows of the source ---------------------------------------------------------------------------------- */

/* The source's row at this position, counted from the buffer's first; -1: outside. Any row if it is not
 * needed. */
CUDA_INLINE int row_at(const MeanSource &s, int64_t position, bool needed)
{
    const int64_t row = needed ? halo_border_index(position + s.oy, s.height, s.border) : s.y0;
    return row < 0 ? -1 : (int)(row - s.y0);
}

/* The rows that the lanes of a warp found. */
struct IntegerRows {
    int row;
    unsigned beside;
    __device__ __forceinline__ explicit IntegerRows(int at)
        : row(max(at, 0)), beside(__ballot_sync(CUDA_ALL, at < 0))
    {
    }
    __device__ __forceinline__ int operator()(int lane) const { return __shfl_sync(CUDA_ALL, row, lane); }
};

/* Adds all rows of the first windows but the last: each lane of a warp finds one row. */
template <typename S, int Words>
CUDA_INLINE void begin_strip(const MeanInteger &a, int64_t y, IntegerColumns<S, Words> *c)
{
    const int lane = (int)threadIdx.x % CUDA_WARP;
#pragma unroll 1
    for (int first = 0; first < a.height - 1; first += CUDA_WARP) {
        const IntegerRows rows(row_at(a.source, y + first + lane, first + lane < a.height - 1));
        integer_begin(a.source, min(CUDA_WARP, a.height - 1 - first), c, rows.beside, rows);
    }
}

/* ---- a row of sums --------------------------------------------------------------------------------------- */

/* Exclusive prefix sums. Neighbouring lanes of the warp share a line; other lanes take another. */
CUDA_INLINE void add_up(const MeanInteger &a, int own, int part, uint32_t *row)
{
#pragma unroll 1
    for (int line = own; line - own < a.source.channels; line += a.lines) {
        const bool works = own < a.lines && line < a.source.channels;
        uint4 *const quads =
            reinterpret_cast<uint4 *>(row + line * line_pitch(a) + part * (integer_piece + integer_gap));
        uint32_t sum = 0;
        if (works)
#pragma unroll
            for (int q = 0; q < integer_piece / 4; q++) {
                const uint4 quad = quads[q];
                sum += (quad.x + quad.y) + (quad.z + quad.w);
            }
        const uint32_t here = sum;
#pragma unroll
        for (int d = 1; d < CUDA_WARP; d *= 2) {
            const uint32_t before = __shfl_up_sync(CUDA_ALL, sum, d);
            if (part >= d) sum += before;
        }
        sum -= here;
        asm volatile("" ::: "memory"); /* reload, do not keep in registers */
        if (works)
#pragma unroll
            for (int q = 0; q < integer_piece / 4; q++) {
                const uint4 quad = quads[q];
                const uint32_t second = sum + quad.x, third = second + quad.y, fourth = third + quad.z;
                quads[q] = make_uint4(sum, second, third, fourth);
                sum = fourth + quad.w;
            }
    }
    __syncwarp();
}

/* The outputs of a row. A lane's outputs are as many warps apart as there are channels, and so belong to one
 * channel. */
template <typename D, bool Plain, bool One>
CUDA_INLINE void put_means(const MeanInteger &a, const uint32_t *row, int count, D *to, unsigned *clipped)
{
    constexpr int apart = CUDA_WARP / integer_piece * (integer_piece + integer_gap);
    const int channels = One ? 1 : a.source.channels, step = CUDA_WARP * channels;
#pragma unroll 1
    for (int first = (int)threadIdx.x % CUDA_WARP; first < min(step, count); first += CUDA_WARP) {
        const int pixel = One ? first : a.channels.over(first);
        const uint32_t *const line = row + (first - pixel * channels) * line_pitch(a);
        const uint32_t *begin = line + line_at(line_lead(a) + pixel),
                       *end = line + line_at(line_lead(a) + pixel + a.width);
        const auto some = [&](int e, auto number) {
            constexpr int batch = decltype(number)::value;
            uint32_t sum[batch];
            float mean[batch];
#pragma unroll
            for (int i = 0; i < batch; i++) sum[i] = end[i * apart] - begin[i * apart];
            integer_quotients<Plain>(a.means, sum, mean);
            D *put = to + e;
#pragma unroll
            for (int i = 0; i < batch; i++, put += step)
                *put = integer_sample<D, Plain>(a.means, mean[i], clipped);
            begin += batch * apart;
            end += batch * apart;
        };
        int e = first;
#pragma unroll 1
        for (; e + (integer_batch - 1) * step < count; e += integer_batch * step)
            some(e, std::integral_constant<int, integer_batch>());
#pragma unroll 1
        for (; e < count; e += step) some(e, std::integral_constant<int, 1>());
    }
}

/* ---- a strip --------------------------------------------------------------------------------------------- */

/* `One`: there is one channel. */
template <typename S, int Words, bool One>
__global__ static void __launch_bounds__(integer_threads, integer_resident<Words>)
    integer_kernel(const __grid_constant__ MeanInteger a)
{
    CUDA_SHARED(uint32_t, sums);
    const MeanTarget &t = a.means.target;
    const int64_t across = (int64_t)(blockIdx.x % a.tiles) * a.tile, x = a.x + across;
    const int64_t y = a.y + (int64_t)(blockIdx.x / a.tiles) * a.strip;
    const int cols = (int)cuda_min(a.tile, a.cols - across), rows = (int)cuda_min(a.strip, a.y + a.rows - y);
    const int warp = (int)threadIdx.x / CUDA_WARP, lane = (int)threadIdx.x % CUDA_WARP;
    int at[4 * Words];
    IntegerColumns<S, Words> columns = {};
    const bool fills = find_columns<S, Words>(a, x, cols, at, &columns);
    const int own = lane / a.lanes, part = lane - own * a.lanes; /* line and piece */
    int place[4 * Words];
    unsigned clipped = 0;
    find_places<Words>(a, place);
    begin_strip(a, y, &columns);
#pragma unroll 1
    for (int r = 0; r < rows; r += integer_rows) {
        const int k = lane % integer_rows; /* rows that enter, then rows that leave */
        const IntegerRows found(row_at(a.source, y + r + k + (lane < integer_rows ? a.height - 1 : 0),
                                       lane < 2 * integer_rows && r + k < rows));
        integer_step<integer_rows>(
            a.source, &columns, found.beside, found, [&](int row) { return found(integer_rows + row); },
            [&](int row) { store_sums<Words, One>(place, columns.sum, sums + row * row_pitch<Words>); });
        if (fills) fill_outside<Words, One>(a, at, place, sums);
        __syncthreads();
        if (r + warp < rows) {
            uint32_t *const row = sums + warp * row_pitch<Words>;
            add_up(a, own, part, row);
            char *const to = t.data + (y + r + warp - t.base) * t.stride;
            cuda_typed(t.dtype, [&](auto zero) {
                using D = decltype(zero);
                D *const first = (D *)to + across * a.source.channels;
                if (a.means.plain)
                    put_means<D, true, One>(a, row, cols * a.source.channels, first, &clipped);
                else
                    put_means<D, false, One>(a, row, cols * a.source.channels, first, &clipped);
            });
        }
        __syncthreads();
    }
    cuda_count_clipped(t.clipped, clipped);
}

/* ---- blocks and shared memory ---------------------------------------------------------------------------- */

/* Pixels of a row of a block, whose threads have so many words. */
static int64_t pixels_of(int words, int channels)
{
    const int64_t samples = words * integer_threads * 4 - 3; /* the lead */
    return cuda_min(samples / channels, cuda_min(CUDA_WARP, words * CUDA_WARP / channels) * integer_piece - 4);
}

/* Bytes of a row of sums for each warp. */
template <int Words>
static constexpr int shared_of_rows = integer_rows *row_pitch<Words> *(int)sizeof(uint32_t);

/* One word; two for several channels where neighbouring tiles would overlap by more than a quarter of a row. */
static int words_of(const MeanJob *job)
{
    const int channels = job->source.channels;
    if (channels <= integer_one_word || shared_of_rows < 2 >> (int64_t)job->device->shared_most) return 1;
    return 4 * job->window.width > pixels_of(1, channels) ? 2 : 1;
}

/* Widths of tiles are a multiple of this: rows of tiles begin at cache lines. */
static int tile_unit(int channels)
{
    return channels % 8 == 0 ? 4 : channels % 4 == 0 ? 8 : channels % 2 == 0 ? 16 : 32;
}

bool mean_integer_takes(const MeanJob *job)
{
    const HaloWindow &w = job->window;
    const MeanSource &s = job->source;
    if (!integer_fits(job) || s.channels > mean_integer_channels || s.width > INT32_MAX / mean_integer_channels)
        return false;
    if (mean_narrow_suits(&s, job->cols, job->rows)) return false; /* most threads would have no columns */
    if (w.width > pixels_of(words_of(job), s.channels) * 5 / 8) return false;
    return job->rows >= integer_rows &&
           w.height <= cuda_max(64, 2 * job->rows); /* else strips would mostly be the rows above */
}

template <typename S, int Words, bool One> static HaloStatus launch(const MeanJob *job, MeanInteger *a)
{
    const int channels = job->source.channels, unit = tile_unit(channels);
    const int64_t most = (pixels_of(Words, channels) - (a->width - 1)) / unit * unit;
    a->tile = (int)(cuda_ceil_div(cuda_ceil_div(a->cols, cuda_ceil_div(a->cols, most)), unit) * unit);
    a->tiles = (unsigned)cuda_ceil_div(a->cols, a->tile);
    a->lanes = (int)cuda_ceil_div(a->tile + a->width + (channels == 1 ? a->lead : 0), integer_piece);
    a->lines = CUDA_WARP / a->lanes;
    constexpr int shared = shared_of_rows<Words>;
    int resident = 0;
    CUDA_PASS(cuda_allow_shared((const void *)(integer_kernel<S, Words, One>), (size_t)shared));
    CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, integer_kernel<S, Words, One>,
                                                           integer_threads, (size_t)shared));
    const int64_t blocks = (int64_t)job->device->properties.multiProcessorCount * resident;
    const int64_t strips = cuda_max(1, blocks / a->tiles),
                  high = cuda_ceil_div(cuda_ceil_div(a->rows, strips), integer_rows);
    const int64_t low = cuda_ceil_div(
        a->height,
        4 * integer_rows); /* all begin with a complete window, whose rows take far less time than outputs */
    a->strip = (int)cuda_min(1 << 30, cuda_max(high, low) * integer_rows);
    CUDA_LAUNCH(job->device, (integer_kernel<S, Words, One>), a->tiles * cuda_ceil_div(a->rows, a->strip),
                integer_threads, shared, *a);
    return HALO_OK;
}

template <typename S> static HaloStatus launch_words(const MeanJob *job, MeanInteger *a)
{
    if (job->source.channels == 1) return launch<S, 1, true>(job, a);
    return words_of(job) == 1 ? launch<S, 1, false>(job, a) : launch<S, 2, false>(job, a);
}

HaloStatus mean_integer(const MeanJob *job)
{
    MeanInteger a = {};
    const MeanSource &s = job->source;
    const int64_t size = (int64_t)halo_dtype_size(s.dtype), data = (int64_t)(uintptr_t)s.data / size;
    const int64_t origin = data + (job->x + s.ox - s.x0) * s.channels;
    a.source = s;
    a.means = integer_means(job);
    a.width = (int)job->window.width;
    a.height = (int)job->window.height;
    a.x = job->x;
    a.y = job->y;
    a.cols = job->cols;
    a.rows = job->rows;
    a.channels = cuda_divisor(s.channels);
    a.words =
        s.stride % (4 * size) == 0 && s.held * s.channels >= 8; /* so that any row contains an aligned word */
    a.lead = a.words ? (int)((origin % 4 + 4) % 4) : 0;
    return s.dtype == HALO_U8 ? launch_words<uint8_t>(job, &a) : launch_words<uint16_t>(job, &a);
}

/* Means of whole numbers in one pass over memory. A block goes down a strip of columns, some rows at a step. A
 * warp makes a row of the sums of its columns into those of all columns to the left, channel by channel, so
 * that a window is a difference of two. Sums count modulo 2^32, and those of windows are less. */
#include "whole_tile.cuh"

static const int whole_batch = 4; /* outputs of a thread at a time */
static const int whole_few = 2;   /* channels, with which a row is wide enough */
/* Blocks of a multiprocessor: more would have too few registers. */
template <int Words> static constexpr int whole_resident = Words == 1 ? 3 : 2;

/* ---- rows of the source ---------------------------------------------------------------------------------- */

/* Which row of the source is at this position, counted from its first; -1: outside. One that is not needed is
 * any. */
__device__ __forceinline__ static int row_at(const MeanSource &s, int64_t position, bool needed)
{
    const int64_t row = needed ? halo_border_index(position + s.oy, s.height, s.border) : s.y0;
    return row < 0 ? -1 : (int)(row - s.y0);
}

/* The rows of some lanes. */
struct WholeRows {
    int row;
    unsigned beside;
    __device__ __forceinline__ explicit WholeRows(int at)
        : row(max(at, 0)), beside(__ballot_sync(CUDA_ALL, at < 0))
    {
    }
    __device__ __forceinline__ int operator()(int lane) const { return __shfl_sync(CUDA_ALL, row, lane); }
};

/* All rows but the last of the first windows: the lanes of a warp find one each. */
template <typename S, int Words>
__device__ __forceinline__ static void begin_strip(const MeanWhole &a, int64_t y, WholeColumns<S, Words> *c)
{
    const int lane = (int)threadIdx.x % CUDA_WARP;
#pragma unroll 1
    for (int first = 0; first < a.height - 1; first += CUDA_WARP) {
        const WholeRows rows(row_at(a.source, y + first + lane, first + lane < a.height - 1));
        whole_begin(a.source, min(CUDA_WARP, a.height - 1 - first), c, rows.beside, rows);
    }
}

/* ---- a row of sums --------------------------------------------------------------------------------------- */

/* Sums become those of all before each. Some lanes of the warp, side by side, have a line; the others another.
 */
__device__ __forceinline__ static void add_up(const MeanWhole &a, int own, int part, uint32_t *row)
{
#pragma unroll 1
    for (int line = own; line - own < a.source.channels; line += a.lines) {
        const bool works = own < a.lines && line < a.source.channels;
        uint4 *const quads =
            reinterpret_cast<uint4 *>(row + line * line_pitch(a) + part * (whole_piece + whole_gap));
        uint32_t sum = 0;
        if (works)
#pragma unroll
            for (int q = 0; q < whole_piece / 4; q++) {
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
        asm volatile("" ::: "memory"); /* what is read again is not kept instead */
        if (works)
#pragma unroll
            for (int q = 0; q < whole_piece / 4; q++) {
                const uint4 quad = quads[q];
                const uint32_t second = sum + quad.x, third = second + quad.y, fourth = third + quad.z;
                quads[q] = make_uint4(sum, second, third, fourth);
                sum = fourth + quad.w;
            }
    }
    __syncwarp();
}

/* The outputs of a row. A lane's lie as many warps apart as there are channels, and so are of one. */
template <typename D, bool Plain, bool One>
__device__ __forceinline__ static void put_means(const MeanWhole &a, const uint32_t *row, int count, D *to,
                                                 unsigned *clipped)
{
    constexpr int apart = CUDA_WARP / whole_piece * (whole_piece + whole_gap);
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
            whole_quotients<Plain>(a.means, sum, mean);
            D *put = to + e;
#pragma unroll
            for (int i = 0; i < batch; i++, put += step)
                *put = whole_sample<D, Plain>(a.means, mean[i], clipped);
            begin += batch * apart;
            end += batch * apart;
        };
        int e = first;
#pragma unroll 1
        for (; e + (whole_batch - 1) * step < count; e += whole_batch * step)
            some(e, std::integral_constant<int, whole_batch>());
#pragma unroll 1
        for (; e < count; e += step) some(e, std::integral_constant<int, 1>());
    }
}

/* ---- a strip --------------------------------------------------------------------------------------------- */

/* `One`: of one channel. */
template <typename S, int Words, bool One>
__global__ static void __launch_bounds__(whole_threads, whole_resident<Words>)
    whole_kernel(const __grid_constant__ MeanWhole a)
{
    CUDA_SHARED(uint32_t, sums);
    const MeanTarget &t = a.means.target;
    const int64_t across = (int64_t)(blockIdx.x % a.tiles) * a.tile, x = a.x + across;
    const int64_t y = a.y + (int64_t)(blockIdx.x / a.tiles) * a.strip;
    const int cols = (int)cuda_min(a.tile, a.cols - across), rows = (int)cuda_min(a.strip, a.y + a.rows - y);
    const int warp = (int)threadIdx.x / CUDA_WARP, lane = (int)threadIdx.x % CUDA_WARP;
    int at[4 * Words];
    WholeColumns<S, Words> columns = {};
    const bool fills = find_columns<S, Words>(a, x, cols, at, &columns);
    const int own = lane / a.lanes, part = lane - own * a.lanes; /* line and piece */
    int place[4 * Words];
    unsigned clipped = 0;
    find_places<Words>(a, place);
    begin_strip(a, y, &columns);
#pragma unroll 1
    for (int r = 0; r < rows; r += whole_rows) {
        const int k = lane % whole_rows; /* of what comes, and then of what goes */
        const WholeRows found(row_at(a.source, y + r + k + (lane < whole_rows ? a.height - 1 : 0),
                                     lane < 2 * whole_rows && r + k < rows));
        whole_step<whole_rows>(
            a.source, &columns, found.beside, found, [&](int row) { return found(whole_rows + row); },
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

/* ---- laying out ------------------------------------------------------------------------------------------ */

/* Pixels of a row of a block, whose threads have so many words. */
static int64_t pixels_of(int words, int channels)
{
    const int64_t samples = words * whole_threads * 4 - 3; /* the lead */
    return cuda_min(samples / channels, cuda_min(CUDA_WARP, words * CUDA_WARP / channels) * whole_piece - 4);
}

/* Bytes of a row of sums for each warp. */
template <int Words> static constexpr int shared_of_rows = whole_rows *row_pitch<Words> *(int)sizeof(uint32_t);

/* One word; of many channels two, where more than a quarter of a row would be what neighbours have, too. */
static int words_of(const MeanJob *job)
{
    const int channels = job->source.channels;
    if (channels <= whole_few || shared_of_rows < 2 >> (int64_t)job->device->shared_most) return 1;
    return 4 * job->window.width > pixels_of(1, channels) ? 2 : 1;
}

/* Pixels of a tile are a multiple of this: rows of tiles begin where memory's lines do. */
static int tile_unit(int channels)
{
    return channels % 8 == 0 ? 4 : channels % 4 == 0 ? 8 : channels % 2 == 0 ? 16 : 32;
}

bool mean_whole_takes(const MeanJob *job)
{
    const HaloWindow &w = job->window;
    const MeanSource &s = job->source;
    if (!whole_fits(job) || s.channels > mean_whole_channels || s.width > INT32_MAX / mean_whole_channels)
        return false;
    if (mean_narrow_suits(&s, job->cols, job->rows)) return false; /* most threads would have no columns */
    if (w.width > pixels_of(words_of(job), s.channels) * 5 / 8) return false;
    return job->rows >= whole_rows &&
           w.height <= cuda_max(64, 2 * job->rows); /* else strips would be mostly what lies above */
}

template <typename S, int Words, bool One> static HaloStatus launch(const MeanJob *job, MeanWhole *a)
{
    const int channels = job->source.channels, unit = tile_unit(channels);
    const int64_t most = (pixels_of(Words, channels) - (a->width - 1)) / unit * unit;
    a->tile = (int)(cuda_ceil_div(cuda_ceil_div(a->cols, cuda_ceil_div(a->cols, most)), unit) * unit);
    a->tiles = (unsigned)cuda_ceil_div(a->cols, a->tile);
    a->lanes = (int)cuda_ceil_div(a->tile + a->width + (channels == 1 ? a->lead : 0), whole_piece);
    a->lines = CUDA_WARP / a->lanes;
    constexpr int shared = shared_of_rows<Words>;
    int resident = 0;
    CUDA_PASS(cuda_allow_shared((const void *)(whole_kernel<S, Words, One>), (size_t)shared));
    CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, whole_kernel<S, Words, One>,
                                                           whole_threads, (size_t)shared));
    const int64_t blocks = (int64_t)job->device->properties.multiProcessorCount * resident;
    const int64_t strips = cuda_max(1, blocks / a->tiles),
                  high = cuda_ceil_div(cuda_ceil_div(a->rows, strips), whole_rows);
    const int64_t low = cuda_ceil_div(
        a->height, 4 * whole_rows); /* all begin with a whole window, whose rows take far less than outputs */
    a->strip = (int)cuda_min(1 << 30, cuda_max(high, low) * whole_rows);
    CUDA_LAUNCH(job->device, (whole_kernel<S, Words, One>), a->tiles * cuda_ceil_div(a->rows, a->strip),
                whole_threads, shared, *a);
    return HALO_OK;
}

template <typename S> static HaloStatus launch_words(const MeanJob *job, MeanWhole *a)
{
    if (job->source.channels == 1) return launch<S, 1, true>(job, a);
    return words_of(job) == 1 ? launch<S, 1, false>(job, a) : launch<S, 2, false>(job, a);
}

HaloStatus mean_whole(const MeanJob *job)
{
    MeanWhole a = {};
    const MeanSource &s = job->source;
    const int64_t size = (int64_t)halo_dtype_size(s.dtype), data = (int64_t)(uintptr_t)s.data / size;
    const int64_t origin = data + (job->x + s.ox - s.x0) * s.channels;
    a.source = s;
    a.means = whole_means(job);
    a.width = (int)job->window.width;
    a.height = (int)job->window.height;
    a.x = job->x;
    a.y = job->y;
    a.cols = job->cols;
    a.rows = job->rows;
    a.channels = cuda_divisor(s.channels);
    a.words =
        s.stride % (4 * size) == 0 && s.held * s.channels >= 8; /* so that a row has one wherever they begin */
    a.lead = a.words ? (int)((origin % 4 + 4) % 4) : 0;
    return s.dtype == HALO_U8 ? launch_words<uint8_t>(job, &a) : launch_words<uint16_t>(job, &a);
}

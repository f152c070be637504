/* Means of whole numbers in one pass over memory: their sums are exact in any order. A block goes down a strip of columns,
 * some rows at a step. A thread keeps the sums of a few columns, over as many rows as the window has: what comes is added,
 * what leaves is read again and taken away. A warp makes a row of these into the sums of all columns to the left, so that a
 * window is a difference of two. Sums count modulo 2^32, and those of windows are less. */
#include "sums.cuh"

static const int whole_threads = 256;
static const int whole_rows = whole_threads / CUDA_WARP; /* of a step: one for each warp */
static const int whole_gap = 4; /* left out behind every piece, so that the threads of a warp, a piece apart, meet other banks */

struct MeanWhole {
    MeanSource source;
    MeanTarget target;
    int width, height;
    int64_t x, y, cols, rows; /* outputs */
    int lead;                 /* samples before the first that a window holds, so that words are read whole */
    int tile, strip;          /* columns and rows of outputs of a block */
    unsigned tiles;
    bool words;               /* can they be? */
    bool plain;               /* sums do not go beyond 2^24, and means are stored just rounded, and fit */
    float count, inverse;
};

/* Samples of a row of a block: `piece` of each thread of a warp, a multiple of the channels. */
template <int Channels> struct WholeShape {
    static constexpr int piece = Channels == 3 ? 24 : 32, columns = CUDA_WARP * piece;
    static constexpr int pitch = CUDA_WARP * (piece + whole_gap);
    static constexpr int period = Channels == 3 ? 3 : 1; /* warps of samples that are whole pieces */
    static __device__ __forceinline__ int at(int column) { return column + column / piece * whole_gap; }
};

/* ---- columns ------------------------------------------------------------------------------------------------------ */

/* Four samples of a row, side by side, as sums. */
__device__ __forceinline__ static void whole_unpack(uint32_t word, uint32_t v[4])
{
#pragma unroll
    for (int i = 0; i < 4; i++) v[i] = __byte_perm(word, 0, 0x4440 + i);
}

__device__ __forceinline__ static void whole_unpack(uint2 word, uint32_t v[4])
{
    v[0] = word.x & 0xffff;
    v[1] = word.x >> 16;
    v[2] = word.y & 0xffff;
    v[3] = word.y >> 16;
}

template <typename S> struct WholeWord;
template <> struct WholeWord<uint8_t> { using Type = uint32_t; };
template <> struct WholeWord<uint16_t> { using Type = uint2; };

__device__ __forceinline__ static uint32_t whole_pack(const uint8_t v[4])
{
    return v[0] | (uint32_t)v[1] << 8 | (uint32_t)v[2] << 16 | (uint32_t)v[3] << 24;
}

__device__ __forceinline__ static uint2 whole_pack(const uint16_t v[4])
{
    return make_uint2(v[0] | (uint32_t)v[1] << 16, v[2] | (uint32_t)v[3] << 16);
}

/* The columns of a thread. */
template <typename S> struct WholeColumns {
    using Word = typename WholeWord<S>::Type;
    const char *first; /* the first, in the source's first row */
    bool whole;        /* are they read as they are? */
    int at[4];         /* else: where from, in samples of a row; -1: outside */
    S outside;

    __device__ __forceinline__ Word read(const MeanSource &s, int64_t row) const
    {
        const char *const line = s.data + (row - s.y0) * s.stride;
        if (whole && row >= 0) return __ldg((const Word *)(first + (row - s.y0) * s.stride));
        S v[4];
#pragma unroll
        for (int i = 0; i < 4; i++) v[i] = row < 0 || (!whole && at[i] < 0) ? outside : __ldg((const S *)line + at[i]);
        return whole_pack(v);
    }
};

template <typename S, int Channels>
__device__ __forceinline__ static WholeColumns<S> whole_columns(const MeanWhole &a, int64_t x, int cols)
{
    const MeanSource &s = a.source;
    const int64_t first = (x + s.ox - s.x0) * Channels - a.lead + 4 * (int)threadIdx.x; /* in samples of the buffer's row */
    WholeColumns<S> c;
    c.outside = (S)s.outside;
    c.first = s.data + first * (int64_t)sizeof(S);
    c.whole = a.words && first >= 0 && first + 4 <= s.held * Channels;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const int sample = 4 * (int)threadIdx.x + i - a.lead; /* counted from the first that a window holds */
        const bool needed = sample >= 0 && sample < (cols + a.width - 1) * Channels;
        const int64_t position = x + s.ox + sample / Channels;
        if (needed && (position < 0 || position >= s.width)) c.whole = false;
        const int64_t column = needed ? halo_border_index(position, s.width, s.border) : -1;
        c.at[i] = column < 0 ? -1 : (int)((column - s.x0) * Channels) + sample % Channels;
    }
    return c;
}

/* ---- rows --------------------------------------------------------------------------------------------------------- */

/* A row of sums of columns becomes the sums of all columns before each. */
template <int Channels> __device__ __forceinline__ static void whole_add_up(uint32_t *row)
{
    constexpr int piece = WholeShape<Channels>::piece;
    const int lane = (int)threadIdx.x % CUDA_WARP;
    uint4 *const quads = reinterpret_cast<uint4 *>(row + lane * (piece + whole_gap));
    uint32_t v[piece], sum[Channels] = {};
#pragma unroll
    for (int q = 0; q < piece / 4; q++) {
        const uint4 quad = quads[q];
        v[4 * q] = quad.x;
        v[4 * q + 1] = quad.y;
        v[4 * q + 2] = quad.z;
        v[4 * q + 3] = quad.w;
    }
#pragma unroll
    for (int i = 0; i < piece; i++) sum[i % Channels] += v[i];
#pragma unroll
    for (int c = 0; c < Channels; c++) {
        const uint32_t own = sum[c];
#pragma unroll
        for (int d = 1; d < CUDA_WARP; d *= 2) {
            const uint32_t before = __shfl_up_sync(CUDA_ALL, sum[c], d);
            if (lane >= d) sum[c] += before;
        }
        sum[c] -= own;
    }
#pragma unroll
    for (int i = 0; i < piece; i++) {
        const uint32_t here = v[i];
        v[i] = sum[i % Channels];
        sum[i % Channels] += here;
    }
#pragma unroll
    for (int q = 0; q < piece / 4; q++) quads[q] = make_uint4(v[4 * q], v[4 * q + 1], v[4 * q + 2], v[4 * q + 3]);
    __syncwarp();
}

/* A sum, which f32 holds, over the count, rounded once: as in mean_quotient. */
__device__ __forceinline__ static float whole_quotient(const MeanWhole &a, uint32_t sum)
{
    const float s = (float)(int)sum;
    float q = s * a.inverse;
    q = halo_fma(halo_fma(-q, a.count, s), a.inverse, q);
    return halo_fma(halo_fma(-q, a.count, s), a.inverse, q);
}

template <typename D, bool Plain>
__device__ __forceinline__ static void whole_put(const MeanWhole &a, uint32_t sum, D *to, unsigned *clipped)
{
    float mean;
    if constexpr (Plain) {
        mean = whole_quotient(a, sum);
    } else {
        const double wide[1] = {(double)sum};
        mean_quotients<1>(wide, a.target.finish, &mean);
    }
    if constexpr (!Plain)
        *to = cuda_sample<D>(mean, a.target.store, clipped);
    else if constexpr (sizeof(D) == sizeof(float))
        *to = mean;
    else
        *to = (D)__float_as_uint(mean + 12582912.0f);
}

/* The outputs of a row. */
template <typename D, int Channels, bool Plain>
__device__ __forceinline__ static void whole_means(const MeanWhole &a, const uint32_t *row, int count, D *to, unsigned *clipped)
{
    typedef WholeShape<Channels> Shape;
    constexpr int step = Shape::period * CUDA_WARP, apart = step / Shape::piece * (Shape::piece + whole_gap);
    const int lane = (int)threadIdx.x % CUDA_WARP;
    const uint32_t *begin[Shape::period], *end[Shape::period];
#pragma unroll
    for (int m = 0; m < Shape::period; m++) {
        begin[m] = row + Shape::at(a.lead + lane + m * CUDA_WARP);
        end[m] = row + Shape::at(a.lead + lane + m * CUDA_WARP + a.width * Channels);
    }
    int e = 0;
#pragma unroll 4
    for (; (e + 1) * step <= count; e++) {
#pragma unroll
        for (int m = 0; m < Shape::period; m++)
            whole_put<D, Plain>(a, end[m][e * apart] - begin[m][e * apart], to + e * step + m * CUDA_WARP + lane, clipped);
    }
#pragma unroll
    for (int m = 0; m < Shape::period; m++) {
        const int at = e * step + m * CUDA_WARP + lane;
        if (at < count) whole_put<D, Plain>(a, end[m][e * apart] - begin[m][e * apart], to + at, clipped);
    }
}

/* ---- a strip ------------------------------------------------------------------------------------------------------ */

template <typename S, int Channels>
__global__ static void __launch_bounds__(whole_threads, 4) whole_kernel(const __grid_constant__ MeanWhole a)
{
    typedef WholeShape<Channels> Shape;
    CUDA_SHARED(uint32_t, sums);
    const MeanSource &s = a.source;
    const MeanTarget &t = a.target;
    const int64_t across = (int64_t)(blockIdx.x % a.tiles) * a.tile, x = a.x + across;
    const int64_t y = a.y + (int64_t)(blockIdx.x / a.tiles) * a.strip;
    const int cols = (int)cuda_min(a.tile, a.cols - across), rows = (int)cuda_min(a.strip, a.y + a.rows - y);
    const int warp = (int)threadIdx.x / CUDA_WARP;
    const bool adds = 4 * (int)threadIdx.x < Shape::columns;
    const WholeColumns<S> columns = whole_columns<S, Channels>(a, x, cols);
    uint4 *const own = reinterpret_cast<uint4 *>(sums + Shape::at(4 * (int)threadIdx.x));
    uint32_t column[4] = {};
    unsigned clipped = 0;
    const auto word = [&](int64_t row) { return columns.read(s, halo_border_index(row, s.height, s.border)); };
    const auto add = [&](typename WholeColumns<S>::Word come) {
        uint32_t v[4];
        whole_unpack(come, v);
#pragma unroll
        for (int i = 0; i < 4; i++) column[i] += v[i];
    };
    const auto drop = [&](typename WholeColumns<S>::Word gone) {
        uint32_t v[4];
        whole_unpack(gone, v);
#pragma unroll
        for (int i = 0; i < 4; i++) column[i] -= v[i];
    };
    if (adds) {
#pragma unroll 8
        for (int j = 0; j < a.height - 1; j++) add(word(y + s.oy + j));
    }
#pragma unroll 1
    for (int r = 0; r < rows; r += whole_rows) {
        const int64_t above = y + s.oy + r, below = above + a.height - 1;
        if (adds) {
            typename WholeColumns<S>::Word come[whole_rows], gone[whole_rows];
            if (columns.whole && above >= 0 && below + whole_rows <= s.height && r + whole_rows <= rows) {
                const char *from = columns.first + (below - s.y0) * s.stride, *left = columns.first + (above - s.y0) * s.stride;
#pragma unroll
                for (int k = 0; k < whole_rows; k++, from += s.stride, left += s.stride) {
                    come[k] = __ldg((const typename WholeColumns<S>::Word *)from);
                    gone[k] = __ldg((const typename WholeColumns<S>::Word *)left);
                }
            } else {
#pragma unroll
                for (int k = 0; k < whole_rows; k++) {
                    come[k] = gone[k] = {};
                    if (r + k < rows) {
                        come[k] = word(below + k);
                        gone[k] = word(above + k);
                    }
                }
            }
#pragma unroll
            for (int k = 0; k < whole_rows; k++) {
                add(come[k]);
                own[k * Shape::pitch / 4] = make_uint4(column[0], column[1], column[2], column[3]);
                drop(gone[k]);
            }
        }
        __syncthreads();
        if (r + warp < rows) {
            uint32_t *const row = sums + warp * Shape::pitch;
            whole_add_up<Channels>(row);
            char *const to = t.data + (y + r + warp - t.base) * t.stride;
            cuda_typed(t.dtype, [&](auto zero) {
                using D = decltype(zero);
                D *const first = (D *)to + across * Channels;
                if (a.plain)
                    whole_means<D, Channels, true>(a, row, cols * Channels, first, &clipped);
                else
                    whole_means<D, Channels, false>(a, row, cols * Channels, first, &clipped);
            });
        }
        __syncthreads();
    }
    cuda_count_clipped(t.clipped, clipped);
}

/* ---- launching ---------------------------------------------------------------------------------------------------- */

static int whole_piece(int channels) { return channels == 3 ? 24 : 32; }

/* Pixels of a row of a block. */
static int64_t whole_pixels(int channels) { return CUDA_WARP * whole_piece(channels) / channels; }

bool mean_whole_takes(const MeanJob *job)
{
    const HaloWindow &w = job->window;
    const HaloDtype dtype = job->source.dtype;
    const int64_t white = dtype == HALO_U8 ? 255 : 65535;
    int64_t row = 0, sum = 0;
    if (dtype == HALO_F32 || job->source.channels > 4 || halo_rank_keys(dtype, w.border, w.value) != dtype) return false;
    if (mean_narrow_suits(&job->source, job->cols, job->rows)) return false; /* most threads would have no columns */
    if (job->source.width > INT32_MAX / 8 || w.width > whole_pixels(job->source.channels) * 5 / 8) return false;
    if (job->rows < whole_rows || w.height > cuda_max(64, 2 * job->rows)) return false; /* strips would be mostly what lies above */
    return halo_mul(w.width, white, &row) && row <= 1 << 24 && halo_mul(w.height, row, &sum) && sum <= UINT32_MAX;
}

template <typename S, int Channels> static HaloStatus launch(const MeanJob *job, MeanWhole *a)
{
    const int shared = whole_rows * WholeShape<Channels>::pitch * (int)sizeof(uint32_t);
    int resident = 0;
    CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, whole_kernel<S, Channels>, whole_threads, (size_t)shared));
    const int64_t blocks = (int64_t)job->device->properties.multiProcessorCount * resident;
    const int64_t strips = cuda_max(1, blocks / a->tiles), high = cuda_ceil_div(a->rows, strips);
    a->strip = (int)cuda_min(1 << 30, cuda_max(cuda_ceil_div(high, whole_rows), cuda_ceil_div(a->height, 2 * whole_rows)) * whole_rows);
    CUDA_LAUNCH(job->device, (whole_kernel<S, Channels>), a->tiles * cuda_ceil_div(a->rows, a->strip), whole_threads, shared, *a);
    return HALO_OK;
}

template <typename S> static HaloStatus launch_channels(const MeanJob *job, MeanWhole *a)
{
    switch (job->source.channels) {
    case 1: return launch<S, 1>(job, a);
    case 2: return launch<S, 2>(job, a);
    case 3: return launch<S, 3>(job, a);
    default: return launch<S, 4>(job, a);
    }
}

HaloStatus mean_whole(const MeanJob *job)
{
    MeanWhole a = {};
    const MeanSource &s = job->source;
    const HaloWindow &w = job->window;
    const int64_t size = (int64_t)halo_dtype_size(s.dtype), origin = (int64_t)(uintptr_t)s.data / size + (job->x + s.ox - s.x0) * s.channels;
    const HaloDtype to = job->target.dtype;
    a.source = s;
    a.target = job->target;
    a.width = (int)w.width;
    a.height = (int)w.height;
    a.x = job->x;
    a.y = job->y;
    a.cols = job->cols;
    a.rows = job->rows;
    a.words = s.stride % (4 * size) == 0;
    a.lead = a.words ? (int)((origin % 4 + 4) % 4) : 0;
    const int64_t tile = (whole_pixels(s.channels) - 4 - (w.width - 1)) / 32 * 32;
    a.tile = (int)(cuda_ceil_div(cuda_ceil_div(job->cols, cuda_ceil_div(job->cols, tile)), 32) * 32);
    a.tiles = (unsigned)cuda_ceil_div(job->cols, a.tile);
    a.plain = w.width * w.height * (s.dtype == HALO_U8 ? 255 : 65535) <= 1 << 24 && job->target.store.num == 1.0f && job->target.store.den == 1.0f && to >= s.dtype;
    a.target.finish.count = (double)w.width * (double)w.height;
    a.target.finish.inverse = 1.0 / a.target.finish.count;
    a.count = (float)a.target.finish.count;
    a.inverse = 1.0f / a.count;
    return s.dtype == HALO_U8 ? launch_channels<uint8_t>(job, &a) : launch_channels<uint16_t>(job, &a);
}

/* Resampling to more rows in one pass. A block has some columns of the destination, one element a thread, and goes down the
 * rows of the source: it stages a few of them, each thread makes its sample of their row pass, and keeps the last samples,
 * which outputs are made of. Which outputs those are, and with what weights, is the same for all threads: a program, made
 * first, says it. */
#include "resample.cuh"

static const int walk_threads = 256;
/* Rows that an output may be made of. */
static const int walk_chain = 8;
/* Taps of the row pass that a thread keeps. */
static const int walk_taps = 32;
/* Rows staged at a time, threads that stage one, and elements of it; words that a thread fetches for that. */
static const int walk_rows = 4, walk_abreast = walk_threads / walk_rows, walk_span = 1024;
static const int walk_words = (walk_span + walk_abreast - 1) / walk_abreast + 1;
/* One of 32 places stays free, so that threads which lie a power of two apart do not meet in a bank. */
static const int walk_pitch = walk_span + walk_span / 32 + 4;
/* Rows of the destination that a block makes. */
static const int walk_slice = 128;

/* What an output is made of: weights of the last rows up to `mark`. */
struct WalkLine {
    float weight[walk_chain];
    unsigned used; /* a bit for each weight that there is */
    int mark, pad[2];
};

struct WalkArgs {
    ResampleArgs all;
    const WalkLine *program; /* of rows of the destination */
    int64_t first;           /* row of the source */
    int64_t tiles;      /* blocks across */
    int64_t slice_rows; /* of the destination, in a block */
};

/* ---- the program ---------------------------------------------------------------------------------------- */

__device__ static int64_t walk_end(const HaloResampleAxis &y, int64_t i)
{
    int64_t first;
    const int64_t row = resample_row(y, i, &first);
    return first + y.count[row];
}

__global__ static void walk_program(const __grid_constant__ WalkArgs a, WalkLine *program, int64_t lines)
{
    const int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const HaloResampleAxis &y = a.all.y;
    if (k >= lines) return;
    int64_t first;
    const int64_t row = resample_row(y, a.all.dst_y + k, &first), count = y.count[row], end = first + count;
    WalkLine line = {};
    line.mark = (int)(end - a.first);
    for (int i = 0; i < walk_chain; i++) { /* weight i is that of row end - walk_chain + i */
        const int64_t j = i - (walk_chain - count);
        if (j < 0) continue;
        line.weight[i] = y.tap[row * y.taps + j];
        line.used |= 1u << i;
    }
    program[k] = line;
}

/* ---- the walk ------------------------------------------------------------------------------------------- */

__device__ __forceinline__ static int walk_at(int i) { return i + (i >> 5); }

/* What a block stages: `span` elements of each row from `from` on. Words are fetched while the rows before are computed,
 * from the last multiple of 4 bytes on. */
struct WalkStage {
    const char *row; /* that this thread helps to stage, of the first rows */
    int span, first, bytes; /* first: of its words; bytes: of a sample */
    uint32_t word[walk_words];
};

__device__ __forceinline__ static int walk_off(const WalkStage &s) { return (int)((uintptr_t)s.row & 3); }

/* The last word may end behind the row, and even the buffer's samples: it ends where memory does, or before. */
__device__ __forceinline__ static void walk_fetch(WalkStage &s, bool exists)
{
    const uint32_t *const words = (const uint32_t *)(s.row - walk_off(s));
    const int bytes = exists ? walk_off(s) + s.span * s.bytes : 0;
#pragma unroll
    for (int k = 0; k < walk_words; k++)
        if ((s.first + k * walk_abreast) * 4 < bytes) s.word[k] = words[s.first + k * walk_abreast];
}

template <typename S> __device__ __forceinline__ static void walk_put(const WalkStage &s, float *staged)
{
    const int lead = walk_off(s) / (int)sizeof(S);
#pragma unroll
    for (int k = 0; k < walk_words; k++) {
        const int word = s.first + k * walk_abreast;
        if (word * 4 >= walk_off(s) + s.span * (int)sizeof(S)) break;
        if constexpr (sizeof(S) == 4)
            staged[walk_at(word)] = __uint_as_float(s.word[k]);
        else
#pragma unroll
            for (int i = 0; i < 4 / (int)sizeof(S); i++) {
                const int e = word * (4 / (int)sizeof(S)) + i - lead;
                const uint32_t v = s.word[k] >> (8 * sizeof(S) * i) & (sizeof(S) == 1 ? 0xff : 0xffff);
                if (e >= 0 && e < s.span) staged[walk_at(e)] = __fsub_rn(__uint_as_float(0x4b000000 | v), 8388608.0f);
            }
    }
}

/* A thread's sample of the row pass; `at` says where its taps lie. */
template <int Taps>
__device__ __forceinline__ static float walk_row(const float *row, const int at[Taps], const float tap[Taps], int count,
                                                 bool full)
{
    float sum = 0.0f;
    if (full) {
#pragma unroll
        for (int t = 0; t < Taps; t++) sum = halo_fma(tap[t], row[at[t]], sum);
    } else {
#pragma unroll
        for (int t = 0; t < Taps; t++)
            if (t < count) sum = halo_fma(tap[t], row[at[t]], sum);
    }
    return sum;
}

/* The outputs that end with the newest of the last rows, `row` of them from the first. */
__device__ static int64_t walk_emit(const WalkArgs &a, int64_t out, int64_t bottom, int row, const float *chain, int64_t e,
                                    bool here, unsigned *clipped)
{
    for (; out < bottom; out++) {
        const WalkLine &line = a.program[out];
        if (line.mark != row) break;
        float sum = 0.0f;
#pragma unroll
        for (int k = 0; k < walk_chain; k++)
            if (line.used >> k & 1) sum = halo_fma(line.weight[k], chain[k], sum);
        if (here) resample_store(a.all, e, out, sum, clipped);
    }
    return out;
}

template <int Taps>
__global__ static void __launch_bounds__(walk_threads) walk_kernel(const __grid_constant__ WalkArgs a)
{
    __shared__ float staged[walk_rows * walk_pitch];
    const ResampleArgs &all = a.all;
    const int64_t tile = blockIdx.x % a.tiles, top = blockIdx.x / a.tiles * a.slice_rows;
    const int64_t bottom = cuda_min(top + a.slice_rows, all.rows), width = all.cols * all.channels;
    const int64_t e0 = tile * walk_threads, e = cuda_min(e0 + threadIdx.x, width - 1);
    const bool here = e0 + threadIdx.x < width;
    int64_t left, right, first, mine;
    /* what the block's columns read */
    resample_row(all.x, all.dst_x + e0 / all.channels, &left);
    const int64_t last = resample_row(all.x, all.dst_x + cuda_min(e0 + walk_threads - 1, width - 1) / all.channels, &right);
    const int64_t row = resample_row(all.x, all.dst_x + e / all.channels, &mine);
    const int count = (int)all.x.count[row];
    const bool full = __all_sync(CUDA_ALL, count == Taps);
    float tap[Taps], chain[walk_chain];
    int at[Taps];
    unsigned clipped = 0;
#pragma unroll
    for (int t = 0; t < Taps; t++) {
        tap[t] = t < count ? all.x.tap[row * all.x.taps + t] : 0.0f;
        at[t] = walk_at((int)((mine - left + t) * all.channels + e % all.channels));
    }
#pragma unroll
    for (int k = 0; k < walk_chain; k++) chain[k] = 0.0f;
    /* and the rows */
    resample_row(all.y, all.dst_y + top, &first);
    const int64_t end = walk_end(all.y, all.dst_y + bottom - 1);
    int64_t out = top;
    const int mine_row = threadIdx.x / walk_abreast;
    WalkStage s;
    s.bytes = all.src_dtype == HALO_U8 ? 1 : all.src_dtype == HALO_U16 ? 2 : 4;
    s.span = (int)((right + all.x.count[last] - left) * all.channels);
    s.first = threadIdx.x % walk_abreast;
    s.row = all.src + (first + mine_row - all.src_y) * all.src_stride + (left - all.src_x) * all.channels * s.bytes;
    walk_fetch(s, first + mine_row < end);
    for (int64_t y = first; y < end; y += walk_rows) {
        const int rows = (int)cuda_min(walk_rows, end - y);
        __syncthreads();
        if (mine_row < rows)
            cuda_typed(all.src_dtype, [&](auto zero) { walk_put<decltype(zero)>(s, staged + mine_row * walk_pitch); });
        __syncthreads();
        s.row += walk_rows * all.src_stride;
        walk_fetch(s, y + walk_rows + mine_row < end);
#pragma unroll
        for (int r = 0; r < walk_rows; r++) {
            if (r >= rows) break;
            const float v = walk_row<Taps>(staged + r * walk_pitch, at, tap, count, full);
#pragma unroll
            for (int k = 0; k < walk_chain - 1; k++) chain[k] = chain[k + 1];
            chain[walk_chain - 1] = v;
            out = walk_emit(a, out, bottom, (int)(y + r + 1 - a.first), chain, e, here, &clipped);
        }
    }
    cuda_count(all.clipped, clipped);
}

/* ---- launching ------------------------------------------------------------------------------------------ */

/* Elements of the source that a block's outputs read, at most. */
static int64_t span_of(const ResampleArgs *args)
{
    const double over = (double)args->x.length / (double)args->x.size;
    const double pixels = ((double)walk_threads / args->channels + 2.0) * over + (double)args->x.taps + 2.0;
    return pixels * args->channels < 1e6 ? (int64_t)(pixels * args->channels) : 1000000;
}

bool resample_walk_takes(const ResampleArgs *args)
{
    const HaloResampleAxis *x = &args->x, *y = &args->y;
    return x->taps <= walk_taps && span_of(args) <= walk_span && x->length <= INT32_MAX / 4 && y->length <= INT32_MAX / 4 &&
           y->size <= INT32_MAX / 4 && y->taps <= walk_chain && y->length < y->size;
}

template <int Taps> static HaloStatus launch_taps(HaloDevice *device, const WalkArgs *args, int64_t slices)
{
    CUDA_LAUNCH(device, (walk_kernel<Taps>), args->tiles * slices, walk_threads, 0, *args);
    return HALO_OK;
}

HaloStatus resample_walk(HaloDevice *device, const ResampleArgs *all, const HaloResampleAxis *host)
{
    static const int sizes[] = {1, 2, 3, 4, 6, 8, 12, 16, 18, 24, 32};
    WalkArgs args = {};
    void *program;
    args.all = *all;
    args.first = halo_resample_at(host, all->dst_y).first;
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_PARTIAL, all->rows * (int64_t)sizeof(WalkLine), &program));
    CUDA_LAUNCH(device, walk_program, cuda_ceil_div(all->rows, 128), 128, 0, args, (WalkLine *)program, all->rows);
    args.program = (const WalkLine *)program;
    args.tiles = cuda_ceil_div(all->cols * all->channels, walk_threads);
    args.slice_rows = cuda_max(8, cuda_min(all->rows, walk_slice));
    const int64_t slices = cuda_ceil_div(all->rows, args.slice_rows);
    int size = 0;
    while (sizes[size] < all->x.taps) size++;
    switch (sizes[size]) {
#define CASE(taps) case taps: return launch_taps<taps>(device, &args, slices);
        CASE(1) CASE(2) CASE(3) CASE(4) CASE(6) CASE(8) CASE(12) CASE(16) CASE(18) CASE(24)
#undef CASE
    default: return launch_taps<32>(device, &args, slices);
    }
}

/* Dense masks of integers over bytes by tensor cores: see conv_integer.cuh. */
#include "conv_integer_stage.cuh"
#include "conv_tile.cuh"

/* ---- sums ----------------------------------------------------------------------------------------------- */

/* 16 rows of 16 bytes under two rows of the mask, as four matrices of 8 by 16 bytes. */
__device__ __forceinline__ static void load_samples(uint32_t a[4], unsigned from)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                 : "r"(from)
                 : "memory");
}

/* Samples times taps, added to 16 rows of 8 outputs. */
__device__ __forceinline__ static void multiply(int sum[4], const uint32_t a[4], uint2 b)
{
#if __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, "
        "%1, %2, %3};"
        : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b.x), "r"(b.y));
#else
    /* The same by quarters. */
#pragma unroll
    for (int i = 0; i < 4; i++)
        asm("mma.sync.aligned.m8n8k16.row.col.s32.u8.s8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};"
            : "+r"(sum[2 * (i % 2)]), "+r"(sum[2 * (i % 2) + 1])
            : "r"(a[i]), "r"(i < 2 ? b.x : b.y));
#endif
}

/* A warp's outputs: row lane / 4, and eight below, columns 16 * b + 4 * (lane % 4) + 2 * e + i are
 * sum[b][e][i], [2 + i]. `samples` is the shared address of the lane's row, `table` where the lane's taps are.
 */
template <typename Tile>
__device__ __forceinline__ static void integer_sums(const IntegerArgs &args, unsigned samples,
                                                    const uint2 *table, int sum[Tile::blocks][2][4])
{
#pragma unroll 1
    for (int part = 0; part < args.parts; part++) {
        unsigned from = samples;
        if (part > 0)
#pragma unroll
            for (int k = 0; k < 8 * Tile::blocks; k++) sum[k / 8][k / 4 % 2][k % 4] *= 256;
#pragma unroll 1
        for (int pair = 0; pair < args.pairs; pair++, from += 2 * Tile::pitch, table += 4 * Tile::table) {
            uint2 taps[Tile::chunks][2];
#pragma unroll
            for (int d = 0; d < Tile::chunks; d++)
#pragma unroll
                for (int e = 0; e < 2; e++) taps[d][e] = table[2 * e * Tile::table + 4 * d];
#pragma unroll
            for (int q = 0; q < Tile::blocks + Tile::chunks - 1; q++) {
                uint32_t a[4];
                load_samples(a, from + 16 * q);
#pragma unroll
                for (int d = 0; d < Tile::chunks; d++) {
                    if (q - d < 0 || q - d >= Tile::blocks) continue;
                    multiply(sum[q - d][0], a, taps[d][0]);
                    multiply(sum[q - d][1], a, taps[d][1]);
                }
            }
        }
    }
}

/* ---- storing -------------------------------------------------------------------------------------------- */

/* The place of a block and a thread: `row` is the thread's first row in its strip, `quad` its first quad in a
 * row. */
struct IntegerPlace {
    int64_t x, y;
    int cols, rows; /* that the destination has from there on, and no more than the tile */
    int plane, strip, row, quad;
};

/* Calls f(line, from) for the thread's quads of `lines` rows, with their row and their place in shared memory:
 * threads keep to their column. */
template <typename Tile, typename F>
__device__ __forceinline__ static void integer_quads(const IntegerPlace &p, int lines, int pitch, F f)
{
    constexpr int at_once = Tile::threads / Tile::quads;
    const int quad = (int)threadIdx.x % Tile::quads;
    if (4 * quad >= p.cols) return;
#pragma unroll 1
    for (int line = (int)threadIdx.x / Tile::quads; line < lines; line += at_once) f(line, line * pitch + quad);
}

/* Outputs outside the destination are 0, which is never clipped. */
template <typename Tile>
__device__ __forceinline__ static void leave_out(const IntegerPlace &p, int sum[Tile::blocks][2][4])
{
#pragma unroll
    for (int k = 0; k < 8 * Tile::blocks; k++) {
        const int i = k % 4, line = 16 * p.strip + p.row + i / 2 * 8,
                  col = k / 8 * 16 + 4 * p.quad + k / 4 % 2 * 2 + i % 2;
        if (line >= p.rows || col >= p.cols) sum[k / 8][k / 4 % 2][i] = 0;
    }
}

/* Integer results that are stored as u8 are converted at once. */
template <typename Tile>
__device__ __forceinline__ static void store_bytes(const ConvTarget &dst, const IntegerPlace &p,
                                                   const int sum[Tile::blocks][2][4], uint32_t *words)
{
    constexpr int pitch = Tile::quads + 4, plane = Tile::rows * pitch; /* no bank conflicts */
    uint32_t *const mine = words + p.plane * plane + (16 * p.strip + p.row) * pitch + p.quad;
    unsigned clipped = 0;
    int seen = 0;
#pragma unroll
    for (int half = 0; half < 2; half++)
#pragma unroll
        for (int b = 0; b < Tile::blocks; b++) {
            const int v[4] = {sum[b][0][2 * half], sum[b][0][2 * half + 1], sum[b][1][2 * half],
                              sum[b][1][2 * half + 1]};
            mine[8 * half * pitch + 4 * b] = cuda_saturate2(v[0], v[1], cuda_saturate2(v[2], v[3], 0));
            seen |= v[0] | v[1] | v[2] | v[3];
        }
    if ((unsigned)seen > 255)
#pragma unroll
        for (int k = 0; k < 8 * Tile::blocks; k++) clipped += (unsigned)sum[k / 8][k / 4 % 2][k % 4] > 255;
    __syncthreads();
    uint8_t *const first = (uint8_t *)dst.data + p.y * dst.stride + p.x * dst.channels;
    if (Tile::planes == 1 && p.cols == Tile::cols && cuda_aligned(dst.data, dst.stride, 16)) {
        constexpr int packs = Tile::quads / 4, at_once = Tile::threads / packs;
        const int pack = (int)threadIdx.x % packs, line = (int)threadIdx.x / packs;
        uint8_t *to = first + line * dst.stride + 16 * pack;
        for (int l = line; l < p.rows; l += at_once, to += at_once * dst.stride)
            cuda_put(to, *reinterpret_cast<const uint4 *>(words + l * pitch + 4 * pack));
    } else {
        const int64_t channels = dst.channels, x = (int64_t)((int)threadIdx.x % Tile::quads) * 4;
        const bool packed = cuda_aligned(dst.data, dst.stride, 4);
        integer_quads<Tile>(p, p.rows, pitch, [&](int line, int from) {
            uint32_t word[Tile::planes];
#pragma unroll
            for (int c = 0; c < Tile::planes; c++) word[c] = words[c * plane + from];
            uint8_t *const to = first + line * dst.stride + x * channels;
            tile_put_pixels<uint8_t, Tile::planes>(to, word, p.cols - (int)x, packed);
        });
    }
    cuda_count_clipped(dst.clipped, clipped);
}

/* Any others: half of the rows at a time through shared memory. */
template <typename Tile>
__device__ __forceinline__ static void store_any(const IntegerArgs &args, const IntegerPlace &p,
                                                 const int sum[Tile::blocks][2][4], int4 *fours)
{
    const ConvTarget &dst = args.conv.dst;
    constexpr int pitch = Tile::quads + 1, lines = Tile::rows / 2, plane = lines * pitch;
    const float scale = dst.affine ? dst.scale : 1.0f, bias = dst.affine ? dst.bias : 0.0f;
    const bool rescales = dst.store.num != 1.0f || dst.store.den != 1.0f;
    unsigned clipped = 0;
#pragma unroll 1
    for (int half = 0; half < 2; half++) {
        if (half > 0) __syncthreads();
#pragma unroll
        for (int b = 0; b < Tile::blocks; b++) {
            int v[4];
#pragma unroll
            for (int i = 0; i < 4; i++) v[i] = half ? sum[b][i / 2][2 + i % 2] : sum[b][i / 2][i % 2];
            fours[p.plane * plane + (8 * p.strip + p.row) * pitch + 4 * b + p.quad] =
                make_int4(v[0], v[1], v[2], v[3]);
        }
        __syncthreads();
        cuda_typed(dst.dtype, [&](auto zero) {
            using D = decltype(zero);
            const bool packed = cuda_aligned(dst.data, dst.stride, 4 * sizeof(D));
            const int64_t x = (int64_t)((int)threadIdx.x % Tile::quads) * 4;
            const int cols = p.cols - (int)x;
            D *const first = (D *)(dst.data + p.y * dst.stride) + (p.x + x) * Tile::planes;
            integer_quads<Tile>(p, lines, pitch, [&](int l, int from) {
                const int line = l / 8 * 16 + 8 * half + l % 8;
                if (line >= p.rows) return;
                CudaWord<D> words[Tile::planes];
#pragma unroll
                for (int c = 0; c < Tile::planes; c++) {
                    const int4 s = fours[c * plane + from];
                    float v[4] = {(float)s.x, (float)s.y, (float)s.z, (float)s.w};
#pragma unroll
                    for (int i = 0; i < 4; i++) v[i] = halo_fma(v[i] * args.unit, scale, bias);
                    if (rescales || cols < 4)
#pragma unroll
                        for (int i = 0; i < 4; i++) v[i] = i < cols ? cuda_rescale(v[i], dst.store) : 0.0f;
                    words[c] = cuda_quantise4<D>(v, &clipped);
                }
                D *const to = (D *)((char *)first + line * dst.stride);
                tile_put_pixels<D, Tile::planes>(to, words, cols, packed);
            });
        });
    }
    cuda_count_clipped(dst.clipped, clipped);
}

/* ---- the kernel ----------------------------------------------------------------------------------------- */

template <typename Tile>
__global__ static void __launch_bounds__(Tile::threads, Tile::resident)
    integer_kernel(const __grid_constant__ IntegerArgs args)
{
    CUDA_SHARED(uint8_t, shared);
    const ConvArgs &a = args.conv;
    const int plane = (Tile::rows + 2 * args.pairs - 1) * Tile::pitch;
    const int lane = (int)threadIdx.x % CUDA_WARP, warp = (int)threadIdx.x / CUDA_WARP;
    const unsigned across = (unsigned)a.tiles_x;
    const int64_t x = (int64_t)(blockIdx.x % across) * Tile::cols,
                  y = (int64_t)(blockIdx.x / across) * Tile::rows;
    const IntegerPlace p = {x,
                            y,
                            (int)cuda_min(Tile::cols, a.dst.cols - x),
                            (int)cuda_min(Tile::rows, a.dst.rows - y),
                            warp / Tile::strips,
                            warp % Tile::strips,
                            lane / 4,
                            lane % 4};
    uint2 *const table = reinterpret_cast<uint2 *>(shared + integer_samples<Tile>(args.pairs));
    uint32_t *const raw = reinterpret_cast<uint32_t *>(table + args.parts * args.pairs * 4 * Tile::table);
    integer_stage<Tile>(args, a.x_first + x - args.lead, a.y_first + y, shared, plane);
    integer_taps<Tile>(args, raw);
    integer_table<Tile>(args, raw, table);
    __pipeline_wait_prior(0);
    __syncthreads();
    int sum[Tile::blocks][2][4] = {};
    if (16 * p.strip < p.rows) {
        /* Matrices of 8 rows: rows 0 and 8 of the first row of the mask, then of the second. */
        const int row = 16 * p.strip + lane % 16 + lane / 16;
        const unsigned samples =
            (unsigned)__cvta_generic_to_shared(shared + p.plane * plane + row * Tile::pitch);
        /* In a matrix of taps the lane has four rows from 4 * (lane % 4) on, and column lane / 4: output 4 *
         * (lane / 8) + lane / 4 % 2. */
        integer_sums<Tile>(args, samples, table + lane / 4 % 2 * Tile::table + 3 + lane % 4 - lane / 8, sum);
    }
    __syncthreads(); /* all threads are done with the samples */
    if (args.bytes && (p.cols < Tile::cols || p.rows < Tile::rows)) leave_out<Tile>(p, sum);
    if (args.bytes)
        store_bytes<Tile>(a.dst, p, sum, reinterpret_cast<uint32_t *>(shared));
    else
        store_any<Tile>(args, p, sum, reinterpret_cast<int4 *>(shared));
}

/* ---- launching ------------------------------------------------------------------------------------------ */

/* The taps, four a word; of two parts the upper bytes come first. */
static void lay_out(IntegerArgs *args, const float *tap, const IntegerPlan *plan)
{
    const int width = args->conv.width, height = args->conv.height;
    uint8_t *const to = reinterpret_cast<uint8_t *>(args->tap) + plan->lead;
    for (int j = 0; j < height; j++)
        for (int i = 0; i < width; i++) {
            const int v = integer_tap(plan, tap[(int64_t)j * width + i]), low = (int8_t)(v & 255);
            to[4 * ((plan->parts - 1) * height + j) * args->row_words + i] = (uint8_t)low;
            if (plan->parts == 2) to[4 * j * args->row_words + i] = (uint8_t)((v - low) / 256);
        }
}

template <typename Tile>
static HaloStatus launch(HaloDevice *device, const ConvArgs *conv, const float *tap, const IntegerPlan *plan)
{
    static_assert(sizeof(IntegerArgs) < 32764, "parameters of a launch");
    IntegerArgs args = {};
    args.conv = *conv;
    args.conv.tiles_x = cuda_ceil_div(conv->dst.cols, Tile::cols);
    args.parts = plan->parts;
    args.pairs = (conv->height + 1) / 2;
    args.lead = plan->lead;
    args.piece = plan->piece;
    args.row_words = (plan->lead + conv->width + 3) / 4;
    args.unit = ldexpf(1.0f, plan->exponent);
    args.bytes = plan->exponent == 0 && conv->dst.dtype == HALO_U8 && conv_plain(conv->dst);
    lay_out(&args, tap, plan);
    const int64_t tiles = args.conv.tiles_x * cuda_ceil_div(conv->dst.rows, Tile::rows);
    CUDA_LAUNCH(device, integer_kernel<Tile>, tiles, Tile::threads,
                (size_t)integer_bytes<Tile>(args.parts, args.pairs), args);
    return HALO_OK;
}

/* Calls f with the shape of a block for these chunks and channels: the fastest on an H200, see
 * docs/tried/convolution.md. */
template <int Chunks, typename F> static void with_tile(int channels, F f)
{
    switch (channels) {
    case 1: f(IntegerTile < Chunks, 8, 1, Chunks == 2 ? 4 : 8 > ()); break;
    case 3: f(IntegerTile < Chunks, 4, 3, Chunks == 2 ? 2 : 4 > ()); break;
    default: f(IntegerTile<Chunks, 8, 4, 2>());
    }
}

/* Four chunks use the kernel for five: a quarter more work, but three kernels fewer. */
template <typename F> static void with_chunks(int chunks, int channels, F f)
{
    switch (chunks) {
    case 1:
    case 2: with_tile<2>(channels, f); break;
    case 3: with_tile<3>(channels, f); break;
    default: with_tile<5>(channels, f);
    }
}

int64_t conv_integer_shared(const IntegerPlan *plan, int channels, int64_t height)
{
    int64_t bytes = 0;
    with_chunks(plan->chunks, channels, [&](auto tile) {
        bytes = integer_bytes<decltype(tile)>(plan->parts, (int)((height + 1) / 2));
    });
    return bytes;
}

HaloStatus conv_integer(HaloDevice *device, const ConvArgs *args, const float *tap, const IntegerPlan *plan)
{
    HaloStatus status = HALO_OK;
    with_chunks(plan->chunks, args->dst.channels,
                [&](auto tile) { status = launch<decltype(tile)>(device, args, tap, plan); });
    return status;
}

/* Samples that go elsewhere. Words of the destination are made of samples that lie in shared memory, where they were brought
 * in whole words too, whatever rows are aligned to: a row of the source for a piece of a row; where columns become rows, a
 * tile. Whatever reads beyond the source, or too far apart, is read sample by sample. */
#include "pick_samples.cuh"
#include "rows.cuh"

static const int pick_threads = 256, pick_warps = pick_threads / CUDA_WARP;
/* Words of a destination's row that a warp makes, and bytes of a source's row that it may bring for them. */
static const int pick_words = 256, pick_most = 5120;
/* Words of a row of a tile, and rows; channels up to which division is by multiplication. */
static const int tile_words = 32, tile_rows = 128, pick_channels = 32;

/* ---- along rows ----------------------------------------------------------------------------------------- */

/* What a warp has of a row of the destination: samples [from, end) of the piece, which begins with a whole word, at sample
 * `start` of the row; they are of pixels `first` to `last`. */
struct PickPiece {
    int64_t start, first, last;
    int from, end;
};

template <typename D> __device__ __forceinline__ static PickPiece pick_piece(const PickArgs &a, const D *row, unsigned nth)
{
    constexpr int samples = pick_words * 4 / (int)sizeof(D);
    PickPiece p;
    p.start = (int64_t)nth * samples - (int64_t)((uintptr_t)row & 3) / (int)sizeof(D);
    p.from = p.start < 0 ? (int)-p.start : 0;
    p.end = (int)cuda_min(samples, a.cols * a.channels - p.start);
    p.first = p.start + p.from;
    p.last = p.start + (p.end > p.from ? p.end - 1 : p.from);
    if (a.channels > 1) p.first /= a.channels, p.last /= a.channels;
    return p;
}

/* Brings what the piece reads, and gives the address of its first pixel's first sample; NULL: it reads beyond. */
template <typename S>
__device__ __forceinline__ static const S *pick_bring(const PickArgs &a, const PickPiece &p, int64_t y, uint4 *staged)
{
    const int64_t u0 = a.gather.x0 + a.gather.step_x * (a.dst_x + p.first), u1 = a.gather.x0 + a.gather.step_x * (a.dst_x + p.last),
                  low = cuda_min(u0, u1), high = cuda_max(u0, u1);
    int64_t v = a.gather.y0 + a.gather.step_y * (a.dst_y + y);
    if (v < 0 || v >= a.src_height) v = halo_border_index(v, a.src_height, a.gather.border);
    if (low < 0 || high >= a.src_width || v < 0) return NULL;
    const int pixel = a.channels * (int)sizeof(S);
    const char *const from = a.src + (v - a.src_y) * a.src_stride + (low - a.src_x) * pixel;
    const int off = (int)((uintptr_t)from & 15), bytes = (int)(high + 1 - low) * pixel + off;
    const uint4 *const words = (const uint4 *)(from - off);
    for (int i = threadIdx.x % CUDA_WARP; i * 16 < bytes; i += CUDA_WARP) staged[i] = words[i];
    return (const S *)((const char *)staged + off + (int)(u0 - low) * pixel);
}

/* A word of floats is stored with NaN as halo has it. */
template <typename S> __device__ __forceinline__ static uint32_t pick_plain(uint32_t word)
{
    return sizeof(S) == sizeof(float) ? __float_as_uint(halo_canonical(__uint_as_float(word))) : word;
}

/* Words of samples that stay what they are and lie side by side, in either direction: sample 0 of the piece would lie at
 * `mine`. */
template <typename S>
__device__ __forceinline__ static void pick_straight(const S *mine, bool back, S *to, int from, int end)
{
    constexpr int each = 4 / (int)sizeof(S);
    const int lane = threadIdx.x % CUDA_WARP;
    const char *const first = (const char *)(back ? mine - (each - 1) : mine);
    const int off = (int)((uintptr_t)first & 3);
#pragma unroll
    for (int k = 0; k < pick_words; k += CUDA_WARP) {
        const int e = (lane + k) * each;
        if (e >= from && e + each <= end) {
            const uint32_t *const word = (const uint32_t *)(first - off) + (back ? -(lane + k) : lane + k);
            uint32_t v = word[0];
            if (off != 0) v = __funnelshift_r(v, word[1], 8 * off);
            if (back && sizeof(S) == 1) v = __byte_perm(v, 0, 0x0123);
            if (back && sizeof(S) == 2) v = __byte_perm(v, 0, 0x1032);
            *reinterpret_cast<uint32_t *>(to + e) = pick_plain<S>(v);
        } else {
#pragma unroll
            for (int i = e; i < e + each; i++)
                if (i >= from && i < end) to[i] = sizeof(S) == sizeof(float) ? (S)halo_canonical((float)mine[back ? -i : i])
                                                                             : mine[back ? -i : i];
        }
    }
}

template <typename S, typename D>
__global__ static void __launch_bounds__(pick_threads, 5) pick_kernel(const __grid_constant__ PickArgs a)
{
    constexpr int each = 4 / (int)sizeof(D);
    CUDA_SHARED(uint4, memory);
    const int warp = threadIdx.x / CUDA_WARP, lane = threadIdx.x % CUDA_WARP;
    const unsigned line = blockIdx.x / a.across, nth = (blockIdx.x - line * a.across) * a.abreast;
    const int64_t y = a.abreast == 1 ? (int64_t)line * pick_warps + warp : line;
    unsigned clipped = 0;
    if (y >= a.rows) return; /* all of the warp */
    D *to = (D *)(a.dst + y * a.dst_stride);
    const PickPiece p = pick_piece<D>(a, to, a.abreast == 1 ? nth : nth + warp);
    if (p.end <= p.from) return;
    const S *const mine = a.staged > 0 ? pick_bring<S>(a, p, y, memory + warp * (a.staged / 16)) : NULL;
    to += p.start;
    __syncwarp();
    if (mine == NULL) {
        for (int w = lane; w < pick_words; w += CUDA_WARP)
            pick_store(to, w * each, p.from, p.end, [&](int e) {
                return cuda_sample<D>(pick_far<S>(a, p.start + e, y), a.store, &clipped);
            });
        cuda_count_clipped(a.clipped, clipped);
        return;
    }
    const int begin = (int)(p.first * a.channels - p.start), step = (int)a.gather.step_x;
    if constexpr (std::is_same<S, D>::value)
        if (a.plain && (step == 1 || (step == -1 && a.channels == 1)))
            return pick_straight<S>(step == 1 ? mine - begin : mine + begin, step < 0, to, p.from, p.end);
    const int turn = (step - 1) * a.channels;
    pick_either<S, D>(a, [&](auto plain) {
#pragma unroll 4
        for (int k = 0; k < pick_words; k += CUDA_WARP)
            pick_store(to, (lane + k) * each, p.from, p.end, [&](int element) {
                const int e = element - begin;
                return pick_made<decltype(plain)::value, S, D>(a, mine[e + pick_pixel(a, e) * turn], &clipped);
            });
    });
    cuda_count_clipped(a.clipped, clipped);
}

/* ---- where columns become rows -------------------------------------------------------------------------- */

/* Where word `word` of row x of a tile lies: rows are turned round, so that threads which make neighbouring words of the
 * destination, and read one column of the tile, do not meet in a bank. */
__device__ __forceinline__ static int tile_at(int x, int word, int pixel)
{
    return x * tile_words + ((word + (x * pixel >> 2)) & (tile_words - 1));
}

/* Word `nth` of `bytes` bytes that begin anywhere; what comes after them is not read, but to the end of a word. */
__device__ __forceinline__ static uint32_t pick_word(const char *from, int nth, int bytes)
{
    const int off = (int)((uintptr_t)from & 3);
    const uint32_t *const word = (const uint32_t *)(from - off) + nth;
    const uint32_t low = word[0];
    if (off == 0) return low;
    return __funnelshift_r(low, nth * 4 + 4 - off < bytes ? word[1] : 0, 8 * off);
}

/* Words of a tile whose samples stay what they are, of one channel, so many rows of them at a time as a word has samples.
 * `to` is the first of the tile's rows, of ny, of nx samples. */
template <typename S>
__device__ __forceinline__ static void pick_turn(const uint32_t *tile, char *to, int64_t stride, bool back, int nx, int ny)
{
    constexpr int each = 4 / (int)sizeof(S);
    const int lane = threadIdx.x % CUDA_WARP;
    if (back) to += (ny - 1) * stride, stride = -stride;
    to += (int64_t)(threadIdx.x / CUDA_WARP) * each * stride;
    for (int j = threadIdx.x / CUDA_WARP; j * each < ny; j += pick_warps, to += pick_warps * each * stride)
#pragma unroll 4
        for (int w = lane; w * each < nx; w += CUDA_WARP) {
            uint32_t m[each], made[each];
#pragma unroll
            for (int i = 0; i < each; i++) m[i] = tile[tile_at(w * each + i, j, (int)sizeof(S))];
            if constexpr (each == 4) {
                const uint32_t low[2] = {__byte_perm(m[0], m[1], 0x5140), __byte_perm(m[2], m[3], 0x5140)},
                               high[2] = {__byte_perm(m[0], m[1], 0x7362), __byte_perm(m[2], m[3], 0x7362)};
                made[0] = __byte_perm(low[0], low[1], 0x5410);
                made[1] = __byte_perm(low[0], low[1], 0x7632);
                made[2] = __byte_perm(high[0], high[1], 0x5410);
                made[3] = __byte_perm(high[0], high[1], 0x7632);
            } else if constexpr (each == 2) {
                made[0] = __byte_perm(m[0], m[1], 0x5410);
                made[1] = __byte_perm(m[0], m[1], 0x7632);
            } else {
                made[0] = pick_plain<S>(m[0]);
            }
#pragma unroll
            for (int c = 0; c < each; c++) {
                if (j * each + c >= ny) break;
                S *const row = (S *)(to + c * stride) + w * each;
                if (w * each + each <= nx)
                    *reinterpret_cast<uint32_t *>(row) = made[c];
                else
#pragma unroll
                    for (int i = 0; i < each - 1; i++)
                        if (w * each + i < nx) row[i] = (S)(made[c] >> (8 * sizeof(S) * i));
            }
        }
}

template <typename S, typename D>
__global__ static void __launch_bounds__(pick_threads, 5) pick_turned_kernel(const __grid_constant__ PickArgs a)
{
    constexpr int each = 4 / (int)sizeof(D);
    __shared__ uint32_t tile[tile_rows * tile_words];
    const int warp = threadIdx.x / CUDA_WARP, lane = threadIdx.x % CUDA_WARP, pixel = a.channels * (int)sizeof(S);
    const unsigned line = blockIdx.x / a.across;
    const int64_t x = (int64_t)(blockIdx.x - line * a.across) * a.tile_x, y = (int64_t)line * a.tile_y;
    const int nx = (int)cuda_min(a.tile_x, a.cols - x), ny = (int)cuda_min(a.tile_y, a.rows - y);
    /* its corners in the source */
    const int64_t u0 = a.gather.x0 + a.gather.step_x * (a.dst_y + y), u1 = u0 + a.gather.step_x * (ny - 1),
                  v0 = a.gather.y0 + a.gather.step_y * (a.dst_x + x), v1 = v0 + a.gather.step_y * (nx - 1);
    const bool inside = cuda_min(u0, u1) >= 0 && cuda_max(u0, u1) < a.src_width && cuda_min(v0, v1) >= 0 &&
                        cuda_max(v0, v1) < a.src_height;
    unsigned clipped = 0;
    if (inside) {
        const char *const from = a.src + (v0 - a.src_y) * a.src_stride + (cuda_min(u0, u1) - a.src_x) * pixel;
        const int64_t down = a.gather.step_y * a.src_stride;
        const char *row = from + warp * down;
        if (lane * 4 >= ny * pixel) {
            /* nothing of the row is for this thread */
        } else if (cuda_aligned(from, down, 4)) {
#pragma unroll 4
            for (int i = warp; i < nx; i += pick_warps, row += pick_warps * down)
                tile[tile_at(i, lane, pixel)] = reinterpret_cast<const uint32_t *>(row)[lane];
        } else {
#pragma unroll 4
            for (int i = warp; i < nx; i += pick_warps, row += pick_warps * down)
                tile[tile_at(i, lane, pixel)] = pick_word(row, lane, ny * pixel);
        }
        __syncthreads();
    }
    char *const corner = a.dst + y * a.dst_stride + x * a.channels * (int64_t)sizeof(D);
    if constexpr (std::is_same<S, D>::value)
        if (inside && a.plain && a.channels == 1 && cuda_aligned(corner, a.dst_stride, 4))
            return pick_turn<S>(tile, corner, a.dst_stride, a.gather.step_x < 0, nx, ny);
    for (int r = warp; r < ny; r += pick_warps) {
        D *const to = (D *)(corner + r * a.dst_stride);
        const int lead = (int)((uintptr_t)to & 3) / (int)sizeof(D), end = nx * a.channels;
        const int column = (a.gather.step_x > 0 ? r : ny - 1 - r) * pixel;
        if (inside)
            pick_either<S, D>(a, [&](auto plain) {
                for (int w = lane; w * each < end + lead; w += CUDA_WARP)
                    pick_store(to, w * each - lead, 0, end, [&](int e) {
                        const int i = pick_pixel(a, e), at = column + (e - i * a.channels) * (int)sizeof(S);
                        const char *const word = (const char *)(tile + tile_at(i, at >> 2, pixel));
                        return pick_made<decltype(plain)::value, S, D>(a, *(const S *)(word + (at & 3)), &clipped);
                    });
            });
        else
            for (int w = lane; w * each < end + lead; w += CUDA_WARP)
                pick_store(to, w * each - lead, 0, end, [&](int e) {
                    return cuda_sample<D>(pick_far<S>(a, x * a.channels + e, y + r), a.store, &clipped);
                });
    }
    cuda_count_clipped(a.clipped, clipped);
}

/* ---- launching ------------------------------------------------------------------------------------------ */

/* Bytes that a warp brings for a piece: its pixels, which may begin and end in others; 0: too many. */
static int staged_bytes(const PickArgs *a, int64_t src_size, int64_t dst_size)
{
    const int64_t step = a->gather.step_x < 0 ? -a->gather.step_x : a->gather.step_x;
    if (a->gather.transposed || a->channels > pick_channels || step > pick_most) return 0;
    const int64_t pixels = pick_words * 4 / (dst_size * a->channels) + 2,
                  bytes = (pixels * step + 1) * a->channels * src_size + 48;
    return bytes > pick_most ? 0 : (int)(bytes / 16 * 16);
}

/* The sides of a tile: what it has of a row of the source fills a row of words. */
static bool find_tile(PickArgs *a, int64_t src_size)
{
    const int most = tile_words * 4 / (a->channels * (int)src_size);
    if (most < 4 || a->channels > pick_channels || a->gather.step_x * a->gather.step_x != 1) return false;
    a->tile_y = most;
    a->tile_x = tile_rows;
    return true;
}

template <typename S, typename D> static HaloStatus launch(HaloDevice *device, PickArgs *a)
{
    const int64_t each = 4 / (int64_t)sizeof(D);
    if (a->gather.transposed && find_tile(a, sizeof(S))) {
        const int64_t across = cuda_ceil_div(a->cols, a->tile_x);
        a->across = (unsigned)across;
        CUDA_LAUNCH(device, (pick_turned_kernel<S, D>), across * cuda_ceil_div(a->rows, a->tile_y), pick_threads, 0, *a);
        return HALO_OK;
    }
    const int64_t pieces = cuda_ceil_div(a->cols * a->channels + each - 1, pick_words * each);
    a->abreast = a->rows < pick_warps ? pick_warps : 1;
    a->staged = staged_bytes(a, sizeof(S), sizeof(D));
    a->across = (unsigned)cuda_ceil_div(pieces, a->abreast);
    CUDA_LAUNCH(device, (pick_kernel<S, D>), a->across * cuda_ceil_div(a->rows, pick_warps / a->abreast), pick_threads,
                a->staged * pick_warps, *a);
    return HALO_OK;
}

HaloStatus cuda_gather(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloGather *gather, HaloStore store)
{
    PickArgs args = {};
    CUDA_PASS(cuda_use(device));
    if (dst->cols < 1 || dst->rows < 1) return HALO_OK;
    args.src = (const char *)src->data;
    args.dst = (char *)dst->data;
    args.src_x = src->x0;
    args.src_y = src->y0;
    args.dst_x = dst->x0;
    args.dst_y = dst->y0;
    args.src_stride = src->stride;
    args.dst_stride = dst->stride;
    args.src_width = src->shape.width;
    args.src_height = src->shape.height;
    args.cols = dst->cols;
    args.rows = dst->rows;
    args.channels = dst->shape.channels;
    args.inverse = (65536 + args.channels - 1) / args.channels;
    args.plain = store.num == 1.0f && store.den == 1.0f;
    args.gather = *gather;
    args.store = store;
    args.clipped = device->clipped;
    pick_make_line(&args, (int64_t)halo_dtype_size(src->shape.dtype), (int64_t)halo_dtype_size(dst->shape.dtype));
    if (pick_few_takes(&args)) return pick_few(device, &args, src->shape.dtype, dst->shape.dtype);
    return row_types(src->shape.dtype, dst->shape.dtype,
                     [&](auto s, auto d) { return launch<decltype(s), decltype(d)>(device, &args); });
}

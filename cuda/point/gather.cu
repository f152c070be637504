/* Moves samples without changing them: crop, pad, flip, rotate, stride. A warp stages a row of the source for a
 * piece of a row of the destination in shared memory, or, where columns become rows, a block stages a tile;
 * both loads and stores are aligned words, whatever the alignment of rows. Pieces that read outside of the
 * source, or too far apart, are read sample by sample. */
#include "gather_samples.cuh"
#include "rows.cuh"

static const int gather_threads = 256, gather_warps = gather_threads / CUDA_WARP;
/* Words of a destination's row per warp, and the most bytes of a source's row that it stages for them. */
static const int gather_words = 256, gather_most = 5120;
/* Words of a row of a tile, and its rows; channels up to which division is by multiplication. */
static const int tile_words = 32, tile_rows = 128, gather_channels = 32;

/* ---- rows ------------------------------------------------------------------------------------------------ */

/* A warp's piece of a row of the destination: samples [from, end) of the piece, which begins with an aligned
 * word, at sample `start` of the row; they belong to pixels `first` to `last`. */
struct GatherPiece {
    int64_t start, first, last;
    int from, end;
};

template <typename D> CUDA_INLINE GatherPiece gather_piece(const GatherArgs &a, const D *row, unsigned nth)
{
    constexpr int samples = gather_words * 4 / (int)sizeof(D);
    GatherPiece p;
    p.start = (int64_t)nth * samples - (int64_t)((uintptr_t)row & 3) / (int)sizeof(D);
    p.from = p.start < 0 ? (int)-p.start : 0;
    p.end = (int)cuda_min(samples, a.cols * a.channels - p.start);
    p.first = p.start + p.from;
    p.last = p.start + (p.end > p.from ? p.end - 1 : p.from);
    if (a.channels > 1) p.first /= a.channels, p.last /= a.channels;
    return p;
}

/* Stages the samples of a piece, and returns the address of its first pixel's first sample; NULL: some are
 * outside. */
template <typename S>
CUDA_INLINE const S *gather_stage(const GatherArgs &a, const GatherPiece &p, int64_t y, uint4 *staged)
{
    const int64_t u0 = a.gather.x0 + a.gather.step_x * (a.dst_x + p.first),
                  u1 = a.gather.x0 + a.gather.step_x * (a.dst_x + p.last), low = cuda_min(u0, u1),
                  high = cuda_max(u0, u1);
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

/* Stores words of unchanged, neighbouring samples, in either direction: sample 0 of the piece would be at
 * `mine`. */
template <typename S> CUDA_INLINE void gather_plain_row(const S *mine, bool back, S *to, int from, int end)
{
    constexpr int each = 4 / (int)sizeof(S);
    const int lane = threadIdx.x % CUDA_WARP;
    const char *const first = (const char *)(back ? mine - (each - 1) : mine);
    const int off = (int)((uintptr_t)first & 3);
#pragma unroll
    for (int k = 0; k < gather_words; k += CUDA_WARP) {
        const int e = (lane + k) * each;
        if (e >= from && e + each <= end) {
            const uint32_t *const word = (const uint32_t *)(first - off) + (back ? -(lane + k) : lane + k);
            uint32_t v = word[0];
            if (off != 0) v = __funnelshift_r(v, word[1], 8 * off);
            if (back && sizeof(S) == 1) v = __byte_perm(v, 0, 0x0123);
            if (back && sizeof(S) == 2) v = __byte_perm(v, 0, 0x1032);
            *reinterpret_cast<uint32_t *>(to + e) = gather_canonical<S>(v);
        } else {
#pragma unroll
            for (int i = e; i < e + each; i++)
                if (i >= from && i < end)
                    to[i] = sizeof(S) == sizeof(float) ? (S)halo_canonical((float)mine[back ? -i : i])
                                                       : mine[back ? -i : i];
        }
    }
}

template <typename S, typename D>
__global__ static void __launch_bounds__(gather_threads, 5) gather_kernel(const __grid_constant__ GatherArgs a)
{
    constexpr int each = 4 / (int)sizeof(D);
    CUDA_SHARED(uint4, memory);
    const int warp = threadIdx.x / CUDA_WARP, lane = threadIdx.x % CUDA_WARP;
    const unsigned line = blockIdx.x / a.across, nth = (blockIdx.x - line * a.across) * a.side_by_side;
    const int64_t y = a.side_by_side == 1 ? (int64_t)line * gather_warps + warp : line;
    unsigned clipped = 0;
    if (y >= a.rows) return; /* the complete warp */
    D *to = (D *)(a.dst + y * a.dst_stride);
    const GatherPiece p = gather_piece<D>(a, to, a.side_by_side == 1 ? nth : nth + warp);
    if (p.end <= p.from) return;
    const S *const mine = a.staged > 0 ? gather_stage<S>(a, p, y, memory + warp * (a.staged / 16)) : NULL;
    to += p.start;
    __syncwarp();
    if (mine == NULL) {
        for (int w = lane; w < gather_words; w += CUDA_WARP)
            gather_store(to, w * each, p.from, p.end, [&](int e) {
                return cuda_sample<D>(gather_any<S>(a, p.start + e, y), a.store, &clipped);
            });
        cuda_count_clipped(a.clipped, clipped);
        return;
    }
    const int begin = (int)(p.first * a.channels - p.start), step = (int)a.gather.step_x;
    if constexpr (std::is_same<S, D>::value)
        if (a.plain && (step == 1 || (step == -1 && a.channels == 1)))
            return gather_plain_row<S>(step == 1 ? mine - begin : mine + begin, step < 0, to, p.from, p.end);
    const int step_over = (step - 1) * a.channels;
    gather_either<S, D>(a, [&](auto plain) {
#pragma unroll 4
        for (int k = 0; k < gather_words; k += CUDA_WARP)
            gather_store(to, (lane + k) * each, p.from, p.end, [&](int element) {
                const int e = element - begin;
                return gather_made<decltype(plain)::value, S, D>(a, mine[e + gather_pixel(a, e) * step_over],
                                                                 &clipped);
            });
    });
    cuda_count_clipped(a.clipped, clipped);
}

/* ---- columns become rows --------------------------------------------------------------------------------- */

/* The place of word `word` of row x of a tile: rows are rotated, so that threads which make neighbouring words
 * of the destination, and read one column of the tile, use different banks. */
CUDA_INLINE int tile_at(int x, int word, int pixel)
{
    return x * tile_words + ((word + (x * pixel >> 2)) & (tile_words - 1));
}

/* Word `nth` of `bytes` unaligned bytes; nothing after them is read, but the rest of a word. */
CUDA_INLINE uint32_t gather_word(const char *from, int nth, int bytes)
{
    const int off = (int)((uintptr_t)from & 3);
    const uint32_t *const word = (const uint32_t *)(from - off) + nth;
    const uint32_t low = word[0];
    if (off == 0) return low;
    return __funnelshift_r(low, nth * 4 + 4 - off < bytes ? word[1] : 0, 8 * off);
}

/* Transposes words of a tile of unchanged samples of one channel, as many rows at a time as a word has samples.
 * `to` is the first of the tile's ny rows of nx samples. */
template <typename S>
CUDA_INLINE void gather_plain_tile(const uint32_t *tile, char *to, int64_t stride, bool back, int nx, int ny)
{
    constexpr int each = 4 / (int)sizeof(S);
    const int lane = threadIdx.x % CUDA_WARP;
    if (back) to += (ny - 1) * stride, stride = -stride;
    to += (int64_t)(threadIdx.x / CUDA_WARP) * each * stride;
    for (int j = threadIdx.x / CUDA_WARP; j * each < ny; j += gather_warps, to += gather_warps * each * stride)
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
                made[0] = gather_canonical<S>(m[0]);
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
__global__ static void __launch_bounds__(gather_threads, 5)
    gather_transposed_kernel(const __grid_constant__ GatherArgs a)
{
    constexpr int each = 4 / (int)sizeof(D);
    __shared__ uint32_t tile[tile_rows * tile_words];
    const int warp = threadIdx.x / CUDA_WARP, lane = threadIdx.x % CUDA_WARP,
              pixel = a.channels * (int)sizeof(S);
    const unsigned line = blockIdx.x / a.across;
    const int64_t x = (int64_t)(blockIdx.x - line * a.across) * a.tile_x, y = (int64_t)line * a.tile_y;
    const int nx = (int)cuda_min(a.tile_x, a.cols - x), ny = (int)cuda_min(a.tile_y, a.rows - y);
    /* the corners in the source */
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
            /* no part of the row for this thread */
        } else if (cuda_aligned(from, down, 4)) {
#pragma unroll 4
            for (int i = warp; i < nx; i += gather_warps, row += gather_warps * down)
                tile[tile_at(i, lane, pixel)] = reinterpret_cast<const uint32_t *>(row)[lane];
        } else {
#pragma unroll 4
            for (int i = warp; i < nx; i += gather_warps, row += gather_warps * down)
                tile[tile_at(i, lane, pixel)] = gather_word(row, lane, ny * pixel);
        }
        __syncthreads();
    }
    char *const corner = a.dst + y * a.dst_stride + x * a.channels * (int64_t)sizeof(D);
    if constexpr (std::is_same<S, D>::value)
        if (inside && a.plain && a.channels == 1 && cuda_aligned(corner, a.dst_stride, 4))
            return gather_plain_tile<S>(tile, corner, a.dst_stride, a.gather.step_x < 0, nx, ny);
    for (int r = warp; r < ny; r += gather_warps) {
        D *const to = (D *)(corner + r * a.dst_stride);
        const int lead = (int)((uintptr_t)to & 3) / (int)sizeof(D), end = nx * a.channels;
        const int column = (a.gather.step_x > 0 ? r : ny - 1 - r) * pixel;
        if (inside)
            gather_either<S, D>(a, [&](auto plain) {
                for (int w = lane; w * each < end + lead; w += CUDA_WARP)
                    gather_store(to, w * each - lead, 0, end, [&](int e) {
                        const int i = gather_pixel(a, e), at = column + (e - i * a.channels) * (int)sizeof(S);
                        const char *const word = (const char *)(tile + tile_at(i, at >> 2, pixel));
                        return gather_made<decltype(plain)::value, S, D>(a, *(const S *)(word + (at & 3)),
                                                                         &clipped);
                    });
            });
        else
            for (int w = lane; w * each < end + lead; w += CUDA_WARP)
                gather_store(to, w * each - lead, 0, end, [&](int e) {
                    return cuda_sample<D>(gather_any<S>(a, x * a.channels + e, y + r), a.store, &clipped);
                });
    }
    cuda_count_clipped(a.clipped, clipped);
}

/* ---- launches -------------------------------------------------------------------------------------------- */

/* Bytes that a warp stages for a piece, whose first and last pixel may be incomplete; 0: too many. */
static int staged_bytes(const GatherArgs *a, int64_t src_size, int64_t dst_size)
{
    const int64_t step = a->gather.step_x < 0 ? -a->gather.step_x : a->gather.step_x;
    if (a->gather.transposed || a->channels > gather_channels || step > gather_most) return 0;
    const int64_t pixels = gather_words * 4 / (dst_size * a->channels) + 2,
                  bytes = (pixels * step + 1) * a->channels * src_size + 48;
    return bytes > gather_most ? 0 : (int)(bytes / 16 * 16);
}

/* The sides of a tile: its part of a row of the source fills a row of words. */
static bool find_tile(GatherArgs *a, int64_t src_size)
{
    const int most = tile_words * 4 / (a->channels * (int)src_size);
    if (most < 4 || a->channels > gather_channels || a->gather.step_x * a->gather.step_x != 1) return false;
    a->tile_y = most;
    a->tile_x = tile_rows;
    return true;
}

template <typename S, typename D> static HaloStatus launch(HaloDevice *device, GatherArgs *a)
{
    const int64_t each = 4 / (int64_t)sizeof(D);
    if (a->gather.transposed && find_tile(a, sizeof(S))) {
        const int64_t across = cuda_ceil_div(a->cols, a->tile_x);
        a->across = (unsigned)across;
        CUDA_LAUNCH(device, (gather_transposed_kernel<S, D>), across * cuda_ceil_div(a->rows, a->tile_y),
                    gather_threads, 0, *a);
        return HALO_OK;
    }
    const int64_t pieces = cuda_ceil_div(a->cols * a->channels + each - 1, gather_words * each);
    a->side_by_side = a->rows < gather_warps ? gather_warps : 1;
    a->staged = staged_bytes(a, sizeof(S), sizeof(D));
    a->across = (unsigned)cuda_ceil_div(pieces, a->side_by_side);
    CUDA_LAUNCH(device, (gather_kernel<S, D>),
                a->across * cuda_ceil_div(a->rows, gather_warps / a->side_by_side), gather_threads,
                a->staged * gather_warps, *a);
    return HALO_OK;
}

HaloStatus cuda_gather(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloGather *gather,
                       HaloStore store)
{
    GatherArgs args = {};
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
    gather_make_line(&args, (int64_t)halo_dtype_size(src->shape.dtype),
                     (int64_t)halo_dtype_size(dst->shape.dtype));
    if (src->shape.dtype == dst->shape.dtype && gather_plain_takes(&args, src->shape.dtype))
        return gather_plain(device, &args, src->shape.dtype);
    if (gather_narrow_takes(&args)) return gather_narrow(device, &args, src->shape.dtype, dst->shape.dtype);
    return row_types(src->shape.dtype, dst->shape.dtype,
                     [&](auto s, auto d) { return launch<decltype(s), decltype(d)>(device, &args); });
}

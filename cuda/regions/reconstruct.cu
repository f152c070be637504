/* Greyscale reconstruction: a warp sweeps over a tile of 32 x 32 pixels, down, up, right and left, until
 * nothing changes there; then neighbours into which samples could grow are due in the next round. Samples only
 * rise, to a limit that does not depend on the order, so that tiles may read each other's samples at any time.
 */
#include "morphology.cuh"

static const int grow_side = CUDA_WARP, grow_warps = 4, grow_rounds = 4; /* rounds between two questions */

struct GrowArgs {
    const char *src, *marker;
    int64_t src_stride, marker_stride;
    HaloDtype src_dtype, marker_dtype;
    int src_channels, src_channel, marker_channels, marker_channel;
    int64_t width, height;
    float sign; /* by erosion all is done with the sign changed */
    bool diagonal;
    float *value;       /* [height][width] */
    unsigned char *due; /* [2][tiles] tiles that are swept in this round, and in the next one */
    unsigned *any;      /* [grow_rounds] is one due after the round? */
    unsigned row_tiles, tiles;
    char *dst;
    int64_t dst_stride;
    HaloDtype dtype;
    HaloStore store;
    unsigned long long *clipped;
};

CUDA_INLINE float lowest() { return __int_as_float((int)0xff800000); }

CUDA_INLINE float signed_sample(const GrowArgs &a, float v) { return v == v ? a.sign * v : lowest(); }

CUDA_INLINE float limit_at(const GrowArgs &a, int64_t x, int64_t y)
{
    return signed_sample(
        a, region_sample(a.src + y * a.src_stride, a.src_dtype, x * a.src_channels + a.src_channel));
}

/* The marker, cut to the picture. All tiles are due. */
__global__ static void __launch_bounds__(region_threads) start_kernel(const __grid_constant__ GrowArgs a)
{
    const int64_t i = (int64_t)blockIdx.x * region_threads + threadIdx.x, y = i / a.width, x = i - y * a.width;
    if (i < a.tiles) {
        a.due[i] = 1;
        a.due[a.tiles + i] = 0;
    }
    if (y >= a.height) return;
    const float limit = limit_at(a, x, y);
    const float v = signed_sample(a, region_sample(a.marker + y * a.marker_stride, a.marker_dtype,
                                                   x * a.marker_channels + a.marker_channel));
    a.value[i] = v < limit ? v : limit;
}

/* ---- a tile --------------------------------------------------------------------------------------------- */

struct GrowTile {
    float value[grow_side + 2][grow_side + 3]; /* with a pixel more around */
    float limit[grow_side][grow_side + 1];
};

CUDA_INLINE float value_at(const GrowArgs &a, int64_t x, int64_t y)
{
    if (x < 0 || y < 0 || x >= a.width || y >= a.height) return lowest();
    return __ldcg(a.value + y * a.width + x);
}

CUDA_INLINE void load_tile(const GrowArgs &a, GrowTile &t, int64_t x0, int64_t y0, int lane)
{
    for (int r = 0; r < grow_side + 2; r++) {
        t.value[r][lane] = value_at(a, x0 - 1 + lane, y0 - 1 + r);
        if (lane < 2) t.value[r][grow_side + lane] = value_at(a, x0 - 1 + grow_side + lane, y0 - 1 + r);
        if (r >= grow_side) continue;
        const bool inside = x0 + lane < a.width && y0 + r < a.height;
        t.limit[r][lane] = inside ? limit_at(a, x0 + lane, y0 + r) : lowest();
    }
    __syncwarp();
}

/* Raises a pixel to what a neighbour has, but not above its limit. */
CUDA_INLINE bool raised(float &value, float from, float limit)
{
    const float made = from < limit ? from : limit;
    if (!(made > value)) return false;
    value = made;
    return true;
}

/* A lane has a column, rows follow one another by `step`. */
CUDA_INLINE bool sweep_rows(const GrowArgs &a, GrowTile &t, int lane, int first, int step)
{
    bool changed = false;
    for (int i = 0, r = first; i < grow_side; i++, r += step) {
        const float *const other = &t.value[r + 1 - step][lane + 1];
        float v = t.value[r + 1][lane + 1], from = other[0];
        if (a.diagonal) from = fmaxf(from, fmaxf(other[-1], other[1]));
        if (raised(v, from, t.limit[r][lane])) {
            t.value[r + 1][lane + 1] = v;
            changed = true;
        }
        __syncwarp();
    }
    return changed;
}

/* A lane has a row. */
CUDA_INLINE bool sweep_columns(GrowTile &t, int lane, int first, int step)
{
    bool changed = false;
    for (int i = 0, k = first; i < grow_side; i++, k += step) {
        float v = t.value[lane + 1][k + 1];
        if (raised(v, t.value[lane + 1][k + 1 - step], t.limit[lane][k])) {
            t.value[lane + 1][k + 1] = v;
            changed = true;
        }
    }
    __syncwarp();
    return changed;
}

/* Stores what has risen; the sides at which it has: above, below, left, right. */
CUDA_INLINE unsigned store_tile(const GrowArgs &a, const GrowTile &t, int64_t x0, int64_t y0, int lane)
{
    unsigned sides = 0;
    for (int r = 0; r < grow_side && y0 + r < a.height; r++) {
        float *const to = a.value + (y0 + r) * a.width + x0 + lane;
        const float v = t.value[r + 1][lane + 1];
        if (x0 + lane >= a.width || !(v > __ldcg(to))) continue;
        __stcg(to, v);
        sides |= (unsigned)(r == 0) | (unsigned)(r == grow_side - 1) << 1 | (unsigned)(lane == 0) << 2 |
                 (unsigned)(lane == grow_side - 1) << 3;
    }
    return sides;
}

CUDA_INLINE void wake(const GrowArgs &a, unsigned char *due, unsigned tile, unsigned sides)
{
    const int x = (int)(tile % a.row_tiles), y = (int)(tile / a.row_tiles);
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            const bool reached = (dy >= 0 || sides & 1) && (dy <= 0 || sides & 2) && (dx >= 0 || sides & 4) &&
                                 (dx <= 0 || sides & 8) && (dx != 0 || dy != 0);
            if (!reached || x + dx < 0 || x + dx >= (int)a.row_tiles || y + dy < 0) continue;
            const unsigned other = (unsigned)(y + dy) * a.row_tiles + (unsigned)(x + dx);
            if (other < a.tiles) due[other] = 1;
        }
}

__global__ static void __launch_bounds__(grow_warps *CUDA_WARP)
    grow_kernel(const __grid_constant__ GrowArgs a, int round)
{
    __shared__ GrowTile of_warp[grow_warps];
    const int lane = (int)threadIdx.x % CUDA_WARP, warp = (int)threadIdx.x / CUDA_WARP;
    const unsigned tile = blockIdx.x * grow_warps + warp;
    unsigned char *const due = a.due + (round % 2) * (size_t)a.tiles, *const next = a.due + (1 - round % 2) *
                                                                                                (size_t)a.tiles;
    if (tile >= a.tiles || due[tile] == 0) return;
    GrowTile &t = of_warp[warp];
    const int64_t x0 = (int64_t)(tile % a.row_tiles) * grow_side,
                  y0 = (int64_t)(tile / a.row_tiles) * grow_side;
    __syncwarp();
    if (lane == 0) due[tile] = 0;
    load_tile(a, t, x0, y0, lane);
    bool changed = true;
    while (__any_sync(CUDA_ALL, changed)) {
        changed = sweep_rows(a, t, lane, 0, 1);
        changed |= sweep_rows(a, t, lane, grow_side - 1, -1);
        changed |= sweep_columns(t, lane, 0, 1);
        changed |= sweep_columns(t, lane, grow_side - 1, -1);
    }
    const unsigned sides = cuda_warp_or(store_tile(a, t, x0, y0, lane));
    if (lane != 0 || sides == 0) return;
    __threadfence(); /* the samples before the request to read them */
    wake(a, next, tile, sides);
    a.any[round % grow_rounds] = 1;
}

/* NaN stay; every 0 is +0. */
__global__ static void __launch_bounds__(region_threads) grown_kernel(const __grid_constant__ GrowArgs a)
{
    const int64_t i = (int64_t)blockIdx.x * region_threads + threadIdx.x, y = i / a.width, x = i - y * a.width;
    unsigned clipped = 0;
    if (y < a.height) {
        const char *const from = a.src + y * a.src_stride;
        char *const row = a.dst + y * a.dst_stride;
        for (int c = 0; c < a.src_channels; c++) {
            const int64_t e = x * a.src_channels + c;
            float v = region_sample(from, a.src_dtype, e);
            if (c == a.src_channel && v == v) v = a.sign * a.value[i] + 0.0f;
            region_store(row, a.dtype, e, v, a.store, &clipped);
        }
    }
    cuda_count_clipped(a.clipped, clipped);
}

/* ---- all ------------------------------------------------------------------------------------------------ */

static GrowArgs args_of(const HaloDevice *device, const HaloBuf *src, const HaloBuf *marker, HaloBuf *dst,
                        const HaloReconstruct *how, HaloStore store)
{
    GrowArgs a = {};
    a.src = (const char *)src->data;
    a.marker = (const char *)marker->data;
    a.src_stride = src->stride;
    a.marker_stride = marker->stride;
    a.src_dtype = src->shape.dtype;
    a.marker_dtype = marker->shape.dtype;
    a.src_channels = src->shape.channels;
    a.src_channel = src->shape.alpha == 0;
    a.marker_channels = marker->shape.channels;
    a.marker_channel = marker->shape.alpha == 0;
    a.width = src->cols;
    a.height = src->rows;
    a.sign = how->erosion ? -1.0f : 1.0f;
    a.diagonal = how->connect == 8;
    a.row_tiles = (unsigned)cuda_ceil_div(src->cols, grow_side);
    a.tiles = a.row_tiles * (unsigned)cuda_ceil_div(src->rows, grow_side);
    a.dst = (char *)dst->data;
    a.dst_stride = dst->stride;
    a.dtype = dst->shape.dtype;
    a.store = store;
    a.clipped = device->clipped;
    return a;
}

/* Rounds, until none is due. */
static HaloStatus grow_all(HaloDevice *device, const GrowArgs &a)
{
    const int64_t blocks = cuda_ceil_div(a.tiles, grow_warps);
    for (int round = 0;; round = (round + grow_rounds) % (2 * grow_rounds)) {
        unsigned any[grow_rounds];
        CUDA_TRY(cudaMemsetAsync(a.any, 0, sizeof any, device->stream));
        for (int k = 0; k < grow_rounds; k++)
            CUDA_LAUNCH(device, grow_kernel, blocks, grow_warps * CUDA_WARP, 0, a, round + k);
        CUDA_PASS(cuda_fetch(device, any, a.any, sizeof any));
        if (any[grow_rounds - 1] == 0) return HALO_OK;
    }
}

HaloStatus cuda_reconstruct(HaloDevice *device, const HaloBuf *src, const HaloBuf *marker, HaloBuf *dst,
                            const HaloReconstruct *how, HaloStore store)
{
    CUDA_PASS(cuda_use(device));
    int64_t pixels;
    if (!cuda_region_planes(src, dst) || !halo_buf_is_whole(marker) || marker->shape.dtype > HALO_F32 ||
        marker->cols != src->cols || marker->rows != src->rows ||
        marker->shape.channels - (marker->shape.alpha >= 0) != 1)
        return halo_fail(HALO_ERR_BUG, "internal: reconstruction of colours, or from a marker that differs");
    if (dst->cols < 1 || dst->rows < 1) return HALO_OK;
    if (!halo_mul(src->cols, src->rows, &pixels) || pixels >= (int64_t)1 << 36)
        return halo_fail(HALO_ERR_LIMIT,
                         "%lld x %lld pixels are too many for reconstruction on a GPU: use --device cpu",
                         (long long)src->cols, (long long)src->rows);
    GrowArgs a = args_of(device, src, marker, dst, how, store);
    const int64_t values = cuda_ceil_div(pixels * 4, 256) * 256,
                  due = cuda_ceil_div(2 * (int64_t)a.tiles, 256) * 256;
    char *at;
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_WIDE, values + due + 256, (void **)&at));
    a.value = (float *)at;
    a.due = (unsigned char *)at + values;
    a.any = (unsigned *)(at + values + due);
    const int64_t blocks = cuda_ceil_div(cuda_max(pixels, a.tiles), region_threads);
    CUDA_LAUNCH(device, start_kernel, blocks, region_threads, 0, a);
    CUDA_PASS(grow_all(device, a));
    CUDA_LAUNCH(device, grown_kernel, blocks, region_threads, 0, a);
    return HALO_OK;
}

/* Measures the regions of a labelled picture. A warp has a tile of 28 x 32 pixels, with two more around it, in
 * shared memory: first a lane has a column, and votes tell where labels change; then it has a row, and goes to
 * these places. Sums are exact, so that atomics may add them in any order. */
#include <stdlib.h>

#include "objects_samples.cuh"

static const int object_warps = 4, object_pad = 2;
static const int object_width = CUDA_WARP - 2 * object_pad, object_height = CUDA_WARP;
static const int object_rows = object_height + 2 * object_pad;

/* Bit k of a word is column k of the tile, with two more at the left. */
struct ObjectTile {
    unsigned label[object_rows][CUDA_WARP + 1];
    unsigned set[object_rows];    /* labels that are not 0, */
    unsigned left[object_rows];   /* equal to the one at the left, */
    unsigned up[object_rows];     /* equal to the one above, */
    unsigned border[object_rows]; /* or of pixels beside which there is another one */
};

/* The columns that are measured. */
static const unsigned object_own = ((1u << object_width) - 1) << object_pad;

/* ---- labels ---------------------------------------------------------------------------------------------- */

struct ObjectCheck {
    unsigned greatest, unused;
    ObjectSum bad; /* as many pixels as come after the first one that is no label, and one; 0: all are labels */
};

__global__ static void __launch_bounds__(region_threads)
    check_kernel(const __grid_constant__ ObjectArgs a, ObjectCheck *check)
{
    const int64_t pixels = a.width * a.height;
    unsigned greatest = 0;
    ObjectSum bad = 0;
    for (int64_t y = blockIdx.x; y < a.height; y += gridDim.x) {
        const char *const row = a.label + y * a.label_stride;
        for (int64_t x = threadIdx.x; x < a.width; x += region_threads) {
            const float v = region_sample(row, a.label_dtype, x);
            const bool inside = v >= 0.0f && v <= (float)HALO_MAX_REGIONS;
            const unsigned whole = inside ? (unsigned)v : 0;
            if (v == v && !(inside && (float)whole == v)) bad = max(bad, (ObjectSum)(pixels - y * a.width - x));
            greatest = max(greatest, whole);
        }
    }
    greatest = cuda_warp_max(greatest);
    if (threadIdx.x % CUDA_WARP == 0) raise(&check->greatest, greatest);
    if (bad != 0) atomicMax(&check->bad, bad);
}

/* Label 0 outside of the picture. */
CUDA_INLINE unsigned label_at(const ObjectArgs &a, int64_t x, int64_t y)
{
    if (x < 0 || y < 0 || x >= a.width || y >= a.height) return 0;
    const float v = region_sample(a.label + y * a.label_stride, a.label_dtype, x);
    return v > 0.0f ? (unsigned)v : 0;
}

/* False if all labels are 0. */
CUDA_INLINE bool load_tile(const ObjectArgs &a, ObjectTile &tile, int64_t x, int64_t y, int lane)
{
    unsigned above = 0, any = 0;
#pragma unroll 12
    for (int r = 0; r < object_rows; r++) {
        const unsigned here = label_at(a, x - object_pad + lane, y - object_pad + r);
        const unsigned set = __ballot_sync(CUDA_ALL, here != 0);
        const unsigned left = __ballot_sync(CUDA_ALL, here == __shfl_up_sync(CUDA_ALL, here, 1));
        const unsigned up = __ballot_sync(CUDA_ALL, here == above);
        tile.label[r][lane] = above = here;
        any |= set;
        if (lane != 0) continue;
        tile.set[r] = set;
        tile.left[r] = left;
        tile.up[r] = up;
    }
    __syncwarp();
    return any != 0;
}

/* ---- pixels ---------------------------------------------------------------------------------------------- */

/* What a warp's lanes have of one region: sums of columns and rows of the tile, which have 32 bits. */
CUDA_INLINE void add_pixels(const ObjectArgs &a, const TilePixels &t)
{
    static const unsigned digit[5] = {0xaaaaaaaau, 0xccccccccu, 0xf0f0f0f0u, 0xff00ff00u, 0xffff0000u};
    unsigned x = 0, xx = 0;
#pragma unroll
    for (int i = 0; i < 5; i++) {
        x += (unsigned)__popc(t.mine & digit[i]) << i;
        xx += (unsigned)__popc(t.mine & digit[i]) << 2 * i;
#pragma unroll
        for (int j = 0; j < i; j++) xx += (unsigned)__popc(t.mine & digit[i] & digit[j]) << (i + j + 1);
    }
    const unsigned row = (unsigned)t.lane, pixels = (unsigned)__popc(t.mine);
    const ObjectSum area = cuda_warp_sum(pixels), sum_x = cuda_warp_sum(x), sum_xx = cuda_warp_sum(xx),
                    sum_y = cuda_warp_sum(pixels * row), sum_yy = cuda_warp_sum(pixels * row * row),
                    sum_xy = cuda_warp_sum(x * row);
    const unsigned columns = cuda_warp_or(t.mine), rows = __ballot_sync(CUDA_ALL, t.mine != 0);
    if (t.lane != 0) return;
    /* of the picture: (x0 + x)² = x0² + 2 x0 x + x² */
    ObjectPixels *const to = a.pixels + t.label - 1;
    const ObjectSum x0 = (ObjectSum)t.x, y0 = (ObjectSum)t.y; /* x0 may be -2: sums are right modulo 2^64 */
    add_sum(&to->area, area);
    add_sum(&to->x, area * x0 + sum_x);
    add_sum(&to->y, area * y0 + sum_y);
    add_wide(&to->xx, area * x0 * x0 + 2 * x0 * sum_x + sum_xx);
    add_wide(&to->yy, area * y0 * y0 + 2 * y0 * sum_y + sum_yy);
    add_wide(&to->xy, area * x0 * y0 + x0 * sum_y + y0 * sum_x + sum_xy);
    raise(&to->x0, (unsigned)(object_most_side - (t.x + __ffs((int)columns) - 1)));
    raise(&to->y0, (unsigned)(object_most_side - (t.y + __ffs((int)rows) - 1)));
    raise(&to->x1, (unsigned)(t.x + 32 - __clz((int)columns)));
    raise(&to->y1, (unsigned)(t.y + 32 - __clz((int)rows)));
}

/* The warp goes from region to region: that of the first pixels of the first row that has some left. */
CUDA_INLINE void add_regions(const ObjectArgs &a, const ObjectTile &tile, TilePixels &t)
{
    const int r = t.lane + object_pad;
    unsigned left = tile.set[r] & object_own, lanes;
    while ((lanes = __ballot_sync(CUDA_ALL, left != 0)) != 0) {
        const unsigned own = left != 0 ? tile.label[r][__ffs((int)left) - 1] : 0;
        t.label = __shfl_sync(CUDA_ALL, own, __ffs((int)lanes) - 1);
        t.mine = 0;
        while (left != 0 && tile.label[r][__ffs((int)left) - 1] == t.label) {
            const unsigned first = left & (0u - left), change = ~tile.left[r] & ~(first | (first - 1));
            const unsigned run =
                left & ((change & (0u - change)) - 1); /* up to the next change, if there is one */
            t.mine |= run;
            left &= ~run;
        }
        add_pixels(a, t);
        if (a.of != NULL) add_samples(a, t);
    }
}

/* ---- counts of regions ----------------------------------------------------------------------------------- */

/* Counts of one region, which a lane adds up until it meets another one. */
struct Tally {
    unsigned label; /* 0: none */
    int value;
};

template <typename F> CUDA_INLINE void tally(Tally &t, unsigned label, int value, F add)
{
    if (t.label != label) {
        if (t.label != 0) add(t.label, t.value);
        t.label = label;
        t.value = 0;
    }
    t.value += value;
}

/* Of all lanes, region by region. */
template <typename F> CUDA_INLINE void tally_all(Tally &t, F add)
{
    unsigned lanes;
    while ((lanes = __ballot_sync(CUDA_ALL, t.label != 0)) != 0) {
        const unsigned label = __shfl_sync(CUDA_ALL, t.label, __ffs((int)lanes) - 1);
        const int sum = cuda_warp_sum(t.label == label ? t.value : 0);
        if (threadIdx.x % CUDA_WARP == 0) add(label, sum);
        if (t.label == label) t.label = 0;
    }
}

/* ---- borders --------------------------------------------------------------------------------------------- */

/* Straight, diagonal and corner pixels are counted in ten bits each: a tile has fewer than 1024. */
static const int diagonal_digit = 10, corner_digit = 20;

CUDA_INLINE unsigned border_of(const ObjectTile &tile, int r)
{
    return tile.set[r] & ~(tile.left[r] & tile.left[r] >> 1 & tile.up[r] & tile.up[r + 1]);
}

/* K. Benkrid and D. Crookes, 2000: what a pixel of a border counts depends on those beside it. */
CUDA_INLINE int border_value(const ObjectTile &tile, int r, int k)
{
    const unsigned label = tile.label[r][k];
    const auto is_in = [&](int down, int along) {
        return (int)(tile.border[r + down] >> (k + along) & 1) &
               (int)(tile.label[r + down][k + along] == label);
    };
    const int beside = is_in(0, -1) + is_in(0, 1) + is_in(-1, 0) + is_in(1, 0);
    const int diagonal = is_in(-1, -1) + is_in(-1, 1) + is_in(1, -1) + is_in(1, 1);
    switch (10 * diagonal + 2 * beside) {
    case 4:
    case 6:
    case 14:
    case 16:
    case 24:
    case 26: return 1;
    case 20:
    case 32: return 1 << diagonal_digit;
    case 12:
    case 22: return 1 << corner_digit;
    default: return 0;
    }
}

CUDA_INLINE void add_borders(const ObjectArgs &a, ObjectTile &tile, int lane)
{
    const int r = lane + object_pad, outer = lane == 0 ? object_pad - 1 : object_pad + object_height;
    const auto add = [&](unsigned label, int value) {
        ObjectPixels *const to = a.pixels + label - 1;
        const unsigned mask = (1u << diagonal_digit) - 1, straight = (unsigned)value & mask,
                       diagonal = (unsigned)value >> diagonal_digit & mask,
                       corner = (unsigned)value >> corner_digit;
        if (straight != 0) atomicAdd(&to->straight, straight);
        if (diagonal != 0) atomicAdd(&to->diagonal, diagonal);
        if (corner != 0) atomicAdd(&to->corner, corner);
    };
    Tally t = {};
    tile.border[r] = border_of(tile, r);
    if (lane < 2) tile.border[outer] = border_of(tile, outer);
    __syncwarp();
    for (unsigned left = tile.border[r] & object_own; left != 0; left &= left - 1) {
        const int k = __ffs((int)left) - 1;
        tally(t, tile.label[r][k], border_value(tile, r, k), add);
    }
    __syncwarp();
    tally_all(t, add);
}

/* ---- Euler numbers --------------------------------------------------------------------------------------- */

/* S. Gray, 1971: of the window whose lower right pixel is column k. */
template <typename F> CUDA_INLINE void each_quad(const ObjectArgs &a, const ObjectTile &tile, int r, int k, F f)
{
    const unsigned cell[4] = {tile.label[r - 1][k - 1], tile.label[r - 1][k], tile.label[r][k - 1],
                              tile.label[r][k]};
#pragma unroll
    for (int i = 0; i < 4; i++) {
        int count = 0, quads = 0;
        bool again = cell[i] == 0;
#pragma unroll
        for (int j = 0; j < 4; j++) {
            count += cell[j] == cell[i];
            again = again || (j < i && cell[j] == cell[i]);
        }
        if (again) continue;
        if (count == 1) quads = 1;
        if (count == 3) quads = -1;
        if (count == 2 && cell[3 - i] == cell[i]) quads = a.diagonal;
        if (quads != 0) f(cell[i], quads);
    }
}

CUDA_INLINE void add_quads(const ObjectArgs &a, const ObjectTile &tile, int lane)
{
    const int r = lane + object_pad;
    const auto add = [&](unsigned label, int value) {
        if (value != 0) atomicAdd(&a.pixels[label - 1].quads, (ObjectSum)(long long)value);
    };
    Tally t = {};
    const unsigned same = tile.left[r] & tile.left[r - 1] & tile.up[r];
    for (unsigned left = ~same & object_own; left != 0; left &= left - 1)
        each_quad(a, tile, r, __ffs((int)left) - 1,
                  [&](unsigned label, int quads) { tally(t, label, quads, add); });
    __syncwarp();
    tally_all(t, add);
}

/* ---- tiles ----------------------------------------------------------------------------------------------- */

__global__ static void __launch_bounds__(object_warps *CUDA_WARP)
    objects_kernel(const __grid_constant__ ObjectArgs a, int64_t row_tiles, int64_t tiles)
{
    __shared__ ObjectTile of_warp[object_warps];
    const int lane = (int)threadIdx.x % CUDA_WARP, warp = (int)threadIdx.x / CUDA_WARP;
    const int64_t number = (int64_t)blockIdx.x * object_warps + warp;
    if (number >= tiles) return;
    ObjectTile &tile = of_warp[warp];
    const int64_t x = number % row_tiles * object_width, y = number / row_tiles * object_height;
    if (!load_tile(a, tile, x, y, lane)) return;
    TilePixels t = {x - object_pad, y, lane, 0, 0};
    add_regions(a, tile, t);
    add_borders(a, tile, lane);
    add_quads(a, tile, lane);
}

/* ---- all ------------------------------------------------------------------------------------------------- */

static ObjectArgs args_of(const HaloBuf *labels, const HaloBuf *of, const HaloObjects *how)
{
    ObjectArgs a = {};
    a.label = (const char *)labels->data;
    a.label_stride = labels->stride;
    a.label_dtype = labels->shape.dtype;
    a.width = labels->cols;
    a.height = labels->rows;
    a.diagonal = how->connect == 8 ? -2 : 2;
    if (of == NULL) return a;
    a.of = (const char *)of->data;
    a.of_stride = of->stride;
    a.of_dtype = of->shape.dtype;
    a.channels = of->shape.channels;
    return a;
}

/* The greatest label. */
static HaloStatus check_labels(HaloDevice *device, const ObjectArgs &a, int64_t *regions)
{
    ObjectCheck *there, check = {};
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_TAPS, sizeof check, (void **)&there));
    CUDA_TRY(cudaMemsetAsync(there, 0, sizeof *there, device->stream));
    const int64_t blocks = cuda_min(a.height, 4096);
    CUDA_LAUNCH(device, check_kernel, blocks, region_threads, 0, a, there);
    CUDA_PASS(cuda_fetch(device, &check, there, sizeof check));
    *regions = (int64_t)check.greatest;
    if (check.bad == 0) return HALO_OK;
    const int64_t at = a.width * a.height - (int64_t)check.bad, y = at / a.width, x = at % a.width;
    float bad = 0.0f;
    CUDA_PASS(cuda_fetch(device, &bad, a.label + y * a.label_stride + x * (int64_t)sizeof bad, sizeof bad));
    return halo_fail(HALO_ERR_INPUT, HALO_NO_OBJECT, HALO_MAX_REGIONS, (long long)x, (long long)y, (double)bad);
}

/* Regions that memory is reported for before their number is known. */
static int64_t expected_regions(const ObjectArgs &a) { return a.width * a.height / 64 + 1; }

static HaloStatus lists_of(HaloDevice *device, ObjectArgs *a, int64_t regions, int64_t *bytes)
{
    const bool integers = a->of != NULL && a->of_dtype <= HALO_U16, floats = a->of != NULL && !integers;
    const int64_t pixels = regions * (int64_t)sizeof(ObjectPixels);
    const int64_t sample = integers ? sizeof(ObjectIntegers) : floats ? sizeof(ObjectFloats) : 0;
    *bytes = pixels + regions * a->channels * sample;
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_PARTIAL, *bytes, (void **)&a->pixels));
    void *const samples = (char *)a->pixels + pixels;
    if (integers) a->integers = (ObjectIntegers *)samples;
    if (floats) a->floats = (ObjectFloats *)samples;
    return HALO_OK;
}

static HaloStatus measure(HaloDevice *device, const ObjectArgs &a, int64_t bytes)
{
    const int64_t row_tiles =
                      cuda_ceil_div(a.width + 1, object_width), /* windows lie around the picture, too */
        tiles = row_tiles * cuda_ceil_div(a.height + 1, object_height);
    CUDA_TRY(cudaMemsetAsync(a.pixels, 0, (size_t)bytes, device->stream));
    CUDA_LAUNCH(device, objects_kernel, cuda_ceil_div(tiles, object_warps), object_warps * CUDA_WARP, 0, a,
                row_tiles, tiles);
    return HALO_OK;
}

/* Copies the device's lists, and makes the host's of them. */
static HaloStatus fetch(HaloDevice *device, const ObjectArgs &a, int64_t bytes, HaloObjectList *list)
{
    char *const host = (char *)malloc((size_t)bytes);
    if (host == NULL)
        return halo_fail(HALO_ERR_LIMIT, "not enough memory for %lld regions", (long long)list->regions);
    const HaloStatus status = cuda_fetch(device, host, a.pixels, bytes);
    const char *const samples = host + list->regions * (int64_t)sizeof(ObjectPixels);
    if (status == HALO_OK)
        cuda_objects_list((const ObjectPixels *)host, (const ObjectIntegers *)samples,
                          (const ObjectFloats *)samples, list);
    free(host);
    return status;
}

HaloStatus cuda_objects(HaloDevice *device, const HaloBuf *labels, const HaloBuf *of, const HaloObjects *how,
                        HaloObjectList *list)
{
    CUDA_PASS(cuda_use(device));
    int64_t regions = 0, bytes = 0;
    if (labels->shape.channels != 1 || labels->shape.dtype > HALO_F32 || !halo_buf_is_whole(labels) ||
        (of != NULL && (of->shape.dtype > HALO_F32 || !halo_buf_is_whole(of) || of->cols != labels->cols ||
                        of->rows != labels->rows)))
        return halo_fail(HALO_ERR_BUG, "internal: regions of pictures that differ are measured");
    ObjectArgs a = args_of(labels, of, how);
    if (device->asking) return lists_of(device, &a, expected_regions(a), &bytes);
    if (labels->cols >= object_most_side || labels->rows >= object_most_side)
        return halo_fail(HALO_ERR_LIMIT,
                         "%lld x %lld pixels are too many to be measured on a GPU: use --device cpu",
                         (long long)labels->cols, (long long)labels->rows);
    CUDA_PASS(check_labels(device, a, &regions));
    CUDA_PASS(halo_object_list_alloc(list, regions, of != NULL ? &of->shape : NULL));
    if (regions == 0) return HALO_OK;
    HaloStatus status = lists_of(device, &a, regions, &bytes);
    if (status == HALO_OK) status = measure(device, a, bytes);
    if (status == HALO_OK) status = fetch(device, a, bytes, list);
    if (status != HALO_OK) halo_object_list_free(list);
    return status;
}

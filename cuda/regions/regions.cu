/* Regions: bits, their runs joined, the regions that stay numbered, and what becomes of their pixels written.
 */
#include "number.cuh"

/* ---- values ---------------------------------------------------------------------------------------------- */

/* No value: the region does not stay. It is no sample, since a NaN is canonical. */
static const unsigned gone = 0xffffffffu;

struct ValueArgs {
    HaloRegionsMake make;
    float white;
    const unsigned *sum;
};

/* The sample at the left of the first pixel of a region; 0 at the border. */
CUDA_INLINE float left_of(const RegionBits &b, unsigned root)
{
    const unsigned w = root / region_runs, y = w / b.row_words;
    unsigned starts = region_starts(b.bit[w]);
    for (unsigned k = root % region_runs; k > 0; k--) starts &= starts - 1;
    const int64_t x = (int64_t)(w - y * b.row_words) * region_word + __ffs((int)starts) - 1;
    if (x == 0) return 0.0f;
    return region_sample(b.src + y * b.src_stride, b.dtype, (x - 1) * b.channels + b.channel);
}

CUDA_INLINE unsigned value_of(const RegionUnion &u, const ValueArgs &a, unsigned node)
{
    unsigned root = node;
    for (unsigned up = u.parent[root]; up != root; up = u.parent[root]) root = up;
    const unsigned w = root / region_runs, at = 1u << root % region_runs, kept = u.kept[w];
    if (!(kept & at)) return gone;
    switch (a.make) {
    case HALO_REGIONS_NUMBERS:
        return __float_as_uint(
            (float)(a.sum[w / sum_stretch] + u.before[w] + (unsigned)__popc(kept & (at - 1)) + 1));
    case HALO_REGIONS_FILLED: return __float_as_uint(left_of(u.bits, root));
    default: return __float_as_uint(a.white);
    }
}

/* Of the roots of tiles. */
__global__ static void __launch_bounds__(region_threads)
    values_kernel(const __grid_constant__ RegionUnion u, const __grid_constant__ ValueArgs a)
{
    const unsigned w = blockIdx.x * region_threads + threadIdx.x;
    if (w >= u.bits.words) return;
    for (unsigned local = u.local[w]; local != 0; local &= local - 1) {
        const unsigned node = w * region_runs + (unsigned)__ffs((int)local) - 1;
        u.value[node] = value_of(u, a, node);
    }
}

/* ---- writing --------------------------------------------------------------------------------------------- */

static const int write_pixels = 4; /* of a thread, side by side */

struct WriteArgs {
    char *dst;
    int64_t dst_stride;
    HaloDtype dtype;
    HaloRegionsMake make;
    HaloStore store;
    bool packed;
    unsigned row_quads;
    unsigned long long *clipped;
};

/* The pixels of a thread: runs are looked up where they begin, all at once. */
CUDA_INLINE void values_at(const RegionUnion &u, unsigned w, int first, unsigned v[write_pixels])
{
    const unsigned bits = u.bits.bit[w], starts = region_starts(bits) | 1u << first;
    unsigned root[write_pixels];
#pragma unroll
    for (int i = 0; i < write_pixels; i++)
        if (bits & starts & 1u << (first + i))
            root[i] = __ldg(u.parent + w * region_runs + region_run_at(bits, first + i));
#pragma unroll
    for (int i = 0; i < write_pixels; i++)
        v[i] = bits & starts & 1u << (first + i) ? __ldg(u.value + root[i]) : gone;
#pragma unroll
    for (int i = 1; i < write_pixels; i++)
        if (bits & ~starts & 1u << (first + i)) v[i] = v[i - 1];
}

/* What is written where a region stays, and where none does. */
CUDA_INLINE void make_pixels(const RegionUnion &u, const WriteArgs &a, const unsigned value[write_pixels],
                             const char *row, int64_t x, int count, float made[write_pixels])
{
    const RegionBits &b = u.bits;
    if (a.make == HALO_REGIONS_NUMBERS || a.make == HALO_REGIONS_MASK) {
#pragma unroll
        for (int i = 0; i < write_pixels; i++) made[i] = value[i] != gone ? __uint_as_float(value[i]) : 0.0f;
        return;
    }
#pragma unroll
    for (int i = 0; i < write_pixels; i++) {
        made[i] = 0.0f;
        if (i < count && (a.make == HALO_REGIONS_FILLED) != (value[i] != gone))
            made[i] = region_sample(row, b.dtype, (x + i) * b.channels + b.channel);
        else if (a.make == HALO_REGIONS_FILLED)
            made[i] = __uint_as_float(value[i]);
    }
}

template <typename D>
CUDA_INLINE void write_quad(const RegionUnion &u, const WriteArgs &a, unsigned y, unsigned quad,
                            unsigned *clipped)
{
    const RegionBits &b = u.bits;
    const int64_t x = (int64_t)quad * write_pixels;
    unsigned value[write_pixels];
    if (x >= b.width) return;
    values_at(u, y * b.row_words + quad * write_pixels / region_word, (int)(quad * write_pixels % region_word),
              value);
    const char *const from = b.src + y * b.src_stride;
    char *const row = a.dst + y * a.dst_stride;
    const int count = (int)cuda_min(write_pixels, b.width - x);
    float made[write_pixels];
    make_pixels(u, a, value, from, x, count, made);
    if (a.packed && count == write_pixels) {
        CudaPack<D, write_pixels> pack;
#pragma unroll
        for (int i = 0; i < write_pixels; i++) pack.at[i] = cuda_sample<D>(made[i], a.store, clipped);
        ((CudaPack<D, write_pixels> *)row)[quad] = pack;
        return;
    }
#pragma unroll
    for (int i = 0; i < write_pixels; i++) {
        if (i >= count) break;
        const int64_t e = (x + i) * b.channels;
        ((D *)row)[e + b.channel] = cuda_sample<D>(made[i], a.store, clipped);
        if (b.channels < 2) continue;
        const float alpha = region_sample(from, b.dtype, e + 1 - b.channel);
        ((D *)row)[e + 1 - b.channel] = cuda_sample<D>(alpha, a.store, clipped);
    }
}

template <typename D>
__global__ static void __launch_bounds__(region_threads)
    write_kernel(const __grid_constant__ RegionUnion u, const __grid_constant__ WriteArgs a)
{
    const unsigned number = blockIdx.x * region_threads + threadIdx.x; /* less than 2^31 */
    const unsigned y = number / a.row_quads, quad = number - y * a.row_quads;
    unsigned clipped = 0;
    if (y < u.bits.height) write_quad<D>(u, a, y, quad, &clipped);
    cuda_count_clipped(a.clipped, clipped);
}

static HaloStatus write_all(HaloDevice *device, const RegionUnion &u, HaloBuf *dst, const HaloRegions *how,
                            HaloStore store, const unsigned *sum)
{
    const ValueArgs values = {how->make, how->white, sum};
    CUDA_LAUNCH(device, values_kernel, cuda_ceil_div(u.bits.words, region_threads), region_threads, 0, u,
                values);
    WriteArgs a = {};
    a.dst = (char *)dst->data;
    a.dst_stride = dst->stride;
    a.dtype = dst->shape.dtype;
    a.make = how->make;
    a.store = store;
    a.row_quads = (unsigned)cuda_ceil_div(dst->cols, write_pixels);
    a.packed = u.bits.channels == 1 &&
               cuda_aligned(dst->data, dst->stride, (size_t)(write_pixels * cuda_size(a.dtype)));
    a.clipped = device->clipped;
    const int64_t blocks = cuda_ceil_div(a.row_quads * dst->rows, region_threads);
    if (a.dtype == HALO_U8)
        CUDA_LAUNCH(device, write_kernel<uint8_t>, blocks, region_threads, 0, u, a);
    else if (a.dtype == HALO_U16)
        CUDA_LAUNCH(device, write_kernel<uint16_t>, blocks, region_threads, 0, u, a);
    else
        CUDA_LAUNCH(device, write_kernel<float>, blocks, region_threads, 0, u, a);
    return HALO_OK;
}

/* ---- all ------------------------------------------------------------------------------------------------- */

static HaloStatus lay_out(HaloDevice *device, const HaloRegions *how, RegionUnion *u, RegionNumbers *n)
{
    const int64_t words = u->bits.words, word = words * (int64_t)sizeof(unsigned);
    const int64_t pitch = cuda_ceil_div(word, 256) * 256, select = 4096;
    const int64_t sums = cuda_ceil_div(cuda_region_number_bytes(&u->bits), 256) * 256;
    static_assert(sizeof(RegionSelect) <= 4096, "room for it");
    const bool marks = how->inside || how->seeded || how->largest > 0;
    char *at;
    u->areas = how->least > 1 || how->most > 0 || how->largest > 0;
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_WIDE,
                           (4 + 2 * region_runs + how->seeded + marks) * pitch + sums + select, (void **)&at));
    const auto take = [&](int64_t bytes) {
        unsigned *const from = (unsigned *)at;
        at += bytes;
        return from;
    };
    n->select = (RegionSelect *)take(select);
    n->sum = take(sums);
    n->blocks = cuda_ceil_div(words, sum_stretch);
    u->bits.bit = take(pitch);
    u->local = take(pitch);
    u->kept = take(pitch);
    u->before = take(pitch);
    u->parent = take(region_runs * pitch);
    u->value = take(region_runs * pitch);
    u->mark = marks ? take(pitch) : NULL;
    u->bits.seed = how->seeded ? take(pitch) : NULL;
    return HALO_OK;
}

/* So many regions that f32 has no numbers for them are refused; few pictures can have them. */
static HaloStatus check_count(HaloDevice *device, const RegionUnion &u, const RegionNumbers &n)
{
    const int64_t width = u.bits.width, height = u.bits.height;
    const int64_t most = u.connect == 8 ? (width + 1) / 2 * ((height + 1) / 2) : (width * height + 1) / 2;
    unsigned count = 0;
    if (most <= HALO_MAX_REGIONS) return HALO_OK;
    CUDA_PASS(cuda_fetch(device, &count, n.sum + n.blocks, sizeof count));
    if (count <= HALO_MAX_REGIONS) return HALO_OK;
    return halo_fail(HALO_ERR_LIMIT,
                     "%u regions are more than the %d that can be numbered: leave out small ones by min=",
                     count, HALO_MAX_REGIONS);
}

HaloStatus cuda_regions(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloRegions *how,
                        HaloStore store)
{
    CUDA_PASS(cuda_use(device));
    RegionUnion u = {};
    RegionNumbers n = {};
    if (!cuda_region_planes(src, dst))
        return halo_fail(HALO_ERR_BUG, "internal: regions of buffers that differ, or of colours");
    if (dst->cols < 1 || dst->rows < 1) return HALO_OK;
    if (!cuda_region_words(src, &u.bits))
        return halo_fail(HALO_ERR_LIMIT,
                         "%lld x %lld pixels are too many for regions on a GPU: use --device cpu",
                         (long long)src->cols, (long long)src->rows);
    u.connect = how->connect;
    CUDA_PASS(lay_out(device, how, &u, &n));
    CUDA_PASS(cuda_region_bits(device, &u.bits, how->of, how->low, how->high));
    CUDA_PASS(cuda_region_join(device, &u));
    CUDA_PASS(cuda_region_number(device, &u, how, &n));
    if (how->make == HALO_REGIONS_NUMBERS) CUDA_PASS(check_count(device, u, n));
    return write_all(device, u, dst, how, store, n.sum);
}

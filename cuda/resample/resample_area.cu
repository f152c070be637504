/* `area` at half the size: each output is the mean of two by two samples. There are no tables to upload, and no
 * samples to stage: what a thread leaves of a sector, its neighbours find in the first-level cache. */
#include "resample.cuh"

#include "point/rows.cuh"

struct AreaArgs {
    ResampleArgs all;
    const char *src; /* the first sample of the first output */
    unsigned across; /* blocks of a row */
    bool loads, stores; /* in packs */
    bool bytes;         /* become bytes, as they are */
};

/* ---- bytes ----------------------------------------------------------------------------------------------- */

/* Quarters of two sums of 16 bits, rounded to even, as bytes 0 and 2. */
CUDA_INLINE uint32_t area_quarters(uint32_t sums)
{
    return (sums + 0x00010001u + (sums >> 2 & 0x00010001u)) >> 2 & 0x00ff00ffu;
}

/* Bytes of two words, that `select` takes (see __byte_perm), as two numbers of 16 bits. */
CUDA_INLINE uint32_t area_two(uint32_t a, uint32_t b, uint32_t select)
{
    return __byte_perm(__byte_perm(a, b, select), 0, 0x4140);
}

/* Outputs of two rows of as many samples again: 8 of 16, or 12 of 24 for pixels of three samples. */
template <int C> CUDA_INLINE void area_words(const uint32_t (&w)[2][C == 3 ? 6 : 4], uint32_t *made)
{
    const uint32_t even = 0x00ff00ffu;
    if constexpr (C == 1) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const uint32_t a = w[0][i], b = w[1][i],
                           sums = (a & even) + (a >> 8 & even) + (b & even) + (b >> 8 & even);
            made[i / 2] = i % 2 == 0 ? area_quarters(sums)
                                     : __byte_perm(made[i / 2], area_quarters(sums), 0x6420);
        }
    } else if constexpr (C == 4) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const uint32_t a = w[0][2 * i], b = w[0][2 * i + 1], c = w[1][2 * i], d = w[1][2 * i + 1];
            const uint32_t low = (a & even) + (b & even) + (c & even) + (d & even),
                           high = (a >> 8 & even) + (b >> 8 & even) + (c >> 8 & even) + (d >> 8 & even);
            made[i] = area_quarters(low) | area_quarters(high) << 8;
        }
    } else {
#pragma unroll
        for (int i = 0; i < 2; i++) { /* six outputs of four pixels, two at a time */
            uint32_t sums[3] = {};
#pragma unroll
            for (int r = 0; r < 2; r++) {
                const uint32_t a = w[r][3 * i], b = w[r][3 * i + 1], c = w[r][3 * i + 2];
                sums[0] += area_two(a, 0, 0x0010) + area_two(a, b, 0x0043);
                sums[1] += area_two(a, b, 0x0062) + area_two(b, c, 0x0051);
                sums[2] += area_two(b, c, 0x0043) + area_two(c, 0, 0x0032);
            }
            const uint32_t one = area_quarters(sums[0]), two = area_quarters(sums[1]),
                           three = area_quarters(sums[2]);
            made[2 * i] = i == 0 ? __byte_perm(one, two, 0x6420) : __byte_perm(two, three, 0x6420);
            made[1] = i == 0 ? three : __byte_perm(made[1], one, 0x6420);
        }
    }
}

/* ---- integers -------------------------------------------------------------------------------------------- */

/* Outputs side by side, a multiple of 4. Their sums are exact in any order. */
template <int C> CUDA_INLINE void area_integers(const AreaArgs &a, HaloDtype type, unsigned *clipped)
{
    constexpr int own = C == 3 ? 12 : 8;
    const RowPlace p = row_place(a.across, own);
    const int count = (int)cuda_min(own, a.all.cols * C - p.at);
    const char *const from = a.src + 2 * p.y * a.all.src_stride;
    float upper[2 * own], lower[2 * own], v[own];
    if (count <= 0) return;
    if (a.bytes && count == own) {
        constexpr int words = own / 2, piece = own == 8 ? 4 : 2;
        typedef CudaPack<uint32_t, piece> Piece;
        alignas(16) uint32_t w[2][words];
        uint32_t made[own / 4];
#pragma unroll
        for (int r = 0; r < 2; r++)
#pragma unroll
            for (int i = 0; i < words; i += piece)
                *reinterpret_cast<Piece *>(w[r] + i) =
                    *reinterpret_cast<const Piece *>(from + r * a.all.src_stride + 2 * p.at + 4 * i);
        area_words<C>(w, made);
        uint32_t *const to = (uint32_t *)(a.all.dst + p.y * a.all.dst_stride + p.at);
        if constexpr (own == 8)
            cuda_put((uint2 *)to, make_uint2(made[0], made[1]));
        else
#pragma unroll
            for (int i = 0; i < 3; i++) to[i] = made[i];
        return;
    }
    row_load<2 * own>(upper, from, type, 2 * p.at, 2 * count, a.loads);
    row_load<2 * own>(lower, from + a.all.src_stride, type, 2 * p.at, 2 * count, a.loads);
#pragma unroll
    for (int k = 0; k < own; k++) {
        const int i = k + k / C * C;
        v[k] = (upper[i] + upper[i + C] + (lower[i] + lower[i + C])) * 0.25f;
    }
    row_store<own>(a.all.dst + p.y * a.all.dst_stride, a.all.dst_dtype, p.at, count, a.stores, v, a.all.store,
                   clipped);
}

/* ---- floats ---------------------------------------------------------------------------------------------- */

/* Samples a block apart, added in the order of taps. */
static const int area_apart = 2;

template <int C> CUDA_INLINE void area_floats(const AreaArgs &a, unsigned *clipped)
{
    const unsigned y = blockIdx.x / a.across, width = (unsigned)a.all.cols * C;
    const unsigned first = (blockIdx.x - y * a.across) * area_apart * rows_threads + threadIdx.x;
    const char *const from = a.src + 2 * (int64_t)y * a.all.src_stride;
    char *const to = a.all.dst + (int64_t)y * a.all.dst_stride;
    float v[area_apart][4] = {};
#pragma unroll
    for (int k = 0; k < area_apart; k++) {
        const unsigned e = first + k * rows_threads;
        const float *const upper = (const float *)from + e + e / C * C,
                    *const lower = (const float *)((const char *)upper + a.all.src_stride);
        if (e < width) v[k][0] = upper[0], v[k][1] = upper[C], v[k][2] = lower[0], v[k][3] = lower[C];
    }
#pragma unroll
    for (int k = 0; k < area_apart; k++) {
        const unsigned e = first + k * rows_threads;
        const float upper = halo_fma(0.5f, v[k][1], halo_fma(0.5f, v[k][0], 0.0f)),
                    lower = halo_fma(0.5f, v[k][3], halo_fma(0.5f, v[k][2], 0.0f));
        if (e < width)
            resample_store(a.all, e, y, halo_fma(0.5f, lower, halo_fma(0.5f, upper, 0.0f)), clipped);
    }
}

/* ---- launches -------------------------------------------------------------------------------------------- */

template <typename S, int C>
__global__ static void __launch_bounds__(rows_threads) area_kernel(const __grid_constant__ AreaArgs a)
{
    unsigned clipped = 0;
    if constexpr (sizeof(S) == sizeof(float))
        area_floats<C>(a, &clipped);
    else
        area_integers<C>(a, sizeof(S) == 1 ? HALO_U8 : HALO_U16, &clipped);
    __syncwarp();
    cuda_count_clipped(a.all.clipped, clipped);
}

/* Has every output of the axis two taps of one half, of two samples of its own? */
static bool is_pairs(const HaloResampleAxis *axis)
{
    return axis->left == 0 && axis->right == 0 && axis->up == 1 && axis->down == 2 && !axis->cut &&
           axis->count[0] == 2 && axis->first[0] == 0 && axis->tap[0] == 0.5f && axis->tap[1] == 0.5f;
}

bool resample_area_takes(const ResampleArgs *args, const HaloResample *host)
{
    return is_pairs(&host->x) && is_pairs(&host->y) && args->channels <= 4 && args->channels != 2 &&
           args->cols <= INT32_MAX / 8;
}

template <int C> static HaloStatus launch(HaloDevice *device, const AreaArgs *a, int64_t blocks)
{
    return row_type(a->all.src_dtype, [&](auto zero) {
        CUDA_LAUNCH(device, (area_kernel<decltype(zero), C>), blocks, rows_threads, 0, *a);
        return HALO_OK;
    });
}

HaloStatus resample_area(HaloDevice *device, const ResampleArgs *args)
{
    AreaArgs a = {};
    const int channels = args->channels, size = cuda_size(args->src_dtype);
    const int own = args->src_dtype == HALO_F32 ? area_apart : channels == 3 ? 12 : 8;
    a.all = *args;
    a.src = args->src + (2 * args->dst_y - args->src_y) * args->src_stride +
            (2 * args->dst_x - args->src_x) * channels * size;
    a.across = (unsigned)row_blocks(args->cols * channels, own);
    a.loads = row_packs(a.src, args->src_stride, args->src_dtype, 2 * own);
    a.stores = row_packs(args->dst, args->dst_stride, args->dst_dtype, own);
    a.bytes = a.loads && a.stores && size == 1 && args->dst_dtype == HALO_U8 && args->store.num == 1.0f &&
              args->store.den == 1.0f;
    const int64_t blocks = a.across * args->rows;
    switch (channels) {
    case 1: return launch<1>(device, &a, blocks);
    case 3: return launch<3>(device, &a, blocks);
    default: return launch<4>(device, &a, blocks);
    }
}

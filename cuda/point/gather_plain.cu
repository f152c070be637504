/* Gathers of unchanged samples that stay in rows, all inside of the source, in either direction: crop, flip. A
 * thread makes 16 bytes of a row of the destination, or, of flipped pixels of three samples, 12, from as many
 * neighbouring bytes of the source, at any alignment that all rows share. */
#include "divisor.cuh"
#include "gather_samples.cuh"
#include "rows.cuh"

static const int plain_threads = 256;
static const int64_t plain_least = 256, plain_most = (int64_t)1 << 27; /* bytes of a row */

/* Bytes of a thread, of pixels of C flipped samples; C is 0 where nothing is flipped. */
__host__ __device__ static constexpr int plain_unit(int channels) { return channels == 3 ? 12 : 16; }

struct PlainArgs {
    const char *src; /* the first thread's bytes, rounded down to a word; those of the next ones follow, */
    int off;         /* or, flipped, precede them; and how many bytes they lie behind that */
    char *dst;
    int64_t src_stride, dst_stride;
    int log;            /* threads of a group, as a power of two: all have the same row */
    CudaDivisor across; /* groups of a row */
    int length, rows;   /* samples of a row */
};

/* ---- words ----------------------------------------------------------------------------------------------- */

/* Loads words that begin `off` bytes behind an aligned address; no word is read that holds no byte of them. */
CUDA_INLINE void plain_load(const char *from, int off, uint32_t (&word)[3])
{
    const uint32_t *const at = (const uint32_t *)from;
#pragma unroll
    for (int i = 0; i < 3; i++) word[i] = __ldg(at + i);
    if (off == 0) return;
    const uint32_t last = __ldg(at + 3);
#pragma unroll
    for (int i = 0; i < 3; i++) word[i] = __funnelshift_r(word[i], i < 2 ? word[i + 1] : last, 8 * off);
}

CUDA_INLINE void plain_load(const char *from, int off, uint32_t (&word)[4])
{
    const uint4 low = __ldg((const uint4 *)from);
    uint32_t all[8] = {low.x, low.y, low.z, low.w};
    if (off != 0) {
        const uint4 high = __ldg((const uint4 *)from + 1);
        all[4] = high.x, all[5] = high.y, all[6] = high.z, all[7] = high.w;
#pragma unroll
        for (int i = 0; i < 6; i++) all[i] = off & 8 ? all[i + 2] : all[i];
#pragma unroll
        for (int i = 0; i < 5; i++) all[i] = off & 4 ? all[i + 1] : all[i];
#pragma unroll
        for (int i = 0; i < 4; i++) all[i] = __funnelshift_r(all[i], all[i + 1], 8 * (off & 3));
    }
#pragma unroll
    for (int i = 0; i < 4; i++) word[i] = all[i];
}

CUDA_INLINE void plain_store(void *to, const uint32_t (&word)[3])
{
#pragma unroll
    for (int i = 0; i < 3; i++) ((uint32_t *)to)[i] = word[i];
}

CUDA_INLINE void plain_store(void *to, const uint32_t (&word)[4])
{
    cuda_put((uint4 *)to, make_uint4(word[0], word[1], word[2], word[3]));
}

/* Pixels of so many bytes in the reverse order. */
template <int Pixel> CUDA_INLINE void plain_reverse(uint32_t (&w)[3])
{
    const uint32_t a = w[0], b = w[1], c = w[2];
    if (Pixel == 3) {
        w[0] = __byte_perm(c, b, 0x6321);
        w[1] = __byte_perm(__byte_perm(b, c, 0x0043), __byte_perm(a, b, 0x0043), 0x5410);
        w[2] = __byte_perm(a, b, 0x2105);
    } else if (Pixel == 6) {
        w[0] = __byte_perm(b, c, 0x5432);
        w[1] = __byte_perm(c, a, 0x5432);
        w[2] = __byte_perm(a, b, 0x5432);
    }
}

template <int Pixel> CUDA_INLINE void plain_reverse(uint32_t (&w)[4])
{
    constexpr int other = Pixel < 4 ? 3 : 4 - Pixel / 4; /* XORed with a word's number: where it goes */
    const uint32_t from[4] = {w[0], w[1], w[2], w[3]};
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const uint32_t v = from[other ^ i];
        w[i] = Pixel == 1 ? __byte_perm(v, 0, 0x0123) : Pixel == 2 ? __byte_perm(v, 0, 0x1032) : v;
    }
}

/* ---- the kernel ------------------------------------------------------------------------------------------ */

template <typename S, int C>
__global__ static void __launch_bounds__(plain_threads) plain_kernel(const __grid_constant__ PlainArgs a)
{
    constexpr int unit = plain_unit(C), size = (int)sizeof(S), each = unit / size;
    const int thread = (int)blockIdx.x * plain_threads + (int)threadIdx.x, group = thread >> a.log,
              y = a.across.over(group),
              nth = ((group - y * (int)a.across.n) << a.log) | (thread & ((1 << a.log) - 1)), e = nth * each;
    if (y >= a.rows || e >= a.length) return;
    const char *const from = a.src + y * a.src_stride + (C > 0 ? -nth : nth) * unit;
    S *const to = (S *)(a.dst + y * a.dst_stride) + e;
    if (e + each <= a.length) {
        uint32_t word[unit / 4];
        plain_load(from, a.off, word);
        if (C > 0) plain_reverse<C * size>(word);
#pragma unroll
        for (int i = 0; i < unit / 4; i++) word[i] = gather_canonical<S>(word[i]);
        plain_store(to, word);
        return;
    }
    for (int k = 0; k < a.length - e; k++) { /* the end of a row */
        const int at = C > 0 ? each - C - k / cuda_max(C, 1) * C + k % cuda_max(C, 1) : k;
        const float v = (float)((const S *)(from + a.off))[at];
        to[k] = (S)(size == 4 ? halo_canonical(v) : v);
    }
}

/* ---- launches -------------------------------------------------------------------------------------------- */

/* Is the whole of an axis inside of the source, and a step one sample? */
static bool is_inside(int64_t from, int64_t step, int64_t first, int64_t count, int64_t length)
{
    const int64_t begin = from + step * first, last = begin + step * (count - 1);
    return step * step == 1 && begin >= 0 && begin < length && last >= 0 && last < length;
}

bool gather_plain_takes(const GatherArgs *a, HaloDtype dtype)
{
    const HaloGather *const g = &a->gather;
    const int64_t row = a->cols * a->channels * cuda_size(dtype);
    return a->plain && !g->transposed && row >= plain_least && row <= plain_most &&
           (g->step_x > 0 || a->channels <= 4) && cuda_aligned(a->dst, a->dst_stride, 16) &&
           a->src_stride % 16 == 0 && is_inside(g->x0, g->step_x, a->dst_x, a->cols, a->src_width) &&
           is_inside(g->y0, g->step_y, a->dst_y, a->rows, a->src_height);
}

HaloStatus gather_plain(HaloDevice *device, const GatherArgs *a, HaloDtype dtype)
{
    const HaloGather *const g = &a->gather;
    const int flipped = g->step_x < 0 ? a->channels : 0, unit = plain_unit(flipped);
    const int64_t pixel = a->channels * cuda_size(dtype), units = cuda_ceil_div(a->cols * pixel, unit);
    const char *const first =
        a->src + (g->y0 + g->step_y * a->dst_y - a->src_y) * a->src_stride +
        (g->x0 + g->step_x * a->dst_x - a->src_x) * pixel + (flipped > 0 ? pixel - unit : 0);
    PlainArgs p = {};
    p.off = (int)((uintptr_t)first % (unit == 12 ? 4 : 16));
    p.src = first - p.off;
    p.dst = a->dst;
    p.src_stride = g->step_y * a->src_stride;
    p.dst_stride = a->dst_stride;
    p.log = units >= 2 * plain_threads ? 8 : 5;
    p.across = cuda_divisor(cuda_ceil_div(units, (int64_t)1 << p.log));
    p.length = (int)(a->cols * a->channels);
    /* as many rows at a time as the divisor takes, and the numbers of threads */
    const int64_t across = p.across.n, rows = cuda_max(1, (INT32_MAX >> p.log) / (across * across));
    for (int64_t y = 0; y < a->rows; y += rows) {
        p.rows = (int)cuda_min(rows, a->rows - y);
        const int64_t blocks = cuda_ceil_div(p.rows * across << p.log, plain_threads);
        CUDA_PASS(row_type(dtype, [&](auto zero) {
            typedef decltype(zero) S;
            const auto launch = [&](auto kernel) {
                CUDA_LAUNCH(device, kernel, blocks, plain_threads, 0, p);
                return HALO_OK;
            };
            switch (flipped) {
            case 0: return launch(plain_kernel<S, 0>);
            case 1: return launch(plain_kernel<S, 1>);
            case 2: return launch(plain_kernel<S, 2>);
            case 3: return launch(plain_kernel<S, 3>);
            default: return launch(plain_kernel<S, 4>);
            }
        }));
        p.src += rows * p.src_stride;
        p.dst += rows * p.dst_stride;
    }
    return HALO_OK;
}

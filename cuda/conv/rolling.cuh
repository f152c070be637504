/* Rolling column kernels: convolutions that keep everything but the rows of samples in registers. A block is
 * one warp, which goes down a strip of columns. Rows are copied to shared memory as they are, one step ahead of
 * their use, and a thread widens the samples that it needs to f32. Unfinished outputs of each column are a
 * chain of accumulators: a row of samples is multiplied by every row of the mask, and each accumulator moves to
 * the next position as it adds its product, chain[j] = fma(tap[j], v, chain[j - 1]). The end of the chain is an
 * output that took its taps from the top row down; neither a ring of rows nor a barrier is needed. Pixels of
 * several channels are a row of samples whose neighbours are `Step` apart.
 *
 * A `Pass` defines the processing of a row: sep_rolling.cuh and conv_rolling.cuh have one each. */
#ifndef HALO_CUDA_ROLLING_CUH
#define HALO_CUDA_ROLLING_CUH

#include "rolling_combine.cuh"
#include "rolling_stage.cuh"
#include "rolling_store.cuh"

/* ---- samples to registers, and outputs to extremes ------------------------------------------------------- */

/* Widens the samples that come under tap i of a row and no earlier one: window[W::lead + i * W::step + k] lies
 * under tap i of output k. `from`: the thread's first staged sample; `pack` lives from tap to tap. */
template <typename W>
__device__ __forceinline__ void rolling_window(const typename W::Staged *from, int i, typename W::Pack *pack,
                                               float window[W::window])
{
    constexpr int at_once = CudaFours<typename W::Staged, W::own>::at_once, needed = W::lead + W::own + 3;
#pragma unroll
    for (int q = i == 0 ? W::lead / 4 : (needed + (i - 1) * W::step) / 4; q < (needed + i * W::step) / 4; q++) {
        if (q % at_once == 0 || q == W::lead / 4)
            *pack = reinterpret_cast<const typename W::Pack *>(from)[q / at_once];
        const float4 four = cuda_widen4(pack->at[q % at_once]);
        window[4 * q] = four.x;
        window[4 * q + 1] = four.y;
        window[4 * q + 2] = four.z;
        window[4 * q + 3] = four.w;
    }
}

/* The least and the greatest of a thread's outputs, of which the first `count` are there; NaN is neither. */
template <typename W>
__device__ __forceinline__ void rolling_survey(const float acc[W::own], int count, float *low, float *high)
{
    const auto take = [&](float v) {
        *low = fminf(*low, v);
        *high = fmaxf(*high, v);
    };
    if (count == W::own) {
#pragma unroll
        for (int k = 0; k < W::own; k++) take(acc[k]);
    } else {
#pragma unroll
        for (int k = 0; k < W::own; k++)
            if (k < count) take(acc[k]);
    }
}

/* ---- the kernel ----------------------------------------------------------------------------------------- */

/* Bits, which ptxas keeps in one register without a table of branches. */
static const int rolling_plain = 1, rolling_quotient = 2, rolling_floats = 4;

/* The work of one warp. Pass::row() advances every chain by a row of samples, and gives the row of outputs at
 * their ends; `from` is the thread's first staged sample. Where the border has a constant value, rows outside
 * are staged as that value if Pass::fills; otherwise the pass gets a flag that the row does not exist. A pass
 * that `measures` stores nothing, but gets the extremes of each thread's outputs (rolling_extremes.cuh). */
template <typename Pass> __device__ __forceinline__ void rolling_strip(const typename Pass::Args &args)
{
    typedef typename Pass::W W;
    typedef typename W::Staged Staged;
    typedef typename W::Stored D;
    constexpr int stages =
        Pass::combines ? 3 : 2; /* of rows: the current ones, those being copied, and those before */
    static_assert(!Pass::combines || W::taps / 2 <= rolling_step, "the middle row is there");
    __shared__ alignas(16) char raw[stages][rolling_step * W::row_bytes];
    __shared__ alignas(16) float tile[W::widened ? rolling_step * W::pitch : 4];
    __shared__ alignas(16) float made[W::cols];
    __shared__ int map[W::pitch];
    const RollingArgs &a = args.rolling;
    const RollingPlace p = rolling_place<W>(a, map);
    const int taps = rolling_taps<W>(a);
    const float outside = halo_border_value(a.src.border, a.src.value);
    const char *const first = a.src.data + (p.sx - a.src.x0) * W::size;
    const int own = W::own * (int)threadIdx.x; /* the first column of this thread */
    const int left = (int)cuda_max(0, cuda_min(W::own, a.dst.cols - p.x - own));
    /* How rows are stored: nearly all warps store whole packs of the source's type, or of f32, without point
     * operations. Decided once by votes. */
    const bool whole = __all_sync(CUDA_ALL, left == W::own) && (a.plain || a.inverse != 0.0f),
               packed = whole && a.wide;
    const bool floats = whole && a.fours && a.dst.dtype == HALO_F32;
    const bool bare = a.dst.points.count == 0, usual = bare && packed && a.plain;
    const int way = !bare    ? 0
                    : packed ? (a.plain ? rolling_plain : rolling_quotient)
                    : floats ? rolling_floats
                             : 0;
    char *to = a.dst.data + p.y * a.dst.stride;
    float chain[Pass::links][W::own] = {};
    unsigned clipped = 0;
    float low = INFINITY, high = -INFINITY;
    RollingRows rows = {}, next = {};
    const Staged *from = NULL;     /* of row r of this step */
    int stage = stages - 1, r = 0; /* there is nothing before the first step */
#pragma unroll 1
    for (int t = -rolling_step; t < p.rows;) {
        char *const here = raw[stage];
        const int count = min(rolling_step, p.rows - t);
        if (r == 0) {
            const int following = stage == stages - 1 ? 0 : stage + 1;
            next = rolling_find(a, p, t + rolling_step);
            rolling_fetch<W>(a, p, first, next, raw[following]);
            if (t < 0) {
                rows = next;
                stage = 0;
                t += rolling_step;
                continue;
            }
            __pipeline_wait_prior(1);
            __syncwarp();
            rolling_stage<Pass>(args, p, first, rows, map, count, here, tile);
            from = reinterpret_cast<const Staged *>(W::widened ? (const char *)tile : here) + own;
        }
        float acc[W::own];
        /* Rows that are stored directly. For other rows control leaves this loop: their code has loops, which
         * would make ptxas reload the taps for each row. */
#pragma unroll 1
        for (; r < count; r++, from += W::pitch) {
            Pass::row(args, from, rows.exist >> r & 1, outside, chain, acc);
            if (t + r < taps - 1) continue;
            if constexpr (Pass::measures) {
                rolling_survey<W>(acc, left, &low, &high);
            } else {
                if constexpr (Pass::combines) {
                    /* The middle row, of this step or of the previous one, whose stage wraps around once per
                     * cycle. */
                    const char *const at = W::widened ? here + own * W::size + r * W::row_bytes
                                                      : reinterpret_cast<const char *>(from);
                    const int turn = stage == 0 && r < taps / 2 ? stages * rolling_step : 0;
                    rolling_combine_row<W>(a, p, p.y + t + r - (taps - 1),
                                           at + (turn - taps / 2) * W::row_bytes, acc);
                }
                if (Pass::divides || Pass::floats ? way & rolling_plain : usual) {
                    rolling_put<D, W::own, Pass::combines>(reinterpret_cast<D *>(to) + p.x + own, acc,
                                                           &clipped);
                } else if (Pass::divides && (way & rolling_quotient)) {
                    rolling_divide<W>(a, acc);
                    rolling_put<D, W::own, Pass::combines>(reinterpret_cast<D *>(to) + p.x + own, acc,
                                                           &clipped);
                } else if (Pass::floats && (way & rolling_floats)) {
                    if (Pass::divides && a.inverse != 0.0f) rolling_divide<W>(a, acc);
                    rolling_put_floats<W>(reinterpret_cast<float *>(to) + p.x, acc, made);
                } else {
                    break;
                }
                to += a.dst.stride;
            }
        }
        if (!Pass::measures && r < count) {
            rolling_leave<W>(a, p, p.y + t + r - (taps - 1), packed, acc, made, &clipped);
            to += a.dst.stride;
            from += W::pitch;
            if (++r < count) continue;
        }
        __syncwarp();
        rows = next;
        stage = stage == stages - 1 ? 0 : stage + 1;
        t += rolling_step;
        r = 0;
    }
    if constexpr (Pass::measures)
        Pass::found(args, low, high);
    else
        cuda_count_clipped(a.dst.clipped, clipped);
}

/* ---- launching ------------------------------------------------------------------------------------------ */

/* Is the border's value a sample of the source's type, as it is staged among them? Columns are counted in an
 * int. */
static inline bool rolling_takes(const HaloBuf *src, const HaloBuf *dst, HaloBorder border, float value)
{
    const float v = halo_border_value(border, value);
    const int channels = dst->shape.channels;
    if (dst->rows < 2 || channels > 4) return false;
    if (src->shape.width > (INT32_MAX - 1024) / channels) return false;
    if (src->shape.dtype == HALO_F32) return true;
    return v >= 0.0f && v <= (src->shape.dtype == HALO_U8 ? 255.0f : 65535.0f) && v == (float)(int)v;
}

static const int rolling_schedulers = 4; /* of a multiprocessor */

/* The host's description of a Rolling: not a template, to compile faster. */
struct RollingShape {
    int size, taps, step, own, cols, lead;
    HaloDtype stored;
    bool light;
    int strip = 0, rest = 0; /* the least heights of light strips, where a quarter and a tenth are less */
    int shared = 0;          /* bytes that the launch asks for */
    int spare = 0;           /* taps that the kernel leaves out at either end of a row */
};

/* Strips begin with the rows above their first output, so they should be as high as gives every resident warp
 * one. Where arithmetic is light, multiprocessors finish at different times: then strips are about a quarter as
 * high, and those of the last quarter of the rows a tenth. */
static inline void rolling_strips(RollingArgs *a, int64_t resident, const RollingShape &w)
{
    const int taps = w.taps;
    const int64_t rows = a->dst.rows, most = cuda_max(1, resident / a->tiles_x);
    const int64_t strip = cuda_min(1 << 30, cuda_max(2 * taps, cuda_ceil_div(rows, most)));
    /* Rounds up to whole steps, with the rows above. */
    const auto whole = [&](int64_t high) {
        return cuda_ceil_div(high + taps - 1, rolling_step) * rolling_step - (taps - 1);
    };
    const bool light = w.light && strip >= 16 * taps;
    a->strip = (int)(light ? cuda_max(w.strip, whole(strip / 4)) : strip);
    a->rest = (int)(light ? cuda_max(w.rest, whole(strip / 10)) : strip);
    a->strips = (int)cuda_min(INT32_MAX, cuda_ceil_div(light ? rows - rows / 4 : rows, a->strip));
}

/* Fills in the arguments common to every pass, and returns the number of blocks. */
static inline HaloStatus rolling_prepare(HaloDevice *device, const ConvArgs *conv, const RollingShape &w,
                                         const void *kernel, RollingArgs *args, int64_t *blocks)
{
    RollingArgs &a = *args;
    a.src = conv->src;
    a.dst = conv->dst;
    a.src.x0 *= w.step;
    a.src.width *= w.step;
    a.src.x_end *= w.step;
    a.dst.cols *= w.step;
    a.x_first = (conv->x_first - w.spare) * w.step;
    a.y_first = conv->y_first;
    a.taps = w.taps;
    a.tiles_x = (unsigned)cuda_ceil_div(a.dst.cols, w.cols);
    const char *const origin = a.src.data + (a.x_first - w.lead - a.src.x0) * w.size;
    const size_t four = 4 * halo_dtype_size(a.dst.dtype), all = w.own * halo_dtype_size(w.stored);
    a.piece = cuda_aligned(origin, a.src.stride, 16) ? 16 : cuda_aligned(origin, a.src.stride, 4) ? 4 : 0;
    a.wide = a.dst.dtype == w.stored && cuda_aligned(a.dst.data, a.dst.stride, all < 16 ? all : 16);
    a.fours = cuda_aligned(a.dst.data, a.dst.stride, four);
    a.plain = conv_plain(a.dst);
    const float den = a.dst.store.den;
    const bool divides =
        a.integers && !a.plain && !a.dst.affine && a.dst.store.num == 1.0f && a.dst.points.count == 0;
    a.inverse =
        divides && den >= 1.0f && den <= rolling_divisor_most && den == (float)(int)den ? 1.0f / den : 0.0f;
    int resident = 0;
    CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, CUDA_WARP, (size_t)w.shared));
    if (resident > rolling_schedulers)
        resident -= resident % rolling_schedulers; /* the one with more warps would end last */
    rolling_strips(&a, (int64_t)device->properties.multiProcessorCount * resident, w);
    const int64_t later = cuda_max(0, a.dst.rows - (int64_t)a.strips * a.strip);
    *blocks = a.tiles_x * (a.strips + cuda_ceil_div(later, a.rest));
    return HALO_OK;
}

/* `args` has its taps; the rest is filled in here. */
template <typename Pass>
static HaloStatus rolling_launch(HaloDevice *device, const ConvArgs *conv, void (*kernel)(typename Pass::Args),
                                 typename Pass::Args *args)
{
    typedef typename Pass::W W;
    constexpr size_t stored = sizeof(typename W::Stored);
    const int taps = W::fewer ? conv->width : W::taps;
    const RollingShape shape = {W::size,
                                taps,
                                W::step,
                                W::own,
                                W::cols,
                                W::lead,
                                stored == 1   ? HALO_U8
                                : stored == 2 ? HALO_U16
                                              : HALO_F32,
                                Pass::light,
                                0,
                                0,
                                0,
                                (W::taps - taps) / 2};
    int64_t blocks = 0;
    CUDA_PASS(rolling_prepare(device, conv, shape, (const void *)kernel, &args->rolling, &blocks));
    CUDA_LAUNCH(device, kernel, blocks, CUDA_WARP, 0, *args);
    return HALO_OK;
}

#endif

/* Expressions: a thread computes four samples side by side, so that a step is decoded once for all of them. The
 * four uppermost values of the stack are in registers where that is enough. */
#include "expr.cuh"

static const int expr_threads = 256, expr_count = 4, expr_most_sources = 9;

struct ExprSource {
    const char *at; /* at the destination's first pixel, or the one pixel */
    int64_t stride;
    HaloDtype dtype;
    int channels;
    bool one; /* a single pixel, everywhere */
};

struct ExprStep {
    uint8_t code, source;
    int16_t channel; /* -1: that of the result */
    float number;
};

struct ExprArgs {
    ExprSource src[expr_most_sources];
    ExprStep step[HALO_MAX_EXPR];
    int length;
    bool flat; /* pixels are values side by side, whatever their channels: in packs of four */
    char *dst;
    int64_t dst_stride, x0, y0, n; /* samples of a row */
    HaloDtype dtype;
    int channels, alpha, source_alpha;
    double rate;
    HaloStore store;
    int64_t row_blocks;
    unsigned long long *clipped;
};

/* A sample of the result: its number in the row, pixel and channel. */
struct ExprPlace {
    int64_t e, pixel;
    int channel;
};

/* ---- steps ----------------------------------------------------------------------------------------------- */

/* Functions are long, and called. */
static __device__ __noinline__ float expr_function(HaloExprCode code, float x, float y)
{
    return halo_expr_f32(code, x, y, 0.0f);
}

CUDA_INLINE void expr_apply(HaloExprCode code, const float x[expr_count], const float y[expr_count],
                            const float z[expr_count], float r[expr_count])
{
    switch (code) {
#define CASE(code)                                                                                           \
    case code:                                                                                               \
        _Pragma("unroll") for (int i = 0; i < expr_count; i++) r[i] = halo_expr_f32(code, x[i], y[i], z[i]); \
        break;
        CASE(HALO_EXPR_NEG)
        CASE(HALO_EXPR_NOT)
        CASE(HALO_EXPR_ABS)
        CASE(HALO_EXPR_SIGN)
        CASE(HALO_EXPR_SQRT)
        CASE(HALO_EXPR_FLOOR)
        CASE(HALO_EXPR_CEIL)
        CASE(HALO_EXPR_ROUND)
        CASE(HALO_EXPR_TRUNC)
        CASE(HALO_EXPR_FRACT)
        CASE(HALO_EXPR_ISNAN)
        CASE(HALO_EXPR_ADD)
        CASE(HALO_EXPR_SUB)
        CASE(HALO_EXPR_MUL)
        CASE(HALO_EXPR_DIV)
        CASE(HALO_EXPR_MIN)
        CASE(HALO_EXPR_MAX)
        CASE(HALO_EXPR_LT)
        CASE(HALO_EXPR_LE)
        CASE(HALO_EXPR_GT)
        CASE(HALO_EXPR_GE)
        CASE(HALO_EXPR_EQ)
        CASE(HALO_EXPR_NE)
        CASE(HALO_EXPR_AND)
        CASE(HALO_EXPR_OR)
        CASE(HALO_EXPR_SELECT)
        CASE(HALO_EXPR_CLAMP)
        CASE(HALO_EXPR_MIX)
        CASE(HALO_EXPR_FMA)
#undef CASE
    default:
#pragma unroll 1
        for (int i = 0; i < expr_count; i++) r[i] = expr_function(code, x[i], y[i]);
    }
}

/* ---- operands -------------------------------------------------------------------------------------------- */

/* Four samples side by side. */
CUDA_INLINE void expr_load_pack(const ExprSource &s, int64_t row, int64_t e, float v[expr_count])
{
    cuda_typed(s.dtype, [&](auto zero) {
        using S = decltype(zero);
        const auto pack = ((const CudaPack<S, expr_count> *)(s.at + row * s.stride))[e / expr_count];
#pragma unroll
        for (int i = 0; i < expr_count; i++) v[i] = (float)pack.at[i];
    });
}

CUDA_INLINE float expr_load(const ExprSource &s, int64_t row, const ExprPlace &p, int channel)
{
    const int c = channel >= 0 ? channel : s.channels == 1 ? 0 : p.channel;
    const int64_t at = s.one ? c : p.pixel * s.channels + c;
    const char *const from = s.at + (s.one ? 0 : row * s.stride);
    float v = 0.0f;
    cuda_typed(s.dtype, [&](auto zero) { v = (float)((const decltype(zero) *)from)[at]; });
    return v;
}

CUDA_INLINE void expr_operand(const ExprArgs &a, const ExprStep &step, int64_t row,
                              const ExprPlace p[expr_count], bool packed, float v[expr_count])
{
    if (step.code == HALO_EXPR_SOURCE && packed) {
        expr_load_pack(a.src[step.source], row, p[0].e, v);
        return;
    }
#pragma unroll
    for (int i = 0; i < expr_count; i++) switch (step.code) {
        case HALO_EXPR_SOURCE:
            v[i] = p[i].e < a.n ? expr_load(a.src[step.source], row, p[i], step.channel) : 0.0f;
            break;
        case HALO_EXPR_X: v[i] = (float)(a.x0 + p[i].pixel); break;
        case HALO_EXPR_T: v[i] = (float)((double)(a.x0 + p[i].pixel) / a.rate); break;
        case HALO_EXPR_Y: v[i] = (float)(a.y0 + row); break;
        case HALO_EXPR_C: v[i] = (float)(p[i].channel + 1); break;
        default: v[i] = step.number; break;
        }
}

/* ---- programs -------------------------------------------------------------------------------------------- */

/* At most four values: the uppermost is s[0]. */
CUDA_INLINE void expr_run_small(const ExprArgs &a, int64_t row, const ExprPlace p[expr_count], bool packed,
                                float out[expr_count])
{
    float s[4][expr_count] = {};
#pragma unroll 1
    for (int k = 0; k < a.length; k++) {
        const ExprStep step = a.step[k];
        const HaloExprCode code = (HaloExprCode)step.code;
        const int takes = halo_expr_takes(code);
        float x[expr_count], y[expr_count], made[expr_count];
        if (takes == 0) {
            expr_operand(a, step, row, p, packed, made);
#pragma unroll
            for (int i = 0; i < expr_count; i++) {
#pragma unroll
                for (int d = 3; d > 0; d--) s[d][i] = s[d - 1][i];
                s[0][i] = made[i];
            }
            continue;
        }
#pragma unroll
        for (int i = 0; i < expr_count; i++) {
            x[i] = takes == 1 ? s[0][i] : takes == 2 ? s[1][i] : s[2][i];
            y[i] = takes == 2 ? s[0][i] : s[1][i];
        }
        expr_apply(code, x, y, s[0], made);
#pragma unroll
        for (int i = 0; i < expr_count; i++) {
            s[0][i] = made[i];
            if (takes == 1) continue;
            s[1][i] = takes == 2 ? s[2][i] : s[3][i];
            s[2][i] = s[3][i];
        }
    }
#pragma unroll
    for (int i = 0; i < expr_count; i++) out[i] = s[0][i];
}

/* Any number of values, in memory. */
CUDA_INLINE void expr_run_large(const ExprArgs &a, int64_t row, const ExprPlace p[expr_count], bool packed,
                                float out[expr_count])
{
    float s[HALO_MAX_EXPR_STACK + 2][expr_count];
    int top = 0;
#pragma unroll 1
    for (int k = 0; k < a.length; k++) {
        const ExprStep step = a.step[k];
        const HaloExprCode code = (HaloExprCode)step.code;
        const int takes = halo_expr_takes(code);
        float made[expr_count];
        top -= takes;
        if (takes == 0)
            expr_operand(a, step, row, p, packed, made);
        else
            expr_apply(code, s[top], s[top + 1], s[top + 2], made);
#pragma unroll
        for (int i = 0; i < expr_count; i++) s[top][i] = made[i];
        top++;
    }
#pragma unroll
    for (int i = 0; i < expr_count; i++) out[i] = s[0][i];
}

template <typename D, bool Small>
__global__ static void __launch_bounds__(expr_threads) expr_kernel(const __grid_constant__ ExprArgs a)
{
    const int64_t row = blockIdx.x / a.row_blocks;
    const int64_t first = ((blockIdx.x - row * a.row_blocks) * expr_threads + threadIdx.x) * expr_count;
    unsigned clipped = 0;
    if (first < a.n) {
        ExprPlace p[expr_count];
#pragma unroll
        for (int i = 0; i < expr_count; i++) {
            p[i].e = first + i;
            p[i].pixel = a.channels == 1 ? p[i].e : p[i].e / a.channels;
            p[i].channel = (int)(p[i].e - p[i].pixel * a.channels);
        }
        const bool packed = a.flat && first + expr_count <= a.n;
        float v[expr_count];
        if (Small)
            expr_run_small(a, row, p, packed, v);
        else
            expr_run_large(a, row, p, packed, v);
        D *const to = (D *)(a.dst + row * a.dst_stride);
        if (packed) {
            CudaPack<D, expr_count> pack;
#pragma unroll
            for (int i = 0; i < expr_count; i++) pack.at[i] = cuda_sample<D>(v[i], a.store, &clipped);
            ((CudaPack<D, expr_count> *)to)[first / expr_count] = pack;
        } else {
#pragma unroll
            for (int i = 0; i < expr_count; i++) {
                if (p[i].e >= a.n) continue;
                if (a.alpha >= 0 && p[i].channel == a.alpha)
                    v[i] = expr_load(a.src[0], row, p[i], a.source_alpha);
                to[p[i].e] = cuda_sample<D>(v[i], a.store, &clipped);
            }
        }
    }
    cuda_count_clipped(a.clipped, clipped);
}

/* ---- all ------------------------------------------------------------------------------------------------- */

static ExprSource source_of(const HaloBuf *src, const HaloBuf *dst, bool spreads)
{
    ExprSource s = {};
    s.one = spreads && halo_is_pixel(&src->shape);
    s.at = s.one ? (const char *)src->data : (const char *)halo_at(src, dst->x0, dst->y0);
    s.stride = src->stride;
    s.dtype = src->shape.dtype;
    s.channels = src->shape.channels;
    return s;
}

/* Are all samples at the same place in their rows, so that packs can be loaded and stored? */
static bool is_flat(const ExprArgs &a, const HaloExpr *expr, int sources)
{
    if (expr->places || expr->single || a.alpha >= 0 ||
        !cuda_aligned(a.dst, a.dst_stride, (size_t)(expr_count * cuda_size(a.dtype))))
        return false;
    for (int k = 0; k < sources; k++)
        if (a.src[k].channels != a.channels || a.src[k].one ||
            !cuda_aligned(a.src[k].at, a.src[k].stride, (size_t)(expr_count * cuda_size(a.src[k].dtype))))
            return false;
    return true;
}

template <typename D> static HaloStatus launch(HaloDevice *device, const ExprArgs &a, int depth, int64_t rows)
{
    if (depth <= 4)
        CUDA_LAUNCH(device, (expr_kernel<D, true>), a.row_blocks * rows, expr_threads, 0, a);
    else
        CUDA_LAUNCH(device, (expr_kernel<D, false>), a.row_blocks * rows, expr_threads, 0, a);
    return HALO_OK;
}

HaloStatus cuda_expr(HaloDevice *device, const HaloBuf *const src[], int sources, HaloBuf *dst,
                     const HaloExpr *expr, HaloStore store)
{
    CUDA_PASS(cuda_use(device));
    if (dst->cols < 1 || dst->rows < 1) return HALO_OK;
    ExprArgs a = {};
    for (int k = 0; k < sources; k++) a.src[k] = source_of(src[k], dst, k > 0);
    for (int i = 0; i < expr->length; i++) {
        const HaloExprStep *step = &expr->at[i];
        a.step[i] = {(uint8_t)step->code, (uint8_t)step->source, (int16_t)step->channel, (float)step->number};
    }
    a.length = expr->length;
    a.dst = (char *)dst->data;
    a.dst_stride = dst->stride;
    a.x0 = dst->x0;
    a.y0 = dst->y0;
    a.n = dst->cols * dst->shape.channels;
    a.dtype = dst->shape.dtype;
    a.channels = dst->shape.channels;
    a.alpha = dst->shape.alpha;
    a.source_alpha = src[0]->shape.alpha;
    a.rate = expr->rate;
    a.store = store;
    a.row_blocks = cuda_ceil_div(a.n, expr_threads * expr_count);
    a.clipped = device->clipped;
    a.flat = is_flat(a, expr, sources);
    if (a.dtype == HALO_U8) return launch<uint8_t>(device, a, expr->depth, dst->rows);
    if (a.dtype == HALO_U16) return launch<uint16_t>(device, a, expr->depth, dst->rows);
    return launch<float>(device, a, expr->depth, dst->rows);
}

/* Expressions: a thread computes four samples side by side, so that a step is decoded once for all of them. The
 * four uppermost values of the stack are in registers where that is enough. */
#include "expr.cuh"

#define CUDA_INLINE_MEMBER __device__ __forceinline__

static const int expr_threads = 256, expr_count = 4, expr_most_sources = 9;
/* So many values fit in registers beside the stack. */
static const int expr_early_most = 3;

struct ExprSource {
    const char *at; /* at the destination's first pixel, or the one pixel */
    int64_t stride;
    HaloDtype dtype;
    int channels;
    bool one; /* a single pixel, everywhere */
};

struct ExprStep {
    uint8_t code; /* HALO_EXPR_NUMBER: an operand becomes the accumulator, which moves down the stack */
    uint8_t leaf; /* the code of the operand; HALO_EXPR_CODES: the stack has them all */
    uint8_t source;
    uint8_t early;   /* which of the values loaded before the first step it is; expr_early_most: none of them */
    int32_t channel; /* -1: that of the result */
    float number;
};

struct ExprArgs {
    ExprSource src[expr_most_sources];
    ExprStep step[HALO_MAX_EXPR];
    int length, loaded; /* steps; and sources that are loaded before them, at once, where they are packs */
    uint8_t early[expr_early_most]; /* these */
    bool flat;                      /* pixels are values side by side, whatever their channels, in packs */
    char *dst;
    int64_t dst_stride, x0, y0, n; /* samples of a row */
    HaloDtype dtype;
    int channels, alpha, source_alpha;
    double rate;
    HaloStore store;
    unsigned row_blocks;
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

/* Functions false: there are none, whose registers would be reserved. */
template <bool Functions>
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
    default: /* not a loop, for that would keep all values in memory */
        if constexpr (Functions) {
#pragma unroll
            for (int i = 0; i < expr_count; i++) r[i] = expr_function(code, x[i], y[i]);
        }
    }
}

/* ---- operands -------------------------------------------------------------------------------------------- */

/* Samples side by side. */
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

/* Samples of the first sources, which were all asked for before one was needed. */
struct ExprEarly {
    float v[expr_early_most][expr_count];
};

/* Flat: only sources and numbers, in packs. */
template <bool Flat>
CUDA_INLINE void expr_operand(const ExprArgs &a, const ExprStep &step, int64_t row,
                              const ExprPlace p[expr_count], const ExprEarly &early, float v[expr_count])
{
    if (Flat && step.leaf == HALO_EXPR_SOURCE) {
        if (step.early == expr_early_most) expr_load_pack(a.src[step.source], row, p[0].e, v);
#pragma unroll
        for (int k = 0; k < expr_early_most; k++)
            if (step.early == k) {
#pragma unroll
                for (int i = 0; i < expr_count; i++) v[i] = early.v[k][i];
            }
        return;
    }
    if constexpr (Flat) {
#pragma unroll
        for (int i = 0; i < expr_count; i++) v[i] = step.number;
    } else {
#pragma unroll
        for (int i = 0; i < expr_count; i++) switch (step.leaf) {
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
}

/* ---- programs -------------------------------------------------------------------------------------------- */

/* Below the accumulator, the uppermost first: in registers, which move, */
struct ExprRegisters {
    float s[3][expr_count];

    CUDA_INLINE_MEMBER void push(const float v[expr_count])
    {
#pragma unroll
        for (int i = 0; i < expr_count; i++) {
            s[2][i] = s[1][i];
            s[1][i] = s[0][i];
            s[0][i] = v[i];
        }
    }
    CUDA_INLINE_MEMBER void pop(float v[expr_count])
    {
#pragma unroll
        for (int i = 0; i < expr_count; i++) {
            v[i] = s[0][i];
            s[0][i] = s[1][i];
            s[1][i] = s[2][i];
        }
    }
};

/* or in memory. */
struct ExprMemory {
    float s[HALO_MAX_EXPR_STACK][expr_count];
    int top;

    CUDA_INLINE_MEMBER void push(const float v[expr_count])
    {
#pragma unroll
        for (int i = 0; i < expr_count; i++) s[top][i] = v[i];
        top++;
    }
    CUDA_INLINE_MEMBER void pop(float v[expr_count])
    {
        top--;
#pragma unroll
        for (int i = 0; i < expr_count; i++) v[i] = s[top][i];
    }
};

template <typename Stack, bool Functions, bool Flat>
CUDA_INLINE void expr_run(const ExprArgs &a, int64_t row, const ExprPlace p[expr_count], float acc[expr_count])
{
    Stack stack = {};
    ExprEarly early = {};
#pragma unroll
    for (int k = 0; k < expr_early_most; k++)
        if (Flat && k < a.loaded) expr_load_pack(a.src[a.early[k]], row, p[0].e, early.v[k]);
#pragma unroll 1
    for (int k = 0; k < a.length; k++) {
        const ExprStep step = a.step[k];
        const HaloExprCode code = (HaloExprCode)step.code;
        if (code == HALO_EXPR_NUMBER) {
            if (k > 0) stack.push(acc);
            expr_operand<Flat>(a, step, row, p, early, acc);
            continue;
        }
        const int takes = halo_expr_takes(code);
        float x[expr_count], y[expr_count], z[expr_count];
        if (takes == 1) {
            expr_apply<Functions>(code, acc, acc, acc, acc);
        } else if (step.leaf != HALO_EXPR_CODES) {
            expr_operand<Flat>(a, step, row, p, early, y);
            expr_apply<Functions>(code, acc, y, y, acc);
        } else if (takes == 2) {
            stack.pop(x);
            expr_apply<Functions>(code, x, acc, acc, acc);
        } else {
#pragma unroll
            for (int i = 0; i < expr_count; i++) z[i] = acc[i];
            stack.pop(y);
            stack.pop(x);
            expr_apply<Functions>(code, x, y, z, acc);
        }
    }
}

/* Packs, side by side. */
template <typename D>
CUDA_INLINE void expr_store_pack(const ExprArgs &a, D *to, const float v[expr_count], unsigned *clipped)
{
    CudaPack<D, expr_count> pack;
#pragma unroll
    for (int i = 0; i < expr_count; i++) pack.at[i] = cuda_sample<D>(v[i], a.store, clipped);
    *(CudaPack<D, expr_count> *)to = pack;
}

template <typename D>
CUDA_INLINE void expr_store(const ExprArgs &a, int64_t row, const ExprPlace p[expr_count], D *to,
                            float v[expr_count], unsigned *clipped)
{
#pragma unroll
    for (int i = 0; i < expr_count; i++) {
        if (p[i].e >= a.n) continue;
        if (a.alpha >= 0 && p[i].channel == a.alpha) v[i] = expr_load(a.src[0], row, p[i], a.source_alpha);
        to[p[i].e] = cuda_sample<D>(v[i], a.store, clipped);
    }
}

template <typename D, typename Stack, bool Functions, bool Flat>
__global__ static void __launch_bounds__(expr_threads, Functions ? 2 : 4)
    expr_kernel(const __grid_constant__ ExprArgs a)
{
    const unsigned row = blockIdx.x / a.row_blocks;
    const int64_t first =
        (int64_t)((blockIdx.x - row * a.row_blocks) * expr_threads + threadIdx.x) * expr_count;
    unsigned clipped = 0;
    if (first < a.n) {
        ExprPlace p[expr_count];
#pragma unroll
        for (int i = 0; i < expr_count; i++) {
            p[i].e = first + i;
            p[i].pixel = Flat || a.channels == 1 ? p[i].e : p[i].e / a.channels;
            p[i].channel = Flat ? 0 : (int)(p[i].e - p[i].pixel * a.channels);
        }
        float v[expr_count] = {};
        expr_run<Stack, Functions, Flat>(a, row, p, v);
        D *const to = (D *)(a.dst + row * a.dst_stride);
        if (Flat)
            expr_store_pack(a, to + first, v, &clipped);
        else
            expr_store(a, row, p, to, v, &clipped);
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

static size_t pack_bytes(HaloDtype dtype) { return (size_t)(expr_count * cuda_size(dtype)); }

/* Are all samples at the same place in their rows, so that packs can be loaded and stored; and is the stack
 * small? */
static bool is_flat(const ExprArgs &a, const HaloExpr *expr, int sources)
{
    if (expr->places || expr->single || a.alpha >= 0 || a.n % expr_count != 0 || expr->depth > 4 ||
        !cuda_aligned(a.dst, a.dst_stride, pack_bytes(a.dtype)))
        return false;
    for (int k = 0; k < sources; k++)
        if (a.src[k].channels != a.channels || a.src[k].one ||
            !cuda_aligned(a.src[k].at, a.src[k].stride, pack_bytes(a.src[k].dtype)))
            return false;
    return true;
}

/* Step *at, or an operand with the step of two values that takes it; *at moves behind them. */
static ExprStep next_step(const HaloExpr *expr, int *at)
{
    const HaloExprStep *const step = &expr->at[(*at)++];
    ExprStep made = {};
    made.code = (uint8_t)step->code;
    made.leaf = HALO_EXPR_CODES;
    if (halo_expr_takes(step->code) > 0) return made;
    made.leaf = (uint8_t)step->code;
    made.source = (uint8_t)step->source;
    made.channel = step->channel;
    made.number = (float)step->number;
    made.code = HALO_EXPR_NUMBER;
    if (*at > 1 && *at < expr->length && halo_expr_takes(expr->at[*at].code) == 2)
        made.code = (uint8_t)expr->at[(*at)++].code;
    return made;
}

static void load_early(ExprArgs *a, ExprStep *step)
{
    int k = 0;
    while (k < a->loaded && a->early[k] != step->source) k++;
    step->early = (uint8_t)k;
    if (k == a->loaded && k < expr_early_most) a->early[a->loaded++] = step->source;
}

static bool has_functions(const HaloExpr *expr)
{
    bool any = false;
    for (int i = 0; i < expr->length; i++) any = any || halo_expr_is_function(expr->at[i].code);
    return any;
}

template <typename D>
static HaloStatus launch(HaloDevice *device, const ExprArgs &a, const HaloExpr *expr, int64_t rows)
{
    const int64_t blocks = a.row_blocks * rows;
    const bool functions = has_functions(expr);
    if (a.flat && functions)
        CUDA_LAUNCH(device, (expr_kernel<D, ExprRegisters, true, true>), blocks, expr_threads, 0, a);
    else if (a.flat)
        CUDA_LAUNCH(device, (expr_kernel<D, ExprRegisters, false, true>), blocks, expr_threads, 0, a);
    else if (expr->depth <= 4 && !functions)
        CUDA_LAUNCH(device, (expr_kernel<D, ExprRegisters, false, false>), blocks, expr_threads, 0, a);
    else
        CUDA_LAUNCH(device, (expr_kernel<D, ExprMemory, true, false>), blocks, expr_threads, 0, a);
    return HALO_OK;
}

HaloStatus cuda_expr(HaloDevice *device, const HaloBuf *const src[], int sources, HaloBuf *dst,
                     const HaloExpr *expr, HaloStore store)
{
    CUDA_PASS(cuda_use(device));
    if (dst->cols < 1 || dst->rows < 1) return HALO_OK;
    ExprArgs a = {};
    for (int k = 0; k < sources; k++) a.src[k] = source_of(src[k], dst, k > 0);
    for (int i = 0; i < expr->length; a.length++) {
        a.step[a.length] = next_step(expr, &i);
        if (a.step[a.length].leaf == HALO_EXPR_SOURCE) load_early(&a, &a.step[a.length]);
    }
    a.dst = (char *)dst->data;
    a.dst_stride = dst->stride;
    a.x0 = dst->x0;
    a.y0 = dst->y0;
    a.n = dst->cols * dst->shape.channels;
    a.dtype = dst->shape.dtype;
    a.channels = dst->shape.channels;
    a.alpha = expr->alphas ? -1 : dst->shape.alpha;
    a.source_alpha = src[0]->shape.alpha;
    a.rate = expr->rate;
    a.store = store;
    a.row_blocks = (unsigned)cuda_ceil_div(a.n, expr_threads * expr_count);
    a.clipped = device->clipped;
    a.flat = is_flat(a, expr, sources);
    if (a.dtype == HALO_U8) return launch<uint8_t>(device, a, expr, dst->rows);
    if (a.dtype == HALO_U16) return launch<uint16_t>(device, a, expr, dst->rows);
    return launch<float>(device, a, expr, dst->rows);
}

/* Steps of expressions on a GPU: operands, what a step makes of them, and programs (expr.cu). A thread computes
 * four samples side by side, so that a step is decoded once for all of them. The four uppermost values of the
 * stack are in registers where that is enough. */
#ifndef HALO_CUDA_POINT_EXPR_STEPS_CUH
#define HALO_CUDA_POINT_EXPR_STEPS_CUH

#include "common.cuh"
#include "halo/expr.h"

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

#endif

/* Expressions: the kernel and its launch. */
#include "expr.cuh"
#include "expr_steps.cuh"

/* ---- results ------------------------------------------------------------------------------------------- */

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

/* ---- launching ----------------------------------------------------------------------------------------- */

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

/* Expressions: pieces of rows, step by step, a loop for each. Operands lie in rows that were loaded, or in
 * planes of one value for each pixel; results in a slot for each place of the stack. */
#include "halo/expr.h"

#include <string.h>

#include "double/double.h"
#include "primitives.h"

#define PIECE 1024 /* values of a plane, */
#define TASK_PIXELS 16384
#define BLOCK                                                                                      \
    128 /* of them that go through all steps before the next: past the first-level cache just once \
         */

typedef struct Expr {
    const HaloBuf *const *src;
    int sources;
    HaloBuf *dst;
    const HaloExpr *expr;
    HaloStore store;
    HaloDevice *device;
    int channels, results; /* of a pixel, and those of them that are computed */
    bool flat;             /* pixels are values side by side, whatever their channels */
    bool plain;            /* so are results */
    int64_t pixels;        /* of a piece */
    bool put, past;        /* results are stored block by block; past the caches */
    bool used[HALO_MAX_EXPR], in_place[HALO_MAX_EXPR]; /* sources; those that need not be loaded */
    char *scratch;                                     /* [workers] */
    int64_t at_row[HALO_MAX_EXPR], at_plane[HALO_MAX_EXPR], at_slot, at_made, at_out, scratch_bytes;
    int64_t rows, parts; /* of a task: so many rows, or a part of one of so many */
} Expr;

/* The channel of the destination that is copied, not computed; -1: none. */
static int copied_channel(const Expr *e) { return e->expr->alphas ? -1 : e->dst->shape.alpha; }

/* Where the destination has result `k`. */
static int channel_of(const Expr *e, int k)
{
    const int alpha = copied_channel(e);
    return alpha >= 0 && k >= alpha ? k + 1 : k;
}

/* The channel of a source that a step means. */
static int source_channel(const Expr *e, const HaloExprStep *step, int result)
{
    if (step->channel >= 0) return step->channel;
    return e->src[step->source]->shape.channels == 1 ? 0 : channel_of(e, result);
}

static bool lies_ready(const Expr *e, const HaloExprStep *step)
{
    const HaloShape *shape = &e->src[step->source]->shape;
    return e->flat || (shape->channels == 1 && !(step->source > 0 && halo_is_pixel(shape)));
}

#define T float
#define NAMED(name) name##_f32
#define LOAD(e, from, x, y, n, row)                                                                          \
    (e)->device->kernels->rows->load[(from)->shape.dtype](halo_at(from, x, y), (n) * (from)->shape.channels, \
                                                          row)
#define PUT(e, from, n, to) (e)->device->kernels->rows->put(from, n, (e)->past, to)
#define KERNELS f32
#include "expr_tmpl.h"
#undef T
#undef NAMED
#undef LOAD
#undef PUT
#undef KERNELS

#define T double
#define NAMED(name) name##_f64
#define LOAD(e, from, x, y, n, row)                                               \
    (e)->device->kernels->doubles->load[(from)->shape.dtype](halo_at(from, x, y), \
                                                             (n) * (from)->shape.channels, row)
#define PUT(e, from, n, to) (e)->device->kernels->doubles->store(from, n, to)
#define KERNELS f64
#include "expr_tmpl.h"
#undef T
#undef NAMED
#undef LOAD
#undef PUT
#undef KERNELS

/* ---- all ------------------------------------------------------------------------------------------------ */

static void make_piece(const Expr *e, char *own, int64_t x, int64_t y, int64_t n, uint64_t *clipped)
{
    const CpuKernels *kernels = e->device->kernels;
    const HaloDtype dtype = e->dst->shape.dtype;
    void *const to = halo_at(e->dst, x, y), *const made = e->put ? to : own + e->at_out;
    if (dtype == HALO_F64)
        piece_f64(e, own, x, y, n, made);
    else
        piece_f32(e, own, x, y, n, made);
    if (e->put) return;
    if (dtype == HALO_F64)
        kernels->doubles->store(made, n * e->channels, to);
    else
        kernels->rows->store[dtype](made, n * e->channels, e->store, to, clipped);
}

/* Of a task; the pieces behind it begin where a cache line does, if they go past the caches. */
static int64_t first_pixels(const Expr *e, int64_t x, int64_t y)
{
    const uintptr_t pixel = (uintptr_t)e->channels * halo_dtype_size(e->dst->shape.dtype);
    const uintptr_t at = (uintptr_t)halo_at(e->dst, x, y);
    if (!e->past) return e->pixels;
    for (int64_t n = e->pixels; n > 0 && n > e->pixels - 64; n--)
        if ((at + (uintptr_t)n * pixel) % 64 == 0) return n;
    return e->pixels;
}

static void expr_task(void *context, int64_t task, int worker)
{
    const Expr *e = context;
    const HaloBuf *dst = e->dst;
    char *const own = e->scratch + worker * e->scratch_bytes;
    const int64_t row = task / e->parts * e->rows, part = task % e->parts;
    const int64_t from = dst->cols * part / e->parts, upto = dst->cols * (part + 1) / e->parts;
    uint64_t clipped = 0;
    if (dst->shape.dtype == HALO_F64)
        fill_f64(e, own);
    else
        fill_f32(e, own);
    for (int64_t y = row; y < least(row + e->rows, dst->rows); y++)
        for (int64_t x = from, n; x < upto; x += n) {
            n = least(upto - x, x == from ? first_pixels(e, dst->x0 + x, dst->y0 + y) : e->pixels);
            make_piece(e, own, dst->x0 + x, dst->y0 + y, n, &clipped);
        }
    if (e->past) e->device->kernels->rows->fence();
    cpu_count_clipped(e->device, clipped);
}

static bool holds(const HaloBuf *src, const HaloBuf *dst, bool spreads)
{
    if (spreads && halo_is_pixel(&src->shape)) return halo_buf_is_whole(src);
    return src->x0 <= dst->x0 && src->y0 <= dst->y0 && src->x0 + src->cols >= dst->x0 + dst->cols &&
           src->y0 + src->rows >= dst->y0 + dst->rows;
}

static bool is_flat(const Expr *e)
{
    if (e->expr->places || e->expr->single || copied_channel(e) >= 0) return false;
    for (int k = 0; k < e->sources; k++)
        if (e->src[k]->shape.channels != e->channels || (k > 0 && halo_is_pixel(&e->src[k]->shape)))
            return false;
    return true;
}

/* Are its samples what is computed with, where the machine can read them? */
static bool lies_in_place(const HaloBuf *src, HaloDtype dtype)
{
    const uintptr_t size = dtype == HALO_F64 ? sizeof(double) : sizeof(float);
    return src->shape.dtype == (dtype == HALO_F64 ? HALO_F64 : HALO_F32) &&
           ((uintptr_t)src->data | (uintptr_t)src->stride) % size == 0;
}

static HaloStatus prepare(Expr *e, int workers, int64_t size)
{
    HaloStatus status = HALO_OK;
    int64_t total = 0, at;
    bool fits = true;
    void *scratch;
    e->flat = is_flat(e);
    e->plain = e->flat || (e->channels == 1 && e->results == 1);
    e->put =
        e->plain && e->store.num == 1.0f && e->store.den == 1.0f && lies_in_place(e->dst, e->dst->shape.dtype);
    e->past = e->put && e->dst->shape.dtype == HALO_F32 && cpu_streams(e->dst);
    e->pixels = most(1, PIECE / (e->flat ? e->channels : 1));
    const int64_t plane = e->pixels * (e->flat ? e->channels : 1);
    e->used[0] = copied_channel(e) >= 0;
    for (int i = 0; i < e->expr->length; i++) {
        const HaloExprStep *step = &e->expr->at[i];
        if (step->code == HALO_EXPR_SOURCE) e->used[step->source] = true;
        if (halo_expr_takes(step->code) > 0 || (step->code == HALO_EXPR_SOURCE && lies_ready(e, step)))
            continue;
        fits = fits && cpu_reserve(&e->scratch_bytes, plane, size, &e->at_plane[i]);
    }
    for (int k = 0; k < e->sources; k++) {
        e->in_place[k] = lies_in_place(e->src[k], e->dst->shape.dtype);
        const bool loaded = e->used[k] && !e->in_place[k];
        fits = fits && cpu_reserve(&e->scratch_bytes, loaded ? e->pixels * e->src[k]->shape.channels : 0, size,
                                   &e->at_row[k]);
    }
    fits = fits && cpu_reserve(&e->scratch_bytes, e->expr->depth * BLOCK, size, &e->at_slot) &&
           cpu_reserve(&e->scratch_bytes, e->plain ? 0 : plane, size, &e->at_made) &&
           cpu_reserve(&e->scratch_bytes, e->pixels * e->channels, size, &e->at_out) &&
           cpu_reserve(&total, workers, e->scratch_bytes, &at);
    if (!fits) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for an expression");
    HALO_TRY(cpu_scratch(e->device, total, &scratch));
    e->scratch = scratch;
    e->parts = most(1, e->dst->cols / TASK_PIXELS);
    e->rows = e->parts > 1 ? 1 : most(1, TASK_PIXELS / e->dst->cols);
out:
    return status;
}

HaloStatus cpu_expr(HaloDevice *device, const HaloBuf *const src[], int sources, HaloBuf *dst,
                    const HaloExpr *expr, HaloStore store)
{
    HaloStatus status = HALO_OK;
    Expr e = {.src = src,
              .sources = sources,
              .dst = dst,
              .expr = expr,
              .store = store,
              .device = device,
              .channels = dst->shape.channels};
    e.results = e.channels - (copied_channel(&e) >= 0);
    if (dst->cols < 1 || dst->rows < 1) goto out;
    for (int k = 0; k < sources; k++)
        if (!holds(src[k], dst, k > 0))
            HALO_FAIL(HALO_ERR_BUG, "internal: a source of an expression does not hold the samples it needs");
    const double work = (double)dst->cols * (double)dst->rows * e.results * expr->length;
    const int workers = cpu_workers(device, work);
    HALO_TRY(
        prepare(&e, workers, dst->shape.dtype == HALO_F64 ? (int64_t)sizeof(double) : (int64_t)sizeof(float)));
    cpu_run(device, workers, e.parts * divide_up(dst->rows, e.rows), expr_task, &e);
out:
    return status;
}

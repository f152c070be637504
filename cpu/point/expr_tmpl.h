/* Pieces of an expression in T, a type of floats; expr.c includes it once for each. */

/* Values of a piece, or, where they do not move, of the block that is computed. */
typedef struct NAMED(Operand) {
    const T *at;
    bool moves;
} NAMED(Operand);

typedef struct NAMED(Call) {
    void (*run)(const T *x, const T *y, const T *z, int64_t n, T *out);
    NAMED(Operand) of[3];
    T *slot;
} NAMED(Call);

/* Numbers stay in their planes. */
static void NAMED(fill)(const Expr *e, char *own)
{
    const int64_t n = e->pixels * (e->flat ? e->channels : 1);
    for (int i = 0; i < e->expr->length; i++) {
        if (e->expr->at[i].code != HALO_EXPR_NUMBER) continue;
        T *const plane = (T *)(void *)(own + e->at_plane[i]);
        for (int64_t k = 0; k < n; k++) plane[k] = (T)e->expr->at[i].number;
    }
}

/* Pixels of a source from (x, y) on: as they lie, or where they were loaded. */
static const T *NAMED(row)(const Expr *e, const char *own, int k, int64_t x, int64_t y)
{
    const bool one = k > 0 && halo_is_pixel(&e->src[k]->shape);
    return (const T *)(const void *)(e->in_place[k] ? (const char *)halo_at(e->src[k], one ? 0 : x, one ? 0 : y)
                                                    : own + e->at_row[k]);
}

/* One channel of a source. */
static const T *NAMED(samples)(const Expr *e, char *own, int i, int result, int64_t x, int64_t y, int64_t n)
{
    const HaloExprStep *step = &e->expr->at[i];
    const HaloShape *shape = &e->src[step->source]->shape;
    const T *const row = NAMED(row)(e, own, step->source, x, y);
    if (lies_ready(e, step)) return row;
    T *const plane = (T *)(void *)(own + e->at_plane[i]);
    const int64_t apart = step->source > 0 && halo_is_pixel(shape) ? 0 : shape->channels;
    const int channel = source_channel(e, step, result);
    for (int64_t k = 0; k < n; k++) plane[k] = row[k * apart + channel];
    return plane;
}

static const T *NAMED(operand)(const Expr *e, char *own, int i, int result, int64_t x, int64_t y, int64_t n)
{
    const HaloExprStep *step = &e->expr->at[i];
    if (step->code == HALO_EXPR_SOURCE) return NAMED(samples)(e, own, i, result, x, y, n);
    T *const plane = (T *)(void *)(own + e->at_plane[i]);
    switch (step->code) {
    case HALO_EXPR_X:
        for (int64_t k = 0; k < n; k++) plane[k] = (T)(x + k);
        break;
    case HALO_EXPR_T:
        for (int64_t k = 0; k < n; k++) plane[k] = (T)((double)(x + k) / e->expr->rate);
        break;
    case HALO_EXPR_Y:
        for (int64_t k = 0; k < n; k++) plane[k] = (T)y;
        break;
    case HALO_EXPR_C:
        for (int64_t k = 0; k < n; k++) plane[k] = (T)(channel_of(e, result) + 1);
        break;
    default: break;
    }
    return plane;
}

/* The steps that compute one channel of the result of a piece of n values; *last is what they leave. */
static int NAMED(calls)(const Expr *e, char *own, int result, int64_t x, int64_t y, int64_t n,
                        NAMED(Call) call[], NAMED(Operand) * last)
{
    NAMED(Operand) stack[HALO_MAX_EXPR_STACK + 2] = {{0}};
    int top = 0, calls = 0;
    for (int i = 0; i < e->expr->length; i++) {
        const HaloExprCode code = e->expr->at[i].code;
        const int takes = halo_expr_takes(code);
        if (takes == 0) {
            stack[top++] = (NAMED(Operand)){NAMED(operand)(e, own, i, result, x, y, n), true};
            continue;
        }
        top -= takes;
        T *const slot = (T *)(void *)(own + e->at_slot) + top * BLOCK;
        call[calls++] = (NAMED(Call)){
            e->device->kernels->expr->KERNELS[code], {stack[top], stack[top + 1], stack[top + 2]}, slot};
        stack[top++] = (NAMED(Operand)){slot, false};
    }
    *last = stack[0];
    return calls;
}

static const T *NAMED(at)(NAMED(Operand) operand, int64_t i)
{
    return operand.moves ? operand.at + i : operand.at;
}

/* One channel of the result, of n values, in `out`, as they are or as the destination has them. */
static void NAMED(evaluate)(const Expr *e, char *own, int result, int64_t x, int64_t y, int64_t n, bool put,
                            T *out)
{
    NAMED(Call) call[HALO_MAX_EXPR];
    NAMED(Operand) last;
    const int calls = NAMED(calls)(e, own, result, x, y, n, call, &last);
    for (int64_t i = 0; i < n; i += BLOCK) {
        const int64_t count = least(BLOCK, n - i);
        for (int k = 0; k < calls; k++) {
            const NAMED(Operand) *const of = call[k].of;
            call[k].run(NAMED(at)(of[0], i), NAMED(at)(of[1], i), NAMED(at)(of[2], i), count, call[k].slot);
        }
        if (put)
            PUT(e, NAMED(at)(last, i), count, out + i);
        else
            memcpy(out + i, NAMED(at)(last, i), (size_t)count * sizeof *out);
    }
}

/* n pixels, from (x, y) on, in `out`. */
static void NAMED(piece)(const Expr *e, char *own, int64_t x, int64_t y, int64_t n, T *out)
{
    const int64_t channels = e->channels;
    for (int k = 0; k < e->sources; k++) {
        if (!e->used[k] || e->in_place[k]) continue;
        const bool one = k > 0 && halo_is_pixel(&e->src[k]->shape);
        LOAD(e, e->src[k], one ? 0 : x, one ? 0 : y, one ? 1 : n, (T *)(void *)(own + e->at_row[k]));
    }
    if (e->plain) {
        NAMED(evaluate)(e, own, 0, x, y, n * channels, e->put, out);
        return;
    }
    T *const made = (T *)(void *)(own + e->at_made);
    for (int result = 0; result < e->results; result++) {
        NAMED(evaluate)(e, own, result, x, y, n, false, made);
        T *const to = out + channel_of(e, result);
        for (int64_t i = 0; i < n; i++) to[i * channels] = made[i];
    }
    if (copied_channel(e) >= 0) {
        const HaloShape *from = &e->src[0]->shape;
        const T *const row = NAMED(row)(e, own, 0, x, y);
        for (int64_t i = 0; i < n; i++)
            out[i * channels + copied_channel(e)] = row[i * from->channels + from->alpha];
    }
}

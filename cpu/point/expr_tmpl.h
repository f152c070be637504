/* Pieces of an expression in T, a type of floats; expr.c includes it once for each. */

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

/* One channel of a source. */
static const T *NAMED(samples)(const Expr *e, char *own, int i, int result, int64_t n)
{
    const HaloExprStep *step = &e->expr->at[i];
    const HaloShape *shape = &e->src[step->source]->shape;
    const T *const row = (const T *)(void *)(own + e->at_row[step->source]);
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
    if (step->code == HALO_EXPR_SOURCE) return NAMED(samples)(e, own, i, result, n);
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

/* One channel of the result, of n values. */
static const T *NAMED(evaluate)(const Expr *e, char *own, int result, int64_t x, int64_t y, int64_t n)
{
    const T *stack[HALO_MAX_EXPR_STACK + 2] = {0};
    const int64_t plane = e->pixels * (e->flat ? e->channels : 1);
    int top = 0;
    for (int i = 0; i < e->expr->length; i++) {
        const HaloExprCode code = e->expr->at[i].code;
        const int takes = halo_expr_takes(code);
        if (takes == 0) {
            stack[top++] = NAMED(operand)(e, own, i, result, x, y, n);
            continue;
        }
        top -= takes;
        T *const slot = (T *)(void *)(own + e->at_slot) + top * plane;
        e->device->kernels->expr->KERNELS[code](stack[top], stack[top + 1], stack[top + 2], n, slot);
        stack[top++] = slot;
    }
    return stack[0];
}

/* n pixels, from (x, y) on. */
static T *NAMED(piece)(const Expr *e, char *own, int64_t x, int64_t y, int64_t n)
{
    T *const out = (T *)(void *)(own + e->at_out);
    const int64_t channels = e->channels;
    for (int k = 0; k < e->sources; k++) {
        if (!e->used[k]) continue;
        const bool one = k > 0 && halo_is_pixel(&e->src[k]->shape);
        LOAD(e, e->src[k], one ? 0 : x, one ? 0 : y, one ? 1 : n, (T *)(void *)(own + e->at_row[k]));
    }
    if (e->flat) {
        const T *const made = NAMED(evaluate)(e, own, 0, x, y, n * channels);
        for (int64_t i = 0; i < n * channels; i++) out[i] = made[i];
        return out;
    }
    for (int result = 0; result < e->results; result++) {
        const T *const made = NAMED(evaluate)(e, own, result, x, y, n);
        T *const to = out + channel_of(e, result);
        for (int64_t i = 0; i < n; i++) to[i * channels] = made[i];
    }
    if (copied_channel(e) >= 0) {
        const HaloShape *from = &e->src[0]->shape;
        const T *const row = (const T *)(void *)(own + e->at_row[0]);
        for (int64_t i = 0; i < n; i++)
            out[i * channels + copied_channel(e)] = row[i * from->channels + from->alpha];
    }
    return out;
}

/* Gathers samples unchanged: crop, pad, flip, rotate, stride. */
#include <stdlib.h>

#include "halo/numerics.h"
#include "primitive.h"

static HaloStatus shape(const HaloStep *step, const HaloShape *const src[], HaloShape *dst)
{
    const HaloPick *pick = &step->u.pick;
    *dst = *src[0];
    dst->dtype = HALO_F32;
    dst->width = pick->width;
    dst->height = pick->height;
    if (pick->width >= 1 && pick->height >= 1 && pick->step_x != 0 && pick->step_y != 0) return HALO_OK;
    return halo_fail(HALO_ERR_BUG, "a gather of an image without pixels");
}

/* Maps positions [*from, *to) of the result to positions of the source, which may lie outside of it. */
static void places(int64_t origin, int64_t move, int64_t *from, int64_t *to)
{
    const int64_t first = origin + move * *from, last = origin + move * (*to - 1);
    *from = smaller(first, last);
    *to = larger(first, last) + 1;
}

/* The last piece that begins at output `at` or before. */
static const HaloPiece *piece_at(const HaloPick *pick, int64_t at)
{
    int64_t low = 0, high = pick->pieces;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        *(pick->piece[middle].at <= at ? &low : &high) = middle;
    }
    return &pick->piece[low];
}

static int64_t place_of(const HaloPick *pick, int64_t at)
{
    const HaloPiece *piece = piece_at(pick, at);
    return piece->from + (at - piece->at);
}

static Part reads(const HaloStep *step, int k, const HaloShape *src, Part part)
{
    const HaloPick *pick = &step->u.pick;
    const HaloWindow single = {.width = 1, .height = 1, .border = pick->border, .value = pick->value};
    (void)k;
    if (part_is_empty(part)) return part;
    if (pick->pieces > 0) return (Part){place_of(pick, part.x0), place_of(pick, part.x1 - 1) + 1, 0, 1};
    if (pick->transposed) part = (Part){part.y0, part.y1, part.x0, part.x1};
    places(pick->x0, pick->step_x, &part.x0, &part.x1);
    places(pick->y0, pick->step_y, &part.y0, &part.y1);
    return window_part(&single, src, part);
}

/* Does an axis of `next` read only inside of its source? */
static bool stays_inside(int64_t origin, int64_t move, int64_t count, int64_t length)
{
    int64_t from = 0, to = count;
    places(origin, move, &from, &to);
    return from >= 0 && to <= length;
}

/* What ended within sound of unknown length ends there, or where that does; what went to its end, or so many
 * outputs beyond it, does so now. */
static HaloStatus end(HaloStep *step, int64_t was, int64_t length)
{
    HaloPick *pick = &step->u.pick;
    if (pick->pieces > 0) return HALO_OK; /* the pieces already have their ends */
    const int64_t round_up = pick->step_x - 1 - pick->x0;
    const int64_t beyond = pick->width - (was + round_up) / pick->step_x;
    const int64_t there = (length + round_up) / pick->step_x;
    if (pick->least > 0) {
        pick->width = larger(length, pick->least);
        return HALO_OK;
    }
    pick->width = beyond >= 0 ? there + beyond : smaller(pick->width, there);
    if (length > pick->x0 && pick->width >= 1) return HALO_OK;
    return halo_fail(HALO_ERR_INPUT, "nothing is left of %lld frame%s from frame %lld on", (long long)length,
                     halo_s(length), (long long)pick->x0);
}

/* A pick of picked samples is a pick, unless it reads beyond them: the border is that of the first. Of sound of
 * unknown length it is not, since the end of the first may come to lie before that of the second. */
static bool absorbs(HaloStep *step, const HaloStep *next, const HaloShape *between)
{
    HaloPick *a = &step->u.pick;
    const HaloPick *b = &next->u.pick;
    if (shape_is_endless(between) || a->pieces > 0 || b->pieces > 0 || a->least > 0 || b->least > 0)
        return false;
    if (!stays_inside(b->x0, b->step_x, b->transposed ? b->height : b->width, between->width) ||
        !stays_inside(b->y0, b->step_y, b->transposed ? b->width : b->height, between->height))
        return false;
    /* Along the source's x runs what `a` has along its own x, or, transposed, along its y. */
    a->x0 += a->step_x * (a->transposed ? b->y0 : b->x0);
    a->y0 += a->step_y * (a->transposed ? b->x0 : b->y0);
    a->step_x *= a->transposed ? b->step_y : b->step_x;
    a->step_y *= a->transposed ? b->step_x : b->step_y;
    a->transposed = a->transposed != b->transposed;
    a->width = b->width;
    a->height = b->height;
    return true;
}

static void moves(const HaloStep *step, HaloMove *move)
{
    const HaloPick *pick = &step->u.pick;
    const int64_t from[2] = {pick->x0, pick->y0}, every[2] = {pick->step_x, pick->step_y};
    move->keeps_values = step->store.num == step->store.den;
    move->transposed = pick->transposed;
    move->piece = pick->piece;
    move->pieces = pick->pieces;
    for (int axis = 0; axis < 2; axis++) {
        const int source = pick->transposed ? !axis : axis;
        move->scale[axis] = 1.0 / (double)every[source];
        move->offset[axis] = -(double)from[source] / (double)every[source];
    }
}

static int64_t jumps(const HaloStep *step)
{
    const HaloPick *pick = &step->u.pick;
    int64_t most = 0;
    for (int64_t i = 1; i < pick->pieces; i++) {
        const HaloPiece *piece = &pick->piece[i];
        most = larger(most, (piece->from - piece[-1].from) - (piece->at - piece[-1].at));
    }
    return most;
}

static double flops(const HaloStep *step, double samples)
{
    (void)step;
    return samples;
}

static void describe(const HaloStep *step, bool sound, bool exact, char *room, size_t size)
{
    const HaloPick *pick = &step->u.pick;
    const long long over = llabs(pick->step_x), down = llabs(pick->step_y);
    const bool mirrored = pick->step_x < 0, upside_down = pick->step_y < 0;
    (void)sound, (void)exact;
    if (pick->pieces > 0) {
        snprintf(room, size, "gather %lld frames in %lld pieces", (long long)pick->width,
                 (long long)pick->pieces);
        return;
    }
    int n = snprintf(room, size, "gather %lld x %lld", (long long)pick->width, (long long)pick->height);
    if (over != 1 || down != 1) n += snprintf(room + n, size - (size_t)n, ", one of %lld x %lld", over, down);
    snprintf(room + n, size - (size_t)n, ", from %lld, %lld on%s%s%s", (long long)pick->x0, (long long)pick->y0,
             mirrored ? ", leftwards" : "", upside_down ? ", upwards" : "",
             pick->transposed ? ", transposed" : "");
}

/* Keeps the source's type; but a constant border value may not be a sample of an integer source. */
static HaloDtype holds(const HaloStep *step, HaloDtype source)
{
    return halo_rank_keys(source, step->u.pick.border, step->u.pick.value);
}

/* Runs piece by piece: each is a gather of its own, for a part of the output. */
static HaloStatus run_pieces(const HaloBackend *backend, HaloDevice *device, const HaloStep *step,
                             const HaloBuf *src, HaloBuf *dst)
{
    HaloStatus status = HALO_OK;
    const HaloPick *pick = &step->u.pick;
    const int64_t end = dst->x0 + dst->cols;
    const HaloPiece *last = pick->piece + pick->pieces - 1, *piece = piece_at(pick, dst->x0);
    for (int64_t x = dst->x0; x < end; piece++) {
        HaloPick one = *pick;
        HaloBuf part = *dst;
        one.pieces = 0;
        one.x0 = piece->from - piece->at;
        part.x0 = x;
        part.cols = smaller(end, piece < last ? piece[1].at : end) - x;
        part.data = halo_at(dst, x, dst->y0);
        HALO_TRY(backend->pick(device, src, &part, &one, step->store));
        x += part.cols;
    }
out:
    return status;
}

static HaloStatus run(const HaloBackend *backend, HaloDevice *device, const HaloStep *step,
                      const HaloBuf *const src[], HaloBuf *dst)
{
    if (step->u.pick.pieces > 0) return run_pieces(backend, device, step, src[0], dst);
    return backend->pick(device, src[0], dst, &step->u.pick, step->store);
}

const Primitive primitive_pick = {
    .name = "pick",
    .stores = true,
    .blind = true,
    .holds = holds,
    .shape = shape,
    .reads = reads,
    .moves = moves,
    .jumps = jumps,
    .end = end,
    .absorbs = absorbs,
    .flops = flops,
    .describe = describe,
    .run = run,
};

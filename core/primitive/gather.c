/* Gathers samples unchanged: crop, pad, flip, rotate, stride. */
#include <stdlib.h>

#include "halo/numerics.h"
#include "primitive.h"

static HaloStatus shape(const HaloStep *step, const HaloShape *const src[], HaloShape *dst)
{
    const HaloGather *gather = &step->u.gather;
    *dst = *src[0];
    dst->dtype = primitive_dtype(src, 1);
    dst->width = gather->width;
    dst->height = gather->height;
    if (gather->width >= 1 && gather->height >= 1 && gather->step_x != 0 && gather->step_y != 0) return HALO_OK;
    return halo_fail(HALO_ERR_BUG, "internal: a gather of an image without pixels");
}

/* Maps positions [*from, *to) of the result to positions of the source, which may lie outside of it. */
static void places(int64_t origin, int64_t move, int64_t *from, int64_t *to)
{
    const int64_t first = origin + move * *from, last = origin + move * (*to - 1);
    *from = smaller(first, last);
    *to = larger(first, last) + 1;
}

/* The last piece that begins at output `at` or before. */
static const HaloPiece *piece_at(const HaloGather *gather, int64_t at)
{
    int64_t low = 0, high = gather->pieces;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        *(gather->piece[middle].at <= at ? &low : &high) = middle;
    }
    return &gather->piece[low];
}

static int64_t place_of(const HaloGather *gather, int64_t at)
{
    const HaloPiece *piece = piece_at(gather, at);
    return piece->from + (at - piece->at);
}

/* Are all frames of a sound from `from` on made up by a constant border behind its end? Those before its
 * beginning still read its first frame: a stream may turn out to be too short for what follows. */
static bool lies_behind(const HaloGather *gather, const HaloShape *src, int64_t from)
{
    const bool constant = gather->border == HALO_BORDER_ZERO || gather->border == HALO_BORDER_CONSTANT;
    return src->kind == HALO_AUDIO && constant && from >= src->width;
}

static Part reads(const HaloStep *step, int k, const HaloShape *src, Part part)
{
    const HaloGather *gather = &step->u.gather;
    const HaloWindow single = {.width = 1, .height = 1, .border = gather->border, .value = gather->value};
    (void)k;
    if (part_is_empty(part)) return part;
    if (gather->pieces > 0) return (Part){place_of(gather, part.x0), place_of(gather, part.x1 - 1) + 1, 0, 1};
    if (gather->transposed) part = (Part){part.y0, part.y1, part.x0, part.x1};
    places(gather->x0, gather->step_x, &part.x0, &part.x1);
    places(gather->y0, gather->step_y, &part.y0, &part.y1);
    if (lies_behind(gather, src, part.x0)) return (Part){0};
    return window_part(&single, src, part);
}

/* Does an axis of `next` read only inside of its source? */
static bool stays_inside(int64_t origin, int64_t move, int64_t count, int64_t length)
{
    int64_t from = 0, to = count;
    places(origin, move, &from, &to);
    return from >= 0 && to <= length;
}

/* A gather that ended within sound of unknown length is clipped to the sound's length. One that went to the
 * end, or some outputs beyond it, still does. */
static HaloStatus end(HaloStep *step, int64_t was, int64_t length)
{
    HaloGather *gather = &step->u.gather;
    if (gather->pieces > 0) return HALO_OK; /* the pieces already have their ends */
    const int64_t round_up = gather->step_x - 1 - gather->x0;
    const int64_t beyond = gather->width - (was + round_up) / gather->step_x;
    const int64_t there = (length + round_up) / gather->step_x;
    if (gather->least > 0) {
        gather->width = larger(length, gather->least);
        return HALO_OK;
    }
    gather->width = beyond >= 0 ? there + beyond : smaller(gather->width, there);
    if (length > gather->x0 && gather->width >= 1) return HALO_OK;
    return halo_fail(HALO_ERR_INPUT, "nothing is left of %lld frame%s from frame %lld on", (long long)length,
                     halo_s(length), (long long)gather->x0);
}

/* Two gathers in a row become one, unless the second reads beyond the result of the first, whose border
 * differs. They stay apart for sound of unknown length, where the first may end before the second. */
static bool absorbs(HaloStep *step, const HaloStep *next, const HaloShape *between)
{
    HaloGather *a = &step->u.gather;
    const HaloGather *b = &next->u.gather;
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
    const HaloGather *gather = &step->u.gather;
    const int64_t from[2] = {gather->x0, gather->y0}, every[2] = {gather->step_x, gather->step_y};
    move->keeps_values = step->store.num == step->store.den;
    move->transposed = gather->transposed;
    move->piece = gather->piece;
    move->pieces = gather->pieces;
    for (int axis = 0; axis < 2; axis++) {
        const int source = gather->transposed ? !axis : axis;
        move->scale[axis] = 1.0 / (double)every[source];
        move->offset[axis] = -(double)from[source] / (double)every[source];
    }
}

static int64_t jumps(const HaloStep *step)
{
    const HaloGather *gather = &step->u.gather;
    int64_t most = 0;
    for (int64_t i = 1; i < gather->pieces; i++) {
        const HaloPiece *piece = &gather->piece[i];
        most = larger(most, (piece->from - piece[-1].from) - (piece->at - piece[-1].at));
    }
    return most;
}

static double flops(const HaloStep *step, double samples)
{
    (void)step;
    return samples;
}

static void describe(const HaloStep *step, bool sound, bool exact, char *text, size_t size)
{
    const HaloGather *gather = &step->u.gather;
    const long long over = llabs(gather->step_x), down = llabs(gather->step_y);
    const bool mirrored = gather->step_x < 0, upside_down = gather->step_y < 0;
    (void)sound, (void)exact;
    if (gather->pieces > 0) {
        snprintf(text, size, "gather %lld frames in %lld pieces", (long long)gather->width,
                 (long long)gather->pieces);
        return;
    }
    int n = snprintf(text, size, "gather %lld x %lld", (long long)gather->width, (long long)gather->height);
    if (over != 1 || down != 1) n += snprintf(text + n, size - (size_t)n, ", one of %lld x %lld", over, down);
    snprintf(text + n, size - (size_t)n, ", from %lld, %lld on%s%s%s", (long long)gather->x0,
             (long long)gather->y0, mirrored ? ", leftwards" : "", upside_down ? ", upwards" : "",
             gather->transposed ? ", transposed" : "");
}

/* Keeps the source's type; but a constant border value may not be a sample of an integer source. */
static HaloDtype holds(const HaloStep *step, const HaloShape *source)
{
    return halo_rank_keys(source->dtype, step->u.gather.border, step->u.gather.value);
}

/* Runs each piece as a separate gather, for its part of the output. */
static HaloStatus run_pieces(const HaloBackend *backend, HaloDevice *device, const HaloStep *step,
                             const HaloBuf *src, HaloBuf *dst)
{
    HaloStatus status = HALO_OK;
    const HaloGather *gather = &step->u.gather;
    const int64_t end = dst->x0 + dst->cols;
    const HaloPiece *last = gather->piece + gather->pieces - 1, *piece = piece_at(gather, dst->x0);
    for (int64_t x = dst->x0; x < end; piece++) {
        HaloGather one = *gather;
        HaloBuf part = *dst;
        one.pieces = 0;
        one.x0 = piece->from - piece->at;
        part.x0 = x;
        part.cols = smaller(end, piece < last ? piece[1].at : end) - x;
        part.data = halo_at(dst, x, dst->y0);
        HALO_TRY(backend->gather(device, src, &part, &one, step->store));
        x += part.cols;
    }
out:
    return status;
}

static HaloStatus run(const HaloBackend *backend, HaloDevice *device, const HaloStep *step,
                      const HaloBuf *const src[], HaloBuf *dst)
{
    if (step->u.gather.pieces > 0) return run_pieces(backend, device, step, src[0], dst);
    return backend->gather(device, src[0], dst, &step->u.gather, step->store);
}

const Primitive primitive_gather = {
    .name = "gather",
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

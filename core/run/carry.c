#include "carry.h"

#include <stdlib.h>
#include <string.h>

#include "primitive/primitive.h"

/* Copies what `from` has of frames [x, end) to the same frames of `to`. */
static void copy_frames(const HaloBuf *from, HaloBuf *to, int64_t x, int64_t end)
{
    x = larger(x, from->x0);
    end = smaller(end, from->x0 + from->cols);
    if (from->data == NULL || x >= end) return;
    HaloBuf part = *to;
    part.cols = end - x;
    memcpy(halo_at(to, x, 0), halo_at(from, x, 0), (size_t)halo_row_bytes(&part));
}

/* The first frame of the value that later bands need. Those at the end, whose borders reflect, may need frames
 * further back than the next band does. */
static HaloStatus needed_later(const HaloPlan *plan, HaloReg reg, Rows rows, int64_t band, int64_t end,
                               int64_t *first)
{
    const int64_t made = rows_length(&plan->reg[plan->output]);
    *first = end;
    if (rows.to >= made) return HALO_OK;
    Part *need = needs_new(plan);
    if (need == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    needs_of(plan, (Rows){rows.to, smaller(rows.to + band, made)}, need);
    if (!part_is_empty(need[reg])) *first = smaller(*first, need[reg].x0);
    needs_of(plan, (Rows){made - 1, made}, need);
    if (!part_is_empty(need[reg])) *first = smaller(*first, end - (plan->reg[reg].width - need[reg].x0));
    free(need);
    return HALO_OK;
}

/* The tail begins no earlier than what there is. */
static HaloStatus keep_tail(const HaloBuf *dst, int64_t first, Carried *carried)
{
    const int64_t there = carried->tail.data != NULL ? smaller(carried->tail.x0, dst->x0) : dst->x0;
    HaloBuf tail = *dst;
    tail.x0 = larger(first, there);
    tail.cols = carried->done - tail.x0;
    tail.data = NULL;
    if (tail.cols > 0) {
        tail.stride = halo_row_bytes(&tail);
        tail.data = malloc((size_t)tail.stride);
        if (tail.data == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
        copy_frames(&carried->tail, &tail, tail.x0, carried->done);
        copy_frames(dst, &tail, tail.x0, carried->done);
    }
    free(carried->tail.data);
    carried->tail = tail;
    return HALO_OK;
}

HaloStatus carry_on(Device *device, const HaloPlan *plan, const HaloStep *like, const HaloBuf *const src[],
                    HaloBuf *dst, Rows rows, int64_t band, Carried *carried)
{
    HaloStatus status = HALO_OK;
    const Primitive *primitive = primitive_of(like);
    const int64_t end = dst->x0 + dst->cols;
    HaloStep step = *like;
    HaloBuf rest = *dst;
    int64_t first;
    if (carried->state == NULL) carried->state = calloc(1, (size_t)primitive->keeps(like, &src[0]->shape));
    if (carried->state == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    if (dst->x0 > carried->done ||
        (dst->x0 < carried->done && (carried->tail.data == NULL || carried->tail.x0 > dst->x0)))
        HALO_FAIL(HALO_ERR_BUG, "a band needs what those before it have not kept");
    copy_frames(&carried->tail, dst, dst->x0, end);
    if (end > carried->done) {
        rest.x0 = carried->done;
        rest.cols = end - rest.x0;
        rest.data = halo_at(dst, rest.x0, rest.y0);
        primitive->carry(&step, carried->state);
        HALO_TRY(primitive->run(device->backend, device->handle, &step, src, &rest));
        carried->done = end;
    }
    HALO_TRY(needed_later(plan, step.dst, rows, band, carried->done, &first));
    HALO_TRY(keep_tail(dst, first, carried));
out:
    return status;
}

void carry_free(Carried *carried)
{
    free(carried->state);
    free(carried->tail.data);
}

#include "carry.h"

#include <string.h>

#include "primitive/primitive.h"

/* Copies what `from` has of some rows to the same rows of `to`. */
static HaloStatus copy_rows(Device *device, const HaloBuf *from, const HaloBuf *to, Rows rows)
{
    if (from->data == NULL) return HALO_OK;
    const Rows there = rows_in(from);
    rows = (Rows){larger(rows.from, there.from), smaller(rows.to, there.to)};
    if (rows.from >= rows.to) return HALO_OK;
    HaloBuf part = rows_of(to, rows);
    if (device->backend->copy != NULL) return device->backend->copy(device->handle, from, &part);
    for (int64_t y = part.y0; y < part.y0 + part.rows; y++)
        memcpy(halo_at(&part, part.x0, y), halo_at(from, part.x0, y), (size_t)halo_row_bytes(&part));
    return HALO_OK;
}

static void give_back(Device *device, HaloBuf *buf)
{
    if (buf->data != NULL) device_give(device, buf);
    buf->data = NULL;
}

/* Of a band behind band k. */
static void add_later(const HaloPlan *plan, const Part *need, Later *later)
{
    for (int r = 0; r < plan->regs; r++)
        if (!part_is_empty(need[r]))
            later[r].from = smaller(later[r].from, needs_rows(&plan->reg[r], need[r]).from);
}

/* The next band counts, and the first that makes output. The last row of all, whose borders reflect, may need
 * rows further back than these do, and it may be any that comes. */
void carry_find_later(const Bands *bands, int64_t k, Part *need, Later *later)
{
    const HaloPlan *plan = bands->plan;
    const int64_t made = rows_length(&plan->reg[plan->output]), next[] = {k + 1, larger(k + 1, bands->lead)};
    const bool endless = shape_is_endless(&plan->reg[plan->input[0].reg]);
    for (int r = 0; r < plan->regs; r++) later[r] = (Later){.from = INT64_MAX};
    if (k + 1 >= bands_count(bands)) return;
    for (int i = 0; i < 2; i++) {
        needs_of_band(bands, next[i], need);
        add_later(plan, need, later);
    }
    needs_of(bands, (Rows){made - 1, made}, need);
    if (!endless) add_later(plan, need, later);
    for (int r = 0; r < plan->regs && endless; r++) {
        const Rows last = needs_rows(&plan->reg[r], need[r]);
        later[r].back = last.to - last.from;
    }
}

/* The tail begins no earlier than what there is. */
static HaloStatus keep_tail(Device *device, const HaloBuf *dst, int64_t first, Carried *carried)
{
    HaloStatus status = HALO_OK;
    int64_t there = rows_in(dst).from;
    HaloBuf tail = *dst;
    if (carried->tail.data != NULL) there = smaller(there, rows_in(&carried->tail).from);
    const Rows rows = {larger(first, there), carried->done};
    tail.data = NULL;
    if (rows.from < rows.to) {
        set_rows(&tail, rows);
        HALO_TRY(device_take(device, &tail));
        HALO_TRY(copy_rows(device, &carried->tail, &tail, rows));
        HALO_TRY(copy_rows(device, dst, &tail, rows));
    }
    give_back(device, &carried->tail);
    carried->tail = tail;
    return HALO_OK;
out:
    give_back(device, &tail);
    return status;
}

/* A state of zeros. */
static HaloStatus begin_state(Device *device, int64_t bytes, HaloBuf *state)
{
    HaloStatus status = HALO_OK;
    HaloBuf zeros = {0};
    if (state->data != NULL) return HALO_OK;
    *state =
        (HaloBuf){.shape = {.kind = HALO_IMAGE, .dtype = HALO_U8, .width = bytes, .height = 1, .channels = 1}};
    set_rows(state, (Rows){0, 1});
    HALO_TRY(device_take(device, state));
    if (device->backend->upload == NULL) {
        memset(state->data, 0, (size_t)bytes);
        return HALO_OK;
    }
    HALO_TRY(halo_buf_alloc(&zeros, &state->shape));
    memset(zeros.data, 0, (size_t)bytes);
    HALO_TRY(device->backend->upload(device->handle, &zeros, state));
out:
    halo_buf_free(&zeros);
    return status;
}

HaloStatus carry_on(Device *device, const Later *later, const HaloStep *step, const HaloBuf *const src[],
                    HaloBuf *dst, Carried *carried)
{
    HaloStatus status = HALO_OK;
    const Primitive *primitive = primitive_of(step);
    const Rows wanted = rows_in(dst);
    HALO_TRY(begin_state(device, primitive->keeps(step, &src[0]->shape), &carried->state));
    if (wanted.from > carried->done ||
        (wanted.from < carried->done &&
         (carried->tail.data == NULL || rows_in(&carried->tail).from > wanted.from)))
        HALO_FAIL(HALO_ERR_BUG, "internal: a band needs rows that the previous bands have not kept");
    HALO_TRY(copy_rows(device, &carried->tail, dst, wanted));
    if (wanted.to > carried->done) {
        HaloBuf rest = rows_of(dst, (Rows){carried->done, wanted.to});
        HALO_TRY(primitive->go_on(device->backend, device->handle, step, src, &rest, carried->state.data));
        carried->done = wanted.to;
    }
    HALO_TRY(keep_tail(device, dst, smaller(later->from, carried->done - later->back), carried));
out:
    return status;
}

void carry_free(Device *device, Carried *carried)
{
    give_back(device, &carried->state);
    give_back(device, &carried->tail);
}

#include "flow_sides.h"

#include <stdlib.h>
#include <string.h>

#include "file/file.h"
#include "plan/plan.h"

/* Does the output begin with the end of a secondary input? Then only a reader that can seek reads it in step.
 */
static bool goes_back(const HaloPlan *plan, HaloReg reg, const Part *first, const Part *last)
{
    const Rows begin = needs_rows(&plan->reg[reg], first[reg]), end = needs_rows(&plan->reg[reg], last[reg]);
    return begin.from < begin.to && end.from < end.to && end.from < begin.from;
}

static HaloStatus named(const HaloPlan *plan, int at, HaloStatus status)
{
    return status == HALO_OK ? status : halo_fail_about(status, plan->input[at].side->path);
}

/* `first`, `last`: what is needed for the first row of the output, and for its last. */
static HaloStatus open_side(FlowSides *sides, int at, const Part *first, const Part *last)
{
    HaloStatus status = HALO_OK;
    FlowSide *side = &sides->side[at];
    HaloSide *file = sides->plan->input[at].side;
    const bool back = goes_back(sides->plan, sides->plan->input[at].reg, first, last);
    bool seeks = false;
    HALO_TRY(side_open(file, &side->reader));
    if (back) HALO_TRY(named(sides->plan, at, load_seek(&side->reader.reader, 0, &seeks)));
    if (!back || seeks) return HALO_OK;
    side_close(&side->reader);
    HALO_TRY(side_want(file));
out:
    return status;
}

HaloStatus flow_sides_open(FlowSides *sides, const Bands *bands)
{
    HaloStatus status = HALO_OK;
    const HaloPlan *plan = bands->plan;
    const int64_t made = rows_length(&plan->reg[plan->output]);
    Part *first = needs_new(plan), *last = needs_new(plan);
    *sides = (FlowSides){.plan = plan, .side = calloc((size_t)plan->inputs, sizeof *sides->side)};
    if (sides->side == NULL || first == NULL || last == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    needs_of(bands, (Rows){0, 1}, first);
    needs_of(bands, (Rows){made - 1, made}, last);
    for (int i = 1; i < plan->inputs; i++)
        if (!atomic_load(&plan->input[i].side->there)) HALO_TRY(open_side(sides, i, first, last));
out:
    free(first);
    free(last);
    return status;
}

void flow_sides_close(FlowSides *sides)
{
    for (int i = 1; sides->side != NULL && i < sides->plan->inputs; i++) {
        FlowSide *side = &sides->side[i];
        if (side->reader.source != NULL) side_close(&side->reader);
        free(side->rows.data);
    }
    free(sides->side);
    sides->side = NULL;
}

/* ---- reading -------------------------------------------------------------------------------------------- */

/* Grows the buffer, keeping its rows. */
static HaloStatus make_room(FlowSide *side, const HaloShape *shape, int64_t rows)
{
    if (rows <= side->room) return HALO_OK;
    const int64_t frame = shape->channels * (int64_t)halo_dtype_size(shape->dtype);
    void *grown = realloc(side->rows.data, (size_t)(rows * frame));
    if (grown == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory for a part of a secondary input");
    side->rows.shape = *shape;
    side->rows.rows = 1;
    side->rows.data = grown;
    side->rows.stride = rows * frame;
    side->room = rows;
    return HALO_OK;
}

/* Moves forward or backward. A reader that cannot seek backward starts again at the beginning. */
static HaloStatus go_to(FlowSide *side, const HaloSide *file, int64_t to)
{
    HaloStatus status = HALO_OK;
    bool gone;
    if (to == side->next) return HALO_OK;
    HALO_TRY(load_seek(&side->reader.reader, to, &gone));
    if (!gone && to < side->next) {
        side_close(&side->reader);
        side->next = 0;
        HALO_TRY(side_open(file, &side->reader));
    }
    if (!gone) HALO_TRY(load_skip(&side->reader.reader, to - side->next));
    side->next = to;
out:
    return status;
}

/* Keeps the rows in memory that are needed again. */
static HaloStatus read_rows(FlowSide *side, const HaloSide *file, Rows wanted)
{
    HaloStatus status = HALO_OK;
    const Rows there = rows_in(&side->rows);
    int64_t have = wanted.from, got = 1;
    HALO_TRY(make_room(side, &file->data.shape, wanted.to - wanted.from));
    if (wanted.from >= there.from && wanted.from < there.to) {
        const HaloBuf kept = rows_of(&side->rows, (Rows){wanted.from, smaller(there.to, wanted.to)});
        memmove(side->rows.data, kept.data, (size_t)halo_row_bytes(&kept));
        have = smaller(there.to, wanted.to);
    }
    set_rows(&side->rows, wanted);
    HALO_TRY(go_to(side, file, have));
    for (; have < wanted.to && got > 0; have += got) {
        HaloBuf rest = rows_of(&side->rows, (Rows){have, wanted.to});
        got = wanted.to - have;
        HALO_TRY(load_rows(&side->reader.reader, &rest, &got));
    }
    if (have < wanted.to) HALO_FAIL(HALO_ERR_INPUT, "truncated: %lld frames", (long long)have);
    side->next = wanted.to;
out:
    return status;
}

HaloStatus flow_sides_rows(FlowSides *sides, int at, Rows rows, HaloBuf *from)
{
    HaloStatus status = HALO_OK;
    FlowSide *side = &sides->side[at];
    const HaloSide *file = sides->plan->input[at].side;
    if (side->reader.source == NULL) {
        *from = file->data;
        return HALO_OK;
    }
    const Rows there = rows_in(&side->rows);
    if (side->rows.data == NULL || rows.from < there.from || rows.to > there.to)
        HALO_TRY(named(sides->plan, at, read_rows(side, file, rows)));
    *from = rows_of(&side->rows, rows);
out:
    return status;
}

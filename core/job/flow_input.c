#include "flow_input.h"

#include <string.h>

#include "file/file.h"
#include "plan/plan.h"

/* Has all that is needed been read? The rest is read as well, so that damage there is found, unless the format
 * can skip rows, or the input was read from its end. */
static HaloStatus end_window(FlowInput *input, int64_t k, Rows rows, bool *at_end)
{
    const HaloPlan *plan = input->bands->plan;
    const int64_t length = rows_length(&plan->reg[plan->input[0].reg]);
    const bool last = k + 1 >= bands_count(input->bands), back = input->bands->back;
    *at_end = last || (rows.to == length && !back);
    if (!last || rows.to == length || back) return HALO_OK;
    return load_skip(input->reader, length - rows.to);
}

/* Skips to row `to`; sound may also go back to it, or, if its length is unknown, reach its end: then the last
 * frames that were read are in `buffer`. */
static HaloStatus go_to(FlowInput *input, HaloBuf *buffer, int64_t to, int64_t *have)
{
    HaloStatus status = HALO_OK;
    if (!input->endless) {
        bool gone;
        HALO_TRY(load_seek(input->reader, to, &gone));
        if (!gone) HALO_TRY(load_skip(input->reader, to - *have));
        *have = to;
    }
    flow_rows_set(input->rows, buffer, (Rows){*have, *have});
    for (int64_t got = 1; *have < to && got > 0; *have += got) {
        HaloBuf rows = *buffer;
        got = smaller(input->rows->capacity, to - *have);
        flow_rows_set(input->rows, &rows, (Rows){*have, *have + got});
        HALO_TRY(load_rows(input->reader, &rows, &got));
        if (got > 0) flow_rows_set(input->rows, buffer, (Rows){*have, *have + got});
    }
out:
    return status;
}

/* Sound of unknown length ends before the window: its last frame is repeated. */
static HaloStatus keep_last_frame(const FlowInput *input, HaloBuf *buffer, const HaloBuf *last, int64_t end)
{
    const HaloBuf *holds = rows_in(buffer).to > rows_in(buffer).from ? buffer : last;
    if (end == 0) return halo_fail(HALO_ERR_INPUT, "has no samples");
    if (rows_in(holds).from >= end) { /* it is not in memory, since no window needed it */
        flow_rows_set(input->rows, buffer, (Rows){end, end});
        return HALO_OK;
    }
    const HaloBuf frame = flow_rows_of(input->rows, holds, (Rows){end - 1, end});
    memmove(buffer->data, frame.data, (size_t)halo_row_bytes(&frame));
    flow_rows_set(input->rows, buffer, (Rows){end - 1, end});
    return HALO_OK;
}

HaloStatus flow_input_window(FlowInput *input, int64_t k, bool *at_end)
{
    HaloStatus status = HALO_OK;
    const int64_t count = input->rows->count;
    HaloBuf *to = &input->rows->in[k % count];
    const HaloBuf *last = &input->rows->in[(k + count - 1) % count];
    int64_t have = k > 0 ? rows_in(last).to : 0;
    Rows rows;
    HALO_TRY(bands_window(input->bands, k, have, &rows));
    if (rows.to - rows.from > input->rows->capacity)
        HALO_FAIL(HALO_ERR_BUG, "internal: a band reads rows outside its window");
    if (rows.from > have || (k > 0 && rows.from < rows_in(last).from)) {
        HALO_TRY(go_to(input, to, rows.from, &have));
        if (have < rows.from) {
            *at_end = true;
            HALO_TRY(keep_last_frame(input, to, last, have));
            goto out;
        }
    }
    flow_rows_set(input->rows, to, rows);
    for (int64_t y = to->y0; y < to->y0 + to->rows && rows.from < have; y++) {
        const HaloBuf kept = flow_rows_of(input->rows, to, (Rows){rows.from, have});
        if (y < kept.y0 + kept.rows)
            memcpy(halo_at(&kept, kept.x0, y), halo_at(last, kept.x0, y), (size_t)halo_row_bytes(&kept));
    }
    HaloBuf rest = flow_rows_of(input->rows, to, (Rows){have, rows.to});
    int64_t got = rows.to - have;
    if (got > 0) HALO_TRY(load_rows(input->reader, &rest, &got));
    flow_rows_set(input->rows, to, (Rows){rows.from, have + got});
    if (input->endless)
        *at_end = have + got < rows.to;
    else
        HALO_TRY(end_window(input, k, rows, at_end));
    if (rows.to > 0 && have + got == 0 && to->shape.kind == HALO_AUDIO)
        HALO_FAIL(HALO_ERR_INPUT, "has no samples");
out:
    return status;
}

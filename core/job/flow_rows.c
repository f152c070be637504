#include "flow_rows.h"

#include <stdlib.h>

#include "plan/plan.h"
#include "primitive/part.h"

/* Buffers are aligned to pages, so that a buffer being read and one being written share none. */
#define PAGE 4096

static int64_t bytes_of(const HaloBuf *buf)
{
    return (halo_row_bytes(buf) * buf->rows + PAGE - 1) / PAGE * PAGE;
}

static char *lay(HaloBuf *buf, char *at)
{
    buf->stride = halo_row_bytes(buf);
    buf->data = at;
    return at + bytes_of(buf);
}

static HaloStatus take(FlowRows *rows, Device *host, bool writes)
{
    HaloStatus status = HALO_OK;
    rows->owner = host;
    for (int64_t i = 0; i < rows->count; i++) {
        HALO_TRY(device_take(host, &rows->in[i]));
        if (writes) HALO_TRY(device_take(host, &rows->out[i]));
    }
out:
    return status;
}

void flow_rows_set(const FlowRows *rows, HaloBuf *in, Rows window)
{
    set_rows(in, window);
    if (in->shape.kind == HALO_AUDIO) return;
    in->x0 = rows->x0;
    in->cols = rows->cols;
}

HaloBuf flow_rows_of(const FlowRows *rows, const HaloBuf *window, Rows part)
{
    HaloBuf view = *window;
    flow_rows_set(rows, &view, part);
    view.data = halo_at(window, view.x0, view.y0);
    return view;
}

/* The columns that any row of the output needs. */
static HaloStatus find_columns(FlowRows *rows, const HaloPlan *plan)
{
    const HaloReg in = plan->input[0].reg;
    Part *need = needs_new(plan);
    if (need == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    needs_find(plan, &(Goal){.wanted = {0, rows_length(&plan->reg[plan->output])}}, need);
    if (!part_is_empty(need[in])) {
        rows->x0 = need[in].x0;
        rows->cols = need[in].x1 - need[in].x0;
    }
    free(need);
    return HALO_OK;
}

HaloStatus flow_rows_take(FlowRows *rows, Device *host, Team team, const Bands *bands, bool writes, bool narrow)
{
    HaloStatus status = HALO_OK;
    const HaloPlan *plan = bands->plan;
    const HaloShape *in = &plan->reg[plan->input[0].reg], *out = &plan->reg[plan->output];
    *rows = (FlowRows){.count = bands_in_flow(team, bands),
                       .capacity = bands_widest_window(bands),
                       .band = bands->rows,
                       .cols = in->width};
    if (narrow) HALO_TRY(find_columns(rows, plan));
    for (int64_t i = 0; i < rows->count; i++) {
        rows->in[i].shape = *in;
        rows->out[i].shape = *out;
        flow_rows_set(rows, &rows->in[i], (Rows){0, rows->capacity});
        set_rows(&rows->out[i], (Rows){0, bands->rows});
    }
    const int64_t bytes = rows->count * (bytes_of(&rows->in[0]) + (writes ? bytes_of(&rows->out[0]) : 0));
    char *at = device_pinned(team.device, bytes);
    if (at == NULL) return take(rows, host, writes);
    for (int64_t i = 0; i < rows->count; i++) {
        at = lay(&rows->in[i], at);
        if (writes) at = lay(&rows->out[i], at);
    }
out:
    return status;
}

void flow_rows_give(FlowRows *rows)
{
    for (int64_t i = 0; i < rows->count && rows->owner != NULL; i++) {
        flow_rows_set(rows, &rows->in[i], (Rows){0, rows->capacity});
        set_rows(&rows->out[i], (Rows){0, rows->band});
        if (rows->in[i].data != NULL) device_give(rows->owner, &rows->in[i]);
        if (rows->out[i].data != NULL) device_give(rows->owner, &rows->out[i]);
    }
}

/* Images that are moved on the first one: each by a plan with one interpolation, from a window of its rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frames.h"
#include "halo/text.h"
#include "run/run.h"

/* Interpolated samples are not rounded before they are reduced. */
static const HaloFormat to_floats = {.name = "a stack",
                                     .kinds = HALO_IMAGE,
                                     .dtypes = 1u << HALO_F32,
                                     .channels = HALO_ANY_CHANNELS,
                                     .keeps_units = true};

/* What a plan has beside its steps, such as the weights of its kernel. */
#define PLAN_BYTES ((int64_t)80 << 10)

HaloStatus frame_plan(const Frames *frames, Frame *frame, const HaloShift *shift)
{
    HaloStatus status = HALO_OK;
    HaloPipeline *pipeline = NULL;
    char text[320];
    double m[6];
    const bool turned = shift->rotation != 0.0 || shift->scale != 1.0;
    const bool stays = !turned && shift->x == rint(shift->x) && shift->y == rint(shift->y);
    halo_shift_matrix(shift, frames->shape.width, frames->shape.height, m);
    halo_snprintf(text, sizeof text,
                  "affine:\"%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\",border=replicate,kernel=%s", m[0], m[1], m[2],
                  m[3], m[4], m[5], stays ? "nearest" : "cubic");
    HALO_TRY(halo_pipeline_parse(frames->session, text, &pipeline));
    HALO_TRY(halo_plan_make(frames->session, pipeline, &frames->shape, &to_floats, &frame->plan));
out:
    halo_pipeline_free(pipeline);
    return status;
}

/* The rows of an image that a band needs; `need` is from needs_new. */
static Rows rows_for(const HaloPlan *plan, int64_t band, int64_t k, Part *need)
{
    const Bands bands = bands_cut(plan, band);
    needs_of_band(&bands, k, need);
    return needs_rows(&plan->reg[plan->input[0].reg], need[plan->input[0].reg]);
}

static int64_t most_rows(const HaloPlan *plan, int64_t band)
{
    const Bands bands = bands_cut(plan, band);
    const int64_t count = bands_count(&bands);
    int64_t most = 1;
    Part *need = needs_new(plan);
    if (need == NULL) return plan->reg[plan->input[0].reg].height;
    for (int64_t k = 0; k < count; k++) {
        const Rows rows = rows_for(plan, band, k, need);
        most = larger(most, rows.to - rows.from);
    }
    free(need);
    return most;
}

static int64_t row_bytes(const Frames *frames)
{
    const HaloBuf row = {.shape = frames->shape, .cols = frames->shape.width};
    return halo_row_bytes(&row);
}

/* Images are moved one after the other. */
int64_t frames_memory(const Frames *frames, int64_t band)
{
    int64_t bytes = 0, between = 0;
    for (int64_t k = 0; k < frames->count && frames->frame[k]->plan != NULL; k++) {
        const HaloPlan *plan = frames->frame[k]->plan;
        bytes += PLAN_BYTES + most_rows(plan, band) * row_bytes(frames);
        between = larger(between, bands_whole_memory(&frames->session->host, plan, band, false));
    }
    return bytes + between;
}

HaloStatus frames_prepare(Frames *frames, int64_t band)
{
    HaloStatus status = HALO_OK;
    const int64_t bytes = frames_memory(frames, band);
    HALO_TRY(halo_memory_hold(&frames->session->memory, bytes));
    frames->held = bytes;
    frames->band = band;
    for (int64_t k = 0; k < frames->count && frames->frame[k]->plan != NULL; k++) {
        Frame *frame = frames->frame[k];
        frame->window =
            (HaloBuf){.shape = frames->shape, .cols = frames->shape.width, .stride = row_bytes(frames)};
        frame->space = most_rows(frame->plan, band);
        frame->window.data = malloc((size_t)(frame->space * row_bytes(frames)));
        if (frame->window.data == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    }
out:
    return status;
}

/* Keeps what the last band had, and reads the rest; an image that is turned by more than a right angle is read
 * from its beginning again. */
HaloStatus frame_window(const Frames *frames, Frame *frame)
{
    HaloStatus status = HALO_OK;
    HaloBuf *const window = &frame->window;
    Part *need = needs_new(frame->plan);
    if (need == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    const Rows rows = rows_for(frame->plan, frames->band, frames->first / frames->band, need);
    const int64_t end = window->y0 + window->rows;
    const bool goes_on = rows.from >= window->y0 && rows.from < end;
    const int64_t kept = goes_on ? larger(0, smaller(end, rows.to) - rows.from) : 0;
    if (kept > 0) memmove(window->data, halo_at(window, 0, rows.from), (size_t)(kept * window->stride));
    window->y0 = rows.from;
    window->rows = rows.to - rows.from;
    if (frame->row > rows.from + kept && window->rows > kept) {
        if (frame->data.data == NULL) {
            frame_close(frame);
            HALO_TRY(frame_open(frames, frame));
        }
        frame->row = 0;
    }
    if (window->rows == kept) goto out;
    HALO_TRY(frame_skip(frame, rows.from + kept - frame->row));
    HALO_TRY(frame_rows(frames, frame, window->rows - kept, (char *)window->data + kept * window->stride));
out:
    free(need);
    return status;
}

HaloStatus frame_move(const Frames *frames, Frame *frame, char *to)
{
    const Bands bands = bands_cut_on(frames->session->host.backend, frame->plan, frames->band);
    HaloBuf out = {.shape = *frames_shape(frames),
                   .y0 = frames->first,
                   .cols = frames->shape.width,
                   .rows = frames->rows,
                   .data = to};
    out.stride = halo_row_bytes(&out);
    return execute_band_of(&frames->session->host, &bands, frames->first / frames->band, &frame->window, &out);
}

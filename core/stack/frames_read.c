/* Opens the images of a stack, and reads rows of them. */
#include <string.h>

#include "frames.h"

/* Notes of reading the rows of a page. save_report() adds those of the first, if it stays open. */
void frames_note_lost(Frames *frames, const HaloReader *reader)
{
    const uint64_t *count = reader->info.notes.count;
    halo_note(&frames->notes, HALO_NOTE_ROUNDED, count[HALO_NOTE_ROUNDED]);
    frames->notes.table |= reader->info.notes.table;
    halo_note(&frames->notes, HALO_NOTE_VANISHED, count[HALO_NOTE_VANISHED]);
    if (count[HALO_NOTE_DAMAGED] > 0) halo_note_damaged(&frames->notes, -1, 0, false);
}

void frame_close(Frame *frame)
{
    if (!frame->open) return;
    load_close(&frame->reader);
    halo_source_close(frame->source);
    frame->source = NULL;
    frame->open = false;
}

HaloStatus frame_open(const Frames *frames, Frame *frame)
{
    HaloSession *session = frames->session;
    HaloStatus status = halo_source_open(frame->path, &frame->source);
    if (status != HALO_OK) return status;
    frame->open = true;
    frame->row = 0;
    halo_source_count(frame->source, &session->memory);
    if (frame->offset > 0) HALO_TRY(halo_source_seek(frame->source, frame->offset));
    HALO_TRY(load_open_at(session, frame->source, frames->stack->raw, frame->page, &frame->reader));
    frame->reader.jobs = 1; /* pictures are read side by side */
out:
    if (status != HALO_OK) frame_close(frame);
    return status;
}

static HaloStatus copy_rows(const Frame *frame, HaloBuf *to)
{
    for (int64_t y = 0; y < to->rows; y++)
        memcpy(halo_at(to, 0, to->y0 + y), halo_at(&frame->data, 0, to->y0 + y), (size_t)to->stride);
    return HALO_OK;
}

HaloStatus frame_rows(const Frames *frames, Frame *frame, int64_t rows, char *buffer)
{
    const HaloShape *shape = &frames->shape;
    HaloBuf to = {.shape = *shape, .y0 = frame->row, .cols = shape->width, .rows = rows, .data = buffer};
    int64_t got = 0;
    to.stride = halo_row_bytes(&to);
    frame->row += rows;
    return frame->data.data != NULL ? copy_rows(frame, &to) : load_rows(&frame->reader, &to, &got);
}

HaloStatus frame_skip(Frame *frame, int64_t rows)
{
    frame->row += rows;
    return frame->data.data != NULL || rows == 0 ? HALO_OK : load_skip(&frame->reader, rows);
}

const HaloShape *frames_shape(const Frames *frames)
{
    const HaloPlan *plan = frames->frame[0]->plan;
    return plan != NULL ? &plan->reg[plan->output] : &frames->shape;
}

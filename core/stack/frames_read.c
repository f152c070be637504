/* Opens the images of a stack, and reads rows of them: several at the same time, each of them on its own. */
#include <pthread.h>
#include <string.h>

#include "frames.h"

/* Notes of reading the rows of a page. save_report() adds those of the first, if it stays open. */
void frames_note_lost(Frames *frames, const HaloReader *reader)
{
    const uint64_t *count = reader->info.notes.count;
    halo_note(&frames->notes, HALO_NOTE_ROUNDED, count[HALO_NOTE_ROUNDED]);
    halo_note(&frames->notes, HALO_NOTE_VANISHED, count[HALO_NOTE_VANISHED]);
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

static HaloStatus read_frame(Frames *frames, Frame *frame, char *buffer)
{
    HaloStatus status = HALO_OK;
    if (!frame->open && frame->data.data == NULL) HALO_TRY(frame_open(frames, frame));
    if (frame->plan != NULL) {
        HALO_TRY(frame_window(frames, frame));
    } else {
        HALO_TRY(frame_skip(frame, frames->first - frame->row));
        HALO_TRY(frame_rows(frames, frame, frames->rows, buffer));
    }
out:
    if (!frame->kept && frame->open) {
        pthread_mutex_lock(&frames->lock);
        frames_note_lost(frames, &frame->reader);
        pthread_mutex_unlock(&frames->lock);
        frame_close(frame);
    }
    return status;
}

static char *place_of(const Frames *frames, int64_t k)
{
    const HaloBuf row = {.shape = *frames_shape(frames), .cols = frames->shape.width};
    return frames->buffer + k * frames->rows * halo_row_bytes(&row);
}

static void read_task(void *context, int64_t k, int worker)
{
    Frames *frames = context;
    const HaloStatus status = read_frame(frames, frames->frame[k], place_of(frames, k));
    (void)worker;
    if (status == HALO_OK) return;
    pthread_mutex_lock(&frames->lock);
    if (frames->failed.status == HALO_OK || k < frames->failed_at) {
        halo_failure_keep(&frames->failed, status);
        frames->failed_at = k;
    }
    pthread_mutex_unlock(&frames->lock);
}

HaloStatus frames_read(Frames *frames, int64_t first, int64_t rows, char *buffer)
{
    frames->first = first;
    frames->rows = rows;
    frames->buffer = buffer;
    HaloStatus status = HALO_OK;
    halo_pool_run(frames->pool, frames->count, read_task, frames);
    if (frames->failed.status != HALO_OK) return halo_failure_again(&frames->failed);
    for (int64_t k = 0; k < frames->count && frames->frame[k]->plan != NULL; k++)
        HALO_TRY(frame_move(frames, frames->frame[k], place_of(frames, k)));
out:
    return status;
}

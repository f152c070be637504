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

static HaloStatus read_rows(const Frames *frames, Frame *frame, int64_t rows, char *buffer)
{
    const HaloShape *shape = &frames->shape;
    HaloBuf to = {.shape = *shape, .y0 = frame->row, .cols = shape->width, .rows = rows, .data = buffer};
    int64_t got = 0;
    to.stride = halo_row_bytes(&to);
    frame->row += rows;
    return frame->data.data != NULL ? copy_rows(frame, &to) : load_rows(&frame->reader, &to, &got);
}

/* A row, moved to the right; its ends are repeated. */
static void move_row(const HaloShape *shape, const char *from, int64_t right, char *to)
{
    const int64_t width = shape->width;
    const size_t pixel = halo_dtype_size(shape->dtype) * (size_t)shape->channels;
    const int64_t left = larger(smaller(right, width), 0),
                  kept = larger(width - (right < 0 ? -right : right), 0);
    for (int64_t x = 0; x < left; x++) memcpy(to + (size_t)x * pixel, from, pixel);
    memcpy(to + (size_t)left * pixel, from + (size_t)(right < 0 ? width - kept : 0) * pixel,
           (size_t)kept * pixel);
    for (int64_t x = left + kept; x < width; x++)
        memcpy(to + (size_t)x * pixel, from + (size_t)(width - 1) * pixel, pixel);
}

/* Rows of an image that is moved: it is read once, row by row, since the rows that are needed never go back. */
static HaloStatus read_moved(const Frames *frames, Frame *frame, char *buffer)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = &frames->shape;
    const HaloBuf row = {.shape = *shape, .cols = shape->width};
    for (int64_t y = 0; y < frames->rows; y++) {
        const int64_t from = larger(smaller(frames->first + y - frame->down, shape->height - 1), 0);
        while (frame->row <= from) HALO_TRY(read_rows(frames, frame, 1, frame->line));
        move_row(shape, frame->line, frame->right, buffer + y * halo_row_bytes(&row));
    }
out:
    return status;
}

static HaloStatus read_frame(Frames *frames, Frame *frame, char *buffer)
{
    HaloStatus status = HALO_OK;
    if (!frame->open && frame->data.data == NULL) HALO_TRY(frame_open(frames, frame));
    while (frame->row < frames->first && frame->line == NULL) {
        const int64_t above = frames->first - frame->row;
        HALO_TRY(read_rows(frames, frame, above < frames->rows ? above : frames->rows, buffer));
    }
    HALO_TRY(frame->line != NULL ? read_moved(frames, frame, buffer)
                                 : read_rows(frames, frame, frames->rows, buffer));
out:
    if (!frame->kept && frame->open) {
        pthread_mutex_lock(&frames->lock);
        frames_note_lost(frames, &frame->reader);
        pthread_mutex_unlock(&frames->lock);
        frame_close(frame);
    }
    return status;
}

static void read_task(void *context, int64_t k, int worker)
{
    Frames *frames = context;
    const HaloBuf row = {.shape = frames->shape, .cols = frames->shape.width};
    const HaloStatus status =
        read_frame(frames, frames->frame[k], frames->buffer + k * frames->rows * halo_row_bytes(&row));
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
    halo_pool_run(frames->pool, frames->count, read_task, frames);
    return frames->failed.status == HALO_OK ? HALO_OK : halo_failure_again(&frames->failed);
}

/* The rows of a band of all images of a stack: several are read at the same time, each of them on its own. */
#include <pthread.h>

#include "frames.h"

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

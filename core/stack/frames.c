/* The pictures of a stack. As many stay open as the system allows; the others are opened again for every band,
 * and read up to it once more. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "part.h"

/* Descriptors for all that is open beside. */
#define SPARE_FILES 24

typedef struct Frame {
    const char *path;
    int64_t page; /* from 0 */
    bool open, kept;
    HaloSource *source;
    HaloReader reader;
    int64_t row; /* the next to be read */
} Frame;

struct Frames {
    HaloSession *session;
    const HaloStack *stack;
    HaloPool *pool;
    HaloShape shape; /* of each */
    Frame **frame;   /* [count], each in memory of its own: formats keep the address of their reader */
    int64_t count, most_open;
    HaloRead *read;
    size_t reads;
    HaloNotes notes; /* on what the files hold */

    /* While a band is read: */
    int64_t first, rows;
    char *room;
    pthread_mutex_t lock; /* of: */
    HaloFailure failed;   /* that of the first picture that failed */
    int64_t failed_at;
};

/* ---- one picture ----------------------------------------------------------------------------------------- */

static void close_frame(Frame *frame)
{
    if (!frame->open) return;
    load_close(&frame->reader);
    halo_source_close(frame->source);
    frame->source = NULL;
    frame->open = false;
}

static HaloStatus open_frame(const Frames *frames, Frame *frame)
{
    HaloStatus status = halo_source_open(frame->path, &frame->source);
    if (status != HALO_OK) return status;
    frame->open = true;
    frame->row = 0;
    halo_source_count(frame->source, &frames->session->memory);
    HALO_TRY(load_open(frames->session, frame->source, frames->stack->raw, &frame->reader));
    for (int64_t page = 0; page < frame->page; page++) HALO_TRY(load_next(frames->session, &frame->reader));
    frame->reader.jobs = 1; /* pictures are read side by side */
out:
    if (status != HALO_OK) close_frame(frame);
    return status;
}

static HaloStatus read_rows(const Frames *frames, Frame *frame, int64_t rows, char *room)
{
    const HaloShape *shape = &frames->shape;
    HaloBuf to = {.shape = *shape, .y0 = frame->row, .cols = shape->width, .rows = rows, .data = room};
    int64_t got = 0;
    to.stride = halo_row_bytes(&to);
    frame->row += rows;
    return load_rows(&frame->reader, &to, &got);
}

static HaloStatus read_frame(const Frames *frames, Frame *frame, char *room)
{
    HaloStatus status = HALO_OK;
    if (!frame->open) HALO_TRY(open_frame(frames, frame));
    while (frame->row < frames->first) {
        const int64_t above = frames->first - frame->row;
        HALO_TRY(read_rows(frames, frame, above < frames->rows ? above : frames->rows, room));
    }
    HALO_TRY(read_rows(frames, frame, frames->rows, room));
out:
    if (!frame->kept) close_frame(frame);
    return status;
}

/* ---- all of them ----------------------------------------------------------------------------------------- */

static void read_task(void *context, int64_t k, int worker)
{
    Frames *frames = context;
    const HaloBuf row = {.shape = frames->shape, .cols = frames->shape.width};
    const HaloStatus status =
        read_frame(frames, frames->frame[k], frames->room + k * frames->rows * halo_row_bytes(&row));
    (void)worker;
    if (status == HALO_OK) return;
    pthread_mutex_lock(&frames->lock);
    if (frames->failed.status == HALO_OK || k < frames->failed_at) {
        halo_failure_keep(&frames->failed, status);
        frames->failed_at = k;
    }
    pthread_mutex_unlock(&frames->lock);
}

HaloStatus frames_read(Frames *frames, int64_t first, int64_t rows, char *room)
{
    frames->first = first;
    frames->rows = rows;
    frames->room = room;
    halo_pool_run(frames->pool, frames->count, read_task, frames);
    return frames->failed.status == HALO_OK ? HALO_OK : halo_failure_again(&frames->failed);
}

static HaloStatus check_shape(const Frames *frames, const Frame *frame)
{
    const HaloShape *s = &frames->shape, *t = &frame->reader.info.shape;
    const char *name = halo_source_name(frame->source), *first = halo_source_name(frames->frame[0]->source);
    if (t->kind != HALO_IMAGE) return halo_fail_on(HALO_ERR_INPUT, name, " is audio, and pictures are stacked");
    if (s->width != t->width || s->height != t->height || s->channels != t->channels)
        return halo_fail_on(HALO_ERR_INPUT, name,
                            " is %lld x %lld with %d channel%s, and %s is %lld x %lld with %d",
                            (long long)t->width, (long long)t->height, t->channels, halo_s(t->channels), first,
                            (long long)s->width, (long long)s->height, s->channels);
    if (s->dtype != t->dtype || s->alpha != t->alpha)
        return halo_fail_on(HALO_ERR_INPUT, name, " has %s samples%s, and %s has %s%s%s",
                            halo_dtype_name(t->dtype), t->alpha >= 0 ? " with alpha" : "", first,
                            halo_dtype_name(s->dtype), s->alpha >= 0 ? " with alpha" : "",
                            s->dtype != t->dtype ? "; 'halo run depth:…' makes them alike" : "");
    return HALO_OK;
}

/* Adds a page, open if it may stay so. */
static HaloStatus add_frame(Frames *frames, const char *path, int64_t page)
{
    HaloStatus status = HALO_OK;
    Frame **grown = realloc(frames->frame, sizeof *grown * ((size_t)frames->count + 1));
    Frame *frame = calloc(1, sizeof *frame);
    if (grown != NULL) frames->frame = grown;
    if (grown == NULL || frame == NULL) {
        free(frame);
        return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    }
    *frame = (Frame){
        .path = path, .page = page, .kept = frames->count < frames->most_open || strcmp(path, "-") == 0};
    frames->frame[frames->count++] = frame;
    HALO_TRY(open_frame(frames, frame));
    if (frames->count == 1) frames->shape = frame->reader.info.shape;
    HALO_TRY(check_shape(frames, frame));
    if (page == 0 && halo_source_identity(frame->source, frames->read[frames->reads].id))
        frames->read[frames->reads++].what = "an input";
out:
    return status;
}

/* A file's pages; what comes on a pipe comes once, and is one. */
static HaloStatus add_file(Frames *frames, const char *path)
{
    HaloStatus status = HALO_OK;
    int64_t pages = 1;
    for (int64_t page = 0; page < pages; page++) {
        HALO_TRY(add_frame(frames, path, page));
        Frame *frame = frames->frame[frames->count - 1];
        if (page == 0) halo_notes_join(&frames->notes, &frame->reader.info.notes);
        const bool several = page == 0 && frame->reader.format->next != NULL && strcmp(path, "-") != 0;
        if (several && frame->reader.info.images > 1) pages = frame->reader.info.images;
        if (!frame->kept) close_frame(frame);
    }
out:
    return status;
}

static int64_t files_at_a_time(int jobs)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return INT64_MAX;
    const int64_t left = (int64_t)limit.rlim_cur - SPARE_FILES - jobs;
    return left > 1 ? left : 1;
}

HaloStatus frames_open(HaloSession *session, const HaloStack *stack, HaloPool *pool, Frames **out)
{
    HaloStatus status = HALO_OK;
    Frames *frames = *out = calloc(1, sizeof *frames);
    if (frames == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    *frames = (Frames){.session = session, .stack = stack, .pool = pool};
    pthread_mutex_init(&frames->lock, NULL);
    frames->most_open = files_at_a_time(session->options.jobs);
    frames->read = calloc(stack->inputs + 1, sizeof *frames->read);
    if (frames->read == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    for (size_t i = 0; i < stack->inputs; i++) HALO_TRY(add_file(frames, stack->input[i]));
    if (frames->count == 0) HALO_FAIL(HALO_ERR_USAGE, "an input is missing");
out:
    return status;
}

void frames_close(Frames *frames)
{
    if (frames == NULL) return;
    for (int64_t k = 0; k < frames->count; k++) {
        close_frame(frames->frame[k]);
        free(frames->frame[k]);
    }
    pthread_mutex_destroy(&frames->lock);
    free(frames->frame);
    free(frames->read);
    free(frames);
}

int64_t frames_count(const Frames *frames) { return frames->count; }

bool frames_stay(const Frames *frames) { return frames->count <= frames->most_open; }

HaloReader *frames_first(Frames *frames) { return &frames->frame[0]->reader; }

const HaloRead *frames_reads(const Frames *frames, size_t *count)
{
    *count = frames->reads;
    return frames->read;
}

HaloStatus frames_end(Frames *frames, HaloNotes *notes)
{
    HaloStatus status = HALO_OK;
    halo_notes_join(notes, &frames->notes);
    for (int64_t k = 0; k < frames->count; k++) {
        Frame *frame = frames->frame[k];
        bool more = false;
        if (!frame->open || frame->reader.format->next != NULL) continue;
        HALO_TRY(load_more(frames->session, &frame->reader, &more, notes));
        if (more) halo_note(notes, HALO_NOTE_PAGES, 1);
    }
out:
    return status;
}

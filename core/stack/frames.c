/* The images of a stack: all pages of all inputs. As many stay open as the system allows; the others are opened
 * again for every band and read up to it. Standard input cannot be read twice, so its images are kept in
 * memory. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "frames.h"

/* Descriptors for all that is open beside. */
#define SPARE_FILES 24

static const char *named(const char *path) { return strcmp(path, "-") == 0 ? "standard input" : path; }

static HaloStatus check_shape(const Frames *frames, const Frame *frame, const HaloReader *reader)
{
    const HaloShape *s = &frames->shape, *t = &reader->info.shape;
    const char *name = named(frame->path), *first = named(frames->frame[0]->path);
    if (t->kind != HALO_IMAGE)
        return halo_fail_on(HALO_ERR_INPUT, name, " is audio, and only images can be stacked");
    if (s->width != t->width || s->height != t->height || s->channels != t->channels)
        return halo_fail_on(HALO_ERR_INPUT, name,
                            " is %lld x %lld with %d channel%s, and %s is %lld x %lld with %d",
                            (long long)t->width, (long long)t->height, t->channels, halo_s(t->channels), first,
                            (long long)s->width, (long long)s->height, s->channels);
    if (s->dtype != t->dtype || s->alpha != t->alpha)
        return halo_fail_on(HALO_ERR_INPUT, name, " has %s samples%s, and %s has %s%s%s",
                            halo_dtype_name(t->dtype), t->alpha >= 0 ? " with alpha" : "", first,
                            halo_dtype_name(s->dtype), s->alpha >= 0 ? " with alpha" : "",
                            s->dtype != t->dtype ? "; use 'halo run depth:…' to convert them" : "");
    return HALO_OK;
}

static HaloStatus add_frame(Frames *frames, const char *path, Frame **added)
{
    Frame **grown = realloc(frames->frame, sizeof *grown * ((size_t)frames->count + 1));
    Frame *frame = *added = calloc(1, sizeof *frame);
    if (grown != NULL) frames->frame = grown;
    if (grown == NULL || frame == NULL) {
        free(frame);
        return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    }
    *frame = (Frame){.path = path, .kept = frames->count < frames->most_open};
    frames->frame[frames->count++] = frame;
    return HALO_OK;
}

static HaloStatus move_frames(const Frames *frames, size_t input, int64_t first)
{
    const HaloShift *shift = frames->stack->shift;
    if (shift == NULL) return HALO_OK;
    if (frames->count - first > 1)
        return halo_fail_on(HALO_ERR_INPUT, named(frames->stack->input[input]),
                            " holds several images: aligning takes files of one image");
    return frame_plan(frames, frames->frame[first], &shift[input]);
}

/* Opens the first page, or goes from the page before to this one. */
static HaloStatus open_page(const Frames *frames, HaloSource *source, int64_t page, HaloReader *reader)
{
    HaloSession *session = frames->session;
    return page == 0 ? load_open(session, source, frames->stack->raw, reader)
                     : load_next(session->tables, reader);
}

/* Of a page whose reader stands at its beginning. */
static HaloStatus check_frame(Frames *frames, const Frame *frame, const HaloReader *reader)
{
    const uint64_t profile = load_profile(&reader->info.meta.icc);
    if (frames->count == 1) frames->profile = profile;
    if (load_profiles_differ(frames->profile, profile)) frames->notes.count[HALO_NOTE_PROFILES] = 1;
    const int orientation = halo_exif_orientation(&reader->info.meta.exif);
    if (frames->count == 1) frames->shape = reader->info.shape;
    if (frames->count == 1) frames->orientation = orientation;
    if (orientation != frames->orientation)
        return halo_fail_on(
            HALO_ERR_INPUT, named(frame->path),
            " is to be turned otherwise than %s, as EXIF says: 'halo run orient' turns pictures "
            "upright",
            named(frames->frame[0]->path));
    return check_shape(frames, frame, reader);
}

/* Notes of reading a file; save_report() adds those of the first. */
static void note_file(Frames *frames, const HaloReader *reader)
{
    if (frames->count > 1) halo_notes_join(&frames->notes, &reader->info.notes);
}

/* The header of an input that is no longer open. */
static void keep_info(Frames *frames, HaloReader *reader)
{
    frames->format = reader->format;
    frames->info = reader->info;
    reader->info.meta = (HaloMeta){0};
}

/* Reads all pages of an input that can be read only once, or whose reader has to keep them all. */
static HaloStatus add_stream(Frames *frames, const char *path)
{
    HaloStatus status = HALO_OK;
    HaloSession *session = frames->session;
    HaloSource *source = NULL;
    HaloReader reader = {0};
    bool more = true;
    HALO_TRY(halo_source_open(path, &source));
    halo_source_count(source, &session->memory);
    for (int64_t page = 0; more; page++) {
        Frame *frame;
        HALO_TRY(open_page(frames, source, page, &reader));
        HALO_TRY(add_frame(frames, path, &frame));
        frame->page = page;
        HALO_TRY(check_frame(frames, frame, &reader));
        if (page == 0) note_file(frames, &reader);
        HALO_TRY(load_samples(&reader, &frame->data));
        if (frames->count == 1)
            keep_info(frames, &reader);
        else
            frames_note_lost(frames, &reader);
        HALO_TRY(load_more(session->tables, &reader, &more, &frames->notes));
    }
out:
    load_close(&reader);
    halo_source_close(source);
    return status;
}

/* The pages of a file, each with a separate reader; another reader goes through all of them. */
static HaloStatus add_file(Frames *frames, const char *path)
{
    HaloStatus status = HALO_OK;
    HaloSession *session = frames->session;
    HaloSource *source = NULL;
    HaloReader scout = {0};
    bool more = true;
    HALO_TRY(halo_source_open(path, &source));
    halo_source_count(source, &session->memory);
    if (halo_source_identity(source, &frames->read[frames->reads]))
        frames->read[frames->reads++].what = "an input";
    for (int64_t page = 0; more; page++) {
        Frame *frame;
        const int64_t offset = page > 0 && !load_has_pages(&scout) ? halo_source_tell(source) : 0;
        HALO_TRY(open_page(frames, source, page, &scout));
        if (scout.keeps_all) break;
        HALO_TRY(add_frame(frames, path, &frame));
        frame->page = page;
        frame->offset = offset;
        HALO_TRY(check_frame(frames, frame, &scout));
        if (page == 0) note_file(frames, &scout);
        HALO_TRY(load_past(session->tables, &scout, &more, &frames->notes));
        if (frame->kept) HALO_TRY(frame_open(frames, frame));
    }
out:
    more = scout.keeps_all;
    load_close(&scout);
    halo_source_close(source);
    return status == HALO_OK && more ? add_stream(frames, path) : status;
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
    for (size_t i = 0; i < stack->inputs; i++) {
        const char *path = stack->input[i];
        const int64_t first = frames->count;
        HALO_TRY(strcmp(path, "-") == 0 ? add_stream(frames, path) : add_file(frames, path));
        HALO_TRY(move_frames(frames, i, first));
    }
    if (frames->count == 0) HALO_FAIL(HALO_ERR_USAGE, "an input is missing");
out:
    return status;
}

void frames_close(Frames *frames)
{
    if (frames == NULL) return;
    for (int64_t k = 0; k < frames->count; k++) {
        frame_close(frames->frame[k]);
        halo_plan_free(frames->frame[k]->plan);
        free(frames->frame[k]->window.data);
        halo_memory_free(&frames->session->memory, &frames->frame[k]->data);
        free(frames->frame[k]);
    }
    if (frames->held > 0) halo_memory_release(&frames->session->memory, frames->held);
    halo_meta_free(&frames->info.meta);
    pthread_mutex_destroy(&frames->lock);
    free(frames->frame);
    free(frames->read);
    free(frames);
}

int64_t frames_count(const Frames *frames) { return frames->count; }

bool frames_stay(const Frames *frames) { return frames->count <= frames->most_open; }

const HaloInfo *frames_first(const Frames *frames)
{
    return frames->format != NULL ? &frames->info : &frames->frame[0]->reader.info;
}

const HaloFormat *frames_format(const Frames *frames)
{
    return frames->format != NULL ? frames->format : frames->frame[0]->reader.format;
}

const HaloRead *frames_reads(const Frames *frames, size_t *count)
{
    *count = frames->reads;
    return frames->read;
}

const HaloNotes *frames_notes(Frames *frames)
{
    for (int64_t k = 1; k < frames->count; k++)
        if (frames->frame[k]->open) frames_note_lost(frames, &frames->frame[k]->reader);
    return &frames->notes;
}

/* Compares two files, image by image. */
#include <math.h>
#include <stdlib.h>

#include "file/file.h"
#include "halo/compare.h"
#include "part.h"

typedef struct Side {
    const char *path;
    HaloSource *source;
    HaloReader reader;
    HaloBuf data;
} Side;

static const char *name_of(const Side *side) { return halo_source_name(side->source); }

static HaloStatus open_side(HaloSession *session, const HaloShape *raw, Side *side)
{
    const HaloStatus status = halo_source_open(side->path, &side->source);
    if (status != HALO_OK) return status;
    halo_source_count(side->source, &session->memory);
    return load_open_wide(session, side->source, raw, &side->reader);
}

static void close_side(HaloSession *session, Side *side)
{
    halo_memory_free(&session->memory, &side->data);
    load_close(&side->reader);
    halo_source_close(side->source);
}

static HaloStatus check_shapes(const Side *a, const Side *b)
{
    const HaloShape *s = &a->data.shape, *t = &b->data.shape;
    if (s->kind != t->kind)
        return halo_fail_on(HALO_ERR_INPUT, name_of(b), " is %s, and %s is %s",
                            t->kind == HALO_AUDIO ? "audio" : "an image", name_of(a),
                            s->kind == HALO_AUDIO ? "audio" : "an image");
    if (s->kind == HALO_AUDIO && s->rate != t->rate)
        return halo_fail_on(HALO_ERR_INPUT, name_of(b), " has a sample rate of %g Hz, and %s of %g Hz", t->rate,
                            name_of(a), s->rate);
    const bool sound = s->kind == HALO_AUDIO; /* which may be of any two lengths */
    if ((sound || s->width == t->width) && s->height == t->height && s->channels == t->channels) return HALO_OK;
    if (sound)
        return halo_fail_on(HALO_ERR_INPUT, name_of(b), " has %d channel%s, and %s has %d", t->channels,
                            halo_s(t->channels), name_of(a), s->channels);
    return halo_fail_on(HALO_ERR_INPUT, name_of(b),
                        " is %lld x %lld with %d channel%s, and %s is %lld x %lld with %d", (long long)t->width,
                        (long long)t->height, t->channels, halo_s(t->channels), name_of(a), (long long)s->width,
                        (long long)s->height, s->channels);
}

static void compare_times(const Side *a, const Side *b, HaloComparison *all)
{
    const HaloTimeline *s = &a->reader.info.meta.time, *t = &b->reader.info.meta.time;
    const int64_t frames = smaller(a->data.shape.width, b->data.shape.width);
    if (s->name == NULL || t->name == NULL) return;
    for (int64_t k = 0; k < frames; k++) {
        const int64_t first = halo_time_at(s, NULL, k), second = halo_time_at(t, NULL, k);
        if (first == second || all->times++ > 0) continue;
        all->times_row = k;
        all->times_off = ((double)second - (double)first) / 1e9;
    }
}

static HaloStatus compare_more(const Pair *pair, const HaloCompareMore *more, HaloComparison *all)
{
    HaloStatus status = HALO_OK;
    if (more == NULL) return HALO_OK;
    if (more->ppd != 0.0 && !(more->ppd >= 1.0 && more->ppd <= 1000.0))
        HALO_FAIL(HALO_ERR_USAGE, "--ppd: expected a number from 1 to 1000, got %.10g", more->ppd);
    all->measures = more->measures;
    if (more->measures & HALO_COMPARE_DELTAE) HALO_TRY(compare_colours(pair, all));
    if (more->measures & HALO_COMPARE_MSSSIM) HALO_TRY(compare_scales(pair, all));
    if (more->measures & HALO_COMPARE_FLIP)
        HALO_TRY(compare_flip(pair, more->ppd != 0.0 ? more->ppd : 67.0, all));
out:
    return status;
}

static HaloStatus compare_images(HaloSession *session, HaloPool *pool, const HaloCompareMore *more, Side *a,
                                 Side *b, HaloComparison *all)
{
    HaloStatus status = HALO_OK;
    HALO_TRY(load_samples(&a->reader, &a->data));
    HALO_TRY(load_samples(&b->reader, &b->data));
    HALO_TRY(check_shapes(a, b));
    const Pair pair = {.a = &a->data,
                       .b = &b->data,
                       .scale = a->data.shape.numbers || b->data.shape.numbers
                                    ? 1.0
                                    : (double)a->data.shape.white / (double)b->data.shape.white,
                       .pool = pool,
                       .jobs = session->options.jobs,
                       .memory = &session->memory,
                       .device = &session->host};
    *all = (HaloComparison){.shape = a->data.shape, .other_width = b->data.shape.width};
    compare_times(a, b, all);
    HALO_TRY(compare_samples(&pair, all));
    HALO_TRY(compare_structure(&pair, all));
    HALO_TRY(compare_lag(&pair, all));
    HALO_TRY(compare_more(&pair, more, all));
    all->notes = a->reader.info.notes;
    halo_notes_join(&all->notes, &b->reader.info.notes);
    if (load_profiles_differ(load_profile(&a->reader.info.meta.icc), load_profile(&b->reader.info.meta.icc)))
        halo_note(&all->notes, HALO_NOTE_PROFILES, 1);
    halo_memory_free(&session->memory, &a->data);
    halo_memory_free(&session->memory, &b->data);
out:
    return status;
}

/* Steps to the next image of both; *more: there is one. */
static HaloStatus next_images(HaloSession *session, Side *a, Side *b, bool *more)
{
    HaloStatus status = HALO_OK;
    bool other = false;
    HALO_TRY(load_more(session->tables, &a->reader, more, &a->reader.info.notes));
    HALO_TRY(load_more(session->tables, &b->reader, &other, &b->reader.info.notes));
    if (*more != other)
        HALO_TRY(halo_fail_on(HALO_ERR_INPUT, name_of(*more ? a : b), " has more images than %s",
                              name_of(*more ? b : a)));
    if (!*more) return HALO_OK;
    HALO_TRY(load_next(session->tables, &a->reader));
    HALO_TRY(load_next(session->tables, &b->reader));
out:
    return status;
}

HaloStatus halo_compare(HaloSession *session, const char *path_a, const char *path_b, const HaloShape *raw,
                        const HaloCompareMore *more, HaloComparison **item, int *items)
{
    HaloStatus status = HALO_OK;
    Side a = {.path = path_a}, b = {.path = path_b};
    HaloPool *pool = NULL;
    *item = NULL;
    *items = 0;
    atomic_store(&session->memory.held, 0);
    HALO_TRY(halo_pool_new(session->options.jobs, &pool));
    HALO_TRY(open_side(session, raw, &a));
    HALO_TRY(open_side(session, raw, &b));
    for (bool next = true; next;) {
        HaloComparison *grown = realloc(*item, sizeof *grown * ((size_t)*items + 1));
        if (grown == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
        *item = grown;
        HALO_TRY(compare_images(session, pool, more, &a, &b, &grown[*items]));
        *items += 1;
        grown[*items - 1].image = *items;
        HALO_TRY(next_images(session, &a, &b, &next));
    }
    if (*items == 1) (*item)->image = 0;
out:
    close_side(session, &a);
    close_side(session, &b);
    halo_pool_free(pool);
    if (status != HALO_OK) {
        free(*item);
        *item = NULL;
        *items = 0;
    }
    return status;
}

/* The inputs of a join: opened and checked before anything is written, then read one after the other. */
#include <math.h>
#include <string.h>

#include "part.h"

#define MOST_OVERLAP ((int64_t)1 << 24)

void inputs_close(JoinInput *input)
{
    if (!input->open) return;
    load_close(&input->reader);
    halo_source_close(input->source);
    input->open = false;
}

/* Rates that come from times are known to a thousandth. */
static bool same_rate(const HaloInfo *a, const HaloInfo *b)
{
    if (a->meta.time.name == NULL || b->meta.time.name == NULL) return a->shape.rate == b->shape.rate;
    return fabs(a->shape.rate - b->shape.rate) <= 1e-3 * a->shape.rate;
}

static HaloStatus check_shape(const JoinRun *run, const JoinInput *input)
{
    const HaloShape *first = &run->input[0].reader.info.shape, *shape = &input->reader.info.shape;
    const char *name = halo_source_name(input->source), *other = halo_source_name(run->input[0].source);
    if (shape->kind != HALO_AUDIO)
        return halo_fail_on(HALO_ERR_INPUT, name,
                            " is an image, and only sounds can be joined; use halo stack for images");
    if (!same_rate(&run->input[0].reader.info, &input->reader.info))
        return halo_fail_on(
            HALO_ERR_INPUT, name,
            " has a sample rate of %.10g Hz, and %s of %.10g Hz: use 'halo run rate:%.10g' to convert it",
            shape->rate, other, first->rate, first->rate);
    if (shape->channels != first->channels)
        return halo_fail_on(HALO_ERR_INPUT, name,
                            " has %d channel%s, and %s has %d: use 'halo run channels:…' to convert it",
                            shape->channels, halo_s(shape->channels), other, first->channels);
    if (shape->dtype <= HALO_U16)
        return halo_fail_on(HALO_ERR_INPUT, name,
                            " has unsigned samples, which cannot be joined: convert it to WAVE first");
    return HALO_OK;
}

HaloStatus inputs_open(JoinRun *run, JoinInput *input)
{
    HaloStatus status = HALO_OK;
    if (input->open) return HALO_OK;
    HALO_TRY(halo_source_open(input->path, &input->source));
    input->open = true;
    input->frames = 0;
    halo_source_count(input->source, &run->session->memory);
    HALO_TRY(load_open_wide(run->session, input->source, run->join->raw, &input->reader));
    HALO_TRY(check_shape(run, input));
out:
    return status;
}

/* The output gets the metadata of the first input, and so its times: those of the others follow them. Where
 * frames have two times, or none, the output has none. */
static HaloStatus join_times(JoinRun *run, JoinInput *input)
{
    HaloTimeline *all = &run->input[0].reader.info.meta.time;
    const HaloTimeline *more = &input->reader.info.meta.time;
    if (all->name == NULL) return HALO_OK;
    if (run->join->crossfade == 0 && more->name != NULL && all->frames > 0 && more->frames > 0 &&
        all->notation.dated == more->notation.dated) {
        if (all->notation.zones > 0 && more->notation.zones > 0 && all->notation.zone != more->notation.zone)
            halo_note_zones(&run->notes, all->notation.zone, more->notation.zone);
        return halo_timeline_append(all, more);
    }
    halo_timeline_free(all);
    halo_note_outdated(&run->notes, HALO_OUTDATED_TIMES);
    return HALO_OK;
}

/* Markers of the others are moved by the frames before them. */
static HaloStatus join_marks(JoinRun *run, JoinInput *input, int64_t at)
{
    HaloInfo *first = &run->input[0].reader.info;
    return halo_meta_append_marks(&first->meta, &input->reader.info.meta, at, first->shape.rate, &run->notes);
}

/* Do two inputs hold samples of one type? */
static bool stored_alike(const HaloInfo *a, const HaloInfo *b)
{
    return a->stored == b->stored && a->bits == b->bits && a->real == b->real;
}

static HaloStatus set_overlap(JoinRun *run)
{
    run->overlap = (int64_t)rint(run->join->crossfade * run->input[0].reader.info.shape.rate);
    if (run->overlap <= MOST_OVERLAP) return HALO_OK;
    return halo_fail(HALO_ERR_USAGE, "a crossfade of %lld frames exceeds the limit of %lld",
                     (long long)run->overlap, (long long)MOST_OVERLAP);
}

/* A pipe can be opened only once. */
HaloStatus inputs_look_at(JoinRun *run)
{
    HaloStatus status = HALO_OK;
    int64_t all = 0;
    bool wide = false; /* one of them is f64: so are all then */
    for (size_t i = 0; i < run->join->inputs; i++) {
        JoinInput *input = &run->input[i];
        input->path = run->join->input[i];
        HALO_TRY(inputs_open(run, input));
        if (i == 0) HALO_TRY(set_overlap(run));
        if (i > 0) HALO_TRY(join_times(run, input));
        if (i > 0) HALO_TRY(join_marks(run, input, all < 0 ? -1 : all - run->overlap * (int64_t)i));
        const int64_t width = input->reader.info.shape.width;
        all = width < 0 || all < 0 ? -1 : all + width;
        wide = wide || input->reader.info.shape.dtype == HALO_F64;
        run->alike = run->alike && stored_alike(&run->input[0].reader.info, &input->reader.info);
        if (halo_source_identity(input->source, &run->read[run->reads]))
            run->read[run->reads++].what = "an input";
        if (i > 0 && strcmp(input->path, "-") != 0 && halo_source_seekable(input->source)) inputs_close(input);
    }
    run->shape = run->input[0].reader.info.shape;
    if (wide) run->shape.dtype = HALO_F64;
    run->shape.width = all < 0 ? -1 : all - run->overlap * ((int64_t)run->join->inputs - 1);
out:
    return status;
}

void inputs_end(JoinRun *run, JoinInput *input)
{
    halo_notes_join(&run->notes, &input->reader.info.notes);
    inputs_close(input);
}

/* Runs the selected pages of a job's inputs through the pipeline, one after the other. */
#include <string.h>

#include "file/file.h"
#include "file/operand.h"
#include "halo/front_end.h"
#include "job.h"
#include "pipeline/pipeline.h"
#include "report/report.h"

/* Of an input: from 0, both inclusive. */
typedef struct Range {
    int64_t first, last;
} Range;

/* ---- how many there are ---------------------------------------------------------------------------------- */

/* 0: it shows at the end. */
static int64_t known_pages(const HaloReader *reader)
{
    const HaloFormat *format = reader->format;
    if (reader->info.images > 0) return reader->info.images;
    return load_has_pages(reader) || format->several == HALO_ONE_IMAGE || reader->info.shape.kind == HALO_AUDIO;
}

static HaloStatus count_pages(HaloSession *session, const HaloJob *job, const char *path, int64_t *pages)
{
    HaloStatus status = HALO_OK;
    HaloSource *source = NULL;
    HaloReader reader = {0};
    if (strcmp(path, "-") == 0)
        return halo_fail(
            HALO_ERR_USAGE,
            "pages: pages cannot be counted from the end on standard input: give a number, or a file");
    HALO_TRY(halo_source_open(path, &source));
    halo_source_count(source, &session->memory);
    HALO_TRY(load_open(session, source, job->raw, &reader));
    HALO_TRY(load_count_pages(session->tables, &reader, pages));
out:
    load_close(&reader);
    halo_source_close(source);
    return status;
}

/* The pages that the pipeline selects. `pages` becomes known where it is counted. */
static HaloStatus find_range(HaloSession *session, const HaloPipeline *pipeline, const HaloJob *job,
                             const char *path, int64_t *pages, Range *range)
{
    HaloStatus status = HALO_OK;
    HaloPages chosen;
    *range = (Range){0, INT64_MAX};
    if (!pipeline_pages(pipeline, &chosen)) return HALO_OK;
    const bool from_end = chosen.first < 0 || (chosen.last < 0 && !chosen.to_end);
    if (*pages == 0 && from_end) HALO_TRY(count_pages(session, job, path, pages));
    range->first = chosen.first < 0 ? *pages + chosen.first : chosen.first - 1;
    if (!chosen.to_end) range->last = chosen.last < 0 ? *pages + chosen.last : chosen.last - 1;
    if (range->first < 0 || range->last < range->first || (*pages > 0 && range->first >= *pages) ||
        (*pages > 0 && !chosen.to_end && range->last >= *pages))
        HALO_FAIL(HALO_ERR_INPUT, "has %lld page%s, and pages:%s was requested", (long long)*pages,
                  halo_s(*pages), chosen.text);
out:
    return status;
}

/* ---- where they go --------------------------------------------------------------------------------------- */

/* If the output holds a single page, it gets the first: the other pages of a file are often previews. From a
 * pipe several pages are an error, since all that was sent was meant. */
static HaloStatus only_one(const JobState *state, const HaloJob *job, HaloReport *report)
{
    const int64_t images = state->reader.info.images;
    if (halo_source_size(state->source) < 0)
        return halo_fail(HALO_ERR_INPUT,
                         "several pages, and %s can store one: use " HALO_FOR_PROGRAM(
                             "--split (a file for each), -o - (one after the other), ") "--to=pnm or --to=tiff",
                         job->output);
    halo_note(&report->notes, HALO_NOTE_PAGES, images > 1 ? (uint64_t)images - 1 : 1);
    return HALO_OK;
}

static bool takes_alike(const JobState *state)
{
    const HaloFormat *to = state->writer.format;
    return to != NULL && to->several == HALO_SEVERAL_ALIKE && halo_sink_seekable(state->sink);
}

bool job_takes_several(const HaloJob *job, const JobState *state)
{
    const HaloFormat *to = state->writer.format;
    return job->split || to == NULL || to->several == HALO_SEVERAL || takes_alike(state) ||
           (to->several == HALO_SEVERAL_IN_STREAMS && !halo_sink_seekable(state->sink));
}

static bool same_size(const HaloShape *a, const HaloShape *b)
{
    return a->kind == b->kind && a->width == b->width && a->height == b->height && a->channels == b->channels &&
           a->dtype == b->dtype;
}

/* How many pages the output will have; 0: not known. */
static int64_t pages_of_output(const HaloJob *job, const JobState *state, int64_t pages, const Range *range)
{
    if (job->split || !job_takes_several(job, state)) return 1;
    if (job->more_inputs > 0) return 0;
    if (range->last < INT64_MAX) return range->last - range->first + 1;
    return pages > 0 ? pages - range->first : 1;
}

/* ---- one after the other --------------------------------------------------------------------------------- */

/* Notes that the profile of another page is that of this one as well. */
static void note_profile(JobState *state, const HaloJob *job, HaloReport *report)
{
    const HaloFormat *to = state->writer.format;
    if (to == NULL || !to->one_meta || job->split) return;
    const uint64_t profile = load_profile(&state->writer.info.meta.icc);
    if (state->pages == 0) state->profile = profile;
    if (load_profiles_differ(profile, state->profile)) halo_note(&report->notes, HALO_NOTE_PROFILES, 1);
    state->pages++;
}

static HaloStatus run_page(HaloSession *session, const HaloPipeline *pipeline, const HaloJob *job,
                           JobState *state, int64_t pages_out, HaloReport *report)
{
    HaloStatus status = HALO_OK;
    HaloReport one = {0};
    const int64_t page = state->reader.options.image;
    if (job->split) HALO_TRY(job_open_output(session, pipeline, job, page, state));
    state->writer.changes.pages = pages_out;
    HALO_TRY(image_run(session, pipeline, state, &one));
    note_profile(state, job, &one);
    HALO_TRY(report_add(state->memory, report, &one, page + 1));
    if (job->split) HALO_TRY(job_close_output(state, report));
    if (job->split) HALO_TRY(job_commit_output(state, report));
out:
    halo_report_clear(&one);
    return status;
}

static HaloStatus ended_early(const Range *range, int64_t pages)
{
    if (range->first < pages && (range->last < pages || range->last == INT64_MAX)) return HALO_OK;
    return halo_fail(HALO_ERR_INPUT, "has %lld page%s, and page %lld was requested", (long long)pages,
                     halo_s(pages), (long long)(range->first < pages ? range->last : range->first) + 1);
}

/* *done counts the pages that went through. */
static HaloStatus run_input(HaloSession *session, const HaloPipeline *pipeline, const HaloJob *job,
                            JobState *state, HaloReport *report, int64_t *done)
{
    HaloStatus status = HALO_OK;
    HaloReader *reader = &state->reader;
    int64_t pages = known_pages(reader);
    Range range;
    HALO_TRY(find_range(session, pipeline, job, state->operands.input, &pages, &range));
    const int64_t out = pages_of_output(job, state, pages, &range);
    for (int64_t page = 0;; page++) {
        const HaloShape shape = reader->info.shape;
        const bool wanted = page >= range.first;
        bool more = false;
        operand_next_page(&state->operands, page, pages);
        if (wanted) HALO_TRY(run_page(session, pipeline, job, state, out, report));
        *done += wanted;
        if (page == range.last) break;
        HALO_TRY(wanted ? load_more(session->tables, reader, &more, &report->notes)
                        : load_past(session->tables, reader, &more, &report->notes));
        if (!more) HALO_TRY(ended_early(&range, page + 1));
        if (!more) HALO_TRY(operand_last_page(&state->operands, page + 1));
        if (more && wanted && !job_takes_several(job, state)) HALO_TRY(only_one(state, job, report));
        if (!more || (wanted && !job_takes_several(job, state))) break;
        HALO_TRY(load_next(session->tables, reader));
        if (wanted && takes_alike(state) && !job->split && !same_size(&shape, &reader->info.shape)) {
            halo_note(&report->notes, HALO_NOTE_SIZES, 1); /* the rest may be previews */
            break;
        }
    }
out:
    return status;
}

/* Results of the only page have no number. */
static void name_results(HaloReport *report, bool one)
{
    for (int i = 0; i < report->results.count && one; i++) report->results.item[i].image = 0;
}

HaloStatus job_run_pages(HaloSession *session, const HaloPipeline *pipeline, const HaloJob *job,
                         JobState *state, HaloReport *report)
{
    HaloStatus status = HALO_OK;
    HaloPages chosen;
    int64_t done = 0;
    for (size_t i = 0; i <= job->more_inputs; i++) {
        if (i > 0) HALO_TRY(job_open_input(session, job, job->more_input[i - 1], state));
        HALO_TRY(run_input(session, pipeline, job, state, report, &done));
    }
    name_results(report, done == 1 && !pipeline_pages(pipeline, &chosen));
out:
    return status;
}

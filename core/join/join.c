/* Joins sounds end to end, band by band. Frames are read into a queue; if another input follows, the last
 * frames stay in it for the crossfade. */
#include "halo/join.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "file/file.h"
#include "halo/fade.h"
#include "plan/plan.h"
#include "run/run.h"

/* Bytes of a band, about. */
#define BAND_BYTES ((int64_t)1 << 20)
#define MOST_OVERLAP ((int64_t)1 << 24)

typedef struct Input {
    const char *path;
    bool open;
    HaloSource *source;
    HaloReader reader;
    int64_t frames; /* read so far */
} Input;

typedef struct Run {
    HaloSession *session;
    const HaloJoin *join;
    Input *input; /* [inputs]; the first stays open, since the output gets its metadata */
    size_t at;
    bool ended;      /* all frames are in the queue, or written */
    bool alike;      /* all inputs hold samples of one type */
    HaloShape shape; /* of all; width -1: not known yet */
    HaloRead *read;
    size_t reads;
    int64_t overlap, band;
    float *gain;                /* of the curve, at HALO_FADE_PLACES + 1 places (halo/fade.h); NULL: linear */
    HaloBuf waiting, head, out; /* head: the first frames of an input; out: a band */
    HaloPlan *plan;
    HaloWriter writer;
    HaloNotes notes; /* of inputs behind the first */
    HaloTimes ms;
} Run;

/* ---- inputs -----------------------------------------------------------------------------------------------
 */

static void close_input(Input *input)
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

static HaloStatus check_shape(const Run *run, const Input *input)
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
        return halo_fail_on(HALO_ERR_INPUT, name, " has samples of a type that cannot be joined");
    return HALO_OK;
}

static HaloStatus open_input(Run *run, Input *input)
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
static HaloStatus join_times(Run *run, Input *input)
{
    HaloTimeline *all = &run->input[0].reader.info.meta.time;
    const HaloTimeline *more = &input->reader.info.meta.time;
    if (all->name == NULL) return HALO_OK;
    if (run->join->crossfade == 0 && more->name != NULL && all->frames > 0 && more->frames > 0 &&
        all->notation.dated == more->notation.dated)
        return halo_timeline_append(all, more);
    halo_timeline_free(all);
    halo_note_outdated(&run->notes, HALO_OUTDATED_TIMES);
    return HALO_OK;
}

/* Do two inputs hold samples of one type? */
static bool stored_alike(const HaloInfo *a, const HaloInfo *b)
{
    return a->stored == b->stored && a->bits == b->bits && a->real == b->real;
}

/* All headers are checked before anything is written. A pipe can be opened only once. */
static HaloStatus look_at_inputs(Run *run)
{
    HaloStatus status = HALO_OK;
    int64_t all = 0;
    bool wide = false; /* one of them is f64: so are all then */
    for (size_t i = 0; i < run->join->inputs; i++) {
        Input *input = &run->input[i];
        input->path = run->join->input[i];
        HALO_TRY(open_input(run, input));
        if (i > 0) HALO_TRY(join_times(run, input));
        const int64_t width = input->reader.info.shape.width;
        all = width < 0 || all < 0 ? -1 : all + width;
        wide = wide || input->reader.info.shape.dtype == HALO_F64;
        run->alike = run->alike && stored_alike(&run->input[0].reader.info, &input->reader.info);
        if (halo_source_identity(input->source, &run->read[run->reads]))
            run->read[run->reads++].what = "an input";
        if (i > 0 && strcmp(input->path, "-") != 0 && halo_source_seekable(input->source)) close_input(input);
    }
    run->shape = run->input[0].reader.info.shape;
    if (wide) run->shape.dtype = HALO_F64;
    run->overlap = (int64_t)rint(run->join->crossfade * run->shape.rate);
    if (run->overlap > MOST_OVERLAP)
        HALO_FAIL(HALO_ERR_USAGE, "a crossfade of %lld frames exceeds the limit of %lld",
                  (long long)run->overlap, (long long)MOST_OVERLAP);
    run->shape.width = all < 0 ? -1 : all - run->overlap * ((int64_t)run->join->inputs - 1);
out:
    return status;
}

/* ---- frames -----------------------------------------------------------------------------------------------
 */

/* f32 becomes f64 in place. */
static void widen(void *samples, int64_t count)
{
    for (int64_t i = count - 1; i >= 0; i--) {
        float narrow;
        memcpy(&narrow, (const char *)samples + i * 4, sizeof narrow);
        const double wide = (double)narrow;
        memcpy((char *)samples + i * 8, &wide, sizeof wide);
    }
}

/* Up to `frames` of an input, behind those that `to` has already. */
static HaloStatus read_frames(Input *input, HaloBuf *to, int64_t frames, int64_t *got)
{
    const int64_t width = input->reader.info.shape.width;
    HaloBuf rest = *to;
    rest.x0 = to->x0 + to->cols;
    rest.cols = *got = width < 0 ? frames : smaller(frames, width - input->frames);
    rest.data = halo_at(to, rest.x0, 0);
    if (rest.cols < 1) return HALO_OK;
    rest.shape.dtype = input->reader.info.shape.dtype;
    const HaloStatus status = load_rows(&input->reader, &rest, got);
    if (rest.shape.dtype != to->shape.dtype) widen(rest.data, *got * to->shape.channels);
    input->frames += *got;
    to->cols += *got;
    return status;
}

static HaloStatus too_short(const Run *run, const Input *input)
{
    return halo_fail_on(HALO_ERR_INPUT, input->path, " has %lld frame%s, fewer than the %lld of a crossfade",
                        (long long)input->frames, halo_s(input->frames), (long long)run->overlap);
}

/* NULL for a linear crossfade. */
static HaloStatus make_gain(HaloCrossfade curve, float **gain)
{
    const double pi = 3.14159265358979323846;
    if (curve == HALO_CROSSFADE_LINEAR) return HALO_OK;
    *gain = malloc((HALO_FADE_PLACES + 1) * sizeof **gain);
    if (*gain == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    for (int i = 0; i <= HALO_FADE_PLACES; i++) {
        const double t = (double)i / HALO_FADE_PLACES;
        (*gain)[i] = (float)(curve == HALO_CROSSFADE_POWER ? sin(pi / 2 * t) : 0.5 - 0.5 * cos(pi * t));
    }
    return HALO_OK;
}

/* The gain of the sound that begins, at frame k of n. */
static double gain_at(const float *gain, int64_t k, int64_t n)
{
    return gain != NULL ? (double)halo_fade_gain(gain, k, n) : (double)(2 * k + 1) / (double)(2 * n);
}

static void cross_wide(const Run *run)
{
    const int64_t channels = run->shape.channels, n = run->overlap;
    double *tail = (double *)run->waiting.data + (run->waiting.cols - n) * channels;
    const double *head = run->head.data;
    for (int64_t k = 0; k < n; k++) {
        const double come = gain_at(run->gain, k, n), gone = gain_at(run->gain, n - 1 - k, n);
        for (int64_t c = 0; c < channels; c++, tail++, head++) *tail = halo_fma_f64(*head, come, *tail * gone);
    }
}

/* Crossfades the head of an input with the last frames of the queue. */
static void cross(const Run *run)
{
    if (run->shape.dtype == HALO_F64) {
        cross_wide(run);
        return;
    }
    const int64_t channels = run->shape.channels, n = run->overlap;
    float *tail = (float *)run->waiting.data + (run->waiting.cols - n) * channels;
    const float *head = run->head.data;
    for (int64_t k = 0; k < n; k++) {
        const float come = (float)gain_at(run->gain, k, n), gone = (float)gain_at(run->gain, n - 1 - k, n);
        for (int64_t c = 0; c < channels; c++, tail++, head++) *tail = halo_fma(*head, come, *tail * gone);
    }
}

static void end_input(Run *run, Input *input)
{
    halo_notes_join(&run->notes, &input->reader.info.notes);
    close_input(input);
}

static HaloStatus next_input(Run *run)
{
    HaloStatus status = HALO_OK;
    Input *input = &run->input[run->at];
    run->ended = run->at + 1 == run->join->inputs;
    if (run->ended) return HALO_OK;
    if (input->frames < run->overlap) return too_short(run, input);
    if (run->at > 0) end_input(run, input);
    input = &run->input[++run->at];
    HALO_TRY(open_input(run, input));
    run->head.cols = 0;
    for (int64_t got = 1; run->head.cols < run->overlap && got > 0;)
        HALO_TRY(read_frames(input, &run->head, run->overlap - run->head.cols, &got));
    if (run->head.cols < run->overlap) HALO_TRY(too_short(run, input));
    cross(run);
out:
    return status;
}

/* BandIo::wait: fills the queue until it holds a band, or all that is left. */
static HaloStatus wait_for_band(void *context, int64_t k)
{
    HaloStatus status = HALO_OK;
    Run *run = context;
    const double start = now_ms();
    while (!run->ended && run->waiting.cols < run->band + run->overlap) {
        const int64_t capacity = run->band + run->overlap - run->waiting.cols;
        int64_t got;
        HALO_TRY(read_frames(&run->input[run->at], &run->waiting, capacity, &got));
        if (got < capacity) HALO_TRY(next_input(run));
    }
    if (run->ended && run->shape.width < 0) {
        run->shape.width = k * run->band + run->waiting.cols;
        if (run->shape.width < 1) HALO_FAIL(HALO_ERR_INPUT, "the inputs have no samples");
        HALO_TRY(plan_end_at(run->plan, run->shape.width));
    }
out:
    run->ms.read += now_ms() - start;
    return status;
}

/* BandIo::begin: the plan takes samples one by one, so that bands do not overlap. */
static HaloStatus begin_band(void *context, int64_t k, Rows in, Rows out, HaloBuf *from, HaloBuf *to)
{
    Run *run = context;
    (void)k;
    if (in.to - in.from > run->waiting.cols)
        return halo_fail(HALO_ERR_INPUT, "an input is shorter than its header says");
    *from = run->waiting;
    from->shape = run->plan->reg[run->plan->input[0].reg];
    set_rows(from, in);
    run->out.shape = run->plan->reg[run->plan->output];
    set_rows(&run->out, out);
    *to = run->out;
    return HALO_OK;
}

static HaloStatus end_band(void *context, int64_t k)
{
    Run *run = context;
    HaloBuf *waiting = &run->waiting;
    const double start = now_ms();
    (void)k;
    const HaloStatus status = save_rows(&run->writer, &run->out);
    const int64_t frame = run->shape.channels * (int64_t)halo_dtype_size(run->shape.dtype);
    waiting->cols -= run->out.cols;
    memmove(waiting->data, (char *)waiting->data + run->out.cols * frame, (size_t)(waiting->cols * frame));
    run->ms.write += now_ms() - start;
    return status;
}

/* ---- before and after -------------------------------------------------------------------------------------
 */

static HaloStatus make_plan(Run *run, const HaloFormat *to)
{
    HaloStatus status = HALO_OK;
    HaloShape shape = run->shape;
    HaloPipeline *pipeline = NULL;
    if (shape.width < 0 && !to->endless)
        HALO_FAIL(
            HALO_ERR_USAGE,
            "%s needs to know the length of the sound, which an input does not state: write another format",
            to->name);
    if (shape.width < 0) shape.width = PLAN_ENDLESS;
    HALO_TRY(halo_pipeline_parse(run->session, "", &pipeline));
    HALO_TRY(halo_plan_make(run->session, pipeline, &shape, to, &run->plan));
out:
    halo_pipeline_free(pipeline);
    return status;
}

/* An empty buffer with space for this many frames. */
static HaloStatus take(Run *run, int64_t frames, const HaloShape *like, HaloBuf *buf)
{
    HaloShape shape = *like;
    shape.width = larger(frames, 1);
    const HaloStatus status = halo_memory_alloc(&run->session->memory, buf, &shape);
    buf->cols = 0;
    return status;
}

static HaloStatus run_bands(Run *run, HaloReport *report)
{
    HaloStatus status = HALO_OK;
    Device *host = &run->session->host;
    HaloInfo *like = &run->input[0].reader.info;
    const BandIo io = {.context = run, .wait = wait_for_band, .begin = begin_band, .end = end_band};
    const HaloShape *out = &run->plan->reg[run->plan->output];
    run->band = larger(1024, BAND_BYTES / (run->shape.channels * (int64_t)halo_dtype_size(run->shape.dtype)));
    HALO_TRY(device_open(host, 0, run->session->options.jobs));
    HALO_TRY(take(run, run->band + run->overlap, &run->shape, &run->waiting));
    HALO_TRY(take(run, run->overlap, &run->shape, &run->head));
    HALO_TRY(take(run, run->band, out, &run->out));
    HALO_TRY(plan_changes(run->plan, &run->writer.changes));
    HALO_TRY(save_begin(&run->writer, like, run->shape.width < 0));
    const Bands bands = bands_cut(run->plan, run->band);
    HALO_TRY(execute_bands((Team){host, 1}, &bands, &io, NULL, &report->clipped, &report->ms));
    HALO_TRY(plan_changes(run->plan, &run->writer.changes)); /* its length is known by now */
    HALO_TRY(save_end(&run->writer, like));
    HALO_TRY(save_close(&run->writer, HALO_OK));
    report->ms = run->ms;
    report->input = run->shape;
    report->backend = host->backend->name;
    if (run->at > 0) end_input(run, &run->input[run->at]);
    halo_notes_join(&report->notes, &run->notes);
    save_report(&run->writer, like, report);
out:
    return status;
}

HaloStatus halo_join(HaloSession *session, const HaloJoin *join, HaloReport *report)
{
    HaloStatus status = HALO_OK;
    Run run = {.session = session, .join = join, .alike = true};
    HaloSink *sink = NULL;
    const HaloFormat *to = NULL;
    HaloSinkOptions options = {.force = join->force, .sync = join->write.sync};
    *report = (HaloReport){.backend = "none"};
    atomic_store(&session->memory.held, 0);
    if (join->inputs < 1) HALO_FAIL(HALO_ERR_USAGE, "an input is missing");
    run.input = calloc(join->inputs, sizeof *run.input);
    run.read = calloc(join->inputs, sizeof *run.read);
    if (run.input == NULL || run.read == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    HALO_TRY(make_gain(join->curve, &run.gain));
    HALO_TRY(look_at_inputs(&run));
    HALO_TRY(save_format(session, join->output, join->to, run.input[0].reader.format, &to));
    HALO_TRY(make_plan(&run, to));
    options.read = run.read;
    options.reads = run.reads;
    HALO_TRY(halo_sink_open(join->output, &options, &sink));
    run.writer = (HaloWriter){.format = to,
                              .sink = sink,
                              .options = join->write,
                              .jobs = session->options.jobs,
                              .memory = &session->memory,
                              .changes = {.samples = true, .stored = run.alike && run.overlap == 0}};
    HALO_TRY(run_bands(&run, report));
    status = halo_sink_commit(sink);
    sink = NULL;
out:
    save_close(&run.writer, HALO_ERR_OUTPUT);
    halo_sink_abandon(sink);
    for (size_t i = 0; i < join->inputs && run.input != NULL; i++) close_input(&run.input[i]);
    halo_memory_free(&session->memory, &run.waiting);
    halo_memory_free(&session->memory, &run.head);
    halo_memory_free(&session->memory, &run.out);
    halo_plan_free(run.plan);
    free(run.gain);
    free(run.input);
    free(run.read);
    return status;
}

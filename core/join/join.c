/* Joins sounds end to end, band by band. */
#include "halo/join.h"

#include <stdlib.h>
#include <string.h>

#include "part.h"

/* Bytes of a band, about. */
#define BAND_BYTES ((int64_t)1 << 20)

/* BandIo::wait. */
static HaloStatus wait_for_band(void *context, int64_t k)
{
    HaloStatus status = HALO_OK;
    JoinRun *run = context;
    const double start = now_ms();
    HALO_TRY(frames_fill(run));
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
    JoinRun *run = context;
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
    JoinRun *run = context;
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

static HaloStatus make_plan(JoinRun *run, const HaloFormat *to)
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
static HaloStatus take(JoinRun *run, int64_t frames, const HaloShape *like, HaloBuf *buf)
{
    HaloShape shape = *like;
    shape.width = larger(frames, 1);
    const HaloStatus status = halo_memory_alloc(&run->session->memory, buf, &shape);
    buf->cols = 0;
    return status;
}

static HaloStatus run_bands(JoinRun *run, HaloReport *report)
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
    if (run->at > 0) inputs_end(run, &run->input[run->at]);
    halo_notes_join(&report->notes, &run->notes);
    save_report(&run->writer, like, report);
out:
    return status;
}

HaloStatus halo_join(HaloSession *session, const HaloJoin *join, HaloReport *report)
{
    HaloStatus status = HALO_OK;
    JoinRun run = {.session = session, .join = join, .alike = true};
    HaloSink *sink = NULL;
    const HaloFormat *to = NULL;
    HaloSinkOptions options = {.force = join->force, .sync = join->write.sync};
    *report = (HaloReport){.backend = "none"};
    atomic_store(&session->memory.held, 0);
    if (join->inputs < 1) HALO_FAIL(HALO_ERR_USAGE, "an input is missing");
    run.input = calloc(join->inputs, sizeof *run.input);
    run.read = calloc(join->inputs, sizeof *run.read);
    if (run.input == NULL || run.read == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    HALO_TRY(frames_make_gain(join->curve, &run.gain));
    HALO_TRY(inputs_look_at(&run));
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
    for (size_t i = 0; i < join->inputs && run.input != NULL; i++) inputs_close(&run.input[i]);
    halo_memory_free(&session->memory, &run.waiting);
    halo_memory_free(&session->memory, &run.head);
    halo_memory_free(&session->memory, &run.out);
    halo_plan_free(run.plan);
    free(run.gain);
    free(run.input);
    free(run.read);
    return status;
}

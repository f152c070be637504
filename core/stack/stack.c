/* Reduces many images to one, band by band: threads read the same rows of all images, these are reduced to rows
 * of one image, and a plan converts those for the output. This runs on the host: sending all images to a device
 * would take longer than computing there would save. */
#include <stdlib.h>
#include <string.h>

#include "file/file.h"
#include "job/job.h"
#include "part.h"
#include "plan/plan.h"

/* Of all pictures together so much is in memory, where they stay open; else as much as may be. */
#define BAND_BYTES ((int64_t)64 << 20)

typedef struct Run {
    HaloSession *session;
    HaloPool *pool;
    Frames *frames;
    StackWhat what;
    Across across;
    HaloPlan *plan;
    HaloWriter writer;
    int64_t band;       /* rows */
    int64_t row_bytes;  /* of a row of a picture */
    char *samples;      /* [count][rows of the band] */
    HaloBuf made, out;  /* a band each: what the plan reads, and what it writes */
    int64_t made_bytes; /* of a row */
    char *scratch;      /* [jobs] */
    int64_t scratch_each;
    int64_t rows;    /* of the present band */
    int orientation; /* as EXIF says; 1: the result is not turned, else it is in memory, and: */
    HaloBuf whole;
    HaloInfo info; /* that of the first picture, as if it were upright */
    HaloTimes ms;
} Run;

/* ---- a band ---------------------------------------------------------------------------------------------- */

/* Some samples of the band, counted over its rows, which follow each other. */
static void make_task(void *context, int64_t task, int worker)
{
    const Run *run = context;
    const HaloShape *shape = &run->made.shape;
    const int64_t size = (int64_t)halo_dtype_size(run->across.dtype);
    const int64_t all = run->rows * shape->width * shape->channels, from = task * ACROSS_MOST;
    const int64_t n = smaller(ACROSS_MOST, all - from);
    double out[ACROSS_MOST];
    across_make(&run->across, run->samples + from * size, run->rows * run->row_bytes, n,
                run->scratch + worker * run->scratch_each, out);
    if (shape->dtype == HALO_F64)
        memcpy((double *)run->made.data + from, out, (size_t)n * sizeof *out);
    else
        for (int64_t i = 0; i < n; i++) ((float *)run->made.data)[from + i] = (float)out[i];
}

/* BandIo::begin: the plan takes samples one by one, so that bands do not overlap. */
static HaloStatus begin_band(void *context, int64_t k, Rows in, Rows out, HaloBuf *from, HaloBuf *to)
{
    HaloStatus status = HALO_OK;
    Run *run = context;
    double start = now_ms();
    const HaloShape *shape = &run->made.shape;
    (void)k;
    run->rows = in.to - in.from;
    HALO_TRY(frames_read(run->frames, in.from, run->rows, run->samples));
    run->ms.read += now_ms() - start;
    start = now_ms();
    halo_pool_run(run->pool, (run->rows * shape->width * shape->channels + ACROSS_MOST - 1) / ACROSS_MOST,
                  make_task, run);
    run->ms.compute += now_ms() - start;
    set_rows(&run->made, in);
    set_rows(&run->out, out);
    *from = run->made;
    *to = run->out;
out:
    return status;
}

static HaloStatus end_band(void *context, int64_t k)
{
    Run *run = context;
    const double start = now_ms();
    HaloStatus status = HALO_OK;
    (void)k;
    if (run->orientation > 1)
        memcpy(halo_at(&run->whole, 0, run->out.y0), run->out.data, (size_t)(run->out.rows * run->out.stride));
    else
        status = save_rows(&run->writer, &run->out);
    run->ms.write += now_ms() - start;
    return status;
}

/* ---- before and after ------------------------------------------------------------------------------------ */

/* The result in units of the pictures: sums and folds in 64 bits, where the output holds them. Integers become
 * such again, unless the output keeps units. */
static HaloStatus make_plan(Run *run, const HaloFormat *to)
{
    HaloStatus status = HALO_OK;
    HaloShape shape = frames_first(run->frames)->shape;
    HaloPipeline *pipeline = NULL;
    char text[32] = "";
    const bool wide = run->what.op == STACK_SUM || run->what.op == STACK_FOLD;
    if (!to->keeps_units) snprintf(text, sizeof text, "depth:%s", halo_dtype_name(shape.dtype));
    shape.dtype = wide ? HALO_F64 : HALO_F32;
    HALO_TRY(halo_pipeline_parse(run->session, text, &pipeline));
    HALO_TRY(halo_plan_make(run->session, pipeline, &shape, to, &run->plan));
out:
    halo_pipeline_free(pipeline);
    return status;
}

/* Where the output does not say how the pictures lie, the result is turned upright. Then it is all in memory.
 */
static HaloStatus begin_output(Run *run, const HaloInfo **like)
{
    HaloStatus status = HALO_OK;
    HaloWriter *writer = &run->writer;
    const HaloReader first = {.info = **like, .format = frames_format(run->frames)};
    const HaloPlan *plan = run->plan;
    run->orientation = turn_wanted(&first, writer, false);
    HALO_TRY(plan_changes(plan, &writer->changes));
    if (run->orientation > 1) {
        HALO_TRY(halo_memory_alloc(&run->session->memory, &run->whole, &plan->reg[plan->output]));
        run->info = **like;
        run->info.meta = (HaloMeta){0};
        HALO_TRY(halo_meta_copy(&(*like)->meta, &run->info.meta));
        turn_info(&run->info, run->orientation);
        writer->changes.from = turn_shape(&writer->changes.from, run->orientation);
        writer->changes.to = turn_shape(&writer->changes.to, run->orientation);
        *like = &run->info;
    }
    HALO_TRY(save_begin(writer, *like, false));
out:
    return status;
}

static HaloStatus save_turned(Run *run, HaloReport *report)
{
    HaloMemory *memory = &run->session->memory;
    HaloBuf turned = {0};
    HaloStatus status = turn_samples(memory, &run->whole, run->orientation, &turned);
    if (status == HALO_OK) status = save_rows(&run->writer, &turned);
    halo_memory_free(memory, &turned);
    if (run->writer.options.strip || !run->writer.format->upright)
        halo_note(&report->notes, HALO_NOTE_TURNED, 1);
    return status;
}

/* A buffer for rows of a value. */
static void lay_out(HaloBuf *buf, const HaloShape *shape, void *data)
{
    *buf = (HaloBuf){.shape = *shape, .cols = shape->width, .data = data};
    buf->stride = halo_row_bytes(buf);
}

/* As many rows as there is memory for; *block is all of it. */
static HaloStatus take_memory(Run *run, int64_t *held, char **block)
{
    HaloStatus status = HALO_OK;
    HaloMemory *memory = &run->session->memory;
    const HaloShape *in = &run->plan->reg[run->plan->input[0].reg], *out = &run->plan->reg[run->plan->output];
    const int64_t jobs = run->session->options.jobs, height = in->height;
    const int64_t count = frames_count(run->frames);
    lay_out(&run->made, in, NULL);
    lay_out(&run->out, out, NULL);
    const HaloBuf row = {.shape = *frames_shape(run->frames), .cols = in->width};
    run->row_bytes = halo_row_bytes(&row);
    run->scratch_each = (across_scratch(&run->across) + 63) / 64 * 64;
    const int64_t fixed = jobs * run->scratch_each + 256, between = 8 * in->width * in->channels;
    const int64_t each = count * run->row_bytes + run->made.stride + run->out.stride + between;
    int64_t budget = halo_memory_left(memory) - fixed;
    if (frames_stay(run->frames)) budget = smaller(budget, BAND_BYTES + frames_memory(run->frames, 1));
    run->band = smaller(height, larger(1, budget / each));
    while (run->band > 1 && run->band * each + frames_memory(run->frames, run->band) > budget)
        run->band = (run->band + 1) / 2;
    HALO_TRY(frames_prepare(run->frames, run->band));
    *held = fixed + run->band * each;
    HALO_TRY(halo_memory_hold(memory, *held));
    *block = aligned_alloc(64, (size_t)((*held + 63) / 64 * 64));
    if (*block == NULL) {
        halo_memory_release(memory, *held);
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    }
    run->scratch = *block;
    run->made.data = *block + jobs * run->scratch_each;
    run->out.data = (char *)run->made.data + (run->band * run->made.stride + 63) / 64 * 64;
    run->samples = (char *)run->out.data + (run->band * run->out.stride + 63) / 64 * 64;
out:
    return status;
}

static HaloStatus run_bands(Run *run, HaloReport *report)
{
    HaloStatus status = HALO_OK;
    int64_t held = 0;
    char *block = NULL;
    Device *host = &run->session->host;
    const HaloInfo *like = frames_first(run->frames);
    const BandIo io = {.context = run, .begin = begin_band, .end = end_band};
    HALO_TRY(device_open(host, 0, run->session->options.jobs));
    HALO_TRY(begin_output(run, &like));
    HALO_TRY(take_memory(run, &held, &block));
    const Bands bands = bands_cut(run->plan, run->band);
    status = execute_bands((Team){host, 1}, &bands, &io, NULL, &report->clipped, &report->ms);
    free(block);
    halo_memory_release(&run->session->memory, held);
    HALO_TRY(status);
    if (run->orientation > 1) HALO_TRY(save_turned(run, report));
    halo_notes_join(&report->notes, frames_notes(run->frames));
    HALO_TRY(save_end(&run->writer, like));
    HALO_TRY(save_close(&run->writer, HALO_OK));
    report->ms = run->ms;
    report->input = like->shape;
    report->backend = host->backend->name;
    save_report(&run->writer, like, report);
out:
    return status;
}

HaloStatus halo_stack(HaloSession *session, const HaloStack *stack, HaloReport *report)
{
    HaloStatus status = HALO_OK;
    Run run = {.session = session};
    HaloSink *sink = NULL;
    const HaloFormat *to = NULL;
    HaloSinkOptions options = {.force = stack->force, .sync = stack->write.sync};
    *report = (HaloReport){.backend = "none"};
    atomic_store(&session->memory.held, 0);
    HALO_TRY(stack_parse(session, stack->what, &run.what));
    HALO_TRY(halo_pool_new(session->options.jobs, &run.pool));
    HALO_TRY(frames_open(session, stack, run.pool, &run.frames));
    run.across = (Across){&run.what, frames_shape(run.frames)->dtype, frames_count(run.frames)};
    HALO_TRY(save_format(session, stack->output, stack->to, frames_format(run.frames), &to));
    HALO_TRY(make_plan(&run, to));
    options.read = frames_reads(run.frames, &options.reads);
    HALO_TRY(halo_sink_open(stack->output, &options, &sink));
    run.writer = (HaloWriter){.format = to,
                              .sink = sink,
                              .options = stack->write,
                              .jobs = session->options.jobs,
                              .memory = &session->memory,
                              .changes = {.samples = true, .pages = 1}};
    HALO_TRY(run_bands(&run, report));
    status = halo_sink_commit(sink);
    sink = NULL;
out:
    save_close(&run.writer, HALO_ERR_OUTPUT);
    halo_sink_abandon(sink);
    halo_memory_free(&session->memory, &run.whole);
    halo_meta_free(&run.info.meta);
    frames_close(run.frames);
    halo_plan_free(run.plan);
    stack_forget(&run.what);
    halo_pool_free(run.pool);
    return status;
}

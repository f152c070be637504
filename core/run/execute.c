/* Runs a plan on one backend: band by band, step by step, over a few buffers that are used again. Bands are
 * rows of images and frames of sound. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/side.h"
#include "carry.h"
#include "halo/measures.h"
#include "plan/plan.h"
#include "primitive/primitive.h"

typedef struct Run {
    Device *device;
    const HaloPlan *plan;
    int64_t band; /* rows of the output at a time */
    bool on_host; /* the backend works on host memory: nothing is copied to it */
    const BandIo *io;
    HaloBuf in, out; /* of this band, in host memory; out.data NULL: no output wanted */
    HaloResults *results;
    HaloResults own;    /* [steps] what was measured for `resolve` */
    Measured *measured; /* [steps] what steps that measure have seen so far */
    Carried *carried;   /* [steps] what bands leave for the next */
    Part *need;         /* from needs_new */
    HaloBuf *value;     /* [regs] data NULL: not there */
    bool *borrowed;     /* [regs] the data are not the run's, but those of `in`, `out` or a side input */
    HaloTimes ms;
} Run;

double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* ---- buffers -------------------------------------------------------------------------------------------- */

/* A buffer for the part of a value that is needed. */
static HaloStatus take_buffer(Run *run, HaloReg reg)
{
    HaloBuf *buf = &run->value[reg];
    *buf = (HaloBuf){.shape = run->plan->reg[reg]};
    part_set(buf, run->need[reg]);
    run->borrowed[reg] = false;
    return device_take(run->device, buf);
}

static void release_value(Run *run, HaloReg reg)
{
    HaloBuf *buf = &run->value[reg];
    if (buf->data != NULL && !run->borrowed[reg]) device_give(run->device, buf);
    buf->data = NULL;
}

/* The value is this buffer itself, not a copy. */
static void borrow(Run *run, HaloReg reg, const HaloBuf *other)
{
    run->value[reg] = *other;
    run->borrowed[reg] = true;
}

/* Brings what is needed of an input to the device. */
static HaloStatus place_input(Run *run, const HaloInput *input)
{
    HaloStatus status = HALO_OK;
    const HaloBuf *host = input->side != NULL ? &input->side->data : &run->in;
    const HaloBuf *there = NULL;
    if (part_is_empty(run->need[input->reg])) return HALO_OK;
    if (run->on_host) {
        borrow(run, input->reg, host);
        return HALO_OK;
    }
    const double start = now_ms();
    if (input->side != NULL) there = device_side(run->device, input->side);
    if (there != NULL) {
        borrow(run, input->reg, there);
    } else {
        HALO_TRY(take_buffer(run, input->reg));
        HALO_TRY(run->device->backend->upload(run->device->handle, host, &run->value[input->reg]));
    }
    run->ms.upload += now_ms() - start;
out:
    return status;
}

static HaloStatus fetch_output(Run *run)
{
    HaloStatus status = HALO_OK;
    const HaloReg output = run->plan->output;
    if (run->out.data == NULL || (run->on_host && output != run->plan->input[0].reg)) return HALO_OK;
    const HaloBuf from = run->value[output];
    HaloBuf *to = &run->out;
    const double start = now_ms();
    if (run->on_host) { /* a pipeline that only copies */
        for (int64_t y = to->y0; y < to->y0 + to->rows; y++)
            memcpy(halo_at(to, to->x0, y), halo_at(&from, to->x0, y), (size_t)halo_row_bytes(to));
    } else {
        HALO_TRY(run->device->backend->download(run->device->handle, &from, to));
        HALO_TRY(run->device->backend->finish(run->device->handle, NULL));
    }
    run->ms.download += now_ms() - start;
out:
    return status;
}

/* ---- steps ---------------------------------------------------------------------------------------------- */

/* Where the result of a step goes; NULL: nobody wants it. What is no result for people is there for a later
 * step. */
static HaloResult *result_of(const Run *run, int at)
{
    const int result = run->plan->step[at].result;
    if (result < 0) return &run->own.item[at];
    return run->results != NULL ? &run->results->item[result] : NULL;
}

static HaloStatus run_measure(Run *run, int at, Rows part)
{
    HaloStatus status = HALO_OK;
    const HaloStep *step = &run->plan->step[at];
    const Measure *measure = primitive_of(step)->measure;
    HaloResult *result = result_of(run, at);
    HaloBuf src = run->value[step->src[0]];
    src.shape = run->plan->reg[step->src[0]];
    if (result == NULL) return HALO_OK;
    HALO_TRY(measure_band(run->device, step, &src, part, run->band, &run->measured[at]));
    if ((step->result >= 0 || step->loudness) && measure->has_loudness && src.shape.kind == HALO_AUDIO) {
        const HaloBuf block = rows_of(&src, part);
        HALO_TRY(measure_loudness(run->device, step, &block, &run->measured[at]));
    }
    if (part.to < rows_length(&src.shape)) return HALO_OK; /* more will come */
    HALO_TRY(measure->conclude(run->device, step, &src, &run->measured[at], result));
out:
    return status;
}

static void find_sources(const Run *run, const HaloStep *step, const HaloBuf *src[HALO_MAX_SOURCES])
{
    for (int k = 0; k < step->sources; k++) src[k] = &run->value[step->src[k]];
}

static HaloStatus make_part(Run *run, const HaloStep *step, HaloBuf *dst)
{
    const HaloBuf *src[HALO_MAX_SOURCES];
    find_sources(run, step, src);
    return primitive_of(step)->run(run->device->backend, run->device->handle, step, src, dst);
}

/* Makes a value: all of it, or, where the only step that reads it leaves most rows out, just the rows that it
 * reads. Not on a GPU, which would launch a kernel for each row, and not for integers, whose clipped samples
 * are counted in all rows. */
static HaloStatus make_value(Run *run, const HaloStep *step)
{
    HaloStatus status = HALO_OK;
    HaloBuf *dst = &run->value[step->dst];
    const bool may_skip = run->on_host && dst->shape.dtype == HALO_F32;
    const HaloStep *reader = may_skip ? needs_few(run->plan, step->dst) : NULL;
    if (reader == NULL) return make_part(run, step, dst);
    const Part wanted = run->need[reader->dst];
    for (Part row = wanted; row.y0 < wanted.y1; row.y0++) {
        HaloBuf view = *dst;
        row.y1 = row.y0 + 1;
        part_set(&view, primitive_of(reader)->reads(reader, 0, &dst->shape, row));
        view.data = halo_at(dst, view.x0, view.y0);
        HALO_TRY(make_part(run, step, &view));
    }
out:
    return status;
}

static HaloStatus run_step(Run *run, int at, Rows rows)
{
    HaloStatus status = HALO_OK;
    const HaloPlan *plan = run->plan;
    HaloStep step = plan->step[at];
    const HaloBuf *src[HALO_MAX_SOURCES];
    if (primitive_of(&step)->measure != NULL) return run_measure(run, at, needs_measured(plan, &step, rows));
    if (part_is_empty(run->need[step.dst])) return HALO_OK; /* nobody reads it */
    if (step.resolve != NULL) HALO_TRY(step.resolve(&step, &run->own.item[step.resolve_from]));
    if (step.dst == plan->output && run->on_host && run->out.data != NULL)
        borrow(run, step.dst, &run->out);
    else
        HALO_TRY(take_buffer(run, step.dst));
    if (!needs_order(plan, &step)) {
        HALO_TRY(make_value(run, &step));
    } else {
        find_sources(run, &step, src);
        HALO_TRY(
            carry_on(run->device, plan, &step, src, &run->value[step.dst], rows, run->band, &run->carried[at]));
    }
out:
    return status;
}

static bool read_later(const HaloPlan *plan, HaloReg reg, int at)
{
    for (int i = at + 1; i < plan->steps; i++)
        for (int k = 0; k < plan->step[i].sources; k++)
            if (plan->step[i].src[k] == reg) return true;
    return reg == plan->output && plan->wants_output;
}

/* Starts and stops timing the steps, by the device's own clock where it has one. */
static HaloStatus clock_mark(Run *run, HaloMark which, double *host_ms)
{
    HaloStatus status = HALO_OK;
    const HaloBackend *backend = run->device->backend;
    double ms = 0;
    if (which == HALO_MARK_START) *host_ms = now_ms();
    if (backend->mark != NULL) HALO_TRY(backend->mark(run->device->handle, which));
    if (which == HALO_MARK_START) return HALO_OK;
    HALO_TRY(backend->finish(run->device->handle, NULL));
    ms = now_ms() - *host_ms;
    if (backend->elapsed != NULL) HALO_TRY(backend->elapsed(run->device->handle, &ms));
    run->ms.compute += ms;
out:
    return status;
}

static HaloStatus run_band(Run *run, Rows rows)
{
    HaloStatus status = HALO_OK;
    const HaloPlan *plan = run->plan;
    const BandIo *io = run->io;
    needs_of(plan, rows, run->need);
    const Rows in = needs_rows(&plan->reg[plan->input[0].reg], run->need[plan->input[0].reg]);
    HALO_TRY(io->begin(io->context, in, rows, &run->in, &run->out));
    for (int i = 0; i < plan->inputs; i++) HALO_TRY(place_input(run, &plan->input[i]));
    double clock;
    HALO_TRY(clock_mark(run, HALO_MARK_START, &clock));
    for (int i = 0; i < plan->steps; i++) {
        HALO_TRY(run_step(run, i, rows));
        for (int k = 0; k < plan->step[i].sources; k++)
            if (!read_later(plan, plan->step[i].src[k], i)) release_value(run, plan->step[i].src[k]);
    }
    HALO_TRY(clock_mark(run, HALO_MARK_STOP, &clock));
    HALO_TRY(fetch_output(run));
    HALO_TRY(io->end(io->context));
out:
    for (int r = 0; r < plan->regs; r++) release_value(run, r);
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------------------ */

static HaloStatus prepare(Run *run, HaloResults *results)
{
    const HaloPlan *plan = run->plan;
    const size_t regs = (size_t)plan->regs;
    run->own.item = calloc((size_t)plan->steps + 1, sizeof *run->own.item);
    run->measured = calloc((size_t)plan->steps + 1, sizeof *run->measured);
    run->carried = calloc((size_t)plan->steps + 1, sizeof *run->carried);
    run->need = needs_new(plan);
    run->value = calloc(regs, sizeof *run->value);
    run->borrowed = calloc(regs, sizeof *run->borrowed);
    if (run->own.item == NULL || run->measured == NULL || run->carried == NULL || run->need == NULL ||
        run->value == NULL || run->borrowed == NULL)
        return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    run->own.count = plan->steps;
    if (results != NULL && plan->results > 0) {
        results->item = calloc((size_t)plan->results, sizeof *results->item);
        if (results->item == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
        results->count = plan->results;
        run->results = results;
    }
    return HALO_OK;
}

static void clean_up(Run *run)
{
    for (int i = 0; i < run->plan->steps && run->measured != NULL; i++) measure_free(&run->measured[i]);
    for (int i = 0; i < run->plan->steps && run->carried != NULL; i++) carry_free(&run->carried[i]);
    free(run->measured);
    free(run->carried);
    halo_results_free(&run->own);
    free(run->need);
    free(run->value);
    free(run->borrowed);
}

HaloStatus execute_bands(Device *device, const HaloPlan *plan, int64_t band, const BandIo *io,
                         HaloResults *results, uint64_t *clipped, HaloTimes *ms)
{
    HaloStatus status = HALO_OK;
    uint64_t lost = 0;
    Run run = {.device = device,
               .plan = plan_for(plan, device->backend),
               .band = band,
               .on_host = device->backend->upload == NULL,
               .io = io};
    if (results != NULL) *results = (HaloResults){0};
    device_keep_only(device, plan);
    plan = run.plan;
    HALO_TRY(prepare(&run, results));
    for (int64_t from = 0;; from += band) {
        if (io->wait != NULL) HALO_TRY(io->wait(io->context, from));
        const int64_t length = rows_length(&plan->reg[plan->output]);
        if (from >= length) break;
        HALO_TRY(run_band(&run, (Rows){from, band < length - from ? from + band : length}));
    }
    HALO_TRY(device->backend->finish(device->handle, &lost));
    if (clipped != NULL) *clipped = lost;
out:
    if (ms != NULL) *ms = run.ms;
    clean_up(&run);
    if (status != HALO_OK) {
        if (results != NULL) halo_results_free(results);
        device->backend->finish(device->handle, &lost); /* leave no work and no counts behind */
    }
    return status;
}

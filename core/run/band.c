/* Runs one band of a plan on a device, step by step, in a few buffers that are reused. */
#include "band.h"

#include <stdlib.h>
#include <string.h>

#include "base/operand.h"
#include "halo/chain.h"
#include "plan/liveness.h"
#include "plan/plan.h"
#include "primitive/primitive.h"

/* ---- buffers -------------------------------------------------------------------------------------------- */

/* Brings what is needed of input `at` to the device. */
static HaloStatus place_input(Run *run, int at)
{
    HaloStatus status = HALO_OK;
    const BandIo *io = run->work->io;
    const HaloInput *input = &run->work->plan->input[at];
    const HaloOperand *file = input->operand;
    const HaloBuf *there = NULL;
    HaloBuf given = at == 0 ? run->in : (HaloBuf){0};
    if (part_is_empty(run->need[input->reg])) return HALO_OK;
    if (file != NULL && io->operand != NULL)
        HALO_TRY(io->operand(io->context, at, needs_rows(&file->data.shape, run->need[input->reg]), &given));
    const HaloBuf *host = given.data != NULL || file == NULL ? &given : &file->data;
    if (run->on_host || (io->on_device && host == &given)) {
        band_borrow(run, input->reg, host);
        return HALO_OK;
    }
    const double start = now_ms();
    if (host != &given) there = device_operand(run->device, file);
    if (there != NULL) {
        band_borrow(run, input->reg, there);
    } else {
        HALO_TRY(band_take_needed(run, input->reg));
        HALO_TRY(run->device->backend->upload(run->device->handle, host, &run->value[input->reg]));
    }
    run->ms.upload += now_ms() - start;
out:
    return status;
}

static HaloStatus fetch_output(Run *run)
{
    HaloStatus status = HALO_OK;
    const HaloReg output = run->work->plan->output;
    const bool in_place = run->on_host || run->work->io->on_device;
    if (run->out.data == NULL || (in_place && output != run->work->plan->input[0].reg)) return HALO_OK;
    const HaloBuf from = run->value[output];
    HaloBuf *to = &run->out;
    const double start = now_ms();
    if (run->on_host) { /* a pipeline that only copies */
        for (int64_t y = to->y0; y < to->y0 + to->rows; y++)
            memcpy(halo_at(to, to->x0, y), halo_at(&from, to->x0, y), (size_t)halo_row_bytes(to));
    } else if (in_place) {
        HALO_TRY(run->device->backend->copy(run->device->handle, &from, to));
    } else {
        HALO_TRY(run->device->backend->download(run->device->handle, &from, to));
        HALO_TRY(run->device->backend->finish(run->device->handle, NULL));
    }
    run->ms.download += now_ms() - start;
out:
    return status;
}

/* ---- steps ---------------------------------------------------------------------------------------------- */

/* Where the result of a step goes; NULL: it is not used. Results that are not reported serve a later step. */
static HaloResult *result_of(const Run *run, int at)
{
    const int result = run->work->plan->step[at].result;
    if (run->work->io->again && run->work->measured[at].passes == NULL) return NULL;
    if (result < 0) return &run->work->own.item[at];
    return run->work->results != NULL ? &run->work->results->item[result] : NULL;
}

/* Adds rows of a value to the measurement of its step. */
static HaloStatus add_rows(Run *run, int at, Rows part, HaloResult *result)
{
    HaloStatus status = HALO_OK;
    Work *work = run->work;
    const HaloStep *step = &work->plan->step[at];
    const Measure *measure = primitive_of(step)->measure;
    HaloBuf src[HALO_MAX_SOURCES], rows[HALO_MAX_SOURCES];
    const HaloBuf *given[HALO_MAX_SOURCES];
    for (int k = 0; k < step->sources; k++) {
        src[k] = run->value[step->src[k]];
        src[k].shape = work->plan->reg[step->src[k]];
        given[k] = &rows[k];
        if (measure->add_rows != NULL) rows[k] = rows_of(&src[k], part);
    }
    if (measure->add_rows != NULL)
        HALO_TRY(measure->add_rows(run->device, step, given, &work->measured[at]));
    else
        HALO_TRY(measure_band(run->device, step, &src[0], part, work->bands.rows, &work->measured[at]));
    const bool loudness = step->loudness || (step->result >= 0 && halo_is_sound(&src[0].shape));
    if (loudness && measure->has_loudness && !work->io->again) {
        const HaloBuf block = rows_of(&src[0], part);
        HALO_TRY(measure_loudness(run->device, &block, step->speakers, &work->measured[at]));
    }
    if (part.to < rows_length(&src[0].shape)) return HALO_OK; /* more will come */
    HALO_TRY(measure->conclude(run->device, step, (const HaloBuf *const[]){&src[0], &src[1]},
                               &work->measured[at], result));
out:
    return status;
}

/* Bands are added in order, as if one device computed them all: each waits for those before it. */
static HaloStatus run_measure(Run *run, int at)
{
    HaloStatus status = HALO_OK;
    Work *work = run->work;
    HaloResult *result = result_of(run, at);
    if (result == NULL || run->k < work->bands.lead) return HALO_OK;
    if (!sequencer_wait(work->sequencer, &work->counted[at], run->k - work->bands.lead))
        return sequencer_failure(work->sequencer);
    HALO_TRY(add_rows(run, at, needs_measured(work->plan, &work->plan->step[at], run->rows), result));
    sequencer_advance(work->sequencer, &work->counted[at], HALO_OK);
out:
    return status;
}

/* Makes a value: all of it, or only the rows that are read, if one step reads it and skips most of its rows.
 * Not on a GPU, which would launch a kernel for each row, and not for integers, whose clipped samples are
 * counted in all rows. */
static HaloStatus make_value(Run *run, const HaloStep *step)
{
    HaloStatus status = HALO_OK;
    HaloBuf *dst = &run->value[step->dst];
    const bool may_skip = run->on_host && dst->shape.dtype == HALO_F32;
    const HaloStep *reader = may_skip ? needs_few(run->work->plan, step->dst) : NULL;
    if (reader == NULL) return band_make_part(run, step, dst);
    const Part wanted = run->need[reader->dst];
    for (Part row = wanted; row.y0 < wanted.y1; row.y0++) {
        HaloBuf view = *dst;
        row.y1 = row.y0 + 1;
        part_set(&view, primitive_of(reader)->reads(reader, 0, &dst->shape, row));
        view.data = halo_at(dst, view.x0, view.y0);
        HALO_TRY(band_make_part(run, step, &view));
    }
out:
    return status;
}

static HaloStatus run_step(Run *run, int at)
{
    HaloStatus status = HALO_OK;
    const HaloPlan *plan = run->work->plan;
    HaloStep step = plan->step[at];
    HaloChain buffer;
    const HaloBuf *src[HALO_MAX_SOURCES];
    if (primitive_of(&step)->measure != NULL) return run_measure(run, at);
    if (part_is_empty(run->need[step.dst])) return HALO_OK; /* no step reads it */
    HALO_TRY(band_set_step(run, &step, &buffer));
    HALO_TRY(band_take_unread(run, NULL, &step));
    HALO_TRY(band_take_result(run, &step));
    if (!needs_order(plan, &step)) {
        HALO_TRY(make_value(run, &step));
    } else {
        band_find_sources(run, &step, src);
        HALO_TRY(carry_on(run->device, &run->later[step.dst], &step, src, &run->value[step.dst],
                          &run->work->carried[at]));
    }
out:
    return status;
}

/* Starts and stops timing the steps, by the device's own clock where it has one. */
static HaloStatus clock_mark(Run *run, HaloMark which, double *host_ms)
{
    HaloStatus status = HALO_OK;
    const HaloBackend *backend = run->device->backend;
    double ms = 0;
    if (run->work->io->queued) return HALO_OK; /* nothing waits for it */
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

/* Sources of steps [from, end) that no step reads behind them. */
static void release_read(Run *run, int from, int end)
{
    const HaloPlan *plan = run->work->plan;
    for (int i = from; i < end; i++)
        for (int k = 0; k < plan->step[i].sources; k++)
            if (!liveness_read_after(plan, plan->step[i].src[k], end - 1))
                band_release(run, plan->step[i].src[k]);
}

/* Before step i. */
static HaloStatus tell_progress(Run *run, int i)
{
    if (!progress_is_due(run->device)) return HALO_OK;
    const int64_t bands = bands_count(&run->work->bands);
    const double here = (double)run->k + (double)i / (double)run->work->plan->steps;
    const double done = bands > 0 && bands < INT64_MAX ? here / (double)bands : -1.0;
    return progress_tell(run->device, done);
}

HaloStatus band_run(Run *run, int64_t k)
{
    HaloStatus status = HALO_OK;
    const HaloPlan *plan = run->work->plan;
    const BandIo *io = run->work->io;
    run->k = k;
    run->rows = bands_output(&run->work->bands, k);
    if (run->later != NULL) carry_find_later(&run->work->bands, k, run->need, run->later);
    needs_of_band(&run->work->bands, k, run->need);
    const Rows in = needs_rows(&plan->reg[plan->input[0].reg], run->need[plan->input[0].reg]);
    HALO_TRY(io->begin(io->context, k, in, run->rows, &run->in, &run->out));
    for (int i = 0; i < plan->inputs; i++) HALO_TRY(place_input(run, i));
    double clock = 0;
    HALO_TRY(clock_mark(run, HALO_MARK_START, &clock));
    for (int i = 0, end; i < plan->steps; i = end) {
        StripRun strips;
        HALO_TRY(tell_progress(run, i));
        end = bands_strips_at(&run->work->bands, i, &strips) ? strips.end : i + 1;
        HALO_TRY(end > i + 1 ? strips_run(run, &strips) : run_step(run, i));
        release_read(run, i, end);
    }
    HALO_TRY(clock_mark(run, HALO_MARK_STOP, &clock));
    HALO_TRY(fetch_output(run));
    HALO_TRY(io->end(io->context, k));
out:
    for (int r = 0; r < plan->regs; r++) band_release(run, r);
    return status;
}

/* ---- opening -------------------------------------------------------------------------------------------- */

HaloStatus band_open(Run *run, Device *device, Work *work)
{
    const size_t regs = (size_t)work->plan->regs;
    *run = (Run){.device = device, .work = work, .on_host = device->backend->upload == NULL};
    run->need = needs_new(work->plan);
    run->value = calloc(regs, sizeof *run->value);
    run->borrowed = calloc(regs, sizeof *run->borrowed);
    const bool carries = needs_any_order(work->plan);
    if (carries) run->later = calloc(regs, sizeof *run->later);
    run->strip = calloc(regs, sizeof *run->strip);
    if (run->need != NULL && run->strip != NULL && run->value != NULL && run->borrowed != NULL &&
        carries == (run->later != NULL))
        return HALO_OK;
    return halo_fail(HALO_ERR_LIMIT, "not enough memory");
}

void band_close(Run *run)
{
    free(run->need);
    free(run->strip);
    free(run->value);
    free(run->borrowed);
    free(run->later);
}

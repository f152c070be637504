/* Runs a plan on the caller's arrays: where they lie, where that is possible, else by way of buffers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "run.h"
#include "run/run.h"

/* ---- the arrays ------------------------------------------------------------------------------------------ */

static HaloStatus check_device(const Layout *layout, const char *name)
{
    if (layout->array.data == NULL) return halo_fail(HALO_ERR_USAGE, "%s has no data", name);
    if (layout->array.gpu == HALO_HOST || layout->direct) return HALO_OK;
    return halo_fail(
        HALO_ERR_USAGE,
        "%s is on a GPU and not as halo works on it there: of u8, u16 or f32, in C order, with gaps "
        "between rows at most; make such a copy first",
        name);
}

static HaloStatus read_inputs(ArrayRun *run, const HaloArray inputs[])
{
    HaloStatus status = HALO_OK;
    char name[40] = "the input";
    if (inputs == NULL) HALO_FAIL(HALO_ERR_USAGE, "there is no input");
    for (size_t i = 0; i < run->arrays->count; i++) {
        const HaloArray *input = (const HaloArray *)((const char *)inputs + i * inputs->struct_size);
        if (i > 0) snprintf(name, sizeof name, "array @%zu", i + 1);
        HALO_TRY(layout_read(input, name, &run->input[i]));
        if (run->arrays->session->options.precision == HALO_PRECISION_SINGLE) layout_narrow(&run->input[i]);
        HALO_TRY(layout_match(&run->arrays->input[i], &run->input[i], name));
        HALO_TRY(check_device(&run->input[i], name));
    }
out:
    return status;
}

/* The output's memory has to be what the plan makes; its strides may differ. */
static HaloStatus read_output(ArrayRun *run, const HaloArray outputs[], const Layout *made)
{
    HaloStatus status = HALO_OK;
    if (outputs == NULL || made->array.dims == 0) return HALO_OK;
    HALO_TRY(layout_read(outputs, "the output", &run->output));
    /* What it means follows from the plan. */
    run->output.array.white = made->array.white;
    layout_set_shape(&run->output, &made->shape);
    HALO_TRY(layout_match(made, &run->output, "the output"));
    HALO_TRY(check_device(&run->output, "the output"));
    HALO_TRY(layout_check_output(&run->output, "the output"));
out:
    return status;
}

/* A page of input i: as it lies, or a copy. Arrays of one page go with every page. */
static HaloStatus take_page(ArrayRun *run, size_t i, int64_t page)
{
    const Layout *layout = &run->input[i];
    if (layout->pages == 1 && page > 0) return HALO_OK;
    if (run->page[i] != NULL) run->given[i] = run->page[i][page];
    if (run->page[i] != NULL) return HALO_OK;
    if (!layout->direct) halo_buf_free(&run->given[i]);
    if (!layout->direct) return convert_in(layout, page, &run->given[i], &run->lost);
    run->given[i] = layout_buffer(layout, page);
    return HALO_OK;
}

/* The secondary inputs of the plan that are arrays, in its order. */
static HaloStatus match_inputs(ArrayRun *run)
{
    const HaloPlan *plan = run->plan;
    free(run->other);
    run->other = calloc((size_t)plan->inputs, sizeof *run->other);
    if (run->other == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    for (int i = 1; i < plan->inputs; i++)
        for (size_t k = 1; k < run->arrays->count; k++)
            if (plan->input[i].operand == run->arrays->operand[k - 1]) run->other[i] = run->given[k];
    return HALO_OK;
}

/* ---- a page ---------------------------------------------------------------------------------------------- */

/* On the caller's stream, in one band if the memory is there, else in several. */
static HaloStatus run_on_gpu(ArrayRun *run, const WholeRun *whole, HaloReport *report)
{
    HaloStatus status = HALO_OK;
    HaloSession *work = run->work;
    const HaloPlan *plan = run->plan;
    Device *device = work->gpu;
    const Team team = {device, 1};
    const HaloBackend *backend = device->backend;
    HALO_TRY(run_begin_on_gpu(run));
    const int64_t all = larger(rows_length(&plan->reg[plan->output]), 1);
    status = execute_whole(team, plan, all, whole, &report->results, &report->clipped, &report->ms);
    if (status == HALO_ERR_DEVICE && bands_possible_on(backend, plan))
        status = execute_whole(team, plan, execute_band(team, plan, &work->options), whole, &report->results,
                               &report->clipped, &report->ms);
    const HaloStatus left = backend->follow(device->handle, false, NULL);
    if (status == HALO_OK) status = left;
    report->backend = backend->name;
out:
    return status;
}

static HaloStatus check_gpu_code(const ArrayRun *run)
{
    if (run->work->gpu->backend == NULL)
        return halo_fail(HALO_ERR_DEVICE, "the input is on a GPU, and this build of halo has no CUDA backend");
    const HaloStep *missing = choose_not_offered(run->work, run->plan);
    if (missing == NULL) return HALO_OK;
    return halo_fail(HALO_ERR_DEVICE, "%s has no GPU code: copy the array to host memory first", missing->op);
}

static HaloStatus run_page(ArrayRun *run, int64_t page, HaloReport *report)
{
    HaloStatus status = HALO_OK;
    const bool wanted = run->output.array.dims > 0, direct = wanted && run->output.direct;
    const bool on_gpu = run->input[0].array.gpu != HALO_HOST;
    HaloBuf out = {0};
    HALO_TRY(match_inputs(run));
    if (direct) out = layout_buffer(&run->output, page);
    if (wanted && !direct) HALO_TRY(halo_buf_alloc(&out, &run->output.shape));
    const WholeRun whole = {.in = &run->given[0],
                            .out = wanted ? &out : NULL,
                            .other = run->other,
                            .on_device = on_gpu,
                            .queued = run->queued};
    HALO_TRY(on_gpu ? run_on_gpu(run, &whole, report)
                    : run_plan_into(run->work, run->plan, &whole, &report->results, report));
    if (run->plan->notes != NULL) halo_notes_join(&report->notes, run->plan->notes);
    if (wanted && !direct) convert_out(&out, &run->output, page);
out:
    if (!direct) halo_buf_free(&out);
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------------------- */

static HaloStatus run_pages(ArrayRun *run)
{
    HaloStatus status = HALO_OK;
    HaloReport one = {0};
    const int64_t pages = run->input[0].pages;
    for (int64_t page = 0; page < pages; page++) {
        one = (HaloReport){.input = run->input[0].shape};
        progress_of_page(&run->work->host, page, pages);
        for (size_t i = 0; i < run->arrays->count; i++)
            if (page > 0 || i > 0 || run->given[0].data == NULL) HALO_TRY(take_page(run, i, page));
        HALO_TRY(run_page(run, page, &one));
        if (pages == 1) {
            run->report = one;
        } else {
            HALO_TRY(report_add(&run->work->memory, &run->report, &one, page + 1));
        }
        one = (HaloReport){0};
    }
    halo_note(&run->report.notes, HALO_NOTE_CLIPPED, run->report.clipped);
    convert_note_lost(&run->lost, &run->report.notes);
out:
    progress_of_part(&run->work->host, 0, 1);
    if (status != HALO_OK) halo_report_clear(&one);
    return status;
}

/* Plans for these samples, where the shape is not sufficient. */
static HaloStatus plan_now(ArrayRun *run, Layout *made)
{
    const PlanArrays *arrays = run->arrays;
    HaloStatus status = HALO_OK;
    *made = arrays->output;
    run->plan = arrays->plan;
    if (run->plan != NULL) return HALO_OK;
    const bool on_gpu = run->input[0].array.gpu != HALO_HOST;
    const HaloBuf shape = {.shape = run->input[0].shape};
    if (!on_gpu) HALO_TRY(take_page(run, 0, 0));
    HALO_TRY(arrays_plan(arrays, run->work, on_gpu ? &shape : &run->given[0], &run->plan));
    if (run->plan == NULL)
        HALO_FAIL(HALO_ERR_USAGE, "the plan depends on the samples: copy the array to host memory first");
    HALO_TRY(arrays_output(arrays, run->plan, made));
out:
    return status;
}

static void close_run(ArrayRun *run)
{
    for (size_t i = 0; i < run->arrays->count && run->given != NULL && run->input != NULL; i++)
        if (!run->input[i].direct) halo_buf_free(&run->given[i]);
    if (run->plan != run->arrays->plan) halo_plan_free(run->plan);
    run_free_copies(run);
    free(run->input);
    free(run->given);
    free(run->other);
    session_return(run->arrays->session, run->work);
}

static HaloStatus run_arrays(ArrayRun *run, const HaloArray inputs[], const HaloArray outputs[])
{
    HaloStatus status = HALO_OK;
    Layout made;
    run->input = calloc(run->arrays->count, sizeof *run->input);
    run->given = calloc(run->arrays->count, sizeof *run->given);
    run->copy = calloc(run->arrays->count, sizeof *run->copy);
    run->page = calloc(run->arrays->count, sizeof *run->page);
    if (run->input == NULL || run->given == NULL || run->copy == NULL || run->page == NULL)
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    HALO_TRY(read_inputs(run, inputs));
    HALO_TRY(plan_now(run, &made));
    if (run->input[0].array.gpu != HALO_HOST) HALO_TRY(check_gpu_code(run));
    HALO_TRY(read_output(run, outputs, &made));
    HALO_TRY(run_copy_overwritten(run));
    HALO_TRY(run_pages(run));
out:
    return status;
}

HaloStatus halo_plan_run(HaloPlan *plan, const HaloArray inputs[], HaloArray outputs[], void *stream,
                         HaloReport **report)
{
    if (report != NULL) *report = NULL;
    HaloStatus status = arrays_check_plan(plan);
    if (status != HALO_OK) return status;
    const int gpu = plan->arrays->input[0].array.gpu;
    ArrayRun run = {.arrays = plan->arrays, .stream = stream, .queued = gpu != HALO_HOST && report == NULL};
    status = session_borrow(run.arrays->session, gpu, &run.work);
    if (status != HALO_OK) return status;
    atomic_store(&run.work->memory.held, 0);
    status = run_arrays(&run, inputs, outputs);
    if (status == HALO_OK)
        status = report_give(run.work, &run.report, report);
    else
        halo_report_clear(&run.report);
    close_run(&run);
    return status;
}

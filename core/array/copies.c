/* Copies of inputs that the output would overwrite before all of them has been read. */
#include <stdlib.h>

#include "run.h"
#include "run/gpus.h"

/* Would writing the output change the input before all of it has been read? */
static bool is_overwritten(const ArrayRun *run, size_t i)
{
    const Layout *input = &run->input[i], *output = &run->output;
    const bool later = run->input[0].pages > 1 || (input->direct && output->direct); /* else one is a copy */
    return output->array.dims > 0 && later && layout_overlaps(input, output);
}

static HaloStatus copy_on_host(ArrayRun *run)
{
    HaloStatus status = HALO_OK;
    for (size_t i = 0; i < run->arrays->count; i++) {
        if (!is_overwritten(run, i)) continue;
        if (!run->input[i].direct) halo_buf_free(&run->given[i]);
        run->given[i] = (HaloBuf){0};
        HALO_TRY(layout_copy(&run->input[i], &run->work->memory, &run->copy[i]));
    }
out:
    return status;
}

/* ---- on a GPU -------------------------------------------------------------------------------------------- */

HaloStatus run_begin_on_gpu(ArrayRun *run)
{
    HaloStatus status = HALO_OK;
    Device *device = run->work->gpu;
    uint64_t before;
    if (device->handle == NULL) HALO_TRY(gpus_open(run->work, 1));
    if (!run->queued)
        HALO_TRY(device->backend->finish(device->handle, &before)); /* of runs that nothing waited for */
    HALO_TRY(device->backend->follow(device->handle, true, run->stream));
out:
    return status;
}

static HaloStatus copy_pages(ArrayRun *run, size_t i)
{
    HaloStatus status = HALO_OK;
    Device *device = run->work->gpu;
    run->page[i] = calloc((size_t)run->input[i].pages, sizeof *run->page[i]);
    if (run->page[i] == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    for (int64_t page = 0; page < run->input[i].pages; page++) {
        const HaloBuf from = layout_buffer(&run->input[i], page);
        HaloBuf to = {.shape = from.shape, .cols = from.cols, .rows = from.rows};
        HALO_TRY(device_take(device, &to));
        run->page[i][page] = to;
        HALO_TRY(device->backend->copy(device->handle, &from, &to));
    }
out:
    return status;
}

static HaloStatus copy_on_gpu(ArrayRun *run)
{
    HaloStatus status = HALO_OK, left;
    bool any = false;
    for (size_t i = 0; i < run->arrays->count; i++) any = any || is_overwritten(run, i);
    if (!any) return HALO_OK;
    HALO_TRY(run_begin_on_gpu(run));
    for (size_t i = 0; i < run->arrays->count && status == HALO_OK; i++)
        if (is_overwritten(run, i)) status = copy_pages(run, i);
    left = run->work->gpu->backend->follow(run->work->gpu->handle, false, NULL);
    if (status == HALO_OK) status = left;
out:
    return status;
}

/* ---- either ---------------------------------------------------------------------------------------------- */

HaloStatus run_copy_overwritten(ArrayRun *run)
{
    return run->input[0].array.gpu != HALO_HOST ? copy_on_gpu(run) : copy_on_host(run);
}

void run_free_copies(ArrayRun *run)
{
    for (size_t i = 0; i < run->arrays->count && run->copy != NULL; i++) free(run->copy[i]);
    for (size_t i = 0; i < run->arrays->count && run->page != NULL; i++) {
        for (int64_t k = 0; run->page[i] != NULL && k < run->input[i].pages; k++)
            if (run->page[i][k].data != NULL) device_give(run->work->gpu, &run->page[i][k]);
        free(run->page[i]);
    }
    free(run->copy);
    free(run->page);
}

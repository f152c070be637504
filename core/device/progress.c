/* What a program is told of the progress of its work, and its wish to end it (HaloOptions::progress). */
#include "progress.h"

#include <time.h>

#define APART_MS 50.0 /* from one call to the next, at least */
#define SLICE_MS 25.0 /* of work, before it is asked whether a call is due */

double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

bool progress_wanted(const Device *device)
{
    return device != NULL && device->options != NULL && device->options->progress != NULL;
}

void progress_of_part(Device *device, double from, double to)
{
    device->done = from;
    device->part = to - from;
}

void progress_of_page(Device *device, int64_t at, int64_t pages)
{
    if (pages > 0)
        progress_of_part(device, (double)at / (double)pages, (double)(at + 1) / (double)pages);
    else
        progress_of_part(device, -1.0, -1.0);
}

bool progress_is_due(Device *device)
{
    if (!progress_wanted(device)) return false;
    const double now = now_ms();
    if (now - device->told < APART_MS) return false;
    device->told = now;
    return true;
}

HaloStatus progress_tell(Device *device, double done)
{
    const HaloOptions *options = device->options;
    if (device->done < 0) done = -1.0;
    if (done >= 0 && device->part > 0) done = device->done + device->part * done;
    return options->progress(options->context, done) ? HALO_OK : halo_fail(HALO_ERR_CANCELLED, "cancelled");
}

int64_t progress_next(int64_t units, double began)
{
    const double ms = now_ms() - began;
    if (ms < SLICE_MS && units <= INT64_MAX / 2) return 2 * units;
    return ms > 2 * SLICE_MS ? larger(units / 2, 1) : units;
}

/* Tasks from `first` on. */
typedef struct Slice {
    HaloTask *task;
    void *context;
    int64_t first;
} Slice;

static void run_of_slice(void *context, int64_t task, int worker)
{
    const Slice *slice = context;
    slice->task(slice->context, slice->first + task, worker);
}

HaloStatus progress_run(Device *device, HaloPool *pool, int64_t tasks, HaloTask *task, void *context)
{
    HaloStatus status = HALO_OK;
    Slice slice = {task, context, 0};
    int64_t count = progress_wanted(device) ? larger(device->options->jobs, 1) : tasks;
    while (slice.first < tasks) {
        if (progress_is_due(device)) HALO_TRY(progress_tell(device, (double)slice.first / (double)tasks));
        const double began = now_ms();
        count = smaller(count, tasks - slice.first);
        halo_pool_run(pool, count, run_of_slice, &slice);
        slice.first += count;
        count = progress_next(count, began);
    }
out:
    return status;
}

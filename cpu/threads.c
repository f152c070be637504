/* Threads of the CPU backend. */
#include "device.h"
#include "halo/machine.h"

/* Threads are bounded so that a wrong number cannot ask for a million of them. */
#define MAX_JOBS 1024

/* Below this many multiply-adds, waking a thread takes longer than the work. */
#define WORTH_THREADS 400000.0

int cpu_threads(int jobs)
{
    const int wanted = jobs < 1 ? halo_machine()->threads : jobs;
    return wanted > MAX_JOBS ? MAX_JOBS : wanted;
}

int cpu_workers(const HaloDevice *device, double work) { return work < WORTH_THREADS ? 1 : device->jobs; }

void cpu_run(HaloDevice *device, int workers, int64_t tasks, HaloTask *task, void *context)
{
    if (workers > 1) {
        halo_pool_run(device->pool, tasks, task, context);
    } else {
        for (int64_t i = 0; i < tasks; i++) task(context, i, 0);
    }
}

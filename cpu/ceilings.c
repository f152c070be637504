/* The limits of this machine: fused multiply-adds out of registers, reading, and copying
 * past the caches, with all threads of the device. */
#define _DEFAULT_SOURCE /* clock_gettime */
#include <time.h>

#include "device.h"
#include "primitives.h"

#define THREAD_BYTES ((int64_t)64 << 20) /* more than caches hold */
#define MOST_BYTES ((int64_t)512 << 20)  /* of all threads; as many again to copy to */
#define RUNS 15
#define ENOUGH_MS 300 /* after which three runs will do */
#define PIECES 8      /* tasks of a thread */
#define ROUNDS 250000

typedef struct Measured {
    const CpuKernels *kernels;
    const char *from;
    char *to;
    int64_t bytes; /* of a task */
    double flops;  /* of a task; every task writes the same */
} Measured;

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* Results go to memory, so that the work is not left out. */
static void fma_task(void *context, int64_t task, int worker)
{
    Measured *m = context;
    float result;
    (void)worker;
    const double flops = m->kernels->ceiling->fma(ROUNDS, &result);
    memcpy(m->to + task * m->bytes, &result, sizeof result);
    if (task == 0) m->flops = flops;
}

static void read_task(void *context, int64_t task, int worker)
{
    const Measured *m = context;
    (void)worker;
    const uint64_t any = m->kernels->ceiling->read((const uint64_t *)(m->from + task * m->bytes), m->bytes / 8);
    memcpy(m->to + task * m->bytes, &any, sizeof any);
}

static void copy_task(void *context, int64_t task, int worker)
{
    const Measured *m = context;
    (void)worker;
    m->kernels->rows->stream(m->from + task * m->bytes, m->bytes, m->to + task * m->bytes);
    m->kernels->rows->fence();
}

/* The shortest of several runs. */
static double best_ms(HaloDevice *device, HaloTask *task, Measured *m)
{
    double best = 1e30, spent = 0;
    for (int run = 0; run < RUNS && (run < 3 || spent < ENOUGH_MS); run++) {
        const double start = now_ms();
        cpu_run(device, device->jobs, (int64_t)PIECES * device->jobs, task, m);
        const double ms = now_ms() - start;
        best = ms < best ? ms : best;
        spent += ms;
    }
    return best;
}

HaloStatus cpu_ceilings(HaloDevice *device, HaloCeilings *out)
{
    HaloStatus status = HALO_OK;
    HaloBuf from = {0}, to = {0};
    const int64_t tasks = (int64_t)PIECES * device->jobs, most = MOST_BYTES / tasks;
    const int64_t bytes = (most < THREAD_BYTES / PIECES ? most : THREAD_BYTES / PIECES) / 4096 * 4096;
    const HaloShape shape = {.kind = HALO_IMAGE,
                             .dtype = HALO_U8,
                             .width = bytes,
                             .height = tasks,
                             .channels = 1,
                             .alpha = -1,
                             .white = 255.0f};
    HALO_TRY(halo_buf_alloc(&from, &shape));
    HALO_TRY(halo_buf_alloc(&to, &shape));
    memset(from.data, 1, (size_t)(from.stride * from.rows));
    memset(to.data, 2, (size_t)(to.stride * to.rows));
    Measured m = {device->kernels, from.data, to.data, bytes, 0.0};
    const double moved = (double)bytes * (double)tasks * 1e-6;
    out->read_gbs = moved / best_ms(device, read_task, &m);
    out->copy_gbs = 2.0 * moved / best_ms(device, copy_task, &m);
    const double ms = best_ms(device, fma_task, &m);
    out->fma_gflops = m.flops * (double)tasks * 1e-6 / ms;
out:
    halo_buf_free(&to);
    halo_buf_free(&from);
    return status;
}

/* The CPU as a device, and its services: kernels, threads, buffers, scratch memory that is kept between calls,
 * and the count of clipped samples. */
#ifndef CPU_DEVICE_H
#define CPU_DEVICE_H

#include <stdatomic.h>

#include "halo/backend.h"
#include "halo/pool.h"
#include "kernels.h"

/* This much of each worker's scratch is left out of a workspace query: buffers whose size does not depend on
 * the image, such as rings of lines. */
#define CPU_OWN_BYTES ((int64_t)1 << 20)

struct HaloDevice {
    const CpuKernels *kernels;
    int jobs;
    HaloPool *pool;
    atomic_uint_fast64_t clipped;
    void *scratch;
    int64_t scratch_bytes;
    bool querying;       /* a workspace query: each primitive stops where it has said what scratch it takes, */
    int64_t query_bytes; /* which is added to this */
    char description[112];
};

/* ---- device.c: opening and closing (halo/backend.h) ----------------------------------------------------- */

HaloStatus cpu_open(int index, int jobs, HaloDevice **device);
void cpu_close(HaloDevice *device);
const char *cpu_describe(HaloDevice *device);
/* The end of a plan: hands over the count of clipped samples and frees large scratch memory. */
HaloStatus cpu_finish(HaloDevice *device, uint64_t *clipped);
/* Adds to the count of clipped samples; any thread may. */
void cpu_count_clipped(HaloDevice *device, uint64_t clipped);

/* ---- variant.c ------------------------------------------------------------------------------------------ */

/* The kernels to use: the best this machine has, or those that HALO_CPU names. HALO_ERR_DEVICE. */
HaloStatus cpu_choose_kernels(const CpuKernels **kernels);
HaloSimd cpu_simd(const HaloDevice *device); /* as wide as these */
const char *cpu_variant(void);               /* their name; NULL where that fails */
/* The processor's name for people, or what kind it is. */
void cpu_processor_name(char *name, size_t size);

/* ---- memory.c: buffers, scratch memory, the workspace query --------------------------------------------- */

#define CPU_ALIGNMENT 64

HaloStatus cpu_alloc(HaloDevice *device, HaloBuf *buf);
void cpu_release(HaloDevice *device, HaloBuf *buf);

/* Between these, primitives only add up the memory that they would take (halo/backend.h). */
void cpu_query_begin(HaloDevice *device);
int64_t cpu_query_end(HaloDevice *device);

/* Reserves `count` items of `size` bytes in a block that is being laid out: *at is their offset, a multiple of
 * 64. False when it does not fit 63 bits. */
bool cpu_reserve(int64_t *total, int64_t count, int64_t size, int64_t *at);

/* Scratch memory, 64-byte aligned, valid until the next call. HALO_ERR_LIMIT; also during a workspace query, so
 * no primitive may touch a sample or a result before it has its scratch. */
HaloStatus cpu_scratch(HaloDevice *device, int64_t bytes, void **block);
/* The same for every worker: `bytes` (rounded up to a multiple of 64) for each, one after the other. */
HaloStatus cpu_scratch_each(HaloDevice *device, int64_t *bytes, void **block);
/* Scratch that outlived a plan is freed where it is more than a device keeps for the next one. */
void cpu_scratch_trim(HaloDevice *device);

/* Counts what a primitive takes from the heap by itself, before its scratch. */
void cpu_heap(HaloDevice *device, int64_t bytes);

/* ---- threads.c ------------------------------------------------------------------------------------------ */

/* Threads of a device that is opened with `jobs`; less than 1: as many as the machine has. */
int cpu_threads(int jobs);
/* How many workers `work` elementary steps are worth: 1 where starting threads would cost more. */
int cpu_workers(const HaloDevice *device, double work);
/* Runs tasks on up to `workers` threads. */
void cpu_run(HaloDevice *device, int workers, int64_t tasks, HaloTask *task, void *context);

/* ---- stores past the caches ----------------------------------------------------------------------------- */

/* More than a last-level cache holds beside what is read. Buffers between the steps of a plan stay below it
 * (core/plan/bands.c). */
#define CPU_STREAM_BYTES (32 << 20)

/* Is `dst` larger than the caches, so that its rows are better stored past them? */
static inline bool cpu_streams(const HaloBuf *dst)
{
    return dst->rows > 0 && dst->stride > CPU_STREAM_BYTES / dst->rows;
}

/* Are all rows aligned for vectors of any kind, from column x on? */
static inline bool cpu_are_aligned(const HaloBuf *buf, int64_t x)
{
    return ((uintptr_t)halo_at(buf, x, buf->y0) | (uintptr_t)buf->stride) % CPU_ALIGNMENT == 0;
}

#endif

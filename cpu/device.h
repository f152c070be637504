/* The CPU as a device: its kernels, its threads, and scratch memory that is kept between calls. */
#ifndef CPU_DEVICE_H
#define CPU_DEVICE_H

#include <stdatomic.h>

#include "halo/backend.h"
#include "halo/pool.h"
#include "kernels.h"

/* Of each worker's scratch so much does not count: rings of lines and the like, whatever the size of the
 * samples. */
#define CPU_OWN_BYTES ((int64_t)1 << 20)

struct HaloDevice {
    const CpuKernels *kernels;
    int jobs;
    HaloPool *pool;
    atomic_uint_fast64_t clipped;
    void *scratch;
    int64_t scratch_bytes;
    bool asking;   /* no primitive computes: each stops where it has said what scratch it takes, */
    int64_t asked; /* which is this */
    char description[112];
};

/* The kernels to use: the best this machine has, or those that HALO_CPU names. HALO_ERR_DEVICE. */
HaloStatus cpu_choose_kernels(const CpuKernels **kernels);
/* The processor's name for people, or what kind it is. */
void cpu_processor_name(char *name, size_t size);

/* Takes room for `count` things of `size` bytes from a block that is being laid out: *at is its offset, a
 * multiple of 64. False when it does not fit 63 bits. */
bool cpu_reserve(int64_t *total, int64_t count, int64_t size, int64_t *at);

/* Scratch memory, 64-byte aligned, valid until the next call. HALO_ERR_LIMIT; also where a device is only asked
 * how much it would be: no primitive may touch a sample or a result before it has its scratch. */
HaloStatus cpu_scratch(HaloDevice *device, int64_t bytes, void **block);
/* The same for every worker: `bytes` (rounded up to a multiple of 64) for each, one after the other. */
HaloStatus cpu_scratch_each(HaloDevice *device, int64_t *bytes, void **block);

/* What a primitive takes of the heap by itself, said before its scratch. */
void cpu_heap(HaloDevice *device, int64_t bytes);

/* How many workers `work` elementary steps are worth: 1 where starting threads would cost more. */
int cpu_workers(const HaloDevice *device, double work);
/* Does `dst` outgrow the caches, so that its rows had better go past them? */
bool cpu_streams(const HaloBuf *dst);
/* Do all rows lie where vectors of any kind may, from column x of the first one on? */
bool cpu_are_aligned(const HaloBuf *buf, int64_t x);
/* Runs tasks on up to `workers` threads. */
void cpu_run(HaloDevice *device, int workers, int64_t tasks, HaloTask *task, void *context);

/* ---- the primitives (backend.h) ------------------------------------------------------------------------- */

HaloStatus cpu_conv(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloConv *conv,
                    HaloStore store);
HaloStatus cpu_sep(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloSep *sep, HaloStore store);
/* The same by `sep->fast`. */
HaloStatus cpu_sep_fast(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloSep *sep,
                        HaloStore store);
HaloStatus cpu_map(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloMap *map, HaloStore store);
HaloStatus cpu_combine(HaloDevice *device, const HaloBuf *a, const HaloBuf *b, HaloBuf *dst,
                       const HaloCombine *combine, HaloStore store);
HaloStatus cpu_reduce(HaloDevice *device, const HaloBuf *src, unsigned want, HaloMoments *out);
HaloStatus cpu_fold(HaloDevice *device, const HaloBuf *src, const HaloFold *fold, double *out);
HaloStatus cpu_hist(HaloDevice *device, const HaloBuf *src, const HaloHist *hist, HaloHistogram *out);
HaloStatus cpu_scan(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloScan *scan);
HaloStatus cpu_rank(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloRank *rank,
                    HaloStore store);
HaloStatus cpu_mean(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloMean *mean,
                    HaloStore store);
HaloStatus cpu_bilateral(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloBilateral *bilateral,
                         HaloStore store);
HaloStatus cpu_gather(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloGather *gather,
                    HaloStore store);
HaloStatus cpu_resample(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloResample *resample,
                        HaloStore store);
HaloStatus cpu_sections(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloSections *sections,
                        HaloStore store);
HaloStatus cpu_spectrum(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloSpectrum *spectrum,
                        HaloStore store);
/* The same of a single row, which is resampled along it alone. */
bool cpu_resample_is_line(const HaloBuf *dst, const HaloResample *resample);
HaloStatus cpu_resample_line(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloResample *resample,
                             HaloStore store);
HaloStatus cpu_mix(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloMix *mix, HaloStore store);
HaloStatus cpu_fade(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloFade *fade,
                    HaloStore store);
HaloStatus cpu_ceilings(HaloDevice *device, HaloCeilings *out);
HaloStatus cpu_equalize(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloEqualize *equalize,
                        HaloStore store);

#endif

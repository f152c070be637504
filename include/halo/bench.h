/* What benchmarks tell: a device's ceilings, and the times of a pipeline. */
#ifndef HALO_BENCH_H
#define HALO_BENCH_H

#include "halo/buffer.h"
#include "halo/fail.h"
#include "halo/file.h"
#include "halo/halo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A device's ceilings, measured with plain loops: reading, copying (read and written bytes together), fused
 * multiply-adds of f32, counted as two. 0: not known. */
typedef struct HaloCeilings {
    double read_gbs, copy_gbs, fma_gflops;
} HaloCeilings;

/* The test samples: uniform noise, one value everywhere, or slopes with a little noise, as in photographs. */
typedef enum HaloContent {
    HALO_CONTENT_RANDOM,
    HALO_CONTENT_CONSTANT,
    HALO_CONTENT_SMOOTH,
    HALO_CONTENT_BLOBS /* white disks on black */
} HaloContent;

/* Medians of `runs` runs of a pipeline on samples that are in host memory at first, with the conversion to the
 * sample type that is written. */
typedef struct HaloTiming {
    double upload_ms, kernel_ms, download_ms; /* kernel: by the device's own clock where it has one */
    double total_ms;                          /* from end to end, by the host's clock */
    double bytes;                             /* the least bytes that all steps have to move */
    double flops;                             /* multiply-adds of the convolutions, two each */
    double floor_ms;                          /* the least time by the ceilings; 0: not known */
    HaloCeilings ceilings;                    /* of the device, measured once a session */
    int steps;
    bool writes; /* an output, of type `written`; else the pipeline only measures */
    HaloDtype written;
    const char *backend;
    char device[96];
} HaloTiming;

/* `to`: the format that would be written; NULL: one that holds any sample type, in which integers stay integers
 * of their type where the result has a full scale. */
HALO_API HaloStatus halo_bench(HaloSession *session, const HaloPipeline *pipeline, const HaloShape *shape,
                               const HaloFormat *to, HaloContent content, int runs, HaloTiming *timing);

#ifdef __cplusplus
}
#endif
#endif

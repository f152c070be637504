/* What benchmarks tell: a device's ceilings, the times of a pipeline, and the ladder, teaching kernels from the
 * naive one to the product's own, each checked and timed, which `halo bench ladder` prints. */
#ifndef HALO_BENCH_H
#define HALO_BENCH_H

#include "halo/buffer.h"
#include "halo/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A device's ceilings, measured with plain loops: reading, copying (read and written bytes together), fused
 * multiply-adds of f32, counted as two. 0: not known. */
typedef struct HaloCeilings {
    double read_gbs, copy_gbs, fma_gflops;
} HaloCeilings;

/* One row of the table. Strings are static. */
typedef struct HaloRung {
    const char *family; /* "reduce/steps" */
    const char *name;   /* "4 first add while loading" */
    const char *change; /* what it changes from the rung before */
    const char *note;   /* a published mistake this rung shows, or what still holds it back; may be empty */
    double n;           /* elements */
    double bytes;       /* moved, at least */
    double ms;          /* median of many runs; 0: the row is a prediction, or not timed */
    double ceiling_gbs; /* of read or copy, measured in the same process */
    double predicted;   /* conv: the reuse predicted for this tile and mask; 0: none */
    int checked;        /* sizes whose result was compared with the CPU's; 0: nothing to compare */
    int wrong;          /* how many of them were wrong (the published mistakes are shown so, on purpose) */
} HaloRung;

typedef void HaloRungSeen(const HaloRung *rung, void *context);

typedef struct HaloSession HaloSession; /* halo.h */
typedef struct HaloPipeline HaloPipeline;

/* The test samples: uniform noise, one value everywhere, or slopes with a little noise, as in photographs. */
typedef enum HaloContent { HALO_CONTENT_RANDOM, HALO_CONTENT_CONSTANT, HALO_CONTENT_SMOOTH } HaloContent;

/* Medians of `runs` runs of a pipeline on samples that are in host memory at first. */
typedef struct HaloTiming {
    double upload_ms, kernel_ms, download_ms; /* kernel: by the device's own clock where it has one */
    double total_ms;                          /* from end to end, by the host's clock */
    double bytes;                             /* the least bytes that all steps have to move */
    double flops;                             /* multiply-adds of the convolutions, two each */
    double floor_ms;                          /* the least time by the ceilings; 0: not known */
    HaloCeilings ceilings;                    /* of the device, measured once a session */
    int steps;
    const char *backend;
    char device[96];
} HaloTiming;

HALO_API HaloStatus halo_bench(HaloSession *session, const HaloPipeline *pipeline, const HaloShape *shape,
                               HaloContent content, int runs, HaloTiming *timing);

#ifdef __cplusplus
}
#endif
#endif

/* halo's public interface: filter images and audio, measure them, read and write them.
 *
 *     HaloSession *session;
 *     halo_session_open(NULL, &session);
 *     HaloPipeline *blur;
 *     halo_pipeline_parse(session, "gauss:2", &blur);
 *     HaloJob job = {.input = "in.png", .output = "out.png"};
 *     HaloReport report;
 *     if (halo_run(session, blur, &job, &report) != HALO_OK) puts(halo_error());
 *
 * A session belongs to one thread at a time; several sessions may live side by side. Every function that
 * returns a HaloStatus leaves a sentence in halo_error() when it fails. */
#ifndef HALO_HALO_H
#define HALO_HALO_H

#include <stdio.h>

#include "halo/backend.h"
#include "halo/buffer.h"
#include "halo/explain.h"
#include "halo/format.h"
#include "halo/mask.h"
#include "halo/notes.h"
#include "halo/op.h"
#include "halo/plan.h"
#include "halo/result.h"
#include "halo/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* "0.1.0"; and what this build can do, one line: "cuda 13.0, png 1.6.39, …". */
const char *halo_version(void);
const char *halo_build_features(void);

/* ---- tables: what there is to list ---------------------------------------------------------------------- */

typedef struct HaloTables {
    const HaloOp *const *op;
    int ops;
    const HaloMaskRow *mask;
    int masks;
    const HaloFormat *const *format;
    int formats;
    const HaloBackend *const *backend; /* the first works on host memory and is always there */
    int backends;
} HaloTables;

const HaloTables *halo_tables(void);
const HaloOp *halo_find_op(const char *name);         /* NULL: there is none */
const HaloFormat *halo_find_format(const char *name); /* by name or extension ("jpg"); NULL: there is none */
const HaloFormat *halo_find_format_in(const HaloTables *tables, const char *name);

/* The parameters that every filter takes besides its own: border, alpha, nan. */
const HaloParam *halo_common_params(int *count);

/* The closest of `count` words within a few typing mistakes of `word`, or NULL. `word_at(i, list)` gives
 * them. */
const char *halo_nearest(const char *word, int count, const char *(*word_at)(int i, const void *list),
                         const void *list);

/* Writes the operations that other tools call `word`, as "'gauss' or 'box'"; false where there are none. */
bool halo_known_as(const HaloTables *tables, const char *word, char *text, size_t size);

/* ---- sessions ------------------------------------------------------------------------------------------- */

typedef enum HaloDeviceChoice {
    HALO_DEVICE_AUTO,
    HALO_DEVICE_CPU,
    HALO_DEVICE_GPU, /* the one that `gpu` names */
    HALO_DEVICE_ALL  /* any: `gpu` counts on beyond the last one, so that sessions spread over all */
} HaloDeviceChoice;

/* All zero is the default of everything. */
/* FAST lets large masks run by ways whose results differ a little: docs/numerics.md says how little. */
typedef enum HaloPrecision { HALO_PRECISION_EXACT, HALO_PRECISION_FAST } HaloPrecision;

typedef struct HaloOptions {
    HaloDeviceChoice device;
    HaloPrecision precision;
    int gpu;            /* which one */
    int jobs;           /* threads; 0: one per core */
    HaloAlpha alpha;    /* where an operation's alpha= is not given */
    bool linear;        /* images of 8 and 16 bits are decoded from sRGB first, and encoded last */
    int64_t max_pixels; /* of one image, of up to 4 samples each; 0: HALO_MAX_PIXELS. Audio has no such limit */
    int64_t max_memory; /* bytes of host memory for what grows with a file; 0: three quarters of the machine's */
    int share;          /* sessions at work at the same time, of which each takes its part of that; 0: 1 */
    int64_t files;      /* expected in all: what it takes to start a GPU is shared among them; 0: 1 */
    int64_t band_rows;  /* rows computed at a time; 0: chosen. Results do not depend on it */
    int raw_bits;       /* raw sound holds signed integers of so many bits, read as f32: 16, 24 or 32; 0: none */
    int latency_ms;     /* of sound from a pipe to a pipe, so much is computed at a time at most; 0: 100 */
    bool tolerate;      /* damaged inputs give what could be read */
    bool verify;        /* compute on both backends and compare: HALO_ERR_BUG where they differ */
} HaloOptions;

typedef struct HaloSession HaloSession;

/* Opens no device yet: that happens when the first plan needs one. `options` may be NULL. */
HaloStatus halo_session_open(const HaloOptions *options, HaloSession **session);
void halo_session_close(HaloSession *session);
/* Frees the buffers that are kept for the next file. */
void halo_session_trim(HaloSession *session);
/* The same with tables of one's own; what halo_session_open calls with halo_tables(). */
HaloStatus halo_session_open_with(const HaloTables *tables, const HaloOptions *options, HaloSession **session);

/* ---- pipelines and plans -------------------------------------------------------------------------------- */

typedef struct HaloPipeline HaloPipeline;

/* Parses "op:key=value,… | op …", checking names, values and masks. HALO_ERR_USAGE says what, where, and the
 * nearest right spelling. "" is a pipeline that copies.
 *
 * Files that it names have been read then, once. A pipeline does not change any more and keeps nothing of the
 * session: sessions with the same tables may plan and run it, in other threads at the same time, too; plans do not
 * point into it. */
HaloStatus halo_pipeline_parse(HaloSession *session, const char *text, HaloPipeline **pipeline);
void halo_pipeline_free(HaloPipeline *pipeline);
/* The i-th of the files that were read for it; false past the last. */
bool halo_pipeline_reads(const HaloPipeline *pipeline, size_t i, HaloRead *read);
/* True where every operation gives results and none changes samples ("stats | hist"): no output is needed. */
bool halo_pipeline_only_measures(const HaloPipeline *pipeline);
/* A number for this pipeline (masks by what is in them), this version of halo and `more` (NULL: nothing): where
 * any of them differs, so does the number, but for a chance of 2^-64. */
uint64_t halo_pipeline_fingerprint(const HaloPipeline *pipeline, const char *more);

/* Plans a pipeline for an input of this shape. `to` is the format the output goes to, or NULL: f32 stays
 * f32 and a plan that only measures makes no output. */
HaloStatus halo_plan_make(HaloSession *session, const HaloPipeline *pipeline, const HaloShape *input,
                          const HaloFormat *to, HaloPlan **plan);
/* Runs it. `in` is a whole buffer in host memory; `out` is allocated (NULL: not wanted), and `results` filled
 * (NULL likewise); both are the caller's to free. `clipped` may be NULL. */
HaloStatus halo_plan_run(HaloSession *session, const HaloPlan *plan, const HaloBuf *in, HaloBuf *out,
                         HaloResults *results, uint64_t *clipped);
/* Prints what the plan does: every step, its method, the bytes it moves, the backend and why. */
void halo_plan_explain(HaloSession *session, const HaloPlan *plan, FILE *to);

/* ---- files ---------------------------------------------------------------------------------------------- */

/* What a file says of itself, without reading its samples (audio of unknown length: width -1). `format` may
 * be NULL. */
HaloStatus halo_info(HaloSession *session, const char *path, const HaloShape *raw, HaloInfo *info,
                     const HaloFormat **format);
/* Reads all of a file; `data` and `info->meta` are the caller's to free. */
HaloStatus halo_load(HaloSession *session, const char *path, HaloInfo *info, HaloBuf *data);

/* One file through a pipeline. */
typedef struct HaloJob {
    const char *input;    /* a path, or "-" */
    const char *output;   /* a path, "-", or NULL for results only */
    const HaloFormat *to; /* NULL: by the output's extension, else the input's format */
    const HaloShape *raw; /* the input is headerless and looks like this; NULL: it says itself */
    HaloForce force;      /* what becomes of an output that exists */
    const HaloRead *read; /* [reads]: never written over, as are the input and what the pipeline names */
    size_t reads;
    HaloWriteOptions write;
    HaloExplanation *explain; /* say here what would be done, and stop; NULL: run. The caller frees it */
} HaloJob;

typedef struct HaloTimes {
    double read, decode, upload, compute, download, encode, write; /* milliseconds */
} HaloTimes;

typedef struct HaloReport {
    HaloResults results;
    HaloShape input;
    uint64_t clipped;
    float peak; /* of sound that did not fit, where full scale is 1; else 0, also where only NaN was clipped */
    HaloTimes ms;
    const char *backend; /* "cpu", "cuda" */
    char device[96];
    HaloNotes notes; /* what was lost or changed on the way, and conversions */
    bool retreated;  /* a GPU failed, or could not be opened: done on the CPU */
    char why[200];   /* it was done on the CPU although a GPU was wanted; or empty */
} HaloReport;

/* Nothing is left behind under the output's name unless it returns HALO_OK. */
HaloStatus halo_run(HaloSession *session, const HaloPipeline *pipeline, const HaloJob *job, HaloReport *report);
void halo_report_free(HaloReport *report);

/* ---- benchmarks ----------------------------------------------------------------------------------------- */

/* What is measured on: uniform noise, one value everywhere, or slopes with a little noise, as in photographs. */
typedef enum HaloContent { HALO_CONTENT_RANDOM, HALO_CONTENT_CONSTANT, HALO_CONTENT_SMOOTH } HaloContent;

/* Medians of `runs` runs of a pipeline on samples that are in host memory at first. */
typedef struct HaloTiming {
    double upload_ms, kernel_ms, download_ms; /* kernel: by the device's own clock where it has one */
    double total_ms;                          /* from end to end, by the host's clock */
    double bytes;                             /* moved, at least, by all steps */
    double flops;                             /* multiply-adds of the convolutions, two each */
    double floor_ms;                          /* what the ceilings leave both of them; 0: not known */
    HaloCeilings ceilings;                    /* of the device, measured once a session */
    int steps;
    const char *backend;
    char device[96];
} HaloTiming;

HaloStatus halo_bench(HaloSession *session, const HaloPipeline *pipeline, const HaloShape *shape,
                      HaloContent content, int runs, HaloTiming *timing);

#ifdef __cplusplus
}
#endif
#endif

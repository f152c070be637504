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
 * returns a HaloStatus leaves a sentence in halo_error() when it fails.
 *
 * Programs that only use halo need no other header. halo/extend.h is for adding operations, formats and
 * backends. */
#ifndef HALO_HALO_H
#define HALO_HALO_H

#include <stdio.h>

#include "halo/buffer.h"
#include "halo/explain.h"
#include "halo/file.h"
#include "halo/notes.h"
#include "halo/options.h"
#include "halo/result.h"
#include "halo/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* "0.2.0"; the commit that it was built from ("": not from a checkout); and the features of this build in one
 * line: "JPEG, TIFF, …, no CUDA". */
HALO_API const char *halo_version(void);
HALO_API const char *halo_build_commit(void);
HALO_API const char *halo_build_features(void);

/* ---- sessions ------------------------------------------------------------------------------------------- */

typedef struct HaloSession HaloSession;

/* Opens no device yet: that happens when the first plan needs one. `options` may be NULL. */
HALO_API HaloStatus halo_session_open(const HaloOptions *options, HaloSession **session);
HALO_API void halo_session_close(HaloSession *session);
/* Frees the session with the buffers that it keeps for the next file. */
HALO_API void halo_session_trim(HaloSession *session);

/* ---- pipelines and plans -------------------------------------------------------------------------------- */

typedef struct HaloPipeline HaloPipeline;
typedef struct HaloPlan HaloPlan;

/* The maximum number of operations of a pipeline, including those in branches, and of nested branches. */
#define HALO_MAX_OPERATIONS 4096
#define HALO_MAX_NESTING 64

/* Parses "op:key=value,… | op …" and checks names, values and masks. The message of HALO_ERR_USAGE has the
 * mistake, its place and the nearest valid spelling. "" is a pipeline that copies.
 *
 * The files that it names are read by this call, once. A pipeline is constant and independent of the session:
 * any session with the same tables may plan and run it, also in several threads at the same time; plans do not
 * point into it. */
HALO_API HaloStatus halo_pipeline_parse(HaloSession *session, const char *text, HaloPipeline **pipeline);
HALO_API void halo_pipeline_free(HaloPipeline *pipeline);
/* The i-th of the files that were read for it; false past the last. */
HALO_API bool halo_pipeline_reads(const HaloPipeline *pipeline, size_t i, HaloRead *read);
/* True where every operation gives results and none changes samples ("stats | hist"): no output is needed. */
HALO_API bool halo_pipeline_only_measures(const HaloPipeline *pipeline);
/* True where an operation gives results: it may be run for these alone ("crop:100x100 | stats"). */
HALO_API bool halo_pipeline_measures(const HaloPipeline *pipeline);
/* A hash of this pipeline (masks by their coefficients), this version of halo and `more` (NULL: nothing).
 * Different ones have the same hash with a probability of 2^-64. */
HALO_API uint64_t halo_pipeline_fingerprint(const HaloPipeline *pipeline, const char *more);

/* Plans a pipeline for an input of this shape. `to` is the format the output goes to, or NULL: f32 stays
 * f32 and a plan that only measures makes no output. */
HALO_API HaloStatus halo_plan_make(HaloSession *session, const HaloPipeline *pipeline, const HaloShape *input,
                                   const HaloFormat *to, HaloPlan **plan);
/* The same for these samples, a whole buffer in host memory. The output length of some operations, such as
 * `silence`, depends on the samples: halo_plan_make alone refuses those. */
HALO_API HaloStatus halo_plan_make_of(HaloSession *session, const HaloPipeline *pipeline, const HaloBuf *in,
                                      const HaloFormat *to, HaloPlan **plan);
/* Runs it. `in` is a whole buffer in host memory; `out` is allocated (NULL: not wanted), and `results` filled
 * (NULL likewise); both are the caller's to free. `clipped` may be NULL. */
HALO_API HaloStatus halo_plan_run(HaloSession *session, const HaloPlan *plan, const HaloBuf *in, HaloBuf *out,
                                  HaloResults *results, uint64_t *clipped);
HALO_API void halo_plan_free(HaloPlan *plan);
/* Prints what the plan does: every step, its method, the bytes it moves, the backend and why. */
HALO_API void halo_plan_explain(HaloSession *session, const HaloPlan *plan, FILE *to);

/* ---- files ---------------------------------------------------------------------------------------------- */

/* By name or extension ("png", "jpg"); NULL: there is none. */
HALO_API const HaloFormat *halo_find_format(const char *name);

/* Reads a file's header and metadata, without its samples (audio of unknown length: width -1). `format` may be
 * NULL. */
HALO_API HaloStatus halo_info(HaloSession *session, const char *path, const HaloShape *raw, HaloInfo *info,
                              const HaloFormat **format);
/* Reads all of a file; `data` and `info->meta` are the caller's to free. */
HALO_API HaloStatus halo_load(HaloSession *session, const char *path, HaloInfo *info, HaloBuf *data);

/* A job: one file to run through a pipeline, page by page. */
typedef struct HaloJob {
    const char *input;         /* a path, or "-" */
    struct HaloSource *source; /* the same, opened already (extend.h): halo_run closes it. Not with write.guard;
                                  NULL: halo_run opens it */
    const char *const *more_input; /* [more_inputs]: the pages of these follow, into the same output */
    size_t more_inputs;
    const char *output; /* a path, "-", or NULL for results only */
    bool split; /* writes a file for each page: `output` contains {page}, the page number with four digits or
                   more, or {page:02} with two; a failure leaves the files of earlier pages */
    const HaloFormat *to; /* NULL: by the output's extension, else the input's format */
    const HaloShape *raw; /* the input is headerless and has this layout; NULL: it has a header */
    HaloForce force;      /* what to do with an existing output */
    const HaloRead *read; /* [reads]: files that are never overwritten, like the input and the files that the
                             pipeline names */
    size_t reads;
    HaloWriteOptions write;
    HaloExplanation *explain; /* not NULL: only explain here what would be done. The caller frees it */
} HaloJob;

typedef struct HaloTimes {
    double read, decode, upload, compute, download, encode, write; /* milliseconds */
} HaloTimes;

typedef struct HaloReport {
    HaloResults results;
    HaloShape input;
    uint64_t clipped;
    float peak; /* the largest magnitude of sound that was clipped, where full scale is 1; 0: nothing was, or
                   only NaN */
    HaloTimes ms;
    const char *backend; /* "cpu", "cuda" */
    char device[96];
    HaloNotes notes; /* losses, changes and conversions */
    bool fell_back;  /* a GPU failed, or could not be opened: ran on the CPU */
    char why[200];   /* why it ran on the CPU although a GPU was wanted; or empty */
} HaloReport;

/* Writes nothing under the output's name unless it returns HALO_OK. */
HALO_API HaloStatus halo_run(HaloSession *session, const HaloPipeline *pipeline, const HaloJob *job,
                             HaloReport *report);
HALO_API void halo_report_free(HaloReport *report);

#ifdef __cplusplus
}
#endif
#endif

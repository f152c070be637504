/* What the program and the public functions are made of: pipelines, plans and jobs, with the structs that
 * halo's own code works on. Part of extend.h, whose version it has. Here a session belongs to one thread at a
 * time. */
#ifndef HALO_ENGINE_H
#define HALO_ENGINE_H

#include <stdio.h>

#include "halo/buffer.h"
#include "halo/explain.h"
#include "halo/fail.h"
#include "halo/file.h"
#include "halo/halo.h"
#include "halo/notes.h"
#include "halo/result.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- pipelines and plans -------------------------------------------------------------------------------- */

/* The maximum number of operations of a pipeline, including those in branches, and of nested branches. */
#define HALO_MAX_OPERATIONS 4096
#define HALO_MAX_NESTING 64

/* The i-th of the files that were read for it; false past the last. */
HALO_API bool halo_pipeline_reads(const HaloPipeline *pipeline, size_t i, HaloRead *read);
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
HALO_API HaloStatus halo_plan_execute(HaloSession *session, const HaloPlan *plan, const HaloBuf *in,
                                      HaloBuf *out, HaloResults *results, uint64_t *clipped);
HALO_API void halo_plan_free(HaloPlan *plan);
/* Prints what the plan does: every step, its method, the bytes it moves, the backend and why. */
HALO_API void halo_plan_print(HaloSession *session, const HaloPlan *plan, FILE *to);

/* ---- files ---------------------------------------------------------------------------------------------- */

/* By name or extension ("png", "jpg"); NULL: there is none. */
HALO_API const HaloFormat *halo_find_format(const char *name);

/* Reads a file's header and metadata, without its samples (audio of unknown length: width -1). `format` may be
 * NULL. */
HALO_API HaloStatus halo_file_info(HaloSession *session, const char *path, const HaloShape *raw, HaloInfo *info,
                                   const HaloFormat **format);
/* Reads all of a file; `data` and `info->meta` are the caller's to free. */
HALO_API HaloStatus halo_load_buf(HaloSession *session, const char *path, HaloInfo *info, HaloBuf *data);

/* A job: one file to run through a pipeline, page by page. */
typedef struct HaloJob {
    const char *input;         /* a path, or "-" */
    struct HaloSource *source; /* the same, opened already (extend.h): halo_run_job closes it. Not with
                                  write.guard; NULL: halo_run_job opens it */
    const void *bytes;         /* the input in memory, of `size`; NULL: it is a file */
    size_t size;
    const char *const *more_input; /* [more_inputs]: the pages of these follow, into the same output */
    size_t more_inputs;
    const char *output; /* a path, "-", or NULL for results only; of `give` the name in messages */
    /* What takes the output's bytes in place of a file, in order, once they are complete; negative: it failed.
     * NULL: there is none. */
    int64_t (*give)(void *context, const void *bytes, size_t size);
    void *give_context;
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

struct HaloReport {
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
    struct HaloReportTables
        *tables; /* of results, for programs (core/report); or NULL, as of reports that stay inside */
    char *note[HALO_NOTES]; /* likewise: their texts */
    size_t note_count;
};

/* Writes nothing under the output's name unless it returns HALO_OK. */
HALO_API HaloStatus halo_run_job(HaloSession *session, const HaloPipeline *pipeline, const HaloJob *job,
                                 HaloReport *report);
HALO_API void halo_report_clear(HaloReport *report);

#ifdef __cplusplus
}
#endif
#endif

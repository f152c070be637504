/* Whole pipelines, run in every way: by each CPU variant with several numbers of threads and heights of bands,
 * by every GPU, and by the oracle, with which they are compared. */
#ifndef HALO_TEST_PIPELINES_H
#define HALO_TEST_PIPELINES_H

#include "buffers.h"
#include "halo/extend.h"

typedef struct Runner {
    HaloSession *session;
    char name[48]; /* "cpu v3 -j2, bands of 7" */
} Runner;

enum { RUNNERS_MAX = 24 };
extern Runner runner[RUNNERS_MAX]; /* the first is the oracle */
extern int runners;

/* Group set-up and tear-down for cmocka. HALO_DEVICE=word keeps the oracle and those whose name holds it. */
int runners_open(void **state);
int runners_close(void **state);

/* The outcome of a pipeline. */
typedef struct Outcome {
    HaloStatus status;
    char message[400]; /* when it failed */
    HaloBuf out;       /* data NULL: no output */
    char *results;     /* as text, every double to the last bit */
    uint64_t clipped;
} Outcome;

/* `to` may be NULL, as for halo_plan_make. */
Outcome pipeline_run(HaloSession *session, const char *pipeline, const HaloBuf *in, const HaloFormat *to);
void outcome_free(Outcome *outcome);
char *results_text(const HaloResults *results); /* malloc'ed */
/* FNV-1a, 64 bits, of the output's shape and samples and of the results. */
uint64_t outcome_hash(const Outcome *outcome);

/* Runs it everywhere and compares with the oracle: status, shape, samples, results, clipped. Returns the
 * oracle's outcome. */
Outcome expect_everywhere_alike(const char *pipeline, const HaloBuf *in, const HaloFormat *to);
/* The same for a pipeline that has to succeed. */
Outcome run_ok(const char *pipeline, const HaloBuf *in);
/* Expects the same result of two pipelines. */
void expect_equivalent(const char *a, const char *b, const HaloBuf *in);
/* The same for each of these, over an image with alpha or over sound. */
typedef struct Equivalent {
    enum { OF_IMAGE, OF_SOUND } how;
    const char *a, *b;
} Equivalent;
void expect_all_equivalent(const Equivalent *said, int count);

/* Random samples in a whole buffer of this shape; freed by halo_buf_free. */
HaloBuf random_input(const HaloShape *shape, bool special, Rng *rng);

/* A row of these samples; freed likewise. */
HaloBuf float_row(const float *value, int64_t count);
/* The oracle's results, once they are the same everywhere. */
HaloResults pipeline_results(const char *pipeline, const HaloBuf *in);

/* "op:key=value,…" with random values for its parameters, as their rows allow. */
void draw_pipeline(Rng *rng, const HaloOp *op, HaloKind kind, char *text, size_t size);
/* The same for its first `values` parameters, all of them with keys, or all without. */
void draw_values(Rng *rng, const HaloOp *op, HaloKind kind, int values, bool keyed, char *text, size_t size);
/* The operation's own example, as far as it can run: masks in files are replaced by quoted ones. */
void example_pipeline(const HaloOp *op, HaloKind kind, char *text, size_t size);

#endif

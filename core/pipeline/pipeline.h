/* A pipeline: the text "op:key=value,… | op …" as calls with checked values. */
#ifndef CORE_PIPELINE_H
#define CORE_PIPELINE_H

#include "file/operand.h"
#include "halo/pages.h"
#include "session.h"

/* Parameters that operations share: the first ones are every filter's, the others of every operation that makes
 * samples. */
enum { COMMON_BORDER, COMMON_ALPHA, COMMON_NAN, COMMON_ON, COMMON_MASK, CORE_COMMON };

/* A file that is kept in memory: edits while a batch runs change nothing, and pipes can be used as well. */
typedef struct KeptFile {
    HaloSource *source; /* holds its bytes */
    HaloMemory memory;
} KeptFile;

/* The memory that a value points at, freed with its call; NULL: none. */
typedef struct Owned {
    char *text;
    HaloMask *mask;
    HaloOperand *operand;
    HaloPipeline *branch;
    KeptFile *file;
} Owned;

/* One operation of a pipeline with its values: the operation's own, then those of the shared parameters. */
typedef struct Call {
    const HaloOp *op;
    int values;
    HaloValue *value;
    Owned *owned; /* [values] */
} Call;

struct HaloPipeline {
    atomic_int holders; /* beside the first */
    int calls;
    Call *call;
};

/* What is parsed: a pipeline with the branches in it. */
typedef struct Parser {
    HaloSession *session;
    int operations; /* so far, */
    int nesting;    /* and how many branches are open */
} Parser;

/* call.c: one call, whose first parameter has this text as its value, not parsed as a pipeline's; `where`
 * stands before messages about it. */
HaloStatus pipeline_of(HaloSession *session, const HaloOp *op, const char *where, const char *text,
                       HaloPipeline **pipeline);
HaloStatus pipeline_parse(Parser *parser, const char *text, HaloPipeline **pipeline);

/* The first call of a branch that begins with a file, its only value; the plan builds it. */
extern const HaloOp pipeline_file;

/* call.c: what messages about a parameter begin with: "gauss: sigma", or "expr" where both are called that. */
typedef struct ParamName {
    char text[96];
} ParamName;
ParamName param_name(const char *op, const char *key);

/* pipeline.c: held until another halo_pipeline_free. */
HaloPipeline *pipeline_hold(const HaloPipeline *pipeline);
/* The parameter that value i of a call is of; and the value of a shared one (COMMON_), NULL: it takes none. */
const HaloParam *call_param(const Call *call, int i);
const HaloValue *call_common(const Call *call, const HaloValue *value, int shared);
/* Does it name array `at` of the caller, "@2", also in a branch? */
bool pipeline_names_array(const HaloPipeline *pipeline, size_t at);
/* Reads the secondary inputs whose path has fields of the input's name. */
HaloStatus pipeline_read_operands(HaloSession *session, const HaloPipeline *pipeline, Operands *operands);
/* Does it change samples? And how they code light: HaloChanges::light. */
bool pipeline_changes(const HaloPipeline *pipeline);
int pipeline_light(const HaloPipeline *pipeline);
/* HaloOp::light of an operation with these values. */
int op_light(const HaloOp *op, const HaloValue *value);
/* HALO_ERR_USAGE where the profile of the input is used after its samples are in other colours. */
HaloStatus pipeline_check_light(const HaloPipeline *pipeline);
/* The pages that it selects; false: all. */
bool pipeline_pages(const HaloPipeline *pipeline, HaloPages *pages);
/* Does it take coordinates or sizes as the viewer sees them, so that images have to be turned upright first? */
bool pipeline_upright(const HaloPipeline *pipeline);

/* The unit of a LENGTH, its HaloValue.integer: seconds become samples once the sample rate is known. */
enum { LENGTH_SAMPLES, LENGTH_SECONDS, LENGTH_FRAMES };

/* value.c: parses `text` as `param` says; `where` stands before messages ("gauss: sigma"). */
HaloStatus value_parse(Parser *parser, const HaloParam *param, const char *text, bool quoted, const char *where,
                       HaloValue *value, Owned *owned);
/* value.c: converts lengths to samples, and sets defaults that depend on the input. */
HaloStatus value_bind(const HaloOp *op, const HaloParam *param, const HaloShape *shape, HaloValue *value);

/* mask.c */
HaloStatus mask_resolve(HaloSession *session, const char *text, bool quoted, HaloMask *mask);

#endif

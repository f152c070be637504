/* A pipeline: the text "op:key=value,… | op …" as calls with checked values. */
#ifndef CORE_PIPELINE_H
#define CORE_PIPELINE_H

#include "session.h"

#define CORE_COMMON 3 /* parameters every filter takes: border, alpha, nan */
enum { COMMON_BORDER, COMMON_ALPHA, COMMON_NAN };

/* The memory that a value points at, freed with its call; NULL: none. */
typedef struct Owned {
    char *text;
    HaloMask *mask;
    HaloSide *side;
    HaloPipeline *branch;
} Owned;

/* One operation of a pipeline with its values: the operation's own, then, for filters, the common ones. */
typedef struct Call {
    const HaloOp *op;
    int values;
    HaloValue *value;
    Owned *owned; /* [values] */
} Call;

struct HaloPipeline {
    int calls;
    Call *call;
};

/* call.c */
const HaloParam *call_param(const Call *call, int i);

/* pipeline.c: does it take files along with the input? */
bool pipeline_has_sides(const HaloPipeline *pipeline);
/* Reads those that are named after the input at hand. */
HaloStatus pipeline_read_sides(HaloSession *session, const HaloPipeline *pipeline);
/* Are samples at its end others than those it gets? And do they code light in another way? */
bool pipeline_changes(const HaloPipeline *pipeline);
bool pipeline_recodes(const HaloPipeline *pipeline);

/* What a LENGTH was given in, its HaloValue.integer: times become samples once the sample rate is known. */
enum { LENGTH_SAMPLES, LENGTH_SECONDS };

/* value.c: parses `text` as `param` says; `where` stands before messages ("gauss: sigma"). */
HaloStatus value_parse(HaloSession *session, const HaloParam *param, const char *text, bool quoted,
                       const char *where, HaloValue *value, Owned *owned);
/* value.c: makes lengths samples and fills in what depends on the input. */
HaloStatus value_bind(const HaloOp *op, const HaloParam *param, const HaloShape *shape, HaloValue *value);

/* mask.c */
HaloStatus mask_resolve(HaloSession *session, const char *text, bool quoted, HaloMask *mask);

#endif

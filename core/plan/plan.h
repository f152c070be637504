/* Makes a plan from a pipeline and the shape of an input: its steps, the conversion to the output's format, and
 * optimisations that do not change results. */
#ifndef CORE_PLAN_H
#define CORE_PLAN_H

#include "analysis.h"
#include "file/operand.h"
#include "halo/changes.h"
#include "pipeline/pipeline.h"
#include "session.h"

/* HaloBuilder::profile of samples that are coded in another way, such as linear light. */
#define PLAN_NO_PROFILE UINT64_MAX

/* What a plan is made for. */
typedef struct PlanRequest {
    const HaloPipeline *pipeline;
    HaloShape input;          /* before it was shrunk; sound of unknown length has the width PLAN_ENDLESS */
    int64_t page;             /* of the input, from 0; -1: not known */
    int64_t shrunk;           /* the reader has decimated it by this factor on each axis; 0: by 1 */
    const HaloFormat *to;     /* of the output; NULL: there is none */
    uint32_t speakers;        /* of the input: HaloInfo.speakers */
    float gain;               /* --guard: sound is multiplied by it at the end; 0: it is not */
    bool upright;             /* the image is turned upright before: secondary inputs have to be, too */
    Operands *operands;       /* the input's own secondary inputs */
    const HaloTimeline *time; /* of the input's frames; NULL: only their rate is known */
    const HaloBlob *icc;      /* the input's profile; NULL: it has none */
    PlanAnalysis *analysis;   /* what analysis passes found; NULL: the plan cannot have any */
} PlanRequest;

/* The plan; if it stopped for an analysis pass, what it makes is what that pass looks at. */
typedef struct PlanOutcome {
    HaloPlan *plan;
    PlanNeed need;
} PlanOutcome;

HaloStatus plan_make(HaloSession *session, const PlanRequest *request, PlanOutcome *outcome);

struct HaloBuilder {
    HaloSession *session;
    const PlanRequest *request;
    PlanOutcome *outcome;
    HaloPlan *plan;
    HaloCommon common;
    const char *op;
    HaloScale scale; /* of that operation */
    /* Of the colours so far: the profile that they are to be seen by, NULL where there is none or they were
     * converted by it; its load_profile; and the operation that converted them, NULL where none did. */
    const HaloBlob *icc;
    uint64_t profile;
    const Call *converts;
    bool failed_alloc;
};

/* plan.c: space for one more in an array, doubling; NULL without memory. */
void *plan_grown(void *array, int count, size_t size);
HaloStatus plan_add_reg(HaloPlan *plan, const HaloShape *shape, HaloReg *reg);
HaloStatus plan_add_step(HaloPlan *plan, const HaloStep *step);
HaloStatus plan_add_input(HaloPlan *plan, HaloReg reg,
                          HaloOperand *operand); /* the plan holds the secondary input */
/* Adds the steps of a call; of all of a pipeline's; and those of --linear behind an input. */
HaloStatus plan_add_call(HaloBuilder *builder, const Call *call, HaloReg in, HaloReg *out);
HaloStatus plan_add_calls(HaloBuilder *builder, const HaloPipeline *pipeline, HaloReg in, HaloReg *out);
HaloStatus plan_add_light(HaloBuilder *builder, HaloReg in, HaloReg *out);
/* glance.c: a picture along time that ends the pipeline gets no more columns than the output shows. */
HaloStatus plan_glance(HaloBuilder *builder, HaloReg value);
/* The largest factor by which a reader may decimate the input on each axis: more than 1 if every step that
 * reads the input skips enough of it. */
int64_t plan_may_shrink(const HaloPlan *plan);
/* Sets the length of sound that was unknown (PLAN_ENDLESS): every value gets its true length. HALO_ERR_INPUT if
 * no output is left. */
HaloStatus plan_end_at(HaloPlan *plan, int64_t width);

/* builder.c: the plan's notes; NULL without memory. */
HaloNotes *builder_notes(HaloBuilder *builder);
/* Notes something about this plan, once. */
HaloStatus builder_note(HaloBuilder *builder, HaloNote kind);

/* build_values.c: halo_build_depth, but the output need not be of that type. */
HaloStatus builder_convert(HaloBuilder *builder, HaloReg src, HaloDtype dtype, HaloReg *dst);
/* HALO_ERR_INPUT where a value has no full scale; `what` needs one. */
HaloStatus builder_needs_scale(HaloBuilder *builder, HaloReg src, const char *what);
/* The same to any full scale. */
HaloStatus builder_rescale(HaloBuilder *builder, HaloReg src, HaloDtype dtype, float white, HaloReg *dst);
/* The type of floats between the steps of this plan: f64 where the input has it, else f32. */
HaloDtype builder_real(const HaloBuilder *builder);
/* Converts i64, and f64 where that is not the plan's type of floats, to that; other types are unchanged. */
HaloStatus builder_to_native(HaloBuilder *builder, HaloReg in, HaloReg *out);
/* The factor from one full scale to the other. */
HaloStore store_between(float white_from, float white_to);

/* target.c: adds the conversion to what the output's format holds. */
HaloStatus target_append(HaloBuilder *builder, HaloReg value, HaloDtype input_dtype, const HaloFormat *to,
                         HaloReg *out);

extern const HaloFormat plan_to_array; /* for outputs that are arrays of the caller */

/* changes.c: what the plan does beside the samples. Sets shapes and moves, in place of those that were there;
 * the caller frees `changes->move`. Moves point into the plan. */
HaloStatus plan_changes(const HaloPlan *plan, HaloChanges *changes);
/* The same up to another value. */
HaloStatus plan_changes_to(const HaloPlan *plan, HaloReg reg, HaloChanges *changes);
/* What one step, which makes a value, does to its first source. */
HaloMove plan_move(const HaloPlan *plan, const HaloStep *step);

/* fast.c: replaces dense convolutions by faster methods that are approximate. */
HaloStatus plan_approximate(HaloBuilder *builder);

/* constant.c: is a value made from one secondary input alone? What a reduction makes of such a one: `known`
 * holds just `all`. */
bool constant_is(const HaloPlan *plan, HaloReg reg);
HaloStatus constant_stats(HaloBuilder *builder, HaloStep *reduce, HaloResult *known);

/* optimise.c: from here on the plan's liveness is known. */
HaloStatus plan_optimise(HaloPlan *plan);

/* chain.c: the plan's chains for this backend, which may be NULL; and the plan as a backend runs it. */
HaloStatus plan_chain(HaloBuilder *builder, const HaloBackend *backend, HaloChained *chained);
const HaloPlan *plan_for(const HaloPlan *plan, const HaloBackend *backend);

#endif

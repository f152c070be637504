/* Analysis passes: what a plan has to know of the samples before it can be made, such as where a sound begins.
 * Planning stops with PLAN_NEEDS_ANALYSIS, the part of the plan made so far runs over the input (run/analyse.c,
 * job/analyse.c), and planning starts again with what that pass found. */
#ifndef CORE_ANALYSIS_H
#define CORE_ANALYSIS_H

#include "halo/regions.h"
#include "needs.h"

/* The status of a function that builds steps when planning has to stop for an analysis pass. It stays inside
 * the planner: there is no message, and no caller outside core/plan ever sees it. */
#define PLAN_NEEDS_ANALYSIS ((HaloStatus)1000)

/* The maximum number of analysis passes per plan. */
#define ANALYSIS_MAX_PASSES 16

/* The parts of a sound that are not silent, in order. */
typedef struct AnalysisSpans {
    int64_t count, capacity;
    HaloSpan *span; /* [capacity] */
    int64_t frames; /* of the sound, silent ones included */
} AnalysisSpans;

/* What one pass found; which member is set depends on its kind. */
typedef struct AnalysisPass {
    AnalysisSpans spans;
    void *found;               /* of an operation's own analysis */
    HaloResults results;       /* the last one is the measurement that the plan needs */
    double *states;            /* of a forward-backward filter, at the start of each block (halo/sections.h) */
    int64_t held;              /* bytes of `found` or `states`, counted in the session's memory */
    HaloRegionsFound *regions; /* of a picture that is too large to be held */
} AnalysisPass;

typedef enum AnalysisKind { ANALYSIS_SILENCE, ANALYSIS_FRAMES, ANALYSIS_RESULTS, ANALYSIS_STATES } AnalysisKind;

/* What a plan may leave to analysis passes, and what the passes that are done have found. */
typedef struct PlanAnalysis {
    /* Measurements that set parameters run in a separate pass, so that the rest can run in bands. */
    bool measures;
    bool large;      /* The same of a picture; and its regions are found in a separate pass. */
    bool reversible; /* the file can be read backwards: the states of forward-backward filters are found in
                        passes, too */
    int passes;      /* in the order in which the plan needs them */
    AnalysisPass pass[ANALYSIS_MAX_PASSES];
} PlanAnalysis;

/* The pass that a plan stopped for. */
typedef struct PlanNeed {
    bool pass;           /* it stopped; else the plan is complete */
    AnalysisKind kind;   /* what to find: silence in the output, what an operation finds in it, or the results
                            or states of the last step */
    HaloSilence silence; /* of ANALYSIS_SILENCE */
    HaloAnalysis frames; /* of ANALYSIS_FRAMES */
    int used;            /* passes whose findings the plan has used so far */
} PlanNeed;

/* Is a value measured in a separate pass? And the result of that pass. If it is NULL, the pass has not run yet:
 * the caller appends the step that measures and returns PLAN_NEEDS_ANALYSIS. */
bool analysis_measures(const HaloBuilder *builder, HaloReg reg);
bool analysis_is_of_large(const HaloBuilder *builder, HaloReg reg); /* a picture */
HaloStatus analysis_result(HaloBuilder *builder, HaloReg in, const HaloResult **known);
/* Are the states of a forward-backward filter found in separate passes? And appends the filter with its
 * states, so that any part of its result can be computed. */
bool analysis_finds_states(const HaloBuilder *builder, HaloReg reg);
HaloStatus analysis_sections(HaloBuilder *builder, HaloStep *step, HaloReg *dst);
bool analysis_add_span(AnalysisSpans *spans, HaloSpan span);    /* false: out of memory */
void analysis_free(PlanAnalysis *analysis, HaloMemory *memory); /* frees all passes; the rest stays as it is */

#endif

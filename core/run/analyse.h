/* Finds what a plan has to know of a sound, such as the parts that are not silent, from frames in the order in
 * which they are made. */
#ifndef CORE_ANALYSE_H
#define CORE_ANALYSE_H

#include "plan/plan.h"

typedef struct SilenceDetector {
    HaloSilence silence;
    int64_t frames, quiet; /* frames seen so far; and silent ones since the last that was not */
    AnalysisSpans *spans;
    bool out_of_memory; /* a span could not be added */
} SilenceDetector;

/* Takes the frames that an analysis pass looks at. */
typedef struct Analyser {
    const PlanNeed *need; /* ANALYSIS_SILENCE or ANALYSIS_FRAMES */
    AnalysisPass *pass;
    SilenceDetector detector; /* of ANALYSIS_SILENCE */
} Analyser;

/* Does the pass look at frames? */
static inline bool analyser_is_needed(const PlanNeed *need)
{
    return need->kind == ANALYSIS_SILENCE || need->kind == ANALYSIS_FRAMES;
}
/* For the pass that the plan needs, whose findings count in `memory`; then takes all frames of the plan's
 * output, and ends the pass. */
HaloStatus analyser_open(Analyser *analyser, PlanAnalysis *analysis, const PlanNeed *need, HaloMemory *memory);
void analyser_take(Analyser *analyser, const HaloBuf *frames);
HaloStatus analyser_close(Analyser *analyser, PlanAnalysis *analysis);

/* A whole analysis pass over an input in memory, for a plan that stopped for it. */
HaloStatus analyse_samples(HaloSession *session, const PlanOutcome *planned, const HaloBuf *in,
                           PlanAnalysis *analysis);

/* Plans, with the analysis passes over the input in memory that it takes. Data NULL: its shape alone is known,
 * and *plan is NULL where that is not sufficient. Ends the request's operands. */
HaloStatus plan_for_samples(HaloSession *session, const PlanRequest *request, const HaloBuf *in,
                            HaloPlan **plan);

#endif

/* Finds the parts of a sound that are not silent, from frames in the order in which they are made. */
#ifndef CORE_ANALYSE_H
#define CORE_ANALYSE_H

#include "plan/plan.h"

typedef struct SilenceDetector {
    HaloSilence silence;
    int64_t frames, quiet; /* frames seen so far; and silent ones since the last that was not */
    AnalysisSpans *spans;
    bool out_of_memory; /* a span could not be added */
} SilenceDetector;

/* For the pass that the plan needs; then takes all frames of the plan's output, and ends the pass. */
SilenceDetector detector_open(PlanAnalysis *analysis, const HaloSilence *silence);
void detector_take(SilenceDetector *detector, const HaloBuf *frames);
HaloStatus detector_close(SilenceDetector *detector, PlanAnalysis *analysis);

/* A whole analysis pass over an input in memory, for a plan that stopped for it. */
HaloStatus analyse_samples(HaloSession *session, const PlanOutcome *planned, const HaloBuf *in,
                           PlanAnalysis *analysis);

#endif

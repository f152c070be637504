/* Many pictures into one, sample by sample (docs/numerics.md, "Stacks"). */
#ifndef HALO_STACK_H
#define HALO_STACK_H

#include "halo/align.h"
#include "halo/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct HaloStack {
    /* "mean", "median", "min", "max", "sum", "sd", "range", "mean:clip=3"; or a fold, as "reduce:…" has it, or
     * its expression alone: "max(a,b)". Without an identity it starts with the first sample. */
    const char *what;
    const char *const *input; /* [inputs]; each page of a file that has several counts */
    size_t inputs;
    const HaloShift *shift; /* [inputs] each is moved, turned and scaled so (docs/numerics.md, "Aligning"); then
                               a file holds one image. NULL: none is moved */
    const char *output;     /* a path, or "-" */
    const HaloFormat *to;   /* as in HaloJob */
    const HaloShape *raw;
    HaloForce force;
    HaloWriteOptions write;
} HaloStack;

/* Reads all inputs in bands, within the session's memory, and as many files at a time as the system allows to
 * be open. HALO_ERR_INPUT, naming it, if an input has another size, channel count or sample type than the
 * first; HALO_ERR_USAGE for an invalid `what`. The report has no results. */
HALO_API HaloStatus halo_stack(HaloSession *session, const HaloStack *stack, HaloReport *report);

#ifdef __cplusplus
}
#endif
#endif

/* Sounds one after the other (docs/numerics.md, "Joining"). */
#ifndef HALO_JOIN_H
#define HALO_JOIN_H

#include "halo/halo.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct HaloJoin {
    const char *const *input; /* [inputs] */
    size_t inputs;
    double crossfade;     /* seconds by which each overlaps the end of the one before it */
    const char *output;   /* a path, or "-" */
    const HaloFormat *to; /* as in HaloJob */
    const HaloShape *raw;
    HaloForce force;
    HaloWriteOptions write;
} HaloJoin;

/* Uses memory that does not grow with their length. HALO_ERR_INPUT, naming both, if one has another rate or
 * channel count than the first, or is shorter than a crossfade. The report has no results. */
HALO_API HaloStatus halo_join(HaloSession *session, const HaloJoin *join, HaloReport *report);

#ifdef __cplusplus
}
#endif
#endif

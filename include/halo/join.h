/* Sounds one after the other (docs/numerics.md, "Joining"). */
#ifndef HALO_JOIN_H
#define HALO_JOIN_H

#include "halo/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The gains of a crossfade: linear; a quarter of a sine, so that their squares add up to 1, which keeps the
 * power of sounds that have nothing in common; half a cosine. */
typedef enum HaloCrossfade { HALO_CROSSFADE_LINEAR, HALO_CROSSFADE_POWER, HALO_CROSSFADE_COSINE } HaloCrossfade;

typedef struct HaloJoin {
    const char *const *input; /* [inputs] */
    size_t inputs;
    double crossfade; /* seconds by which each overlaps the end of the one before it */
    HaloCrossfade curve;
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

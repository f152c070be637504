/* For halo's own folders: the ladder, teaching kernels from the naive one to the product's own, each checked
 * and timed, which `halo bench ladder` prints. It is linked into the program, not into libhalo. */
#ifndef HALO_LADDER_H
#define HALO_LADDER_H

#include "halo/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One row of the table. Strings are static. */
typedef struct HaloRung {
    const char *family; /* "reduce/steps" */
    const char *name;   /* "4 first add while loading" */
    const char *change; /* what it changes from the rung before */
    const char *note;   /* a published mistake this rung shows, or what still holds it back; may be empty */
    double n;           /* elements */
    double bytes;       /* moved, at least */
    double ms;          /* median of many runs; 0: the row is a prediction, or not timed */
    double ceiling_gbs; /* of read or copy, measured in the same process */
    double predicted;   /* conv: the reuse predicted for this tile and mask; 0: none */
    int checked;        /* sizes whose result was compared with the CPU's; 0: nothing to compare */
    int wrong;          /* how many of them were wrong (the published mistakes are shown so, on purpose) */
} HaloRung;

typedef void HaloRungSeen(const HaloRung *rung, void *context);

/* Runs the rungs of the family `family`, of all whose name begins with "family/", or (NULL) of all, on a device
 * of the CUDA backend, and reports each when it is done. HALO_ERR_USAGE for a name there is none of. With
 * HALO_LADDER=check in the environment only the awkward sizes are run and nothing is timed. Builds without CUDA
 * have none (HALO_HAVE_CUDA). */
HALO_API HaloStatus halo_ladder(HaloDevice *device, const char *family, HaloRungSeen *seen, void *context);

#ifdef __cplusplus
}
#endif
#endif

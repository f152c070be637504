/* Samples that are replaced by what their neighbours predict: clicks, and what was clipped. Sound is repaired
 * in blocks with some frames of context to both sides, wherever parts are cut. */
#ifndef REPAIR_H
#define REPAIR_H

#include "halo/sequence.h"

#define REPAIR_BLOCK 4096
#define REPAIR_CONTEXT 512
#define REPAIR_MOST (REPAIR_BLOCK + 2 * REPAIR_CONTEXT) /* frames that a block is repaired from */
#define REPAIR_LONGEST 384                              /* frames of a click, at most */

typedef struct Repair {
    double threshold; /* of clicks: times the typical residual */
    int64_t longest;  /* of clicks, frames */
    double level;     /* of clipping */
} Repair;

extern const HaloSequenceKind declick_kind, declip_kind;

#endif

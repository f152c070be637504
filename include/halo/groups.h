/* Statistics or a histogram of some samples of a picture, which another one selects. */
#ifndef HALO_GROUPS_H
#define HALO_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

#include "halo/memory.h"
#include "halo/primitive.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A second picture of one channel and the same size has the label of each pixel: an integer from 0, which is no
 * group, to HALO_MAX_REGIONS; NaN is 0. The samples of a group are measured as if they were a picture of one
 * row, in raster order. */
#define HALO_NO_LABEL "the label at x=%lld, y=%lld is %g: labels are integers from 0 to %d, as label makes them"

struct HaloGroups {
    bool each;     /* a table with a row, or the rows of a histogram, for each label; else the second picture is
                      a mask: all samples where it is neither 0 nor NaN are one group */
    bool counts;   /* a histogram; else statistics */
    unsigned want; /* of statistics: a set of HaloWant */
    HaloHist hist;
};

/* Where groups are in a row of pixels that are sorted by their labels: label k has pixels begin[k] to
 * begin[k + 1]. */
typedef struct HaloGroupList {
    HaloMemory *memory; /* counts it; NULL: nothing is counted */
    int64_t held;
    uint32_t greatest; /* label */
    int64_t *begin;    /* [greatest + 2] */
} HaloGroupList;

/* core/base/groups.c: zeros for labels up to `greatest`; its `memory` is set, and all else 0. HALO_ERR_LIMIT.
 */
HALO_API HaloStatus halo_group_list_alloc(HaloGroupList *list, uint32_t greatest);
HALO_API void halo_group_list_free(HaloGroupList *list);

/* No group has more pixels where a backend measures several in one call. */
#define HALO_GROUP_MOST 65536

#ifdef __cplusplus
}
#endif
#endif

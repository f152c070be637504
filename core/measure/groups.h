/* Samples that are sorted by their labels (groups.c), and what is made of them. */
#ifndef CORE_MEASURE_GROUPS_H
#define CORE_MEASURE_GROUPS_H

#include "halo/groups.h"
#include "measure.h"

typedef struct Groups {
    Device *device;
    const HaloStep *step;
    const HaloGroups *how;
    const HaloBuf *src;
    uint32_t *label; /* [pixels] */
    int64_t *begin;  /* [greatest + 2]: where the samples of a label begin in `sorted` */
    uint32_t greatest;
    HaloBuf sorted; /* in a row */
} Groups;

/* Sorts the samples of g->src by the labels; close even where it failed. */
HaloStatus groups_open(Groups *g, const HaloBuf *labels);
void groups_close(Groups *g);
/* Samples [from, upto) of the sorted ones; their statistics, into channels that are allocated; and their
 * counts, which are added to all->hist. */
HaloBuf groups_part(const Groups *g, int64_t from, int64_t upto);
HaloStatus groups_stats(const Groups *g, const HaloBuf *group, HaloResult *result);
HaloStatus groups_counts(const Groups *g, const HaloBuf *group, const HaloHist *hist, Measured *all);

#endif

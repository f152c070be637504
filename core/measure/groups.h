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
    HaloGroupList list; /* where the samples of a label begin in `sorted` */
    HaloBuf sorted;     /* in a row, on the device, as the numbers of their pixels: u32 in the memory of f32 */
    HaloBuf order;
} Groups;

/* Sorts the samples of g->src by the labels; close even where it failed. */
HaloStatus groups_open(Groups *g, const HaloBuf *labels);
void groups_close(Groups *g);
/* Samples [from, upto) of the sorted ones; their statistics, into channels that are allocated; and their
 * counts, which are added to all->hist. */
HaloBuf groups_part(const Groups *g, int64_t from, int64_t upto);
/* The number of the pixel that became sample `at`. */
HaloStatus groups_pixel(const Groups *g, int64_t at, int64_t *pixel);
HaloStatus groups_stats(const Groups *g, const HaloBuf *group, HaloResult *result);
HaloStatus groups_counts(const Groups *g, const HaloBuf *group, const HaloHist *hist, Measured *all);
/* The samples of all labels. */
HaloBuf groups_all(const Groups *g);
/* groups_each.c: a table for each channel, with rows of each label. */
HaloStatus groups_tables(const Groups *g, HaloResult *result);

#endif

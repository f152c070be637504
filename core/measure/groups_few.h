/* What is made of the samples of a group, if it has few of them, up to HALO_GROUP_MOST. */
#ifndef CORE_MEASURE_GROUPS_FEW_H
#define CORE_MEASURE_GROUPS_FEW_H

#include "halo/measures.h"
#include "measure.h"

/* Workspace, for samples of one shape of pixels. */
typedef struct Few {
    HaloShape shape;
    HaloBins scale;  /* of the entropy of floats */
    double *sample;  /* of floats: [HALO_GROUP_MOST] */
    int64_t values;  /* that integers may have */
    uint64_t *times; /* [values] how often each occurs, and a bit for those that do: zeros between calls */
    uint64_t *set;
    uint64_t *count; /* the same of those alone */
    uint16_t *value;
} Few;

HaloStatus few_open(const HaloShape *shape, Few *few);
void few_close(Few *few);
/* Of a channel of n pixels: the product of integers; what `detail` asks for, beside the statistics that s has
 * already; and counts of bins, which are added. */
void few_product(Few *few, const void *samples, int64_t n, int channel, HaloMoments *m);
void few_detail(Few *few, const void *samples, int64_t n, int channel, const HaloDetail *detail, HaloStats *s);
void few_counts(Few *few, const void *samples, int64_t n, int channel, const HaloBins *bins, uint64_t *count);

#endif

/* The sums of regions, and the labels that they are made of. */
#ifndef CPU_MEASURED_H
#define CPU_MEASURED_H

#include "device.h"
#include "halo/objects.h"
#include "halo/regions.h"

/* Pixels of a row that are added at a time, so that their sums fit 64 bits. */
#define CPU_OBJECT_RUN 65536

typedef struct CpuLabelCheck {
    uint32_t greatest;
    int64_t bad; /* the first pixel that is no label; -1: none */
} CpuLabelCheck;

void cpu_check_labels(const HaloDevice *device, const HaloBuf *labels, int64_t y, CpuLabelCheck *check);
/* Row y of labels that were checked. */
void cpu_labels(const HaloDevice *device, const HaloBuf *labels, int64_t y, uint32_t *row);

/* n pixels, from (x, y) on, CPU_OBJECT_RUN at most. */
void cpu_add_run(HaloObject *object, int64_t x, int64_t y, int64_t n);
/* The samples there, to region `at`. */
void cpu_add_samples(const HaloBuf *of, int64_t x, int64_t y, int64_t n, int64_t at, HaloObjectList *list);
/* Adds those of another list. */
void cpu_join_objects(HaloObjectList *list, const HaloObjectList *more);

#endif

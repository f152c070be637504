/* The oracle's device, for the parts of its backend. */
#ifndef ORACLE_DEVICE_H
#define ORACLE_DEVICE_H

#include "halo/scan.h"
#include "oracle_backend.h"

enum { ORACLE_SCANS = 8 }; /* in bands at a time */

struct HaloDevice {
    uint64_t clipped;
    const void *state[ORACLE_SCANS]; /* of a scan in bands; NULL: this place is free */
    HaloBuf seen[ORACLE_SCANS];      /* all that it has been given so far */
};

/* oracle_bands.c */
HaloStatus oracle_run_scan(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloScan *scan);
void oracle_scans_close(HaloDevice *device);
/* oracle_groups.c */
HaloStatus oracle_sort_groups(HaloDevice *device, const HaloBuf *src, const HaloBuf *labels,
                              const HaloGroups *groups, HaloBuf *sorted, HaloBuf *order, HaloGroupList *list);

#endif

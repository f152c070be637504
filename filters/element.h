/* Structuring elements: windows whose minima and maxima morphology takes. */
#ifndef ELEMENT_H
#define ELEMENT_H

#include "filter.h"
#include "halo/local.h"

/* A window, or any members of it. */
typedef struct Element {
    FilterWindow window;
    bool flat;
    int64_t members; /* 0: all of the window, or its spans */
    const HaloMember *member;
} Element;

/* From masks: a coefficient that is not 0 belongs to it; of `heights` (NULL: flat) each is a height, and
 * without a mask (NULL) all belong to it. HALO_ERR_USAGE where none does, and where the sizes differ. */
HaloStatus element_of(HaloBuilder *builder, const char *op, const HaloMask *mask, const HaloMask *heights,
                      Element *element);
/* Turned by 180 degrees about its anchor. */
HaloStatus element_turned(HaloBuilder *builder, const Element *element, Element *turned);
/* *dst = the least of v - height, or the greatest of v + height, of `src`: of filter->work, or of what another
 * window made from it. */
HaloStatus element_extreme(Filter *filter, HaloReg src, const Element *element, bool greatest, HaloReg *dst);

#endif

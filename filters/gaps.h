/* The longest gap of samples that are NaN, for operations that look at the known ones on both sides. */
#ifndef GAPS_H
#define GAPS_H

#include "halo/op.h"

/* Finds it in an analysis pass. Where little is read it is processed all at once: *at_once is true, and
 * *longest 0. */
HaloStatus gaps_find(HaloBuilder *builder, HaloReg in, bool *at_once, int64_t *longest);

#endif

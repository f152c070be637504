/* Steps of a plan that runs whole which are made strip by strip: what lies between them is never in memory at
 * once. */
#ifndef CORE_PLAN_STRIPS_H
#define CORE_PLAN_STRIPS_H

#include "needs.h"

/* Steps [first, end) make the value of the last one in strips of so many rows. Values in between are read by
 * them alone. */
typedef struct StripRun {
    int first, end;
    int64_t rows;
} StripRun;

/* The steps from `first` on of a band that has all rows; false: step `first` is made by itself. */
bool bands_strips_at(const Bands *bands, int first, StripRun *strips);
/* What is needed of each value for a part of the last one's: need[r] is set of all that these steps read or
 * make but the last one's; empty where nothing is. */
void strips_needs(const HaloPlan *plan, const StripRun *strips, Part wanted, Part *need);

#endif

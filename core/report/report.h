/* Reports of runs: of several pages, and as programs read them. */
#ifndef CORE_REPORT_H
#define CORE_REPORT_H

#include "core.h"

/* add.c: adds the report of one more page; its results get the number of that page, from 1. `memory` counts
 * them. */
HaloStatus report_add(HaloMemory *memory, HaloReport *all, HaloReport *one, int64_t page);

/* columns.c: the results as tables, which the report keeps. */
HaloStatus report_make_tables(HaloReport *report);
void report_free_tables(HaloReport *report);

/* public.c: HaloOptions::message gets each loss. */
void report_tell(const HaloSession *session, const HaloNotes *notes);
/* The report on the heap that a public function returns, which takes over what `own` has, or, where
 * it is not wanted (`report` NULL), its end; tells the losses. */
HaloStatus report_give(const HaloSession *session, HaloReport *own, HaloReport **report);

#endif

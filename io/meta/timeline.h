/* Times of rows (timeline.c). */
#ifndef HALO_IO_TIMELINE_H
#define HALO_IO_TIMELINE_H

#include "halo/format.h"

HaloStatus halo_timeline_copy(const HaloTimeline *from, HaloTimeline *to);

/* A part of halo_meta_apply (halo/format.h). Times stay those of the input: halo_time_at follows the changes.
 */
HaloStatus halo_timeline_apply(HaloTimeline *timeline, const HaloChanges *changes, HaloNotes *notes);

/* Sets the times from those of all rows, at[frames], which become the timeline's: start and step where these
 * give every time as it is written, else all of them. *rate: frames per second; *regular: are all steps alike
 * to a thousandth, or to how finely times are written? Else *odd is the first frame that is not where it should
 * be, and the rate that of the usual step. HALO_ERR_INPUT where all times are the same. */
HaloStatus halo_timeline_set(HaloTimeline *timeline, int64_t *at, int64_t frames, double *rate, bool *regular,
                             int64_t *odd);

#endif

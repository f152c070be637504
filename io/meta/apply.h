/* Parts of halo_meta_apply (halo/format.h), one for each kind of metadata that refers to positions or levels.
 */
#ifndef HALO_IO_APPLY_H
#define HALO_IO_APPLY_H

#include "halo/format.h"

/* chunks.c: WAVE's chunks: markers, loops, time of day, loudness. */
HaloStatus halo_chunks_apply(HaloMeta *meta, const HaloChanges *changes, HaloNotes *notes);
/* tags.c: texts that hold times (chapters, loops) or loudness (ReplayGain, R128). */
HaloStatus halo_tags_apply(HaloMeta *meta, const HaloChanges *changes, HaloNotes *notes);

/* spans.c: where a frame of a sound goes, or its end, not rounded; false: it is not in the output. */
bool halo_move_mark(const HaloChanges *changes, double frame, double *moved);
/* The same of frames from `first` to before `end`, both of which have to be there: in whole frames of the
 * output, in their order there. */
bool halo_move_span(const HaloChanges *changes, double first, double end, double moved[2]);
/* What is left of them, where one of them is there: up to the cut, or the end of the output. */
void halo_move_part(const HaloChanges *changes, double first, double end, double moved[2]);

/* geo.c: georeferences. */
HaloStatus halo_geo_apply(HaloMeta *meta, const HaloChanges *changes, HaloNotes *notes);
/* stack.c: descriptions of image stacks by ImageJ, OME and tifffile. `info` describes the input still. */
HaloStatus halo_stack_apply(HaloInfo *info, const HaloChanges *changes, HaloNotes *notes);
/* grid.c: spacing and origin. */
void halo_grid_apply(HaloInfo *info, const HaloChanges *changes, HaloNotes *notes);

#endif

/* Parts of halo_meta_apply (halo/format.h), one for each kind of metadata that refers to positions or levels.
 */
#ifndef HALO_IO_APPLY_H
#define HALO_IO_APPLY_H

#include "halo/format.h"

/* chunks.c: WAVE's chunks: markers, loops, time of day, loudness. */
HaloStatus halo_chunks_apply(HaloMeta *meta, const HaloChanges *changes, HaloNotes *notes);
/* tags.c: texts that hold times (chapters, loops) or loudness (ReplayGain, R128). */
HaloStatus halo_tags_apply(HaloMeta *meta, const HaloChanges *changes, HaloNotes *notes);

/* geo.c: georeferences. */
HaloStatus halo_geo_apply(HaloMeta *meta, const HaloChanges *changes, HaloNotes *notes);
/* stack.c: descriptions of image stacks by ImageJ, OME and tifffile. `info` describes the input still. */
HaloStatus halo_stack_apply(HaloInfo *info, const HaloChanges *changes, HaloNotes *notes);
/* grid.c: spacing and origin. */
void halo_grid_apply(HaloInfo *info, const HaloChanges *changes, HaloNotes *notes);

#endif

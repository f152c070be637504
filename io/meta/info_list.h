/* The texts of WAVE (info_list.c): in chunks LIST of the kind INFO. */
#ifndef HALO_IO_INFO_LIST_H
#define HALO_IO_INFO_LIST_H

#include "meta.h"

bool info_list_is(const HaloChunk *chunk);
/* Its texts go to `meta`. */
HaloStatus info_list_take(const HaloBlob *list, HaloMeta *meta);
/* Can it hold this text? A list that is made holds the first of several with a key, `own` that was read has
 * all. */
bool info_list_holds(const HaloMeta *meta, size_t text, bool own);
/* The list of these texts; an empty blob where it would hold none. */
HaloStatus info_list_make(const HaloMeta *meta, HaloBlob *list);
/* Replaces the entries that tags name; the others stay. The chunk is empty where none is left. */
HaloStatus info_list_change(HaloChunk *chunk, const HaloMeta *tags);

#endif

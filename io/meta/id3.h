/* Writes texts and pictures as a tag of ID3v2.4 (id3.c). */
#ifndef HALO_IO_ID3_H
#define HALO_IO_ID3_H

#include "meta.h"

/* The blob is empty where there is nothing to write. Of several texts with a name it holds the first; others
 * are noted, and so are pictures that it cannot hold. */
HaloStatus halo_id3_make(const HaloMeta *meta, HaloNotes *notes, HaloBlob *tag);

#endif

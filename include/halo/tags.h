/* For halo's own folders: not installed, and hidden in libhalo.so.
 *
 * Texts by the names that people type and read ("title", "artist"), and what EXIF says about a photograph. */
#ifndef HALO_TAGS_H
#define HALO_TAGS_H

#include "halo/file.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The name of a text in messages: "artist" for HaloText's "Author"; keys without another name are theirs. */
const char *halo_tag_name(const char *key);
/* Notes that the output cannot hold this text. */
void halo_text_left_out(HaloNotes *notes, const HaloText *text);

/* Adds a tag to `tags`, in place of the one with the same name, in either case of letters. An empty value
 * stands for its removal. */
HaloStatus halo_tag_put(HaloMeta *tags, const char *name, const char *value);
/* Adds the texts and pictures of a file to `tags`, except texts that are there by name. */
HaloStatus halo_tags_take(HaloMeta *tags, const HaloMeta *file);
/* Gives `meta` these tags in place of its own of the same names; pictures replace all of its pictures. */
HaloStatus halo_tags_set(HaloMeta *meta, const HaloMeta *tags);

/* Zeros and empty texts: EXIF does not say. */
typedef struct HaloPhoto {
    char camera[128], lens[96], taken[32]; /* taken: "2024-05-01 12:30:00+02:00" */
    double exposure;                       /* seconds */
    double aperture, iso, focal_length;    /* f-number, -, mm */
    bool placed, raised;                   /* the position, and its altitude, are known */
    double latitude, longitude, altitude;  /* degrees north and east, metres */
} HaloPhoto;

/* False where it says none of these. */
bool halo_exif_photo(const HaloBlob *exif, HaloPhoto *photo);

#ifdef __cplusplus
}
#endif
#endif

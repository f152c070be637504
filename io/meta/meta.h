/* Metadata between files and HaloMeta, whose own functions halo/file.h and halo/format.h declare: memory, texts
 * and densities (meta.c), what there is of it (kinds.c), EXIF (exif.c), XMP (xmp.c) and IPTC (iptc.c). */
#ifndef HALO_IO_META_H
#define HALO_IO_META_H

#include "halo/format.h"
#include "halo/tags.h"

/* A copy of `bytes`; HALO_ERR_LIMIT without memory. */
HaloStatus halo_blob_set(HaloBlob *blob, const void *bytes, size_t size);
/* One more chunk of WAVE, a copy. */
HaloStatus halo_chunk_add(HaloMeta *meta, const char id[4], bool behind, const void *bytes, size_t size);
/* One more picture of a sound, a copy. */
HaloStatus halo_picture_add(HaloMeta *meta, const void *bytes, size_t size);
typedef enum HaloCharset { HALO_UTF_8, HALO_LATIN_1 } HaloCharset;

/* Adds `size` bytes of text, up to the first zero. What is not valid UTF-8 is taken for Latin-1. */
HaloStatus halo_text_add(HaloMeta *meta, const char *key, const char *value, size_t size, HaloCharset charset);
/* The value of the first text with this key, or NULL. */
const char *halo_text_find(const HaloMeta *meta, const char *key);
/* When a chapter begins, CHAPTER001=HH:MM:SS.mmm: seconds, or -1 of another text (markers.c). */
double halo_chapter_time(const HaloText *text);
/* Such a time: "01:02:03.500" (tags.c). */
void halo_print_clock(double seconds, char text[48]);
/* How many points WAVE's chunk "cue ", of four bytes at least, has room for and says that it has (markers.c).
 */
enum { HALO_CUE_BYTES = 24 };
size_t halo_cue_points(const HaloBlob *cue);
/* UTF-8 as Latin-1, which is never longer; false where it holds other characters. */
bool halo_text_latin1(const char *text, char *latin1);
/* Dots per inch, or per centimetre where these are not whole; with meta->ratio as they are. False: unknown. */
bool halo_resolution(const HaloMeta *meta, bool *inches, double dots[2]);

/* Makes the pixel aspect ratio a ratio of integers below `most`. */
void halo_whole_ratio(double dots[2], double most);

/* Anything but the orientation? And EXIF that says nothing else (exif.c). */
bool halo_exif_says_more(const HaloBlob *exif);
/* Columns have become rows. */
void halo_exif_swap_resolution(HaloBlob *exif);
HaloStatus halo_exif_of_orientation(int orientation, HaloBlob *exif);

/* IPTC-IIM (iptc.c): as it stands in TIFF, with what may pad it; and in Photoshop's image resources, both ways.
 * What holds none leaves the blob alone. */
HaloStatus halo_iptc_set(HaloBlob *iptc, const uint8_t *bytes, size_t size);
HaloStatus halo_iptc_from_photoshop(const uint8_t *bytes, size_t size, HaloBlob *iptc);
HaloStatus halo_iptc_to_photoshop(const HaloBlob *iptc, HaloBlob *resource);

/* Are the colours the same without it (icc.c)? */
bool halo_icc_is_srgb(const HaloBlob *icc);

/* The number of images by ImageJ's description; 1: it states none (stack.c). */
int64_t halo_imagej_pages(const char *text);

/* Is this an ICC profile for as many colours as the shape has? */
bool halo_icc_fits(const HaloBlob *icc, const HaloShape *shape);

#endif

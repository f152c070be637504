/* What the image formats share. */
#ifndef HALO_IO_IMAGE_H
#define HALO_IO_IMAGE_H

#include "halo/format.h"

/* ---- metadata (meta.c) ---------------------------------------------------------------------------------- */

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
/* UTF-8 as Latin-1, which is never longer; false where it holds other characters. */
bool halo_text_latin1(const char *text, char *latin1);
/* Dots per inch, or per centimetre where these are not whole; with meta->ratio as they are. False: unknown. */
bool halo_resolution(const HaloMeta *meta, bool *inches, double dots[2]);

/* Anything but the orientation? And EXIF that says nothing else (exif.c). */
bool halo_exif_says_more(const HaloBlob *exif);
HaloStatus halo_exif_of_orientation(int orientation, HaloBlob *exif);

/* IPTC-IIM (iptc.c): as it stands in TIFF, with what may pad it; and in Photoshop's image resources, both ways. What
 * holds none leaves the blob alone. */
HaloStatus halo_iptc_set(HaloBlob *iptc, const uint8_t *bytes, size_t size);
HaloStatus halo_iptc_from_photoshop(const uint8_t *bytes, size_t size, HaloBlob *iptc);
HaloStatus halo_iptc_to_photoshop(const HaloBlob *iptc, HaloBlob *resource);

/* Is this an ICC profile for as many colours as the shape has? */
bool halo_icc_fits(const HaloBlob *icc, const HaloShape *shape);

/* ---- reading (image.c) ---------------------------------------------------------------------------------- */

/* Sets reader->info.shape to an image with the white of its type. HALO_ERR_INPUT for an image without pixels,
 * HALO_ERR_LIMIT for one beyond options.max_pixels. */
HaloStatus halo_image_open(HaloReader *reader, int64_t width, int64_t height, int channels, HaloDtype dtype);
/* What --max-pixels allows: so many pixels, and so many of so many samples? */
int64_t halo_image_limit(const HaloReader *reader);
bool halo_image_fits(const HaloReader *reader, int64_t pixels, int64_t channels);
/* Takes exactly `size` bytes, row `row` of the image. Where the source ends before: HALO_ERR_INPUT, or, if
 * damage is tolerated, `fill` for what is missing. */
HaloStatus halo_image_take(HaloReader *reader, void *bytes, size_t size, int64_t row, uint8_t fill);
/* Takes rows of a buffer from its row `at` on, of `size` bytes in the file as in memory: as many at once as lie
 * behind one another, which *taken says; `row` is the first one's place in the image. */
HaloStatus halo_image_take_rows(HaloReader *reader, const HaloBuf *rows, int64_t at, int64_t row, int64_t *taken);
/* HALO_ERR_INPUT "truncated: `row` of `height` rows". */
HaloStatus halo_image_truncated(const HaloReader *reader, int64_t row);
/* Row y of the rows asked for. */
static inline void *halo_row(const HaloBuf *rows, int64_t y) { return (char *)rows->data + y * rows->stride; }
/* Clears the rows from `from` on. */
void halo_rows_clear(const HaloBuf *rows, int64_t from);

/* ---- byte order ----------------------------------------------------------------------------------------- */

static inline bool halo_host_is_little(void)
{
    const uint16_t one = 1;
    return *(const uint8_t *)&one == 1;
}

/* Reverses the bytes of `count` samples of `size` bytes, in place. */
void halo_swap_bytes(void *samples, size_t count, size_t size);

/* ---- writing -------------------------------------------------------------------------------------------- */

/* Writes rows without padding, each sample in the byte order asked for. */
HaloStatus halo_rows_write(HaloSink *sink, const HaloBuf *rows, bool little);

/* For formats that want all rows at once: the format's create, write and discard; `finish` takes the image. */
HaloStatus halo_gather_create(HaloWriter *writer);
HaloStatus halo_gather_write(HaloWriter *writer, const HaloBuf *rows);
HaloStatus halo_gather_take(const HaloWriter *writer, const HaloBuf **whole);
void halo_gather_discard(HaloWriter *writer);

#endif

/* Helpers for the image formats (image.c): checks shapes, reads and writes rows. */
#ifndef HALO_IO_IMAGE_H
#define HALO_IO_IMAGE_H

#include "halo/format.h"

/* ---- reading -------------------------------------------------------------------------------------------- */

/* Sets reader->info.shape to an image with the white of its type. HALO_ERR_INPUT for an image without pixels,
 * HALO_ERR_LIMIT for one beyond options.max_pixels. */
HaloStatus halo_image_open(HaloReader *reader, int64_t width, int64_t height, int channels, HaloDtype dtype);
/* The limit of --max-pixels; and whether an image of this size is within it. */
int64_t halo_image_limit(const HaloReader *reader);
bool halo_image_fits(const HaloReader *reader, int64_t pixels, int64_t channels);
/* CMYK needs the ICC profile of its press, which halo does not apply: HALO_ERR_INPUT, with a remedy. */
HaloStatus halo_image_refuse_cmyk(const char *format, const char *extension);
/* Takes exactly `size` bytes, row `row` of the image. Where the source ends before: HALO_ERR_INPUT, or, if
 * damage is tolerated, `fill` for what is missing. */
HaloStatus halo_image_take(HaloReader *reader, void *bytes, size_t size, int64_t row, uint8_t fill);
/* Takes rows of a buffer from its row `at` on, of `size` bytes in the file as in memory: as many at once as lie
 * behind one another, which *taken says; `row` is the first one's place in the image. */
HaloStatus halo_image_take_rows(HaloReader *reader, const HaloBuf *rows, int64_t at, int64_t row,
                                int64_t *taken);
/* Goes over so many bytes, which begin with row `row`, where the source can seek; *gone says whether. A source
 * that ends before is truncated. */
HaloStatus halo_image_skip(HaloReader *reader, int64_t bytes, int64_t row, int64_t row_bytes, bool *gone);
/* HALO_ERR_INPUT "truncated: `row` of `height` rows". */
HaloStatus halo_image_truncated(const HaloReader *reader, int64_t row);
/* The same; or a note where damage is tolerated. Of sound `row` is a frame; -1: not known. */
HaloStatus halo_image_ends(HaloReader *reader, int64_t row);
/* A note that tolerated damage begins with this row or frame; -1: not known which. */
void halo_image_damaged(HaloReader *reader, int64_t row);
/* Row y of the requested rows. */
static inline void *halo_row(const HaloBuf *rows, int64_t y) { return (char *)rows->data + y * rows->stride; }
/* Clears the rows from `from` on. */
void halo_rows_clear(const HaloBuf *rows, int64_t from);

/* ---- writing -------------------------------------------------------------------------------------------- */

/* Writes rows without padding, each sample in the requested byte order. */
HaloStatus halo_rows_write(HaloSink *sink, const HaloBuf *rows, bool little);

/* For formats that want all rows at once: the format's create, write and discard; `finish` takes the image. */
HaloStatus halo_gather_create(HaloWriter *writer);
HaloStatus halo_gather_write(HaloWriter *writer, const HaloBuf *rows);
HaloStatus halo_gather_take(const HaloWriter *writer, const HaloBuf **whole);
void halo_gather_discard(HaloWriter *writer);

#endif

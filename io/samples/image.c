/* Helpers for the image formats: checks shapes, reads and writes rows. */
#include "image.h"

#include <stdlib.h>
#include <string.h>

#include "bytes/endian.h"

/* ---- reading -------------------------------------------------------------------------------------------- */

int64_t halo_image_limit(const HaloReader *reader)
{
    return reader->options.max_pixels > 0 ? reader->options.max_pixels : HALO_MAX_PIXELS;
}

/* More than 4 channels count as more pixels. */
bool halo_image_fits(const HaloReader *reader, int64_t pixels, int64_t channels)
{
    const int64_t limit = halo_image_limit(reader), most = limit < INT64_MAX / 4 ? 4 * limit : INT64_MAX;
    int64_t samples = 0;
    return pixels <= limit && halo_mul(pixels, channels, &samples) && samples <= most;
}

static HaloStatus refuse_size(const HaloReader *reader, int64_t width, int64_t height, int channels)
{
    const long long limit = halo_image_limit(reader);
    if (limit == INT64_MAX) /* as of halo info */
        return halo_fail(HALO_ERR_LIMIT, "%lld x %lld pixels of %d channel%s are more than memory can address",
                         (long long)width, (long long)height, channels, channels == 1 ? "" : "s");
    if (channels <= 4)
        return halo_fail(HALO_ERR_LIMIT,
                         "%lld x %lld pixels are more than %lld: raise the limit with --max-pixels",
                         (long long)width, (long long)height, limit);
    return halo_fail(HALO_ERR_LIMIT,
                     "%lld x %lld pixels of %d channels are more than %lld of up to 4 channels: raise the "
                     "limit with --max-pixels",
                     (long long)width, (long long)height, channels, limit);
}

HaloStatus halo_image_open(HaloReader *reader, int64_t width, int64_t height, int channels, HaloDtype dtype)
{
    int64_t pixels, bytes;
    if (width < 1 || height < 1 || channels < 1) {
        return halo_fail(HALO_ERR_INPUT, "an image without pixels: %lld x %lld, %d channels", (long long)width,
                         (long long)height, channels);
    }
    if (channels > HALO_MAX_CHANNELS)
        return halo_fail(HALO_ERR_LIMIT,
                         "%d channels: an image has at most %d (the last axis of an array is channels)",
                         channels, HALO_MAX_CHANNELS);
    if (!halo_mul(width, height, &pixels) || !halo_image_fits(reader, pixels, channels))
        return refuse_size(reader, width, height, channels);
    reader->info.shape = (HaloShape){.kind = HALO_IMAGE,
                                     .dtype = dtype,
                                     .width = width,
                                     .height = height,
                                     .channels = channels,
                                     .alpha = -1,
                                     .white = halo_dtype_white(dtype)};
    return halo_shape_bytes(&reader->info.shape, &bytes);
}

HaloStatus halo_image_refuse_cmyk(const char *format, const char *extension)
{
    return halo_fail(
        HALO_ERR_INPUT,
        "CMYK %s is not supported: its colours depend on its ICC profile; 'vips icc_transform in.%s "
        "out.tif srgb --embedded' converts it to sRGB",
        format, extension);
}

HaloStatus halo_image_truncated(const HaloReader *reader, int64_t row)
{
    const HaloShape *shape = &reader->info.shape;
    const bool sound = shape->kind == HALO_AUDIO;
    return halo_fail(HALO_ERR_INPUT, "truncated: %lld of %lld %s", (long long)row,
                     (long long)(sound ? shape->width : shape->height), sound ? "frames" : "rows");
}

void halo_image_damaged(HaloReader *reader, int64_t row)
{
    const HaloShape *shape = &reader->info.shape;
    const bool sound = shape->kind == HALO_AUDIO;
    const int64_t whole = sound ? shape->width : shape->height;
    if (row >= 0 && row == whole)
        reader->info.notes.count[HALO_NOTE_NO_END] = 1;
    else
        halo_note_damaged(&reader->info.notes, row, whole, sound);
}

HaloStatus halo_image_ends(HaloReader *reader, int64_t row)
{
    if (!reader->options.tolerate) return halo_image_truncated(reader, row);
    halo_image_damaged(reader, row);
    return HALO_OK;
}

HaloStatus halo_image_take(HaloReader *reader, void *bytes, size_t size, int64_t row, uint8_t fill)
{
    size_t got;
    const HaloStatus status = halo_source_read(reader->source, bytes, size, &got);
    if (status != HALO_OK || got == size) return status;
    memset((char *)bytes + got, fill, size - got);
    return halo_image_ends(reader, row);
}

HaloStatus halo_image_skip(HaloReader *reader, int64_t bytes, int64_t row, int64_t row_bytes, bool *gone)
{
    HaloStatus status = HALO_OK;
    HaloSource *source = reader->source;
    const int64_t at = halo_source_tell(source), left = halo_source_size(source) - at;
    *gone = halo_source_seekable(source);
    if (!*gone) return HALO_OK;
    if (bytes > left) HALO_TRY(halo_image_ends(reader, row + left / row_bytes));
    status = halo_source_seek(source, at + (bytes < left ? bytes : left));
out:
    return status;
}

/* Rows that can be read or written at once, without a copy in between. */
static int64_t together(const HaloBuf *rows, int64_t at)
{
    return rows->stride == halo_row_bytes(rows) ? rows->rows - at : 1;
}

HaloStatus halo_image_take_rows(HaloReader *reader, const HaloBuf *rows, int64_t at, int64_t row,
                                int64_t *taken)
{
    const size_t bytes = (size_t)halo_row_bytes(rows);
    char *to = halo_row(rows, at);
    size_t got;
    *taken = together(rows, at);
    const size_t size = bytes * (size_t)*taken;
    const HaloStatus status = halo_source_read(reader->source, to, size, &got);
    if (status != HALO_OK || got == size) return status;
    memset(to + got, 0, size - got);
    return halo_image_ends(reader, row + (int64_t)(got / bytes));
}

void halo_rows_clear(const HaloBuf *rows, int64_t from)
{
    for (int64_t y = from; y < rows->rows; y++) memset(halo_row(rows, y), 0, (size_t)halo_row_bytes(rows));
}

/* ---- writing -------------------------------------------------------------------------------------------- */

HaloStatus halo_rows_write(HaloSink *sink, const HaloBuf *rows, bool little)
{
    HaloStatus status = HALO_OK;
    const size_t size = halo_dtype_size(rows->shape.dtype), bytes = (size_t)halo_row_bytes(rows);
    const bool swap = size > 1 && little != halo_host_is_little();
    uint8_t *turned = NULL;
    if (swap && (turned = malloc(bytes)) == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for a row");
    for (int64_t y = 0, count; y < rows->rows; y += count) {
        const void *row = halo_row(rows, y);
        count = swap ? 1 : together(rows, y);
        if (swap) {
            memcpy(turned, row, bytes);
            halo_swap_bytes(turned, bytes / size, size);
            row = turned;
        }
        HALO_TRY(halo_sink_write(sink, row, bytes * (size_t)count));
    }
out:
    free(turned);
    return status;
}

/* `next` rows of `whole` are there. */
typedef struct Gather {
    HaloBuf whole;
    int64_t next;
} Gather;

HaloStatus halo_gather_create(HaloWriter *writer)
{
    Gather *gather = writer->state = calloc(1, sizeof *gather);
    if (gather == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory to write an image");
    return halo_memory_alloc(writer->memory, &gather->whole, &writer->info.shape);
}

HaloStatus halo_gather_write(HaloWriter *writer, const HaloBuf *rows)
{
    Gather *gather = writer->state;
    HaloBuf *whole = &gather->whole;
    if (rows->rows > whole->rows - gather->next)
        return halo_fail(HALO_ERR_BUG, "internal: more rows than the image has");
    for (int64_t y = 0; y < rows->rows; y++) {
        memcpy(halo_row(whole, gather->next++), halo_row(rows, y), (size_t)halo_row_bytes(whole));
    }
    return HALO_OK;
}

HaloStatus halo_gather_take(const HaloWriter *writer, const HaloBuf **whole)
{
    const Gather *gather = writer->state;
    *whole = &gather->whole;
    return gather->next == gather->whole.rows
               ? HALO_OK
               : halo_fail(HALO_ERR_BUG, "internal: fewer rows than the image has");
}

void halo_gather_discard(HaloWriter *writer)
{
    Gather *gather = writer->state;
    if (gather != NULL) halo_memory_free(writer->memory, &gather->whole);
    free(gather);
    writer->state = NULL;
}

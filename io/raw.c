/* raw: samples and nothing else, little-endian; --raw says what they are. */
#include <stdlib.h>
#include <string.h>

#include "image.h"

typedef struct RawReader {
    int64_t next; /* row, or frame */
} RawReader;

static HaloStatus open_audio(HaloReader *reader)
{
    HaloShape *shape = &reader->info.shape;
    const int64_t size = halo_source_size(reader->source);
    *shape = reader->options.raw;
    shape->height = 1;
    if (shape->channels < 1) return halo_fail(HALO_ERR_USAGE, "raw audio needs at least one channel");
    const int64_t frame = shape->channels * (int64_t)halo_dtype_size(shape->dtype);
    if (shape->width >= 0 || size < 0) return HALO_OK;
    shape->width = size / frame;
    if (size % frame == 0 || reader->options.tolerate) return HALO_OK;
    return halo_fail(HALO_ERR_INPUT, "truncated: %lld bytes behind the last whole frame",
                     (long long)(size % frame));
}

static HaloStatus open_raw(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    const HaloShape *raw = &reader->options.raw;
    if (!reader->options.has_raw) {
        HALO_FAIL(HALO_ERR_USAGE, "raw input needs --raw DTYPE:WxHxC or --raw DTYPE,RATE,CHANNELS");
    }
    if (raw->dtype > HALO_F32) HALO_FAIL(HALO_ERR_USAGE, "raw input is u8, u16 or f32");
    reader->state = calloc(1, sizeof(RawReader));
    if (reader->state == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to read samples");
    if (raw->kind == HALO_AUDIO)
        HALO_TRY(open_audio(reader));
    else
        HALO_TRY(halo_image_open(reader, raw->width, raw->height, raw->channels, raw->dtype));
    reader->info.shape.alpha = raw->alpha;
    if (raw->white > 0.0f) reader->info.shape.white = raw->white;
    reader->info.bits = (int)halo_dtype_size(raw->dtype) * 8;
    reader->info.real = raw->dtype == HALO_F32;
out:
    return status;
}

static HaloStatus read_audio(HaloReader *reader, HaloBuf *rows, int64_t *got)
{
    RawReader *state = reader->state;
    const HaloShape *shape = &reader->info.shape;
    const size_t frame = (size_t)shape->channels * halo_dtype_size(shape->dtype);
    size_t bytes;
    *got = 0;
    const HaloStatus status = halo_source_read(reader->source, rows->data, (size_t)rows->cols * frame, &bytes);
    if (status != HALO_OK) return status;
    *got = (int64_t)(bytes / frame);
    state->next += *got;
    if (reader->options.tolerate) {
        if (shape->width < 0) return HALO_OK;
        memset((char *)rows->data + bytes, 0, (size_t)rows->cols * frame - bytes);
        *got = rows->cols;
    } else if (bytes % frame != 0) {
        return halo_fail(HALO_ERR_INPUT, "truncated: %zu bytes behind the last whole frame", bytes % frame);
    } else if (shape->width >= 0 && *got < rows->cols) {
        return halo_fail(HALO_ERR_INPUT, "truncated: %lld of %lld frames", (long long)state->next,
                         (long long)shape->width);
    }
    return HALO_OK;
}

static HaloStatus read_raw(HaloReader *reader, HaloBuf *rows, int64_t *got)
{
    RawReader *state = reader->state;
    HaloStatus status = HALO_OK;
    const HaloShape *shape = &reader->info.shape;
    const size_t bytes = (size_t)halo_row_bytes(rows), size = halo_dtype_size(shape->dtype);
    *got = 0;
    if (shape->kind == HALO_AUDIO) {
        HALO_TRY(read_audio(reader, rows, got));
    } else {
        for (; *got < rows->rows; ++*got) {
            HALO_TRY(halo_image_take(reader, halo_row(rows, *got), bytes, state->next++, 0));
        }
    }
    for (int64_t y = 0; y < rows->rows && !halo_host_is_little(); y++) {
        halo_swap_bytes(halo_row(rows, y), bytes / size, size);
    }
out:
    return status;
}

static void close_raw(HaloReader *reader)
{
    free(reader->state);
    reader->state = NULL;
}

static HaloStatus create(HaloWriter *writer)
{
    (void)writer;
    return HALO_OK;
}

static HaloStatus write_rows(HaloWriter *writer, const HaloBuf *rows)
{
    return halo_rows_write(writer->sink, rows, true);
}

static void discard(HaloWriter *writer) { (void)writer; }

/* There is no probe: anything could be raw. */
const HaloFormat halo_format_raw = {
    .name = "raw",
    .help = "samples without a header, little-endian; --raw describes them",
    .extensions = "raw",
    .kinds = HALO_IMAGE | HALO_AUDIO,
    .dtypes = 1u << HALO_U8 | 1u << HALO_U16 | 1u << HALO_F32 | 1u << HALO_I64 | 1u << HALO_F64,
    .channels = HALO_ANY_CHANNELS,
    .alpha = true,
    .keeps_units = true,
    .endless = true,
    .several = HALO_SEVERAL,
    .open = open_raw,
    .read = read_raw,
    .close = close_raw,
    .create = create,
    .write = write_rows,
    .finish = create,
    .discard = discard,
};

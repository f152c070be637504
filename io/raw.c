/* raw: samples without a header; --raw gives their type, byte order and size. They are written
 * little-endian, sound with its input's sample type: integers of 8, 16, 24 or 32 bits, else f32 or f64.
 * Integers of 8 bits have no sign, as in WAVE. */
#include <stdlib.h>
#include <string.h>

#include "bytes/endian.h"
#include "samples/image.h"
#include "samples/pcm.h"

#define BLOCK_SAMPLES 16384

typedef struct RawReader {
    int64_t start; /* of the samples, in the source */
    int64_t next;  /* row, or frame */
    HaloPcm pcm;   /* of sound */
    uint8_t block[BLOCK_SAMPLES * 8];
} RawReader;

/* Integers without sign have their zero in the middle; 0: none, floats of 32 bits as they are. */
static int integer_bits(const HaloReadOptions *options)
{
    if (options->raw_bits != 0) return options->raw_bits;
    return options->raw.dtype <= HALO_U16 ? (int)halo_dtype_size(options->raw.dtype) * 8 : 0;
}

static HaloStatus open_audio(HaloReader *reader)
{
    HaloShape *shape = &reader->info.shape;
    const int64_t size = halo_source_size(reader->source);
    const int bits = integer_bits(&reader->options);
    *shape = reader->options.raw;
    shape->dtype = HALO_F32;
    shape->white = 1.0f;
    shape->height = 1;
    if (shape->channels < 1) return halo_fail(HALO_ERR_USAGE, "raw audio needs at least one channel");
    RawReader *state = reader->state;
    state->start = halo_source_tell(reader->source);
    reader->info.rate_said = true;
    state->pcm = (HaloPcm){.bits = bits,
                           .real = bits == HALO_RAW_F64,
                           .big = reader->options.raw_big,
                           .raised = reader->options.raw_bits == 0};
    const int64_t frame = shape->channels * (bits != 0 ? bits / 8 : (int64_t)halo_dtype_size(shape->dtype));
    if (shape->width >= 0 || size < 0) return HALO_OK;
    shape->width = size / frame;
    if (size % frame != 0 && reader->options.tolerate) halo_note(&reader->info.notes, HALO_NOTE_CUT, 1);
    if (size % frame == 0 || reader->options.tolerate) return HALO_OK;
    return halo_fail(HALO_ERR_INPUT, "truncated: %lld bytes after the last complete frame",
                     (long long)(size % frame));
}

/* Consecutive frames; the remaining bytes of a file are not a frame. */
static HaloStatus open_image(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    const HaloShape *raw = &reader->options.raw;
    const int64_t size = halo_source_size(reader->source);
    int64_t frame;
    HALO_TRY(halo_image_open(reader, raw->width, raw->height, raw->channels, raw->dtype));
    HALO_TRY(halo_shape_bytes(&reader->info.shape, &frame));
    if (size > frame && size % frame != 0 && reader->options.image == 0)
        halo_note(&reader->info.notes, HALO_NOTE_REST, (uint64_t)(size % frame));
out:
    return status;
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
        HALO_TRY(open_image(reader));
    reader->info.shape.alpha = raw->alpha;
    reader->info.shape.numbers = raw->kind == HALO_IMAGE && raw->dtype == HALO_F32 && !(raw->white > 0.0f);
    if (raw->white > 0.0f && raw->dtype == reader->info.shape.dtype) reader->info.shape.white = raw->white;
    reader->info.bits =
        reader->options.raw_bits != 0 ? reader->options.raw_bits : (int)halo_dtype_size(raw->dtype) * 8;
    const int bits = reader->options.raw_bits;
    const bool wide = bits == HALO_RAW_F64 || bits == 32;
    reader->info.real = bits == HALO_RAW_F64 || (bits == 0 && raw->dtype == HALO_F32);
    if (wide && reader->options.wide)
        reader->info.shape.dtype = HALO_F64;
    else if (wide)
        halo_note(&reader->info.notes, HALO_NOTE_THROUGH_F32, (uint64_t)reader->info.bits);
out:
    return status;
}

/* What becomes f32 or f64, -1..1, block by block; *bytes of the file have been taken. */
static HaloStatus read_integers(HaloReader *reader, const HaloBuf *rows, size_t *bytes)
{
    HaloStatus status = HALO_OK;
    RawReader *state = reader->state;
    const int64_t samples = rows->cols * rows->shape.channels, size = halo_pcm_size(&state->pcm);
    *bytes = 0;
    for (int64_t done = 0; done < samples;) {
        const int64_t want = samples - done < BLOCK_SAMPLES ? samples - done : BLOCK_SAMPLES;
        size_t part;
        HALO_TRY(halo_source_read(reader->source, state->block, (size_t)(want * size), &part));
        *bytes += part;
        void *const to = (char *)rows->data + (size_t)done * halo_dtype_size(rows->shape.dtype);
        if (rows->shape.dtype == HALO_F64)
            halo_pcm_unpack_f64(&state->pcm, state->block, to, (int64_t)part / size);
        else
            halo_pcm_unpack(&state->pcm, state->block, to, (int64_t)part / size,
                            &reader->info.notes.count[HALO_NOTE_ROUNDED]);
        done += (int64_t)part / size;
        if (part < (size_t)(want * size)) break;
    }
out:
    return status;
}

static HaloStatus read_audio(HaloReader *reader, HaloBuf *rows, int64_t *got)
{
    RawReader *state = reader->state;
    const HaloShape *shape = &reader->info.shape;
    const size_t pixel = (size_t)shape->channels * halo_dtype_size(rows->shape.dtype);
    const bool integers = state->pcm.bits != 0;
    const size_t frame = integers ? (size_t)(shape->channels * halo_pcm_size(&state->pcm)) : pixel;
    size_t bytes;
    *got = 0;
    const HaloStatus status =
        integers ? read_integers(reader, rows, &bytes)
                 : halo_source_read(reader->source, rows->data, (size_t)rows->cols * frame, &bytes);
    if (status != HALO_OK) return status;
    *got = (int64_t)(bytes / frame);
    state->next += *got;
    if (reader->options.tolerate) {
        if (bytes % frame != 0) reader->info.notes.count[HALO_NOTE_CUT] = 1;
        if (shape->width < 0) return HALO_OK;
        if (*got < rows->cols) halo_image_damaged(reader, state->next);
        memset((char *)rows->data + (size_t)*got * pixel, 0, (size_t)(rows->cols - *got) * pixel);
        *got = rows->cols;
    } else if (bytes % frame != 0) {
        return halo_fail(HALO_ERR_INPUT, "truncated: %zu bytes after the last complete frame", bytes % frame);
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
        for (int64_t taken; *got < rows->rows; *got += taken, state->next += taken)
            HALO_TRY(halo_image_take_rows(reader, rows, *got, state->next, &taken));
    }
    const bool swap = reader->options.raw_big == halo_host_is_little() && state->pcm.bits == 0;
    for (int64_t y = 0; y < rows->rows && swap; y++) {
        halo_swap_bytes(halo_row(rows, y), bytes / size, size);
    }
out:
    return status;
}

static HaloStatus seek_raw(HaloReader *reader, int64_t frame, bool *gone)
{
    RawReader *state = reader->state;
    const HaloShape *shape = &reader->info.shape;
    const int64_t sample =
        state->pcm.bits != 0 ? halo_pcm_size(&state->pcm) : (int64_t)halo_dtype_size(shape->dtype);
    *gone = shape->width >= 0 && halo_source_seekable(reader->source);
    if (!*gone) return HALO_OK;
    state->next = frame;
    return halo_source_seek(reader->source, state->start + frame * shape->channels * sample);
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
    HaloStatus status = HALO_OK;
    const HaloInfo *info = &writer->info;
    const int bits = info->bits;
    const HaloDtype dtype = rows->shape.dtype;
    const bool integers = !info->real && (bits == 8 || bits == 16 || bits == 24 || bits == 32);
    const bool narrows = writer->options.floats && dtype == HALO_F64;
    const HaloPcm pcm = {.bits = bits, .real = narrows, .raised = bits == 8};
    uint8_t block[4096];
    if ((!integers && !narrows) || rows->shape.kind != HALO_AUDIO || dtype <= HALO_U16 || dtype == HALO_I64 ||
        rows->shape.white != 1.0f)
        return halo_rows_write(writer->sink, rows, true);
    const int64_t samples = rows->cols * rows->shape.channels;
    for (int64_t done = 0; done < samples;) {
        const int64_t count = samples - done < 1024 ? samples - done : 1024;
        const void *from = (const char *)rows->data + (size_t)done * halo_dtype_size(dtype);
        halo_pcm_pack(&pcm, dtype, from, block, count, &writer->clipped);
        HALO_TRY(halo_sink_write(writer->sink, block, (size_t)(count * halo_pcm_size(&pcm))));
        done += count;
    }
out:
    return status;
}

static void discard(HaloWriter *writer) { (void)writer; }

/* There is no probe: anything could be raw. */
const HaloFormat halo_format_raw = {
    .name = "raw",
    .help = "samples without a header, little-endian where written; --raw describes them",
    .extensions = "raw",
    .kinds = HALO_IMAGE | HALO_AUDIO,
    .dtypes = 1u << HALO_U8 | 1u << HALO_U16 | 1u << HALO_F32 | 1u << HALO_I64 | 1u << HALO_F64,
    .channels = HALO_ANY_CHANNELS,
    .keeps_units = true,
    .keeps_type = true,
    .plain = true,
    .depths = true,
    .endless = true,
    .several = HALO_SEVERAL,
    .open = open_raw,
    .read = read_raw,
    .seek = seek_raw,
    .close = close_raw,
    .create = create,
    .write = write_rows,
    .finish = create,
    .discard = discard,
};

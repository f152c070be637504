/* Writes OpenEXR, ZIP-compressed scan lines: halves where the input had halves, else floats. Colours are
 * multiplied by alpha. The file is kept until it is whole, since its table of chunks, at the beginning, is
 * written last. */
#ifdef HALO_HAVE_EXR
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exrfile.h"
#include "samples/image.h"

typedef struct ExrWriter {
    ExrGuard guard; /* first */
    HaloWriter *writer;
    exr_context_t context;
    uint8_t *bytes; /* of the file */
    int64_t size, capacity;
    int32_t lines; /* of a chunk */
    HaloBuf chunk;
    int64_t filled, done; /* rows of the chunk that are there; rows that are written */
    exr_encode_pipeline_t encoder;
    exr_result_t (*compress)(exr_encode_pipeline_t *encoder); /* OpenEXRCore's own; NULL: there is none */
    bool open;
} ExrWriter;

/* ---- bytes ---------------------------------------------------------------------------------------------- */

static bool grow(ExrWriter *state, int64_t capacity)
{
    capacity = capacity > 2 * state->capacity ? capacity : 2 * state->capacity;
    const HaloStatus status = halo_memory_hold(state->writer->memory, capacity - state->capacity);
    if (status != HALO_OK) state->guard.status = status;
    uint8_t *more = status == HALO_OK ? realloc(state->bytes, (size_t)capacity) : NULL;
    if (more == NULL) {
        if (status == HALO_OK) {
            halo_memory_release(state->writer->memory, capacity - state->capacity);
            state->guard.status = halo_fail(HALO_ERR_LIMIT, "not enough memory to write OpenEXR");
        }
        return false;
    }
    memset(more + state->capacity, 0, (size_t)(capacity - state->capacity));
    state->bytes = more;
    state->capacity = capacity;
    return true;
}

static int64_t write_at(exr_const_context_t context, void *user, const void *from, uint64_t size,
                        uint64_t offset, exr_stream_error_func_ptr_t error)
{
    ExrWriter *state = user;
    (void)context;
    (void)error;
    if (offset > INT64_MAX / 4 || size > INT64_MAX / 4) return -1;
    const int64_t end = (int64_t)(offset + size);
    if (end > state->capacity && !grow(state, end)) return -1;
    memcpy(state->bytes + offset, from, size);
    if (end > state->size) state->size = end;
    return (int64_t)size;
}

/* ---- the header ----------------------------------------------------------------------------------------- */

/* Names in the order of the picture's channels. */
static void name_of(const HaloShape *shape, int channel, char name[16])
{
    static const char *const colours[] = {"R", "G", "B"};
    const int plain = shape->channels - (shape->alpha >= 0);
    if (channel == shape->alpha)
        snprintf(name, 16, "A");
    else if (plain == 1)
        snprintf(name, 16, "Y");
    else if (plain == 3)
        snprintf(name, 16, "%s", colours[channel]);
    else
        snprintf(name, 16, "c%05d", channel + 1); /* in alphabetical order, which is the file's */
}

static HaloStatus put_header(ExrWriter *state)
{
    HaloStatus status = HALO_OK;
    const HaloInfo *info = &state->writer->info;
    const HaloShape *shape = &info->shape;
    const double *c = info->meta.chroma;
    const exr_pixel_type_t type = info->real && info->bits == 16 ? EXR_PIXEL_HALF : EXR_PIXEL_FLOAT;
    int part;
    HALO_TRY(exr_outcome(&state->guard, exr.exr_add_part(state->context, "", EXR_STORAGE_SCANLINE, &part)));
    HALO_TRY(exr_outcome(&state->guard,
                         exr.exr_initialize_required_attr_simple(state->context, part, (int32_t)shape->width,
                                                                 (int32_t)shape->height, EXR_COMPRESSION_ZIP)));
    for (int i = 0; i < shape->channels; i++) {
        char name[16];
        name_of(shape, i, name);
        HALO_TRY(exr_outcome(&state->guard, exr.exr_add_channel(state->context, part, name, type,
                                                                EXR_PERCEPTUALLY_LOGARITHMIC, 1, 1)));
    }
    if (c[1] > 0) {
        const exr_attr_chromaticities_t chroma = {(float)c[2], (float)c[3], (float)c[4], (float)c[5],
                                                  (float)c[6], (float)c[7], (float)c[0], (float)c[1]};
        HALO_TRY(exr_outcome(&state->guard,
                             exr.exr_attr_set_chromaticities(state->context, part, "chromaticities", &chroma)));
    }
    HALO_TRY(exr_outcome(&state->guard, exr.exr_write_header(state->context)));
    HALO_TRY(exr_outcome(&state->guard, exr.exr_get_scanlines_per_chunk(state->context, part, &state->lines)));
out:
    return status;
}

HaloStatus exr_create(HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    HaloShape shape = writer->info.shape;
    if (shape.width > INT32_MAX / 64 || shape.height > INT32_MAX / 64 ||
        shape.width * shape.channels > INT32_MAX / 64)
        return halo_fail(HALO_ERR_OUTPUT, "%lld x %lld pixels of %d channels are too many for OpenEXR",
                         (long long)shape.width, (long long)shape.height, shape.channels);
    ExrWriter *state = writer->state = calloc(1, sizeof *state);
    if (state == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory to write OpenEXR");
    state->writer = writer;
    state->guard.blame = HALO_ERR_OUTPUT;
    state->encoder = (exr_encode_pipeline_t)EXR_ENCODE_PIPELINE_INITIALIZER;
    const exr_context_initializer_t how = {.size = sizeof how,
                                           .error_handler_fn = exr_keep_message,
                                           .user_data = state,
                                           .write_fn = write_at,
                                           .zip_level = -1,
                                           .dwa_quality = -1.0f};
    HALO_TRY(exr_outcome(&state->guard,
                         exr.exr_start_write(&state->context, "halo", EXR_WRITE_FILE_DIRECTLY, &how)));
    HALO_TRY(put_header(state));
    shape.height = state->lines;
    HALO_TRY(halo_memory_alloc(writer->memory, &state->chunk, &shape));
out:
    return status;
}

/* ---- chunks --------------------------------------------------------------------------------------------- */

/* The channel of the picture that has this name in the file. */
static int channel_named(const HaloShape *shape, const char *wanted)
{
    for (int i = 0; i < shape->channels; i++) {
        char name[16];
        name_of(shape, i, name);
        if (strcmp(name, wanted) == 0) return i;
    }
    return 0;
}

/* Readers take a chunk that is as long as its samples for one that is not compressed. OpenEXRCore stores
 * samples where compression makes them longer, but keeps compressed bytes of exactly that length. */
static exr_result_t compress_or_store(exr_encode_pipeline_t *encoder)
{
    const ExrWriter *state = encoder->encoding_user_data;
    const exr_result_t result = state->compress(encoder);
    if (result == EXR_ERR_SUCCESS && encoder->compressed_bytes >= encoder->packed_bytes) {
        memcpy(encoder->compressed_buffer, encoder->packed_buffer, encoder->packed_bytes);
        encoder->compressed_bytes = encoder->packed_bytes;
    }
    return result;
}

static HaloStatus choose_routines(ExrWriter *state)
{
    HaloStatus status = HALO_OK;
    exr_encode_pipeline_t *encoder = &state->encoder;
    HALO_TRY(exr_outcome(&state->guard, exr.exr_encoding_choose_default_routines(state->context, 0, encoder)));
    state->compress = encoder->compress_fn;
    encoder->encoding_user_data = state;
    if (state->compress != NULL) encoder->compress_fn = compress_or_store;
out:
    return status;
}

static HaloStatus put_chunk(ExrWriter *state)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = &state->chunk.shape;
    exr_encode_pipeline_t *encoder = &state->encoder;
    exr_chunk_info_t chunk;
    exr_clear(&state->guard);
    HALO_TRY(exr_outcome(&state->guard,
                         exr.exr_write_scanline_chunk_info(state->context, 0, (int)state->done, &chunk)));
    HALO_TRY(exr_outcome(&state->guard, state->open
                                            ? exr.exr_encoding_update(state->context, 0, &chunk, encoder)
                                            : exr.exr_encoding_initialize(state->context, 0, &chunk, encoder)));
    const bool first = !state->open;
    state->open = true;
    for (int c = 0; c < encoder->channel_count; c++) {
        exr_coding_channel_info_t *channel = &encoder->channels[c];
        channel->encode_from_ptr = (const uint8_t *)state->chunk.data +
                                   (size_t)channel_named(shape, channel->channel_name) * sizeof(float);
        channel->user_bytes_per_element = sizeof(float);
        channel->user_data_type = EXR_PIXEL_FLOAT;
        channel->user_pixel_stride = shape->channels * (int32_t)sizeof(float);
        channel->user_line_stride = (int32_t)state->chunk.stride;
    }
    if (first) HALO_TRY(choose_routines(state));
    HALO_TRY(exr_outcome(&state->guard, exr.exr_encoding_run(state->context, 0, encoder)));
    state->done += state->filled;
    state->filled = 0;
out:
    return status;
}

static void take_row(ExrWriter *state, const float *from)
{
    const int channels = state->chunk.shape.channels, alpha = state->writer->info.shape.alpha;
    float *to = halo_row(&state->chunk, state->filled++);
    memcpy(to, from, (size_t)halo_row_bytes(&state->chunk));
    for (int64_t x = 0; x < state->chunk.cols && alpha >= 0; x++, to += channels)
        for (int c = 0; c < channels; c++)
            if (c != alpha) to[c] *= to[alpha];
}

HaloStatus exr_write(HaloWriter *writer, const HaloBuf *rows)
{
    HaloStatus status = HALO_OK;
    ExrWriter *state = writer->state;
    for (int64_t y = 0; y < rows->rows; y++) {
        take_row(state, halo_row(rows, y));
        if (state->filled == state->lines || state->done + state->filled == writer->info.shape.height)
            HALO_TRY(put_chunk(state));
    }
out:
    return status;
}

HaloStatus exr_finish_image(HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    ExrWriter *state = writer->state;
    exr_clear(&state->guard);
    if (state->open) exr.exr_encoding_destroy(state->context, &state->encoder);
    state->open = false;
    HALO_TRY(exr_outcome(&state->guard, exr.exr_finish(&state->context)));
    state->context = NULL;
    HALO_TRY(halo_sink_write(writer->sink, state->bytes, (size_t)state->size));
out:
    return status;
}

void exr_discard(HaloWriter *writer)
{
    ExrWriter *state = writer->state;
    if (state == NULL) return;
    if (state->open) exr.exr_encoding_destroy(state->context, &state->encoder);
    if (state->context != NULL) exr.exr_finish(&state->context);
    halo_memory_free(writer->memory, &state->chunk);
    halo_memory_release(writer->memory, state->capacity);
    free(state->bytes);
    free(state);
    writer->state = NULL;
}
#endif

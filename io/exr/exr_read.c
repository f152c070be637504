/* Reads OpenEXR, some rows of chunks (scan lines or tiles) at a time. Channels come in the order R, G, B or Y,
 * all others by name, and A, which is alpha where there are colours. Colours, which are multiplied by alpha,
 * are divided by it; where alpha is 0 they are 0. */
#ifdef HALO_HAVE_EXR
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exrfile.h"
#include "meta/meta.h"
#include "samples/image.h"

#define LARGE_CHUNK (1 << 20) /* pixels that a chunk may have, whatever the picture has */
#define MOST_PARTS 4096

typedef struct ExrReader {
    ExrGuard guard; /* first */
    HaloReader *reader;
    exr_context_t context;
    const uint8_t *bytes; /* of a source that cannot seek */
    size_t size;
    int parts;
    /* The part that is read: */
    exr_attr_box2i_t window;
    bool tiled, open; /* `decoder` is */
    int32_t chunk_cols, chunk_rows;
    int *place; /* [channels]: of the part's channels in the picture */
    exr_decode_pipeline_t decoder;
    HaloBuf band; /* rows of chunks */
    int64_t band_at, given;
} ExrReader;

/* ---- bytes ---------------------------------------------------------------------------------------------- */

static int64_t size_of(exr_const_context_t context, void *user)
{
    const ExrReader *state = user;
    (void)context;
    return state->bytes != NULL ? (int64_t)state->size : halo_source_size(state->reader->source);
}

static int64_t read_at(exr_const_context_t context, void *user, void *to, uint64_t size, uint64_t offset,
                       exr_stream_error_func_ptr_t error)
{
    ExrReader *state = user;
    const uint64_t end = (uint64_t)size_of(context, user);
    size_t got = 0;
    (void)error;
    if (offset > end) return -1;
    if (size > end - offset) size = end - offset;
    if (state->bytes != NULL) {
        memcpy(to, state->bytes + offset, size);
        return (int64_t)size;
    }
    HaloStatus status = halo_source_seek(state->reader->source, (int64_t)offset);
    if (status == HALO_OK) status = halo_source_read(state->reader->source, to, size, &got);
    if (status != HALO_OK) state->guard.status = status;
    return status == HALO_OK ? (int64_t)got : -1;
}

/* ---- the header ----------------------------------------------------------------------------------------- */

static int find(const exr_attr_chlist_t *list, const char *name)
{
    for (int i = 0; i < list->num_channels; i++)
        if (strcmp(list->entries[i].name.str, name) == 0) return i;
    return -1;
}

/* The order of the channels; *alpha: the last one is. */
static HaloStatus order_channels(ExrReader *state, const exr_attr_chlist_t *list, bool *alpha)
{
    static const char *const first[] = {"R", "G", "B", "Y"};
    int next = 0;
    const int a = find(list, "A");
    *alpha = a >= 0 &&
             (find(list, "Y") >= 0 || (find(list, "R") >= 0 && find(list, "G") >= 0 && find(list, "B") >= 0));
    free(state->place);
    state->place = malloc((size_t)list->num_channels * sizeof *state->place);
    if (state->place == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory to read OpenEXR");
    for (int i = 0; i < list->num_channels; i++) state->place[i] = -1;
    for (int k = 0; k < 4; k++) {
        const int i = find(list, first[k]);
        if (i >= 0) state->place[i] = next++;
    }
    if (*alpha) state->place[a] = list->num_channels - 1;
    for (int i = 0; i < list->num_channels; i++)
        if (state->place[i] < 0) state->place[i] = next++;
    return HALO_OK;
}

static HaloStatus look_at_channels(ExrReader *state, const exr_attr_chlist_t *list)
{
    HaloInfo *info = &state->reader->info;
    bool halves = true;
    size_t at = 0;
    for (int i = 0; i < list->num_channels; i++) {
        const exr_attr_chlist_entry_t *entry = &list->entries[i];
        if (entry->x_sampling != 1 || entry->y_sampling != 1)
            return halo_fail(HALO_ERR_INPUT,
                             "OpenEXR with subsampled chroma is not supported: convert it to RGB "
                             "first, as by exrmaketiled or oiiotool");
        halves = halves && entry->pixel_type == EXR_PIXEL_HALF;
        const int more = snprintf(info->encoding + at, sizeof info->encoding - at, "%s%s", i > 0 ? " " : "",
                                  entry->name.str);
        if (more > 0 && at + (size_t)more < sizeof info->encoding) at += (size_t)more;
    }
    info->bits = halves ? 16 : 32;
    info->real = true;
    return HALO_OK;
}

static void take_chromaticities(ExrReader *state, int part, HaloMeta *meta)
{
    exr_attr_chromaticities_t chroma;
    meta->gamma = 1.0; /* samples are light */
    if (exr.exr_attr_get_chromaticities(state->context, part, "chromaticities", &chroma) != EXR_ERR_SUCCESS)
        return;
    const float from[8] = {chroma.white_x, chroma.white_y, chroma.red_x,  chroma.red_y,
                           chroma.green_x, chroma.green_y, chroma.blue_x, chroma.blue_y};
    for (int i = 0; i < 8; i++) meta->chroma[i] = (double)from[i];
}

static HaloStatus measure_chunks(ExrReader *state, int part, int64_t width, int64_t height)
{
    HaloStatus status = HALO_OK;
    state->chunk_cols = (int32_t)width;
    if (state->tiled)
        HALO_TRY(exr_outcome(&state->guard, exr.exr_get_tile_sizes(state->context, part, 0, 0,
                                                                   &state->chunk_cols, &state->chunk_rows)));
    else
        HALO_TRY(exr_outcome(&state->guard,
                             exr.exr_get_scanlines_per_chunk(state->context, part, &state->chunk_rows)));
    if (state->chunk_cols < 1 || state->chunk_rows < 1 ||
        ((int64_t)state->chunk_cols * state->chunk_rows > LARGE_CHUNK &&
         (int64_t)state->chunk_cols * state->chunk_rows > 4 * width * height))
        HALO_FAIL(HALO_ERR_INPUT, "OpenEXR: invalid tiles of %d x %d pixels", state->chunk_cols,
                  state->chunk_rows);
out:
    return status;
}

static void end_page(ExrReader *state)
{
    if (state->open) exr.exr_decoding_destroy(state->context, &state->decoder);
    state->open = false;
    state->decoder = (exr_decode_pipeline_t)EXR_DECODE_PIPELINE_INITIALIZER;
    halo_memory_free(state->reader->memory, &state->band);
}

static HaloStatus look_at_page(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    ExrReader *state = reader->state;
    const int part = (int)reader->options.image;
    const exr_attr_chlist_t *list = NULL;
    exr_storage_t storage;
    bool alpha;
    end_page(state);
    exr_clear(&state->guard);
    state->given = 0;
    if (part >= state->parts)
        return halo_fail(HALO_ERR_INPUT, "there is no page %d: there are %d, counted from 1", part + 1,
                         state->parts);
    HALO_TRY(exr_outcome(&state->guard, exr.exr_get_storage(state->context, part, &storage)));
    if (storage != EXR_STORAGE_SCANLINE && storage != EXR_STORAGE_TILED)
        HALO_FAIL(HALO_ERR_INPUT, "OpenEXR with deep samples is not supported: flatten it first");
    state->tiled = storage == EXR_STORAGE_TILED;
    HALO_TRY(exr_outcome(&state->guard, exr.exr_get_data_window(state->context, part, &state->window)));
    HALO_TRY(exr_outcome(&state->guard, exr.exr_get_channels(state->context, part, &list)));
    if (list == NULL || list->num_channels < 1) HALO_FAIL(HALO_ERR_INPUT, "OpenEXR without channels");
    const int64_t width = (int64_t)state->window.max.x - state->window.min.x + 1,
                  height = (int64_t)state->window.max.y - state->window.min.y + 1;
    HALO_TRY(halo_image_open(reader, width, height, list->num_channels, HALO_F32));
    HALO_TRY(order_channels(state, list, &alpha));
    if (alpha) reader->info.shape.alpha = list->num_channels - 1;
    if (alpha) halo_note(&reader->info.notes, HALO_NOTE_DIVIDED, 1);
    HALO_TRY(look_at_channels(state, list));
    HALO_TRY(measure_chunks(state, part, width, height));
    take_chromaticities(state, part, &reader->info.meta);
    exr_clear(&state->guard); /* a missing attribute is no error */
    reader->info.images = state->parts;
out:
    return status;
}

HaloStatus exr_open(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    ExrReader *state = NULL;
    HALO_TRY(exr_load());
    state = reader->state = calloc(1, sizeof *state);
    if (state == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to read OpenEXR");
    state->reader = reader;
    state->guard.blame = HALO_ERR_INPUT;
    if (!halo_source_seekable(reader->source))
        HALO_TRY(halo_source_slurp(reader->source, &state->bytes, &state->size));
    const int most = halo_image_limit(reader) < INT32_MAX ? (int)halo_image_limit(reader) : INT32_MAX;
    const exr_context_initializer_t how = {.size = sizeof how,
                                           .error_handler_fn = exr_keep_message,
                                           .user_data = state,
                                           .read_fn = read_at,
                                           .size_fn = size_of,
                                           .max_image_width = most,
                                           .max_image_height = most,
                                           .zip_level = -1,
                                           .dwa_quality = -1.0f};
    HALO_TRY(exr_outcome(&state->guard, exr.exr_start_read(&state->context, "halo", &how)));
    HALO_TRY(exr_outcome(&state->guard, exr.exr_get_count(state->context, &state->parts)));
    if (state->parts < 1 || state->parts > MOST_PARTS)
        HALO_FAIL(HALO_ERR_INPUT, "OpenEXR: %d parts: at most %d are read", state->parts, MOST_PARTS);
    HALO_TRY(look_at_page(reader));
out:
    return status;
}

HaloStatus exr_next(HaloReader *reader) { return look_at_page(reader); }

/* ---- chunks --------------------------------------------------------------------------------------------- */

/* OpenEXRCore 3.1 exchanges the channels of halves that lie side by side where they are four. It looks at where
 * they are only here, so it is shown another place for the first one. */
static HaloStatus choose_routines(ExrReader *state, int part)
{
    exr_decode_pipeline_t *decoder = &state->decoder;
    exr_coding_channel_info_t *first = &decoder->channels[0];
    uint8_t *const at = first->decode_to_ptr;
    if (decoder->channel_count == 4) first->decode_to_ptr = at + 4 * sizeof(float);
    const exr_result_t chosen = exr.exr_decoding_choose_default_routines(state->context, part, decoder);
    first->decode_to_ptr = at;
    return exr_outcome(&state->guard, chosen);
}

/* Decodes a chunk into the band, from column x on. */
static HaloStatus decode(ExrReader *state, const exr_chunk_info_t *chunk, int64_t x)
{
    HaloStatus status = HALO_OK;
    const int part = (int)state->reader->options.image, channels = state->band.shape.channels;
    exr_decode_pipeline_t *decoder = &state->decoder;
    if (chunk->width < 0 || chunk->height < 0 || x + chunk->width > state->band.cols ||
        chunk->height > state->band.rows)
        return halo_fail(HALO_ERR_INPUT, "OpenEXR: a chunk is larger than its header says");
    const exr_result_t begun = state->open ? exr.exr_decoding_update(state->context, part, chunk, decoder)
                                           : exr.exr_decoding_initialize(state->context, part, chunk, decoder);
    HALO_TRY(exr_outcome(&state->guard, begun));
    const bool first = !state->open;
    state->open = true;
    if (decoder->channel_count != channels) HALO_FAIL(HALO_ERR_INPUT, "OpenEXR: a chunk has other channels");
    for (int c = 0; c < channels; c++) {
        exr_coding_channel_info_t *channel = &decoder->channels[c];
        channel->decode_to_ptr = (uint8_t *)state->band.data +
                                 ((size_t)x * (size_t)channels + (size_t)state->place[c]) * sizeof(float);
        channel->user_bytes_per_element = sizeof(float);
        channel->user_data_type = EXR_PIXEL_FLOAT;
        channel->user_pixel_stride = channels * (int32_t)sizeof(float);
        channel->user_line_stride = (int32_t)state->band.stride;
    }
    if (first) HALO_TRY(choose_routines(state, part));
    HALO_TRY(exr_outcome(&state->guard, exr.exr_decoding_run(state->context, part, decoder)));
out:
    return status;
}

static void divide(const HaloBuf *band)
{
    const int channels = band->shape.channels, alpha = band->shape.alpha;
    float *v = band->data;
    for (int64_t i = 0; i < band->cols * band->rows && alpha >= 0; i++, v += channels)
        for (int c = 0; c < alpha; c++) v[c] = v[alpha] != 0.0f ? v[c] / v[alpha] : 0.0f;
}

/* The row of chunks with row y of the picture. */
static HaloStatus fill_band(ExrReader *state, int64_t y)
{
    HaloStatus status = HALO_OK;
    const int part = (int)state->reader->options.image;
    const HaloShape *shape = &state->reader->info.shape;
    exr_chunk_info_t chunk;
    const int64_t line = y - y % state->chunk_rows;
    state->band_at = line;
    memset(state->band.data, 0, (size_t)(state->band.stride * state->band.rows));
    for (int64_t x = 0; x < shape->width; x += state->chunk_cols) {
        exr_clear(&state->guard);
        const exr_result_t found =
            state->tiled ? exr.exr_read_tile_chunk_info(state->context, part, (int)(x / state->chunk_cols),
                                                        (int)(line / state->chunk_rows), 0, 0, &chunk)
                         : exr.exr_read_scanline_chunk_info(state->context, part,
                                                            (int)(state->window.min.y + line), &chunk);
        status = exr_outcome(&state->guard, found);
        if (status == HALO_OK) status = decode(state, &chunk, x);
        if (status == HALO_ERR_INPUT && state->reader->options.tolerate) { /* it is 0 */
            halo_image_damaged(state->reader, line);
            status = HALO_OK;
        }
        HALO_TRY(status);
    }
    divide(&state->band);
out:
    return status;
}

/* A tile may stand out over the picture's right side. */
static HaloStatus make_band(ExrReader *state)
{
    HaloShape shape = state->reader->info.shape;
    const int64_t cols = state->chunk_cols;
    shape.width = (shape.width + cols - 1) / cols * cols;
    shape.height = state->chunk_rows;
    state->band_at = -state->chunk_rows;
    if (shape.width * shape.channels * (int64_t)sizeof(float) > INT32_MAX)
        return halo_fail(HALO_ERR_LIMIT, "OpenEXR: a row of %lld pixels of %d channels is too long",
                         (long long)shape.width, shape.channels);
    return halo_memory_alloc(state->reader->memory, &state->band, &shape);
}

HaloStatus exr_read(HaloReader *reader, HaloBuf *rows, int64_t *got)
{
    HaloStatus status = HALO_OK;
    ExrReader *state = reader->state;
    *got = 0;
    if (state->band.data == NULL) HALO_TRY(make_band(state));
    for (int64_t r = 0; r < rows->rows; r++, state->given++) {
        if (state->given < state->band_at || state->given >= state->band_at + state->chunk_rows)
            HALO_TRY(fill_band(state, state->given));
        memcpy(halo_row(rows, r), halo_row(&state->band, state->given - state->band_at),
               (size_t)halo_row_bytes(rows));
    }
    *got = rows->rows;
out:
    return status;
}

HaloStatus exr_skip(HaloReader *reader, int64_t rows, int64_t *skipped)
{
    ExrReader *state = reader->state;
    state->given += *skipped = rows;
    return HALO_OK;
}

void exr_close(HaloReader *reader)
{
    ExrReader *state = reader->state;
    if (state == NULL) return;
    end_page(state);
    if (state->context != NULL) exr.exr_finish(&state->context);
    free(state->place);
    free(state);
    reader->state = NULL;
}
#endif

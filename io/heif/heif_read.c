/* Reads AVIF and HEIC. libheif decodes a picture as a whole and turns it as its file says, so that EXIF's
 * orientation is 1 afterwards. 10 and 12 bits are scaled to 16. */
#ifdef HALO_HAVE_HEIF
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heiffile.h"
#include "libheif.h"
#include "meta/meta.h"
#include "samples/image.h"
#include "samples/whole.h"

#define MOST_IMAGES 65536
#define MOST_META (64 << 20)
#define MOST_SIDE 65535
#define TILE_SIDE 2048

typedef struct HeifReader {
    const uint8_t *bytes; /* the file's, which the source owns */
    size_t size;
    struct heif_context *context;
    struct heif_image_handle *handle; /* of the page */
    heif_item_id *id;                 /* [images]: the primary image first */
    int64_t images;
    bool premultiplied, decoded;
    HaloWhole whole;
} HeifReader;

/* ---- the header ----------------------------------------------------------------------------------------- */

static HaloStatus outcome(struct heif_error error)
{
    const int length = (int)strcspn(error.message, "\r\n"); /* some messages have several lines */
    switch (error.code) {
    case heif_error_Ok: return HALO_OK;
    case heif_error_Memory_allocation_error:
        if (error.subcode == heif_suberror_Security_limit_exceeded)
            return halo_fail(HALO_ERR_LIMIT, "AVIF or HEIC is too large, or damaged: %.*s", length,
                             error.message);
        return halo_fail(HALO_ERR_LIMIT, "not enough memory to read AVIF or HEIC: %.*s", length, error.message);
    case heif_error_Unsupported_filetype:
    case heif_error_Unsupported_feature:
        return halo_fail(HALO_ERR_INPUT,
                         "this libheif cannot decode it: %.*s; a plugin of libheif may have to be installed",
                         length, error.message);
    default:
        return halo_fail(HALO_ERR_INPUT, "AVIF or HEIC is damaged or truncated: %.*s", length, error.message);
    }
}

static HaloStatus list_images(HeifReader *state)
{
    HaloStatus status = HALO_OK;
    heif_item_id primary = 0;
    const int count = heif.heif_context_get_number_of_top_level_images(state->context);
    if (count < 1 || count > MOST_IMAGES)
        return halo_fail(HALO_ERR_INPUT, "%d images: at least 1 and at most %d are read", count, MOST_IMAGES);
    state->id = calloc((size_t)count, sizeof *state->id);
    if (state->id == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory to read AVIF or HEIC");
    state->images = heif.heif_context_get_list_of_top_level_image_IDs(state->context, state->id, count);
    HALO_TRY(outcome(heif.heif_context_get_primary_image_ID(state->context, &primary)));
    for (int64_t i = 1; i < state->images; i++) {
        if (state->id[i] != primary) continue;
        memmove(state->id + 1, state->id, (size_t)i * sizeof *state->id);
        state->id[0] = primary;
    }
out:
    return status;
}

static HaloStatus read_parts(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    HeifReader *state = reader->state;
    HALO_TRY(halo_source_slurp(reader->source, &state->bytes, &state->size));
    state->context = heif.heif_context_alloc();
    if (state->context == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to read AVIF or HEIC");
    heif.heif_context_set_maximum_image_size_limit(state->context, MOST_SIDE);
    heif.heif_context_set_max_decoding_threads(state->context, reader->jobs > 1 ? reader->jobs : 0);
    HALO_TRY(outcome(
        heif.heif_context_read_from_memory_without_copy(state->context, state->bytes, state->size, NULL)));
    HALO_TRY(list_images(state));
out:
    return status;
}

/* ---- metadata ------------------------------------------------------------------------------------------- */

/* EXIF stands behind four bytes that say how many more are before it. */
static HaloStatus take_block(HaloMeta *meta, const char *type, const char *content, const uint8_t *bytes,
                             size_t size)
{
    if (strcmp(type, "Exif") == 0 && size > 4) {
        const size_t before =
            4 + ((size_t)bytes[0] << 24 | (size_t)bytes[1] << 16 | (size_t)bytes[2] << 8 | (size_t)bytes[3]);
        return before < size ? halo_image_take_exif(meta, bytes + before, size - before) : HALO_OK;
    }
    if (strcmp(type, "mime") == 0 && strcmp(content, "application/rdf+xml") == 0 && meta->xmp.data == NULL)
        return halo_blob_set(&meta->xmp, bytes, size);
    return HALO_OK;
}

static HaloStatus take_blocks(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    const HeifReader *state = reader->state;
    heif_item_id id[16];
    uint8_t *bytes = NULL;
    const int count = heif.heif_image_handle_get_list_of_metadata_block_IDs(state->handle, NULL, id, 16);
    for (int i = 0; i < count; i++) {
        char type[8], content[64];
        const size_t size = heif.heif_image_handle_get_metadata_size(state->handle, id[i]);
        snprintf(type, sizeof type, "%s", heif.heif_image_handle_get_metadata_type(state->handle, id[i]));
        const char *said = heif.heif_image_handle_get_metadata_content_type(state->handle, id[i]);
        snprintf(content, sizeof content, "%s", said != NULL ? said : "");
        if (size == 0) continue;
        if (size > MOST_META) {
            halo_note(&reader->info.notes, HALO_NOTE_LARGE, 1);
            continue;
        }
        bytes = malloc(size);
        if (bytes == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for %zu bytes of metadata", size);
        if (heif.heif_image_handle_get_metadata(state->handle, id[i], bytes).code == heif_error_Ok)
            HALO_TRY(take_block(&reader->info.meta, type, content, bytes, size));
        free(bytes);
        bytes = NULL;
    }
    HALO_TRY(halo_image_upright(&reader->info.meta));
out:
    free(bytes);
    return status;
}

/* The profile, or numbers for the primaries and the transfer curve, as PNG's cICP has them. Those of sRGB and
 * those that mean "unspecified" say nothing. */
static HaloStatus take_colours(const HeifReader *state, HaloMeta *meta)
{
    HaloStatus status = HALO_OK;
    struct heif_color_profile_nclx *nclx = NULL;
    const size_t size = heif.heif_image_handle_get_raw_color_profile_size(state->handle);
    if (size > 0 && size <= MOST_META) {
        meta->icc.data = malloc(size);
        if (meta->icc.data == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory for a profile");
        meta->icc.size = size;
        HALO_TRY(outcome(heif.heif_image_handle_get_raw_color_profile(state->handle, meta->icc.data)));
    } else if (heif.heif_image_handle_get_nclx_color_profile(state->handle, &nclx).code == heif_error_Ok) {
        const int primaries = (int)nclx->color_primaries, curve = (int)nclx->transfer_characteristics;
        const bool srgb = primaries == 1 && (curve == 13 || curve == 2);
        if (!srgb && primaries != 2)
            meta->code[HALO_CICP] = (HaloColourCode){4, {(uint8_t)primaries, (uint8_t)curve, 0, 1}};
    }
out:
    if (nclx != NULL) heif.heif_nclx_color_profile_free(nclx);
    return status;
}

/* ---- pages ---------------------------------------------------------------------------------------------- */

static void describe(HaloReader *reader, int bits)
{
    const HeifReader *state = reader->state;
    HaloInfo *info = &reader->info;
    const bool avif = strcmp(reader->format->name, "avif") == 0;
    info->bits = bits;
    info->images = state->images;
    snprintf(info->encoding, sizeof info->encoding, "%s%s", avif ? "AV1" : "HEVC",
             state->premultiplied ? ", premultiplied" : "");
    if (state->premultiplied) halo_note(&info->notes, HALO_NOTE_DIVIDED, 1);
    /* Tracks of sequences are not read by libheif: of these there is a picture, which is one frame. */
    if (reader->options.image == 0 &&
        heif_is(state->bytes, state->size < 64 ? state->size : 64, "avis msf1 hevc"))
        halo_note(&info->notes, HALO_NOTE_PAGES, 1);
}

static HaloStatus look_at_page(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    HeifReader *state = reader->state;
    const int64_t page = reader->options.image;
    if (page >= state->images)
        return halo_fail(HALO_ERR_INPUT, "there is no page %lld of %lld", (long long)page + 1,
                         (long long)state->images);
    if (state->handle != NULL) heif.heif_image_handle_release(state->handle);
    state->handle = NULL;
    halo_whole_free(reader, &state->whole);
    state->decoded = false;
    HALO_TRY(outcome(heif.heif_context_get_image_handle(state->context, state->id[page], &state->handle)));
    const int bits = heif.heif_image_handle_get_luma_bits_per_pixel(state->handle);
    const bool alpha = heif.heif_image_handle_has_alpha_channel(state->handle) != 0;
    if (bits < 1 || bits > 16) HALO_FAIL(HALO_ERR_INPUT, "samples of %d bits are not supported", bits);
    HALO_TRY(halo_image_open(reader, heif.heif_image_handle_get_width(state->handle),
                             heif.heif_image_handle_get_height(state->handle), alpha ? 4 : 3,
                             bits <= 8 ? HALO_U8 : HALO_U16));
    if (alpha) reader->info.shape.alpha = 3;
    state->premultiplied = alpha && heif.heif_image_handle_is_premultiplied_alpha(state->handle) != 0;
    HALO_TRY(take_blocks(reader));
    HALO_TRY(take_colours(state, &reader->info.meta));
    describe(reader, bits);
out:
    return status;
}

HaloStatus heif_open(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    HeifReader *state = NULL;
    HALO_TRY(heif_load());
    state = reader->state = calloc(1, sizeof *state);
    if (state == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to read AVIF or HEIC");
    HALO_TRY(read_parts(reader));
    HALO_TRY(look_at_page(reader));
out:
    return status;
}

HaloStatus heif_next(HaloReader *reader) { return look_at_page(reader); }

/* ---- samples -------------------------------------------------------------------------------------------- */

/* v * 65535 / (2^bits - 1), rounded to nearest, which is never half way. */
static void scale_row(const uint8_t *from, uint16_t *to, int64_t count, int bits)
{
    const uint32_t most = (1u << bits) - 1;
    for (int64_t i = 0; i < count; i++) {
        const uint32_t v = (uint32_t)from[2 * i] | (uint32_t)from[2 * i + 1] << 8;
        to[i] = (uint16_t)(((v < most ? v : most) * 65535u + most / 2) / most);
    }
}

static uint32_t quotient(uint32_t colour, uint32_t alpha, uint32_t most)
{
    if (colour >= alpha) return alpha == 0 ? 0 : most;
    return (uint32_t)(((uint64_t)colour * most + alpha / 2) / alpha);
}

/* Divides colours by their alpha. */
static void divide_row(void *row, int64_t count, bool wide)
{
    uint8_t *b = row;
    uint16_t *w = row;
    for (int64_t i = 0; i < count; i++)
        for (int c = 0; c < 3; c++) {
            if (wide)
                w[4 * i + c] = (uint16_t)quotient(w[4 * i + c], w[4 * i + 3], 65535);
            else
                b[4 * i + c] = (uint8_t)quotient(b[4 * i + c], b[4 * i + 3], 255);
        }
}

static HaloStatus take_samples(const HeifReader *state, const struct heif_image *image)
{
    const HaloBuf *data = &state->whole.data;
    int stride = 0;
    const uint8_t *from = heif.heif_image_get_plane_readonly(image, heif_channel_interleaved, &stride);
    const int bits = heif.heif_image_get_bits_per_pixel_range(image, heif_channel_interleaved);
    const bool wide = data->shape.dtype == HALO_U16;
    if (from == NULL || heif.heif_image_get_width(image, heif_channel_interleaved) != data->cols ||
        heif.heif_image_get_height(image, heif_channel_interleaved) != data->rows || bits > (wide ? 16 : 8) ||
        bits < (wide ? 9 : 8))
        return halo_fail(HALO_ERR_INPUT, "AVIF or HEIC is damaged: the picture is not as its header says");
    for (int64_t y = 0; y < data->rows; y++, from += stride) {
        void *row = halo_row(data, y);
        if (wide)
            scale_row(from, row, data->cols * data->shape.channels, bits);
        else
            memcpy(row, from, (size_t)halo_row_bytes(data));
        if (state->premultiplied) divide_row(row, data->cols, wide);
    }
    return HALO_OK;
}

/* What a file claims of the size of a picture has been checked, but not the size of its grid, and those of the
 * tiles, which libheif allocates. Its limit is for sides, which have to be shorter; since 1.19 for the square
 * of it, and there is one of memory, for what is allocated at once. Tiles may be larger than a small picture.
 */
static void limit_size(const HaloReader *reader)
{
    const HeifReader *state = reader->state;
    int side = heif.heif_image_handle_get_ispe_width(state->handle);
    const int height = heif.heif_image_handle_get_ispe_height(state->handle);
    if (side < height) side = height;
    if (side < TILE_SIDE) side = TILE_SIDE;
    heif.heif_context_set_maximum_image_size_limit(state->context, side + 1);
#if LIBHEIF_HAVE_VERSION(1, 19, 0)
    const int64_t left = halo_memory_left(reader->memory);
    struct heif_security_limits *limits = heif.heif_context_get_security_limits(state->context);
    if (left > 0 && (uint64_t)left < limits->max_memory_block_size)
        limits->max_memory_block_size = (uint64_t)left;
#endif
}

/* libheif holds the picture in its own planes, and once more as it hands it out. */
static HaloStatus decode(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    HeifReader *state = reader->state;
    const HaloShape *shape = &reader->info.shape;
    const bool wide = shape->dtype == HALO_U16, alpha = shape->alpha >= 0;
    struct heif_decoding_options *options = NULL;
    struct heif_image *image = NULL;
    HALO_TRY(halo_whole_begin(reader, 3 * shape->width * shape->height * shape->channels * (wide ? 2 : 1),
                              &state->whole));
    limit_size(reader);
    options = heif.heif_decoding_options_alloc();
    if (options == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to read AVIF or HEIC");
    if (options->version >= 3) options->strict_decoding = !reader->options.tolerate;
    status = outcome(heif.heif_decode_image(state->handle, &image, heif_colorspace_RGB,
                                            wide    ? alpha ? heif_chroma_interleaved_RRGGBBAA_LE
                                                            : heif_chroma_interleaved_RRGGBB_LE
                                            : alpha ? heif_chroma_interleaved_RGBA
                                                    : heif_chroma_interleaved_RGB,
                                            options));
    if (status == HALO_OK) status = take_samples(state, image);
    if (status == HALO_ERR_INPUT && reader->options.tolerate) {
        halo_rows_clear(&state->whole.data, 0);
        halo_image_damaged(reader, 0);
        status = HALO_OK;
    }
    state->decoded = status == HALO_OK;
out:
    if (image != NULL) heif.heif_image_release(image);
    if (options != NULL) heif.heif_decoding_options_free(options);
    return status;
}

HaloStatus heif_read(HaloReader *reader, HaloBuf *rows, int64_t *got)
{
    HaloStatus status = HALO_OK;
    HeifReader *state = reader->state;
    *got = 0;
    if (!state->decoded) HALO_TRY(decode(reader));
    halo_whole_give(&state->whole, rows);
    *got = rows->rows;
out:
    return status;
}

void heif_close(HaloReader *reader)
{
    HeifReader *state = reader->state;
    if (state == NULL) return;
    if (state->handle != NULL) heif.heif_image_handle_release(state->handle);
    if (state->context != NULL) heif.heif_context_free(state->context);
    halo_whole_free(reader, &state->whole);
    free(state->id);
    free(state);
    reader->state = NULL;
}
#endif

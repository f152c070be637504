/* Writes AVIF and HEIC. Pages become images of one file. Samples of 16 bits are rounded to 12 or 10, which is
 * all that there is; --lossless refuses those that it would change. */
#ifdef HALO_HAVE_HEIF
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heiffile.h"
#include "libheif.h"
#include "meta/meta.h"
#include "samples/image.h"

#define MOST_SIDE 65535

typedef struct HeifWriter {
    HaloWriter *writer;
    struct heif_context *context;
    struct heif_encoder *encoder;
    struct heif_image *image; /* the page's */
    uint8_t *samples;         /* of its plane */
    int stride;
    int bits, channels; /* in the file: RGB or RGBA */
    int64_t next, held, inexact;
    HaloStatus status; /* of the sink */
} HeifWriter;

static HaloStatus outcome(struct heif_error error)
{
    if (error.code == heif_error_Ok) return HALO_OK;
    if (error.code == heif_error_Memory_allocation_error)
        return halo_fail(HALO_ERR_LIMIT, "not enough memory to write AVIF or HEIC");
    return halo_fail(HALO_ERR_OUTPUT, "libheif cannot write it: %s", error.message);
}

/* ---- the encoder ---------------------------------------------------------------------------------------- */

static bool is_avif(const HaloWriter *writer) { return strcmp(writer->format->name, "avif") == 0; }

/* --effort goes from 1 to 9: libaom's speed from 9 to 1, and x265's presets. */
static HaloStatus set_effort(const HeifWriter *state, int effort)
{
    static const char *const preset[] = {"ultrafast", "superfast", "veryfast", "faster",  "fast",
                                         "medium",    "slow",      "slower",   "veryslow"};
    char speed[12];
    if (effort == 0) return HALO_OK;
    snprintf(speed, sizeof speed, "%d", 10 - effort);
    return outcome(is_avif(state->writer)
                       ? heif.heif_encoder_set_parameter(state->encoder, "speed", speed)
                       : heif.heif_encoder_set_parameter(state->encoder, "preset", preset[effort - 1]));
}

/* All of the colours from quality 90 on, as of JPEG. */
static HaloStatus set_chroma(const HeifWriter *state)
{
    const HaloWriteOptions *options = &state->writer->options;
    const int wish = options->lossless           ? 444
                     : options->subsampling != 0 ? options->subsampling
                     : options->quality >= 90    ? 444
                                                 : 420;
    return outcome(heif.heif_encoder_set_parameter(state->encoder, "chroma",
                                                   wish == 444   ? "444"
                                                   : wish == 422 ? "422"
                                                                 : "420"));
}

static HaloStatus configure(HeifWriter *state)
{
    HaloStatus status = HALO_OK;
    const HaloWriter *writer = state->writer;
    const HaloWriteOptions *options = &writer->options;
    char threads[16];
    snprintf(threads, sizeof threads, "%d", writer->jobs < 1 ? 1 : writer->jobs > 16 ? 16 : writer->jobs);
    if (options->lossless) HALO_TRY(outcome(heif.heif_encoder_set_lossless(state->encoder, 1)));
    if (options->quality > 0)
        HALO_TRY(outcome(heif.heif_encoder_set_lossy_quality(state->encoder, options->quality)));
    HALO_TRY(set_chroma(state));
    HALO_TRY(set_effort(state, options->effort));
    if (is_avif(writer)) heif.heif_encoder_set_parameter(state->encoder, "threads", threads); /* if it has it */
out:
    return status;
}

static HaloStatus begin(HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    HeifWriter *state = writer->state = calloc(1, sizeof *state);
    if (state == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory to write AVIF or HEIC");
    state->writer = writer;
    state->context = heif.heif_context_alloc();
    if (state->context == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to write AVIF or HEIC");
    const struct heif_error error = heif.heif_context_get_encoder_for_format(
        state->context, is_avif(writer) ? heif_compression_AV1 : heif_compression_HEVC, &state->encoder);
    if (error.code != heif_error_Ok)
        HALO_FAIL(HALO_ERR_OUTPUT, "this libheif has no encoder for %s: install %s",
                  is_avif(writer) ? "AVIF" : "HEIC",
                  is_avif(writer) ? "libheif-plugin-aomenc" : "libheif-plugin-x265, or write AVIF");
    HALO_TRY(configure(state));
out:
    return status;
}

/* ---- a page --------------------------------------------------------------------------------------------- */

#define WRITES_AVIF_OF_10_BITS                                                    \
    0x01110000 /* libheif 1.17: the earlier 1.15 names a wrong profile to libaom, \
                */
               /* which then ends the process */

/* Of 16 bits: what the input had, if the format has it; else the most that is widely read. */
static int bits_of(const HaloWriter *writer)
{
    if (writer->info.shape.dtype == HALO_U8) return 8;
    if (is_avif(writer) && heif.heif_get_version_number() < WRITES_AVIF_OF_10_BITS) return 12;
    if (writer->info.bits > 8 && writer->info.bits <= 10) return 10;
    return is_avif(writer) || writer->info.bits == 12 ? 12 : 10;
}

static HaloStatus make_image(HeifWriter *state, int width, int height)
{
    HaloStatus status = HALO_OK;
    const bool wide = state->bits > 8, alpha = state->channels == 4;
    const enum heif_chroma chroma =
        wide    ? alpha ? heif_chroma_interleaved_RRGGBBAA_LE : heif_chroma_interleaved_RRGGBB_LE
        : alpha ? heif_chroma_interleaved_RGBA
                : heif_chroma_interleaved_RGB;
    HALO_TRY(outcome(heif.heif_image_create(width, height, heif_colorspace_RGB, chroma, &state->image)));
    HALO_TRY(
        outcome(heif.heif_image_add_plane(state->image, heif_channel_interleaved, width, height, state->bits)));
    state->samples = heif.heif_image_get_plane(state->image, heif_channel_interleaved, &state->stride);
    if (state->samples == NULL) status = halo_fail(HALO_ERR_LIMIT, "not enough memory to write AVIF or HEIC");
out:
    return status;
}

HaloStatus heif_create(HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = &writer->info.shape;
    if (shape->width > MOST_SIDE || shape->height > MOST_SIDE)
        return halo_fail(HALO_ERR_OUTPUT, "%lld x %lld pixels: %s holds at most %d each way",
                         (long long)shape->width, (long long)shape->height, writer->format->name, MOST_SIDE);
    /* libheif would describe alpha as RGB, too, on which libaom ends the process. */
    if (writer->options.lossless && shape->alpha >= 0)
        return halo_fail(
            HALO_ERR_OUTPUT,
            "%s with alpha cannot be lossless: write WebP, JPEG XL or PNG, or leave out --lossless",
            writer->format->name);
    if (writer->state == NULL) HALO_TRY(begin(writer));
    HeifWriter *state = writer->state;
    state->bits = bits_of(writer);
    state->channels = shape->alpha >= 0 ? 4 : 3;
    state->next = state->inexact = 0;
    /* libheif holds the samples, and the encoder the planes that it makes of them. */
    const int64_t bytes = 3 * shape->width * shape->height * state->channels * (state->bits > 8 ? 2 : 1);
    HALO_TRY(halo_memory_hold(writer->memory, bytes));
    state->held += bytes;
    HALO_TRY(make_image(state, (int)shape->width, (int)shape->height));
out:
    return status;
}

/* A sample of 16 bits as one of `bits`. */
static uint32_t narrow(HeifWriter *state, uint32_t v)
{
    const uint32_t most = (1u << state->bits) - 1, n = (v * most + 32767u) / 65535u;
    state->inexact += (n * 65535u + most / 2) / most != v;
    return n;
}

static void put_row(HeifWriter *state, const HaloBuf *rows, int64_t y)
{
    const int from_channels = rows->shape.channels, colours = from_channels - (rows->shape.alpha >= 0);
    const uint8_t *b = halo_row(rows, y);
    const uint16_t *w = halo_row(rows, y);
    uint8_t *to = state->samples + state->next++ * state->stride;
    for (int64_t x = 0; x < rows->cols; x++)
        for (int c = 0; c < state->channels; c++) {
            const int64_t from = x * from_channels + (c == 3 ? from_channels - 1 : colours == 1 ? 0 : c);
            const int64_t at = x * state->channels + c;
            if (state->bits == 8) {
                to[at] = b[from];
                continue;
            }
            const uint32_t v = narrow(state, w[from]);
            to[2 * at] = (uint8_t)v;
            to[2 * at + 1] = (uint8_t)(v >> 8);
        }
}

HaloStatus heif_write(HaloWriter *writer, const HaloBuf *rows)
{
    HeifWriter *state = writer->state;
    for (int64_t y = 0; y < rows->rows; y++) put_row(state, rows, y);
    if (writer->options.lossless && state->inexact > 0)
        return halo_fail(HALO_ERR_OUTPUT,
                         "%s holds at most 12 bits, so --lossless would change samples of 16: write JPEG XL or "
                         "PNG, or leave out --lossless",
                         writer->format->name);
    return HALO_OK;
}

/* ---- encoding ------------------------------------------------------------------------------------------- */

/* The colours as the file states them, and for lossless files RGB itself in place of YCbCr. */
static HaloStatus set_colours(HeifWriter *state, struct heif_encoding_options *options,
                              struct heif_color_profile_nclx **nclx)
{
    const HaloMeta *meta = &state->writer->info.meta;
    const HaloColourCode *code = &meta->code[HALO_CICP];
    const HaloShape rgb = {.channels = 3, .alpha = -1};
    *nclx = heif.heif_nclx_color_profile_alloc();
    if (*nclx == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory to write AVIF or HEIC");
    (*nclx)->color_primaries = code->size >= 4 ? (enum heif_color_primaries)code->bytes[0] : 1;
    (*nclx)->transfer_characteristics = code->size >= 4 ? (enum heif_transfer_characteristics)code->bytes[1]
                                                        : heif_transfer_characteristic_IEC_61966_2_1;
    (*nclx)->matrix_coefficients = state->writer->options.lossless ? heif_matrix_coefficients_RGB_GBR
                                                                   : heif_matrix_coefficients_ITU_R_BT_601_6;
    (*nclx)->full_range_flag = 1;
    const HaloStatus set = outcome(heif.heif_image_set_nclx_color_profile(state->image, *nclx));
    if (set != HALO_OK) return set;
    if (options->version >= 4) {
        options->output_nclx_profile = *nclx;
        options->macOS_compatibility_workaround_no_nclx_profile = 0;
    }
    if (halo_icc_fits(&meta->icc, &rgb)) {
        if (options->version >= 3) options->save_two_colr_boxes_when_ICC_and_nclx_available = 1;
        return outcome(
            heif.heif_image_set_raw_color_profile(state->image, "prof", meta->icc.data, meta->icc.size));
    }
    if (meta->icc.size > 0) halo_note_left_out(&state->writer->notes, HALO_META_ICC);
    if (meta->code[HALO_MDCV].size > 0 || meta->code[HALO_CLLI].size > 0)
        halo_note_left_out(&state->writer->notes, HALO_META_CODES);
    return HALO_OK;
}

static HaloStatus put_meta(const HeifWriter *state, const struct heif_image_handle *handle)
{
    HaloStatus status = HALO_OK;
    const HaloMeta *meta = &state->writer->info.meta;
    if (meta->exif.size > 0 && meta->exif.size <= INT32_MAX)
        HALO_TRY(outcome(heif.heif_context_add_exif_metadata(state->context, handle, meta->exif.data,
                                                             (int)meta->exif.size)));
    if (meta->xmp.size > 0 && meta->xmp.size <= INT32_MAX)
        HALO_TRY(outcome(
            heif.heif_context_add_XMP_metadata(state->context, handle, meta->xmp.data, (int)meta->xmp.size)));
out:
    return status;
}

HaloStatus heif_finish(HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    HeifWriter *state = writer->state;
    struct heif_encoding_options *options = heif.heif_encoding_options_alloc();
    struct heif_color_profile_nclx *nclx = NULL;
    struct heif_image_handle *handle = NULL;
    if (options == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to write AVIF or HEIC");
    HALO_TRY(set_colours(state, options, &nclx));
    HALO_TRY(outcome(
        heif.heif_context_encode_image(state->context, state->image, state->encoder, options, &handle)));
    HALO_TRY(put_meta(state, handle));
    heif.heif_image_release(state->image);
    state->image = NULL;
out:
    if (handle != NULL) heif.heif_image_handle_release(handle);
    if (nclx != NULL) heif.heif_nclx_color_profile_free(nclx);
    if (options != NULL) heif.heif_encoding_options_free(options);
    return status;
}

static struct heif_error put(struct heif_context *context, const void *data, size_t size, void *user)
{
    HeifWriter *state = user;
    (void)context;
    state->status = halo_sink_write(state->writer->sink, data, size);
    return (struct heif_error){state->status == HALO_OK ? heif_error_Ok : heif_error_Encoding_error,
                               heif_suberror_Cannot_write_output_data, "cannot be written"};
}

HaloStatus heif_end(HaloWriter *writer)
{
    HeifWriter *state = writer->state;
    struct heif_writer to = {.writer_api_version = 1, .write = put};
    if (state == NULL) return HALO_OK;
    const struct heif_error error = heif.heif_context_write(state->context, &to, state);
    return state->status != HALO_OK ? state->status : outcome(error);
}

void heif_discard(HaloWriter *writer)
{
    HeifWriter *state = writer->state;
    if (state == NULL) return;
    if (state->image != NULL) heif.heif_image_release(state->image);
    if (state->encoder != NULL) heif.heif_encoder_release(state->encoder);
    if (state->context != NULL) heif.heif_context_free(state->context);
    halo_memory_release(writer->memory, state->held);
    free(state);
    writer->state = NULL;
}
#endif

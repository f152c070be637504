/* Writes JPEG XL. A page is kept until it is known whether another one follows, which makes an animation. */
#ifdef HALO_HAVE_JXL
#include <stdlib.h>
#include <string.h>

#include "jxlfile.h"
#include "meta/meta.h"
#include "samples/image.h"

#define OUT_BYTES 65536
#define FRAME_MS 100 /* of frames that come without a time */

typedef struct JxlWriter {
    HaloBuf page; /* the latest */
    int64_t next, pages;
    double shown; /* of the latest page */
    JxlEncoder *encoder;
    JxlEncoderFrameSettings *settings;
    void *runner;
    int64_t held;
} JxlWriter;

static HaloStatus fail(const JxlWriter *state)
{
    const JxlEncoderError error = jxl.JxlEncoderGetError(state->encoder);
    return error == JXL_ENC_ERR_OOM
               ? halo_fail(HALO_ERR_LIMIT, "not enough memory to write JPEG XL")
               : halo_fail(HALO_ERR_OUTPUT, "JPEG XL: the picture cannot be encoded (error %d)", (int)error);
}

#define ENCODER_TRY(call)                \
    do {                                 \
        if ((call) != JXL_ENC_SUCCESS) { \
            status = fail(state);        \
            goto out;                    \
        }                                \
    } while (0)

/* ---- pages ---------------------------------------------------------------------------------------------- */

/* Butteraugli's distance for a quality like JPEG's, as cjxl has it; 90 is 1.0, which is its default. */
static float distance_of(int quality)
{
    const float q = (float)quality;
    if (quality == 0) return 1.0f;
    return quality >= 30 ? 0.1f + (100.0f - q) * 0.09f : 53.0f / 3000.0f * q * q - 23.0f / 20.0f * q + 25.0f;
}

/* libjxl 0.7 writes floats of small pictures wrongly, and ends the process where it has to compress pictures of
 * one value with an effort beyond 7. */
#define IS_SOUND (jxl.JxlEncoderVersion() >= 9000)

static HaloStatus configure(JxlWriter *state, const HaloWriteOptions *options)
{
    HaloStatus status = HALO_OK;
    state->settings = jxl.JxlEncoderFrameSettingsCreate(state->encoder, NULL);
    if (state->settings == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory to write JPEG XL");
    const int effort = options->effort > 7 && !IS_SOUND ? 7 : options->effort;
    if (effort > 0)
        ENCODER_TRY(
            jxl.JxlEncoderFrameSettingsSetOption(state->settings, JXL_ENC_FRAME_SETTING_EFFORT, effort));
    if (options->lossless) {
        ENCODER_TRY(jxl.JxlEncoderSetFrameLossless(state->settings, JXL_TRUE));
        /* Colours that alpha hides are samples, too. */
        ENCODER_TRY(
            jxl.JxlEncoderFrameSettingsSetOption(state->settings, JXL_ENC_FRAME_SETTING_KEEP_INVISIBLE, 1));
    } else {
        ENCODER_TRY(jxl.JxlEncoderSetFrameDistance(state->settings, distance_of(options->quality)));
    }
out:
    return status;
}

static HaloStatus put_info(JxlWriter *state, const HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = &state->page.shape;
    const bool alpha = shape->alpha >= 0, real = shape->dtype == HALO_F32;
    JxlBasicInfo info;
    jxl.JxlEncoderInitBasicInfo(&info);
    info.xsize = (uint32_t)shape->width;
    info.ysize = (uint32_t)shape->height;
    info.bits_per_sample = 8 * (uint32_t)halo_dtype_size(shape->dtype);
    info.exponent_bits_per_sample = real ? 8 : 0;
    info.num_color_channels = (uint32_t)(shape->channels - alpha);
    info.num_extra_channels = alpha;
    info.alpha_bits = alpha ? info.bits_per_sample : 0;
    info.alpha_exponent_bits = alpha ? info.exponent_bits_per_sample : 0;
    info.uses_original_profile = writer->options.lossless;
    info.have_animation = state->pages > 1;
    if (info.have_animation)
        info.animation = (JxlAnimationHeader){
            .tps_numerator = 1000, .tps_denominator = 1, .num_loops = (uint32_t)writer->info.meta.plays};
    ENCODER_TRY(jxl.JxlEncoderSetBasicInfo(state->encoder, &info));
    if (jxl.JxlEncoderGetRequiredCodestreamLevel(state->encoder) == 10)
        ENCODER_TRY(jxl.JxlEncoderSetCodestreamLevel(state->encoder, 10));
out:
    return status;
}

/* A profile that libjxl cannot read is left out. */
static HaloStatus put_colours(const JxlWriter *state, HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    const HaloMeta *meta = &writer->info.meta;
    const bool gray = state->page.shape.channels - (state->page.shape.alpha >= 0) == 1;
    JxlColorEncoding colours;
    if (halo_icc_fits(&meta->icc, &state->page.shape)) {
        if (jxl.JxlEncoderSetICCProfile(state->encoder, meta->icc.data, meta->icc.size) == JXL_ENC_SUCCESS)
            return HALO_OK;
        halo_note_left_out(&writer->notes, HALO_META_ICC);
    }
    if (meta->gamma == 1.0)
        jxl.JxlColorEncodingSetToLinearSRGB(&colours, gray);
    else
        jxl.JxlColorEncodingSetToSRGB(&colours, gray);
    ENCODER_TRY(jxl.JxlEncoderSetColorEncoding(state->encoder, &colours));
out:
    return status;
}

static HaloStatus put_meta(const JxlWriter *state, const HaloMeta *meta)
{
    HaloStatus status = HALO_OK;
    uint8_t *exif = NULL;
    if (meta->exif.size == 0 && meta->xmp.size == 0) return HALO_OK;
    ENCODER_TRY(jxl.JxlEncoderUseBoxes(state->encoder));
    if (meta->exif.size > 0) {
        exif = calloc(1, meta->exif.size + 4);
        if (exif == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to write JPEG XL");
        memcpy(exif + 4, meta->exif.data, meta->exif.size);
        ENCODER_TRY(jxl.JxlEncoderAddBox(state->encoder, "Exif", exif, meta->exif.size + 4, JXL_FALSE));
    }
    if (meta->xmp.size > 0)
        ENCODER_TRY(jxl.JxlEncoderAddBox(state->encoder, "xml ", meta->xmp.data, meta->xmp.size, JXL_FALSE));
out:
    free(exif);
    return status;
}

static HaloStatus begin_file(HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    JxlWriter *state = writer->state;
    state->encoder = jxl.JxlEncoderCreate(NULL);
    if (state->encoder == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to write JPEG XL");
    if (writer->jobs > 1) state->runner = jxl_threads.JxlThreadParallelRunnerCreate(NULL, (size_t)writer->jobs);
    if (state->runner != NULL)
        ENCODER_TRY(jxl.JxlEncoderSetParallelRunner(state->encoder, jxl_threads.JxlThreadParallelRunner,
                                                    state->runner));
    HALO_TRY(configure(state, &writer->options));
    HALO_TRY(put_meta(state, &writer->info.meta));
    HALO_TRY(put_info(state, writer));
    HALO_TRY(put_colours(state, writer));
out:
    return status;
}

/* Gives the latest page to the encoder, which takes a copy. */
static HaloStatus put_page(HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    JxlWriter *state = writer->state;
    const HaloBuf *page = &state->page;
    const HaloDtype dtype = page->shape.dtype;
    const JxlPixelFormat format = {(uint32_t)page->shape.channels,
                                   dtype == HALO_F32   ? JXL_TYPE_FLOAT
                                   : dtype == HALO_U16 ? JXL_TYPE_UINT16
                                                       : JXL_TYPE_UINT8,
                                   JXL_NATIVE_ENDIAN, 0};
    if (state->encoder == NULL) HALO_TRY(begin_file(writer));
    if (state->pages > 1) {
        JxlFrameHeader header;
        jxl.JxlEncoderInitFrameHeader(&header);
        header.duration =
            state->shown > 0 && state->shown < 1e6 ? (uint32_t)(state->shown * 1000 + 0.5) : FRAME_MS;
        ENCODER_TRY(jxl.JxlEncoderSetFrameHeader(state->settings, &header));
    }
    ENCODER_TRY(
        jxl.JxlEncoderAddImageFrame(state->settings, &format, page->data, (size_t)(page->stride * page->rows)));
    halo_memory_free(writer->memory, &state->page);
out:
    return status;
}

HaloStatus jxl_create(HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = &writer->info.shape;
    JxlWriter *state = writer->state;
    if (shape->width > (1 << 30) - 1 || shape->height > (1 << 30) - 1)
        return halo_fail(HALO_ERR_OUTPUT, "%lld x %lld pixels: JPEG XL holds at most 1073741823 each way",
                         (long long)shape->width, (long long)shape->height);
    if (writer->options.lossless && shape->dtype == HALO_F32 && !IS_SOUND)
        return halo_fail(HALO_ERR_OUTPUT,
                         "this libjxl, older than 0.9, does not keep all floats: write TIFF, or leave "
                         "out --lossless");
    if (state == NULL) state = writer->state = calloc(1, sizeof *state);
    if (state == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory to write JPEG XL");
    const HaloShape last = state->page.shape;
    if (state->pages > 0 && (shape->width != last.width || shape->height != last.height ||
                             shape->channels != last.channels || shape->dtype != last.dtype))
        return halo_fail(
            HALO_ERR_OUTPUT,
            "a page of %lld x %lld pixels behind one of %lld x %lld, or of another type: frames of an "
            "animation are alike; --split writes a file for each page",
            (long long)shape->width, (long long)shape->height, (long long)last.width, (long long)last.height);
    state->pages++;
    if (state->pages > 1) HALO_TRY(put_page(writer));
    state->next = 0;
    const int64_t bytes = 16 * shape->width * shape->height * shape->channels; /* of the encoder */
    HALO_TRY(halo_memory_hold(writer->memory, bytes));
    state->held += bytes;
    HALO_TRY(halo_memory_alloc(writer->memory, &state->page, shape));
out:
    return status;
}

HaloStatus jxl_write(HaloWriter *writer, const HaloBuf *rows)
{
    JxlWriter *state = writer->state;
    for (int64_t y = 0; y < rows->rows; y++)
        memcpy(halo_row(&state->page, state->next++), halo_row(rows, y), (size_t)halo_row_bytes(rows));
    return HALO_OK;
}

HaloStatus jxl_finish(HaloWriter *writer)
{
    JxlWriter *state = writer->state;
    state->shown = writer->info.meta.shown;
    return HALO_OK;
}

/* ---- the file ------------------------------------------------------------------------------------------- */

HaloStatus jxl_end(HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    JxlWriter *state = writer->state;
    uint8_t *out = NULL;
    JxlEncoderStatus more = JXL_ENC_NEED_MORE_OUTPUT;
    if (state == NULL || state->pages == 0) return HALO_OK;
    HALO_TRY(put_page(writer));
    jxl.JxlEncoderCloseInput(state->encoder);
    out = malloc(OUT_BYTES);
    if (out == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to write JPEG XL");
    while (more == JXL_ENC_NEED_MORE_OUTPUT) {
        uint8_t *at = out;
        size_t left = OUT_BYTES;
        more = jxl.JxlEncoderProcessOutput(state->encoder, &at, &left);
        if (more == JXL_ENC_ERROR) {
            status = fail(state);
            goto out;
        }
        HALO_TRY(halo_sink_write(writer->sink, out, (size_t)(at - out)));
    }
out:
    free(out);
    return status;
}

void jxl_discard(HaloWriter *writer)
{
    JxlWriter *state = writer->state;
    if (state == NULL) return;
    if (state->encoder != NULL) jxl.JxlEncoderDestroy(state->encoder);
    if (state->runner != NULL) jxl_threads.JxlThreadParallelRunnerDestroy(state->runner);
    halo_memory_free(writer->memory, &state->page);
    halo_memory_release(writer->memory, state->held);
    free(state);
    writer->state = NULL;
}
#endif

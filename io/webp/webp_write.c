/* Writes WebP. A picture is encoded when all of its rows are there; several become an animation whose frames
 * replace one another, so that each is read back as it was. */
#ifdef HALO_HAVE_WEBP
#include <stdlib.h>
#include <string.h>

#include "libwebp.h"
#include "meta/meta.h"
#include "samples/image.h"
#include "webpfile.h"

#define FRAME_MS 100 /* of frames that come without a time */

typedef struct WebpWriter {
    HaloBuf rows; /* of the page: RGB or RGBA */
    int64_t next;
    WebPConfig config;
    WebPMux *mux;
    WebPMemoryWriter first; /* the first frame, until there is a second */
    int64_t frames, width, height;
    double shown; /* of the first frame */
    int64_t held; /* bytes of encoded frames */
} WebpWriter;

static HaloStatus fail_memory(void) { return halo_fail(HALO_ERR_LIMIT, "not enough memory to write WebP"); }

static HaloStatus fail_mux(WebPMuxError error)
{
    return error == WEBP_MUX_MEMORY_ERROR
               ? fail_memory()
               : halo_fail(HALO_ERR_OUTPUT, "WebP: the container cannot be made (error %d)", error);
}

/* --effort goes from 1 to 9: cwebp's -m from 0 to 6, and its -z for lossless files. */
static HaloStatus configure(const HaloWriteOptions *options, WebPConfig *config)
{
    const int quality = options->quality > 0 ? options->quality : 75, effort = options->effort;
    if (!webp.WebPConfigInitInternal(config, WEBP_PRESET_DEFAULT, (float)quality, WEBP_ENCODER_ABI_VERSION))
        return halo_fail(HALO_ERR_OUTPUT, "this libwebp is another version than halo was built for");
    if (effort > 0) config->method = ((effort - 1) * 6 + 4) / 8;
    if (options->lossless) webp.WebPConfigLosslessPreset(config, effort > 0 ? effort : 6);
    config->exact = 1; /* colours that alpha hides are samples, too */
    return HALO_OK;
}

/* ---- the page's rows ------------------------------------------------------------------------------------ */

static HaloStatus begin(HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    WebpWriter *state = writer->state = calloc(1, sizeof *state);
    if (state == NULL) return fail_memory();
    webp.WebPMemoryWriterInit(&state->first);
    state->width = writer->info.shape.width;
    state->height = writer->info.shape.height;
    HALO_TRY(configure(&writer->options, &state->config));
    state->config.thread_level = writer->jobs > 1;
    state->mux = webp_mux.WebPNewInternal(WEBP_MUX_ABI_VERSION);
    if (state->mux == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to write WebP");
out:
    return status;
}

HaloStatus webp_create(HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    HaloShape shape = writer->info.shape;
    if (shape.width > WEBP_MAX_DIMENSION || shape.height > WEBP_MAX_DIMENSION)
        return halo_fail(HALO_ERR_OUTPUT, "%lld x %lld pixels: WebP holds at most %d each way",
                         (long long)shape.width, (long long)shape.height, WEBP_MAX_DIMENSION);
    if (writer->state == NULL) HALO_TRY(begin(writer));
    WebpWriter *state = writer->state;
    if (shape.width != state->width || shape.height != state->height)
        HALO_FAIL(
            HALO_ERR_OUTPUT,
            "a page of %lld x %lld pixels behind one of %lld x %lld: frames of an animation have one size; "
            "--split writes a file for each page",
            (long long)shape.width, (long long)shape.height, (long long)state->width, (long long)state->height);
    shape.channels = shape.alpha >= 0 ? 4 : 3;
    state->next = 0;
    HALO_TRY(halo_memory_alloc(writer->memory, &state->rows, &shape));
out:
    return status;
}

HaloStatus webp_write(HaloWriter *writer, const HaloBuf *rows)
{
    WebpWriter *state = writer->state;
    const int channels = writer->info.shape.channels, to_channels = state->rows.shape.channels;
    for (int64_t y = 0; y < rows->rows; y++) {
        const uint8_t *from = halo_row(rows, y);
        uint8_t *to = halo_row(&state->rows, state->next++);
        if (channels == to_channels) memcpy(to, from, (size_t)halo_row_bytes(rows));
        for (int64_t x = 0; x < rows->cols && channels < 3; x++) {
            memset(to + x * to_channels, from[x * channels], 3);
            if (channels == 2) to[x * 4 + 3] = from[x * 2 + 1];
        }
    }
    return HALO_OK;
}

/* ---- encoding ------------------------------------------------------------------------------------------- */

static HaloStatus outcome(const WebPPicture *picture, int worked)
{
    if (worked) return HALO_OK;
    const WebPEncodingError code = picture->error_code;
    if (code == VP8_ENC_ERROR_OUT_OF_MEMORY || code == VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY)
        return fail_memory();
    return halo_fail(HALO_ERR_OUTPUT, "WebP: the picture cannot be encoded (error %d)", code);
}

/* The encoder keeps the picture once more, at four bytes a pixel. */
static HaloStatus encode(const HaloWriter *writer, WebPMemoryWriter *to)
{
    HaloStatus status = HALO_OK;
    WebpWriter *state = writer->state;
    const HaloBuf *rows = &state->rows;
    const int64_t bytes = 4 * rows->cols * rows->rows;
    WebPPicture picture;
    status = halo_memory_hold(writer->memory, bytes);
    if (status != HALO_OK) return status;
    if (!webp.WebPPictureInitInternal(&picture, WEBP_ENCODER_ABI_VERSION)) {
        status = fail_memory();
        goto out;
    }
    picture.use_argb = state->config.lossless;
    picture.width = (int)rows->cols;
    picture.height = (int)rows->rows;
    picture.writer = webp.WebPMemoryWrite;
    picture.custom_ptr = to;
    HALO_TRY(outcome(&picture, rows->shape.channels == 4
                                   ? webp.WebPPictureImportRGBA(&picture, rows->data, (int)rows->stride)
                                   : webp.WebPPictureImportRGB(&picture, rows->data, (int)rows->stride)));
    HALO_TRY(outcome(&picture, webp.WebPEncode(&state->config, &picture)));
out:
    webp.WebPPictureFree(&picture);
    halo_memory_release(writer->memory, bytes);
    return status;
}

/* A gray picture becomes RGB, which its profile does not describe. */
static bool profile_fits(const HaloWriter *writer)
{
    const HaloShape rgb = {.channels = 3, .alpha = -1};
    return halo_icc_fits(&writer->info.meta.icc, &rgb);
}

static HaloStatus push(WebpWriter *state, const WebPMemoryWriter *frame, double shown)
{
    const WebPMuxFrameInfo info = {.bitstream = {frame->mem, frame->size},
                                   .id = WEBP_CHUNK_ANMF,
                                   .duration =
                                       shown > 0 && shown < 16000 ? (int)(shown * 1000 + 0.5) : FRAME_MS,
                                   .dispose_method = WEBP_MUX_DISPOSE_NONE,
                                   .blend_method = WEBP_MUX_NO_BLEND};
    const WebPMuxError error = webp_mux.WebPMuxPushFrame(state->mux, &info, 1);
    return error == WEBP_MUX_OK ? HALO_OK : fail_mux(error);
}

HaloStatus webp_finish(HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    WebpWriter *state = writer->state;
    const double shown = writer->info.meta.shown;
    WebPMemoryWriter frame;
    webp.WebPMemoryWriterInit(&frame);
    WebPMemoryWriter *const to = state->frames == 0 ? &state->first : &frame;
    if (writer->info.meta.icc.size > 0 && !profile_fits(writer))
        halo_note_left_out(&writer->notes, HALO_META_ICC);
    HALO_TRY(encode(writer, to));
    halo_memory_free(writer->memory, &state->rows);
    HALO_TRY(halo_memory_hold(writer->memory, 2 * (int64_t)to->size));
    state->held += 2 * (int64_t)to->size;
    if (state->frames == 0) state->shown = shown;
    if (state->frames == 1) HALO_TRY(push(state, &state->first, state->shown));
    if (state->frames > 0) HALO_TRY(push(state, &frame, shown));
    state->frames++;
out:
    webp.WebPMemoryWriterClear(&frame);
    return status;
}

/* ---- the container -------------------------------------------------------------------------------------- */

static HaloStatus put_chunk(const WebpWriter *state, const char *name, const HaloBlob *blob)
{
    if (blob->size == 0) return HALO_OK;
    const WebPMuxError error =
        webp_mux.WebPMuxSetChunk(state->mux, name, &(WebPData){blob->data, blob->size}, 0);
    return error == WEBP_MUX_OK ? HALO_OK : fail_mux(error);
}

static HaloStatus assemble(const HaloWriter *writer, WebPData *file)
{
    HaloStatus status = HALO_OK;
    WebpWriter *state = writer->state;
    const HaloMeta *meta = &writer->info.meta;
    const WebPMuxAnimParams params = {.bgcolor = 0, .loop_count = meta->plays};
    WebPMuxError error =
        state->frames > 1
            ? webp_mux.WebPMuxSetAnimationParams(state->mux, &params)
            : webp_mux.WebPMuxSetImage(state->mux, &(WebPData){state->first.mem, state->first.size}, 0);
    if (error != WEBP_MUX_OK) return fail_mux(error);
    if (profile_fits(writer)) HALO_TRY(put_chunk(state, "ICCP", &meta->icc));
    HALO_TRY(put_chunk(state, "EXIF", &meta->exif));
    HALO_TRY(put_chunk(state, "XMP ", &meta->xmp));
    error = webp_mux.WebPMuxAssemble(state->mux, file);
    if (error != WEBP_MUX_OK) status = fail_mux(error);
out:
    return status;
}

HaloStatus webp_end(HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    const WebpWriter *state = writer->state;
    WebPData file = {NULL, 0};
    if (state == NULL || state->frames == 0) return HALO_OK;
    HALO_TRY(assemble(writer, &file));
    HALO_TRY(halo_sink_write(writer->sink, file.bytes, file.size));
out:
    webp.WebPFree((void *)(uintptr_t)file.bytes);
    return status;
}

void webp_discard(HaloWriter *writer)
{
    WebpWriter *state = writer->state;
    if (state == NULL) return;
    halo_memory_free(writer->memory, &state->rows);
    halo_memory_release(writer->memory, state->held);
    webp.WebPMemoryWriterClear(&state->first);
    if (state->mux != NULL) webp_mux.WebPMuxDelete(state->mux);
    free(state);
    writer->state = NULL;
}
#endif

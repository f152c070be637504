/* Reads WebP. A still picture is decoded as its rows are wanted, an animation frame by frame: each page is the
 * whole canvas as it is shown. */
#ifdef HALO_HAVE_WEBP
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libwebp.h"
#include "meta/meta.h"
#include "samples/image.h"
#include "samples/whole.h"
#include "webpfile.h"

#define FED_BYTES 65536 /* at a time */

typedef struct WebpReader {
    WebPData file;
    WebPDemuxer *demux;
    HaloWhole whole;
    bool lossless, moves; /* an animation */
    bool shows_behind;    /* what is behind its first frame */
    bool ended;           /* the file, within the picture */
    /* A still picture: how many bytes the decoder has been given. */
    WebPDecoderConfig config;
    WebPIDecoder *decoder;
    size_t fed;
    /* An animation: how many frames have been decoded. */
    WebPAnimDecoder *frames;
    int64_t decoded;
} WebpReader;

/* ---- the header ----------------------------------------------------------------------------------------- */

static HaloStatus fail_damaged(void) { return halo_fail(HALO_ERR_INPUT, "WebP: the data are damaged"); }

/* Does an animation show what is behind its first frame? Then all pages have alpha. */
static bool shows_behind(const WebpReader *state)
{
    WebPIterator frame;
    bool behind = false;
    memset(&frame, 0, sizeof frame);
    if (!state->moves) return false;
    if (webp_demux.WebPDemuxGetFrame(state->demux, 1, &frame))
        behind = frame.width < (int)webp_demux.WebPDemuxGetI(state->demux, WEBP_FF_CANVAS_WIDTH) ||
                 frame.height < (int)webp_demux.WebPDemuxGetI(state->demux, WEBP_FF_CANVAS_HEIGHT);
    webp_demux.WebPDemuxReleaseIterator(&frame);
    return behind || (webp_demux.WebPDemuxGetI(state->demux, WEBP_FF_FORMAT_FLAGS) & ALPHA_FLAG) != 0;
}

static HaloStatus find_parts(HaloReader *reader)
{
    WebpReader *state = reader->state;
    WebPDemuxState how = WEBP_DEMUX_PARSE_ERROR;
    state->demux = webp_demux.WebPDemuxInternal(&state->file, 1, &how, WEBP_DEMUX_ABI_VERSION);
    if (how == WEBP_DEMUX_PARSE_ERROR)
        return halo_fail(HALO_ERR_INPUT, "not a readable WebP file: its parts are inconsistent");
    if (how == WEBP_DEMUX_PARSING_HEADER || state->demux == NULL)
        return halo_fail(HALO_ERR_INPUT, "truncated before the first row");
    state->ended = how != WEBP_DEMUX_DONE;
    state->moves = (webp_demux.WebPDemuxGetI(state->demux, WEBP_FF_FORMAT_FLAGS) & ANIMATION_FLAG) != 0;
    state->shows_behind = shows_behind(state);
    return HALO_OK;
}

static HaloStatus take_chunk(const WebpReader *state, const char *name, HaloBlob *blob)
{
    HaloStatus status = HALO_OK;
    WebPChunkIterator chunk;
    memset(&chunk, 0, sizeof chunk);
    if (!webp_demux.WebPDemuxGetChunk(state->demux, name, 1, &chunk)) return HALO_OK;
    status = halo_blob_set(blob, chunk.chunk.bytes, chunk.chunk.size);
    webp_demux.WebPDemuxReleaseChunkIterator(&chunk);
    return status;
}

static HaloStatus take_meta(const WebpReader *state, HaloMeta *meta)
{
    HaloStatus status = HALO_OK;
    HaloBlob exif = {0};
    HALO_TRY(take_chunk(state, "ICCP", &meta->icc));
    HALO_TRY(take_chunk(state, "XMP ", &meta->xmp));
    HALO_TRY(take_chunk(state, "EXIF", &exif));
    HALO_TRY(halo_image_take_exif(meta, exif.data, exif.size));
out:
    free(exif.data);
    return status;
}

/* Of the frame that options.image names: how long it is shown. */
static HaloStatus look_at_frame(HaloReader *reader)
{
    const WebpReader *state = reader->state;
    WebPIterator frame;
    memset(&frame, 0, sizeof frame);
    if (!webp_demux.WebPDemuxGetFrame(state->demux, (int)reader->options.image + 1, &frame))
        return halo_fail(HALO_ERR_INPUT, "truncated before the first row");
    reader->info.meta.shown = state->moves ? frame.duration / 1000.0 : 0;
    webp_demux.WebPDemuxReleaseIterator(&frame);
    return HALO_OK;
}

static HaloStatus look_at_features(const WebpReader *state, WebPBitstreamFeatures *features)
{
    const VP8StatusCode code =
        webp.WebPGetFeaturesInternal(state->file.bytes, state->file.size, features, WEBP_DECODER_ABI_VERSION);
    if (code == VP8_STATUS_OK) return HALO_OK;
    return code == VP8_STATUS_NOT_ENOUGH_DATA ? halo_fail(HALO_ERR_INPUT, "truncated before the first row")
                                              : fail_damaged();
}

static HaloStatus look_at_page(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    WebpReader *state = reader->state;
    WebPBitstreamFeatures features = {0};
    HaloInfo *info = &reader->info;
    bool alpha = state->shows_behind;
    HALO_TRY(look_at_frame(reader));
    if (!state->moves) {
        HALO_TRY(look_at_features(state, &features));
        alpha = features.has_alpha;
        state->lossless = features.format == 2;
    }
    const int64_t width = webp_demux.WebPDemuxGetI(state->demux, WEBP_FF_CANVAS_WIDTH);
    const int64_t height = webp_demux.WebPDemuxGetI(state->demux, WEBP_FF_CANVAS_HEIGHT);
    HALO_TRY(halo_image_open(reader, width, height, alpha ? 4 : 3, HALO_U8));
    if (alpha) info->shape.alpha = 3;
    info->bits = 8;
    info->lossless = !state->moves && state->lossless;
    info->meta.plays = state->moves ? (int)webp_demux.WebPDemuxGetI(state->demux, WEBP_FF_LOOP_COUNT) : 0;
    info->images = state->moves ? webp_demux.WebPDemuxGetI(state->demux, WEBP_FF_FRAME_COUNT) : 1;
    snprintf(info->encoding, sizeof info->encoding, "%s",
             state->moves      ? "animation"
             : state->lossless ? "lossless"
                               : "lossy");
    HALO_TRY(take_meta(state, &info->meta));
out:
    return status;
}

HaloStatus webp_open(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    WebpReader *state = NULL;
    HALO_TRY(webp_load());
    state = reader->state = calloc(1, sizeof *state);
    if (state == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to read WebP");
    HALO_TRY(halo_source_slurp(reader->source, &state->file.bytes, &state->file.size));
    HALO_TRY(find_parts(reader));
    HALO_TRY(look_at_page(reader));
out:
    return status;
}

HaloStatus webp_next(HaloReader *reader) { return look_at_page(reader); }

/* ---- a still picture ------------------------------------------------------------------------------------ */

static HaloStatus begin_still(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    WebpReader *state = reader->state;
    const HaloShape *shape = &reader->info.shape;
    WebPRGBABuffer *to = &state->config.output.u.RGBA;
    /* The lossless decoder keeps the picture once more, at four bytes a pixel. */
    HALO_TRY(halo_whole_begin(reader, state->lossless ? 4 * shape->width * shape->height : 0, &state->whole));
    const HaloBuf *data = &state->whole.data;
    memset(data->data, 0, (size_t)(data->stride * data->rows));
    if (!webp.WebPInitDecoderConfigInternal(&state->config, WEBP_DECODER_ABI_VERSION))
        HALO_FAIL(HALO_ERR_INPUT, "this libwebp is another version than halo was built for");
    state->config.options.use_threads = reader->jobs > 1;
    state->config.output.colorspace = shape->channels == 4 ? MODE_RGBA : MODE_RGB;
    state->config.output.is_external_memory = 1;
    *to = (WebPRGBABuffer){data->data, (int)data->stride, (size_t)(data->stride * data->rows)};
    state->decoder = webp.WebPIDecode(NULL, 0, &state->config);
    if (state->decoder == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to read WebP");
out:
    return status;
}

static HaloStatus fail_of(VP8StatusCode code)
{
    return code == VP8_STATUS_OUT_OF_MEMORY ? halo_fail(HALO_ERR_LIMIT, "not enough memory to read WebP")
                                            : fail_damaged();
}

/* Gives the decoder more of the file until this row is there. */
static HaloStatus decode_still(HaloReader *reader, int64_t row)
{
    WebpReader *state = reader->state;
    const int64_t height = reader->info.shape.height;
    int ready = 0;
    for (;;) {
        webp.WebPIDecGetRGB(state->decoder, &ready, NULL, NULL, NULL);
        if (ready > row) return HALO_OK;
        if (state->fed == state->file.size) break;
        const size_t left = state->file.size - state->fed;
        state->fed += left < FED_BYTES ? left : FED_BYTES;
        const VP8StatusCode code = webp.WebPIUpdate(state->decoder, state->file.bytes, state->fed);
        if (code == VP8_STATUS_OK) return HALO_OK;
        if (code != VP8_STATUS_SUSPENDED && !reader->options.tolerate) return fail_of(code);
        if (code != VP8_STATUS_SUSPENDED) state->fed = state->file.size;
    }
    return ready < height ? halo_image_ends(reader, ready) : HALO_OK; /* what is missing is 0 */
}

/* ---- an animation --------------------------------------------------------------------------------------- */

static HaloStatus begin_frames(HaloReader *reader)
{
    WebpReader *state = reader->state;
    const HaloShape *shape = &reader->info.shape;
    WebPAnimDecoderOptions options;
    HaloStatus status = halo_whole_begin(reader, 8 * shape->width * shape->height, &state->whole);
    if (status != HALO_OK) return status;
    if (!webp_demux.WebPAnimDecoderOptionsInitInternal(&options, WEBP_DEMUX_ABI_VERSION))
        return halo_fail(HALO_ERR_INPUT, "this libwebp is another version than halo was built for");
    options.color_mode = MODE_RGBA;
    options.use_threads = reader->jobs > 1;
    state->frames = webp_demux.WebPAnimDecoderNewInternal(&state->file, &options, WEBP_DEMUX_ABI_VERSION);
    return state->frames != NULL ? HALO_OK : fail_damaged();
}

/* Decodes to the frame that is wanted; frames build on those before them. */
static HaloStatus decode_frame(HaloReader *reader)
{
    WebpReader *state = reader->state;
    const HaloBuf *data = &state->whole.data;
    uint8_t *canvas = NULL;
    int end;
    for (; state->decoded <= reader->options.image; state->decoded++)
        if (!webp_demux.WebPAnimDecoderGetNext(state->frames, &canvas, &end)) {
            if (!reader->options.tolerate) return fail_damaged();
            halo_image_damaged(reader, 0);
            memset(data->data, 0, (size_t)(data->stride * data->rows));
            return HALO_OK;
        }
    const int channels = data->shape.channels;
    for (int64_t i = 0; i < data->rows * data->cols; i++)
        memcpy((uint8_t *)data->data + i * channels, canvas + 4 * i, (size_t)channels);
    return HALO_OK;
}

/* ---- rows ----------------------------------------------------------------------------------------------- */

static HaloStatus begin(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    WebpReader *state = reader->state;
    if (!state->moves) return state->decoder == NULL ? begin_still(reader) : HALO_OK;
    if (state->frames == NULL) HALO_TRY(begin_frames(reader));
    if (state->decoded <= reader->options.image) {
        HALO_TRY(decode_frame(reader));
        state->whole.next = 0;
    }
out:
    return status;
}

HaloStatus webp_read(HaloReader *reader, HaloBuf *rows, int64_t *got)
{
    HaloStatus status = HALO_OK;
    WebpReader *state = reader->state;
    *got = 0;
    HALO_TRY(begin(reader));
    if (!state->moves) HALO_TRY(decode_still(reader, state->whole.next + rows->rows - 1));
    halo_whole_give(&state->whole, rows);
    *got = rows->rows;
out:
    return status;
}

void webp_close(HaloReader *reader)
{
    WebpReader *state = reader->state;
    if (state == NULL) return;
    if (state->decoder != NULL) webp.WebPIDelete(state->decoder);
    if (state->frames != NULL) webp_demux.WebPAnimDecoderDelete(state->frames);
    if (state->demux != NULL) webp_demux.WebPDemuxDelete(state->demux);
    halo_whole_free(reader, &state->whole);
    free(state);
    reader->state = NULL;
}
#endif

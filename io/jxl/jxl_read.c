/* Reads JPEG XL. libjxl decodes a frame as a whole, turns it as its file says, and divides colours by alpha
 * where they are multiplied by it. Depths between 8 and 16 are scaled to 16. */
#ifdef HALO_HAVE_JXL
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jxlfile.h"
#include "meta/meta.h"
#include "samples/image.h"

/* The type of the samples: integers beyond 16 bits become floats. */
static HaloDtype type_of(const JxlBasicInfo *info)
{
    if (info->exponent_bits_per_sample > 0 || info->bits_per_sample > 16) return HALO_F32;
    return info->bits_per_sample > 8 ? HALO_U16 : HALO_U8;
}

static HaloStatus look_at_page(HaloReader *reader)
{
    const JxlReader *state = reader->state;
    const JxlBasicInfo *jxl_info = &state->info;
    HaloInfo *info = &reader->info;
    const int64_t page = reader->options.image;
    if (page >= state->frames)
        return halo_fail(HALO_ERR_INPUT, "there is no page %lld of %lld", (long long)page + 1,
                         (long long)state->frames);
    /* The header gives the size as it is after turning. */
    const int channels = (int)jxl_info->num_color_channels + state->alpha;
    const HaloStatus status =
        halo_image_open(reader, jxl_info->xsize, jxl_info->ysize, channels, type_of(jxl_info));
    if (status != HALO_OK) return status;
    if (state->alpha) info->shape.alpha = channels - 1;
    info->bits = (int)jxl_info->bits_per_sample;
    info->real = jxl_info->exponent_bits_per_sample > 0;
    info->images = state->frames;
    info->lossless = jxl_info->uses_original_profile;
    info->meta.shown = (double)state->shown[page];
    if (jxl_info->have_animation && jxl_info->animation.num_loops <= INT32_MAX)
        info->meta.plays = (int)jxl_info->animation.num_loops;
    snprintf(info->encoding, sizeof info->encoding, "%s%s",
             jxl_info->uses_original_profile ? "in its colours" : "XYB",
             jxl_info->have_animation ? ", animation" : "");
    if (state->alpha && jxl_info->alpha_premultiplied) halo_note(&info->notes, HALO_NOTE_DIVIDED, 1);
    return HALO_OK;
}

HaloStatus jxl_open(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    JxlReader *state = NULL;
    HALO_TRY(jxl_load());
    state = reader->state = calloc(1, sizeof *state);
    if (state == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to read JPEG XL");
    HALO_TRY(halo_source_slurp(reader->source, &state->bytes, &state->size));
    HALO_TRY(jxl_read_head(reader));
    HALO_TRY(look_at_page(reader));
out:
    return status;
}

HaloStatus jxl_next(HaloReader *reader)
{
    ((JxlReader *)reader->state)->whole.next = 0;
    return look_at_page(reader);
}

/* ---- samples -------------------------------------------------------------------------------------------- */

/* Depths of 9 to 15 bits come as floats, from which each integer is found again. */
static bool comes_as_floats(const JxlReader *state, HaloDtype dtype)
{
    return dtype == HALO_F32 || (dtype == HALO_U16 && state->info.bits_per_sample < 16);
}

static HaloStatus begin(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    JxlReader *state = reader->state;
    const HaloShape *shape = &reader->info.shape;
    /* libjxl keeps floats of all channels while it decodes. */
    HALO_TRY(halo_whole_begin(reader, 12 * shape->width * shape->height * shape->channels, &state->whole));
    state->decoder = jxl_decoder(state, JXL_DEC_FULL_IMAGE);
    if (state->decoder == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to read JPEG XL");
    if (reader->jobs > 1) state->runner = jxl_threads.JxlThreadParallelRunnerCreate(NULL, (size_t)reader->jobs);
    if (state->runner != NULL)
        jxl.JxlDecoderSetParallelRunner(state->decoder, jxl_threads.JxlThreadParallelRunner, state->runner);
    jxl.JxlDecoderSetUnpremultiplyAlpha(state->decoder, JXL_TRUE);
out:
    return status;
}

/* v * 65535 / (2^bits - 1) of the integers that the floats are fractions of, rounded to nearest. */
static void scale(const float *from, uint16_t *to, int64_t count, unsigned bits)
{
    const uint32_t most = (1u << bits) - 1;
    for (int64_t i = 0; i < count; i++) {
        const float v = from[i] > 0.0f ? from[i] < 1.0f ? from[i] : 1.0f : 0.0f;
        to[i] = (uint16_t)(((uint32_t)lrintf(v * (float)most) * 65535u + most / 2) / most);
    }
}

static HaloStatus fail_damaged(const JxlReader *state)
{
    return halo_fail(HALO_ERR_INPUT, state->ended ? "JPEG XL is truncated" : "JPEG XL: the data are damaged");
}

/* The decoder's events up to the end of the frame, which it puts into `to`. */
static HaloStatus decode_into(HaloReader *reader, void *to, size_t size, const JxlPixelFormat *format)
{
    JxlReader *state = reader->state;
    for (;;) {
        size_t needed;
        switch (jxl.JxlDecoderProcessInput(state->decoder)) {
        case JXL_DEC_FULL_IMAGE: return HALO_OK;
        case JXL_DEC_NEED_IMAGE_OUT_BUFFER:
            if (jxl.JxlDecoderImageOutBufferSize(state->decoder, format, &needed) != JXL_DEC_SUCCESS ||
                needed != size ||
                jxl.JxlDecoderSetImageOutBuffer(state->decoder, format, to, size) != JXL_DEC_SUCCESS)
                return halo_fail(HALO_ERR_INPUT, "JPEG XL: the picture is not as its header says");
            break;
        default:
            jxl.JxlDecoderFlushImage(state->decoder); /* what there is of it */
            return fail_damaged(state);
        }
    }
}

static HaloStatus decode(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    JxlReader *state = reader->state;
    const HaloBuf *data = &state->whole.data;
    const HaloDtype dtype = data->shape.dtype;
    const int64_t count = data->cols * data->rows * data->shape.channels;
    const bool scales = comes_as_floats(state, dtype) && dtype == HALO_U16;
    const JxlPixelFormat format = {(uint32_t)data->shape.channels,
                                   comes_as_floats(state, dtype) ? JXL_TYPE_FLOAT
                                   : dtype == HALO_U16           ? JXL_TYPE_UINT16
                                                                 : JXL_TYPE_UINT8,
                                   JXL_NATIVE_ENDIAN, 0};
    const size_t size = (size_t)count * (scales ? sizeof(float) : halo_dtype_size(dtype));
    void *to = scales ? calloc(1, size) : data->data;
    if (to == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to read JPEG XL");
    if (!scales) memset(to, 0, size);
    if (state->decoded < reader->options.image)
        jxl.JxlDecoderSkipFrames(state->decoder, (size_t)(reader->options.image - state->decoded));
    status = decode_into(reader, to, size, &format);
    state->decoded = status == HALO_OK ? reader->options.image + 1 : state->frames;
    if (status == HALO_ERR_INPUT && reader->options.tolerate) {
        halo_image_damaged(reader, -1);
        status = HALO_OK;
    }
    if (scales) scale(to, data->data, count, state->info.bits_per_sample);
    state->whole.next = 0;
out:
    if (scales) free(to);
    return status;
}

HaloStatus jxl_read(HaloReader *reader, HaloBuf *rows, int64_t *got)
{
    HaloStatus status = HALO_OK;
    JxlReader *state = reader->state;
    *got = 0;
    if (state->decoder == NULL) HALO_TRY(begin(reader));
    if (state->decoded <= reader->options.image) HALO_TRY(decode(reader));
    halo_whole_give(&state->whole, rows);
    *got = rows->rows;
out:
    return status;
}

void jxl_close(HaloReader *reader)
{
    JxlReader *state = reader->state;
    if (state == NULL) return;
    if (state->decoder != NULL) jxl.JxlDecoderDestroy(state->decoder);
    if (state->runner != NULL) jxl_threads.JxlThreadParallelRunnerDestroy(state->runner);
    halo_whole_free(reader, &state->whole);
    free(state->shown);
    free(state);
    reader->state = NULL;
}
#endif

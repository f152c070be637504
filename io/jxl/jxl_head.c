/* The header, the frames and the metadata of JPEG XL. */
#ifdef HALO_HAVE_JXL
#include <stdlib.h>
#include <string.h>

#include "bytes/endian.h"
#include "jxlfile.h"
#include "meta/meta.h"

#define BOX_BYTES 65536
#define MOST_META (64 << 20)

/* A box of metadata that is being read. */
typedef struct Box {
    char type[4];
    uint8_t *bytes; /* NULL: none */
    size_t size, capacity;
} Box;

static HaloStatus fail_memory(void) { return halo_fail(HALO_ERR_LIMIT, "not enough memory to read JPEG XL"); }

JxlDecoder *jxl_decoder(const JxlReader *state, int events)
{
    JxlDecoder *decoder = jxl.JxlDecoderCreate(NULL);
    if (decoder == NULL) return NULL;
    if (jxl.JxlDecoderSubscribeEvents(decoder, events) != JXL_DEC_SUCCESS ||
        jxl.JxlDecoderSetInput(decoder, state->bytes, state->size) != JXL_DEC_SUCCESS) {
        jxl.JxlDecoderDestroy(decoder);
        return NULL;
    }
    return decoder;
}

/* ---- boxes ---------------------------------------------------------------------------------------------- */

/* Before the contents of Exif stand four bytes that say how many more are before it. */
static HaloStatus keep_box(HaloMeta *meta, const Box *box)
{
    if (memcmp(box->type, "Exif", 4) == 0 && box->size > 4) {
        const size_t before = 4 + (size_t)halo_get_be(box->bytes, 4);
        return before < box->size ? halo_image_take_exif(meta, box->bytes + before, box->size - before)
                                  : HALO_OK;
    }
    if (memcmp(box->type, "xml ", 4) == 0 && meta->xmp.data == NULL)
        return halo_blob_set(&meta->xmp, box->bytes, box->size);
    return HALO_OK;
}

static HaloStatus end_box(HaloMeta *meta, JxlDecoder *decoder, Box *box)
{
    HaloStatus status = HALO_OK;
    if (box->bytes == NULL) return HALO_OK;
    box->size = box->capacity - jxl.JxlDecoderReleaseBoxBuffer(decoder);
    status = keep_box(meta, box);
    free(box->bytes);
    *box = (Box){.bytes = NULL};
    return status;
}

static HaloStatus begin_box(JxlDecoder *decoder, Box *box)
{
    if (jxl.JxlDecoderGetBoxType(decoder, box->type, JXL_TRUE) != JXL_DEC_SUCCESS) return HALO_OK;
    if (memcmp(box->type, "Exif", 4) != 0 && memcmp(box->type, "xml ", 4) != 0) return HALO_OK;
    box->capacity = BOX_BYTES;
    box->bytes = malloc(box->capacity);
    if (box->bytes == NULL) return fail_memory();
    jxl.JxlDecoderSetBoxBuffer(decoder, box->bytes, box->capacity);
    return HALO_OK;
}

static HaloStatus grow_box(HaloNotes *notes, JxlDecoder *decoder, Box *box)
{
    const size_t filled = box->capacity - jxl.JxlDecoderReleaseBoxBuffer(decoder);
    if (box->capacity >= MOST_META) { /* it is passed over */
        halo_note(notes, HALO_NOTE_LARGE, 1);
        free(box->bytes);
        *box = (Box){.bytes = NULL};
        return HALO_OK;
    }
    uint8_t *more = realloc(box->bytes, 2 * box->capacity);
    if (more == NULL) return fail_memory();
    box->bytes = more;
    box->capacity *= 2;
    jxl.JxlDecoderSetBoxBuffer(decoder, more + filled, box->capacity - filled);
    return HALO_OK;
}

/* ---- colours and frames --------------------------------------------------------------------------------- */

/* The profile of the samples as they will be decoded, unless that is sRGB. */
static HaloStatus take_colours(const JxlDecoder *decoder, HaloMeta *meta)
{
    JxlColorEncoding coded;
    size_t size = 0;
    if (jxl.JxlDecoderGetColorAsEncodedProfile(decoder, JXL_UNUSED_FORMAT JXL_COLOR_PROFILE_TARGET_DATA,
                                               &coded) == JXL_DEC_SUCCESS &&
        coded.white_point == JXL_WHITE_POINT_D65 && coded.transfer_function == JXL_TRANSFER_FUNCTION_SRGB &&
        (coded.color_space == JXL_COLOR_SPACE_GRAY ||
         (coded.color_space == JXL_COLOR_SPACE_RGB && coded.primaries == JXL_PRIMARIES_SRGB)))
        return HALO_OK;
    if (jxl.JxlDecoderGetICCProfileSize(decoder, JXL_UNUSED_FORMAT JXL_COLOR_PROFILE_TARGET_DATA, &size) !=
            JXL_DEC_SUCCESS ||
        size == 0 || size > MOST_META)
        return HALO_OK;
    meta->icc.data = malloc(size);
    if (meta->icc.data == NULL) return fail_memory();
    meta->icc.size = size;
    if (jxl.JxlDecoderGetColorAsICCProfile(decoder, JXL_UNUSED_FORMAT JXL_COLOR_PROFILE_TARGET_DATA,
                                           meta->icc.data, size) == JXL_DEC_SUCCESS)
        return HALO_OK;
    free(meta->icc.data);
    meta->icc = (HaloBlob){0};
    return HALO_OK;
}

static HaloStatus add_frame(JxlReader *state, const JxlDecoder *decoder)
{
    JxlFrameHeader header;
    const JxlAnimationHeader *animation = &state->info.animation;
    if ((state->frames & (state->frames - 1)) == 0) {
        float *more = realloc(state->shown, (state->frames > 0 ? 2 * (size_t)state->frames : 1) * sizeof *more);
        if (more == NULL) return fail_memory();
        state->shown = more;
    }
    if (jxl.JxlDecoderGetFrameHeader(decoder, &header) != JXL_DEC_SUCCESS)
        return halo_fail(HALO_ERR_INPUT, "JPEG XL: a frame without a header");
    state->shown[state->frames++] =
        state->info.have_animation && animation->tps_numerator > 0
            ? (float)header.duration * (float)animation->tps_denominator / (float)animation->tps_numerator
            : 0.0f;
    return HALO_OK;
}

static HaloStatus take_info(JxlReader *state, const JxlDecoder *decoder)
{
    if (jxl.JxlDecoderGetBasicInfo(decoder, &state->info) != JXL_DEC_SUCCESS)
        return halo_fail(HALO_ERR_INPUT, "JPEG XL: an invalid header");
    for (uint32_t i = 0; i < state->info.num_extra_channels; i++) {
        JxlExtraChannelInfo extra;
        if (jxl.JxlDecoderGetExtraChannelInfo(decoder, i, &extra) != JXL_DEC_SUCCESS) continue;
        if (extra.type == JXL_CHANNEL_BLACK)
            return halo_fail(HALO_ERR_INPUT, "CMYK JPEG XL is not supported: convert it to RGB first, as by "
                                             "djxl in.jxl out.png");
    }
    state->alpha = state->info.alpha_bits > 0;
    return HALO_OK;
}

/* What happens at this event; *more: there are more to come. */
static HaloStatus take_event(HaloReader *reader, JxlDecoder *decoder, JxlDecoderStatus event, Box *box,
                             bool *more)
{
    HaloStatus status = HALO_OK;
    JxlReader *state = reader->state;
    switch (event) {
    case JXL_DEC_BASIC_INFO: return take_info(state, decoder);
    case JXL_DEC_COLOR_ENCODING: return take_colours(decoder, &reader->info.meta);
    case JXL_DEC_FRAME: return add_frame(state, decoder);
    case JXL_DEC_BOX_NEED_MORE_OUTPUT: return grow_box(&reader->info.notes, decoder, box);
    case JXL_DEC_BOX: HALO_TRY(end_box(&reader->info.meta, decoder, box)); return begin_box(decoder, box);
    case JXL_DEC_SUCCESS: *more = false; return end_box(&reader->info.meta, decoder, box);
    case JXL_DEC_NEED_MORE_INPUT: /* also where the last box has no stated size */
        *more = false;
        state->ended = true;
        if (state->frames == 0) return halo_fail(HALO_ERR_INPUT, "truncated before the first row");
        return end_box(&reader->info.meta, decoder, box);
    default:
        *more = false;
        state->ended = true;
        if (state->frames == 0) return halo_fail(HALO_ERR_INPUT, "JPEG XL: the data are damaged");
        return HALO_OK;
    }
out:
    return status;
}

HaloStatus jxl_read_head(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    Box box = {.bytes = NULL};
    bool more = true;
    JxlDecoder *decoder =
        jxl_decoder(reader->state, JXL_DEC_BASIC_INFO | JXL_DEC_COLOR_ENCODING | JXL_DEC_FRAME | JXL_DEC_BOX);
    if (decoder == NULL) return fail_memory();
    jxl.JxlDecoderSetDecompressBoxes(decoder, JXL_TRUE);
    while (more) HALO_TRY(take_event(reader, decoder, jxl.JxlDecoderProcessInput(decoder), &box, &more));
    HALO_TRY(halo_image_upright(&reader->info.meta));
out:
    free(box.bytes);
    jxl.JxlDecoderDestroy(decoder);
    return status;
}
#endif

/* Draws the frames of an animated PNG over those before them, up to the page that is read. */
#include <string.h>

#include "apng.h"
#include "samples/image.h"

/* The definition of "over" (PNG 3rd edition, 13.16), each quotient rounded to nearest, halves up; samples are
 * coded as they are. A pixel that cannot be seen changes nothing. */
#define BLEND(name, type)                                                                                      \
    static void name(type *to, const type *from, int64_t pixels, int channels)                                 \
    {                                                                                                          \
        const uint64_t white = (type) ~(type)0;                                                                \
        const int alpha = channels - 1;                                                                        \
        for (int64_t i = 0; i < pixels; i++, to += channels, from += channels) {                               \
            const uint64_t above = from[alpha] * white, below = (white - from[alpha]) * to[alpha],             \
                           sum = above + below;                                                                \
            if (above == 0) continue;                                                                          \
            for (int c = 0; c < alpha; c++) to[c] = (type)((from[c] * above + to[c] * below + sum / 2) / sum); \
            to[alpha] = (type)((sum + white / 2) / white);                                                     \
        }                                                                                                      \
    }
BLEND(blend_u8, uint8_t)
BLEND(blend_u16, uint16_t)

/* Opaque pixels, where the file has no alpha. */
static void add_alpha(uint8_t *to, const uint8_t *from, int64_t pixels, size_t pixel, size_t sample)
{
    for (int64_t i = 0; i < pixels; i++, to += pixel, from += pixel - sample) {
        memcpy(to, from, pixel - sample);
        memset(to + pixel - sample, 0xff, sample);
    }
}

static void draw(const HaloBuf *to, const ApngFrame *frame, const HaloBuf *from)
{
    const int channels = to->shape.channels;
    const size_t sample = halo_dtype_size(to->shape.dtype), pixel = sample * (size_t)channels;
    const bool over = frame->over && from->shape.alpha >= 0;
    for (int64_t y = 0; y < frame->height; y++) {
        const void *row = halo_row(from, y);
        void *at = (uint8_t *)halo_row(to, frame->top + y) + (size_t)frame->left * pixel;
        if (over && sample == 1)
            blend_u8(at, row, frame->width, channels);
        else if (over)
            blend_u16(at, row, frame->width, channels);
        else if (from->shape.channels == channels)
            memcpy(at, row, (size_t)frame->width * pixel);
        else
            add_alpha(at, row, frame->width, pixel, sample);
    }
}

/* Takes away what a frame does not leave. */
static void take_away(const Apng *apng, const ApngFrame *frame)
{
    const HaloBuf *data = &apng->whole.data;
    const size_t pixel = halo_dtype_size(data->shape.dtype) * (size_t)data->shape.channels;
    const size_t at = (size_t)frame->left * pixel, size = (size_t)frame->width * pixel;
    for (int64_t y = frame->top; y < frame->top + frame->height && frame->leaves != APNG_KEEP; y++) {
        if (frame->leaves == APNG_CLEAR)
            memset((uint8_t *)halo_row(data, y) + at, 0, size);
        else
            memcpy((uint8_t *)halo_row(data, y) + at, (uint8_t *)halo_row(&apng->before, y) + at, size);
    }
}

static HaloStatus draw_frame(const HaloReader *reader, int64_t k)
{
    HaloStatus status;
    Apng *apng = ((PngReader *)reader->state)->animation;
    const ApngFrame *frame = &apng->list.frame[k];
    const HaloBuf *data = &apng->whole.data;
    HaloBuf samples = {0};
    if (k > 0 && k == apng->drawn) take_away(apng, frame - 1);
    if (frame->leaves == APNG_RESTORE)
        memcpy(apng->before.data, data->data, (size_t)(data->stride * data->rows));
    apng->drawn = k + 1;
    status = apng_decode(reader, k, &samples);
    if (status == HALO_OK) draw(data, frame, &samples);
    if (status == HALO_ERR_INPUT && reader->options.tolerate) {
        halo_image_damaged(((PngReader *)reader->state)->reader, -1);
        status = HALO_OK;
    }
    halo_memory_free(reader->memory, &samples);
    return status;
}

/* The first frame that has to be drawn for this page: one that covers the image does not depend on others. */
static int64_t first_for(const Apng *apng, int64_t page)
{
    for (int64_t k = page; k > apng->drawn; k--) {
        const ApngFrame *frame = &apng->list.frame[k];
        if (apng_covers(frame, &apng->info.shape) && !frame->over && frame->leaves != APNG_RESTORE) return k;
    }
    return apng->drawn;
}

static HaloStatus begin(const HaloReader *reader, Apng *apng)
{
    HaloStatus status = HALO_OK;
    if (apng->whole.data.data != NULL) return HALO_OK;
    HALO_TRY(halo_whole_begin(reader, 0, &apng->whole));
    halo_rows_clear(&apng->whole.data, 0);
    if (apng->restores) HALO_TRY(halo_memory_alloc(reader->memory, &apng->before, &apng->info.shape));
out:
    return status;
}

HaloStatus apng_read(HaloReader *reader, HaloBuf *rows, int64_t *got)
{
    HaloStatus status = HALO_OK;
    Apng *apng = ((PngReader *)reader->state)->animation;
    if (apng == NULL) return halo_png_read(reader, rows, got);
    const int64_t page = reader->options.image;
    HALO_TRY(begin(reader, apng));
    for (int64_t k = first_for(apng, page); k <= page; k++) HALO_TRY(draw_frame(reader, k));
    halo_whole_give(&apng->whole, rows);
    *got = rows->rows;
out:
    return status;
}

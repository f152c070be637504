#include "apng.h"

#include <stdlib.h>
#include <string.h>

#include "bytes/endian.h"

/* Alpha is often 0 or full. */
static void draw_samples(Rng *rng, HaloBuf *data)
{
    const int64_t samples = data->cols * data->rows * data->shape.channels;
    const bool wide = data->shape.dtype == HALO_U16;
    for (int64_t i = 0; i < samples; i++) {
        const bool alpha = i % data->shape.channels == data->shape.alpha;
        uint64_t v = rng_next(rng) & 0xffff;
        if (alpha && !rng_once_in(rng, 3)) v = rng_once_in(rng, 2) ? 0 : 0xffff;
        uint8_t *row = (uint8_t *)data->data + i / (data->cols * data->shape.channels) * data->stride;
        const int64_t at = i % (data->cols * data->shape.channels);
        if (wide)
            ((uint16_t *)(void *)row)[at] = (uint16_t)v;
        else
            row[at] = (uint8_t)v;
    }
}

/* The chunks of samples of an encoded picture; of later frames they have another name and a number. */
static void add_samples(Bytes *file, const Bytes *png, bool first, uint32_t *number)
{
    size_t size;
    for (size_t at = 8; at < png->size; at += size + 12) {
        size = halo_get_be(png->at + at, 4);
        if (memcmp(png->at + at + 4, "IDAT", 4) != 0) continue;
        uint8_t *data = malloc(size + 4);
        if (data == NULL) abort();
        if (!first) halo_put_be(data, (*number)++, 4);
        memcpy(data + 4, png->at + at + 8, size);
        png_insert(file, file->size, first ? "IDAT" : "fdAT", first ? data + 4 : data, first ? size : size + 4,
                   false);
        free(data);
    }
}

static void add_control(Bytes *file, const ApngDrawn *drawn, int k, uint32_t *number)
{
    uint8_t data[26];
    halo_put_be(data, (*number)++, 4);
    halo_put_be(data + 4, (uint64_t)drawn->frame[k].data.cols, 4);
    halo_put_be(data + 8, (uint64_t)drawn->frame[k].data.rows, 4);
    halo_put_be(data + 12, (uint64_t)drawn->frame[k].left, 4);
    halo_put_be(data + 16, (uint64_t)drawn->frame[k].top, 4);
    halo_put_be(data + 20, (uint64_t)drawn->frame[k].delay, 2);
    halo_put_be(data + 22, (uint64_t)drawn->frame[k].parts, 2);
    data[24] = (uint8_t)drawn->frame[k].disposal;
    data[25] = (uint8_t)drawn->frame[k].blend;
    png_insert(file, file->size, "fcTL", data, sizeof data, false);
}

static Bytes encoded(const HaloBuf *data)
{
    Bytes png;
    if (encode(&halo_format_png, &(HaloInfo){0}, data, 0, &png) != HALO_OK) abort();
    return png;
}

static void draw_frame(Rng *rng, ApngDrawn *drawn, int k)
{
    HaloShape shape = drawn->shape;
    const bool all = (k == 0 && !drawn->still) || rng_once_in(rng, 3);
    if (!all) {
        shape.width = rng_between(rng, 1, shape.width);
        shape.height = rng_between(rng, 1, shape.height);
    }
    drawn->frame[k].left = (int)rng_between(rng, 0, drawn->shape.width - shape.width);
    drawn->frame[k].top = (int)rng_between(rng, 0, drawn->shape.height - shape.height);
    drawn->frame[k].disposal = (int)rng_between(rng, 0, 2);
    drawn->frame[k].blend = (int)rng_between(rng, 0, 1);
    drawn->frame[k].delay = (int)rng_between(rng, 0, 300);
    drawn->frame[k].parts = rng_once_in(rng, 3) ? 0 : (int)rng_between(rng, 1, 1000);
    if (halo_buf_alloc(&drawn->frame[k].data, &shape) != HALO_OK) abort();
    draw_samples(rng, &drawn->frame[k].data);
}

void apng_draw(Rng *rng, ApngDrawn *drawn)
{
    const int channels = (int)rng_between(rng, 1, 4);
    uint32_t number = 0;
    uint8_t count[8] = {0};
    HaloBuf other = {0};
    *drawn = (ApngDrawn){.still = rng_once_in(rng, 3)};
    drawn->frames = (int)rng_between(rng, drawn->still ? 1 : 2, APNG_MOST_FRAMES);
    drawn->shape = shape_of(rng_once_in(rng, 2) ? HALO_U8 : HALO_U16, rng_between(rng, 1, 9),
                            rng_between(rng, 1, 9), channels, channels % 2 == 0);
    for (int k = 0; k < drawn->frames; k++) draw_frame(rng, drawn, k);
    if (halo_buf_alloc(&other, &drawn->shape) != HALO_OK) abort();
    draw_samples(rng, &other);
    Bytes png = encoded(drawn->still ? &other : &drawn->frame[0].data), *file = &drawn->file;
    bytes_insert(file, 0, png.at, PNG_FIRST);
    halo_put_be(count, (uint64_t)drawn->frames, 4);
    png_insert(file, file->size, "acTL", count, sizeof count, false);
    if (!drawn->still) add_control(file, drawn, 0, &number);
    add_samples(file, &png, true, &number);
    free(png.at);
    for (int k = drawn->still ? 0 : 1; k < drawn->frames; k++) {
        png = encoded(&drawn->frame[k].data);
        add_control(file, drawn, k, &number);
        add_samples(file, &png, false, &number);
        free(png.at);
    }
    png_insert(file, file->size, "tEXt", "Title\0behind", 12, false);
    png_insert(file, file->size, "IEND", "", 0, false);
    halo_buf_free(&other);
}

void apng_free(ApngDrawn *drawn)
{
    for (int k = 0; k < drawn->frames; k++) halo_buf_free(&drawn->frame[k].data);
    free(drawn->file.at);
}

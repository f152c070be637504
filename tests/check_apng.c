/* Animated PNG: its pages are what the standard says is shown, whatever frames leave behind; damage ends with a
 * message; and pages that are written come back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "apng.h"

enum { SIDE = 9, CHANNELS = 5 };

/* The image as it is shown: samples and alpha as numbers, which is full where the file has none. */
typedef struct Shown {
    uint64_t at[SIDE][SIDE][CHANNELS]; /* the last one is alpha */
} Shown;

static uint64_t sample(const HaloBuf *data, int64_t x, int64_t y, int c)
{
    const void *row = (const uint8_t *)data->data + y * data->stride;
    const int64_t i = x * data->shape.channels + c;
    return data->shape.dtype == HALO_U16 ? ((const uint16_t *)row)[i] : ((const uint8_t *)row)[i];
}

/* n / d, rounded to nearest. */
static uint64_t quotient(uint64_t n, uint64_t d) { return (2 * n + d) / (2 * d); }

static void blend_pixel(uint64_t to[CHANNELS], const uint64_t from[CHANNELS], uint64_t white, bool over)
{
    const uint64_t a = from[CHANNELS - 1], b = to[CHANNELS - 1], sum = a * white + b * (white - a);
    if (over && a == 0) return;
    for (int c = 0; c < CHANNELS - 1; c++)
        to[c] = over ? quotient(from[c] * a * white + to[c] * b * (white - a), sum) : from[c];
    to[CHANNELS - 1] = over ? quotient(sum, white) : a;
}

/* Draws frame k, and gives `left`, what the next one is drawn on. */
static void show(const ApngDrawn *drawn, int k, Shown *shown, Shown *left)
{
    const HaloBuf *data = &drawn->frame[k].data;
    const uint64_t white = data->shape.dtype == HALO_U16 ? 65535 : 255;
    const int colours = drawn->shape.alpha >= 0 ? drawn->shape.channels - 1 : drawn->shape.channels;
    const int disposal = drawn->frame[k].disposal;
    const Shown before = *shown;
    for (int64_t y = 0; y < data->rows; y++)
        for (int64_t x = 0; x < data->cols; x++) {
            uint64_t from[CHANNELS] = {0};
            for (int c = 0; c < colours; c++) from[c] = sample(data, x, y, c);
            from[CHANNELS - 1] = drawn->shape.alpha >= 0 ? sample(data, x, y, colours) : white;
            blend_pixel(shown->at[y + drawn->frame[k].top][x + drawn->frame[k].left], from, white,
                        drawn->frame[k].blend == 1);
        }
    *left = disposal == 2 && k > 0 ? before : *shown;
    for (int64_t y = 0; y < data->rows; y++)
        for (int64_t x = 0; x < data->cols; x++)
            if (disposal == 1 || (disposal == 2 && k == 0))
                memset(left->at[y + drawn->frame[k].top][x + drawn->frame[k].left], 0, CHANNELS * 8);
}

static void open_reader(const ApngDrawn *drawn, int page, bool tolerate, HaloReader *reader)
{
    *reader = (HaloReader){.format = &halo_format_png, .options = {.image = page, .tolerate = tolerate}};
    assert_int_equal(halo_source_from_memory(drawn->file.at, drawn->file.size, &reader->source), HALO_OK);
}

static void close_reader(HaloReader *reader)
{
    reader->format->close(reader);
    halo_meta_free(&reader->info.meta);
    halo_source_close(reader->source);
}

static void expect_page(const ApngDrawn *drawn, int k, HaloReader *reader, const Shown *shown)
{
    const HaloShape *shape = &reader->info.shape;
    const int colours = drawn->shape.alpha >= 0 ? drawn->shape.channels - 1 : drawn->shape.channels;
    const uint64_t white = shape->dtype == HALO_U16 ? 65535 : 255;
    const int delay = drawn->frame[k].delay, parts = drawn->frame[k].parts;
    HaloBuf data;
    int64_t got;
    assert_int_equal(reader->info.images, drawn->frames);
    assert_int_equal(shape->width, drawn->shape.width);
    assert_int_equal(shape->dtype, drawn->shape.dtype);
    assert_int_equal(reader->info.meta.texts, 1);
    assert_true(reader->info.meta.shown == (double)delay / (parts > 0 ? parts : 100));
    assert_int_equal(halo_buf_alloc(&data, shape), HALO_OK);
    if (reader->format->read(reader, &data, &got) != HALO_OK) fail_case(NULL, "page %d: %s", k, halo_error());
    for (int64_t y = 0; y < data.rows; y++)
        for (int64_t x = 0; x < data.cols; x++) {
            const uint64_t *expected = shown->at[y][x];
            for (int c = 0; c < colours; c++)
                if (sample(&data, x, y, c) != expected[c])
                    fail_case(NULL, "page %d at %d, %d: %d instead of %d", k, (int)x, (int)y,
                              (int)sample(&data, x, y, c), (int)expected[c]);
            const uint64_t alpha = shape->alpha >= 0 ? sample(&data, x, y, colours) : white;
            if (alpha != expected[CHANNELS - 1]) fail_case(NULL, "page %d: alpha %d", k, (int)alpha);
        }
    halo_buf_free(&data);
}

/* One after the other, and each by itself. */
static void pages_are_what_is_shown(Rng *rng)
{
    ApngDrawn drawn;
    HaloReader all, one;
    Shown shown = {0}, left;
    apng_draw(rng, &drawn);
    open_reader(&drawn, 0, false, &all);
    if (all.format->open(&all) != HALO_OK) fail_case(NULL, "%s", halo_error());
    assert_int_equal(all.info.notes.count[HALO_NOTE_STILL], drawn.still);
    for (int k = 0; k < drawn.frames; k++) {
        show(&drawn, k, &shown, &left);
        expect_page(&drawn, k, &all, &shown);
        open_reader(&drawn, k, false, &one);
        assert_int_equal(one.format->open(&one), HALO_OK);
        expect_page(&drawn, k, &one, &shown);
        close_reader(&one);
        shown = left;
        if (k + 1 == drawn.frames) break;
        all.options.image++;
        halo_meta_free(&all.info.meta);
        all.info = (HaloInfo){0};
        assert_int_equal(all.format->next(&all), HALO_OK);
    }
    close_reader(&all);
    apng_free(&drawn);
}

/* Some bytes are changed or cut off: samples or a message, and with --tolerate as far as possible. */
static void damage_ends_with_a_message(Rng *rng)
{
    ApngDrawn drawn;
    HaloReader reader;
    HaloBuf data;
    int64_t got;
    apng_draw(rng, &drawn);
    const bool cut = rng_once_in(rng, 2), tolerate = rng_once_in(rng, 2);
    const size_t at = (size_t)rng_between(rng, PNG_FIRST, (int64_t)drawn.file.size - 1);
    if (cut)
        drawn.file.size = at;
    else
        drawn.file.at[at] ^= (uint8_t)rng_between(rng, 1, 255);
    open_reader(&drawn, 0, tolerate, &reader);
    HaloStatus status = reader.format->open(&reader);
    while (status == HALO_OK) {
        assert_int_equal(halo_buf_alloc(&data, &reader.info.shape), HALO_OK);
        memset(data.data, 0, (size_t)(data.stride * data.rows));
        status = reader.format->read(&reader, &data, &got);
        halo_buf_free(&data);
        if (status != HALO_OK || ++reader.options.image >= reader.info.images) break;
        halo_meta_free(&reader.info.meta);
        reader.info = (HaloInfo){0};
        status = reader.format->next(&reader);
    }
    if (status != HALO_OK && (status != HALO_ERR_INPUT || halo_error()[0] == 0))
        fail_case(NULL, "%s: status %d: %s", cut ? "truncated" : "changed", (int)status, halo_error());
    close_reader(&reader);
    apng_free(&drawn);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {random_test(pages_are_what_is_shown, 150),
                                       random_test(damage_ends_with_a_message, 500)};
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, test_folder_remove);
}

/* PNG by every decoder: the same samples, and the same refusals with the same messages. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "png/png_filter.h"
#include "png_ways.h"
#include "seeds.h"

/* ---- filters -------------------------------------------------------------------------------------------- */

/* As the standard defines it. */
static uint8_t predicted(int filter, int a, int b, int c)
{
    const int p = a + b - c, pa = abs(p - a), pb = abs(p - b), pc = abs(p - c);
    switch (filter) {
    case 1: return (uint8_t)a;
    case 2: return (uint8_t)b;
    case 3: return (uint8_t)((a + b) / 2);
    case 4: return (uint8_t)(pa <= pb && pa <= pc ? a : pb <= pc ? b : c);
    default: return 0;
    }
}

static uint8_t *draw_bytes(Rng *rng, size_t size, bool few)
{
    static const uint8_t odd[] = {0, 1, 127, 128, 254, 255};
    if (size > 4096) abort();
    uint8_t *bytes = malloc(size); /* an end of its own, for sanitizers */
    assert_non_null(bytes);
    for (size_t i = 0; i < size; i++) bytes[i] = few ? odd[rng_between(rng, 0, 5)] : (uint8_t)rng_next(rng);
    return bytes;
}

static void expect_row(int filter, size_t pixel, size_t size, const uint8_t *from, const uint8_t *above,
                       const uint8_t *to)
{
    for (size_t i = 0; i < size; i++) {
        const int a = i < pixel ? 0 : to[i - pixel], c = i < pixel ? 0 : above[i - pixel];
        const uint8_t expected = (uint8_t)(from[i] + predicted(filter, a, above[i], c));
        if (to[i] != expected)
            fail_case(NULL, "filter %d, %zu bytes a pixel, byte %zu of %zu: %d, not %d", filter, pixel, i, size,
                      to[i], expected);
    }
}

static void one_unfilter(Rng *rng)
{
    static const size_t pixels[] = {1, 2, 3, 4, 6, 8};
    const size_t pixel = pixels[rng_between(rng, 0, 5)], size = pixel * (size_t)rng_between(rng, 1, 70);
    const int upper = (int)rng_between(rng, 0, 4), lower = (int)rng_between(rng, 0, 4);
    const bool few = rng_once_in(rng, 2);
    uint8_t *from = draw_bytes(rng, size, few), *next = draw_bytes(rng, size, few),
            *above = draw_bytes(rng, size, few), *to = draw_bytes(rng, size, few),
            *below = draw_bytes(rng, size, few);
    const PngTwoRows two = {{from, next}, above, {to, below}};
    assert_true(halo_png_unfilter(upper, pixel, size, from, above, to));
    expect_row(upper, pixel, size, from, above, to);
    memset(to, 99, size);
    assert_true(halo_png_unfilter_two(upper, lower, pixel, size, &two));
    expect_row(upper, pixel, size, from, above, to);
    expect_row(lower, pixel, size, next, to, below);
    assert_false(halo_png_unfilter(5, pixel, size, from, above, to));
    assert_false(halo_png_unfilter_two(5, lower, pixel, size, &two));
    assert_false(halo_png_unfilter_two(upper, 5 + (int)rng_between(rng, 0, 250), pixel, size, &two));
    free(from);
    free(next);
    free(above);
    free(to);
    free(below);
}

static void four_rows_are_as_one_by_one(Rng *rng)
{
    static const size_t pixels[] = {1, 2, 3, 4, 6, 8};
    const size_t pixel = pixels[rng_between(rng, 0, 5)], size = pixel * (size_t)rng_between(rng, 1, 70);
    const int filter = (int)rng_between(rng, 0, 4);
    uint8_t *from[4], *to[4], *above = draw_bytes(rng, size, false);
    for (int r = 0; r < 4; r++) {
        from[r] = draw_bytes(rng, size, rng_once_in(rng, 2));
        to[r] = draw_bytes(rng, size, false);
    }
    const PngFourRows four = {{from[0], from[1], from[2], from[3]}, above, {to[0], to[1], to[2], to[3]}};
    assert_true(halo_png_unfilter_four(filter, pixel, size, &four));
    for (int r = 0; r < 4; r++) expect_row(filter, pixel, size, from[r], r > 0 ? to[r - 1] : above, to[r]);
    assert_false(halo_png_unfilter_four(5, pixel, size, &four));
    for (int r = 0; r < 4; r++) {
        free(from[r]);
        free(to[r]);
    }
    free(above);
}

static uint64_t weight(int filter, size_t pixel, size_t size, const uint8_t *row, const uint8_t *above,
                       uint8_t *to)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < size; i++) {
        const int a = i < pixel ? 0 : row[i - pixel], c = i < pixel ? 0 : above[i - pixel];
        to[i] = (uint8_t)(row[i] - predicted(filter, a, above[i], c));
        sum += (uint64_t)abs((int8_t)to[i]);
    }
    return sum;
}

static void rows_are_filtered_as_the_standard_says(Rng *rng)
{
    static const size_t pixels[] = {1, 2, 3, 4, 6, 8};
    const size_t pixel = pixels[rng_between(rng, 0, 5)], size = pixel * (size_t)rng_between(rng, 1, 70);
    const unsigned filters = (unsigned)rng_between(rng, 1, 31);
    const bool few = rng_once_in(rng, 2);
    uint8_t *row = draw_bytes(rng, size, few), *above = draw_bytes(rng, size, few),
            *to = draw_bytes(rng, size + 1, few);
    uint8_t *plain = draw_bytes(rng, size, few);
    uint64_t least = UINT64_MAX;
    int best = 0;
    for (int filter = 4; filter >= 0; filter--) {
        if ((filters >> filter & 1) == 0) continue;
        const uint64_t sum = weight(filter, pixel, size, row, above, plain);
        if (sum <= least) best = filter;
        if (sum <= least) least = sum;
    }
    weight(best, pixel, size, row, above, plain);
    halo_png_filter(filters, pixel, size, row, above, to);
    if (to[0] != best || memcmp(to + 1, plain, size) != 0)
        fail_case(NULL, "%zu bytes of %zu a pixel, filters %x: filter %d, not %d, or other bytes", size, pixel,
                  filters, to[0], best);
    free(row);
    free(above);
    free(to);
    free(plain);
}

static void rows_are_unfiltered_as_the_standard_says(void **unused)
{
    (void)unused;
    for_each_case(__func__, 4000, one_unfilter);
    for_each_case("four rows", 4000, four_rows_are_as_one_by_one);
}

/* ---- all ways ------------------------------------------------------------------------------------------- */

static int own_pictures, pictures;

static void compare(const uint8_t *bytes, size_t size, int64_t band)
{
    bool own;
    if (size > PNG_WAYS_BYTES) return;
    const char *what = png_ways_differ(bytes, size, band, &own);
    if (what != NULL) fail_case(NULL, "%s", what);
    own_pictures += own;
    pictures++;
}

static void one_picture(Rng *rng)
{
    const Bytes file = png_drawn(rng);
    compare(file.at, file.size, rng_between(rng, 0, 9));
    free(file.at);
}

static void decoders_agree_on_images(void **unused)
{
    (void)unused;
    own_pictures = pictures = 0;
    for_each_case(__func__, 4000, one_picture);
    print_message("without libpng: %d of %d\n", own_pictures, pictures);
#ifdef HALO_HAVE_ISAL
    assert_true(own_pictures * 3 > pictures || pictures < 100);
#else
    assert_int_equal(own_pictures, 0);
#endif
}

static void decoders_agree_on_damage(Rng *rng)
{
    const Bytes file = png_drawn(rng);
    const Seed seed = {.name = "drawn", .at = file.at, .size = file.size};
    size_t size;
    uint8_t *bytes = mutate(rng, &seed, PNG_WAYS_BYTES, &size);
    if (rng_once_in(rng, 2)) png_fix_checksums(bytes, size);
    if (halo_format_png.probe(bytes, size)) compare(bytes, size, rng_between(rng, 0, 9));
    free(bytes);
    free(file.at);
}

/* ---- PngSuite ------------------------------------------------------------------------------------------- */

static const char *suite(void)
{
    const char *given = getenv("HALO_PNGSUITE");
    return given != NULL ? given : HALO_SOURCE_DIR "/../shared/corpora/pngsuite";
}

static void one_of_suite(Rng *rng, const Bytes *file)
{
    const Seed seed = {.name = "suite", .at = file->at, .size = file->size};
    for (int64_t i = 0; i < 30; i++) {
        size_t size;
        uint8_t *bytes = mutate(rng, &seed, PNG_WAYS_BYTES, &size);
        if (i % 2 == 0) png_fix_checksums(bytes, size);
        if (halo_format_png.probe(bytes, size)) compare(bytes, size, i % 5);
        free(bytes);
    }
}

static void decoders_agree_on_every_file(void **unused)
{
    (void)unused;
    Rng rng = {7};
    char path[1024];
    DIR *list = opendir(suite());
    if (list == NULL) {
        print_message("PngSuite is not at %s: skipped\n", suite());
        skip();
    }
    for (const struct dirent *entry; (entry = readdir(list)) != NULL;) {
        const char *dot = strrchr(entry->d_name, '.');
        if (dot == NULL || strcmp(dot, ".png") != 0) continue;
        snprintf(path, sizeof path, "%s/%s", suite(), entry->d_name);
        const Bytes file = bytes_of_file(path);
        compare(file.at, file.size, 0);
        compare(file.at, file.size, 7);
        one_of_suite(&rng, &file);
        free(file.at);
    }
    closedir(list);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(rows_are_filtered_as_the_standard_says, 4000),
        cmocka_unit_test(rows_are_unfiltered_as_the_standard_says), cmocka_unit_test(decoders_agree_on_images),
        random_test(decoders_agree_on_damage, 20000), cmocka_unit_test(decoders_agree_on_every_file)};
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, test_folder_remove);
}

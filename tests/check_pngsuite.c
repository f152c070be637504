/* PngSuite, every file: the broken ones (x*) are refused, the others equal what stb_image, an independent
 * decoder, reads. The folder is $HALO_PNGSUITE, or ../shared/corpora/pngsuite. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "codec.h"
#include "other_png.h"

#ifndef HALO_SOURCE_DIR
#define HALO_SOURCE_DIR "."
#endif

static DIR *open_suite(char path[512])
{
    const char *given = getenv("HALO_PNGSUITE");
    if (given != NULL)
        snprintf(path, 512, "%s", given);
    else
        snprintf(path, 512, "%s/../shared/corpora/pngsuite", HALO_SOURCE_DIR);
    return opendir(path);
}

/* True where reading the file fails, in its header or after it. */
static void expect_refused(const char *name, Bytes file)
{
    const bool known = halo_format_png.probe(file.at, file.size);
    for (int64_t band = 0; band < 8 && known; band += 7) {
        Decoded image;
        const HaloStatus status = decode(&halo_format_png, file.at, file.size, NULL, band, &image);
        if (status != HALO_ERR_INPUT) fail_msg("%s: expected a refusal, got status %d", name, status);
        decoded_free(&image);
    }
}

static void *decode_by_stb(Bytes file, bool wide, int *width, int *height, int *channels)
{
    const int size = (int)file.size;
    if (wide) return stbi_load_16_from_memory(file.at, size, width, height, channels, 0);
    return stbi_load_from_memory(file.at, size, width, height, channels, 0);
}

static void expect_equal(const char *name, Bytes file)
{
    const bool wide = stbi_is_16_bit_from_memory(file.at, (int)file.size) != 0;
    int width, height, channels;
    void *expected = decode_by_stb(file, wide, &width, &height, &channels);
    if (expected == NULL) fail_msg("%s: the oracle cannot read it", name);
    for (int64_t band = 0; band < 8; band += 7) {
        Decoded image;
        if (decode(&halo_format_png, file.at, file.size, NULL, band, &image) != HALO_OK) {
            fail_msg("%s: %s", name, halo_error());
        }
        const HaloShape *shape = &image.info.shape;
        if (shape->width != width || shape->height != height || shape->channels != channels ||
            shape->dtype != (wide ? HALO_U16 : HALO_U8) ||
            shape->alpha != (channels % 2 == 0 ? channels - 1 : -1)) {
            fail_msg("%s: another shape", name);
        }
        const size_t bytes = (size_t)(image.data.stride * image.data.rows);
        if (memcmp(expected, image.data.data, bytes) != 0) fail_msg("%s: other samples", name);
        decoded_free(&image);
    }
    stbi_image_free(expected);
}

static void every_file_is_read_rightly_or_refused(void **unused)
{
    (void)unused;
    char folder[512], path[1024];
    int good = 0, broken = 0;
    DIR *list = open_suite(folder);
    if (list == NULL) {
        print_message("PngSuite is not at %s: skipped\n", folder);
        skip();
    }
    for (const struct dirent *entry; (entry = readdir(list)) != NULL;) {
        const char *dot = strrchr(entry->d_name, '.');
        if (dot == NULL || strcmp(dot, ".png") != 0) continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        const Bytes file = bytes_of_file(path);
        const bool bad = entry->d_name[0] == 'x';
        if (bad)
            expect_refused(entry->d_name, file);
        else
            expect_equal(entry->d_name, file);
        *(bad ? &broken : &good) += 1;
        free(file.at);
    }
    closedir(list);
    print_message("PngSuite: %d read, %d refused\n", good, broken);
    assert_true(good > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_file_is_read_rightly_or_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Comments of Ogg, long ones too, and concatenated streams. libvorbis reads nothing after an invalid page, so
 * that reading shows that pages are right. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sound_file.h"

enum { FRAMES = 30000 };

static Bytes make(const HaloInfo *info)
{
    float *in = malloc((size_t)FRAMES * (size_t)info->shape.channels * sizeof *in);
    for (int i = 0; i < FRAMES * info->shape.channels; i++) in[i] = (float)(0.5 * sin(i * 0.02));
    if (save_sound_to(test_path("made"), &halo_format_ogg, info, in, FRAMES, NULL) != HALO_OK)
        fail_msg("%s", halo_error());
    free(in);
    return bytes_of_file(test_path("made"));
}

/* Pictures whose packets end within a page, at its end, and behind several of them. */
static void test_long_comments(void **unused)
{
    (void)unused;
    static const size_t sizes[] = {0, 100, 47000, 48000, 200000, 48767, 48768, 48769, 48770};
    const HaloInfo plain = sound_info(32, true, 2, FRAMES);
    Bytes without = make(&plain);
    Sound expected = must_load_sound(without, &halo_format_ogg);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        HaloInfo info = plain;
        HaloText texts[3] = {{(char *)(uintptr_t) "Title", (char *)(uintptr_t) "lake"},
                             {(char *)(uintptr_t) "MOOD", (char *)(uintptr_t) "calm"},
                             {(char *)(uintptr_t) "MOOD", (char *)(uintptr_t) "a=b"}};
        HaloBlob picture = {malloc(sizes[s] + 1), sizes[s]};
        for (size_t i = 0; i < sizes[s]; i++) picture.data[i] = (uint8_t)(i * i >> 3);
        info.meta.text = texts, info.meta.texts = 3;
        info.meta.picture = &picture, info.meta.pictures = 1;
        Bytes file = make(&info);
        Sound back = must_load_sound(file, &halo_format_ogg);
        assert_int_equal(back.frames, FRAMES);
        assert_memory_equal(back.at, expected.at, 2 * FRAMES * sizeof *back.at);
        assert_int_equal(back.info.meta.texts, 3);
        for (size_t i = 0; i < 3; i++) {
            assert_string_equal(back.info.meta.text[i].key, texts[i].key);
            assert_string_equal(back.info.meta.text[i].value, texts[i].value);
        }
        assert_int_equal(back.info.meta.pictures, 1);
        assert_int_equal(back.info.meta.picture[0].size, sizes[s]);
        if (sizes[s] > 0) assert_memory_equal(back.info.meta.picture[0].data, picture.data, sizes[s]);
        halo_meta_free(&back.info.meta);
        free(back.at), free(file.at), free(picture.data);
    }
    halo_meta_free(&expected.info.meta);
    free(expected.at), free(without.at);
}

static void test_concatenated_streams(void **unused)
{
    (void)unused;
    static const struct {
        double rate;
        int channels;
        const char *because;
    } other[] = {{44100, 1, "at 1.361 s (frame 30000) the rate changes from 22050 to 44100"},
                 {22050, 2, "at 1.361 s (frame 30000) the number of channels changes from 1 to 2"},
                 {22050, 1, "at 1.361 s (frame 30000) another stream begins"}};
    HaloInfo info = sound_info(32, true, 1, FRAMES);
    Bytes first = make(&info);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        info.shape.rate = other[i].rate;
        info.shape.channels = other[i].channels;
        Bytes second = make(&info), both = {malloc(first.size + second.size), first.size + second.size};
        memcpy(both.at, first.at, first.size);
        memcpy(both.at + first.size, second.at, second.size);
        must_refuse_sound(both, &halo_format_ogg, other[i].because);
        Sound back;
        assert_int_equal(load_sound(both, &halo_format_ogg, true, &back), HALO_OK);
        assert_int_equal(back.info.shape.channels, 1);
        halo_meta_free(&back.info.meta);
        free(back.at), free(second.at), free(both.at);
    }
    free(first.at);
}

/* Lengths in the packet of comments that lie. */
static void test_wrong_lengths(void **unused)
{
    (void)unused;
    HaloInfo info = sound_info(32, true, 1, FRAMES);
    HaloText text = {(char *)(uintptr_t) "Title", (char *)(uintptr_t) "lake"};
    info.meta.text = &text, info.meta.texts = 1;
    Bytes file = make(&info);
    size_t at = 0;
    while (memcmp(file.at + at, "\3vorbis", 7) != 0) at++;
    for (size_t i = 7; i < 60; i++) { /* the sums of the pages are not looked at, but by libsndfile */
        const uint8_t was = file.at[at + i];
        file.at[at + i] = 0xff;
        Sound back;
        if (load_sound(file, &halo_format_ogg, true, &back) == HALO_OK) {
            halo_meta_free(&back.info.meta);
            free(back.at);
        }
        file.at[at + i] = was;
    }
    free(file.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_long_comments),
        cmocka_unit_test(test_concatenated_streams),
        cmocka_unit_test(test_wrong_lengths),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_remove);
}

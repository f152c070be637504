/* Audio files: samples come back unchanged from every container. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sound_file.h"

/* ---- integers ------------------------------------------------------------------------------------------- */

static void round_trip(const HaloFormat *format, int bits)
{
    enum { COUNT = 65536 };
    float *samples = ramp(bits, COUNT);
    uint64_t clipped;
    Bytes file = save_sound(format, bits, false, 1, samples, COUNT, &clipped);
    assert_int_equal(clipped, 0);
    Sound back = must_load_sound(file, format);
    assert_int_equal(back.frames, COUNT);
    assert_int_equal(back.info.bits, format == &halo_format_flac && bits > 24 ? 24 : bits);
    assert_false(back.info.real);
    assert_float_equal(back.info.shape.rate, 22050, 0);
    if (back.info.bits == bits) assert_memory_equal(back.at, samples, COUNT * sizeof *samples);
    Bytes again = save_sound(format, bits, false, 1, back.at, COUNT, NULL);
    assert_int_equal(again.size, file.size);
    assert_memory_equal(again.at, file.at, file.size);
    free(samples), free(back.at), free(file.at), free(again.at);
}

/* With 65,536 samples spread over the range, the 16-bit case is every value there is. */
static void test_integers_come_back(void **unused)
{
    (void)unused;
    for (int f = 0; f < LOSSLESS_SOUND; f++)
        for (int bits = 8; bits <= (lossless_sound[f] == &halo_format_flac ? 24 : 32); bits += 8)
            round_trip(lossless_sound[f], bits);
}

static void test_rounding_and_clipping(void **unused)
{
    (void)unused;
    const float unit = 0x1p-15f;
    float in[] = {0.5f * unit, 1.5f * unit, -0.5f * unit, -1.5f * unit, 2.5f * unit,      0.75f * unit,
                  1.0f,        -1.0f,       1e30f,        -1e30f,       (float)-INFINITY, (float)NAN};
    const float out[] = {0, 2 * unit, 0, -2 * unit, 2 * unit, unit, 1 - unit, -1, 1 - unit, -1, -1, 0};
    enum { COUNT = sizeof in / sizeof in[0] };
    for (int f = 0; f < LOSSLESS_SOUND; f++) {
        uint64_t clipped;
        Bytes file = save_sound(lossless_sound[f], 16, false, 1, in, COUNT, &clipped);
        assert_int_equal(clipped, 5); /* 1, 1e30, -1e30, -inf, NaN; -1 fits */
        Sound back = must_load_sound(file, lossless_sound[f]);
        for (int i = 0; i < COUNT; i++) assert_true(back.at[i] == out[i]);
        free(file.at), free(back.at);
    }
}

/* The greatest 32-bit integers are read as 1; writing 1 again is no clipping. */
static void test_full_scale_of_32_bits(void **unused)
{
    (void)unused;
    float one[] = {1.0f, 1.5f};
    uint64_t clipped;
    Bytes file = save_sound(&halo_format_wav, 32, false, 1, one, 2, &clipped);
    assert_int_equal(clipped, 1);
    Sound back = must_load_sound(file, &halo_format_wav);
    assert_true(back.at[0] == 1.0f && back.at[1] == 1.0f);
    assert_int_equal(back.info.notes.count[HALO_NOTE_THROUGH_F32], 32);
    free(file.at), free(back.at);
}

static void test_mu_law(void **unused)
{
    (void)unused;
    float samples[4] = {0};
    Bytes file = save_sound(&halo_format_wav, 8, false, 1, samples, 4, NULL);
    file.at[20] = 7; /* the format tag; 8 bits a sample it has already */
    memcpy(file.at + file.size - 4, "\xff\x00\x80\x7f", 4);
    Sound back = must_load_sound(file, &halo_format_wav);
    assert_true(back.at[0] == 0 && back.at[1] == -32124 * 0x1p-15f && back.at[2] == 32124 * 0x1p-15f);
    assert_string_equal(back.info.encoding, "mu-law");
    assert_int_equal(back.info.bits, 16);
    free(file.at), free(back.at);
}

/* ---- floats --------------------------------------------------------------------------------------------- */

static void test_floats_come_back(void **unused)
{
    (void)unused;
    float in[] = {0,   -0.0f, 1, -1, 3.5f, -1e30f, 1e-42f, 0x1.fffffep127f, (float)INFINITY, (float)-INFINITY,
                  0.1f};
    enum { COUNT = sizeof in / sizeof in[0] };
    for (int f = 0; f < LOSSLESS_SOUND; f++)
        for (int bits = 32; bits <= 64; bits += 32) {
            if (lossless_sound[f] == &halo_format_flac) continue;
            uint64_t clipped;
            Bytes file = save_sound(lossless_sound[f], bits, true, 1, in, COUNT, &clipped);
            assert_int_equal(clipped, 0);
            for (size_t i = 0; i + 4 <= file.size; i++) /* formats that need a time stamp have 0 */
                if (memcmp(file.at + i, "PEAK", 4) == 0) assert_memory_equal(file.at + i + 12, "\0\0\0", 4);
            Sound back = must_load_sound(file, lossless_sound[f]);
            assert_int_equal(back.info.bits, bits);
            assert_true(back.info.real);
            assert_memory_equal(back.at, in, sizeof in);
            free(file.at), free(back.at);
        }
}

static void test_ogg_is_reproducible(void **unused)
{
    (void)unused;
    enum { COUNT = 30000 };
    float *in = malloc(2 * COUNT * sizeof *in);
    for (int i = 0; i < 2 * COUNT; i++) in[i] = (float)(0.5 * sin(i * 0.02));
    Bytes file = save_sound(&halo_format_ogg, 16, false, 2, in, COUNT, NULL);
    Bytes again = save_sound(&halo_format_ogg, 16, false, 2, in, COUNT, NULL);
    assert_int_equal(file.size, again.size);
    assert_memory_equal(file.at, again.at, file.size);
    Sound back = must_load_sound(file, &halo_format_ogg); /* which checks the pages' sums */
    assert_int_equal(back.frames, COUNT);
    double worst = 0;
    for (int i = 0; i < 2 * COUNT; i++) worst = fmax(worst, fabs((double)back.at[i] - (double)in[i]));
    assert_true(worst < 0.05);
    halo_meta_free(&back.info.meta);

    in[7] = (float)NAN, in[8] = (float)INFINITY, in[9] = -2;
    uint64_t clipped;
    Bytes wild = save_sound(&halo_format_ogg, 32, true, 2, in, COUNT, &clipped);
    assert_int_equal(clipped, 3);
    free(in), free(file.at), free(again.at), free(back.at), free(wild.at);
}

/* ---- channels ------------------------------------------------------------------------------------------- */

static void test_channels(void **unused)
{
    (void)unused;
    static const int counts[] = {2, 3, 6, 8, 9, 1024};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
        for (int f = 0; f < LOSSLESS_SOUND; f++) {
            const int64_t frames = 100, samples = frames * counts[c];
            if (counts[c] > 8 && lossless_sound[f] == &halo_format_flac) continue;
            float *in = ramp(16, samples);
            Bytes file = save_sound(lossless_sound[f], 16, false, counts[c], in, frames, NULL);
            Sound back = must_load_sound(file, lossless_sound[f]);
            assert_int_equal(back.info.shape.channels, counts[c]);
            assert_int_equal(back.frames, frames);
            assert_memory_equal(back.at, in, (size_t)samples * sizeof *in);
            free(in), free(file.at), free(back.at);
        }
    float nine[9] = {0};
    const HaloInfo info = sound_info(16, false, 9, 1);
    assert_int_equal(save_sound_to(test_path("nine"), &halo_format_flac, &info, nine, 1, NULL), HALO_ERR_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers_come_back),
        cmocka_unit_test(test_rounding_and_clipping),
        cmocka_unit_test(test_full_scale_of_32_bits),
        cmocka_unit_test(test_mu_law),
        cmocka_unit_test(test_floats_come_back),
        cmocka_unit_test(test_ogg_is_reproducible),
        cmocka_unit_test(test_channels),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_remove);
}

/* Audio files that are truncated, have false headers or come through a pipe: faults are reported, and the
 * samples that exist are read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sndfile/ogg.h"
#include "sound_file.h"

/* ---- damage and lies ------------------------------------------------------------------------------------ */

static void test_truncated(void **unused)
{
    (void)unused;
    enum { COUNT = 80000 };
    float *in = malloc(COUNT * sizeof *in);
    uint32_t noise = 1; /* so that lossy files are long too */
    for (int i = 0; i < COUNT; i++) in[i] = (float)((noise = noise * 69069 + 1) >> 16) * 0x1p-15f - 1.0f;
    for (int f = 0; f <= LOSSLESS_SOUND; f++) {
        const HaloFormat *format = f < LOSSLESS_SOUND ? lossless_sound[f] : &halo_format_ogg;
        Bytes file = save_sound(format, 16, false, 1, in, COUNT, NULL);
        file.size = file.size * 3 / 5;
        must_refuse_sound(file, format, format == &halo_format_flac ? "damaged" : "truncated");
        Sound part;
        assert_int_equal(load_sound(file, format, true, &part), HALO_OK);
        assert_true(part.frames > COUNT / 4 &&
                    part.frames < COUNT * 4 / 5); /* missing samples are not invented */
        if (f < LOSSLESS_SOUND) assert_memory_equal(part.at, in, (size_t)part.frames * sizeof *in);
        halo_meta_free(&part.info.meta);
        free(part.at);
        for (file.size = 1; file.size < 100; file.size++) { /* within the header */
            assert_int_equal(load_sound(file, format, false, &part), HALO_ERR_INPUT);
            if (load_sound(file, format, true, &part) == HALO_OK) free(part.at);
        }
        free(file.at);
    }
    free(in);
}

/* The last page of an Ogg says how long all of it is. */
static void test_ogg_claims(void **unused)
{
    (void)unused;
    enum { COUNT = 40000 };
    float *in = malloc(COUNT * sizeof *in);
    uint32_t noise = 1; /* so that there are several pages */
    for (int i = 0; i < COUNT; i++) in[i] = (float)((noise = noise * 69069 + 1) >> 16) * 0x1p-16f - 0.5f;
    Bytes file = save_sound(&halo_format_ogg, 16, false, 1, in, COUNT, NULL);
    Sound part;
    size_t last = file.size - 4;
    while (memcmp(file.at + last, "OggS", 4) != 0) last--;
    for (int shift = 28; shift <= 36; shift += 8) { /* as many as so many bytes can hold, and more */
        for (int b = 0; b < 8; b++) file.at[last + 6 + (size_t)b] = (uint8_t)((1ull << shift) >> 8 * b);
        snd_ogg_fix_serial(file.at, file.size);
        must_refuse_sound(file, &halo_format_ogg, shift == 28 ? "samples are missing" : "more than its");
        assert_int_equal(load_sound(file, &halo_format_ogg, true, &part), HALO_OK);
        assert_in_range(part.frames, COUNT, COUNT + 5000);
        halo_meta_free(&part.info.meta);
        free(part.at);
    }
    free(file.at), free(in);
}

/* PCM of 24 bits in four bytes: programs differ on what it means. A wrong size of frames does not matter. */
static void test_padded_pcm(void **unused)
{
    (void)unused;
    static const struct {
        int bits, channels, frame, per_second;
        bool refused;
    } rows[] = {{24, 2, 8, 8 * 22050, true},  {24, 1, 4, 4 * 22050, true},  {32, 1, 8, 8 * 22050, true},
                {24, 2, 8, 6 * 22050, false}, {16, 2, 2, 2 * 22050, false}, {16, 2, 2, 4 * 22050, false},
                {16, 2, 8, 4 * 22050, false}, {24, 1, 3, 3 * 22050, false}};
    float in[48] = {0.5f, -0.25f};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Bytes file = save_sound(&halo_format_wav, rows[i].bits, false, rows[i].channels, in, 24, NULL);
        for (int b = 0; b < 4; b++) file.at[28 + b] = (uint8_t)(rows[i].per_second >> 8 * b);
        file.at[32] = (uint8_t)rows[i].frame;
        if (rows[i].refused) {
            must_refuse_sound(file, &halo_format_wav, "-bit samples that take");
        } else {
            Sound back = must_load_sound(file, &halo_format_wav);
            assert_int_equal(back.frames, 24);
            assert_memory_equal(back.at, in, 24 * (size_t)rows[i].channels * sizeof *in);
            free(back.at);
        }
        free(file.at);
    }
}

static void test_length_unknown(void **unused)
{
    (void)unused;
    enum { COUNT = 5000 };
    float *in = ramp(16, COUNT);
    Bytes file = save_sound(&halo_format_wav, 16, false, 1, in, COUNT, NULL);
    static const uint32_t lengths[] = {0, 0x7ffff000, 0x80000000, 0xffffffff, 0xffffffff - 36};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        for (int b = 0; b < 8; b++) file.at[(b < 4 ? 4 : 36) + b] = (uint8_t)(lengths[i] >> 8 * (b % 4));
        Sound back = must_load_sound(file, &halo_format_wav);
        assert_int_equal(back.frames, COUNT);
        assert_memory_equal(back.at, in, COUNT * sizeof *in);
        free(back.at);
    }
    free(file.at);

    file = save_sound(&halo_format_flac, 16, false, 1, in, COUNT, NULL);
    file.at[21] &= 0xf0; /* 36 bits of STREAMINFO */
    memset(file.at + 22, 0, 4);
    Sound back = must_load_sound(file, &halo_format_flac);
    assert_int_equal(back.info.shape.width, -1);
    assert_int_equal(back.frames, COUNT);
    assert_memory_equal(back.at, in, COUNT * sizeof *in);
    free(in), free(file.at), free(back.at);
}

static void test_refused(void **unused)
{
    (void)unused;
    float in[100] = {0};
    Bytes file = save_sound(&halo_format_wav, 16, false, 1, in, 100, NULL);
    file.at[20] = 2;
    must_refuse_sound(file, &halo_format_wav, "ADPCM");
    file.at[20] = 0x11;
    must_refuse_sound(file, &halo_format_wav, "ADPCM");
    file.at[20] = 1;
    file.at[22] = 0; /* channels */
    must_refuse_sound(file, &halo_format_wav, "");
    file.at[22] = 0xff, file.at[23] = 0xff;
    must_refuse_sound(file, &halo_format_wav, "");
    file.at[22] = 1, file.at[23] = 0;
    memset(file.at + 24, 0, 4); /* rate */
    must_refuse_sound(file, &halo_format_wav, "");
    file.size = 44; /* no samples */
    must_refuse_sound(file, &halo_format_wav, "");
    must_refuse_sound(file, &halo_format_flac, "");
    free(file.at);
}

/* ---- pipes ---------------------------------------------------------------------------------------------- */

static void test_pipes(void **unused)
{
    (void)unused;
    enum { COUNT = 9000 }; /* fits a pipe's buffer */
    float *in = ramp(16, COUNT);
    for (int f = 0; f <= LOSSLESS_SOUND; f++) {
        const HaloFormat *format = f < LOSSLESS_SOUND ? lossless_sound[f] : &halo_format_ogg;
        Bytes file = save_sound(format, 16, false, 1, in, COUNT, NULL);
        int ends[2];
        char name[32];
        assert_int_equal(pipe(ends), 0);
        snprintf(name, sizeof name, "/dev/fd/%d", ends[1]);
        const HaloInfo info = sound_info(16, false, 1, COUNT);
        if (save_sound_to(name, format, &info, in, COUNT, NULL) != HALO_OK) fail_msg("%s", halo_error());
        uint8_t *piped = malloc(file.size + 1);
        close(ends[1]);
        assert_int_equal(read(ends[0], piped, file.size + 1), file.size);
        assert_memory_equal(piped, file.at, file.size); /* a pipe gets what a file gets */
        close(ends[0]);
        free(piped);

        assert_int_equal(pipe(ends), 0);
        assert_int_equal(write(ends[1], file.at, file.size), file.size);
        close(ends[1]);
        snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
        HaloSource *source;
        Sound back;
        assert_int_equal(halo_source_open(name, &source), HALO_OK);
        if (load_sound_from(source, format, false, &back) != HALO_OK)
            fail_msg("%s: %s", format->name, halo_error());
        halo_source_close(source);
        close(ends[0]);
        assert_int_equal(back.frames, COUNT);
        if (f < LOSSLESS_SOUND) assert_memory_equal(back.at, in, COUNT * sizeof *in);
        halo_meta_free(&back.info.meta);
        free(back.at), free(file.at);
    }
    free(in);
}

/* ---- recognition ---------------------------------------------------------------------------------------- */

static void test_probes_tell_apart(void **unused)
{
    (void)unused;
    float in[64] = {0};
    static const HaloFormat *const all[] = {
#define HALO_FORMAT(id) &halo_format_##id,
#include "formats.def"
#undef HALO_FORMAT
    };
    for (int f = 0; f <= LOSSLESS_SOUND; f++) {
        const HaloFormat *format = f < LOSSLESS_SOUND ? lossless_sound[f] : &halo_format_ogg;
        Bytes file = save_sound(format, 16, false, 1, in, 64, NULL);
        for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
            assert_int_equal(all[i]->probe && all[i]->probe(file.at, file.size), all[i] == format);
        assert_false(format->probe(file.at, 3));
        free(file.at);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_truncated),         cmocka_unit_test(test_ogg_claims),
        cmocka_unit_test(test_padded_pcm),        cmocka_unit_test(test_length_unknown),
        cmocka_unit_test(test_refused),           cmocka_unit_test(test_pipes),
        cmocka_unit_test(test_probes_tell_apart),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_remove);
}

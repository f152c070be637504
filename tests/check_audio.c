/* Audio files: what goes in comes out, whatever the container; and what is wrong with a file is said. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "codec.h"

static const HaloFormat *const lossless[] = {&halo_format_wav, &halo_format_flac, &halo_format_aiff,
                                             &halo_format_au,  &halo_format_w64,  &halo_format_rf64};
enum { LOSSLESS = sizeof lossless / sizeof lossless[0] };

static const char *path; /* of the one file that is written and read again */

typedef struct Sound {
    HaloInfo info;
    float *at;
    int64_t frames;
} Sound;

/* ---- one file out, one file in -------------------------------------------------------------------------- */

static HaloInfo wish(int bits, bool real, int channels, int64_t frames)
{
    return (HaloInfo){.shape = {.kind = HALO_AUDIO,
                                .dtype = HALO_F32,
                                .width = frames,
                                .height = 1,
                                .channels = channels,
                                .alpha = -1,
                                .white = 1.0f,
                                .rate = 22050},
                      .bits = bits,
                      .real = real};
}

static HaloStatus save_to(const char *name, const HaloFormat *format, const HaloInfo *info, float *samples,
                          int64_t frames, uint64_t *clipped)
{
    const HaloSinkOptions options = {.force = true};
    HaloSink *sink = NULL;
    HaloStatus status = halo_sink_open(name, &options, &sink);
    if (status != HALO_OK) return status;
    HaloWriter writer = {.format = format, .sink = sink, .info = *info};
    status = format->create(&writer);
    const int64_t half = frames / 2; /* in two calls, as bands come */
    for (int part = 0; part < 2 && status == HALO_OK; part++) {
        const int64_t first = part ? half : 0, count = part ? frames - half : half;
        HaloBuf rows = {.shape = info->shape, .x0 = first, .cols = count, .rows = 1};
        rows.data = samples + first * info->shape.channels;
        status = format->write(&writer, &rows);
    }
    if (status == HALO_OK) status = format->finish(&writer);
    format->discard(&writer);
    if (clipped) *clipped = writer.clipped;
    if (status == HALO_OK) return halo_sink_commit(sink);
    halo_sink_abandon(sink);
    return status;
}

static Bytes save(const HaloFormat *format, int bits, bool real, int channels, float *samples, int64_t frames,
                  uint64_t *clipped)
{
    const HaloInfo info = wish(bits, real, channels, frames);
    const HaloStatus status = save_to(path, format, &info, samples, frames, clipped);
    if (status != HALO_OK) fail_msg("%s, %d bits: %s", format->name, bits, halo_error());
    return bytes_of_file(path);
}

static HaloStatus load_from(HaloSource *source, const HaloFormat *format, bool tolerate, Sound *sound)
{
    HaloReader reader = {.format = format, .source = source, .options = {.tolerate = tolerate}};
    HaloStatus status = format->open(&reader);
    *sound = (Sound){.info = reader.info};
    if (status == HALO_OK) {
        const HaloShape *shape = &reader.info.shape;
        const int64_t room = shape->width < 0 ? 1 << 20 : shape->width;
        sound->at = malloc((size_t)(room * shape->channels) * sizeof(float));
        assert_non_null(sound->at);
        while (sound->frames < room && status == HALO_OK) { /* in calls of odd sizes */
            const int64_t left = room - sound->frames, count = left < 70001 ? left : 70001;
            HaloBuf rows = {.shape = *shape, .x0 = sound->frames, .cols = count, .rows = 1};
            rows.data = sound->at + sound->frames * shape->channels;
            int64_t got;
            status = format->read(&reader, &rows, &got);
            sound->frames += got;
            if (got < count) break;
        }
    }
    format->close(&reader);
    if (status != HALO_OK) {
        free(sound->at);
        sound->at = NULL;
    }
    return status;
}

static HaloStatus load(Bytes file, const HaloFormat *format, bool tolerate, Sound *sound)
{
    HaloSource *source;
    assert_int_equal(halo_source_from_memory(file.at, file.size, &source), HALO_OK);
    const HaloStatus status = load_from(source, format, tolerate, sound);
    halo_source_close(source);
    return status;
}

static Sound must_load(Bytes file, const HaloFormat *format)
{
    Sound sound;
    if (load(file, format, false, &sound) != HALO_OK) fail_msg("%s: %s", format->name, halo_error());
    return sound;
}

static void must_refuse(Bytes file, const HaloFormat *format, const char *because)
{
    Sound sound;
    assert_int_equal(load(file, format, false, &sound), HALO_ERR_INPUT);
    if (!strstr(halo_error(), because)) fail_msg("\"%s\" does not speak of \"%s\"", halo_error(), because);
}

static float *ramp(int bits, int64_t count)
{
    float *samples = malloc((size_t)count * sizeof *samples);
    const int64_t full = (int64_t)1 << (bits - 1);
    for (int64_t i = 0; i < count; i++) /* spread over the range, ends included */
        samples[i] = (float)((double)(-full + i * (2 * full - 1) / (count - 1)) / (double)full);
    return samples;
}

/* ---- integers ------------------------------------------------------------------------------------------- */

static void round_trip(const HaloFormat *format, int bits)
{
    enum { COUNT = 65536 };
    float *samples = ramp(bits, COUNT);
    uint64_t clipped;
    Bytes file = save(format, bits, false, 1, samples, COUNT, &clipped);
    assert_int_equal(clipped, 0);
    Sound back = must_load(file, format);
    assert_int_equal(back.frames, COUNT);
    assert_int_equal(back.info.bits, format == &halo_format_flac && bits > 24 ? 24 : bits);
    assert_false(back.info.real);
    assert_float_equal(back.info.shape.rate, 22050, 0);
    if (back.info.bits == bits) assert_memory_equal(back.at, samples, COUNT * sizeof *samples);
    Bytes again = save(format, bits, false, 1, back.at, COUNT, NULL);
    assert_int_equal(again.size, file.size);
    assert_memory_equal(again.at, file.at, file.size);
    free(samples), free(back.at), free(file.at), free(again.at);
}

/* With 65,536 samples spread over the range, the 16-bit case is every value there is. */
static void test_integers_come_back(void **unused)
{
    (void)unused;
    for (int f = 0; f < LOSSLESS; f++)
        for (int bits = 8; bits <= (lossless[f] == &halo_format_flac ? 24 : 32); bits += 8)
            round_trip(lossless[f], bits);
}

static void test_rounding_and_clipping(void **unused)
{
    (void)unused;
    const float unit = 0x1p-15f;
    float in[] = {0.5f * unit, 1.5f * unit, -0.5f * unit, -1.5f * unit, 2.5f * unit,      0.75f * unit,
                  1.0f,        -1.0f,       1e30f,        -1e30f,       (float)-INFINITY, (float)NAN};
    const float out[] = {0, 2 * unit, 0, -2 * unit, 2 * unit, unit, 1 - unit, -1, 1 - unit, -1, -1, 0};
    enum { COUNT = sizeof in / sizeof in[0] };
    for (int f = 0; f < LOSSLESS; f++) {
        uint64_t clipped;
        Bytes file = save(lossless[f], 16, false, 1, in, COUNT, &clipped);
        assert_int_equal(clipped, 5); /* 1, 1e30, -1e30, -inf, NaN; -1 fits */
        Sound back = must_load(file, lossless[f]);
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
    Bytes file = save(&halo_format_wav, 32, false, 1, one, 2, &clipped);
    assert_int_equal(clipped, 1);
    Sound back = must_load(file, &halo_format_wav);
    assert_true(back.at[0] == 1.0f && back.at[1] == 1.0f);
    assert_string_equal(back.info.note, "32-bit samples pass through 32-bit floats");
    free(file.at), free(back.at);
}

static void test_mu_law(void **unused)
{
    (void)unused;
    float samples[4] = {0};
    Bytes file = save(&halo_format_wav, 8, false, 1, samples, 4, NULL);
    file.at[20] = 7; /* the format tag; 8 bits a sample it has already */
    memcpy(file.at + file.size - 4, "\xff\x00\x80\x7f", 4);
    Sound back = must_load(file, &halo_format_wav);
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
    for (int f = 0; f < LOSSLESS; f++)
        for (int bits = 32; bits <= 64; bits += 32) {
            if (lossless[f] == &halo_format_flac) continue;
            uint64_t clipped;
            Bytes file = save(lossless[f], bits, true, 1, in, COUNT, &clipped);
            assert_int_equal(clipped, 0);
            for (size_t i = 0; i + 4 <= file.size; i++) /* where it cannot be left out it has no time */
                if (memcmp(file.at + i, "PEAK", 4) == 0) assert_memory_equal(file.at + i + 12, "\0\0\0", 4);
            Sound back = must_load(file, lossless[f]);
            assert_int_equal(back.info.bits, bits);
            assert_true(back.info.real);
            assert_memory_equal(back.at, in, sizeof in);
            free(file.at), free(back.at);
        }
}

static void test_ogg_repeats(void **unused)
{
    (void)unused;
    enum { COUNT = 30000 };
    float *in = malloc(2 * COUNT * sizeof *in);
    for (int i = 0; i < 2 * COUNT; i++) in[i] = (float)(0.5 * sin(i * 0.02));
    Bytes file = save(&halo_format_ogg, 16, false, 2, in, COUNT, NULL);
    Bytes again = save(&halo_format_ogg, 16, false, 2, in, COUNT, NULL);
    assert_int_equal(file.size, again.size);
    assert_memory_equal(file.at, again.at, file.size);
    Sound back = must_load(file, &halo_format_ogg); /* which checks the pages' sums */
    assert_int_equal(back.frames, COUNT);
    double worst = 0;
    for (int i = 0; i < 2 * COUNT; i++) worst = fmax(worst, fabs((double)back.at[i] - (double)in[i]));
    assert_true(worst < 0.05);

    in[7] = (float)NAN, in[8] = (float)INFINITY, in[9] = -2;
    uint64_t clipped;
    Bytes wild = save(&halo_format_ogg, 32, true, 2, in, COUNT, &clipped);
    assert_int_equal(clipped, 3);
    free(in), free(file.at), free(again.at), free(back.at), free(wild.at);
}

/* ---- channels ------------------------------------------------------------------------------------------- */

static void test_channels(void **unused)
{
    (void)unused;
    static const int counts[] = {2, 3, 6, 8, 9, 1024};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
        for (int f = 0; f < LOSSLESS; f++) {
            const int64_t frames = 100, samples = frames * counts[c];
            if (counts[c] > 8 && lossless[f] == &halo_format_flac) continue;
            float *in = ramp(16, samples);
            Bytes file = save(lossless[f], 16, false, counts[c], in, frames, NULL);
            Sound back = must_load(file, lossless[f]);
            assert_int_equal(back.info.shape.channels, counts[c]);
            assert_int_equal(back.frames, frames);
            assert_memory_equal(back.at, in, (size_t)samples * sizeof *in);
            free(in), free(file.at), free(back.at);
        }
    float nine[9] = {0};
    const HaloInfo info = wish(16, false, 9, 1);
    assert_int_equal(save_to(path, &halo_format_flac, &info, nine, 1, NULL), HALO_ERR_INPUT);
}

/* ---- damage and lies ------------------------------------------------------------------------------------ */

static void test_truncated(void **unused)
{
    (void)unused;
    enum { COUNT = 80000 };
    float *in = malloc(COUNT * sizeof *in);
    uint32_t noise = 1; /* so that lossy files are long too */
    for (int i = 0; i < COUNT; i++) in[i] = (float)((noise = noise * 69069 + 1) >> 16) * 0x1p-15f - 1.0f;
    for (int f = 0; f <= LOSSLESS; f++) {
        const HaloFormat *format = f < LOSSLESS ? lossless[f] : &halo_format_ogg;
        Bytes file = save(format, 16, false, 1, in, COUNT, NULL);
        file.size = file.size * 3 / 5;
        must_refuse(file, format, format == &halo_format_flac ? "damaged" : "truncated");
        Sound part;
        assert_int_equal(load(file, format, true, &part), HALO_OK);
        assert_true(part.frames > COUNT / 4 && part.frames <= COUNT);
        if (f < LOSSLESS) assert_memory_equal(part.at, in, COUNT / 4 * sizeof *in);
        free(part.at);
        for (file.size = 1; file.size < 100; file.size++) { /* within the header */
            assert_int_equal(load(file, format, false, &part), HALO_ERR_INPUT);
            if (load(file, format, true, &part) == HALO_OK) free(part.at);
        }
        free(file.at);
    }
    free(in);
}

static void test_length_unknown(void **unused)
{
    (void)unused;
    enum { COUNT = 5000 };
    float *in = ramp(16, COUNT);
    Bytes file = save(&halo_format_wav, 16, false, 1, in, COUNT, NULL);
    static const uint32_t lengths[] = {0, 0x7ffff000, 0x80000000, 0xffffffff, 0xffffffff - 36};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        for (int b = 0; b < 8; b++) file.at[(b < 4 ? 4 : 36) + b] = (uint8_t)(lengths[i] >> 8 * (b % 4));
        Sound back = must_load(file, &halo_format_wav);
        assert_int_equal(back.frames, COUNT);
        assert_memory_equal(back.at, in, COUNT * sizeof *in);
        free(back.at);
    }
    free(file.at);

    file = save(&halo_format_flac, 16, false, 1, in, COUNT, NULL);
    file.at[21] &= 0xf0; /* 36 bits of STREAMINFO */
    memset(file.at + 22, 0, 4);
    Sound back = must_load(file, &halo_format_flac);
    assert_int_equal(back.info.shape.width, -1);
    assert_int_equal(back.frames, COUNT);
    assert_memory_equal(back.at, in, COUNT * sizeof *in);
    free(in), free(file.at), free(back.at);
}

static void test_refused(void **unused)
{
    (void)unused;
    float in[100] = {0};
    Bytes file = save(&halo_format_wav, 16, false, 1, in, 100, NULL);
    file.at[20] = 2;
    must_refuse(file, &halo_format_wav, "ADPCM");
    file.at[20] = 0x11;
    must_refuse(file, &halo_format_wav, "ADPCM");
    file.at[20] = 1;
    file.at[22] = 0; /* channels */
    must_refuse(file, &halo_format_wav, "");
    file.at[22] = 0xff, file.at[23] = 0xff;
    must_refuse(file, &halo_format_wav, "");
    file.at[22] = 1, file.at[23] = 0;
    memset(file.at + 24, 0, 4); /* rate */
    must_refuse(file, &halo_format_wav, "");
    file.size = 44; /* no samples */
    must_refuse(file, &halo_format_wav, "");
    must_refuse(file, &halo_format_flac, "");
    free(file.at);
}

/* ---- pipes
 * ------------------------------------------------------------------------------------------------------------
 */

static void test_pipes(void **unused)
{
    (void)unused;
    enum { COUNT = 9000 }; /* fits a pipe's buffer */
    float *in = ramp(16, COUNT);
    for (int f = 0; f <= LOSSLESS; f++) {
        const HaloFormat *format = f < LOSSLESS ? lossless[f] : &halo_format_ogg;
        Bytes file = save(format, 16, false, 1, in, COUNT, NULL);
        int ends[2];
        char name[32];
        assert_int_equal(pipe(ends), 0);
        snprintf(name, sizeof name, "/dev/fd/%d", ends[1]);
        const HaloInfo info = wish(16, false, 1, COUNT);
        if (save_to(name, format, &info, in, COUNT, NULL) != HALO_OK) fail_msg("%s", halo_error());
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
        if (load_from(source, format, false, &back) != HALO_OK) fail_msg("%s: %s", format->name, halo_error());
        halo_source_close(source);
        close(ends[0]);
        assert_int_equal(back.frames, COUNT);
        if (f < LOSSLESS) assert_memory_equal(back.at, in, COUNT * sizeof *in);
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
    for (int f = 0; f <= LOSSLESS; f++) {
        const HaloFormat *format = f < LOSSLESS ? lossless[f] : &halo_format_ogg;
        Bytes file = save(format, 16, false, 1, in, 64, NULL);
        for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
            assert_int_equal(all[i]->probe && all[i]->probe(file.at, file.size), all[i] == format);
        assert_false(format->probe(file.at, 3));
        free(file.at);
    }
}

static int make_folder(void **unused)
{
    (void)unused;
    path = test_path("sound");
    return 0;
}

static int remove_folder(void **unused)
{
    (void)unused;
    test_folder_remove();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers_come_back),
        cmocka_unit_test(test_rounding_and_clipping),
        cmocka_unit_test(test_full_scale_of_32_bits),
        cmocka_unit_test(test_mu_law),
        cmocka_unit_test(test_floats_come_back),
        cmocka_unit_test(test_ogg_repeats),
        cmocka_unit_test(test_channels),
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_length_unknown),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_pipes),
        cmocka_unit_test(test_probes_tell_apart),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

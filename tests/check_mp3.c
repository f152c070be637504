/* MP3 frame by frame: files of silent frames, which need no encoder, and of sound where libsndfile can encode
 * it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sndfile.h>

#include "sound_file.h"

#ifdef HALO_HAVE_MPG123
#include "bytes/endian.h"
#include "mp3/mp3.h"

extern const HaloFormat halo_format_mp3;
static const HaloFormat *const mp3 = &halo_format_mp3;

/* ---- files ---------------------------------------------------------------------------------------------- */

typedef struct Made {
    uint8_t at[1 << 18];
    size_t size;
} Made;

static void add(Made *made, const void *bytes, size_t size)
{
    assert_true(size <= sizeof made->at - made->size);
    memcpy(made->at + made->size, bytes, size);
    made->size += size;
}

static Bytes bytes_of(Made *made) { return (Bytes){made->at, made->size}; }

/* MPEG-1, 128 kbit/s, 44.1 kHz, stereo: 417 bytes, 1152 samples. */
static const uint8_t stereo[4] = {0xff, 0xfb, 0x90, 0x04};

/* No side information and no data: silence. Gives where the latest begins. */
static uint8_t *add_frames(Made *made, const uint8_t header[4], int count)
{
    static const uint8_t nothing[MP3_MOST_BYTES];
    Mp3Frame frame;
    assert_true(mp3_frame(header, &frame));
    for (int i = 0; i < count; i++) {
        add(made, header, 4);
        add(made, nothing, (size_t)frame.bytes - 4);
    }
    return made->at + made->size - frame.bytes;
}

static Made *frames_of(const uint8_t header[4], int count)
{
    Made *made = calloc(1, sizeof *made);
    add_frames(made, header, count);
    return made;
}

/* A header frame with the number of frames and the encoder's delay and padding. */
static void add_header(Made *made, const uint8_t header[4], int frames, unsigned delay, unsigned padding)
{
    Mp3Frame frame;
    assert_true(mp3_frame(header, &frame));
    const int side = frame.version == 3 ? (frame.channels == 1 ? 17 : 32) : (frame.channels == 1 ? 9 : 17);
    uint8_t *at = add_frames(made, header, 1) + 4 + side;
    memcpy(at, "Info\0\0\0\1", 8);
    halo_put_be(at + 8, (uint64_t)frames, 4);
    memcpy(at + 12, "LAME3.100", 9);
    halo_put_be(at + 12 + 21, delay << 12 | padding, 3);
}

static void must_hold(Bytes file, bool tolerate, int64_t frames)
{
    Sound back;
    if (load_sound(file, mp3, tolerate, &back) != HALO_OK) fail_msg("%s", halo_error());
    assert_int_equal(back.info.shape.width, frames);
    assert_int_equal(back.frames, frames);
    for (int64_t i = 0; i < frames * back.info.shape.channels; i++) assert_true(back.at[i] == 0);
    halo_meta_free(&back.info.meta);
    free(back.at);
}

/* ---- lengths -------------------------------------------------------------------------------------------- */

static void test_every_kind_of_frame(void **unused)
{
    (void)unused;
    static const uint8_t versions[] = {0xfb, 0xf3, 0xe3}; /* MPEG-1, -2, -2.5 */
    for (size_t v = 0; v < sizeof versions; v++)
        for (int rate = 0; rate < 3; rate++)
            for (int bits = 1; bits < 15; bits += 3)
                for (int mode = 0; mode < 4; mode++) { /* stereo, joint, dual, mono */
                    const uint8_t header[4] = {0xff, versions[v], (uint8_t)(bits << 4 | rate << 2),
                                               (uint8_t)(mode << 6)};
                    Mp3Frame frame;
                    assert_true(mp3_frame(header, &frame));
                    Made *made = frames_of(header, 5);
                    assert_true(mp3->probe(made->at, 64));
                    must_hold(bytes_of(made), false, 5 * (v == 0 ? 1152 : 576));
                    Sound back = must_load_sound(bytes_of(made), mp3);
                    assert_int_equal(back.info.shape.channels, mode == 3 ? 1 : 2);
                    assert_true(back.info.shape.rate == frame.rate);
                    assert_int_equal(back.info.meta.texts, 0);
                    free(back.at), free(made);
                }
    static const uint8_t none[][4] = {{0xff, 0xfd, 0x90, 4}, {0xff, 0xeb, 0x90, 4}, {0xff, 0xfb, 0xf0, 4},
                                      {0xff, 0xfb, 0x00, 4}, {0xff, 0xfb, 0x9c, 4}, {0xfe, 0xfb, 0x90, 4}};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) assert_false(mp3_frame(none[i], &(Mp3Frame){0}));
}

static void test_tags_are_skipped(void **unused)
{
    (void)unused;
    uint8_t id3v2[] = "ID3\4\0\0\0\0\0\x0fTIT2\0\0\0\5\0\0\3Song", id3v1[128] = "TAGSong",
            ape[32 + 16 + 32] = "APETAGEX\xd0\7\0\0\x30\0\0\0\0\0\0\0\0\0\0\xa0";
    memcpy(ape + 32 + 16, "APETAGEX", 8);
    memset(ape + 32, 0xff, 16);
    Made *made = calloc(1, sizeof *made);
    add(made, id3v2, sizeof id3v2 - 1);
    add(made, "\0\0\0", 3); /* padding */
    add_frames(made, stereo, 4);
    for (int part = 0; part < 2; part++) { /* joined */
        add(made, ape, sizeof ape);
        add(made, id3v1, sizeof id3v1);
        must_hold(bytes_of(made), false, 4 * (part + 1) * 1152);
        Sound back = must_load_sound(bytes_of(made), mp3);
        assert_int_equal(back.info.meta.texts, 1);
        assert_string_equal(back.info.meta.text[0].key, "Title");
        assert_string_equal(back.info.meta.text[0].value, "Song");
        halo_meta_free(&back.info.meta);
        free(back.at);
        add(made, id3v2, sizeof id3v2 - 1);
        add_frames(made, stereo, 4);
    }
    free(made);

    made = frames_of(stereo, 3);
    strcpy((char *)id3v1 + 33, "Composer");
    id3v1[126] = 7, id3v1[127] = 17;
    add(made, id3v1, sizeof id3v1);
    Sound back = must_load_sound(bytes_of(made), mp3);
    static const char *const texts[] = {"Song", "Composer", "7", "Rock"};
    assert_int_equal(back.info.meta.texts, 4);
    for (int i = 0; i < 4; i++) assert_string_equal(back.info.meta.text[i].value, texts[i]);
    halo_meta_free(&back.info.meta);
    free(back.at), free(made);
}

/* The encoder's delay and padding are removed, from each of several files that were joined. */
static void test_gaps(void **unused)
{
    (void)unused;
    Made *made = calloc(1, sizeof *made);
    add_header(made, stereo, 10, 576, 1000);
    add_frames(made, stereo, 10);
    const int64_t one = 10 * 1152 - 576 - 1000;
    must_hold(bytes_of(made), false, one);
    add_header(made, stereo, 7, 1105, 529 + 1152 + 1); /* padding longer than a frame */
    add_frames(made, stereo, 7);
    const int64_t two = 7 * 1152 - 1105 - 529 - 1153;
    must_hold(bytes_of(made), false, one + two);
    add_frames(made, stereo, 3); /* a file without header */
    must_hold(bytes_of(made), false, one + two + 3 * 1152);
    free(made);

    made = calloc(1, sizeof *made); /* Fraunhofer's header, which has no delay */
    uint8_t *at = add_frames(made, stereo, 1) + 36;
    memcpy(at, "VBRI\0\1", 6);
    halo_put_be(at + 14, 5, 4);
    add_frames(made, stereo, 5);
    must_hold(bytes_of(made), false, 5 * 1152);
    free(made);
}

/* ---- damage --------------------------------------------------------------------------------------------- */

static void test_cut_anywhere(void **unused)
{
    (void)unused;
    enum { COUNT = 9 };
    for (int with_header = 0; with_header < 2; with_header++) {
        Made *made = calloc(1, sizeof *made);
        if (with_header) add_header(made, stereo, COUNT, 0, 0);
        add_frames(made, stereo, COUNT);
        const size_t whole = made->size, header = with_header ? 417 : 0;
        for (size_t size = header + 417 + 4; size < whole; size += 101) {
            Bytes file = {made->at, size};
            const int64_t frames = (int64_t)((size - header) / 417 + ((size - header) % 417 >= 4));
            const bool within = (size - header) % 417 >= 4;
            must_hold(file, true, frames * 1152 - (with_header ? 529 : 0));
            if (within || with_header)
                must_refuse_sound(file, mp3, "truncated at ");
            else
                must_hold(file, false, frames * 1152);
        }
        free(made);
    }
}

static void test_bytes_between_frames(void **unused)
{
    (void)unused;
    static const uint8_t mono[4] = {0xff, 0xfb, 0x90, 0xc4}, slow[4] = {0xff, 0xfb, 0x94, 0x04};
    uint8_t junk[3000];
    uint32_t noise = 1;
    for (size_t i = 0; i < sizeof junk; i++) { /* with many bytes that look like the start of a frame */
        noise = noise * 69069 + 1;
        junk[i] = noise >> 30 == 0 ? 0xff : i > 0 && junk[i - 1] == 0xff ? 0xfb : (uint8_t)(noise >> 16);
    }
    Made *made = frames_of(stereo, 4);
    add(made, junk, sizeof junk); /* after the last frame it is ignored */
    must_hold(bytes_of(made), false, 4 * 1152);
    add_frames(made, stereo, 5);
    must_refuse_sound(bytes_of(made), mp3, "damaged at 0.104 s: 3000 bytes are not a frame");
    must_hold(bytes_of(made), true, 9 * 1152);
    free(made);

    made = frames_of(stereo, 4);
    add_frames(made, mono, 4);
    must_refuse_sound(bytes_of(made), mp3, "(frame 4608) the number of channels changes from 2 to 1: split it");
    must_hold(bytes_of(made), true, 4 * 1152);
    free(made);
    made = frames_of(stereo, 4);
    add_frames(made, slow, 4);
    must_refuse_sound(bytes_of(made), mp3, "the rate changes from 44100 to 48000");
    free(made);

    static const char *const nothing[] = {"ID3", "ID3\4\0\0\0\0\0\5abcde and no more", "\xff\xfb\x90\x04"};
    for (size_t i = 0; i < 3; i++)
        must_refuse_sound((Bytes){(uint8_t *)(uintptr_t)nothing[i], strlen(nothing[i])}, mp3,
                          "no MPEG layer III frame");
}

/* ---- pipes ---------------------------------------------------------------------------------------------- */

static HaloStatus load_piped(Bytes file, bool tolerate, Sound *sound)
{
    int ends[2];
    char name[32];
    HaloSource *source;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], file.at, file.size), file.size);
    close(ends[1]);
    snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
    assert_int_equal(halo_source_open(name, &source), HALO_OK);
    const HaloStatus status = load_sound_from(source, mp3, tolerate, sound);
    halo_source_close(source);
    close(ends[0]);
    return status;
}

static void test_pipes(void **unused)
{
    (void)unused;
    Made *made = calloc(1, sizeof *made);
    Sound back;
    add_header(made, stereo, 20, 576, 1000);
    add_frames(made, stereo, 20);
    assert_int_equal(load_piped(bytes_of(made), false, &back), HALO_OK);
    assert_int_equal(back.info.shape.width, -1);
    assert_int_equal(back.frames, 20 * 1152 - 1576);
    free(back.at);
    made->size -= 2 * 417;
    assert_int_equal(load_piped(bytes_of(made), false, &back), HALO_ERR_INPUT);
    assert_non_null(strstr(halo_error(), "18 of 20 frames"));
    assert_int_equal(load_piped(bytes_of(made), true, &back), HALO_OK);
    assert_int_equal(back.frames, 18 * 1152 - 1105);
    free(back.at), free(made);
}

/* ---- sound ---------------------------------------------------------------------------------------------- */

enum { FRAMES = 30000 };

static float tone(int i, int c) { return 0.4f * sinf((float)i * (c == 0 ? 0.05f : 0.09f)); }

/* By libsndfile's encoder; false: it has none. */
static bool make_mp3(const char *path, int channels, double quality, int rate_mode)
{
    enum { MPEG = 0x230000, LAYER_III = 0x82, SET_RATE_MODE = 0x1305 };
    SF_INFO info = {.samplerate = 44100, .channels = channels, .format = MPEG | LAYER_III};
    if (!sf_format_check(&info)) return false;
    SNDFILE *file = sf_open(path, SFM_WRITE, &info);
    if (file == NULL) return false;
    sf_command(file, SFC_SET_COMPRESSION_LEVEL, &quality, sizeof quality);
    sf_command(file, SET_RATE_MODE, &rate_mode, sizeof rate_mode);
    for (int i = 0; i < FRAMES; i++) {
        const float frame[2] = {tone(i, 0), tone(i, 1)};
        sf_writef_float(file, frame, 1);
    }
    return sf_close(file) == 0;
}

static void test_sound(void **unused)
{
    (void)unused;
    char path[4200];
    snprintf(path, sizeof path, "%s/sound.mp3", test_folder());
    for (int mode = 0; mode < 3; mode++) /* constant, average and variable bit rate */
        for (int channels = 1; channels <= 2; channels++) {
            if (!make_mp3(path, channels, 0.3, mode)) skip();
            Bytes file = bytes_of_file(path);
            Sound back = must_load_sound(file, mp3), joined;
            assert_int_equal(back.frames, FRAMES);
            double wrong = 0;
            for (int i = 0; i < FRAMES * channels; i++)
                wrong += pow(back.at[i] - tone(i / channels, i % channels), 2);
            assert_true(sqrt(wrong / (FRAMES * channels)) < 0.02);
            /* Concatenated with itself it gives the sound twice. */
            Bytes twice = {malloc(2 * file.size), 2 * file.size};
            memcpy(twice.at, file.at, file.size), memcpy(twice.at + file.size, file.at, file.size);
            joined = must_load_sound(twice, mp3);
            const size_t size = (size_t)(FRAMES * channels) * sizeof *back.at;
            assert_int_equal(joined.frames, 2 * FRAMES);
            assert_memory_equal(joined.at, back.at, size);
            assert_memory_equal(joined.at + FRAMES * channels, back.at, size);
            halo_meta_free(&back.info.meta), halo_meta_free(&joined.info.meta);
            free(back.at), free(joined.at), free(file.at), free(twice.at);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind_of_frame),
        cmocka_unit_test(test_tags_are_skipped),
        cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_bytes_between_frames),
        cmocka_unit_test(test_pipes),
        cmocka_unit_test(test_sound),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_remove);
}
#else
int main(void) { return 0; }
#endif

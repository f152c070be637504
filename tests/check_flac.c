/* FLAC as other programs write it, by libFLAC itself: every depth, comments and pictures, concatenated streams,
 * damage. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random.h"
#include "sound_file.h"

#ifdef HALO_HAVE_FLAC
#include <FLAC/metadata.h>
#include <FLAC/stream_encoder.h>

/* ---- files by libFLAC ----------------------------------------------------------------------------------- */

enum { FRAMES = 6000 };

typedef struct Made {
    uint8_t at[400000];
    size_t size, first; /* where the first block of samples begins */
} Made;

static FLAC__StreamEncoderWriteStatus keep(const FLAC__StreamEncoder *encoder, const FLAC__byte *bytes,
                                           size_t size, uint32_t samples, uint32_t frame, void *context)
{
    Made *made = context;
    (void)encoder, (void)frame;
    if (samples > 0 && made->first == 0) made->first = made->size;
    assert_true(size <= sizeof made->at - made->size);
    memcpy(made->at + made->size, bytes, size);
    made->size += size;
    return FLAC__STREAM_ENCODER_WRITE_STATUS_OK;
}

/* Noise over the whole range, both ends first. `total`: what the header says, 0: nothing. */
static int32_t sample(int bits, int i)
{
    const uint32_t noise = (uint32_t)i * 2654435761u;
    if (i < 2) return i == 0 ? INT32_MIN >> (32 - bits) : INT32_MAX >> (32 - bits);
    return (int32_t)(noise ^ noise >> 13) >> (32 - bits);
}

static Made *make(int bits, unsigned rate, int channels, unsigned total, FLAC__StreamMetadata **blocks,
                  unsigned count)
{
    Made *made = calloc(1, sizeof *made);
    FLAC__StreamEncoder *encoder = FLAC__stream_encoder_new();
    FLAC__stream_encoder_set_channels(encoder, (unsigned)channels);
    FLAC__stream_encoder_set_bits_per_sample(encoder, (unsigned)bits);
    FLAC__stream_encoder_set_sample_rate(encoder, rate);
    FLAC__stream_encoder_set_streamable_subset(encoder, false);
    FLAC__stream_encoder_set_total_samples_estimate(encoder, total);
    if (count > 0) assert_true(FLAC__stream_encoder_set_metadata(encoder, blocks, count));
    assert_int_equal(FLAC__stream_encoder_init_stream(encoder, keep, NULL, NULL, NULL, made),
                     FLAC__STREAM_ENCODER_INIT_STATUS_OK);
    FLAC__int32 frame[8];
    for (int i = 0; i < FRAMES; i++) {
        for (int c = 0; c < channels; c++) frame[c] = sample(bits, i * channels + c);
        assert_true(FLAC__stream_encoder_process_interleaved(encoder, frame, 1));
    }
    assert_true(FLAC__stream_encoder_finish(encoder));
    FLAC__stream_encoder_delete(encoder);
    return made;
}

static Bytes bytes_of(Made *made) { return (Bytes){made->at, made->size}; }

static void append(Made *made, const void *bytes, size_t size)
{
    assert_true(size <= sizeof made->at - made->size);
    memcpy(made->at + made->size, bytes, size);
    made->size += size;
}

/* ---- depths --------------------------------------------------------------------------------------------- */

static void test_every_depth(void **unused)
{
    (void)unused;
    static const int depths[] = {4, 5, 8, 12, 15, 16, 20, 23, 24, 32};
    for (size_t d = 0; d < sizeof depths / sizeof *depths; d++)
        for (int channels = 1; channels <= 2; channels++) {
            const int bits = depths[d];
            Made *made = make(bits, 44100, channels, channels == 1 ? FRAMES : 0, NULL, 0);
            Sound back = must_load_sound(bytes_of(made), &halo_format_flac);
            assert_int_equal(back.info.bits, bits);
            assert_int_equal(back.info.shape.width, channels == 1 ? FRAMES : -1);
            assert_int_equal(back.frames, FRAMES);
            for (int i = 0; i < FRAMES * channels; i++)
                assert_true(back.at[i] == (float)ldexp(sample(bits, i), 1 - bits));
            free(back.at), free(made);
        }
}

/* ---- what is said --------------------------------------------------------------------------------------- */

static void comment(FLAC__StreamMetadata *block, const char *line)
{
    FLAC__StreamMetadata_VorbisComment_Entry entry = {(FLAC__uint32)strlen(line),
                                                      (FLAC__byte *)(uintptr_t)line};
    assert_true(FLAC__metadata_object_vorbiscomment_append_comment(block, entry, true));
}

static FLAC__StreamMetadata *picture(int type, const char *words, size_t size)
{
    FLAC__StreamMetadata *block = FLAC__metadata_object_new(FLAC__METADATA_TYPE_PICTURE);
    FLAC__byte bytes[5000];
    for (size_t i = 0; i < size; i++) bytes[i] = (FLAC__byte)(i * 7);
    block->data.picture.type = (FLAC__StreamMetadata_Picture_Type)type;
    block->data.picture.width = 640, block->data.picture.height = 480, block->data.picture.depth = 24;
    assert_true(FLAC__metadata_object_picture_set_mime_type(block, (char *)(uintptr_t) "image/jpeg", true));
    assert_true(FLAC__metadata_object_picture_set_description(block, (FLAC__byte *)(uintptr_t)words, true));
    assert_true(FLAC__metadata_object_picture_set_data(block, bytes, (FLAC__uint32)size, true));
    return block;
}

static void expect_said(const HaloMeta *meta)
{
    static const char *const expected[][2] = {{"Author", "first"},
                                              {"Author", "second"},
                                              {"REPLAYGAIN_TRACK_GAIN", "-3.1 dB"},
                                              {"Title", "See \xc3\xa9t\xc3\xa9"},
                                              {"mood", ""}};
    assert_int_equal(meta->texts, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_string_equal(meta->text[i].key, expected[i][0]);
        assert_string_equal(meta->text[i].value, expected[i][1]);
    }
    assert_int_equal(meta->pictures, 2);
    const HaloBlob *second = &meta->picture[1];
    assert_int_equal(second->size, 32 + 10 + 4 + 5000);
    assert_memory_equal(
        second->data,
        "\0\0\0\4\0\0\0\nimage/jpeg\0\0\0\4back\0\0\2\x80\0\0\1\xe0\0\0\0\x18\0\0\0\0\0\0\x13\x88", 46);
    for (size_t i = 0; i < 5000; i++) assert_int_equal(second->data[46 + i], (uint8_t)(i * 7));
}

static void test_comments_and_pictures(void **unused)
{
    (void)unused;
    FLAC__StreamMetadata *blocks[3] = {FLAC__metadata_object_new(FLAC__METADATA_TYPE_VORBIS_COMMENT),
                                       picture(3, "front", 1000), picture(4, "back", 5000)};
    comment(blocks[0], "ARTIST=first");
    comment(blocks[0], "artist=second");
    comment(blocks[0], "REPLAYGAIN_TRACK_GAIN=-3.1 dB");
    comment(blocks[0], "TITLE=See \xc3\xa9t\xc3\xa9");
    comment(blocks[0], "mood=");
    Made *made = make(16, 22050, 1, FRAMES, blocks, 3);
    Sound sound = must_load_sound(bytes_of(made), &halo_format_flac);
    expect_said(&sound.info.meta);
    static const HaloFormat *const through[] = {&halo_format_flac, &halo_format_ogg, &halo_format_flac};
    for (size_t i = 0; i < sizeof through / sizeof *through; i++) { /* from one to the next */
        assert_int_equal(save_sound_to(test_path("said"), through[i], &sound.info, sound.at, FRAMES, NULL),
                         HALO_OK);
        Bytes file = bytes_of_file(test_path("said"));
        halo_meta_free(&sound.info.meta);
        free(sound.at);
        sound = must_load_sound(file, through[i]);
        assert_int_equal(sound.frames, FRAMES);
        expect_said(&sound.info.meta);
        free(file.at);
    }
    halo_meta_free(&sound.info.meta);
    free(sound.at), free(made);
    for (int i = 0; i < 3; i++) FLAC__metadata_object_delete(blocks[i]);
}

/* Metadata that FLAC cannot hold is left out, and the file is valid. */
static void test_odd_metadata(void **unused)
{
    (void)unused;
    HaloInfo info = sound_info(16, false, 1, FRAMES);
    HaloText texts[3] = {{(char *)(uintptr_t) "a=b", (char *)(uintptr_t) "1"},
                         {(char *)(uintptr_t) "\xc3\xa9", (char *)(uintptr_t) "2"},
                         {(char *)(uintptr_t) "Title", (char *)(uintptr_t) "3"}};
    uint8_t icon[32 + 9] = {0, 0, 0, 1, 0, 0, 0, 9, 'i', 'm', 'a', 'g', 'e', '/', 'p', 'n', 'g'};
    HaloBlob pictures[3] = {
        {(uint8_t *)(uintptr_t) "\0\0\0\3\xff\xff\xff\xff", 8}, {icon, sizeof icon}, {icon, 20}};
    float in[FRAMES] = {0};
    info.meta.text = texts, info.meta.texts = 3;
    info.meta.picture = pictures, info.meta.pictures = 3;
    assert_int_equal(save_sound_to(test_path("odd"), &halo_format_flac, &info, in, FRAMES, NULL), HALO_OK);
    Bytes file = bytes_of_file(test_path("odd"));
    Sound back = must_load_sound(file, &halo_format_flac);
    assert_int_equal(back.info.meta.texts, 1);
    assert_string_equal(back.info.meta.text[0].value, "3");
    assert_int_equal(back.info.meta.pictures, 0);
    halo_meta_free(&back.info.meta);
    free(back.at), free(file.at);
}

/* ---- streams behind one another, and damage ------------------------------------------------------------- */

static void test_changes_are_refused(void **unused)
{
    (void)unused;
    static const struct {
        int bits, channels;
        unsigned rate;
        const char *because;
    } other[] = {{16, 1, 48000, "at 0.136 s (frame 6000) the rate changes from 44100 to 48000"},
                 {24, 1, 44100, "at 0.136 s (frame 6000) the depth changes from 16 to 24"},
                 {16, 2, 44100, "at 0.136 s (frame 6000) the number of channels changes from 1 to 2"}};
    for (size_t i = 0; i < 3; i++)
        for (unsigned total = 0; total <= 2 * FRAMES; total += 2 * FRAMES) {
            Made *first = make(16, 44100, 1, total, NULL, 0);
            Made *second = make(other[i].bits, other[i].rate, other[i].channels, 0, NULL, 0);
            append(first, second->at + second->first, second->size - second->first);
            must_refuse_sound(bytes_of(first), &halo_format_flac, other[i].because);
            free(first), free(second);
        }
}

static void test_concatenated_streams(void **unused)
{
    (void)unused;
    Made *first = make(16, 44100, 1, FRAMES, NULL, 0), *second = make(16, 44100, 1, FRAMES, NULL, 0);
    const size_t alone = first->size;
    append(first, second->at, second->size);
    must_refuse_sound(bytes_of(first), &halo_format_flac,
                      "where its header says that it ends, another stream begins");
    Sound back;
    assert_int_equal(load_sound(bytes_of(first), &halo_format_flac, true, &back), HALO_OK);
    assert_int_equal(back.frames, FRAMES);
    free(back.at);
    first->size = alone;
    append(first, "TAG of another program, as ID3 is, \xff\xf8 and so on", 48); /* which is not audio */
    back = must_load_sound(bytes_of(first), &halo_format_flac);
    assert_int_equal(back.frames, FRAMES);
    free(back.at), free(first), free(second);
}

/* CRC of so many bits, from the top bit on. */
static unsigned checksum(const uint8_t *bytes, size_t size, int bits, unsigned polynomial)
{
    unsigned sum = 0;
    for (size_t i = 0; i < size; i++) {
        sum ^= (unsigned)bytes[i] << (bits - 8);
        for (int b = 0; b < 8; b++) sum = sum << 1 ^ (sum >> (bits - 1) & 1 ? polynomial : 0);
        sum &= (1u << bits) - 1;
    }
    return sum;
}

static void test_damage_is_located(void **unused)
{
    (void)unused;
    Made *made = make(16, 44100, 1, FRAMES, NULL, 0);
    made->at[made->size - 100] ^= 1; /* in the last block, from frame 4096 or 4608 on */
    must_refuse_sound(bytes_of(made), &halo_format_flac, "damaged at 0.0");
    Sound back;
    assert_int_equal(load_sound(bytes_of(made), &halo_format_flac, true, &back), HALO_OK);
    assert_true(back.frames >= 4096 && back.frames < FRAMES); /* missing samples are not invented */
    for (int i = 0; i < 4096; i++) assert_true(back.at[i] == (float)ldexp(sample(16, i), -15));
    free(back.at);
    made->size = 20;
    must_refuse_sound(bytes_of(made), &halo_format_flac, "truncated");
    free(made);
}

/* A header that claims 2^36 frames, and a block that claims to begin there: --tolerate does not fill that with
 * silence. */
static void test_claims_are_not_trusted(void **unused)
{
    (void)unused;
    Made *made = make(16, 44100, 1, FRAMES, NULL, 0);
    Sound back;
    made->at[21] |= 0x0f; /* 36 bits of STREAMINFO */
    memset(made->at + 22, 0xff, 4);
    assert_int_equal(load_sound(bytes_of(made), &halo_format_flac, true, &back), HALO_OK);
    assert_int_equal(back.frames, FRAMES);
    for (int i = 0; i < FRAMES; i++) assert_true(back.at[i] == (float)ldexp(sample(16, i), -15));
    free(back.at);

    /* The first block once more, as number 2^23. */
    static const uint8_t number[6] = {0xf8, 0xa0, 0x80, 0x80, 0x80};
    size_t end = made->first + 6;
    const uint8_t *at = made->at + made->first;
    while (made->at[end] != 0xff || made->at[end + 1] != at[1] || made->at[end + 3] != at[3] ||
           made->at[end + 4] != 1)
        end++;
    const size_t size = end - made->first;
    uint8_t block[40000];
    assert_true(size + 4 < sizeof block);
    memcpy(block, made->at + made->first, 4);
    memcpy(block + 4, number, 5);
    memcpy(block + 9, made->at + made->first + 5, size - 5);
    block[9] = (uint8_t)checksum(block, 9, 8, 0x07);
    const unsigned sum = checksum(block, size + 2, 16, 0x8005);
    block[size + 2] = (uint8_t)(sum >> 8), block[size + 3] = (uint8_t)sum;
    append(made, block, size + 4);
    assert_int_equal(load_sound(bytes_of(made), &halo_format_flac, true, &back), HALO_OK);
    assert_in_range(back.frames, FRAMES + 4096, 200000); /* libFLAC itself inserts fifty blocks */
    free(back.at), free(made);
}

/* Seeks to any frame, in any order, up to the last: the right frames or, in damaged files, a failure. */
static void jump_about(const Made *made, int channels, bool damaged)
{
    Rng rng = {21};
    HaloSource *source;
    assert_int_equal(halo_source_from_memory(made->at, made->size, &source), HALO_OK);
    HaloReader reader = {.format = &halo_format_flac, .source = source};
    assert_int_equal(reader.format->open(&reader), HALO_OK);
    float got_them[FRAMES * 2];
    for (int jump = 0; jump < 200; jump++) {
        const int64_t from = jump % 9 == 0 ? FRAMES - 1 : rng_between(&rng, 0, FRAMES - 1);
        const int64_t count = jump % 5 == 0 ? FRAMES - from : rng_between(&rng, 1, FRAMES - from);
        HaloBuf rows = {.shape = reader.info.shape, .x0 = from, .cols = count, .rows = 1, .data = got_them};
        int64_t got = 0;
        bool gone = false;
        HaloStatus status = reader.format->seek(&reader, from, &gone);
        if (status == HALO_OK) {
            assert_true(gone);
            status = reader.format->read(&reader, &rows, &got);
        }
        if (status != HALO_OK && damaged) break;
        assert_int_equal(status, HALO_OK);
        assert_int_equal(got, count);
        for (int64_t i = 0; i < count * channels; i++)
            assert_true(got_them[i] == (float)ldexp(sample(16, (int)(from * channels + i)), -15));
    }
    reader.format->close(&reader);
    halo_source_close(source);
}

static void test_seeks(void **unused)
{
    (void)unused;
    Rng rng = {22};
    for (int channels = 1; channels <= 2; channels++) {
        Made *made = make(16, 44100, channels, FRAMES, NULL, 0);
        jump_about(made, channels, false);
        for (int i = 0; i < 20; i++) {
            const size_t at = (size_t)rng_between(&rng, (int64_t)made->first, (int64_t)made->size - 1);
            made->at[at] ^= 0x55;
            jump_about(made, channels, true);
            made->at[at] ^= 0x55;
        }
        free(made);
    }
    Made *endless = make(16, 44100, 1, 0, NULL, 0);
    HaloSource *source;
    bool gone = true;
    assert_int_equal(halo_source_from_memory(endless->at, endless->size, &source), HALO_OK);
    HaloReader reader = {.format = &halo_format_flac, .source = source};
    assert_int_equal(reader.format->open(&reader), HALO_OK);
    assert_int_equal(reader.format->seek(&reader, 0, &gone), HALO_OK);
    assert_false(gone);
    reader.format->close(&reader);
    halo_source_close(source);
    free(endless);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_depth),
        cmocka_unit_test(test_comments_and_pictures),
        cmocka_unit_test(test_odd_metadata),
        cmocka_unit_test(test_changes_are_refused),
        cmocka_unit_test(test_concatenated_streams),
        cmocka_unit_test(test_damage_is_located),
        cmocka_unit_test(test_claims_are_not_trusted),
        cmocka_unit_test(test_seeks),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_remove);
}
#else
int main(void) { return 0; }
#endif

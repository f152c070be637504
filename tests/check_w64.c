/* Sony's Wave64: headers as other programs write them, chunks at multiples of 8 bytes, and unknown lengths. The
 * layout is defined here independently. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sound_file.h"

static const uint8_t riff_guid[12] = {0x2e, 0x91, 0xcf, 0x11, 0xa5, 0xd6, 0x28, 0xdb, 0x04, 0xc1, 0, 0};
static const uint8_t wave_guid[12] = {0xf3, 0xac, 0xd3, 0x11, 0x8c, 0xd1, 0, 0xc0, 0x4f, 0x8e, 0xdb, 0x8a};

/* ---- files made by hand --------------------------------------------------------------------------------- */

typedef struct File {
    uint8_t at[8192];
    size_t size;
} File;

static void add(File *file, const void *bytes, size_t size)
{
    memcpy(file->at + file->size, bytes, size);
    file->size += size;
}

static void add_number(File *file, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) file->at[file->size++] = (uint8_t)(value >> 8 * i);
}

static void add_lead(File *file, const char *id, uint64_t length)
{
    add(file, id, 4);
    add(file, strcmp(id, "list") == 0 || strcmp(id, "riff") == 0 ? riff_guid : wave_guid, 12);
    add_number(file, length, 8);
}

static void add_chunk(File *file, const char *id, const void *bytes, size_t size)
{
    add_lead(file, id, 24 + size);
    add(file, bytes, size);
    while (file->size % 8 != 0) add_number(file, 0, 1);
}

static void add_begin(File *file)
{
    file->size = 0;
    add_lead(file, "riff", 0);
    add(file, "wave", 4);
    add(file, wave_guid, 12);
}

/* WAVE_FORMAT_EXTENSIBLE, as FFmpeg describes floats; tag 3, or 1. */
static void add_format(File *file, int tag, int channels, int bits)
{
    static const uint8_t tail[14] = {0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71};
    add_lead(file, "fmt ", 24 + 40);
    add_number(file, 0xfffe, 2);
    add_number(file, (uint64_t)channels, 2);
    add_number(file, 44100, 4);
    add_number(file, (uint64_t)(44100 * channels * bits / 8), 4);
    add_number(file, (uint64_t)(channels * bits / 8), 2);
    add_number(file, (uint64_t)bits, 2);
    add_number(file, 22, 2);
    add_number(file, (uint64_t)bits, 2);
    add_number(file, channels == 2 ? 3 : 4, 4);
    add_number(file, (uint64_t)tag, 2);
    add(file, tail, sizeof tail);
}

static Bytes bytes_of(const File *file) { return (Bytes){(uint8_t *)file->at, file->size}; }

/* ---- reading -------------------------------------------------------------------------------------------- */

static void test_extensible_floats(void **unused)
{
    (void)unused;
    const float in[6] = {0, 0.25f, -1, 3.5f, 1e-20f, -0.0f};
    double wide[6];
    File file;
    for (int i = 0; i < 6; i++) wide[i] = (double)in[i];
    for (int bits = 32; bits <= 64; bits += 32) {
        add_begin(&file);
        add_format(&file, 3, 2, bits);
        add_chunk(&file, "fact", "\3\0\0\0\0\0\0\0", 8);
        add_chunk(&file, "data", bits == 32 ? (const void *)in : wide, (size_t)(6 * bits / 8));
        Sound back = must_load_sound(bytes_of(&file), &halo_format_w64);
        assert_true(back.info.real);
        assert_int_equal(back.info.bits, bits);
        assert_int_equal(back.info.speakers, 3);
        assert_int_equal(back.frames, 3);
        assert_memory_equal(back.at, in, sizeof in);
        free(back.at);
        file.size -= 9; /* missing samples are reported */
        must_refuse_sound(bytes_of(&file), &halo_format_w64, "truncated");
    }
}

/* A chunk of an odd length, one of an unknown GUID, and chunks after the samples. */
static void test_chunks_are_found(void **unused)
{
    (void)unused;
    const uint8_t in[5] = {0, 128, 255, 64, 192};
    File file;
    add_begin(&file);
    add_lead(&file, "what", 24 + 3);
    memset(file.at + file.size - 20, 7, 12); /* its GUID is another one */
    add(&file, "abc\0\0\0\0\0", 8);
    add_chunk(&file, "bext", "hello", 5);
    add_format(&file, 1, 1, 8);
    add_chunk(&file, "list", "INFOINAM\5\0\0\0lake\0\0", 18);
    add_chunk(&file, "data", in, sizeof in);
    add_chunk(&file, "iXML", "<x/>", 4);
    Sound back = must_load_sound(bytes_of(&file), &halo_format_w64);
    assert_int_equal(back.frames, 5);
    for (int i = 0; i < 5; i++) assert_true(back.at[i] == (float)(in[i] - 128) / 128);
    free(back.at);
    halo_meta_free(&back.info.meta);

    HaloSource *source;
    assert_int_equal(halo_source_from_memory(file.at, file.size, &source), HALO_OK);
    HaloReader reader = {.format = &halo_format_w64, .source = source};
    assert_int_equal(halo_format_w64.open(&reader), HALO_OK);
    const HaloMeta *meta = &reader.info.meta;
    assert_int_equal(meta->chunks, 3);
    assert_memory_equal(meta->chunk[0].id, "bext", 4);
    assert_memory_equal(meta->chunk[0].bytes.data, "hello", 5);
    assert_memory_equal(meta->chunk[1].id, "LIST", 4);
    assert_memory_equal(meta->chunk[2].id, "iXML", 4);
    assert_true(meta->chunk[2].behind);
    assert_int_equal(meta->texts, 1);
    assert_string_equal(meta->text[0].value, "lake");

    /* And all of it is written again. */
    float samples[5] = {0, 0.5f, -0.5f, 0.25f, -1};
    HaloInfo info = reader.info;
    const char *path = test_path("again");
    assert_int_equal(save_sound_to(path, &halo_format_w64, &info, samples, 5, NULL), HALO_OK);
    Bytes made = bytes_of_file(path);
    int seen = 0;
    for (size_t at = 40; at + 24 <= made.size;) { /* chunk by chunk, as the specification has it */
        uint64_t length = 0;
        for (int b = 7; b >= 0; b--) length = length << 8 | made.at[at + 16 + (size_t)b];
        assert_true(length >= 24 && at % 8 == 0 && at + length <= made.size);
        if (memcmp(made.at + at, "data", 4) == 0) assert_int_equal(length, 24 + 5);
        if (memcmp(made.at + at, "list", 4) == 0)
            assert_memory_equal(made.at + at + 4, riff_guid, 12);
        else
            assert_memory_equal(made.at + at + 4, wave_guid, 12);
        seen++;
        at += (size_t)(length + 7) / 8 * 8;
    }
    assert_int_equal(seen, 5); /* fmt, bext, list, data, iXML */
    uint64_t total = 0;
    for (int b = 7; b >= 0; b--) total = total << 8 | made.at[16 + b];
    assert_int_equal(total, made.size);
    free(made.at);
    halo_format_w64.close(&reader);
    halo_meta_free(&reader.info.meta);
    halo_source_close(source);
}

/* ---- pipes ---------------------------------------------------------------------------------------------- */

/* Of unknown length into a pipe and out of one: padding does not become samples. */
static void test_length_unknown(void **unused)
{
    (void)unused;
    enum { COUNT = 1001 };
    float *in = ramp(8, COUNT);
    for (int w64 = 0; w64 < 2; w64++) {
        const HaloFormat *format = w64 ? &halo_format_w64 : &halo_format_wav;
        HaloInfo info = sound_info(8, false, 1, COUNT);
        int ends[2];
        char name[32];
        HaloSource *source;
        HaloSink *sink;
        const HaloSinkOptions options = {.force = HALO_FORCE_YES};
        assert_int_equal(pipe(ends), 0);
        snprintf(name, sizeof name, "/dev/fd/%d", ends[1]);
        assert_int_equal(halo_sink_open(name, &options, &sink), HALO_OK);
        info.shape.width = -1;
        HaloWriter writer = {.format = format, .sink = sink, .info = info};
        assert_int_equal(format->create(&writer), HALO_OK);
        HaloBuf rows = {.shape = info.shape, .cols = COUNT, .rows = 1, .data = in};
        assert_int_equal(format->write(&writer, &rows), HALO_OK);
        assert_int_equal(format->finish(&writer), HALO_OK);
        format->discard(&writer);
        assert_int_equal(halo_sink_commit(sink), HALO_OK);
        close(ends[1]);
        snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
        assert_int_equal(halo_source_open(name, &source), HALO_OK);
        Sound back;
        if (load_sound_from(source, format, false, &back) != HALO_OK) fail_msg("%s", halo_error());
        assert_int_equal(back.info.shape.width, -1);
        assert_int_equal(back.frames, COUNT);
        assert_memory_equal(back.at, in, COUNT * sizeof *in);
        halo_source_close(source);
        close(ends[0]);
        free(back.at);
    }
    free(in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_extensible_floats),
        cmocka_unit_test(test_chunks_are_found),
        cmocka_unit_test(test_length_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_remove);
}

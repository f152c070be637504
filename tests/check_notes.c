/* What readers and writers of images leave out and report: chunks of PNG, the end of JPEG, records of IPTC. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "codec.h"
#include "meta/meta.h"
#ifdef HALO_HAVE_JPEG
#include <jpeglib.h>
#endif

enum { WIDTH = 40, HEIGHT = 24 };

static uint8_t samples[WIDTH * HEIGHT * 3];

static HaloBuf picture(int channels)
{
    for (size_t i = 0; i < sizeof samples; i++) samples[i] = (uint8_t)(i * 7 % 251);
    HaloBuf data = {.shape = shape_of(HALO_U8, WIDTH, HEIGHT, channels, false),
                    .cols = WIDTH,
                    .rows = HEIGHT,
                    .data = samples};
    data.stride = halo_row_bytes(&data);
    return data;
}

static Bytes file_of(const HaloFormat *format, const HaloMeta *meta)
{
    const HaloBuf data = picture(3);
    const HaloInfo info = {.bits = 8, .meta = *meta};
    Bytes file;
    if (encode(format, &info, &data, 0, &file) != HALO_OK) fail_msg("%s", halo_error());
    return file;
}

static Decoded read_all(const HaloFormat *format, const Bytes *file)
{
    Decoded image;
    if (decode(format, file->at, file->size, NULL, 5, &image) != HALO_OK) fail_msg("%s", halo_error());
    return image;
}

static void expect_refused(const HaloFormat *format, const Bytes *file, const char *message)
{
    expect_error(format, (const char *)file->at, file->size, HALO_ERR_INPUT, message);
}

/* ---- PNG ------------------------------------------------------------------------------------------------ */

static const uint8_t cicp[4] = {9, 16, 0, 1}, clli[8] = {0, 152, 150, 128, 0, 30, 132, 128};

static void codes_of_colour_are_preserved(void **unused)
{
    (void)unused;
    uint8_t mdcv[24];
    for (int i = 0; i < 24; i++) mdcv[i] = (uint8_t)(i + 1);
    Bytes file = file_of(&halo_format_png, &(HaloMeta){0});
    png_insert(&file, PNG_FIRST, "cLLi", clli, 8, false);
    png_insert(&file, PNG_FIRST, "mDCv", mdcv, 24, false);
    png_insert(&file, PNG_FIRST, "cICP", cicp, 4, false);
    Decoded once = read_all(&halo_format_png, &file);
    Bytes again = file_of(&halo_format_png, &once.info.meta);
    Decoded twice = read_all(&halo_format_png, &again);
    for (int i = 0; i < 2; i++) {
        const HaloColourCode *code = (i == 0 ? &once : &twice)->info.meta.code;
        assert_int_equal(code[HALO_CICP].size, 4);
        assert_memory_equal(code[HALO_CICP].bytes, cicp, 4);
        assert_memory_equal(code[HALO_MDCV].bytes, mdcv, 24);
        assert_memory_equal(code[HALO_CLLI].bytes, clli, 8);
    }
    assert_int_equal(halo_meta_kinds(&once.info.meta), HALO_META_CODES);
    /* Before the samples, each of them once. */
    int seen = 0;
    for (size_t at = 8; memcmp(again.at + at + 4, "IDAT", 4) != 0;) {
        const uint8_t *chunk = again.at + at;
        seen += memcmp(chunk + 4, "cICP", 4) == 0 || memcmp(chunk + 4, "mDCv", 4) == 0 ||
                memcmp(chunk + 4, "cLLi", 4) == 0;
        at += 12 + ((size_t)chunk[2] << 8 | chunk[3]);
    }
    assert_int_equal(seen, 3);
    decoded_free(&once);
    decoded_free(&twice);
    free(file.at);
    free(again.at);
    /* After the samples, or of another size, they are ignored. */
    file = file_of(&halo_format_png, &(HaloMeta){0});
    png_insert(&file, file.size - 12, "cICP", cicp, 4, false);
    png_insert(&file, PNG_FIRST, "cLLi", clli, 7, false);
    once = read_all(&halo_format_png, &file);
    assert_int_equal(halo_meta_kinds(&once.info.meta), 0);
    decoded_free(&once);
    free(file.at);
}

static void wrong_checksums(void **unused)
{
    (void)unused;
    const HaloBuf expected = picture(3);
    Bytes file = file_of(&halo_format_png, &(HaloMeta){0});
    png_insert(&file, file.size - 12, "tEXt", "Author\0a painter", 15, true);
    png_insert(&file, PNG_FIRST, "tEXt", "Title\0a lake", 12, true);
    png_insert(&file, PNG_FIRST, "tEXt", "Comment\0a shore", 15, false);
    png_insert(&file, PNG_FIRST, "cICP", cicp, 4, true);
    Decoded image = read_all(&halo_format_png, &file);
    expect_image("PNG with damaged chunks", &expected, &image);
    assert_int_equal(image.info.notes.count[HALO_NOTE_CHECKSUM], 3);
    assert_int_equal(image.info.meta.texts, 1);
    assert_string_equal(image.info.meta.text[0].key, "Comment");
    assert_int_equal(image.info.meta.code[HALO_CICP].size, 0);
    decoded_free(&image);
    free(file.at);
    /* Without tRNS the samples would differ; without PLTE, IHDR or IDAT there are none. */
    file = file_of(&halo_format_png, &(HaloMeta){0});
    png_insert(&file, PNG_FIRST, "tRNS", "\0\1\0\1\0\1", 6, true);
    expect_refused(&halo_format_png, &file, "tRNS: CRC error");
    free(file.at);
    file = file_of(&halo_format_png, &(HaloMeta){0});
    file.at[PNG_FIRST - 1] ^= 1;
    expect_refused(&halo_format_png, &file, "IHDR: CRC error");
    file.at[PNG_FIRST - 1] ^= 1;
    file.at[file.size - 13] ^= 1; /* the last of IDAT's */
    expect_refused(&halo_format_png, &file, "CRC error");
    free(file.at);
}

static void invalid_keywords(void **unused)
{
    (void)unused;
    static const struct {
        const char *key;
        bool kept;
    } texts[] = {{"Title", true}, {"", false},          {"\x7f", false},     {"a\tb", false},
                 {"   ", false},  {"Zo\xc3\xab", true}, {"\xc2\x94", false}, {"\xe6\xb9\x96", false},
                 {" x  y ", true}};
    enum { TEXTS = sizeof texts / sizeof *texts };
    HaloMeta meta = {0};
    char longest[160];
    for (int i = 0; i < TEXTS; i++)
        assert_int_equal(halo_text_add(&meta, texts[i].key, "value", 5, HALO_UTF_8), HALO_OK);
    memset(longest, 'k', sizeof longest);
    longest[80] = 0; /* one too many */
    assert_int_equal(halo_text_add(&meta, longest, "value", 5, HALO_UTF_8), HALO_OK);
    Bytes file = file_of(&halo_format_png, &meta);
    Decoded image = read_all(&halo_format_png, &file);
    assert_int_equal(image.info.meta.texts, 3);
    for (int i = 0; i < TEXTS; i++)
        if (texts[i].kept && texts[i].key[0] != ' ')
            assert_non_null(halo_text_find(&image.info.meta, texts[i].key));
    assert_non_null(halo_text_find(&image.info.meta, "x y")); /* as libpng corrects blanks */
    decoded_free(&image);
    free(file.at);
    halo_meta_free(&meta);
}

/* ---- JPEG ----------------------------------------------------------------------------------------------- */

#ifdef HALO_HAVE_JPEG
static void jpeg_without_its_end(void **unused)
{
    (void)unused;
    Bytes file = file_of(&halo_format_jpeg, &(HaloMeta){0});
    Decoded whole = read_all(&halo_format_jpeg, &file);
    assert_int_equal(whole.info.notes.count[HALO_NOTE_NO_END], 0);
    for (size_t cut = 1; cut <= 2; cut++) {
        const Bytes shorter = {file.at, file.size - cut};
        Decoded image = read_all(&halo_format_jpeg, &shorter);
        expect_image("JPEG without its end", &whole.data, &image);
        assert_int_equal(image.info.notes.count[HALO_NOTE_NO_END], 1);
        decoded_free(&image);
    }
    /* Where samples are missing too, it is truncated. */
    for (size_t size = 2; size < file.size - 2; size++) {
        const Bytes shorter = {file.at, size};
        expect_refused(&halo_format_jpeg, &shorter, "truncated");
    }
    decoded_free(&whole);
    free(file.at);
}

/* Some encoders leave 0 in a scan's header what only progressive files use: libjpeg reads them all the same. */
static void jpeg_with_odd_parameters(void **unused)
{
    (void)unused;
    Bytes file = file_of(&halo_format_jpeg, &(HaloMeta){0});
    Decoded right = read_all(&halo_format_jpeg, &file);
    assert_int_equal(right.info.notes.count[HALO_NOTE_HEADER], 0);
    size_t scan = 2;
    while (file.at[scan + 1] != 0xda) scan += 2 + (size_t)file.at[scan + 2] * 256 + file.at[scan + 3];
    const size_t end = scan + 2 + file.at[scan + 3]; /* of the header; before it: first and last coefficient */
    assert_int_equal(file.at[end - 2], 63);
    file.at[end - 2] = 0;
    Decoded image = read_all(&halo_format_jpeg, &file);
    expect_image("JPEG with odd parameters of its scan", &right.data, &image);
    assert_int_equal(image.info.notes.count[HALO_NOTE_HEADER], 1);
    decoded_free(&image);
    decoded_free(&right);
    free(file.at);
}

/* Progressive: without the last scans all rows exist, with less detail. */
static Bytes progressive_file(void)
{
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    unsigned char *bytes = NULL;
    unsigned long size = 0;
    const HaloBuf data = picture(3);
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    jpeg_mem_dest(&jpeg, &bytes, &size);
    jpeg.image_width = WIDTH;
    jpeg.image_height = HEIGHT;
    jpeg.input_components = 3;
    jpeg.in_color_space = JCS_RGB;
    jpeg_set_defaults(&jpeg);
    jpeg_simple_progression(&jpeg);
    jpeg_start_compress(&jpeg, TRUE);
    while (jpeg.next_scanline < HEIGHT)
        jpeg_write_scanlines(&jpeg, &(JSAMPROW){halo_at(&data, 0, jpeg.next_scanline)}, 1);
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    return (Bytes){bytes, size};
}

static void progressive_jpeg_without_its_end(void **unused)
{
    (void)unused;
    Bytes file = progressive_file();
    Decoded whole = read_all(&halo_format_jpeg, &file);
    for (size_t size = 2; size < file.size; size++) {
        const Bytes shorter = {file.at, size};
        if (size < file.size - 2) {
            expect_refused(&halo_format_jpeg, &shorter, "truncated");
            continue;
        }
        Decoded image = read_all(&halo_format_jpeg, &shorter);
        expect_image("progressive JPEG without its end", &whole.data, &image);
        assert_int_equal(image.info.notes.count[HALO_NOTE_NO_END], 1);
        decoded_free(&image);
    }
    decoded_free(&whole);
    free(file.at);
}
#endif

/* ---- IPTC ----------------------------------------------------------------------------------------------- */

/* A by-line and a caption, and an unused resource before them. */
static const uint8_t records[] = "\x1c\2\120\0\5Zo\xc3\xab!\x1c\2\170\0\6a lake";

static void iptc_is_preserved(void **unused)
{
    (void)unused;
#ifdef HALO_HAVE_JPEG
    uint8_t marker[128] = "\xff\xed\0\0Photoshop 3.0\0"
                          "8BIM\3\xed\3abc\0\0\0\3xyz\0"
                          "8BIM\4\4\0\0\0\0\0";
    const size_t size = sizeof records - 1, head = 4 + 14 + 18 + 12;
    marker[head - 1] = (uint8_t)size;
    memcpy(marker + head, records, size);
    marker[3] = (uint8_t)(head - 2 + size);
    Bytes file = file_of(&halo_format_jpeg, &(HaloMeta){0});
    bytes_insert(&file, 2, marker, head + size);
    Decoded image = read_all(&halo_format_jpeg, &file);
    assert_int_equal(image.info.meta.iptc.size, size);
    assert_memory_equal(image.info.meta.iptc.data, records, size);
    assert_true((halo_meta_kinds(&image.info.meta) & HALO_META_IPTC) != 0);
    free(file.at);
    /* Truncation or damage anywhere may lose it, and does nothing worse. */
    for (size_t i = 18; i < head + size; i++) {
        HaloBlob blob = {0};
        assert_int_equal(halo_iptc_from_photoshop(marker + 18, i - 18, &blob), HALO_OK);
        free(blob.data);
        marker[i] ^= 0xff;
        blob = (HaloBlob){0};
        assert_int_equal(halo_iptc_from_photoshop(marker + 18, head + size - 18, &blob), HALO_OK);
        free(blob.data);
        marker[i] ^= 0xff;
    }
    const HaloFormat *const formats[] = {
        &halo_format_jpeg,
#ifdef HALO_HAVE_TIFF
        &halo_format_tiff,
#endif
    };
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        file = file_of(formats[f], &image.info.meta);
        Decoded again = read_all(formats[f], &file);
        assert_int_equal(again.info.meta.iptc.size, size);
        assert_memory_equal(again.info.meta.iptc.data, records, size);
        decoded_free(&again);
        free(file.at);
    }
    decoded_free(&image);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_of_colour_are_preserved),
        cmocka_unit_test(wrong_checksums),
        cmocka_unit_test(invalid_keywords),
        cmocka_unit_test(iptc_is_preserved),
#ifdef HALO_HAVE_JPEG
        cmocka_unit_test(jpeg_without_its_end),
        cmocka_unit_test(progressive_jpeg_without_its_end),
        cmocka_unit_test(jpeg_with_odd_parameters),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_remove);
}

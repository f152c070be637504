/* PNG's chunks inflated ahead, in parallel: the same samples and refusals as in sequence, for any chunks and
 * streams. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <zlib.h>

#include "bytes/endian.h"
#include "codec.h"
#include "png/png_ahead.h"
#include "random.h"

#ifdef HALO_HAVE_ISAL

/* ---- files ---------------------------------------------------------------------------------------------- */

#define WIDTH 2000
#define PARTS_MOST 64

static void append(Bytes *file, const char *name, const uint8_t *bytes, size_t size)
{
    file->at = realloc(file->at, file->size + size + 12);
    if (file->at == NULL) abort();
    uint8_t *at = file->at + file->size;
    halo_put_be(at, size, 4);
    memcpy(at + 4, name, 4);
    if (size > 0) memcpy(at + 8, bytes, size);
    halo_put_be(at + 8 + size, crc32(0, at + 4, (uInt)size + 4), 4);
    file->size += size + 12;
}

static uint8_t *draw_rows(Rng *rng, size_t rows)
{
    const int64_t grain = rng_once_in(rng, 3) ? 255 : rng_between(rng, 0, 3), far = rng_between(rng, 1, 40000);
    uint8_t *bytes = malloc(rows * (WIDTH + 1));
    if (bytes == NULL) abort();
    for (size_t i = 0; i < rows * (WIDTH + 1); i++)
        bytes[i] = (uint8_t)(i < (size_t)far || i / 5000 % 2 == 0 ? rng_between(rng, 0, grain)
                                                                  : bytes[i - (size_t)far]);
    for (size_t y = 0; y < rows; y++) bytes[y * (WIDTH + 1)] = (uint8_t)rng_between(rng, 0, 4);
    return bytes;
}

/* A stream in parts, each of which ends in one of zlib's ways, and where in it chunks are to end: there,
 * mostly. */
static Bytes draw_stream(Rng *rng, uint8_t *bytes, size_t size, size_t end[PARTS_MOST], int *parts)
{
    static const int ways[] = {Z_FULL_FLUSH, Z_SYNC_FLUSH, Z_PARTIAL_FLUSH, Z_BLOCK, Z_NO_FLUSH};
    const bool all_full = rng_once_in(rng, 2);
    z_stream zip = {.next_in = bytes};
    Bytes out = {malloc(2 * size + 65536), 0};
    if (out.at == NULL || deflateInit2(&zip, (int)rng_between(rng, 0, 2), Z_DEFLATED, 15, 8, 0) != Z_OK)
        abort();
    zip.next_out = out.at;
    zip.avail_out = (uInt)(2 * size + 65536);
    for (*parts = 0; size > 0;) {
        size_t part =
            rng_once_in(rng, 6) ? (size_t)rng_between(rng, 1, 60000) : (size_t)rng_between(rng, 60000, 524288);
        if (part > size || *parts > PARTS_MOST - 3) part = size;
        zip.avail_in = (uInt)part;
        size -= part;
        deflate(&zip, size == 0 ? Z_FINISH : all_full ? Z_FULL_FLUSH : ways[rng_between(rng, 0, 4)]);
        const int64_t beside = rng_once_in(rng, 12) ? rng_between(rng, -3, 3) : 0;
        if (*parts == 0 || zip.total_out > end[*parts - 1] + 8)
            end[(*parts)++] = size == 0 ? zip.total_out : (size_t)((int64_t)zip.total_out + beside);
    }
    out.size = zip.total_out;
    end[*parts - 1] = out.size;
    deflateEnd(&zip);
    return out;
}

static Bytes draw_file(Rng *rng)
{
    const size_t rows = (size_t)rng_between(rng, 1100, 2000);
    uint8_t head[13] = {0}, *bytes = draw_rows(rng, rows);
    size_t end[PARTS_MOST], from = 0;
    int parts;
    Bytes file = {malloc(8), 8}, stream = draw_stream(rng, bytes, rows * (WIDTH + 1), end, &parts);
    if (rng_once_in(rng, 3))
        stream.at[rng_between(rng, 0, (int64_t)stream.size - 1)] ^= (uint8_t)(1 << rng_between(rng, 0, 7));
    memcpy(file.at, "\x89PNG\r\n\x1a\n", 8);
    halo_put_be(head, WIDTH, 4);
    halo_put_be(head + 4, rows, 4);
    head[8] = 8;
    append(&file, "IHDR", head, 13);
    for (int i = 0; i < parts; i++, from = end[i - 1]) {
        append(&file, "IDAT", stream.at + from, end[i] - from);
        if (rng_once_in(rng, 40)) append(&file, "IDAT", NULL, 0);
    }
    append(&file, "IEND", NULL, 0);
    if (rng_once_in(rng, 8)) file.at[rng_between(rng, 40, (int64_t)file.size - 1)] ^= 1; /* checksums, too */
    if (rng_once_in(rng, 12)) file.size -= (size_t)rng_between(rng, 1, (int64_t)file.size / 2);
    free(stream.at);
    free(bytes);
    return file;
}

/* ---- both ways ------------------------------------------------------------------------------------------ */

typedef struct Answer {
    HaloStatus status;
    char words[512];
    HaloBuf data;
} Answer;

static void read_by(const Bytes *file, int jobs, int64_t band, Answer *answer)
{
    HaloStatus status = HALO_OK;
    HaloReader reader = {.format = &halo_format_png, .jobs = jobs};
    *answer = (Answer){0};
    if (halo_source_from_memory(file->at, file->size, &reader.source) != HALO_OK) abort();
    HALO_TRY(halo_format_png.open(&reader));
    HALO_TRY(halo_buf_alloc(&answer->data, &reader.info.shape));
    memset(answer->data.data, 0, (size_t)(answer->data.stride * answer->data.rows));
    for (int64_t y = 0, got; y < answer->data.rows; y += got) {
        HaloBuf rows = answer->data;
        rows.y0 = y;
        rows.rows = band < rows.rows - y ? band : rows.rows - y;
        rows.data = halo_at(&answer->data, 0, y);
        HALO_TRY(halo_format_png.read(&reader, &rows, &got));
    }
out:
    if (status != HALO_OK) snprintf(answer->words, sizeof answer->words, "%s", halo_error());
    answer->status = status;
    halo_meta_free(&reader.info.meta);
    halo_format_png.close(&reader);
    halo_source_close(reader.source);
}

static int whole_files;

static void one_file(Rng *rng)
{
    const Bytes file = draw_file(rng);
    Answer one, several;
    const int64_t band = rng_between(rng, 1, 2000);
    read_by(&file, 1, band, &one);
    read_by(&file, (int)rng_between(rng, 2, 5), band, &several);
    if (one.status != several.status || strcmp(one.words, several.words) != 0)
        fail_case(NULL, "%d '%s', not %d '%s'", several.status, several.words, one.status, one.words);
    if (one.status == HALO_OK &&
        memcmp(one.data.data, several.data.data, (size_t)(one.data.stride * one.data.rows)) != 0)
        fail_case(NULL, "other samples");
    whole_files += one.status == HALO_OK;
    halo_buf_free(&one.data);
    halo_buf_free(&several.data);
    free(file.at);
}

static void chunks_ahead_make_no_difference(void **state)
{
    (void)state;
    for_each_case(__func__, 120, one_file);
    print_message("%d were whole\n", whole_files);
}

/* ---- what stands by itself ------------------------------------------------------------------------------ */

/* Three parts of the same bytes: the second stands alone, or copies from the first, and then it needs the first
 * as its window. */
static void expect_three(int flush, bool alone)
{
    enum { SIZE = 40000 };
    uint8_t *bytes = malloc(SIZE), *chunk[3];
    size_t size = 0, sizes[3];
    Rng rng = {5};
    PngAhead *ahead = halo_png_ahead_new(3, NULL);
    z_stream zip = {0};
    assert_non_null(ahead);
    if (bytes == NULL || deflateInit2(&zip, 6, Z_DEFLATED, -15, 8, 0) != Z_OK) abort();
    for (int i = 0; i < SIZE; i++) bytes[i] = (uint8_t)rng_between(&rng, 0, i < SIZE / 2 ? 255 : 1);
    for (int i = 0; i < 3; i++) {
        chunk[i] = halo_png_ahead_chunk(ahead);
        assert_non_null(chunk[i]);
        zip.next_in = bytes;
        zip.avail_in = SIZE;
        zip.next_out = chunk[i];
        zip.avail_out = PNG_ALONE_BYTES;
        assert_int_equal(deflate(&zip, flush), Z_OK);
        sizes[i] = PNG_ALONE_BYTES - zip.avail_out;
        halo_png_ahead_put(ahead, 0, sizes[i], true);
    }
    for (int i = 0; i < (alone ? 3 : 1); i++) {
        const uint8_t *made = halo_png_ahead_next(ahead, &size);
        assert_non_null(made);
        assert_int_equal(size, SIZE);
        assert_memory_equal(made, bytes, SIZE);
    }
    assert_null(halo_png_ahead_next(ahead, &size));
    assert_memory_equal(halo_png_ahead_window(ahead, &size), bytes + SIZE - 32768, 32768);
    for (int i = alone ? 3 : 1; i < 3; i++) {
        assert_ptr_equal(halo_png_ahead_rest(ahead, &size), chunk[i]);
        assert_int_equal(size, sizes[i]);
    }
    assert_null(halo_png_ahead_rest(ahead, &size));
    deflateEnd(&zip);
    halo_png_ahead_free(ahead);
    free(bytes);
}

static void a_chunk_that_needs_its_window_is_refused(void **state)
{
    (void)state;
    expect_three(Z_FULL_FLUSH, true);
    expect_three(Z_SYNC_FLUSH, false);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(chunks_ahead_make_no_difference),
                                       cmocka_unit_test(a_chunk_that_needs_its_window_is_refused)};
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, test_folder_remove);
}

#else
int main(void) { return 0; }
#endif

/* The accounting of memory: what is held of the limit, and that readers and writers stay within it and release
 * what they held. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "bytes/spool.h"
#include "codec.h"
#include "pipelines.h"
#include "run/run.h"

#ifdef HALO_HAVE_JPEG
#include <jpeglib.h>
#endif

static HaloMemory memory_of(int64_t allowed)
{
    return (HaloMemory){.allowed = allowed, .advice = "more helps"};
}

/* ---- counting ------------------------------------------------------------------------------------------- */

static void held_memory_is_counted(void **state)
{
    (void)state;
    HaloMemory memory = memory_of(100);
    assert_int_equal(halo_memory_hold(&memory, 60), HALO_OK);
    assert_int_equal(halo_memory_left(&memory), 40);
    assert_int_equal(halo_memory_hold(&memory, 41), HALO_ERR_LIMIT);
    assert_string_equal(halo_error(), "needs 101 bytes of memory and 100 bytes are allowed; more helps");
    assert_int_equal(halo_memory_hold(&memory, INT64_MAX), HALO_ERR_LIMIT);
    assert_int_equal(halo_memory_hold(&memory, -1), HALO_ERR_LIMIT);
    assert_int_equal(halo_memory_left(&memory), 40);
    assert_int_equal(halo_memory_hold(&memory, 40), HALO_OK);
    halo_memory_release(&memory, 100);
    assert_int_equal(halo_memory_left(&memory), 100);
    assert_int_equal(halo_memory_hold(NULL, INT64_MAX), HALO_OK);
}

/* ---- files put together in memory ----------------------------------------------------------------------- */

static void a_spool_stays_within_the_limit(void **state)
{
    (void)state;
    HaloMemory memory = memory_of(100000);
    HaloSpool spool = {.memory = &memory};
    uint8_t bytes[1000];
    int64_t at = 0;
    memset(bytes, 7, sizeof bytes);
    assert_int_equal(halo_spool_write(&spool, 2000, bytes, 1000), HALO_OK);
    for (int i = 0; i < 3000; i++) assert_int_equal(spool.bytes[i], i < 2000 ? 0 : 7);
    while (halo_spool_write(&spool, at, bytes, 1000) == HALO_OK) at += 1000;
    assert_int_equal(at, 100000); /* all of it, though the buffer grows by half */
    assert_non_null(strstr(halo_error(), "more helps"));
    assert_int_equal(spool.bytes[99999], 7);
    halo_spool_free(&spool);
    assert_int_equal(memory.held, 0);
}

/* ---- pipes ---------------------------------------------------------------------------------------------- */

static HaloStatus slurp(int64_t size, int64_t allowed, int64_t *left)
{
    HaloMemory memory = memory_of(allowed);
    HaloSource *source;
    const uint8_t *bytes;
    size_t got = 0;
    char command[600];
    const char *path = test_path("pipe");
    unlink(path);
    snprintf(command, sizeof command, "mkfifo %s && (head -c %lld /dev/zero > %s &)", path, (long long)size,
             path);
    assert_int_equal(system(command), 0);
    assert_int_equal(halo_source_open(path, &source), HALO_OK);
    halo_source_count(source, &memory);
    const HaloStatus status = halo_source_slurp(source, &bytes, &got);
    if (status == HALO_OK) assert_int_equal(got, size);
    *left = memory.held;
    halo_source_close(source);
    assert_int_equal(memory.held, 0);
    return status;
}

static void a_pipe_is_kept_within_the_limit(void **state)
{
    (void)state;
    int64_t held;
    assert_int_equal(slurp(3000000, 3100000, &held), HALO_OK);
    assert_true(held <= 3000000); /* the failed growth is released */
    assert_int_equal(slurp(3000000, 2000000, &held), HALO_ERR_LIMIT);
    assert_non_null(strstr(halo_error(), "more helps"));
    assert_true(held <= 2000000);
}

/* ---- formats -------------------------------------------------------------------------------------------- */

/* Decodes in bands of `band` rows (0: all at once); what was held at most. */
static HaloStatus read_all(const HaloFormat *format, Bytes file, int64_t band, int64_t allowed, int64_t *most)
{
    HaloStatus status = HALO_OK;
    HaloMemory memory = memory_of(allowed);
    HaloSource *source = NULL;
    HaloBuf data = {0};
    HaloReader reader = {.format = format, .memory = &memory};
    *most = 0;
    HALO_TRY(halo_source_from_memory(file.at, file.size, &source));
    reader.source = source;
    HALO_TRY(format->open(&reader));
    HALO_TRY(halo_buf_alloc(&data, &reader.info.shape));
    for (int64_t y = 0, got; y < data.rows; y += got) {
        HaloBuf rows = rows_of(&data, (Rows){y, smaller(band > 0 ? y + band : data.rows, data.rows)});
        HALO_TRY(format->read(&reader, &rows, &got));
        *most = larger(*most, memory.held);
    }
out:
    format->close(&reader);
    halo_source_close(source);
    halo_meta_free(&reader.info.meta);
    halo_buf_free(&data);
    assert_int_equal(memory.held, 0);
    return status;
}

#ifdef HALO_HAVE_JPEG
static Bytes progressive(int side)
{
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    unsigned char *bytes = NULL;
    unsigned long size = 0;
    JSAMPLE *row = malloc((size_t)side);
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    jpeg_mem_dest(&jpeg, &bytes, &size);
    jpeg.image_width = jpeg.image_height = (JDIMENSION)side;
    jpeg.input_components = 1;
    jpeg.in_color_space = JCS_GRAYSCALE;
    jpeg_set_defaults(&jpeg);
    jpeg_simple_progression(&jpeg);
    jpeg_start_compress(&jpeg, TRUE);
    for (int y = 0; y < side; y++) {
        for (int x = 0; x < side; x++) row[x] = (JSAMPLE)(x * y);
        jpeg_write_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    free(row);
    return (Bytes){bytes, size};
}

static void jpeg_of_several_scans_keeps_its_coefficients(void **state)
{
    (void)state;
    int64_t most;
    Bytes file = progressive(512);
    assert_int_equal(read_all(&halo_format_jpeg, file, 16, 1 << 20, &most), HALO_OK);
    assert_int_equal(most, 512 * 512 * 2);
    assert_int_equal(read_all(&halo_format_jpeg, file, 16, 500000, &most), HALO_ERR_LIMIT);
    free(file.at);
}
#endif

/* Every format releases what it held; with a lower limit it refuses, unless it held nothing. */
static void readers_and_writers_release(void **state)
{
    (void)state;
    static const HaloFormat *const all[] = {
        &halo_format_pnm,  &halo_format_png, &halo_format_npy, &halo_format_pfm,
        &halo_format_bmp,  &halo_format_tga, &halo_format_hdr,
#ifdef HALO_HAVE_TIFF
        &halo_format_tiff,
#endif
#ifdef HALO_HAVE_JPEG
        &halo_format_jpeg,
#endif
    };
    Rng rng = {3};
    for (size_t f = 0; f < sizeof all / sizeof *all; f++) {
        const HaloFormat *format = all[f];
        const HaloDtype dtype = format->dtypes & 1u << HALO_U8 ? HALO_U8 : HALO_F32;
        const HaloInfo info = {.shape = shape_of(dtype, 301, 203, 3, false), .bits = 8};
        HaloBuf in = random_input(&info.shape, false, &rng);
        for (int enough = 0; enough < 2; enough++) {
            HaloMemory memory = memory_of(enough ? 1 << 24 : 1000);
            HaloSink *sink;
            const char *path = test_path("written");
            assert_int_equal(halo_sink_open(path, &(HaloSinkOptions){.force = HALO_FORCE_YES}, &sink), HALO_OK);
            HaloWriter writer = {.format = format, .info = info, .sink = sink, .memory = &memory};
            HaloStatus status = format->create(&writer);
            const int64_t held = memory.held;
            if (status == HALO_OK) status = format->write(&writer, &in);
            if (status == HALO_OK) status = format->finish(&writer);
            if (status == HALO_OK && format->end != NULL) status = format->end(&writer);
            format->discard(&writer);
            assert_int_equal(memory.held, 0);
            if (status != HALO_OK && (enough || status != HALO_ERR_LIMIT))
                fail_case(NULL, "%s: status %d: %s", format->name, status, halo_error());
            if (!enough) assert_true(held <= 1000);
            if (status != HALO_OK) {
                halo_sink_abandon(sink);
                continue;
            }
            assert_int_equal(halo_sink_commit(sink), HALO_OK);
            int64_t most;
            Bytes file = bytes_of_file(path);
            if (format->open != NULL) assert_int_equal(read_all(format, file, 10, 1 << 24, &most), HALO_OK);
            if (format->open != NULL && read_all(format, file, 10, most - 1, &most) == HALO_OK && most > 0)
                fail_case(NULL, "%s: read within less than it held", format->name);
            free(file.at);
        }
        halo_buf_free(&in);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(held_memory_is_counted),
        cmocka_unit_test(a_spool_stays_within_the_limit),
        cmocka_unit_test(a_pipe_is_kept_within_the_limit),
#ifdef HALO_HAVE_JPEG
        cmocka_unit_test(jpeg_of_several_scans_keeps_its_coefficients),
#endif
        cmocka_unit_test(readers_and_writers_release),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_remove);
}

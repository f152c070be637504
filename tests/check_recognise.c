/* How files are recognised: by their first bytes alone; formats that are only written or foreign are refused
 * with a message everywhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "codec.h"
#include "file/file.h"
#include "foreign.h"
#include "seeds.h"

static HaloSession *session;

static int open_session(void **unused)
{
    (void)unused;
    const HaloOptions options = {
        .max_pixels = 1 << 16, .max_memory = 1 << 24, .jobs = 1, .device = HALO_DEVICE_CPU};
    return halo_session_open_with(halo_tables(), &options, &session) == HALO_OK ? 0 : -1;
}

static int close_session(void **unused)
{
    halo_session_close(session);
    return test_folder_remove(unused);
}

/* The functions of a format that the engine calls have to exist. */
static void test_rows_are_complete(void **unused)
{
    (void)unused;
    const HaloTables *tables = halo_tables();
    for (int i = 0; i < tables->formats; i++) {
        const HaloFormat *f = tables->format[i];
        const bool reads = f->open != NULL, writes = f->create != NULL;
        if (!reads && !writes) fail_msg("%s is neither read nor written", f->name);
        if ((f->read != NULL) != reads || (f->close != NULL) != reads ||
            (!reads && (f->next != NULL || f->trailing_meta != NULL)))
            fail_msg("%s: open, read and close belong together", f->name);
        if ((f->write != NULL) != writes || (f->finish != NULL) != writes || (f->discard != NULL) != writes ||
            (f->dtypes != 0) != writes)
            fail_msg("%s: create, write, finish and discard belong together", f->name);
    }
}

/* A new row in formats.def or foreign.def needs a seed. */
static void test_every_row_has_a_seed(void **unused)
{
    (void)unused;
    const HaloTables *tables = halo_tables();
    size_t count;
    const Seed *seed = file_seeds(&count);
    for (int i = 0; i < tables->formats; i++) {
        bool known = tables->format[i]->probe == NULL;
        for (size_t s = 0; s < count && !known; s++) known = tables->format[i]->probe(seed[s].at, seed[s].size);
        if (!known) fail_msg("no seed begins like %s", tables->format[i]->name);
    }
    static const char *const foreign[] = {
#define HALO_FOREIGN(place, bytes, name, extensions, way_out) bytes[0] != 0 ? name : "",
#define HALO_LEFT_OUT(place, bytes, name, extensions, library) name,
#include "foreign.def"
#undef HALO_FOREIGN
#undef HALO_LEFT_OUT
    };
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        bool known = foreign[i][0] == 0;
        for (size_t s = 0; s < count && !known; s++) {
            const HaloForeign *format = halo_foreign_probe(seed[s].at, seed[s].size);
            known = format != NULL && strcmp(format->name, foreign[i]) == 0;
        }
        if (!known) fail_msg("no seed begins like %s", foreign[i]);
    }
}

static HaloStatus open_bytes(const void *bytes, size_t size, const HaloFormat **format)
{
    HaloSource *source;
    HaloReader reader = {0};
    assert_int_equal(halo_source_from_memory(bytes, size, &source), HALO_OK);
    const HaloStatus status = load_open(session, source, NULL, &reader);
    *format = reader.format;
    load_close(&reader);
    halo_source_close(source);
    return status;
}

/* Every seed, and every prefix of it, is read or refused with a message. */
static void test_every_prefix(void **unused)
{
    (void)unused;
    size_t count;
    const Seed *seed = file_seeds(&count);
    for (size_t s = 0; s < count; s++)
        for (size_t size = 0; size <= seed[s].size && size <= 128; size++) {
            const HaloFormat *format;
            uint8_t *part = malloc(size + (size == 0)); /* an end of its own, for sanitizers */
            assert_non_null(part);
            memcpy(part, seed[s].at, size);
            const HaloStatus status = open_bytes(part, size, &format);
            free(part);
            if (status == HALO_OK && (format == NULL || format->open == NULL))
                fail_msg("%s: no format reads it", seed[s].name);
            if (status != HALO_OK && status != HALO_ERR_INPUT && status != HALO_ERR_LIMIT)
                fail_msg("%s, %zu bytes: status %d: %s", seed[s].name, size, status, halo_error());
            /* There is enough memory: this message would be a misread error of a library. */
            if (status != HALO_OK && strstr(halo_error(), "not enough memory") != NULL)
                fail_msg("%s, %zu bytes: '%s'", seed[s].name, size, halo_error());
            if (status != HALO_OK && strncmp(halo_error(), "memory: ", 8) != 0 &&
                strncmp(halo_error(), "memory is", 9) != 0)
                fail_msg("%s, %zu bytes: '%s'", seed[s].name, size, halo_error());
        }
}

/* By a path: also formats without a signature, by the extension. */
static void test_by_path(void **unused)
{
    (void)unused;
    HaloInfo info;
    const HaloFormat *format = NULL;
    const char *const name[] = {"x.tga", "X.TGA", "x.png", "x"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        const char *path = test_path(name[i]);
        bytes_to_file(path, "\0\0\3\0\0\0\0\0\0\0\0\0\1\0\1\0\x08\0\7", 19);
        assert_int_equal(halo_file_info(session, path, NULL, &info, &format), i < 2 ? HALO_OK : HALO_ERR_INPUT);
        if (i < 2) assert_string_equal(format->name, "tga");
        halo_meta_free(&info.meta);
    }
}

/* After an image of the same stream. */
static void test_after_another_image(void **unused)
{
    (void)unused;
    uint8_t bytes[128] = "P5\n2 1\n255\nab";
    HaloSource *source;
    HaloReader reader;
    HaloBuf data;
    bool more = true;
    HaloNotes notes = {0};
    memcpy(bytes + 13, "BM", 2);
    assert_int_equal(halo_source_from_memory(bytes, sizeof bytes, &source), HALO_OK);
    assert_int_equal(load_open(session, source, NULL, &reader), HALO_OK);
    assert_int_equal(load_samples(&reader, &data), HALO_OK);
    assert_int_equal(load_more(session->tables, &reader, &more, &notes), HALO_OK);
    assert_false(more);
    assert_int_equal(notes.count[HALO_NOTE_REST], sizeof bytes - 13);
    assert_int_equal(load_next(session->tables, &reader), HALO_ERR_INPUT);
    assert_non_null(strstr(halo_error(), "a BMP header of 0 bytes is unknown"));
    load_close(&reader);
    halo_buf_free(&data);
    halo_source_close(source);
}

int main(int argc, char **argv)
{
    test_arguments(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_complete),   cmocka_unit_test(test_every_row_has_a_seed),
        cmocka_unit_test(test_every_prefix),        cmocka_unit_test(test_by_path),
        cmocka_unit_test(test_after_another_image),
    };
    return cmocka_run_group_tests(tests, open_session, close_session);
}

/* NRRD, NIfTI, MRC and MetaImage: headers as others write them, damaged ones, samples in files beside the
 * header, and both ways with spacing and origin. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

#include "codec.h"
#include "meta/grid.h"
#include "random.h"

static const HaloFormat *const nrrd = &halo_format_nrrd, *const nii = &halo_format_nii,
                               *const niigz = &halo_format_niigz, *const mrc = &halo_format_mrc,
                               *const mha = &halo_format_mha;

/* ---- headers of text ------------------------------------------------------------------------------------ */

#define NRRD "NRRD0004\ntype: uchar\ndimension: 2\nsizes: 2 1\n"

static void nrrd_by_hand(void **unused)
{
    (void)unused;
    const HaloShape two = shape_of(HALO_U8, 2, 1, 1, false), rgb = shape_of(HALO_U8, 1, 1, 3, false);
    const HaloShape rgba = shape_of(HALO_U8, 1, 1, 4, true), wide = shape_of(HALO_U16, 2, 1, 1, false);
    const HaloShape real = shape_of(HALO_F32, 2, 1, 1, false);
    expect_text(nrrd, TEXT(NRRD "encoding: raw\n\n\1\2"), &two, U8(1, 2));
    expect_text(nrrd, TEXT(NRRD "# a comment\r\nencoding: raw\r\nkey:=value\r\n\r\n\1\2"), &two, U8(1, 2));
    expect_text(nrrd, TEXT(NRRD "encoding: raw\nline skip: 1\nbyte skip: 2\n\nline\nxy\1\2"), &two, U8(1, 2));
    expect_text(nrrd, TEXT(NRRD "encoding: raw\nbyte skip: -1\n\nanything\1\2"), &two, U8(1, 2));
    expect_text(nrrd,
                TEXT("NRRD0001\ntype: unsigned short int\ndimension: 1\nsizes: 2\nendian: big\n"
                     "encoding: raw\n\n\1\2\3\4"),
                &wide, U16(0x102, 0x304));
    expect_text(nrrd,
                TEXT("NRRD0005\ntype: int16_t\ndimension: 3\nsizes: 2 1 1\nendian: little\n"
                     "encoding: raw\n\n\377\377\1\0"),
                &real, F32(-1, 1));
    expect_text(nrrd,
                TEXT("NRRD0004\ntype: uint8\ndimension: 3\nsizes: 3 1 1\nkinds: RGB-color domain domain\n"
                     "encoding: raw\n\n\1\2\3"),
                &rgb, U8(1, 2, 3));
    expect_text(nrrd,
                TEXT("NRRD0004\ntype: uint8\ndimension: 3\nsizes: 4 1 1\nkinds: RGBA-color space space\n"
                     "encoding: raw\n\n\1\2\3\4"),
                &rgba, U8(1, 2, 3, 4));
    expect_text(nrrd,
                TEXT("NRRD0004\ntype: uint8\ndimension: 3\nsizes: 3 1 1\nspace dimension: 3\n"
                     "space directions: none (1,0,0) (0,1,0)\nencoding: raw\n\n\1\2\3"),
                &rgb, U8(1, 2, 3));
    expect_text(nrrd,
                TEXT("NRRD0004\ntype: uint8\ndimension: 3\nsizes: 1 1 3\nkinds: domain domain vector\n"
                     "encoding: raw\n\n\1\2\3"),
                &rgb, U8(1, 2, 3));
}

/* Alpha is where the header says so. */
static void alpha_of_headers(void **unused)
{
    (void)unused;
    static const char *const kinds[] = {"RGBA-color", "4-color", "vector"};
    for (size_t i = 0; i < 3; i++) {
        Decoded image;
        char text[256];
        const int size = snprintf(text, sizeof text,
                                  "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 4 1 1\nkinds: %s space space\n"
                                  "encoding: raw\n\n1234",
                                  kinds[i]);
        assert_int_equal(decode(nrrd, text, (size_t)size, NULL, 0, &image), HALO_OK);
        assert_int_equal(image.info.shape.alpha, i < 1 ? 3 : -1);
        decoded_free(&image);
    }
}

static void nrrd_damaged(void **unused)
{
    (void)unused;
    expect_error(nrrd, TEXT("NRRD0009\n\n"), HALO_ERR_INPUT, "version");
    expect_error(nrrd, TEXT("NRRD0004\nsizes: 1\n\n"), HALO_ERR_INPUT, "bad 'sizes'");
    expect_error(nrrd, TEXT("NRRD0004\n\n"), HALO_ERR_INPUT, "lacks type");
    expect_error(nrrd, TEXT("NRRD0004\ntype: block\n\n"), HALO_ERR_INPUT, "'block'");
    expect_error(nrrd, TEXT("NRRD0004\ndimension: 99\n\n"), HALO_ERR_INPUT, "bad 'dimension'");
    expect_error(nrrd, TEXT("NRRD0004\nencoding: bzip2\n\n"), HALO_ERR_INPUT, "bzip2");
    expect_error(nrrd, TEXT("NRRD0004\nno field\n\n"), HALO_ERR_INPUT, "bad 'line'");
    expect_error(nrrd, TEXT("NRRD0004\ntype: short\ndimension: 1\nsizes: 2\nencoding: raw\n\n\1\2\3\4"),
                 HALO_ERR_INPUT, "lacks endian");
    expect_error(nrrd, TEXT(NRRD "encoding: raw\n\n\1"), HALO_ERR_INPUT, "truncated");
    expect_error(nrrd, TEXT(NRRD "encoding: raw\nbyte skip: -1\n\n"), HALO_ERR_INPUT, "");
    expect_error(nrrd, TEXT(NRRD "encoding: gzip\n\nabcdefgh"), HALO_ERR_INPUT, "damaged");
    expect_error(nrrd, TEXT(NRRD "encoding: raw\ndata file: x.raw\n"), HALO_ERR_INPUT, "another file");
    expect_error(nrrd,
                 TEXT("NRRD0004\ntype: uchar\ndimension: 2\nsizes: 9223372036854775807 2\n"
                      "encoding: raw\n\n"),
                 HALO_ERR_LIMIT, "");
}

#define MHA "ObjectType = Image\nNDims = 2\nDimSize = 2 1\nElementType = MET_UCHAR\n"

static void mha_by_hand(void **unused)
{
    (void)unused;
    const HaloShape two = shape_of(HALO_U8, 2, 1, 1, false), wide = shape_of(HALO_U16, 1, 1, 1, false);
    const HaloShape rgb = shape_of(HALO_U8, 1, 1, 3, false);
    expect_text(mha, TEXT(MHA "ElementDataFile = LOCAL\n\1\2"), &two, U8(1, 2));
    expect_text(mha, TEXT(MHA "HeaderSize = -1\nElementDataFile = LOCAL\nabc\1\2"), &two, U8(1, 2));
    expect_text(mha,
                TEXT("NDims = 1\nDimSize = 1\nElementType = MET_USHORT\nElementByteOrderMSB = True\n"
                     "ElementDataFile = LOCAL\n\1\2"),
                &wide, U16(0x102));
    expect_text(mha,
                TEXT("NDims = 2\nDimSize = 1 1\nElementType = MET_UCHAR\nElementNumberOfChannels = 3\n"
                     "ElementDataFile = LOCAL\n\1\2\3"),
                &rgb, U8(1, 2, 3));
    expect_error(mha, TEXT(MHA), HALO_ERR_INPUT, "without ElementDataFile");
    expect_error(mha, TEXT("ObjectType = Tube\n"), HALO_ERR_INPUT, "Tube");
    expect_error(mha, TEXT("NDims = 9\n"), HALO_ERR_INPUT, "bad 'NDims'");
    expect_error(mha, TEXT("NDims = 2\nDimSize = 2\n"), HALO_ERR_INPUT, "bad 'DimSize'");
    expect_error(mha, TEXT(MHA "ElementSpacing = 1\n"), HALO_ERR_INPUT, "bad 'ElementSpacing'");
    expect_error(mha, TEXT(MHA "nothing\n"), HALO_ERR_INPUT, "without '='");
    expect_error(mha, TEXT(MHA "BinaryData = False\n"), HALO_ERR_INPUT, "as text");
    expect_error(mha, TEXT("NDims = 1\nElementDataFile = LOCAL\n"), HALO_ERR_INPUT, "lacks");
    expect_error(mha, TEXT(MHA "ElementDataFile = LOCAL\n\1"), HALO_ERR_INPUT, "truncated");
    expect_error(mha, TEXT(MHA "ElementDataFile = ../x.raw\n"), HALO_ERR_INPUT, "another file");
    expect_error(mha, TEXT(MHA "CompressedData = True\nElementDataFile = LOCAL\n\1\2"), HALO_ERR_INPUT,
                 "damaged");
}

/* ---- headers of bytes ----------------------------------------------------------------------------------- */

static void put(uint8_t *at, uint64_t value, int bytes, bool big)
{
    for (int i = 0; i < bytes; i++) at[big ? bytes - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

static void put_real(uint8_t *at, double value, bool big)
{
    const float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, 4);
    put(at, bits, 4, big);
}

/* Two samples of 16 bits, 2 and 3, scaled by 0.5 and moved by 10. */
static size_t make_nifti(uint8_t file[400], bool big)
{
    memset(file, 0, 400);
    put(file, 348, 4, big);
    for (int i = 0; i < 8; i++) put(file + 40 + 2 * i, i == 0 || i == 1 ? 2 : 1, 2, big);
    put(file + 70, 4, 2, big);
    for (int i = 0; i < 4; i++) put_real(file + 76 + 4 * i, i == 0 ? -1 : i, big);
    put_real(file + 108, 352, big);
    put_real(file + 112, 0.5, big);
    put_real(file + 116, 10, big);
    file[123] = 2;
    memcpy(file + 344, "n+1", 4);
    put(file + 352, 2, 2, big);
    put(file + 354, 3, 2, big);
    return 356;
}

static void nifti_by_hand(void **unused)
{
    (void)unused;
    uint8_t file[400];
    const HaloShape shape = shape_of(HALO_F32, 2, 1, 1, false);
    for (int big = 0; big < 2; big++) {
        Decoded image;
        size_t size = make_nifti(file, big);
        expect_text(nii, (const char *)file, size, &shape, F32(11, 11.5f));
        put(file + 252, 1, 2, big); /* a rotation by 180 degrees about x: quaternion 0, 1, 0, 0 */
        put_real(file + 256, 1, big);
        put_real(file + 268, 5, big);
        assert_int_equal(decode(nii, file, size, NULL, 0, &image), HALO_OK);
        const HaloGrid *grid = &image.info.meta.grid;
        assert_true(grid->known && grid->patient && image.info.shape.numbers);
        assert_true(grid->step[0][0] == -1 && grid->step[1][1] == 2 && grid->step[2][2] == 3);
        assert_true(grid->origin[0] == -5);
        assert_string_equal(grid->unit, "mm");
        decoded_free(&image);
        expect_error(nii, (const char *)file, size - 1, HALO_ERR_INPUT, "truncated");
        expect_error(nii, (const char *)file, 300, HALO_ERR_INPUT, "truncated in the NIfTI header");
        put(file + 70, 32, 2, big);
        expect_error(nii, (const char *)file, size, HALO_ERR_INPUT, "NIfTI of type 32");
        make_nifti(file, big);
        put(file + 44, 0, 2, big);
        expect_error(nii, (const char *)file, size, HALO_ERR_INPUT, "without pixels");
        make_nifti(file, big);
        memset(file + 344, 0, 4);
        expect_error(nii, (const char *)file, size, HALO_ERR_INPUT, "ANALYZE");
        make_nifti(file, big);
        put_real(file + 108, -1e30, big);
        expect_error(nii, (const char *)file, size, HALO_ERR_INPUT, "invalid place");
        memcpy(file + 344, "ni1", 4);
        put_real(file + 108, 0, big);
        expect_error(nii, (const char *)file, size, HALO_ERR_INPUT, "another file");
    }
}

static void mrc_by_hand(void **unused)
{
    (void)unused;
    uint8_t file[1030] = {0};
    Decoded image;
    const HaloShape shape = shape_of(HALO_F32, 2, 1, 1, false), bytes = shape_of(HALO_U8, 2, 1, 1, false);
    for (int big = 0; big < 2; big++) {
        memset(file, 0, sizeof file);
        for (int i = 0; i < 3; i++) {
            put(file + 4 * i, i == 0 ? 2 : 1, 4, big);
            put(file + 28 + 4 * i, i == 0 ? 2 : 1, 4, big);
            put_real(file + 40 + 4 * i, 3, big);
            put(file + 64 + 4 * i, (uint64_t)i + 1, 4, big);
        }
        put(file + 16, (uint32_t)-4, 4, big); /* the first column is number -4 */
        memcpy(file + 208, big ? "MAP \x11\x11" : "MAP \x44\x44", 6);
        memcpy(file + 1024, "\xff\1", 2);
        expect_text(mrc, (const char *)file, 1026, &shape, F32(-1, 1));
        assert_int_equal(decode(mrc, file, 1026, NULL, 0, &image), HALO_OK);
        assert_true(image.info.meta.grid.step[0][0] == 1.5 && image.info.meta.grid.step[1][1] == 3);
        assert_true(image.info.meta.grid.origin[0] == -6);
        decoded_free(&image);
        put(file + 152, 1146047817, 4, big); /* IMOD's bytes without a sign */
        expect_text(mrc, (const char *)file, 1026, &bytes, U8(255, 1));
        expect_error(mrc, (const char *)file, 1025, HALO_ERR_INPUT, "truncated");
        expect_error(mrc, (const char *)file, 1000, HALO_ERR_INPUT, "truncated in the MRC header");
        put(file + 12, 4, 4, big);
        expect_error(mrc, (const char *)file, 1026, HALO_ERR_INPUT, "mode 4");
        put(file + 12, 0, 4, big);
        put(file + 92, 0x80000000u, 4, big);
        expect_error(mrc, (const char *)file, 1026, HALO_ERR_INPUT, "extended");
    }
}

/* ---- both ways ------------------------------------------------------------------------------------------ */

static HaloGrid random_grid(Rng *rng, bool turned)
{
    HaloGrid grid = {.known = true, .patient = true, .unit = "mm"};
    const int shift = turned ? (int)rng_between(rng, 0, 2) : 0;
    for (int axis = 0; axis < 3; axis++) {
        const int to = (axis + shift) % 3;
        grid.step[axis][to] =
            (double)rng_between(rng, 1, 4000) / 1024 * (turned && rng_once_in(rng, 2) ? -1 : 1);
        grid.origin[axis] = (double)rng_between(rng, -9000, 9000) / 64;
    }
    halo_grid_check(&grid);
    return grid;
}

static void expect_grid(const char *what, const HaloGrid *a, const HaloGrid *b, double tolerance)
{
    bool same = b->known;
    for (int i = 0; i < 12; i++) {
        const double x = i < 3 ? a->origin[i] : a->step[i / 3 - 1][i % 3];
        const double y = i < 3 ? b->origin[i] : b->step[i / 3 - 1][i % 3];
        if (i < 9) same = same && fabs(x - y) <= tolerance * (1 + fabs(x)); /* a single page has no next one */
    }
    if (!same) fail_msg("%s: another grid came back", what);
}

static void grids_come_back(Rng *rng)
{
    static const struct {
        const HaloFormat *format;
        bool turned;
    } rows[] = {{&halo_format_nrrd, true},
                {&halo_format_nii, true},
                {&halo_format_niigz, true},
                {&halo_format_mha, true},
                {&halo_format_mrc, false}};
    const HaloShape shape = shape_of(HALO_U16, rng_between(rng, 1, 9), rng_between(rng, 1, 9), 1, false);
    HaloBuf data;
    assert_int_equal(halo_buf_alloc(&data, &shape), HALO_OK);
    for (int64_t i = 0; i < shape.width * shape.height; i++)
        ((uint16_t *)data.data)[i] = (uint16_t)rng_next(rng);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const HaloFormat *format = rows[i].format;
        HaloInfo info = {.meta = {.grid = random_grid(rng, rows[i].turned)}};
        Bytes file;
        Decoded image;
        assert_int_equal(encode(format, &info, &data, rng_between(rng, 0, 3), &file), HALO_OK);
        assert_true(format->probe(file.at, file.size));
        if (decode(format, file.at, file.size, NULL, rng_between(rng, 0, 3), &image) != HALO_OK)
            fail_msg("%s: %s", format->name, halo_error());
        expect_image(format->name, &data, &image);
        HaloGrid expected = info.meta.grid;
        const double factor = format == mrc ? 1e7 : 1;
        for (int k = 0; k < 3; k++) {
            expected.origin[k] *= factor;
            for (int a = 0; a < 3; a++) expected.step[a][k] *= factor;
        }
        expect_grid(format->name, &expected, &image.info.meta.grid,
                    format == nrrd || format == mha ? 1e-14 : 1e-6);
        assert_string_equal(image.info.meta.grid.unit, format == mrc ? "A" : "mm");
        decoded_free(&image);
        for (size_t cut = 1; cut <= 2; cut++) {
            if (format == niigz) break; /* its last bytes are a checksum */
            assert_int_equal(decode(format, file.at, file.size - cut, NULL, 0, &image), HALO_ERR_INPUT);
            decoded_free(&image);
        }
        const HaloReadOptions tolerate = {.tolerate = true};
        assert_int_equal(decode(format, file.at, file.size - 1, &tolerate, 0, &image), HALO_OK);
        decoded_free(&image);
        free(file.at);
    }
    halo_buf_free(&data);
}

/* A compressed file in two members, as some programs append them. */
static void members_of_gzip(void **unused)
{
    (void)unused;
    uint8_t file[400], made[1024];
    const HaloShape shape = shape_of(HALO_F32, 2, 1, 1, false);
    const size_t size = make_nifti(file, false);
    size_t used = 0;
    for (int part = 0; part < 2; part++) {
        z_stream zlib = {.next_in = file + (part == 0 ? 0 : 353),
                         .avail_in = part == 0 ? 353 : (unsigned)size - 353,
                         .next_out = made + used,
                         .avail_out = (unsigned)(sizeof made - used)};
        assert_int_equal(deflateInit2(&zlib, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
        assert_int_equal(deflate(&zlib, Z_FINISH), Z_STREAM_END);
        used += zlib.total_out;
        deflateEnd(&zlib);
    }
    assert_true(niigz->probe(made, used));
    expect_text(niigz, (const char *)made, used, &shape, F32(11, 11.5f));
    expect_error(niigz, (const char *)made, used - 12, HALO_ERR_INPUT, "truncated");
}

static HaloStatus open_path(const char *path, const HaloFormat *format, HaloReader *reader, HaloSource **source)
{
    *reader = (HaloReader){.format = format};
    assert_int_equal(halo_source_open(path, source), HALO_OK);
    reader->source = *source;
    return format->open(reader);
}

/* Samples beside the header, but none outside of its folder. */
static void samples_beside(void **unused)
{
    (void)unused;
    static const char head[] = "NRRD0004\ntype: uchar\ndimension: 2\nsizes: 2 1\nencoding: raw\ndata file: ";
    static const char *const names[] = {"x.raw",       "./x.raw",       "../x.raw",
                                        "/etc/passwd", "a/../../x.raw", "none.raw"};
    bytes_to_file(test_path("x.raw"), "\1\2", 2);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        HaloReader reader;
        HaloSource *source;
        char text[256];
        uint8_t samples[2] = {0};
        const int size = snprintf(text, sizeof text, "%s%s\n", head, names[i]);
        bytes_to_file(test_path("x.nhdr"), text, (size_t)size);
        const HaloStatus status = open_path(test_path("x.nhdr"), nrrd, &reader, &source);
        assert_int_equal(status, i < 2 ? HALO_OK : HALO_ERR_INPUT);
        if (i >= 2 && i < 5) assert_non_null(strstr(halo_error(), "only files in the folder of the header"));
        HaloBuf rows = {.shape = reader.info.shape, .cols = 2, .rows = 1, .stride = 2, .data = samples};
        int64_t got;
        if (status == HALO_OK) assert_int_equal(nrrd->read(&reader, &rows, &got), HALO_OK);
        if (status == HALO_OK) assert_memory_equal(samples, "\1\2", 2);
        nrrd->close(&reader);
        halo_meta_free(&reader.info.meta);
        halo_source_close(source);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nrrd_by_hand),    cmocka_unit_test(alpha_of_headers),
        cmocka_unit_test(nrrd_damaged),    cmocka_unit_test(mha_by_hand),
        cmocka_unit_test(nifti_by_hand),   cmocka_unit_test(mrc_by_hand),
        random_test(grids_come_back, 100), cmocka_unit_test(samples_beside),
        cmocka_unit_test(members_of_gzip),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, test_folder_remove);
}

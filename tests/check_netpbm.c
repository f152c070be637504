/* The Netpbm family as others write it: PBM, PGM, PPM, PAM and PFM in every variant, and invalid ones. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "codec.h"

static const HaloReadOptions tolerate = {.tolerate = true};

static void netpbm_in_every_variant(void **unused)
{
    (void)unused;
    const HaloFormat *pnm = &halo_format_pnm, *pam = &halo_format_pam;
    const HaloShape bits = shape_of(HALO_U8, 3, 2, 1, false), row = shape_of(HALO_U8, 4, 1, 1, false);
    const HaloShape wide = shape_of(HALO_U16, 3, 1, 1, false), rgb = shape_of(HALO_U8, 1, 1, 3, false);
    expect_text(pnm, TEXT("P1\n# c\n3 2\n101\n0 1 0"), &bits, U8(0, 255, 0, 255, 0, 255));
    expect_text(pnm, TEXT("P4 3#c\n2\n\xa0\x40"), &bits, U8(0, 255, 0, 255, 0, 255));
    expect_text(pnm, TEXT("P2\n4 1\n3\n0 1 2 3\n"), &row, U8(0, 85, 170, 255));
    expect_text(pnm, TEXT("P2\n4 1\n100\n0 1 50 100"), &row, U8(0, 3, 128, 255)); /* 2.55, 127.5 to even */
    expect_text(pnm, TEXT("P5 4 1 2\n\0\1\2\1"), &row, U8(0, 128, 255, 128));
    expect_text(pnm, TEXT("P5\n3 1\n65535\n\0\0\x12\x34\xff\xff"), &wide, U16(0, 0x1234, 65535));
    expect_text(pnm, TEXT("P5\n3 1\n1000\n\0\0\1\xf4\3\xe8"), &wide,
                U16(0, 32768, 65535)); /* 32767.5 to even */
    expect_text(pnm, TEXT("P3 1 1 255 1 2 3"), &rgb, U8(1, 2, 3));
    expect_text(pnm, TEXT("P6 1 1 255\n\1\2\3"), &rgb, U8(1, 2, 3));
    expect_text(pam, TEXT("P7\n#c\nWIDTH 1\nHEIGHT 1\n\nDEPTH 3\nMAXVAL 255\nTUPLTYPE RGB\nENDHDR\n\1\2\3"),
                &rgb, U8(1, 2, 3));
    expect_text(pam,
                TEXT("P7\nWIDTH 3\nHEIGHT 2\nDEPTH 1\nMAXVAL 1\nTUPLTYPE BLACKANDWHITE\nENDHDR\n\0\1\0\1\0\1"),
                &bits, U8(0, 255, 0, 255, 0, 255));
}

static void netpbm_errors(void **unused)
{
    (void)unused;
    const HaloFormat *pnm = &halo_format_pnm, *pam = &halo_format_pam;
    expect_error(pnm, TEXT("P5\n0 4\n255\n"), HALO_ERR_INPUT, "without pixels");
    expect_error(pnm, TEXT("P5\n4 4\n0\n"), HALO_ERR_INPUT, "maxval 0");
    expect_error(pnm, TEXT("P5\n4 4\n65536\n"), HALO_ERR_INPUT, "maxval 65536");
    expect_error(pnm, TEXT("P5\n-4 4\n255\n"), HALO_ERR_INPUT, "expected a number, found '-'");
    expect_error(pnm, TEXT("P5\n4x 4\n255\n"), HALO_ERR_INPUT, "expected a number, found 'x'");
    expect_error(pnm, TEXT("P5\n99999999999 4\n255\n"), HALO_ERR_INPUT, "a number is above");
    expect_error(pnm, TEXT("P5\n999999999 999999999\n255\n"), HALO_ERR_LIMIT, "max_pixels");
    expect_error(pnm, TEXT("P5\n2 4\n255\nabcde"), HALO_ERR_INPUT, "truncated: 2 of 4 rows");
    expect_error(pnm, TEXT("P2\n2 1\n7\n1 8"), HALO_ERR_INPUT, "sample 8 is above the maxval, 7");
    expect_error(pnm, TEXT("P5\n1 1\n7\n\x08"), HALO_ERR_INPUT, "sample 8 is above the maxval, 7");
    expect_error(pnm, TEXT("P1\n2 1\n12"), HALO_ERR_INPUT, "found '2'");
    expect_error(pnm, TEXT("P2\n2 1\n7\n1"), HALO_ERR_INPUT, "truncated");
    expect_error(pam, TEXT("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 1\nENDHDR\n"), HALO_ERR_INPUT, "lacks");
    expect_error(pam, TEXT("P7\nWIDTH 1\nWIDTH 1\n"), HALO_ERR_INPUT, "WIDTH twice");
    expect_error(pam, TEXT("P7\nWIDTH x\n"), HALO_ERR_INPUT, "bad WIDTH");
    expect_error(pam, TEXT("P7\nFOO 1\n"), HALO_ERR_INPUT, "unknown line");
    expect_error(pam, TEXT("P7\nWIDTH 1\n"), HALO_ERR_INPUT, "without ENDHDR");
}

static void damage_is_tolerated_on_request(void **unused)
{
    (void)unused;
    Decoded image;
    assert_int_equal(decode(&halo_format_pnm, TEXT("P5\n2 3\n255\nabc"), &tolerate, 1, &image), HALO_OK);
    assert_memory_equal(image.data.data, "abc\0\0\0", 6);
    decoded_free(&image);
    assert_int_equal(decode(&halo_format_pnm, TEXT("P2\n2 3\n255\n1 2 3 x"), &tolerate, 1, &image), HALO_OK);
    assert_memory_equal(image.data.data, "\1\2\3\0\0\0", 6);
    decoded_free(&image);
    assert_int_equal(decode(&halo_format_pnm, TEXT("P4\n8 2\n\x0f"), &tolerate, 1, &image), HALO_OK);
    assert_memory_equal(image.data.data, "\xff\xff\xff\xff\0\0\0\0\0\0\0\0\0\0\0\0", 16);
    decoded_free(&image);
    /* The last row comes first in a PFM. */
    assert_int_equal(decode(&halo_format_pfm, TEXT("Pf\n1 2\n-1\n\0\0\x80\x3f"), &tolerate, 1, &image),
                     HALO_OK);
    assert_memory_equal(image.data.data, "\0\0\0\0\0\0\x80\x3f", 8);
    decoded_free(&image);
}

static void pfm_in_both_byte_orders(void **unused)
{
    (void)unused;
    const HaloFormat *pfm = &halo_format_pfm;
    const HaloShape shape = shape_of(HALO_F32, 1, 2, 1, false), rgb = shape_of(HALO_F32, 1, 1, 3, false);
    expect_text(pfm, TEXT("Pf\n1 2\n-1.0\n\0\0\x80\x3f\0\0\0\x40"), &shape, F32(2.0f, 1.0f));
    expect_text(pfm, TEXT("Pf 1 2 1\n\x3f\x80\0\0\x40\0\0\0"), &shape, F32(2.0f, 1.0f));
    expect_text(pfm, TEXT("PF\n1 1\n-2.5e1\n\0\0\x80\x3f\0\0\0\x40\0\0\0\0"), &rgb, F32(1.0f, 2.0f, 0.0f));
    expect_error(pfm, TEXT("Pf\n1 1\n0\n\0\0\0\0"), HALO_ERR_INPUT, "bad scale");
    expect_error(pfm, TEXT("Pf\n1 1\nx\n\0\0\0\0"), HALO_ERR_INPUT, "bad scale");
    expect_error(pfm, TEXT("Pf\n1 1x\n1\n\0\0\0\0"), HALO_ERR_INPUT, "bad size");
    expect_error(pfm, TEXT("Pf\n1 3\n1\n\0\0\0\0\0"), HALO_ERR_INPUT, "truncated: 1 of 3 rows");
}

static void expect_bits(const HaloShape *shape, const void *samples, const char *file, size_t size)
{
    HaloBuf data;
    Bytes made;
    Decoded image;
    const HaloInfo info = {0};
    assert_int_equal(halo_buf_alloc(&data, shape), HALO_OK);
    memcpy(data.data, samples, (size_t)(data.rows * halo_row_bytes(&data)));
    if (encode(&halo_format_pbm, &info, &data, 1, &made) != HALO_OK) fail_msg("%s", halo_error());
    assert_int_equal(made.size, size);
    assert_memory_equal(made.at, file, size);
    assert_true(halo_format_pnm.probe(made.at, made.size));
    assert_int_equal(decode(&halo_format_pbm, made.at, made.size, NULL, 0, &image), HALO_OK);
    assert_int_equal(image.info.bits, 1);
    decoded_free(&image);
    free(made.at);
    halo_buf_free(&data);
}

static void pbm_holds_black_and_white(void **unused)
{
    (void)unused;
    const HaloShape bytes = shape_of(HALO_U8, 9, 2, 1, false), words = shape_of(HALO_U16, 3, 1, 1, false);
    const HaloShape floats = shape_of(HALO_F32, 3, 1, 1, false);
    expect_bits(&bytes, U8(0, 255, 0, 255, 255, 255, 255, 255, 0, 255, 0, 0, 0, 0, 0, 0, 0, 255),
                TEXT("P4\n9 2\n\xa0\x80\x7f\0"));
    expect_bits(&words, U16(65535, 0, 65535), TEXT("P4\n3 1\n\x40"));
    expect_bits(&floats, F32(1.0f, -0.0f, 0.0f), TEXT("P4\n3 1\n\x60"));
}

static void expect_refused(const HaloShape *shape, const void *samples, const char *words)
{
    HaloBuf data;
    Bytes made;
    const HaloInfo info = {0};
    assert_int_equal(halo_buf_alloc(&data, shape), HALO_OK);
    memcpy(data.data, samples, (size_t)(data.rows * halo_row_bytes(&data)));
    assert_int_equal(encode(&halo_format_pbm, &info, &data, 1, &made), HALO_ERR_INPUT);
    if (strstr(halo_error(), words) == NULL) fail_msg("'%s' does not say '%s'", halo_error(), words);
    assert_non_null(strstr(halo_error(), "'threshold'"));
    free(made.at);
    halo_buf_free(&data);
}

/* Levels next to black or white are not rounded to them. */
static void pbm_refuses_other_levels(void **unused)
{
    (void)unused;
    const HaloShape bytes = shape_of(HALO_U8, 2, 2, 1, false), words = shape_of(HALO_U16, 2, 1, 1, false);
    const HaloShape floats = shape_of(HALO_F32, 2, 1, 1, false);
    expect_refused(&bytes, U8(0, 255, 255, 254), "sample 1 of row 1 is 254, of 255");
    expect_refused(&words, U16(65534, 0), "sample 0 of row 0 is 65534, of 65535");
    expect_refused(&floats, F32(0.0f, 0.5f), "is 0.5, of 1");
    expect_refused(&floats, F32(NAN, 0.0f), "sample 0 of row 0 is");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(netpbm_in_every_variant),        cmocka_unit_test(netpbm_errors),
        cmocka_unit_test(damage_is_tolerated_on_request), cmocka_unit_test(pfm_in_both_byte_orders),
        cmocka_unit_test(pbm_holds_black_and_white),      cmocka_unit_test(pbm_refuses_other_levels),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_remove);
}

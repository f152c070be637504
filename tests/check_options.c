/* Structs that programs fill (options.h, halo.h): sizes of other versions, and values out of range. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arrays.h"
#include "random.h"

static void options_of_other_versions(void **state)
{
    (void)state;
    struct {
        HaloOptions options;
        long newer;
    } larger;
    HaloSession *session = NULL;
    memset(&larger, 0, sizeof larger);
    assert_int_equal(halo_session_open(&larger.options, &session), HALO_ERR_USAGE); /* no size */
    larger.options.struct_size = sizeof larger;
    array_ok(halo_session_open(&larger.options, &session), "members of a later version that are 0");
    halo_session_close(session);
    larger.newer = 1;
    assert_int_equal(halo_session_open(&larger.options, &session), HALO_ERR_USAGE);
    assert_non_null(strstr(halo_error(), "the options: struct_size is "));
    assert_null(session);
    larger.options.struct_size = 16; /* a version with two members */
    array_ok(halo_session_open(&larger.options, &session), "a smaller struct");
    halo_session_close(session);
}

static void *no_memory(void *context, int gpu, size_t bytes, void *stream)
{
    (void)context, (void)gpu, (void)bytes, (void)stream;
    return NULL;
}

static void refuse_options(const HaloOptions *options, const char *member)
{
    HaloSession *session = NULL;
    const HaloStatus status = halo_session_open(options, &session);
    if (status != HALO_ERR_USAGE || session != NULL)
        fail_case(NULL, "%s out of range: status %d", member, status);
    if (strstr(halo_error(), member) == NULL) fail_case(NULL, "'%s' does not name %s", halo_error(), member);
}

#define REFUSE(member, value)            \
    do {                                 \
        HaloOptions wrong;               \
        halo_options_defaults(&wrong);   \
        wrong.member = (value);          \
        refuse_options(&wrong, #member); \
    } while (0)

static void options_out_of_range(void **state)
{
    (void)state;
    HaloSession *session = NULL;
    HaloOptions options;
    REFUSE(device, (HaloDeviceChoice)9);
    REFUSE(precision, (HaloPrecision)-1);
    REFUSE(alpha, (HaloAlpha)3);
    REFUSE(gpu, -1);
    REFUSE(jobs, -1);
    REFUSE(jobs, 1000000);
    REFUSE(max_pixels, -1);
    REFUSE(max_memory, -1);
    REFUSE(share, -4);
    REFUSE(files, -4);
    REFUSE(band_rows, -4);
    REFUSE(raw_bits, 5);
    REFUSE(raw_bits, -16);
    REFUSE(rate, -5);
    REFUSE(rate, (double)NAN);
    REFUSE(rate, (double)INFINITY);
    REFUSE(latency_ms, -1);
    REFUSE(white, (double)NAN);
    REFUSE(white, -7);
    REFUSE(white, 1e300);
    REFUSE(axes, "qq");
    REFUSE(axes, "");
    REFUSE(read_as, "nope");
    REFUSE(gpu_alloc, no_memory);
    halo_options_defaults(&options);
    options.jobs = 3;
    options.share = 2;
    options.raw_bits = HALO_RAW_F64;
    options.white = 4095;
    options.axes = "zyx";
    options.read_as = "npy";
    array_ok(halo_session_open(&options, &session), "options within range");
    halo_session_close(session);
}

/* What is wrong is named once. */
static void structs_without_a_size(void **state)
{
    (void)state;
    HaloSession *session = array_session(NULL);
    HaloArray array;
    halo_array_defaults(&array);
    HaloFile file = HALO_FILE("in.png");
    file.struct_size = 0;
    assert_int_equal(halo_load(session, &file, false, &array), HALO_ERR_USAGE);
    assert_string_equal(halo_error(), "the input: struct_size is 0: let HALO_FILE set it before anything else");
    halo_session_close(session);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_of_other_versions),
        cmocka_unit_test(options_out_of_range),
        cmocka_unit_test(structs_without_a_size),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Histograms on every device: every sample is counted once, in the bin of its definition. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backends.h"
#include "draw.h"
#include "oracle.h"

static void expect_counts(const char *device, const char *what, const char *part, int64_t n,
                          const uint64_t *expected, const uint64_t *got)
{
    for (int64_t i = 0; i < n; i++)
        if (expected[i] != got[i])
            fail_case(device, "%s: %s[%" PRId64 "] should be %" PRIu64 ", is %" PRIu64, what, part, i,
                      expected[i], got[i]);
}

/* before: a histogram that is made first, or NULL. */
static void check_after(const TestBuf *src, const HaloHist *before, const HaloHist *hist)
{
    const int channels = src->view.shape.channels;
    char what[200], text[96];
    HaloHistogram expected;
    snprintf(what, sizeof what, "hist %s, %" PRId64 " bins in %g..%g", testbuf_text(src, text), hist->bins,
             hist->lo, hist->hi);
    expect_ok(NULL, what, halo_histogram_alloc(&expected, channels, hist->bins, hist->lo, hist->hi));
    if (hist->parts > 0)
        oracle_hist_parts(&src->view, hist, &expected);
    else
        oracle_hist(&src->view, &expected);
    for (int d = 0; d < test_devices; d++) {
        const TestDevice *const device = &test_device[d];
        HaloHistogram got;
        HaloBuf block;
        const HaloBuf view = test_lend(device, src, &block);
        if (before != NULL) {
            expect_ok(device->name, what,
                      halo_histogram_alloc(&got, channels, before->bins, before->lo, before->hi));
            expect_ok(device->name, what, device->backend->hist(device->device, &view, before, &got));
            halo_histogram_free(&got);
        }
        expect_ok(device->name, what, halo_histogram_alloc(&got, channels, hist->bins, hist->lo, hist->hi));
        memset(got.count, 0x5a,
               (size_t)(channels * hist->bins) * sizeof *got.count); /* which a backend clears */
        expect_ok(device->name, what, device->backend->hist(device->device, &view, hist, &got));
        expect_ok(device->name, what, device->backend->finish(device->device, NULL));
        test_return(device, &block);
        expect_counts(device->name, what, "count", channels * hist->bins, expected.count, got.count);
        expect_counts(device->name, what, "below", channels, expected.below, got.below);
        expect_counts(device->name, what, "above", channels, expected.above, got.above);
        expect_counts(device->name, what, "nan", channels, expected.nan, got.nan);
        halo_histogram_free(&got);
    }
    halo_histogram_free(&expected);
}

static void check(const TestBuf *src, const HaloHist *hist) { check_after(src, NULL, hist); }

static HaloHist draw_hist(Rng *rng, HaloDtype dtype)
{
    if (dtype == HALO_U8) return (HaloHist){.bins = 256, .hi = 256};
    if (dtype == HALO_U16) return (HaloHist){.bins = 65536, .hi = 65536};
    if (rng_once_in(rng, 3)) return (HaloHist){.bins = 256, .hi = 1};
    const double lo = (double)rng_float(rng, -2, 1);
    const int64_t bins = rng_once_in(rng, 6) ? rng_between(rng, 5000, 70000) : rng_between(rng, 1, 1000);
    return (HaloHist){.bins = bins, .lo = lo, .hi = lo + (double)rng_float(rng, 0.01f, 3)};
}

static void run_case(Rng *rng, const HaloShape *shape)
{
    const HaloHist hist = draw_hist(rng, shape->dtype);
    TestBuf src = testbuf_make(shape, test_whole(shape), rng);
    testbuf_fill(&src, rng_once_in(rng, 3), rng);
    check(&src, &hist);
    testbuf_free(&src);
}

static void small_images(Rng *rng)
{
    const HaloShape shape = draw_long_shape(rng, 60);
    run_case(rng, &shape);
}

static void larger_images(Rng *rng)
{
    const HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 300, 900), rng_between(rng, 300, 600),
                                       (int)rng_between(rng, 1, 9));
    run_case(rng, &shape);
}

/* u16 samples are counted a few channels at a time; a GPU returns the counts of more than thirty channels in
 * another way. */
static void u16_of_many_channels(Rng *rng)
{
    const HaloHist hist = {.bins = 65536, .hi = 65536};
    const HaloShape shape = rng_once_in(rng, 6)
                                ? test_shape(HALO_U16, rng_between(rng, 1, 90), rng_between(rng, 1, 40),
                                             (int)rng_between(rng, 29, 36))
                                : test_shape(HALO_U16, rng_between(rng, 1, 900), rng_between(rng, 1, 400),
                                             (int)rng_between(rng, 1, 13));
    TestBuf src = testbuf_make(&shape, test_whole(&shape), rng);
    testbuf_fill(&src, false, rng);
    check(&src, &hist);
    testbuf_free(&src);
}

/* Every sample in one bin: where private counters would overflow and atomics would queue. */
static void constant_images(void **state)
{
    (void)state;
    for (HaloDtype dtype = HALO_U8; dtype <= HALO_F32; dtype++) {
        const HaloShape shape = test_shape(dtype, 1500, 1100, 3);
        const int64_t bins = dtype == HALO_U16 ? 65536 : 256;
        const HaloHist hist = {.bins = bins, .hi = dtype == HALO_F32 ? 1 : (double)bins};
        TestBuf src = testbuf_make(&shape, test_whole(&shape), NULL);
        memset(src.view.data, 0, (size_t)(src.view.rows * src.view.stride));
        check(&src, &hist);
        testbuf_free(&src);
    }
}

/* Many u8 samples of one channel, or of several that share tables: noise, runs of any length, in rows with
 * padding or without. */
static void many_u8_samples(Rng *rng)
{
    const HaloHist hist = {.bins = 256, .hi = 256};
    const int64_t width = rng_between(rng, 1, 3000), run = rng_once_in(rng, 3) ? 1 : rng_between(rng, 1, 40);
    const int64_t channels = rng_once_in(rng, 2) ? 1 : rng_between(rng, 2, 17);
    const int64_t height = rng_between(rng, 1 << 18, 1 << 21) / (width * channels) + 1;
    const uint64_t noise = rng_once_in(rng, 2) ? 256 : (uint64_t)rng_between(rng, 1, 4);
    const HaloShape shape = test_shape(HALO_U8, width, height, (int)channels);
    TestBuf src = testbuf_make(&shape, test_whole(&shape), rng);
    uint8_t v = 0;
    const int64_t bytes =
        width * shape.channels; /* padding does not belong to the image, and is absent after the last row */
    for (int64_t i = 0; i < height * bytes; i++) {
        if (i % run == 0) v = (uint8_t)(255 - rng_next(rng) % noise);
        ((uint8_t *)halo_at(&src.view, 0, i / bytes))[i % bytes] = v;
    }
    check(&src, &hist);
    testbuf_free(&src);
}

/* So many samples that neighbours which are near to each other are counted in pairs. */
static void near_neighbours(Rng *rng)
{
    const HaloHist hist = {.bins = 256, .hi = 256};
    const int64_t width = rng_between(rng, 2100, 2300), height = (1 << 22) / width + 1;
    const int64_t flat = rng_between(rng, 1, height), noisy = rng_between(rng, 1, height);
    const HaloShape shape = test_shape(HALO_U8, width, height, 1);
    TestBuf src = testbuf_make(&shape, test_whole(&shape), rng);
    for (int64_t y = 0; y < height; y++)
        for (int64_t x = 0; x < width; x++) {
            const uint64_t noise = rng_next(rng);
            *(uint8_t *)halo_at(&src.view, x, y) =
                y == flat ? 7 : (uint8_t)(y > noisy ? noise : (uint64_t)x / 5 + noise % 9);
        }
    check(&src, &hist);
    testbuf_free(&src);
}

/* A range of decimals, whose edges are decimals, too; of more bins than f32 tells apart at times. */
static HaloHist decimal_hist(Rng *rng)
{
    const int64_t bins = rng_between(rng, 1, rng_once_in(rng, 8) ? 40000 : 300);
    const int64_t first = rng_between(rng, -2000, 2000), step = rng_between(rng, 1, 50);
    const double unit = rng_once_in(rng, 2) ? 10.0 : 1000.0;
    return (HaloHist){.bins = bins, .lo = (double)first / unit, .hi = (double)(first + step * bins) / unit};
}

/* Samples exactly on the edges of bins and of the range. */
static void samples_on_the_edges(Rng *rng)
{
    HaloHist hist = rng_once_in(rng, 3) ? (HaloHist){.bins = (int64_t)1 << rng_between(rng, 0, 13), .hi = 1}
                                        : (HaloHist){.bins = rng_between(rng, 1, 300),
                                                     .lo = (double)rng_float(rng, -1, 0),
                                                     .hi = (double)rng_float(rng, 0.1f, 2)};
    if (rng_once_in(rng, 2)) hist = decimal_hist(rng);
    const HaloShape shape = test_shape(HALO_F32, 3 * hist.bins + 9, 1, 1);
    TestBuf src = testbuf_make(&shape, test_whole(&shape), rng);
    for (int64_t i = 0; i < shape.width; i++) {
        const float edge = (float)(hist.lo + (hist.hi - hist.lo) * (double)(i / 3 - 1) / (double)hist.bins);
        ((float *)src.view.data)[i] = i % 3 == 0   ? nextafterf(edge, -INFINITY)
                                      : i % 3 == 1 ? edge
                                                   : nextafterf(edge, INFINITY);
    }
    check(&src, &hist);
    testbuf_free(&src);
}

/* Parts inside of those of a histogram before: some of them, some narrower. */
static void check_again(const TestBuf *src, const HaloHist *outer, Rng *rng)
{
    HaloHistPart part[HALO_MAX_PARTS];
    HaloHist inner = {.again = true, .part = part};
    for (int k = 0; k < outer->parts; k++) {
        if (k > 0 && rng_once_in(rng, 3)) continue;
        HaloHistPart *const p = &part[inner.parts++];
        *p = outer->part[k];
        p->first = inner.bins;
        if (rng_once_in(rng, 2)) p->hi = (double)(float)(p->lo + (p->hi - p->lo) / 2);
        if (p->hi <= p->lo) p->hi = outer->part[k].hi;
        inner.bins += p->bins;
    }
    check_after(src, outer, &inner);
}

/* Ranges that share no float, some of one value, some that no sample lies in. */
static void histograms_in_parts(Rng *rng)
{
    const HaloShape shape =
        test_shape(HALO_F32, rng_between(rng, 1, 400), rng_between(rng, 1, 60), (int)rng_between(rng, 1, 5));
    TestBuf src = testbuf_make(&shape, test_whole(&shape), rng);
    HaloHistPart part[HALO_MAX_PARTS];
    const int parts = (int)rng_between(rng, 1, HALO_MAX_PARTS);
    const bool coarse = rng_once_in(rng, 2); /* many samples of the same values */
    float end = rng_float(rng, -2, 0);
    HaloHist hist = {.parts = parts, .part = part};
    testbuf_fill(&src, rng_once_in(rng, 3), rng);
    if (coarse)
        for (int64_t y = 0; y < shape.height; y++)
            for (int64_t e = 0; e < shape.width * shape.channels; e++) {
                float *const v = (float *)halo_at(&src.view, 0, y) + e;
                *v = floorf(*v * 8.0f) / 8.0f;
            }
    for (int k = 0; k < parts; k++) {
        const float from = rng_once_in(rng, 3) ? nextafterf(end, INFINITY) : floorf(end * 8.0f + 1.0f) / 8.0f;
        end = rng_once_in(rng, 4) ? from : from + rng_float(rng, 0.0f, 0.2f);
        part[k] = (HaloHistPart){hist.bins, rng_between(rng, 1, HALO_MAX_PART_BINS / parts), (double)from,
                                 (double)end};
        if (from == end) part[k].hi = (double)(end = nextafterf(end, INFINITY));
        hist.bins += part[k].bins;
    }
    check(&src, &hist);
    check_again(&src, &hist, rng);
    testbuf_free(&src);
}

static void oracle_by_hand(void **state)
{
    (void)state;
    const HaloShape shape = test_shape(HALO_F32, 7, 1, 1);
    TestBuf src = testbuf_make(&shape, test_whole(&shape), NULL);
    memcpy(src.view.data, (const float[7]){0, 0.25f, 0.999f, 1, NAN, -1, 2}, 7 * sizeof(float));
    HaloHistogram h;
    expect_ok(NULL, "alloc", halo_histogram_alloc(&h, 1, 4, 0, 1));
    oracle_hist(&src.view, &h);
    assert_true(h.count[0] == 1 && h.count[1] == 1 && h.count[2] == 0 && h.count[3] == 2);
    assert_true(h.below[0] == 1 && h.above[0] == 1 && h.nan[0] == 1);
    halo_histogram_free(&h);
    testbuf_free(&src);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oracle_by_hand),     random_test(small_images, 100),
        random_test(larger_images, 8),        random_test(u16_of_many_channels, 12),
        cmocka_unit_test(constant_images),    random_test(many_u8_samples, 16),
        random_test(near_neighbours, 2),      random_test(samples_on_the_edges, 60),
        random_test(histograms_in_parts, 60),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, test_devices_open, test_devices_close);
}

/* Regions, distances and the sums of regions, on every device, against floods and the nearest of all pixels. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backends.h"
#include "draw.h"
#include "halo/objects.h"
#include "measure/measure.h"
#include "oracle.h"
#include "patterns.h"

/* ---- regions -------------------------------------------------------------------------------------------- */

static HaloStatus call_regions(const HaloBackend *backend, HaloDevice *device, const HaloBuf *const src[2],
                               HaloBuf *dst, const void *parameters)
{
    const HaloStep *step = parameters;
    return backend->regions(device, src[0], dst, &step->u.regions, step->store);
}

static HaloStatus call_distance(const HaloBackend *backend, HaloDevice *device, const HaloBuf *const src[2],
                                HaloBuf *dst, const void *parameters)
{
    const HaloStep *step = parameters;
    return backend->distance(device, src[0], dst, &step->u.distance, step->store);
}

static HaloRegions draw_regions(Rng *rng)
{
    HaloRegions how = {.of = (HaloRegionsOf)rng_between(rng, 0, 2),
                       .make = (HaloRegionsMake)rng_between(rng, 0, 3),
                       .connect = rng_once_in(rng, 2) ? 4 : 8,
                       .inside = rng_once_in(rng, 3),
                       .seeded = rng_once_in(rng, 3),
                       .low = (double)rng_between(rng, 0, 100),
                       .high = (double)rng_between(rng, 100, 200),
                       .white = 255};
    if (rng_once_in(rng, 2)) how.least = rng_between(rng, 0, 6);
    if (rng_once_in(rng, 3)) how.most = rng_between(rng, 1, 30);
    if (rng_once_in(rng, 3) && how.make != HALO_REGIONS_FILLED) how.largest = rng_between(rng, 1, 5);
    return how;
}

static void check_regions(Rng *rng, HaloShape shape, HaloRegions how)
{
    char what[320], text[96];
    HaloShape to = shape;
    to.dtype = draw_dtype(rng);
    const HaloStep step = {.u.regions = how, .store = draw_store(rng, shape.dtype, to.dtype)};
    TestBuf src = draw_pattern(rng, shape), dst = testbuf_make(&to, test_whole(&to), rng);
    const uint64_t clipped = oracle_regions(&src.view, &dst.view, &how, step.store);
    snprintf(what, sizeof what,
             "regions of %d made %d, %d neighbours, %" PRId64 " to %" PRId64 ", largest %" PRId64 "%s%s of %s",
             how.of, how.make, how.connect, how.least, how.most, how.largest, how.inside ? ", inside" : "",
             how.seeded ? ", seeded" : "", testbuf_text(&src, text));
    expect_everywhere(what, call_regions, &step, &src, NULL, &dst, clipped);
    testbuf_free(&src);
    testbuf_free(&dst);
}

static void random_regions(Rng *rng) { check_regions(rng, draw_plane(rng, 80), draw_regions(rng)); }

/* Enough pixels for several threads, whose strips are joined. */
static void regions_across_strips(Rng *rng)
{
    HaloRegions how = draw_regions(rng);
    how.largest = 0;
    check_regions(rng, test_shape(draw_dtype(rng), rng_between(rng, 600, 700), rng_between(rng, 700, 760), 1),
                  how);
}

/* ---- distances ------------------------------------------------------------------------------------------ */

static void check_distance(Rng *rng, const TestBuf *src, HaloMetric metric)
{
    char what[160], text[96];
    HaloShape to = src->view.shape;
    to.dtype = HALO_F32;
    const HaloStep step = {.u.distance.metric = metric, .store = {1, 1}};
    TestBuf dst = testbuf_make(&to, test_whole(&to), rng);
    const uint64_t clipped = oracle_distance(&src->view, &dst.view, &step.u.distance, step.store);
    snprintf(what, sizeof what, "distance %d of %s", metric, testbuf_text(src, text));
    expect_everywhere(what, call_distance, &step, src, NULL, &dst, clipped);
    testbuf_free(&dst);
}

static void random_distances(Rng *rng)
{
    TestBuf src = draw_pattern(rng, draw_plane(rng, 50));
    check_distance(rng, &src, (HaloMetric)rng_between(rng, 0, 2));
    testbuf_free(&src);
}

/* A few zeros far apart, and enough pixels for several threads. */
static void far_distances(Rng *rng)
{
    const HaloShape shape =
        test_shape(draw_dtype(rng), rng_between(rng, 200, 1100), rng_between(rng, 200, 400), 1);
    TestBuf src = testbuf_make(&shape, test_whole(&shape), rng);
    for (int64_t y = 0; y < shape.height; y++)
        for (int64_t x = 0; x < shape.width; x++) oracle_put(&src.view, x, y, 0, 7.0f, (HaloStore){1, 1});
    for (int64_t k = rng_between(rng, 0, 12); k > 0; k--)
        oracle_put(&src.view, rng_between(rng, 0, shape.width - 1), rng_between(rng, 0, shape.height - 1), 0,
                   0.0f, (HaloStore){1, 1});
    for (int metric = 0; metric < 3; metric++) check_distance(rng, &src, (HaloMetric)metric);
    testbuf_free(&src);
}

/* ---- objects -------------------------------------------------------------------------------------------- */

static uint32_t label_at(const HaloBuf *labels, int64_t x, int64_t y)
{
    if (x < 0 || y < 0 || x >= labels->shape.width || y >= labels->shape.height) return 0;
    const float v = oracle_get(labels, x, y, 0);
    return isnan(v) ? 0 : (uint32_t)v;
}

static bool is_border(const HaloBuf *labels, int64_t x, int64_t y, uint32_t label)
{
    return label_at(labels, x, y) == label &&
           (label_at(labels, x - 1, y) != label || label_at(labels, x + 1, y) != label ||
            label_at(labels, x, y - 1) != label || label_at(labels, x, y + 1) != label);
}

/* 1, sqrt 2 or their mean, as scikit-image's perimeter weighs a pixel; 0: none. */
static double border_weight(const HaloBuf *labels, int64_t x, int64_t y, uint32_t label)
{
    int sum = 0;
    if (!is_border(labels, x, y, label)) return 0.0;
    for (int v = -1; v <= 1; v++)
        for (int u = -1; u <= 1; u++)
            if (is_border(labels, x + u, y + v, label)) sum += u == 0 && v == 0 ? 1 : u == 0 || v == 0 ? 2 : 10;
    if (sum == 21 || sum == 33) return sqrt(2.0);
    if (sum == 13 || sum == 23) return (1.0 + sqrt(2.0)) / 2.0;
    return sum == 5 || sum == 7 || sum == 15 || sum == 17 || sum == 25 || sum == 27 ? 1.0 : 0.0;
}

/* Corners, edges and faces of the pixels as closed squares (8), or of the graph of their centres (4). */
static int64_t euler_of(const HaloBuf *labels, uint32_t label, int connect)
{
    int64_t corners = 0, edges = 0, faces = 0;
    for (int64_t y = 0; y <= labels->shape.height; y++)
        for (int64_t x = 0; x <= labels->shape.width; x++) {
            const bool a = label_at(labels, x - 1, y - 1) == label, b = label_at(labels, x, y - 1) == label,
                       c = label_at(labels, x - 1, y) == label, d = label_at(labels, x, y) == label;
            if (connect == 8) {
                corners += a || b || c || d;
                edges += (b || d) + (c || d);
                faces += d;
            } else {
                corners += d;
                edges += (b && d) + (c && d);
                faces += a && b && c && d;
            }
        }
    return corners - edges + faces;
}

static void near(const char *what, uint32_t label, double got, double wanted)
{
    if (isnan(got) && isnan(wanted)) return;
    if (got != wanted && !(fabs(got - wanted) <= 1e-9 * (1.0 + fabs(wanted))))
        fail_case(NULL, "%s of region %u is %.17g, not %.17g", what, label, got, wanted);
}

enum { AREA = 1, TOP, LEFT, BOTTOM, RIGHT, ROW, COLUMN, PERIMETER = 13, EULER, BORDER, SAMPLES };

static void check_places(const HaloBuf *labels, uint32_t label, int connect, const double *row)
{
    const int64_t width = labels->shape.width, height = labels->shape.height;
    double area = 0, x_sum = 0, y_sum = 0, perimeter = 0;
    int64_t x0 = width, y0 = height, x1 = 0, y1 = 0;
    for (int64_t y = 0; y < height; y++)
        for (int64_t x = 0; x < width; x++) {
            if (label_at(labels, x, y) != label) continue;
            area++;
            x_sum += (double)x;
            y_sum += (double)y;
            x0 = x < x0 ? x : x0;
            y0 = y < y0 ? y : y0;
            x1 = x + 1 > x1 ? x + 1 : x1;
            y1 = y + 1 > y1 ? y + 1 : y1;
            perimeter += border_weight(labels, x, y, label);
        }
    near("area", label, row[AREA], area);
    near("top", label, row[TOP], (double)y0);
    near("left", label, row[LEFT], (double)x0);
    near("bottom", label, row[BOTTOM], (double)y1);
    near("right", label, row[RIGHT], (double)x1);
    near("row", label, row[ROW], y_sum / area);
    near("column", label, row[COLUMN], x_sum / area);
    near("perimeter", label, row[PERIMETER], perimeter);
    near("Euler number", label, row[EULER], (double)euler_of(labels, label, connect));
    near("border", label, row[BORDER], x0 == 0 || y0 == 0 || x1 == width || y1 == height);
}

static void check_samples(const HaloBuf *labels, const HaloBuf *of, uint32_t label, int c, const double *row)
{
    double n = 0, least = INFINITY, most = -INFINITY, far = 0;
    long double sum = 0, x_sum = 0, y_sum = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t y = 0; y < labels->shape.height; y++)
            for (int64_t x = 0; x < labels->shape.width; x++) {
                const double v = (double)oracle_get(of, x, y, c);
                if (label_at(labels, x, y) != label || isnan(v)) continue;
                if (pass == 1) {
                    far += (v - (double)(sum / n)) * (v - (double)(sum / n));
                    continue;
                }
                n++;
                least = fmin(least, v);
                most = fmax(most, v);
                sum += (long double)v;
                x_sum += (long double)v * (long double)x;
                y_sum += (long double)v * (long double)y;
            }
    if (n == 0) return;
    near("minimum", label, row[0], least);
    near("maximum", label, row[1], most);
    near("sum", label, row[2], (double)sum);
    near("mean", label, row[3], (double)(sum / n));
    near("deviation", label, row[4], sqrt(far / n));
    if (fabsl(sum) < 1e-3L) return;
    near("weighted row", label, row[5], (double)(y_sum / sum));
    near("weighted column", label, row[6], (double)(x_sum / sum));
}

static void measure_on(const TestDevice *device, const TestBuf *labels, const TestBuf *of, int connect,
                       HaloTable *table)
{
    HaloObjectList list = {0};
    HaloBuf block, other;
    const HaloObjects how = {connect};
    const HaloBuf from = test_lend(device, labels, &block), samples = test_lend(device, of, &other);
    expect_ok(device->name, "objects", device->backend->objects(device->device, &from, &samples, &how, &list));
    expect_ok(device->name, "objects", measure_objects(&list, &labels->view.shape, table));
    halo_object_list_free(&list);
    test_return(device, &block);
    test_return(device, &other);
}

static TestBuf draw_labels(Rng *rng, HaloShape shape, int64_t labels)
{
    TestBuf buf = testbuf_make(&shape, test_whole(&shape), rng);
    const double again = rng_unit(rng);
    float v = 0.0f;
    for (int64_t y = 0; y < shape.height; y++)
        for (int64_t x = 0; x < shape.width; x++) {
            if (y > 0 && rng_unit(rng) < again) v = oracle_get(&buf.view, x, y - 1, 0);
            if (rng_unit(rng) > again) v = (float)rng_between(rng, 0, labels);
            if (shape.dtype == HALO_F32 && rng_once_in(rng, 50)) v = NAN;
            oracle_put(&buf.view, x, y, 0, v, (HaloStore){1, 1});
        }
    return buf;
}

static TestBuf draw_samples(Rng *rng, HaloShape shape)
{
    TestBuf buf = testbuf_make(&shape, test_whole(&shape), rng);
    testbuf_fill(&buf, false, rng);
    for (int64_t y = 0; y < shape.height && shape.dtype == HALO_F32; y++)
        for (int64_t x = 0; x < shape.width; x++)
            for (int c = 0; c < shape.channels; c++)
                oracle_put(&buf.view, x, y, c, rng_once_in(rng, 30) ? NAN : rng_float(rng, -9.0f, 99.0f),
                           (HaloStore){1, 1});
    return buf;
}

/* The lists, to the byte. */
static void expect_oracle(const TestBuf *labels, const TestBuf *of, int connect, const HaloTable *table)
{
    HaloObjectList list = {0};
    HaloTable wanted = {0};
    expect_ok("oracle", "objects", oracle_objects(&labels->view, &of->view, &(HaloObjects){connect}, &list));
    expect_ok("oracle", "objects", measure_objects(&list, &labels->view.shape, &wanted));
    assert_int_equal(table->rows, wanted.rows);
    assert_memory_equal(table->cell, wanted.cell, (size_t)(wanted.rows * wanted.columns) * sizeof *wanted.cell);
    halo_object_list_free(&list);
    free(wanted.cell);
}

static void check_objects(Rng *rng, HaloShape shape)
{
    const int connect = rng_once_in(rng, 2) ? 4 : 8;
    HaloShape of_shape = test_shape(draw_dtype(rng), shape.width, shape.height, (int)rng_between(rng, 1, 4));
    TestBuf labels = draw_labels(rng, shape, rng_between(rng, 1, 30)), of = draw_samples(rng, of_shape);
    HaloTable first = {0};
    for (int d = 0; d < test_devices; d++) {
        HaloTable table = {0};
        if (test_device[d].backend->objects == NULL) continue;
        measure_on(&test_device[d], &labels, &of, connect, d == 0 ? &first : &table);
        if (d == 0) expect_oracle(&labels, &of, connect, &first);
        if (d == 0) continue;
        assert_int_equal(first.rows, table.rows);
        assert_memory_equal(first.cell, table.cell, (size_t)(table.rows * table.columns) * sizeof *table.cell);
        free(table.cell);
    }
    for (int64_t r = 0; r < first.rows; r++) {
        const double *row = first.cell + r * first.columns;
        check_places(&labels.view, (uint32_t)row[0], connect, row);
        for (int c = 0; c < of_shape.channels; c++)
            check_samples(&labels.view, &of.view, (uint32_t)row[0], c, row + SAMPLES + 7 * c);
    }
    free(first.cell);
    testbuf_free(&labels);
    testbuf_free(&of);
}

static void random_objects(Rng *rng)
{
    HaloShape shape = draw_shape(rng, 60);
    shape.channels = 1;
    shape.alpha = -1;
    check_objects(rng, shape);
}

static void objects_across_strips(Rng *rng)
{
    check_objects(rng, test_shape(HALO_F32, rng_between(rng, 200, 260), rng_between(rng, 180, 300), 1));
}

/* 1e30 + 1 - 1e30 is 1, in any order; so is what follows from it. */
static void sums_of_floats_are_exact(void **state)
{
    (void)state;
    static const float v[4] = {1e30f, 1.0f, -1e30f, 0x1p-149f};
    const HaloShape shape = test_shape(HALO_F32, 4, 1, 1);
    TestBuf labels = testbuf_make(&shape, test_whole(&shape), NULL), of = testbuf_like(&labels);
    for (int x = 0; x < 4; x++) {
        oracle_put(&labels.view, x, 0, 0, 1.0f, (HaloStore){1, 1});
        oracle_put(&of.view, x, 0, 0, v[x], (HaloStore){1, 1});
    }
    for (int d = 0; d < test_devices; d++) {
        HaloTable table = {0};
        if (test_device[d].backend->objects == NULL) continue;
        measure_on(&test_device[d], &labels, &of, 8, &table);
        assert_true(table.cell[SAMPLES + 2] == 1.0);
        assert_true(table.cell[SAMPLES + 3] == 0.25);
        near("deviation", 1, table.cell[SAMPLES + 4] / (double)1e30f, sqrt(0.5));
        free(table.cell);
    }
    testbuf_free(&labels);
    testbuf_free(&of);
}

static void other_numbers_are_no_labels(void **state)
{
    (void)state;
    static const float bad[] = {-1.0f, 1.5f, 16777218.0f, INFINITY};
    const HaloShape shape = test_shape(HALO_F32, 3, 2, 1);
    TestBuf labels = testbuf_make(&shape, test_whole(&shape), NULL);
    HaloObjectList list;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        for (int i = 0; i < 6; i++)
            oracle_put(&labels.view, i % 3, i / 3, 0, i == 4 ? bad[k] : 1.0f, (HaloStore){1, 1});
        for (int d = 0; d < test_devices; d++) {
            const TestDevice *device = &test_device[d];
            if (device->backend->objects == NULL) continue;
            HaloBuf block;
            const HaloBuf from = test_lend(device, &labels, &block);
            assert_int_equal(device->backend->objects(device->device, &from, NULL, &(HaloObjects){8}, &list),
                             HALO_ERR_INPUT);
            assert_non_null(strstr(halo_error(), "pixel 1+1"));
            test_return(device, &block);
        }
    }
    testbuf_free(&labels);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(random_regions, 400),           random_test(regions_across_strips, 3),
        random_test(random_distances, 200),         random_test(far_distances, 3),
        random_test(random_objects, 100),           random_test(objects_across_strips, 2),
        cmocka_unit_test(sums_of_floats_are_exact), cmocka_unit_test(other_numbers_are_no_labels),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, test_devices_open, test_devices_close);
}

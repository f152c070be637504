/* The sums of regions, on every device, against those of all pixels. */
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
    const HaloObjects how = {.connect = connect};
    const HaloBuf from = test_lend(device, labels, &block), samples = test_lend(device, of, &other);
    expect_ok(device->name, "objects", device->backend->objects(device->device, &from, &samples, &how, &list));
    expect_ok(device->name, "objects", measure_objects(&list, &labels->view.shape, INT64_MAX, table));
    halo_object_list_free(&list);
    test_return(device, &block);
    test_return(device, &other);
}

static HaloBuf band_of(const HaloBuf *buf, int64_t y, int64_t rows)
{
    HaloBuf band = *buf;
    band.data = halo_at(buf, 0, y);
    band.y0 = y;
    band.rows = rows;
    return band;
}

/* Of rows that come a few at a time, the same. */
static void expect_in_bands(Rng *rng, const TestDevice *device, const HaloBuf *labels, const HaloBuf *of,
                            int connect, const HaloTable *wanted)
{
    HaloObjectList list = {0};
    HaloTable table = {0};
    HaloObjects how = {.connect = connect,
                       .kept = calloc(1, (size_t)halo_objects_kept(&labels->shape, &of->shape))};
    const int64_t height = labels->shape.height, most_rows = rng_once_in(rng, 2) ? 3 : 90;
    for (int64_t y = 0, rows; y < height; y += rows) {
        rows = rng_between(rng, 1, most_rows < height - y ? most_rows : height - y);
        const HaloBuf some = band_of(labels, y, rows), samples = band_of(of, y, rows);
        expect_ok(device->name, "objects",
                  device->backend->objects(device->device, &some, &samples, &how, &list));
    }
    expect_ok(device->name, "objects", measure_objects(&list, &labels->shape, INT64_MAX, &table));
    assert_int_equal(table.rows, wanted->rows);
    assert_memory_equal(table.cell, wanted->cell, (size_t)(table.rows * table.columns) * sizeof *table.cell);
    halo_object_list_free(&list);
    free(table.cell);
    free(how.kept);
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
    expect_ok("oracle", "objects",
              oracle_objects(&labels->view, &of->view, &(HaloObjects){.connect = connect}, &list));
    expect_ok("oracle", "objects", measure_objects(&list, &labels->view.shape, INT64_MAX, &wanted));
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
        if (test_device[d].backend->regions_in_parts)
            expect_in_bands(rng, &test_device[d], &labels.view, &of.view, connect, d == 0 ? &first : &table);
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
    HaloObjectList list = {0};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        for (int i = 0; i < 6; i++)
            oracle_put(&labels.view, i % 3, i / 3, 0, i == 4 ? bad[k] : 1.0f, (HaloStore){1, 1});
        for (int d = 0; d < test_devices; d++) {
            const TestDevice *device = &test_device[d];
            if (device->backend->objects == NULL) continue;
            HaloBuf block;
            const HaloBuf from = test_lend(device, &labels, &block);
            assert_int_equal(
                device->backend->objects(device->device, &from, NULL, &(HaloObjects){.connect = 8}, &list),
                HALO_ERR_INPUT);
            assert_non_null(strstr(halo_error(), "x=1, y=1"));
            test_return(device, &block);
        }
    }
    testbuf_free(&labels);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(random_objects, 100),
        random_test(objects_across_strips, 2),
        cmocka_unit_test(sums_of_floats_are_exact),
        cmocka_unit_test(other_numbers_are_no_labels),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, test_devices_open, test_devices_close);
}

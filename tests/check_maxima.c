/* Peaks of pictures, on every device, against a search of each window. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "draw.h"
#include "oracle.h"
#include "pipelines.h"

typedef struct Search {
    HaloBuf in;
    int64_t reach, border;
    double above;
    bool *peak; /* [pixels] */
} Search;

static float at(const Search *s, int64_t x, int64_t y) { return oracle_get(&s->in, x, y, 0); }

static bool is_greatest(const Search *s, int64_t x, int64_t y)
{
    const HaloShape *shape = &s->in.shape;
    const float v = at(s, x, y);
    if (!((double)v > s->above) || x < s->border || y < s->border || x >= shape->width - s->border ||
        y >= shape->height - s->border)
        return false;
    for (int64_t j = y - s->reach; j <= y + s->reach; j++)
        for (int64_t i = x - s->reach; i <= x + s->reach; i++)
            if (i >= 0 && j >= 0 && i < shape->width && j < shape->height && at(s, i, j) > v) return false;
    return true;
}

/* One that was found before lies in the window. */
static bool is_taken(const Search *s, int64_t x, int64_t y)
{
    for (int64_t k = 0; k < y * s->in.shape.width + x; k++) {
        const int64_t i = k % s->in.shape.width, j = k / s->in.shape.width;
        if (s->peak[k] && i >= x - s->reach && i <= x + s->reach && j >= y - s->reach) return true;
    }
    return false;
}

static void find(Search *s, const HaloTable *table, const char *text)
{
    const HaloShape *shape = &s->in.shape;
    int64_t rows = 0;
    for (int64_t k = 0; k < shape->width * shape->height; k++) {
        const int64_t x = k % shape->width, y = k / shape->width;
        s->peak[k] = is_greatest(s, x, y) && !is_taken(s, x, y);
        if (!s->peak[k]) continue;
        const double *row = table->cell + 3 * rows++;
        if (rows > table->rows || row[0] != (double)x || row[1] != (double)y || row[2] != (double)at(s, x, y))
            fail_case(NULL, "%s: no peak at %" PRId64 "+%" PRId64, text, x, y);
    }
    if (rows != table->rows) fail_case(NULL, "%s: %" PRId64 " peaks, not %" PRId64, text, table->rows, rows);
}

static double least_of(const Search *s)
{
    double least = INFINITY;
    for (int64_t k = 0; k < s->in.shape.width * s->in.shape.height; k++)
        least = fmin(least, (double)at(s, k % s->in.shape.width, k / s->in.shape.width));
    return least;
}

static void peaks_of_pictures(Rng *rng)
{
    char text[160];
    HaloShape shape = draw_shape(rng, 40);
    shape.channels = 1;
    shape.alpha = -1;
    TestBuf buf = testbuf_make(&shape, test_whole(&shape), NULL);
    testbuf_fill(&buf, rng_once_in(rng, 2), rng);
    Search s = {.in = buf.view,
                .reach = rng_between(rng, 0, 5),
                .border = rng_once_in(rng, 2) ? rng_between(rng, 0, 6) : 0};
    s.peak = oracle_memory(shape.width * shape.height, sizeof *s.peak);
    snprintf(text, sizeof text, "peaks:width=%" PRId64 ",border=%" PRId64, 2 * s.reach + 1, s.border);
    s.above = least_of(&s);
    if (rng_once_in(rng, 2)) {
        s.above = (double)rng_between(rng, -1, 2) / 2;
        snprintf(text + strlen(text), sizeof text - strlen(text), ",threshold=%g", s.above);
    }
    HaloResults results = pipeline_results(text, &s.in);
    find(&s, results.item[0].table, text);
    halo_results_free(&results);
    free(s.peak);
    testbuf_free(&buf);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {random_test(peaks_of_pictures, 120)};
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, runners_open, runners_close);
}

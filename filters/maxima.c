/* Local maxima of pictures: samples that are the greatest ones of the windows round them, which another step
 * finds. Of equal ones in each other's windows the first stays. */
#include "maxima.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "halo/table.h"

enum { COLUMN_X, COLUMN_Y, COLUMN_VALUE, COLUMNS };
static const char *const column[COLUMNS] = {"x", "y", "value"};

/* NaN are left out; the samples of a constant picture are. */
static double least_sample(const HaloTableLine *line)
{
    double least = INFINITY;
    for (int64_t y = 0; y < line->rows; y++)
        for (int64_t x = 0; x < line->frames; x++) {
            const double v = halo_table_pixel(line, x, y);
            if (v < least) least = v;
        }
    return least;
}

/* taken[x]: the rows up to this one lie in the window of a maximum that was found. */
static HaloStatus find_in_row(const Maxima *how, const HaloTableLine *line, const HaloTableLine *greatest,
                              int64_t y, double above, int64_t *taken, HaloTable *table)
{
    HaloStatus status = HALO_OK;
    const int64_t reach = how->width / 2;
    for (int64_t x = how->border; x < line->frames - how->border; x++) {
        const double v = halo_table_pixel(line, x, y);
        if (!(v > above) || v != halo_table_pixel(greatest, x, y) || taken[x] >= y) continue;
        const double row[COLUMNS] = {(double)x, (double)y, v};
        for (int64_t i = x > reach ? x - reach : 0; i <= x + reach && i < line->frames; i++)
            taken[i] = y + reach;
        HALO_TRY(halo_table_add(table, row));
    }
out:
    return status;
}

static HaloStatus run(const void *parameters, const HaloTableLine *line, const HaloTableLine *greatest,
                      HaloTable *table)
{
    HaloStatus status = HALO_OK;
    const Maxima *how = parameters;
    const double above = isnan(how->threshold) ? least_sample(line) : how->threshold;
    int64_t *taken = malloc((size_t)line->frames * sizeof *taken);
    if (taken == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to find peaks");
    for (int64_t x = 0; x < line->frames; x++) taken[x] = -1;
    for (int64_t y = how->border; y < line->rows - how->border; y++)
        HALO_TRY(find_in_row(how, line, greatest, y, above, taken, table));
out:
    free(taken);
    return status;
}

static void describe(const void *parameters, char *text, size_t size)
{
    const Maxima *how = parameters;
    snprintf(text, size, "find maxima of windows of %lld x %lld", (long long)how->width, (long long)how->width);
}

static const HaloTableKind kind = {.name = "peaks",
                                   .columns = COLUMNS,
                                   .column = column,
                                   .ns = 6.0,
                                   .bytes = 0.0,
                                   .fewer = "threshold= or a larger width= keeps fewer",
                                   .describe = describe,
                                   .run = run};

HaloStatus maxima_append(HaloBuilder *builder, const Maxima *how, HaloReg in)
{
    HaloStatus status = HALO_OK;
    const HaloRank rank = {.window = {.width = how->width,
                                      .height = how->width,
                                      .ox = -(how->width / 2),
                                      .oy = -(how->width / 2),
                                      .border = HALO_BORDER_CONSTANT,
                                      .value = (double)NAN,
                                      .nan_ignore = true,
                                      .anchor_x = how->width / 2,
                                      .anchor_y = how->width / 2},
                           .fraction = 1.0};
    HaloReg greatest;
    Maxima *kept = halo_build_keep(builder, sizeof *kept);
    if (kept == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    *kept = *how;
    HALO_TRY(halo_build_rank(builder, in, &rank, &greatest));
    HALO_TRY(halo_build_table_of_two(builder, in, greatest, &kind, kept));
out:
    return status;
}

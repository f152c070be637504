/* What drawings of a table share: the range of its columns, and their colours. */
#include "chart.h"

#include <math.h>
#include <string.h>

void chart_empty(Axis *axis)
{
    axis->lo = INFINITY;
    axis->hi = -INFINITY;
}

HaloStatus chart_extend(const Chart *chart, int column, Axis *axis)
{
    const CliTable *table = chart->table;
    for (size_t r = 0; r < table->rows; r++) {
        const double value = chart_value(chart, r, column);
        if (isinf(value) || (axis->logarithmic && value <= 0))
            return halo_fail(HALO_ERR_INPUT, "%s: row %zu, column %d (%.40s): %g cannot be drawn on a %s axis",
                             chart->path, r + 1, column + 1, table->name[column], value,
                             axis->logarithmic ? "logarithmic" : "linear");
        axis->lo = fmin(axis->lo, value);
        axis->hi = fmax(axis->hi, value);
    }
    return HALO_OK;
}

HaloStatus chart_found(const Chart *chart, const Axis *axis)
{
    if (axis->lo <= axis->hi) return HALO_OK;
    return halo_fail(HALO_ERR_INPUT, "%s: there is nothing to draw", chart->path);
}

void chart_widen(Axis *axis, double times)
{
    if (axis->logarithmic && (times > 1 || axis->lo == axis->hi)) {
        axis->lo /= fmax(times, 1.1);
        axis->hi *= fmax(times, 1.1);
    } else if (axis->lo == axis->hi) {
        axis->lo -= axis->lo != 0 ? fabs(axis->lo) / 2 : 1;
        axis->hi += axis->hi != 0 ? fabs(axis->hi) / 2 : 1;
    }
}

int chart_family(const CliTable *table, int column)
{
    const char *comma = strchr(table->name[column], ',');
    for (int c = 1; comma != NULL && c < column; c++) {
        const size_t length = strlen(table->name[c]);
        if (length == (size_t)(comma - table->name[column]) &&
            strncmp(table->name[c], table->name[column], length) == 0)
            return c;
    }
    return column;
}

uint32_t chart_colour(const CliTable *table, int column)
{
    static const uint32_t colour[] = {0x1f77b4, 0xd62728, 0x2ca02c, 0xff7f0e, 0x9467bd,
                                      0x8c564b, 0xe377c2, 0x17becf, 0xbcbd22, 0x7f7f7f};
    int families = 0;
    for (int c = 1; c < chart_family(table, column); c++) families += chart_family(table, c) == c;
    return colour[families % 10];
}

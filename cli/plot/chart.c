/* `halo plot`: the columns of a table as lines over its first. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "batch/batch.h"
#include "frame.h"
#include "plot.h"
#include "table.h"
#include "text/page.h"

#define MOST_LINES 20 /* their names fit beside the frame */
#define BESIDE 170.0  /* for the names: pixels */

typedef struct Chart {
    const CliTable *table;
    Frame frame;
    const char *path;
} Chart;

static double value_of(const CliTable *table, size_t row, int column)
{
    return table->value[row * (size_t)table->columns + (size_t)column];
}

/* ---- the axes ------------------------------------------------------------------------------------------- */

/* From the least to the greatest of the columns from `first` on. */
static HaloStatus find_range(const Chart *chart, int first, int last, Axis *axis)
{
    const CliTable *table = chart->table;
    axis->lo = INFINITY;
    axis->hi = -INFINITY;
    for (size_t r = 0; r < table->rows; r++)
        for (int c = first; c < last; c++) {
            const double value = value_of(table, r, c);
            if (isinf(value) || (axis->logarithmic && value <= 0))
                return halo_fail(HALO_ERR_INPUT, "%s: row %zu, column %d (%.40s): %g has no place on a %s axis",
                                 chart->path, r + 1, c + 1, table->name[c], value,
                                 axis->logarithmic ? "logarithmic" : "linear");
            axis->lo = fmin(axis->lo, value);
            axis->hi = fmax(axis->hi, value);
        }
    if (!(axis->lo <= axis->hi)) return halo_fail(HALO_ERR_INPUT, "%s: there is nothing to draw", chart->path);
    return HALO_OK;
}

/* Of a single value an axis is made that has it in its middle. */
static void widen(Axis *axis, double times)
{
    if (axis->logarithmic && (times > 1 || axis->lo == axis->hi)) {
        axis->lo /= fmax(times, 1.1);
        axis->hi *= fmax(times, 1.1);
    } else if (axis->lo == axis->hi) {
        axis->lo -= axis->lo != 0 ? fabs(axis->lo) / 2 : 1;
        axis->hi += axis->hi != 0 ? fabs(axis->hi) / 2 : 1;
    }
}

static HaloStatus find_axes(Chart *chart, bool log_x, bool log_y)
{
    HaloStatus status = HALO_OK;
    Frame *frame = &chart->frame;
    frame->x.logarithmic = log_x;
    frame->y.logarithmic = log_y;
    HALO_TRY(find_range(chart, 0, 1, &frame->x));
    HALO_TRY(find_range(chart, 1, chart->table->columns, &frame->y));
    if (!log_y && frame->y.lo > 0) frame->y.lo = 0; /* lengths are compared by eye */
    widen(&frame->x, 1);
    widen(&frame->y, 1.2);
out:
    return status;
}

/* ---- lines ---------------------------------------------------------------------------------------------- */

/* The column that this one belongs to: "box, peer" to "box". Such share a colour, and the second is dashed. */
static int family_of(const CliTable *table, int column)
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

static uint32_t colour_of(const CliTable *table, int column)
{
    static const uint32_t colour[] = {0x1f77b4, 0xd62728, 0x2ca02c, 0xff7f0e, 0x9467bd,
                                      0x8c564b, 0xe377c2, 0x17becf, 0xbcbd22, 0x7f7f7f};
    int families = 0;
    for (int c = 1; c < family_of(table, column); c++) families += family_of(table, c) == c;
    return colour[families % 10];
}

/* A line ends at an empty cell, and the next begins behind it. What stands alone is a dot. */
static void draw_column(const Chart *chart, int column, double *x, double *y)
{
    const CliTable *table = chart->table;
    Canvas *canvas = chart->frame.canvas;
    const uint32_t colour = colour_of(table, column);
    CanvasLine line = {x, y, 0, family_of(table, column) != column};
    for (size_t r = 0; r <= table->rows; r++) {
        const bool drawn =
            r < table->rows && !isnan(value_of(table, r, 0)) && !isnan(value_of(table, r, column));
        if (drawn) {
            x[line.count] = frame_x(&chart->frame, value_of(table, r, 0));
            y[line.count++] = frame_y(&chart->frame, value_of(table, r, column));
            continue;
        }
        if (line.count > 1) canvas->line(canvas, &line, colour);
        if (line.count == 1) canvas->box(canvas, x[0] - 2, y[0] - 2, 4, 4, colour);
        line.count = 0;
    }
}

static void draw_legend(const Chart *chart)
{
    const CliTable *table = chart->table;
    Canvas *canvas = chart->frame.canvas;
    for (int c = 1; c < table->columns; c++) {
        const double left = chart->frame.right + 14, y = chart->frame.top + 6 + 15 * (c - 1);
        const double x[2] = {left, left + 22}, across[2] = {y, y};
        char name[24];
        canvas->line(canvas, &(CanvasLine){x, across, 2, family_of(table, c) != c}, colour_of(table, c));
        snprintf(name, sizeof name, "%s", table->name[c]);
        canvas->text(canvas, left + 28, y + 4, CANVAS_LEFT, 11, name);
    }
}

static void draw(const Chart *chart, const char *title)
{
    const CliTable *table = chart->table;
    double *room = cli_alloc(2 * table->rows, sizeof *room);
    char below[128];
    snprintf(below, sizeof below, "by %.100s", table->name[0]);
    frame_title(&chart->frame, title, below);
    frame_ticks_x(&chart->frame);
    frame_ticks_y(&chart->frame);
    for (int c = 1; c < table->columns; c++) draw_column(chart, c, room, room + table->rows);
    frame_lines(&chart->frame);
    draw_legend(chart);
    free(room);
}

/* ---- the command ---------------------------------------------------------------------------------------- */

static HaloStatus check(const CliSettings *settings)
{
    if (settings->words != 1)
        return halo_fail(HALO_ERR_USAGE, "one table is drawn, and %zu are given", settings->words);
    if (settings->output == NULL)
        return halo_fail(HALO_ERR_USAGE, "where should the drawing go? -o FILE.svg or FILE.png");
    return canvas_check(settings->output);
}

static HaloStatus plot_table(const CliSettings *settings, CliTable *table)
{
    HaloStatus status = HALO_OK;
    Chart chart = {.table = table, .path = settings->word[0]};
    HaloRead read = {.what = "the input"};
    HALO_TRY(check(settings));
    HALO_TRY(cli_table_read(chart.path, table));
    if (table->columns < 2 || table->columns > MOST_LINES + 1)
        HALO_FAIL(HALO_ERR_INPUT, "%s has %d column%s: the first and up to %d over it are drawn", chart.path,
                  table->columns, halo_s(table->columns), MOST_LINES);
    chart.frame = frame_on(NULL, BESIDE);
    HALO_TRY(find_axes(&chart, settings->log_x, settings->log));
    chart.frame.canvas = canvas_for(settings->output);
    draw(&chart, settings->title != NULL ? settings->title : halo_base_name(chart.path));
    const bool known = halo_source_identity(table->source, read.id);
    const HaloSinkOptions options = {
        .force = settings->force, .read = &read, .reads = known, .sync = settings->write.sync};
    status = canvas_save(chart.frame.canvas, settings->output, &options);
out:
    return status;
}

int cli_plot(const CliSettings *settings)
{
    CliTable table = {0};
    const HaloStatus status = plot_table(settings, &table);
    if (status != HALO_OK) cli_complain("plot: %s", halo_error());
    cli_table_free(&table);
    return status;
}

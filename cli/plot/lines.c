/* The columns of a table as lines over its first. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chart.h"
#include "halo/utf8.h"
#include "text/page.h"

#define BESIDE (170.0 / 6) /* letters, for the names */
#define NAME 24            /* bytes of a name, with the zero byte */

/* ---- panels and axes ------------------------------------------------------------------------------------ */

/* What stands in brackets at the end of a name: "K" of "temp [K]" or "temp (K)". */
static size_t unit_of(const char *name, const char **unit)
{
    const size_t length = strlen(name);
    const char last = length > 0 ? name[length - 1] : 0, open = last == ']' ? '[' : '(';
    const char *at = last == ']' || last == ')' ? strrchr(name, open) : NULL;
    if (at == NULL) return 0;
    *unit = at + 1;
    return (size_t)(name + length - 1 - *unit);
}

static bool same_unit(const char *a, const char *b)
{
    const char *unit[2] = {NULL, NULL};
    const size_t length = unit_of(a, &unit[0]);
    return length > 0 && length == unit_of(b, &unit[1]) && memcmp(unit[0], unit[1], length) == 0;
}

/* Without colours the lines of a terminal look the same. */
static void share_panels(Chart *chart, const char *output)
{
    const CliTable *table = chart->table;
    const bool plain = canvas_is_text(output) && *cli_ink(CLI_BOLD) == 0;
    if (chart->how == CHART_TOGETHER && plain) chart->how = CHART_EACH;
    chart->panels = 0;
    for (int c = 1; c < table->columns; c++) {
        int like = chart->how == CHART_TOGETHER && c > 1 ? 1 : c;
        for (int b = 1; b < c && like == c && chart->how == CHART_BY_UNIT; b++)
            if (same_unit(table->name[b], table->name[c])) like = b;
        chart->panel[c] = like < c ? chart->panel[like] : chart->panels++;
    }
}

static HaloStatus y_axis(Chart *chart, int panel, bool logarithmic)
{
    HaloStatus status = HALO_OK;
    Axis *axis = &chart->frame[panel].y;
    axis->logarithmic = logarithmic;
    chart_empty(axis);
    for (int c = 1; c < chart->table->columns; c++)
        if (chart->panel[c] == panel) HALO_TRY(chart_extend(chart, c, axis));
    if (axis->lo > axis->hi && chart->panels > 1) *axis = (Axis){.lo = 0, .hi = 1, .kind = AXIS_NUMBER};
    HALO_TRY(chart_found(chart, axis));
    if (chart->lo < chart->hi) {
        axis->lo = fmin(axis->lo, chart->lo);
        axis->hi = fmax(axis->hi, chart->hi);
    }
    chart_widen(axis, 1.2);
out:
    return status;
}

HaloStatus chart_line_axes(Chart *chart, const char *output, bool log_x, bool log_y)
{
    HaloStatus status = HALO_OK;
    double left = 0;
    share_panels(chart, output);
    chart->canvas = canvas_for(output, chart->panels, 0);
    const bool beside = chart->panels == 1 && !chart->canvas->coarse;
    Axis x = {.logarithmic = log_x, .kind = chart->kind};
    chart_empty(&x);
    HALO_TRY(chart_extend(chart, 0, &x));
    HALO_TRY(chart_found(chart, &x));
    x.hi = fmax(x.hi, chart->end);
    if (x.lo == x.hi && x.kind != AXIS_NUMBER) x.lo -= 30, x.hi += 30; /* seconds */
    chart_widen(&x, 1);
    for (int p = 0; p < chart->panels; p++) {
        chart->frame[p] = frame_on(chart->canvas, p, beside ? BESIDE : 0);
        HALO_TRY(y_axis(chart, p, log_y));
        chart->frame[p].x = x;
        left = fmax(left, frame_left(&chart->frame[p]));
    }
    for (int p = 0; p < chart->panels; p++) chart->frame[p].left = left;
out:
    return status;
}

/* ---- lines ---------------------------------------------------------------------------------------------- */

/* A line while it is made: of points in one column of pixels only the first, the lowest, the highest and the
 * last are drawn, in the order in which they come. */
typedef struct Pen {
    CanvasLine line;
    double *x, *y; /* with space for all points */
    int64_t begin; /* of the present column of pixels, from here on at most four */
    int64_t least, most;
    double cell;
} Pen;

static void put_point(Pen *pen, double x, double y)
{
    const int64_t n = pen->line.count;
    const bool same = n > pen->begin && floor(x / pen->cell) == floor(pen->x[pen->begin] / pen->cell);
    if (!same) {
        pen->begin = pen->least = pen->most = n;
    } else if (n - pen->begin == 4) {
        /* The last of four is neither end of the range: the new point takes its place. */
        const int64_t last = n - 1;
        const bool extreme = last == pen->least || last == pen->most;
        if (!extreme) {
            pen->line.count = last;
        } else {
            for (int64_t i = pen->begin + 1; i < n; i++)
                if (i != pen->least && i != pen->most) {
                    memmove(pen->x + i, pen->x + i + 1, sizeof *pen->x * (size_t)(n - i - 1));
                    memmove(pen->y + i, pen->y + i + 1, sizeof *pen->y * (size_t)(n - i - 1));
                    pen->least -= pen->least > i;
                    pen->most -= pen->most > i;
                    pen->line.count--;
                    break;
                }
        }
    }
    const int64_t at = pen->line.count++;
    pen->x[at] = x;
    pen->y[at] = y;
    if (y > pen->y[pen->least]) pen->least = at;
    if (y < pen->y[pen->most]) pen->most = at;
}

/* A line ends at an empty cell, and the next begins behind it. What stands alone is a dot. */
static void draw_column(const Chart *chart, int column, double *x, double *y)
{
    const CliTable *table = chart->table;
    const Frame *frame = &chart->frame[chart->panel[column]];
    Canvas *canvas = chart->canvas;
    const uint32_t colour = chart_colour(table, column);
    Pen pen = {.line = {x, y, 0, chart_family(table, column) != column}, .x = x, .y = y};
    pen.cell = canvas->coarse ? 1 : 0.5;
    for (size_t r = 0; r <= table->rows; r++) {
        const bool drawn =
            r < table->rows && !isnan(chart_value(chart, r, 0)) && !isnan(chart_value(chart, r, column));
        if (drawn) {
            put_point(&pen, frame_x(frame, chart_value(chart, r, 0)),
                      frame_y(frame, chart_value(chart, r, column)));
            continue;
        }
        const double dot = canvas->coarse ? 1 : 4;
        if (pen.line.count > 1) canvas->draw(canvas, &pen.line, colour);
        if (pen.line.count == 1) canvas->box(canvas, x[0] - dot / 2, y[0] - dot / 2, dot, dot, colour);
        pen.line.count = pen.begin = 0;
    }
}

/* ---- names ---------------------------------------------------------------------------------------------- */

static void short_name(const CliTable *table, int column, char name[NAME])
{
    snprintf(name, NAME, "%.*s", (int)halo_utf8_fit(table->name[column], NAME - 1), table->name[column]);
}

static void draw_legend(const Chart *chart)
{
    const CliTable *table = chart->table;
    Canvas *canvas = chart->canvas;
    for (int c = 1; c < table->columns; c++) {
        const double left = chart->frame->right + 14, y = chart->frame->top + 6 + 15 * (c - 1);
        const double x[2] = {left, left + 22}, across[2] = {y, y};
        char name[NAME];
        canvas->draw(canvas, &(CanvasLine){x, across, 2, chart_family(table, c) != c}, chart_colour(table, c));
        short_name(table, c, name);
        canvas->text(canvas, left + 28, y + 4, CANVAS_LEFT, 11, CANVAS_INK, name);
    }
}

/* The names of a panel's columns above it, in their colours. */
static void draw_names(const Chart *chart, int panel)
{
    const Frame *frame = &chart->frame[panel];
    Canvas *canvas = chart->canvas;
    double x = frame->left;
    for (int c = 1; c < chart->table->columns; c++) {
        char name[NAME];
        if (chart->panel[c] != panel) continue;
        short_name(chart->table, c, name);
        canvas->text(canvas, x, frame_above(frame), CANVAS_LEFT, 12, chart_colour(chart->table, c), name);
        x += canvas->letter * (canvas->coarse ? 1 : 1.3) * ((double)strlen(name) + 2);
    }
}

/* What the first column is; of dates, which days. */
static void name_x(const Chart *chart, char text[128])
{
    const Axis *x = &chart->frame->x;
    const int fits = (int)halo_utf8_fit(chart->table->name[0], 60);
    char day[2][32] = {"", ""};
    if (chart->kind == AXIS_DATE)
        for (int i = 0; i < 2; i++) tick_day(i == 0 ? x->lo : x->hi, day[i]);
    snprintf(text, 128, "by %.*s%s%s%s%s", fits, chart->table->name[0], day[0][0] != 0 ? ", " : "", day[0],
             strcmp(day[0], day[1]) != 0 ? " to " : "", strcmp(day[0], day[1]) != 0 ? day[1] : "");
}

void chart_lines(const Chart *chart)
{
    const CliTable *table = chart->table;
    double *scratch = cli_alloc(2 * table->rows, sizeof *scratch);
    const bool named = chart->panels > 1 || chart->canvas->coarse;
    char below[128];
    name_x(chart, below);
    frame_title(chart->frame, chart->title);
    if (named)
        frame_aside(chart->frame, below);
    else
        frame_caption(chart->frame, below);
    for (int p = 0; p < chart->panels; p++) {
        frame_ticks_x(&chart->frame[p], p == chart->panels - 1);
        frame_ticks_y(&chart->frame[p]);
        if (named) draw_names(chart, p);
    }
    for (int c = 1; c < table->columns; c++) draw_column(chart, c, scratch, scratch + table->rows);
    for (int p = 0; p < chart->panels; p++) frame_lines(&chart->frame[p]);
    if (!named) draw_legend(chart);
    free(scratch);
}

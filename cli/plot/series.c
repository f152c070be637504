/* Sound and series as an output: lines over time. */
#include "series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chart.h"
#include "halo/utf8.h"
#include "picture.h"

#define NAME_SIZE 64

char *plot_title(const PlotOutput *output)
{
    const char *given = output->settings->title;
    const char *input = strcmp(output->input, "-") == 0 ? "standard input" : halo_base_name(output->input);
    const char *name = given != NULL ? given : input;
    return cli_format("%.*s", (int)halo_utf8_fit(name, 60), name);
}

/* Times in the zone in which they are written. */
static double time_at(const HaloWriter *writer, int64_t frame)
{
    const HaloTimeline *time = &writer->info.meta.time;
    const int64_t at = halo_time_at(time, &writer->changes, frame);
    if (time->notation.pattern[0] == 0 && !time->notation.dated)
        return (double)at / (double)time->notation.unit;
    return (double)at / 1e9 + 60.0 * time->notation.zone;
}

static AxisKind kind_of(const HaloWriter *writer, double length)
{
    const HaloShape *shape = &writer->info.shape;
    const HaloTimeline *time = &writer->info.meta.time;
    bool timed = false; /* by the pipeline, not by a table, whose numbers are shown as they are */
    for (int i = 0; i < writer->changes.moves; i++)
        timed = timed || writer->changes.move[i].timed != HALO_NOT_TIMED;
    if (time->name != NULL && !timed)
        return time->notation.dated ? AXIS_DATE : time->notation.pattern[0] != 0 ? AXIS_CLOCK : AXIS_NUMBER;
    return length >= PLOT_CLOCK_FROM && shape->rate != 1 ? AXIS_CLOCK : AXIS_NUMBER;
}

/* A channel's values; of bins of several frames the least and the greatest, one after the other. */
static void fill_table(const HaloWriter *writer, const Trace *trace, CliTable *table)
{
    const int channels = trace->channels, rows = trace->per > 1 ? 2 : 1;
    table->columns = channels + 1;
    table->rows = (size_t)(trace->bins * rows);
    table->value = cli_alloc(table->rows * (size_t)table->columns, sizeof *table->value);
    for (int64_t bin = 0; bin < trace->bins; bin++)
        for (int k = 0; k < rows; k++) {
            double *row = table->value + (bin * rows + k) * table->columns;
            row[0] = writer->info.meta.time.name != NULL ? time_at(writer, bin * trace->per)
                                                         : (double)(bin * trace->per) / writer->info.shape.rate;
            for (int c = 0; c < channels; c++)
                row[c + 1] = (k == 0 ? trace->least : trace->most)[bin * channels + c];
        }
}

static void name_columns(const HaloWriter *writer, AxisKind kind, const HaloNames *names,
                         char made[][NAME_SIZE], CliTable *table)
{
    const HaloShape *shape = &writer->info.shape;
    const char *time = writer->info.meta.time.name;
    table->name[0] = time != NULL && *time != 0 ? time : kind != AXIS_NUMBER ? "time" : "seconds";
    for (int c = 0; c < shape->channels; c++) {
        const bool named = names->name != NULL && names->name[c][0] != 0;
        snprintf(made[c], NAME_SIZE, "%s %d", shape->numbers ? "column" : "channel", c + 1);
        table->name[c + 1] = named ? names->name[c] : made[c];
    }
}

/* The first column becomes the axis. */
static void drop_time(CliTable *table)
{
    const size_t columns = (size_t)table->columns;
    for (size_t r = 0; r < table->rows; r++)
        memmove(table->value + r * (columns - 1), table->value + r * columns + 1,
                (columns - 1) * sizeof(double));
    memmove(table->name, table->name + 1, (columns - 1) * sizeof *table->name);
    table->columns--;
}

HaloStatus plot_series(const HaloWriter *writer, const PlotOutput *output, const Trace *trace, Canvas **canvas)
{
    const CliSettings *settings = output->settings;
    const HaloShape *shape = &writer->info.shape;
    const bool sound = halo_is_sound(shape);
    const double length = (double)trace->frames / shape->rate;
    char made[CHART_MOST][NAME_SIZE];
    HaloNames names = {0};
    CliTable table = {0};
    Chart chart = {.table = &table,
                   .path = output->input,
                   .how = sound              ? CHART_EACH
                          : settings->panels ? CHART_BY_UNIT
                                             : CHART_TOGETHER,
                   .kind = kind_of(writer, length),
                   .lo = sound ? -1 : 0,
                   .hi = sound ? 1 : 0,
                   .end = sound ? length : 0};
    char *title = plot_title(output);
    chart.title = title;
    fill_table(writer, trace, &table);
    HaloStatus status = halo_names_get(&writer->info.meta, shape->channels, &names);
    name_columns(writer, chart.kind, &names, made, &table);
    if (output->first_is_x && writer->info.meta.time.name == NULL && shape->channels > 1) drop_time(&table);
    if (status == HALO_OK) status = chart_line_axes(&chart, output->path, settings->log_x, settings->log);
    *canvas = chart.canvas;
    if (status == HALO_OK) chart_lines(&chart);
    free(names.name);
    free(title);
    cli_table_free(&table);
    return status;
}

/* ---- many channels -------------------------------------------------------------------------------------- */

static Axis time_axis(const HaloWriter *writer, const Trace *trace)
{
    const double rate = writer->info.shape.rate, length = (double)trace->frames / rate;
    Axis axis = {.hi = length, .kind = kind_of(writer, length)};
    if (writer->info.meta.time.name == NULL || trace->frames < 2) return axis;
    axis.lo = time_at(writer, 0);
    axis.hi = time_at(writer, trace->frames - 1);
    if (axis.lo < axis.hi) return axis;
    return (Axis){.hi = length, .kind = AXIS_NUMBER};
}

static void caption_many(const HaloWriter *writer, AxisKind kind, Frame *frame)
{
    const int channels = writer->info.shape.channels;
    const char *by = kind == AXIS_NUMBER ? "seconds" : "time";
    char caption[2 * NAME_SIZE];
    HaloNames names = {0};
    if (halo_names_get(&writer->info.meta, channels, &names) == HALO_OK && names.name != NULL)
        snprintf(caption, sizeof caption, "%.40s to %.40s by %s", names.name[0], names.name[channels - 1], by);
    else
        snprintf(caption, sizeof caption, "channels by %s", by);
    free(names.name);
    frame_caption(frame, caption);
}

void plot_many(const HaloWriter *writer, const PlotOutput *output, const Trace *trace, Canvas **canvas)
{
    *canvas = canvas_for(output->path, 1, 0);
    Picture picture = picture_of_trace(trace, *canvas);
    const PictureScale scale = picture_range(&picture);
    Frame frame = frame_on(*canvas, 0, PICTURE_BESIDE);
    char *title = plot_title(output);
    frame.x = time_axis(writer, trace);
    frame.y = (Axis){.lo = 0.5, .hi = trace->channels + 0.5};
    caption_many(writer, frame.x.kind, &frame);
    frame_ticks_x(&frame, true);
    frame_ticks_y(&frame);
    picture_draw(&picture, &frame, 0, &scale);
    frame_lines(&frame);
    frame_title(&frame, title);
    free(title);
    picture_free(&picture);
}

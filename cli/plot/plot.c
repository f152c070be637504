/* `halo plot`: a table, drawn. */
#include "batch/batch.h"
#include "chart.h"
#include "text/page.h"

#define MOST_COLUMNS 20 /* their names fit beside the frame */

static HaloStatus check(const CliSettings *settings)
{
    if (settings->words != 1)
        return halo_fail(HALO_ERR_USAGE, "expected one table, found %zu", settings->words);
    if (settings->output == NULL)
        return halo_fail(HALO_ERR_USAGE, "an output is missing: -o FILE.svg or FILE.png");
    return canvas_check(settings->output);
}

static HaloStatus plot_table(const CliSettings *settings, CliTable *table)
{
    HaloStatus status = HALO_OK;
    Chart chart = {.table = table, .title = settings->title};
    HaloRead read = {.what = "the input"};
    HALO_TRY(check(settings));
    chart.path = settings->word[0];
    HALO_TRY(cli_table_read(chart.path, table));
    if (table->columns < 2 || table->columns > MOST_COLUMNS + 1)
        HALO_FAIL(HALO_ERR_INPUT, "%s has %d column%s: the first and up to %d others are drawn", chart.path,
                  table->columns, halo_s(table->columns), MOST_COLUMNS);
    if (settings->title == NULL) chart.title = halo_base_name(chart.path);
    HALO_TRY(table->labelled ? chart_bar_axes(&chart, settings->log)
                             : chart_line_axes(&chart, settings->log_x, settings->log));
    chart.frame.canvas = canvas_for(settings->output);
    (table->labelled ? chart_bars : chart_lines)(&chart);
    const bool known = halo_source_identity(table->source, &read);
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

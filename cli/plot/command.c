/* `halo plot` and `halo waveform`: any input, drawn; tables whose first column is no time as lines over it, or
 * as bars. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "batch/batch.h"
#include "chart.h"
#include "halo/cells.h"
#include "output.h"
#include "report/report.h"
#include "text/page.h"
#include "work.h"

#define HEAD 4096 /* bytes that are looked at */

static HaloStatus check(const CliSettings *settings)
{
    if (settings->words != 1)
        return halo_fail(HALO_ERR_USAGE, "expected one input, found %zu", settings->words);
    return settings->output != NULL ? canvas_check(settings->output) : HALO_OK;
}

/* ---- which way ------------------------------------------------------------------------------------------ */

/* Does the file begin like one of a format with a signature, or like no text at all? */
static bool is_binary(const uint8_t *head, size_t size)
{
    const HaloTables *tables = halo_tables();
    for (int i = 0; i < tables->formats; i++)
        if (tables->format[i]->probe != NULL && tables->format[i]->probe(head, size)) return true;
    return size > 0 && memchr(head, 0, size) != NULL;
}

/* "2026-11-27", "12:30", "27.11.2026", no number and no word. */
static bool is_time(const char *text, size_t length)
{
    size_t digits = 0, marks = 0;
    for (size_t i = 0; i < length; i++) {
        digits += text[i] >= '0' && text[i] <= '9';
        marks += i > 0 && strchr(":-/.", text[i]) != NULL && text[i] != 0;
    }
    char copy[64] = "";
    double value;
    if (length > 0 && length < sizeof copy) memcpy(copy, text, length);
    return length >= 4 && length < sizeof copy && text[0] >= '0' && text[0] <= '9' && digits >= 3 &&
           marks > 0 && !halo_read_number(copy, &value, NULL);
}

static bool names_time(const char *text, size_t length)
{
    static const char *const word[] = {"time", "date", "timestamp", "datetime"};
    for (size_t i = 0; i < sizeof word / sizeof word[0]; i++) {
        const size_t n = strlen(word[i]);
        if (length >= n && strncasecmp(text, word[i], n) == 0 &&
            (length == n || strchr(" _[(", text[n]) != NULL))
            return true;
    }
    return false;
}

/* Has a table a column of times for its first? Rows that are not complete in `head` do not count. */
static bool begins_with_time(const uint8_t *head, size_t size)
{
    bool is = false;
    size_t length;
    HaloSource *source = NULL;
    HaloCells *cells = cli_alloc(1, sizeof *cells);
    if (halo_source_from_memory(head, size, &source) == HALO_OK &&
        halo_cells_open(cells, source, HALO_SEPARATORS, false) == HALO_OK && cells->count > 0) {
        const char *text = halo_cell(cells, 0, &length);
        is = names_time(text, length) || is_time(text, length);
        if (halo_cells_next(cells) == HALO_OK && cells->count > 0) {
            text = halo_cell(cells, 0, &length);
            is = is || is_time(text, length);
        }
    }
    halo_cells_free(cells);
    free(cells);
    halo_source_close(source);
    return is;
}

/* ---- tables --------------------------------------------------------------------------------------------- */

static HaloStatus plot_table(const CliSettings *settings, CliTable *table)
{
    HaloStatus status = HALO_OK;
    const char *output = settings->output != NULL ? settings->output : "-";
    Chart chart = {.table = table,
                   .path = halo_source_name(table->source),
                   .title = settings->title != NULL ? settings->title
                                                    : halo_base_name(halo_source_name(table->source)),
                   .how = settings->panels ? CHART_BY_UNIT : CHART_TOGETHER};
    HaloRead read = {.what = "the input"};
    HALO_TRY(cli_table_read(table));
    if (table->columns < 2 || table->columns > CHART_MOST + 1)
        HALO_FAIL(HALO_ERR_INPUT,
                  "%s has %d column%s: the first and up to %d others are drawn; --columns 1,3 chooses, and "
                  "--rate HZ draws a single one over its rows",
                  chart.path, table->columns, halo_s(table->columns), CHART_MOST);
    HALO_TRY(table->labelled ? chart_bar_axes(&chart, output, settings->log)
                             : chart_line_axes(&chart, output, settings->log_x, settings->log));
    (table->labelled ? chart_bars : chart_lines)(&chart);
    const bool known = halo_source_identity(table->source, &read);
    const HaloSinkOptions options = {
        .force = settings->force, .read = &read, .reads = known, .sync = settings->write.sync};
    status = canvas_save(chart.canvas, output, &options);
    chart.canvas = NULL;
out:
    if (chart.canvas != NULL) chart.canvas->free(chart.canvas);
    return status;
}

/* ---- all else ------------------------------------------------------------------------------------------- */

/* Takes the source. */
static HaloStatus plot_samples(const CliSettings *settings, HaloSource *source, bool text)
{
    HaloStatus status = HALO_OK;
    HaloSession *session = NULL;
    HaloPipeline *copy = NULL;
    HaloReport report = {0};
    CliNoted noted = {0};
    CliItem item = {.input = (char *)settings->word[0]};
    const CliBatch batch = {.item = &item, .count = 1};
    HaloOptions engine = settings->engine;
    char *pipeline = cli_with_page(settings, "", "");
    const char *path = settings->output != NULL ? settings->output : "-";
    PlotOutput output = plot_output(settings, path, settings->word[0]);
    const HaloJob job = {.input = settings->word[0],
                         .source = source,
                         .output = path,
                         .to = &output.format,
                         .raw = settings->raw.kind != 0 ? &settings->raw : NULL,
                         .force = settings->force ? HALO_FORCE_YES : HALO_FORCE_NO,
                         .write = {.sync = settings->write.sync}};
    if (text && engine.read_as == NULL) engine.read_as = "csv";
    engine.latency_ms = PLOT_LATENCY_MS;
    output.first_is_x = text && engine.rate == 0;
    HALO_TRY(halo_session_open_with(halo_tables(), &engine, &session));
    HALO_TRY(halo_pipeline_parse(session, pipeline, &copy));
    source = NULL;
    HALO_TRY(halo_run_job(session, copy, &job, &report));
    plot_notes(&report.notes);
    cli_noted_add(&noted, &report.notes);
    if (!settings->quiet) cli_noted_say(&noted, &batch, false);
out:
    free(pipeline);
    halo_source_close(source);
    halo_report_clear(&report);
    halo_pipeline_free(copy);
    halo_session_close(session);
    return status;
}

static HaloStatus plot(const CliSettings *settings)
{
    HaloStatus status = HALO_OK;
    const uint8_t *head;
    size_t size;
    HaloSource *source = NULL;
    CliTable table = {0};
    HALO_TRY(check(settings));
    HALO_TRY(halo_source_open(settings->word[0], &source));
    HALO_TRY(halo_source_peek(source, HEAD, &head, &size));
    const bool text = settings->raw.kind == 0 && !is_binary(head, size);
    const HaloOptions *engine = &settings->engine;
    const bool series = engine->columns != NULL || engine->rate > 0 || engine->time != NULL ||
                        engine->time_format != NULL || engine->comma || begins_with_time(head, size);
    if (!text || series) {
        HaloSource *taken = source;
        source = NULL;
        status = plot_samples(settings, taken, text);
        goto out;
    }
    table.source = source;
    source = NULL;
    status = plot_table(settings, &table);
out:
    halo_source_close(source);
    cli_table_free(&table);
    return status;
}

int cli_plot(const CliSettings *settings)
{
    cli_ink_setup(STDOUT_FILENO, settings->no_color);
    const HaloStatus status = plot(settings);
    if (status != HALO_OK && status != HALO_ERR_PIPE)
        cli_complain("%s: %s", settings->command->name, halo_error());
    return status;
}

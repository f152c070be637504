/* One file of a command: it is run, explained or previewed, and the outcome is reported, recorded and counted.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "batch/journal.h"
#include "halo/escape.h"
#include "plot/plot.h"
#include "text/page.h"
#include "work.h"

/* Reports and records the outcome of one input; `error` is the message about a failure. If the reader of the
 * page has closed it, the batch ends. */
static HaloStatus conclude(CliWork *work, const CliItem *item, HaloStatus outcome, const char *error,
                           bool skipped, const HaloReport *report)
{
    const CliSettings *settings = work->settings;
    if (outcome == HALO_ERR_PIPE) return outcome;
    cli_count_fate(&work->fates, outcome);
    if (outcome != HALO_OK)
        work->tally.failed++;
    else if (skipped)
        work->tally.skipped++;
    else
        work->tally.ok++;
    if (outcome != HALO_OK && !item->told) cli_complain("%s", error);
    if (outcome == HALO_OK && report != NULL && work->totals != NULL) {
        const size_t number = work->batch.first + (size_t)(item - work->batch.item);
        const HaloStatus status = cli_totals_add(work->totals, number, item->input, &report->results);
        if (status != HALO_OK) return status;
    }
    const int terminal = work->results != NULL ? -1 : work->results_to;
    FILE *page = cli_page_through(cli_page_is_raw(settings->json, settings->csv, terminal), work->results,
                                  work->results_to);
    if (outcome == HALO_OK && report != NULL) {
        if (settings->json)
            cli_record_results(page, item, report);
        else if (settings->csv)
            cli_sheet_results(page, item, &report->results, &work->sheet);
        else
            cli_print_results(page, item, &report->results,
                              settings->plot != NULL && strcmp(settings->plot, "-") == 0);
    }
    const bool explained = settings->explain && outcome == HALO_OK; /* nothing was written */
    if (settings->json && item->output != NULL && !explained)
        cli_record_file(page, item,
                        outcome != HALO_OK ? "failed"
                        : skipped          ? "skipped"
                                           : "ok",
                        error, outcome == HALO_OK ? report : NULL);
    return cli_page_close();
}

static void say_more(const CliWork *work, const CliItem *item, const HaloReport *report)
{
    const HaloTimes *ms = &report->ms;
    if (!work->settings->verbose || work->settings->quiet) return;
    HaloNotes notes = report->notes;
    notes.count[HALO_NOTE_CLIPPED] = 0; /* it is said already */
    char *more = cli_notes_text(&notes, true, true);
    cli_say("%s%s%s: %s (%s), read %.1f ms, computed %.1f ms, wrote %.1f ms, %llu sample%s clipped%s%s%s%s",
            item->input, item->output != NULL ? " -> " : "", item->output != NULL ? item->output : "",
            report->backend != NULL ? report->backend : "", report->device, ms->read + ms->decode,
            ms->upload + ms->compute + ms->download, ms->encode + ms->write,
            (unsigned long long)report->clipped, halo_s((int64_t)report->clipped), more != NULL ? "; " : "",
            more != NULL ? more : "", report->why[0] != 0 ? "; ran on the CPU, since " : "", report->why);
    free(more);
}

/* Said once: other files are likely to fail for the same reason. */
static void warn_once(CliWork *work, const CliItem *item, const HaloReport *report)
{
    if (!report->fell_back || work->warned || work->settings->quiet) return;
    work->warned = true;
    cli_complain("%s: ran on the CPU, since %s%s", item->input, report->why,
                 work->batch.count > 1 ? " (reported once; -v reports it for every file)" : "");
}

/* Is the plot that of a pipeline's output, which one run makes alone? */
static bool plots_alone(const CliWork *work, const CliItem *item)
{
    return work->settings->plot != NULL && item->output == NULL && !halo_pipeline_measures(work->pipeline);
}

static const HaloResult *result_of(const HaloReport *report, HaloResultType type)
{
    for (int i = 0; i < report->results.count; i++)
        if (report->results.item[i].type == type) return &report->results.item[i];
    return NULL;
}

/* What has been measured, or what another run makes. */
static HaloStatus plot_result(const CliWork *work, const CliItem *item, const HaloReport *report)
{
    const CliSettings *settings = work->settings;
    const HaloResult *histogram = result_of(report, HALO_RESULT_HIST);
    const HaloResult *objects =
        settings->command->bit == CLI_OBJECTS ? result_of(report, HALO_RESULT_TABLE) : NULL;
    HaloReport again = {0};
    if (histogram != NULL) return cli_plot_histogram(settings, item->input, histogram);
    if (objects != NULL && objects->image > 0)
        return halo_fail(HALO_ERR_USAGE, "--plot draws the objects of a file with one picture");
    if (objects != NULL) return cli_plot_objects(settings, work->session, item->input, report, objects->table);
    if (halo_pipeline_only_measures(work->pipeline))
        return halo_fail(HALO_ERR_USAGE, "--plot needs a histogram: add hist to the pipeline");
    if (strcmp(item->input, "-") == 0)
        return halo_fail(HALO_ERR_USAGE, "--plot beside %s needs a file: standard input can be read once",
                         item->output != NULL ? "an output" : "results");
    const HaloStatus status =
        cli_plot_output(settings, work->session, work->pipeline, &work->batch, item->input, &again);
    halo_report_clear(&again);
    return status;
}

static CliOutcome run_and_plot(CliWork *work, const CliItem *item)
{
    CliOutcome outcome = {.fate = CLI_RAN};
    outcome.status = cli_plot_output(work->settings, work->session, work->pipeline, &work->batch, item->input,
                                     &outcome.report);
    if (outcome.status != HALO_OK) outcome.error = cli_failure(item, outcome.status);
    return outcome;
}

static HaloStatus finish_file(CliWork *work, const CliItem *item, CliOutcome *outcome)
{
    const CliSettings *settings = work->settings;
    if (outcome->status == HALO_OK && settings->plot != NULL && !plots_alone(work, item)) {
        outcome->status = plot_result(work, item, &outcome->report);
        if (outcome->status != HALO_OK) outcome->error = cli_failure(item, outcome->status);
    }
    if (outcome->status == HALO_OK) {
        if (outcome->report.backend != NULL)
            cli_tally_device(&work->tally, outcome->report.backend, outcome->report.device);
        warn_once(work, item, &outcome->report);
        cli_noted_add(&work->tally.noted, &outcome->report.notes);
        say_more(work, item, &outcome->report);
    }
    const HaloStatus status = conclude(work, item, outcome->status, outcome->error, false, &outcome->report);
    cli_outcome_free(outcome);
    return status;
}

static HaloStatus explain_file(CliWork *work, const CliItem *item)
{
    const CliSettings *settings = work->settings;
    HaloReport report = {0};
    HaloExplanation explanation = {0};
    const HaloJob job = {.input = item->input,
                         .output = item->output,
                         .to = settings->to,
                         .raw = settings->raw.kind != 0 ? &settings->raw : NULL,
                         .force = settings->force,
                         .write = settings->write,
                         .explain = &explanation};
    const HaloStatus outcome = halo_run_job(work->session, work->pipeline, &job, &report);
    char *error = outcome != HALO_OK ? cli_failure(item, outcome) : NULL;
    if (outcome == HALO_OK) cli_print_plan(work, item, &explanation, cli_page_open(settings->json));
    halo_explanation_free(&explanation);
    halo_report_clear(&report);
    const HaloStatus sent = outcome == HALO_OK ? cli_page_send(STDOUT_FILENO) : HALO_OK;
    const HaloStatus status = sent != HALO_OK ? sent : conclude(work, item, outcome, error, false, NULL);
    free(error);
    return status;
}

static HaloStatus preview_file(CliWork *work, const CliItem *item)
{
    static const char *const fate[] = {[HALO_FORCE_NO] = "",
                                       [HALO_FORCE_YES] = " (replaced)",
                                       [HALO_FORCE_SAME] = " (stays if it is the same)"};
    const CliSettings *settings = work->settings;
    FILE *page = cli_page_open(settings->json);
    if (!settings->json) {
        halo_put_escaped(page, item->input);
        if (item->output != NULL) fputs(" -> ", page);
        if (item->output != NULL) halo_put_escaped(page, item->output);
        fprintf(page, "%s\n", cli_in_the_way(item->output) ? fate[cli_force(settings, item)] : "");
    }
    const HaloStatus sent = cli_page_send(work->results_to);
    return sent != HALO_OK ? sent : conclude(work, item, HALO_OK, NULL, true, NULL);
}

/* With --sync what an earlier run did has to be on the disk as well. */
static HaloStatus pass_over(CliWork *work, const CliItem *item)
{
    const CliSettings *settings = work->settings;
    HaloStatus outcome = HALO_OK;
    if (item->done && settings->write.sync && !settings->dry_run) {
        outcome = halo_sync_file(item->output);
        if (outcome == HALO_OK) outcome = halo_sync_folder(item->output);
        if (outcome == HALO_OK) outcome = cli_make_folders(item->output, true);
    }
    char *error = outcome != HALO_OK ? cli_failure(item, outcome) : NULL;
    const HaloStatus status = conclude(work, item, outcome, error, outcome == HALO_OK, NULL);
    free(error);
    return status;
}

/* Runs, explains or previews an input that no worker has run, unless it failed already or its output exists. */
static HaloStatus handle_here(CliWork *work, const CliItem *item)
{
    const CliSettings *settings = work->settings;
    if (item->status != HALO_OK) return conclude(work, item, item->status, item->error, false, NULL);
    if (settings->explain) return explain_file(work, item);
    if (!cli_is_wanted(settings, item)) return pass_over(work, item);
    if (!settings->dry_run) {
        CliOutcome outcome = plots_alone(work, item)
                                 ? run_and_plot(work, item)
                                 : cli_run_item(settings, work->session, work->pipeline, &work->batch, item);
        return finish_file(work, item, &outcome);
    }
    if (!cli_in_the_way(item->output) || cli_force(settings, item) != HALO_FORCE_NO)
        return preview_file(work, item);
    halo_fail_on(HALO_ERR_INPUT, item->output,
                 " exists: use --force to replace it, --skip-existing to keep it");
    return conclude(work, item, HALO_ERR_INPUT, halo_error(), false, NULL);
}

HaloStatus cli_handle(CliWork *work, size_t i)
{
    const CliItem *item = &work->batch.item[i];
    if (work->workers == NULL) return handle_here(work, item);
    CliOutcome outcome = cli_workers_wait(work->workers, i);
    if (outcome.fate == CLI_RAN) return finish_file(work, item, &outcome);
    if (outcome.fate == CLI_LEFT) cli_workers_pause(work->workers);
    const HaloStatus status = handle_here(work, item);
    if (outcome.fate == CLI_LEFT) {
        halo_session_trim(work->session);
        cli_workers_resume(work->workers);
    }
    return status;
}

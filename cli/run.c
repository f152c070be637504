/* `halo run`, and the commands that are short for it: a batch of files through one pipeline. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "batch.h"
#include "journal.h"
#include "page.h"
#include "progress.h"
#include "report.h"
#include "totals.h"
#include "workers.h"

/* One command at work. */
typedef struct Work {
    const CliSettings *settings;
    HaloSession *session;
    char *text; /* of the pipeline */
    HaloPipeline *pipeline;
    CliWorkers *workers; /* NULL: one file after the other */
    CliBatch batch;
    uint64_t recipe;   /* of all that results and outputs depend on */
    CliTotals *totals; /* --total, or NULL */
    int results_to;    /* the file descriptor of what is printed */
    CliTally tally;
    CliFates fates;
} Work;

/* ---- before anything runs ------------------------------------------------------------------------------- */

static HaloStatus make_pipeline(Work *work, const char *const **inputs, size_t *count)
{
    const CliSettings *settings = work->settings;
    const CliCommand *command = settings->command;
    HaloStatus status = HALO_OK;
    const size_t taken = command->op == NULL;
    if (settings->words < taken)
        return halo_fail(HALO_ERR_USAGE, "a pipeline is missing: halo run %s", command->usage);
    if (command->op == NULL)
        work->text = cli_copy(settings->word[0]);
    else
        work->text = cli_format("%s%s%s", command->op, settings->op_args.length > 0 ? ":" : "",
                                settings->op_args.length > 0 ? settings->op_args.data : "");
    *inputs = (const char *const *)settings->word + taken;
    *count = settings->words - taken;
    HALO_TRY(halo_session_open(&settings->engine, &work->session));
    status = halo_pipeline_parse(work->session, work->text, &work->pipeline);
    if (status != HALO_OK && command->op == NULL && access(work->text, F_OK) == 0)
        status = halo_fail(HALO_ERR_USAGE,
                           "'%.200s' is a file: the pipeline comes first, as in halo run gauss:2 in.png "
                           "-o out.png",
                           work->text);
out:
    return status;
}

static HaloStatus check_request(const Work *work)
{
    const CliSettings *settings = work->settings;
    const bool has_output = settings->output != NULL || settings->out_dir != NULL;
    if (settings->plot != NULL && work->batch.count > 1)
        return halo_fail(HALO_ERR_USAGE, "--plot takes one input, and there are %zu", work->batch.count);
    if (settings->plot != NULL && strcmp(settings->plot, "-") == 0)
        return halo_fail(HALO_ERR_USAGE, "--plot needs the name of a file");
    if (settings->plot != NULL && strcmp(cli_extension(settings->plot), "svg") != 0 &&
        strcmp(cli_extension(settings->plot), "png") != 0)
        return halo_fail(HALO_ERR_USAGE, "--plot draws .svg or .png: '%s' is neither", settings->plot);
    if (cli_in_the_way(settings->plot) && !settings->force)
        return halo_fail(HALO_ERR_INPUT, "%s exists: --force replaces it", settings->plot);
    if (settings->total && (settings->resume || settings->skip_existing))
        return halo_fail(HALO_ERR_USAGE, "--total needs every input: it does not go with --%s",
                         settings->resume ? "resume" : "skip-existing");
    if (!has_output && !settings->explain && !halo_pipeline_only_measures(work->pipeline))
        return halo_fail(HALO_ERR_USAGE,
                         "where should the output go? -o FILE, --out-dir DIR, or -o - for standard output");
    return HALO_OK;
}

static HaloStatus open_journal(Work *work)
{
    const CliSettings *settings = work->settings;
    const char *options = settings->recipe.length > 0 ? settings->recipe.data : "";
    work->recipe = halo_pipeline_fingerprint(work->pipeline, options);
    char *text = cli_format("%s%s", work->text, options);
    const HaloStatus status =
        cli_journal_open(settings, work->recipe, text, &work->batch, &work->batch.journal);
    free(text);
    return status;
}

static HaloStatus prepare(Work *work)
{
    HaloStatus status = HALO_OK;
    const char *const *inputs = NULL;
    size_t count = 0;
    HALO_TRY(make_pipeline(work, &inputs, &count));
    HALO_TRY(cli_find_inputs(work->settings, inputs, count, &work->batch));
    HALO_TRY(check_request(work));
    HALO_TRY(cli_name_outputs(work->settings, &work->batch));
    cli_take_shard(work->settings, &work->batch);
    if (work->settings->total) work->totals = cli_totals_new(work->batch.first);
    HALO_TRY(open_journal(work));
out:
    return status;
}

/* ---- one file ------------------------------------------------------------------------------------------- */

/* What became of one input, said and recorded. The reader of the page may have gone: that ends the batch. */
static HaloStatus conclude(Work *work, const CliItem *item, HaloStatus outcome, const char *reason,
                           bool skipped, const HaloReport *report)
{
    const CliSettings *settings = work->settings;
    char *error = outcome != HALO_OK ? cli_sentence(item, outcome, reason) : NULL;
    if (outcome == HALO_ERR_PIPE) {
        free(error);
        return outcome;
    }
    cli_count_fate(&work->fates, outcome);
    if (outcome != HALO_OK)
        work->tally.failed++;
    else if (skipped)
        work->tally.skipped++;
    else
        work->tally.ok++;
    if (error != NULL) cli_complain("%s", error);
    if (outcome == HALO_OK && report != NULL && work->totals != NULL) {
        const size_t number = work->batch.first + (size_t)(item - work->batch.item);
        const HaloStatus status = cli_totals_add(work->totals, number, item->input, &report->results);
        if (status != HALO_OK) {
            free(error);
            return status;
        }
    }
    FILE *page = cli_page_open();
    if (outcome == HALO_OK && report != NULL) {
        if (settings->json)
            cli_record_results(page, item, &report->results);
        else
            cli_print_results(page, item, &report->results);
    }
    if (settings->json && item->output != NULL)
        cli_record_file(page, item,
                        outcome != HALO_OK ? "failed"
                        : skipped          ? "skipped"
                                           : "ok",
                        error, outcome == HALO_OK ? report : NULL);
    free(error);
    return cli_page_send(work->results_to);
}

static void say_more(const Work *work, const CliItem *item, const HaloReport *report)
{
    const HaloTimes *ms = &report->ms;
    if (!work->settings->verbose || work->settings->quiet) return;
    cli_progress_clear();
    fprintf(stderr,
            "%s%s%s: %s (%s), read %.1f ms, computed %.1f ms, wrote %.1f ms, %llu samples clipped%s%s\n",
            item->input, item->output != NULL ? " -> " : "", item->output != NULL ? item->output : "",
            report->backend != NULL ? report->backend : "", report->device, ms->read + ms->decode,
            ms->upload + ms->compute + ms->download, ms->encode + ms->write,
            (unsigned long long)report->clipped, report->note[0] != 0 ? "; " : "", report->note);
}

static HaloStatus plot_result(const CliSettings *settings, const CliItem *item, const HaloReport *report)
{
    for (int i = 0; i < report->results.count; i++)
        if (report->results.item[i].type == HALO_RESULT_HIST)
            return cli_plot(settings->plot, settings->force, settings->log, item->input,
                            &report->results.item[i]);
    return halo_fail(HALO_ERR_USAGE, "--plot draws a histogram: the pipeline has no hist");
}

static HaloStatus finish_file(Work *work, const CliItem *item, CliOutcome *outcome)
{
    const CliSettings *settings = work->settings;
    const char *reason = outcome->error;
    if (outcome->status == HALO_OK && settings->plot != NULL) {
        outcome->status = plot_result(settings, item, &outcome->report);
        reason = halo_error();
    }
    if (outcome->status == HALO_OK) {
        work->tally.backend = outcome->report.backend;
        memcpy(work->tally.device, outcome->report.device, sizeof work->tally.device);
        say_more(work, item, &outcome->report);
    }
    const HaloStatus status = conclude(work, item, outcome->status, reason, false, &outcome->report);
    cli_outcome_free(outcome);
    return status;
}

static void print_threads(const Work *work, FILE *page)
{
    int workers, threads;
    cli_share_jobs(work->settings, work->batch.count, &workers, &threads);
    if (workers > 1)
        fprintf(page, "threads %d for each of %d files at a time\n", threads, workers);
    else
        fprintf(page, "threads %d that cut each file into slices\n", threads);
}

static HaloStatus explain_file(Work *work, const CliItem *item)
{
    const CliSettings *settings = work->settings;
    HaloReport report = {0};
    FILE *page = cli_page_open();
    const HaloJob job = {.input = item->input,
                         .output = item->output,
                         .to = settings->to,
                         .raw = settings->raw.kind != 0 ? &settings->raw : NULL,
                         .force = settings->force,
                         .explain = page};
    if (work->batch.count > 1) fprintf(page, "%s%s%s\n", cli_ink(CLI_BOLD), item->input, cli_ink(CLI_PLAIN));
    const HaloStatus outcome = halo_run(work->session, work->pipeline, &job, &report);
    if (outcome == HALO_OK) {
        halo_report_free(&report);
        print_threads(work, page);
    }
    char *reason = cli_copy(halo_error());
    const HaloStatus sent = cli_page_send(STDOUT_FILENO);
    const HaloStatus status = sent != HALO_OK ? sent : conclude(work, item, outcome, reason, false, NULL);
    free(reason);
    return status;
}

static HaloStatus preview_file(Work *work, const CliItem *item)
{
    const CliSettings *settings = work->settings;
    FILE *page = cli_page_open();
    if (!settings->json)
        fprintf(page, "%s%s%s%s\n", item->input, item->output != NULL ? " -> " : "",
                item->output != NULL ? item->output : "", cli_in_the_way(item->output) ? " (replaced)" : "");
    const HaloStatus sent = cli_page_send(work->results_to);
    return sent != HALO_OK ? sent : conclude(work, item, HALO_OK, NULL, true, NULL);
}

/* What happens to an input that no worker has run: what was asked for, unless it failed already or its output
 * is there. */
static HaloStatus handle_here(Work *work, const CliItem *item)
{
    const CliSettings *settings = work->settings;
    if (item->status != HALO_OK) return conclude(work, item, item->status, item->error, false, NULL);
    if (settings->explain) return explain_file(work, item);
    if (!cli_is_wanted(settings, item)) return conclude(work, item, HALO_OK, NULL, true, NULL);
    if (!settings->dry_run) {
        CliOutcome outcome = cli_run_item(settings, work->session, work->pipeline, work->batch.journal, item);
        return finish_file(work, item, &outcome);
    }
    if (!cli_in_the_way(item->output) || settings->force || item->ours) return preview_file(work, item);
    halo_fail(HALO_ERR_INPUT, "%s exists: --force replaces it, --skip-existing leaves it", item->output);
    return conclude(work, item, HALO_ERR_INPUT, halo_error(), false, NULL);
}

static HaloStatus handle(Work *work, size_t i)
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

/* ---- all of them ---------------------------------------------------------------------------------------- */

static HaloStatus run_all(Work *work)
{
    const CliSettings *settings = work->settings;
    const size_t total = work->batch.count;
    const double begun = cli_seconds();
    HaloStatus status = HALO_OK;
    if (!settings->explain && !settings->dry_run)
        HALO_TRY(cli_workers_start(settings, work->text, &work->batch, &work->workers));
    cli_progress_begin(settings->progress, settings->quiet, total);
    for (size_t i = 0; i < total && status == HALO_OK; i++) {
        cli_signals_count(i, total, work->batch.journal != NULL);
        cli_progress_step(i, &work->tally);
        status = handle(work, i);
    }
    if (status == HALO_OK) cli_progress_step(total, &work->tally);
    cli_progress_end();
    work->tally.seconds = cli_seconds() - begun;
out:
    return status;
}

/* The last object of a part: what it was a part of, and what `halo merge` needs to know of it. */
static void record_shard(const Work *work, FILE *page)
{
    const CliSettings *settings = work->settings;
    CliJson json = {.to = page};
    char recipe[32];
    snprintf(recipe, sizeof recipe, "%016llx%s", (unsigned long long)work->recipe,
             settings->total ? " total" : "");
    json_open(&json, NULL, '{');
    json_text(&json, "type", "shard");
    json_int(&json, "shard", settings->shard);
    json_int(&json, "of", settings->shards);
    json_uint(&json, "first", work->batch.first);
    json_uint(&json, "inputs", work->batch.count);
    json_uint(&json, "all", work->batch.all);
    json_uint(&json, "failed", work->tally.failed);
    json_text(&json, "recipe", recipe);
    cli_totals_write(&json, work->totals);
    json_close(&json, '}');
    json_end_line(&json);
}

static HaloStatus print_totals(const Work *work)
{
    const CliSettings *settings = work->settings;
    if (settings->dry_run || settings->explain) return HALO_OK;
    FILE *page = cli_page_open();
    if (settings->json && settings->shards > 0)
        record_shard(work, page);
    else if (work->totals != NULL)
        cli_totals_print(page, work->totals, settings->json);
    return cli_page_send(work->results_to);
}

static HaloStatus print_summary(const Work *work)
{
    const CliSettings *settings = work->settings;
    const CliTally *t = &work->tally;
    const bool has_output = settings->output != NULL || settings->out_dir != NULL;
    if (settings->json && has_output && !settings->explain) {
        cli_record_summary(cli_page_open(), t);
        return cli_page_send(work->results_to);
    }
    const bool worth_it = (has_output && !settings->dry_run && !settings->explain) || t->failed > 0;
    if (work->batch.count > 1 && !settings->quiet && worth_it)
        fprintf(stderr, "halo: %zu done, %zu failed, %zu skipped in %.2f s%s%s%s\n", t->ok, t->failed,
                t->skipped, t->seconds, t->backend != NULL ? ", on " : "", t->backend != NULL ? t->device : "",
                t->failed > 0 && work->batch.journal != NULL ? "; --resume tries those that failed again" : "");
    return HALO_OK;
}

int cli_run(const CliSettings *settings)
{
    Work work = {.settings = settings, .results_to = STDOUT_FILENO};
    if (settings->output != NULL && strcmp(settings->output, "-") == 0) work.results_to = STDERR_FILENO;
    cli_ink_setup(work.results_to, settings->no_color);
    cli_bars_setup(settings->log);
    HaloStatus status = prepare(&work);
    if (status == HALO_OK) status = run_all(&work);
    if (status == HALO_OK) status = print_totals(&work);
    if (status == HALO_OK) status = print_summary(&work);
    if (status != HALO_OK && status != HALO_ERR_PIPE) cli_complain("%s", halo_error());
    cli_workers_stop(work.workers);
    cli_journal_close(work.batch.journal, status == HALO_OK && work.tally.failed == 0);
    cli_totals_free(work.totals);
    cli_batch_free(&work.batch);
    free(work.text);
    halo_pipeline_free(work.pipeline);
    halo_session_close(work.session);
    return status != HALO_OK ? (int)status : cli_fates_exit(&work.fates);
}

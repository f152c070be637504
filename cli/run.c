/* `halo run`, and the commands that are short for it: a batch of files through one pipeline. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "batch/clashes.h"
#include "batch/journal.h"
#include "batch/signals.h"
#include "plot/canvas.h"
#include "plot/output.h"
#include "plot/plot.h"
#include "report/progress.h"
#include "report/report.h"
#include "text/page.h"
#include "work.h"

/* ---- before anything runs ------------------------------------------------------------------------------- */

static HaloStatus make_pipeline(CliWork *work, const char *const **inputs, size_t *count)
{
    const CliSettings *settings = work->settings;
    const CliCommand *command = settings->command;
    HaloStatus status = HALO_OK;
    size_t taken = command->op == NULL;
    if (settings->words < taken)
        return halo_fail(HALO_ERR_USAGE, "a pipeline is missing: halo run %s", command->usage);
    if (command->op == NULL)
        work->text = cli_with_page(settings, settings->word[0], "");
    else
        work->text =
            cli_with_page(settings, command->op, settings->op_args.length > 0 ? settings->op_args.data : "");
    HaloOptions engine = settings->engine;
    if (settings->plot != NULL && settings->output == NULL) engine.latency_ms = PLOT_LATENCY_MS;
    HALO_TRY(halo_session_open_with(halo_tables(), &engine, &work->session));
    status = halo_pipeline_parse(work->session, work->text, &work->pipeline);
    if (status != HALO_OK && command->op == NULL) {
        status = cli_copy_instead(work, status);
        taken = work->pipeline == NULL;
    }
    *inputs = (const char *const *)settings->word + taken;
    *count = settings->words - taken;
out:
    return status;
}

static HaloStatus check_request(const CliWork *work)
{
    const CliSettings *settings = work->settings;
    const bool has_output = settings->output != NULL || settings->out_dir != NULL;
    if (settings->plot != NULL && work->batch.count > 1)
        return halo_fail(HALO_ERR_USAGE, "--plot is for one input, not %zu", work->batch.count);
    if (settings->plot != NULL && settings->explain)
        return halo_fail(HALO_ERR_USAGE, "--plot and --explain are mutually exclusive");
    const HaloStatus status = cli_plot_check(settings);
    if (status != HALO_OK) return status;
    if (settings->split && (settings->resume || settings->skip_existing || settings->write.guard))
        return halo_fail(HALO_ERR_USAGE, "--split and --%s are mutually exclusive",
                         settings->resume          ? "resume"
                         : settings->skip_existing ? "skip-existing"
                                                   : "guard");
    if (settings->skip_existing && settings->force)
        return halo_fail(HALO_ERR_USAGE, "--skip-existing and --force are mutually exclusive");
    if (settings->to_srgb && settings->engine.linear)
        return halo_fail(HALO_ERR_USAGE,
                         "--to-srgb and --linear are mutually exclusive: use --to-srgb 'linear | … | srgb'");
    if (settings->split && !has_output)
        return halo_fail(HALO_ERR_USAGE, "--split needs a name: -o FILE with {page} in it, or --out-dir DIR");
    if (settings->csv && (settings->json || settings->total))
        return halo_fail(HALO_ERR_USAGE, "--csv and --%s are mutually exclusive",
                         settings->json ? "json" : "total");
    if (settings->total && (settings->resume || settings->skip_existing))
        return halo_fail(HALO_ERR_USAGE, "--total needs every input, so it cannot be combined with --%s",
                         settings->resume ? "resume" : "skip-existing");
    if (has_output || settings->explain || settings->plot != NULL || halo_pipeline_measures(work->pipeline))
        return HALO_OK;
    return cli_no_output(settings);
}

static HaloStatus open_journal(CliWork *work)
{
    const CliSettings *settings = work->settings;
    const char *options = settings->recipe.length > 0 ? settings->recipe.data : "";
    if (settings->out_dir != NULL || settings->shards > 0) /* otherwise it is not needed, and files are long */
        work->recipe = halo_pipeline_fingerprint(work->pipeline, options);
    char *text = cli_format("%s%s", work->text, options);
    const HaloStatus status =
        cli_journal_open(settings, work->recipe, text, &work->batch, &work->batch.journal);
    free(text);
    return status;
}

static HaloStatus prepare(CliWork *work, CliSettings *own)
{
    HaloStatus status = HALO_OK;
    const char *const *inputs = NULL;
    size_t count = 0;
    HALO_TRY(make_pipeline(work, &inputs, &count));
    HALO_TRY(cli_results_take(work->pipeline, own));
    HaloRead read;
    for (size_t i = 0; halo_pipeline_reads(work->pipeline, i, &read); i++) cli_batch_reads(&work->batch, &read);
    if (work->settings->response != NULL) /* inputs are not looked at */
        return cli_refuse_clashes(work->settings, work->pipeline, &work->batch);
    HALO_TRY(cli_check_inputs(work, inputs, count));
    HALO_TRY(cli_find_inputs(work->settings, inputs, count, &work->batch));
    HALO_TRY(check_request(work));
    HALO_TRY(cli_name_outputs(work->settings, &work->batch));
    HALO_TRY(cli_refuse_clashes(work->settings, work->pipeline, &work->batch));
    cli_take_shard(work->settings, &work->batch);
    if (work->settings->total) work->totals = cli_totals_new(work->batch.first);
    HALO_TRY(open_journal(work));
    cli_refuse_existing(work->settings, &work->batch);
    HALO_TRY(cli_results_open(work));
out:
    return status;
}

/* ---- all of them ---------------------------------------------------------------------------------------- */

static void say_shard(const CliSettings *settings)
{
    const char *const *by = settings->shard_by;
    if (!settings->verbose || settings->quiet || settings->shards == 0) return;
    cli_say("shard %lld of %lld%s%s%s%s", (long long)settings->shard, (long long)settings->shards,
            by[0] != NULL ? ", by " : "", by[0] != NULL ? by[0] : "", by[1] != NULL ? " and " : "",
            by[1] != NULL ? by[1] : "");
}

static HaloStatus run_all(CliWork *work)
{
    const CliSettings *settings = work->settings;
    const size_t total = work->batch.count;
    const double begun = cli_seconds();
    HaloStatus status = HALO_OK;
    say_shard(settings);
    if (!settings->explain && !settings->dry_run)
        HALO_TRY(cli_workers_start(settings, work->pipeline, &work->batch, &work->workers));
    cli_progress_begin(settings->progress, settings->quiet, total);
    for (size_t i = 0; i < total && status == HALO_OK; i++) {
        cli_signals_count(i, total, work->batch.journal != NULL);
        cli_progress_step(i, &work->tally);
        status = cli_handle(work, i);
    }
    if (status == HALO_OK) cli_progress_step(total, &work->tally);
    cli_progress_end();
    work->tally.seconds = cli_seconds() - begun;
out:
    return status;
}

/* The last object that a part prints: of what it is a part, and what `halo merge` needs. */
static void record_shard(const CliWork *work, FILE *page)
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

static HaloStatus print_totals(const CliWork *work)
{
    const CliSettings *settings = work->settings;
    if (settings->dry_run || settings->explain) return HALO_OK;
    FILE *page = cli_page_open(settings->json);
    if (settings->json && settings->shards > 0)
        record_shard(work, page);
    else if (work->totals != NULL)
        cli_totals_print(page, work->totals, settings->json);
    return cli_page_send(work->results_to);
}

static HaloStatus print_summary(const CliWork *work)
{
    const CliSettings *settings = work->settings;
    const CliTally *t = &work->tally;
    const bool has_output = settings->output != NULL || settings->out_dir != NULL;
    if (settings->json && has_output && !settings->explain) {
        cli_record_summary(cli_page_open(true), t);
        return cli_page_send(work->results_to);
    }
    const bool worth_it = (has_output && !settings->dry_run && !settings->explain) || t->failed > 0;
    if (work->batch.count > 1 && !settings->quiet && worth_it)
        cli_complain("%zu done, %zu failed, %zu skipped in %.2f s%s%s%s", t->ok, t->failed, t->skipped,
                     t->seconds, t->backend != NULL ? ", on " : "", t->backend != NULL ? t->device : "",
                     t->failed > 0 && work->batch.journal != NULL ? "; use --resume to retry those that failed"
                                                                  : "");
    return HALO_OK;
}

/* With -v the line of the single input has it. */
static void say_notes(const CliWork *work)
{
    const CliSettings *settings = work->settings;
    if (settings->quiet || (settings->verbose && work->batch.count == 1)) return;
    cli_noted_say(&work->tally.noted, &work->batch, settings->write.guard);
}

/* Removes the journal last, and ends the process right after that: a run that is killed later would seem to
 * have failed, and --resume would find outputs that no journal names. So CUDA's cleanup on exit, which takes
 * longer than all else here, is skipped: the system frees the same. */
static int leave(const CliWork *work, HaloStatus status)
{
    const char *backend = work->tally.backend;
    const int code = status != HALO_OK ? (int)status : cli_fates_exit(&work->fates);
    cli_journal_close(work->batch.journal, status == HALO_OK && work->tally.failed == 0);
    if (backend != NULL && strcmp(backend, "cpu") != 0) {
        fflush(NULL);
        _exit(code);
    }
    return code;
}

/* --plot-response, in place of everything else. */
static HaloStatus plot_response(const CliWork *work)
{
    const CliSettings *settings = work->settings;
    if (canvas_check(settings->response) != HALO_OK) return HALO_ERR_USAGE;
    if (settings->words > 1 || settings->plot != NULL || settings->output != NULL || settings->out_dir != NULL)
        return halo_fail(HALO_ERR_USAGE,
                         "--plot-response plots only the pipeline: give no input and no output");
    if (cli_in_the_way(settings->response) && !settings->force)
        return halo_fail(HALO_ERR_INPUT, "%s exists: use --force to replace it", settings->response);
    return cli_plot_response(settings, work->session, work->pipeline, work->text);
}

int cli_run(const CliSettings *settings)
{
    CliSettings own = *settings;
    CliWork work = {.settings = &own, .results_to = STDOUT_FILENO};
    if (settings->output != NULL && strcmp(settings->output, "-") == 0) work.results_to = STDERR_FILENO;
    cli_ink_setup(work.results_to, settings->no_color);
    cli_bars_setup(settings->log);
    HaloStatus status = prepare(&work, &own);
    if (status == HALO_OK) status = settings->response != NULL ? plot_response(&work) : run_all(&work);
    status = cli_results_close(&work, status);
    if (status == HALO_OK) say_notes(&work);
    if (status == HALO_OK) status = print_totals(&work);
    if (status == HALO_OK) status = print_summary(&work);
    if (status == HALO_OK && settings->shards == 0) status = cli_totals_whole(work.totals);
    if (status != HALO_OK && status != HALO_ERR_PIPE) cli_complain("%s", halo_error());
    cli_workers_stop(work.workers);
    cli_totals_free(work.totals);
    free(work.text);
    halo_pipeline_free(work.pipeline);
    halo_session_close(work.session);
    const int code = leave(&work, status);
    cli_batch_free(&work.batch);
    return code;
}

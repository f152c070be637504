/* `halo stack`, `halo pages` and `halo join`: many inputs into one output. */
#include "halo/stack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch/batch.h"
#include "halo/join.h"
#include "halo/text.h"
#include "report/report.h"
#include "work.h"

/* The inputs that the words from `first` on name; freed by the caller. */
static HaloStatus find_inputs(const CliSettings *settings, int first, CliBatch *batch, const char ***input)
{
    HaloStatus status = HALO_OK;
    const char *const *word = (const char *const *)settings->word;
    if (settings->output == NULL)
        HALO_FAIL(HALO_ERR_USAGE, "an output is missing: -o FILE, or -o - for standard output");
    HALO_TRY(cli_find_inputs(settings, word + first, settings->words - first, batch));
    *input = cli_alloc(batch->count, sizeof **input);
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->item[i].status != HALO_OK) HALO_FAIL(batch->item[i].status, "%s", batch->item[i].error);
        (*input)[i] = batch->item[i].input;
    }
out:
    return status;
}

static void say_moved(const char *input, const HaloShift *shift, bool rotation)
{
    char turned[80] = "";
    if (rotation)
        halo_snprintf(turned, sizeof turned, "turned by %+.3f degrees, scaled by %.4f, ", shift->rotation,
                      shift->scale);
    cli_complain("%s: %smoved by %+.2f, %+.2f pixels", input, turned, shift->x, shift->y);
}

/* --align: how far the inputs are moved to lie on the first one; freed by the caller. */
static HaloStatus find_shifts(const CliSettings *settings, HaloSession *session, const CliBatch *batch,
                              const char *const *input, HaloShift **shift)
{
    HaloStatus status = HALO_OK;
    HaloShift *found = NULL;
    *shift = NULL;
    if (settings->rotation && !settings->align)
        HALO_FAIL(HALO_ERR_USAGE, "--rotation needs --align: stack moves images only then");
    if (!settings->align) return HALO_OK;
    for (size_t i = 0; i < batch->count; i++)
        if (strcmp(input[i], "-") == 0)
            HALO_FAIL(HALO_ERR_USAGE, "--align reads inputs twice, so that standard input cannot be one");
    HALO_TRY(halo_align(session, input[0], input + 1, batch->count - 1,
                        settings->raw.kind != 0 ? &settings->raw : NULL, settings->rotation, &found));
    *shift = cli_alloc(batch->count, sizeof **shift);
    (*shift)[0] = (HaloShift){.scale = 1.0};
    for (size_t i = 1; i < batch->count; i++) {
        (*shift)[i] = found[i - 1];
        if (settings->quiet) continue;
        say_moved(input[i], &(*shift)[i], settings->rotation);
        cli_doubt_shift(input[0], input[i], &(*shift)[i]);
    }
out:
    free(found);
    return status;
}

static HaloStatus run_stack(const CliSettings *settings, CliBatch *batch, HaloReport *report)
{
    HaloStatus status = HALO_OK;
    HaloSession *session = NULL;
    const char **input = NULL;
    HaloShift *shift = NULL;
    if (settings->words == 0)
        HALO_FAIL(HALO_ERR_USAGE, "an operation is missing: halo stack %s", settings->command->usage);
    HALO_TRY(halo_session_open_with(halo_tables(), &settings->engine, &session));
    HALO_TRY(find_inputs(settings, 1, batch, &input));
    HALO_TRY(find_shifts(settings, session, batch, input, &shift));
    const HaloStack stack = {.what = settings->word[0],
                             .input = input,
                             .inputs = batch->count,
                             .shift = shift,
                             .output = settings->output,
                             .to = settings->to,
                             .raw = settings->raw.kind != 0 ? &settings->raw : NULL,
                             .force = settings->force ? HALO_FORCE_YES : HALO_FORCE_NO,
                             .write = settings->write};
    HALO_TRY(halo_stack(session, &stack, report));
out:
    free(shift);
    free(input);
    halo_session_close(session);
    return status;
}

/* The pages of all inputs go through a pipeline that copies. */
static HaloStatus run_pages(const CliSettings *settings, CliBatch *batch, HaloReport *report)
{
    HaloStatus status = HALO_OK;
    HaloSession *session = NULL;
    HaloPipeline *copy = NULL;
    const char **input = NULL;
    HALO_TRY(halo_session_open_with(halo_tables(), &settings->engine, &session));
    HALO_TRY(find_inputs(settings, 0, batch, &input));
    HALO_TRY(halo_pipeline_parse(session, "", &copy));
    const HaloJob job = {.input = input[0],
                         .more_input = input + 1,
                         .more_inputs = batch->count - 1,
                         .output = settings->output,
                         .to = settings->to,
                         .raw = settings->raw.kind != 0 ? &settings->raw : NULL,
                         .force = settings->force ? HALO_FORCE_YES : HALO_FORCE_NO,
                         .write = settings->write};
    HALO_TRY(halo_run_job(session, copy, &job, report));
out:
    free(input);
    halo_pipeline_free(copy);
    halo_session_close(session);
    return status;
}

static HaloStatus run_join(const CliSettings *settings, CliBatch *batch, HaloReport *report)
{
    HaloStatus status = HALO_OK;
    HaloSession *session = NULL;
    const char **input = NULL;
    HALO_TRY(halo_session_open_with(halo_tables(), &settings->engine, &session));
    HALO_TRY(find_inputs(settings, 0, batch, &input));
    const HaloJoin join = {.input = input,
                           .inputs = batch->count,
                           .crossfade = settings->crossfade,
                           .curve = (HaloCrossfade)settings->curve,
                           .output = settings->output,
                           .to = settings->to,
                           .raw = settings->raw.kind != 0 ? &settings->raw : NULL,
                           .force = settings->force ? HALO_FORCE_YES : HALO_FORCE_NO,
                           .write = settings->write};
    HALO_TRY(halo_join(session, &join, report));
out:
    free(input);
    halo_session_close(session);
    return status;
}

static int run(const CliSettings *settings,
               HaloStatus (*make)(const CliSettings *settings, CliBatch *batch, HaloReport *report))
{
    CliBatch batch = {0};
    HaloReport report = {0};
    CliNoted noted = {0};
    const HaloStatus status = make(settings, &batch, &report);
    if (status != HALO_OK)
        cli_complain("%s", halo_error());
    else if (!settings->quiet) {
        cli_noted_add(&noted, &report.notes);
        cli_noted_say(&noted, &batch, false);
    }
    halo_report_clear(&report);
    cli_batch_free(&batch);
    return status;
}

int cli_stack(const CliSettings *settings) { return run(settings, run_stack); }
int cli_join(const CliSettings *settings) { return run(settings, run_join); }
int cli_pages(const CliSettings *settings) { return run(settings, run_pages); }

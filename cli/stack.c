/* `halo stack`: many pictures into one. */
#include "halo/stack.h"

#include <stdlib.h>
#include <string.h>

#include "batch/batch.h"
#include "report/report.h"

static HaloStatus run(const CliSettings *settings, CliBatch *batch, HaloReport *report)
{
    HaloStatus status = HALO_OK;
    HaloSession *session = NULL;
    const char **input = NULL;
    const char *const *word = (const char *const *)settings->word;
    if (settings->words == 0)
        HALO_FAIL(HALO_ERR_USAGE, "what should become of the samples? halo stack %s", settings->command->usage);
    if (settings->output == NULL)
        HALO_FAIL(HALO_ERR_USAGE, "where should the output go? -o FILE, or -o - for standard output");
    HALO_TRY(halo_session_open(&settings->engine, &session));
    HALO_TRY(cli_find_inputs(settings, word + 1, settings->words - 1, batch));
    input = cli_alloc(batch->count, sizeof *input);
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->item[i].status != HALO_OK) HALO_FAIL(batch->item[i].status, "%s", batch->item[i].error);
        input[i] = batch->item[i].input;
    }
    const HaloStack stack = {.what = word[0],
                             .input = input,
                             .inputs = batch->count,
                             .output = settings->output,
                             .to = settings->to,
                             .raw = settings->raw.kind != 0 ? &settings->raw : NULL,
                             .force = settings->force ? HALO_FORCE_YES : HALO_FORCE_NO,
                             .write = settings->write};
    HALO_TRY(halo_stack(session, &stack, report));
out:
    free(input);
    halo_session_close(session);
    return status;
}

int cli_stack(const CliSettings *settings)
{
    CliBatch batch = {0};
    HaloReport report = {0};
    CliNoted noted = {0};
    const HaloStatus status = run(settings, &batch, &report);
    if (status != HALO_OK)
        cli_complain("%s", halo_error());
    else if (!settings->quiet) {
        cli_noted_add(&noted, &report.notes);
        cli_noted_say(&noted, &batch, false);
    }
    halo_report_free(&report);
    cli_batch_free(&batch);
    return status;
}

/* `halo align`: how far pictures are shifted against the first. */
#include "halo/align.h"

#include <stdlib.h>
#include <unistd.h>

#include "batch/batch.h"
#include "halo/escape.h"
#include "halo/text.h"
#include "report/report.h"
#include "text/json.h"

static void say_shift(FILE *to, const CliSettings *settings, const char *file, const HaloShift *shift)
{
    if (settings->json) {
        CliJson json = {.to = to};
        json_open(&json, NULL, '{');
        json_text(&json, "type", "align");
        json_text(&json, "file", file);
        json_number(&json, "x", shift->x);
        json_number(&json, "y", shift->y);
        json_number(&json, "peak", shift->peak);
        json_close(&json, '}');
        json_end_line(&json);
        return;
    }
    if (settings->csv)
        cli_sheet_text(to, file);
    else
        halo_put_escaped(to, file);
    halo_fprintf(to,
                 settings->csv ? ",%.10g,%.10g,%.10g\n" : ": move by %+.2f, %+.2f pixels (x, y); peak %.4f\n",
                 shift->x, shift->y, shift->peak);
}

static HaloStatus align_all(const CliSettings *settings, CliBatch *batch, HaloSession **session)
{
    HaloStatus status = HALO_OK;
    const char *const *word = (const char *const *)settings->word;
    const char **input = NULL;
    HaloShift *shift = NULL;
    if (settings->words < 2)
        HALO_FAIL(HALO_ERR_USAGE, "expected a reference and pictures to align with it: halo align %s",
                  settings->command->usage);
    HALO_TRY(halo_session_open_with(halo_tables(), &settings->engine, session));
    HALO_TRY(cli_find_inputs(settings, word + 1, settings->words - 1, batch));
    input = cli_alloc(batch->count, sizeof *input);
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->item[i].status != HALO_OK) HALO_FAIL(batch->item[i].status, "%s", batch->item[i].error);
        input[i] = batch->item[i].input;
    }
    HALO_TRY(halo_align(*session, word[0], input, batch->count, settings->raw.kind != 0 ? &settings->raw : NULL,
                        &shift));
    FILE *page = cli_page_open(settings->json);
    if (settings->csv) fputs("file,x,y,peak\n", page);
    for (size_t i = 0; i < batch->count; i++) say_shift(page, settings, input[i], &shift[i]);
    status = cli_page_send(STDOUT_FILENO);
out:
    free(shift);
    free(input);
    return status;
}

int cli_align(const CliSettings *settings)
{
    CliBatch batch = {0};
    HaloSession *session = NULL;
    const HaloStatus status = align_all(settings, &batch, &session);
    if (status != HALO_OK && status != HALO_ERR_PIPE) cli_complain("align: %s", halo_error());
    halo_session_close(session);
    cli_batch_free(&batch);
    return status;
}

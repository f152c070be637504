/* `halo align`: how far pictures are shifted against the first. */
#include "halo/align.h"

#include <stdlib.h>
#include <unistd.h>

#include "batch/batch.h"
#include "halo/escape.h"
#include "halo/text.h"
#include "report/report.h"
#include "text/json.h"
#include "work.h"

static void say_json(FILE *to, const char *file, const HaloShift *shift, bool rotation)
{
    CliJson json = {.to = to};
    json_open(&json, NULL, '{');
    json_text(&json, "type", "align");
    json_text(&json, "file", file);
    json_number(&json, "x", shift->x);
    json_number(&json, "y", shift->y);
    if (rotation) {
        json_number(&json, "rotation", shift->rotation);
        json_number(&json, "scale", shift->scale);
    }
    json_number(&json, "peak", shift->peak);
    json_close(&json, '}');
    json_end_line(&json);
}

static void say_shift(FILE *to, const CliSettings *settings, const char *file, const HaloShift *shift)
{
    if (settings->json) {
        say_json(to, file, shift, settings->rotation);
        return;
    }
    if (settings->csv)
        cli_sheet_text(to, file);
    else
        halo_put_escaped(to, file);
    if (settings->csv && settings->rotation)
        halo_fprintf(to, ",%.10g,%.10g,%.10g,%.10g,%.10g\n", shift->x, shift->y, shift->rotation, shift->scale,
                     shift->peak);
    else if (settings->csv)
        halo_fprintf(to, ",%.10g,%.10g,%.10g\n", shift->x, shift->y, shift->peak);
    else if (settings->rotation)
        halo_fprintf(to,
                     ": turn by %+.3f degrees, scale by %.4f, move by %+.2f, %+.2f pixels (x, y); peak %.4f\n",
                     shift->rotation, shift->scale, shift->x, shift->y, shift->peak);
    else
        halo_fprintf(to, ": move by %+.2f, %+.2f pixels (x, y); peak %.4f\n", shift->x, shift->y, shift->peak);
}

void cli_doubt_shift(const char *reference, const char *file, const HaloShift *shift)
{
    if (shift->peak >= HALO_ALIGN_DOUBT * shift->chance) return;
    cli_complain(
        "%s: doubtful: the correlation with %s has a peak of %.4f, and pictures with nothing in common "
        "have up to %.4f: do they show the same, shifted by less than half their size? 'halo align' "
        "prints peaks",
        file, reference, shift->peak, HALO_ALIGN_DOUBT * shift->chance);
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
                        settings->rotation, &shift));
    FILE *page = cli_page_open(cli_page_is_raw(settings->json, settings->csv, STDOUT_FILENO));
    if (settings->csv) fputs(settings->rotation ? "file,x,y,rotation,scale,peak\n" : "file,x,y,peak\n", page);
    for (size_t i = 0; i < batch->count; i++) say_shift(page, settings, input[i], &shift[i]);
    status = cli_page_send(STDOUT_FILENO);
    for (size_t i = 0; i < batch->count && !settings->quiet; i++) cli_doubt_shift(word[0], input[i], &shift[i]);
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

/* `halo silences`: the pauses of sounds, as a table, CSV or JSON. */
#include "halo/pauses.h"

#include <stdlib.h>
#include <unistd.h>

#include "report/report.h"

static void print_pauses(FILE *to, const char *path, const HaloPauses *pauses)
{
    const double rate = pauses->shape.rate;
    double silent = 0.0;
    for (int64_t i = 0; i < pauses->count; i++)
        silent += (double)(pauses->pause[i].to - pauses->pause[i].from) / rate;
    cli_print_name(to, path, ":");
    fprintf(to, " %lld silence%s, %.3f s of %.3f s\n", (long long)pauses->count, halo_s(pauses->count), silent,
            (double)pauses->shape.width / rate);
    if (pauses->count > 0) fprintf(to, "%13s  %13s  %13s\n", "start s", "end s", "length s");
    for (int64_t i = 0; i < pauses->count; i++) {
        const HaloPause *pause = &pauses->pause[i];
        fprintf(to, "%13.6f  %13.6f  %13.6f\n", (double)pause->from / rate, (double)pause->to / rate,
                (double)(pause->to - pause->from) / rate);
    }
}

static void sheet_pauses(FILE *to, const char *path, const HaloPauses *pauses, bool *begun)
{
    const double rate = pauses->shape.rate;
    if (!*begun) fputs("file,start,end,length\n", to);
    *begun = true;
    for (int64_t i = 0; i < pauses->count; i++) {
        const HaloPause *pause = &pauses->pause[i];
        cli_sheet_text(to, path);
        halo_fprintf(to, ",%.17g,%.17g,%.17g\n", (double)pause->from / rate, (double)pause->to / rate,
                     (double)(pause->to - pause->from) / rate);
    }
}

static void record_pauses(FILE *to, const char *path, const HaloPauses *pauses)
{
    CliJson json = {.to = to};
    const double rate = pauses->shape.rate;
    json_open(&json, NULL, '{');
    json_text(&json, "type", "silences");
    json_text(&json, "file", path);
    json_number(&json, "rate", rate);
    json_number(&json, "seconds", (double)pauses->shape.width / rate);
    json_open(&json, "silences", '[');
    for (int64_t i = 0; i < pauses->count; i++) {
        json_open(&json, NULL, '{');
        json_number(&json, "start", (double)pauses->pause[i].from / rate);
        json_number(&json, "end", (double)pauses->pause[i].to / rate);
        json_int(&json, "from", pauses->pause[i].from);
        json_int(&json, "to", pauses->pause[i].to);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_close(&json, '}');
    json_end_line(&json);
}

/* One file. A failure is reported, and the batch goes on; failures to print end it. */
static HaloStatus show(HaloSession *session, const CliSettings *settings, const CliItem *item, bool *begun,
                       HaloStatus *outcome)
{
    HaloPauses pauses = {0};
    *outcome = item->status;
    if (item->status == HALO_OK)
        *outcome = halo_pauses_find(session, item->input, settings->raw.kind != 0 ? &settings->raw : NULL,
                                    settings->op_args.length > 0 ? settings->op_args.data : "", &pauses);
    if (*outcome != HALO_OK) {
        char *error = item->error != NULL ? cli_copy(item->error) : cli_failure(item, *outcome);
        cli_complain("%s", error);
        free(error);
        return HALO_OK;
    }
    FILE *page = cli_page_open(cli_page_is_raw(settings->json, settings->csv, STDOUT_FILENO));
    if (settings->json)
        record_pauses(page, item->input, &pauses);
    else if (settings->csv)
        sheet_pauses(page, item->input, &pauses, begun);
    else
        print_pauses(page, item->input, &pauses);
    halo_pauses_free(&pauses);
    return cli_page_send(STDOUT_FILENO);
}

int cli_silences(const CliSettings *settings)
{
    CliBatch batch = {0};
    HaloSession *session = NULL;
    HaloStatus status = HALO_OK, outcome;
    CliFates fates = {0};
    bool begun = false;
    cli_ink_setup(STDOUT_FILENO, settings->no_color);
    if (settings->json && settings->csv) HALO_FAIL(HALO_ERR_USAGE, "--json and --csv are mutually exclusive");
    HALO_TRY(halo_session_open_with(halo_tables(), &settings->engine, &session));
    HALO_TRY(cli_find_inputs(settings, (const char *const *)settings->word, settings->words, &batch));
    for (size_t i = 0; i < batch.count; i++) {
        HALO_TRY(show(session, settings, &batch.item[i], &begun, &outcome));
        cli_count_fate(&fates, outcome);
    }
out:
    if (status != HALO_OK && status != HALO_ERR_PIPE) cli_complain("silences: %s", halo_error());
    cli_batch_free(&batch);
    halo_session_close(session);
    return status != HALO_OK ? (int)status : cli_fates_exit(&fates);
}

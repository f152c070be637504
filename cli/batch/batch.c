/* The outcome of a batch: messages about failures, and the exit status. */
#include "batch.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "text/page.h"

char *cli_failure(const CliItem *item, HaloStatus outcome)
{
    const char *input = strcmp(item->input, "-") == 0 ? "standard input" : item->input;
    if (outcome != HALO_ERR_OUTPUT)
        halo_fail_about(outcome, input); /* failures of the output already name it */
    return cli_copy(halo_error());
}

void cli_count_fate(CliFates *fates, HaloStatus outcome)
{
    fates->inputs++;
    if (outcome == HALO_OK) return;
    fates->alike = fates->failed == 0 || (fates->alike && fates->first == outcome);
    if (fates->failed++ == 0) fates->first = outcome;
}

int cli_fates_exit(const CliFates *fates)
{
    if (fates->failed == 0) return HALO_OK;
    return fates->failed == fates->inputs && fates->alike ? (int)fates->first : HALO_ERR_INPUT;
}

bool cli_in_the_way(const char *path)
{
    struct stat st;
    return path != NULL && strcmp(path, "-") != 0 && stat(path, &st) == 0 &&
           (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
}

HaloForce cli_force(const CliSettings *settings, const CliItem *item)
{
    if (settings->force || item->ours) return HALO_FORCE_YES;
    return settings->resume ? HALO_FORCE_SAME : HALO_FORCE_NO;
}

static bool exists(const CliSettings *settings, const CliItem *item)
{
    return item->status == HALO_OK && !item->done && cli_force(settings, item) == HALO_FORCE_NO &&
           cli_in_the_way(item->output);
}

void cli_refuse_existing(const CliSettings *settings, CliBatch *batch)
{
    size_t count = 0, first = 0;
    if (settings->skip_existing || settings->explain) return;
    for (size_t i = batch->count; i-- > 0;)
        if (exists(settings, &batch->item[i])) count++, first = i;
    if (count < 2) return;
    cli_complain(
        "%zu of %zu outputs exist, such as %s: use --force to replace them, --skip-existing to keep them",
        count, batch->count, batch->item[first].output);
    for (size_t i = first; i < batch->count; i++) {
        CliItem *item = &batch->item[i];
        if (!exists(settings, item)) continue;
        item->error =
            cli_format("%s exists: use --force to replace it, --skip-existing to keep it", item->output);
        item->status = HALO_ERR_INPUT;
        item->told = true;
    }
}

void cli_batch_reads(CliBatch *batch, const HaloRead *read)
{
    batch->read = cli_grow(batch->read, batch->reads, &batch->read_capacity, sizeof *batch->read);
    batch->read[batch->reads++] = *read;
}

bool cli_read_of(const char *input, HaloRead *read)
{
    read->what = "the input";
    return halo_read_of(strcmp(input, "-") == 0 ? "/dev/stdin" : input, read);
}

void cli_item_free(CliItem *item)
{
    free(item->input);
    free(item->dir);
    free(item->output);
    free(item->error);
}

void cli_batch_free(CliBatch *batch)
{
    for (size_t i = 0; i < batch->count; i++) cli_item_free(&batch->item[i]);
    free(batch->item);
    free(batch->read);
    *batch = (CliBatch){0};
}

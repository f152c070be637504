/* What became of a batch: how failures are said, and the exit status they add up to. */
#include "batch.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool starts_with_name(const char *sentence, const char *name)
{
    const size_t length = name != NULL ? strlen(name) : 0;
    return length > 0 && strncmp(sentence, name, length) == 0 &&
           (sentence[length] == ':' || sentence[length] == ' ');
}

char *cli_sentence(const CliItem *item, HaloStatus outcome, const char *reason)
{
    const char *input = strcmp(item->input, "-") == 0 ? "standard input" : item->input;
    const bool named = starts_with_name(reason, input) || starts_with_name(reason, item->output);
    return named || outcome == HALO_ERR_OUTPUT ? cli_copy(reason) : cli_format("%s: %s", input, reason);
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

void cli_batch_reads(CliBatch *batch, const HaloRead *read)
{
    batch->read = cli_grow(batch->read, batch->reads, &batch->read_room, sizeof *batch->read);
    batch->read[batch->reads++] = *read;
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

/* This machine's part of a batch: `--shard i/n`, or `auto`, as the scheduler says. Parts are contiguous in the
 * list of inputs, so that their outputs in a row are in order, and their measurements can be merged. */
#include <stdlib.h>
#include <string.h>

#include "batch.h"

#define MOST_SHARDS 1000000000 /* keeps every product with a number of files in 64 bits */

/* HALO_ERR_USAGE where the variable is missing (without `preset`) or is no number. */
static HaloStatus read_variable(const char *name, const char *preset, int64_t *number)
{
    const char *set = getenv(name), *text = set != NULL ? set : preset;
    if (text == NULL) return halo_fail(HALO_ERR_USAGE, "the environment variable %s is not set", name);
    if (!halo_read_count(text, MOST_SHARDS, number, NULL))
        return halo_fail(HALO_ERR_USAGE, "the environment variable %s is '%.40s', not a number", name, text);
    return HALO_OK;
}

/* A job array may start anywhere and go in steps: --array=10-50:10 has five tasks. */
static HaloStatus read_slurm(CliSettings *settings)
{
    HaloStatus status = HALO_OK;
    int64_t id = 0, first = 0, last = 0, step = 1, count = 0;
    HALO_TRY(read_variable("SLURM_ARRAY_TASK_ID", NULL, &id));
    HALO_TRY(read_variable("SLURM_ARRAY_TASK_MIN", NULL, &first));
    HALO_TRY(read_variable("SLURM_ARRAY_TASK_MAX", NULL, &last));
    HALO_TRY(read_variable("SLURM_ARRAY_TASK_COUNT", NULL, &count));
    HALO_TRY(read_variable("SLURM_ARRAY_TASK_STEP", "1", &step));
    if (step < 1 || count < 1 || first + step * (count - 1) != last || id < first || id > last ||
        (id - first) % step != 0)
        HALO_FAIL(HALO_ERR_USAGE, "the tasks of this Slurm array are not evenly spaced: give i/n instead");
    settings->shard = (id - first) / step + 1;
    settings->shards = count;
out:
    return status;
}

/* Kubernetes gives each pod its index, but not how many there are: the manifest has to. */
static HaloStatus read_kubernetes(CliSettings *settings)
{
    HaloStatus status = HALO_OK;
    int64_t index = 0, count = 0;
    HALO_TRY(read_variable("JOB_COMPLETION_INDEX", NULL, &index));
    status = read_variable("HALO_SHARDS", NULL, &count);
    if (status != HALO_OK)
        HALO_FAIL(status, "JOB_COMPLETION_INDEX is set: set HALO_SHARDS to the job's completions");
    if (index >= count)
        HALO_FAIL(HALO_ERR_USAGE, "JOB_COMPLETION_INDEX is %lld and HALO_SHARDS only %lld", (long long)index,
                  (long long)count);
    settings->shard = index + 1;
    settings->shards = count;
out:
    return status;
}

HaloStatus cli_read_shard(CliSettings *settings, const char *value)
{
    const char *end;
    if (strcmp(value, "auto") == 0) {
        if (getenv("SLURM_ARRAY_TASK_ID") != NULL) return read_slurm(settings);
        if (getenv("JOB_COMPLETION_INDEX") != NULL) return read_kubernetes(settings);
        return halo_fail(HALO_ERR_USAGE, "auto needs a Slurm job array (SLURM_ARRAY_TASK_ID) or an indexed "
                                         "Kubernetes job (JOB_COMPLETION_INDEX); elsewhere give i/n");
    }
    if (halo_read_count(value, MOST_SHARDS, &settings->shard, &end) && *end == '/' &&
        halo_read_count(end + 1, MOST_SHARDS, &settings->shards, NULL) && settings->shard >= 1 &&
        settings->shard <= settings->shards)
        return HALO_OK;
    return halo_fail(HALO_ERR_USAGE, "expected i/n with i from 1 to n, such as 3/64, or auto; found '%.80s'",
                     value);
}

void cli_take_shard(const CliSettings *settings, CliBatch *batch)
{
    const int64_t all = (int64_t)batch->count, n = settings->shards;
    batch->all = batch->count;
    batch->first = 0;
    if (n == 0) return;
    const size_t from = (size_t)(all / n * (settings->shard - 1) + all % n * (settings->shard - 1) / n);
    const size_t to = (size_t)(all / n * settings->shard + all % n * settings->shard / n);
    for (size_t i = 0; i < batch->count; i++)
        if (i < from || i >= to) cli_item_free(&batch->item[i]);
    memmove(batch->item, batch->item + from, (to - from) * sizeof *batch->item);
    batch->first = from;
    batch->count = to - from;
}

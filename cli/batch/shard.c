/* This machine's part of a batch: `--shard i/n`, or `auto` (scheduler.c). Parts are contiguous in the
 * list of inputs, so that their outputs in a row are in order, and their measurements can be merged. */
#include <string.h>

#include "batch.h"

HaloStatus cli_read_shard(CliSettings *settings, const char *value)
{
    const char *end;
    if (strcmp(value, "auto") == 0) return cli_scheduled_shard(settings);
    if (halo_read_count(value, CLI_MOST_SHARDS, &settings->shard, &end) && *end == '/' &&
        halo_read_count(end + 1, CLI_MOST_SHARDS, &settings->shards, NULL) && settings->shard >= 1 &&
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

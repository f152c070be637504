/* Results in a CSV file. */
#include <stdlib.h>
#include <string.h>

#include "work.h"

static bool names_a_sheet(const char *path)
{
    const size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".csv") == 0;
}

HaloStatus cli_results_take(const HaloPipeline *pipeline, CliSettings *own)
{
    if (own->output == NULL || own->to != NULL || own->explain || own->dry_run || own->split ||
        !halo_pipeline_only_measures(pipeline) || !names_a_sheet(own->output))
        return HALO_OK;
    if (own->json || own->total)
        return halo_fail(HALO_ERR_USAGE, "--%s: the results go to %s, as CSV: leave out one of the two",
                         own->json ? "json" : "total", own->output);
    own->results = own->output;
    own->output = NULL;
    own->csv = true;
    return HALO_OK;
}

HaloStatus cli_results_open(CliWork *work)
{
    const CliSettings *settings = work->settings;
    const CliBatch *batch = &work->batch;
    HaloSinkOptions options = {.force = settings->force ? HALO_FORCE_YES : HALO_FORCE_NO,
                               .reads = batch->reads,
                               .sync = settings->write.sync};
    if (settings->results == NULL) return HALO_OK;
    HaloRead *read = cli_alloc(batch->reads + batch->count, sizeof *read);
    if (batch->reads > 0) memcpy(read, batch->read, batch->reads * sizeof *read);
    for (size_t i = 0; i < batch->count; i++)
        options.reads += cli_read_of(batch->item[i].input, &read[options.reads]);
    options.read = read;
    const HaloStatus status = halo_sink_open(settings->results, &options, &work->results);
    free(read);
    return status;
}

HaloStatus cli_results_close(CliWork *work, HaloStatus status)
{
    HaloSink *sink = work->results;
    work->results = NULL;
    if (sink == NULL) return status;
    if (status == HALO_OK && work->tally.ok > 0) return halo_sink_commit(sink);
    halo_sink_abandon(sink);
    return status;
}

/* `--plot`: what a pipeline makes, drawn while it runs. */
#include "plot.h"

#include <string.h>

#include "canvas.h"
#include "output.h"

HaloStatus cli_plot_check(const CliSettings *settings)
{
    if (settings->plot == NULL) return HALO_OK;
    if (canvas_check(settings->plot) != HALO_OK) return HALO_ERR_USAGE;
    if (canvas_is_text(settings->plot) && (settings->json || settings->csv))
        return halo_fail(HALO_ERR_USAGE, "--plot - and --%s are mutually exclusive: both print",
                         settings->json ? "json" : "csv");
    if (canvas_is_text(settings->plot) && settings->output != NULL && strcmp(settings->output, "-") == 0)
        return halo_fail(HALO_ERR_USAGE,
                         "--plot - and -o - are mutually exclusive: both go to standard output");
    if (cli_in_the_way(settings->plot) && !settings->force)
        return halo_fail(HALO_ERR_INPUT, "%s exists: use --force to replace it", settings->plot);
    return HALO_OK;
}

HaloStatus cli_plot_output(const CliSettings *settings, HaloSession *session, const HaloPipeline *pipeline,
                           const CliBatch *batch, const char *input, HaloReport *report)
{
    const PlotOutput output = plot_output(settings, settings->plot, input);
    const HaloJob job = {.input = input,
                         .output = settings->plot,
                         .to = &output.format,
                         .raw = settings->raw.kind != 0 ? &settings->raw : NULL,
                         .force = settings->force ? HALO_FORCE_YES : HALO_FORCE_NO,
                         .read = batch->read,
                         .reads = batch->reads,
                         .write = {.sync = settings->write.sync}};
    const HaloStatus status = halo_run_job(session, pipeline, &job, report);
    plot_notes(&report->notes);
    return status;
}

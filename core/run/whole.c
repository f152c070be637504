/* Runs a plan from one whole buffer to another. */
#include "plan/cost.h"
#include "run.h"

static HaloStatus whole_begin(void *context, int64_t k, Rows in, Rows out, HaloBuf *from, HaloBuf *to)
{
    (void)k;
    const WholeRun *whole = context;
    *from = rows_of(whole->in, in);
    *to = whole->out != NULL && out.from < out.to ? rows_of(whole->out, out) : (HaloBuf){0};
    return HALO_OK;
}

static HaloStatus whole_end(void *context, int64_t k)
{
    (void)context, (void)k;
    return HALO_OK;
}

static HaloStatus whole_operand(void *context, int at, Rows rows, HaloBuf *from)
{
    const WholeRun *whole = context;
    const HaloBuf *other = &whole->other[at];
    *from = other->data != NULL ? rows_of(other, rows) : (HaloBuf){0};
    return HALO_OK;
}

#define PROGRESS_SECONDS 0.1 /* of predicted time, to a call of HaloOptions::progress */

int64_t execute_band(Team team, const HaloPlan *plan, const HaloOptions *options)
{
    const HaloBackend *backend = team.device->backend;
    if (backend->upload != NULL)
        return bands_for_team(team, plan, options->band_rows, team_memory(team, options->share));
    if (!bands_possible_on(backend, plan)) return rows_length(&plan->reg[plan->output]);
    const int64_t rows = bands_choose(plan, options);
    if (options->progress == NULL || options->band_rows > 0) return rows;
    return bands_in_parts(plan, rows, cost_host_seconds(plan, backend, options->jobs) / PROGRESS_SECONDS);
}

HaloStatus execute_whole(Team team, const HaloPlan *plan, int64_t band, const WholeRun *run,
                         HaloResults *results, uint64_t *clipped, HaloTimes *ms)
{
    WholeRun whole = *run;
    if (!plan->wants_output) whole.out = NULL;
    BandIo io = {.context = &whole,
                 .begin = whole_begin,
                 .end = whole_end,
                 .operand = whole.other != NULL ? whole_operand : NULL,
                 .gives_some = true,
                 .on_device = whole.on_device,
                 .queued = whole.queued};
    const Bands bands = bands_cut_on(team.device->backend, plan, band);
    HaloStatus status = execute_bands(team, &bands, &io, results, clipped, ms);
    io.again = true;
    whole.out = NULL;
    while (status == HALO_OK && results != NULL && passes_pending(results))
        status = execute_bands(team, &bands, &io, results, NULL, NULL);
    return status;
}

HaloStatus execute_into(Team team, const HaloPlan *plan, const HaloOptions *options, const HaloBuf *in,
                        HaloBuf *out, HaloResults *results, uint64_t *clipped, HaloTimes *ms)
{
    return execute_whole(team, plan, execute_band(team, plan, options), &(WholeRun){.in = in, .out = out},
                         results, clipped, ms);
}

HaloStatus execute_on(Team team, const HaloPlan *plan, const HaloOptions *options, const HaloBuf *in,
                      HaloBuf *out, HaloResults *results, uint64_t *clipped, HaloTimes *ms)
{
    HaloStatus status = HALO_OK;
    if (out != NULL) *out = (HaloBuf){0};
    if (out != NULL && plan->wants_output) HALO_TRY(halo_buf_alloc(out, &plan->reg[plan->output]));
    HALO_TRY(execute_into(team, plan, options, in, out, results, clipped, ms));
out:
    if (status != HALO_OK && out != NULL) halo_buf_free(out);
    return status;
}

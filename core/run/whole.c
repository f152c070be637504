/* Runs a plan from one whole buffer to another. */
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

int64_t execute_band(Team team, const HaloPlan *plan, const HaloOptions *options)
{
    if (team.device->backend->upload == NULL) return bands_choose(plan, options);
    return bands_for_team(team, plan, options->band_rows, team_memory(team, options->share));
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

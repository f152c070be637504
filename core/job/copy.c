/* Passes the text of a table on where nothing is computed (HaloFormat::copy). */
#include "file/file.h"
#include "job.h"
#include "plan/plan.h"

#define BLOCK 4096 /* frames */

bool copy_suits(const HaloSession *session, const JobState *state)
{
    const HaloFormat *from = state->reader.format, *to = state->writer.format;
    return to != NULL && from->copy != NULL && from->copy == to->copy && state->planned.plan->steps == 0 &&
           state->in.data == NULL && !state->writer.options.strip && !session->options.verify;
}

HaloStatus copy_run(HaloSession *session, JobState *state, Team team, bool live, HaloReport *report)
{
    HaloStatus status = HALO_OK;
    HaloReader *reader = &state->reader;
    HaloWriter *writer = &state->writer;
    HaloPlan *plan = state->planned.plan;
    const int64_t width = reader->info.shape.width;
    const double start = now_ms();
    const int64_t left_bytes = halo_memory_left(&session->memory),
                  block = live ? bands_for_pipe(team, plan, &session->options, left_bytes) : BLOCK;
    int64_t frames = 0, got = 0;
    HALO_TRY(plan_changes(plan, &writer->changes));
    HALO_TRY(save_begin(writer, &reader->info, width < 0));
    do {
        const int64_t left = width < 0 ? INT64_MAX : width - frames;
        HALO_TRY(reader->format->copy(reader, writer, smaller(left, block), &got));
        if (live) HALO_TRY(halo_sink_flush(writer->sink));
        frames += got;
    } while (got > 0);
    if (width < 0) HALO_TRY(plan_end_at(plan, frames));
    HALO_TRY(plan_changes(plan, &writer->changes));
    HALO_TRY(save_end(writer, &reader->info));
    report->ms.read = now_ms() - start;
out:
    return status;
}

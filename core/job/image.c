/* One image or sound of a file: planned, read, computed and written, in bands where it can flow, else as a
 * whole. */
#include <stdio.h>

#include "file/file.h"
#include "job.h"
#include "pipeline/pipeline.h"
#include "plan/plan.h"

void image_close(Open *open)
{
    halo_plan_free(open->plan);
    open->plan = NULL;
    halo_memory_free(open->memory, &open->in);
    halo_memory_free(open->memory, &open->out);
}

static void note_conversion(const HaloPlan *plan, const HaloFormat *to, HaloReport *report)
{
    const HaloShape *in = &plan->reg[plan->input[0].reg], *out = &plan->reg[plan->output];
    if (to == NULL || out->kind != HALO_IMAGE || out->dtype >= in->dtype || in->dtype > HALO_F32) return;
    halo_note(&report->notes, HALO_NOTE_NARROWED, 1);
    report->notes.from = in->dtype;
    report->notes.to = out->dtype;
}

/* All at once: the input as a whole, then the plan, then the output as a whole. */
static HaloStatus run_whole(HaloSession *session, Open *open, HaloReport *report)
{
    HaloStatus status = HALO_OK;
    double start = now_ms();
    HaloBuf *out = open->writer.format != NULL ? &open->out : NULL;
    if (open->in.data == NULL) HALO_TRY(load_samples(&open->reader, &open->in));
    const double read = now_ms() - start;
    HALO_TRY(run_plan(session, open->plan, &open->in, out, &report->results, report));
    report->ms.read += read;
    start = now_ms();
    halo_memory_free(open->memory, &open->in); /* a writer may have to keep all of the output once more */
    if (out != NULL) HALO_TRY(save_whole(&open->writer, &open->reader.info, out));
    report->ms.write = now_ms() - start;
out:
    return status;
}

/* Rows can flow from file to file unless bytes that are written could not be taken back. Sound flows through
 * pipes too: it may be longer than any memory, or still be recorded. */
static bool may_flow(const HaloSession *session, Open *open)
{
    const HaloFormat *to = open->writer.format;
    if (open->in.data != NULL || !flow_suits(session, open->plan)) return false;
    if (open->reader.info.shape.width < 0)
        return !gpu_demanded(&session->options) && (to == NULL || to->endless);
    if (open->reader.info.shape.kind == HALO_AUDIO) return true;
    if (to == NULL) return false;
    if (to->meta_first && open->reader.format->late != NULL && open->reader.format->late(&open->reader) != 0)
        return false;
    return open->seekable;
}

static bool whole_fits(const HaloSession *session, const Slot *slot, const HaloPlan *plan)
{
    int64_t in;
    const int64_t left = halo_memory_left(&session->memory);
    const int64_t beside = scratch_beside(slot, plan, bands_choose(plan, session->options.band_rows));
    return halo_shape_bytes(&plan->reg[plan->input[0].reg], &in) == HALO_OK && in <= left && beside >= 0 &&
           beside <= left - in;
}

static bool is_live(const Open *open)
{
    return open->writer.format != NULL && flow_is_live(&open->reader, !open->seekable);
}

/* A GPU takes all at once, if that fits the memory and nobody waits for the beginning. `begin`: the
 * want of a backend is an error; else it is told of. */
static HaloStatus choose(HaloSession *session, const Open *open, bool begin, Choice *choice)
{
    const HaloPlan *plan = open->plan;
    const bool demanded = gpu_demanded(&session->options),
               auto_choice = session->options.device == HALO_DEVICE_AUTO;
    const char *why = NULL;
    HaloStatus status = HALO_OK;
    *choice = (Choice){.slot = &session->host};
    if (auto_choice && plan->reg[plan->input[0].reg].width == PLAN_ENDLESS)
        why = "sound of unknown length is computed as it comes";
    else if (auto_choice && is_live(open))
        why = "somebody waits for each block";
    else if (begin)
        HALO_TRY(choose_slot(session, plan, choice));
    else
        explain_choice(session, plan, choice);
    if (choice->slot == &session->gpu && !demanded && !whole_fits(session, choice->slot, plan)) {
        choice->slot = &session->host;
        why = "a GPU would take it as a whole, which does not fit the memory";
    }
    if (why != NULL) snprintf(choice->why, sizeof choice->why, "%s", why);
    if (choice->slot == &session->host) HALO_TRY(slot_open(&session->host, 0, session->options.jobs));
out:
    return status;
}

static HaloStatus make_plan(HaloSession *session, const HaloPipeline *pipeline, Open *open)
{
    HaloShape shape = open->reader.info.shape;
    if (shape.width < 0) shape.width = PLAN_ENDLESS;
    halo_plan_free(open->plan);
    return halo_plan_make(session, pipeline, &shape, open->writer.format, &open->plan);
}

/* The plan, and the way that it is done; all is read first where that needs the length, or is to be turned. */
static HaloStatus find_way(HaloSession *session, const HaloPipeline *pipeline, Open *open, bool begin, Way *way,
                           Choice *choice)
{
    HaloStatus status = HALO_OK;
    const int orientation = turn_wanted(&open->reader, &open->writer);
    const bool turned = orientation > 1 || turn_unknown(&open->reader, &open->writer);
    if (turned && begin)
        HALO_TRY(turn_load(&open->reader, orientation, &open->in));
    else if (turned)
        open->reader.info.shape = turn_shape(&open->reader.info.shape, orientation);
    if (open->reader.info.shape.width < 0 && pipeline_has_sides(pipeline)) /* they have to be as long */
        HALO_TRY(load_samples(&open->reader, &open->in));
    HALO_TRY(make_plan(session, pipeline, open));
    *way = WAY_WHOLE;
    *choice = (Choice){0};
    if (!turned && may_flow(session, open)) {
        HALO_TRY(choose(session, open, begin, choice));
        if (choice->slot == &session->host) *way = is_live(open) ? WAY_LIVE : WAY_FLOWS;
    }
    if (*way == WAY_WHOLE && open->reader.info.shape.width < 0) {
        HALO_TRY(load_samples(&open->reader, &open->in));
        HALO_TRY(make_plan(session, pipeline, open));
    }
out:
    return status;
}

HaloStatus image_explain(HaloSession *session, const HaloPipeline *pipeline, Open *open,
                         HaloExplanation *explanation)
{
    HaloStatus status = HALO_OK;
    Way way;
    Choice choice;
    HALO_TRY(find_way(session, pipeline, open, false, &way, &choice));
    if (way == WAY_WHOLE) explain_choice(session, open->plan, &choice);
    HALO_TRY(explain_plan(session, open->plan, way, &choice, explanation));
out:
    image_close(open);
    return status;
}

HaloStatus image_run(HaloSession *session, const HaloPipeline *pipeline, Open *open, HaloReport *report)
{
    HaloStatus status = HALO_OK;
    Way way;
    Choice choice;
    *report = (HaloReport){.backend = "none"};
    HALO_TRY(find_way(session, pipeline, open, true, &way, &choice));
    note_conversion(open->plan, open->writer.format, report);
    if (way != WAY_WHOLE)
        HALO_TRY(flow_run(session, open->plan, &open->reader,
                          open->writer.format != NULL ? &open->writer : NULL, report));
    else
        HALO_TRY(run_whole(session, open, report));
    choose_report(session, report);
    halo_notes_join(&report->notes, &open->reader.info.notes);
    report->input = open->plan->reg[open->plan->input[0].reg];
out:
    image_close(open);
    return status;
}

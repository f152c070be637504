/* `--explain`: what a plan does, where and how, as it will be done; explain_print.c has the words. */
#include <stdio.h>
#include <stdlib.h>

#include "core.h"

static const char *border_name(HaloBorder border)
{
    static const char *const name[] = {"zero",   "constant", "replicate", "reflect",
                                       "mirror", "wrap",     "valid",     "keep"};
    return name[border];
}

static void print_points(const HaloMap *map, char *room, size_t size)
{
    static const char *const kind[] = {"", "premultiply by alpha", "weighted sum of channels"};
    static const char *const point[] = {"multiply", "add",       "subtract from",  "multiply and add",
                                        "clamp",    "threshold", "absolute value", "quantise",
                                        "power",    "from sRGB", "to sRGB"};
    int n = snprintf(room, size, "%s", kind[map->kind]);
    for (int i = 0; i < map->points && n < (int)size; i++)
        n += snprintf(room + n, size - (size_t)n, "%s%s", n > 0 ? ", " : "", point[map->point[i].op]);
    if (n == 0) snprintf(room, size, "convert");
}

/* Primitive and method of a step. Sound lies along time: it has no rows. */
static void print_method(const HaloStep *step, bool sound, bool exact, char *room, size_t size)
{
    static const char *const combine[] = {
        "magnitude", "add", "unsharp", "divide by alpha", "copy alpha", "keep the border", "fit the ends"};
    int used;
    switch (step->primitive) {
    case HALO_CONV:
        used = sound ? snprintf(room, size, "convolve with %lld tap%s", (long long)step->u.conv.width,
                                halo_s(step->u.conv.width))
                     : snprintf(room, size, "convolve %lld x %lld", (long long)step->u.conv.width,
                                (long long)step->u.conv.height);
        snprintf(room + used, size - (size_t)used, ", border %s%s%s", border_name(step->u.conv.border),
                 step->u.conv.nan_ignore ? ", NaN left out" : "", exact ? "" : ", by Fourier transforms");
        break;
    case HALO_SEP:
        snprintf(room, size, "convolve rows by %lld, then columns by %lld, border %s%s",
                 (long long)step->u.sep.width, (long long)step->u.sep.height, border_name(step->u.sep.border),
                 step->u.sep.nan_ignore ? ", NaN left out" : "");
        break;
    case HALO_MAP: print_points(&step->u.map, room, size); break;
    case HALO_COMBINE: snprintf(room, size, "%s", combine[step->u.combine.kind]); break;
    case HALO_REDUCE: snprintf(room, size, step->detail != NULL ? "reduce, with detail" : "reduce"); break;
    case HALO_FOLD: snprintf(room, size, "reduce by %.60s", step->u.fold.join_text); break;
    case HALO_HIST:
        snprintf(room, size, "count in %lld bins%s", (long long)step->u.hist.bins,
                 range_is_open(&step->u.hist) ? " over the finite samples' range" : "");
        break;
    case HALO_SCAN: snprintf(room, size, "scan"); break;
    case HALO_PICK:
        snprintf(room, size, "pick one of %lld x %lld", (long long)step->u.pick.step_x,
                 (long long)step->u.pick.step_y);
        break;
    case HALO_EQUALIZE:
        snprintf(room, size, "equalize %lld x %lld tiles by %lld bins%s", (long long)step->u.equalize.tiles_x,
                 (long long)step->u.equalize.tiles_y, (long long)step->u.equalize.bins,
                 step->u.equalize.limit > 0 ? ", limited" : "");
        break;
    case HALO_RANK:
        used = sound ? snprintf(room, size, "sort %lld", (long long)step->u.rank.width)
                     : snprintf(room, size, "sort %lld x %lld", (long long)step->u.rank.width,
                                (long long)step->u.rank.height);
        halo_snprintf(room + used, size - (size_t)used, ", take %g, border %s%s", step->u.rank.fraction,
                      border_name(step->u.rank.border), step->u.rank.nan_ignore ? ", NaN left out" : "");
        break;
    default: snprintf(room, size, "?");
    }
}

/* ---- the plan ------------------------------------------------------------------------------------------- */

/* Does this backend take the way that --precision fast allows? */
static bool is_exact(const HaloStep *step, const HaloBackend *backend)
{
    return step->primitive == HALO_CONV ? !cost_by_transforms(step, backend) : !step->hastened;
}

static HaloStatus explain_steps(const HaloPlan *plan, const HaloBackend *backend, HaloExplanation *explanation)
{
    const HaloShape *in = &plan->reg[plan->input];
    const double part = in->width == PLAN_ENDLESS ? in->rate / (double)PLAN_ENDLESS : 1.0;
    explanation->step = calloc((size_t)plan->steps + 1, sizeof *explanation->step);
    if (explanation->step == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    for (; explanation->steps < plan->steps; explanation->steps++) {
        const HaloStep *step = &plan->step[explanation->steps];
        HaloExplainedStep *to = &explanation->step[explanation->steps];
        *to = (HaloExplainedStep){.op = step->op,
                                  .src = step->src,
                                  .src2 = step->src2,
                                  .dst = step->dst,
                                  .dtype = plan->reg[step->dst >= 0 ? step->dst : step->src].dtype,
                                  .bytes = cost_step_bytes(plan, step) * part,
                                  .flops = cost_step_flops(plan, step, backend) * part,
                                  .exact = is_exact(step, backend)};
        print_method(step, in->kind == HALO_AUDIO, to->exact, to->method, sizeof to->method);
    }
    return HALO_OK;
}

/* ---- where, and how much at a time ---------------------------------------------------------------------- */

static int64_t band_of(const HaloSession *session, const HaloPlan *plan, const Slot *slot, Way way)
{
    const HaloOptions *options = &session->options;
    const int64_t left = halo_memory_left(&session->memory);
    return way == WAY_LIVE    ? bands_for_pipe(slot, plan, options, left)
           : way == WAY_FLOWS ? bands_for_flow(slot, plan, options->band_rows, left)
                              : execute_band(slot, plan, options);
}

static HaloStatus explain_bands(const HaloSession *session, const HaloPlan *plan, const Slot *slot, Way way,
                                HaloExplanation *explanation)
{
    HaloStatus status = HALO_OK;
    const HaloShape *in = &plan->reg[plan->input];
    const int64_t length = bands_length(&plan->reg[plan->output]), band = band_of(session, plan, slot, way);
    const double ms = way == WAY_LIVE ? 1000.0 / in->rate : 0.0;
    int64_t bytes = 0, ahead = 0;
    explanation->on_host = slot == &session->host;
    explanation->flows = way != WAY_WHOLE;
    explanation->band = band;
    explanation->bands = in->width == PLAN_ENDLESS ? -1 : (length + band - 1) / band;
    explanation->between = (double)bands_whole_memory(slot, plan, band, false);
    if (!explanation->on_host) {
        explanation->memory = (double)bands_whole_memory(slot, plan, band, true);
    } else if (explanation->flows) {
        explanation->memory = (double)bands_flow_memory(slot, plan, band);
    } else {
        HALO_TRY(halo_shape_bytes(in, &bytes));
        explanation->memory = (double)bytes + (double)memory_beside(slot, plan, band);
    }
    if (way == WAY_LIVE) HALO_TRY(bands_ahead(plan, band, &ahead));
    explanation->block_ms = (double)band * ms;
    explanation->ahead_ms = (double)ahead * ms;
out:
    return status;
}

HaloStatus explain_plan(const HaloSession *session, const HaloPlan *plan, Way way, const Choice *choice,
                        HaloExplanation *explanation)
{
    HaloStatus status = HALO_OK;
    *explanation = (HaloExplanation){.in = plan->input,
                                     .out = plan->output,
                                     .input = plan->reg[plan->input],
                                     .output = plan->reg[plan->output],
                                     .wants_output = plan->wants_output,
                                     .fast = session->options.precision == HALO_PRECISION_FAST};
    if (explanation->input.width == PLAN_ENDLESS) explanation->input.width = explanation->output.width = -1;
    snprintf(explanation->why, sizeof explanation->why, "%s", choice->why);
    if (choice->slot != NULL) explanation->backend = choice->slot->backend->name;
    HALO_TRY(explain_steps(plan, choice->slot != NULL ? choice->slot->backend : NULL, explanation));
    if (choice->slot != NULL) HALO_TRY(explain_bands(session, plan, choice->slot, way, explanation));
out:
    if (status != HALO_OK) halo_explanation_free(explanation);
    return status;
}

/* A device that was asked for and cannot be had is told of, and no failure. */
void explain_choice(HaloSession *session, const HaloPlan *plan, Choice *choice)
{
    if (choose_slot(session, plan, choice) == HALO_OK) return;
    *choice = (Choice){0};
    snprintf(choice->why, sizeof choice->why, "%s", halo_error());
}

void halo_plan_explain(HaloSession *session, const HaloPlan *plan, FILE *to)
{
    Choice choice;
    HaloExplanation explanation;
    explain_choice(session, plan, &choice);
    if (explain_plan(session, plan, WAY_WHOLE, &choice, &explanation) == HALO_OK)
        halo_explanation_print(&explanation, to);
    else
        fprintf(to, "%s\n", halo_error());
    halo_explanation_free(&explanation);
}

void halo_explanation_free(HaloExplanation *explanation)
{
    free(explanation->step);
    *explanation = (HaloExplanation){0};
}

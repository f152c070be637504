/* `--explain`: the plan in words. */
#include <stdio.h>

#include "core.h"

static void print_shape(const HaloShape *shape, FILE *to)
{
    if (shape->kind == HALO_AUDIO)
        halo_fprintf(to, "%lld frames, %d channel%s, %s, %g Hz", (long long)shape->width, shape->channels,
                     shape->channels == 1 ? "" : "s", halo_dtype_name(shape->dtype), shape->rate);
    else
        halo_fprintf(to, "%lld x %lld, %d channel%s%s, %s, white %g", (long long)shape->width,
                     (long long)shape->height, shape->channels, shape->channels == 1 ? "" : "s",
                     shape->alpha >= 0 ? " with alpha" : "", halo_dtype_name(shape->dtype),
                     (double)shape->white);
}

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

/* Primitive and method of a step. */
static void print_method(const HaloStep *step, char *room, size_t size)
{
    static const char *const combine[] = {
        "magnitude", "add", "unsharp", "divide by alpha", "copy alpha", "keep the border", "fit the ends"};
    switch (step->primitive) {
    case HALO_CONV:
        snprintf(room, size, "convolve %lld x %lld, border %s%s", (long long)step->u.conv.width,
                 (long long)step->u.conv.height, border_name(step->u.conv.border),
                 step->u.conv.nan_ignore ? ", NaN left out"
                 : step->u.conv.fast     ? ", by Fourier transforms"
                                         : "");
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
    case HALO_HIST: snprintf(room, size, "count in %lld bins", (long long)step->u.hist.bins); break;
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
        halo_snprintf(room, size, "sort %lld x %lld, take %g, border %s%s", (long long)step->u.rank.width,
                      (long long)step->u.rank.height, step->u.rank.fraction, border_name(step->u.rank.border),
                      step->u.rank.nan_ignore ? ", NaN left out" : "");
        break;
    default: snprintf(room, size, "?");
    }
}

static void print_step(const HaloPlan *plan, const HaloStep *step, int number, FILE *to)
{
    char method[128];
    print_method(step, method, sizeof method);
    fprintf(to, "  %2d  %-10s %-48s v%d", number, step->op, method, step->src);
    if (step->src2 >= 0) fprintf(to, ", v%d", step->src2);
    if (step->dst >= 0) fprintf(to, " -> v%d %s", step->dst, halo_dtype_name(plan->reg[step->dst].dtype));
    halo_fprintf(to, "  %.2f MB, %.2f Mflop\n", cost_step_bytes(plan, step) / 1e6,
                 cost_step_flops(plan, step) / 1e6);
}

/* When the first of sound on a pipe comes out. */
static void print_latency(const HaloPlan *plan, int64_t band, FILE *to)
{
    int64_t ahead;
    const double ms = 1000.0 / plan->reg[plan->input].rate;
    if (bands_ahead(plan, band, &ahead) != HALO_OK) return;
    halo_fprintf(to,
                 "latency blocks of %.4g ms, the filters look %.4g ms ahead: the first output comes after %.4g ms\n",
                 (double)band * ms, (double)ahead * ms, (double)(band + ahead) * ms);
}

/* How many rows at a time, and what they take. */
static void print_bands(const HaloSession *session, const HaloPlan *plan, const Slot *slot, Way way, FILE *to)
{
    const int64_t height = plan->reg[plan->output].height, wish = session->options.band_rows;
    const bool on_host = slot == &session->host;
    const int64_t band = !on_host           ? bands_for_device(slot, plan, wish, slot_memory(slot, session->options.share))
                         : way == WAY_LIVE  ? bands_for_pipe(slot, plan, &session->options, session->options.max_memory)
                         : way == WAY_FLOWS ? bands_for_flow(slot, plan, wish, session->options.max_memory)
                                            : bands_choose(plan, wish);
    int64_t in = 0;
    halo_shape_bytes(&plan->reg[plan->input], &in);
    const double whole = (double)in + (double)memory_beside(slot, plan, band);
    fprintf(to, "bands   %lld of %lld rows; ", (long long)((height + band - 1) / band), (long long)band);
    if (!on_host)
        halo_fprintf(to, "at most %.2f MB on the device\n", (double)bands_whole_memory(slot, plan, band, true) / 1e6);
    else if (way != WAY_WHOLE)
        halo_fprintf(to, "at most %.2f MB in memory, read and written as they come\n",
                     (double)bands_flow_memory(slot, plan, band) / 1e6);
    else
        halo_fprintf(to, "at most %.2f MB in memory, %.2f MB of it between the steps\n",
                     whole / 1e6, (double)bands_whole_memory(slot, plan, band, false) / 1e6);
    if (on_host && way == WAY_LIVE) print_latency(plan, band, to);
}

void halo_plan_explain(HaloSession *session, const HaloPlan *plan, FILE *to)
{
    explain_plan(session, plan, WAY_WHOLE, to);
}

void explain_plan(HaloSession *session, const HaloPlan *plan, Way way, FILE *to)
{
    Choice choice;
    fprintf(to, "input   v%d: ", plan->input);
    print_shape(&plan->reg[plan->input], to);
    fputc('\n', to);
    for (int i = 0; i < plan->steps; i++) print_step(plan, &plan->step[i], i + 1, to);
    if (plan->steps == 0) fprintf(to, "  nothing is computed: the samples are copied\n");
    if (plan->wants_output) {
        fprintf(to, "output  v%d: ", plan->output);
        print_shape(&plan->reg[plan->output], to);
        fputc('\n', to);
    }
    const HaloStatus status = choose_slot(session, plan, &choice);
    if (status != HALO_OK) {
        fprintf(to, "backend none: %s\n", halo_error());
        return;
    }
    fprintf(to, "backend %s (%s)\n", choice.slot->backend->name, choice.why);
    print_bands(session, plan, choice.slot, way, to);
}

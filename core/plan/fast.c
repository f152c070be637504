/* --precision fast: large dense masks run as a few separable ones or by Fourier transforms, and long smooth
 * separable ones as decimated filters, if that is less work. The choice depends on the mask alone, never on the
 * device; docs/numerics.md states the bound on the difference. */
#include <stdlib.h>

#include "lowrank.h"
#include "plan.h"
#include "primitive/primitive.h"
#include "sep_fast.h"

/* The work for an output sample, in taps. Each pass also costs what it moves. */
#define PASS_TAPS 8.0
#define DECIMATED_TAPS 20.0
/* Another method is used only if it is this many times faster. */
#define GAIN 1.3

static double taps_of(const HaloStep *step) { return primitive_of(step)->flops(step, 0.5); }

/* The same step by Fourier transforms. */
static HaloStep by_transforms(const HaloStep *step)
{
    HaloStep other = *step;
    other.u.conv.fast = other.approximate = true;
    return other;
}

static double rank_taps(const HaloConv *conv, int rank)
{
    return rank * ((double)(conv->window.width + conv->window.height) + PASS_TAPS);
}

/* ---- few separable masks -------------------------------------------------------------------------------- */

static HaloStatus add_plain(HaloPlan *plan, const HaloStep *like, HaloStep step, HaloReg *dst)
{
    HaloShape shape = plan->reg[like->dst];
    shape.dtype = HALO_F32;
    step.op = like->op;
    step.store = (HaloStore){1.0f, 1.0f};
    step.approximate = true;
    step.result = step.resolve_from = -1;
    const HaloStatus status = plan_add_reg(plan, &shape, dst);
    step.dst = *dst;
    return status != HALO_OK ? status : plan_add_step(plan, &step);
}

/* The sum of `rank` separable convolutions, in order, then the affine part. */
static HaloStatus add_ranks(HaloPlan *plan, const HaloStep *step, int rank, const float *column,
                            const float *row)
{
    HaloStatus status = HALO_OK;
    const HaloConv *conv = &step->u.conv;
    HaloReg sum = -1;
    for (int r = 0; r < rank; r++) {
        HaloReg term;
        HaloStep pass = {.primitive = HALO_SEP, .sources = 1, .src = {step->src[0]}};
        pass.u.sep = (HaloSep){.window = conv->window,
                               .tap_x = row + r * conv->window.width,
                               .tap_y = column + r * conv->window.height};
        HALO_TRY(add_plain(plan, step, pass, &term));
        HaloStep add = {.primitive = HALO_COMBINE, .sources = 2, .src = {sum, term}};
        add.u.combine = (HaloCombine){.kind = HALO_COMBINE_ADD, .amount = 1.0f};
        if (r == 0)
            sum = term;
        else
            HALO_TRY(add_plain(plan, step, add, &sum));
    }
    HaloStep last = {.primitive = HALO_MAP, .op = step->op, .sources = 1, .src = {sum}, .dst = step->dst};
    last.result = last.resolve_from = -1;
    last.approximate = true;
    last.store = step->store;
    last.u.map = (HaloMap){.points = conv->affine ? 1 : 0};
    last.u.map.point[0] = (HaloPoint){HALO_POINT_FMA, conv->scale, conv->bias};
    HALO_TRY(plan_add_step(plan, &last));
out:
    return status;
}

/* ---- the choice ----------------------------------------------------------------------------------------- */

/* The smallest rank that is faster, or 0. A constant border differs between the two methods: the column pass of
 * a separable filter reads the constant itself, where the dense filter has it times the weights of a row. Only
 * zero gives the same. */
static int split(HaloBuilder *builder, const HaloConv *conv, double taps, float **column, float **row)
{
    const double budget = taps / GAIN;
    const int most = (int)(budget / rank_taps(conv, 1));
    if (most < 1 || (conv->window.border == HALO_BORDER_CONSTANT && conv->window.value != 0.0f)) return 0;
    *column = halo_build_keep(builder, sizeof(float) * (size_t)(most * conv->window.height));
    *row = halo_build_keep(builder, sizeof(float) * (size_t)(most * conv->window.width));
    if (*column == NULL || *row == NULL) return 0;
    return lowrank_split(conv->tap, conv->window.width, conv->window.height, most, *column, *row);
}

static HaloStatus approximate(HaloBuilder *builder, HaloStep *step)
{
    HaloPlan *plan = builder->plan;
    const HaloConv *conv = &step->u.conv;
    const HaloStep other = by_transforms(step);
    const double direct = taps_of(step), transforms = taps_of(&other);
    float *column, *row;
    if (conv->window.nan_ignore || primitive_is_double(step, plan->reg)) return plan_add_step(plan, step);
    const int rank = split(builder, conv, direct < transforms ? direct : transforms, &column, &row);
    if (rank > 0) return add_ranks(plan, step, rank, column, row);
    return plan_add_step(plan, conv->window.width > 1 && direct > GAIN * transforms ? &other : step);
}

/* Uses a decimated filter for a separable step if its error is within the bound and it is faster. */
static HaloStatus approximate_sep(HaloBuilder *builder, HaloStep *step)
{
    const HaloSepFast *fast = step->u.sep.window.nan_ignore ? NULL : sep_fast_design(builder, &step->u.sep);
    HaloStep other = *step;
    other.u.sep.fast = fast;
    other.approximate = true;
    const bool pays = fast != NULL && taps_of(step) > GAIN * (taps_of(&other) + DECIMATED_TAPS);
    return plan_add_step(builder->plan, pays ? &other : step);
}

HaloStatus plan_approximate(HaloBuilder *builder)
{
    HaloStatus status = HALO_OK;
    HaloPlan *plan = builder->plan;
    HaloStep *old = plan->step;
    const int count = plan->steps;
    int *place = calloc((size_t)count + 1, sizeof *place); /* the new index of each old step */
    plan->step = NULL;
    plan->steps = 0;
    if (place == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    for (int i = 0; i < count; i++) {
        HaloStep step = old[i];
        if (step.resolve_from >= 0) step.resolve_from = place[step.resolve_from];
        place[i] = plan->steps;
        HALO_TRY(step.primitive == HALO_CONV  ? approximate(builder, &step)
                 : step.primitive == HALO_SEP ? approximate_sep(builder, &step)
                                              : plan_add_step(plan, &step));
    }
out:
    free(old);
    free(place);
    return status;
}

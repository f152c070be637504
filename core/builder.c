/* What an operation's `build` calls: each function checks shapes and appends one step to the plan. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "halo/numerics.h"

const HaloShape *halo_build_shape(const HaloBuilder *builder, HaloReg reg) { return &builder->plan->reg[reg]; }

const HaloCommon *halo_build_common(const HaloBuilder *builder) { return &builder->common; }

void *halo_build_keep(HaloBuilder *builder, size_t bytes)
{
    HaloPlan *plan = builder->plan;
    void **grown = realloc(plan->kept, sizeof *grown * ((size_t)plan->kept_count + 1));
    if (grown == NULL) return NULL;
    plan->kept = grown;
    void *memory = malloc(bytes > 0 ? bytes : 1);
    if (memory != NULL) plan->kept[plan->kept_count++] = memory;
    return memory;
}

/* ---- geometry ------------------------------------------------------------------------------------------- */

/* The shape after a convolution by width x height taps. */
static HaloStatus convolved(const HaloShape *in, int64_t width, int64_t height, HaloBorder border,
                            HaloShape *out)
{
    *out = *in;
    out->dtype = HALO_F32;
    if (border != HALO_BORDER_VALID) return HALO_OK;
    out->width = in->width - width + 1;
    out->height = in->height - height + 1;
    if (out->width < 1 || out->height < 1)
        return halo_fail(HALO_ERR_INPUT,
                         "border=valid leaves nothing: the mask (%lld x %lld) is larger than the input"
                         " (%lld x %lld)",
                         (long long)width, (long long)height, (long long)in->width, (long long)in->height);
    return HALO_OK;
}

static HaloReach reach_of(int64_t width, int64_t height, int64_t ox, int64_t oy, HaloBorder border)
{
    return (HaloReach){.left = larger(0, -ox),
                       .right = larger(0, width - 1 + ox),
                       .up = larger(0, -oy),
                       .down = larger(0, height - 1 + oy),
                       .whole = border == HALO_BORDER_WRAP};
}

static HaloStatus append(HaloBuilder *builder, const HaloShape *shape, HaloStep *step, HaloReg *dst)
{
    HaloStatus status = HALO_OK;
    step->op = builder->op;
    step->dst = -1;
    if (shape != NULL) {
        status = plan_add_reg(builder->plan, shape, &step->dst);
        if (status != HALO_OK) return status;
        *dst = step->dst;
    }
    return plan_add_step(builder->plan, step);
}

static HaloStep step_of(HaloPrimitive primitive, HaloReg src)
{
    return (HaloStep){
        .primitive = primitive, .src = src, .src2 = -1, .dst = -1, .result = -1, .resolve_from = -1};
}

/* ---- filters -------------------------------------------------------------------------------------------- */

static const HaloStore plain = {1.0f, 1.0f};

HaloStatus halo_build_conv(HaloBuilder *builder, HaloReg src, const HaloConv *conv, HaloReg *dst)
{
    HaloShape shape;
    const HaloStatus status =
        convolved(halo_build_shape(builder, src), conv->width, conv->height, conv->border, &shape);
    if (status != HALO_OK) return status;
    HaloStep step = step_of(HALO_CONV, src);
    step.u.conv = *conv;
    step.u.conv.store = plain;
    step.reach = reach_of(conv->width, conv->height, conv->ox, conv->oy, conv->border);
    return append(builder, &shape, &step, dst);
}

HaloStatus halo_build_sep(HaloBuilder *builder, HaloReg src, const HaloSep *sep, HaloReg *dst)
{
    HaloShape shape;
    const HaloStatus status =
        convolved(halo_build_shape(builder, src), sep->width, sep->height, sep->border, &shape);
    if (status != HALO_OK) return status;
    HaloStep step = step_of(HALO_SEP, src);
    step.u.sep = *sep;
    step.u.sep.store = plain;
    step.reach = reach_of(sep->width, sep->height, sep->ox, sep->oy, sep->border);
    return append(builder, &shape, &step, dst);
}

HaloStatus halo_build_rank(HaloBuilder *builder, HaloReg src, const HaloRank *rank, HaloReg *dst)
{
    HaloShape shape;
    const HaloStatus status =
        convolved(halo_build_shape(builder, src), rank->width, rank->height, rank->border, &shape);
    if (status != HALO_OK) return status;
    HaloStep step = step_of(HALO_RANK, src);
    step.u.rank = *rank;
    step.u.rank.store = plain;
    step.reach = reach_of(rank->width, rank->height, rank->ox, rank->oy, rank->border);
    return append(builder, &shape, &step, dst);
}

HaloStatus halo_build_equalize(HaloBuilder *builder, HaloReg src, const HaloEqualize *equalize, HaloReg *dst)
{
    HaloShape shape = *halo_build_shape(builder, src);
    HaloStep step = step_of(HALO_EQUALIZE, src);
    step.u.equalize = *equalize;
    step.u.equalize.bins = shape.dtype == HALO_U8 ? 256 : 65536;
    step.u.equalize.white = shape.white;
    step.u.equalize.store = plain;
    step.reach.whole = true;
    shape.dtype = HALO_F32;
    return append(builder, &shape, &step, dst);
}

HaloStatus halo_build_pick(HaloBuilder *builder, HaloReg src, const HaloPick *pick, HaloReg *dst)
{
    HaloShape shape = *halo_build_shape(builder, src);
    HaloStep step = step_of(HALO_PICK, src);
    step.u.pick = *pick;
    step.u.pick.store = plain;
    step.reach.whole = true; /* rows of the output are not those of the source */
    shape.dtype = HALO_F32;
    shape.width = (shape.width - 1) / pick->step_x + 1;
    shape.height = (shape.height - 1) / pick->step_y + 1;
    return append(builder, &shape, &step, dst);
}

HaloStatus halo_build_map(HaloBuilder *builder, HaloReg src, const HaloMap *map, HaloReg *dst)
{
    HaloShape shape = *halo_build_shape(builder, src);
    shape.dtype = HALO_F32;
    if (map->kind == HALO_MAP_GRAY) {
        shape.channels = shape.alpha >= 0 ? 2 : 1;
        shape.alpha = shape.alpha >= 0 ? 1 : -1;
    }
    HaloStep step = step_of(HALO_MAP, src);
    step.u.map = *map;
    step.u.map.store = plain;
    return append(builder, &shape, &step, dst);
}

HaloStatus halo_build_combine(HaloBuilder *builder, HaloReg a, HaloReg b, const HaloCombine *combine,
                              HaloReg *dst)
{
    const HaloShape *of_b = halo_build_shape(builder, b);
    HaloShape shape = *halo_build_shape(builder, a);
    shape.dtype = HALO_F32;
    shape.width = smaller(shape.width - combine->ax, of_b->width - combine->bx);
    shape.height = smaller(shape.height - combine->ay, of_b->height - combine->by);
    if (shape.width < 1 || shape.height < 1 || shape.channels != of_b->channels)
        return halo_fail(HALO_ERR_BUG, "%s combines values that do not fit each other", builder->op);
    HaloStep step = step_of(HALO_COMBINE, a);
    step.src2 = b;
    step.u.combine = *combine;
    step.u.combine.store = plain;
    /* The offsets are reach to one side. One reach serves both sources: the larger. */
    step.reach =
        (HaloReach){.right = larger(combine->ax, combine->bx), .down = larger(combine->ay, combine->by)};
    if (combine->kind == HALO_COMBINE_ENDS) step.reach.left = step.reach.right = combine->taps - 1;
    return append(builder, &shape, &step, dst);
}

HaloStatus builder_convert(HaloBuilder *builder, HaloReg src, HaloDtype dtype, HaloReg *dst)
{
    HaloShape shape = *halo_build_shape(builder, src);
    HaloStep step = step_of(HALO_MAP, src);
    const float white = dtype == HALO_F32 ? shape.white : halo_dtype_white(dtype);
    step.u.map =
        (HaloMap){.kind = HALO_MAP_POINTS, .white = shape.white, .store = store_between(shape.white, white)};
    shape.dtype = dtype;
    shape.white = white;
    return append(builder, &shape, &step, dst);
}

HaloStatus halo_build_depth(HaloBuilder *builder, HaloReg src, HaloDtype dtype, HaloReg *dst)
{
    builder->plan->asked = (int)dtype;
    return builder_convert(builder, src, dtype, dst);
}

HaloStatus halo_build_scan(HaloBuilder *builder, HaloReg src, const HaloScan *scan, HaloReg *dst)
{
    HaloShape shape = *halo_build_shape(builder, src);
    const bool integers = shape.dtype == HALO_U8 || shape.dtype == HALO_U16;
    shape.dtype = integers && scan->op != HALO_SCAN_PRODUCT ? HALO_I64 : HALO_F64;
    int64_t samples;
    const int64_t level = halo_build_shape(builder, src)->dtype == HALO_U8 ? 255 : 65535;
    const int64_t most = scan->op == HALO_SCAN_SQUARES ? level * level : level;
    if (!halo_mul(shape.width, shape.height, &samples) || samples > INT64_MAX / most)
        return halo_fail(HALO_ERR_LIMIT, "the scan's sums could outgrow 64 bits");
    HaloStep step = step_of(HALO_SCAN, src);
    step.u.scan = *scan;
    /* Down a single row only identities are joined: the scan along x has made it all. */
    if (scan->axis == HALO_AXIS_XY && !scan->exclusive && shape.height == 1) step.u.scan.axis = HALO_AXIS_X;
    step.reach.whole = true;
    return append(builder, &shape, &step, dst);
}

/* ---- measuring ------------------------------------------------------------------------------------------ */

static HaloStatus append_reduce(HaloBuilder *builder, HaloStep *step)
{
    step->reach.whole = true;
    return append(builder, NULL, step, NULL);
}

HaloStatus halo_build_stats(HaloBuilder *builder, HaloReg src, unsigned want, const HaloDetail *detail)
{
    HaloStep step = step_of(HALO_REDUCE, src);
    if (detail != NULL) {
        HaloDetail *kept = halo_build_keep(builder, sizeof *kept);
        if (kept == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
        *kept = *detail;
        step.detail = kept;
    }
    step.u.want = want;
    step.result = builder->plan->results++;
    return append_reduce(builder, &step);
}

HaloStatus halo_build_refuse_nan(HaloBuilder *builder, HaloReg src)
{
    if (halo_build_shape(builder, src)->dtype != HALO_F32) return HALO_OK; /* integers hold none */
    HaloStep step = step_of(HALO_REDUCE, src);
    step.refuse_nan = true;
    return append_reduce(builder, &step);
}

HaloStatus halo_build_map_from_stats(HaloBuilder *builder, HaloReg src, const HaloMap *map, unsigned want,
                                     HaloResolve *resolve, const double note[2], HaloReg *dst)
{
    HaloStep step = step_of(HALO_REDUCE, src);
    step.u.want = want;
    HaloStatus status = append_reduce(builder, &step);
    if (status != HALO_OK) return status;
    const int reduce = builder->plan->steps - 1;
    status = halo_build_map(builder, src, map, dst);
    if (status != HALO_OK) return status;
    HaloStep *made = &builder->plan->step[builder->plan->steps - 1];
    made->resolve = resolve;
    made->resolve_from = reduce;
    memcpy(made->note, note, sizeof made->note);
    return HALO_OK;
}

HaloStatus halo_build_fold(HaloBuilder *builder, HaloReg src, const HaloFold *fold)
{
    HaloStep step = step_of(HALO_FOLD, src);
    step.u.fold = *fold;
    step.result = builder->plan->results++;
    step.reach.whole = true;
    return append(builder, NULL, &step, NULL);
}

HaloHist hist_default(const HaloShape *shape)
{
    if (shape->dtype == HALO_U8) return (HaloHist){256, 0.0, 256.0};
    if (shape->dtype == HALO_U16) return (HaloHist){65536, 0.0, 65536.0};
    return (HaloHist){256, shape->kind == HALO_AUDIO ? -1.0 : 0.0, (double)shape->white};
}

HaloStatus halo_build_hist(HaloBuilder *builder, HaloReg src, int64_t bins, double lo, double hi)
{
    HaloStep step = step_of(HALO_HIST, src);
    const HaloShape *shape = halo_build_shape(builder, src);
    step.u.hist = hist_default(shape);
    if (shape->dtype == HALO_F32 && shape->kind == HALO_IMAGE) /* floats have no scale that all keep to */
        step.u.hist.lo = step.u.hist.hi = (double)NAN;
    if (bins > 0) step.u.hist.bins = bins;
    if (!isnan(lo)) step.u.hist.lo = lo;
    if (!isnan(hi)) step.u.hist.hi = hi;
    if (step.u.hist.lo >= step.u.hist.hi)
        return halo_fail(HALO_ERR_USAGE, "%s: min (%g) has to be less than max (%g)", builder->op,
                         step.u.hist.lo, step.u.hist.hi);
    step.result = builder->plan->results++;
    step.reach.whole = true;
    return append(builder, NULL, &step, NULL);
}

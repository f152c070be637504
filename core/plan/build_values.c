/* Appends steps that change samples one by one or move them, and conversions to another type or full scale. */
#include <math.h>

#include "builder.h"

HaloStatus halo_build_gather(HaloBuilder *builder, HaloReg src, const HaloGather *gather, HaloReg *dst)
{
    HaloStep step = step_of(HALO_GATHER, src);
    step.u.gather = *gather;
    return halo_build_step(builder, &step, dst);
}

HaloStatus halo_build_resample(HaloBuilder *builder, HaloReg src, const HaloResample *resample, HaloReg *dst)
{
    HaloStep step = step_of(HALO_RESAMPLE, src);
    step.u.resample = *resample;
    return halo_build_step(builder, &step, dst);
}

HaloStatus halo_build_map(HaloBuilder *builder, HaloReg src, const HaloMap *map, HaloReg *dst)
{
    HaloStep step = step_of(HALO_MAP, src);
    step.u.map = *map;
    return halo_build_step(builder, &step, dst);
}

HaloStatus halo_build_combine(HaloBuilder *builder, HaloReg a, HaloReg b, const HaloCombine *combine,
                              HaloReg *dst)
{
    const HaloStep step = {.primitive = HALO_COMBINE, .sources = 2, .src = {a, b}, .u.combine = *combine};
    return halo_build_step(builder, &step, dst);
}

void halo_build_set_scale(HaloBuilder *builder, HaloReg reg, float white)
{
    builder->plan->reg[reg].white = white;
    builder->plan->reg[reg].numbers = false;
}

/* Does any input lack a full scale? */
static bool read_numbers(const HaloBuilder *builder)
{
    bool any = builder->request->input.numbers;
    for (int i = 1; i < builder->plan->inputs; i++)
        any = any || halo_build_shape(builder, builder->plan->input[i].reg)->numbers;
    return any;
}

/* Audio is computed with a full scale of 1, whatever its samples are. Numbers that the pipeline has made, such
 * as labels, have the one that --white gives. */
HaloStatus builder_needs_scale(HaloBuilder *builder, HaloReg src, const char *what)
{
    const HaloShape *shape = halo_build_shape(builder, src);
    const double white = builder->session->options.white;
    if (!shape->numbers || shape->kind == HALO_AUDIO) return HALO_OK;
    if (white > 0) {
        halo_build_set_scale(builder, src, (float)white);
        return HALO_OK;
    }
    if (!read_numbers(builder))
        return halo_fail(
            HALO_ERR_INPUT,
            "%s needs a full scale, which the numbers that the pipeline has made lack: use "
            "normalize, or --white=V (V becomes white), or write floats, as TIFF and NPY hold them",
            what);
    return halo_fail(HALO_ERR_INPUT,
                     "%s needs a full scale, which the input lacks: use --white=65535 (counts), --white=1 "
                     "(samples from 0 to 1) or normalize",
                     what);
}

HaloStore store_between(float from, float to)
{
    const float up = to / from, down = from / to;
    if (from == to) return (HaloStore){1.0f, 1.0f};
    if (up == floorf(up)) return (HaloStore){up, 1.0f}; /* 255 to 65535 is times 257, the other way by 257 */
    if (down == floorf(down)) return (HaloStore){1.0f, down};
    return (HaloStore){to, from};
}

/* A map of no points, whose store is the conversion. */
HaloStatus builder_rescale(HaloBuilder *builder, HaloReg src, HaloDtype dtype, float white, HaloReg *dst)
{
    const float from = halo_build_shape(builder, src)->white;
    const HaloMap map = {.kind = HALO_MAP_POINTS, .white = from};
    HaloPlan *plan = builder->plan;
    const HaloStatus status = halo_build_map(builder, src, &map, dst);
    if (status != HALO_OK) return status;
    plan->step[plan->steps - 1].store = store_between(from, white);
    plan->reg[*dst].dtype = dtype;
    plan->reg[*dst].white = white;
    return HALO_OK;
}

HaloStatus builder_convert(HaloBuilder *builder, HaloReg src, HaloDtype dtype, HaloReg *dst)
{
    const float white = dtype > HALO_U16 ? halo_build_shape(builder, src)->white : halo_dtype_white(dtype);
    const HaloStatus status =
        dtype <= HALO_U16 ? builder_needs_scale(builder, src, halo_dtype_name(dtype)) : HALO_OK;
    if (status != HALO_OK) return status;
    return builder_rescale(builder, src, dtype, white, dst);
}

HaloDtype builder_real(const HaloBuilder *builder)
{
    const HaloPlan *plan = builder->plan;
    return plan->reg[plan->input[0].reg].dtype == HALO_F64 ? HALO_F64 : HALO_F32;
}

HaloStatus builder_to_native(HaloBuilder *builder, HaloReg in, HaloReg *out)
{
    const HaloDtype dtype = halo_build_shape(builder, in)->dtype, real = builder_real(builder);
    *out = in;
    return dtype > HALO_F32 && dtype != real ? builder_convert(builder, in, real, out) : HALO_OK;
}

HaloStatus halo_build_depth(HaloBuilder *builder, HaloReg src, HaloDtype dtype, HaloReg *dst)
{
    builder->plan->wanted_dtype = (int)dtype;
    return builder_convert(builder, src, dtype, dst);
}

HaloStatus halo_build_scan(HaloBuilder *builder, HaloReg src, const HaloScan *scan, HaloReg *dst)
{
    HaloStep step = step_of(HALO_SCAN, src);
    step.u.scan = *scan;
    /* With a single row the horizontal scan is the whole result. */
    if (scan->axis == HALO_AXIS_XY && !scan->exclusive && halo_build_shape(builder, src)->height == 1)
        step.u.scan.axis = HALO_AXIS_X;
    return halo_build_step(builder, &step, dst);
}

/* declick and declip: samples that were damaged, made again from those around them. */
#include "filter.h"
#include "ops.h"
#include "repair.h"

/* ---- declick -------------------------------------------------------------------------------------------- */

enum { DECLICK_THRESHOLD, DECLICK_LONGEST };

static HaloStatus build_declick(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    Repair *how = halo_build_keep(builder, sizeof *how);
    if (how == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    *how = (Repair){.threshold = arg[DECLICK_THRESHOLD].number};
    HALO_TRY(filter_samples("declick: longest", &arg[DECLICK_LONGEST], &how->longest));
    if (how->longest > REPAIR_LONGEST)
        HALO_FAIL(HALO_ERR_USAGE,
                  "declick: longest is %lld samples: more than %d cannot be made from those around",
                  (long long)how->longest, REPAIR_LONGEST);
    HALO_TRY(halo_build_sequence(builder, in, &declick_kind, how, out));
out:
    return status;
}

static const HaloParam declick_param[] = {
    [DECLICK_THRESHOLD] = {.key = "threshold",
                           .type = HALO_PARAM_NUMBER,
                           .preset = "8",
                           .min = 2,
                           .max = 1e6,
                           .help = "a click is where samples differ from what their neighbours predict by this "
                                   "many times the usual difference; lower finds more clicks, but takes some "
                                   "sound for one"},
    [DECLICK_LONGEST] =
        {.key = "longest",
         .type = HALO_PARAM_LENGTH,
         .preset = "150",
         .min = 1,
         .max = HALO_MASK_MAX_SIDE,
         .unit = "samples",
         .help =
             "longest click; what is longer stays. Of clicks of more than 40 samples, and those inside drums, "
             "an error of about a tenth of the sound stays"},
};

const HaloOp halo_op_declick = {.name = "declick",
                                .help =
                                    "replace clicks, such as those of vinyl, by what their neighbours predict",
                                .synonyms = "adeclick",
                                .known_as = "click crackle pop vinyl record impulse repair restore despike",
                                .example = "declick",
                                .kinds = HALO_AUDIO,
                                HALO_PARAMS(declick_param),
                                .build = build_declick};

/* ---- declip --------------------------------------------------------------------------------------------- */

static HaloStatus build_declip(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    Repair *how = halo_build_keep(builder, sizeof *how);
    if (how == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    *how = (Repair){.level = arg[0].number * (double)halo_build_shape(builder, in)->white};
    return halo_build_sequence(builder, in, &declip_kind, how, out);
}

static const HaloParam declip_param[] = {
    {.key = "level",
     .type = HALO_PARAM_FACTOR,
     .preset = "99%",
     .min = 1e-6,
     .max = 1e6,
     .help = "samples of this magnitude or more were clipped, relative to full scale"},
};

const HaloOp halo_op_declip = {
    .name = "declip",
    .help =
        "restore samples that were clipped. They may exceed full scale: put gain:-6dB behind, or write floats "
        "(--bits float)",
    .synonyms = "adeclip",
    .known_as = "clipping clipped overload distortion repair restore",
    .example = "declip",
    .kinds = HALO_AUDIO,
    HALO_PARAMS(declip_param),
    .build = build_declip};

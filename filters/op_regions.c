/* Connected regions: numbered, or selected by their size, place and brightness. */
#include "filter.h"
#include "ops.h"
#include "regions.h"

/* ---- label ---------------------------------------------------------------------------------------------- */

enum { LABEL_CONNECT, LABEL_MIN, LABEL_MAX };

static HaloStatus build_label(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloRegions regions = {.make = HALO_REGIONS_NUMBERS,
                                 .connect = regions_connect(&arg[LABEL_CONNECT]),
                                 .least = arg[LABEL_MIN].integer,
                                 .most = arg[LABEL_MAX].given ? arg[LABEL_MAX].integer : 0};
    HALO_TRY(regions_check_sizes("label", &arg[LABEL_MIN], &arg[LABEL_MAX]));
    HALO_TRY(regions_source(builder, "label", in, true, &in));
    HALO_TRY(halo_build_regions(builder, in, &regions, out));
out:
    return status;
}

static const HaloParam label_param[] = {
    REGIONS_CONNECT(LABEL_CONNECT, "8"),
    [LABEL_MIN] = {.key = "min",
                   .type = HALO_PARAM_INTEGER,
                   .preset = "0",
                   .min = 0,
                   .max = REGIONS_MOST_PIXELS,
                   .unit = "pixels",
                   .help = "smaller regions become 0, before the others are numbered"},
    [LABEL_MAX] = {.key = "max",
                   .type = HALO_PARAM_INTEGER,
                   .preset = "",
                   .min = 1,
                   .max = REGIONS_MOST_PIXELS,
                   .unit = "pixels",
                   .help = "larger regions become 0, before the others are numbered"},
};

const HaloOp halo_op_label = {.name = "label",
                              .help =
                                  "give each connected region of samples that are not 0 a number, which its "
                                  "samples become: 1, 2, … from the top; of one channel",
                              .known_as = "bwlabel connectedcomponents connected components regions particles "
                                          "blobs count objects labelregions segment",
                              .example = "gray | threshold:otsu | label:min=20",
                              .upright = true,
                              .kinds = HALO_IMAGE,
                              HALO_PARAMS(label_param),
                              .build = build_label};

/* ---- regions that are selected --------------------------------------------------------------------------- */

/* `in` where it is of one channel, with its alpha. */
static HaloStatus select(HaloBuilder *builder, const char *op, const HaloRegions *regions, HaloReg in,
                         HaloReg *out)
{
    HaloStatus status = HALO_OK;
    HALO_TRY(regions_source(builder, op, in, false, &in));
    HALO_TRY(halo_build_regions(builder, in, regions, out));
out:
    return status;
}

enum { AREAOPEN_MIN, AREAOPEN_CONNECT };

static HaloStatus build_areaopen(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    const HaloRegions regions = {.make = HALO_REGIONS_SAMPLES,
                                 .connect = regions_connect(&arg[AREAOPEN_CONNECT]),
                                 .least = arg[AREAOPEN_MIN].integer};
    return select(builder, "areaopen", &regions, in, out);
}

static const HaloParam areaopen_param[] = {
    [AREAOPEN_MIN] = {.key = "min",
                      .type = HALO_PARAM_INTEGER,
                      .min = 1,
                      .max = REGIONS_MOST_PIXELS,
                      .unit = "pixels",
                      .help = "regions of fewer pixels become 0"},
    REGIONS_CONNECT(AREAOPEN_CONNECT, "8"),
};

const HaloOp halo_op_areaopen = {
    .name = "areaopen",
    .help = "remove small regions of samples that are not 0: those of fewer pixels become 0",
    .known_as = "bwareaopen remove_small_objects despeckle specks small sieve",
    .example = "gray | threshold:otsu | areaopen:20",
    .kinds = HALO_IMAGE,
    HALO_PARAMS(areaopen_param),
    .build = build_areaopen};

enum { FILLHOLES_MAX, FILLHOLES_CONNECT };

static HaloStatus build_fillholes(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    const HaloRegions regions = {.of = HALO_REGIONS_BACKGROUND,
                                 .make = HALO_REGIONS_FILLED,
                                 .connect = regions_connect(&arg[FILLHOLES_CONNECT]),
                                 .most = arg[FILLHOLES_MAX].given ? arg[FILLHOLES_MAX].integer : 0,
                                 .inside = true};
    return select(builder, "fillholes", &regions, in, out);
}

static const HaloParam fillholes_param[] = {
    [FILLHOLES_MAX] = {.key = "max",
                       .type = HALO_PARAM_INTEGER,
                       .preset = "",
                       .min = 1,
                       .max = REGIONS_MOST_PIXELS,
                       .unit = "pixels",
                       .help = "larger holes stay; default: all are filled"},
    [FILLHOLES_CONNECT] = {.key = "connect",
                           .type = HALO_PARAM_CHOICE,
                           .preset = "4",
                           .choices = "4|8",
                           .help = "how pixels of a hole are connected: 4 beside, above and below, or 8 "
                                   "diagonally, too; a hole with a diagonal way out is then none"},
};

const HaloOp halo_op_fillholes = {
    .name = "fillholes",
    .help =
        "fill holes, regions of 0 that do not touch the border, with a sample beside them: the one to the left "
        "of the hole's upper row",
    .known_as = "imfill binary_fill_holes remove_small_holes holes",
    .example = "gray | threshold:otsu | fillholes",
    .upright = true,
    .kinds = HALO_IMAGE,
    HALO_PARAMS(fillholes_param),
    .build = build_fillholes};

enum { LARGEST_N, LARGEST_CONNECT };

static HaloStatus build_largest(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    const HaloRegions regions = {.make = HALO_REGIONS_SAMPLES,
                                 .connect = regions_connect(&arg[LARGEST_CONNECT]),
                                 .largest = arg[LARGEST_N].integer};
    return select(builder, "largest", &regions, in, out);
}

static const HaloParam largest_param[] = {
    [LARGEST_N] = {.key = "n",
                   .type = HALO_PARAM_INTEGER,
                   .preset = "1",
                   .min = 1,
                   .max = REGIONS_MOST_PIXELS,
                   .help = "how many regions stay; of equally large ones those whose first pixels come first"},
    REGIONS_CONNECT(LARGEST_CONNECT, "8"),
};

const HaloOp halo_op_largest = {.name = "largest",
                                .help = "keep the largest regions: the others become 0",
                                .known_as = "bwareafilt keeplargest biggest main",
                                .example = "gray | threshold:otsu | largest:1",
                                .upright = true,
                                .kinds = HALO_IMAGE,
                                HALO_PARAMS(largest_param),
                                .build = build_largest};

static HaloStatus build_clearborder(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    const HaloRegions regions = {
        .make = HALO_REGIONS_SAMPLES, .connect = regions_connect(&arg[0]), .inside = true};
    return select(builder, "clearborder", &regions, in, out);
}

static const HaloParam clearborder_param[] = {REGIONS_CONNECT(0, "8")};

const HaloOp halo_op_clearborder = {.name = "clearborder",
                                    .help = "remove regions that touch the border of the picture",
                                    .known_as = "imclearborder clear_border edge touching",
                                    .example = "gray | threshold:otsu | clearborder",
                                    .kinds = HALO_IMAGE,
                                    HALO_PARAMS(clearborder_param),
                                    .build = build_clearborder};

/* ---- hysteresis ----------------------------------------------------------------------------------------- */

enum { HYSTERESIS_LOW, HYSTERESIS_HIGH, HYSTERESIS_CONNECT };

static HaloStatus build_hysteresis(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    HaloRegions regions = {.of = HALO_REGIONS_ABOVE,
                           .make = HALO_REGIONS_MASK,
                           .connect = regions_connect(&arg[HYSTERESIS_CONNECT]),
                           .seeded = true,
                           .white = halo_build_shape(builder, in)->white};
    HALO_TRY(filter_number("hysteresis: low", arg[HYSTERESIS_LOW].number, &regions.low));
    HALO_TRY(filter_number("hysteresis: high", arg[HYSTERESIS_HIGH].number, &regions.high));
    if (regions.high < regions.low)
        HALO_FAIL(HALO_ERR_USAGE, "hysteresis: high (%g) is less than low (%g)", regions.high, regions.low);
    HALO_TRY(select(builder, "hysteresis", &regions, in, out));
out:
    return status;
}

static const HaloParam hysteresis_param[] = {
    [HYSTERESIS_LOW] = {.key = "low",
                        .type = HALO_PARAM_LEVEL,
                        .help = "regions consist of samples above this level"},
    [HYSTERESIS_HIGH] = {.key = "high",
                         .type = HALO_PARAM_LEVEL,
                         .help = "and stay where one of their samples is above this one"},
    REGIONS_CONNECT(HYSTERESIS_CONNECT, "8"),
};

const HaloOp halo_op_hysteresis = {.name = "hysteresis",
                                   .help = "black and white by two levels: regions above the lower one that "
                                           "reach above the higher one",
                                   .known_as = "apply_hysteresis_threshold double threshold",
                                   .example = "gray | sobel | hysteresis:10%,30%",
                                   .scale = HALO_SCALE_SETS,
                                   .kinds = HALO_IMAGE,
                                   HALO_PARAMS(hysteresis_param),
                                   .build = build_hysteresis};

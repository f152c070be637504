/* sharpen, emboss, laplace and log: one dense mask each. */
#include "filter.h"
#include "masks.h"
#include "ops.h"
#include "taps.h"

/* A dense mask has about (8 sigma)^2 taps. */
#define SIGMA_MIN 0.25
#define SIGMA_MAX 64

static HaloStatus build_sharpen(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    const double a = arg[0].number;
    double tap[9] = {0, -a, 0, -a, 1.0 + 4.0 * a, -a, 0, -a, 0};
    const HaloMask mask = {.width = 3, .height = 3, .anchor_x = 1, .anchor_y = 1, .scale = 1.0, .tap = tap};
    return filter_mask(builder, in, &mask, out);
}

static HaloStatus build_emboss(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    const HaloMask mask = masks_view(MASK_emboss);
    (void)arg;
    return filter_mask(builder, in, &mask, out);
}

static HaloStatus build_laplace(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    const HaloMask mask = masks_view(arg[0].integer == 0 ? MASK_laplace4 : MASK_laplace8);
    return filter_mask(builder, in, &mask, out);
}

static HaloStatus build_log(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    HaloMask mask = {0};
    HALO_TRY(taps_log(arg[0].number, &mask));
    HALO_TRY(filter_mask(builder, in, &mask, out));
out:
    halo_mask_free(&mask);
    return status;
}

static const HaloParam sharpen_param[] = {
    {.key = "amount",
     .type = HALO_PARAM_NUMBER,
     .preset = "1",
     .min = -1e6,
     .max = 1e6,
     .help = "weight of the Laplacian"},
};

static const HaloParam laplace_param[] = {
    {.key = "kind",
     .type = HALO_PARAM_CHOICE,
     .preset = "4",
     .choices = "4|8",
     .help = "neighbours: 4, or 8 with the diagonals"},
};

static const HaloParam log_param[] = {
    {.key = "sigma",
     .type = HALO_PARAM_LENGTH,
     .min = SIGMA_MIN,
     .max = SIGMA_MAX,
     .unit = "pixels",
     .help = "standard deviation of the Gaussian"},
};

const HaloOp halo_op_sharpen = {.name = "sharpen",
                                .help = "sharpen by subtracting the Laplacian of the 4 neighbours",
                                .example = "sharpen",
                                .kinds = HALO_IMAGE,
                                .filter = true,
                                HALO_PARAMS(sharpen_param),
                                .build = build_sharpen};

const HaloOp halo_op_emboss = {.name = "emboss",
                               .help = "relief lit from the upper left",
                               .example = "emboss",
                               .upright = true,
                               .kinds = HALO_IMAGE,
                               .filter = true,
                               .build = build_emboss};

const HaloOp halo_op_laplace = {.name = "laplace",
                                .help = "Laplacian",
                                .synonyms = "laplacian",
                                .known_as = "edge edges",
                                .example = "laplace:8",
                                .kinds = HALO_IMAGE,
                                .filter = true,
                                HALO_PARAMS(laplace_param),
                                .build = build_laplace};

const HaloOp halo_op_log = {.name = "log",
                            .help = "Laplacian of Gaussian",
                            .known_as = "marr blob",
                            .example = "log:2",
                            .kinds = HALO_IMAGE,
                            .filter = true,
                            HALO_PARAMS(log_param),
                            .build = build_log};

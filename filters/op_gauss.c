/* gauss, unsharp and dog: the Gaussian, and what it takes away. */
#include <math.h>

#include "filter.h"
#include "ops.h"
#include "taps.h"

#define SIGMA_MIN 0.01
#define SIGMA_MAX 100000

static HaloStatus build_gauss(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    HaloMask row = {0};
    HALO_TRY(taps_gauss(arg[0].number, arg[1].number, &row));
    HALO_TRY(filter_smooth(builder, in, &row, &row, out));
out:
    halo_mask_free(&row);
    return status;
}

enum { UNSHARP_SIGMA, UNSHARP_AMOUNT, UNSHARP_THRESHOLD };

static HaloStatus build_unsharp(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    HaloMask row = {0};
    Filter filter;
    HaloReg made;
    HaloCombine unsharp = {.kind = HALO_COMBINE_UNSHARP};
    HALO_TRY(filter_number("unsharp: amount", arg[UNSHARP_AMOUNT].number, &unsharp.amount));
    HALO_TRY(filter_number("unsharp: threshold", arg[UNSHARP_THRESHOLD].number, &unsharp.threshold));
    HALO_TRY(taps_gauss(arg[UNSHARP_SIGMA].number, 4.0, &row));
    HALO_TRY(filter_begin(&filter, builder, in));
    HALO_TRY(filter_sep(&filter, &row, &row, &made));
    if (halo_build_common(builder)->border == HALO_BORDER_VALID) { /* the blur lacks these */
        unsharp.ax = filter.left;
        unsharp.ay = filter.up;
    }
    HALO_TRY(halo_build_combine(builder, filter.work, made, &unsharp, &made));
    HALO_TRY(filter_end(&filter, made, true, NULL, out));
out:
    halo_mask_free(&row);
    return status;
}

/* The narrow Gaussian less the wide one. */
static HaloStatus build_dog(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    HaloMask narrow = {0}, wide = {0};
    Filter filter;
    HaloReg inner, outer;
    HaloCombine difference = {.kind = HALO_COMBINE_ADD, .amount = -1.0f};
    HALO_TRY(taps_gauss(arg[0].number, 4.0, &narrow));
    HALO_TRY(taps_gauss(arg[0].number * arg[1].number, 4.0, &wide));
    HALO_TRY(filter_begin(&filter, builder, in));
    HALO_TRY(filter_sep(&filter, &narrow, &narrow, &inner));
    HALO_TRY(filter_sep(&filter, &wide, &wide, &outer));
    if (halo_build_common(builder)->border == HALO_BORDER_VALID) { /* the wide one lacks these */
        const bool line = halo_build_shape(builder, in)->kind == HALO_AUDIO;
        difference.ax = wide.anchor_x - narrow.anchor_x;
        difference.ay = line ? 0 : difference.ax;
    }
    HALO_TRY(halo_build_combine(builder, inner, outer, &difference, &inner));
    HALO_TRY(filter_end(&filter, inner, false, NULL, out));
out:
    halo_mask_free(&narrow);
    halo_mask_free(&wide);
    return status;
}

static const HaloParam gauss_param[] = {
    {.key = "sigma",
     .type = HALO_PARAM_LENGTH,
     .min = SIGMA_MIN,
     .max = SIGMA_MAX,
     .unit = "samples",
     .help = "standard deviation"},
    {.key = "truncate",
     .type = HALO_PARAM_NUMBER,
     .preset = "4",
     .min = 0.5,
     .max = 40,
     .unit = "sigma",
     .help = "kernel radius"},
};

static const HaloParam unsharp_param[] = {
    {.key = "sigma",
     .type = HALO_PARAM_LENGTH,
     .preset = "1",
     .min = SIGMA_MIN,
     .max = SIGMA_MAX,
     .unit = "samples",
     .help = "standard deviation of the blur"},
    {.key = "amount", .type = HALO_PARAM_NUMBER, .preset = "1", .help = "how much of the difference is added"},
    {.key = "threshold",
     .type = HALO_PARAM_LEVEL,
     .preset = "0",
     .min = 0,
     .max = INFINITY,
     .help = "differences below this are left alone"},
};

static const HaloParam dog_param[] = {
    {.key = "sigma",
     .type = HALO_PARAM_LENGTH,
     .min = SIGMA_MIN,
     .max = SIGMA_MAX,
     .unit = "samples",
     .help = "standard deviation of the Gaussian that is kept"},
    {.key = "ratio",
     .type = HALO_PARAM_NUMBER,
     .preset = "1.6",
     .min = 1.01,
     .max = 8,
     .unit = "sigma",
     .help = "sigma of the subtracted Gaussian over the first; 1.6 is closest to the operation log"},
};

const HaloOp halo_op_gauss = {
    .name = "gauss",
    .help = "Gaussian blur",
    .synonyms = "gaussian gaussblur gblur",
    .known_as = "blur smooth smoothing GaussianBlur gaussian_filter gaussian_filter1d denoise",
    .example = "gauss:2",
    .within = true,
    .kinds = HALO_IMAGE | HALO_AUDIO,
    .filter = true,
    HALO_PARAMS(gauss_param),
    .build = build_gauss};

const HaloOp halo_op_unsharp = {.name = "unsharp",
                                .help = "sharpen by adding the difference from a Gaussian blur",
                                .synonyms = "usm",
                                .known_as = "sharpen",
                                .example = "unsharp:sigma=1.5,amount=0.8",
                                .kinds = HALO_IMAGE | HALO_AUDIO,
                                .filter = true,
                                HALO_PARAMS(unsharp_param),
                                .build = build_unsharp};

const HaloOp halo_op_dog = {.name = "dog",
                            .help = "difference of Gaussians",
                            .known_as = "blob",
                            .example = "dog:2",
                            .kinds = HALO_IMAGE | HALO_AUDIO,
                            .filter = true,
                            HALO_PARAMS(dog_param),
                            .build = build_dog};

/* box, average and binomial: smoothers given by their width. */
#include "filter.h"
#include "ops.h"
#include "taps.h"
#include "upright.h"

static HaloStatus build_box(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    FilterWindow window;
    HALO_TRY(filter_size(builder, "box", in, &arg[0], &arg[1], &window));
    HALO_TRY(filter_means(builder, in, window.width, window.height, out));
out:
    return status;
}

static HaloStatus build_average(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    int64_t width;
    HALO_TRY(filter_samples("average: width", &arg[0], &width));
    HALO_TRY(filter_means(builder, in, width, width, out));
out:
    return status;
}

static HaloStatus build_binomial(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    HaloMask row = {0};
    HALO_TRY(taps_binomial(arg[0].integer, &row));
    HALO_TRY(filter_smooth(builder, in, &row, &row, out));
out:
    halo_mask_free(&row);
    return status;
}

static const HaloParam box_param[] = {
    {.key = "width",
     .type = HALO_PARAM_LENGTH,
     .min = 1,
     .max = HALO_MASK_MAX_SIDE,
     .unit = "samples",
     .help = "full width of the window, odd or even"},
    FILTER_HEIGHT,
};

static const HaloParam average_param[] = {
    {.key = "width",
     .type = HALO_PARAM_LENGTH,
     .min = 1,
     .max = HALO_MASK_MAX_SIDE,
     .unit = "samples",
     .help = "full width of the window, odd or even"},
};

static const HaloParam binomial_param[] = {
    {.key = "width",
     .type = HALO_PARAM_INTEGER,
     .preset = "3",
     .min = 1,
     .max = 1025,
     .unit = "samples",
     .help = "number of taps: 3 is 1 2 1, 5 is 1 4 6 4 1"},
};

static bool turns_box(const HaloValue *arg) { return upright_window(&arg[0], &arg[1]); }

const HaloOp halo_op_box = {.name = "box",
                            .help = "mean over a window",
                            .synonyms = "boxcar",
                            .known_as = "blur boxblur uniform mean",
                            .example = "box:7",
                            .within = true,
                            .upright_of = turns_box,
                            .kinds = HALO_IMAGE | HALO_AUDIO,
                            .filter = true,
                            HALO_PARAMS(box_param),
                            .build = build_box};

static bool turns_average(const HaloValue *arg) { return upright_window(&arg[0], NULL); }

const HaloOp halo_op_average = {.name = "average",
                                .help = "moving average along time; on images a square box",
                                .synonyms = "movavg",
                                .known_as = "smooth mean rolling moving denoise",
                                .example = "average:5ms",
                                .upright_of = turns_average,
                                .kinds = HALO_IMAGE | HALO_AUDIO,
                                .filter = true,
                                HALO_PARAMS(average_param),
                                .build = build_average};

static bool turns_binomial(const HaloValue *arg) { return arg[0].integer % 2 == 0; }

const HaloOp halo_op_binomial = {.name = "binomial",
                                 .help = "smooth by a row of Pascal's triangle",
                                 .known_as = "smooth",
                                 .example = "binomial:5",
                                 .upright_of = turns_binomial,
                                 .kinds = HALO_IMAGE | HALO_AUDIO,
                                 .filter = true,
                                 HALO_PARAMS(binomial_param),
                                 .build = build_binomial};

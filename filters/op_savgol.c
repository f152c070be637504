/* savgol: smooth by fitting a polynomial to the samples around. */
#include "filter.h"
#include "ops.h"
#include "taps.h"

static HaloStatus build_savgol(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    HaloMask row = {0};
    int64_t window;
    HALO_TRY(filter_samples("savgol: window", &arg[0], &window));
    if (arg[0].integer) window |= 1; /* a time is a wish, a number of samples is not */
    status = taps_savgol(window, arg[1].integer, &row);
    if (status != HALO_OK) HALO_TRY(halo_fail_at(status, "savgol"));
    HALO_TRY(filter_mask(builder, in, &row, out));
out:
    halo_mask_free(&row);
    return status;
}

static const HaloParam savgol_param[] = {
    {.key = "window",
     .type = HALO_PARAM_LENGTH,
     .min = 1,
     .max = HALO_MASK_MAX_SIDE,
     .unit = "samples",
     .help = "number of samples fitted, odd; a time becomes the next odd number"},
    {.key = "order",
     .type = HALO_PARAM_INTEGER,
     .min = 0,
     .max = TAPS_SAVGOL_MAX_ORDER,
     .help = "degree of the polynomial, less than the window"},
};

const HaloOp halo_op_savgol = {.name = "savgol",
                               .help = "Savitzky-Golay smoother: keeps peaks and their widths",
                               .example = "savgol:window=21,order=3",
                               .kinds = HALO_AUDIO,
                               .filter = true,
                               HALO_PARAMS(savgol_param),
                               .build = build_savgol};

/* savgol: smooth, or differentiate, by fitting a polynomial to the samples around. */
#include <math.h>

#include "filter.h"
#include "ops.h"
#include "taps.h"

enum { SAVGOL_WINDOW, SAVGOL_ORDER, SAVGOL_EDGE, SAVGOL_DERIV, SAVGOL_DELTA };
enum { EDGE_BORDER, EDGE_INTERP };

typedef struct Fit {
    int64_t window, order, derivative;
    double scale; /* of the taps: samples are `delta` apart, not 1 */
} Fit;

static void scale_taps(double scale, HaloMask *mask)
{
    for (int64_t i = 0; i < mask->width * mask->height; i++) mask->tap[i] *= scale;
}

/* The ends are the polynomials fitted to the first and to the last window: what SciPy calls mode="interp".
 * Counted from the end time runs backwards, which inverts odd derivatives. */
static HaloStatus fit_ends(HaloBuilder *builder, const Fit *fit, HaloReg in, HaloReg made, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloCommon *common = halo_build_common(builder);
    Filter filter = {.builder = builder, .in = in};
    HaloMask ends = {0};
    const bool odd = fit->derivative % 2 == 1;
    if (common->border == HALO_BORDER_VALID || common->border == HALO_BORDER_KEEP)
        HALO_FAIL(HALO_ERR_USAGE, "edge=interp fits the ends itself: it cannot be combined with border=%s",
                  common->border == HALO_BORDER_VALID ? "valid" : "keep");
    if (common->nan == HALO_NAN_IGNORE)
        HALO_FAIL(HALO_ERR_USAGE, "edge=interp fits all samples: it cannot be combined with nan=ignore");
    HALO_TRY(taps_savgol_ends(fit->window, fit->order, fit->derivative, &ends));
    scale_taps(fit->scale, &ends);
    HALO_TRY(filter_ends(&filter, made, &ends, true, !odd, out));
    if (!odd) goto out;
    scale_taps(-1.0, &ends);
    HALO_TRY(filter_ends(&filter, *out, &ends, false, true, out));
out:
    halo_mask_free(&ends);
    return status;
}

static HaloStatus build_savgol(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    HaloMask row = {0};
    Fit fit = {.order = arg[SAVGOL_ORDER].integer, .derivative = arg[SAVGOL_DERIV].integer};
    fit.scale = pow(arg[SAVGOL_DELTA].number, -(double)fit.derivative);
    if (fit.derivative % 2 == 1) HALO_TRY(halo_build_rising(builder, in));
    HALO_TRY(filter_samples("savgol: window", &arg[SAVGOL_WINDOW], &fit.window));
    if (arg[SAVGOL_WINDOW].integer) fit.window |= 1; /* a time is a wish, a number of samples is not */
    status = taps_savgol(fit.window, fit.order, fit.derivative, &row);
    if (status != HALO_OK) HALO_TRY(halo_fail_at(status, "savgol"));
    scale_taps(fit.scale, &row);
    HALO_TRY(filter_mask(builder, in, &row, out));
    if (arg[SAVGOL_EDGE].integer == EDGE_INTERP && fit.window > 1) {
        status = fit_ends(builder, &fit, in, *out, out);
        if (status != HALO_OK) HALO_TRY(halo_fail_at(status, "savgol"));
    }
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
    {.key = "edge",
     .type = HALO_PARAM_CHOICE,
     .preset = "border",
     .choices = "border|interp",
     .help = "border: at the ends as border= says; interp: the polynomials fitted to the first and last window "
             "(SciPy's interp)"},
    {.key = "deriv",
     .type = HALO_PARAM_INTEGER,
     .preset = "0",
     .min = 0,
     .max = TAPS_SAVGOL_MAX_ORDER,
     .help = "which derivative of the polynomial; 0: its value"},
    {.key = "delta",
     .type = HALO_PARAM_NUMBER,
     .preset = "1",
     .min = 1e-9,
     .max = 1e9,
     .help = "distance of two samples, which derivatives are divided by, such as 0.01 s at 100 Hz"},
};

const HaloOp halo_op_savgol = {.name = "savgol",
                               .help =
                                   "Savitzky-Golay smoother, and its derivatives: keeps peaks and their widths",
                               .known_as = "savitzky savgol_filter smooth derivative",
                               .example = "savgol:21,3",
                               .kinds = HALO_AUDIO,
                               .filter = true,
                               HALO_PARAMS(savgol_param),
                               .build = build_savgol};

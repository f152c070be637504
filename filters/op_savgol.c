/* savgol: smooth by fitting a polynomial to the samples around. */
#include "filter.h"
#include "ops.h"
#include "taps.h"

enum { SAVGOL_WINDOW, SAVGOL_ORDER, SAVGOL_EDGE };
enum { EDGE_BORDER, EDGE_INTERP };

/* The ends are the polynomials fitted to the first and to the last window: what SciPy calls mode="interp". */
static HaloStatus fit_ends(HaloBuilder *builder, int64_t window, int64_t order, HaloReg in, HaloReg made,
                           HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloCommon *common = halo_build_common(builder);
    Filter filter = {.builder = builder, .in = in};
    HaloMask ends = {0};
    if (common->border == HALO_BORDER_VALID || common->border == HALO_BORDER_KEEP)
        HALO_FAIL(HALO_ERR_USAGE, "edge=interp fits the ends itself: it cannot be combined with border=%s",
                  common->border == HALO_BORDER_VALID ? "valid" : "keep");
    if (common->nan == HALO_NAN_IGNORE)
        HALO_FAIL(HALO_ERR_USAGE, "edge=interp fits all samples: it cannot be combined with nan=ignore");
    HALO_TRY(taps_savgol_ends(window, order, &ends));
    HALO_TRY(filter_ends(&filter, made, &ends, out));
out:
    halo_mask_free(&ends);
    return status;
}

static HaloStatus build_savgol(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    HaloMask row = {0};
    int64_t window;
    HALO_TRY(filter_samples("savgol: window", &arg[SAVGOL_WINDOW], &window));
    if (arg[SAVGOL_WINDOW].integer) window |= 1; /* a time is a wish, a number of samples is not */
    status = taps_savgol(window, arg[SAVGOL_ORDER].integer, &row);
    if (status != HALO_OK) HALO_TRY(halo_fail_at(status, "savgol"));
    HALO_TRY(filter_mask(builder, in, &row, out));
    if (arg[SAVGOL_EDGE].integer == EDGE_INTERP && window > 1) {
        status = fit_ends(builder, window, arg[SAVGOL_ORDER].integer, in, *out, out);
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
             "(SciPy's "
             "interp)"},
};

const HaloOp halo_op_savgol = {.name = "savgol",
                               .help = "Savitzky-Golay smoother: keeps peaks and their widths",
                               .known_as = "savitzky savgol_filter smooth",
                               .example = "savgol:21,3",
                               .kinds = HALO_AUDIO,
                               .filter = true,
                               HALO_PARAMS(savgol_param),
                               .build = build_savgol};

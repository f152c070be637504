/* lowpass and highpass: windowed-sinc filters, centred, so without delay. */
#include "filter.h"
#include "ops.h"
#include "taps.h"

enum { SINC_CUTOFF, SINC_TAPS, SINC_TRANSITION, SINC_ATTENUATION };

/* How many taps the arguments ask for, an odd number. Unless they say, the transition is half as wide as what
 * lies between the cut-off and the nearer end of the spectrum: it ends well inside. */
static HaloStatus count_taps(const char *op, const HaloValue *arg, double rate, int64_t *taps)
{
    const double cutoff = arg[SINC_CUTOFF].number, above = rate / 2.0 - cutoff;
    const double width =
        arg[SINC_TRANSITION].given ? arg[SINC_TRANSITION].number : 0.5 * (cutoff < above ? cutoff : above);
    *taps = 0;
    if (arg[SINC_TAPS].given && arg[SINC_TRANSITION].given)
        return halo_fail(HALO_ERR_USAGE, "%s: give taps or transition, not both", op);
    if (!(width > 0.0))
        return halo_fail(HALO_ERR_USAGE, "%s: transition has to be above 0 Hz, not %g", op, width);
    const double count = arg[SINC_TAPS].given ? (double)(arg[SINC_TAPS].integer | 1)
                                              : taps_sinc_count(width / rate, arg[SINC_ATTENUATION].number);
    if (!(count <= HALO_MASK_MAX_SIDE))
        return halo_fail(HALO_ERR_USAGE,
                         "%s: a transition of %g Hz would need %.0f taps, more than %d: widen it", op, width,
                         count, HALO_MASK_MAX_SIDE);
    *taps = count > 1.0 ? (int64_t)count : 1;
    return HALO_OK;
}

static HaloStatus build_sinc(HaloBuilder *builder, const char *op, TapsBand band, const HaloValue *arg,
                             HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    HaloMask row = {0};
    int64_t taps;
    const double rate = halo_build_shape(builder, in)->rate, cutoff = arg[SINC_CUTOFF].number;
    if (!(cutoff > 0.0 && cutoff < rate / 2.0))
        HALO_FAIL(HALO_ERR_USAGE,
                  "%s: cutoff has to be above 0 and below %.10g Hz, half the sample rate, not %.10g", op,
                  rate / 2.0, cutoff);
    HALO_TRY(count_taps(op, arg, rate, &taps));
    HALO_TRY(taps_sinc(band, cutoff / rate, taps, arg[SINC_ATTENUATION].number, &row));
    HALO_TRY(filter_mask(builder, in, &row, out));
out:
    halo_mask_free(&row);
    return status;
}

static HaloStatus build_lowpass(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    return build_sinc(builder, "lowpass", TAPS_LOWPASS, arg, in, out);
}

static HaloStatus build_highpass(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    return build_sinc(builder, "highpass", TAPS_HIGHPASS, arg, in, out);
}

static const HaloParam sinc_param[] = {
    {.key = "cutoff",
     .type = HALO_PARAM_FREQUENCY,
     .unit = "Hz",
     .help = "middle of the transition, where half the amplitude is left"},
    {.key = "taps",
     .type = HALO_PARAM_INTEGER,
     .preset = "",
     .min = 1,
     .max = HALO_MASK_MAX_SIDE - 1,
     .help = "length of the filter, made odd; in place of transition"},
    {.key = "transition",
     .type = HALO_PARAM_FREQUENCY,
     .preset = "",
     .unit = "Hz",
     .help = "width between pass and stop band; half the room beside the cutoff"},
    {.key = "attenuation",
     .type = HALO_PARAM_NUMBER,
     .preset = "80",
     .min = 8,
     .max = 180,
     .unit = "dB",
     .help = "of the stop band; shapes the Kaiser window"},
};

const HaloOp halo_op_lowpass = {.name = "lowpass",
                                .help = "keep what is below a frequency",
                                .example = "lowpass:4kHz",
                                .kinds = HALO_AUDIO,
                                .filter = true,
                                HALO_PARAMS(sinc_param),
                                .build = build_lowpass};

const HaloOp halo_op_highpass = {.name = "highpass",
                                 .help = "keep what is above a frequency",
                                 .example = "highpass:cutoff=80,transition=40",
                                 .kinds = HALO_AUDIO,
                                 .filter = true,
                                 HALO_PARAMS(sinc_param),
                                 .build = build_highpass};

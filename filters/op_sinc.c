/* lowpass, highpass and bandpass: windowed-sinc filters, centred, so without delay; or recursive ones. */
#include "filter.h"
#include "ops.h"
#include "sections.h"
#include "taps.h"

/* The parameters that follow the edges of the band. */
enum { SINC_TAPS, SINC_TRANSITION, SINC_ATTENUATION, BAND_DESIGN, BAND_ORDER, BAND_PHASE };
enum { DESIGN_SINC, DESIGN_BUTTERWORTH };

static double less(double a, double b) { return a < b ? a : b; }

/* Coefficients for the band from `low` to `high`, in Hz. Unless the arguments name it, the transition is half
 * as wide as `gap`, the distance from an edge to the next one or to the end of the spectrum. */
static HaloStatus design_taps(const char *op, const HaloValue *design, double low, double high, double gap,
                              double rate, HaloMask *row)
{
    const double width = design[SINC_TRANSITION].given ? design[SINC_TRANSITION].number : 0.5 * gap;
    const double attenuation = design[SINC_ATTENUATION].number;
    if (design[SINC_TAPS].given && design[SINC_TRANSITION].given)
        return halo_fail(HALO_ERR_USAGE, "%s: give taps or transition, not both", op);
    if (!(width > 0.0))
        return halo_fail(HALO_ERR_USAGE, "%s: transition has to be above 0 Hz, not %g", op, width);
    if (design[SINC_TAPS].given)
        return taps_sinc(low / rate, high / rate, design[SINC_TAPS].integer | 1, attenuation, row);
    const double count = taps_sinc_count(width / rate, attenuation);
    if (!(count <= HALO_MASK_MAX_SIDE))
        return halo_fail(HALO_ERR_USAGE,
                         "%s: a transition of %g Hz would need %.0f taps, more than %d: widen it", op, width,
                         count, HALO_MASK_MAX_SIDE);
    return taps_sinc_attaining(low / rate, high / rate, width / rate, attenuation, row);
}

/* What only the other design takes. */
static HaloStatus check_design(HaloBuilder *builder, const char *op, const HaloValue *design)
{
    static const struct {
        int at, design;
        const char *key, *of;
    } own[] = {{SINC_TAPS, DESIGN_SINC, "taps", "sinc"},
               {SINC_TRANSITION, DESIGN_SINC, "transition", "sinc"},
               {SINC_ATTENUATION, DESIGN_SINC, "attenuation", "sinc"},
               {BAND_ORDER, DESIGN_BUTTERWORTH, "order", "butterworth"},
               {BAND_PHASE, DESIGN_BUTTERWORTH, "phase", "butterworth"}};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (design[own[i].at].given && design[BAND_DESIGN].integer != own[i].design)
            return halo_fail(HALO_ERR_USAGE, "%s: %s needs design=%s", op, own[i].key, own[i].of);
    const HaloCommon *common = halo_build_common(builder);
    if (design[BAND_DESIGN].integer == DESIGN_SINC ||
        (common->border == HALO_BORDER_MIRROR && common->nan != HALO_NAN_IGNORE))
        return HALO_OK;
    return halo_fail(HALO_ERR_USAGE,
                     "%s: design=butterworth supports neither border= nor nan=ignore: use design=sinc", op);
}

/* The band from `low` to `high`, in Hz; 0 and half the sample rate are no edges. */
static HaloStatus pass(HaloBuilder *builder, const char *op, double low, double high, const HaloValue *design,
                       HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    HaloMask row = {0};
    const double rate = halo_build_shape(builder, in)->rate;
    double gap = high - low;
    HALO_TRY(check_design(builder, op, design));
    if (design[BAND_DESIGN].integer == DESIGN_BUTTERWORTH) {
        SectionList list;
        HALO_TRY(
            sections_butterworth(builder, low / rate, high / rate, (int)design[BAND_ORDER].integer, &list));
        HALO_TRY(sections_step(builder, in, &list, design[BAND_PHASE].integer == PHASE_ZERO, out));
        goto out;
    }
    if (low > 0.0) gap = less(gap, low);
    if (high < rate / 2.0) gap = less(gap, rate / 2.0 - high);
    HALO_TRY(design_taps(op, design, low, high, gap, rate, &row));
    HALO_TRY(filter_mask(builder, in, &row, out));
out:
    halo_mask_free(&row);
    return status;
}

static HaloStatus build_lowpass(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    const double cutoff = arg[0].number;
    const HaloStatus status = sections_check("lowpass: cutoff", cutoff, halo_build_shape(builder, in)->rate);
    return status == HALO_OK ? pass(builder, "lowpass", 0.0, cutoff, arg + 1, in, out) : status;
}

static HaloStatus build_highpass(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    const double cutoff = arg[0].number, rate = halo_build_shape(builder, in)->rate;
    const HaloStatus status = sections_check("highpass: cutoff", cutoff, rate);
    return status == HALO_OK ? pass(builder, "highpass", cutoff, rate / 2.0, arg + 1, in, out) : status;
}

static HaloStatus build_bandpass(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const double low = arg[0].number, high = arg[1].number, rate = halo_build_shape(builder, in)->rate;
    HALO_TRY(sections_check("bandpass: low", low, rate));
    HALO_TRY(sections_check("bandpass: high", high, rate));
    if (!(low < high))
        HALO_FAIL(HALO_ERR_USAGE, "bandpass: low, %.10g Hz, has to be below high, %.10g Hz", low, high);
    HALO_TRY(pass(builder, "bandpass", low, high, arg + 2, in, out));
out:
    return status;
}

/* clang-format off */
#define SINC_DESIGN                                                          \
    {.key = "taps",                                                          \
     .type = HALO_PARAM_INTEGER,                                             \
     .preset = "",                                                           \
     .min = 1,                                                               \
     .max = HALO_MASK_MAX_SIDE - 1,                                          \
     .help = "length of the filter, made odd; instead of transition"},      \
    {.key = "transition",                                                    \
     .type = HALO_PARAM_FREQUENCY,                                           \
     .preset = "",                                                           \
     .unit = "Hz",                                                           \
     .help = "width between pass and stop band; default: half the distance to 0, Nyquist or the other edge"}, \
    {.key = "attenuation",                                                   \
     .type = HALO_PARAM_NUMBER,                                              \
     .preset = "80",                                                         \
     .min = 8,                                                               \
     .max = 120,                                                             \
     .unit = "dB",                                                           \
     .help = "least attenuation of the stop band; with taps= it only shapes the Kaiser window"}, \
    {.key = "design",                                                        \
     .type = HALO_PARAM_CHOICE,                                              \
     .preset = "sinc",                                                       \
     .choices = "sinc|butterworth",                                          \
     .help = "sinc: windowed sinc (FIR), steep, zero delay; butterworth: few biquad sections (IIR)"},  \
    {.key = "order",                                                         \
     .type = HALO_PARAM_INTEGER,                                             \
     .preset = "4",                                                          \
     .min = 1,                                                               \
     .max = SECTIONS_MAX_ORDER,                                              \
     .help = "order of the Butterworth filter; each adds 6 dB per octave to the slope"}, \
    SECTIONS_PHASE
/* clang-format on */

static const HaloParam cutoff_param[] = {
    {.key = "cutoff",
     .type = HALO_PARAM_FREQUENCY,
     .unit = "Hz",
     .help = "middle of the transition, where half the amplitude is left"},
    SINC_DESIGN,
};

static const HaloParam band_param[] = {
    {.key = "low",
     .type = HALO_PARAM_FREQUENCY,
     .unit = "Hz",
     .help = "lower edge, where half the amplitude is left"},
    {.key = "high",
     .type = HALO_PARAM_FREQUENCY,
     .unit = "Hz",
     .help = "upper edge, where half the amplitude is left"},
    SINC_DESIGN,
};

const HaloOp halo_op_lowpass = {.name = "lowpass",
                                .help = "keep what is below a frequency",
                                .known_as = "lp sinc butter filtfilt firwin antialias decimate denoise hiss",
                                .example = "lowpass:4kHz",
                                .kinds = HALO_AUDIO,
                                .filter = true,
                                HALO_PARAMS(cutoff_param),
                                .build = build_lowpass};

const HaloOp halo_op_highpass = {.name = "highpass",
                                 .help = "keep what is above a frequency",
                                 .known_as = "hp sinc butter firwin detrend rumble dc",
                                 .example = "highpass:cutoff=80,transition=40",
                                 .kinds = HALO_AUDIO,
                                 .filter = true,
                                 HALO_PARAMS(cutoff_param),
                                 .build = build_highpass};

const HaloOp halo_op_bandpass = {.name = "bandpass",
                                 .help = "keep what is between two frequencies",
                                 .known_as = "bp sinc butter firwin",
                                 .example = "bandpass:300,3400",
                                 .kinds = HALO_AUDIO,
                                 .filter = true,
                                 HALO_PARAMS(band_param),
                                 .build = build_bandpass};

/* decimate: every nth sample, behind a filter against aliases: that of scipy.signal.decimate. */
#include <math.h>

#include "geometry.h"
#include "ops.h"
#include "sections.h"

static const double pi = 3.14159265358979323846;

enum { DECIMATE_FACTOR, DECIMATE_METHOD };
enum { METHOD_IIR, METHOD_FIR };

/* SciPy's: Chebyshev's filter of type I, its ripple in dB, its edge in shares of half the new rate. */
#define ORDER 8
#define RIPPLE 0.05
#define EDGE 0.8
/* And a windowed sinc, which reaches so many samples of the result to either side. */
#define REACH 10

/* The samples of Hamming's window on a sinc whose edge is half the new rate, with unity gain at 0 Hz. */
static void make_taps(int64_t factor, double *tap)
{
    const int64_t half = REACH * factor;
    double sum = 0.0;
    for (int pass = 0; pass < 2; pass++) {
        const double all = sum;
        for (int64_t i = -half; i <= half; i++) {
            const double x = (double)i / (double)factor;
            const double sinc = i == 0 ? 1.0 : sin(pi * x) / (pi * x);
            const double weight = sinc * (0.54 + 0.46 * cos(pi * (double)i / (double)half));
            if (pass == 0)
                sum += weight;
            else
                tap[i + half] = weight / all;
        }
    }
}

/* Output i is the sum of taps around sample i * factor; samples outside of the sound are 0. */
static HaloStatus keep_every(HaloBuilder *builder, HaloReg in, int64_t factor, int64_t half, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = halo_build_shape(builder, in);
    const int64_t taps = 2 * half + 1;
    float *const tap = halo_build_keep(builder, (size_t)taps * sizeof *tap);
    int64_t *const place = halo_build_keep(builder, 2 * sizeof *place);
    double *const wide = halo_build_keep(builder, (size_t)taps * sizeof *wide);
    if (tap == NULL || wide == NULL || place == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    HaloResample how = {.rate = shape->rate / (double)factor,
                        .x = {.length = shape->width,
                              .size = (shape->width + factor - 1) / factor,
                              .up = 1,
                              .down = factor,
                              .taps = taps,
                              .cut = true,
                              .first = place,
                              .count = place + 1,
                              .tap = tap,
                              .wide = wide}};
    place[0] = -half;
    place[1] = taps;
    if (half > 0)
        make_taps(factor, wide);
    else
        wide[0] = 1.0;
    for (int64_t i = 0; i < taps; i++) tap[i] = (float)wide[i];
    HALO_TRY(taps_resample(builder, 1, 1, 1, RESAMPLE_NEAREST, &how.y, &how.for_y));
    HALO_TRY(halo_build_resample(builder, in, &how, out));
out:
    return status;
}

static HaloStatus build_decimate(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const int64_t factor = arg[DECIMATE_FACTOR].integer;
    SectionList list;
    *out = in;
    if (factor == 1) goto out;
    if (arg[DECIMATE_METHOD].integer == METHOD_IIR) {
        HALO_TRY(sections_chebyshev(builder, 0.5 * EDGE / (double)factor, ORDER, RIPPLE, &list));
        HALO_TRY(sections_step(builder, in, &list, true, &in));
    }
    HALO_TRY(
        keep_every(builder, in, factor, arg[DECIMATE_METHOD].integer == METHOD_FIR ? REACH * factor : 0, out));
out:
    return status;
}

static const HaloParam param[] = {
    {.key = "factor",
     .type = HALO_PARAM_INTEGER,
     .min = 1,
     .max = 256,
     .help = "every which sample is kept; for more, decimate twice"},
    {.key = "method",
     .type = HALO_PARAM_CHOICE,
     .preset = "iir",
     .choices = "iir|fir",
     .help =
         "the filter before: Chebyshev's of order 8, forward and backward, or a sinc under Hamming's window; "
         "both as in SciPy"},
};

const HaloOp halo_op_decimate = {.name = "decimate",
                                 .help = "keep every nth sample, behind a low-pass filter",
                                 .known_as = "downsample subsample resample",
                                 .example = "decimate:4",
                                 .kinds = HALO_AUDIO,
                                 HALO_PARAMS(param),
                                 .build = build_decimate};

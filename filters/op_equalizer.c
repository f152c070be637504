/* notch, peak and shelf: recursive filters that change a part of the spectrum. */
#include <math.h>
#include <stdio.h>

#include "ops.h"
#include "sections.h"

/* The frequency in cycles per sample. */
static HaloStatus find_frequency(HaloBuilder *builder, const char *op, HaloReg in, const HaloValue *arg,
                                 double *frequency)
{
    char what[32];
    const double rate = halo_build_shape(builder, in)->rate;
    snprintf(what, sizeof what, "%s: frequency", op);
    *frequency = arg->number / rate;
    return sections_check(what, arg->number, rate);
}

static HaloStatus build_notch(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    SectionList list;
    double frequency;
    HALO_TRY(find_frequency(builder, "notch", in, &arg[0], &frequency));
    if (!(frequency / arg[1].number < 0.5))
        HALO_FAIL(HALO_ERR_USAGE, "notch: q %g makes the notch wider than the spectrum: raise q",
                  arg[1].number);
    HALO_TRY(sections_notch(builder, frequency, arg[1].number, arg[2].integer, &list));
    HALO_TRY(sections_step(builder, in, &list, arg[3].integer == PHASE_ZERO, out));
out:
    return status;
}

typedef enum Bend { BEND_PEAK, BEND_LOW, BEND_HIGH } Bend;

/* `arg` begins with frequency, gain and q. Of a filter that goes over the samples twice each way does half of
 * the gain. */
static HaloStatus build_bend(HaloBuilder *builder, const char *op, Bend bend, const HaloValue *arg,
                             bool zero_phase, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const double gain = zero_phase ? sqrt(arg[1].number) : arg[1].number, q = arg[2].number;
    SectionList list;
    double frequency;
    HALO_TRY(find_frequency(builder, op, in, &arg[0], &frequency));
    if (!(arg[1].number > 0.0))
        HALO_FAIL(HALO_ERR_USAGE, "%s: gain is a factor above 0, or decibels, such as 3dB", op);
    HALO_TRY(bend == BEND_PEAK ? sections_peak(builder, frequency, q, gain, &list)
                               : sections_shelf(builder, frequency, q, gain, bend == BEND_HIGH, &list));
    HALO_TRY(sections_step(builder, in, &list, zero_phase, out));
out:
    return status;
}

static HaloStatus build_peak(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    return build_bend(builder, "peak", BEND_PEAK, arg, arg[3].integer == PHASE_ZERO, in, out);
}

static HaloStatus build_shelf(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    const Bend bend = arg[3].integer == 1 ? BEND_HIGH : BEND_LOW;
    return build_bend(builder, "shelf", bend, arg, arg[4].integer == PHASE_ZERO, in, out);
}

/* clang-format off */
#define FREQUENCY(what) {.key = "frequency", .type = HALO_PARAM_FREQUENCY, .unit = "Hz", .help = what}
#define GAIN {.key = "gain", .type = HALO_PARAM_FACTOR, .unit = "dB", .help = "gain there"}
#define Q(default, what) \
    {.key = "q", .type = HALO_PARAM_NUMBER, .preset = default, .min = 0.01, .max = 10000, .help = what}
/* clang-format on */

static const HaloParam notch_param[] = {
    FREQUENCY("what is taken out"),
    Q("30", "frequency / width of the notch"),
    {.key = "harmonics",
     .type = HALO_PARAM_INTEGER,
     .preset = "1",
     .min = 1,
     .max = 1000,
     .help = "number of harmonics removed, each as wide; 1: only the frequency itself"},
    SECTIONS_PHASE,
};

static const HaloParam peak_param[] = {
    FREQUENCY("middle of the bell"),
    GAIN,
    Q("1", "the frequency over the width of the bell"),
    SECTIONS_PHASE,
};

static const HaloParam shelf_param[] = {
    FREQUENCY("middle of the slope, where half of the decibels are reached"),
    GAIN,
    Q("0.7071", "how steep it is; above 0.7071 it overshoots"),
    {.key = "side",
     .type = HALO_PARAM_CHOICE,
     .preset = "low",
     .choices = "low|high",
     .help = "what is raised or lowered: the bass or the treble"},
    SECTIONS_PHASE,
};

const HaloOp halo_op_notch = {.name = "notch",
                              .help = "remove a frequency, such as hum, and its multiples",
                              .known_as = "bandreject hum dehum iirnotch",
                              .example = "notch:50Hz,harmonics=5",
                              .kinds = HALO_AUDIO,
                              HALO_PARAMS(notch_param),
                              .build = build_notch};

const HaloOp halo_op_peak = {.name = "peak",
                             .help = "raise or lower what is around a frequency",
                             .known_as = "equalizer eq bell anequalizer iirpeak",
                             .example = "peak:1kHz,3dB,1",
                             .kinds = HALO_AUDIO,
                             HALO_PARAMS(peak_param),
                             .build = build_peak};

const HaloOp halo_op_shelf = {.name = "shelf",
                              .help = "raise or lower the bass or the treble",
                              .known_as = "bass treble lowshelf highshelf",
                              .example = "shelf:200Hz,-6dB",
                              .kinds = HALO_AUDIO,
                              HALO_PARAMS(shelf_param),
                              .build = build_shelf};

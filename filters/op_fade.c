/* fade: sound that comes out of silence, and goes back. */
#include <math.h>

#include "halo/fade.h"
#include "ops.h"
#include "times.h"

static const double pi = 3.14159265358979323846;

enum { FADE_TIMES, FADE_SHAPE };
enum { SHAPE_LINEAR, SHAPE_COSINE, SHAPE_DB };

/* `db` rises from here. */
#define LEAST_DB -60.0

static double gain_at(int64_t shape, double t)
{
    switch (shape) {
    case SHAPE_COSINE: return 0.5 - 0.5 * cos(pi * t);
    case SHAPE_DB: return pow(10.0, LEAST_DB / 20.0 * (1.0 - t));
    default: return t;
    }
}

static HaloStatus build_fade(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = halo_build_shape(builder, in);
    HaloStep step = {.primitive = HALO_FADE, .sources = 1, .src = {in}};
    Time time[2];
    int64_t frames[2] = {0, 0};
    int count;
    HALO_TRY(times_read("fade: times", arg[FADE_TIMES].text, 2, time, &count));
    for (int k = 0; k < count; k++) HALO_TRY(times_frames("fade: times", &time[k], shape->rate, &frames[k]));
    if (frames[1] > 0) halo_build_wants_length(builder);
    float *const gain = halo_build_keep(builder, (HALO_FADE_PLACES + 1) * sizeof *gain);
    double *const wide = halo_build_keep(builder, (HALO_FADE_PLACES + 1) * sizeof *wide);
    if (gain == NULL || wide == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    for (int i = 0; i <= HALO_FADE_PLACES; i++)
        gain[i] = (float)(wide[i] = gain_at(arg[FADE_SHAPE].integer, (double)i / HALO_FADE_PLACES));
    step.u.fade = (HaloFade){.in = frames[0], .out = frames[1], .gain = gain, .wide = wide};
    *out = in;
    if (frames[0] + frames[1] > 0) HALO_TRY(halo_build_step(builder, &step, out));
out:
    return status;
}

static const HaloParam fade_param[] = {
    [FADE_TIMES] =
        {.key = "times",
         .type = HALO_PARAM_TEXT,
         .list = 2,
         .check = times_check_lengths,
         .help =
             "durations of the fade-in and the fade-out in seconds, such as 0.5,2 or 500ms,2; for a fade-out, "
             "sound of unknown length is read to its end first"},
    [FADE_SHAPE] = {.key = "shape",
                    .type = HALO_PARAM_CHOICE,
                    .preset = "linear",
                    .choices = "linear|cosine|db",
                    .help = "curve of the gain: linear, half a cosine, or linear in decibels, from -60"},
};

const HaloOp halo_op_fade = {.name = "fade",
                             .help = "fade in and out",
                             .synonyms = "afade",
                             .known_as = "fadein fadeout crossfade ramp declick",
                             .example = "fade:2ms,5ms",
                             .kinds = HALO_AUDIO,
                             HALO_PARAMS(fade_param),
                             .build = build_fade};

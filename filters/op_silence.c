/* silence: sound without the silence at its ends. */
#include "filter.h"
#include "ops.h"

enum { SILENCE_LEVEL, SILENCE_MIN };

static HaloStatus build_silence(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    HaloPick part = {.height = 1, .step_x = 1, .step_y = 1, .border = HALO_BORDER_ZERO};
    const double full = (double)halo_build_shape(builder, in)->white;
    int64_t to;
    float level;
    HALO_TRY(filter_f32("silence: level", arg[SILENCE_LEVEL].number * full, &level));
    HALO_TRY(halo_build_heard(builder, in, level, (int64_t)arg[SILENCE_MIN].number, &part.x0, &to));
    if (part.x0 == to)
        HALO_FAIL(HALO_ERR_INPUT, "silence: nothing is left, since no sample has a magnitude of %g or more",
                  (double)level);
    part.width = to - part.x0;
    *out = in;
    if (part.x0 > 0 || to < halo_build_shape(builder, in)->width)
        HALO_TRY(halo_build_pick(builder, in, &part, out));
out:
    return status;
}

static const HaloParam silence_param[] = {
    [SILENCE_LEVEL] = {.key = "level",
                       .type = HALO_PARAM_FACTOR,
                       .preset = "-50dB",
                       .min = 1e-9,
                       .max = 1,
                       .help = "of full scale: where all samples of a frame have less, it is silent"},
    [SILENCE_MIN] = {.key = "min",
                     .type = HALO_PARAM_LENGTH,
                     .preset = "300ms",
                     .max = 1e12,
                     .unit = "samples",
                     .help = "silence that is shorter stays"},
};

const HaloOp halo_op_silence = {.name = "silence",
                                .help = "take silence away from the beginning and the end of a sound",
                                .known_as = "silenceremove vad strip trim gate",
                                .example = "silence:-50dB,min=1ms",
                                .kinds = HALO_AUDIO,
                                HALO_PARAMS(silence_param),
                                .build = build_silence};

/* silence: sound without the silence at its ends, or anywhere. */
#include "filter.h"
#include "ops.h"

enum { SILENCE_LEVEL, SILENCE_MIN, SILENCE_ALL };

static HaloStatus pieces_of(HaloBuilder *builder, const HaloSpan *span, int64_t spans, HaloGather *gather)
{
    HaloPiece *piece = halo_build_keep(builder, (size_t)spans * sizeof *piece);
    if (piece == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    for (int64_t i = 0; i < spans; i++) {
        piece[i] = (HaloPiece){gather->width, span[i].from};
        gather->width += span[i].to - span[i].from;
    }
    gather->piece = piece;
    gather->pieces = spans;
    return HALO_OK;
}

static HaloStatus build_silence(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    HaloGather part = {.height = 1, .step_x = 1, .step_y = 1, .border = HALO_BORDER_ZERO};
    HaloSilence silence = {.least = (int64_t)arg[SILENCE_MIN].number, .all = arg[SILENCE_ALL].integer != 0};
    const double full = (double)halo_build_shape(builder, in)->white;
    const HaloSpan *span;
    int64_t spans;
    HALO_TRY(filter_f32("silence: level", arg[SILENCE_LEVEL].number * full, &silence.level));
    HALO_TRY(halo_build_analysis(builder, in, &silence, &span, &spans));
    if (spans == 0)
        HALO_FAIL(HALO_ERR_INPUT, "silence: nothing is left, since no sample has a magnitude of %g or more",
                  (double)silence.level);
    *out = in;
    if (spans == 1 && span->from == 0 && span->to >= halo_build_shape(builder, in)->width) return HALO_OK;
    part.x0 = span->from;
    if (spans == 1)
        part.width = span->to - span->from;
    else
        HALO_TRY(pieces_of(builder, span, spans, &part));
    HALO_TRY(halo_build_gather(builder, in, &part, out));
out:
    return status;
}

static const HaloParam silence_param[] = {
    [SILENCE_LEVEL] = {.key = "level",
                       .type = HALO_PARAM_FACTOR,
                       .preset = "-50dB",
                       .min = 1e-9,
                       .max = 1,
                       .help =
                           "threshold, relative to full scale: a frame with all samples below it is silent"},
    [SILENCE_MIN] = {.key = "min",
                     .type = HALO_PARAM_LENGTH,
                     .duration = true,
                     .preset = "300ms",
                     .max = 1e12,
                     .help = "shorter silence does not count"},
    [SILENCE_ALL] = {.key = "all",
                     .type = HALO_PARAM_SWITCH,
                     .preset = "0",
                     .help = "also remove the pauses in between, and close the gaps"},
};

const HaloOp halo_op_silence = {.name = "silence",
                                .help = "remove silence: from both ends of a sound, or everywhere",
                                .known_as = "silenceremove silencedetect silences vad trim "
                                            "split",
                                .example = "silence:-50dB,min=1ms",
                                .kinds = HALO_AUDIO,
                                HALO_PARAMS(silence_param),
                                .build = build_silence};

/* conv and fir: the user's own coefficients. */
#include <math.h>
#include <string.h>

#include "filter.h"
#include "halo/mix.h"
#include "ops.h"
#include "upright.h"

/* A copy of the mask, or of a channel of it, that may be changed; on audio it lies along time, however it was
 * written. */
static HaloStatus copy_mask(const char *op, HaloKind kind, const HaloMask *mask, int channel, HaloMask *copy)
{
    const int64_t count = mask->width * mask->height;
    const bool turn = kind == HALO_AUDIO && mask->width == 1;
    if (kind == HALO_AUDIO && mask->height > 1 && !turn)
        return halo_fail(HALO_ERR_USAGE, "%s: audio needs a mask in one dimension, not %lldx%lld", op,
                         (long long)mask->width, (long long)mask->height);
    const HaloStatus status =
        halo_mask_alloc(copy, turn ? mask->height : mask->width, turn ? mask->width : mask->height);
    if (status != HALO_OK) return status;
    memcpy(copy->tap, mask->tap + channel * count, (size_t)count * sizeof *mask->tap);
    copy->anchor_x = turn ? mask->anchor_y : mask->anchor_x;
    copy->anchor_y = turn ? mask->anchor_x : mask->anchor_y;
    copy->scale = mask->scale;
    copy->bias = mask->bias;
    return HALO_OK;
}

/* Turned by 180 degrees about its anchor: correlation becomes convolution. */
static void flip(HaloMask *mask)
{
    for (int64_t i = 0, j = mask->width * mask->height - 1; i < j; i++, j--) {
        const double tap = mask->tap[i];
        mask->tap[i] = mask->tap[j];
        mask->tap[j] = tap;
    }
    mask->anchor_x = mask->width - 1 - mask->anchor_x;
    mask->anchor_y = mask->height - 1 - mask->anchor_y;
}

/* A limit far beyond use, at which memory is still small. */
#define MAX_DILATED_TAPS 16777216

/* Puts step - 1 zeros between neighbouring taps, along x and along y. */
static HaloStatus dilate(int64_t step, HaloMask *mask)
{
    HaloMask wide;
    if (step == 1) return HALO_OK;
    const int64_t width = (mask->width - 1) * step + 1, height = (mask->height - 1) * step + 1;
    if (width > MAX_DILATED_TAPS / height)
        return halo_fail(HALO_ERR_USAGE, "conv: dilated, the mask would have %lldx%lld taps, more than %d",
                         (long long)width, (long long)height, MAX_DILATED_TAPS);
    const HaloStatus status = halo_mask_alloc(&wide, width, height);
    if (status != HALO_OK) return status;
    for (int64_t j = 0; j < mask->height; j++)
        for (int64_t i = 0; i < mask->width; i++)
            wide.tap[j * step * wide.width + i * step] = mask->tap[j * mask->width + i];
    wide.anchor_x = mask->anchor_x * step;
    wide.anchor_y = mask->anchor_y * step;
    wide.scale = mask->scale;
    wide.bias = mask->bias;
    halo_mask_free(mask);
    *mask = wide;
    return HALO_OK;
}

/* Makes the weights sum to 1, whatever the mask's own scale was; weights that sum to 0 stay. */
static void normalise(HaloMask *mask)
{
    const double weight = filter_weight(mask);
    if (weight == 0.0) return;
    for (int64_t i = 0; i < mask->width * mask->height; i++) mask->tap[i] *= mask->scale / weight;
    mask->scale = 1.0;
}

/* ---- conv ----------------------------------------------------------------------------------------------- */

enum { CONV_MASK, CONV_SCALE, CONV_BIAS, CONV_ANCHOR, CONV_FLIP, CONV_NORMALIZE, CONV_DILATION, CONV_STRIDE };

static const HaloParam conv_param[] = {
    {.key = "mask",
     .type = HALO_PARAM_MASK,
     .help = "a quoted mask, a file, or a name of 'halo list masks'; applied as written (correlation)"},
    {.key = "scale",
     .type = HALO_PARAM_NUMBER,
     .preset = "1",
     .help = "multiplies the sum, in addition to the mask file's own scale"},
    {.key = "bias",
     .type = HALO_PARAM_NUMBER,
     .preset = "0",
     .help = "is added after that, in addition to the mask file's own offset"},
    {.key = "anchor",
     .type = HALO_PARAM_POINT,
     .preset = "",
     .unit = "pixels",
     .help = "origin of the mask, X+Y; default: the centre, or as the mask file says"},
    {.key = "flip",
     .type = HALO_PARAM_SWITCH,
     .preset = "0",
     .help = "turn the mask by 180 degrees (convolution)"},
    {.key = "normalize",
     .type = HALO_PARAM_SWITCH,
     .preset = "0",
     .help = "divide the weights by their sum, instead of the mask file's scale"},
    {.key = "dilation",
     .type = HALO_PARAM_INTEGER,
     .preset = "1",
     .min = 1,
     .max = HALO_MASK_MAX_SIDE,
     .unit = "samples",
     .help = "spacing of the taps, with zeros between; the anchor stays on the same tap"},
    {.key = "stride",
     .type = HALO_PARAM_POINT,
     .preset = "",
     .unit = "pixels",
     .help = "keep every Nth output, from the first on: 2, or X+Y; images only"},
};

/* One output of stride[0] x stride[1]. */
static HaloStatus gather(HaloBuilder *builder, const int64_t stride[2], HaloReg in, HaloReg *out)
{
    const HaloShape *shape = halo_build_shape(builder, in);
    if (shape->kind == HALO_AUDIO)
        return halo_fail(HALO_ERR_USAGE, "conv: stride is for images; sound keeps its sample rate");
    if (stride[0] < 1 || stride[1] < 1 || stride[0] > HALO_MASK_MAX_SIDE || stride[1] > HALO_MASK_MAX_SIDE)
        return halo_fail(HALO_ERR_USAGE, "conv: stride %lldx%lld has to be 1 to %d along each axis",
                         (long long)stride[0], (long long)stride[1], HALO_MASK_MAX_SIDE);
    const HaloGather steps = {.width = (shape->width - 1) / stride[0] + 1,
                              .height = (shape->height - 1) / stride[1] + 1,
                              .step_x = stride[0],
                              .step_y = stride[1]};
    return halo_build_gather(builder, in, &steps, out);
}

static HaloStatus build_conv(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    HaloMask mask = {0};
    if (arg[CONV_MASK].mask->channels > 1)
        HALO_FAIL(HALO_ERR_USAGE, "conv: the mask has %d channels, and only fir takes several",
                  arg[CONV_MASK].mask->channels);
    HALO_TRY(copy_mask("conv", halo_build_shape(builder, in)->kind, arg[CONV_MASK].mask, 0, &mask));
    if (arg[CONV_ANCHOR].given) {
        const int64_t *point = arg[CONV_ANCHOR].point;
        if (point[0] < 0 || point[0] >= mask.width || point[1] < 0 || point[1] >= mask.height)
            HALO_FAIL(HALO_ERR_USAGE, "conv: anchor %lld+%lld lies outside the mask of %lldx%lld",
                      (long long)point[0], (long long)point[1], (long long)mask.width, (long long)mask.height);
        mask.anchor_x = point[0];
        mask.anchor_y = point[1];
    }
    if (arg[CONV_FLIP].integer) flip(&mask);
    if (arg[CONV_NORMALIZE].integer) normalise(&mask);
    HALO_TRY(dilate(arg[CONV_DILATION].integer, &mask));
    mask.scale *= arg[CONV_SCALE].number;
    mask.bias += arg[CONV_BIAS].number;
    HALO_TRY(filter_mask(builder, in, &mask, out));
    if (arg[CONV_STRIDE].given) HALO_TRY(gather(builder, arg[CONV_STRIDE].point, *out, out));
out:
    halo_mask_free(&mask);
    return status;
}

static bool turns(const HaloValue *arg)
{
    return arg[CONV_ANCHOR].given || arg[CONV_STRIDE].given || upright_mask(arg[CONV_MASK].mask);
}

const HaloOp halo_op_conv = {.name = "conv",
                             .help = "convolve with any mask",
                             .synonyms = "convolve convolution filter2d",
                             .known_as = "correlate xcorr filter kernel matrix",
                             .example = "conv:mask=\"3x3: 0,-1,0, -1,5,-1, 0,-1,0\"",
                             .upright_of = turns,
                             .kinds = HALO_IMAGE | HALO_AUDIO,
                             .filter = true,
                             HALO_PARAMS(conv_param),
                             .build = build_conv};

/* ---- fir ------------------------------------------------------------------------------------------------ */

enum { FIR_FILE, FIR_PHASE, FIR_TAIL };

static const HaloParam fir_param[] = {
    {.key = "file",
     .type = HALO_PARAM_MASK,
     .help = "the impulse response: a sound, of one channel for all or as many as the input has, or a text "
             "with one "
             "coefficient per line"},
    {.key = "phase",
     .type = HALO_PARAM_CHOICE,
     .preset = "zero",
     .choices = "zero|causal",
     .help = "zero: centred on the sample, zero delay; causal: starts at the sample"},
    {.key = "tail",
     .type = HALO_PARAM_SWITCH,
     .preset = "0",
     .help = "keep the decay after the end, which lengthens the sound; only with phase=causal"},
};

/* Samples [from, from + width), silence among them where there are none. */
static HaloStatus cut(HaloBuilder *builder, HaloReg in, int64_t from, int64_t width, HaloReg *out)
{
    const HaloGather gather = {
        .width = width, .height = 1, .x0 = from, .step_x = 1, .step_y = 1, .border = HALO_BORDER_CONSTANT};
    return halo_build_gather(builder, in, &gather, out);
}

/* y(n) = sum of h(k) x(n - k), with silence before the first sample, and, for what sounds on, behind the last.
 * No output that is kept reads beyond the silence. */
static HaloStatus fir_causal(HaloBuilder *builder, const HaloMask *mask, bool tail, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const int64_t before = mask->width - 1, width = halo_build_shape(builder, in)->width + (tail ? before : 0);
    if (halo_build_common(builder)->border != HALO_BORDER_MIRROR)
        HALO_FAIL(HALO_ERR_USAGE, "fir: phase=causal starts from silence: border= needs phase=zero");
    HALO_TRY(cut(builder, in, -before, before + width, &in));
    HALO_TRY(filter_mask(builder, in, mask, &in));
    HALO_TRY(cut(builder, in, before, width, out));
out:
    return status;
}

/* One channel of the response, on all channels of `in`.
 *
 * y(n) = sum of h(k) x(n + c - k), c = taps/2, or 0: the taps are an impulse response, so the mask is the taps
 * reversed. */
static HaloStatus fir_channel(HaloBuilder *builder, const HaloValue *arg, int channel, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    HaloMask mask = {0};
    HALO_TRY(copy_mask("fir", HALO_AUDIO, arg[FIR_FILE].mask, channel, &mask));
    flip(&mask);
    mask.anchor_x = arg[FIR_PHASE].integer == 1 ? mask.width - 1 : mask.width / 2;
    if (arg[FIR_PHASE].integer == 1)
        HALO_TRY(fir_causal(builder, &mask, arg[FIR_TAIL].integer != 0, in, out));
    else
        HALO_TRY(filter_mask(builder, in, &mask, out));
out:
    halo_mask_free(&mask);
    return status;
}

/* `channels` channels from `first` on; of a mono value copies of that one. Of these `marked` is called alpha,
 * so that a combination can replace it; -1: none. */
static HaloStatus choose(HaloBuilder *builder, int channels, int first, int marked, HaloReg in, HaloReg *out)
{
    const bool mono = halo_build_shape(builder, in)->channels == 1;
    int *const begin = halo_build_keep(builder, sizeof *begin * (size_t)(channels + 1));
    HaloMixTerm *const term = halo_build_keep(builder, sizeof *term * (size_t)channels);
    if (begin == NULL || term == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    for (int c = 0; c <= channels; c++) begin[c] = c;
    for (int c = 0; c < channels; c++) term[c] = (HaloMixTerm){mono ? 0 : first + c, 1.0f};
    const HaloStep step = {.primitive = HALO_MIX,
                           .sources = 1,
                           .src = {in},
                           .u.mix = {.channels = channels, .alpha = marked, .begin = begin, .term = term}};
    return halo_build_step(builder, &step, out);
}

/* Channel k of the response for channel k: the first is applied to all channels, and its results but the first
 * are replaced. */
static HaloStatus fir_channels(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const int channels = halo_build_shape(builder, in)->channels;
    const HaloCombine replace = {.kind = HALO_COMBINE_COPY_ALPHA};
    HaloReg all, one;
    HALO_TRY(fir_channel(builder, arg, 0, in, &all));
    for (int c = 1; c < channels; c++) {
        HALO_TRY(choose(builder, 1, c, -1, in, &one));
        HALO_TRY(fir_channel(builder, arg, c, one, &one));
        HALO_TRY(choose(builder, channels, 0, c, one, &one));
        HALO_TRY(choose(builder, channels, 0, c, all, &all));
        HALO_TRY(halo_build_combine(builder, all, one, &replace, &all));
    }
    HALO_TRY(choose(builder, channels, 0, -1, all, out));
out:
    return status;
}

static HaloStatus build_fir(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    const HaloMask *response = arg[FIR_FILE].mask;
    const HaloShape *shape = halo_build_shape(builder, in);
    if (arg[FIR_TAIL].integer && arg[FIR_PHASE].integer == 0)
        return halo_fail(HALO_ERR_USAGE, "fir: tail=1 needs phase=causal");
    if (response->channels > 1 && response->channels != shape->channels)
        return halo_fail(
            HALO_ERR_INPUT,
            "fir: the impulse response has %d channels and the sound has %d: it takes one for all, or "
            "one for each",
            response->channels, shape->channels);
    if (response->rate > 0 && response->rate != shape->rate)
        return halo_fail(
            HALO_ERR_INPUT,
            "fir: the impulse response has %.10g Hz and the sound %.10g Hz: convert one of them first, "
            "as by 'halo run rate:%.10g RESPONSE -o CONVERTED.wav'",
            response->rate, shape->rate, shape->rate);
    if (response->channels > 1) return fir_channels(builder, arg, in, out);
    return fir_channel(builder, arg, 0, in, out);
}

const HaloOp halo_op_fir = {.name = "fir",
                            .help = "filter with an impulse response, centred: no delay",
                            .known_as = "convolve afir filter firfit reverb echo lfilter",
                            .example = "fir:taps.txt",
                            .kinds = HALO_AUDIO,
                            .filter = true,
                            HALO_PARAMS(fir_param),
                            .build = build_fir};

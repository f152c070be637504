/* on: a pipeline for some channels. */
#include "halo/op.h"
#include "ops.h"

enum { ON_CHANNELS, ON_RUN };

static HaloStatus build_on(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    HaloChannelList list;
    HaloReg taken, made;
    HALO_TRY(halo_read_channels("on: channels", arg[ON_CHANNELS].text, &list));
    HALO_TRY(halo_build_take_channels(builder, in, &list, &taken));
    HALO_TRY(halo_build_source(builder, &arg[ON_RUN], taken, HALO_FIT_CHANNELS, &made));
    HALO_TRY(halo_build_put_channels(builder, in, &list, taken, made, out));
out:
    return status;
}

static const HaloParam on_param[] = {
    [ON_CHANNELS] = {.key = "channels",
                     .type = HALO_PARAM_TEXT,
                     .list = HALO_CHANNEL_RUNS,
                     .check = halo_check_channels,
                     .help = "in rising order, counted from 1: 2,3 or 1-3"},
    [ON_RUN] = {.key = "run",
                .type = HALO_PARAM_SOURCE,
                .help =
                    "a pipeline in brackets, [gauss:2], which sees only these channels and gives as many of "
                    "the same size; the other channels stay as they are"},
};

const HaloOp halo_op_on = {.name = "on",
                           .help = "run a pipeline on some channels",
                           .known_as = "channel each chroma extractplanes mergeplanes bandjoin per-channel",
                           .example = "on:1,[median:3 | gauss:1]",
                           .kinds = HALO_IMAGE | HALO_AUDIO,
                           HALO_PARAMS(on_param),
                           .build = build_on};

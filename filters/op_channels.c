/* channels: other channels, or sums of them. */
#include <math.h>
#include <string.h>

#include "filter.h"
#include "halo/mix.h"
#include "halo/text.h"
#include "ops.h"

/* Channels of a result, and terms of one or of all. */
#define MOST_CHANNELS 64
#define MOST_TERMS 256

typedef struct Channels {
    int channels, terms;
    int begin[MOST_CHANNELS + 1];
    int channel[MOST_TERMS]; /* from 1; 0: all, by the same weight */
    double weight[MOST_TERMS];
} Channels;

static const char *skip_blanks(const char *at)
{
    while (halo_is_blank(*at)) at++;
    return at;
}

/* "2", "0.5*2" or "-2", with a sign before it where there is a term before; NULL where it is none. */
static const char *read_term(const char *at, bool first, Channels *made)
{
    double number = 1.0, sign = 1.0;
    const char *end;
    int64_t channel;
    if (*at == '+' || *at == '-') {
        sign = *at == '-' ? -1.0 : 1.0;
        at = skip_blanks(at + 1);
    } else if (!first) {
        return NULL;
    }
    if (made->terms == MOST_TERMS || *at == '+' || *at == '-' || !halo_read_number(at, &number, &end))
        return NULL;
    const char *behind = skip_blanks(end);
    if (*behind == '*')
        at = skip_blanks(behind + 1);
    else
        number = 1.0;
    if (!halo_read_count(at, INT32_MAX, &channel, &end) || channel < 1 || !isfinite(number)) return NULL;
    made->channel[made->terms] = (int)channel;
    made->weight[made->terms++] = sign * number;
    return skip_blanks(end);
}

static bool read_channels(const char *text, Channels *made)
{
    const char *at = skip_blanks(text);
    *made = (Channels){0};
    if (strcmp(at, "mono") == 0) {
        made->terms = made->channels = made->begin[1] = 1;
        return true;
    }
    while (made->channels < MOST_CHANNELS) {
        for (bool first = true; first || (*at != 0 && *at != ','); first = false)
            if ((at = read_term(at, first, made)) == NULL) return false;
        made->begin[++made->channels] = made->terms;
        if (*at == 0) return true;
        at = skip_blanks(at + 1);
    }
    return false;
}

static HaloStatus check_channels(const char *where, const char *text)
{
    Channels made;
    if (read_channels(text, &made)) return HALO_OK;
    return halo_fail(
        HALO_ERR_USAGE,
        "%s: expected channels, counted from 1, such as 2,1 or 0.5*1+0.5*2, or mono, found '%.60s'", where,
        text);
}

/* The mean of all channels but alpha. */
static void make_mono(const HaloShape *shape, HaloMixTerm *term, int *terms)
{
    const int colours = shape->channels - (shape->alpha >= 0);
    for (int c = 0; c < shape->channels; c++)
        if (c != shape->alpha) term[(*terms)++] = (HaloMixTerm){c, 1.0 / colours};
}

static HaloStatus make_terms(const HaloShape *shape, const Channels *wanted, HaloMixTerm *term)
{
    HaloStatus status = HALO_OK;
    for (int t = 0; t < wanted->terms; t++) {
        if (wanted->channel[t] > shape->channels)
            HALO_FAIL(HALO_ERR_INPUT, "channels: there is no channel %d: there %s %d", wanted->channel[t],
                      shape->channels == 1 ? "is" : "are", shape->channels);
        term[t].channel = wanted->channel[t] - 1;
        HALO_TRY(filter_number("channels: weight", wanted->weight[t], &term[t].weight));
    }
out:
    return status;
}

/* Alpha stays such where it comes last, as it was. */
static int find_alpha(const HaloShape *shape, const HaloMix *mix)
{
    const int last = mix->channels - 1, at = mix->begin[last];
    const bool chosen = mix->begin[last + 1] == at + 1 && mix->term[at].weight == 1.0f;
    return shape->alpha >= 0 && last > 0 && chosen && mix->term[at].channel == shape->alpha ? last : -1;
}

static HaloStatus build_channels(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = halo_build_shape(builder, in);
    HaloStep step = {.primitive = HALO_MIX, .sources = 1, .src = {in}};
    Channels wanted;
    read_channels(arg[0].text, &wanted);
    const bool mono = wanted.channel[0] == 0;
    int *const begin = halo_build_keep(builder, sizeof wanted.begin);
    HaloMixTerm *const term =
        halo_build_keep(builder, sizeof *term * (size_t)(mono ? shape->channels : wanted.terms));
    if (begin == NULL || term == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    if (mono) {
        wanted.begin[1] = 0;
        make_mono(shape, term, &wanted.begin[1]);
    } else {
        HALO_TRY(make_terms(shape, &wanted, term));
    }
    memcpy(begin, wanted.begin, sizeof wanted.begin);
    step.u.mix = (HaloMix){.channels = wanted.channels, .begin = begin, .term = term};
    step.u.mix.alpha = find_alpha(shape, &step.u.mix);
    HALO_TRY(halo_build_step(builder, &step, out));
out:
    return status;
}

static const HaloParam channels_param[] = {
    {.key = "of",
     .type = HALO_PARAM_TEXT,
     .check = check_channels,
     .help = "source of each output channel, counted from 1: 2,1 swaps left and right, 0.5*1+0.5*2 mixes, mono "
             "is the mean of all"},
};

const HaloOp halo_op_channels = {.name = "channels",
                                 .help = "choose, order and mix channels",
                                 .synonyms = "remix",
                                 .known_as =
                                     "pan channelmap mono downmix swap band bandjoin extract_band combine",
                                 .example = "channels:mono",
                                 .kinds = HALO_IMAGE | HALO_AUDIO,
                                 HALO_PARAMS(channels_param),
                                 .build = build_channels};

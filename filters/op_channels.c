/* channels: other channels, or sums of them. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "filter.h"
#include "halo/mix.h"
#include "halo/speakers.h"
#include "halo/text.h"
#include "halo/words.h"
#include "ops.h"

/* Channels of a result, and terms of one or of all. */
#define MOST_CHANNELS 64
#define MOST_TERMS 256

typedef enum ChannelsWord { CHANNELS_LISTED, CHANNELS_MONO, CHANNELS_STEREO } ChannelsWord;

typedef struct Channels {
    ChannelsWord word;
    int channels, terms;
    int begin[MOST_CHANNELS + 1];
    int channel[MOST_TERMS];      /* from 1; 0: */
    uint32_t speaker[MOST_TERMS]; /* that of this loudspeaker */
    double weight[MOST_TERMS];
} Channels;

static const char *skip_blanks(const char *at)
{
    while (halo_is_blank(*at)) at++;
    return at;
}

/* "2" or "FL"; NULL where it is neither. */
static const char *read_channel(const char *at, Channels *made)
{
    char name[8];
    const char *end;
    int64_t channel;
    size_t length = 0;
    made->channel[made->terms] = 0;
    made->speaker[made->terms] = 0;
    if (halo_read_count(at, INT32_MAX, &channel, &end)) {
        made->channel[made->terms] = (int)channel;
        return channel < 1 ? NULL : end;
    }
    while (halo_is_letter(at[length]) && length < sizeof name - 1) length++;
    memcpy(name, at, length);
    name[length] = 0;
    int bit = halo_find_word(HALO_SPEAKER_NAMES, ' ', name);
    if (bit < 0) bit = halo_find_word("left right", ' ', name); /* FL and FR */
    if (bit < 0) return NULL;
    made->speaker[made->terms] = (uint32_t)1 << bit;
    return at + length;
}

/* "2", "0.5*2", "-2" or "0.7*FC", with a sign before it where there is a term before; NULL where it is none. */
static const char *read_term(const char *at, bool first, Channels *made)
{
    double weight = 1.0, sign = 1.0;
    const char *end;
    if (*at == '+' || *at == '-') {
        sign = *at == '-' ? -1.0 : 1.0;
        at = skip_blanks(at + 1);
    } else if (!first) {
        return NULL;
    }
    if (made->terms == MOST_TERMS || *at == '+' || *at == '-') return NULL;
    if (halo_read_number(at, &weight, &end) && *skip_blanks(end) == '*')
        at = skip_blanks(skip_blanks(end) + 1);
    else
        weight = 1.0;
    if ((at = read_channel(at, made)) == NULL || !isfinite(weight)) return NULL;
    made->weight[made->terms++] = sign * weight;
    return skip_blanks(at);
}

static bool read_channels(const char *text, Channels *made)
{
    const char *at = skip_blanks(text);
    *made = (Channels){0};
    if (strcmp(at, "mono") == 0) made->word = CHANNELS_MONO;
    if (strcmp(at, "stereo") == 0) made->word = CHANNELS_STEREO;
    if (made->word != CHANNELS_LISTED) return true;
    while (made->channels < MOST_CHANNELS) {
        for (bool first = true; first || (*at != 0 && *at != ','); first = false)
            if ((at = read_term(at, first, made)) == NULL) return false;
        made->begin[++made->channels] = made->terms;
        if (*at == 0) return true;
        at = skip_blanks(at + 1);
    }
    return false;
}

/* A result such as "1-4", of rising numbers alone: elsewhere that is a range, here a difference. */
static bool may_be_range(const Channels *made, int channel, const char *part)
{
    const int t = made->begin[channel];
    return made->begin[channel + 1] == t + 2 && made->weight[t] == 1.0 && made->weight[t + 1] == -1.0 &&
           made->channel[t] > 0 && made->channel[t] < made->channel[t + 1] &&
           strcspn(part, "*") >= strcspn(part, ",");
}

static HaloStatus refuse_range(const char *where, int first, int last)
{
    char list[64];
    size_t used = 0;
    for (int c = first; c <= last && used < 40; c++)
        used += (size_t)snprintf(list + used, sizeof list - used, c > first ? ",%d" : "%d", c);
    return halo_fail(
        HALO_ERR_USAGE,
        "%s: %d-%d may mean a range or a difference: write %s%s for the channels, or 1*%d-1*%d for one "
        "less the other",
        where, first, last, list, used < 40 ? "" : ",\u2026", first, last);
}

static HaloStatus check_channels(const char *where, const char *text)
{
    Channels made;
    const char *part = text;
    const bool listed = read_channels(text, &made) && made.word == CHANNELS_LISTED;
    for (int c = 0; listed && c < made.channels; c++, part += strcspn(part, ",") + 1) {
        const int *of = &made.channel[made.begin[c]];
        if (may_be_range(&made, c, part)) return refuse_range(where, of[0], of[1]);
    }
    if (listed || made.word != CHANNELS_LISTED) return HALO_OK;
    return halo_fail(HALO_ERR_USAGE,
                     "%s: expected channels, counted from 1, such as 2,1 or 0.5*1+0.5*2, loudspeakers, such as "
                     "FL,FR, or left, right, mono or stereo, found '%.60s'",
                     where, text);
}

/* ---- what they are of a value --------------------------------------------------------------------------- */

/* "FL FR FC" */
static const char *names_of(const uint32_t *speaker, int count, char text[128])
{
    size_t used = 0;
    char name[HALO_WORD_SIZE];
    text[0] = 0;
    for (int c = 0; c < count && used < 100; c++) {
        int bit = 0;
        while (bit < 31 && speaker[c] >> bit > 1) bit++;
        const char *word = speaker[c] != 0 ? halo_word(HALO_SPEAKER_NAMES, ' ', bit, name) : NULL;
        used += (size_t)snprintf(text + used, 128 - used, "%s%s", c > 0 ? " " : "", word != NULL ? word : "?");
    }
    return text;
}

static HaloStatus find_speaker(const uint32_t *there, int count, uint32_t wanted, int *channel)
{
    char name[128], names[128];
    for (int c = 0; c < count; c++)
        if (there[c] == wanted) {
            *channel = c + 1;
            return HALO_OK;
        }
    return halo_fail(HALO_ERR_INPUT,
                     "channels: there is no channel %s: the channels are %s; channels:1 is the "
                     "first",
                     names_of(&wanted, 1, name), names_of(there, count, names));
}

/* Names of loudspeakers become numbers; the only channel of a sound is that of any of them. */
static HaloStatus find_speakers(HaloBuilder *builder, HaloReg in, Channels *wanted)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = halo_build_shape(builder, in);
    const int count = shape->channels;
    uint32_t any = 0, *there = NULL;
    for (int t = 0; t < wanted->terms; t++) any |= wanted->speaker[t];
    if (any == 0) return HALO_OK;
    if (shape->kind == HALO_IMAGE)
        HALO_FAIL(HALO_ERR_USAGE, "channels: loudspeakers are for sound; channels:1 is the first of an image");
    if ((there = halo_build_keep(builder, (size_t)count * sizeof *there)) == NULL)
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    HALO_TRY(halo_build_speakers(builder, in, there));
    for (int t = 0; t < wanted->terms; t++) {
        if (wanted->speaker[t] == 0) continue;
        wanted->channel[t] = 1;
        if (count > 1) HALO_TRY(find_speaker(there, count, wanted->speaker[t], &wanted->channel[t]));
    }
out:
    return status;
}

/* The loudspeakers of the result, where each channel is one by its name, in the mask's order; else 0. */
static uint32_t speakers_of(const Channels *wanted)
{
    uint32_t mask = 0;
    for (int c = 0; c < wanted->channels; c++) {
        const int t = wanted->begin[c];
        const bool chosen = wanted->begin[c + 1] == t + 1 && wanted->weight[t] == 1.0;
        if (!chosen || wanted->speaker[t] <= mask) return 0;
        mask |= wanted->speaker[t];
    }
    return mask;
}

/* Stereo of one channel is that channel twice. */
static HaloStatus make_stereo(const HaloShape *shape, Channels *wanted)
{
    const Channels twice = {.channels = 2,
                            .terms = 2,
                            .begin = {0, 1, 2},
                            .channel = {1, 1},
                            .speaker = {0x1, 0x2},
                            .weight = {1.0, 1.0}};
    if (shape->kind == HALO_IMAGE) return halo_fail(HALO_ERR_USAGE, "channels: stereo is for sound");
    if (shape->channels > 2)
        return halo_fail(
            HALO_ERR_INPUT,
            "channels: stereo of %d channels: choose two, as in channels:FL,FR, or say how they are "
            "mixed, as in channels:1+0.7*3,2+0.7*3",
            shape->channels);
    *wanted = twice;
    return HALO_OK;
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
    const bool mono = wanted.word == CHANNELS_MONO, stereo = wanted.word == CHANNELS_STEREO;
    *out = in;
    if (stereo && shape->kind == HALO_AUDIO && shape->channels == 2) return HALO_OK;
    if (stereo) HALO_TRY(make_stereo(shape, &wanted));
    if (mono) wanted.channels = 1;
    HALO_TRY(find_speakers(builder, in, &wanted));
    int *const begin = halo_build_keep(builder, sizeof wanted.begin);
    HaloMixTerm *const term =
        halo_build_keep(builder, sizeof *term * (size_t)(mono ? shape->channels : wanted.terms));
    if (begin == NULL || term == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    if (mono)
        make_mono(shape, term, &wanted.begin[1]);
    else
        HALO_TRY(make_terms(shape, &wanted, term));
    memcpy(begin, wanted.begin, sizeof wanted.begin);
    step.u.mix =
        (HaloMix){.channels = wanted.channels, .begin = begin, .term = term, .speakers = speakers_of(&wanted)};
    step.u.mix.alpha = find_alpha(shape, &step.u.mix);
    HALO_TRY(halo_build_step(builder, &step, out));
out:
    return status;
}

static const HaloParam channels_param[] = {
    {.key = "of",
     .type = HALO_PARAM_TEXT,
     .list = INT_MAX,
     .check = check_channels,
     .help = "source of each output channel, counted from 1: 2,1 swaps left and right, 0.5*1+0.5*2 mixes, "
             "1*1-1*2 is a difference; or "
             "loudspeakers of sound: FL,FR; mono is the mean of all, stereo of one channel is that twice"},
};

const HaloOp halo_op_channels = {
    .name = "channels",
    .help = "choose, order and mix channels",
    .synonyms = "remix",
    .known_as = "pan channelmap mono stereo downmix upmix swap surround band bandjoin extract_band "
                "combine",
    .example = "channels:mono",
    .kinds = HALO_IMAGE | HALO_AUDIO,
    HALO_PARAMS(channels_param),
    .build = build_channels};

/* The sample formats that halo reads and writes through libsndfile, and why it refuses some. */
#include "halo/text.h"
#include "snd.h"

static const SndCodec codecs[] = {
    {SF_FORMAT_PCM_S8, "8-bit PCM", SND_INTS, 8, false},
    {SF_FORMAT_PCM_U8, "8-bit PCM", SND_INTS, 8, false},
    {SF_FORMAT_PCM_16, "16-bit PCM", SND_INTS, 16, false},
    {SF_FORMAT_PCM_24, "24-bit PCM", SND_INTS, 24, false},
    {SF_FORMAT_PCM_32, "32-bit PCM", SND_INTS, 32, false},
    {SF_FORMAT_ALAW, "A-law", SND_INTS, 16, false},
    {SF_FORMAT_ULAW, "mu-law", SND_INTS, 16, false},
    {SF_FORMAT_FLOAT, "32-bit float", SND_FLOATS, 32, true},
    {SF_FORMAT_DOUBLE, "64-bit float", SND_DOUBLES, 64, true},
    {SF_FORMAT_VORBIS, "Vorbis", SND_FLOATS, 32, true},
    {SF_FORMAT_OPUS, "Opus", SND_FLOATS, 32, true},
    {SF_FORMAT_MPEG_LAYER_III, "MPEG layer III", SND_FLOATS, 32, true},
};

const SndCodec *snd_codec(int subtype)
{
    for (size_t i = 0; i < sizeof codecs / sizeof codecs[0]; i++)
        if (codecs[i].subtype == subtype) return &codecs[i];
    return NULL;
}

/* The rates of codecs that have few, and the one to convert others to. */
typedef struct Rates {
    int subtype;
    const int *rate; /* up to a 0 */
    const char *listed, *advice;
} Rates;

static const Rates rates[] = {
    {SF_FORMAT_OPUS, (const int[]){8000, 12000, 16000, 24000, 48000, 0}, "8, 12, 16, 24 and 48 kHz",
     "rate:48k"},
    {SF_FORMAT_MPEG_LAYER_III, (const int[]){8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000, 0},
     "8, 11.025, 12, 16, 22.05, 24, 32, 44.1 and 48 kHz", "rate:44.1k"},
};

HaloStatus snd_check_shape(const HaloWriter *writer, const SF_INFO *sf)
{
    const int subtype = sf->format & SF_FORMAT_SUBMASK;
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        const int *rate = rates[i].rate;
        while (*rate != 0 && *rate != sf->samplerate) rate++;
        if (rates[i].subtype == subtype && *rate == 0)
            return halo_fail(HALO_ERR_INPUT, "%s has %s, not %d Hz: convert it with %s", writer->format->name,
                             rates[i].listed, sf->samplerate, rates[i].advice);
    }
    if (sf_format_check(sf)) return HALO_OK;
    return halo_fail(HALO_ERR_INPUT, "%s cannot hold %d channel%s at %d Hz", writer->format->name, sf->channels,
                     halo_s(sf->channels), sf->samplerate);
}

/* libsndfile may have been built without some codecs, which only an attempt shows. */
HaloStatus snd_refuse_codec(const HaloWriter *writer, const SF_INFO *sf)
{
    const bool mp3 = (sf->format & SF_FORMAT_SUBMASK) == SF_FORMAT_MPEG_LAYER_III;
    return halo_fail(HALO_ERR_OUTPUT, "cannot write %s: %s%s", writer->format->name, sf_strerror(NULL),
                     mp3 ? " (MP3 is written by libsndfile 1.1 or later that has LAME)" : "");
}

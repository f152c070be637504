/* The sample formats that halo reads through libsndfile. */
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
};

const SndCodec *snd_codec(int subtype)
{
    for (size_t i = 0; i < sizeof codecs / sizeof codecs[0]; i++)
        if (codecs[i].subtype == subtype) return &codecs[i];
    return NULL;
}

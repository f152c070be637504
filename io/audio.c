/* The audio formats: one row each, over one shared implementation. */
#include "sndfile/libsndfile.h"
#include "sndfile/snd.h"
#include "wav/wav.h"
#ifdef HALO_HAVE_FLAC
#include "flac/flac.h"
#endif
#ifdef HALO_HAVE_MPG123
#include "mp3/mp3.h"
#endif

#include <string.h>

static bool starts(const uint8_t *head, size_t size, size_t at, const char *magic)
{
    const size_t length = strlen(magic);
    return size >= at + length && memcmp(head + at, magic, length) == 0;
}

static bool probe_wav(const uint8_t *head, size_t size)
{
    return (starts(head, size, 0, "RIFF") || starts(head, size, 0, "RIFX")) && starts(head, size, 8, "WAVE");
}

static bool probe_rf64(const uint8_t *head, size_t size)
{
    return (starts(head, size, 0, "RF64") || starts(head, size, 0, "BW64")) && starts(head, size, 8, "WAVE");
}

static bool probe_w64(const uint8_t *head, size_t size)
{
    return starts(head, size, 0, "riff\x2e\x91\xcf\x11\xa5\xd6\x28\xdb\x04\xc1") &&
           starts(head, size, 24, "wave");
}

#ifdef HALO_HAVE_FLAC
static bool probe_flac(const uint8_t *head, size_t size) { return starts(head, size, 0, "fLaC"); }
#endif

static bool probe_aiff(const uint8_t *head, size_t size)
{
    return starts(head, size, 0, "FORM") && (starts(head, size, 8, "AIFF") || starts(head, size, 8, "AIFC"));
}

static bool probe_caf(const uint8_t *head, size_t size) { return starts(head, size, 0, "caff"); }
static bool probe_au(const uint8_t *head, size_t size) { return starts(head, size, 0, ".snd"); }
static bool probe_opus(const uint8_t *head, size_t size)
{
    return starts(head, size, 0, "OggS") && starts(head, size, 28, "OpusHead");
}

#ifdef HALO_HAVE_MPG123
static bool probe_mp3(const uint8_t *head, size_t size)
{
    Mp3Frame frame;
    return starts(head, size, 0, "ID3") || starts(head, size, 0, "APETAGEX") ||
           (size >= MP3_HEADER && mp3_frame(head, &frame));
}
#endif

static bool probe_ogg(const uint8_t *head, size_t size) { return starts(head, size, 0, "OggS"); }

/* A family of functions (snd: libsndfile's; wav) and the SF_FORMAT_… that tells its formats apart. */
#define ROW(id, family, major, channel_set, held, deep, names, about)                            \
    static HaloStatus open_##id(HaloReader *reader) { return family##_open(reader, major); }     \
    static HaloStatus create_##id(HaloWriter *writer) { return family##_create(writer, major); } \
    FORMAT(id, family, open_##id, create_##id, channel_set, held, deep, names, about)
/* Both codecs of Ogg are read alike. */
static HaloStatus open_ogg_opus(HaloReader *reader) { return snd_open(reader, SF_FORMAT_OGG); }
static HaloStatus create_opus(HaloWriter *writer) { return snd_create(writer, SF_FORMAT_OGG | SF_FORMAT_OPUS); }

/* What libsndfile decodes is read from its beginning on. */
#define snd_seek NULL

/* They need no library, or one that is linked. */
#define wav_load NULL
#define flac_load NULL

#define FORMAT(id, family, open_it, create_it, channel_set, held, deep, names, about) \
    extern const HaloFormat halo_format_##id;                                         \
    const HaloFormat halo_format_##id = {                                             \
        .name = #id,                                                                  \
        .help = about,                                                                \
        .extensions = names,                                                          \
        .kinds = HALO_AUDIO,                                                          \
        .dtypes = 1u << HALO_F32 | ((deep) ? 1u << HALO_F64 : 0),                     \
        .channels = channel_set,                                                      \
        .holds = held,                                                                \
        .depths = deep,                                                               \
        .lossy = !deep,                                                               \
        .endless = true,                                                              \
        .probe = probe_##id,                                                          \
        .open = open_it,                                                              \
        .read = family##_read,                                                        \
        .seek = family##_seek,                                                        \
        .close = family##_close,                                                      \
        .load = family##_load,                                                        \
        .create = create_it,                                                          \
        .write = family##_write,                                                      \
        .finish = family##_finish,                                                    \
        .discard = family##_discard,                                                  \
    }

ROW(wav, wav, SF_FORMAT_WAV, HALO_ANY_CHANNELS, HALO_META_TEXT | HALO_META_CHUNKS, true, "wav,wave",
    "WAVE audio, 8 to 32 bits and float; RF64 beyond 4 GB");
#ifdef HALO_HAVE_FLAC
FORMAT(flac, flac, flac_open, flac_create, 0xffu, HALO_META_TEXT | HALO_META_PICTURES, true, "flac",
       "FLAC lossless audio, 4 to 32 bits; 8, 16 or 24 out, or 32 as they were");
#endif
ROW(aiff, snd, SF_FORMAT_AIFF, HALO_ANY_CHANNELS, HALO_META_TEXT | HALO_META_CHUNKS, true, "aiff,aif,aifc",
    "AIFF audio, 8 to 32 bits and float");
ROW(caf, snd, SF_FORMAT_CAF, HALO_ANY_CHANNELS, HALO_META_TEXT, true, "caf",
    "Core Audio Format, 8 to 32 bits and float");
ROW(au, snd, SF_FORMAT_AU, HALO_ANY_CHANNELS, 0, true, "au,snd", "Sun AU audio, 8 to 32 bits and float");
ROW(w64, wav, SF_FORMAT_W64, HALO_ANY_CHANNELS, HALO_META_TEXT | HALO_META_CHUNKS, true, "w64",
    "Sony Wave64 audio, 8 to 32 bits and float");
ROW(rf64, wav, SF_FORMAT_RF64, HALO_ANY_CHANNELS, HALO_META_TEXT | HALO_META_CHUNKS, true, "rf64,bw64",
    "RF64 and BW64 audio (WAVE with 64-bit sizes); written as RF64");
FORMAT(opus, snd, open_ogg_opus, create_opus, 0xffu, HALO_META_TEXT | HALO_META_PICTURES, false, "opus",
       "Opus in Ogg (lossy), at 8, 12, 16, 24 or 48 kHz");
ROW(ogg, snd, SF_FORMAT_OGG, HALO_ANY_CHANNELS, HALO_META_TEXT | HALO_META_PICTURES, false, "ogg,oga",
    "Ogg audio: Vorbis (lossy); in Ogg any of Vorbis and Opus is read");

#ifdef HALO_HAVE_MPG123
/* libmpg123 reads, and libsndfile writes by LAME. */
static HaloStatus create_mp3(HaloWriter *writer) { return snd_create(writer, SF_FORMAT_MPEG); }
extern const HaloFormat halo_format_mp3;
const HaloFormat halo_format_mp3 = {
    .name = "mp3",
    .help = "MP3 audio (MPEG layer III, lossy)",
    .extensions = "mp3",
    .kinds = HALO_AUDIO,
    .dtypes = 1u << HALO_F32,
    .channels = 0x3u,
    .holds = HALO_META_TEXT | HALO_META_PICTURES,
    .lossy = true,
    .never_lossless = true,
    .endless = true,
    .probe = probe_mp3,
    .open = mp3_open,
    .read = mp3_read,
    .close = mp3_close,
    .load = snd_load,
    .create = create_mp3,
    .write = snd_write,
    .finish = snd_finish,
    .discard = snd_discard,
};
#endif

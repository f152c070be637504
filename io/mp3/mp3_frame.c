/* Parses headers of frames (ISO/IEC 11172-3, 2.4.1.3, and 13818-3), of tags, and the Xing or VBRI counts in a
 * first frame without sound. */
#ifdef HALO_HAVE_MPG123
#include <string.h>

#include "bytes/endian.h"
#include "mp3.h"

/* ---- frames --------------------------------------------------------------------------------------------- */

bool mp3_frame(const uint8_t *header, Mp3Frame *frame)
{
    static const int kbits[2][16] = {{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160},
                                     {0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320}};
    static const int rates[4] = {44100, 48000, 32000, 0};
    if (header[0] != 0xff || (header[1] & 0xe6) != 0xe2) return false; /* layer III */
    const int version = header[1] >> 3 & 3, one = version == 3;
    const int kbit = kbits[one][header[2] >> 4], rate = rates[header[2] >> 2 & 3] >> (version == 0 ? 2 : !one);
    if (version == 1 || kbit == 0 || rate == 0) return false;
    *frame = (Mp3Frame){
        .version = version, .rate = rate, .channels = header[3] >> 6 == 3 ? 1 : 2, .samples = one ? 1152 : 576};
    frame->bytes = frame->samples / 8 * kbit * 1000 / rate + (header[2] >> 1 & 1);
    return true;
}

bool mp3_alike(const Mp3Frame *a, const Mp3Frame *b)
{
    return a->version == b->version && a->rate == b->rate && a->channels == b->channels;
}

/* ---- counts --------------------------------------------------------------------------------------------- */

/* Fraunhofer's: frames and bytes alone. */
static bool vbri(const uint8_t *bytes, const Mp3Frame *frame, Mp3Info *info)
{
    enum { AT = 36 };
    if (frame->bytes < AT + 18 || memcmp(bytes + AT, "VBRI", 4) != 0) return false;
    info->bytes = (int64_t)halo_get_be(bytes + AT + 10, 4);
    info->frames = (int64_t)halo_get_be(bytes + AT + 14, 4);
    return true;
}

/* LAME's part behind Xing's; FFmpeg writes it, too. What other encoders put there is unknown. */
static void lame(const uint8_t *bytes, Mp3Info *info)
{
    if (memcmp(bytes, "LAME", 4) != 0 && memcmp(bytes, "Lavf", 4) != 0 && memcmp(bytes, "Lavc", 4) != 0) return;
    const uint64_t both = halo_get_be(bytes + 21, 3);
    info->delay = (int64_t)(both >> 12);
    info->padding = (int64_t)(both & 0xfff);
    info->gapless = true;
}

/* It stands where side information would end. */
bool mp3_info(const uint8_t *bytes, const Mp3Frame *frame, Mp3Info *info)
{
    enum { FRAMES = 1, BYTES = 2, TABLE = 4, QUALITY = 8, LAME_BYTES = 24 };
    const int side = frame->version == 3 ? (frame->channels == 1 ? 17 : 32) : (frame->channels == 1 ? 9 : 17);
    int at = MP3_HEADER + side;
    *info = (Mp3Info){0};
    if (vbri(bytes, frame, info)) return true;
    if (frame->bytes < at + 8 || (memcmp(bytes + at, "Xing", 4) != 0 && memcmp(bytes + at, "Info", 4) != 0))
        return false;
    const uint64_t has = halo_get_be(bytes + at + 4, 4);
    at += 8;
    if (has & FRAMES && at + 4 <= frame->bytes) info->frames = (int64_t)halo_get_be(bytes + at, 4);
    at += has & FRAMES ? 4 : 0;
    if (has & BYTES && at + 4 <= frame->bytes) info->bytes = (int64_t)halo_get_be(bytes + at, 4);
    at += (has & BYTES ? 4 : 0) + (has & TABLE ? 100 : 0) + (has & QUALITY ? 4 : 0);
    if (at + LAME_BYTES <= frame->bytes) lame(bytes + at, info);
    return true;
}

/* ---- tags ----------------------------------------------------------------------------------------------- */

/* Numbers of ID3v2 have seven bits a byte. */
static int64_t seven_bits(const uint8_t *at)
{
    return (int64_t)(at[0] & 127) << 21 | (at[1] & 127) << 14 | (at[2] & 127) << 7 | (at[3] & 127);
}

Mp3TagKind mp3_tag(const uint8_t *at, size_t size, int64_t *bytes)
{
    enum { FOOTER = 0x10, APE_HEADER = 32 };
    if (size >= 10 && memcmp(at, "ID3", 3) == 0 && at[3] != 0xff && at[4] != 0xff) {
        *bytes = 10 + seven_bits(at + 6) + (at[5] & FOOTER ? 10 : 0);
        return MP3_IS_ID3V2;
    }
    if (size >= MP3_TAG_LEAD && memcmp(at, "APETAGEX", 8) == 0) {
        *bytes = APE_HEADER + (int64_t)halo_get_le(at + 12, 4);
        return MP3_IS_APE;
    }
    *bytes = MP3_ID3V1;
    return size >= 3 && memcmp(at, "TAG", 3) == 0 ? MP3_IS_ID3V1 : MP3_NO_TAG;
}

#endif

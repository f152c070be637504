/* The speaker layout of FLAC's channels (RFC 9639, 8.6.2 and 9.1.3): each channel count has a default layout,
 * unless a comment holds a WAVE channel mask. */
#ifdef HALO_HAVE_FLAC
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "flac.h"

static const char key[] = "WAVEFORMATEXTENSIBLE_CHANNEL_MASK=";

uint32_t flac_usual_speakers(int channels)
{
    static const uint32_t usual[9] = {0, 0x4, 0x3, 0x7, 0x33, 0x37, 0x3f, 0x70f, 0x63f};
    return channels >= 0 && channels <= 8 ? usual[channels] : 0;
}

/* Hexadecimal digits behind "0x", with any number of zeros before them. */
static bool read_mask(const char *text, size_t size, uint32_t *mask)
{
    *mask = 0;
    if (size < 3 || text[0] != '0' || (text[1] | 0x20) != 'x') return false;
    for (size_t i = 2; i < size; i++) {
        const char c = (char)(text[i] >= 'A' && text[i] <= 'F' ? text[i] | 0x20 : text[i]);
        if ((!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f')) || *mask >> 28 != 0) return false;
        *mask = *mask << 4 | (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return true;
}

bool flac_take_speakers(const uint8_t *comment, size_t size, HaloInfo *info)
{
    const size_t length = sizeof key - 1;
    uint32_t mask;
    if (size < length || strncasecmp((const char *)comment, key, length) != 0) return false;
    if (read_mask((const char *)comment + length, size - length, &mask))
        info->speakers = mask != 0 ? mask : HALO_SPEAKERS_UNKNOWN;
    return true;
}

bool flac_speakers_comment(const HaloInfo *info, char text[FLAC_SPEAKERS_TEXT])
{
    const int channels = info->shape.channels;
    const unsigned mask = info->speakers == HALO_SPEAKERS_UNKNOWN ? 0 : info->speakers;
    if (info->speakers == 0 || mask == flac_usual_speakers(channels)) return false;
    if (mask == 0 && channels <= 2) return false; /* mixed to mono or stereo */
    snprintf(text, FLAC_SPEAKERS_TEXT, "%s0x%04X", key, mask);
    return true;
}
#endif

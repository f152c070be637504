/* Loudspeakers of the channels of a sound. A mask, as WAVE has it, holds for channels in its own order alone.
 */
#ifndef HALO_SPEAKERS_H
#define HALO_SPEAKERS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Their short names, in the order of the mask's bits. */
#define HALO_SPEAKER_NAMES "FL FR FC LFE BL BR FLC FRC BC SL SR TC TFL TFC TFR TBL TBC TBR"

/* Of a file that says nothing; 0: none is usual. */
static inline uint32_t halo_usual_speakers(int channels)
{
    static const uint32_t usual[9] = {0, 0x4, 0x3, 0, 0x33, 0, 0x3f, 0, 0xff};
    return channels <= 8 ? usual[channels] : 0;
}

/* The one of a channel, a single bit; 0: none. */
static inline uint32_t halo_speaker_of(uint32_t speakers, int channel)
{
    for (int bit = 0; bit < 32 && channel >= 0; bit++)
        if ((speakers >> bit & 1) != 0 && channel-- == 0) return (uint32_t)1 << bit;
    return 0;
}

#ifdef __cplusplus
}
#endif
#endif

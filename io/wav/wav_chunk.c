/* Chunk headers: four characters and a 32-bit length in WAVE and RF64; a GUID and a 64-bit length that includes
 * the header in Sony's Wave64. The rest of halo uses four characters for all. */
#include <string.h>

#include "bytes/endian.h"
#include "wav.h"

enum { GUID = 16 };
#define WITHOUT_END ((int64_t)1 << 62) /* FFmpeg refuses more, although it writes INT64_MAX itself */
const WavLayout wav_riff = {.first = 12, .lead = 8, .align = 2};
const WavLayout wav_w64 = {.first = 40, .lead = GUID + 8, .align = 8};

/* GUIDs are a chunk's characters and one of these: of the whole and of LIST, which go back to RIFF, or of
 * others. */
static const uint8_t riff_tail[12] = {0x2e, 0x91, 0xcf, 0x11, 0xa5, 0xd6, 0x28, 0xdb, 0x04, 0xc1, 0, 0};
static const uint8_t wave_tail[12] = {0xf3, 0xac, 0xd3, 0x11, 0x8c, 0xd1, 0, 0xc0, 0x4f, 0x8e, 0xdb, 0x8a};

/* Bytes that are not a chunk's name end the search, which could go on for ever otherwise. */
static bool is_name(const uint8_t *id)
{
    for (int i = 0; i < 4; i++)
        if (id[i] < ' ' || id[i] > '~') return false;
    return true;
}

bool wav_chunk_read(const WavLayout *layout, const uint8_t *lead, bool big, WavChunk *chunk)
{
    *chunk = (WavChunk){.id = "?"};
    if (layout == &wav_riff) {
        memcpy(chunk->id, lead, 4);
        chunk->length = (int64_t)halo_get(lead + 4, 4, big);
        return is_name(lead);
    }
    const uint64_t length = halo_get_le(lead + GUID, 8);
    if (length < (uint64_t)layout->lead) return false;
    chunk->length = length > INT64_MAX / 2 ? WAV_UNKNOWN : (int64_t)length - layout->lead;
    if (memcmp(lead + 4, wave_tail, sizeof wave_tail) == 0) memcpy(chunk->id, lead, 4);
    if (memcmp(lead, "list", 4) == 0 && memcmp(lead + 4, riff_tail, sizeof riff_tail) == 0)
        memcpy(chunk->id, "LIST", 4);
    return true;
}

void wav_chunk_lead(const WavLayout *layout, const char *id, int64_t length, uint8_t *lead)
{
    const bool list = memcmp(id, "LIST", 4) == 0;
    if (layout == &wav_riff) {
        memcpy(lead, id, 4);
        halo_put_le(lead + 4, (uint64_t)length, 4);
        return;
    }
    memcpy(lead, list ? "list" : id, 4);
    memcpy(lead + 4, list ? riff_tail : wave_tail, 12);
    halo_put_le(lead + GUID, (uint64_t)(length == WAV_UNKNOWN ? WITHOUT_END : length + layout->lead), 8);
}

void wav_w64_begin(int64_t total, uint8_t begin[40])
{
    memcpy(begin, "riff", 4);
    memcpy(begin + 4, riff_tail, 12);
    halo_put_le(begin + GUID, (uint64_t)(total < 0 ? WITHOUT_END : total), 8);
    memcpy(begin + 24, "wave", 4);
    memcpy(begin + 28, wave_tail, 12);
}

/* Checks headers before libsndfile reads them, since libsndfile silently treats a truncated file as a shorter
 * one, and decodes formats that halo refuses. */
#include <stdlib.h>
#include <string.h>

#include "bytes/endian.h"
#include "snd.h"

/* How a container lays out its chunks. */
typedef struct Layout {
    int major;
    bool big;         /* byte order */
    int64_t first;    /* offset of the first chunk */
    size_t id, bytes; /* sizes of a chunk's name and of its length field */
    bool whole;       /* the length counts the chunk's own header */
    int64_t align;
    const char *samples; /* the chunk that holds them */
} Layout;

static const Layout layouts[] = {
    {SF_FORMAT_WAV, false, 12, 4, 4, false, 2, "data"},
    {SF_FORMAT_RF64, false, 12, 4, 4, false, 2, "data"},
    {SF_FORMAT_W64, false, 40, 16, 8, true, 8, "data"},
    {SF_FORMAT_AIFF, true, 12, 4, 4, false, 2, "SSND"},
};

bool snd_is_placeholder(uint64_t length)
{
    return length == 0 || (length >= 0x7fff0000u && length <= 0x80000000u) ||
           (length >= 0xffff0000u && length <= 0xffffffffu);
}

/* False where the length of the whole file was left open too: else 0 samples are meant. */
static bool whole_length_fits(SndInput *input, bool big)
{
    uint8_t start[8];
    return snd_input_get(input, 0, start, 8) && (int64_t)halo_get(start + 4, 4, big) + 8 >= input->size;
}

static HaloStatus walk_chunks(SndInput *input, const Layout *layout, SndHead *head)
{
    const size_t lead = layout->id + layout->bytes;
    int64_t at = layout->first, wide = -1;
    uint8_t chunk[24], body[26];
    while (snd_input_get(input, at, chunk, lead)) {
        uint64_t length = halo_get(chunk + layout->id, layout->bytes, layout->big);
        const int64_t start = at + (int64_t)lead;
        if (layout->whole) {
            if (length < lead) return halo_fail(HALO_ERR_INPUT, "a chunk is shorter than its own header");
            length -= lead;
        }
        if (length > INT64_MAX / 2) return halo_fail(HALO_ERR_INPUT, "a chunk has an impossible length");
        if (memcmp(chunk, layout->samples, 4) == 0) {
            if (length == 0 && layout->major == SF_FORMAT_WAV && !whole_length_fits(input, layout->big))
                head->blank = start - 4;
            if (wide >= 0 && length == 0xffffffffu)
                head->end = start + wide;
            else if (layout->bytes == 8 ? length != 0 : !snd_is_placeholder(length))
                head->end = start + (int64_t)length;
            return HALO_OK;
        }
        if (memcmp(chunk, "ds64", 4) == 0 && snd_input_get(input, start, body, 16)) {
            const uint64_t value = halo_get_le(body + 8, 8);
            wide = value > 0 && value <= INT64_MAX / 2 ? (int64_t)value : -1;
        }
        if (memcmp(chunk, "fmt ", 4) == 0 && head->wav_tag == 0 && snd_input_get(input, start, body, 2)) {
            head->wav_tag = (unsigned)halo_get(body, 2, layout->big);
            if (head->wav_tag == 0xfffe && snd_input_get(input, start, body, 26)) /* extensible */
                head->wav_tag = (unsigned)halo_get(body + 24, 2, layout->big);
        }
        at = start + (int64_t)length;
        at += (layout->align - at % layout->align) % layout->align;
    }
    return HALO_OK; /* no samples: libsndfile will say it */
}

/* The last page of an Ogg stream is marked. The search goes backwards through what two pages can span, to the
 * last that is whole. */
static HaloStatus find_last_page(SndInput *input, SndHead *head)
{
    enum { FLAGS = 5, SEGMENTS = 26, FIXED = 27, LONGEST = FIXED + 255 + 255 * 255 };
    const size_t size = input->size < 2 * LONGEST ? (size_t)input->size : 2 * LONGEST;
    const int64_t start = input->size - (int64_t)size;
    head->cut = true;
    if (size < FIXED) return HALO_OK;
    uint8_t *tail = malloc(size);
    if (tail == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory to read audio");
    const bool got = snd_input_get(input, start, tail, size);
    for (size_t at = got ? size - FIXED + 1 : 0; at-- > 0;) {
        if (memcmp(tail + at, "OggS", 5) != 0) continue; /* with version 0 */
        size_t length = FIXED + (size_t)tail[at + SEGMENTS];
        if (length > size - at) continue;
        for (size_t i = at + FIXED, end = at + length; i < end; i++) length += tail[i];
        if (length > size - at) continue;
        head->end = start + (int64_t)(at + length);
        head->cut = !(tail[at + FLAGS] & 4);
        break;
    }
    free(tail);
    return HALO_OK;
}

HaloStatus snd_head_read(SndInput *input, int major, SndHead *head)
{
    *head = (SndHead){.end = -1, .blank = -1};
    uint8_t start[12];
    if (major == SF_FORMAT_AU && snd_input_get(input, 0, start, 12)) {
        const uint64_t length = halo_get_be(start + 8, 4);
        if (!snd_is_placeholder(length)) head->end = (int64_t)(halo_get_be(start + 4, 4) + length);
    }
    HaloStatus status = major == SF_FORMAT_OGG ? find_last_page(input, head) : HALO_OK;
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        Layout layout = layouts[i];
        if (layout.major != major) continue;
        if (major == SF_FORMAT_WAV && snd_input_get(input, 0, start, 4) && start[3] == 'X') layout.big = true;
        if (status == HALO_OK) status = walk_chunks(input, &layout, head);
    }
    return status == HALO_OK ? input->status : status;
}

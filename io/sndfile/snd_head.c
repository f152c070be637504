/* Checks headers before libsndfile reads them, since libsndfile silently treats a truncated file as a shorter
 * one, and decodes formats that halo refuses. */
#include <stdlib.h>
#include <string.h>

#include "bytes/endian.h"
#include "snd.h"

/* Containers of chunks: a name of four characters and a big-endian length. */
typedef struct Layout {
    int major;
    int64_t first; /* offset of the first chunk */
    size_t bytes;  /* size of a length */
    int64_t align;
    const char *samples; /* the chunk that holds them */
} Layout;

static const Layout layouts[] = {
    {SF_FORMAT_AIFF, 12, 4, 2, "SSND"},
    {SF_FORMAT_CAF, 8, 8, 1, "data"},
};

bool snd_is_placeholder(uint64_t length)
{
    return length == 0 || (length >= 0x7fff0000u && length <= 0x80000000u) ||
           (length >= 0xffff0000u && length <= 0xffffffffu);
}

/* libsndfile refuses a CAF whose samples have no length, or a longer one than the file. */
static void patch_length(SndInput *input, int64_t at, int64_t length)
{
    input->patch_at = at;
    halo_put_be(input->patch, (uint64_t)length, sizeof input->patch);
}

static HaloStatus walk_chunks(SndInput *input, const Layout *layout, SndHead *head)
{
    const size_t lead = 4 + layout->bytes;
    uint8_t chunk[12];
    for (int64_t at = layout->first; snd_input_get(input, at, chunk, lead);) {
        const uint64_t length = halo_get_be(chunk + 4, layout->bytes);
        const int64_t start = at + (int64_t)lead, there = input->size - start;
        if (memcmp(chunk, layout->samples, 4) == 0) {
            const bool open = layout->bytes == 8 ? length == UINT64_MAX : snd_is_placeholder(length);
            if (!open && length > INT64_MAX / 2) break;
            if (!open) head->end = start + (int64_t)length;
            if (layout->bytes == 8 && (open || length > (uint64_t)there)) patch_length(input, at + 4, there);
            return HALO_OK;
        }
        if (length > INT64_MAX / 2) break;
        at = start + (int64_t)length;
        at += (layout->align - at % layout->align) % layout->align;
    }
    return HALO_OK; /* no samples, or an impossible length: libsndfile will say it */
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
    *head = (SndHead){.end = -1};
    uint8_t start[12];
    if (major == SF_FORMAT_AU && snd_input_get(input, 0, start, 12)) {
        const uint64_t length = halo_get_be(start + 8, 4);
        if (!snd_is_placeholder(length)) head->end = (int64_t)(halo_get_be(start + 4, 4) + length);
    }
    HaloStatus status = major == SF_FORMAT_OGG ? find_last_page(input, head) : HALO_OK;
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0] && status == HALO_OK; i++)
        if (layouts[i].major == major) status = walk_chunks(input, &layouts[i], head);
    return status == HALO_OK ? input->status : status;
}

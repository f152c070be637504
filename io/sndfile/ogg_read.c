/* Reads what libsndfile ignores in an Ogg file. */
#include "ogg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes/endian.h"
#include "meta/comment.h"

#define MOST_COMMENT_BYTES ((size_t)64 << 20)

bool ogg_page(const uint8_t *at, size_t size, OggPage *page)
{
    if (size < OGG_FIXED || memcmp(at, "OggS", 5) != 0) return false; /* with version 0 */
    page->flags = at[5];
    page->granule = (int64_t)halo_get_le(at + 6, 8);
    page->serial = (uint32_t)halo_get_le(at + 14, 4);
    page->laces = at[26];
    page->header = OGG_FIXED + page->laces;
    page->bytes = page->header;
    if ((int64_t)size < page->header) return false;
    memcpy(page->lace, at + OGG_FIXED, (size_t)page->laces);
    for (int i = 0; i < page->laces; i++) page->bytes += page->lace[i];
    return true;
}

static bool page_at(SndInput *input, int64_t at, OggPage *page)
{
    uint8_t header[OGG_HEADER];
    if (at > input->size) return false;
    input->at = at;
    return ogg_page(header, snd_input_read(input, header, sizeof header), page);
}

/* ---- comments ------------------------------------------------------------------------------------------- */

HaloStatus ogg_comments(const uint8_t *packet, size_t size, HaloMeta *meta, HaloBlob *vendor)
{
    HaloStatus status = HALO_OK;
    const size_t lead = size >= 8 && memcmp(packet, "OpusTags", 8) == 0 ? 8 : 7;
    *vendor = (HaloBlob){0};
    if (size < lead || (lead == 7 && memcmp(packet, "\3vorbis", 7) != 0)) return HALO_OK;
    size_t at = lead, length;
    if (size - at < 4 || (length = (size_t)halo_get_le(packet + at, 4)) > size - at - 4) return HALO_OK;
    *vendor = (HaloBlob){(uint8_t *)(uintptr_t)packet + at + 4, length};
    at += 4 + length;
    if (size - at < 4) return HALO_OK;
    const uint64_t count = halo_get_le(packet + at, 4);
    at += 4;
    for (uint64_t i = 0; i < count && meta != NULL; i++, at += length) {
        if (size - at < 4 || (length = (size_t)halo_get_le(packet + at, 4)) > size - at - 4) break;
        at += 4;
        HALO_TRY(halo_comment_take(meta, packet + at, length));
    }
out:
    return status;
}

/* The second packet of the stream that the file begins with. */
static HaloStatus take_packet(SndInput *input, HaloBlob *packet)
{
    OggPage page;
    size_t capacity = 0;
    uint32_t serial = 0;
    int number = 0; /* of the packet */
    for (int64_t at = 0; page_at(input, at, &page); at += page.bytes) {
        if (at == 0) serial = page.serial;
        if (page.serial != serial) continue;
        int64_t from = at + page.header;
        for (int i = 0; i < page.laces; i++) {
            const size_t size = page.lace[i];
            if (number == 1 && packet->size + size > capacity) {
                uint8_t *grown = capacity < MOST_COMMENT_BYTES
                                     ? realloc(packet->data, capacity + capacity / 2 + 65536)
                                     : NULL;
                if (grown == NULL)
                    return halo_fail(HALO_ERR_LIMIT, "not enough memory for %zu bytes of comments",
                                     packet->size);
                packet->data = grown;
                capacity += capacity / 2 + 65536;
            }
            if (number == 1 && !snd_input_get(input, from, packet->data + packet->size, size))
                return input->status;
            if (number == 1) packet->size += size;
            from += page.lace[i];
            if (page.lace[i] < 255 && ++number > 1) return HALO_OK;
        }
    }
    return input->status;
}

HaloStatus snd_ogg_take_comments(SndInput *input, HaloMeta *meta)
{
    HaloStatus status = HALO_OK;
    HaloBlob packet = {0}, vendor;
    const int64_t was = input->at;
    HALO_TRY(take_packet(input, &packet));
    if (packet.data != NULL) HALO_TRY(ogg_comments(packet.data, packet.size, meta, &vendor));
out:
    free(packet.data);
    input->at = was;
    return status;
}

/* ---- streams behind one another ------------------------------------------------------------------------- */

typedef struct Stream {
    unsigned rate, channels, skip; /* Opus: pre-skip, samples to drop at the start */
} Stream;

/* What the packet that a stream begins with says; false for other streams than Vorbis and Opus. */
static bool describe(SndInput *input, int64_t at, Stream *stream)
{
    uint8_t b[19];
    if (!snd_input_get(input, at, b, sizeof b)) return false;
    if (memcmp(b, "\1vorbis", 7) == 0)
        *stream = (Stream){(unsigned)halo_get_le(b + 12, 4), b[11], 0};
    else if (memcmp(b, "OpusHead", 8) == 0)
        *stream = (Stream){48000, b[9], (unsigned)halo_get_le(b + 10, 2)};
    else
        return false;
    return stream->rate > 0;
}

static HaloStatus refuse(const Stream *first, const Stream *next, int64_t granule)
{
    char change[96] = "another stream begins";
    if (next->rate != first->rate)
        snprintf(change, sizeof change, "the rate changes from %u to %u", first->rate, next->rate);
    else if (next->channels != first->channels)
        snprintf(change, sizeof change, "the number of channels changes from %u to %u", first->channels,
                 next->channels);
    return halo_fail(HALO_ERR_INPUT, "at %.3f s (frame %lld) %s: split it there first",
                     (double)granule / first->rate, (long long)granule, change);
}

HaloStatus snd_ogg_check_streams(SndInput *input)
{
    HaloStatus status = HALO_OK;
    Stream first = {0, 0, 0}, next;
    OggPage page;
    int64_t granule = 0;
    bool begun = false; /* the pages with which streams side by side begin are over */
    const int64_t was = input->at;
    for (int64_t at = 0; page_at(input, at, &page); at += page.bytes) {
        if (page.flags & OGG_BEGINS) {
            if (!describe(input, at + page.header, &next)) continue;
            if (begun && first.rate > 0)
                HALO_TRY(refuse(&first, &next, granule > first.skip ? granule - first.skip : 0));
            if (!begun && first.rate == 0) first = next;
        } else {
            begun = true;
            if (page.granule > granule) granule = page.granule;
        }
    }
    status = input->status;
out:
    input->at = was;
    return status;
}

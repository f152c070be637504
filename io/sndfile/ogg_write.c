/* Puts comments into a Vorbis or Opus file that libsndfile has written, which supports ten keys only, once
 * each. The comment packet and, of Vorbis, the setup packet get new pages, since comments may be long
 * (pictures). */
#include "ogg.h"

#include <stdlib.h>
#include <string.h>

#include "bytes/endian.h"
#include "meta/comment.h"

/* Bytes that grow. */
typedef struct Grown {
    uint8_t *at;
    size_t size, capacity;
} Grown;

static HaloStatus add(Grown *to, const void *bytes, size_t size)
{
    if (size > to->capacity - to->size) {
        const size_t capacity = to->size + size + to->size / 2 + 4096;
        uint8_t *grown = realloc(to->at, capacity);
        if (grown == NULL)
            return halo_fail(HALO_ERR_LIMIT, "not enough memory for %zu bytes of comments", capacity);
        to->at = grown;
        to->capacity = capacity;
    }
    if (size > 0) memcpy(to->at + to->size, bytes, size);
    to->size += size;
    return HALO_OK;
}

static HaloStatus add_number(Grown *to, uint32_t value)
{
    uint8_t b[4];
    halo_put_le(b, value, 4);
    return add(to, b, 4);
}

/* ---- packets -------------------------------------------------------------------------------------------- */

typedef struct Packet {
    Grown bytes;
    uint32_t comments;
} Packet;

static HaloStatus add_comment(void *context, const char *comment, size_t size)
{
    HaloStatus status = HALO_OK;
    Packet *packet = context;
    if (size > UINT32_MAX / 2) return HALO_OK; /* no length holds that */
    HALO_TRY(add_number(&packet->bytes, (uint32_t)size));
    HALO_TRY(add(&packet->bytes, comment, size));
    packet->comments++;
out:
    return status;
}

static HaloStatus make_comments(const HaloBlob *vendor, const HaloMeta *meta, bool opus, HaloNotes *notes,
                                Packet *packet)
{
    HaloStatus status = HALO_OK;
    Grown *bytes = &packet->bytes;
    HALO_TRY(opus ? add(bytes, "OpusTags", 8) : add(bytes, "\3vorbis", 7));
    HALO_TRY(add_number(bytes, (uint32_t)vendor->size));
    HALO_TRY(add(bytes, vendor->data, vendor->size));
    const size_t count_at = bytes->size;
    HALO_TRY(add_number(bytes, 0));
    HALO_TRY(halo_comments_put(meta, true, notes, add_comment, packet));
    halo_put_le(bytes->at + count_at, packet->comments, 4);
    if (!opus) HALO_TRY(add(bytes, "\1", 1));
out:
    return status;
}

/* The given number of packets after the first page, up to the end of a page; *body: the page after them,
 * *pages: the number of their pages. */
static HaloStatus take_packets(const uint8_t *bytes, size_t size, Grown packet[2], int packets, size_t *body,
                               uint32_t *pages)
{
    HaloStatus status = HALO_OK;
    OggPage page;
    int number = 0;
    *pages = 0;
    for (size_t at = *body; number < packets; at = *body) {
        if (!ogg_page(bytes + at, size - at, &page) || (uint64_t)page.bytes > size - at) break;
        size_t from = at + (size_t)page.header;
        for (int i = 0; i < page.laces && number < packets; i++) {
            HALO_TRY(add(&packet[number], bytes + from, page.lace[i]));
            from += page.lace[i];
            if (page.lace[i] < 255) number++;
        }
        *body = at + (size_t)page.bytes;
        ++*pages;
    }
    if (number < packets) HALO_FAIL(HALO_ERR_BUG, "internal: an Ogg file without the packets of its codec");
out:
    return status;
}

/* ---- pages ---------------------------------------------------------------------------------------------- */

/* One after the other, the first of them with number 1; sums and serial numbers come later. *pages: how many.
 */
static HaloStatus add_pages(const Grown packet[2], int packets, Grown *to, uint32_t *pages)
{
    HaloStatus status = HALO_OK;
    size_t at = 0;
    int number = 0;
    bool continued = false;
    for (*pages = 0; number < packets; ++*pages) {
        uint8_t header[OGG_HEADER] = "OggS";
        Grown body = {0};
        bool ends = false;
        int laces = 0;
        header[5] = continued ? OGG_CONTINUED : 0;
        while (laces < OGG_LACES && number < packets) {
            const size_t left = packet[number].size - at, size = left < 255 ? left : 255;
            header[OGG_FIXED + laces++] = (uint8_t)size;
            status = add(&body, packet[number].at + at, size);
            if (status != HALO_OK) break;
            at += size;
            continued = size == 255;
            if (continued) continue;
            ends = true;
            at = 0;
            number++;
        }
        memset(header + 6, ends ? 0 : 0xff, 8);
        halo_put_le(header + 18, *pages + 1, 4);
        header[26] = (uint8_t)laces;
        if (status == HALO_OK) status = add(to, header, (size_t)(OGG_FIXED + laces));
        if (status == HALO_OK) status = add(to, body.at, body.size);
        free(body.at);
        if (status != HALO_OK) return status;
    }
    return status;
}

HaloStatus snd_ogg_put_comments(uint8_t *bytes, size_t size, const HaloMeta *meta, HaloNotes *notes,
                                HaloBlob *head, size_t *body)
{
    HaloStatus status = HALO_OK;
    OggPage page;
    Grown packet[2] = {{0}}, made = {0};
    Packet said = {0};
    HaloBlob vendor;
    uint32_t old, now;
    *head = (HaloBlob){0};
    *body = 0;
    if (meta->texts == 0 && meta->pictures == 0) return HALO_OK;
    if (!ogg_page(bytes, size, &page) || (uint64_t)page.bytes > size)
        HALO_FAIL(HALO_ERR_BUG, "internal: an Ogg file without its first page");
    *body = (size_t)page.bytes;
    HALO_TRY(add(&made, bytes, *body));
    const bool opus = *body >= 36 && memcmp(bytes + 28, "OpusHead", 8) == 0;
    const int packets = opus ? 1 : 2; /* Opus has no tables */
    HALO_TRY(take_packets(bytes, size, packet, packets, body, &old));
    HALO_TRY(ogg_comments(packet[0].at, packet[0].size, NULL, &vendor));
    HALO_TRY(make_comments(&vendor, meta, opus, notes, &said));
    const Grown laid[2] = {said.bytes, packet[1]};
    HALO_TRY(add_pages(laid, packets, &made, &now));
    for (size_t at = *body; ogg_page(bytes + at, size - at, &page) && (uint64_t)page.bytes <= size - at;
         at += (size_t)page.bytes)
        halo_put_le(bytes + at + 18, (uint32_t)halo_get_le(bytes + at + 18, 4) + now - old, 4);
    *head = (HaloBlob){made.at, made.size};
    made.at = NULL;
out:
    free(made.at), free(said.bytes.at), free(packet[0].at), free(packet[1].at);
    return status;
}

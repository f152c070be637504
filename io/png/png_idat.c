/* The IDAT chunks of a PNG, inflated by ISA-L.
 *
 * A stream that declares a window of less than 32 KiB is odd here: zlib looks whether it is kept to, ISA-L does
 * not. */
#include "png_idat.h"

#include <stdlib.h>
#include <string.h>

#ifdef HALO_HAVE_ISAL
#include <isa-l.h>

#include "bytes/endian.h"
#include "png_sums.h"
#include "png_upper.h"

#define PIECE_BYTES 65536

struct PngIdat {
    HaloSource *source;
    int64_t start;  /* of the stream, in the source */
    bool begun;     /* the header of the stream has been read */
    bool ended;     /* the last chunk has been read, its checksum too */
    bool odd;       /* nothing more is read */
    uint32_t left;  /* bytes of this chunk that have not been read */
    uint32_t crc;   /* of those that have */
    uint32_t adler; /* of what was inflated */
    struct inflate_state inflate;
    uint8_t piece[PIECE_BYTES];
};

static bool is_idat(const uint8_t *head)
{
    return memcmp(head + 4, "IDAT", 4) == 0 && halo_get_be(head, 4) <= INT32_MAX;
}

static void begin_chunk(PngIdat *idat, const uint8_t *head)
{
    uint8_t name[] = "IDAT";
    idat->left = (uint32_t)halo_get_be(head, 4);
    idat->crc = halo_png_crc(0, name, 4);
}

PngIdat *halo_png_idat_new(HaloSource *source, const uint8_t head[PNG_HEAD_BYTES])
{
    PngIdat *idat = is_idat(head) ? calloc(1, sizeof *idat) : NULL;
    if (idat == NULL) return NULL;
    idat->source = source;
    idat->start = halo_source_tell(source);
    begin_chunk(idat, head);
    isal_inflate_init(&idat->inflate);
    idat->adler = 1;
    return idat;
}

void halo_png_idat_free(PngIdat *idat) { free(idat); }

HaloStatus halo_png_idat_back(PngIdat *idat) { return halo_source_seek(idat->source, idat->start); }

/* Are there so many bytes more, with a way back to the first ones? */
static bool has_more(PngIdat *idat, size_t size)
{
    HaloSource *source = idat->source;
    const int64_t kept = halo_source_tell(source) - idat->start + (int64_t)size;
    return (kept <= PNG_KEPT_BYTES || halo_source_seekable(source)) &&
           halo_source_keep(source, idat->start, size);
}

static bool read_exactly(PngIdat *idat, uint8_t *bytes, size_t size)
{
    size_t got;
    return has_more(idat, size) && halo_source_read(idat->source, bytes, size, &got) == HALO_OK && got == size;
}

/* The chunk's checksum has to be right. */
static bool end_chunk(PngIdat *idat)
{
    uint8_t sum[4];
    return read_exactly(idat, sum, 4) && halo_get_be(sum, 4) == idat->crc;
}

/* The header of the next chunk, if that is IDAT; of any other nothing is taken. */
static bool next_chunk(PngIdat *idat)
{
    const uint8_t *head;
    size_t got;
    uint8_t taken[PNG_HEAD_BYTES];
    if (!has_more(idat, PNG_HEAD_BYTES) ||
        halo_source_peek(idat->source, PNG_HEAD_BYTES, &head, &got) != HALO_OK || got < PNG_HEAD_BYTES)
        return false;
    idat->ended = !is_idat(head);
    if (idat->ended) return true;
    if (!read_exactly(idat, taken, PNG_HEAD_BYTES)) return false;
    begin_chunk(idat, taken);
    return true;
}

/* More bytes for ISA-L; false: there are none. */
static bool feed(PngIdat *idat)
{
    while (idat->left == 0 && !idat->ended && !idat->odd) idat->odd = !end_chunk(idat) || !next_chunk(idat);
    const uint32_t size = idat->left < PIECE_BYTES ? idat->left : PIECE_BYTES;
    if (size == 0 || idat->odd) return false;
    idat->odd = !read_exactly(idat, idat->piece, size);
    idat->crc = halo_png_crc(idat->crc, idat->piece, size);
    idat->left -= size;
    idat->inflate.next_in = idat->piece;
    idat->inflate.avail_in = size;
    return !idat->odd;
}

/* A byte that belongs to no block; -1: there is none. ISA-L has taken up to eight of them in advance. */
static int next_byte(PngIdat *idat)
{
    struct inflate_state *inflate = &idat->inflate;
    if (inflate->read_in_length >= 8) {
        const int byte = (int)(inflate->read_in >> (inflate->read_in_length % 8) & 0xff);
        inflate->read_in >>= 8 + inflate->read_in_length % 8;
        inflate->read_in_length = inflate->read_in_length / 8 * 8 - 8;
        return byte;
    }
    if (inflate->avail_in == 0 && !feed(idat)) return -1;
    inflate->avail_in--;
    return *inflate->next_in++;
}

static bool begin_stream(PngIdat *idat)
{
    idat->begun = true;
    const int method = next_byte(idat), flags = next_byte(idat);
    return method == 0x78 && flags >= 0 && (flags & 0x20) == 0 && (method << 8 | flags) % 31 == 0;
}

/* Fills what `inflate` has room for, or comes to the end of the last block. */
static bool inflate_more(PngIdat *idat)
{
    struct inflate_state *inflate = &idat->inflate;
    while (inflate->avail_out > 0 && inflate->block_state != ISAL_BLOCK_FINISH) {
        const uint32_t room = inflate->avail_out;
        const bool fed = inflate->avail_in > 0 || feed(idat);
        if (idat->odd || isal_inflate(inflate) != ISAL_DECOMP_OK) return false;
        if (!fed && inflate->avail_out == room && inflate->block_state != ISAL_BLOCK_FINISH) return false;
        /* It counts in 32 bits, to know how far a match may reach back. */
        if (inflate->total_out > 1u << 30) inflate->total_out = 1u << 20;
    }
    return true;
}

static bool take(PngIdat *idat, uint8_t *bytes, size_t size)
{
    if (!idat->begun && !begin_stream(idat)) return false;
    while (size > 0) {
        const uint32_t now = size < 1u << 28 ? (uint32_t)size : 1u << 28;
        idat->inflate.next_out = bytes;
        idat->inflate.avail_out = now;
        if (!inflate_more(idat) || idat->inflate.avail_out > 0) return false;
        idat->adler = halo_png_adler(idat->adler, bytes, now);
        bytes += now;
        size -= now;
    }
    return true;
}

bool halo_png_idat_take(PngIdat *idat, uint8_t *bytes, size_t size)
{
    const bool taken = take(idat, bytes, size);
    halo_png_after_isal();
    return taken;
}

bool halo_png_idat_end(PngIdat *idat)
{
    uint8_t more, sum[4];
    struct inflate_state *inflate = &idat->inflate;
    inflate->next_out = &more;
    inflate->avail_out = 1;
    if (!inflate_more(idat) || inflate->avail_out == 0) return false;
    for (int i = 0; i < 4; i++) {
        const int byte = next_byte(idat);
        if (byte < 0) return false;
        sum[i] = (uint8_t)byte;
    }
    if (halo_get_be(sum, 4) != idat->adler || inflate->read_in_length > 0 || inflate->avail_in > 0)
        return false;
    return idat->ended || (idat->left == 0 && end_chunk(idat));
}

#endif

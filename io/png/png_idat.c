/* The IDAT chunks of a PNG, inflated by ISA-L.
 *
 * A stream that declares a window of less than 32 KiB is left to zlib, which checks that distances stay within
 * it; ISA-L does not. */
#include "png_idat.h"

#include <stdlib.h>
#include <string.h>

#ifdef HALO_HAVE_ISAL
#include <isa-l.h>

#include "bytes/after_isal.h"
#include "bytes/endian.h"
#include "bytes/sums.h"
#include "png_ahead.h"

#define PIECE_BYTES 65536

struct PngIdat {
    HaloSource *source;
    int64_t start;   /* of the stream, in the source */
    bool begun;      /* the header of the stream has been read */
    bool ended;      /* the last chunk has been read, its checksum too */
    bool odd;        /* nothing more is read */
    uint32_t left;   /* bytes of this chunk that have not been read */
    uint32_t crc;    /* of those that have */
    uint32_t adler;  /* of what was inflated */
    PngAhead *ahead; /* NULL: one thread inflates all of it */
    bool alone,
        more; /* independent chunks are inflated in parallel; there may be more of these in the source */
    const uint8_t *made; /* by one of them, and not taken yet */
    size_t made_left;
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
    idat->crc = halo_crc32(0, name, 4);
}

PngIdat *halo_png_idat_new(HaloSource *source, const uint8_t head[PNG_HEAD_BYTES], int jobs, HaloMemory *memory)
{
    PngIdat *idat = is_idat(head) ? calloc(1, sizeof *idat) : NULL;
    if (idat == NULL) return NULL;
    idat->source = source;
    idat->start = halo_source_tell(source);
    begin_chunk(idat, head);
    isal_inflate_init(&idat->inflate);
    idat->ahead = halo_png_ahead_new(jobs, memory);
    idat->alone = idat->ahead != NULL;
    idat->more = true;
    idat->adler = 1;
    return idat;
}

void halo_png_idat_free(PngIdat *idat)
{
    if (idat != NULL) halo_png_ahead_free(idat->ahead);
    free(idat);
}

HaloStatus halo_png_idat_back(PngIdat *idat) { return halo_source_seek(idat->source, idat->start); }

/* Are there so many more bytes, and can the source return to the first of them? */
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

/* More bytes for ISA-L, from as many chunks as needed, since it is slower with small blocks; false: there are
 * none. */
static bool feed(PngIdat *idat)
{
    size_t rest;
    idat->inflate.next_in = idat->ahead != NULL ? halo_png_ahead_rest(idat->ahead, &rest) : NULL;
    if (idat->inflate.next_in != NULL) {
        idat->inflate.avail_in = (uint32_t)rest;
        return true;
    }
    uint32_t size = 0;
    for (uint32_t some = 1; some > 0 && size < PIECE_BYTES && !idat->odd; size += some) {
        while (idat->left == 0 && !idat->ended && !idat->odd) idat->odd = !end_chunk(idat) || !next_chunk(idat);
        some = idat->left < PIECE_BYTES - size ? idat->left : PIECE_BYTES - size;
        idat->odd = idat->odd || !read_exactly(idat, idat->piece + size, some);
        idat->crc = halo_crc32(idat->crc, idat->piece + size, some);
        idat->left -= some;
    }
    idat->inflate.next_in = idat->piece;
    idat->inflate.avail_in = size;
    return size > 0 && !idat->odd;
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

static bool is_stream(int method, int flags)
{
    return method == 0x78 && flags >= 0 && (flags & 0x20) == 0 && (method << 8 | flags) % 31 == 0;
}

static bool begin_stream(PngIdat *idat)
{
    idat->begun = true;
    const int method = next_byte(idat), flags = next_byte(idat);
    return is_stream(method, flags);
}

/* ---- chunks that stand by themselves -------------------------------------------------------------------- */

/* The chunk whose header has been read, all of it; afterwards the header of the next one has been. */
static bool take_chunk(PngIdat *idat, uint8_t *buffer)
{
    const uint32_t size = idat->left;
    const size_t head = idat->begun ? 0 : 2;
    if (!read_exactly(idat, buffer, size)) return false;
    idat->crc = halo_crc32(idat->crc, buffer, size);
    idat->left = 0;
    if (!end_chunk(idat) || !next_chunk(idat) || (head > 0 && !is_stream(buffer[0], buffer[1]))) return false;
    idat->begun = true;
    idat->more = memcmp(buffer + size - 4, "\x00\x00\xff\xff", 4) == 0; /* so ends a flush */
    halo_png_ahead_put(idat->ahead, head, size - head, idat->more);
    return true;
}

/* As many as there is space for, up to the first that does not look like it. */
static void take_chunks(PngIdat *idat)
{
    uint8_t *buffer;
    while (idat->more && !idat->ended && !idat->odd) {
        idat->more = idat->left > 8 && idat->left <= PNG_ALONE_BYTES;
        if (!idat->more || (buffer = halo_png_ahead_chunk(idat->ahead)) == NULL) return;
        idat->odd = !take_chunk(idat, buffer);
    }
}

/* The rest is inflated sequentially, referring back to their output. */
static bool end_alone(PngIdat *idat)
{
    size_t size = 0;
    uint8_t *window = halo_png_ahead_window(idat->ahead, &size);
    idat->alone = false;
    return window == NULL || isal_inflate_set_dict(&idat->inflate, window, (uint32_t)size) == COMP_OK;
}

/* *taken: fewer than `size` where they end. */
static bool take_made(PngIdat *idat, uint8_t *bytes, size_t size, size_t *taken)
{
    for (*taken = 0; idat->alone && *taken < size;) {
        if (idat->made_left == 0) {
            take_chunks(idat);
            if (idat->odd) return false;
            idat->made = halo_png_ahead_next(idat->ahead, &idat->made_left);
            if (idat->made == NULL) return end_alone(idat);
            take_chunks(idat);
        }
        const size_t some = idat->made_left < size - *taken ? idat->made_left : size - *taken;
        memcpy(bytes + *taken, idat->made, some);
        *taken += some;
        idat->made += some;
        idat->made_left -= some;
    }
    return true;
}

/* ---- the stream ----------------------------------------------------------------------------------------- */

/* Fills what `inflate` has space for, or comes to the end of the last block. */
static bool inflate_more(PngIdat *idat)
{
    struct inflate_state *inflate = &idat->inflate;
    while (inflate->avail_out > 0 && inflate->block_state != ISAL_BLOCK_FINISH) {
        const uint32_t capacity = inflate->avail_out;
        const bool fed = inflate->avail_in > 0 || feed(idat);
        if (idat->odd || isal_inflate(inflate) != ISAL_DECOMP_OK) return false;
        if (!fed && inflate->avail_out == capacity && inflate->block_state != ISAL_BLOCK_FINISH) return false;
        /* It counts in 32 bits how far a match may refer back. */
        if (inflate->total_out > 1u << 30) inflate->total_out = 1u << 20;
    }
    return true;
}

static bool take(PngIdat *idat, uint8_t *bytes, size_t size)
{
    if (size > 0 && !idat->begun && !begin_stream(idat)) return false;
    while (size > 0) {
        const uint32_t now = size < 1u << 28 ? (uint32_t)size : 1u << 28;
        idat->inflate.next_out = bytes;
        idat->inflate.avail_out = now;
        if (!inflate_more(idat) || idat->inflate.avail_out > 0) return false;
        bytes += now;
        size -= now;
    }
    return true;
}

bool halo_png_idat_take(PngIdat *idat, uint8_t *bytes, size_t size)
{
    size_t made;
    const bool taken = take_made(idat, bytes, size, &made) && take(idat, bytes + made, size - made);
    if (taken) idat->adler = halo_adler32(idat->adler, bytes, size);
    halo_after_isal();
    return taken;
}

bool halo_png_idat_end(PngIdat *idat)
{
    uint8_t more, sum[4];
    size_t made;
    struct inflate_state *inflate = &idat->inflate;
    if (!take_made(idat, &more, 1, &made) || made > 0) return false;
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

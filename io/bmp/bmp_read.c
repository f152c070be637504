/* Reads BMP, of Windows 2 to V5 and of OS/2: 1 to 32 bits, bit fields, run lengths, alpha, profiles. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bmp.h"
#include "bytes/endian.h"
#include "meta/meta.h"
#include "samples/image.h"

#define MOST_HEADER 256
#define MOST_PROFILE (16 << 20)

bool bmp_probe(const uint8_t *head, size_t size)
{
    return size >= 26 && head[0] == 'B' && head[1] == 'M' && head[15] == 0 && head[16] == 0 && head[17] == 0;
}

typedef struct Header {
    uint8_t file[BMP_FILE_BYTES];
    uint8_t at[MOST_HEADER]; /* what follows, of `size` bytes; zeros behind it */
    unsigned size;
    int64_t width, height;
    int bits;
    int64_t colours; /* in the palette */
} Header;

static uint32_t word(const Header *header, size_t at) { return (uint32_t)halo_get_le(header->at + at, 4); }

static HaloStatus take(HaloReader *reader, void *bytes, size_t size)
{
    size_t got;
    const HaloStatus status = halo_source_read(reader->source, bytes, size, &got);
    if (status == HALO_OK && got < size) return halo_fail(HALO_ERR_INPUT, "truncated in the BMP header");
    return status;
}

static HaloStatus take_header(HaloReader *reader, Header *header)
{
    HaloStatus status = HALO_OK;
    HALO_TRY(take(reader, header->file, BMP_FILE_BYTES));
    if (memcmp(header->file, "BM", 2) != 0) HALO_FAIL(HALO_ERR_INPUT, "not a BMP file");
    HALO_TRY(take(reader, header->at, 4));
    header->size = word(header, 0);
    if (header->size < BMP_CORE || header->size > MOST_HEADER || (header->size > BMP_CORE && header->size < 16))
        HALO_FAIL(HALO_ERR_INPUT, "a BMP header of %u bytes is unknown", header->size);
    HALO_TRY(take(reader, header->at + 4, header->size - 4));
out:
    return status;
}

/* Where OS/2 2.x has the codings 3 and 4 they mean others: Huffman, and runs of 24 bits. */
static HaloStatus check_coding(const Header *header, unsigned coding)
{
    const int bits = header->bits;
    const bool fields = coding == BMP_BITFIELDS || coding == BMP_ALPHAFIELDS;
    if (coding == BMP_JPEG || coding == BMP_PNG)
        return halo_fail(HALO_ERR_INPUT, "a BMP that holds a JPEG or PNG is not supported");
    if (coding > BMP_ALPHAFIELDS || (header->size == BMP_OS2 && coding > BMP_RLE4))
        return halo_fail(HALO_ERR_INPUT, "BMP compression %u is not supported", coding);
    if ((coding == BMP_RLE8 && bits != 8) || (coding == BMP_RLE4 && bits != 4) ||
        (fields && bits != 16 && bits != 32))
        return halo_fail(HALO_ERR_INPUT, "BMP compression %u with %d bits is invalid", coding, bits);
    if (bits != 1 && bits != 2 && bits != 4 && bits != 8 && bits != 16 && bits != 24 && bits != 32)
        return halo_fail(HALO_ERR_INPUT, "BMP of %d bits is not supported", bits);
    return HALO_OK;
}

static HaloStatus parse_sizes(HaloReader *reader, Header *header)
{
    HaloStatus status = HALO_OK;
    BmpReader *state = reader->state;
    const bool core = header->size == BMP_CORE;
    header->width = core ? (int64_t)halo_get_le(header->at + 4, 2) : (int32_t)word(header, 4);
    header->height = core ? (int64_t)halo_get_le(header->at + 6, 2) : (int32_t)word(header, 8);
    header->bits = (int)halo_get_le(header->at + (core ? 10 : 14), 2);
    state->coding = header->size > 16 ? word(header, 16) : BMP_RGB;
    state->rows.down = header->height < 0;
    if (header->height < 0) header->height = -header->height;
    if (header->width < 1 || header->height < 1)
        HALO_FAIL(HALO_ERR_INPUT, "an image without pixels: %lld x %lld", (long long)header->width,
                  (long long)header->height);
    HALO_TRY(check_coding(header, state->coding));
    if (header->bits <= 8) {
        const uint32_t said = header->size >= 36 ? word(header, 32) : 0;
        header->colours = said == 0 ? INT64_C(1) << header->bits : said;
    }
out:
    return status;
}

/* ---- how a pixel is made -------------------------------------------------------------------------------- */

/* Masks stand in the header from V2 on, else behind it. */
static HaloStatus take_fields(HaloReader *reader, Header *header)
{
    HaloStatus status = HALO_OK;
    BmpReader *state = reader->state;
    HaloPacked *pixel = &state->pixel;
    const bool fields = state->coding == BMP_BITFIELDS || state->coding == BMP_ALPHAFIELDS;
    const uint32_t usual[2][3] = {{0xff0000, 0xff00, 0xff}, {0x7c00, 0x3e0, 0x1f}};
    memcpy(pixel->mask, usual[header->bits == 16], sizeof usual[0]);
    pixel->channels = 3;
    if (fields) {
        if (header->size < BMP_V2) HALO_TRY(take(reader, header->at + BMP_INFO, 12));
        if (header->size < BMP_V2 && state->coding == BMP_ALPHAFIELDS)
            HALO_TRY(take(reader, header->at + BMP_V2, 4));
        for (size_t c = 0; c < 4; c++) pixel->mask[c] = word(header, BMP_INFO + 4 * c);
        pixel->channels = pixel->mask[3] != 0 ? 4 : 3;
    }
    HALO_TRY(halo_packed_fields(pixel));
out:
    return status;
}

/* Colours beyond the palette are black. */
static HaloStatus take_palette(HaloReader *reader, const Header *header)
{
    HaloStatus status = HALO_OK;
    BmpReader *state = reader->state;
    HaloPacked *pixel = &state->pixel;
    const size_t entry = header->size == BMP_CORE ? 3 : 4;
    const int64_t at = halo_source_tell(reader->source) - state->start;
    int64_t colours = header->colours < 256 ? header->colours : 256;
    if (state->pixels > 0 && (state->pixels - at) / (int64_t)entry < colours)
        colours = (state->pixels - at) / (int64_t)entry; /* some files have fewer */
    if (colours < 1) HALO_FAIL(HALO_ERR_INPUT, "a BMP of %d bits without a palette", header->bits);
    for (int64_t i = 0; i < colours; i++) {
        uint8_t bytes[4];
        HALO_TRY(take(reader, bytes, entry));
        for (int c = 0; c < 3; c++) pixel->colour[i][c] = bytes[2 - c];
    }
    pixel->indexed = true;
    pixel->dtype = HALO_U8;
    pixel->channels = halo_packed_is_gray(pixel, (int)colours) ? 1 : 3;
out:
    return status;
}

/* ---- metadata ------------------------------------------------------------------------------------------- */

static void parse_meta(HaloReader *reader, const Header *header)
{
    BmpReader *state = reader->state;
    HaloMeta *meta = &reader->info.meta;
    const double x = header->size >= BMP_INFO ? (int32_t)word(header, 24) : 0,
                 y = header->size >= BMP_INFO ? (int32_t)word(header, 28) : 0;
    if (x > 0 && y > 0) {
        meta->resolution[0] = x;
        meta->resolution[1] = y;
    }
    if (header->size < BMP_V4) return;
    if (word(header, 56) == BMP_SRGB) meta->srgb = 1;
    if (header->size < BMP_V5 || word(header, 56) != BMP_EMBEDDED) return;
    state->profile = BMP_FILE_BYTES + (int64_t)word(header, 112);
    state->profile_size = word(header, 116);
}

/* A profile follows the pixels; a source that cannot go to it and return leaves it out, with a note. */
static HaloStatus take_profile(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    const BmpReader *state = reader->state;
    HaloSource *source = reader->source;
    const int64_t here = halo_source_tell(source), at = state->start + state->profile;
    const size_t size = (size_t)state->profile_size;
    size_t got = 0;
    uint8_t *bytes = NULL;
    if (size == 0) return HALO_OK;
    if (at < here || size > MOST_PROFILE || !halo_source_keep(source, here, (size_t)(at - here) + size)) {
        halo_note(&reader->info.notes, HALO_NOTE_LARGE, 1);
        return HALO_OK;
    }
    bytes = malloc(size);
    if (bytes == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for a colour profile");
    HALO_TRY(halo_source_seek(source, at));
    HALO_TRY(halo_source_read(source, bytes, size, &got));
    HALO_TRY(halo_source_seek(source, here));
    if (got < size) {
        halo_note(&reader->info.notes, HALO_NOTE_LARGE, 1);
    } else {
        HALO_TRY(halo_blob_set(&reader->info.meta.icc, bytes, size));
    }
out:
    free(bytes);
    return status;
}

/* ---- the format's functions ----------------------------------------------------------------------------- */

/* Goes over bytes that belong to the image. */
static HaloStatus pass(HaloReader *reader, int64_t to)
{
    HaloStatus status = HALO_OK;
    uint8_t bytes[4096];
    HaloSource *source = reader->source;
    const int64_t size = halo_source_size(source);
    if (halo_source_seekable(source)) return halo_source_seek(source, to < size ? to : size);
    for (int64_t left = to - halo_source_tell(source); left > 0;) {
        size_t got;
        HALO_TRY(halo_source_read(source, bytes, left < 4096 ? (size_t)left : 4096, &got));
        if (got == 0) break;
        left -= (int64_t)got;
    }
out:
    return status;
}

static void describe(HaloReader *reader, const Header *header)
{
    static const char *const coding[] = {"", ", RLE", ", RLE", ", bit fields", "", "", ", bit fields"};
    const BmpReader *state = reader->state;
    HaloInfo *info = &reader->info;
    info->bits = state->pixel.dtype == HALO_U16                   ? 16
                 : header->bits < 8 && state->pixel.channels == 1 ? header->bits
                                                                  : 8;
    snprintf(info->encoding, sizeof info->encoding, "%d bits%s%s%s", header->bits,
             state->pixel.indexed && state->pixel.channels == 3 ? ", palette" : "", coding[state->coding],
             state->rows.down ? ", top-down" : "");
}

static HaloStatus open_rows(HaloReader *reader, const Header *header)
{
    HaloStatus status = HALO_OK;
    BmpReader *state = reader->state;
    HaloPacked *pixel = &state->pixel;
    const int64_t at = halo_source_tell(reader->source) - state->start;
    if (state->pixels == 0) state->pixels = at;
    if (state->pixels < at) HALO_FAIL(HALO_ERR_INPUT, "the pixels of the BMP lie within its header");
    pixel->bits = header->bits;
    if (state->coding == BMP_RLE8 || state->coding == BMP_RLE4) {
        if (state->rows.down) HALO_FAIL(HALO_ERR_INPUT, "BMP with run lengths cannot be top-down");
        pixel->bits = 8;
        state->rows.row_bytes = header->width;
        HALO_TRY(halo_upward_hold(reader, &state->rows));
        HALO_TRY(pass(reader, state->start + state->pixels));
        HALO_TRY(bmp_read_runs(reader));
        HALO_TRY(halo_upward_held(&state->rows));
    } else {
        state->rows.row_bytes = (halo_packed_bytes(pixel, header->width) + 3) / 4 * 4;
        HALO_TRY(pass(reader, state->start + state->pixels));
        HALO_TRY(halo_upward_open(reader, &state->rows));
    }
out:
    return status;
}

HaloStatus bmp_open(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    Header header = {.size = 0};
    BmpReader *state = reader->state = calloc(1, sizeof *state);
    if (state == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to read an image");
    state->start = halo_source_tell(reader->source);
    HALO_TRY(take_header(reader, &header));
    HALO_TRY(parse_sizes(reader, &header));
    state->pixels = (int64_t)halo_get_le(header.file + 10, 4);
    state->end = (int64_t)halo_get_le(header.file + 2, 4);
    state->pixel.bits = header.bits;
    HALO_TRY(header.bits > 8 ? take_fields(reader, &header) : take_palette(reader, &header));
    HALO_TRY(halo_image_open(reader, header.width, header.height, state->pixel.channels, state->pixel.dtype));
    if (state->pixel.channels == 4) reader->info.shape.alpha = 3;
    parse_meta(reader, &header);
    describe(reader, &header);
    HALO_TRY(take_profile(reader));
    HALO_TRY(open_rows(reader, &header));
out:
    return status;
}

static void unpack(const HaloReader *reader, const uint8_t *from, void *to)
{
    const BmpReader *state = reader->state;
    halo_packed_row(&state->pixel, from, reader->info.shape.width, to);
}

/* Behind the last row: what else belongs to the image, such as a profile. */
static HaloStatus leave(HaloReader *reader)
{
    const BmpReader *state = reader->state;
    const int64_t end = state->start + state->end;
    const bool further = state->rows.row == reader->info.shape.height && end > halo_source_tell(reader->source);
    return further ? pass(reader, end) : HALO_OK;
}

HaloStatus bmp_read(HaloReader *reader, HaloBuf *rows, int64_t *got)
{
    HaloStatus status = HALO_OK;
    BmpReader *state = reader->state;
    HALO_TRY(halo_upward_read(reader, &state->rows, rows, unpack));
    HALO_TRY(leave(reader));
out:
    *got = status == HALO_OK ? rows->rows : 0;
    return status;
}

HaloStatus bmp_skip(HaloReader *reader, int64_t rows, int64_t *skipped)
{
    BmpReader *state = reader->state;
    const HaloStatus status = halo_upward_skip(reader, &state->rows, rows, skipped);
    return status == HALO_OK ? leave(reader) : status;
}

void bmp_close(HaloReader *reader)
{
    BmpReader *state = reader->state;
    if (state == NULL) return;
    halo_upward_close(reader, &state->rows);
    free(state);
    reader->state = NULL;
}

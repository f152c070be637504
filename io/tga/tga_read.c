/* Reads TGA of the types 1, 2, 3, 9, 10 and 11: palettes, RGB and gray, plain or as run lengths, from any
 * corner. Files have no signature, so that the header is checked strictly. */
#include "tga.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes/endian.h"
#include "samples/image.h"
#include "samples/packed.h"
#include "samples/upward.h"

enum { HEADER = 18, PALETTE = 1, COLOUR = 2, GRAY = 3, RUNS = 8 };

typedef struct TgaReader {
    HaloPacked pixel;
    HaloUpward rows;
    uint8_t head[HEADER];
    int type; /* without RUNS */
    bool runs, leftward;
} TgaReader;

static HaloStatus take(HaloReader *reader, void *bytes, size_t size)
{
    size_t got;
    const HaloStatus status = halo_source_read(reader->source, bytes, size, &got);
    if (status == HALO_OK && got < size) return halo_fail(HALO_ERR_INPUT, "truncated in the TGA header");
    return status;
}

static bool is_depth(int type, int bits)
{
    if (type == PALETTE) return bits == 8;
    if (type == GRAY) return bits == 8 || bits == 16;
    return bits == 15 || bits == 16 || bits == 24 || bits == 32;
}

static HaloStatus check_head(TgaReader *state)
{
    const uint8_t *head = state->head;
    const int palette = head[1], bits = head[16];
    state->type = head[2] & ~RUNS;
    state->runs = (head[2] & RUNS) != 0;
    if (palette > 1 || state->type < PALETTE || state->type > GRAY || (state->type == PALETTE && palette == 0))
        return halo_fail(HALO_ERR_INPUT, "no TGA, or of a type that is not supported: %d", head[2]);
    if (!is_depth(state->type, bits) || (palette == 1 && !is_depth(COLOUR, head[7])))
        return halo_fail(HALO_ERR_INPUT, "TGA of type %d with %d bits is not supported", head[2], bits);
    if ((head[17] & 0xc0) != 0) return halo_fail(HALO_ERR_INPUT, "interleaved TGA is not supported");
    return HALO_OK;
}

/* Fields of colours of so many bits; alpha by the number of attribute bits in the header. */
static void set_fields(HaloPacked *pixel, int bits, int attributes)
{
    const bool wide = bits > 16;
    const uint32_t mask[2][4] = {{0x7c00, 0x3e0, 0x1f, 0x8000}, {0xff0000, 0xff00, 0xff, 0xff000000}};
    memcpy(pixel->mask, mask[wide], sizeof pixel->mask);
    pixel->bits = bits == 15 ? 16 : bits;
    pixel->channels = (bits == 16 && attributes == 1) || (bits == 32 && attributes == 8) ? 4 : 3;
}

static HaloStatus take_palette(HaloReader *reader, bool used)
{
    HaloStatus status = HALO_OK;
    TgaReader *state = reader->state;
    HaloPacked *pixel = &state->pixel, entry = {0};
    const int64_t first = (int64_t)halo_get_le(state->head + 3, 2),
                  count = (int64_t)halo_get_le(state->head + 5, 2);
    set_fields(&entry, state->head[7], state->head[7] == 32 ? 8 : 0);
    HALO_TRY(halo_packed_fields(&entry));
    for (int64_t i = 0; i < count; i++) {
        uint8_t bytes[4];
        HALO_TRY(take(reader, bytes, (size_t)entry.bits / 8));
        if (first + i < 256) halo_packed_row(&entry, bytes, 1, pixel->colour[first + i]);
    }
    if (!used) return HALO_OK;
    pixel->indexed = true;
    pixel->bits = 8;
    pixel->channels = entry.channels == 4 ? 4 : halo_packed_is_gray(pixel, 256) ? 1 : 3;
out:
    return status;
}

static HaloStatus set_pixel(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    TgaReader *state = reader->state;
    HaloPacked *pixel = &state->pixel;
    const int bits = state->head[16], attributes = state->head[17] & 15;
    if (state->head[1] == 1) HALO_TRY(take_palette(reader, state->type == PALETTE));
    if (state->type == PALETTE) return HALO_OK;
    if (state->type == COLOUR) {
        set_fields(pixel, bits, attributes);
    } else {
        pixel->bits = bits;
        pixel->channels = bits == 16 ? 2 : 1;
        pixel->mask[0] = 0xff;
        pixel->mask[1] = 0xff00;
    }
    HALO_TRY(halo_packed_fields(pixel));
out:
    return status;
}

/* ---- run lengths ---------------------------------------------------------------------------------------- */

/* They may go on in the next row, as older programs wrote them. *got: how many bytes are there. */
static HaloStatus read_runs(HaloReader *reader, int64_t *got)
{
    HaloStatus status = HALO_OK;
    TgaReader *state = reader->state;
    const size_t size = (size_t)state->pixel.bits / 8;
    uint8_t *to = state->rows.held, pixel[4], count;
    const int64_t bytes = state->rows.held_bytes;
    for (*got = 0; *got < bytes;) {
        size_t n;
        HALO_TRY(halo_source_read(reader->source, &count, 1, &n));
        if (n == 0) break;
        const bool run = (count & 0x80) != 0;
        const int64_t left = bytes - *got, want = ((count & 0x7f) + 1) * (int64_t)size;
        const int64_t part = want < left ? want : left;
        HALO_TRY(halo_source_read(reader->source, run ? pixel : to + *got, run ? size : (size_t)part, &n));
        if (n < (run ? size : (size_t)part)) break;
        for (int64_t i = 0; run && i < part; i += (int64_t)size) memcpy(to + *got + i, pixel, size);
        *got += part;
    }
out:
    return status;
}

static HaloStatus open_rows(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    TgaReader *state = reader->state;
    int64_t got;
    state->rows.row_bytes = halo_packed_bytes(&state->pixel, reader->info.shape.width);
    if (!state->runs) return halo_upward_open(reader, &state->rows);
    HALO_TRY(halo_upward_hold(reader, &state->rows));
    HALO_TRY(read_runs(reader, &got));
    if (got < state->rows.held_bytes)
        HALO_TRY(halo_image_ends(
            reader, state->rows.down || !reader->options.tolerate ? got / state->rows.row_bytes : -1));
    HALO_TRY(halo_upward_held(&state->rows));
out:
    return status;
}

/* ---- the format's functions ----------------------------------------------------------------------------- */

HaloStatus tga_open(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    uint8_t id[255];
    TgaReader *state = reader->state = calloc(1, sizeof *state);
    if (state == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to read an image");
    HALO_TRY(take(reader, state->head, HEADER));
    HALO_TRY(check_head(state));
    HALO_TRY(take(reader, id, state->head[0]));
    HALO_TRY(set_pixel(reader));
    HALO_TRY(halo_image_open(reader, (int64_t)halo_get_le(state->head + 12, 2),
                             (int64_t)halo_get_le(state->head + 14, 2), state->pixel.channels, HALO_U8));
    if (state->pixel.channels % 2 == 0) reader->info.shape.alpha = state->pixel.channels - 1;
    state->rows.down = (state->head[17] & 0x20) != 0;
    state->leftward = (state->head[17] & 0x10) != 0;
    reader->info.bits = 8;
    snprintf(reader->info.encoding, sizeof reader->info.encoding, "%d bits%s%s", state->head[16],
             state->type == PALETTE ? ", palette" : "", state->runs ? ", RLE" : "");
    HALO_TRY(open_rows(reader));
out:
    return status;
}

static void unpack(const HaloReader *reader, const uint8_t *from, void *to)
{
    const TgaReader *state = reader->state;
    const int64_t width = reader->info.shape.width;
    const size_t size = (size_t)reader->info.shape.channels;
    uint8_t *row = to, pixel[4];
    halo_packed_row(&state->pixel, from, width, to);
    for (int64_t x = 0; state->leftward && x < width / 2; x++) {
        uint8_t *left = row + (size_t)x * size, *right = row + (size_t)(width - 1 - x) * size;
        memcpy(pixel, left, size);
        memcpy(left, right, size);
        memcpy(right, pixel, size);
    }
}

HaloStatus tga_read(HaloReader *reader, HaloBuf *rows, int64_t *got)
{
    TgaReader *state = reader->state;
    const HaloStatus status = halo_upward_read(reader, &state->rows, rows, unpack);
    *got = status == HALO_OK ? rows->rows : 0;
    return status;
}

HaloStatus tga_skip(HaloReader *reader, int64_t rows, int64_t *skipped)
{
    TgaReader *state = reader->state;
    return halo_upward_skip(reader, &state->rows, rows, skipped);
}

void tga_close(HaloReader *reader)
{
    TgaReader *state = reader->state;
    if (state == NULL) return;
    halo_upward_close(reader, &state->rows);
    free(state);
    reader->state = NULL;
}

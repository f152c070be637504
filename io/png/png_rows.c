/* Decodes rows from the stream of a PNG.
 *
 * The stream is inflated into a buffer that fits the cache, many rows at a time; each row is unfiltered from
 * there. Rows of 8-bit samples are unfiltered straight into the output; 16-bit samples, palettes and depths
 * below 8 bits are converted from an unfiltered row. */
#include "png_rows.h"

#ifdef HALO_HAVE_ISAL
#include <stdlib.h>
#include <string.h>

#include "bytes/endian.h"
#include "png_filter.h"
#include "png_idat.h"
#include "samples/image.h"

#define BUFFER_BYTES ((size_t)256 * 1024)
#define SMALL_BYTES ((int64_t)2 << 20)
#define MOST_ROWS 4 /* at a time */
#define ENTRY 32    /* bytes that a byte of the file becomes at most: 8 pixels of RGBA */

typedef enum PngExpand { AS_BYTES, AS_WORDS, BY_TABLE } PngExpand;

struct PngRows {
    PngIdat *idat;
    PngExpand expand;
    size_t pixel, bytes; /* of a pixel, for filters; of a row in the file, without the filter's byte */
    int64_t left;        /* rows that have not been inflated */
    uint8_t *buffer;     /* of whole filtered rows */
    size_t at, filled, capacity;
    uint8_t *last;             /* the row above, as the file has it */
    uint8_t *row[MOST_ROWS];   /* the next ones, where they are expanded from there to their places */
    size_t entry;              /* bytes of each entry that are used */
    uint8_t table[256][ENTRY]; /* by a byte of the file */
};

/* ---- what becomes of the bytes -------------------------------------------------------------------------- */

/* A palette may have fewer colours than the samples refer to: libpng makes the missing ones black.
 */
static void set_colour(const PngReader *state, unsigned index, bool alpha, uint8_t *to)
{
    png_colorp palette = NULL;
    png_bytep alphas = NULL;
    int colours = 0, opaque_from = 0;
    png_get_PLTE(state->png, state->info, &palette, &colours);
    if (alpha) png_get_tRNS(state->png, state->info, &alphas, &opaque_from, NULL);
    const png_color colour = (int)index < colours ? palette[index] : (png_color){0};
    to[0] = colour.red;
    to[1] = colour.green;
    to[2] = colour.blue;
    if (alpha) to[3] = (int)index < opaque_from ? alphas[index] : 255;
}

static void make_table(PngRows *rows, const PngReader *state, unsigned depth, bool palette)
{
    const unsigned each = 8 / depth, most = (1u << depth) - 1;
    const size_t channels = (size_t)state->reader->info.shape.channels;
    rows->entry = each * channels;
    for (unsigned byte = 0; byte < 256; byte++)
        for (unsigned i = 0; i < each; i++) {
            const unsigned value = byte >> (8 - depth * (i + 1)) & most;
            uint8_t *to = rows->table[byte] + i * channels;
            if (palette)
                set_colour(state, value, channels == 4, to);
            else
                *to = (uint8_t)(value * 255 / most);
        }
}

static void look_up(const PngRows *rows, uint8_t *to, const uint8_t *from, size_t bytes)
{
    const size_t entry = rows->entry;
    if (entry == 3 || entry == 4) /* a palette of 8 bits: moves four bytes at a time inside of the row */
        for (; bytes >= 4; bytes -= entry, to += entry) memcpy(to, rows->table[*from++], 4);
    for (size_t size; bytes > 0; bytes -= size, to += size) {
        size = bytes < entry ? bytes : entry;
        memcpy(to, rows->table[*from++], size);
    }
}

static void swap_words(uint8_t *restrict to, const uint8_t *restrict from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 2) {
        uint16_t word;
        memcpy(&word, from + i, 2);
        word = halo_host_is_little() ? (uint16_t)(word << 8 | word >> 8) : word;
        memcpy(to + i, &word, 2);
    }
}

static void expand(const PngRows *rows, uint8_t *to, const uint8_t *from, size_t bytes)
{
    if (rows->expand == AS_WORDS)
        swap_words(to, from, bytes);
    else
        look_up(rows, to, from, bytes);
}

/* ---- rows ----------------------------------------------------------------------------------------------- */

static bool take_buffers(PngRows *rows)
{
    const size_t row = rows->bytes + 1, most = (size_t)rows->left;
    size_t count = row < BUFFER_BYTES / MOST_ROWS ? BUFFER_BYTES / row / MOST_ROWS * MOST_ROWS : MOST_ROWS;
    if (count > most) count = most;
    rows->capacity = count * row;
    rows->buffer = malloc(rows->capacity);
    rows->last = calloc(rows->bytes, 1);
    if (rows->buffer == NULL || rows->last == NULL) return false;
    if (rows->expand == AS_BYTES) return true;
    for (int i = 0; i < MOST_ROWS; i++)
        if ((rows->row[i] = malloc(rows->bytes)) == NULL) return false;
    return true;
}

/* On a pipe, libpng reads an image from the beginning if it would probably be needed half way. */
static bool is_too_large(const HaloSource *source, size_t row, int64_t height)
{
    return !halo_source_seekable(source) && (int64_t)(row + 1) > 4 * PNG_KEPT_BYTES / height;
}

/* A small image is inflated before other threads would have started. */
static int jobs_for(const PngReader *state, const PngRows *rows)
{
    return (int64_t)rows->bytes > SMALL_BYTES / rows->left ? state->reader->jobs : 1;
}

PngRows *halo_png_rows_new(const PngReader *state)
{
    const HaloShape *shape = &state->reader->info.shape;
    const int type = png_get_color_type(state->png, state->info);
    const unsigned depth = png_get_bit_depth(state->png, state->info);
    const bool palette = type == PNG_COLOR_TYPE_PALETTE;
    const bool keyed = !palette && png_get_valid(state->png, state->info, PNG_INFO_tRNS) != 0;
    if (state->passes != 1 || keyed || state->reader->options.tolerate) return NULL;
    PngRows *rows = calloc(1, sizeof *rows);
    if (rows == NULL) return NULL;
    const unsigned bits = depth * png_get_channels(state->png, state->info); /* of a pixel in the file */
    rows->expand = depth == 16 ? AS_WORDS : palette || depth < 8 ? BY_TABLE : AS_BYTES;
    rows->pixel = bits < 8 ? 1 : bits / 8;
    rows->bytes = ((size_t)shape->width * bits + 7) / 8;
    rows->left = shape->height;
    if (is_too_large(state->reader->source, rows->bytes, shape->height)) goto out;
    if (rows->expand == BY_TABLE) make_table(rows, state, depth, palette);
    rows->idat =
        halo_png_idat_new(state->reader->source, state->head, jobs_for(state, rows), state->reader->memory);
    if (rows->idat != NULL && take_buffers(rows)) return rows;
out:
    halo_png_rows_free(rows);
    return NULL;
}

void halo_png_rows_free(PngRows *rows)
{
    if (rows == NULL) return;
    halo_png_idat_free(rows->idat);
    free(rows->buffer);
    free(rows->last);
    for (int i = 0; i < MOST_ROWS; i++) free(rows->row[i]);
    free(rows);
}

HaloStatus halo_png_rows_back(PngRows *rows) { return halo_png_idat_back(rows->idat); }

/* The next rows of the stream. */
static bool refill(PngRows *rows)
{
    const size_t row = rows->bytes + 1;
    const int64_t capacity = (int64_t)(rows->capacity / row),
                  count = rows->left < capacity ? rows->left : capacity;
    rows->at = 0;
    rows->filled = (size_t)count * row;
    rows->left -= count;
    return halo_png_idat_take(rows->idat, rows->buffer, rows->filled);
}

/* How many of `left` rows are unfiltered together: four of one filter with high latency, two, or one.
 */
static int together(const PngRows *rows, int64_t left)
{
    const size_t row = rows->bytes + 1, there = (rows->filled - rows->at) / row;
    const uint8_t *from = rows->buffer + rows->at;
    if (left < 2 || there < 2) return 1;
    if (left < 4 || there < 4 || *from < PNG_AVERAGE) return 2;
    return from[row] == *from && from[2 * row] == *from && from[3 * row] == *from ? 4 : 2;
}

/* So many rows, unfiltered; *above becomes the last of them, as the file has it. */
static bool unfilter(PngRows *rows, int count, uint8_t *const to[MOST_ROWS], const uint8_t **above)
{
    const uint8_t *from = rows->buffer + rows->at, *last = *above;
    const size_t row = rows->bytes + 1;
    rows->at += (size_t)count * row;
    *above = to[count - 1];
    if (count == 1) return halo_png_unfilter(*from, rows->pixel, rows->bytes, from + 1, last, to[0]);
    if (count == 2) {
        const PngTwoRows two = {{from + 1, from + row + 1}, last, {to[0], to[1]}};
        return halo_png_unfilter_two(*from, from[row], rows->pixel, rows->bytes, &two);
    }
    const PngFourRows four = {
        {from + 1, from + row + 1, from + 2 * row + 1, from + 3 * row + 1}, last, {to[0], to[1], to[2], to[3]}};
    return halo_png_unfilter_four(*from, rows->pixel, rows->bytes, &four);
}

/* The next rows of `to`, from row y on: *count of them. */
static bool take_rows(PngRows *rows, const HaloBuf *to, int64_t y, const uint8_t **above, int *count)
{
    uint8_t *place[MOST_ROWS];
    if (rows->at == rows->filled && !refill(rows)) return false;
    *count = together(rows, to->rows - y);
    for (int i = 0; i < *count; i++) place[i] = halo_row(to, y + i);
    if (rows->expand == AS_BYTES) return unfilter(rows, *count, place, above);
    if (!unfilter(rows, *count, rows->row, above)) return false;
    for (int i = 0; i < *count; i++) expand(rows, place[i], rows->row[i], (size_t)halo_row_bytes(to));
    uint8_t *last = rows->row[*count - 1];
    rows->row[*count - 1] = rows->last;
    rows->last = last;
    return true;
}

bool halo_png_rows_take(PngRows *rows, const HaloBuf *to)
{
    const uint8_t *above = rows->last;
    int count;
    for (int64_t y = 0; y < to->rows; y += count)
        if (!take_rows(rows, to, y, &above, &count)) return false;
    if (above != rows->last) memcpy(rows->last, above, rows->bytes);
    return true;
}

bool halo_png_rows_end(PngRows *rows) { return halo_png_idat_end(rows->idat); }

#endif

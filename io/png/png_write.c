/* Writes PNG: 8 or 16 bits, or 1 of black and white, gray or RGB, with or without alpha, and the metadata.
 * libpng writes the chunks before and after the samples; the samples are filtered and compressed here, which is
 * faster. */
#include "bytes/endian.h"
#include "meta/meta.h"
#include "png_filter.h"
#include "png_strip.h"
#include "pngfile.h"
#include "samples/bilevel.h"
#include "samples/image.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct PngWriter {
    PngGuard guard;
    HaloWriter *writer;
    png_structp png;
    png_infop info;
    bool bilevel; /* a bit a sample */
    bool silent;  /* what libpng writes now is for itself */
    PngStrips *strips;
    unsigned filters;
    size_t pixel, bytes; /* of a pixel and of a row */
    uint8_t *last, *row; /* the row before, as the file has it; the same of this row */
    uint8_t *filtered;
    bool has_exif, has_xmp; /* written already */
    size_t texts;           /* likewise, of them */
} PngWriter;

static void on_write(png_structp png, png_bytep bytes, size_t size)
{
    PngWriter *state = png_get_io_ptr(png);
    if (state->silent) return;
    const HaloStatus status = halo_sink_write(state->writer->sink, bytes, size);
    if (status != HALO_OK) {
        state->guard.status = status;
        png_error(png, "");
    }
}

static void on_flush(png_structp png) { (void)png; }

static void set_exif(PngWriter *state)
{
    const HaloBlob *exif = &state->writer->info.meta.exif;
    if (state->has_exif || exif->size == 0 || exif->size > PNG_UINT_31_MAX) return;
    png_set_eXIf_1(state->png, state->info, (png_uint_32)exif->size, exif->data);
    state->has_exif = true;
}

/* A keyword is 1 to 79 characters of Latin-1 that can be printed (PNG 3rd edition, 11.3.3.2); blanks at its
 * ends and in a row libpng removes, but something has to be left. */
static bool make_keyword(const char *key, char name[160])
{
    bool printable = false;
    if (strlen(key) >= 160 || !halo_text_latin1(key, name) || strlen(name) > 79) return false;
    for (const uint8_t *at = (const uint8_t *)name; *at != 0; at++) {
        if (*at < 32 || (*at > 126 && *at < 161)) return false;
        printable = printable || *at != ' ';
    }
    return printable;
}

/* Latin-1 where that holds it, as every reader knows it; else UTF-8. */
static void write_text(PngWriter *state, const char *key, const char *value)
{
    char name[160];
    const size_t size = strlen(value);
    if (!make_keyword(key, name)) {
        halo_note(&state->writer->notes, HALO_NOTE_KEYWORD, 1);
        return;
    }
    char *latin1 = malloc(size + 1);
    if (latin1 == NULL) {
        state->guard.status = halo_fail(HALO_ERR_LIMIT, "not enough memory for a text of %zu bytes", size);
        png_error(state->png, "");
    }
    png_text text = {.compression = PNG_TEXT_COMPRESSION_NONE, .key = name, .text = latin1};
    if (!halo_text_latin1(value, latin1)) {
        text.compression = PNG_ITXT_COMPRESSION_NONE;
        text.text = (char *)value;
    }
    png_set_text(state->png, state->info, &text, 1); /* takes a copy */
    free(latin1);
}

static void write_xmp(PngWriter *state, const HaloBlob *xmp)
{
    if (state->has_xmp) return;
    png_text text = {.compression = PNG_ITXT_COMPRESSION_NONE, .key = PNG_XMP_KEY};
    state->has_xmp = xmp->size > 0;
    if (xmp->size == 0 || memchr(xmp->data, 0, xmp->size) != NULL)
        return; /* UTF-16 with its zeros cannot stand in iTXt */
    text.text = malloc(xmp->size + 1);
    if (text.text == NULL) {
        state->guard.status = halo_fail(HALO_ERR_LIMIT, "not enough memory for %zu bytes of XMP", xmp->size);
        png_error(state->png, "");
    }
    memcpy(text.text, xmp->data, xmp->size);
    text.text[xmp->size] = 0;
    png_set_text(state->png, state->info, &text, 1);
    free(text.text);
}

/* Metadata that the input may have behind its samples: called before and after our samples. */
static void write_late(PngWriter *state)
{
    const HaloMeta *meta = &state->writer->info.meta;
    set_exif(state);
    write_xmp(state, &meta->xmp);
    for (; state->texts < meta->texts; state->texts++)
        write_text(state, meta->text[state->texts].key, meta->text[state->texts].value);
}

/* sBIT lets a reader reduce the samples to the significant bits of their source. It is kept if the samples have
 * the input's channels and depth; otherwise it would not be true. */
static void write_significant(const PngWriter *state)
{
    const HaloInfo *info = &state->writer->info;
    const uint8_t *bits = info->meta.significant;
    const bool wide = info->shape.dtype == HALO_U16, colour = info->shape.channels >= 3;
    const uint8_t depth = wide ? 16 : 8;
    if (bits[0] == 0 || (info->bits > 8) != wide || (bits[2] != 0) != colour) return;
    const uint8_t alpha = bits[colour ? 3 : 1];
    const png_color_8 said = {.gray = bits[0],
                              .red = bits[0],
                              .green = bits[1],
                              .blue = bits[2],
                              .alpha = alpha != 0 ? alpha : depth};
    png_set_sBIT(state->png, state->info, &said);
}

/* libpng leaves out chunks that contradict each other (png_set_benign_errors). */
static void write_numbers(const PngWriter *state)
{
    const HaloMeta *meta = &state->writer->info.meta;
    const double *c = meta->chroma;
    double dots[2] = {meta->resolution[0], meta->resolution[1]};
    if (meta->gamma > 0) png_set_gAMA(state->png, state->info, meta->gamma);
    if (c[1] > 0) png_set_cHRM(state->png, state->info, c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]);
    if (meta->srgb > 0) png_set_sRGB(state->png, state->info, meta->srgb - 1);
    if (meta->ratio) halo_whole_ratio(dots, PNG_UINT_31_MAX);
    if (dots[0] > 0 && dots[1] > 0 && dots[0] < PNG_UINT_31_MAX && dots[1] < PNG_UINT_31_MAX) {
        png_set_pHYs(state->png, state->info, (png_uint_32)lround(dots[0]), (png_uint_32)lround(dots[1]),
                     meta->ratio ? PNG_RESOLUTION_UNKNOWN : PNG_RESOLUTION_METER);
    }
}

static void write_codes(const PngWriter *state)
{
    png_unknown_chunk chunk[HALO_COLOUR_CODES] = {0};
    int chunks = 0;
    for (int i = 0; i < HALO_COLOUR_CODES; i++) {
        const HaloColourCode *code = &state->writer->info.meta.code[i];
        if (code->size == 0) continue;
        memcpy(chunk[chunks].name, halo_png_codes[i].name, 5);
        chunk[chunks].data = (png_bytep)code->bytes; /* a copy is taken */
        chunk[chunks].size = code->size;
        chunk[chunks++].location = PNG_HAVE_IHDR; /* behind the header, before everything else */
    }
    halo_png_keep_codes(state->png);
    if (chunks > 0) png_set_unknown_chunks(state->png, state->info, chunk, chunks);
}

/* Has the profile the size that it states, with room for its tags (ICC.1:2022, 7.2.2, 7.3)? libpng 1.6.39
 * leaves out others with a warning; 1.6.48 ends the writing. */
static bool is_whole_profile(const HaloBlob *icc)
{
    enum { HEADER = 132, TAG = 12 }; /* with the number of tags */
    if (icc->size < HEADER || icc->size > PNG_UINT_31_MAX || png_get_uint_32(icc->data) != icc->size)
        return false;
    const bool padded = icc->data[8] > 3; /* the major version */
    return (!padded || icc->size % 4 == 0) && png_get_uint_32(icc->data + 128) <= (icc->size - HEADER) / TAG;
}

static void write_profile(PngWriter *state)
{
    const HaloBlob *icc = &state->writer->info.meta.icc;
    if (!halo_icc_fits(icc, &state->writer->info.shape)) return;
    if (is_whole_profile(icc))
        png_set_iCCP(state->png, state->info, "icc", PNG_COMPRESSION_TYPE_BASE, icc->data,
                     (png_uint_32)icc->size);
    else
        halo_note_left_out(&state->writer->notes, HALO_META_ICC);
}

static void write_meta(PngWriter *state)
{
    write_numbers(state);
    if (!state->bilevel) write_significant(state);
    write_codes(state);
    write_profile(state);
    write_late(state);
}

/* A step. */
static void write_header(void *arg)
{
    PngWriter *state = arg;
    static const int types[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                PNG_COLOR_TYPE_RGB_ALPHA};
    const HaloShape *shape = &state->writer->info.shape;
    const int depth = state->bilevel ? 1 : shape->dtype == HALO_U16 ? 16 : 8;
    png_set_write_fn(state->png, state, on_write, on_flush);
    png_set_IHDR(state->png, state->info, (png_uint_32)shape->width, (png_uint_32)shape->height, depth,
                 types[shape->channels - 1], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    write_meta(state);
    png_write_info(state->png, state->info);
}

/* The level, and the filters that are tried for each row: with all of them most files become smaller, with
 * Paeth slower to read. docs/performance.md has the sizes and the times. */
static HaloStatus begin_samples(PngWriter *state)
{
    const HaloWriter *writer = state->writer;
    const HaloShape *shape = &writer->info.shape;
    const int wish = writer->options.png_level;
    const int level = wish == HALO_PNG_STORED ? 0 : wish < 1 || wish > 9 ? 1 : wish;
    state->filters = level == 0 ? 1u << PNG_NO_FILTER : level < 4 ? PNG_FEW_FILTERS : PNG_EVERY_FILTER;
    state->pixel = (size_t)shape->channels * halo_dtype_size(shape->dtype);
    state->bytes = (size_t)shape->width * state->pixel;
    if (state->bilevel) {
        state->pixel = 1;
        state->bytes = ((size_t)shape->width + 7) / 8;
    }
    state->last = calloc(state->bytes, 1);
    state->row = malloc(state->bytes);
    state->filtered = malloc(state->bytes + 1);
    if (state->last == NULL || state->row == NULL || state->filtered == NULL)
        return halo_fail(HALO_ERR_LIMIT, "not enough memory for a row of PNG");
    return halo_png_strips_new(writer->sink, level, writer->jobs, (int64_t)(state->bytes + 1) * shape->height,
                               &state->strips);
}

/* libpng, as it begins. */
static HaloStatus begin_chunks(PngWriter *state)
{
    state->png = halo_png_struct(&state->guard, HALO_ERR_OUTPUT, &state->writer->notes);
    state->info = state->png != NULL ? png_create_info_struct(state->png) : NULL;
    return state->info != NULL ? HALO_OK : halo_fail(HALO_ERR_LIMIT, "not enough memory to write PNG");
}

HaloStatus halo_png_create(HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = &writer->info.shape;
    if (shape->width > PNG_UINT_31_MAX || shape->height > PNG_UINT_31_MAX) {
        return halo_fail(HALO_ERR_OUTPUT, "PNG cannot hold %lld x %lld pixels", (long long)shape->width,
                         (long long)shape->height);
    }
    PngWriter *state = writer->state = calloc(1, sizeof *state);
    if (state == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory to write PNG");
    state->writer = writer;
    state->bilevel = writer->options.bits == 1;
    HALO_TRY(begin_chunks(state));
    HALO_TRY(halo_png_guard(&state->guard, write_header, state));
    HALO_TRY(begin_samples(state));
out:
    return status;
}

/* PNG's samples have the higher byte first. */
static const uint8_t *row_of_file(const PngWriter *state, const void *row)
{
    if (state->bilevel) return state->row;
    if (state->writer->info.shape.dtype == HALO_U8 || !halo_host_is_little()) return row;
    memcpy(state->row, row, state->bytes);
    halo_swap_bytes(state->row, state->bytes / 2, 2);
    return state->row;
}

HaloStatus halo_png_write(HaloWriter *writer, const HaloBuf *rows)
{
    HaloStatus status = HALO_OK;
    PngWriter *state = writer->state;
    const uint8_t *above = state->last;
    for (int64_t y = 0; y < rows->rows; y++) {
        if (state->bilevel)
            HALO_TRY(halo_pack_bits(&writer->info.shape, halo_row(rows, y), rows->y0 + y, state->row));
        const uint8_t *row = row_of_file(state, halo_row(rows, y));
        halo_png_filter(state->filters, state->pixel, state->bytes, row, above, state->filtered);
        HALO_TRY(halo_png_strips_put(state->strips, state->filtered, state->bytes + 1));
        above = row;
        if (row != state->row) continue;
        state->row = state->last;
        state->last = (uint8_t *)row;
    }
    if (above != state->last) memcpy(state->last, above, state->bytes);
out:
    return status;
}

/* A step: writes the chunks after the samples. libpng does that only after samples of its own: here one pixel,
 * which is discarded. */
static void write_end(void *arg)
{
    PngWriter *state = arg;
    state->silent = true;
    png_set_write_fn(state->png, state, on_write, on_flush);
    png_set_IHDR(state->png, state->info, 1, 1, 8, PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(state->png, state->info);
    png_write_row(state->png, (png_const_bytep) "");
    state->silent = false;
    write_late(state);
    png_write_end(state->png, state->info);
}

HaloStatus halo_png_finish(HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    PngWriter *state = writer->state;
    HALO_TRY(halo_png_strips_end(state->strips));
    png_destroy_write_struct(&state->png, &state->info);
    HALO_TRY(begin_chunks(state));
    HALO_TRY(halo_png_guard(&state->guard, write_end, state));
out:
    halo_png_discard(writer); /* another image may follow */
    return status;
}

void halo_png_discard(HaloWriter *writer)
{
    PngWriter *state = writer->state;
    if (state == NULL) return;
    png_destroy_write_struct(&state->png, &state->info);
    halo_png_strips_free(state->strips);
    free(state->last);
    free(state->row);
    free(state->filtered);
    free(state);
    writer->state = NULL;
}

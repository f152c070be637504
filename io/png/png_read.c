/* Reading PNG.
 *
 * No gamma is applied; depths below 8 bits are scaled to 0..255, palettes become RGB and tRNS becomes alpha. An
 * interlaced image is whole only after its last pass, so it is decoded on the first read. */
#include "bytes/endian.h"
#include "meta/meta.h"
#include "pngfile.h"
#include "samples/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A text of a kilobyte may expand to gigabytes: of one chunk, and of how many, so much is kept. */
#define MAX_CHUNK_BYTES 8388608
#define MAX_CHUNKS 32

/* A block of this size holds a chunk, and whatever libpng needs for itself but rows. */
#define MAX_BLOCK_BYTES (MAX_CHUNK_BYTES + 65536)

typedef struct PngReader {
    PngGuard guard;
    HaloReader *reader;
    png_structp png;
    png_infop info;
    int passes, pass;
    int64_t row;         /* rows decoded, of this pass */
    int64_t given;       /* rows given out */
    int texts;           /* taken of those before and behind the samples */
    HaloBuf whole;       /* an interlaced image of which rows are given out */
    bool damaged;        /* tolerated: nothing more is decoded */
    const HaloBuf *rows; /* what `decode` fills */
} PngReader;

static void on_read(png_structp png, png_bytep bytes, size_t size)
{
    PngReader *state = png_get_io_ptr(png);
    size_t got;
    HaloStatus status = halo_source_read(state->reader->source, bytes, size, &got);
    if (status == HALO_OK && got < size) {
        if (state->passes == 0)
            status = halo_fail(HALO_ERR_INPUT, "truncated before the first row");
        else if (state->passes == 1)
            status = halo_image_truncated(state->reader, state->row);
        else
            status =
                halo_fail(HALO_ERR_INPUT, "truncated: %d of %d interlace passes", state->pass, state->passes);
    }
    if (status != HALO_OK) {
        state->guard.status = status;
        png_error(png, "");
    }
}

/* Chunks that halo does not keep are skipped, not parsed. */
static void skip_chunks(png_structp png)
{
    static const png_byte skipped[] = "bKGD\0hIST\0oFFs\0pCAL\0sCAL\0sPLT\0sTER\0tIME";
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, skipped, (int)(sizeof skipped / 5));
    halo_png_keep_codes(png);
    png_set_chunk_malloc_max(png, MAX_CHUNK_BYTES);
    png_set_chunk_cache_max(png, MAX_CHUNKS);
}

static HaloStatus take_texts(PngReader *state)
{
    HaloStatus status = HALO_OK;
    HaloMeta *meta = &state->reader->info.meta;
    png_textp text = NULL;
    const int texts = png_get_text(state->png, state->info, &text, NULL);
    for (; state->texts < texts; state->texts++) {
        const png_text *t = &text[state->texts];
        const bool utf8 = t->compression >= PNG_ITXT_COMPRESSION_NONE;
        const size_t size = utf8 ? t->itxt_length : t->text_length;
        if (strcmp(t->key, PNG_XMP_KEY) != 0) {
            HALO_TRY(halo_text_add(meta, t->key, t->text, size, utf8 ? HALO_UTF_8 : HALO_LATIN_1));
        } else if (meta->xmp.data == NULL) {
            HALO_TRY(halo_blob_set(&meta->xmp, t->text, size));
        }
    }
out:
    return status;
}

/* Chunks of fixed size that describe the samples; libpng returns the valid ones, and changes nothing for
 * others. */
static void take_numbers(const PngReader *state)
{
    HaloMeta *meta = &state->reader->info.meta;
    const png_const_structp png = state->png;
    double *c = meta->chroma;
    png_uint_32 x, y;
    png_color_8p bits;
    int unit, intent;
    if (png_get_pHYs(png, state->info, &x, &y, &unit) == PNG_INFO_pHYs) {
        meta->resolution[0] = x;
        meta->resolution[1] = y;
        meta->ratio = unit != PNG_RESOLUTION_METER;
    }
    png_get_gAMA(png, state->info, &meta->gamma);
    png_get_cHRM(png, state->info, c, c + 1, c + 2, c + 3, c + 4, c + 5, c + 6, c + 7);
    if (png_get_sRGB(png, state->info, &intent) == PNG_INFO_sRGB) meta->srgb = 1 + intent;
    if (png_get_sBIT(png, state->info, &bits) == PNG_INFO_sBIT) {
        const bool colour = (png_get_color_type(png, state->info) & PNG_COLOR_MASK_COLOR) != 0;
        const uint8_t gray[4] = {bits->gray, bits->alpha},
                      rgb[4] = {bits->red, bits->green, bits->blue, bits->alpha};
        memcpy(meta->significant, colour ? rgb : gray, sizeof rgb);
    }
}

/* They have to stand before the palette and the samples; elsewhere they are ignored. */
static void take_codes(const PngReader *state)
{
    png_unknown_chunkp chunk = NULL;
    const int chunks = png_get_unknown_chunks(state->png, state->info, &chunk);
    for (int c = 0; c < chunks; c++)
        for (int i = 0; i < HALO_COLOUR_CODES; i++) {
            HaloColourCode *code = &state->reader->info.meta.code[i];
            const bool here = (chunk[c].location & (PNG_HAVE_PLTE | PNG_AFTER_IDAT)) == 0;
            if (!here || state->guard.damaged[i] || memcmp(chunk[c].name, halo_png_codes[i].name, 4) != 0 ||
                chunk[c].size != halo_png_codes[i].size)
                continue;
            code->size = halo_png_codes[i].size;
            memcpy(code->bytes, chunk[c].data, code->size);
        }
}

static void take_meta(PngReader *state)
{
    HaloMeta *meta = &state->reader->info.meta;
    png_charp name;
    png_bytep bytes;
    png_uint_32 size;
    int compression;
    HaloStatus status = take_texts(state);
    if (status == HALO_OK && meta->icc.data == NULL &&
        png_get_iCCP(state->png, state->info, &name, &compression, &bytes, &size) == PNG_INFO_iCCP) {
        status = halo_blob_set(&meta->icc, bytes, size);
    }
    if (status == HALO_OK && meta->exif.data == NULL &&
        png_get_eXIf_1(state->png, state->info, &size, &bytes) == PNG_INFO_eXIf) {
        status = halo_blob_set(&meta->exif, bytes, size);
    }
    if (status != HALO_OK) {
        state->guard.status = status;
        png_error(state->png, "");
    }
}

static void describe(HaloInfo *info, png_structp png, png_infop png_info)
{
    const int type = png_get_color_type(png, png_info);
    const char *colour = type == PNG_COLOR_TYPE_PALETTE ? "palette"
                         : type & PNG_COLOR_MASK_COLOR  ? "RGB"
                                                        : "gray";
    const bool interlaced = png_get_interlace_type(png, png_info) != PNG_INTERLACE_NONE;
    snprintf(info->encoding, sizeof info->encoding, "%s%s%s", colour,
             type & PNG_COLOR_MASK_ALPHA ? " with alpha" : "", interlaced ? ", interlaced" : "");
    info->bits = png_get_bit_depth(png, png_info);
}

/* A step: everything before the first row. */
static void read_header(void *arg)
{
    PngReader *state = arg;
    const png_structp png = state->png;
    png_set_read_fn(png, state, on_read);
    const bool tolerate = state->reader->options.tolerate;
    png_set_crc_action(png, tolerate ? PNG_CRC_QUIET_USE : PNG_CRC_ERROR_QUIT,
                       tolerate ? PNG_CRC_QUIET_USE : PNG_CRC_WARN_DISCARD);
    skip_chunks(png);
    png_read_info(png, state->info);
    describe(&state->reader->info, png, state->info);

    const bool wide = png_get_bit_depth(png, state->info) == 16;
    png_set_expand(png);
    if (wide && halo_host_is_little()) png_set_swap(png);
    const int type = png_get_color_type(png, state->info);
    const bool alpha =
        (type & PNG_COLOR_MASK_ALPHA) != 0 || png_get_valid(png, state->info, PNG_INFO_tRNS) != 0;
    const int channels = (type & PNG_COLOR_MASK_COLOR ? 3 : 1) + alpha;
    state->guard.status =
        halo_image_open(state->reader, png_get_image_width(png, state->info),
                        png_get_image_height(png, state->info), channels, wide ? HALO_U16 : HALO_U8);
    if (state->guard.status != HALO_OK) return;
    if (alpha) state->reader->info.shape.alpha = channels - 1;
    take_numbers(state);
    take_codes(state);
    take_meta(state);
    /* libpng's row has pixels of up to 64 bits, a filter's byte before them, and some room to align them. */
    const size_t row = ((size_t)state->reader->info.shape.width + 8) * 8 + 4096;
    if (row > state->guard.largest) state->guard.largest = row;
    state->passes = png_set_interlace_handling(png);
    png_read_update_info(png, state->info);
    if (png_get_rowbytes(png, state->info) !=
        (size_t)(state->reader->info.shape.width * channels * (wide ? 2 : 1))) {
        png_error(png, "unexpected row size");
    }
}

HaloStatus halo_png_open(HaloReader *reader)
{
    PngReader *state = reader->state = calloc(1, sizeof *state);
    if (state == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory to read PNG");
    state->reader = reader;
    state->guard.largest = MAX_BLOCK_BYTES;
    state->png = halo_png_struct(&state->guard, HALO_ERR_INPUT, &reader->info.notes);
    state->info = state->png != NULL ? png_create_info_struct(state->png) : NULL;
    if (state->info == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory to read PNG");
    return halo_png_guard(&state->guard, read_header, state);
}

/* A step: the next rows, or all of an interlaced image; after the last one all that follows it, so that damage
 * behind the rows is found too. */
static void decode(void *arg)
{
    PngReader *state = arg;
    const HaloBuf *rows = state->rows;
    for (; state->pass < state->passes; state->pass++) {
        const int64_t first = state->passes == 1 ? state->given : 0;
        for (state->row = first; state->row < first + rows->rows; state->row++) {
            png_read_row(state->png, halo_row(rows, state->row - first), NULL);
        }
        if (state->row < state->reader->info.shape.height) return;
    }
    png_read_end(state->png, state->info);
    take_meta(state); /* EXIF and text may stand behind the samples */
}

static HaloStatus fill(PngReader *state, const HaloBuf *rows)
{
    if (state->damaged) {
        halo_rows_clear(rows, 0);
        return HALO_OK;
    }
    /* Passes leave the pixels of later ones alone, and a row that cannot be decoded is not touched. */
    if (state->passes > 1 || state->reader->options.tolerate) halo_rows_clear(rows, 0);
    state->rows = rows;
    const HaloStatus status = halo_png_guard(&state->guard, decode, state);
    if (status != HALO_ERR_INPUT || !state->reader->options.tolerate) return status;
    state->damaged = true;
    return HALO_OK;
}

HaloStatus halo_png_read(HaloReader *reader, HaloBuf *rows, int64_t *got)
{
    HaloStatus status = HALO_OK;
    PngReader *state = reader->state;
    *got = 0;
    if (state->passes == 1 || rows->rows == reader->info.shape.height) {
        HALO_TRY(fill(state, rows));
    } else {
        if (state->whole.data == NULL) {
            HALO_TRY(halo_memory_alloc(reader->memory, &state->whole, &reader->info.shape));
            HALO_TRY(fill(state, &state->whole));
        }
        for (int64_t y = 0; y < rows->rows; y++) {
            memcpy(halo_row(rows, y), halo_row(&state->whole, state->given + y), (size_t)halo_row_bytes(rows));
        }
    }
    *got = rows->rows;
    state->given += rows->rows;
out:
    return status;
}

/* Are there chunks with text or EXIF behind the samples? Where the source cannot seek, there may be. */
unsigned halo_png_trailing_meta(HaloReader *reader)
{
    static const struct {
        char name[5];
        unsigned kinds;
    } kept[] = {{"tEXt", HALO_META_TEXT},
                {"zTXt", HALO_META_TEXT},
                {"iTXt", HALO_META_TEXT | HALO_META_XMP},
                {"eXIf", HALO_META_EXIF}};
    const unsigned any = HALO_META_TEXT | HALO_META_XMP | HALO_META_EXIF;
    const PngReader *state = reader->state;
    HaloSource *source = reader->source;
    const uint8_t *bytes;
    size_t got;
    unsigned trailing = 0;
    if (!halo_source_seekable(source) || state->given > 0) return any;
    const int64_t here = halo_source_tell(source);
    int64_t at = here - 8; /* the header of the first IDAT has been read */
    while (halo_source_seek(source, at) == HALO_OK && halo_source_peek(source, 8, &bytes, &got) == HALO_OK &&
           got == 8) {
        const uint32_t size = png_get_uint_32(bytes);
        for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
            if (memcmp(bytes + 4, kept[i].name, 4) == 0) trailing |= kept[i].kinds;
        if (memcmp(bytes + 4, "IEND", 4) == 0) break;
        at += 12 + (int64_t)size;
    }
    return halo_source_seek(source, here) == HALO_OK ? trailing : any;
}

void halo_png_close(HaloReader *reader)
{
    PngReader *state = reader->state;
    if (state == NULL) return;
    png_destroy_read_struct(&state->png, &state->info, NULL);
    halo_memory_free(reader->memory, &state->whole);
    free(state);
    reader->state = NULL;
}

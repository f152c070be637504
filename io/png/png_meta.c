/* The metadata of PNG, read from its chunks. */
#include "meta/meta.h"
#include "pngreader.h"

#include <string.h>

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

/* How many frames there are, and how often they are shown. */
static void take_count(PngReader *state, const png_byte *data)
{
    const png_uint_32 plays = png_get_uint_32(data + 4);
    state->announced = png_get_uint_32(data);
    state->reader->info.meta.plays = plays <= PNG_UINT_31_MAX ? (int)plays : 0;
}

/* How many frames an animation has, and how the first of them is shown. */
static void take_animation(PngReader *state)
{
    png_unknown_chunkp chunk = NULL;
    const int chunks = png_get_unknown_chunks(state->png, state->info, &chunk);
    for (int c = 0; c < chunks; c++) {
        if (memcmp(chunk[c].name, "acTL", 4) == 0 && chunk[c].size == 8) take_count(state, chunk[c].data);
        if (memcmp(chunk[c].name, "fcTL", 4) != 0 || chunk[c].size != APNG_CONTROL_BYTES) continue;
        memcpy(state->control, chunk[c].data, APNG_CONTROL_BYTES);
        state->controlled = true;
    }
}

/* They have to precede the palette and the samples; elsewhere they are ignored. */
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

void halo_png_take_colours(PngReader *state)
{
    take_numbers(state);
    take_codes(state);
    take_animation(state);
}

void halo_png_take_meta(PngReader *state)
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
    if (state->animation != NULL) return 0; /* they are known */
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

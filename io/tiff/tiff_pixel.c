/* Finds the pixel layout of a TIFF from its tags. */
#ifdef HALO_HAVE_TIFF
#include "tiffpixel.h"

#include "samples/image.h"

/* ---- tags ----------------------------------------------------------------------------------------------- */

#define BY_TIFFCP "'tiffcp -c zip IN.tif OUT.tif' of a libtiff that has it"
#define BY_GDAL "'gdal_translate -co COMPRESS=DEFLATE IN.tif OUT.tif'"
#define BY_VIPS "'vips copy IN.tif OUT.tif' with OpenSlide"

/* Those that halo does not read, or that a libtiff may lack, and what converts them. */
static const struct {
    uint16_t code;
    const char *name, *by;
} known[] = {
    {COMPRESSION_OJPEG, "old-style JPEG", BY_TIFFCP},
    {COMPRESSION_JPEG, "JPEG", BY_TIFFCP},
    {COMPRESSION_ADOBE_DEFLATE, "Deflate", BY_TIFFCP},
    {9, "JBIG", BY_TIFFCP},
    {10, "JBIG", BY_TIFFCP},
    {COMPRESSION_NEXT, "NeXT", BY_TIFFCP},
    {COMPRESSION_THUNDERSCAN, "ThunderScan", BY_TIFFCP},
    {COMPRESSION_PIXARLOG, "Pixar log", BY_TIFFCP},
    {33003, "JPEG 2000 (Aperio)", BY_VIPS},
    {33005, "JPEG 2000 (Aperio)", BY_VIPS},
    {COMPRESSION_JBIG, "JBIG", BY_TIFFCP},
    {COMPRESSION_SGILOG, "LogLuv", BY_TIFFCP},
    {COMPRESSION_SGILOG24, "LogLuv", BY_TIFFCP},
    {COMPRESSION_JP2000, "JPEG 2000", BY_GDAL},
    {34887, "LERC", BY_GDAL},
    {34892, "lossy JPEG of DNG", "a converter of raw photographs such as dcraw or darktable"},
    {34925, "LZMA", BY_TIFFCP},
    {50000, "Zstandard", BY_TIFFCP},
    {50001, "WebP", BY_TIFFCP},
    {50002, "JPEG XL", BY_GDAL},
    {52546, "JPEG XL", BY_GDAL},
};

/* `what` is wrong with this compression. */
static HaloStatus not_read(uint16_t compression, const char *what)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].code == compression)
            return halo_fail(HALO_ERR_INPUT, "TIFF with %s compression %s: convert it first, by %s",
                             known[i].name, what, known[i].by);
    return halo_fail(HALO_ERR_INPUT, "TIFF with compression %d %s: convert it first, by " BY_TIFFCP,
                     compression, what);
}

/* Codecs that are maintained; old-style JPEG and rare ones are not worth the risk. */
static HaloStatus look_at_compression(TIFF *tiff, TiffPixels *pixels)
{
    uint16_t compression = COMPRESSION_NONE;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &compression);
    pixels->packed = compression != COMPRESSION_NONE;
    switch (compression) {
    case COMPRESSION_JPEG:
    case COMPRESSION_CCITTRLE:
    case COMPRESSION_CCITTRLEW:
    case COMPRESSION_CCITTFAX3:
    case COMPRESSION_CCITTFAX4: pixels->warns = true; break;
    case COMPRESSION_NONE:
    case COMPRESSION_LZW:
    case COMPRESSION_PACKBITS:
    case COMPRESSION_ADOBE_DEFLATE:
    case COMPRESSION_DEFLATE:
    case COMPRESSION_LZMA:
    case COMPRESSION_ZSTD:
    case COMPRESSION_LERC:
    case COMPRESSION_WEBP: break;
    default: return not_read(compression, "is not supported");
    }
    if (TIFFIsCODECConfigured(compression)) return HALO_OK;
    return not_read(compression, "is not in the libtiff that halo runs with");
}

static HaloStatus look_at_format(TIFF *tiff, TiffPixels *pixels)
{
    uint16_t bits = 1, format = SAMPLEFORMAT_UINT;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &bits);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &format);
    pixels->bits = bits;
    pixels->real = format == SAMPLEFORMAT_IEEEFP;
    pixels->is_signed = format == SAMPLEFORMAT_INT;
    const bool integer = format == SAMPLEFORMAT_UINT || format == SAMPLEFORMAT_VOID;
    if (pixels->real && (bits == 16 || bits == 32 || bits == 64)) {
        pixels->dtype = HALO_F32;
    } else if ((integer && bits == 32) || (pixels->is_signed && (bits == 8 || bits == 16 || bits == 32))) {
        pixels->dtype = HALO_F32;
        pixels->whole = true;
    } else if (integer && bits >= 1 && bits <= 16) {
        pixels->dtype = bits <= 8 ? HALO_U8 : HALO_U16;
    } else {
        const char *kind = pixels->real        ? "floats"
                           : pixels->is_signed ? "signed integers"
                           : integer           ? "integers"
                                               : "complex samples";
        return halo_fail(HALO_ERR_INPUT, "TIFF with %d-bit %s is not supported", bits, kind);
    }
    return HALO_OK;
}

/* A table of 16-bit colours; old writers put 8 bits into it. u16 only where u8 would lose something. */
static HaloStatus look_at_palette(TIFF *tiff, TiffPixels *pixels)
{
    uint16_t *table[3];
    bool narrow = true, low = true;
    if (pixels->bits > 8 || pixels->samples != 1 || pixels->dtype != HALO_U8)
        return halo_fail(HALO_ERR_INPUT, "TIFF: a palette with %d samples of %d bits is not supported",
                         pixels->samples, pixels->bits);
    if (!TIFFGetField(tiff, TIFFTAG_COLORMAP, &table[0], &table[1], &table[2]))
        return halo_fail(HALO_ERR_INPUT, "TIFF: a palette without colours");
    if (table[0] == NULL || table[1] == NULL || table[2] == NULL)
        return halo_fail(HALO_ERR_LIMIT, "not enough memory for a palette of TIFF");
    const int colours = 1 << pixels->bits;
    for (int i = 0; i < colours; i++) {
        for (int c = 0; c < 3; c++) {
            const unsigned v = table[c][i], rest = v & 255;
            if (v > 255) narrow = false;
            if (rest != 0 && rest != v >> 8) low = false;
        }
    }
    for (int i = 0; i < colours; i++) {
        for (int c = 0; c < 3; c++) pixels->map[i][c] = (uint16_t)(table[c][i] >> (low && !narrow ? 8 : 0));
    }
    pixels->palette = true;
    pixels->channels = 3;
    pixels->colour = "palette";
    pixels->dtype = narrow || low ? HALO_U8 : HALO_U16;
    return HALO_OK;
}

/* They count something, so that it is not known what would be their white or their full alpha. */
static HaloStatus refuse_whole(const TiffPixels *pixels, const char *how)
{
    return halo_fail(HALO_ERR_INPUT, "TIFF with %d-bit %sintegers %s is not supported", pixels->bits,
                     pixels->is_signed ? "signed " : "", how);
}

static HaloStatus look_at_colour(TIFF *tiff, TiffPixels *pixels)
{
    uint16_t photometric, compression = COMPRESSION_NONE;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &compression);
    if (!TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &photometric))
        photometric = pixels->samples >= 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK;
    pixels->colour = "gray";
    switch (photometric) {
    case PHOTOMETRIC_MINISWHITE:
        pixels->inverted = true;
        return pixels->whole ? refuse_whole(pixels, "whose 0 is white") : HALO_OK;
    case PHOTOMETRIC_MINISBLACK: return HALO_OK;
    case PHOTOMETRIC_PALETTE: return look_at_palette(tiff, pixels);
    case PHOTOMETRIC_YCBCR:
        if (compression != COMPRESSION_JPEG || pixels->samples != 3 || pixels->bits != 8 || pixels->whole)
            return halo_fail(HALO_ERR_INPUT,
                             "TIFF with YCbCr outside of JPEG is not supported: convert it to RGB first");
        TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB); /* libtiff converts */
        pixels->colour = "YCbCr";
        return HALO_OK;
    case PHOTOMETRIC_RGB:
        pixels->colour = "RGB";
        return pixels->samples >= 3
                   ? HALO_OK
                   : halo_fail(HALO_ERR_INPUT, "TIFF: RGB with only %d samples is invalid", pixels->samples);
    case PHOTOMETRIC_SEPARATED: return halo_image_refuse_cmyk("TIFF", "tif");
    default:
        return halo_fail(HALO_ERR_INPUT, "TIFF with photometric interpretation %d is not supported",
                         photometric);
    }
}

/* Alpha is the last sample, where it is declared as such; other samples are channels like the rest. */
static HaloStatus look_at_alpha(TIFF *tiff, TiffPixels *pixels)
{
    uint16_t extras = 0, *kind = NULL;
    const int colours = pixels->colour[0] == 'R' ? 3 : 1;
    if (!TIFFGetFieldDefaulted(tiff, TIFFTAG_EXTRASAMPLES, &extras, &kind) || extras < 1) return HALO_OK;
    if (pixels->palette || pixels->samples != colours + extras) return HALO_OK;
    if (kind == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory for a tag of TIFF");
    const uint16_t last = kind[extras - 1];
    pixels->alpha = last == EXTRASAMPLE_ASSOCALPHA || last == EXTRASAMPLE_UNASSALPHA;
    pixels->premultiplied = last == EXTRASAMPLE_ASSOCALPHA;
    return pixels->premultiplied && pixels->whole ? refuse_whole(pixels, "multiplied by alpha") : HALO_OK;
}

HaloStatus halo_tiff_pixels(TIFF *tiff, bool wide, TiffPixels *pixels)
{
    HaloStatus status = HALO_OK;
    uint16_t samples = 1;
    *pixels = (TiffPixels){0};
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &samples);
    pixels->samples = pixels->channels = samples;
    HALO_TRY(look_at_compression(tiff, pixels));
    HALO_TRY(look_at_format(tiff, pixels));
    HALO_TRY(look_at_colour(tiff, pixels));
    HALO_TRY(look_at_alpha(tiff, pixels));
    pixels->wide = (pixels->bits == 64 || (pixels->bits == 32 && pixels->whole)) && !pixels->inverted &&
                   !pixels->premultiplied;
    if (pixels->wide && wide) pixels->dtype = HALO_F64;
out:
    return status;
}
#endif

/* The tags of a page that say how its samples lie. */
#ifdef HALO_HAVE_TIFF
#include "tiffwriter.h"

#include <float.h>
#include <stdlib.h>

/* libtiff reports success even if it had no memory to set them. */
static bool set_extras(TiffGuard *guard, TIFF *tiff, int extras, bool alpha)
{
    uint16_t count = 0, *kept = NULL;
    if (extras == 0) return true;
    uint16_t *extra = calloc((size_t)extras, sizeof *extra);
    if (extra == NULL) guard->starved = true;
    if (extra == NULL) return false;
    if (alpha) extra[extras - 1] = EXTRASAMPLE_UNASSALPHA;
    const bool set = TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, extras, extra) &&
                     TIFFGetField(tiff, TIFFTAG_EXTRASAMPLES, &count, &kept) && kept != NULL;
    free(extra);
    return set;
}

static bool set_blocks(TIFF *tiff, const TiffLayout *layout)
{
    if (!layout->tiled) return TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, (uint32_t)layout->rows);
    return TIFFSetField(tiff, TIFFTAG_TILEWIDTH, (uint32_t)layout->cols) &&
           TIFFSetField(tiff, TIFFTAG_TILELENGTH, (uint32_t)layout->rows);
}

/* Floats without a full scale: their range is that of f32. Without a word 1 would be white (tiff_read.c). */
static bool set_range(TIFF *tiff, const HaloShape *shape, bool real)
{
    if (!real || !shape->numbers) return true;
    return TIFFSetField(tiff, TIFFTAG_SMINSAMPLEVALUE, -(double)FLT_MAX) &&
           TIFFSetField(tiff, TIFFTAG_SMAXSAMPLEVALUE, (double)FLT_MAX);
}

/* The floating-point predictor (3) is missing in many readers. */
bool tiff_predicts(const TiffLayout *layout)
{
    return layout->samples.format != SAMPLEFORMAT_IEEEFP && layout->samples.bits > 1;
}

bool tiff_set_layout(TiffGuard *guard, TIFF *tiff, const TiffLayout *layout)
{
    const HaloShape *shape = &layout->shape;
    const bool real = layout->samples.format == SAMPLEFORMAT_IEEEFP;
    const int colours = shape->channels - (shape->alpha >= 0);
    const bool rgb = colours == 3 || shape->channels == 4;
    const int extras = shape->channels - (rgb ? 3 : 1);
    return TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, (uint32_t)shape->width) &&
           TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, (uint32_t)shape->height) &&
           TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, layout->samples.bits) &&
           TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, shape->channels) &&
           TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, layout->samples.format) &&
           TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, rgb ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK) &&
           set_extras(guard, tiff, extras, shape->alpha >= 0) && set_range(tiff, shape, real) &&
           TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) && set_blocks(tiff, layout) &&
           TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE) &&
           (!tiff_predicts(layout) || TIFFSetField(tiff, TIFFTAG_PREDICTOR, PREDICTOR_HORIZONTAL));
}
#endif

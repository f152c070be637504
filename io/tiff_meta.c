/* What TIFF's tags say beside the samples, both ways.
 *
 * The orientation stands in a tag of its own here and in EXIF elsewhere, so it goes from one to the other; the
 * rest of EXIF follows in tiff_exif.c. */
#ifdef HALO_HAVE_TIFF
#include "tifffile.h"

#include <string.h>

typedef struct Text {
    uint32_t tag;
    const char *key; /* PNG's name for it, or TIFF's */
} Text;

static const Text texts[] = {
    {TIFFTAG_IMAGEDESCRIPTION, "Description"},
    {TIFFTAG_SOFTWARE, "Software"},
    {TIFFTAG_ARTIST, "Author"},
    {TIFFTAG_COPYRIGHT, "Copyright"},
    {TIFFTAG_DOCUMENTNAME, "Title"},
    {TIFFTAG_MAKE, "Make"},
    {TIFFTAG_MODEL, "Model"},
    {TIFFTAG_DATETIME, "DateTime"},
    {TIFFTAG_HOSTCOMPUTER, "HostComputer"},
};
enum { TEXTS = sizeof texts / sizeof texts[0] };

/* ---- reading -------------------------------------------------------------------------------------------- */

static void take_resolution(TIFF *tiff, HaloMeta *meta)
{
    static const double per_metre[] = {0, 1, 1 / 0.0254, 100}; /* -, no unit, inches, centimetres */
    uint16_t unit = RESUNIT_INCH;
    float x = 0, y = 0;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_RESOLUTIONUNIT, &unit);
    if (!TIFFGetField(tiff, TIFFTAG_XRESOLUTION, &x) || !TIFFGetField(tiff, TIFFTAG_YRESOLUTION, &y)) return;
    if (unit < RESUNIT_NONE || unit > RESUNIT_CENTIMETER || !(x > 0) || !(y > 0)) return;
    if (unit == RESUNIT_NONE && x == y) return; /* square pixels, of any size: that is nothing */
    meta->resolution[0] = (double)x * per_metre[unit];
    meta->resolution[1] = (double)y * per_metre[unit];
    meta->ratio = unit == RESUNIT_NONE;
}

static void take_chroma(TIFF *tiff, HaloMeta *meta)
{
    const float *white, *primaries;
    if (!TIFFGetField(tiff, TIFFTAG_WHITEPOINT, &white)) return;
    if (!TIFFGetField(tiff, TIFFTAG_PRIMARYCHROMATICITIES, &primaries)) return;
    for (int i = 0; i < 8; i++) {
        const double c = i < 2 ? (double)white[i] : (double)primaries[i - 2];
        meta->chroma[i] = c > 0 && c < 1 ? c : 0;
    }
}

HaloStatus halo_tiff_take_meta(TIFF *tiff, HaloMeta *meta)
{
    HaloStatus status = HALO_OK;
    const void *bytes;
    const char *text;
    uint32_t size;
    uint16_t orientation = 1;
    if (TIFFGetField(tiff, TIFFTAG_ICCPROFILE, &size, &bytes)) HALO_TRY(halo_blob_set(&meta->icc, bytes, size));
    if (TIFFGetField(tiff, TIFFTAG_XMLPACKET, &size, &bytes)) HALO_TRY(halo_blob_set(&meta->xmp, bytes, size));
    if (TIFFGetField(tiff, TIFFTAG_ORIENTATION, &orientation) && orientation >= 2 && orientation <= 8)
        HALO_TRY(halo_exif_of_orientation(orientation, &meta->exif));
    for (int i = 0; i < TEXTS; i++)
        if (TIFFGetField(tiff, texts[i].tag, &text))
            HALO_TRY(halo_text_add(meta, texts[i].key, text, strlen(text), HALO_UTF_8));
    take_resolution(tiff, meta);
    take_chroma(tiff, meta);
out:
    return status;
}

/* ---- writing -------------------------------------------------------------------------------------------- */

static void put_chroma(TIFF *tiff, const HaloMeta *meta)
{
    float values[8];
    if (!(meta->chroma[1] > 0)) return;
    for (int i = 0; i < 8; i++) values[i] = (float)meta->chroma[i];
    TIFFSetField(tiff, TIFFTAG_WHITEPOINT, values);
    TIFFSetField(tiff, TIFFTAG_PRIMARYCHROMATICITIES, values + 2);
}

void halo_tiff_put_meta(TIFF *tiff, const HaloInfo *info)
{
    const HaloMeta *meta = &info->meta;
    const int orientation = halo_exif_orientation(&meta->exif);
    double dots[2];
    bool inches;
    if (halo_icc_fits(&meta->icc, &info->shape) && meta->icc.size <= UINT32_MAX)
        TIFFSetField(tiff, TIFFTAG_ICCPROFILE, (uint32_t)meta->icc.size, meta->icc.data);
    if (meta->xmp.size > 0 && meta->xmp.size <= UINT32_MAX)
        TIFFSetField(tiff, TIFFTAG_XMLPACKET, (uint32_t)meta->xmp.size, meta->xmp.data);
    if (orientation > 1) TIFFSetField(tiff, TIFFTAG_ORIENTATION, orientation);
    for (int i = 0; i < TEXTS; i++) {
        const char *value = halo_text_find(meta, texts[i].key);
        if (value == NULL || (texts[i].tag == TIFFTAG_DATETIME && strlen(value) != 19)) continue;
        TIFFSetField(tiff, texts[i].tag, value);
    }
    if (halo_resolution(meta, &inches, dots)) {
        TIFFSetField(tiff, TIFFTAG_XRESOLUTION, dots[0]);
        TIFFSetField(tiff, TIFFTAG_YRESOLUTION, dots[1]);
        TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT,
                     meta->ratio ? RESUNIT_NONE
                     : inches    ? RESUNIT_INCH
                                 : RESUNIT_CENTIMETER);
    }
    put_chroma(tiff, meta);
}
#endif

/* Reads and writes metadata in TIFF's tags.
 *
 * TIFF has a tag for the orientation, which other formats keep in EXIF, so it is copied between the two;
 * tiff_exif.c handles the rest of EXIF. */
#ifdef HALO_HAVE_TIFF
#include "meta/meta.h"
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
    if (unit == RESUNIT_NONE && x == 1 && y == 1) return; /* square pixels, of any size: that is nothing */
    meta->resolution[0] = (double)x * per_metre[unit];
    meta->resolution[1] = (double)y * per_metre[unit];
    meta->ratio = unit == RESUNIT_NONE;
}

static HaloStatus take_chroma(TiffGuard *guard, TIFF *tiff, HaloMeta *meta)
{
    HaloStatus status = HALO_OK;
    const void *white, *primaries;
    HALO_TRY(halo_tiff_value(guard, tiff, TIFFTAG_WHITEPOINT, NULL, &white));
    HALO_TRY(halo_tiff_value(guard, tiff, TIFFTAG_PRIMARYCHROMATICITIES, NULL, &primaries));
    for (int i = 0; i < 8 && white != NULL && primaries != NULL; i++) {
        const double c = i < 2 ? (double)((const float *)white)[i] : (double)((const float *)primaries)[i - 2];
        meta->chroma[i] = c > 0 && c < 1 ? c : 0;
    }
out:
    return status;
}

static HaloStatus take_blob(TiffGuard *guard, TIFF *tiff, uint32_t tag, HaloBlob *blob)
{
    HaloStatus status = HALO_OK;
    const void *bytes;
    uint32_t size;
    HALO_TRY(halo_tiff_value(guard, tiff, tag, &size, &bytes));
    if (bytes != NULL) HALO_TRY(halo_blob_set(blob, bytes, size));
out:
    return status;
}

static HaloStatus take_text(TiffGuard *guard, TIFF *tiff, const Text *text, HaloMeta *meta)
{
    HaloStatus status = HALO_OK;
    const void *value;
    HALO_TRY(halo_tiff_value(guard, tiff, text->tag, NULL, &value));
    if (value != NULL) HALO_TRY(halo_text_add(meta, text->key, value, strlen(value), HALO_UTF_8));
out:
    return status;
}

HaloStatus halo_tiff_take_meta(TiffGuard *guard, TIFF *tiff, HaloMeta *meta)
{
    HaloStatus status = HALO_OK;
    uint16_t orientation = 1;
    HALO_TRY(take_blob(guard, tiff, TIFFTAG_ICCPROFILE, &meta->icc));
    HALO_TRY(take_blob(guard, tiff, TIFFTAG_XMLPACKET, &meta->xmp));
    if (TIFFGetField(tiff, TIFFTAG_ORIENTATION, &orientation) && orientation >= 2 && orientation <= 8)
        HALO_TRY(halo_exif_of_orientation(orientation, &meta->exif));
    for (int i = 0; i < TEXTS; i++) HALO_TRY(take_text(guard, tiff, &texts[i], meta));
    take_resolution(tiff, meta);
    HALO_TRY(take_chroma(guard, tiff, meta));
out:
    return status;
}

/* ---- writing -------------------------------------------------------------------------------------------- */

/* As an array or text; libtiff takes a copy. */
static HaloStatus put_value(TiffGuard *guard, TIFF *tiff, uint32_t tag, const void *value)
{
    const void *kept;
    TIFFSetField(tiff, tag, value);
    return halo_tiff_value(guard, tiff, tag, NULL, &kept);
}

static HaloStatus put_blob(TiffGuard *guard, TIFF *tiff, uint32_t tag, const HaloBlob *blob)
{
    const void *kept;
    uint32_t size;
    if (blob->size == 0 || blob->size > UINT32_MAX) return HALO_OK;
    TIFFSetField(tiff, tag, (uint32_t)blob->size, blob->data);
    return halo_tiff_value(guard, tiff, tag, &size, &kept);
}

static HaloStatus put_chroma(TiffGuard *guard, TIFF *tiff, const HaloMeta *meta)
{
    HaloStatus status = HALO_OK;
    float values[8];
    if (!(meta->chroma[1] > 0)) return HALO_OK;
    for (int i = 0; i < 8; i++) values[i] = (float)meta->chroma[i];
    HALO_TRY(put_value(guard, tiff, TIFFTAG_WHITEPOINT, values));
    HALO_TRY(put_value(guard, tiff, TIFFTAG_PRIMARYCHROMATICITIES, values + 2));
out:
    return status;
}

static bool has_tag(const HaloText *text)
{
    for (int i = 0; i < TEXTS; i++)
        if (strcmp(texts[i].key, text->key) == 0) return true;
    return false;
}

HaloStatus halo_tiff_put_meta(TiffGuard *guard, TIFF *tiff, const HaloInfo *info, HaloNotes *notes)
{
    const HaloMeta *meta = &info->meta;
    const int orientation = halo_exif_orientation(&meta->exif);
    HaloStatus status = HALO_OK;
    double dots[2];
    bool inches;
    if (halo_icc_fits(&meta->icc, &info->shape))
        HALO_TRY(put_blob(guard, tiff, TIFFTAG_ICCPROFILE, &meta->icc));
    HALO_TRY(put_blob(guard, tiff, TIFFTAG_XMLPACKET, &meta->xmp));
    HALO_TRY(put_blob(guard, tiff, TIFFTAG_RICHTIFFIPTC, &meta->iptc));
    if (orientation > 1) TIFFSetField(tiff, TIFFTAG_ORIENTATION, orientation);
    for (int i = 0; i < TEXTS; i++) {
        const char *value = halo_text_find(meta, texts[i].key);
        if (value == NULL || (texts[i].tag == TIFFTAG_DATETIME && strlen(value) != 19)) continue;
        HALO_TRY(put_value(guard, tiff, texts[i].tag, value));
    }
    if (halo_resolution(meta, &inches, dots)) {
        TIFFSetField(tiff, TIFFTAG_XRESOLUTION, dots[0]);
        TIFFSetField(tiff, TIFFTAG_YRESOLUTION, dots[1]);
        TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT,
                     meta->ratio ? RESUNIT_NONE
                     : inches    ? RESUNIT_INCH
                                 : RESUNIT_CENTIMETER);
    }
    for (size_t i = 0; i < meta->texts; i++)
        if (!has_tag(&meta->text[i])) halo_text_left_out(notes, &meta->text[i]);
    HALO_TRY(put_chroma(guard, tiff, meta));
    HALO_TRY(halo_tiff_put_geo(guard, tiff, meta));
out:
    return status;
}
#endif

/* EXIF in TIFF: tags of the image's directory point to EXIF directories anywhere in the file. In other formats
 * EXIF is a small TIFF of its own, which is what halo keeps. */
#ifdef HALO_HAVE_TIFF
#include <stdlib.h>
#include <string.h>

#include "bytes/endian.h"
#include "meta/ifd.h"
#include "meta/meta.h"
#include "tifffile.h"

/* Of the image's directory: what EXIF of other formats has there. */
static const unsigned image_tags[] = {TIFFTAG_IMAGEDESCRIPTION,
                                      TIFFTAG_MAKE,
                                      TIFFTAG_MODEL,
                                      TIFFTAG_ORIENTATION,
                                      TIFFTAG_SOFTWARE,
                                      TIFFTAG_DATETIME,
                                      TIFFTAG_ARTIST,
                                      TIFFTAG_COPYRIGHT,
                                      IFD_EXIF,
                                      IFD_GPS,
                                      0};

HaloStatus halo_tiff_take_exif(TIFF *tiff, const IfdSource *from, HaloBlob *exif)
{
    HaloStatus status = HALO_OK;
    const int64_t at = (int64_t)TIFFCurrentDirOffset(tiff);
    IfdEntry entry;
    HaloBlob body = {0}, head = {0};
    int64_t where;
    if (!ifd_find(from, at, IFD_EXIF, &entry) && !ifd_find(from, at, IFD_GPS, &entry)) return HALO_OK;
    HALO_TRY(ifd_copy(from, at, image_tags, false, 8, &body, &where));
    if (where == 0) goto out;
    head.data = malloc(8 + body.size);
    if (head.data == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for EXIF");
    memcpy(head.data, "II*\0", 4);
    halo_put_le(head.data + 4, (uint64_t)where, 4);
    memcpy(head.data + 8, body.data, body.size);
    head.size = 8 + body.size;
    free(exif->data);
    *exif = head;
out:
    free(body.data);
    return status;
}

HaloStatus halo_tiff_take_iptc(TIFF *tiff, const IfdSource *from, HaloBlob *iptc)
{
    HaloStatus status = HALO_OK;
    HaloBlob bytes = {0};
    IfdEntry entry;
    if (!ifd_find(from, (int64_t)TIFFCurrentDirOffset(tiff), TIFFTAG_RICHTIFFIPTC, &entry)) return HALO_OK;
    HALO_TRY(ifd_bytes(from, &entry, &bytes));
    HALO_TRY(halo_iptc_set(iptc, bytes.data, bytes.size));
out:
    free(bytes.data);
    return status;
}

static bool get_from_blob(void *context, int64_t at, void *bytes, size_t size)
{
    const HaloBlob *blob = context;
    if (at < 0 || (uint64_t)at > blob->size || size > blob->size - (size_t)at) return false;
    memcpy(bytes, blob->data + at, size);
    return true;
}

HaloStatus halo_tiff_put_exif(TiffGuard *guard, TIFF *tiff, const HaloBlob *exif, int64_t end, HaloBlob *bytes)
{
    HaloStatus status = HALO_OK;
    HaloBlob blob = *exif;
    const bool wide = TIFFIsBigTIFF(tiff) != 0;
    IfdSource from = {get_from_blob, &blob, false, false};
    IfdEntry entry;
    char text[1024], *already;
    const void *kept;
    if (exif->size < 8 || (memcmp(exif->data, "II*\0", 4) != 0 && memcmp(exif->data, "MM\0*", 4) != 0))
        return HALO_OK;
    from.big = exif->data[0] == 'M';
    const int64_t at = (int64_t)halo_get(exif->data + 4, 4, from.big);
    for (const unsigned *tag = image_tags; *tag != 0; tag++) {
        if (!ifd_find(&from, at, *tag, &entry)) continue;
        if (*tag == IFD_EXIF || *tag == IFD_GPS) {
            int64_t where;
            HALO_TRY(ifd_copy(&from, (int64_t)ifd_number(&from, &entry), NULL, wide, end, bytes, &where));
            if (where > 0 && (wide || where <= UINT32_MAX)) TIFFSetField(tiff, *tag, (uint64_t)where);
        } else if (*tag != TIFFTAG_ORIENTATION && ifd_text(&from, &entry, text, sizeof text) &&
                   !TIFFGetField(tiff, *tag, &already)) {
            if (*tag != TIFFTAG_DATETIME || strlen(text) == 19) TIFFSetField(tiff, *tag, text);
            HALO_TRY(halo_tiff_value(guard, tiff, *tag, NULL, &kept));
        }
    }
out:
    return status;
}
#endif

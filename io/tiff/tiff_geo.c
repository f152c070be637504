/* Reads and writes GeoTIFF's tags and two of GDAL's, which libtiff does not know. */
#ifdef HALO_HAVE_TIFF
#include <stdlib.h>
#include <string.h>

#include "bytes/endian.h"
#include "meta/meta.h"
#include "tifffile.h"

typedef struct Tag {
    uint32_t tag;
    TIFFDataType type;
    const char *name;
} Tag;

static const Tag tags[HALO_GEO_TAGS] = {
    [HALO_GEO_SCALE] = {33550, TIFF_DOUBLE, "ModelPixelScaleTag"},
    [HALO_GEO_TIEPOINTS] = {33922, TIFF_DOUBLE, "ModelTiepointTag"},
    [HALO_GEO_TRANSFORM] = {34264, TIFF_DOUBLE, "ModelTransformationTag"},
    [HALO_GEO_KEYS] = {34735, TIFF_SHORT, "GeoKeyDirectoryTag"},
    [HALO_GEO_DOUBLES] = {34736, TIFF_DOUBLE, "GeoDoubleParamsTag"},
    [HALO_GEO_TEXT] = {34737, TIFF_ASCII, "GeoAsciiParamsTag"},
    [HALO_GEO_METADATA] = {42112, TIFF_ASCII, "GDALMetadata"},
    [HALO_GEO_NODATA] = {42113, TIFF_ASCII, "GDALNoDataValue"},
};

static size_t size_of(TIFFDataType type) { return type == TIFF_DOUBLE ? 8 : type == TIFF_SHORT ? 2 : 1; }

HaloStatus halo_tiff_take_geo(TIFF *tiff, const IfdSource *from, HaloMeta *meta)
{
    HaloStatus status = HALO_OK;
    IfdEntry entry;
    for (int i = 0; i < HALO_GEO_TAGS; i++) {
        HaloBlob *blob = &meta->geo[i];
        const size_t size = size_of(tags[i].type);
        if (!ifd_find(from, (int64_t)TIFFCurrentDirOffset(tiff), tags[i].tag, &entry)) continue;
        if (entry.type != (unsigned)tags[i].type) continue;
        HALO_TRY(ifd_bytes(from, &entry, blob));
        for (size_t at = 0; at + size <= blob->size; at += size)
            halo_put_le(blob->data + at, halo_get(blob->data + at, size, from->big), size);
    }
out:
    return status;
}

/* Values in the order of this machine, as libtiff takes them. */
static HaloStatus put_tag(TiffGuard *guard, TIFF *tiff, const Tag *tag, const HaloBlob *blob)
{
    HaloStatus status = HALO_OK;
    const TIFFFieldInfo field = {tag->tag, TIFF_VARIABLE2,   TIFF_VARIABLE2, tag->type, FIELD_CUSTOM, 1,
                                 1,        (char *)tag->name};
    const size_t size = size_of(tag->type), count = blob->size / size;
    const void *kept;
    uint32_t there;
    uint8_t *values = malloc(blob->size);
    if (values == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for GeoTIFF");
    for (size_t i = 0; i < count; i++) {
        const uint64_t bits = halo_get_le(blob->data + i * size, size);
        const uint16_t number = (uint16_t)bits;
        if (size == 8) memcpy(values + 8 * i, &bits, 8);
        if (size == 2) memcpy(values + 2 * i, &number, 2);
        if (size == 1) values[i] = (uint8_t)bits;
    }
    TIFFMergeFieldInfo(tiff, &field, 1);
    TIFFSetField(tiff, tag->tag, (uint32_t)count, values);
    HALO_TRY(halo_tiff_value(guard, tiff, tag->tag, &there, &kept));
out:
    free(values);
    return status;
}

HaloStatus halo_tiff_put_geo(TiffGuard *guard, TIFF *tiff, const HaloMeta *meta)
{
    HaloStatus status = HALO_OK;
    for (int i = 0; i < HALO_GEO_TAGS; i++)
        if (meta->geo[i].size > 0) HALO_TRY(put_tag(guard, tiff, &tags[i], &meta->geo[i]));
out:
    return status;
}
#endif

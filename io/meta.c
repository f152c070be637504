/* What a file says of itself beside its samples. */
#include "halo/format.h"

#include <stdlib.h>
#include <string.h>

#include "image.h"

void halo_meta_free(HaloMeta *meta)
{
    free(meta->icc.data);
    free(meta->exif.data);
    *meta = (HaloMeta){0};
}

HaloStatus halo_blob_set(HaloBlob *blob, const void *bytes, size_t size)
{
    *blob = (HaloBlob){0};
    if (size == 0) return HALO_OK;
    blob->data = malloc(size);
    if (blob->data == NULL)
        return halo_fail(HALO_ERR_LIMIT, "not enough memory for %zu bytes of metadata", size);
    memcpy(blob->data, bytes, size);
    blob->size = size;
    return HALO_OK;
}

HaloStatus halo_meta_copy(const HaloMeta *from, HaloMeta *to)
{
    HaloStatus status = HALO_OK;
    *to = (HaloMeta){0};
    HALO_TRY(halo_blob_set(&to->icc, from->icc.data, from->icc.size));
    HALO_TRY(halo_blob_set(&to->exif, from->exif.data, from->exif.size));
out:
    if (status != HALO_OK) halo_meta_free(to);
    return status;
}

/* The header of an ICC profile is 128 bytes; its colour space stands at 16, its signature at 36 (ICC.1:2022,
 * 7.2). A colour profile says nothing about a gray image made of a colour one. */
bool halo_icc_fits(const HaloBlob *icc, const HaloShape *shape)
{
    const int colours = shape->channels - (shape->alpha >= 0);
    return icc->size >= 128 && memcmp(icc->data + 36, "acsp", 4) == 0 &&
           memcmp(icc->data + 16, colours == 1 ? "GRAY" : "RGB ", 4) == 0;
}

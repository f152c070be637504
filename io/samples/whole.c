#include "whole.h"

#include <stdlib.h>
#include <string.h>

#include "image.h"
#include "meta/meta.h"

HaloStatus halo_whole_begin(const HaloReader *reader, int64_t more, HaloWhole *whole)
{
    HaloStatus status = HALO_OK;
    HALO_TRY(halo_memory_hold(reader->memory, more));
    whole->held = more;
    whole->next = 0;
    HALO_TRY(halo_memory_alloc(reader->memory, &whole->data, &reader->info.shape));
out:
    return status;
}

void halo_whole_give(HaloWhole *whole, const HaloBuf *rows)
{
    const size_t bytes = (size_t)halo_row_bytes(rows);
    for (int64_t y = 0; y < rows->rows; y++) {
        if (whole->next < whole->data.rows)
            memcpy(halo_row(rows, y), halo_row(&whole->data, whole->next++), bytes);
        else
            memset(halo_row(rows, y), 0, bytes); /* of a page behind damage, which is tolerated */
    }
}

void halo_whole_free(const HaloReader *reader, HaloWhole *whole)
{
    halo_memory_free(reader->memory, &whole->data);
    halo_memory_release(reader->memory, whole->held);
    *whole = (HaloWhole){0};
}

HaloStatus halo_image_upright(HaloMeta *meta)
{
    halo_exif_set_upright(&meta->exif);
    return halo_xmp_set_upright(&meta->xmp);
}

HaloStatus halo_image_take_exif(HaloMeta *meta, const uint8_t *bytes, size_t size)
{
    const size_t mark = size > 6 && memcmp(bytes, "Exif\0", 6) == 0 ? 6 : 0;
    if (size == 0 || meta->exif.data != NULL) return HALO_OK;
    return halo_blob_set(&meta->exif, bytes + mark, size - mark);
}

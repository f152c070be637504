/* IPTC-IIM records: in JPEG inside Photoshop's image resources (APP13), in TIFF in a tag of their own. */
#include "bytes/endian.h"
#include "meta.h"

#include <stdlib.h>
#include <string.h>

#define RESOURCE_IPTC 0x0404
#define HEAD_BYTES 12 /* of a resource without a name: "8BIM", number, empty name, size */

/* Of a data set: its marker, record, number and length, which may be written in up to 4 bytes more. 0: there is
 * none. */
static size_t set_bytes(const uint8_t *at, size_t left)
{
    if (left < 5 || at[0] != 0x1c) return 0;
    size_t size = (size_t)halo_get_be(at + 3, 2), head = 5;
    if (at[3] & 0x80) {
        const size_t wide = size & 0x7fff;
        if (wide > 4 || left < 5 + wide) return 0;
        size = (size_t)halo_get_be(at + 5, wide);
        head += wide;
    }
    return size <= left - head ? head + size : 0;
}

HaloStatus halo_iptc_set(HaloBlob *iptc, const uint8_t *bytes, size_t size)
{
    size_t used = 0;
    if (size == 0) return HALO_OK; /* there may be no bytes to point at */
    for (size_t n; (n = set_bytes(bytes + used, size - used)) > 0;) used += n;
    return used > 0 && iptc->data == NULL ? halo_blob_set(iptc, bytes, used) : HALO_OK;
}

HaloStatus halo_iptc_from_photoshop(const uint8_t *bytes, size_t size, HaloBlob *iptc)
{
    for (size_t at = 0; size - at >= HEAD_BYTES && memcmp(bytes + at, "8BIM", 4) == 0;) {
        const unsigned number = (unsigned)halo_get_be(bytes + at + 4, 2);
        const size_t name = ((size_t)bytes[at + 6] + 2) / 2 * 2; /* with its length, padded */
        at += 6 + name;
        if (at > size || size - at < 4) break;
        const size_t length = (size_t)halo_get_be(bytes + at, 4);
        at += 4;
        if (length > size - at) break;
        if (number == RESOURCE_IPTC) return halo_iptc_set(iptc, bytes + at, length);
        at += length + length % 2;
        if (at > size) break;
    }
    return HALO_OK;
}

HaloStatus halo_iptc_to_photoshop(const HaloBlob *iptc, HaloBlob *resource)
{
    const size_t size = iptc->size;
    *resource = (HaloBlob){0};
    if (size == 0 || size > UINT32_MAX) return HALO_OK;
    resource->size = HEAD_BYTES + size + size % 2;
    uint8_t *to = resource->data = calloc(resource->size, 1);
    if (to == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory for %zu bytes of metadata", size);
    memcpy(to, "8BIM\4\4", 6);
    halo_put_be(to + 8, size, 4);
    memcpy(to + HEAD_BYTES, iptc->data, size);
    return HALO_OK;
}

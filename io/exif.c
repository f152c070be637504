/* EXIF: the one thing in it that other tags also say, the orientation. The rest passes through unread. */
#include "image.h"

#include <string.h>

#define TAG_ORIENTATION 0x112
#define TYPE_SHORT 3

/* `bytes` bytes at `at`, in the order that the EXIF has; 0 beyond its end. */
static uint32_t number(const HaloBlob *exif, size_t at, size_t bytes)
{
    const bool little = exif->data[0] == 'I';
    uint32_t value = 0;
    if (at > exif->size || bytes > exif->size - at) return 0;
    for (size_t i = 0; i < bytes; i++) value = value << 8 | exif->data[at + (little ? bytes - 1 - i : i)];
    return value;
}

int halo_exif_orientation(const HaloBlob *exif)
{
    if (exif->size < 8 || (memcmp(exif->data, "II*\0", 4) != 0 && memcmp(exif->data, "MM\0*", 4) != 0))
        return 1;
    const size_t ifd = number(exif, 4, 4);
    const size_t entries = number(exif, ifd, 2);
    for (size_t i = 0; i < entries; i++) {
        const size_t entry = ifd + 2 + 12 * i;
        if (number(exif, entry, 2) != TAG_ORIENTATION || number(exif, entry + 2, 2) != TYPE_SHORT) continue;
        const uint32_t orientation = number(exif, entry + 8, 2);
        return orientation >= 1 && orientation <= 8 ? (int)orientation : 1;
    }
    return 1;
}

HaloStatus halo_exif_of_orientation(int orientation, HaloBlob *exif)
{
    /* A header, one directory with one entry, and no next directory. */
    const uint8_t bytes[26] = {'I',
                               'I',
                               '*',
                               0,
                               8,
                               0,
                               0,
                               0,
                               1,
                               0,
                               TAG_ORIENTATION & 0xff,
                               TAG_ORIENTATION >> 8,
                               TYPE_SHORT,
                               0,
                               1,
                               0,
                               0,
                               0,
                               (uint8_t)orientation};
    return halo_blob_set(exif, bytes, sizeof bytes);
}

/* EXIF: reads and updates the orientation and the thumbnail. All other tags pass through unread. */
#include "bytes/endian.h"
#include "meta.h"

#include <string.h>

#define TAG_WIDTH 0x100
#define TAG_HEIGHT 0x101
#define TAG_ORIENTATION 0x112
#define TAG_X_RESOLUTION 0x11a
#define TAG_Y_RESOLUTION 0x11b
#define TAG_EXIF 0x8769
#define TAG_EXIF_WIDTH 0xa002
#define TAG_EXIF_HEIGHT 0xa003
#define TYPE_SHORT 3
#define TYPE_LONG 4

static bool is_big(const HaloBlob *exif) { return exif->data[0] != 'I'; }

/* `bytes` bytes at `at`, in the order that the EXIF has; 0 beyond its end. */
static uint32_t number(const HaloBlob *exif, size_t at, size_t bytes)
{
    if (at > exif->size || bytes > exif->size - at) return 0;
    return (uint32_t)halo_get(exif->data + at, bytes, is_big(exif));
}

static void set_number(HaloBlob *exif, size_t at, size_t bytes, uint32_t value)
{
    if (at > exif->size || bytes > exif->size - at) return;
    halo_put(exif->data + at, value, bytes, is_big(exif));
}

static bool is_tiff(const HaloBlob *exif)
{
    return exif->size >= 8 && (memcmp(exif->data, "II*\0", 4) == 0 || memcmp(exif->data, "MM\0*", 4) == 0);
}

/* A directory: its entries, of 12 bytes each, and where the offset of the next one stands. */
typedef struct Directory {
    size_t at, entries, next;
} Directory;

static Directory directory(const HaloBlob *exif, size_t at)
{
    const size_t entries = number(exif, at, 2);
    return (Directory){at, entries, at + 2 + 12 * entries};
}

/* The first entry with this tag, or 0. */
static size_t find(const HaloBlob *exif, const Directory *in, uint32_t tag)
{
    for (size_t i = 0; i < in->entries; i++)
        if (number(exif, in->at + 2 + 12 * i, 2) == tag) return in->at + 2 + 12 * i;
    return 0;
}

/* ---- the orientation ------------------------------------------------------------------------------------ */

static size_t find_orientation(const HaloBlob *exif)
{
    if (!is_tiff(exif)) return 0;
    const Directory image = directory(exif, number(exif, 4, 4));
    const size_t entry = find(exif, &image, TAG_ORIENTATION);
    return entry > 0 && number(exif, entry + 2, 2) == TYPE_SHORT ? entry : 0;
}

int halo_exif_orientation(const HaloBlob *exif)
{
    const size_t entry = find_orientation(exif);
    const uint32_t orientation = entry > 0 ? number(exif, entry + 8, 2) : 1;
    return orientation >= 1 && orientation <= 8 ? (int)orientation : 1;
}

bool halo_exif_says_more(const HaloBlob *exif)
{
    if (exif->size == 0 || find_orientation(exif) == 0) return exif->size > 0;
    const Directory image = directory(exif, number(exif, 4, 4));
    return image.entries > 1 || number(exif, image.next, 4) != 0;
}

void halo_exif_set_upright(HaloBlob *exif)
{
    const size_t entry = find_orientation(exif);
    if (entry > 0) set_number(exif, entry + 8, 2, 1);
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

/* ---- the size -------------------------------------------------------------------------------------------- */

/* A number that has become too large for its two bytes takes up the four that every entry has. */
static void set_side(HaloBlob *exif, const Directory *in, uint32_t tag, int64_t side)
{
    const size_t entry = find(exif, in, tag);
    const uint32_t type = entry > 0 ? number(exif, entry + 2, 2) : 0;
    if ((type != TYPE_SHORT && type != TYPE_LONG) || number(exif, entry + 4, 4) != 1) return;
    if (type == TYPE_SHORT && side > UINT16_MAX) set_number(exif, entry + 2, 2, TYPE_LONG);
    set_number(exif, entry + 8, type == TYPE_SHORT && side <= UINT16_MAX ? 2 : 4, (uint32_t)side);
}

void halo_exif_set_size(HaloBlob *exif, int64_t width, int64_t height)
{
    if (!is_tiff(exif) || width > UINT32_MAX || height > UINT32_MAX) return;
    const Directory image = directory(exif, number(exif, 4, 4));
    const size_t entry = find(exif, &image, TAG_EXIF);
    set_side(exif, &image, TAG_WIDTH, width);
    set_side(exif, &image, TAG_HEIGHT, height);
    if (entry == 0) return;
    const Directory more = directory(exif, number(exif, entry + 8, 4));
    set_side(exif, &more, TAG_EXIF_WIDTH, width);
    set_side(exif, &more, TAG_EXIF_HEIGHT, height);
}

/* ---- the resolution -------------------------------------------------------------------------------------- */

/* Each is a fraction that lies elsewhere, so the entries exchange what they point at. */
void halo_exif_swap_resolution(HaloBlob *exif)
{
    if (!is_tiff(exif)) return;
    const Directory image = directory(exif, number(exif, 4, 4));
    const size_t x = find(exif, &image, TAG_X_RESOLUTION), y = find(exif, &image, TAG_Y_RESOLUTION);
    if (x == 0 || y == 0) return;
    const uint32_t at = number(exif, x + 8, 4);
    set_number(exif, x + 8, 4, number(exif, y + 8, 4));
    set_number(exif, y + 8, 4, at);
}

/* ---- the thumbnail -------------------------------------------------------------------------------------- */

/* It is the image of the second directory. False: there is none, or none inside of the EXIF. */
static bool find_thumbnail(const HaloBlob *exif, Directory *image, Directory *thumbnail)
{
    if (!is_tiff(exif)) return false;
    *image = directory(exif, number(exif, 4, 4));
    const size_t at = number(exif, image->next, 4);
    *thumbnail = directory(exif, at);
    return at >= 8 && thumbnail->entries > 0;
}

bool halo_exif_thumbnail(const HaloBlob *exif)
{
    Directory image, thumbnail;
    return find_thumbnail(exif, &image, &thumbnail);
}

/* Zeroes the bytes, and drops them if they are the last. Nothing may move, since makers' notes hold
 * undocumented offsets. Bytes that overlap the header or the image's own directory are damaged, and stay. */
static void wipe(HaloBlob *exif, const Directory *image, size_t at, size_t bytes)
{
    if (at < 8 || at > exif->size || bytes > exif->size - at) return;
    if (at < image->next + 4 && at + bytes > image->at) return;
    memset(exif->data + at, 0, bytes);
    if (at + bytes + 1 >= exif->size) exif->size = at; /* perhaps with a byte of padding */
}

static size_t type_bytes(uint32_t type)
{
    static const uint8_t bytes[] = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8};
    return type < sizeof bytes ? bytes[type] : 0;
}

/* The numbers of an entry: how many, of how many bytes, and where. */
typedef struct Numbers {
    size_t count, bytes, at;
} Numbers;

static Numbers numbers(const HaloBlob *exif, const Directory *in, uint32_t tag)
{
    const size_t entry = find(exif, in, tag);
    Numbers made = {0};
    if (entry == 0) return made;
    made.bytes = type_bytes(number(exif, entry + 2, 2));
    made.count = number(exif, entry + 4, 4);
    if (made.bytes == 0 || made.bytes > 4 || made.count > exif->size / made.bytes) return (Numbers){0};
    made.at = made.count * made.bytes <= 4 ? entry + 8 : number(exif, entry + 8, 4);
    return made;
}

/* The samples: a JPEG, or strips. The last go first, since they may be the end. */
static void wipe_samples(HaloBlob *exif, const Directory *image, const Directory *thumbnail, uint32_t offsets,
                         uint32_t lengths)
{
    const Numbers from = numbers(exif, thumbnail, offsets), size = numbers(exif, thumbnail, lengths);
    for (size_t i = from.count < size.count ? from.count : size.count; i-- > 0;)
        wipe(exif, image, number(exif, from.at + i * from.bytes, from.bytes),
             number(exif, size.at + i * size.bytes, size.bytes));
}

void halo_exif_drop_thumbnail(HaloBlob *exif)
{
    Directory image, thumbnail;
    if (!find_thumbnail(exif, &image, &thumbnail)) return;
    wipe_samples(exif, &image, &thumbnail, 0x201, 0x202); /* JPEGInterchangeFormat and its length */
    wipe_samples(exif, &image, &thumbnail, 0x111, 0x117); /* StripOffsets, StripByteCounts */
    for (size_t i = thumbnail.entries; i-- > 0;) {
        const size_t entry = thumbnail.at + 2 + 12 * i, count = number(exif, entry + 4, 4);
        const size_t bytes = type_bytes(number(exif, entry + 2, 2));
        if (bytes > 0 && count <= exif->size && count * bytes > 4)
            wipe(exif, &image, number(exif, entry + 8, 4), count * bytes);
    }
    wipe(exif, &image, thumbnail.at, 2 + 12 * thumbnail.entries + 4);
    set_number(exif, image.next, 4, 0);
}

/* The brands of AVIF and HEIC, by which they are told from other files of the same container. */
#ifdef HALO_HAVE_HEIF
#include <string.h>

#include "bytes/endian.h"
#include "heiffile.h"

static bool is_among(const uint8_t *brand, const char *brands)
{
    for (const char *at = brands;; at += 5) {
        if (memcmp(brand, at, 4) == 0) return true;
        if (at[4] == 0) return false;
    }
}

bool heif_is(const uint8_t *head, size_t size, const char *brands)
{
    if (size < 16 || memcmp(head + 4, "ftyp", 4) != 0) return false;
    const size_t stated = (size_t)halo_get_be(head, 4), end = stated < size ? stated : size;
    for (size_t at = 8; at + 4 <= end; at += 4)
        if (at != 12 && is_among(head + at, brands)) return true; /* at 12 is a version */
    return false;
}
#endif

/* libsndfile gives each Ogg stream a random serial number. halo replaces it, so that the same input gives the
 * same bytes, and computes each page's checksum again (CRC-32, polynomial 04c11db7, MSB first, initial value 0;
 * RFC 3533). */
#include "bytes/endian.h"
#include "ogg.h"

#include <string.h>

static void make_table(uint32_t table[256])
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t r = i << 24;
        for (int bit = 0; bit < 8; bit++) r = r & 0x80000000u ? r << 1 ^ 0x04c11db7u : r << 1;
        table[i] = r;
    }
}

void snd_ogg_fix_serial(uint8_t *bytes, size_t size)
{
    enum { SERIAL = 14, CHECKSUM = 22, SEGMENTS = 26, FIXED = 27 };
    static const uint8_t serial[4] = {'h', 'a', 'l', 'o'};
    uint32_t table[256];
    make_table(table);
    for (size_t at = 0; size - at >= FIXED && memcmp(bytes + at, "OggS", 4) == 0;) {
        uint8_t *page = bytes + at;
        size_t length = FIXED + (size_t)page[SEGMENTS];
        if (length > size - at) return;
        for (size_t i = FIXED, end = length; i < end; i++) length += page[i];
        if (length > size - at) return;
        memcpy(page + SERIAL, serial, sizeof serial);
        memset(page + CHECKSUM, 0, 4);
        uint32_t sum = 0;
        for (size_t i = 0; i < length; i++) sum = sum << 8 ^ table[(sum >> 24 ^ page[i]) & 0xff];
        halo_put_le(page + CHECKSUM, sum, 4);
        at += length;
    }
}

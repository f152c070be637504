/* libdeflate's Adler-32 is five times as fast as ISA-L's, which is four times as fast as zlib's. */
#include "sums.h"

#ifdef HALO_HAVE_ISAL
#include <isa-l.h>
#endif
#ifdef HALO_HAVE_DEFLATE
#include <libdeflate.h>
#endif
#include <zlib.h>

uint32_t halo_crc32(uint32_t before, const uint8_t *bytes, size_t size)
{
#ifdef HALO_HAVE_ISAL
    return crc32_gzip_refl(before, (uint8_t *)bytes, size);
#else
    return (uint32_t)crc32(before, bytes, (uInt)size);
#endif
}

uint32_t halo_adler32(uint32_t before, const uint8_t *bytes, size_t size)
{
#if defined HALO_HAVE_DEFLATE
    return libdeflate_adler32(before, bytes, size);
#elif defined HALO_HAVE_ISAL
    return isal_adler32(before, bytes, size);
#else
    return (uint32_t)adler32(before, bytes, (uInt)size);
#endif
}

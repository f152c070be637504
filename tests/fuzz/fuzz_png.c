/* PNG by both decoders, with and without --tolerate: the same result for any bytes. Every other input has the
 * right checksums, so that the content of its chunks is read. */
#include "fuzz_image.h"
#include "png_ways.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    bool own;
    const uint8_t odd = size > 0 ? bytes[size - 1] & 1 : 0;
    uint8_t *copy;
    if (!halo_format_png.probe(bytes, size) || size > PNG_WAYS_BYTES) return 0;
    if ((copy = malloc(size)) == NULL) abort();
    memcpy(copy, bytes, size);
    if (odd) png_fix_checksums(copy, size);
    if (png_ways_differ(copy, size, odd ? 3 : 0, &own) != NULL) abort();
    fuzz_read(&halo_format_png, copy, size, true, 3);
    free(copy);
    return 0;
}

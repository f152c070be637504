/* Any bytes as the output of the parts of a batch: merged, or an error with the name of its file. Bytes after a
 * form feed are the next part. */
#include <stdlib.h>
#include <string.h>

#include "codec.h"
#include "total/merge.h"

enum { MOST_PARTS = 3 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const name[MOST_PARTS] = {"part-1", "part-2", "part-3"};
    static FILE *nowhere;
    char path[MOST_PARTS][512];
    const char *part[MOST_PARTS];
    size_t parts = 0;
    CliMerged merged;
    if (nowhere == NULL && (nowhere = fopen("/dev/null", "w")) == NULL) return 0;
    while (parts < MOST_PARTS && (size > 0 || parts == 0)) {
        const uint8_t *end = parts + 1 < MOST_PARTS && size > 0 ? memchr(bytes, '\f', size) : NULL;
        const size_t length = end != NULL ? (size_t)(end - bytes) : size, taken = length + (end != NULL);
        snprintf(path[parts], sizeof path[parts], "%s", test_path(name[parts]));
        bytes_to_file(path[parts], bytes, length);
        part[parts] = path[parts];
        parts++;
        bytes += taken;
        size -= taken;
    }
    const HaloStatus status = cli_merge_parts(part, parts, nowhere, &merged);
    if (status != HALO_OK && status != HALO_ERR_INPUT && status != HALO_ERR_LIMIT) abort();
    if (status != HALO_OK && halo_error()[0] == 0) abort();
    if (status == HALO_OK && (merged.failed < 0 || merged.failed > merged.inputs)) abort();
    rewind(nowhere);
    return 0;
}

/* Any bytes as the journal of a batch: lines of it are understood or not, and nothing else happens. */
#include <stdlib.h>
#include <sys/stat.h>

#include "batch/resume.h"
#include "codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static char folder[512], path[600], output[600];
    CliItem item = {.input = "in.pgm", .output = output};
    CliBatch batch = {.item = &item, .count = 1};
    const CliSettings settings = {.out_dir = folder, .resume = true};
    if (folder[0] == 0) {
        snprintf(folder, sizeof folder, "%s", test_folder());
        snprintf(path, sizeof path, "%s/.halo-journal", folder);
        snprintf(output, sizeof output, "%s/a.pgm", folder);
    }
    bytes_to_file(path, bytes, size);
    if (cli_resume(&settings, UINT64_C(0x0123456789abcdef), -1, &batch) != HALO_OK) abort();
    if (item.done) abort(); /* neither file is there */
    return 0;
}

/* Any bytes as the journal of a batch: it is refused, or, after a first line that is a journal's, its lines are
 * understood or skipped. */
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
    const HaloStatus status = cli_resume(&settings, UINT64_C(0x0123456789abcdef), -1, &batch);
    if (status != HALO_OK && status != HALO_ERR_OUTPUT) abort();
    FILE *journal = fopen(path, "wb");
    if (journal == NULL || fprintf(journal, CLI_JOURNAL_HEAD "0\n") < 0 ||
        fwrite(bytes, 1, size, journal) != size || fclose(journal) != 0)
        abort();
    if (cli_resume(&settings, UINT64_C(0x0123456789abcdef), -1, &batch) != HALO_OK) abort();
    if (item.done) abort(); /* neither file is there */
    return 0;
}

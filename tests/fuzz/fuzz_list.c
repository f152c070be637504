/* Any bytes as a list of inputs, separated by line breaks or zero bytes: names, or an error. */
#include <stdlib.h>

#include "batch/batch.h"
#include "codec.h"

static void find(const char *path, bool zeros)
{
    CliSettings settings = {.command = cli_find_command("info")};
    CliBatch batch = {0};
    if (zeros)
        settings.files0_from = path;
    else
        settings.files_from = path;
    const HaloStatus status = cli_find_inputs(&settings, NULL, 0, &batch);
    if (status != HALO_OK && status != HALO_ERR_INPUT) abort();
    if (status == HALO_OK && batch.count == 0) abort();
    for (size_t i = 0; i < batch.count; i++)
        if (batch.item[i].input[0] == 0) abort();
    cli_batch_free(&batch);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const char *path = test_path("list");
    bytes_to_file(path, bytes, size);
    find(path, false);
    find(path, true);
    return 0;
}

/* `halo bench`: measures the ladder of teaching kernels, pipelines of operations, or a batch of files. */
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "text/page.h"

bool cli_times_devices(const CliSettings *settings)
{
    return settings->command != NULL && settings->command->bit == CLI_BENCH && settings->words > 0 &&
           strcmp(settings->word[0], "ops") == 0;
}

int cli_bench(const CliSettings *settings)
{
    static HaloStatus (*const topic[])(const CliSettings *) = {cli_bench_ladder, cli_bench_ops,
                                                               cli_bench_batch};
    int chosen = 0;
    HaloStatus status = HALO_OK;
    if (settings->words == 0)
        HALO_FAIL(HALO_ERR_USAGE,
                  "a topic is missing: 'halo bench ladder', 'halo bench ops' or 'halo bench batch'");
    HALO_TRY(halo_read_choice(settings->word[0], "ladder|ops|batch", &chosen));
    cli_ink_setup(STDOUT_FILENO, settings->no_color);
    HALO_TRY(topic[chosen](settings));
out:
    if (status != HALO_OK && status != HALO_ERR_PIPE) cli_complain("bench: %s", halo_error());
    return status;
}

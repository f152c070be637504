/* The topics of `halo bench`. */
#ifndef CLI_BENCH_H
#define CLI_BENCH_H

#include "options.h"

HaloStatus cli_bench_ladder(const CliSettings *settings); /* bench_ladder.c */
HaloStatus cli_bench_ops(const CliSettings *settings);    /* bench_ops.c */
HaloStatus cli_bench_batch(const CliSettings *settings);  /* bench_batch.c */

#endif

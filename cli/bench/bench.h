/* The topics of `halo bench`. */
#ifndef CLI_BENCH_H
#define CLI_BENCH_H

#include "options.h"
#include "text/json.h"

HaloStatus cli_bench_ladder(const CliSettings *settings); /* bench_ladder.c */
HaloStatus cli_bench_ops(const CliSettings *settings);    /* bench_ops.c */
HaloStatus cli_bench_batch(const CliSettings *settings);  /* bench_batch.c */

void json_positive(CliJson *json, const char *key, double value); /* null for what is not known: 0 */

#endif

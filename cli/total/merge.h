/* What the parts of a batch printed, joined. */
#ifndef CLI_MERGE_H
#define CLI_MERGE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "halo/fail.h"

typedef struct CliMerged {
    int64_t inputs, failed; /* of the batch */
    bool apart;             /* some histograms are not added up: cli_totals_whole */
} CliMerged;

/* Combines the results of a sharded run and prints them into `to`. HALO_ERR_INPUT names the part that is
 * wrong, and its fault. */
HaloStatus cli_merge_parts(const char *const *path, size_t count, FILE *to, CliMerged *merged);

#endif

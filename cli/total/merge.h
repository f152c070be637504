/* What the parts of a batch printed, joined. */
#ifndef CLI_MERGE_H
#define CLI_MERGE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "halo/status.h"

typedef struct CliMerged {
    int64_t inputs, failed; /* of the batch */
    bool apart;             /* some histograms are not added up: cli_totals_whole */
} CliMerged;

/* Prints into `to` what one machine would have printed. HALO_ERR_INPUT says which part is wrong, and how. */
HaloStatus cli_merge_parts(const char *const *path, size_t count, FILE *to, CliMerged *merged);

#endif

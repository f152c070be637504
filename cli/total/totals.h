/* --total: the statistics and histograms of many files together; and the state that each part of a batch
 * writes, so that merging the parts gives the same. The order of sums is in docs/numerics.md, "Data sets". */
#ifndef CLI_TOTALS_H
#define CLI_TOTALS_H

#include "report/report.h"
#include "text/json.h"
#include "text/json_read.h"

typedef struct CliTotals CliTotals;

/* Inputs of a batch, at most: that keeps sums of their numbers in 64 bits. */
#define TOTALS_MOST ((int64_t)1 << 53)

/* Files are numbered as in the list of all inputs; `first` is the number of the first that will be added. */
CliTotals *cli_totals_new(size_t first);
void cli_totals_free(CliTotals *totals); /* NULL is fine */
/* In the order of their numbers; some may be missing. */
HaloStatus cli_totals_add(CliTotals *totals, size_t number, const char *file, const HaloResults *results);
/* One result for each measurement of the pipeline and each kind of file, in the order in which they came up. */
void cli_totals_print(FILE *to, CliTotals *totals, bool json);
/* Images of floats take the range of a histogram from their samples: where ranges differ there is no sum, and a
 * record without channels in its place. HALO_ERR_INPUT then. */
HaloStatus cli_totals_whole(const CliTotals *totals); /* NULL is fine */
#define CLI_TOTALS_APART                                                                                      \
    "histograms of float images that differ in their range are not added up; hist:min=...,max=... gives one " \
    "to all"
/* Writes "state", an array, empty for NULL; and reads it, after the states of earlier parts. HALO_ERR_INPUT for
 * an invalid state. */
void cli_totals_write(CliJson *json, const CliTotals *totals);
HaloStatus cli_totals_read(CliTotals *totals, const JsonValue *part);

#endif

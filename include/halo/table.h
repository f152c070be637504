/* Results that are tables, such as peaks, which an operation finds along time. */
#ifndef HALO_TABLE_H
#define HALO_TABLE_H

#include "halo/result.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct HaloTableKind {
    const char *name; /* of the rows: "peaks" */
    int columns;
    const char *const *column; /* their names */
    /* Measured nanoseconds of a core for a sample. */
    double ns;
    /* Bytes of scratch memory for so many samples. */
    int64_t (*scratch)(const void *how, int64_t samples);
    void (*describe)(const void *how, char *text, size_t size);
    /* Adds the rows of n samples of a channel, from frame 0 on. HALO_ERR_LIMIT without memory. */
    HaloStatus (*run)(const void *how, const double *x, int64_t n, double rate, void *scratch,
                      HaloTable *table);
} HaloTableKind;

struct HaloTableStep {
    const HaloTableKind *kind;
    const void *how; /* the operation's parameters; they belong to the plan */
};

/* Adds a row, [columns]. HALO_ERR_LIMIT without memory. */
HALO_API HaloStatus halo_table_add(HaloTable *table, const double *row);

#ifdef __cplusplus
}
#endif
#endif

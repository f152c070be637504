/* Results that are tables, such as peaks, which an operation finds along time. */
#ifndef HALO_TABLE_H
#define HALO_TABLE_H

#include "halo/result.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The samples of a channel where they lie: `step` of them from one frame to the next. */
typedef struct HaloTableLine {
    const void *sample; /* f64 where `wide`, else f32 */
    bool wide;
    int64_t step, frames;
    double rate;
} HaloTableLine;

static inline double halo_table_sample(const HaloTableLine *line, int64_t frame)
{
    const int64_t at = frame * line->step;
    return line->wide ? ((const double *)line->sample)[at] : (double)((const float *)line->sample)[at];
}

typedef struct HaloTableKind {
    const char *name; /* of the rows: "peaks" */
    int columns;
    const char *const *column; /* their names */
    /* Measured nanoseconds of a core for a sample. */
    double ns;
    /* Bytes of memory that it takes for each sample of a channel, at most, beside the samples and the rows. */
    double bytes;
    void (*describe)(const void *how, char *text, size_t size);
    const char *fewer; /* what to do where there are more rows than memory allows */
    /* Adds the rows of a channel. HALO_ERR_LIMIT without memory. */
    HaloStatus (*run)(const void *how, const HaloTableLine *line, HaloTable *table);
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

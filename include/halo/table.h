/* Results that are tables, such as peaks, which an operation finds along time or in pictures. */
#ifndef HALO_TABLE_H
#define HALO_TABLE_H

#include "halo/result.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The samples of a channel where they lie: `step` of them from one frame, or pixel, to the next. */
typedef struct HaloTableLine {
    const void *sample;
    HaloDtype dtype; /* u8, u16, f32 or f64 */
    int64_t step, frames, rows;
    int64_t stride; /* bytes from one row to the next */
    double rate;
} HaloTableLine;

static inline double halo_table_pixel(const HaloTableLine *line, int64_t x, int64_t y)
{
    const void *row = (const char *)line->sample + y * line->stride;
    const int64_t at = x * line->step;
    switch (line->dtype) {
    case HALO_U8: return ((const uint8_t *)row)[at];
    case HALO_U16: return ((const uint16_t *)row)[at];
    case HALO_F64: return ((const double *)row)[at];
    default: return (double)((const float *)row)[at];
    }
}

static inline double halo_table_sample(const HaloTableLine *line, int64_t frame)
{
    return halo_table_pixel(line, frame, 0);
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
    /* Adds the rows of a channel. `other`: the same channel of the second source; NULL: there is none.
     * HALO_ERR_LIMIT without memory. */
    HaloStatus (*run)(const void *how, const HaloTableLine *line, const HaloTableLine *other, HaloTable *table);
    /* Instead, of sound: the frames of a channel are added part by part, and then it ends. `most`: bytes of
     * memory that a channel may take beside its rows. Close even if open failed. NULL: run has all frames at
     * once. */
    HaloStatus (*open)(const void *how, int64_t most, void **state);
    HaloStatus (*add)(void *state, const HaloTableLine *line, HaloTable *table);
    HaloStatus (*end)(void *state, HaloTable *table);
    void (*close)(void *state);
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

/* Samples at other distances: each is a weighted sum of those around its place in the source. */
#ifndef HALO_RESAMPLE_H
#define HALO_RESAMPLE_H

#include "halo/primitive.h"

/* Along one axis: output i is the sum over j of tap[j] times sample first + j, one accumulator that starts at
 * +0 and takes every tap in ascending order by one fma. Taps come in rows of a table. Outputs at the ends,
 * whose sums are cut off by the ends of the source, have a row each; those between them share `up` rows: output
 * i + up reads as output i does, `down` samples further on. No tap lies outside of the source; or, where they
 * are `cut`, no output has a separate row, and taps outside of the source are left out: each output has one
 * inside. Columns are not cut. */
typedef struct HaloResampleAxis {
    int64_t length, size; /* samples of the source and of the result */
    int64_t left, right;  /* outputs with separate rows; left + right <= size */
    int64_t up, down;     /* up is 0 where there is no output in between */
    int64_t taps;         /* the most that a row has */
    bool cut;
    const int64_t *first; /* [left + up + right] of outputs at the ends, and of the first `up` between them; */
    const int64_t *count; /* the taps of each row, at least 1; first and first + count never decrease */
    const float *tap;     /* [left + up + right][taps] */
    const double *wide;   /* as in HaloConv; only of sound */
} HaloResampleAxis;

/* A larger table is not kept (`first`, `count` and `tap` are NULL), but made for some outputs at a time. */
#define HALO_RESAMPLE_TABLE ((int64_t)1 << 20)

/* How it is made: what the taps of an output lie over and, where `tap` is not NULL, its taps. */
typedef struct HaloResampleRule {
    void (*make)(const void *rule, int64_t output, int64_t *first, int64_t *count, float *tap);
    const void *rule;
} HaloResampleRule;

/* Rows to f32 by x, then columns of that by y; the store belongs to the columns. Backends are given axes with
 * tables. */
struct HaloResample {
    HaloResampleAxis x, y;
    double rate;                   /* of sound that is made */
    HaloResampleRule for_x, for_y; /* of an axis whose table is not kept */
};

/* Where an output's taps stand and what they lie over. */
typedef struct HaloResampleTaps {
    const float *tap;
    int64_t first, count;
} HaloResampleTaps;

/* The greatest number that divides both, of which one is not 0. */
static inline int64_t halo_common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static inline int64_t halo_resample_rows(const HaloResampleAxis *axis)
{
    return axis->left + axis->up + axis->right;
}

/* Bytes of a row of the table. */
static inline int64_t halo_resample_row_bytes(const HaloResampleAxis *axis)
{
    return axis->taps * (int64_t)sizeof(float) + 2 * (int64_t)sizeof(int64_t);
}

static inline HaloResampleTaps halo_resample_at(const HaloResampleAxis *axis, int64_t i)
{
    const int64_t k = i - axis->left, from_right = i - (axis->size - axis->right);
    const bool middle = k >= 0 && from_right < 0;
    const int64_t row = k < 0 ? i : middle ? axis->left + k % axis->up : axis->left + axis->up + from_right;
    HaloResampleTaps taps = {axis->tap + row * axis->taps,
                             axis->first[row] + (middle ? k / axis->up * axis->down : 0), axis->count[row]};
    if (!axis->cut) return taps;
    const int64_t before = taps.first < 0 ? -taps.first : 0, behind = taps.first + taps.count - axis->length;
    taps.tap += before;
    taps.first += before;
    taps.count -= before + (behind > 0 ? behind : 0);
    return taps;
}

#endif

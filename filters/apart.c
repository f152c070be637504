#include "apart.h"

#include <stdlib.h>

#define LEAST_FULL 65536

HaloStatus apart_add(Apart *apart, int64_t frame, double value)
{
    if (apart->count == apart->capacity) {
        const int64_t more = 2 * apart->capacity + 64;
        if (more * (int64_t)sizeof *apart->peak > apart->most)
            return halo_fail(HALO_ERR_LIMIT,
                             "more memory than is allowed is needed to find peaks; height= keeps "
                             "fewer, and --max-memory sets the limit");
        ApartPeak *grown = realloc(apart->peak, (size_t)more * sizeof *grown);
        if (grown == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory to find peaks");
        apart->peak = grown;
        apart->capacity = more;
    }
    apart->peak[apart->count++] = (ApartPeak){.frame = frame, .value = value};
    return HALO_OK;
}

bool apart_is_full(const Apart *apart) { return apart->count >= apart->full + LEAST_FULL; }

ApartPeak *apart_find(const Apart *apart, int64_t frame)
{
    int64_t from = 0, to = apart->count;
    while (from < to) {
        const int64_t middle = from + (to - from) / 2;
        if (apart->peak[middle].frame < frame)
            from = middle + 1;
        else
            to = middle;
    }
    return from < apart->count && apart->peak[from].frame == frame ? &apart->peak[from] : NULL;
}

/* ---- deciding ------------------------------------------------------------------------------------------- */

typedef struct Ranked {
    double value;
    int64_t number;
} Ranked;

/* The greatest first; of equal ones the last, as SciPy takes them. */
static int by_value(const void *a, const void *b)
{
    const Ranked *x = a, *y = b;
    if (x->value != y->value) return x->value > y->value ? -1 : 1;
    return x->number > y->number ? -1 : 1;
}

/* Sets the flag of all that are near to peak k. */
static void flag_near(const Apart *apart, int64_t k, bool *flag)
{
    const ApartPeak *peak = apart->peak;
    for (int64_t i = k - 1; i >= 0 && peak[k].frame - peak[i].frame < apart->distance; i--) flag[i] = true;
    for (int64_t i = k + 1; i < apart->count && peak[i].frame - peak[k].frame < apart->distance; i++)
        flag[i] = true;
}

static void remove_dropped(Apart *apart, const bool *dropped)
{
    int64_t left = 0;
    for (int64_t k = 0; k < apart->count; k++)
        if (!dropped[k]) apart->peak[left++] = apart->peak[k];
    apart->count = left;
}

/* A peak is open where a greater one that may come is near, or a greater one that is open. */
HaloStatus apart_decide(Apart *apart, int64_t horizon)
{
    HaloStatus status = HALO_OK;
    const int64_t count = apart->count;
    int64_t ranks = 0;
    Ranked *ranked = malloc((size_t)(count + 1) * sizeof *ranked);
    bool *dropped = calloc((size_t)count + 1, sizeof *dropped), *open = calloc((size_t)count + 1, sizeof *open);
    if (ranked == NULL || dropped == NULL || open == NULL)
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to find peaks");
    for (int64_t k = 0; k < count; k++) {
        if (!apart->peak[k].kept) ranked[ranks++] = (Ranked){apart->peak[k].value, k};
        open[k] = horizon - apart->peak[k].frame < apart->distance;
    }
    qsort(ranked, (size_t)ranks, sizeof *ranked, by_value);
    for (int64_t r = 0; r < ranks; r++) {
        const int64_t k = ranked[r].number;
        if (dropped[k]) continue;
        apart->peak[k].kept = !open[k];
        flag_near(apart, k, open[k] ? open : dropped);
    }
    remove_dropped(apart, dropped);
out:
    free(ranked);
    free(dropped);
    free(open);
    return status;
}

bool apart_take(Apart *apart, int64_t *at, ApartPeak *peak)
{
    if (*at == 0) apart->full = 0;
    for (; *at < apart->count; ++*at) {
        *peak = apart->peak[*at];
        if (peak->kept && peak->known) {
            ++*at;
            return true;
        }
        apart->peak[apart->full++] = *peak;
    }
    apart->count = apart->full;
    return false;
}

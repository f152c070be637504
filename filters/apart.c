#include "apart.h"

#include <stdlib.h>

#define LEAST_FULL 16384

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

bool apart_is_full(const Apart *apart) { return apart->count >= 2 * apart->full + LEAST_FULL; }

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

/* What is known of the peaks, [count]. */
typedef struct Marks {
    bool *dropped, *open;
    int64_t *behind,
        *before; /* [count + 1] steps towards the next one that is not open, and to one behind the last */
} Marks;

static HaloStatus marks_open(Marks *marks, size_t count)
{
    *marks = (Marks){.dropped = calloc(count + 1, sizeof *marks->dropped),
                     .open = calloc(count + 1, sizeof *marks->open),
                     .behind = malloc((count + 1) * sizeof *marks->behind),
                     .before = malloc((count + 1) * sizeof *marks->before)};
    if (marks->dropped == NULL || marks->open == NULL || marks->behind == NULL || marks->before == NULL)
        return halo_fail(HALO_ERR_LIMIT, "not enough memory to find peaks");
    for (size_t i = 0; i <= count; i++) marks->behind[i] = marks->before[i] = (int64_t)i;
    return HALO_OK;
}

static void marks_close(Marks *marks)
{
    free(marks->dropped);
    free(marks->open);
    free(marks->behind);
    free(marks->before);
}

static void mark_open(Marks *marks, int64_t k)
{
    marks->open[k] = true;
    marks->behind[k] = k + 1;
    marks->before[k + 1] = k;
}

/* Where the steps from i lead. */
static int64_t follow(int64_t *step, int64_t i)
{
    while (step[i] != i) i = step[i] = step[step[i]];
    return i;
}

/* All that are near to peak k and are not open yet become so: each once, however many are near to each other.
 */
static void open_near(const Apart *apart, int64_t k, Marks *marks)
{
    const ApartPeak *peak = apart->peak;
    int64_t i = follow(marks->behind, k);
    for (; i < apart->count && peak[i].frame - peak[k].frame < apart->distance; i = follow(marks->behind, i))
        mark_open(marks, i);
    i = follow(marks->before, k);
    for (; i > 0 && peak[k].frame - peak[i - 1].frame < apart->distance; i = follow(marks->before, i))
        mark_open(marks, i - 1);
}

static void drop_near(const Apart *apart, int64_t k, bool *dropped)
{
    const ApartPeak *peak = apart->peak;
    for (int64_t i = k - 1; i >= 0 && peak[k].frame - peak[i].frame < apart->distance; i--) dropped[i] = true;
    for (int64_t i = k + 1; i < apart->count && peak[i].frame - peak[k].frame < apart->distance; i++)
        dropped[i] = true;
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
    Marks marks = {0};
    if (ranked == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to find peaks");
    HALO_TRY(marks_open(&marks, (size_t)count));
    for (int64_t k = 0; k < count; k++) {
        if (!apart->peak[k].kept) ranked[ranks++] = (Ranked){apart->peak[k].value, k};
        if (horizon - apart->peak[k].frame < apart->distance) mark_open(&marks, k);
    }
    qsort(ranked, (size_t)ranks, sizeof *ranked, by_value);
    for (int64_t r = 0; r < ranks; r++) {
        const int64_t k = ranked[r].number;
        if (marks.dropped[k]) continue;
        apart->peak[k].kept = !marks.open[k];
        if (marks.open[k])
            open_near(apart, k, &marks);
        else
            drop_near(apart, k, marks.dropped);
    }
    remove_dropped(apart, marks.dropped);
out:
    free(ranked);
    marks_close(&marks);
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

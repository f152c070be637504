/* Percentiles of few samples, which are brought into order as far as these need it. */
#include <math.h>
#include <stdlib.h>

#include "percentile.h"

/* Puts the samples of these ranks, which rise, where they would be if a[0 ... n) were sorted: parts without any
 * are left as they are. `first`: the rank of a[0]. */
static void select_ranks(double *a, int64_t n, int64_t first, const int64_t *rank, int ranks)
{
    while (n > 1 && ranks > 0) {
        const double pivot = a[n / 2];
        int64_t less = 0, more = n, i = 0;
        while (i < more) {
            const double v = a[i];
            if (v < pivot) {
                a[i++] = a[less];
                a[less++] = v;
            } else if (v > pivot) {
                a[i] = a[--more];
                a[more] = v;
            } else {
                i++;
            }
        }
        int below = 0, above;
        while (below < ranks && rank[below] < first + less) below++;
        for (above = below; above < ranks && rank[above] < first + more;) above++;
        select_ranks(a, less, first, rank, below);
        rank += above;
        ranks -= above;
        a += more;
        n -= more;
        first += more;
    }
}

static int by_rank(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

void few_percentiles(double *sample, int64_t n, const HaloDetail *detail, HaloStats *s)
{
    Place place[HALO_MAX_PERCENTS];
    int64_t rank[2 * HALO_MAX_PERCENTS];
    for (int i = 0; i < detail->percents; i++) {
        place[i] = place_of(detail->percent[i], (uint64_t)n);
        rank[2 * i] = (int64_t)place[i].before;
        rank[2 * i + 1] = (int64_t)place[i].after;
    }
    qsort(rank, 2 * (size_t)detail->percents, sizeof *rank, by_rank);
    select_ranks(sample, n, 0, rank, 2 * detail->percents);
    for (int i = 0; i < detail->percents; i++)
        s->percentile[i] =
            n > 0 ? place_value(&place[i], sample[place[i].before] + 0.0, sample[place[i].after] + 0.0)
                  : (double)NAN;
}

/* The best partition of a histogram into classes, by dynamic programming: that of bins [0, j) into c classes
 * ends with a class whose beginning rises with j, so that it is searched for by halving (the squared sums over
 * counts are concave in Monge's sense). */
#include "classes.h"

#include <stdlib.h>

typedef struct Search {
    int64_t n;       /* bins with samples */
    int64_t *bin;    /* [n] their numbers */
    double *samples; /* [n + 1] in the bins before, */
    double *sum;     /* [n + 1] and the sum of the numbers of their bins */
    double *best[2]; /* [n + 1] of c - 1 and of c classes */
    int32_t *begin;  /* [classes][n + 1] where the last class of [0, j) begins */
} Search;

/* What a class of bins [i, j) adds to the variance between classes, but for what all partitions share. */
static double worth(const Search *s, int64_t i, int64_t j)
{
    const double sum = s->sum[j] - s->sum[i];
    return sum * sum / (s->samples[j] - s->samples[i]);
}

/* Finds where the last of c classes begins, for every j from `from` to `upto`, between `low` and `high`. */
static void halve(const Search *s, int c, int64_t from, int64_t upto, int64_t low, int64_t high)
{
    if (from > upto) return;
    const int64_t j = from + (upto - from) / 2;
    int64_t at = low;
    double most = -1.0;
    for (int64_t i = low; i <= high && i < j; i++) {
        const double value = s->best[0][i] + worth(s, i, j);
        if (value > most) at = i;
        if (value > most) most = value;
    }
    s->best[1][j] = most;
    s->begin[c * (s->n + 1) + j] = (int32_t)at;
    halve(s, c, from, j - 1, low, at);
    halve(s, c, j + 1, upto, at, high);
}

static void search(Search *s, int classes, int64_t *last)
{
    for (int64_t j = 1; j <= s->n; j++) s->best[0][j] = worth(s, 0, j);
    for (int c = 1; c < classes; c++) {
        double *const before = s->best[0];
        halve(s, c, c + 1, s->n, c, s->n - 1);
        s->best[0] = s->best[1];
        s->best[1] = before;
    }
    int64_t end = s->n;
    for (int c = classes - 1; c > 0; c--) {
        end = s->begin[c * (s->n + 1) + end];
        last[c - 1] = s->bin[end - 1];
    }
}

HaloStatus classes_find(const uint64_t *count, int64_t bins, int classes, int64_t *last)
{
    HaloStatus status = HALO_OK;
    const size_t most = (size_t)bins + 1;
    Search s = {.bin = malloc(most * sizeof *s.bin),
                .samples = calloc(most, sizeof *s.samples),
                .sum = calloc(most, sizeof *s.sum),
                .best = {malloc(most * sizeof(double)), malloc(most * sizeof(double))},
                .begin = malloc((size_t)classes * most * sizeof *s.begin)};
    if (s.bin == NULL || s.samples == NULL || s.sum == NULL || s.best[0] == NULL || s.best[1] == NULL ||
        s.begin == NULL)
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    for (int64_t b = 0; b < bins; b++) {
        if (count[b] == 0) continue;
        s.samples[s.n + 1] = s.samples[s.n] + (double)count[b];
        s.sum[s.n + 1] = s.sum[s.n] + (double)count[b] * (double)b;
        s.bin[s.n++] = b;
    }
    if (s.n < classes)
        HALO_FAIL(
            HALO_ERR_INPUT,
            "threshold: %d classes need as many different levels, and the input has %lld: use fewer classes",
            classes, (long long)s.n);
    search(&s, classes, last);
out:
    free(s.bin);
    free(s.samples);
    free(s.sum);
    free(s.best[0]);
    free(s.best[1]);
    free(s.begin);
    return status;
}

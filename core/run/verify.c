/* `--verify`: checks on the user's own data that all devices give the same samples. */
#include <string.h>

#include "run.h"

static HaloStatus compare_samples(const HaloBuf *a, const HaloBuf *b)
{
    const int64_t sample = (int64_t)halo_dtype_size(a->shape.dtype);
    for (int64_t y = 0; y < a->rows; y++) {
        const char *of_a = halo_at(a, 0, y), *of_b = halo_at(b, 0, y);
        if (memcmp(of_a, of_b, (size_t)halo_row_bytes(a)) == 0) continue;
        int64_t i = 0;
        while (memcmp(of_a + i * sample, of_b + i * sample, (size_t)sample) == 0) i++;
        return halo_fail(
            HALO_ERR_BUG,
            "internal: the backends differ at sample (%lld, %lld), channel %lld; please report this",
            (long long)(i / a->shape.channels), (long long)y, (long long)(i % a->shape.channels));
    }
    return HALO_OK;
}

/* Every member, bit for bit; not the padding of the struct. */
static bool same_stats(const HaloStats *a, const HaloStats *b)
{
    const double x[] = {a->min,     a->max,          a->sum,      a->mean,     a->sd,     a->rms,
                        a->product, a->product_log2, a->skewness, a->kurtosis, a->entropy};
    const double y[] = {b->min,     b->max,          b->sum,      b->mean,     b->sd,     b->rms,
                        b->product, b->product_log2, b->skewness, b->kurtosis, b->entropy};
    return memcmp(x, y, sizeof x) == 0 && memcmp(a->percentile, b->percentile, sizeof a->percentile) == 0 &&
           a->count == b->count && a->nan == b->nan && a->inf == b->inf && a->zero == b->zero &&
           a->min_at == b->min_at && a->max_at == b->max_at && a->isum == b->isum &&
           a->product_sign == b->product_sign;
}

static bool same_hist(const HaloHistogram *a, const HaloHistogram *b)
{
    const size_t counters = (size_t)a->bins * (size_t)a->channels;
    return a->lo == b->lo && a->hi == b->hi && memcmp(a->count, b->count, counters * sizeof *a->count) == 0 &&
           memcmp(a->below, b->below, 3 * (size_t)a->channels * sizeof *a->below) == 0;
}

static bool same_table(const HaloTable *a, const HaloTable *b)
{
    return a->rows == b->rows &&
           (a->rows == 0 || memcmp(a->cell, b->cell, (size_t)(a->rows * a->columns) * sizeof *a->cell) == 0);
}

static HaloStatus compare_results(const HaloResults *a, const HaloResults *b)
{
    for (int i = 0; i < a->count; i++) {
        const HaloResult *x = &a->item[i], *y = &b->item[i];
        bool same = true;
        if (x->type == HALO_RESULT_HIST) {
            same = same_hist(&x->hist, &y->hist);
        } else if (x->type == HALO_RESULT_FOLD) {
            const size_t values = (size_t)x->shape.channels + 1;
            same = memcmp(x->fold.value, y->fold.value, values * sizeof *x->fold.value) == 0;
        } else if (x->type == HALO_RESULT_TABLE) {
            for (int c = 0; c < x->shape.channels; c++) same = same && same_table(&x->table[c], &y->table[c]);
        } else {
            same = same_stats(&x->all, &y->all);
            for (int c = 0; c < x->shape.channels; c++)
                same = same && same_stats(&x->channel[c], &y->channel[c]);
        }
        if (!same)
            return halo_fail(HALO_ERR_BUG, "internal: the backends differ in result %d; please report this",
                             i + 1);
    }
    return HALO_OK;
}

HaloStatus verify_on(Device *other, const HaloPlan *plan, const HaloOptions *options, const HaloBuf *in,
                     const HaloBuf *out, const HaloResults *results)
{
    HaloStatus status = HALO_OK;
    HaloBuf again = {0};
    HaloResults measured = {0};
    HALO_TRY(execute_on((Team){other, 1}, plan, options, in, out != NULL ? &again : NULL,
                        results != NULL ? &measured : NULL, NULL, NULL));
    if (out != NULL && out->data != NULL) HALO_TRY(compare_samples(out, &again));
    if (results != NULL) HALO_TRY(compare_results(results, &measured));
out:
    halo_buf_free(&again);
    halo_results_free(&measured);
    return status;
}

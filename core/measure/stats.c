/* Computes statistics from what reductions return; and the memory of results. */
#include "halo/measures.h"
#include "halo/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

/* sqrt(n * sum of squares - sum^2) / n: the population's standard deviation, with an exact integer under
 * the root. n < 2^48 keeps n * squares within 128 bits. */
static double integer_sd(uint64_t n, uint64_t sum, uint64_t sq_lo, uint64_t sq_hi)
{
    __extension__ typedef unsigned __int128 wide;
    const wide squares = (wide)sq_hi << 64 | sq_lo;
    const wide spread = squares * n - (wide)sum * sum;
    return sqrt((double)spread) / (double)n;
}

static void product_of(const HaloMoments *m, HaloStats *s)
{
    s->product = ldexp(m->product, m->product_exp > 20000    ? 20000
                                   : m->product_exp < -20000 ? -20000
                                                             : (int)m->product_exp);
    /* An overflow or underflow shows only in the logarithm. */
    if (isinf(s->product) || (s->product == 0.0 && m->product != 0.0)) s->product = NAN;
    s->product_sign = (m->product > 0) - (m->product < 0);
    s->product_log2 = m->product == 0.0 ? -INFINITY : log2(fabs(m->product)) + (double)m->product_exp;
}

void halo_stats_from_moments(const HaloMoments *m, HaloDtype dtype, HaloStats *s)
{
    const uint64_t n = m->count - m->nan;
    *s = (HaloStats){.count = m->count,
                     .nan = m->nan,
                     .inf = m->inf,
                     .zero = m->zero,
                     .min_at = m->min_at,
                     .max_at = m->max_at,
                     .exact = dtype == HALO_U8 || dtype == HALO_U16,
                     .isum = m->isum,
                     .skewness = NAN,
                     .kurtosis = NAN,
                     .entropy = NAN,
                     .moments = *m};
    s->min = n != 0 ? m->min : NAN;
    s->max = n != 0 ? m->max : NAN;
    product_of(m, s);
    if (n == 0) {
        s->mean = s->sd = s->rms = NAN;
    } else if (s->exact) {
        s->sum = (double)m->isum;
        s->mean = s->sum / (double)n;
        s->sd = integer_sd(n, m->isum, m->isq_lo, m->isq_hi);
        s->rms = sqrt(((double)m->isq_hi * 18446744073709551616.0 + (double)m->isq_lo) / (double)n);
    } else {
        s->sum = m->sum;
        s->mean = s->sum / (double)n;
        s->sd = sqrt(m->m2 / (double)n);
        s->rms = sqrt(m->m2 / (double)n + m->mean * m->mean);
    }
}

const char *halo_result_channel(const HaloResult *result, int channel, char text[16])
{
    const HaloNames *names = &result->names;
    if (channel < names->count && names->name[channel][0] != 0) return names->name[channel];
    return halo_channel_name(&result->shape, channel, text);
}

const char *halo_result_time(const HaloResult *result, int64_t frame, char text[HALO_TIME_SIZE])
{
    if (result->time.name == NULL || frame < 0) return NULL;
    halo_time_write(&result->time.notation, halo_time_at(&result->time, NULL, frame), text);
    return text;
}

void halo_results_free(HaloResults *results)
{
    for (int i = 0; i < results->count; i++) {
        for (int c = 0; results->item[i].table != NULL && c < results->item[i].shape.channels; c++) {
            free(results->item[i].table[c].cell);
            free(results->item[i].table[c].kept);
        }
        free(results->item[i].table);
        free(results->item[i].channel);
        halo_histogram_free(&results->item[i].hist);
        free(results->item[i].fold.value);
        free(results->item[i].names.name);
        halo_timeline_free(&results->item[i].time);
        passes_close(results->item[i].passes);
    }
    free(results->item);
    *results = (HaloResults){0};
}

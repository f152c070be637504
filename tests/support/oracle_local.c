/* The oracle of what is made of the samples of a window, which are gathered one by one. */
#include <math.h>
#include <stdlib.h>

#include "oracle.h"

/* By value, -0 before +0, NaN last. */
static int by_value(const void *left, const void *right)
{
    const float a = *(const float *)left, b = *(const float *)right;
    if (isnan(a) || isnan(b)) return !!isnan(a) - !!isnan(b);
    if (a != b) return a < b ? -1 : 1;
    return !!signbit(b) - !!signbit(a);
}

static float mode(const float *sample, int64_t n)
{
    int64_t most = 0;
    float found = 0.0f;
    for (int64_t i = 0; i < n; i++) {
        int64_t same = 0;
        for (int64_t k = 0; k < n; k++) same += sample[k] == sample[i];
        if (same > most || (same == most && sample[i] < found)) found = sample[i];
        if (same > most) most = same;
    }
    return found == 0.0f ? 0.0f : found;
}

static float deviation(float *sample, int64_t n)
{
    const float median = sample[(n - 1) / 2];
    for (int64_t i = 0; i < n; i++) sample[i] = sample[i] == median ? 0.0f : fabsf(sample[i] - median);
    qsort(sample, (size_t)n, sizeof *sample, by_value);
    return sample[(n - 1) / 2];
}

/* c log2(c) in units of 2^-32. */
static int64_t information(int64_t c) { return llroundl((long double)c * log2l((long double)c) * 0x1p32L); }

static float entropy(const float *sample, int64_t n, const HaloLocal *local)
{
    int64_t all = 0, sum = 0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t bin = oracle_bin((double)sample[i], local->lo, local->hi, local->bins);
        int64_t before = 0, same = 0;
        for (int64_t k = 0; k < n && bin >= 0; k++) {
            const bool other = oracle_bin((double)sample[k], local->lo, local->hi, local->bins) == bin;
            before += other && k < i;
            same += other;
        }
        all += bin >= 0;
        if (bin >= 0 && before == 0) sum += information(same);
    }
    return all > 0 ? (float)((double)(information(all) - sum) / ((double)all * 0x1p32)) : NAN;
}

static float choose(float *sample, int64_t n, const HaloLocal *local)
{
    int64_t numbers = n;
    qsort(sample, (size_t)n, sizeof *sample, by_value);
    while (numbers > 0 && isnan(sample[numbers - 1])) numbers--;
    if (numbers == 0 || (numbers < n && !local->window.nan_ignore)) return NAN;
    switch (local->kind) {
    case HALO_LOCAL_LEAST: return sample[0];
    case HALO_LOCAL_GREATEST: return sample[numbers - 1];
    case HALO_LOCAL_MODE: return mode(sample, numbers);
    case HALO_LOCAL_MAD: return deviation(sample, numbers);
    default: return entropy(sample, numbers, local);
    }
}

uint64_t oracle_local(const HaloBuf *src, HaloBuf *dst, const HaloLocal *local, HaloStore store)
{
    const int64_t w = local->window.width, h = local->window.height;
    const bool extreme = local->kind == HALO_LOCAL_LEAST || local->kind == HALO_LOCAL_GREATEST;
    const float outside = local->window.border == HALO_BORDER_CONSTANT ? (float)local->window.value : 0.0f;
    const float sign = local->kind == HALO_LOCAL_LEAST ? -1.0f : 1.0f;
    int64_t *const column = oracle_memory(dst->cols + w, sizeof *column);
    int64_t *const row = oracle_memory(dst->rows + h, sizeof *row);
    float *const sample = oracle_memory(w * h, sizeof *sample);
    uint64_t clipped = 0;
    oracle_border(dst->x0 + local->window.ox, dst->cols + w - 1, src->shape.width, local->window.border,
                  column);
    oracle_border(dst->y0 + local->window.oy, dst->rows + h - 1, src->shape.height, local->window.border, row);
    for (int64_t y = 0; y < dst->rows; y++)
        for (int64_t x = 0; x < dst->cols; x++)
            for (int c = 0; c < dst->shape.channels; c++) {
                const int64_t n = extreme ? local->members : w * h;
                for (int64_t i = 0; i < n; i++) {
                    const int64_t at_x = extreme ? local->member[i].x : i % w,
                                  at_y = extreme ? local->member[i].y : i / w;
                    const int64_t from_x = column[x + at_x], from_y = row[y + at_y];
                    const float v = from_x < 0 || from_y < 0 ? outside : oracle_get(src, from_x, from_y, c);
                    sample[i] = !extreme || local->flat ? v : v + sign * local->member[i].height;
                }
                clipped += oracle_put(dst, dst->x0 + x, dst->y0 + y, c, choose(sample, n, local), store);
            }
    free(column);
    free(row);
    free(sample);
    return clipped;
}

/* The oracle of rank filters: what belongs to a window is sorted. */
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

static float choose(float *sample, int64_t n, const HaloRank *rank)
{
    int64_t numbers = n;
    qsort(sample, (size_t)n, sizeof *sample, by_value);
    while (numbers > 0 && isnan(sample[numbers - 1])) numbers--;
    if (numbers == 0 || (numbers < n && !rank->window.nan_ignore)) return NAN;
    if (rank->halves && numbers % 2 == 0) {
        const float low = sample[numbers / 2 - 1], high = sample[numbers / 2];
        return by_value(&low, &high) == 0 ? low : (float)(((double)low + (double)high) / 2.0);
    }
    return sample[(int64_t)floor(rank->fraction * (double)(numbers - 1))];
}

uint64_t oracle_rank(const HaloBuf *src, HaloBuf *dst, const HaloRank *rank, HaloStore store)
{
    const int64_t w = rank->window.width, h = rank->window.height;
    const float outside = rank->window.border == HALO_BORDER_CONSTANT ? rank->window.value : 0.0f;
    int64_t *const column = oracle_memory(dst->cols + w, sizeof *column);
    int64_t *const row = oracle_memory(dst->rows + h, sizeof *row);
    float *const sample = oracle_memory(w * h, sizeof *sample);
    uint64_t clipped = 0;
    oracle_border(dst->x0 + rank->window.ox, dst->cols + w - 1, src->shape.width, rank->window.border, column);
    oracle_border(dst->y0 + rank->window.oy, dst->rows + h - 1, src->shape.height, rank->window.border, row);
    for (int64_t y = 0; y < dst->rows; y++)
        for (int64_t x = 0; x < dst->cols; x++)
            for (int c = 0; c < dst->shape.channels; c++) {
                int64_t n = 0;
                for (int64_t i = 0; i < w * h; i++) {
                    const int64_t from_x = column[x + i % w], from_y = row[y + i / w];
                    if (rank->span != NULL && (i % w < rank->span[i / w].from || i % w >= rank->span[i / w].to))
                        continue;
                    sample[n++] = from_x < 0 || from_y < 0 ? outside : oracle_get(src, from_x, from_y, c);
                }
                clipped += oracle_put(dst, dst->x0 + x, dst->y0 + y, c, choose(sample, n, rank), store);
            }
    free(column);
    free(row);
    free(sample);
    return clipped;
}

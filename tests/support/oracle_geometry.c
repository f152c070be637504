/* The oracle of moving samples and of resampling. */
#include <math.h>

#include "oracle.h"

/* The place that place `at` of n samples reads, or -1 where the border has a value of its own. */
static int64_t place(int64_t at, int64_t n, HaloBorder border)
{
    int64_t index;
    oracle_border(at, 1, n, border, &index);
    return index;
}

uint64_t oracle_gather(const HaloBuf *src, HaloBuf *dst, const HaloGather *gather, HaloStore store)
{
    const float outside = gather->border == HALO_BORDER_CONSTANT ? gather->value : 0.0f;
    uint64_t clipped = 0;
    for (int64_t y = dst->y0; y < dst->y0 + dst->rows; y++)
        for (int64_t x = dst->x0; x < dst->x0 + dst->cols; x++) {
            const int64_t i = gather->transposed ? y : x, j = gather->transposed ? x : y;
            const int64_t u = place(gather->x0 + gather->step_x * i, src->shape.width, gather->border);
            const int64_t v = place(gather->y0 + gather->step_y * j, src->shape.height, gather->border);
            for (int c = 0; c < dst->shape.channels; c++)
                clipped += oracle_put(dst, x, y, c, u < 0 || v < 0 ? outside : oracle_get(src, u, v, c), store);
        }
    return clipped;
}

/* Output i of a table. */
static HaloResampleTaps taps_at(const HaloResampleAxis *axis, int64_t i)
{
    int64_t row = i, moved = 0;
    if (i >= axis->size - axis->right) {
        row = axis->left + axis->up + i - (axis->size - axis->right);
    } else {
        while (row >= axis->left + axis->up) {
            row -= axis->up;
            moved += axis->down;
        }
    }
    HaloResampleTaps taps = {axis->tap + row * axis->taps, axis->first[row] + moved, axis->count[row]};
    if (!axis->cut) return taps;
    for (; taps.first < 0; taps.first++, taps.count--) taps.tap++;
    while (taps.first + taps.count > axis->length) taps.count--;
    return taps;
}

uint64_t oracle_resample(const HaloBuf *src, HaloBuf *dst, const HaloResample *resample, HaloStore store)
{
    uint64_t clipped = 0;
    for (int64_t y = dst->y0; y < dst->y0 + dst->rows; y++) {
        const HaloResampleTaps down = taps_at(&resample->y, y);
        for (int64_t x = dst->x0; x < dst->x0 + dst->cols; x++) {
            const HaloResampleTaps along = taps_at(&resample->x, x);
            for (int c = 0; c < dst->shape.channels; c++) {
                float sum = 0.0f;
                for (int64_t j = 0; j < down.count; j++) {
                    float row = 0.0f;
                    for (int64_t i = 0; i < along.count; i++)
                        row = fmaf(along.tap[i], oracle_get(src, along.first + i, down.first + j, c), row);
                    sum = fmaf(down.tap[j], row, sum);
                }
                clipped += oracle_put(dst, x, y, c, sum, store);
            }
        }
    }
    return clipped;
}

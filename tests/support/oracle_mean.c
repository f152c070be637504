/* The oracle of means and variances: every window by itself. */
#include <math.h>
#include <stdlib.h>

#include "oracle.h"

/* The sum of the n samples x[0] … of which the first has this position. */
static double window_sum(const double *x, int64_t position, int64_t n)
{
    int64_t run = 32;
    if (n == 1) return x[0];
    while (run >= n) run /= 2;
    const int64_t end = (position / run + 1) * run - position;      /* of the first run, in x */
    const int64_t last = (position + n - 1) / run * run - position; /* where the last run begins */
    const int64_t between = (last - end) / run;
    double first_sum = x[end - 1], last_sum = x[last];
    for (int64_t i = end - 2; i >= 0; i--) first_sum = x[i] + first_sum;
    for (int64_t i = last + 1; i < n; i++) last_sum = last_sum + x[i];
    if (between == 0) return first_sum + last_sum;
    double *const total = oracle_memory(between, sizeof *total);
    for (int64_t k = 0; k < between; k++) {
        total[k] = x[end + k * run];
        for (int64_t i = 1; i < run; i++) total[k] = total[k] + x[end + k * run + i];
    }
    const double middle = window_sum(total, position / run + 1, between);
    free(total);
    return (first_sum + middle) + last_sum;
}

/* Sums of windows along one row of the continued image, for every output, and how many samples they have. */
typedef struct Rows {
    const HaloBuf *src;
    const HaloMean *mean;
    const int64_t *column; /* what the positions of the first output's window, and those after it, read */
    int64_t x0, cols;
    double outside;
    bool squared; /* of the squares of samples */
} Rows;

static void sum_row(const Rows *rows, int64_t y, int c, double *sum, int64_t *count)
{
    const int64_t width = rows->mean->window.width;
    double *const x = oracle_memory(rows->cols + width, sizeof *x);
    for (int64_t i = 0; i < rows->cols; i++) count[i] = 0;
    for (int64_t i = 0; i < rows->cols + width - 1; i++) {
        const int64_t at = rows->column[i];
        x[i] = y < 0 || at < 0 ? rows->outside : oracle_wide(rows->src, at, y, c);
        const bool counts = !(rows->mean->window.nan_ignore && isnan(x[i]));
        if (!counts) x[i] = 0.0;
        if (rows->squared) x[i] = x[i] * x[i];
        for (int64_t k = i < width ? 0 : i - width + 1; k <= i && k < rows->cols; k++) count[k] += counts;
    }
    for (int64_t i = 0; i < rows->cols; i++) sum[i] = window_sum(x + i, rows->x0 + i, width);
    free(x);
}

/* Sums of whole windows: of plain means, row sums are rounded to f32 where columns of them are summed. */
static void sum_windows(const Rows *rows, const HaloBuf *dst, const int64_t *row, int c, double *total,
                        int64_t *number)
{
    const int64_t height = rows->mean->window.height, lines = dst->rows + height - 1, cols = dst->cols;
    double *const sum = oracle_memory(lines * cols, sizeof *sum), *const down =
                                                                      oracle_memory(height, sizeof *down);
    int64_t *const count = oracle_memory(lines * cols, sizeof *count);
    double scale = 1.0;
    while (scale < (double)rows->mean->window.width) scale *= 2.0;
    for (int64_t j = 0; j < lines; j++) sum_row(rows, row[j], c, sum + j * cols, count + j * cols);
    for (int64_t y = 0; y < dst->rows; y++)
        for (int64_t x = 0; x < cols; x++) {
            const bool rounds = rows->mean->kind == HALO_MEAN_PLAIN && height > 1;
            number[y * cols + x] = 0;
            for (int64_t j = 0; j < height; j++) {
                const double v = sum[(y + j) * cols + x];
                number[y * cols + x] += count[(y + j) * cols + x];
                down[j] = rounds ? (double)(float)(v / scale) : v;
            }
            total[y * cols + x] = window_sum(down, dst->y0 + y, height) * (rounds ? scale : 1.0);
        }
    free(sum);
    free(down);
    free(count);
}

static double made_of(HaloMeanKind kind, double sum, double squares, int64_t number)
{
    const double n = (double)number;
    double variance = (squares - sum * sum / n) / n;
    if (number == 0) return (double)NAN;
    if (kind == HALO_MEAN_PLAIN) return sum / n;
    if (variance < 0.0) variance = 0.0;
    return kind == HALO_MEAN_SD ? sqrt(variance) : variance;
}

uint64_t oracle_mean(const HaloBuf *src, HaloBuf *dst, const HaloMean *mean, HaloStore store)
{
    const HaloWindow *const window = &mean->window;
    const int64_t pixels = dst->cols * dst->rows;
    int64_t *const column = oracle_memory(dst->cols + window->width, sizeof *column);
    int64_t *const row = oracle_memory(dst->rows + window->height, sizeof *row);
    double *const sum = oracle_memory(pixels, sizeof *sum), *const squares = oracle_memory(pixels, sizeof *sum);
    int64_t *const number = oracle_memory(pixels, sizeof *number);
    const bool wide = dst->shape.dtype == HALO_F64;
    const double value = wide ? window->value : (double)(float)window->value;
    const double outside = window->border == HALO_BORDER_CONSTANT ? value : 0.0;
    const Rows rows = {src, mean, column, dst->x0, dst->cols, outside, false},
               of_squares = {src, mean, column, dst->x0, dst->cols, outside, true};
    uint64_t clipped = 0;
    oracle_border(dst->x0 + window->ox, dst->cols + window->width - 1, src->shape.width, window->border,
                  column);
    oracle_border(dst->y0 + window->oy, dst->rows + window->height - 1, src->shape.height, window->border, row);
    for (int c = 0; c < dst->shape.channels; c++) {
        sum_windows(&rows, dst, row, c, sum, number);
        if (mean->kind != HALO_MEAN_PLAIN) sum_windows(&of_squares, dst, row, c, squares, number);
        for (int64_t i = 0; i < pixels; i++) {
            const int64_t x = dst->x0 + i % dst->cols, y = dst->y0 + i / dst->cols;
            const double made = made_of(mean->kind, sum[i], squares[i], number[i]);
            if (wide)
                oracle_put_wide(dst, x, y, c, made);
            else
                clipped += oracle_put(dst, x, y, c, (float)made, store);
        }
    }
    free(column);
    free(row);
    free(sum);
    free(squares);
    free(number);
    return clipped;
}

/* The samples of a window in order, from one window to the next: a column goes, another comes. */
#include <math.h>
#include <string.h>

#include "local.h"

/* Columns are sorted once, and kept in a ring as long as windows hold them. NaN are not among their samples. */
typedef struct Order {
    const CpuLocalTile *tile;
    int64_t width, height;
    float *column;  /* [width][height], in order */
    int32_t *count; /* [width] */
    float *sorted, *other;
    int64_t n; /* samples in `sorted`, which are not NaN */
    float *come;
    int32_t coming;
} Order;

int64_t cpu_local_order_bytes(const CpuLocal *l)
{
    const int64_t width = l->how->window.width, height = l->how->window.height;
    return (int64_t)sizeof(float) * (3 * width * height + width + height);
}

static Order order_open(const CpuLocalTile *tile)
{
    const int64_t width = tile->l->how->window.width, height = tile->l->how->window.height;
    float *const own = (float *)(void *)tile->own;
    return (Order){.tile = tile,
                   .width = width,
                   .height = height,
                   .column = own,
                   .sorted = own + width * height,
                   .other = own + 2 * width * height,
                   .come = own + 3 * width * height,
                   .count = (int32_t *)(void *)(own + 3 * width * height + height)};
}

/* The samples of column x of the source's lines, in order; -0 becomes +0. */
static void take_column(Order *o, int64_t row, int64_t x, int64_t c)
{
    const CpuLocal *l = o->tile->l;
    const int64_t channels = l->dst->shape.channels;
    const float *at = o->tile->line + row * l->pitch + x * channels + c;
    o->coming = 0;
    for (int64_t j = 0; j < o->height; j++, at += l->pitch) {
        const float v = *at + 0.0f;
        int32_t i = o->coming;
        if (v != v) continue;
        for (; i > 0 && o->come[i - 1] > v; i--) o->come[i] = o->come[i - 1];
        o->come[i] = v;
        o->coming++;
    }
}

/* Merges what comes into what stays. */
static void exchange(Order *o, const float *go, int32_t going)
{
    const float *old = o->sorted, *const end = old + o->n, *come = o->come, *const last = come + o->coming;
    float *to = o->other;
    const float *const gone = go + going;
    while (old < end) {
        if (go < gone && *old == *go) {
            old++;
            go++;
            continue;
        }
        while (come < last && *come < *old) *to++ = *come++;
        *to++ = *old++;
    }
    while (come < last) *to++ = *come++;
    o->n += o->coming - going;
    to = o->sorted;
    o->sorted = o->other;
    o->other = to;
}

/* The window of output x, from that of x - 1, or, of x = 0, from nothing. */
static void move_to(Order *o, int64_t row, int64_t x, int64_t c)
{
    for (int64_t k = x == 0 ? 0 : x + o->width - 1; k < x + o->width; k++) {
        const int64_t place = k % o->width;
        float *const column = o->column + place * o->height;
        take_column(o, row, k, c);
        exchange(o, column, k < o->width ? 0 : o->count[place]);
        memcpy(column, o->come, (size_t)o->coming * sizeof *column);
        o->count[place] = o->coming;
    }
}

static bool is_nan(const Order *o)
{
    return o->n == 0 || (o->n < o->width * o->height && !o->tile->l->how->window.nan_ignore);
}

static float mode_of(const Order *o)
{
    float mode = o->sorted[0];
    int64_t most_often = 0;
    for (int64_t i = 0; i < o->n;) {
        const int64_t first = i;
        while (i < o->n && o->sorted[i] == o->sorted[first]) i++;
        if (i - first <= most_often) continue;
        most_often = i - first;
        mode = o->sorted[first];
    }
    return mode;
}

static float distance(float a, float b) { return a > b ? a - b : b > a ? b - a : 0.0f; }

/* From the median outwards, whichever side is nearer. */
static float deviation_of(const Order *o)
{
    const int64_t middle = (o->n - 1) / 2;
    const float median = o->sorted[middle];
    int64_t below = middle - 1, above = middle + 1;
    float far = 0.0f;
    for (int64_t k = 0; k < middle; k++) {
        const float down = below >= 0 ? distance(median, o->sorted[below]) : INFINITY,
                    up = above < o->n ? distance(o->sorted[above], median) : INFINITY;
        const bool lower = below >= 0 && (down <= up || above >= o->n);
        far = lower ? down : up;
        below -= lower;
        above += !lower;
    }
    return far;
}

static void make_row(const CpuLocalTile *tile, int64_t row, float (*of)(const Order *))
{
    const int64_t channels = tile->l->dst->shape.channels;
    for (int64_t c = 0; c < channels; c++) {
        Order o = order_open(tile);
        for (int64_t x = 0; x < tile->cols; x++) {
            move_to(&o, row, x, c);
            tile->out[x * channels + c] = is_nan(&o) ? NAN : of(&o);
        }
    }
}

void cpu_local_mode(const CpuLocalTile *tile, int64_t row) { make_row(tile, row, mode_of); }
void cpu_local_deviation(const CpuLocalTile *tile, int64_t row) { make_row(tile, row, deviation_of); }

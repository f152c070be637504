/* Drawing parameters. */
#include "draw.h"

#include <math.h>
#include <stdlib.h>

#include "oracle.h"

HaloDtype draw_dtype(Rng *rng) { return (HaloDtype)rng_between(rng, HALO_U8, HALO_F32); }

static int64_t draw_side(Rng *rng, int64_t most)
{
    if (rng_once_in(rng, 8)) return 1;
    return rng_between(rng, 1, rng_once_in(rng, 2) ? (most < 9 ? most : 9) : most);
}

HaloShape draw_shape(Rng *rng, int64_t most)
{
    const int channels = (int)(rng_once_in(rng, 6) ? rng_between(rng, 5, 9) : rng_between(rng, 1, 4));
    return test_shape(draw_dtype(rng), draw_side(rng, most), draw_side(rng, most), channels);
}

HaloShape draw_long_shape(Rng *rng, int64_t most)
{
    HaloShape shape = draw_shape(rng, most);
    if (!rng_once_in(rng, 12)) return shape;
    const bool wide = rng_once_in(rng, 2);
    shape.width = wide ? rng_between(rng, 500, 5000) : rng_between(rng, 1, 4);
    shape.height = wide ? rng_between(rng, 1, 4) : rng_between(rng, 500, 5000);
    return shape;
}

HaloBorder draw_border(Rng *rng) { return (HaloBorder)rng_between(rng, HALO_BORDER_ZERO, HALO_BORDER_WRAP); }

const char *border_name(HaloBorder border)
{
#define WORD(name, word, ...) word,
    static const char *const name[] = {HALO_BORDERS(WORD)};
#undef WORD
    return name[border];
}

HaloWindow draw_window(Rng *rng, int64_t width, int64_t height)
{
    return (HaloWindow){.width = width,
                        .height = height,
                        .ox = -(rng_once_in(rng, 3) ? rng_between(rng, 0, width - 1) : width / 2),
                        .oy = -(rng_once_in(rng, 3) ? rng_between(rng, 0, height - 1) : height / 2),
                        .border = draw_border(rng)};
}

HaloWindow draw_window_over(Rng *rng, const HaloShape *shape, int64_t width, int64_t height)
{
    static const float value[] = {0.0f, -0.0f, 7.0f, 255.0f, 256.0f, 0.5f, -3.0f, 65535.0f, NAN, INFINITY};
    HaloWindow window = draw_window(rng, width, height);
    window.value = value[rng_between(rng, 0, sizeof value / sizeof *value - 1)];
    window.nan_ignore = rng_once_in(rng, 3);
    if (width <= shape->width && height <= shape->height && rng_once_in(rng, 6)) {
        window.border = HALO_BORDER_VALID;
        window.ox = window.oy = 0;
    }
    return window;
}

float *draw_taps(Rng *rng, int64_t n)
{
    float *const tap = oracle_memory(n, sizeof *tap);
    const int64_t style = rng_between(rng, 0, 3);
    for (int64_t i = 0; i < n; i++) {
        if (style == 0) tap[i] = (float)rng_between(rng, -3, 5);
        if (style == 1) tap[i] = (float)(rng_unit(rng) / (double)n);
        if (style == 2) tap[i] = rng_float(rng, -1.0f, 1.0f);
        if (style == 3) tap[i] = rng_once_in(rng, 2) ? -0.0f : rng_float(rng, -1e-30f, 1e30f);
    }
    return tap;
}

HaloStore draw_store(Rng *rng, HaloDtype from, HaloDtype to)
{
    if (rng_once_in(rng, 3)) return (HaloStore){1.0f, 1.0f};
    if (rng_once_in(rng, 4)) return (HaloStore){rng_float(rng, -3.0f, 300.0f), rng_float(rng, 0.5f, 300.0f)};
    return (HaloStore){halo_dtype_white(to), halo_dtype_white(from)};
}

TestRect draw_rect(Rng *rng, const HaloShape *shape)
{
    TestRect rect = test_whole(shape);
    if (rng_once_in(rng, 2)) return rect;
    rect.x0 = rng_between(rng, 0, shape->width - 1);
    rect.y0 = rng_between(rng, 0, shape->height - 1);
    rect.cols = rng_between(rng, 1, shape->width - rect.x0);
    rect.rows = rng_between(rng, 1, shape->height - rect.y0);
    return rect;
}

void needed_side(int64_t first, int64_t count, int64_t taps, int64_t offset, int64_t n, HaloBorder border,
                 int64_t *start, int64_t *length)
{
    const int64_t reads = count + taps - 1;
    int64_t *const index = oracle_memory(reads, sizeof *index);
    int64_t least = n, greatest = -1;
    oracle_border(first + offset, reads, n, border, index);
    for (int64_t i = 0; i < reads; i++) {
        if (index[i] < 0) continue;
        if (index[i] < least) least = index[i];
        if (index[i] > greatest) greatest = index[i];
    }
    *start = greatest < 0 ? 0 : least;
    *length = greatest < 0 ? 1 : greatest - least + 1;
    free(index);
}

TestRect needed_rect(const HaloShape *shape, TestRect rect, const HaloWindow *window)
{
    TestRect need;
    needed_side(rect.x0, rect.cols, window->width, window->ox, shape->width, window->border, &need.x0,
                &need.cols);
    needed_side(rect.y0, rect.rows, window->height, window->oy, shape->height, window->border, &need.y0,
                &need.rows);
    return need;
}

HaloShape windowed_shape(const HaloShape *shape, const HaloWindow *window, HaloDtype to)
{
    HaloShape left = *shape;
    left.dtype = to;
    if (window->border == HALO_BORDER_VALID) {
        left.width -= window->width - 1;
        left.height -= window->height - 1;
    }
    return left;
}

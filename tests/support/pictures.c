/* Filling pictures. */
#include "pictures.h"

#include <math.h>
#include <string.h>

/* Ramps with an edge and a little noise, as in photographs: the median drifts from one window to the next, and
 * at times jumps. */
static void fill_smooth(TestBuf *buf, Rng *rng)
{
    const HaloBuf *const view = &buf->view;
    const double across = rng_float(rng, -0.01f, 0.01f), down = rng_float(rng, -0.01f, 0.01f);
    const double edge = rng_float(rng, 0.0f, 0.5f), noise = ldexp(1.0, -(int)rng_between(rng, 4, 24));
    const int64_t where = rng_between(rng, 1, 40);
    for (int64_t y = view->y0; y < view->y0 + view->rows; y++)
        for (int64_t x = view->x0; x < view->x0 + view->cols; x++)
            for (int c = 0; c < view->shape.channels; c++) {
                const double slope = 0.25 + (double)x * across + (double)y * down;
                const double v = slope + ((x + y) / where % 2 ? edge : 0) + noise * rng_float(rng, -1, 1);
                const double level = v < 0 ? 0 : v > 1 ? 1 : v;
                if (view->shape.dtype == HALO_U8)
                    ((uint8_t *)halo_at(view, x, y))[c] = (uint8_t)(255 * level);
                else if (view->shape.dtype == HALO_U16)
                    ((uint16_t *)halo_at(view, x, y))[c] = (uint16_t)(65535 * level);
                else
                    ((float *)halo_at(view, x, y))[c] = (float)v;
            }
}

static void fill_floats(TestBuf *buf, TestPicture picture, Rng *rng)
{
    static const float zero[] = {0.0f, -0.0f, 0.0f, -0.0f, INFINITY, -INFINITY};
    const HaloBuf *const view = &buf->view;
    const float value = rng_float(rng, -2, 2);
    for (int64_t y = view->y0; y < view->y0 + view->rows; y++)
        for (int64_t i = 0; i < view->cols * view->shape.channels; i++) {
            float *const sample = (float *)halo_at(view, view->x0, y) + i;
            const bool nan =
                picture == PICTURE_ALL_NAN || (picture == PICTURE_FEW_NAN && rng_once_in(rng, 300));
            *sample = nan                        ? NAN
                      : picture == PICTURE_ZEROS ? zero[rng_between(rng, 0, 5)]
                      : picture == PICTURE_EVEN  ? value
                                                 : rng_float(rng, -2, 2);
        }
}

void test_fill_picture(TestBuf *buf, TestPicture picture, Rng *rng)
{
    if (picture == PICTURE_ANY) {
        testbuf_fill(buf, rng_once_in(rng, 2), rng);
    } else if (picture == PICTURE_SMOOTH) {
        fill_smooth(buf, rng);
    } else if (buf->view.shape.dtype == HALO_F32) {
        fill_floats(buf, picture, rng);
    } else if (picture == PICTURE_EVEN) {
        const int value = (int)rng_between(rng, 0, 255);
        for (int64_t y = buf->view.y0; y < buf->view.y0 + buf->view.rows; y++)
            memset(halo_at(&buf->view, buf->view.x0, y), value, (size_t)halo_row_bytes(&buf->view));
    } else {
        testbuf_fill_with(buf, TEST_FEW_VALUES, rng);
    }
}

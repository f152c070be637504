/* Convolutions that tests draw, and the comparison of one everywhere. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "conv_cases.h"
#include "draw.h"
#include "oracle.h"

HaloStatus conv_call(const HaloBackend *backend, HaloDevice *device, const HaloBuf *const src[2], HaloBuf *dst,
                     const void *parameters)
{
    const HaloStep *step = parameters;
    return step->primitive == HALO_CONV ? backend->conv(device, src[0], dst, &step->u.conv, step->store)
                                        : backend->sep(device, src[0], dst, &step->u.sep, step->store);
}

void conv_compare(const HaloStep *step, TestBuf *src, TestBuf *dst)
{
    const bool dense = step->primitive == HALO_CONV;
    const HaloWindow *window = &step->u.window;
    const uint64_t clipped = dense ? oracle_conv(&src->view, &dst->view, &step->u.conv, step->store)
                                   : oracle_sep(&src->view, &dst->view, &step->u.sep, step->store);
    char what[320], src_text[96], dst_text[96];
    snprintf(what, sizeof what,
             "%s %s -> %s, mask %" PRId64 "x%" PRId64 " at %" PRId64 ",%" PRId64
             ", border %s=%g%s%s, store %g/%g",
             dense ? "conv" : "sep", testbuf_text(src, src_text), testbuf_text(dst, dst_text), window->width,
             window->height, window->ox, window->oy, border_name(window->border), (double)window->value,
             (dense ? step->u.conv.affine : step->u.sep.affine) ? ", affine" : "",
             window->nan_ignore ? ", nan=ignore" : "", (double)step->store.num, (double)step->store.den);
    expect_everywhere(what, conv_call, step, src, NULL, dst, clipped);
    testbuf_free(src);
    testbuf_free(dst);
}

void conv_check(Rng *rng, const HaloShape *shape, HaloDtype to, TestRect rect, const HaloStep *step, bool whole)
{
    const HaloWindow *window = &step->u.window;
    const HaloShape out_shape = windowed_shape(shape, window, to);
    const TestRect need = whole ? test_whole(shape) : needed_rect(shape, rect, window);
    TestBuf src = testbuf_make(shape, need, rng), dst = testbuf_make(&out_shape, rect, rng);
    testbuf_fill(&src, rng_once_in(rng, window->nan_ignore ? 2 : 3), rng);
    if (window->nan_ignore) testbuf_strew(&src, rng);
    conv_compare(step, &src, &dst);
}

static HaloStep draw_dense(Rng *rng, HaloWindow window)
{
    return (HaloStep){.primitive = HALO_CONV,
                      .u.conv = {.window = window,
                                 .tap = draw_taps(rng, window.width * window.height),
                                 .affine = rng_once_in(rng, 3),
                                 .scale = rng_float(rng, -2, 2),
                                 .bias = rng_float(rng, -50, 50)}};
}

static HaloStep draw_separable(Rng *rng, HaloWindow window)
{
    float *const x = draw_taps(rng, window.width), *const y = draw_taps(rng, window.height);
    if (window.nan_ignore && rng_once_in(rng, 6)) { /* weights that add up to 0, where samples are counted */
        const bool row = rng_once_in(rng, 2);
        const int64_t taps = row ? window.width : window.height;
        for (int64_t i = 0; i < taps; i++)
            (row ? x : y)[i] = 2 * i + 1 == taps ? 0.0f : 2 * i < taps ? -1.0f : 1.0f;
    }
    return (HaloStep){.primitive = HALO_SEP,
                      .u.sep = {.window = window,
                                .tap_x = x,
                                .tap_y = y,
                                .affine = rng_once_in(rng, 3),
                                .scale = rng_float(rng, -2, 2),
                                .bias = rng_float(rng, -50, 50)}};
}

HaloStep conv_draw(Rng *rng, HaloPrimitive primitive, int64_t width, int64_t height, HaloDtype from,
                   HaloDtype to)
{
    HaloWindow window = draw_window(rng, width, height);
    window.value = rng_once_in(rng, 4) ? 300.0f : rng_float(rng, -1, 1);
    window.nan_ignore = rng_once_in(rng, 5);
    if (window.nan_ignore && rng_once_in(rng, 4)) window.value = NAN;
    HaloStep step = primitive == HALO_CONV ? draw_dense(rng, window) : draw_separable(rng, window);
    step.store = draw_store(rng, from, to);
    return step;
}

void conv_free(const HaloStep *step)
{
    if (step->primitive == HALO_CONV) {
        free((void *)step->u.conv.tap);
    } else {
        free((void *)step->u.sep.tap_x);
        free((void *)step->u.sep.tap_y);
    }
}

void conv_only_sums(HaloStep *step)
{
    *(step->primitive == HALO_CONV ? &step->u.conv.affine : &step->u.sep.affine) = false;
    step->u.window.nan_ignore = false;
    step->store = (HaloStore){1.0f, 1.0f};
}

void conv_draw_zeros(Rng *rng, float *tap, int64_t width, int64_t height)
{
    const bool disk = rng_once_in(rng, 2);
    const int64_t thick = rng_between(rng, 1, 3), lean = rng_between(rng, 0, width);
    for (int64_t j = 0; j < height; j++)
        for (int64_t i = 0; i < width; i++) {
            const int64_t x = (2 * i - (width - 1)) * height, y = (2 * j - (height - 1)) * width;
            const int64_t off = i - j * lean / height;
            const bool inside =
                disk ? x * x + y * y <= width * width * height * height : off >= 0 && off < thick;
            if (!inside) tap[j * width + i] = rng_once_in(rng, 50) ? -0.0f : 0.0f;
        }
}

void conv_case(Rng *rng, HaloPrimitive primitive, const HaloShape *shape, int64_t width, int64_t height)
{
    const HaloDtype to = draw_dtype(rng);
    const HaloStep step = conv_draw(rng, primitive, width, height, shape->dtype, to);
    const TestRect rect = draw_rect(rng, shape);
    conv_check(rng, shape, to, rect, &step, rng_once_in(rng, 3));
    conv_free(&step);
}

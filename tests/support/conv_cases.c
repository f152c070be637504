/* Convolutions that tests draw, and the comparison of one everywhere. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "conv_cases.h"
#include "draw.h"
#include "oracle.h"

HaloStatus conv_call(const HaloBackend *backend, HaloDevice *device, const HaloBuf *const src[2], HaloBuf *dst,
                     const void *parameters)
{
    const HaloStep *step = parameters;
    return backend->conv(device, src[0], dst, &step->u.conv, step->store);
}

void conv_check(Rng *rng, const HaloShape *shape, HaloDtype to, TestRect rect, const HaloStep *step, bool whole)
{
    const HaloConv *conv = &step->u.conv;
    const HaloShape out_shape = windowed_shape(shape, &conv->window, to);
    TestRect need = test_whole(shape);
    if (!whole) need = needed_rect(shape, rect, &conv->window);
    TestBuf src = testbuf_make(shape, need, rng), dst = testbuf_make(&out_shape, rect, rng);
    testbuf_fill(&src, rng_once_in(rng, conv->window.nan_ignore ? 2 : 3), rng);
    if (conv->window.nan_ignore) testbuf_strew(&src, rng);
    const uint64_t clipped = oracle_conv(&src.view, &dst.view, conv, step->store);
    char what[320], src_text[96], dst_text[96];
    snprintf(
        what, sizeof what,
        "conv %s -> %s, mask %" PRId64 "x%" PRId64 " at %" PRId64 ",%" PRId64 ", border %s%s%s, store %g/%g",
        testbuf_text(&src, src_text), testbuf_text(&dst, dst_text), conv->window.width, conv->window.height,
        conv->window.ox, conv->window.oy, border_name(conv->window.border), conv->affine ? ", affine" : "",
        conv->window.nan_ignore ? ", nan=ignore" : "", (double)step->store.num, (double)step->store.den);
    expect_everywhere(what, conv_call, step, &src, NULL, &dst, clipped);
    testbuf_free(&src);
    testbuf_free(&dst);
}

HaloStep conv_draw(Rng *rng, int64_t width, int64_t height, HaloDtype from, HaloDtype to)
{
    HaloStep conv = {.u.conv.window = draw_window(rng, width, height),
                     .u.conv.tap = draw_taps(rng, width * height),
                     .u.conv.affine = rng_once_in(rng, 3),
                     .u.conv.scale = rng_float(rng, -2, 2),
                     .u.conv.bias = rng_float(rng, -50, 50),
                     .store = draw_store(rng, from, to)};
    conv.u.conv.window.value = rng_once_in(rng, 4) ? 300.0f : rng_float(rng, -1, 1);
    conv.u.conv.window.nan_ignore = rng_once_in(rng, 5);
    return conv;
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

void conv_case(Rng *rng, const HaloShape *shape, int64_t width, int64_t height)
{
    const HaloDtype to = draw_dtype(rng);
    const HaloStep conv = conv_draw(rng, width, height, shape->dtype, to);
    const TestRect rect = draw_rect(rng, shape);
    conv_check(rng, shape, to, rect, &conv, rng_once_in(rng, 3));
    free((void *)conv.u.conv.tap);
}

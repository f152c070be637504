/* Making, filling and comparing test buffers. */
#include "buffers.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"

enum { GUARD = 0xa5 };

HaloShape test_shape(HaloDtype dtype, int64_t width, int64_t height, int channels)
{
    return (HaloShape){.kind = HALO_IMAGE,
                       .dtype = dtype,
                       .width = width,
                       .height = height,
                       .channels = channels,
                       .alpha = -1,
                       .white = halo_dtype_white(dtype)};
}

TestRect test_whole(const HaloShape *shape) { return (TestRect){0, 0, shape->width, shape->height}; }

/* Blocks begin where halo's own do, at a cache line, and end where they end. */
static void allocate(TestBuf *buf)
{
    const size_t bytes = (size_t)(buf->block.rows * buf->block.stride);
    if (posix_memalign(&buf->block.data, 64, bytes > 0 ? bytes : 1) != 0) abort();
    memset(buf->block.data, GUARD, bytes);
    buf->view.stride = buf->block.stride;
    buf->view.data = halo_at(&buf->block, buf->left, buf->above);
}

TestBuf testbuf_make(const HaloShape *shape, TestRect rect, Rng *rng)
{
    const bool padded = rng != NULL && rng_once_in(rng, 2);
    TestBuf buf = {
        .view = {.shape = *shape, .x0 = rect.x0, .y0 = rect.y0, .cols = rect.cols, .rows = rect.rows}};
    buf.left = padded ? rng_between(rng, 0, 5) : 0;
    buf.above = padded ? rng_between(rng, 0, 2) : 0;
    buf.block.shape = *shape;
    buf.block.shape.width = buf.block.cols = buf.left + rect.cols + (padded ? rng_between(rng, 0, 5) : 0);
    buf.block.shape.height = buf.block.rows = buf.above + rect.rows + (padded ? rng_between(rng, 0, 2) : 0);
    buf.block.stride = halo_row_bytes(&buf.block);
    if (padded) buf.block.stride += rng_between(rng, 0, 7) * (int64_t)halo_dtype_size(shape->dtype);
    allocate(&buf);
    return buf;
}

TestBuf testbuf_like(const TestBuf *other)
{
    TestBuf buf = *other;
    allocate(&buf);
    return buf;
}

void testbuf_free(TestBuf *buf)
{
    free(buf->block.data);
    memset(buf, 0, sizeof *buf);
}

HaloBuf testbuf_view_of(const TestBuf *buf, const HaloBuf *block)
{
    HaloBuf view = buf->view;
    view.stride = block->stride;
    view.data = halo_at(block, buf->left, buf->above);
    return view;
}

static float random_sample(TestContent content, Rng *rng)
{
    switch (content) {
    case TEST_FEW_VALUES: return (float)rng_between(rng, -1, 1);
    case TEST_WHOLE_NUMBERS: return (float)rng_between(rng, -300, 70000) * 0.5f;
    case TEST_WIDE_RANGE: {
        const uint32_t bits = (uint32_t)rng_next(rng) & 0xbfffffffu; /* below 2 */
        float v;
        memcpy(&v, &bits, sizeof v);
        return v;
    }
    case TEST_MIXED: return ldexpf(rng_float(rng, -2.0f, 2.0f), (int)rng_between(rng, -30, 30));
    case TEST_SPECIAL:
        if (rng_once_in(rng, 5)) return rng_special(rng);
        return rng_float(rng, -1.5f, 1.5f);
    default: return rng_float(rng, -0.25f, 1.25f);
    }
}

void testbuf_fill(TestBuf *buf, bool special, Rng *rng)
{
    const TestContent plain = (TestContent)rng_between(rng, TEST_PLAIN, TEST_MIXED);
    testbuf_fill_with(buf, special ? TEST_SPECIAL : plain, rng);
}

void testbuf_fill_with(TestBuf *buf, TestContent content, Rng *rng)
{
    HaloBuf *const view = &buf->view;
    for (int64_t y = view->y0; y < view->y0 + view->rows; y++)
        for (int64_t x = view->x0; x < view->x0 + view->cols; x++)
            for (int c = 0; c < view->shape.channels; c++) {
                void *const pixel = halo_at(view, x, y);
                const uint64_t any =
                    content == TEST_FEW_VALUES ? (rng_next(rng) & 1 ? 0 : 0xffff) : rng_next(rng);
                if (view->shape.dtype == HALO_U8)
                    ((uint8_t *)pixel)[c] = (uint8_t)any;
                else if (view->shape.dtype == HALO_U16)
                    ((uint16_t *)pixel)[c] = (uint16_t)any;
                else
                    ((float *)pixel)[c] = random_sample(content, rng);
            }
}

void testbuf_strew(TestBuf *buf, Rng *rng)
{
    HaloBuf *const view = &buf->view;
    if (view->shape.dtype != HALO_F32) return;
    for (int64_t some = rng_between(rng, 0, 4); some > 0; some--) {
        const int64_t x = view->x0 + rng_between(rng, 0, view->cols - 1);
        float *const pixel = halo_at(view, x, view->y0 + rng_between(rng, 0, view->rows - 1));
        pixel[rng_between(rng, 0, view->shape.channels - 1)] = rng_special(rng);
    }
}

const char *testbuf_text(const TestBuf *buf, char text[96])
{
    const HaloBuf *const v = &buf->view;
    const int n = snprintf(text, 96, "%s %" PRId64 "x%" PRId64 "x%d", halo_dtype_name(v->shape.dtype),
                           v->shape.width, v->shape.height, v->shape.channels);
    if (!halo_buf_is_whole(v) && n > 0 && n < 96)
        snprintf(text + n, 96 - (size_t)n, " (%" PRId64 "x%" PRId64 " at %" PRId64 ",%" PRId64 ")", v->cols,
                 v->rows, v->x0, v->y0);
    return text;
}

static void sample_text(const void *sample, HaloDtype dtype, char text[64])
{
    uint32_t low = 0;
    uint64_t bits = 0;
    switch (dtype) {
    case HALO_U8: snprintf(text, 64, "%u", *(const uint8_t *)sample); break;
    case HALO_U16: snprintf(text, 64, "%u", *(const uint16_t *)sample); break;
    case HALO_F32:
        memcpy(&low, sample, sizeof low);
        snprintf(text, 64, "%.9g (0x%08" PRIx32 ")", (double)*(const float *)sample, low);
        break;
    case HALO_I64: snprintf(text, 64, "%" PRId64, *(const int64_t *)sample); break;
    default:
        memcpy(&bits, sample, sizeof bits);
        snprintf(text, 64, "%.17g (0x%016" PRIx64 ")", *(const double *)sample, bits);
    }
}

static void report_difference(const char *device, const char *what, const TestBuf *expected,
                              const TestBuf *actual)
{
    const HaloDtype dtype = expected->view.shape.dtype;
    const size_t size = halo_dtype_size(dtype);
    const HaloBuf *const v = &expected->view;
    int64_t wrong = 0;
    char where[96] = "", want[64] = "", got[64] = "";
    for (int64_t y = v->y0; y < v->y0 + v->rows; y++)
        for (int64_t x = v->x0; x < v->x0 + v->cols; x++)
            for (size_t c = 0; c < (size_t)v->shape.channels; c++) {
                const char *const e = (const char *)halo_at(v, x, y) + c * size;
                const char *const a = (const char *)halo_at(&actual->view, x, y) + c * size;
                if (memcmp(e, a, size) == 0 || wrong++ > 0) continue;
                snprintf(where, sizeof where, "(%" PRId64 ",%" PRId64 ") channel %zu", x, y, c);
                sample_text(e, dtype, want);
                sample_text(a, dtype, got);
            }
    if (wrong == 0) fail_case(device, "%s: something was written outside the output", what);
    fail_case(device, "%s: %" PRId64 " samples differ, first at %s: expected %s, got %s", what, wrong, where,
              want, got);
}

void expect_same(const char *device, const char *what, const TestBuf *expected, const TestBuf *actual)
{
    /* The rows of the block, without the padding after them: a device keeps none. */
    const size_t row = (size_t)halo_row_bytes(&expected->block);
    for (int64_t y = 0; y < expected->block.rows; y++)
        if (memcmp(halo_at(&expected->block, 0, y), halo_at(&actual->block, 0, y), row) != 0)
            report_difference(device, what, expected, actual);
}

/* Buffers for tests: a rectangle of some whole that lies inside a larger block of guard bytes, so that a
 * stray write shows; blocks without margin let a sanitizer see stray reads. */
#ifndef HALO_TEST_BUFFERS_H
#define HALO_TEST_BUFFERS_H

#include "halo/buffer.h"
#include "random.h"

typedef struct TestBuf {
    HaloBuf view;        /* what a primitive gets */
    HaloBuf block;       /* what is allocated: a buffer of its own, whole, around the view */
    int64_t left, above; /* where the view begins in the block */
} TestBuf;

typedef struct TestRect {
    int64_t x0, y0, cols, rows;
} TestRect;

HaloShape test_shape(HaloDtype dtype, int64_t width, int64_t height, int channels);
TestRect test_whole(const HaloShape *shape);

/* `rng` draws margins and padding; NULL: none. Filled with guard bytes. */
TestBuf testbuf_make(const HaloShape *shape, TestRect rect, Rng *rng);
/* Another with the same layout, filled with guard bytes. */
TestBuf testbuf_like(const TestBuf *other);
void testbuf_free(TestBuf *buf);
/* The view of `block` (a copy of buf->block elsewhere, perhaps with another stride). */
HaloBuf testbuf_view_of(const TestBuf *buf, const HaloBuf *block);

/* Sums of plain samples are often exact in f64, whatever their order; of mixed ones they never are. */
typedef enum TestContent {
    TEST_PLAIN,         /* between -0.25 and 1.25 */
    TEST_FEW_VALUES,    /* -1, 0, 1 */
    TEST_WHOLE_NUMBERS, /* and halves */
    TEST_WIDE_RANGE,    /* any pattern below 2, denormals too */
    TEST_MIXED,         /* 2^-30 to 2^30 */
    TEST_SPECIAL        /* with NaN, infinities, denormals and extremes */
} TestContent;

/* Random samples in the view. Integers are uniform, or of two values for TEST_FEW_VALUES. */
void testbuf_fill_with(TestBuf *buf, TestContent content, Rng *rng);
/* The same with TEST_SPECIAL, or any of the others. */
void testbuf_fill(TestBuf *buf, bool special, Rng *rng);
/* Makes a few floats NaN, infinite, zero or extreme: most windows contain none of them. */
void testbuf_strew(TestBuf *buf, Rng *rng);

/* "u8 17x9x3 (4x5 at 2,3)" */
const char *testbuf_text(const TestBuf *buf, char text[96]);

/* Fails the test where the views differ in a bit, or where a guard byte of `actual` has changed. */
void expect_same(const char *device, const char *what, const TestBuf *expected, const TestBuf *actual);

#endif

/* Images for tests of windows: like photographs, or with the extreme values. */
#ifndef HALO_TEST_PICTURES_H
#define HALO_TEST_PICTURES_H

#include "buffers.h"

/* The content of an image. */
typedef enum TestPicture {
    PICTURE_ANY,     /* what testbuf_fill draws: uniform, few values, special ones */
    PICTURE_SMOOTH,  /* slopes, an edge, a little noise */
    PICTURE_EVEN,    /* one value */
    PICTURE_FEW_NAN, /* some windows have one, most have none */
    PICTURE_ALL_NAN,
    PICTURE_ZEROS, /* of both signs, and infinities */
    PICTURES
} TestPicture;

void test_fill_picture(TestBuf *buf, TestPicture picture, Rng *rng);

#endif

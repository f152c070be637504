/* Pictures for tests of windows: what decides about a window's answer lies in them as in pictures, or at the
 * ends of what there is. */
#ifndef HALO_TEST_PICTURES_H
#define HALO_TEST_PICTURES_H

#include "buffers.h"

/* What lies in a picture. */
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

/* Animated PNG that is put together chunk by chunk, and what its pages are. */
#ifndef HALO_TEST_APNG_H
#define HALO_TEST_APNG_H

#include "codec.h"
#include "random.h"

enum { APNG_MOST_FRAMES = 5 };

typedef struct ApngDrawn {
    Bytes file;
    bool still; /* the default image is no frame */
    int frames;
    HaloShape shape; /* of the file */
    struct {
        int left, top, disposal, blend, delay, parts;
        HaloBuf data;
    } frame[APNG_MOST_FRAMES];
} ApngDrawn;

/* A drawing of a few frames, as a file that ends with a text. */
void apng_draw(Rng *rng, ApngDrawn *drawn);
void apng_free(ApngDrawn *drawn);

#endif

/* Several arrays at a time. */
#ifndef CORE_PUBLIC_PAGES_H
#define CORE_PUBLIC_PAGES_H

#include "array/array.h"

/* The pages of arrays as buffers: where they lie, or copies. */
typedef struct Pages {
    Layout *layout; /* [arrays] */
    size_t arrays;
    HaloBuf *page; /* [count] */
    bool *own;     /* [count] the page is a copy */
    int64_t count;
    LayoutLost lost; /* by samples that are converted */
} Pages;

/* `wide`: all that f32 does not hold becomes f64. Freed by pages_free, also where that failed. */
HaloStatus pages_open(HaloSession *work, const HaloArray inputs[], size_t count, bool wide, Pages *pages);
void pages_free(Pages *pages);
/* What opening them lost, and `clipped` samples of the result. */
void pages_tell_lost(const HaloSession *work, const Pages *pages, uint64_t clipped);

#endif

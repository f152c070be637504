/* The greatest value of a window that moves along time, in constant time for a frame on average. */
#ifndef GREATEST_H
#define GREATEST_H

#include <stdint.h>

typedef struct GreatestItem {
    int64_t frame;
    double value;
} GreatestItem;

/* A ring of the values that may still become the greatest, in order of the frames, each less than the one
 * before. */
typedef struct Greatest {
    GreatestItem *ring; /* [size]: as many as there are frames in the window, and one more */
    int64_t size, first, count;
} Greatest;

static inline GreatestItem *greatest_item(const Greatest *window, int64_t i)
{
    const int64_t at = window->first + i;
    return &window->ring[at < window->size ? at : at - window->size];
}

/* Frames come in order; the value is not NaN. */
static inline void greatest_add(Greatest *window, int64_t frame, double value)
{
    while (window->count > 0 && greatest_item(window, window->count - 1)->value <= value) window->count--;
    *greatest_item(window, window->count++) = (GreatestItem){frame, value};
}

/* Of the frames from this one on; those before it are dropped. */
static inline double greatest_from(Greatest *window, int64_t frame)
{
    while (greatest_item(window, 0)->frame < frame) {
        window->first = window->first + 1 < window->size ? window->first + 1 : 0;
        window->count--;
    }
    return greatest_item(window, 0)->value;
}

#endif

/* Samples that are lower than all between them and another one: where a flank first falls to a level. */
#ifndef LOWS_H
#define LOWS_H

#include <stdbool.h>
#include <stdint.h>

#include "halo/fail.h"

/* A sample, and its neighbour on the side of the other one. */
typedef struct Low {
    int64_t frame;
    double value, beside;
} Low;

/* Stretches of them, one behind the other; there may be gaps between stretches. */
typedef struct Lows {
    Low *low; /* [count] */
    int64_t count, capacity;
} Lows;

/* Space for one more; HALO_ERR_LIMIT without memory, or above `most` bytes. */
HaloStatus lows_reserve(Lows *lows, int64_t most);
/* Moves [from, to) to `at`, before it, and returns where they end there. */
int64_t lows_move(Lows *lows, int64_t from, int64_t to, int64_t at);
/* The first of [from, to) that is below a value, or at most that, where values fall; where they rise the first
 * that is a value or more, or above it. `to` where there is none. */
int64_t lows_falling(const Lows *lows, int64_t from, int64_t to, double value, bool equal);
int64_t lows_rising(const Lows *lows, int64_t from, int64_t to, double value, bool above);
/* Makes [from, to) and [next, count) one stretch up to the end, and returns where it begins. */
int64_t lows_join(Lows *lows, int64_t from, int64_t to, int64_t next);

#endif

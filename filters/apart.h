/* Peaks that are to be some distance apart, of which the greater ones stay. */
#ifndef APART_H
#define APART_H

#include <stdbool.h>
#include <stdint.h>

#include "halo/fail.h"

typedef struct ApartPeak {
    int64_t frame;
    double value, prominence, width;
    bool kept;  /* it stays */
    bool known; /* its prominence and width are */
} ApartPeak;

typedef struct Apart {
    int64_t distance, most; /* bytes of memory, at most */
    ApartPeak *peak;        /* [count] in order: those that are not decided, or not known */
    int64_t count, capacity, full;
} Apart;

HaloStatus apart_add(Apart *apart, int64_t frame, double value);
bool apart_is_full(const Apart *apart);                   /* is it time to decide? */
ApartPeak *apart_find(const Apart *apart, int64_t frame); /* NULL: it has been dropped */
/* Decides on peaks as far as it is known which others come before frame `horizon`: drops those that are nearer
 * than the distance to a greater one that stays; of equal ones the last stays. */
HaloStatus apart_decide(Apart *apart, int64_t horizon);
/* Takes out the next peak that is kept and known; false: there is none. `at` is 0 at first. */
bool apart_take(Apart *apart, int64_t *at, ApartPeak *peak);

#endif

#include "lows.h"

#include <stdlib.h>
#include <string.h>

HaloStatus lows_reserve(Lows *lows, int64_t most)
{
    if (2 * lows->count < lows->capacity) return HALO_OK;
    const int64_t wanted = 2 * lows->capacity + 64, fits = most / (int64_t)sizeof *lows->low,
                  more = wanted < fits ? wanted : fits;
    if (more <= lows->capacity) {
        if (lows->count < lows->capacity) return HALO_OK;
        return halo_fail(HALO_ERR_LIMIT,
                         "more memory than is allowed is needed to find peaks; --max-memory sets the limit");
    }
    Low *grown = realloc(lows->low, (size_t)more * sizeof *grown);
    if (grown == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory to find peaks");
    lows->low = grown;
    lows->capacity = more;
    return HALO_OK;
}

int64_t lows_move(Lows *lows, int64_t from, int64_t to, int64_t at)
{
    if (at < from) memmove(lows->low + at, lows->low + from, (size_t)(to - from) * sizeof *lows->low);
    return at + (to - from);
}

int64_t lows_falling(const Lows *lows, int64_t from, int64_t to, double value, bool equal)
{
    while (from < to) {
        const int64_t middle = from + (to - from) / 2;
        const double v = lows->low[middle].value;
        if (v < value || (equal && v == value))
            to = middle;
        else
            from = middle + 1;
    }
    return to;
}

int64_t lows_rising(const Lows *lows, int64_t from, int64_t to, double value, bool above)
{
    while (from < to) {
        const int64_t middle = from + (to - from) / 2;
        const double v = lows->low[middle].value;
        if (v > value || (!above && v == value))
            to = middle;
        else
            from = middle + 1;
    }
    return to;
}

/* The shorter one moves: so each sample moves a few times at most. */
int64_t lows_join(Lows *lows, int64_t from, int64_t to, int64_t next)
{
    const int64_t before = to - from, behind = lows->count - next;
    if (to == next) return from;
    if (before < behind) {
        memmove(lows->low + next - before, lows->low + from, (size_t)before * sizeof *lows->low);
        return next - before;
    }
    memmove(lows->low + to, lows->low + next, (size_t)behind * sizeof *lows->low);
    lows->count = to + behind;
    return from;
}

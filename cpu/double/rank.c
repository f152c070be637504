/* Ranks of windows in f64: the samples of a window stay in order while it moves on. Of short windows they lie
 * in an array; of long ones, whose samples would take too long to move, the places of samples in the order of
 * all are counted in a tree. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "double/double.h"
#include "halo/numerics.h"

#define SHORT 512 /* samples */

/* f64 as integers that compare as the values do, -0 before +0; every NaN is above them all. */
#define KEY_NAN UINT64_MAX

static uint64_t key_of(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    if (v != v) return KEY_NAN;
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static double of_key(uint64_t key)
{
    const uint64_t bits = key == KEY_NAN ? (uint64_t)0x7ff8 << 48 : key >> 63 ? key ^ (uint64_t)1 << 63 : ~key;
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* ---- the samples of a window, in order ------------------------------------------------------------------- */

typedef struct Ordered {
    const uint64_t *key; /* of a line */
    int64_t count;       /* those in the window that are not NaN */
    int64_t nan;
    uint64_t *sorted; /* of short windows */
    /* Of long ones: the keys of the line in order; at which place sample i stands; a binary indexed tree of how
     * many at each place are in the window. */
    const uint64_t *all;
    const uint32_t *place;
    uint32_t *tree;
    int64_t places; /* a power of two */
} Ordered;

static int64_t find(const uint64_t *sorted, int64_t count, uint64_t key)
{
    int64_t low = 0;
    while (count > 0) {
        const int64_t half = count / 2;
        if (sorted[low + half] < key) {
            low += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return low;
}

static void count_place(Ordered *o, int64_t i, uint32_t more)
{
    for (int64_t at = o->place[i] + 1; at <= o->places; at += at & -at) o->tree[at] += more;
}

static void enter(Ordered *o, int64_t i)
{
    const uint64_t key = o->key[i];
    if (key == KEY_NAN) {
        o->nan++;
        return;
    }
    if (o->tree != NULL) {
        count_place(o, i, 1);
    } else {
        const int64_t at = find(o->sorted, o->count, key);
        memmove(o->sorted + at + 1, o->sorted + at, (size_t)(o->count - at) * sizeof key);
        o->sorted[at] = key;
    }
    o->count++;
}

static void leave(Ordered *o, int64_t i)
{
    const uint64_t key = o->key[i];
    if (key == KEY_NAN) {
        o->nan--;
        return;
    }
    o->count--;
    if (o->tree != NULL) {
        count_place(o, i, UINT32_MAX);
    } else {
        const int64_t at = find(o->sorted, o->count + 1, key);
        memmove(o->sorted + at, o->sorted + at + 1, (size_t)(o->count - at) * sizeof key);
    }
}

static uint64_t key_at(const Ordered *o, int64_t rank)
{
    int64_t at = 0;
    if (o->tree == NULL) return o->sorted[rank];
    for (int64_t half = o->places; half > 0; half /= 2)
        if (at + half <= o->places && o->tree[at + half] <= rank) {
            at += half;
            rank -= o->tree[at];
        }
    return o->all[at];
}

/* ---- a channel of a piece -------------------------------------------------------------------------------- */

typedef struct Place {
    uint64_t key;
    uint32_t at;
} Place;

static int compare(const void *left, const void *right)
{
    const Place *a = left, *b = right;
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return a->at < b->at ? -1 : 1;
}

static int64_t power_from(int64_t n)
{
    int64_t power = 1;
    while (power < n) power *= 2;
    return power;
}

/* In 8-byte words, for a line of so many samples. */
static int64_t tree_room(int64_t values) { return 4 * values + power_from(values) / 2 + 4; }

static void plant(Ordered *o, int64_t values, double *room)
{
    Place *const order = (Place *)(void *)room;
    uint64_t *const all = (uint64_t *)(void *)room;
    uint32_t *const place = (uint32_t *)(void *)(room + 2 * values), *const tree = place + 2 * values;
    for (int64_t i = 0; i < values; i++) order[i] = (Place){o->key[i], (uint32_t)i};
    qsort(order, (size_t)values, sizeof *order, compare);
    for (int64_t i = 0; i < values; i++) place[order[i].at] = (uint32_t)i;
    for (int64_t i = 0; i < values; i++) all[i] = order[i].key; /* each is behind what it is written over */
    o->places = power_from(values);
    memset(tree, 0, (size_t)(o->places + 1) * sizeof *tree);
    o->all = all;
    o->place = place;
    o->tree = tree;
}

/* ---- the least and the greatest -------------------------------------------------------------------------- */

/* Of n keys each, from runs of n: the extremes from each key to the end of its run, and from the beginning of
 * its run to each. NaN that count are beyond all others, those that do not on the other side. */
static void extremes(uint64_t *key, int64_t values, int64_t n, const HaloRank *rank, uint64_t *behind,
                     int64_t channels, double *out)
{
    const bool greatest = rank->fraction == 1.0;
    const uint64_t nan = greatest == rank->window.nan_ignore ? 0 : KEY_NAN;
    for (int64_t i = 0; i < values; i++) key[i] = key[i] == KEY_NAN ? nan : key[i];
    for (int64_t i = values - 1; i >= 0; i--) {
        const uint64_t next = i % n == n - 1 || i == values - 1 ? key[i] : behind[i + 1];
        behind[i] = (greatest ? next > key[i] : next < key[i]) ? next : key[i];
    }
    for (int64_t i = 0; i < values; i++) {
        if (i % n != 0) key[i] = (greatest ? key[i - 1] > key[i] : key[i - 1] < key[i]) ? key[i - 1] : key[i];
        if (i < n - 1) continue;
        const uint64_t left = behind[i - n + 1],
                       best = (greatest ? left > key[i] : left < key[i]) ? left : key[i];
        out[(i - n + 1) * channels] = best == nan ? (double)NAN : of_key(best);
    }
}

static double take(const Ordered *o, const HaloRank *rank)
{
    if ((o->nan > 0 && !rank->window.nan_ignore) || o->count == 0) return (double)NAN;
    if (rank->halves && o->count % 2 == 0) {
        const uint64_t low = key_at(o, o->count / 2 - 1), high = key_at(o, o->count / 2);
        return low == high ? of_key(low) : (of_key(low) + of_key(high)) / 2.0;
    }
    return of_key(key_at(o, halo_rank_index(rank->fraction, o->count)));
}

/* ---- few samples ----------------------------------------------------------------------------------------- */

#define FEW 15  /* samples of a window that are sorted by themselves, several windows at a time */
#define SOME 64 /* of them */

static bool has_few(const HaloRank *rank)
{
    return rank->window.width <= FEW && (rank->window.width % 2 == 1 || !rank->halves);
}

/* Where no sample is NaN. False: one is. */
static bool rank_small(const CpuDoubleKernels *kernels, const HaloRank *rank, const uint64_t *key,
                       int64_t frames, int64_t channels, double *out)
{
    const int64_t n = rank->window.width;
    uint64_t made[SOME];
    for (int64_t i = 0; i < frames + n - 1; i++)
        if (key[i] == KEY_NAN) return false;
    for (int64_t i = 0, some; i < frames; i += some) {
        some = least(SOME, frames - i);
        kernels->rank_small(key + i, n, halo_rank_index(rank->fraction, n), some, made);
        for (int64_t k = 0; k < some; k++) out[(i + k) * channels] = of_key(made[k]);
    }
    return true;
}

static bool is_extreme(const HaloRank *rank) { return rank->fraction == 0.0 || rank->fraction == 1.0; }

static double *rank_piece(const Doubles *d, int64_t x, int64_t frames, double *row, double *other)
{
    const HaloRank *rank = d->how;
    const int64_t channels = d->dst->shape.channels, n = rank->window.width, values = frames + n - 1;
    double *const line = other, *const room = line + values * (channels + 1);
    uint64_t *const key = (uint64_t *)(void *)(line + values * channels);
    cpu_double_line(d, &rank->window, x + rank->window.ox, values, line);
    for (int64_t c = 0; c < channels; c++) {
        Ordered ordered = {.key = key, .sorted = (uint64_t *)(void *)room};
        for (int64_t i = 0; i < values; i++) key[i] = key_of(line[i * channels + c]);
        if (is_extreme(rank)) {
            extremes(key, values, n, rank, (uint64_t *)(void *)room, channels, row + c);
            continue;
        }
        if (has_few(rank) && rank_small(d->device->kernels->doubles, rank, key, frames, channels, row + c))
            continue;
        if (n > SHORT) plant(&ordered, values, room);
        for (int64_t i = 0; i < values; i++) {
            enter(&ordered, i);
            if (i < n - 1) continue;
            row[(i - n + 1) * channels + c] = take(&ordered, rank);
            leave(&ordered, i - n + 1);
        }
    }
    return row;
}

HaloStatus cpu_double_rank(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloRank *rank)
{
    const HaloWindow *window = &rank->window;
    const int64_t channels = dst->shape.channels, n = window->width;
    Doubles d = {.make = rank_piece,
                 .a = src,
                 .dst = dst,
                 .how = rank,
                 .frames = least(dst->cols, most(1024, n)),
                 .work = 100.0,
                 .name = "a rank filter",
                 .device = device};
    const int64_t values = d.frames + n - 1;
    if (window->height != 1 || rank->span != NULL || src->shape.channels != channels || values >= UINT32_MAX ||
        !cpu_double_holds(src, dst->x0 + window->ox, dst->cols + n - 1))
        return halo_fail(HALO_ERR_BUG,
                         "internal: the source of a rank filter does not hold the samples it needs");
    d.other = values * (channels + 1) + (is_extreme(rank) ? values : n > SHORT ? tree_room(values) : n + 1);
    return cpu_double_run(&d);
}

#include "repair.h"
#include "halo/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "predict.h"

#define ORDER_TO_FIND 32 /* of the model by which clicks are found: a longer one blurs where they are */
#define ORDER PREDICT_MOST
#define PASSES_OF_CLICKS 3 /* the second has a model of sound without the clicks that the first found */
#define PASSES_OF_CLIPPING 4
#define ROUNDS 4         /* after each, samples within the level are held at it */
#define GAP 8            /* good samples between bad ones that belong to the same click */
#define MARGIN 2         /* samples to both sides of a click that are replaced too */
#define SPREAD 3.0       /* around a click, residuals above the threshold over this belong to it */
#define PIECE 256        /* samples with the same threshold */
#define NEAR (3 * PIECE) /* over which what is typical for them is found */

/* Memory of a call. */
typedef struct Block {
    int64_t n;                    /* frames */
    double x[REPAIR_MOST];        /* the samples that are repaired; */
    double original[REPAIR_MOST]; /* as they were */
    double window[REPAIR_MOST];
    double residual[REPAIR_MOST], other[REPAIR_MOST]; /* of both directions, then the less of both */
    double work[REPAIR_MOST * (PREDICT_MOST + 2)];
    double a[PREDICT_MOST + 1];
    double level[REPAIR_MOST / PIECE + 1];
    int64_t unknown[REPAIR_MOST];
    bool bad[REPAIR_MOST];
} Block;

static int64_t scratch_bytes(const void *how, const HaloShape *src)
{
    (void)how, (void)src;
    return sizeof(Block);
}

/* A block with its context, as far as there is sound. */
static HaloSpan frames_of(int64_t block, int64_t from, int64_t to)
{
    const HaloSpan all = {block * REPAIR_BLOCK - REPAIR_CONTEXT, (block + 1) * REPAIR_BLOCK + REPAIR_CONTEXT};
    return (HaloSpan){all.from > from ? all.from : from, all.to < to ? all.to : to};
}

static HaloSpan reads(const void *how, int k, const HaloShape *src, HaloSpan part)
{
    (void)how, (void)k, (void)src;
    return (HaloSpan){part.from / REPAIR_BLOCK * REPAIR_BLOCK - REPAIR_CONTEXT,
                      ((part.to - 1) / REPAIR_BLOCK + 1) * REPAIR_BLOCK + REPAIR_CONTEXT};
}

/* Falls to 0 at both ends of the block: (1 - u^2)^2. */
static void make_window(Block *b)
{
    for (int64_t i = 0; i < b->n; i++) {
        const double u = (double)(2 * i + 1 - b->n) / (double)b->n, v = 1.0 - u * u;
        b->window[i] = v * v;
    }
}

static void restore(Block *b) { memcpy(b->x, b->original, sizeof(double) * (size_t)b->n); }

/* Makes the dst's frames of each block by `repair`, which leaves a block that is too short for a model. */
static void run(const Repair *how, const HaloSequencePart *part, void (*repair)(const Repair *how, Block *b))
{
    const HaloSequenceLines *src = part->src[0], *dst = part->dst;
    Block *b = part->scratch;
    for (int64_t x = dst->from, to; x < dst->to; x = to) {
        const int64_t block = x / REPAIR_BLOCK, end = (block + 1) * REPAIR_BLOCK;
        const HaloSpan frames = frames_of(block, src->from, src->to);
        to = end < dst->to ? end : dst->to;
        b->n = frames.to - frames.from;
        memcpy(b->x, src->at[0] + (frames.from - src->from), sizeof(double) * (size_t)b->n);
        if (b->n >= 4 * PREDICT_MOST) repair(how, b);
        memcpy(dst->at[0] + (x - dst->from), b->x + (x - frames.from), sizeof(double) * (size_t)(to - x));
    }
}

/* ---- clicks --------------------------------------------------------------------------------------------- */

/* The median of the magnitudes from `from` on, or before them, as many as there are up to `count`. */
static double median_of(Block *b, int64_t from, int64_t count)
{
    const int64_t first = from > ORDER_TO_FIND ? from : ORDER_TO_FIND,
                  end = from + count < b->n ? from + count : b->n, n = end - first;
    if (n < 1) return 0.0;
    for (int64_t i = 0; i < n; i++) b->work[i] = fabs(b->residual[first + i]);
    return predict_select(b->work, n, n / 2);
}

/* level = what is typical of the residual near each piece: the greatest of the medians of the block and of what
 * begins and ends with the piece, so that sound which begins all at once is no click. */
static void find_levels(Block *b, double times)
{
    const double all = median_of(b, 0, b->n);
    double near[3] = {median_of(b, -2 * PIECE, NEAR), median_of(b, -PIECE, NEAR)};
    for (int64_t k = 0; k * PIECE < b->n;
         k++) { /* what begins with a piece ends with the second one after it */
        const double before = near[k % 3], behind = near[(k + 2) % 3] = median_of(b, k * PIECE, NEAR);
        b->level[k] = times * fmax(all, fmax(behind, before));
    }
}

/* residual = the less of what is left forward and backward, which is large at bad samples alone. */
static void find_residuals(const Repair *how, Block *b)
{
    predict_residual(b->original, b->n, b->a, ORDER_TO_FIND, false, b->residual);
    /* The median of a normal distribution's magnitude is 0.6745 of its deviation. */
    find_levels(b, how->threshold / 0.6745);
    predict_residual(b->original, b->n, b->a, ORDER_TO_FIND, true, b->other);
    for (int64_t i = 0; i < b->n; i++) {
        const double forward = fabs(b->residual[i]), backward = fabs(b->other[i]);
        const bool first = i < ORDER_TO_FIND, last = i >= b->n - ORDER_TO_FIND;
        b->residual[i] = first ? backward : last || forward < backward ? forward : backward;
    }
}

static bool exceeds(const Block *b, int64_t i, double share)
{
    return b->residual[i] > b->level[i / PIECE] * share;
}

/* Where a click ends that sample `at` belongs to, and where it begins. */
static int64_t end_of_click(const Block *b, int64_t at)
{
    int64_t end = at + 1;
    for (int64_t i = end; i < b->n && i <= end + GAP; i++)
        if (exceeds(b, i, 1.0 / SPREAD)) end = i + 1;
    return end;
}

static int64_t start_of_click(const Block *b, int64_t at, int64_t least)
{
    int64_t start = at;
    for (int64_t i = start - 1; i >= least && i >= start - 1 - GAP; i--)
        if (exceeds(b, i, 1.0 / SPREAD)) start = i;
    return start;
}

/* The unknown samples: those of clicks that are not too long. */
static int64_t find_clicks(const Repair *how, Block *b)
{
    int64_t count = 0, last = 0;
    for (int64_t i = 0; i < b->n; i++) {
        if (!exceeds(b, i, 1.0)) continue;
        int64_t from = start_of_click(b, i, last), to = end_of_click(b, i);
        i = to;
        if (to - from > how->longest) continue;
        from = from - MARGIN > last ? from - MARGIN : last;
        to = to + MARGIN < b->n ? to + MARGIN : b->n;
        for (int64_t k = from; k < to; k++) b->unknown[count++] = k;
        last = to;
    }
    return count;
}

static void repair_clicks(const Repair *how, Block *b)
{
    make_window(b);
    memcpy(b->original, b->x, sizeof(double) * (size_t)b->n);
    for (int pass = 0; pass < PASSES_OF_CLICKS; pass++) {
        if (!predict_fit(b->x, b->window, b->n, ORDER_TO_FIND, b->work, b->a)) return;
        find_residuals(how, b);
        const int64_t count = find_clicks(how, b);
        const bool found = count > 0 && predict_fit(b->x, b->window, b->n, ORDER, b->work, b->a);
        restore(b);
        if (!found) return;
        if (!predict_interpolate(b->x, b->n, b->unknown, count, b->a, ORDER, b->work)) {
            restore(b);
            return;
        }
    }
}

static void run_declick(const void *how, const HaloSequencePart *part) { run(how, part, repair_clicks); }

static void describe_declick(const void *how, char *text, size_t size)
{
    const Repair *repair = how;
    halo_snprintf(text, size, "clicks up to %lld samples by linear prediction, order %d, threshold %.6g",
                  (long long)repair->longest, ORDER_TO_FIND, repair->threshold);
}

const HaloSequenceKind declick_kind = {.name = "declick",
                                       .replaces = true,
                                       .by_channel = true,
                                       .placed = true,
                                       .reads = reads,
                                       .scratch = scratch_bytes,
                                       .ns = 100.0,
                                       .describe = describe_declick,
                                       .run = run_declick};

/* ---- clipping ------------------------------------------------------------------------------------------- */

static int64_t list(Block *b)
{
    int64_t count = 0;
    for (int64_t i = 0; i < b->n; i++)
        if (b->bad[i]) b->unknown[count++] = i;
    return count;
}

/* Samples that were not interpolated beyond the level are at it; how many there are. */
static int64_t hold_at_level(const Repair *how, Block *b)
{
    int64_t held = 0;
    for (int64_t i = 0; i < b->n; i++) {
        const double beyond = b->original[i] < 0 ? -b->x[i] : b->x[i];
        if (!b->bad[i] || beyond >= how->level) continue;
        b->x[i] = b->original[i];
        b->bad[i] = false;
        held++;
    }
    return held;
}

static int64_t find_clipped(const Repair *how, Block *b)
{
    for (int64_t i = 0; i < b->n; i++) b->bad[i] = fabs(b->original[i]) >= how->level;
    return list(b);
}

/* Where nearly everything is clipped there is nothing to go by. */
static void repair_clipping(const Repair *how, Block *b)
{
    memcpy(b->original, b->x, sizeof(double) * (size_t)b->n);
    int64_t count = find_clipped(how, b);
    if (count == 0 || count > b->n / 4 * 3) return;
    make_window(b);
    for (int pass = 0; pass < PASSES_OF_CLIPPING; pass++) {
        if (!predict_fit(b->x, b->window, b->n, ORDER, b->work, b->a)) break;
        count = find_clipped(how, b);
        for (int round = 0; round < ROUNDS && count > 0; round++) {
            if (!predict_interpolate(b->x, b->n, b->unknown, count, b->a, ORDER, b->work)) {
                restore(b);
                return;
            }
            if (hold_at_level(how, b) == 0) break;
            count = list(b);
        }
    }
}

static void run_declip(const void *how, const HaloSequencePart *part) { run(how, part, repair_clipping); }

static void describe_declip(const void *how, char *text, size_t size)
{
    halo_snprintf(text, size, "samples from %.6g on by linear prediction, order %d",
                  ((const Repair *)how)->level, ORDER);
}

const HaloSequenceKind declip_kind = {.name = "declip",
                                      .replaces = true,
                                      .by_channel = true,
                                      .placed = true,
                                      .reads = reads,
                                      .scratch = scratch_bytes,
                                      .ns = 50.0,
                                      .describe = describe_declip,
                                      .run = run_declip};

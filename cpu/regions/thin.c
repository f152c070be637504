/* Thinning: a bit for each pixel, 64 of them in a word, whose neighbours are the same words shifted. Every half
 * pass reads one plane and writes another; rows that neither they nor their neighbours have changed in the last
 * two are left as they are. */
#include "halo/morphology.h"

#include <math.h>
#include <string.h>

#include "halo/thin.h"
#include "primitives.h"
#include "runs.h"

#define STRIP_ROWS 32

typedef HaloThinBits Bits;

typedef struct Thin {
    const HaloBuf *src;
    HaloBuf *dst;
    HaloThinKind kind;
    HaloStore store;
    HaloDevice *device;
    int channel;
    int64_t width, height, pitch; /* words of a row, with one of zeros at both ends; one row of these at both */
    Bits *plane[2];
    uint8_t *changed[3]; /* [height + 2]: in this half pass, the one before, and that before it */
    uint8_t *flag;       /* [workers][flags] */
    float *row;          /* [workers][width * channels] */
    int64_t flags, row_pitch;
    int half;
} Thin;

/* ---- half passes ---------------------------------------------------------------------------------------- */

static inline Bits left_of(const Bits *word) { return word[0] << 1 | word[-1] >> 63; }
static inline Bits right_of(const Bits *word) { return word[0] >> 1 | word[1] << 63; }

/* Is a bit deleted in the row? */
static inline bool thin_words(const Bits *here, Bits *out, int64_t pitch, int64_t words, int half,
                              Bits deleted(const HaloThinRing *, int))
{
    const Bits *up = here - pitch, *down = here + pitch;
    Bits changed = 0;
    for (int64_t i = 0; i < words; i++) {
        const HaloThinRing ring = {{up[i], right_of(up + i), right_of(here + i), right_of(down + i), down[i],
                                    left_of(down + i), left_of(here + i), left_of(up + i)}};
        const Bits gone = here[i] & deleted(&ring, half);
        out[i] = here[i] & ~gone;
        changed |= gone;
    }
    return changed != 0;
}

static Bits *row_of(const Thin *t, int plane, int64_t y) { return t->plane[plane] + (y + 1) * t->pitch + 1; }

static void half_task(void *context, int64_t strip, int worker)
{
    const Thin *t = context;
    const int64_t words = t->pitch - 2;
    const int from = t->half % 2, to = 1 - from;
    (void)worker;
    for (int64_t y = strip * STRIP_ROWS; y < least((strip + 1) * STRIP_ROWS, t->height); y++) {
        const uint8_t *before = t->changed[1] + y, *earlier = t->changed[2] + y; /* of the row above */
        t->changed[0][y + 1] = 0;
        if ((before[0] | before[1] | before[2] | earlier[0] | earlier[1] | earlier[2]) == 0) continue;
        const Bits *here = row_of(t, from, y);
        Bits *const out = row_of(t, to, y);
        if (t->kind == HALO_THIN_ZHANG)
            t->changed[0][y + 1] = thin_words(here, out, t->pitch, words, from, halo_thin_zhang);
        else
            t->changed[0][y + 1] = thin_words(here, out, t->pitch, words, from, halo_thin_guo_hall);
    }
}

static bool any_row(const uint8_t *changed, int64_t height) { return memchr(changed + 1, 1, (size_t)height); }

/* Until a whole pass changes nothing. The result is in plane 0. */
static void thin_all(Thin *t, int workers, int64_t passes)
{
    for (t->half = 0; passes == 0 || t->half < 2 * passes; t->half++) {
        uint8_t *const oldest = t->changed[2];
        t->changed[2] = t->changed[1];
        t->changed[1] = t->changed[0];
        t->changed[0] = oldest;
        cpu_run(t->device, workers, divide_up(t->height, STRIP_ROWS), half_task, t);
        if (t->half % 2 == 1 && !any_row(t->changed[0], t->height) && !any_row(t->changed[1], t->height))
            return;
    }
}

/* ---- all ------------------------------------------------------------------------------------------------ */

static void load_task(void *context, int64_t strip, int worker)
{
    const Thin *t = context;
    uint8_t *const flag = t->flag + worker * t->flags;
    memset(flag, 0, (size_t)t->flags);
    for (int64_t y = strip * STRIP_ROWS; y < least((strip + 1) * STRIP_ROWS, t->height); y++) {
        Bits *const row = row_of(t, 0, y);
        cpu_flags(t->src, y, t->channel, HALO_REGIONS_FOREGROUND, 0.0, flag);
        for (int64_t i = 0; i < t->pitch - 2; i++) {
            row[i] = 0;
            for (int k = 0; k < 64; k++) row[i] |= (Bits)flag[64 * i + k] << k;
        }
    }
}

static void write_task(void *context, int64_t strip, int worker)
{
    const Thin *t = context;
    const CpuRowKernels *kernels = t->device->kernels->rows;
    const int64_t channels = t->src->shape.channels, n = t->width * channels;
    float *const row = t->row + worker * t->row_pitch, *const line = row + t->channel;
    uint64_t clipped = 0;
    for (int64_t y = strip * STRIP_ROWS; y < least((strip + 1) * STRIP_ROWS, t->height); y++) {
        const Bits *bits = row_of(t, 0, y);
        kernels->load[t->src->shape.dtype](halo_at(t->src, 0, y), n, row);
        for (int64_t x = 0; x < t->width; x++)
            if ((bits[x / 64] >> x % 64 & 1) == 0) line[x * channels] = 0.0f;
        kernels->store[t->dst->shape.dtype](row, n, t->store, halo_at(t->dst, 0, y), &clipped);
    }
    cpu_count_clipped(t->device, clipped);
}

static HaloStatus prepare(Thin *t, int workers)
{
    HaloStatus status = HALO_OK;
    int64_t total = 0, words, at_plane[2], at_changed, at_flag, at_row;
    void *scratch;
    t->pitch = divide_up(t->width, 64) + 2;
    t->flags = (t->pitch - 2) * 64;
    t->row_pitch = t->flags * t->src->shape.channels;
    if (!halo_mul(t->pitch, t->height + 2, &words) || !cpu_reserve(&total, words, sizeof(Bits), &at_plane[0]) ||
        !cpu_reserve(&total, words, sizeof(Bits), &at_plane[1]) ||
        !cpu_reserve(&total, 3, t->height + 2, &at_changed) ||
        !cpu_reserve(&total, workers, t->flags, &at_flag) ||
        !cpu_reserve(&total, workers, t->row_pitch * (int64_t)sizeof(float), &at_row))
        HALO_FAIL(HALO_ERR_LIMIT, "%lld x %lld pixels are too many to be thinned: crop or resize before",
                  (long long)t->width, (long long)t->height);
    HALO_TRY(cpu_scratch(t->device, total, &scratch));
    for (int k = 0; k < 2; k++) t->plane[k] = (Bits *)(void *)((char *)scratch + at_plane[k]);
    for (int k = 0; k < 3; k++) {
        t->changed[k] = (uint8_t *)scratch + at_changed + k * (t->height + 2);
        memset(t->changed[k], 1, (size_t)t->height + 2);
        t->changed[k][0] = t->changed[k][t->height + 1] = 0;
    }
    memset(t->plane[0], 0, (size_t)words * sizeof(Bits));
    memset(t->plane[1], 0, (size_t)words * sizeof(Bits));
    t->flag = (uint8_t *)scratch + at_flag;
    t->row = (float *)(void *)((char *)scratch + at_row);
out:
    return status;
}

HaloStatus cpu_thin(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloThin *thin, HaloStore store)
{
    HaloStatus status = HALO_OK;
    Thin t = {.src = src,
              .dst = dst,
              .kind = thin->kind,
              .store = store,
              .device = device,
              .channel = src->shape.alpha == 0,
              .width = src->cols,
              .height = src->rows};
    if (!cpu_are_planes(src, dst))
        HALO_FAIL(HALO_ERR_BUG, "internal: thinning of buffers that differ, or of colours");
    if (dst->cols < 1 || dst->rows < 1) goto out;
    const int workers = cpu_workers(device, (double)src->cols * (double)src->rows);
    HALO_TRY(prepare(&t, workers));
    cpu_run(device, workers, divide_up(t.height, STRIP_ROWS), load_task, &t);
    thin_all(&t, workers, thin->passes);
    cpu_run(device, workers, divide_up(t.height, STRIP_ROWS), write_task, &t);
out:
    return status;
}

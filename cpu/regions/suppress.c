/* Non-maximum suppression: strips of rows, whose magnitudes stay in a ring of three rows. */
#include <string.h>

#include "device.h"
#include "primitives.h"

#define STRIP_ROWS 64
#define PAD 16 /* floats before a row: what lies left of the picture, or of what is needed of it */

typedef struct Suppress {
    const HaloBuf *gx, *gy;
    HaloBuf *dst;
    HaloStore store;
    HaloDevice *device;
    int64_t pitch, scratch_bytes;
    char *scratch; /* [workers] */
} Suppress;

/* A worker's rows: gradients of the last two rows, and magnitudes of three. */
typedef struct Rows {
    float *gx[2], *gy[2], *m[3], *out;
} Rows;

static Rows rows_of(const Suppress *s, int worker)
{
    float *const first = (float *)(void *)(s->scratch + worker * s->scratch_bytes) + PAD;
    Rows rows;
    for (int k = 0; k < 2; k++) rows.gx[k] = first + k * s->pitch;
    for (int k = 0; k < 2; k++) rows.gy[k] = first + (2 + k) * s->pitch;
    for (int k = 0; k < 3; k++) rows.m[k] = first + (4 + k) * s->pitch;
    rows.out = first + 7 * s->pitch;
    return rows;
}

/* Row y, and a pixel more at both ends; 0 outside of the picture. */
static void load(const Suppress *s, const Rows *rows, int64_t y)
{
    const CpuKernels *kernels = s->device->kernels;
    const HaloCombine magnitude = {.kind = HALO_COMBINE_MAGNITUDE};
    const int64_t x0 = most(s->dst->x0 - 1, 0), x1 = least(s->dst->x0 + s->dst->cols + 1, s->gx->shape.width);
    const int64_t at = x0 - s->dst->x0;
    float *const gx = rows->gx[(y + 2) % 2], *const gy = rows->gy[(y + 2) % 2], *const m = rows->m[(y + 3) % 3];
    memset(m - 1, 0, (size_t)(s->dst->cols + 2) * sizeof *m);
    if (y < 0 || y >= s->gx->shape.height) return;
    kernels->rows->load[s->gx->shape.dtype](halo_at(s->gx, x0, y), x1 - x0, gx + at);
    kernels->rows->load[s->gy->shape.dtype](halo_at(s->gy, x0, y), x1 - x0, gy + at);
    memcpy(m + at, gx + at, (size_t)(x1 - x0) * sizeof *m);
    kernels->pairs->each[HALO_COMBINE_MAGNITUDE](m + at, gy + at, x1 - x0, &magnitude);
}

static void strip_task(void *context, int64_t strip, int worker)
{
    const Suppress *s = context;
    const CpuKernels *kernels = s->device->kernels;
    const int64_t from = s->dst->y0 + strip * STRIP_ROWS,
                  upto = least(from + STRIP_ROWS, s->dst->y0 + s->dst->rows);
    const Rows rows = rows_of(s, worker);
    uint64_t clipped = 0;
    load(s, &rows, from - 1);
    load(s, &rows, from);
    for (int64_t y = from; y < upto; y++) {
        const float *const m[3] = {rows.m[(y + 2) % 3], rows.m[y % 3], rows.m[(y + 1) % 3]};
        load(s, &rows, y + 1);
        kernels->pairs->suppress(rows.gx[y % 2], rows.gy[y % 2], m, s->dst->cols, rows.out);
        kernels->rows->store[s->dst->shape.dtype](rows.out, s->dst->cols, s->store,
                                                  halo_at(s->dst, s->dst->x0, y), &clipped);
    }
    cpu_count_clipped(s->device, clipped);
}

/* Does it hold the pixels of `dst`, and their neighbours? */
static bool holds(const HaloBuf *src, const HaloBuf *dst)
{
    const HaloShape *whole = &src->shape;
    return whole->dtype <= HALO_F32 && whole->channels == 1 && whole->width == dst->shape.width &&
           whole->height == dst->shape.height && src->x0 <= most(dst->x0 - 1, 0) &&
           src->y0 <= most(dst->y0 - 1, 0) &&
           src->x0 + src->cols >= least(dst->x0 + dst->cols + 1, whole->width) &&
           src->y0 + src->rows >= least(dst->y0 + dst->rows + 1, whole->height);
}

HaloStatus cpu_suppress(HaloDevice *device, const HaloBuf *gx, const HaloBuf *gy, HaloBuf *dst, HaloStore store)
{
    HaloStatus status = HALO_OK;
    Suppress s = {.gx = gx, .gy = gy, .dst = dst, .store = store, .device = device};
    const int workers = cpu_workers(device, 4.0 * (double)dst->cols * (double)dst->rows);
    int64_t total = 0, at;
    void *scratch;
    if (dst->shape.channels != 1 || !holds(gx, dst) || !holds(gy, dst))
        HALO_FAIL(HALO_ERR_BUG, "internal: gradients that differ, or of colours");
    if (dst->cols < 1 || dst->rows < 1) goto out;
    s.pitch = divide_up(dst->cols + 1 + PAD, 16) * 16 + PAD;
    if (!cpu_reserve(&s.scratch_bytes, 8, s.pitch * (int64_t)sizeof(float), &at) ||
        !cpu_reserve(&total, workers, s.scratch_bytes, &at))
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for rows of %lld pixels", (long long)dst->cols);
    HALO_TRY(cpu_scratch(device, total, &scratch));
    s.scratch = scratch;
    cpu_run(device, workers, divide_up(dst->rows, STRIP_ROWS), strip_task, &s);
out:
    return status;
}

/* Every so many pixels. */
#include "halo/pick.h"

#include "device.h"

#define ROWS_PER_TASK 16

typedef struct Pick {
    const HaloBuf *src;
    HaloBuf *dst;
    const HaloPick *how;
    HaloStore store;
    int64_t row_floats;
    float *row; /* [workers] */
    HaloDevice *device;
} Pick;

static void pick_rows(void *context, int64_t index, int worker)
{
    const Pick *p = context;
    const CpuRowKernels *rows = p->device->kernels->rows;
    const int64_t channels = p->dst->shape.channels;
    float *row = p->row + worker * p->row_floats;
    uint64_t clipped = 0;
    for (int64_t j = index * ROWS_PER_TASK; j < (index + 1) * ROWS_PER_TASK && j < p->dst->rows; j++) {
        const int64_t y = p->dst->y0 + j;
        for (int64_t i = 0; i < p->dst->cols; i++)
            rows->load[p->src->shape.dtype](
                halo_at(p->src, (p->dst->x0 + i) * p->how->step_x, y * p->how->step_y), channels,
                row + i * channels);
        rows->store[p->dst->shape.dtype](row, p->dst->cols * channels, p->store, halo_at(p->dst, p->dst->x0, y),
                                         &clipped);
    }
    atomic_fetch_add_explicit(&p->device->clipped, clipped, memory_order_relaxed);
}

/* Are outputs [first, first + count), count > 0, made of what the source holds from `have` on? */
static bool holds(int64_t first, int64_t count, int64_t step, int64_t have, int64_t held)
{
    return step >= 1 && first * step >= have && (first + count - 1) * step < have + held;
}

HaloStatus cpu_pick(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloPick *pick, HaloStore store)
{
    HaloStatus status = HALO_OK;
    Pick p = {.src = src, .dst = dst, .how = pick, .store = store, .device = device};
    int64_t bytes;
    void *scratch;
    if (dst->cols < 1 || dst->rows < 1) goto out;
    if (src->shape.dtype > HALO_F32 || dst->shape.dtype > HALO_F32 ||
        src->shape.channels != dst->shape.channels ||
        !holds(dst->x0, dst->cols, pick->step_x, src->x0, src->cols) ||
        !holds(dst->y0, dst->rows, pick->step_y, src->y0, src->rows))
        HALO_FAIL(HALO_ERR_BUG, "pixels were to be picked that the source does not hold");
    if (!halo_mul(dst->cols * dst->shape.channels, sizeof(float), &bytes))
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for rows of %lld pixels", (long long)dst->cols);
    HALO_TRY(cpu_scratch_each(device, &bytes, &scratch));
    p.row = scratch;
    p.row_floats = bytes / (int64_t)sizeof(float);
    const double work = (double)dst->cols * (double)dst->rows * dst->shape.channels * 4;
    cpu_run(device, cpu_workers(device, work), (dst->rows + ROWS_PER_TASK - 1) / ROWS_PER_TASK, pick_rows, &p);
out:
    return status;
}

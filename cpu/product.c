#include "product.h"

#include <string.h>

/* Samples of a task. */
#define TASK_SAMPLES ((int64_t)1 << 17)

bool cpu_product_reserve(CpuProducts *p, HaloDevice *device, const HaloBuf *src, int workers, int64_t *total)
{
    const int64_t channels = src->shape.channels;
    *p = (CpuProducts){.device = device, .src = src, .workers = workers};
    p->pixels = src->cols * src->rows;
    p->each = most(1, TASK_SAMPLES / channels);
    return cpu_tally_reserve(&p->tally, device, &src->shape, workers, total) &&
           cpu_reserve(total, channels * p->tally.values, sizeof *p->count, &p->at_count) &&
           cpu_reserve(total, channels, sizeof *p->zero, &p->at_zero);
}

static void clear_channel(void *context, int64_t c, int worker)
{
    const CpuProducts *p = context;
    (void)worker;
    if (!p->zero[c]) memset(p->count + c * p->tally.values, 0, (size_t)p->tally.values * sizeof *p->count);
}

static void count_task(void *context, int64_t index, int worker)
{
    CpuProducts *p = context;
    const HaloBuf *src = p->src;
    const int64_t width = src->shape.width, end = least(p->pixels, (index + 1) * p->each);
    for (int64_t at = index * p->each, count; at < end; at += count) {
        const int64_t x = at % width, y = at / width;
        count = least(width - x, end - at);
        cpu_tally_add(&p->tally, halo_at(src, x, y), count, worker);
    }
}

typedef struct Taking {
    const CpuProducts *p;
    HaloMoments *out;
} Taking;

static void take_channel(void *context, int64_t c, int worker)
{
    const Taking *taking = context;
    const CpuProducts *p = taking->p;
    HaloMoments *const m = &taking->out[c];
    (void)worker;
    if (m->zero > 0) {
        m->product = 0.0;
        m->product_exp = 0;
        return;
    }
    for (int64_t part = 0; part < CPU_TALLY_PARTS; part++) cpu_tally_join(&p->tally, c, part);
    halo_product_from_counts(p->count + c * p->tally.values, p->tally.values, &m->product, &m->product_exp);
}

void cpu_product_take(CpuProducts *p, void *scratch, HaloMoments *out)
{
    const int64_t channels = p->src->shape.channels;
    Taking taking = {p, out};
    bool wanted = false;
    p->count = (uint64_t *)(void *)((char *)scratch + p->at_count);
    p->zero = (bool *)(void *)((char *)scratch + p->at_zero);
    for (int64_t c = 0; c < channels; c++) {
        p->zero[c] = out[c].zero > 0;
        wanted |= !p->zero[c];
    }
    p->tally.left_out = p->zero;
    cpu_tally_begin(&p->tally, scratch, p->count);
    if (wanted) {
        cpu_run(p->device, p->workers, channels, clear_channel, p);
        cpu_run(p->device, p->workers, divide_up(p->pixels, p->each), count_task, p);
    }
    cpu_run(p->device, p->workers, channels, take_channel, &taking);
}

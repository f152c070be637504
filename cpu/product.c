#include "product.h"

#include <string.h>

#include "pairs.h"

/* With more counters than this a single worker counts. */
#define MOST_COUNTERS (1 << 22)
/* Samples of a task. */
#define TASK_SAMPLES ((int64_t)1 << 17)

static int64_t values_of(const HaloBuf *src) { return src->shape.dtype == HALO_U8 ? 256 : 65536; }
static int64_t copies_of(const HaloBuf *src) { return src->shape.dtype == HALO_U8 ? 4 : 1; }

int cpu_product_workers(const HaloBuf *src, int workers)
{
    return values_of(src) * copies_of(src) * src->shape.channels > MOST_COUNTERS ? 1 : workers;
}

bool cpu_product_reserve(CpuProducts *p, HaloDevice *device, const HaloBuf *src, int workers, int64_t *total)
{
    const int64_t channels = src->shape.channels;
    *p = (CpuProducts){.device = device, .src = src, .workers = workers};
    p->values = values_of(src);
    p->copies = copies_of(src);
    p->smalls = cpu_small_counters(src, workers);
    p->pixels = src->cols * src->rows;
    p->each = most(1, TASK_SAMPLES / channels);
    p->counters = p->smalls > 0 && src->shape.dtype == HALO_U16 ? 0 : p->values * p->copies * channels;
    return cpu_reserve(total, p->counters * workers, sizeof *p->counter, &p->at_counter) &&
           cpu_reserve(total, p->smalls * workers, sizeof *p->small, &p->at_small) &&
           cpu_reserve(total, p->values * workers, sizeof *p->total, &p->at_total) &&
           cpu_reserve(total, channels, sizeof *p->zero, &p->at_zero) &&
           cpu_reserve(total, workers, sizeof *p->cleared, &p->at_cleared);
}

static uint64_t *counters_of(const CpuProducts *p, int worker) { return p->counter + worker * p->counters; }

static uint32_t *smalls_of(const CpuProducts *p, int worker)
{
    return p->smalls == 0 ? NULL : p->small + worker * p->smalls;
}

static void clear(const CpuProducts *p, int worker)
{
    memset(counters_of(p, worker), 0, (size_t)p->counters * sizeof *p->counter);
    if (p->smalls > 0) memset(smalls_of(p, worker), 0, (size_t)p->smalls * sizeof *p->small);
    p->cleared[worker] = true;
}

static void count_task(void *context, int64_t index, int worker)
{
    const CpuProducts *p = context;
    const HaloBuf *src = p->src;
    const int64_t width = src->shape.width, end = least(p->pixels, (index + 1) * p->each);
    if (!p->cleared[worker]) clear(p, worker);
    for (int64_t at = index * p->each, count; at < end; at += count) {
        const int64_t x = at % width, y = at / width;
        count = least(width - x, end - at);
        cpu_count(p->device->kernels->hist, &src->shape, halo_at(src, x, y), count, p->values, p->copies,
                  p->zero, smalls_of(p, worker), counters_of(p, worker));
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
    const int64_t channels = p->src->shape.channels;
    HaloMoments *const m = &taking->out[c];
    uint64_t *const total = p->total + worker * p->values;
    if (m->zero > 0) {
        m->product = 0.0;
        m->product_exp = 0;
        return;
    }
    memset(total, 0, (size_t)p->values * sizeof *total);
    for (int w = 0; w < p->workers; w++) {
        if (!p->cleared[w]) continue;
        for (int64_t copy = 0; copy < p->copies && p->counters > 0; copy++) {
            const uint64_t *const more = counters_of(p, w) + (copy * channels + c) * p->values;
            for (int64_t v = 0; v < p->values; v++) total[v] += more[v];
        }
        if (p->smalls > 0) cpu_add_small(p->device->kernels->hist, &p->src->shape, c, smalls_of(p, w), total);
    }
    halo_product_from_counts(total, p->values, &m->product, &m->product_exp);
}

void cpu_product_take(CpuProducts *p, void *scratch, HaloMoments *out)
{
    char *const block = scratch;
    Taking taking = {p, out};
    bool wanted = false;
    p->counter = (uint64_t *)(void *)(block + p->at_counter);
    p->small = (uint32_t *)(void *)(block + p->at_small);
    p->total = (uint64_t *)(void *)(block + p->at_total);
    p->zero = (bool *)(void *)(block + p->at_zero);
    p->cleared = (bool *)(void *)(block + p->at_cleared);
    for (int w = 0; w < p->workers; w++) p->cleared[w] = false;
    for (int c = 0; c < p->src->shape.channels; c++) {
        p->zero[c] = out[c].zero > 0;
        wanted |= !p->zero[c];
    }
    if (wanted) cpu_run(p->device, p->workers, divide_up(p->pixels, p->each), count_task, p);
    cpu_run(p->device, p->workers, p->src->shape.channels, take_channel, &taking);
}

#include "tally.h"

#include <string.h>

#include "shared.h"

/* Pixels after which a worker's counters of bytes, of 32 bits, are added up before the end. */
#define MOST_PIXELS ((int64_t)1 << 31)

/* With more counters than this a single worker counts. */
#define MOST_COUNTERS (1 << 22)

static int64_t values_of(HaloDtype dtype) { return dtype == HALO_U8 ? 256 : CPU_U16_VALUES; }

int cpu_tally_workers(const HaloShape *shape, int workers)
{
    return shape->channels > MOST_COUNTERS / values_of(shape->dtype) ? 1 : workers;
}

bool cpu_tally_reserve(CpuTally *tally, HaloDevice *device, const HaloShape *shape, int workers, int64_t *total)
{
    *tally = (CpuTally){.kernels = device->kernels->hist,
                        .dtype = shape->dtype,
                        .channels = shape->channels,
                        .values = values_of(shape->dtype),
                        .workers = workers};
    tally->bytes = shape->dtype == HALO_U8
                       ? cpu_u8_tables(shape->channels) * CPU_U8_TABLE * (int64_t)sizeof(uint32_t)
                       : shape->channels * CPU_U16_VALUES;
    return cpu_reserve(total, workers, sizeof *tally->worker, &tally->at_worker) &&
           cpu_reserve(total, workers, tally->bytes, &tally->at_small);
}

void cpu_tally_begin(CpuTally *tally, void *scratch, uint64_t *count)
{
    tally->worker = (CpuCounter *)(void *)((char *)scratch + tally->at_worker);
    tally->small = (char *)scratch + tally->at_small;
    tally->count = count;
    for (int w = 0; w < tally->workers; w++) tally->worker[w] = (CpuCounter){.cleared = false};
}

static void *small_of(const CpuTally *tally, int worker) { return tally->small + worker * tally->bytes; }

static void clear(CpuTally *tally, int worker)
{
    memset(small_of(tally, worker), 0, (size_t)tally->bytes);
    tally->worker[worker] = (CpuCounter){.cleared = true};
}

/* Adds what a worker has of all tables of a channel to counters that others may add to meanwhile, or not. */
static void add_tables(const CpuTally *tally, int worker, int64_t channel, bool shared)
{
    const uint32_t *const table = small_of(tally, worker);
    uint64_t *const count = tally->count + channel * tally->values;
    for (int64_t k = channel; k < cpu_u8_tables(tally->channels); k += tally->channels)
        for (int64_t v = 0; v < tally->values; v++) {
            const uint32_t more = table[k * CPU_U8_TABLE + v];
            if (!shared)
                count[v] += more;
            else if (more > 0)
                cpu_add_shared(&count[v], more);
        }
}

/* u16 are counted in counters of 8 bits, one channel after the other. */
static void count_u16(const CpuTally *tally, const uint16_t *values, int64_t n, uint8_t *low)
{
    for (int64_t first = 0; first < n; first += CPU_U16_BLOCK)
        for (int64_t c = 0; c < tally->channels; c++)
            if (tally->left_out == NULL || !tally->left_out[c])
                tally->kernels->u16(values + first * tally->channels + c, least(CPU_U16_BLOCK, n - first),
                                    tally->channels, low + c * CPU_U16_VALUES,
                                    tally->count + c * CPU_U16_VALUES);
}

void cpu_tally_add(CpuTally *tally, const void *samples, int64_t n, int worker)
{
    CpuCounter *const own = &tally->worker[worker];
    void *const small = small_of(tally, worker);
    if (!own->cleared) clear(tally, worker);
    if (tally->dtype == HALO_U16) {
        count_u16(tally, samples, n, small);
        return;
    }
    if (own->since > MOST_PIXELS - n) {
        for (int64_t c = 0; c < tally->channels; c++) add_tables(tally, worker, c, true);
        clear(tally, worker);
    }
    tally->kernels->u8(samples, n, tally->channels, small);
    own->since += n;
}

void cpu_tally_join(const CpuTally *tally, int64_t channel, int64_t part)
{
    uint64_t *const count = tally->count + channel * tally->values;
    const int64_t some = CPU_U16_VALUES / CPU_TALLY_PARTS, first = part * some;
    for (int w = 0; w < tally->workers; w++) {
        if (!tally->worker[w].cleared) continue;
        if (tally->dtype == HALO_U16) {
            const uint8_t *const low = (const uint8_t *)small_of(tally, w) + channel * CPU_U16_VALUES;
            tally->kernels->add_u16(low + first, some, count + first);
        } else if (part == 0) {
            add_tables(tally, w, channel, false);
        }
    }
}

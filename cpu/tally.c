#include "tally.h"

#include <string.h>

#include "shared.h"

/* Pixels after which a worker's counters of bytes, of 32 bits, are added up before the end. */
#define MOST_PIXELS ((int64_t)1 << 31)

/* With more counters than this a single worker counts. */
#define MOST_COUNTERS (1 << 22)

/* Pairs of bytes are counted where there are so many samples that their counters are few, and where neighbours
 * are as near to each other as in photographs, so that these are in the first-level cache. */
#define MANY_SAMPLES (1 << 22)
#define PLACES 8 /* of a task that are looked at, so many pairs each */
#define NEAR 32

static int64_t values_of(HaloDtype dtype) { return dtype == HALO_U8 ? 256 : CPU_U16_VALUES; }

/* Counters of bytes; behind them are those of pairs. */
static int64_t table_values(const CpuTally *tally) { return cpu_u8_tables(tally->channels) * CPU_U8_TABLE; }

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
                        .workers = workers,
                        .pairs = shape->dtype == HALO_U8 && shape->channels == 1 &&
                                 shape->width >= MANY_SAMPLES / shape->height};
    tally->bytes = shape->dtype == HALO_U8
                       ? (table_values(tally) + (tally->pairs ? CPU_U16_VALUES : 0)) * (int64_t)sizeof(uint32_t)
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
    memset(small_of(tally, worker), 0,
           tally->dtype == HALO_U8 ? (size_t)table_values(tally) * sizeof(uint32_t) : (size_t)tally->bytes);
    tally->worker[worker] = (CpuCounter){.cleared = true};
}

static void add_pairs(const uint32_t *pair, uint64_t sum[256])
{
    for (int64_t second = 0; second < 256; second++, pair += 256) {
        uint64_t all = 0;
        for (int64_t first = 0; first < 256; first++) {
            sum[first] += pair[first];
            all += pair[first];
        }
        sum[second] += all;
    }
}

/* Adds what a worker has of all tables of a channel to counters that others may add to meanwhile, or not. */
static void add_tables(const CpuTally *tally, int worker, int64_t channel, bool shared)
{
    const uint32_t *const table = small_of(tally, worker);
    uint64_t *const count = tally->count + channel * tally->values, sum[256] = {0};
    if (tally->worker[worker].paired) add_pairs(table + table_values(tally), sum);
    for (int64_t k = channel; k < cpu_u8_tables(tally->channels); k += tally->channels)
        for (int64_t v = 0; v < 256; v++) sum[v] += table[k * CPU_U8_TABLE + v];
    for (int64_t v = 0; v < 256; v++)
        if (!shared)
            count[v] += sum[v];
        else if (sum[v] > 0)
            cpu_add_shared(&count[v], sum[v]);
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

/* Are three of four neighbours near to each other, in some places? */
static bool are_near(const uint8_t *values, int64_t n)
{
    int64_t near = 0;
    for (int64_t place = 0; place < PLACES && n > PLACES * PLACES; place++) {
        const uint8_t *const at = values + place * (n / PLACES);
        for (int64_t k = 0; k < PLACES; k++) {
            const int apart = at[k] - at[k + 1];
            near += apart < NEAR && apart > -NEAR;
        }
    }
    return near >= PLACES * PLACES / 4 * 3;
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
    if (tally->pairs && are_near(samples, n)) {
        uint32_t *const pairs = (uint32_t *)small + table_values(tally);
        if (!own->paired) memset(pairs, 0, CPU_U16_VALUES * sizeof *pairs);
        own->paired = true;
        tally->kernels->u8_pairs(samples, n, pairs, small);
    } else {
        tally->kernels->u8(samples, n, tally->channels, small);
    }
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

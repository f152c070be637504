/* Small windows: the samples of many windows are sorted at a time, lane by lane, by exchanges that do not
 * depend on them. Columns are sorted once for all windows that share them; what is left is to merge the columns
 * of each. */
#include <string.h>

#include "middle.h"

/* ---- networks ------------------------------------------------------------------------------------------- */

static void append(CpuNetwork *to, int64_t low, int64_t high)
{
    to->list[to->exchanges++] = (CpuExchange){(uint8_t)low, (uint8_t)high};
}

/* Batcher's odd-even merge sort of n rows from runs of `sorted` (a power of two) that are in order: K. E.
 * Batcher, "Sorting networks and their applications", 1968. Row v is row slot[v] of the block, or, where that
 * is negative, greater than any: then an exchange is only a matter of names. */
static void sort_rows(int64_t n, int64_t sorted, int16_t *slot, CpuNetwork *to)
{
    for (int64_t p = sorted; p < n; p *= 2)
        for (int64_t k = p; k >= 1; k /= 2)
            for (int64_t i = k % p; i < n - k; i++) {
                if ((i - k % p) / k % 2 != 0 || i / (2 * p) != (i + k) / (2 * p)) continue;
                if (slot[i] >= 0 && slot[i + k] >= 0) {
                    append(to, slot[i], slot[i + k]);
                } else if (slot[i] < 0) {
                    slot[i] = slot[i + k];
                    slot[i + k] = -1;
                }
            }
}

/* Drops what no wanted row depends on. */
static void prune(CpuNetwork *network, bool wanted[CPU_NETWORK_MOST])
{
    int64_t from = network->exchanges;
    for (int64_t k = network->exchanges - 1; k >= 0; k--) {
        const CpuExchange e = network->list[k];
        if (!wanted[e.low] && !wanted[e.high]) continue;
        wanted[e.low] = wanted[e.high] = true;
        network->list[--from] = e;
    }
    network->exchanges -= from;
    memmove(network->list, network->list + from, sizeof *network->list * (size_t)network->exchanges);
}

/* Column i of a window becomes rows i * height and on of the block. Where there are NaN, the greatest is wanted
 * too; where they are left out, any can be the wanted one. */
void cpu_network_make(CpuMiddle *m)
{
    const int64_t width = m->along.window, height = m->across.window;
    int16_t slot[2 * CPU_NETWORK_MOST];
    bool wanted[CPU_NETWORK_MOST] = {false};
    int64_t run = 1;
    while (run < height) run *= 2;
    m->columns->exchanges = m->merge->exchanges = 0;
    for (int64_t j = 0; j < height; j++) slot[j] = (int16_t)j;
    sort_rows(height, 1, slot, m->columns);
    for (int64_t i = 0; i < width; i++)
        for (int64_t j = 0; j < run; j++) slot[i * run + j] = (int16_t)(j < height ? i * height + j : -1);
    sort_rows(width * run, run, slot, m->merge);
    for (int64_t k = 0; k < m->samples; k++) m->slot[k] = (uint8_t)slot[k];
    if (m->keys == HALO_F32) {
        *m->merge_nan = *m->merge;
        for (int64_t k = 0; k < m->samples; k++)
            wanted[m->slot[k]] = k == m->index || k == m->samples - 1 || m->rank->window.nan_ignore;
        prune(m->merge_nan, wanted);
    }
    memset(wanted, 0, sizeof wanted);
    wanted[m->slot[m->index]] = true;
    prune(m->merge, wanted);
}

/* ---- a tile --------------------------------------------------------------------------------------------- */

/* Where a tile has its own memory. */
typedef struct Sort {
    CpuMiddleTask *task;
    char *sorted; /* lines of the columns' first, second, … samples */
    char *block;
} Sort;

/* Which of the sorted keys of each lane: all f32, NaN last. */
static void select(const CpuMiddle *m, const uint32_t (*block)[CPU_RANK_LANES], uint32_t *key)
{
    for (int i = 0; i < CPU_RANK_LANES; i++) {
        int64_t count = m->samples;
        while (m->rank->window.nan_ignore && count > 0 && block[m->slot[count - 1]][i] == HALO_KEY_NAN) count--;
        const bool none = count == 0 || block[m->slot[count - 1]][i] == HALO_KEY_NAN;
        key[i] = none ? HALO_KEY_NAN : block[m->slot[halo_rank_index(m->rank->fraction, count)]][i];
        if (m->rank->halves && !none && count % 2 == 0)
            key[i] = halo_rank_mean(key[i], block[m->slot[count / 2]][i]);
    }
}

static void sort_columns(const Sort *s, const void *const *line)
{
    const CpuMiddle *m = s->task->m;
    const int64_t height = m->across.window, n = s->task->wide * m->channels, size = m->key_size;
    for (int64_t e = 0; e < n; e += CPU_RANK_LANES) {
        if (s->task->in_place && e > n - CPU_RANK_LANES) e = n - CPU_RANK_LANES;
        for (int64_t j = 0; j < height; j++)
            memcpy(s->block + j * CPU_RANK_LANES * size, (const char *)line[j] + e * size,
                   CPU_RANK_LANES * (size_t)size);
        m->device->kernels->rank->exchange[s->task->keys](m->columns->list, m->columns->exchanges, s->block);
        for (int64_t j = 0; j < height; j++)
            memcpy(s->sorted + (j * m->pitch + e) * size, s->block + j * CPU_RANK_LANES * size,
                   CPU_RANK_LANES * (size_t)size);
    }
}

static void merge_columns(const Sort *s, bool nan, char *out)
{
    const CpuMiddle *m = s->task->m;
    const int64_t width = m->along.window, height = m->across.window, size = m->key_size;
    const CpuNetwork *network = nan ? m->merge_nan : m->merge;
    for (int64_t e = 0; e < s->task->cols * m->channels; e += CPU_RANK_LANES) {
        char *row = s->block;
        for (int64_t i = 0; i < width; i++)
            for (int64_t j = 0; j < height; j++, row += CPU_RANK_LANES * size)
                memcpy(row, s->sorted + (j * m->pitch + i * m->channels + e) * size,
                       CPU_RANK_LANES * (size_t)size);
        m->device->kernels->rank->exchange[s->task->keys](network->list, network->exchanges, s->block);
        if (nan)
            select(m, (const uint32_t(*)[CPU_RANK_LANES])(const void *)s->block,
                   (uint32_t *)(void *)(out + e * size));
        else
            memcpy(out + e * size, s->block + m->slot[m->index] * CPU_RANK_LANES * size,
                   CPU_RANK_LANES * (size_t)size);
    }
}

/* The kernel that has the whole window in registers, if there is one. */
static CpuMedian *median_of(const CpuMiddleTask *task, bool nan)
{
    const CpuMiddle *m = task->m;
    const CpuRankKernels *kernels = m->device->kernels->rank;
    const int64_t side = m->along.window;
    if (side != m->across.window || (side != 3 && side != 5) || m->index != m->samples / 2) return NULL;
    if (nan && m->rank->window.nan_ignore) return NULL;
    return kernels->median[side == 5][task->keys];
}

bool cpu_network_in_registers(const CpuMiddleTask *task)
{
    return task->m->way == cpu_network_tile && task->keys != HALO_F32 && median_of(task, false) != NULL;
}

void cpu_network_tile(CpuMiddleTask *task)
{
    const CpuMiddle *m = task->m;
    const int64_t height = m->across.window;
    char *const own = task->scratch + m->at_own, *const out = cpu_middle_out(task);
    const Sort s = {task, own, own + height * m->pitch * m->key_size};
    const void *line[CPU_NETWORK_MOST];
    for (int64_t y = 0; y < task->rows; y++) {
        for (int64_t j = 0; j < height; j++) line[j] = cpu_middle_line(task, y + j);
        const bool nan = task->last_nan >= y;
        CpuMedian *const median = median_of(task, nan);
        if (median != NULL) {
            void *const place = cpu_middle_place(task, y);
            const CpuMedianLines lines = {
                line, m->channels, task->cols * m->channels, task->left, task->right, s.sorted, m->pitch};
            median(&lines, place);
            cpu_middle_put(task, y, place);
        } else {
            sort_columns(&s, line);
            merge_columns(&s, nan, out);
            cpu_middle_put(task, y, out);
        }
    }
}

bool cpu_network_scratch(const CpuMiddle *m, int64_t *total)
{
    const int64_t block = m->samples * CPU_RANK_LANES;
    int64_t at;
    return cpu_reserve(total, m->across.window * m->pitch + block, m->key_size, &at);
}

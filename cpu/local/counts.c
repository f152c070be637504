/* The mode and the deviation of windows of bytes, from counts of the values: their cost hardly grows with the
 * window. The median moves from one window to the next (T. Huang and others, 1979). */
#include <string.h>

#include "local.h"

#define VALUES 256

typedef struct Counts {
    const CpuLocalTile *tile;
    int32_t *count;        /* of values from -VALUES to 2 * VALUES - 1, most of which do not occur */
    int64_t rank;          /* of the median */
    int32_t median, below; /* below: samples less than it */
    int32_t mode;          /* less than 0: to be looked for */
} Counts;

int64_t cpu_local_counts_bytes(void) { return 3 * VALUES * (int64_t)sizeof(int32_t); }

bool cpu_local_is_counted(const CpuLocal *l)
{
    const HaloWindow *window = &l->how->window;
    return (l->how->kind == HALO_LOCAL_MODE || l->how->kind == HALO_LOCAL_MAD) &&
           l->source.src->shape.dtype == HALO_U8 && window->border != HALO_BORDER_CONSTANT;
}

/* A column of the window comes, or goes. */
static void take(Counts *counts, int64_t row, int64_t x, int64_t c, int by)
{
    const CpuLocal *l = counts->tile->l;
    const float *at = counts->tile->line + row * l->pitch + x * l->dst->shape.channels + c;
    for (int64_t j = 0; j < l->how->window.height; j++, at += l->pitch) {
        const int32_t v = (int32_t)*at;
        counts->count[v] += by;
        counts->below += v < counts->median ? by : 0;
        if (counts->mode < 0) continue;
        const int32_t most = counts->count[counts->mode];
        if (by < 0 && v == counts->mode)
            counts->mode = -1;
        else if (by > 0 && (counts->count[v] > most || (counts->count[v] == most && v < counts->mode)))
            counts->mode = v;
    }
}

static float mode_of(Counts *counts)
{
    if (counts->mode >= 0) return (float)counts->mode;
    counts->mode = 0;
    for (int32_t v = 1; v < VALUES; v++)
        if (counts->count[v] > counts->count[counts->mode]) counts->mode = v;
    return (float)counts->mode;
}

static float deviation_of(Counts *counts)
{
    const int32_t *const count = counts->count;
    while (counts->below > counts->rank) counts->below -= count[--counts->median];
    while (counts->below + count[counts->median] <= counts->rank) counts->below += count[counts->median++];
    int32_t far = 0;
    for (int64_t within = count[counts->median]; within <= counts->rank;) {
        far++;
        within += count[counts->median - far] + count[counts->median + far];
    }
    return (float)far;
}

void cpu_local_counted(const CpuLocalTile *tile, int64_t row)
{
    const CpuLocal *l = tile->l;
    const int64_t width = l->how->window.width, channels = l->dst->shape.channels;
    const bool mode = l->how->kind == HALO_LOCAL_MODE;
    int32_t *const all = (int32_t *)(void *)tile->own;
    for (int64_t c = 0; c < channels; c++) {
        Counts counts = {.tile = tile, .count = all + VALUES, .rank = (width * l->how->window.height - 1) / 2};
        counts.mode = mode ? -1 : -2;
        memset(all, 0, (size_t)cpu_local_counts_bytes());
        for (int64_t x = 0; x < width - 1; x++) take(&counts, row, x, c, 1);
        for (int64_t x = 0; x < tile->cols; x++) {
            take(&counts, row, x + width - 1, c, 1);
            tile->out[x * channels + c] = mode ? mode_of(&counts) : deviation_of(&counts);
            take(&counts, row, x, c, -1);
        }
    }
}

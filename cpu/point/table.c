#include "table.h"

#include <string.h>

/* Values that go through the points together, and samples whose losses are looked up together. */
#define PIECE 2048

static int64_t entries_of(HaloDtype dtype) { return dtype == HALO_U8 ? 256 : 65536; }

/* A table of bytes is looked up in registers; making it takes as long as so many samples do without one. */
#define BYTES_PAY ((double)(1 << 18))

static bool has_power(const HaloMap *map)
{
    for (int p = 0; p < map->points; p++)
        if (map->point[p].op >= HALO_POINT_POWER) return true;
    return false;
}

/* Powers take twenty times as long as looking up. Sums and products take no longer, but for bytes that become
 * bytes: 1.4 to 2.7 times by AVX2 and 3.4 to 5 by AVX-512, where none of them is clipped. */
bool cpu_tables_pay(const HaloBuf *src, const HaloBuf *dst, const HaloMap *map)
{
    const HaloDtype from = src->shape.dtype;
    const double samples = (double)dst->cols * (double)dst->rows * dst->shape.channels;
    if (map->kind != HALO_MAP_POINTS || from > HALO_U16) return false;
    if (has_power(map)) return samples >= 8.0 * (double)entries_of(from);
    return from == HALO_U8 && dst->shape.dtype == HALO_U8 && dst->shape.alpha < 0 && samples >= BYTES_PAY;
}

bool cpu_tables_stay(const CpuTables *tables, const HaloMap *map)
{
    return has_power(map) || !tables->points.clips;
}

/* ---- making --------------------------------------------------------------------------------------------- */

int64_t cpu_tables_bytes(const HaloBuf *src, const HaloBuf *dst)
{
    return 2 * entries_of(src->shape.dtype) * ((int64_t)halo_dtype_size(dst->shape.dtype) + 1);
}

void cpu_tables_place(CpuTables *tables, const HaloDevice *device, const HaloBuf *src, const HaloBuf *dst,
                      void *block)
{
    const int64_t entries = entries_of(src->shape.dtype), size = (int64_t)halo_dtype_size(dst->shape.dtype);
    *tables = (CpuTables){.rows = device->kernels->rows,
                          .bytes = device->kernels->u8,
                          .from = src->shape.dtype,
                          .to = dst->shape.dtype,
                          .channels = dst->shape.channels,
                          .alpha = dst->shape.alpha};
    tables->points.value = block;
    tables->straight.value = (char *)block + entries * size;
    tables->points.lost = (uint8_t *)block + 2 * entries * size;
    tables->straight.lost = tables->points.lost + entries;
}

void cpu_tables_set(const CpuTables *tables, CpuTable *table, int64_t at, float *result, int64_t n,
                    HaloStore store)
{
    const int64_t size = (int64_t)halo_dtype_size(tables->to);
    for (int64_t i = 0; i < n; i++) {
        uint64_t lost = 0;
        tables->rows->store[tables->to](result + i, 1, store, (char *)table->value + (at + i) * size, &lost);
        table->lost[at + i] = (uint8_t)lost;
        table->clips = table->clips || lost > 0;
    }
}

/* Point operations of bytes are often as simple as that: thresholds above all, and inversion. */
static void find_form(CpuTable *table)
{
    const uint8_t *const value = table->value;
    int below = 1, above = 255, inverted = 0; /* those like the first, and the first of those like the last */
    while (below < 256 && value[below] == value[0]) below++;
    while (above > 0 && value[above - 1] == value[255]) above--;
    while (inverted < 256 && value[inverted] == 255 - inverted) inverted++;
    table->from = (uint8_t)above;
    table->form = below >= above ? CPU_TABLE_STEP : inverted == 256 ? CPU_TABLE_INVERTS : CPU_TABLE_ANY;
}

/* `map` NULL: values stay what they are. */
static void fill(CpuTables *tables, CpuTable *table, const HaloMap *map, HaloStore store)
{
    const int64_t entries = entries_of(tables->from);
    float row[PIECE];
    for (int64_t at = 0; at < entries; at += PIECE) {
        const int64_t n = entries - at < PIECE ? entries - at : PIECE;
        for (int64_t i = 0; i < n; i++) row[i] = (float)(at + i);
        if (map != NULL) tables->rows->points(row, n, map->point, map->points);
        cpu_tables_set(tables, table, at, row, n, store);
    }
    if (tables->from == HALO_U8 && tables->to == HALO_U8) find_form(table);
}

void cpu_tables_set_straight(CpuTables *tables, HaloStore store)
{
    if (tables->alpha >= 0) fill(tables, &tables->straight, NULL, store);
}

HaloStatus cpu_tables_make(HaloDevice *device, const HaloBuf *src, const HaloBuf *dst, const HaloMap *map,
                           HaloStore store, CpuTables *tables)
{
    HaloStatus status = HALO_OK;
    void *block = NULL;
    HALO_TRY(cpu_scratch(device, cpu_tables_bytes(src, dst), &block));
    cpu_tables_place(tables, device, src, dst, block);
    fill(tables, &tables->points, map, store);
    cpu_tables_set_straight(tables, store);
out:
    return status;
}

/* ---- looking up ----------------------------------------------------------------------------------------- */

#define LOOK(S, D)                  \
    for (int64_t i = 0; i < n; i++) \
    ((D *)out)[i * step] = ((const D *)table->value)[((const S *)samples)[i * step]]

static void look_bytes(const CpuTables *tables, const CpuTable *table, const uint8_t *samples, int64_t n,
                       uint8_t *out)
{
    const uint8_t *const value = table->value;
    switch (table->form) {
    case CPU_TABLE_STEP: tables->bytes->step(samples, n, table->from, value[0], value[255], out); break;
    case CPU_TABLE_INVERTS: tables->bytes->invert(samples, n, out); break;
    case CPU_TABLE_ANY: tables->bytes->look(samples, n, value, out); break;
    }
}

/* Every `step`-th sample. */
static void look(const CpuTables *tables, const CpuTable *table, const void *samples, int64_t n, int64_t step,
                 void *out)
{
    switch (tables->from * 3 + tables->to) {
    case HALO_U8 * 3 + HALO_U8:
        if (step == 1)
            look_bytes(tables, table, samples, n, out);
        else
            LOOK(uint8_t, uint8_t);
        break;
    case HALO_U8 * 3 + HALO_U16: LOOK(uint8_t, uint16_t); break;
    case HALO_U8 * 3 + HALO_F32: LOOK(uint8_t, float); break;
    case HALO_U16 * 3 + HALO_U8: LOOK(uint16_t, uint8_t); break;
    case HALO_U16 * 3 + HALO_U16: LOOK(uint16_t, uint16_t); break;
    case HALO_U16 * 3 + HALO_F32: LOOK(uint16_t, float); break;
    }
}

static uint64_t count_u8(const CpuTables *tables, const CpuTable *table, const uint8_t *samples, int64_t n)
{
    uint8_t flag[PIECE];
    uint64_t lost = 0;
    for (int64_t at = 0; at < n; at += PIECE) {
        const int64_t count = n - at < PIECE ? n - at : PIECE;
        unsigned here = 0;
        tables->bytes->look(samples + at, count, table->lost, flag);
        for (int64_t i = 0; i < count; i++) here += flag[i];
        lost += here;
    }
    return lost;
}

static uint64_t count_lost(const CpuTables *tables, const CpuTable *table, const void *samples, int64_t n,
                           int64_t step)
{
    const uint8_t *byte = samples;
    const uint16_t *word = samples;
    uint64_t lost = 0;
    if (!table->clips) return 0;
    if (tables->from == HALO_U8 && step == 1) return count_u8(tables, table, byte, n);
    for (int64_t i = 0; i < n; i++)
        lost += table->lost[tables->from == HALO_U8 ? byte[i * step] : word[i * step]];
    return lost;
}

void cpu_tables_look(const CpuTables *tables, const void *samples, int64_t pixels, void *out, uint64_t *clipped)
{
    const int channels = tables->channels, alpha = tables->alpha;
    const CpuTable *points = &tables->points, *straight = &tables->straight;
    look(tables, points, samples, pixels * channels, 1, out);
    *clipped += count_lost(tables, points, samples, pixels * channels, 1);
    if (alpha < 0) return;
    /* Alpha went through the points with the rest: it is put right. */
    const void *from = (const char *)samples + alpha * (int64_t)halo_dtype_size(tables->from);
    look(tables, straight, from, pixels, channels, (char *)out + alpha * (int64_t)halo_dtype_size(tables->to));
    *clipped += count_lost(tables, straight, from, pixels, channels) -
                count_lost(tables, points, from, pixels, channels);
}

bool cpu_tables_look_past(const CpuTables *tables, const void *samples, int64_t pixels, void *out)
{
    const CpuTable *points = &tables->points;
    const uint8_t *const value = points->value;
    if (points->form != CPU_TABLE_STEP || points->clips || tables->alpha >= 0) return false;
    return tables->bytes->step_past(samples, pixels * tables->channels, points->from, value[0], value[255],
                                    out);
}

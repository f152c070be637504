/* Maps of 8- and 16-bit samples by looking up: what a program of points makes of every value there is. */
#ifndef CPU_TABLE_H
#define CPU_TABLE_H

#include "device.h"

/* Tables of bytes that need not be looked up. */
typedef enum CpuTableForm { CPU_TABLE_ANY, CPU_TABLE_STEP, CPU_TABLE_INVERTS } CpuTableForm;

/* Of every value of the source what becomes of it, and whether it is clipped on the way. */
typedef struct CpuTable {
    void *value;   /* [entries] samples of the destination */
    uint8_t *lost; /* [entries] 0 or 1 */
    bool clips;    /* any of them */
    CpuTableForm form;
    uint8_t from; /* of a step: where the second value begins */
} CpuTable;

typedef struct CpuTables {
    const CpuRowKernels *rows;
    const CpuU8Kernels *bytes;
    HaloDtype from, to;
    int channels, alpha; /* alpha: -1, or the channel that `straight` is for */
    CpuTable points, straight;
} CpuTables;

/* Is looking up faster than computing? */
bool cpu_tables_pay(const HaloBuf *src, const HaloBuf *dst, const HaloMap *map);
/* The same of tables that are made: clipped samples have to be counted, which may take longer. */
bool cpu_tables_stay(const CpuTables *tables, const HaloMap *map);
/* What tables need, and where they lie; then what becomes of values from `at` on, of whose results nothing
 * stays; and alpha, as it is. */
int64_t cpu_tables_bytes(const HaloBuf *src, const HaloBuf *dst);
void cpu_tables_place(CpuTables *tables, const HaloDevice *device, const HaloBuf *src, const HaloBuf *dst,
                      void *block);
void cpu_tables_set(const CpuTables *tables, CpuTable *table, int64_t at, float *result, int64_t n,
                    HaloStore store);
void cpu_tables_set_straight(CpuTables *tables, HaloStore store);
/* Both tables, in the device's scratch memory. */
HaloStatus cpu_tables_make(HaloDevice *device, const HaloBuf *src, const HaloBuf *dst, const HaloMap *map,
                           HaloStore store, CpuTables *tables);
/* Pixels, side by side. */
void cpu_tables_look(const CpuTables *tables, const void *samples, int64_t pixels, void *out,
                     uint64_t *clipped);
/* The same past the caches, where that takes no copy; none is clipped. False: nothing is done. */
bool cpu_tables_look_past(const CpuTables *tables, const void *samples, int64_t pixels, void *out);

#endif

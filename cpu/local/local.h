/* What the parts of the local primitive share (halo/local.h): tiles of the result, with the lines of the source
 * that their windows lie over. */
#ifndef CPU_LOCAL_H
#define CPU_LOCAL_H

#include "halo/local.h"
#include "stencil.h"

typedef struct CpuLocal {
    CpuStencil source;
    const HaloLocal *how;
    HaloBuf *dst;
    HaloStore store;
    bool counted; /* bytes are counted, rather than sorted */
    int64_t tiles, tile_cols, tile_rows;
    int64_t pitch;                                  /* floats of a line */
    int64_t scratch_bytes, at_line, at_out, at_own; /* of a worker */
    char *scratch;
    HaloDevice *device;
} CpuLocal;

/* The rows [y, y + rows) and columns [x, x + cols) of the result. Line i is that of source row y + oy + i, from
 * the first column of the first window on. */
typedef struct CpuLocalTile {
    const CpuLocal *l;
    int64_t x, y, cols, rows;
    float *line, *out;
    char *own; /* what its kind takes */
} CpuLocalTile;

/* order.c: bytes that a tile takes beside its lines; and row `row` of it, into tile->out. */
int64_t cpu_local_order_bytes(const CpuLocal *l);
void cpu_local_mode(const CpuLocalTile *tile, int64_t row);
void cpu_local_deviation(const CpuLocalTile *tile, int64_t row);
/* counts.c: the same of bytes, where it is the mode or the deviation. */
bool cpu_local_is_counted(const CpuLocal *l);
int64_t cpu_local_counts_bytes(void);
void cpu_local_counted(const CpuLocalTile *tile, int64_t row);
/* entropy.c: the same. Lines hold numbers of bins. */
int64_t cpu_local_entropy_bytes(const CpuLocal *l);
void cpu_local_bins(const CpuLocalTile *tile, float *line, int64_t n);
void cpu_local_entropy(const CpuLocalTile *tile, int64_t row);

#endif

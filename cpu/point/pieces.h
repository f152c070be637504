/* Point operations: rows are cut into pieces that stay in the first-level cache from
 * the load to the store. */
#ifndef CPU_POINT_PIECES_H
#define CPU_POINT_PIECES_H

#include "device.h"
#include "table.h"

typedef struct Pieces Pieces;

struct Pieces {
    /* Makes pixels of row y of the destination, from column x on, in `row` or in `other`, and returns which.
     * Each has space for as many pixels of `widest` channels. */
    float *(*make)(const Pieces *pieces, float *row, float *other, int64_t x, int64_t y, int64_t pixels);
    /* NULL, or makes them as bytes, none of them clipped, instead. */
    void (*make_bytes)(const Pieces *pieces, int64_t x, int64_t y, int64_t pixels, uint8_t *to);
    const HaloBuf *a, *b; /* b: NULL for maps */
    HaloBuf *dst;
    const HaloMap *map;
    const HaloCombine *combine;
    const HaloMix *mix;
    const HaloFade *fade;
    const HaloColor *color;
    const HaloDither *dither;
    const CpuTables *tables; /* of the map; NULL: it is computed by `make` */
    HaloStore store;
    int widest;
    bool spread; /* b is not laid out as a is */
    HaloDevice *device;
    /* Set by cpu_pieces_run. */
    int64_t pixels;                                    /* in a piece */
    bool stream;                                       /* results go past the caches */
    int64_t at_row, at_other, at_spare, scratch_bytes; /* of a worker */
    int64_t rows_per_task, pieces_per_task;
    int64_t pieces, piece_tasks; /* in a row */
    char *scratch;
};

/* All pieces of the destination. */
HaloStatus cpu_pieces_run(Pieces *pieces);
/* Pixels (x, y) and on of a source, as f32. */
void cpu_pieces_load(const Pieces *pieces, const HaloBuf *from, int64_t x, int64_t y, int64_t pixels,
                     float *row);
/* Does `src` hold dst's rectangle moved by (dx, dy), as one of the types that samples have between steps? */
bool cpu_pieces_hold(const HaloBuf *src, const HaloBuf *dst, int64_t dx, int64_t dy);

#endif

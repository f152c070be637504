/* Equalization: what its files share. */
#ifndef HALO_CUDA_EQUALIZE_CUH
#define HALO_CUDA_EQUALIZE_CUH

#include "bins.cuh"
#include "point/rows.cuh"

static const int byte_levels = 256, word_levels = word_bins;

struct EqualizeArgs {
    const char *src;
    char *dst;
    int64_t src_stride, dst_stride;
    int64_t width, height;
    int64_t parts; /* blocks of a tile that is counted, or of a cell that is looked up */
    float over_x, over_y; /* 1 over the sides of a tile */
    int channels, alpha, sets;
    bool packed, stores; /* packs of 16 bytes may be read, and packs of four samples stored */
    HaloDtype dtype, to;
    HaloEqualize how;
    BinScale scale; /* of floats */
    HaloStore store;
    unsigned long long *count; /* [tiles][sets][bins] */
    float *table;              /* the same */
    float4 *fours;             /* [cells][sets][bins]: what the tables around a cell make of a level (equalize_words.cu) */
    unsigned long long *clipped;
};

/* halo_equalize_bin, of a sample that is not NaN. */
__device__ __forceinline__ static int equalize_bin(const EqualizeArgs &a, float v)
{
    if (a.dtype != HALO_F32) return (int)v;
    const int bin = bin_of(a.scale, v);
    return bin == -1 ? 0 : bin == -2 ? a.scale.bins - 1 : bin;
}

/* Counts the levels of every tile; and looks every sample up: equalize_words where tables are too large for shared memory, by
 * fours, of which there are so many, where tiles are mixed. */
HaloStatus equalize_count(HaloDevice *device, EqualizeArgs *args, int64_t tiles);
HaloStatus equalize_look(HaloDevice *device, EqualizeArgs *args);
HaloStatus equalize_words(HaloDevice *device, EqualizeArgs *args);
int64_t equalize_fours(const EqualizeArgs *args);

#endif

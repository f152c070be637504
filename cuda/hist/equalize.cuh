/* Equalization: what its files share. */
#ifndef HALO_CUDA_EQUALIZE_CUH
#define HALO_CUDA_EQUALIZE_CUH

#include "bins.cuh"
#include "point/rows.cuh"

static const int u8_levels = 256, u16_levels = u16_bins;

/* Of some bins of a table (equalize.cu). */
struct TableSums {
    unsigned long long total, kept, least;
};

/* A level's results of four tables, side by side (a quad): floats; integers of 16 bits; or packed: for 16
 * neighbouring levels, the results of the first in 16 bits, and 6 bits for each level's distance from these. */
enum QuadForm { QUADS_F32, QUADS_U16, QUADS_PACKED };
static const int packed_group = 16, packed_most = 63;

/* QUADS_PACKED in memory, per cell: levels in one set of tables. */
struct PackedQuads {
    uint16_t low[u16_levels]; /* of 24 bits */
    uint8_t high[u16_levels];
    uint2 base[u16_levels / packed_group];
};

struct EqualizeArgs {
    const char *src;
    char *dst;
    int64_t src_stride, dst_stride;
    int64_t width, height;
    int64_t parts;        /* blocks per tile when counting, or per cell when looking up */
    float over_x, over_y; /* 1 over the sides of a tile */
    int channels, alpha, sets;
    bool packed, stores; /* may packs of 16 bytes be read, and packs of four samples be stored? */
    HaloDtype dtype, to;
    HaloEqualize how;
    BinScale scale; /* of floats */
    HaloStore store;
    void *count; /* [tiles][sets][bins], of 32 bits where `bits32`, else of 64 */
    bool bits32;
    float *table;      /* the same */
    TableSums *sums;   /* [tiles][sets][parts of a table] */
    uint64_t expected; /* samples of a tile in a set, if none is NaN */
    void *quads;       /* [cells][sets][bins]: results of the tables around a cell */
    QuadForm form;     /* of these */
    bool fast;         /* equalize_lookup supports it */
    unsigned long long *clipped;
};

/* The bin of a float for which single precision is not certain: out of line, since it is rarely called. */
static __device__ __noinline__ int equalize_bin_exact(const EqualizeArgs &a, float v)
{
    const int bin = bin_of(a.scale, (double)v);
    return bin == -1 ? 0 : bin == -2 ? a.scale.bins - 1 : bin;
}

/* The level of a sample that is not NaN: integers are levels; floats have bins, the first or last beyond full
 * scale. */
CUDA_INLINE int equalize_bin(const EqualizeArgs &a, float v)
{
    if (a.dtype != HALO_F32) return (int)v;
    const unsigned bin = a.scale.fast >= 0.0f ? bin_fast(a.scale, v) : (unsigned)a.scale.bins;
    return bin < (unsigned)a.scale.bins ? (int)bin : equalize_bin_exact(a, v);
}

/* equalize_count.cu: counts the levels of every tile, in counters of 32 bits or of 64. */
bool equalize_counts32(const HaloDevice *device, const EqualizeArgs *args);
HaloStatus equalize_count(HaloDevice *device, EqualizeArgs *args, int64_t tiles);
/* equalize_quads.cu: merges the tables around a cell into quads, where tiles are mixed; bytes of these, -1 if
 * too many. */
int64_t equalize_quads_bytes(const EqualizeArgs *args);
HaloStatus equalize_make_quads(HaloDevice *device, const EqualizeArgs *args);
/* Looks up every sample: equalize_lookup.cu, or equalize_packed.cu for packed quads; equalize_quads.cu what
 * these do not support. */
bool equalize_lookup_takes(const EqualizeArgs *args);
QuadForm equalize_form(const HaloDevice *device, const EqualizeArgs *args);
HaloStatus equalize_lookup(HaloDevice *device, EqualizeArgs *args);
bool equalize_packed_takes(const HaloDevice *device, const EqualizeArgs *args);
HaloStatus equalize_packed(HaloDevice *device, EqualizeArgs *args);
HaloStatus equalize_any(HaloDevice *device, EqualizeArgs *args);

#endif

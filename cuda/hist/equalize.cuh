/* Equalization: what its files share. */
#ifndef HALO_CUDA_EQUALIZE_CUH
#define HALO_CUDA_EQUALIZE_CUH

#include "bins.cuh"
#include "point/rows.cuh"

static const int byte_levels = 256, word_levels = word_bins;

/* Of some bins of a table (equalize.cu). */
struct TableSums {
    unsigned long long total, kept, least;
};

/* A level's results of four tables, side by side: floats; whole numbers of 16 bits; or, of 16 neighbouring levels, those of the
 * first in 16 bits, and how far beyond these each lies in 6. */
enum FourForm { FOURS_FLOATS, FOURS_WHOLE, FOURS_NEAR };
static const int near_group = 16, near_most = 63;

/* How FOURS_NEAR lies in memory, for each cell: levels in one set of tables. */
struct NearFours {
    uint16_t low[word_levels]; /* of 24 bits */
    uint8_t high[word_levels];
    uint2 base[word_levels / near_group];
};

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
    void *count;               /* [tiles][sets][bins], of 32 bits where `narrow`, else of 64 */
    bool narrow;
    float *table;              /* the same */
    TableSums *sums;           /* [tiles][sets][parts of a table] */
    uint64_t expected;         /* samples of a tile that a set counts, if none is NaN */
    void *fours;               /* [cells][sets][bins]: what the tables around a cell make of a level */
    FourForm form;             /* of these */
    bool quick;                /* samples are looked up by equalize_quick */
    unsigned long long *clipped;
};

/* The same of a float that single precision does not tell: a function by itself, for it is seldom called. */
static __device__ __noinline__ int equalize_bin_apart(const EqualizeArgs &a, float v)
{
    const int bin = bin_of(a.scale, (double)v);
    return bin == -1 ? 0 : bin == -2 ? a.scale.bins - 1 : bin;
}

/* The level of a sample that is not NaN: an integer itself, of floats the bin, the first or last beyond full scale. */
__device__ __forceinline__ static int equalize_bin(const EqualizeArgs &a, float v)
{
    if (a.dtype != HALO_F32) return (int)v;
    const unsigned bin = a.scale.quick >= 0.0f ? bin_quick(a.scale, v) : (unsigned)a.scale.bins;
    return bin < (unsigned)a.scale.bins ? (int)bin : equalize_bin_apart(a, v);
}

/* equalize_count.cu: the levels of every tile, in counters of 32 bits or not. */
bool equalize_narrow(const HaloDevice *device, const EqualizeArgs *args);
HaloStatus equalize_count(HaloDevice *device, EqualizeArgs *args, int64_t tiles);
/* equalize_join.cu: the tables around a cell as one, where tiles are mixed; how much room they take, -1 if that is no number. */
int64_t equalize_fours(const EqualizeArgs *args);
HaloStatus equalize_join(HaloDevice *device, const EqualizeArgs *args);
/* Looks every sample up: equalize_quick.cu what that takes, of which equalize_near.cu has a part, equalize_join.cu the rest. */
bool equalize_quick_takes(const EqualizeArgs *args);
FourForm equalize_form(const HaloDevice *device, const EqualizeArgs *args);
HaloStatus equalize_quick(HaloDevice *device, EqualizeArgs *args);
bool equalize_near_takes(const HaloDevice *device, const EqualizeArgs *args);
HaloStatus equalize_near(HaloDevice *device, EqualizeArgs *args);
HaloStatus equalize_rest(HaloDevice *device, EqualizeArgs *args);

#endif

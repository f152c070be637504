/* The ladder: the classic teaching kernels, from the naive one to the product's own, each checked and timed
 * under the same roof. One family a file; a family is a table of rungs and a few functions that make its data
 * and its reference. ladder.cu runs the tables. */
#ifndef HALO_CUDA_LADDER_CUH
#define HALO_CUDA_LADDER_CUH

#include "common.cuh"
#include "halo/ladder.h"

extern "C" const HaloBackend halo_backend_cuda; /* the last rung of every family is the product itself */

/* ---- what a rung is given ------------------------------------------------------------------------------- */

/* One size and kind of data that all rungs of a family are run at. */
struct LadderCase {
    int64_t width, height; /* elements; height 1 but for conv2d */
    int variant;           /* the family's own: an operation, or the width of a mask */
    bool worked;           /* data and result of an example worked by hand */
};

/* The sizes at which kernels written for powers of two go wrong. */
#define LADDER_AWKWARD(variant)                                                                       \
    {0, 1, variant, false}, {1, 1, variant, false}, {31, 1, variant, false}, {33, 1, variant, false}, \
    {                                                                                                 \
        1000003, 1, variant, false                                                                    \
    }

/* Scratch memory is as large as the input, and at least this. */
#define LADDER_SCRATCH_LEAST ((int64_t)8 << 20)

/* One case being run. All memory is on the device. */
struct LadderRun {
    HaloDevice *device;
    LadderCase size;
    int64_t n;      /* width * height */
    const void *in; /* n elements */
    void *out;      /* the result: 4-byte words */
    void *scratch;  /* what passes between a rung's launches */
    void *temp;     /* what `prepare` of the product and of CUB needs besides; freed by the runner */
    size_t temp_bytes;
    HaloMoments moments; /* the answers of the product that come back to host memory */
    uint64_t count[256];
};

/* ---- rungs and families --------------------------------------------------------------------------------- */

typedef HaloStatus LadderStep(LadderRun *run);

struct LadderRung {
    const char *name, *change, *note;
    LadderStep *launch = NULL;  /* what is timed; NULL: the row is a prediction */
    LadderStep *prepare = NULL; /* before it, not timed */
    LadderStep *collect = NULL; /* after it, not timed: makes the result comparable */
    int64_t bytes = 0;          /* moved for an element, at least; 0: as the family says */
    int64_t least = 0;          /* the fewest elements it takes */
    int64_t timed = 0;          /* time it with this many elements, where all would take too long */
    double predicted = 0;       /* how often a loaded sample is used; 0: no prediction */
};

struct LadderFamily {
    const char *name;
    int64_t element;        /* bytes of an input element */
    int64_t bytes;          /* moved for an element, at least */
    bool copies;            /* the ceiling is that of copying, else of reading */
    const LadderCase *size; /* the last is the one that is timed */
    int sizes;
    int64_t (*words)(const LadderCase *size);       /* of the result */
    void (*fill)(const LadderCase *size, void *in); /* host memory */
    void (*expect)(const LadderCase *size, const void *in, uint32_t *out);
    HaloStatus (*constants)(HaloDevice *device, const LadderCase *size); /* masks; or NULL */
    const LadderRung *rung;
    int rungs;
};

#define LADDER_COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

extern const LadderFamily ladder_reduce_ha, ladder_reduce_warp, ladder_reduce_tree, ladder_reduce_steps;
extern const LadderFamily ladder_conv1d, ladder_conv2d, ladder_scan, ladder_histogram;

/* ---- data ----------------------------------------------------------------------------------------------- */

/* Numbers that look random and depend on `i` alone, so that a shorter case is the beginning of a longer one.
 * The finaliser of A. Appleby's MurmurHash3 over a Weyl sequence. */
static inline uint32_t ladder_random(int64_t i)
{
    uint32_t h = (uint32_t)i * 0x9e3779b9u + 0x7f4a7c15u;
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    return h ^ h >> 16;
}

/* data.cu: int32 from 1 to 7, so that no sum of 2^28 of them overflows, and their sum. */
void ladder_fill_int(const LadderCase *size, void *in);
void ladder_expect_sum(const LadderCase *size, const void *in, uint32_t *out);
int64_t ladder_one_word(const LadderCase *size);
int64_t ladder_word_each(const LadderCase *size);
static inline int64_t ladder_elements(const LadderCase *size) { return size->width * size->height; }

/* ---- the four operations of a reduction ----------------------------------------------------------------- */

/* The variants of reduce/tree. Each is associative and commutative and has its identity. */
enum LadderOp { LADDER_SUM, LADDER_MIN, LADDER_MAX, LADDER_PRODUCT };

template <LadderOp Op> __host__ __device__ static inline float ladder_identity()
{
    return Op == LADDER_SUM ? 0.0f : Op == LADDER_PRODUCT ? 1.0f : Op == LADDER_MIN ? INFINITY : -INFINITY;
}

template <LadderOp Op> __host__ __device__ static inline float ladder_join(float a, float b)
{
    return Op == LADDER_SUM       ? a + b
           : Op == LADDER_PRODUCT ? a * b
           : Op == LADDER_MIN     ? (b < a ? b : a)
                                  : (b > a ? b : a);
}

/* ---- launches ------------------------------------------------------------------------------------------- */

/* `kernel` in parentheses where it has template arguments. */
#ifndef LADDER_LAUNCH
#define LADDER_LAUNCH(run, kernel, grid, block, ...)                                \
    do {                                                                            \
        kernel<<<dim3(grid), dim3(block), 0, (run)->device->stream>>>(__VA_ARGS__); \
        CUDA_TRY(cudaGetLastError());                                               \
    } while (0)
#endif

/* Blocks for n elements, at least one: an empty input too has a result. */
static inline unsigned ladder_blocks(int64_t n, int64_t per_block)
{
    return (unsigned)cuda_max(1, cuda_ceil_div(n, per_block));
}

/* A reduction that leaves one result a block is launched again on those until one is left. `level` launches
 * it: (from, to, n, blocks). */
template <typename T, typename Level>
HaloStatus ladder_until_one(LadderRun *run, int64_t per_block, Level level)
{
    const T *from = (const T *)run->in;
    T *room = (T *)run->scratch;
    for (int64_t left = run->n;;) {
        const unsigned blocks = ladder_blocks(left, per_block);
        T *const to = blocks == 1 ? (T *)run->out : room;
        CUDA_PASS(level(from, to, left, blocks));
        if (blocks == 1) return HALO_OK;
        room += blocks;
        from = to;
        left = blocks;
    }
}

/* ---- the rows that all families end with ---------------------------------------------------------------- */

/* product.cu */
LadderStep ladder_product_sum_prepare, ladder_product_sum, ladder_product_sum_collect;
LadderStep ladder_product_fold, ladder_product_fold_collect;
LadderStep ladder_product_scan_prepare, ladder_product_scan, ladder_product_scan_collect;
LadderStep ladder_product_hist, ladder_product_hist_collect;
HaloStatus ladder_product_conv(LadderRun *run, const float *tap, int64_t width, int64_t height);
/* cub.cu */
LadderStep ladder_cub_sum_prepare, ladder_cub_sum;
LadderStep ladder_cub_fold_prepare, ladder_cub_fold;
LadderStep ladder_cub_scan_prepare, ladder_cub_scan;
LadderStep ladder_cub_hist_prepare, ladder_cub_hist;

/* The product's and CUB's rows of the families that add int32. */
#define LADDER_SUM_ENDS                                                                                  \
    {"halo stats",                                                                                       \
     "the product: least, greatest, positions, sum, squares and counts in one read",                     \
     "f32 of the same bytes, for halo has no int32; the answer is brought to the host in the same time", \
     ladder_product_sum,                                                                                 \
     ladder_product_sum_prepare,                                                                         \
     ladder_product_sum_collect,                                                                         \
     0,                                                                                                  \
     1},                                                                                                 \
    {                                                                                                    \
        "CUB DeviceReduce::Sum", "the sum alone", "", ladder_cub_sum, ladder_cub_sum_prepare             \
    }

#endif

/* Dense masks of any size and shape: what the kernel is given, and how the host lays it out. */
#ifndef HALO_CUDA_CONV_DENSE_CUH
#define HALO_CUDA_CONV_DENSE_CUH

#include "conv_long.cuh"
#include "conv_row.cuh"

static const int dense_taps = 6400, dense_runs = 512,
                 dense_stages = 64; /* that fit the parameters of a launch */

/* Neighbouring taps of a row of the mask. */
struct DenseRun {
    int at;              /* where its samples begin in the tile, counted from the thread's first */
    uint16_t taps, pair; /* how many, and the first, in pairs */
};

/* Runs whose samples are staged together: a box of the mask. */
struct DenseStage {
    int x, y, cols, rows;
    int pitch;
    int end; /* the run past its last */
};

/* Which blocks compute their outputs, by the samples under their windows (conv_sparse.cu); `nonfinite` NULL:
 * all of them. */
struct DenseOnly {
    const uint8_t *nonfinite; /* of each block of all channels: zero taps may not be skipped */
    uint8_t *redo;            /* likewise: a result was -0, where the product of a zero would have given +0 */
    bool rest;                /* marked blocks compute; otherwise all others do, and mark */
};

struct DenseArgs {
    ConvArgs conv;
    DenseOnly only;
    const char *sums; /* f32 that accumulators start from; NULL: +0 */
    int64_t sums_stride;
    bool last;         /* what is stored is the result */
    int groups, lines; /* threads along a line, and lines of a block */
    int stages, runs, pairs;
    DenseStage stage[dense_stages];
    DenseRun run[dense_runs];
    float2 tap[dense_taps / 2]; /* constant memory is read 8 bytes at a time */
};

/* Floats from line to line of a stage: threads load a few samples past the last, and consecutive lines continue
 * in consecutive banks. */
static inline int dense_pitch(const DenseArgs *args, int cols)
{
    return args->groups * line_own + (cols + line_ring + 31) / 32 * 32;
}

static inline int64_t dense_bytes(const DenseArgs *args, int cols, int rows)
{
    return ((int64_t)(args->lines + rows - 1) * dense_pitch(args, cols) + line_ring) * (int64_t)sizeof(float);
}

/* Lays out the runs of the mask, without its zeros where it is `sparse`, and calls `launch` for each piece,
 * whose stages take at most `shared` bytes of shared memory. */
typedef HaloStatus DenseLaunch(HaloDevice *device, const DenseArgs *args);
HaloStatus dense_pieces(HaloDevice *device, DenseArgs *args, const float *tap, bool sparse, int64_t shared,
                        DenseLaunch *launch);

/* Chooses the shape of blocks; launches the kernel for the blocks that `only` selects. */
void dense_lay_out(DenseArgs *args, const ConvArgs *conv);
HaloStatus dense_make(HaloDevice *device, DenseArgs *args, const float *tap, bool sparse);
/* May taps of zero be skipped, whatever the samples? */
bool dense_leaves_zeros(const ConvArgs *conv);

#endif

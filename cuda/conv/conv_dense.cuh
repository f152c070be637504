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

/* Which blocks make their outputs, by what conv_sparse.cu found under their windows; `odd` NULL: all of them.
 */
struct DenseOnly {
    const uint8_t *odd; /* of each block but for the channel: zeros may not be left out */
    uint8_t *again;     /* likewise: a result was -0, where a zero's product would have made +0 */
    bool rest;          /* those that are marked make theirs, or all others do, and mark */
};

struct DenseArgs {
    ConvArgs conv;
    DenseOnly only;
    const char *sums; /* f32 that the chains go on from; NULL: +0 */
    int64_t sums_stride;
    bool last;         /* what is stored is the result */
    int groups, lines; /* threads along a line, and lines of a block */
    int stages, runs, pairs;
    DenseStage stage[dense_stages];
    DenseRun run[dense_runs];
    float2 tap[dense_taps / 2]; /* constant memory is read 8 bytes at a time */
};

/* Floats from line to line of a stage: threads load a few samples past the last, and lines go on in the banks
 * where the one before ended. */
static inline int dense_pitch(const DenseArgs *args, int cols)
{
    return args->groups * line_own + (cols + line_ring + 31) / 32 * 32;
}

static inline int64_t dense_bytes(const DenseArgs *args, int cols, int rows)
{
    return ((int64_t)(args->lines + rows - 1) * dense_pitch(args, cols) + line_ring) * (int64_t)sizeof(float);
}

/* Lays out the runs of the mask, without its zeros where it is `sparse`, and calls `launch` for every so many,
 * whose stages take `room` bytes of shared memory at most. */
typedef HaloStatus DenseLaunch(HaloDevice *device, const DenseArgs *args);
HaloStatus dense_pieces(HaloDevice *device, DenseArgs *args, const float *tap, bool sparse, int64_t room,
                        DenseLaunch *launch);

/* What is computed by blocks of which shape; and the kernel's launches, of the blocks that `only` names. */
void dense_lay_out(DenseArgs *args, const ConvArgs *conv);
HaloStatus dense_make(HaloDevice *device, DenseArgs *args, const float *tap, bool sparse);
/* May taps of zero be left out, whatever the samples? */
bool dense_leaves_zeros(const ConvArgs *conv);

#endif

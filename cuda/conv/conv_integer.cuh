/* Dense masks of integers over bytes by tensor cores: how the work is cut up, and what the host lays out.
 *
 * Sums of integers up to 2^24 are the same in any order (halo/whole_taps.h), so they may be products of
 * matrices of bytes. Neighbouring outputs under a row of the mask are samples of one row times a Toeplitz
 * matrix of the taps: tap k - c stands in row k, column c. A multiplication (mma.m16n8k32) takes 16 rows of
 * samples, 16 bytes of each for one row of the mask and 16 for the next, and adds to 8 columns of outputs. 16
 * columns lie under as many chunks of 16 bytes as 15 + taps bytes are; a chunk that is loaded serves all
 * columns above it, and a matrix of taps all chunks of a warp. */
#ifndef HALO_CUDA_CONV_INTEGER_CUH
#define HALO_CUDA_CONV_INTEGER_CUH

#include "conv.cuh"

static const int integer_chunks = 5;       /* at most */
static const int integer_tap_words = 2304; /* that fit the parameters of a launch; whole warps ask for them */

/* The host's plan for a mask and its anchor. */
struct IntegerPlan {
    int exponent; /* taps are counted in units of 2^exponent */
    int parts;    /* bytes of a tap: the sums of the upper ones come first, and are 256 times as much */
    int chunks;
    int lead;  /* columns that are staged before the first one needed, so that rows begin at a whole piece */
    int piece; /* bytes that are copied at a time, or pixels of several channels; 0: samples come one by one */
};

/* A tap in units. */
static inline int integer_tap(const IntegerPlan *plan, float tap) { return (int)ldexpf(tap, -plan->exponent); }

struct IntegerArgs {
    ConvArgs conv;
    int parts, pairs; /* pairs of rows of the mask */
    int lead, piece;
    int row_words; /* of a row of the mask in `tap` */
    float unit;
    bool bytes;                      /* results are integers, stored as bytes */
    uint32_t tap[integer_tap_words]; /* [parts][height][row_words]: bytes, after `lead` zeros */
};

/* A block makes 16 * Blocks columns of 16 * Strips rows; a warp 16 rows of one plane. */
template <int Chunks, int Blocks, int Planes, int Strips> struct IntegerTile {
    static constexpr int chunks = Chunks, blocks = Blocks, planes = Planes, strips = Strips;
    static constexpr int cols = 16 * Blocks, rows = 16 * Strips, quads = 4 * Blocks;
    static constexpr int threads = CUDA_WARP * Planes * Strips;
    static constexpr int resident =
        (Blocks == 8 ? 512 : 768) / threads; /* blocks of a multiprocessor: sums are in registers */
    static constexpr int staged = 16 * (Blocks + Chunks - 1);             /* columns of samples */
    static constexpr int pitch = staged % 32 == 0 ? staged + 16 : staged; /* no bank conflicts */
    /* The table of taps has, for a pair of rows of the mask and s from 0 to 3, the bytes from tap 4m - s on,
     * for every m from -3 on: `words` of each row. Those of each s are so far from the ones before that no bank
     * conflicts. */
    static constexpr int words = 4 * Chunks + 3;
    static constexpr int table = words % 16 < 5    ? words + 5 - words % 16
                                 : words % 16 > 11 ? words + 21 - words % 16
                                                   : words;
    static constexpr int raw = 4 * Chunks + 4; /* words of a row of taps with zeros around */
};

/* Bytes of shared memory: samples, the table of taps, the taps. Later, outputs take their place. */
template <typename Tile> __host__ __device__ static constexpr int integer_samples(int pairs)
{
    return Tile::planes * (Tile::rows + 2 * pairs - 1) * Tile::pitch;
}

template <typename Tile> static int64_t integer_bytes(int parts, int pairs)
{
    const int64_t in =
        integer_samples<Tile>(pairs) + (int64_t)parts * pairs * (4 * Tile::table * 8 + 2 * Tile::raw * 4);
    const int64_t out = Tile::planes * Tile::rows / 2 * (Tile::quads + 1) * (int64_t)sizeof(int4);
    return in > out ? in : out;
}

/* Is this route possible, and faster? Fills the plan. */
bool conv_integer_takes(const HaloDevice *device, const ConvArgs *args, const HaloConv *conv,
                        IntegerPlan *plan);
/* Bytes of shared memory that it takes. */
int64_t conv_integer_shared(const IntegerPlan *plan, int channels, int64_t height);
HaloStatus conv_integer(HaloDevice *device, const ConvArgs *args, const float *tap, const IntegerPlan *plan);

#endif

/* The few primitives every operation is made of, and their parameters. A backend offers them as functions
 * (backend.h); a plan is a list of them (plan.h). Everything a parameter points at is host memory owned by
 * the plan. Results are defined to the bit: numerics.h holds the arithmetic, docs/numerics.md the orders. */
#ifndef HALO_PRIMITIVE_H
#define HALO_PRIMITIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "halo/border.h"

typedef enum HaloPrimitive {
    HALO_CONV,      /* dense 1D or 2D convolution */
    HALO_SEP,       /* row pass, then column pass */
    HALO_MAP,       /* one sample or pixel at a time */
    HALO_COMBINE,   /* two buffers, sample by sample */
    HALO_REDUCE,    /* statistics */
    HALO_FOLD,      /* a reduction by the user's expressions */
    HALO_HIST,      /* histogram */
    HALO_SCAN,      /* prefix sums and their kin */
    HALO_RANK,      /* the sample at a rank of the sorted window */
    HALO_MEAN,      /* the mean of the window */
    HALO_EQUALIZE,  /* histogram equalization, of all of an image or of tiles */
    HALO_GATHER,    /* gather: crop, pad, flip, rotate, stride */
    HALO_RESAMPLE,  /* resampling: weighted means at positions between samples */
    HALO_BILATERAL, /* bilateral filter: weighted means of the samples of the window that resemble its centre */
    HALO_MIX,       /* channels as weighted sums of channels */
    HALO_FADE,      /* a gain that changes along time */
    HALO_SECTIONS,  /* recursive filters along time */
    HALO_SPECTRUM,  /* spectra of frames along time */
    HALO_SEQUENCE,  /* algorithms along time in f64 that an operation brings along (sequence.h) */
    HALO_TABLE,     /* tables of what an operation finds along time (table.h) */
    HALO_REGIONS,   /* connected regions: numbered, or kept by their size and place (regions.h) */
    HALO_FIND_REGIONS, /* the first of two passes over a picture for them */
    HALO_DISTANCE,     /* the distance to the nearest 0 (regions.h) */
    HALO_OBJECTS,      /* measures the regions of a labelled picture (objects.h) */
    HALO_SUPPRESS,     /* magnitudes of gradients that are maxima across the edge */
    HALO_RECONSTRUCT,  /* greyscale reconstruction (morphology.h) */
    HALO_THIN,         /* thinning of regions to lines */
    HALO_WATERSHED,    /* flooding from markers */
    HALO_EXPR,         /* an expression of samples of several values (expr.h) */
    HALO_WARP,         /* geometry at any angle: samples at any places (warp.h) */
    HALO_COLOR,        /* pixels of three colours in other coordinates, or through tables (color.h) */
    HALO_MATCH,        /* colours with the distribution of another picture's */
    HALO_DITHER,       /* fewer levels, with noise, a pattern or the errors of neighbours (dither.h) */
    HALO_LOCAL,        /* extremes of any samples of a window, their entropy, mode and deviation (local.h) */
    HALO_GROUPS,       /* statistics and histograms of selected samples (groups.h) */
    HALO_CHAIN,        /* neighbouring steps of small reach in one pass */
    HALO_EXTREMES,     /* the minimum and maximum of a chain's result, which is not stored */
    HALO_PRIMITIVES
} HaloPrimitive;

/* What lies under a window: output (x, y) reads samples (x + i + ox, y + j + oy), i < width, j < height, with
 * those outside the whole as the border gives them. `nan_ignore` leaves NaN samples out. */
typedef struct HaloWindow {
    int64_t width, height;
    int64_t ox, oy; /* -anchor, or 0 for VALID */
    HaloBorder border;
    double value; /* for CONSTANT */
    bool nan_ignore;
    int64_t anchor_x, anchor_y; /* the position in the window of the output sample; backends do not need it */
} HaloWindow;

/* In f64 (HaloBackend::doubles) all that is said here of f32 is true of f64, and constants and taps are not
 * rounded to f32; of windows there is one row then, and no alpha. Results in f64 are stored as they are. */

/* How f32 results become the samples of the destination: v * num / den (each rounded; 1 leaves v as it is),
 * then, for u8 and u16, round half to even and saturate, counting what was clipped. Computed NaNs are stored
 * as 7fc00000 in f32 and as 0 (counted as clipped) in integers. Every primitive that writes samples is given
 * one, reads u8, u16 or f32, and writes u8, u16 or f32: the types are those of the buffers. */
typedef struct HaloStore {
    float num, den;
} HaloStore;

/* out(x, y) = sum over j, i of tap[j*width + i] times the sample of the window at (i, j), one accumulator an
 * output that starts at +0 and takes every tap in row-major order by one fma; then, if `affine`, fma(acc,
 * scale, bias). Where NaN samples are left out, weight = the sum of the taps used (row-major, each added in
 * f32), and acc becomes acc * (total / weight), where total is the same sum over all taps; where total is 0
 * acc stays, where no sample was left it is NaN. `fast` lets a backend take another way, by Fourier transforms,
 * whose sums differ within the bound that docs/numerics.md states. */
typedef struct HaloConv {
    HaloWindow window;
    const float *tap;   /* [height][width] */
    const double *wide; /* the same before they were rounded, for f64; NULL: they are those */
    bool affine;
    double scale, bias;
    bool fast;
} HaloConv;

typedef struct HaloSepFast HaloSepFast; /* sep_fast.h */

/* A row pass by `tap_x` to f32, then a column pass by `tap_y`, each exactly as HaloConv defines it; `affine`
 * and the store belong to the column pass. Outside the image the column pass sees what `border` makes of the
 * row pass's result. Where NaN samples are left out, acc is made of the samples with 0 for each NaN; weight
 * likewise of 1 for every sample and 0 for each NaN, but that the column pass sees the whole weight of tap_x
 * where `border` has a value of its own (0 if that is NaN); and acc becomes acc * (total / weight), where total
 * is the weight without NaN; where total is 0 acc stays, where no sample was left it is NaN. So a window weighs
 * its samples as HaloConv does, once, whichever way it is turned. A backend may take the way of `fast` instead,
 * whose sums differ within the bound that docs/numerics.md states. */
typedef struct HaloSep {
    HaloWindow window;
    const float *tap_x, *tap_y; /* [width], [height] */
    bool affine;
    float scale, bias;
    const HaloSepFast *fast; /* NULL: exactly */
} HaloSep;

/* Of a row of a window just the samples i with from <= i < to. */
typedef struct HaloSpan {
    int64_t from, to;
} HaloSpan;

/* out(x, y) = the sample at index (int64_t)(fraction * (n - 1)) of the n samples of the window, sorted by
 * value, -0 before +0; the result is one of the samples, then stored. A NaN in the window makes it NaN; where
 * NaN are left out, n is the number that remain, and where none does the result is NaN. `halves`, with a
 * fraction of 0.5 and a window of an odd number of samples: where NaN leave an even number, the mean of the two
 * in the middle. */
typedef struct HaloRank {
    HaloWindow window;
    double fraction; /* 0: the minimum, 0.5: the median, 1: the maximum */
    bool halves;
    const HaloSpan
        *span; /* [height], none empty: what belongs to the window; for fractions 0 and 1; NULL: all of it */
} HaloRank;

/* What is made of the sums of a window: the mean; or, with the sums of squares too, how far samples are from
 * it: the mean of the squares of that, or its root. */
typedef enum HaloMeanKind { HALO_MEAN_PLAIN, HALO_MEAN_VARIANCE, HALO_MEAN_SD } HaloMeanKind;

/* out(x, y) = the mean of the samples of the window: sums along rows, then of these down columns, both in f64,
 * in the order of docs/numerics.md, which costs the same for every width and height. Where NaN samples are left
 * out, it is the mean of the others, and NaN where there are none. */
typedef struct HaloMean {
    HaloWindow window;
    HaloMeanKind kind;
} HaloMean;

/* Every sample becomes the share of samples at or below its level, times full scale. The levels are counted in
 * tiles_x * tiles_y tiles of this size, which cover the image from its top left corner; what reaches past the
 * other edges mirrors it (HALO_BORDER_MIRROR). Where `mixed`, the results of the four tiles with the nearest
 * centres are, also where some of them are one tile. docs/numerics.md has the arithmetic. Integers have a bin
 * for each value; f32 have 65,536 over [0, white], values outside count in the first and last, NaN are left out
 * and unchanged. Alpha is copied. */
typedef struct HaloEqualize {
    int64_t tiles_x, tiles_y;
    int64_t tile_width, tile_height;
    int64_t bins;
    float white;     /* of the source */
    double limit;    /* of a level's count, as a multiple of the mean count; the rest is spread; 0: none */
    bool from_least; /* the least level that occurs becomes 0; else it is a share like any other */
    bool joint;      /* the colours share one count; else each has its own */
    bool mixed;      /* tiles blend into each other; else each has its samples to itself */
} HaloEqualize;

/* Point operations; each is one correctly rounded operation on f32, or on f64, but for the curves (curves.h),
 * which images alone have. Parameters are rounded to f32 where samples are. */
typedef enum HaloPointOp {
    HALO_POINT_MUL,       /* v * a */
    HALO_POINT_ADD,       /* v + a */
    HALO_POINT_RSUB,      /* a - v */
    HALO_POINT_FMA,       /* fma(v, a, b) */
    HALO_POINT_CLAMP,     /* v < a ? a : v > b ? b : v; NaN stays */
    HALO_POINT_THRESHOLD, /* v >= a ? b : 0 */
    HALO_POINT_ABS,       /* the sign bit cleared */
    HALO_POINT_QUANTISE,  /* round half to even, saturate to 0..a; clipped samples are not counted */
    HALO_POINT_POWER,     /* (v / b)^a * b */
    HALO_POINT_LINEAR,    /* sRGB to linear light, full scale a */
    HALO_POINT_SRGB       /* and back */
} HaloPointOp;

typedef struct HaloPoint {
    HaloPointOp op;
    double a, b;
} HaloPoint;

#define HALO_MAX_POINTS 8

typedef enum HaloMapKind {
    HALO_MAP_POINTS, /* just the points */
    HALO_MAP_PREMUL, /* colour * (alpha / white) first; alpha itself stays */
    HALO_MAP_GRAY    /* fma(b, w[2], fma(g, w[1], r * w[0])) first: 3 channels to 1, or 4 to 2 with alpha */
} HaloMapKind;

/* The one primitive that also reads i64 and f64 (rounded to f32): what comes out of a scan goes on through it.
 *
 * A program of points, applied in order to every channel but alpha (the destination's `shape.alpha`), which
 * is copied. Neighbouring point operations of a pipeline share one map. */
typedef struct HaloMap {
    HaloMapKind kind;
    float white; /* of the source: for PREMUL */
    float w[3];  /* for GRAY */
    int points;
    HaloPoint point[HALO_MAX_POINTS];
} HaloMap;

/* Parameters that have a header each. */
typedef struct HaloCombine HaloCombine;     /* combine.h */
typedef struct HaloGather HaloGather;       /* gather.h */
typedef struct HaloResample HaloResample;   /* resample.h */
typedef struct HaloBilateral HaloBilateral; /* bilateral.h */
typedef struct HaloMix HaloMix;             /* mix.h */
typedef struct HaloFade HaloFade;           /* fade.h */
typedef struct HaloSections HaloSections;   /* sections.h */
typedef struct HaloTableStep HaloTableStep;
typedef struct HaloSequence HaloSequence; /* sequence.h */
typedef struct HaloSpectrum HaloSpectrum; /* spectrum.h */
typedef struct HaloRegions HaloRegions;   /* regions.h */
typedef struct HaloDistance HaloDistance;
typedef struct HaloObjects HaloObjects;         /* objects.h */
typedef struct HaloReconstruct HaloReconstruct; /* morphology.h */
typedef struct HaloThin HaloThin;
typedef struct HaloWatershed HaloWatershed;
typedef struct HaloLocal HaloLocal;   /* local.h */
typedef struct HaloGroups HaloGroups; /* groups.h */
typedef struct HaloExpr HaloExpr;     /* expr.h */
typedef struct HaloWarp HaloWarp;     /* warp.h */
typedef struct HaloColor HaloColor;   /* color.h */
typedef struct HaloDither HaloDither; /* dither.h */
typedef struct HaloChain HaloChain;   /* chain.h */

/* The statistics that a reduction has to compute. */
typedef enum HaloWant {
    HALO_WANT_EXTREMES = 1, /* min, max */
    HALO_WANT_MOMENTS = 2,  /* sum, mean, m2 or sums of squares */
    HALO_WANT_PRODUCT = 4,
    HALO_WANT_POSITIONS = 8, /* where min and max are */
    HALO_WANT_ALL = 15
} HaloWant;

/* Instructions of a program for a stack of doubles: each takes values from its top and leaves one (program.h).
 * Comparisons and what follows them leave 1 or 0. */
typedef enum HaloCode {
    HALO_CODE_NUMBER, /* the number in the instruction */
    HALO_CODE_A,      /* the first argument: what is to the left; or the sample */
    HALO_CODE_B,      /* the second */
    HALO_CODE_K,      /* the channel's constant */
    HALO_CODE_NEG,    /* of one value, from here on */
    HALO_CODE_ABS,
    HALO_CODE_SQRT,
    HALO_CODE_NOT,
    HALO_CODE_ADD, /* of two */
    HALO_CODE_SUB,
    HALO_CODE_MUL,
    HALO_CODE_DIV,
    HALO_CODE_MIN, /* as halo_scan_join: the first of equals; NaN propagates */
    HALO_CODE_MAX,
    HALO_CODE_LT,
    HALO_CODE_LE,
    HALO_CODE_GT,
    HALO_CODE_GE,
    HALO_CODE_EQ,
    HALO_CODE_NE,
    HALO_CODE_AND,
    HALO_CODE_OR,
    HALO_CODE_FMA,   /* of three: x * y + z rounded once */
    HALO_CODE_SELECT /* x ? y : z; all three are evaluated before */
} HaloCode;

typedef struct HaloInstruction {
    HaloCode code;
    double number; /* of HALO_CODE_NUMBER */
} HaloInstruction;

#define HALO_MAX_PROGRAM 64
#define HALO_MAX_STACK 16

/* A valid program leaves one value, never pops an empty stack and never holds more than HALO_MAX_STACK values:
 * the code that makes a program guarantees that. */
typedef struct HaloProgram {
    int length;
    HaloInstruction at[HALO_MAX_PROGRAM];
} HaloProgram;

/* Every sample that is not NaN, as f64, goes through `map`, and the results are joined by `join`, which has to
 * be associative and commutative, starting with `identity`. The order is in docs/numerics.md. */
typedef struct HaloFold {
    const HaloProgram *map;  /* of the sample, A */
    const HaloProgram *join; /* of A and B */
    double identity;
    const double *k;                  /* [channels]; NULL: 0 */
    const char *map_text, *join_text; /* as the user wrote them, for reports; NULL: not written by a user */
} HaloFold;

/* `bins` bins over [lo, hi]; see halo_bin. In a plan lo and hi may be NaN: they are measured before a backend
 * is called. For u8 and u16 sources a backend counts every value, so that `bins` is 256 or 65,536, and the host
 * adds these up to bins. */
/* Or, of f32 sources, bins in parts: each part has some over a separate range, whose ends are floats. The
 * ranges have no float in common. Samples in none of them are not counted, nor are NaN. */
typedef struct HaloHistPart {
    int64_t first, bins; /* parts follow one another, and have all bins of the histogram */
    double lo, hi;
} HaloHistPart;

typedef struct HaloHist {
    int64_t bins;
    double lo, hi; /* unused if there are parts */
    int parts;     /* 0: there are none */
    bool again; /* the last call's source has not changed, and these parts lie inside of its parts: it may have
                   kept samples */
    const HaloHistPart *part;
} HaloHist;

#define HALO_MAX_BINS 16777216
/* Parts, and the bins of all of them: with what finds them they fit into 64 KB, which is what a block of the
 * oldest GPUs may have. */
#define HALO_MAX_PARTS 32
#define HALO_MAX_PART_BINS 12288

typedef enum HaloScanOp {
    HALO_SCAN_SUM,
    HALO_SCAN_MIN,
    HALO_SCAN_MAX,
    HALO_SCAN_PRODUCT,
    HALO_SCAN_SQUARES /* the sum of the squares of the samples */
} HaloScanOp;
typedef enum HaloScanAxis { HALO_AXIS_X = 1, HALO_AXIS_Y = 2, HALO_AXIS_XY = 3 } HaloScanAxis;

/* Inclusive or exclusive scan of each channel; XY is along x and then along y of that (an integral image).
 * u8 and u16 give i64 but for the product; everything else is f64. Squares are exact in either. An exclusive
 * scan along XY is exclusive along both. The order of partial results is in docs/numerics.md. */
typedef struct HaloScan {
    HaloScanOp op;
    HaloScanAxis axis;
    bool exclusive;
} HaloScan;

#endif

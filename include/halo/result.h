/* What reductions and histograms return, and the statistics made of it. */
#ifndef HALO_RESULT_H
#define HALO_RESULT_H

#include <stdint.h>

#include "halo/buffer.h"
#include "halo/series.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One channel's partial or whole reduction. Samples of a channel are numbered by their pixel, y*width + x.
 * Two of them merge by halo_moments_merge (numerics.h). Statistics are over the samples that are not NaN. */
typedef struct HaloMoments {
    uint64_t count; /* all samples, NaN included */
    uint64_t nan, inf, zero;
    double min, max;        /* +inf and -inf where there is no sample; the first of equals wins */
    int64_t min_at, max_at; /* pixel numbers; -1 where there is no sample */
    uint64_t isum;          /* u8, u16: exact */
    uint64_t isq_lo, isq_hi;
    double sum, mean, m2; /* f32: by leaves and Chan's merge; m2 = sum of (x - mean)^2 */
    double product;       /* mantissa, 1 <= |m| < 2; or 0, inf, NaN */
    int64_t product_exp;  /* the product is mantissa * 2^product_exp */
} HaloMoments;

#define HALO_MAX_PERCENTS 16

/* Statistics beyond one reduction. */
typedef struct HaloDetail {
    bool full; /* skewness, kurtosis and entropy; of sound, the true peak */
    int percents;
    double percent[HALO_MAX_PERCENTS];
} HaloDetail;

/* One channel's (or all channels') statistics, ready to be printed. Doubles are NaN where undefined. */
typedef struct HaloStats {
    uint64_t count, nan, inf, zero;
    double min, max;
    int64_t min_at, max_at;
    bool exact; /* the source was u8 or u16: `isum` is the sum */
    uint64_t isum;
    double sum, mean, sd, rms; /* sd: of the population */
    double product;            /* NaN when it is out of range of f64 */
    int product_sign;          /* -1, 0 or 1 */
    double product_log2;       /* of its magnitude; -inf for 0 */
    double skewness,
        kurtosis;   /* of the population; a normal distribution's are 0. NaN: not requested, or constant */
    double entropy; /* in bits: of every value, or of 256 bins of floats */
    double percentile[HALO_MAX_PERCENTS]; /* as NumPy's: linear between two samples */
    HaloMoments moments; /* the data that all of this is computed from, for merging with other files */
} HaloStats;

HALO_API void halo_stats_from_moments(const HaloMoments *moments, HaloDtype dtype, HaloStats *stats);

/* Counts of every channel, one after the other: count[channel * bins + bin]. */
typedef struct HaloHistogram {
    int64_t bins;
    double lo, hi;
    bool own; /* they are the least and greatest finite sample: not both were given */
    int channels;
    uint64_t *count;
    uint64_t *below, *above, *nan; /* [channels] */
} HaloHistogram;

HALO_API HaloStatus halo_histogram_alloc(HaloHistogram *hist, int channels, int64_t bins, double lo, double hi);
HALO_API void halo_histogram_free(HaloHistogram *hist);

#define HALO_MAX_EXPRESSION 256 /* bytes of the text of an expression, with the 0 at its end */

/* The result of a reduction by the user's expressions. */
typedef struct HaloFolded {
    char expr[HALO_MAX_EXPRESSION], map[HALO_MAX_EXPRESSION];
    double identity;
    double *value; /* [channels + 1]; the last: over the channels but alpha, in order */
} HaloFolded;

/* Rows that an operation found in a channel. */
typedef struct HaloTable {
    const char *name; /* "peaks"; static, as the names of the columns */
    int columns;
    const char *const *column;
    int64_t rows, capacity, most; /* most: that memory allows; 0: any */
    double *cell;                 /* [rows][columns] */
    void *kept;                   /* memory of names that are made, freed with the table; or NULL */
} HaloTable;

/* By ITU-R BS.1770-4; NaN if it is not known, -inf if the gates leave nothing. */
typedef struct HaloLoudness {
    double integrated;   /* LUFS */
    double range;        /* LU, by EBU Tech 3342 */
    double true_peak;    /* dB of full scale, of the sound between the samples */
    const char *unknown; /* why the first two are not known, or NULL; static */
} HaloLoudness;

typedef enum HaloResultType {
    HALO_RESULT_STATS,
    HALO_RESULT_HIST,
    HALO_RESULT_FOLD,
    HALO_RESULT_TABLE
} HaloResultType;

/* One result of a pipeline, in the order of its operations. */
typedef struct HaloResult {
    HaloResultType type;
    int64_t image;         /* of a file with several: which, from 1; else 0 */
    HaloShape shape;       /* of what was measured */
    HaloNames names;       /* of its channels */
    HaloTimeline time;     /* of its frames, where it is a series with times */
    HaloStats *channel;    /* [shape.channels] */
    HaloStats all;         /* over the channels but alpha, in order */
    HaloDetail detail;     /* the requested details */
    HaloLoudness loudness; /* of sound */
    HaloHistogram hist;
    HaloFolded fold;
    HaloTable *table;            /* [shape.channels] */
    struct DetailPasses *passes; /* of a run that has not ended; else NULL */
} HaloResult;

typedef struct HaloResults {
    int count;
    HaloResult *item;
} HaloResults;

HALO_API void halo_results_free(HaloResults *results);
/* When this frame is; NULL where that is not known. */
HALO_API const char *halo_result_time(const HaloResult *result, int64_t frame, char text[HALO_TIME_SIZE]);
/* A channel's name in reports: its own, else halo_channel_name's. */
HALO_API const char *halo_result_channel(const HaloResult *result, int channel, char text[16]);

#ifdef __cplusplus
}
#endif
#endif

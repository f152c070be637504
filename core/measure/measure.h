/* Measuring: reductions, folds and histograms, block by block, and the results made of them. */
#ifndef CORE_MEASURE_H
#define CORE_MEASURE_H

#include "device/device.h"
#include "halo/objects.h"
#include "halo/simd.h"
#include "halo/table.h"

/* truepeak.c: consecutive interleaved frames. Close even if true_peak_open failed. */
typedef struct TruePeak TruePeak;
HaloStatus true_peak_open(int channels, HaloSimd simd, TruePeak **peak);
void true_peak_add(TruePeak *peak, HaloDtype dtype, const void *frames, int64_t count); /* f32 or f64 */
double true_peak_end(TruePeak *peak); /* in dB; no more will come */
void true_peak_close(TruePeak *peak);

/* loudness.c: frames in a row, in host memory; *loudness is NULL at first. `speakers`: of each channel, one bit
 * of WAVE's mask or 0. `jobs`: threads, the caller included. */
typedef struct Loudness Loudness;
HaloStatus loudness_add(Loudness **loudness, const HaloBuf *frames, const uint32_t *speakers, int jobs,
                        HaloSimd simd);
HaloLoudness loudness_end(Loudness *loudness, bool finite); /* no more will come */
void loudness_close(Loudness *loudness);

/* passes.c: what passes have found of the details of floats that are not in memory as a whole. */
typedef struct DetailPasses DetailPasses;
HaloStatus passes_add(Device *device, const HaloStep *step, const HaloBuf *block, DetailPasses **passes);
/* A pass has ended: sets what is known now in the result, which gets `passes` if it takes another. */
HaloStatus passes_end(const HaloDetail *detail, DetailPasses **passes, HaloResult *result);
bool passes_begun(const DetailPasses *passes); /* has one ended? Then only details are measured */
bool passes_pending(const HaloResults *results);
void passes_close(DetailPasses *passes);

/* tables.c: tables of which rows are found as frames come, in host memory; *tables is NULL at first. */
typedef struct Tables Tables;
HaloStatus tables_add(Device *device, const HaloStep *step, const HaloBuf *frames, Tables **tables);
/* Sets result->table, [channels]. */
HaloStatus tables_end(const HaloStep *step, Tables *tables, HaloResult *result);
void tables_close(Tables *tables);
/* A failure of a kind, with advice where the rows of a table are too many. */
HaloStatus tables_failure(const HaloTableKind *kind, const HaloTable *table, HaloStatus status);
/* The samples of a channel. */
HaloTableLine tables_line(const HaloBuf *buf, int channel);

/* What a step has measured so far. */
typedef struct Measured {
    uint64_t blocks;
    HaloMoments *node;  /* of reductions, [64][channels]: a binary counter of blocks */
    double *folded;     /* of folds, likewise */
    HaloHistogram hist; /* of histograms, and of integers whose product is wanted and that come in blocks, or
                           with detail */
    bool in_blocks, product;
    Loudness *loudness;
    Tables *tables;
    HaloObjectList objects;
    void *kept;           /* of objects: rows that are needed again */
    DetailPasses *passes; /* NULL: no details, or they are measured of the whole */
    HaloBuf leaf; /* in host memory: frames that do not fill a leaf yet, or pixels that do not fill a node */
} Measured;

/* histogram.c: like halo_histogram_alloc, but counters are not cleared: backends do that, and a GPU can start
 * earlier. */
HaloStatus histogram_workspace(HaloHistogram *hist, int channels, int64_t bins, double lo, double hi);

/* histogram.c: a histogram of a whole buffer, made anew. */
HaloStatus measure_hist(Device *device, const HaloBuf *src, const HaloHist *hist, HaloHistogram *made);
/* Adds counts of a block; the first makes *sum, which is empty before. */
HaloStatus measure_more(Device *device, const HaloBuf *block, const HaloHist *hist, HaloHistogram *sum);
/* The block in host memory: itself, or a copy in `own`, which the caller frees. */
HaloStatus measure_on_host(Device *device, const HaloBuf *block, HaloBuf *own, const HaloBuf **host);
/* Adds the moments of a block, [channels], which change. */
HaloStatus measure_keep(HaloMoments *moments, int channels, Measured *all);
/* Each adds a block, which a backend sees as a whole; it begins with frame or pixel `first`. */
HaloStatus measure_moments(Device *device, const HaloStep *step, const HaloBuf *block, int64_t first,
                           Measured *all);
HaloStatus measure_folded(Device *device, const HaloStep *step, const HaloBuf *block, int64_t first,
                          Measured *all);
HaloStatus measure_counts(Device *device, const HaloStep *step, const HaloBuf *block, int64_t first,
                          Measured *all);
/* Queries a backend's workspace for counting into `bins` bins (HaloBackend.query_begin). */
void measure_query_counts(const HaloBackend *backend, HaloDevice *device, const HaloBuf *block, int64_t bins);
/* Adds frames to the loudness; speakers: as those of loudness_add. */
HaloStatus measure_loudness(Device *device, const HaloBuf *block, const uint32_t *speakers, Measured *all);
/* Statistics of every channel and, merged in order, of all but alpha. */
void measure_stats(const Measured *measured, const HaloShape *shape, HaloStats *channel, HaloStats *all);
/* value: [channels + 1], the last over all but alpha. */
void measure_fold(const Measured *measured, const HaloFold *fold, const HaloShape *shape, double *value);
void measure_free(Measured *measured);

/* range.c: bins over full scale, the default of `hist` except for float images. */
HaloHist hist_default(const HaloShape *shape);
/* Is an end of a histogram's range still to be found (NaN)? range_find sets it to the minimum or maximum of the
 * finite samples, with some distance where these are equal; to full scale where no sample is finite. */
bool range_is_open(const HaloHist *hist);
HaloStatus range_find(Device *device, const HaloBuf *src, HaloHist *hist);
/* The same from these extremes; `minimum` is greater where no sample is finite. */
void range_set(double minimum, double maximum, float white, HaloHist *hist);
/* The same from a result; false where samples are infinite, which leaves the range open. */
bool range_measured(const HaloResult *extremes, HaloHist *hist);

/* detail.c: adds percentiles and the other requested details to the statistics. levels: for integers the number
 * of occurrences of each value, or empty if they have not been counted. */
HaloStatus measure_detail(Device *device, const HaloBuf *src, const HaloDetail *detail,
                          const HaloHistogram *levels, HaloResult *result);

/* The same of floats: sums of (v - k)^3 and (v - k)^4 of each channel, in one reading if the backend can; what
 * they tell, with k the mean; and the entropy of counts over full scale, in `bins` bins or a multiple of them.
 */
HaloStatus detail_powers(Device *device, const HaloBuf *src, const double *k, double *third, double *fourth);
void detail_take_powers(const double *third, const double *fourth, HaloResult *result);
HaloStatus detail_take_entropy(const HaloHistogram *made, int64_t bins, HaloResult *result);

/* Values of a channel of integers, ascending, and how often each occurs: value[i], or i where that is NULL. */
typedef struct Levels {
    int64_t levels;
    const uint16_t *value;
    const uint64_t *count;
} Levels;
/* Their details, beside what a reduction has found. */
void detail_take_levels(const Levels *levels, const HaloDetail *detail, HaloStats *s);
/* Of floats, the sums of powers as above; in bits, the entropy of the samples that were counted. */
void detail_take_few_powers(double third, double fourth, HaloStats *s);
double detail_entropy(const uint64_t *count, int64_t bins);

/* groups_result.c: of samples in host memory, whose labels another buffer has. */
HaloStatus measure_groups(Device *device, const HaloStep *step, const HaloBuf *const src[], HaloResult *result);

/* objects.c: the rows of a table about the regions of a picture of this shape, of so many bytes at most. */
HaloStatus measure_objects(const HaloObjectList *list, const HaloShape *shape, int64_t most, HaloTable *table);

#endif

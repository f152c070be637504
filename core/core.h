/* What the files of core share. */
#ifndef CORE_H
#define CORE_H

#include <stdatomic.h>

#include "halo/halo.h"
#include "halo/text.h"

static inline int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
static inline int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* Is a GPU asked for by name, so that the CPU will not do? */
static inline bool gpu_demanded(const HaloOptions *options)
{
    return options->device == HALO_DEVICE_GPU || options->device == HALO_DEVICE_ALL;
}

#define CORE_COMMON 3 /* parameters every filter takes: border, alpha, nan */
enum { COMMON_BORDER, COMMON_ALPHA, COMMON_NAN };

/* One operation of a pipeline with its values: the operation's own, then, for filters, the common ones. */
typedef struct Call {
    const HaloOp *op;
    int values;
    HaloValue *value;
    char **text;     /* what `value[i].text` points at, or NULL */
    HaloMask **mask; /* what `value[i].mask` points at, or NULL */
} Call;

struct HaloPipeline {
    int calls;
    Call *call;
};

/* What a LENGTH was given in, its HaloValue.integer: times become samples once the sample rate is known. */
enum { LENGTH_SAMPLES, LENGTH_SECONDS };

#define SLOT_SPARES 16

/* Where a session's work runs: one backend with its open device, opened on first use. Buffers between steps
 * are kept for the next band and the next file, since making them costs more than many a step. */
typedef struct Slot {
    const HaloBackend *backend;
    HaloDevice *device;
    char describe[96];
    HaloCeilings ceilings; /* once known */
    int spares;
    HaloBuf spare[SLOT_SPARES];
    int64_t taken; /* bytes of buffers that are in use */
    int64_t room;  /* for those and the spares: spares go before there are more; 0: any */
} Slot;

/* slot.c */
HaloStatus slot_open(Slot *slot, int index, int jobs);
void slot_close(Slot *slot);
void slot_trim(Slot *slot); /* frees all spares */
HaloStatus slot_take(Slot *slot, HaloBuf *buf); /* a spare with rows as long, else a new one */
void slot_give(Slot *slot, HaloBuf *buf);
void slot_keep_only(Slot *slot, const HaloPlan *plan); /* frees spares that the plan has no use for */
int64_t slot_memory(const Slot *slot, int share); /* of the device's own, free or in spares, one session's part */

/* memory.c: what is held, of all that may be; and what to do about that: a part of a sentence. */
struct HaloMemory {
    int64_t allowed;
    const char *advice;
    _Atomic int64_t held;
};

struct HaloSession {
    const HaloTables *tables;
    HaloOptions options;
    HaloMemory memory; /* of the file at hand */
    Slot host, gpu;
    bool gpu_refused;  /* it could not be opened, and is not tried again */
    bool gpu_is_there; /* but one is in the machine */
    char gpu_reason[200];
    char too_large[160]; /* why the plan at hand was not given to it; or empty */
    float gain; /* of the sound of this file, after the pipeline; 0: none */
};

/* The backend chosen for a plan, and why, for --explain. */
typedef struct Choice {
    Slot *slot;
    double host_seconds, gpu_seconds; /* predicted; 0: not considered */
    char why[240];
} Choice;

struct HaloBuilder {
    HaloPlan *plan;
    HaloCommon common;
    const char *op;
    bool failed_alloc;
};

/* Rows [from, to) of a value; of sound, which is one row, its frames. */
typedef struct Rows {
    int64_t from, to;
} Rows;

/* How many of them a value has. */
static inline int64_t bands_length(const HaloShape *shape)
{
    return shape->kind == HALO_AUDIO ? shape->width : shape->height;
}

/* value.c: parses `text` as `param` says; `where` stands before messages ("gauss: sigma"). */
HaloStatus value_parse(HaloSession *session, const HaloParam *param, const char *text, bool quoted,
                       const char *where, HaloValue *value, char **kept_text, HaloMask **kept_mask);
/* value.c: makes lengths samples and fills in what depends on the input. */
HaloStatus value_bind(const HaloOp *op, const HaloParam *param, const HaloShape *shape, HaloValue *value);

/* mask.c */
HaloStatus mask_resolve(HaloSession *session, const char *text, bool quoted, HaloMask *mask);

/* call.c */
const HaloParam *call_param(const Call *call, int i);
/* Are samples at its end others than those it gets? And do they code light in another way? */
bool pipeline_changes(const HaloPipeline *pipeline);
bool pipeline_recodes(const HaloPipeline *pipeline);

/* plan.c, optimise.c */
HaloStatus plan_add_reg(HaloPlan *plan, const HaloShape *shape, HaloReg *reg);
HaloStatus plan_add_step(HaloPlan *plan, const HaloStep *step);
/* Replaces dense convolutions by faster ways that are not exact. */
HaloStatus plan_hasten(HaloBuilder *builder);
/* fast.c: what an output costs by Fourier transforms, in taps. */
double fast_transform_taps(const HaloConv *conv);
void plan_optimise(HaloPlan *plan);
/* A plan for sound of unknown length has this many frames, until its end is known: then plan_end_at makes it
 * right. HALO_ERR_INPUT where nothing is left. */
#define PLAN_ENDLESS ((int64_t)1 << 40)
HaloStatus plan_end_at(HaloPlan *plan, int64_t width);
HaloStore store_between(float white_from, float white_to);

/* builder.c: what `depth` does, without asking for that type at the output. */
HaloStatus builder_convert(HaloBuilder *builder, HaloReg src, HaloDtype dtype, HaloReg *dst);

/* target.c: the conversion to what the output holds. */
HaloStatus target_append(HaloBuilder *builder, HaloReg value, HaloDtype input_dtype, const HaloFormat *to,
                         HaloReg *out);

/* bands.c */
bool bands_possible(const HaloPlan *plan);
/* Can what this step measures be gathered band by band? And the rows of its source that it measures while
 * `wanted` of the output are made: each of them once. */
bool bands_gather(const HaloPlan *plan, const HaloStep *step);
Rows bands_measured(const HaloPlan *plan, const HaloStep *step, Rows wanted);
/* Rows before and behind those of the output that its bands may need of any value, at most. */
int64_t bands_reach(const HaloPlan *plan);
/* For rows `wanted` of the output, the rows of every value that are needed. */
void bands_needs(const HaloPlan *plan, Rows wanted, Rows *need);
/* Most bytes that the buffers between input and output (or those, too) take while `rows` rows are made at a
 * time. */
int64_t bands_memory(const HaloPlan *plan, int64_t rows, bool with_ends);
int64_t bands_whole_memory(const Slot *slot, const HaloPlan *plan, int64_t rows, bool with_ends); /* and scratch */
int64_t bands_choose(const HaloPlan *plan, int64_t wish);
/* The same where rows come from a file and go to one: small bands, smaller still where `memory` asks for it;
 * and the bytes that all of that takes. */
int64_t bands_for_flow(const Slot *slot, const HaloPlan *plan, int64_t wish, int64_t memory);
int64_t bands_flow_memory(const Slot *slot, const HaloPlan *plan, int64_t rows);
/* The same for sound that comes on a pipe while somebody waits for it: blocks of `latency_ms` at most, and the
 * frames that the first of them needs beyond its own. */
int64_t bands_for_pipe(const Slot *slot, const HaloPlan *plan, const HaloOptions *options, int64_t memory);
HaloStatus bands_ahead(const HaloPlan *plan, int64_t rows, int64_t *ahead);
/* The same for a device with memory of its own: as few bands as fit it. */
int64_t bands_for_device(const Slot *slot, const HaloPlan *plan, int64_t wish, int64_t memory);

/* choose.c: the backend for a plan, by predicted time, and why; and opens it. */
HaloStatus choose_slot(HaloSession *session, const HaloPlan *plan, Choice *choice);
/* Says in the report that a GPU was wanted and could not be opened. */
void choose_report(const HaloSession *session, HaloReport *report);

/* cost.c: what a step moves and computes, and predicted seconds. */
double cost_step_bytes(const HaloPlan *plan, const HaloStep *step);
/* Does this backend (NULL: any) do a step by Fourier transforms? */
bool cost_by_transforms(const HaloStep *step, const HaloBackend *backend);
double cost_step_flops(const HaloPlan *plan, const HaloStep *step, const HaloBackend *backend);
double cost_host_seconds(const HaloPlan *plan, const HaloBackend *backend, int jobs);
double cost_gpu_seconds(const HaloPlan *plan, const HaloBackend *backend, bool open, const HaloOptions *options);

/* memory.c: three quarters of the machine's; and what a plan takes beside its input: output, and what is between;
 * -1: too many. */
int64_t memory_default(void);
int64_t memory_beside(const Slot *slot, const HaloPlan *plan, int64_t band);
/* memory.c: "12.5 MiB", "640 bytes". */
const char *memory_text(int64_t bytes, char text[32]);

/* scratch.c: most bytes of a slot's memory that a step takes beside its buffers, `rows` rows of the output at a time;
 * and of the host's for what the whole plan measures. */
int64_t scratch_of(const Slot *slot, const HaloPlan *plan, int64_t rows);
int64_t scratch_measured(const HaloPlan *plan);

/* What a plan's bands meet in host memory: whole buffers, or rows that come and go (flow.c). */
typedef struct Ends {
    void *context;
    /* Waits until it is known whether row `from` of the output exists: plans for sound of unknown length get it
     * here. NULL: all lengths are known. */
    HaloStatus (*reach)(void *context, int64_t from);
    /* A band begins: gives the rows it reads, and room for those it makes (no data: they are not wanted). */
    HaloStatus (*begin)(void *context, Rows in, Rows out, HaloBuf *from, HaloBuf *to);
    HaloStatus (*end)(void *context); /* the band is made */
} Ends;

/* execute.c: a plan, `band` rows at a time; from a whole buffer to another, as far as it is wanted: one that is
 * there, or one made for it. */
HaloStatus execute_bands(Slot *slot, const HaloPlan *plan, int64_t band, const Ends *ends, HaloResults *results,
                         uint64_t *clipped, HaloTimes *ms);
int64_t execute_band(const Slot *slot, const HaloPlan *plan, const HaloOptions *options);
HaloStatus execute_into(Slot *slot, const HaloPlan *plan, const HaloOptions *options, const HaloBuf *in,
                        HaloBuf *out, HaloResults *results, uint64_t *clipped, HaloTimes *ms);
HaloStatus execute_on(Slot *slot, const HaloPlan *plan, const HaloOptions *options, const HaloBuf *in,
                      HaloBuf *out, HaloResults *results, uint64_t *clipped, HaloTimes *ms);
void set_rows(HaloBuf *buf, Rows rows);         /* its rectangle, all across */
HaloBuf rows_of(const HaloBuf *buf, Rows rows); /* the same memory */
double now_ms(void);

/* builder.c: bins over full scale; what `hist` counts when it is told nothing, but for images of floats. */
HaloHist hist_default(const HaloShape *shape);

/* truepeak.c: frames in a row, interleaved. What true_peak_open made is closed also where it failed. */
typedef struct TruePeak TruePeak;
HaloStatus true_peak_open(int channels, TruePeak **peak);
void true_peak_add(TruePeak *peak, const float *frames, int64_t count);
double true_peak_end(TruePeak *peak); /* in dB; no more will come */
void true_peak_close(TruePeak *peak);

/* loudness.c: frames in a row, in host memory; *loudness is NULL at first. */
typedef struct Loudness Loudness;
HaloStatus loudness_add(Loudness **loudness, const HaloBuf *frames, bool true_peak);
HaloLoudness loudness_end(Loudness *loudness, bool finite); /* no more will come */
void loudness_close(Loudness *loudness);

/* measure.c: what a reduction or a histogram has seen, piece by piece. */
typedef struct Measured {
    uint64_t pieces;
    HaloMoments *node; /* of reductions, [64][channels]: a binary counter of pieces */
    double *folded;    /* of folds, likewise */
    HaloHistogram hist;
    Loudness *loudness;
    HaloBuf leaf; /* frames that wait for more, in host memory */
} Measured;

/* A whole image, or frames of a sound in a row: where a reduction gets several pieces, all but the last have
 * the same 2^k leaves. */
HaloStatus measure_piece(Slot *slot, const HaloStep *step, const HaloBuf *piece, Measured *all);
/* The same for pieces of any length: frames wait in host memory until there is a leaf of them. */
HaloStatus measure_leaves(Slot *slot, const HaloStep *step, const HaloBuf *piece, bool last, Measured *all);
/* The same for each kind, for the rows of primitives: `piece` is a whole for a backend, and begins with frame `first`. */
HaloStatus measure_moments(Slot *slot, const HaloStep *step, const HaloBuf *piece, int64_t first, Measured *all);
HaloStatus measure_folded(Slot *slot, const HaloStep *step, const HaloBuf *piece, int64_t first, Measured *all);
HaloStatus measure_counts(Slot *slot, const HaloStep *step, const HaloBuf *piece, int64_t first, Measured *all);
/* Statistics of every channel (`channel` may be NULL) and, merged in order, of all but alpha. */
void measure_stats(const Measured *measured, const HaloShape *shape, HaloStats *channel, HaloStats *all);
void measure_free(Measured *measured);
/* More of a sound, on its way to its loudness. */
HaloStatus measure_loudness(Slot *slot, const HaloStep *step, const HaloBuf *piece, Measured *all);

/* range.c: are the ends of a histogram still to be found (NaN)? And finds them: the least and the greatest finite
 * sample of the whole, apart where these are one; full scale where no sample is finite. */
bool range_is_open(const HaloHist *hist);
HaloStatus range_find(Slot *slot, const HaloBuf *src, HaloHist *hist);

/* detail.c: adds to the statistics of a whole what they were asked for besides. */
HaloStatus measure_detail(Slot *slot, const HaloBuf *src, const HaloDetail *detail, HaloResult *result);

/* percentile.c: where a percentile lies in n samples in order: between two of them, `part` of the way. */
typedef struct Place {
    uint64_t before, after;
    double part;
} Place;
Place place_of(double percent, uint64_t n);
double place_value(const Place *place, double before, double after);
int64_t count_rank(const uint64_t *count, int64_t values, uint64_t rank); /* the value at a place */
HaloStatus float_percentiles(Slot *slot, const HaloBuf *src, const HaloDetail *detail, HaloResult *result);
/* value: [channels + 1], the last over all but alpha. */
void measure_fold(const Measured *measured, const HaloFold *fold, const HaloShape *shape, double *value);

/* choose.c: opens, runs, and goes over to the CPU where `--device auto` allows it. What the plan takes beside `in`
 * counts while it runs, and `out` until halo_memory_free. */
HaloStatus run_plan(HaloSession *session, const HaloPlan *plan, const HaloBuf *in, HaloBuf *out,
                    HaloResults *results, HaloReport *report);

/* verify.c: the same plan on another slot gives the same? HALO_ERR_BUG with the first difference. */
HaloStatus verify_on(Slot *other, const HaloPlan *plan, const HaloOptions *options, const HaloBuf *in,
                     const HaloBuf *out, const HaloResults *results);

/* load.c: the format that a name's extension says, or NULL; the extension is "" where there is none. */
const HaloFormat *load_format_named(const HaloTables *tables, const char *path, char extension[16]);
/* load.c: finds the format and reads the header; then all samples, which count until halo_memory_free. */
HaloStatus load_open(HaloSession *session, HaloSource *source, const HaloShape *raw, HaloReader *reader);
HaloStatus load_samples(HaloReader *reader, HaloBuf *data);
/* load_open_ended.c: of sound whose length nobody knows. */
HaloStatus load_open_ended(HaloReader *reader, HaloBuf *data);
void load_close(HaloReader *reader); /* also what load_open left; the metadata go with it */

/* turn.c: 1, or what EXIF says (2 to 8) where rows lie otherwise and the output cannot pass that on. */
int turn_wanted(const HaloReader *reader, const HaloWriter *writer);
/* All samples, as people are to see them: `reader->info` says so from now on. Also where EXIF may only follow the
 * samples. */
HaloStatus turn_load(HaloReader *reader, int orientation, HaloBuf *data);
/* The shape that an image has when it is turned. */
HaloShape turn_shape(const HaloShape *shape, int orientation);
/* May what turns it stand behind the samples? */
bool turn_unknown(HaloReader *reader, const HaloWriter *writer);

/* The next rows; fewer only where sound of unknown length ends. */
HaloStatus load_rows(HaloReader *reader, HaloBuf *rows, int64_t *got);
/* Another image of the same file: *more says whether there is one; and then opens it. What follows on a pipe and
 * is no image is HALO_ERR_INPUT. */
HaloStatus load_more(HaloSession *session, const HaloReader *reader, bool *more);
HaloStatus load_next(HaloSession *session, HaloReader *reader);

/* flow.c: an image or a sound through a plan in bands, on the host, so that no more than a few of them are in
 * memory. Can that be done for this plan? `writer` (NULL: only results are wanted) gets all of it; a plan that
 * is endless gets its length. */
bool flow_suits(const HaloSession *session, const HaloPlan *plan);
/* Is it sound that somebody waits for, so that its blocks are short? */
bool flow_is_live(const HaloReader *reader, bool to_pipe);
HaloStatus flow_run(HaloSession *session, HaloPlan *plan, HaloReader *reader, HaloWriter *writer,
                    HaloReport *report);

/* explain.c: as a whole; rows come from a file and go to one; or somebody waits for them. */
typedef enum Way { WAY_WHOLE, WAY_FLOWS, WAY_LIVE } Way;
HaloStatus explain_plan(const HaloSession *session, const HaloPlan *plan, Way way, const Choice *choice,
                        HaloExplanation *explanation);
/* Where it would run; slot NULL: nowhere, and why. */
void explain_choice(HaloSession *session, const HaloPlan *plan, Choice *choice);

/* save.c: an image or a sound of this shape into a writer whose format, sink and options are set; `like`, of the
 * input, gives depth and metadata (nothing with --strip). `endless`: its length is not known before the end. */
HaloStatus save_begin(HaloWriter *writer, HaloInfo *like, const HaloShape *shape, bool endless);
HaloStatus save_end(HaloWriter *writer, HaloInfo *like, const HaloShape *shape);
HaloStatus save_whole(HaloWriter *writer, HaloInfo *like, const HaloBuf *data);
HaloStatus save_rows(HaloWriter *writer, const HaloBuf *rows);
/* What samples are multiplied by so that the greatest of those that were clipped is the greatest that fits. */
float save_gain(const HaloWriter *writer);
/* All of them are there; the writer keeps nothing, whatever happened before. */
HaloStatus save_close(HaloWriter *writer, HaloStatus status);

#endif

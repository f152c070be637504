/* An operation: one row of a table describes all of it. Parsing, `halo list`, `--help`, the manual, the
 * completions and the property tests all read these rows. */
#ifndef HALO_OP_H
#define HALO_OP_H

#include "halo/changes.h"
#include "halo/channel_list.h"
#include "halo/mask.h"
#include "halo/options.h"
#include "halo/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum HaloParamType {
    HALO_PARAM_NUMBER,    /* number */
    HALO_PARAM_INTEGER,   /* integer, number */
    HALO_PARAM_SWITCH,    /* integer: 0 or 1; "1", "0", "yes", "no", "true", "false", or the key alone */
    HALO_PARAM_CHOICE,    /* integer: the index in `choices` */
    HALO_PARAM_LENGTH,    /* number: pixels or samples, which a time on audio becomes ("5ms", "1:30", "480f") */
    HALO_PARAM_FREQUENCY, /* number: hertz ("440", "4kHz") */
    HALO_PARAM_LEVEL,  /* number: in units of the samples, or in percent of full scale ("50%"); or, where there
                          are  `choices`, one of them: integer: its index and 1, else 0 */
    HALO_PARAM_MASK,   /* mask: a quoted string, else a file, else a name */
    HALO_PARAM_BORDER, /* integer: HaloBorder; number: the constant ("constant=0.5") */
    HALO_PARAM_POINT,  /* point: "X+Y"; from_end where a number has a minus sign, also -0; or, where there are
                          `choices`, one of them: integer 1 */
    HALO_PARAM_FILE, /* text: a path; bytes, size: what is in that file, which is read with the pipeline. Where
                        `check` takes the text, it is a value itself, and no file is read */
    HALO_PARAM_SOURCE, /* another input: a path, or a branch, "[gauss:20]"; for halo_build_source alone */
    HALO_PARAM_FACTOR, /* number: a factor ("2", "-1x"), also in percent ("150%") or decibels ("-6dB"); where
                          the unit is "dB", a number without a unit is refused */
    HALO_PARAM_TEXT    /* text: whatever `check` takes */
} HaloParamType;

typedef struct HaloParam {
    const char *key;
    HaloParamType type;
    const char *preset;  /* the default as it would be typed; NULL: has to be given; "": none */
    double min, max;     /* inclusive range of numbers; both 0: any finite number */
    bool duration;       /* LENGTH: without a unit it is in seconds, not in samples */
    int list;            /* TEXT, FILE: how many values, with commas between them, it takes at most; 0: one */
    bool of_result;      /* LEVEL: a percentage is of the result's full scale, which the operation sets */
    const char *choices; /* CHOICE: "magnitude|x|y"; LEVEL: "otsu"; POINT: "center|centre" */
    bool ratio;          /* NUMBER: also a percentage, or "5:4" */
    bool unplaced; /* SOURCE: its levels count, not their places, so that it need not lie as the input does */
    const char *unit; /* "pixels", "Hz", "dB" …, or NULL */
    const char *help; /* one line */
    /* TEXT: returns HALO_ERR_USAGE for an invalid text, with a message that begins with `where`. CHOICE: may
     * add a message for a word that resembles none of the choices. */
    HaloStatus (*check)(const char *where, const char *text);
} HaloParam;

/* A parsed value. `given` is false if it is the default. */
typedef struct HaloValue {
    bool given;
    double number;
    bool percent; /* it was given in percent of full scale; when a plan is made `number` becomes the level */
    int64_t integer;
    int64_t point[2];
    bool from_end[2];
    const char *text;
    const HaloMask *mask;
    HaloOperand *operand;       /* SOURCE: a file that is the same for all inputs, or */
    const HaloPipeline *branch; /* a branch; neither: a path with fields for parts of the input's */
    const void *bytes;          /* FILE: [size] */
    size_t size;
} HaloValue;

typedef enum HaloNan { HALO_NAN_PROPAGATE, HALO_NAN_IGNORE, HALO_NAN_ERROR } HaloNan;

/* What every filter also takes: border=, alpha=, nan=. */
typedef struct HaloCommon {
    HaloBorder border;
    double border_value;
    HaloAlpha alpha;
    HaloNan nan;
} HaloCommon;

typedef struct HaloBuilder HaloBuilder;

/* Floats of arrays are numbers, without a full scale (HaloShape::numbers). */
typedef enum HaloScale {
    HALO_SCALE_ANY,   /* the operation works on numbers as well, and leaves them numbers */
    HALO_SCALE_NEEDS, /* it refuses numbers */
    HALO_SCALE_ALIKE, /* it refuses to combine numbers with samples that have a full scale */
    HALO_SCALE_SETS   /* its result has a full scale */
} HaloScale;

typedef struct HaloOp {
    const char *name;
    const char *help;     /* one line, lower case */
    const char *synonyms; /* synonyms with the same parameters, separated by blanks; or NULL */
    const char
        *known_as; /* names of it or similar operations in other tools, which are only suggested; or NULL */
    const char *example; /* "gauss:2" */
    unsigned kinds;      /* a set of HaloKind */
    bool filter;         /* takes the common parameters */
    bool result;         /* gives a result and passes its input on */
    bool selects; /* selects the pages that are read, so it has to be the first operation; they pass through it
                   */
    int light;    /* 1: sRGB becomes linear light; -1: the other way; 0: light stays coded as it is */
    int (*light_of)(const HaloValue *arg); /* the same, where it depends on parameters: also HALO_LIGHT_NONE,
                                              CONVERTED, PROFILE; or NULL */
    HaloScale scale;                       /* how it depends on full scale, and changes it */
    bool within;  /* its samples lie in the range of those that they are made of, but for ringing at edges */
    bool upright; /* its result would be another one of a turned picture, as it takes or gives places or sizes,
                     or works by rows or columns: images are turned as EXIF says before the pipeline */
    bool (*upright_of)(const HaloValue *arg); /* the same, where it depends on parameters; or NULL */
    const HaloParam *param;                   /* in the order in which values without keys fill them */
    int params;
    /* Appends steps that make *out from `in`. `arg` has one value for each row of `param`. */
    HaloStatus (*build)(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out);
} HaloOp;

/* In an initialiser: both members. C++ has such designators from C++20 on; before that, values for all members
 * before these have to stand there, in their order. */
#if defined(__cplusplus) && __cplusplus < 202002L
#define HALO_PARAMS(array) (array), (int)(sizeof(array) / sizeof((array)[0]))
#else
#define HALO_PARAMS(array) .param = (array), .params = (int)(sizeof(array) / sizeof((array)[0]))
#endif

/* ---- functions for `build` (core/plan/builder.c) --------------------------------------------------------- */

HALO_API const HaloShape *halo_build_shape(const HaloBuilder *builder,
                                           HaloReg reg); /* until the next step is added */
/* Is it sound of unknown length? Then its shape has a length that no sound exceeds. An operation that depends
 * on the length has to call halo_build_wants_length: then all of the input is read first, and the plan is made
 * again. */
HALO_API bool halo_build_endless(const HaloBuilder *builder, HaloReg reg);
HALO_API void halo_build_wants_length(HaloBuilder *builder);
/* Is the output a table, whose rows are frames and which holds no pictures? */
HALO_API bool halo_build_for_table(const HaloBuilder *builder);
/* Is the length of the input unknown? Then a part cut from it may turn out shorter than its shape says. */
HALO_API bool halo_build_open_ended(const HaloBuilder *builder);
/* Is there no output, so that the results of operations are all that is wanted? */
HALO_API bool halo_build_only_measures(const HaloBuilder *builder);
/* Silence is frames whose samples all have a magnitude below `level`, `least` of them or more side by side: at
 * the beginning and the end of a sound, or, `all`, anywhere. */
typedef struct HaloSilence {
    float level;
    int64_t least;
    bool all;
} HaloSilence;
/* What is left of sound without silence: frames span[0], span[1] and so on, in order; 0 spans: nothing. They
 * last as long as `build` does. This needs an analysis pass over the samples of `in`: the first call returns a
 * status other than HALO_OK, which `build` has to return as it is, and planning starts again after the pass. */
HALO_API HaloStatus halo_build_analysis(HaloBuilder *builder, HaloReg in, const HaloSilence *silence,
                                        const HaloSpan **span, int64_t *spans);
/* Trying parameters that lead to a loudness: what the next analysis pass found; it lasts as long as `build`
 * does. NULL: that pass has not run yet. Then `build` makes a value and returns what halo_build_loudness_pass
 * returns, which measures it; planning starts again after the pass. */
HALO_API HaloStatus halo_build_loudness_found(HaloBuilder *builder, const HaloLoudness **found);
HALO_API HaloStatus halo_build_loudness_pass(HaloBuilder *builder, HaloReg src);
/* Reports something of the plan, once; `by`: how much, of HALO_NOTE_QUIETER and HALO_NOTE_ANGLE. */
HALO_API HaloStatus halo_build_note(HaloBuilder *builder, HaloNote kind, double by);
/* What frames of a sound, or rows of a picture, tell, such as the noise in it. */
typedef struct HaloAnalysis {
    HaloSpan part;   /* the frames to look at; fewer, where the sound turns out to be shorter; of a picture all
                        columns */
    int64_t bytes;   /* of what is found, zeros at first */
    const void *how; /* the operation's parameters; they belong to the plan */
    /* Takes the next frames, f32 or f64, in order; rows of a picture in its own type. */
    void (*take)(const void *how, void *found, const HaloBuf *frames);
} HaloAnalysis;
/* What `take` has found, which lasts as long as `build` does. It needs an analysis pass, as above. */
HALO_API HaloStatus halo_build_analysis_of_frames(HaloBuilder *builder, HaloReg in,
                                                  const HaloAnalysis *analysis, const void **found);
/* The factor by which the value is decimated on each axis, rounded up, against its shape, for a step that
 * resamples it (HALO_PRECISION_FAST); 1: not. */
HALO_API int64_t halo_build_shrunk(const HaloBuilder *builder, HaloReg reg);
/* The loudspeaker of each channel of the value, one bit of WAVE's mask; 0: it has none. */
HALO_API HaloStatus halo_build_speakers(HaloBuilder *builder, HaloReg reg, uint32_t *speaker);
HALO_API const HaloCommon *halo_build_common(const HaloBuilder *builder);
/* The page of its file that the input is, from 0; -1: it is not known, of arrays. */
HALO_API int64_t halo_build_page(const HaloBuilder *builder);

/* Bytes that may still be held (--max-memory). */
HALO_API int64_t halo_build_memory(const HaloBuilder *builder);
/* Memory that lives as long as the plan; NULL without memory (return HALO_ERR_LIMIT). */
HALO_API void *halo_build_keep(HaloBuilder *builder, size_t bytes);

/* Appends a step that makes a value, *dst: f32, or f64 where a source is that, of the shape that follows from
 * its sources. Set its primitive, sources and parameters; all other members are ignored. */
HALO_API HaloStatus halo_build_step(HaloBuilder *builder, const HaloStep *step, HaloReg *dst);
/* The same for one primitive each. HALO_ERR_INPUT when VALID leaves nothing. */
HALO_API HaloStatus halo_build_conv(HaloBuilder *builder, HaloReg src, const HaloConv *conv, HaloReg *dst);
HALO_API HaloStatus halo_build_sep(HaloBuilder *builder, HaloReg src, const HaloSep *sep, HaloReg *dst);
HALO_API HaloStatus halo_build_rank(HaloBuilder *builder, HaloReg src, const HaloRank *rank, HaloReg *dst);
HALO_API HaloStatus halo_build_mean(HaloBuilder *builder, HaloReg src, const HaloMean *mean, HaloReg *dst);
HALO_API HaloStatus halo_build_bilateral(HaloBuilder *builder, HaloReg src, const HaloBilateral *bilateral,
                                         HaloReg *dst);
HALO_API HaloStatus halo_build_local(HaloBuilder *builder, HaloReg src, const HaloLocal *local, HaloReg *dst);
/* `map`: of HALO_WARP_MAP, two channels of the size of the result; else -1. */
HALO_API HaloStatus halo_build_warp(HaloBuilder *builder, HaloReg src, HaloReg map, const HaloWarp *warp,
                                    HaloReg *dst);
HALO_API HaloStatus halo_build_gather(HaloBuilder *builder, HaloReg src, const HaloGather *gather,
                                      HaloReg *dst);
HALO_API HaloStatus halo_build_resample(HaloBuilder *builder, HaloReg src, const HaloResample *resample,
                                        HaloReg *dst);
HALO_API HaloStatus halo_build_sections(HaloBuilder *builder, HaloReg src, const HaloSections *sections,
                                        HaloReg *dst);
HALO_API HaloStatus halo_build_spectrum(HaloBuilder *builder, HaloReg src, const HaloSpectrum *spectrum,
                                        HaloReg *dst);
/* `how` belongs to the plan (halo_build_keep). */
HALO_API HaloStatus halo_build_sequence(HaloBuilder *builder, HaloReg src, const HaloSequenceKind *kind,
                                        const void *how, HaloReg *dst);
/* The same of two sources, the other with as many channels or one. */
HALO_API HaloStatus halo_build_sequence_of_two(HaloBuilder *builder, HaloReg src, HaloReg other,
                                               const HaloSequenceKind *kind, const void *how, HaloReg *dst);
/* `bins` and `white` are set by the source. */
HALO_API HaloStatus halo_build_equalize(HaloBuilder *builder, HaloReg src, const HaloEqualize *equalize,
                                        HaloReg *dst);
/* Connected regions of a value of one channel. A picture that is too large to be held is read twice for them.
 */
HALO_API HaloStatus halo_build_regions(HaloBuilder *builder, HaloReg src, const HaloRegions *regions,
                                       HaloReg *dst);
/* A report of the regions in `labels`, and, `of` not -1, of the samples of that value there, which has the same
 * size. */
HALO_API HaloStatus halo_build_objects(HaloBuilder *builder, HaloReg labels, HaloReg of,
                                       const HaloObjects *objects);
/* Maps that follow each other are merged when the plan is complete. */
HALO_API HaloStatus halo_build_map(HaloBuilder *builder, HaloReg src, const HaloMap *map, HaloReg *dst);
/* A map whose parameters `resolve` sets from the statistics of `src`; `resolve_arg` is copied to the step. */
HALO_API HaloStatus halo_build_map_from_stats(HaloBuilder *builder, HaloReg src, const HaloMap *map,
                                              unsigned want, const HaloDetail *detail, HaloResolve *resolve,
                                              const double resolve_arg[2], HaloReg *dst);
/* The same from the loudness of sound, and its true peak. */
HALO_API HaloStatus halo_build_map_from_loudness(HaloBuilder *builder, HaloReg src, const HaloMap *map,
                                                 HaloResolve *resolve, const double resolve_arg[2],
                                                 HaloReg *dst);
/* The same from the histogram: of every value, or, of floats, of 256 bins from the least finite sample to the
 * greatest. */
HALO_API HaloStatus halo_build_map_from_hist(HaloBuilder *builder, HaloReg src, const HaloMap *map,
                                             HaloResolve *resolve, const double resolve_arg[2], HaloReg *dst);
/* Gains of colours (HALO_COLOR_GAINS) that `resolve` sets from the statistics of `of`, such as a part of `src`.
 */
HALO_API HaloStatus halo_build_gains_from_stats(HaloBuilder *builder, HaloReg src, HaloReg of,
                                                HaloResolve *resolve, HaloReg *dst);
/* dst has the size of a moved by (ax, ay), or, for a and b of different sizes, of the smaller one; of a, where
 * b is spread. */
HALO_API HaloStatus halo_build_combine(HaloBuilder *builder, HaloReg a, HaloReg b, const HaloCombine *combine,
                                       HaloReg *dst);
/* The same, with parameters that `resolve` sets from the statistics of b; at once, where b is a file and so the
 * same for all inputs. */
HALO_API HaloStatus halo_build_combine_from_stats(HaloBuilder *builder, HaloReg a, HaloReg b,
                                                  const HaloCombine *combine, HaloResolve *resolve,
                                                  HaloReg *dst);

/* How a SOURCE has to match `in`. */
typedef enum HaloFit {
    HALO_FIT_LIKE,  /* of its size or one pixel (of sound, one frame), with as many channels or one; it comes in
                       units of `in` */
    HALO_FIT_MIXED, /* the same, but sound may be of any length */
    HALO_FIT_OWN_UNITS, /* the same as the first, but in its own units */
    HALO_FIT_CHANNELS,  /* the same, and a branch codes light as its input does */
    HALO_FIT_GRAY,      /* of its size or one pixel, with one colour; in units of `in` */
    HALO_FIT_ANY,       /* of any size and with any channels; in units of `in` */
    HALO_FIT_SIZE,      /* of its size, with any channels; in its own units */
    HALO_FIT_PLACES     /* of any size and with any channels; in its own units */
} HaloFit;

/* core/plan/source.c: the value of a SOURCE beside `in`. HALO_ERR_INPUT, naming both, if it does not match. */
HALO_API HaloStatus halo_build_source(HaloBuilder *builder, const HaloValue *source, HaloReg in, HaloFit fit,
                                      HaloReg *out);
/* core/plan/confine.c: the channels of a list alone, with alpha where that is among them behind another one;
 * and the input with `made`, which has to be like `taken`, in their place. HALO_ERR_INPUT with a message. */
HALO_API HaloStatus halo_build_take_channels(HaloBuilder *builder, HaloReg in, const HaloChannelList *list,
                                             HaloReg *taken);
HALO_API HaloStatus halo_build_put_channels(HaloBuilder *builder, HaloReg in, const HaloChannelList *list,
                                            HaloReg taken, HaloReg made, HaloReg *out);
/* Converts to a sample type; integers rescale to their white, f32 keeps its units. */
HALO_API HaloStatus halo_build_depth(HaloBuilder *builder, HaloReg src, HaloDtype dtype, HaloReg *dst);
/* The times of the frames of a value of known length, which stay the plan's; *origin: midnight of the first
 * day, where they are dates, or 0. HALO_ERR_INPUT where they are not known. */
typedef struct HaloFrameTimes HaloFrameTimes;
HALO_API HaloStatus halo_build_times(HaloBuilder *builder, HaloReg reg, const HaloFrameTimes **times,
                                     int64_t *origin);
/* The time of a frame, in nanoseconds (halo/series.h); and the first of so many frames, whose times rise, that
 * is not before this time: their number if there is none. */
HALO_API int64_t halo_frame_time(const HaloFrameTimes *times, int64_t frame);
HALO_API int64_t halo_frame_from(const HaloFrameTimes *times, int64_t frames, int64_t time);
/* Do they come from evenly spaced ones, in order? */
HALO_API bool halo_frames_are_even(const HaloFrameTimes *times);
/* The time of every frame of rows that are not evenly spaced; else NULL. */
HALO_API HaloStatus halo_build_uneven_times(HaloBuilder *builder, HaloReg reg, const int64_t **time);
/* HALO_ERR_INPUT where the rows of a table have times that fall: for operations that run along time. */
HALO_API HaloStatus halo_build_rising(HaloBuilder *builder, HaloReg reg);
/* Is a text a date ("2024-03-01", "2024-03-01 08:00Z"), or a time of day ("8:00")? */
typedef enum HaloMoment { HALO_MOMENT_NONE, HALO_MOMENT_CLOCK, HALO_MOMENT_DATE } HaloMoment;
HALO_API HaloMoment halo_moment_of(const char *text, size_t length);
/* The first frame whose time is not before this date or time of day; its width where there is none. -1: a time
 * of day, and the times of the input show none. Of a value of unknown length 0, and the plan is made again.
 * HALO_ERR_USAGE or HALO_ERR_INPUT with a message that begins with `where`. */
HALO_API HaloStatus halo_build_moment(HaloBuilder *builder, const char *where, HaloReg reg, const char *text,
                                      size_t length, int64_t *frame);
/* Names the channels of a value that this operation made, as a row of a table: "peak,rms" (quotation marks as
 * CSV has them). HALO_ERR_LIMIT without memory. */
HALO_API HaloStatus halo_build_names(HaloBuilder *builder, HaloReg reg, const char *names);
/* The frames of a value that this operation made do not stand for times: frame k is start + k * step on an axis
 * of this name, which outlives the plan. HALO_ERR_LIMIT without memory. */
HALO_API HaloStatus halo_build_axis(HaloBuilder *builder, HaloReg reg, const char *name, double start,
                                    double step);
/* Sets full scale from here on; the samples stay. */
HALO_API void halo_build_set_scale(HaloBuilder *builder, HaloReg reg, float white);
/* Measurements: the value itself passes on unchanged. */
/* `want`: a set of HaloWant; without the product in it the product is NaN. detail NULL: none. */
HALO_API HaloStatus halo_build_stats(HaloBuilder *builder, HaloReg src, unsigned want,
                                     const HaloDetail *detail);
HALO_API HaloStatus halo_build_fold(HaloBuilder *builder, HaloReg src, const HaloFold *fold);
HALO_API HaloStatus halo_build_table(HaloBuilder *builder, HaloReg src, const HaloTableKind *kind,
                                     const void *how);
/* The same of two sources of one size, with as many channels. */
HALO_API HaloStatus halo_build_table_of_two(HaloBuilder *builder, HaloReg src, HaloReg other,
                                            const HaloTableKind *kind, const void *how);
/* NaN for lo or hi: the default range of the sample type; bins 0: the default number. */
HALO_API HaloStatus halo_build_hist(HaloBuilder *builder, HaloReg src, int64_t bins, double lo, double hi);
/* The same of samples that another value selects, of one channel and the size of `src`: a mask, or, `each`,
 * labels (halo/groups.h). */
typedef struct HaloSelection {
    HaloReg by;
    bool each;
} HaloSelection;
HALO_API HaloStatus halo_build_stats_of(HaloBuilder *builder, HaloReg src, const HaloSelection *selection,
                                        unsigned want, const HaloDetail *detail);
HALO_API HaloStatus halo_build_hist_of(HaloBuilder *builder, HaloReg src, const HaloSelection *selection,
                                       int64_t bins, double lo, double hi);
HALO_API HaloStatus halo_build_scan(HaloBuilder *builder, HaloReg src, const HaloScan *scan, HaloReg *dst);
/* Fails the input if the value holds a NaN (nan=error). */
HALO_API HaloStatus halo_build_refuse_nan(HaloBuilder *builder, HaloReg src);

#ifdef __cplusplus
}
#endif
#endif

/* halo's public interface, version 1: filter images, sound and arrays, measure them, read and write files.
 *
 *     HaloSession *session;
 *     HaloPipeline *blur;
 *     const HaloFile in = HALO_FILE("in.png"), out = HALO_FILE("out.png");
 *     halo_session_open(NULL, &session);
 *     halo_pipeline_parse(session, "gauss:2", &blur);
 *     if (halo_run(session, blur, &in, &out, NULL) != HALO_OK) puts(halo_error());
 *
 * Every function that returns a HaloStatus leaves a sentence in halo_error() when it fails, and then changes
 * none of its outputs but to NULL. Structs that a program fills begin with their size, so that programs keep
 * working when a later version adds members. NULL where a pointer is needed, and values out of range, are
 * HALO_ERR_USAGE.
 *
 * A session, its pipelines and plans may be used in any number of threads at the same time; closing is the
 * exception. After fork() the child has to open a session of its own.
 *
 * Programs that use halo need no other header. halo/extend.h is for adding operations, formats and backends; it
 * has a version of its own, and changes more often. */
#ifndef HALO_HALO_H
#define HALO_HALO_H

#include "halo/array.h"
#include "halo/options.h"
#include "halo/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- versions ------------------------------------------------------------------------------------------- */

#define HALO_ABI_VERSION 1 /* what this header describes; libhalo.so.1 */

/* Of halo, whose header this is: `#if HALO_VERSION_MINOR >= 3`. */
#define HALO_VERSION_MAJOR 0
#define HALO_VERSION_MINOR 2
#define HALO_VERSION_PATCH 0

/* "0.2.0" and HALO_ABI_VERSION of the library that runs; the commit that it was built from ("": not from a
 * checkout); the features of this build in one line, "JPEG, TIFF, …, no CUDA". Static. */
HALO_API const char *halo_version(void);
HALO_API int halo_abi_version(void);
HALO_API const char *halo_build_commit(void);
HALO_API const char *halo_build_features(void);

/* ---- sessions and pipelines ----------------------------------------------------------------------------- */

typedef struct HaloSession HaloSession;
typedef struct HaloPipeline HaloPipeline;
typedef struct HaloPlan HaloPlan;
typedef struct HaloReport HaloReport;

/* Opens no device yet: that happens when the first plan needs one. `options` NULL: the defaults. */
HALO_API HaloStatus halo_session_open(const HaloOptions *options, HaloSession **session);
/* Plans have to be closed first. NULL is fine here and wherever something is closed or freed. */
HALO_API void halo_session_close(HaloSession *session);
/* Frees the memory that it keeps for the next run. */
HALO_API void halo_session_trim(HaloSession *session);

/* Parses "op:key=value,… | op …" and checks names, values and masks. The message of HALO_ERR_USAGE has the
 * mistake, its place and the nearest valid spelling. "" is a pipeline that copies. Files that it names are read
 * here, once; "@2", "@3" … are the second, third … array that a plan is opened with. Plans do not point into
 * it. */
HALO_API HaloStatus halo_pipeline_parse(HaloSession *session, const char *text, HaloPipeline **pipeline);
HALO_API void halo_pipeline_free(HaloPipeline *pipeline);
/* True where every operation gives results and none changes samples ("stats | hist"): no output is needed. */
HALO_API bool halo_pipeline_only_measures(const HaloPipeline *pipeline);

/* ---- arrays --------------------------------------------------------------------------------------------- */

/* Plans a pipeline for arrays like these `count`: first the input, then those that "@2" and so on name, all of
 * which the pipeline has to use. Their data are not read, and may be NULL, but for operations whose output
 * depends on the samples (`silence`): then they are planned for again in each run. Pages are run one by one.
 * The plan belongs to the session. */
HALO_API HaloStatus halo_plan_open(HaloSession *session, const HaloPipeline *pipeline, const HaloArray inputs[],
                                   size_t count, HaloPlan **plan);
HALO_API void halo_plan_close(HaloPlan *plan);
/* Describes output `at`, from 0: its type, size, axes, rate, full scale and alpha, in C order without gaps, in
 * the order of the input's axes. There is one output, and none where the pipeline only measures. HALO_ERR_USAGE
 * for others, and where the size depends on the samples and the plan was opened without data. */
HALO_API HaloStatus halo_plan_output(const HaloPlan *plan, size_t at, HaloArray *array);
/* How far a sample of the output reads in the input, and in other arrays: left, right (frames of sound), up and
 * down, in samples. -1: it depends on all of the input, or on its place, as by x in an expression, the noise of
 * `dither`, or a file of samples. For cutting arrays into blocks that overlap, which give what the whole gives;
 * but sums of floats in windows, as of `box`, are rounded in an order that is counted from the first sample, so
 * that in rare cases the last bit differs. */
HALO_API HaloStatus halo_plan_reach(const HaloPlan *plan, int64_t reach[4]);
/* Runs it on arrays that are like those it was opened with, by size, type and meaning; strides may differ.
 * `outputs` has the caller's memory, of the size and type that halo_plan_output gives and any strides; NULL:
 * only results are wanted. `report` NULL: not wanted. The output may overlap inputs in memory, or be one: such
 * an input is copied first, which takes as much memory again. Elements of the output itself may not overlap by
 * its strides (HALO_ERR_USAGE).
 *
 * Arrays on a GPU have to be there all, packed as halo_plan_output packs them or with gaps between rows. The
 * work is queued on `stream`, a CUDA stream (NULL: the legacy default one), without other copies: the caller's
 * memory is read and written in place. Where `report` is NULL nothing waits, unless an operation needs a
 * measurement before it goes on. For arrays in host memory `stream` is not used, and all is done on return. */
HALO_API HaloStatus halo_plan_run(HaloPlan *plan, const HaloArray inputs[], HaloArray outputs[], void *stream,
                                  HaloReport **report);
/* What the plan does, as `halo run --explain` prints it: to be freed by halo_free. */
HALO_API HaloStatus halo_plan_explain(const HaloPlan *plan, char **text);

/* Reduces the pages of arrays that are alike to one page, sample by sample: `what` is "mean", "median", "min",
 * "max", "sum", "sd", "range", "mean:clip=3" (of the samples within 3 deviations of the median), or an
 * expression, as "max(a,b)", which joins the first page and the next, and so on (with an identity:
 * "reduce:\"a*b\",identity=1"), and leaves NaN out. `output` has memory for a page of the first one's size, of
 * f32, f64 or, rounded, of their type if that is u8 or u16; it may overlap the arrays. In host memory. */
HALO_API HaloStatus halo_stack_arrays(HaloSession *session, const char *what, const HaloArray inputs[],
                                      size_t count, const HaloArray *output);

/* How two arrays differ, in units of the first. */
typedef struct HaloDifference {
    size_t struct_size;
    int64_t samples, differing;
    double max, mean, rmse; /* of the magnitudes of the differences */
    int64_t max_x, max_y;   /* where the first of the greatest is; -1: none is above 0 */
    int max_channel;
    double psnr;        /* in dB, of full scale; infinite if nothing differs */
    double ssim;        /* NaN: of sound, or of pictures of less than 11 pixels a side */
    double lag;         /* of sound: that of the second, in frames, where they correlate most, */
    double correlation; /* and how much, -1 to 1; NaN: not known */
} HaloDifference;

/* Of two pictures of one size, or two sounds of one rate; the rest of the longer sound is compared with
 * silence. In host memory. */
HALO_API HaloStatus halo_compare_arrays(HaloSession *session, const HaloArray inputs[2],
                                        HaloDifference *difference);

/* ---- files ---------------------------------------------------------------------------------------------- */

/* A file: by its path, in memory, or behind functions. */
typedef struct HaloFile {
    size_t struct_size;
    const char *path;  /* "-": standard input or output. NULL: one of the following */
    const void *bytes; /* of an input in memory */
    size_t size;
    /* Functions: of an input, the next bytes, up to `size`, 0 at the end; of an output, which is complete and
     * is given in order. Negative: it failed. */
    int64_t (*read)(void *context, void *bytes, size_t size);
    int64_t (*write)(void *context, const void *bytes, size_t size);
    void *context;
    const char *format; /* by name, "png". NULL: an input's own; of an output by its path's extension, else the
                           input's */
    bool replace;       /* an output that exists; else it is kept, and the run fails */
    int quality;        /* of lossy formats: 1 to 100; 0: the format's default */
    int level;          /* of PNG: 1 (fast) to 9 (small), -1: not compressed; 0: 1 */
    int bits;           /* of sound: 8, 16, 24 or 32; of black and white in PNG, TIFF: 1; 0: as the input's */
    bool floats;        /* of sound: floats, of 32 `bits` */
    bool strip;         /* write none of the input's metadata */
    bool lossless;      /* of WebP, AVIF and JPEG XL, which are lossy otherwise */
    int effort;         /* of the same, HEIC and TIFF: 1 (fast) to 9 (small); 0: the format's default */
} HaloFile;

#define HALO_FILE(path)                                                                                 \
    {                                                                                                   \
        sizeof(HaloFile), path, NULL, 0, NULL, NULL, NULL, NULL, false, 0, 0, 0, false, false, false, 0 \
    }

/* Bytes that a `write` function collects: {0} at first, `data` is freed by halo_free. */
typedef struct HaloBytes {
    void *data;
    size_t size, capacity;
} HaloBytes;
/* HaloFile::write with a HaloBytes as context. */
HALO_API int64_t halo_bytes_write(void *bytes, const void *data, size_t size);
HALO_API void halo_free(void *memory);

/* Runs a file through a pipeline, page by page, in bands: of any size. `out` NULL: only results are wanted; it
 * gets its name only when it is complete. `report` NULL: not wanted. */
HALO_API HaloStatus halo_run(HaloSession *session, const HaloPipeline *pipeline, const HaloFile *in,
                             const HaloFile *out, HaloReport **report);
/* Describes the first page of a file without reading its samples: frames of sound of unknown length are -1. */
HALO_API HaloStatus halo_info(HaloSession *session, const HaloFile *file, HaloArray *array);
/* Reads the first page of a file; array->data is freed by halo_free. With `pages` all pages, of one size and
 * type, along a first dimension n. */
HALO_API HaloStatus halo_load(HaloSession *session, const HaloFile *file, bool pages, HaloArray *array);
/* Writes an array in host memory: pages of formats that hold several, else one. Samples keep their type where
 * the format has it. */
HALO_API HaloStatus halo_save(HaloSession *session, const HaloArray *array, const HaloFile *file);

/* ---- reports -------------------------------------------------------------------------------------------- */

/* What a run measured and noted. Texts and columns live as long as the report. */
HALO_API void halo_report_close(HaloReport *report);
/* "cpu", "cuda". */
HALO_API const char *halo_report_backend(const HaloReport *report);
/* Samples clipped to the range of the output. */
HALO_API uint64_t halo_report_clipped(const HaloReport *report);
/* The i-th remark on what was lost or changed, a sentence; NULL past the last. */
HALO_API const char *halo_report_note(const HaloReport *report, size_t i);

/* Results are tables: of `stats` one row for each channel and one for all ("all"), of `hist` one for each bin,
 * of peaks one for each. The i-th, in the order of the operations: its kind ("stats", "hist", "fold", "peaks"),
 * rows and columns; NULL past the last. Behind "hist" comes "hist outside", samples in no bin, and behind
 * "stats" comes "stats moments", from which the statistics of parts become those of the whole: integers have
 * exact sums of samples and of squares (in two halves of 64 bits), floats the sum of squared deviations from
 * their mean, m2. */
HALO_API const char *halo_report_table(const HaloReport *report, size_t i, int64_t *rows, int *columns);

typedef enum HaloColumnType { HALO_COLUMN_TEXT = 1, HALO_COLUMN_I64 = 2, HALO_COLUMN_F64 = 3 } HaloColumnType;
/* Column `at` of table i: its name ("mean"), type, and an array of its rows: of const char *, int64_t or
 * double. NULL past the last. */
HALO_API const char *halo_report_column(const HaloReport *report, size_t i, int at, HaloColumnType *type,
                                        const void **data);

/* ---- what there is -------------------------------------------------------------------------------------- */

typedef struct HaloOperation {
    size_t struct_size;
    const char *name, *help, *example; /* "gauss", one line, "gauss:2" */
    const char *synonyms;              /* separated by blanks; or NULL */
    bool images, sound, result;        /* it works on pictures; on sound and series; it gives results */
    int parameters;
} HaloOperation;

typedef struct HaloParameter {
    size_t struct_size;
    const char *name, *help;
    const char *type;       /* "number", "integer", "switch", "choice", "length", "frequency", "level", "mask",
                               "border", "point", "file", "source", "factor", "text" */
    const char *preset;     /* the default as it would be typed; "": none; NULL: it has to be given */
    const char *choices;    /* "magnitude|x|y", or NULL */
    const char *unit;       /* "pixels", or NULL */
    double least, greatest; /* of numbers; both 0: any */
} HaloParameter;

/* The i-th operation in the order of `halo list`, and its parameters, those that all filters take included.
 * HALO_ERR_USAGE past the last, without a message. */
HALO_API HaloStatus halo_operation(size_t i, HaloOperation *operation);
HALO_API HaloStatus halo_operation_parameter(size_t i, int at, HaloParameter *parameter);

#ifdef __cplusplus
}
#endif
#endif

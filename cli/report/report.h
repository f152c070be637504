/* Results, for eyes and for programs. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "batch/batch.h"
#include "halo/compare.h"
#include "text/json.h"
#include "text/page.h"

/* What a result describes: a file, or a data set. */
typedef struct CliSubject {
    const char *file; /* NULL: a data set */
    size_t files;
    const HaloNotes *notes;        /* of a file, for programs; NULL: none */
    const char *const (*place)[2]; /* [channels + 1]: the files with its minimum and maximum; or NULL */
} CliSubject;

/* level.c: how loud a channel of sound is, from its statistics. Full scale is 0 dB, so a sine as loud as can be
 * has an RMS of -3.01 dB. NaN where undefined. */
typedef struct CliLevel {
    double peak, peak_dbfs, rms_dbfs;
    double crest; /* peak over RMS */
} CliLevel;
CliLevel cli_level(const HaloShape *shape, const HaloStats *stats);

/* subject.c: the most channels that tables and texts show, with a note of how many there are; also for the
 * names in `info --json`. */
#define CLI_CHANNELS 64
#define CLI_NAMES 1024
int cli_shown_channels(int channels);
void cli_print_left_out(FILE *to, int channels); /* nothing where all are shown */

/* report.c: results as tables and drawings. */
void cli_print_result(FILE *to, const CliSubject *subject, const HaloResult *result);
/* `drawn`: without histograms, which --plot - draws. */
void cli_print_results(FILE *to, const CliItem *item, const HaloResults *results, bool drawn);
/* bars.c: histograms as bars; the first sets whether their lengths are logarithmic. */
void cli_bars_setup(bool logarithmic);
void cli_print_histogram(FILE *to, const HaloResult *result);
/* How high the bar of a count is, from 0 to 1. A logarithmic axis begins at a half, so that 1 shows. */
double cli_share(double count, double peak, bool log_axis);

/* tables.c: rows that were found, such as peaks: for eyes, and as members of a channel in JSON. */
void cli_print_table(FILE *to, const HaloResult *result);
void cli_record_table(CliJson *json, const HaloTable *table);

/* notes.c: notes of all runs of a batch: what was lost or changed. */
typedef struct CliNoted {
    HaloNotes all;
    size_t inputs[HALO_NOTES]; /* that have a note of this kind */
} CliNoted;
void cli_noted_add(CliNoted *noted, const HaloNotes *notes);
/* One line, or none. */
void cli_noted_say(const CliNoted *noted, const CliBatch *batch, bool guarded);
/* The texts, separated by "; "; NULL: there are none. The caller frees it. */
char *cli_notes_text(const HaloNotes *notes, bool losses, bool others);
/* "notes", a list; `inputs` (may be NULL): how many have each. */
void cli_record_notes(CliJson *json, const HaloNotes *notes, const size_t *inputs);

/* sheets.c: a cell of CSV, in quotation marks where it needs them. */
void cli_sheet_text(FILE *to, const char *text);
/* Results of stats and hist as lines of CSV, below a header that the first of them determines. */
typedef struct CliSheet {
    bool begun;
    HaloDetail detail; /* with the columns of these */
} CliSheet;
void cli_sheet_results(FILE *to, const CliItem *item, const HaloResults *results, CliSheet *sheet);

/* records.c: results, outputs and the summary as JSON, one object a line. */
void cli_record_result(FILE *to, const CliSubject *subject, const HaloResult *result);
void cli_record_results(FILE *to, const CliItem *item, const HaloReport *report);
/* `report` is NULL where nothing was computed; `error` where nothing went wrong. */
void cli_record_file(FILE *to, const CliItem *item, const char *outcome, const char *error,
                     const HaloReport *report);

typedef struct CliTally {
    size_t ok, failed, skipped;
    double seconds;
    const char *backend; /* NULL: nothing was computed; "several" */
    char device[256];    /* each once, as many as fit: "AMD EPYC, v4, 16 threads; NVIDIA H200" */
    CliNoted noted;
} CliTally;

/* A file was computed on this device; `backend` stays the caller's. */
void cli_tally_device(CliTally *tally, const char *backend, const char *device);
void cli_record_summary(FILE *to, const CliTally *tally);

/* difference.c: how far two files are from each other, and whether that is within the bounds. */
void cli_record_difference(FILE *to, const char *a, const char *b, const HaloComparison *found, bool within);
/* `beyond` is which bounds are broken, or empty. */
void cli_print_difference(FILE *to, const char *a, const char *b, const HaloComparison *found, bool within,
                          const char *beyond);
/* A line of CSV; `head`: the names of the columns before it. */
void cli_sheet_difference(FILE *to, const char *a, const char *b, const HaloComparison *found, bool within,
                          bool head);

/* subject.c: "image, 384 x 256, r g b, u8" */
void cli_describe_shape(FILE *to, const HaloShape *shape);
/* The name of a file as a heading, and what stands behind it. */
void cli_print_name(FILE *to, const char *name, const char *more);

#endif

/* The command line: the table of options and the table of commands. Parsing, help, the manual page and the
 * completions all use these two. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "halo/extend.h"
#include "halo/words.h"
#include "text/text.h"

typedef struct CliCommand CliCommand;

typedef enum CliProgress { CLI_PROGRESS_AUTO, CLI_PROGRESS_NEVER, CLI_PROGRESS_JSON } CliProgress;

/* The values of an option that may be repeated. */
typedef struct CliWords {
    const char **word;
    size_t count, capacity;
} CliWords;

/* The command line, parsed. */
typedef struct CliSettings {
    const CliCommand *command; /* NULL: none was given */
    const char **word;         /* all that are no options: a pipeline, files, a topic */
    size_t words, capacity;
    CliText op_args; /* stats, hist, scan: their options, as "key=value,…" */

    HaloOptions engine;
    HaloWriteOptions write;
    HaloMeta tags; /* of --tag and --tags-from; write.tags leads to them where there are any */
    struct {
        int64_t width, height, channels, runs; /* 0: not given */
        int dtype, content;
        const char *devices; /* several, with commas; NULL: one */
    } bench;
    HaloShape raw; /* kind 0: not given */
    const HaloFormat *to;
    const char *to_word; /* how it was named: "pgm" */
    CliProgress progress;
    CliWords include, exclude;
    int64_t shard, shards;   /* the part, from 1, of so many; 0: all */
    const char *shard_by[2]; /* --shard auto: the environment variables that said so; NULL: none */
    double crossfade;        /* of join, in seconds */
    double ppd;              /* of FLIP; 0: the default */
    int curve;               /* HaloCrossfade */
    CliText recipe;          /* the options that may change an output, as they would be typed */
    const char *page;        /* as of the operation `pages`; NULL: all */
    const char *output, *out_dir, *name, *at, *at_most, *at_least, *measure, *plot, *response, *title,
        *generate, *complete, *files_from, *files0_from;
    const char *results; /* a CSV file of results, in place of `output` */
    bool recursive, force, skip_existing, resume, split, to_srgb, total, dry_run, explain, json, csv, no_color,
        quiet, verbose, help, version, log, log_x, panels, align, rotation;
} CliSettings;

/* The commands that an option is for. */
enum {
    CLI_RUN = 1,
    CLI_STATS = 2,
    CLI_HIST = 4,
    CLI_SCAN = 8,
    CLI_INFO = 16,
    CLI_LIST = 32,
    CLI_HELP = 64,
    CLI_BARE = 128, /* without any command */
    CLI_BENCH = 256,
    CLI_MERGE = 512,
    CLI_PLOT = 1024,
    CLI_COMPARE = 2048,
    CLI_STACK = 4096,
    CLI_JOIN = 8192,
    CLI_PAGES = 16384,
    CLI_CONVERT = 32768,
    CLI_SILENCES = 65536,
    CLI_SPLIT = 131072,
    CLI_OBJECTS = 262144,
    CLI_ALIGN = 524288,
    CLI_WAVEFORM = 1048576,
    CLI_COMMAND_BITS = 2097151 /* all of them */
};
/* Those that make one output of many inputs, and of many pictures. */
#define CLI_GATHERS (CLI_JOIN | CLI_PICTURES)
#define CLI_PICTURES (CLI_PAGES | CLI_STACK)
/* Those that print how files differ. */
#define CLI_DIFFERS (CLI_COMPARE | CLI_ALIGN)
#define CLI_WORKS (CLI_RUN | CLI_CONVERT | CLI_STATS | CLI_HIST | CLI_OBJECTS | CLI_SCAN)
#define CLI_READS (CLI_WORKS | CLI_INFO | CLI_SOUNDS)
/* Those that look for pauses. */
#define CLI_SOUNDS (CLI_SILENCES | CLI_SPLIT)
#define CLI_WRITES (CLI_RUN | CLI_CONVERT | CLI_SCAN)
#define CLI_DRAWS (CLI_PLOT | CLI_WAVEFORM)
#define CLI_ANYWHERE ((unsigned)CLI_COMMAND_BITS)
/* Beside these: no byte of an output depends on the option. Outputs made without it are not out of date. */
#define CLI_SAME ((unsigned)CLI_COMMAND_BITS + 1)

struct CliCommand {
    const char *name;
    unsigned bit;
    const char *op; /* the operation it is short for, or NULL */
    const char *usage, *help, *examples;
};

typedef enum CliSection { CLI_OUTPUT, CLI_INPUT, CLI_ENGINE, CLI_REPORT, CLI_GENERAL, CLI_SECTIONS } CliSection;

typedef struct CliOption {
    const char *name;
    char letter;         /* or 0 */
    const char *value;   /* "FILE"; NULL: the option is a flag */
    const char *choices; /* "auto|cpu|gpu", or NULL */
    CliSection section;
    unsigned commands;
    const char *help;
    /* Reads the value; NULL: the flag or the text at `offset` is set as it is. */
    HaloStatus (*read)(CliSettings *settings, const char *value);
    size_t offset;
} CliOption;

#define CLI_MOST_OPTIONS 96
extern const CliOption cli_options[];
extern const int cli_option_count;
extern const CliCommand cli_commands[];
extern const int cli_command_count;
extern const char *const cli_section_names[CLI_SECTIONS];

const CliCommand *cli_find_command(const char *name);
/* The operation that a command is short for, with the parameters that are options of it; or NULL. */
const HaloOp *cli_command_op(const CliCommand *command);

/* parse.c: HALO_ERR_USAGE with a sentence in halo_error(). */
HaloStatus cli_parse(int argc, char **argv, CliSettings *settings);

/* tags.c: adds all texts of --tag and --tags-from to a recipe. */
void cli_add_tags(const HaloMeta *tags, CliText *recipe);

/* value.c */
HaloStatus cli_read_device(CliSettings *settings, const char *value);
HaloStatus cli_read_one_device(const char *value, HaloOptions *engine);
HaloStatus cli_read_jobs(CliSettings *settings, const char *value);
HaloStatus cli_read_precision(CliSettings *settings, const char *value);
HaloStatus cli_read_axes(CliSettings *settings, const char *value);
HaloStatus cli_read_alpha(CliSettings *settings, const char *value);
HaloStatus cli_read_pixels(CliSettings *settings, const char *value);
HaloStatus cli_read_bits(CliSettings *settings, const char *value);
HaloStatus cli_read_ppd(CliSettings *settings, const char *value);
HaloStatus cli_read_latency(CliSettings *settings, const char *value);
HaloStatus cli_read_crossfade(CliSettings *settings, const char *value);
HaloStatus cli_read_curve(CliSettings *settings, const char *value);
HaloStatus cli_read_memory(CliSettings *settings, const char *value);
HaloStatus cli_read_raw(CliSettings *settings, const char *value);
/* A rate: "44100", "44.1k" or "48kHz"; *end is behind it. */
bool cli_read_hertz(const char *text, double *rate, const char **end);
HaloStatus cli_read_decimal(CliSettings *settings, const char *value);
HaloStatus cli_read_time_format(CliSettings *settings, const char *value);
HaloStatus cli_read_rate(CliSettings *settings, const char *value);
HaloStatus cli_read_white(CliSettings *settings, const char *value);
HaloStatus cli_read_size(CliSettings *settings, const char *value);
HaloStatus cli_read_channels(CliSettings *settings, const char *value);
HaloStatus cli_read_content(CliSettings *settings, const char *value);
HaloStatus cli_read_dtype(CliSettings *settings, const char *value);
HaloStatus cli_read_runs(CliSettings *settings, const char *value);
HaloStatus cli_read_subsampling(CliSettings *settings, const char *value);
HaloStatus cli_read_tag(CliSettings *settings, const char *value);       /* tags.c */
HaloStatus cli_read_tags_from(CliSettings *settings, const char *value); /* tags.c */
HaloStatus cli_read_bitrate(CliSettings *settings, const char *value);
HaloStatus cli_read_quality(CliSettings *settings, const char *value);
HaloStatus cli_read_effort(CliSettings *settings, const char *value);
HaloStatus cli_read_format(CliSettings *settings, const char *value);
HaloStatus cli_read_png_level(CliSettings *settings, const char *value);
HaloStatus cli_read_tile(CliSettings *settings, const char *value);
HaloStatus cli_read_progress(CliSettings *settings, const char *value);
HaloStatus cli_read_include(CliSettings *settings, const char *value);
HaloStatus cli_read_exclude(CliSettings *settings, const char *value);
HaloStatus cli_read_shard(CliSettings *settings, const char *value); /* shard.c */

/* The commands themselves (main.c has which is which): they return the exit status, having said what went
 * wrong.
 */
int cli_run(const CliSettings *settings);   /* run.c: run, stats, hist, scan */
int cli_info(const CliSettings *settings);  /* info.c */
int cli_list(const CliSettings *settings);  /* list.c */
int cli_bench(const CliSettings *settings); /* bench.c */
bool cli_times_devices(
    const CliSettings *settings);             /* bench.c: is it `bench ops`, which takes a list of devices? */
int cli_merge(const CliSettings *settings);   /* merge.c */
int cli_plot(const CliSettings *settings);    /* plot/command.c: plot, waveform */
int cli_compare(const CliSettings *settings); /* compare.c */
int cli_align(const CliSettings *settings);   /* align.c */
int cli_stack(const CliSettings *settings);   /* stack.c */
int cli_join(const CliSettings *settings);
int cli_pages(const CliSettings *settings);
int cli_silences(const CliSettings *settings); /* silences.c */
int cli_split(const CliSettings *settings);    /* split.c */
int cli_help(const CliSettings *settings);     /* help.c */
int cli_version(const CliSettings *settings);  /* help.c */
int cli_generate(const CliSettings *settings); /* generate.c */
int cli_complete(const char *text);            /* continue.c */

#endif

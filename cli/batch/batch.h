/* The files of one command: what goes in, where it goes, and what became of it. */
#ifndef CLI_BATCH_H
#define CLI_BATCH_H

#include "options.h"

typedef struct CliItem {
    char *input;
    char *dir;         /* for {dir}: the folder below the one that was named; may be "" */
    size_t part;       /* split: which part of the input, from 1 */
    char *output;      /* NULL: results only */
    bool done, ours;   /* --resume: it is done already; its output was made by halo, and may be replaced */
    HaloStatus status; /* of finding it: a folder that cannot be read becomes an item that has failed already */
    char *error;       /* the message about that */
    bool told;         /* which has been printed for several items together */
} CliItem;

typedef struct CliJournal CliJournal;

typedef struct CliBatch {
    CliItem *item;
    size_t count, capacity;
    CliJournal *journal; /* or NULL */
    HaloRead *read;      /* lists of inputs, and secondary inputs: like inputs, never overwritten */
    size_t reads, read_capacity;
    size_t first, all; /* --shard: the place of these items in the list of all inputs, and its length */
} CliBatch;

/* Adds a file that is read. */
void cli_batch_reads(CliBatch *batch, const HaloRead *read);
/* An input's identity and permissions; false where no regular file is there. */
bool cli_read_of(const char *input, HaloRead *read);
void cli_item_free(CliItem *item);
void cli_batch_free(CliBatch *batch);

/* The message about the latest failure, of this item, with the name of what failed. The caller frees it. */
char *cli_failure(const CliItem *item, HaloStatus outcome);

/* The exit status of a batch: that of the one input, or of all where all failed alike; else 1 as soon as some
 * failed. */
typedef struct CliFates {
    size_t inputs, failed;
    HaloStatus first;
    bool alike;
} CliFates;

void cli_count_fate(CliFates *fates, HaloStatus outcome);
int cli_fates_exit(const CliFates *fates);

/* inputs.c: makes one item per file; walks folders under -r, reads lists. A file that cannot be accessed
 * becomes a failed item. HALO_ERR_INPUT if there are no inputs. */
HaloStatus cli_find_inputs(const CliSettings *settings, const char *const *path, size_t paths, CliBatch *batch);

/* outputs.c: names every output; HALO_ERR_USAGE. */
HaloStatus cli_name_outputs(const CliSettings *settings, CliBatch *batch);
#define CLI_MOST_SHARDS 1000000000 /* keeps every product with a number of files in 64 bits */
/* scheduler.c: sets the part of the batch by a scheduler's environment variables; HALO_ERR_USAGE. */
HaloStatus cli_scheduled_shard(CliSettings *settings);
/* shard.c: removes the items of other parts. Called when outputs have their names, on which all parts agree. */
void cli_take_shard(const CliSettings *settings, CliBatch *batch);
/* folders.c: makes the folders above `path`; with `sync` all of them are on the disk then. From any thread. */
HaloStatus cli_make_folders(const char *path, bool sync);

/* batch.c: does a file or a folder have this name? A device or a pipe does not count: it is there to be written
 * to. */
bool cli_in_the_way(const char *path);
/* Outputs that exist and are to stay, if there are several: their items have failed, and one line says so of
 * all. */
void cli_refuse_existing(const CliSettings *settings, CliBatch *batch);
/* What to do if an output exists. */
HaloForce cli_force(const CliSettings *settings, const CliItem *item);

#endif

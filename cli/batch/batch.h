/* The files of one command: what goes in, where it goes, and what became of it. */
#ifndef CLI_BATCH_H
#define CLI_BATCH_H

#include "options.h"

typedef struct CliItem {
    char *input;
    char *dir;         /* for {dir}: the folder below the one that was named; may be "" */
    char *output;      /* NULL: results only */
    bool done, ours; /* --resume: nothing is to be done; the output is halo's, and may be replaced */
    HaloStatus status; /* of finding it: a folder that cannot be read is an item that has failed already */
    char *error;       /* the sentence about that */
} CliItem;

typedef struct CliJournal CliJournal;

typedef struct CliBatch {
    CliItem *item;
    size_t count, room;
    CliJournal *journal; /* or NULL */
    HaloRead *read; /* lists of inputs, and what the pipeline names: never written over, as inputs are not */
    size_t reads, read_room;
    size_t first, all; /* --shard: where these stand in the list of all inputs, and how many it has */
} CliBatch;

/* One more file that is read. */
void cli_batch_reads(CliBatch *batch, const HaloRead *read);
void cli_item_free(CliItem *item);
void cli_batch_free(CliBatch *batch);

/* The sentence about the latest failure, which is of this item and names what it is about. The caller frees it.
 */
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

/* inputs.c: one item a file, folders walked under -r, lists read. What cannot be looked at becomes a failed
 * item. HALO_ERR_INPUT where there is nothing at all. */
HaloStatus cli_find_inputs(const CliSettings *settings, const char *const *path, size_t paths, CliBatch *batch);

/* outputs.c: names every output, and refuses (HALO_ERR_USAGE) two that are the same, and any that is an input.
 */
HaloStatus cli_name_outputs(const CliSettings *settings, CliBatch *batch);
/* shard.c: forgets the inputs that are not this part's; after the outputs have names, which all parts agree on. */
void cli_take_shard(const CliSettings *settings, CliBatch *batch);
/* folders.c: makes the folders above `path`; with `sync` all of them are on the disk then. From any thread. */
HaloStatus cli_make_folders(const char *path, bool sync);

/* A file or a folder has this name; a device or a pipe is there to be written to. */
bool cli_in_the_way(const char *path);
/* What becomes of it. */
HaloForce cli_force(const CliSettings *settings, const CliItem *item);

#endif

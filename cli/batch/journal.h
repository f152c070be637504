/* The journal of a batch, beside its outputs: which files were begun and which are done, so that --resume
 * continues a run that was interrupted.
 *
 * Lines are only appended, each by one call. Where a run was killed the last one may be incomplete: it is
 * ignored then, and its file is done again. The order in which the disk gets data does not matter: a line
 * counts only where the output has the size and the time that it names. */
#ifndef CLI_JOURNAL_H
#define CLI_JOURNAL_H

#include "batch.h"

/* Opens the journal in --out-dir, waiting for another run that is resuming there. Under --resume marks the
 * items that are done and those whose outputs are halo's own, and removes temporaries that killed runs left.
 * *journal is NULL where none is kept: without a folder, for a single input, or when nothing is to be written.
 * `recipe` is the fingerprint of all that outputs depend on, and `text` the same for people. */
HaloStatus cli_journal_open(const CliSettings *settings, uint64_t recipe, const char *text, CliBatch *batch,
                            CliJournal **journal);
/* What a file was like: bytes, and nanoseconds of its latest change; -1: it is no regular file. */
typedef struct CliStamp {
    int64_t size, time;
} CliStamp;

/* Around the work on an item, from any thread; NULL is fine. `force`: what becomes of an output that is there.
 */
typedef struct CliBegun {
    char what; /* of the journal's line, 0: none */
    CliStamp input;
} CliBegun;

CliBegun cli_journal_begin(CliJournal *journal, const CliItem *item, HaloForce force);
void cli_journal_end(CliJournal *journal, const CliItem *item, CliBegun begun, HaloStatus outcome);
/* Closes the journal. One that this run began is removed if all went well, unless --resume requested it. NULL
 * is fine. */
void cli_journal_close(CliJournal *journal, bool all_well);

#endif

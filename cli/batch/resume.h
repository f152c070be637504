/* --resume: what the journals of a folder say of a batch. For journal.c. */
#ifndef CLI_RESUME_H
#define CLI_RESUME_H

#include "journal.h"

#define CLI_JOURNAL_NAME ".halo-journal"
#define CLI_JOURNAL_HEAD "#\thalo " /* the first line begins with it */

/* journal_file.c: "out/.halo-journal", or one for each part: they may be on different machines. The caller
 * frees it. */
char *cli_journal_path(const CliSettings *settings);
/* Opens one with the flags of open(), and never waits. Links, what is no regular file, such as a pipe, and
 * files that do not begin like a journal are refused. */
HaloStatus cli_journal_file(const char *path, int flags, int *fd);
/* The length of the folder in an output's path, with the slashes behind it. */
size_t cli_below_out_dir(const CliSettings *settings);
/* What a file is like now. */
CliStamp cli_stamp(const char *path);

/* resume.c: marks the items that all journals in --out-dir name. `own` is the descriptor of the one that is
 * open, whose lock would go if it were opened again; -1: none, and nothing is to be touched. */
HaloStatus cli_resume(const CliSettings *settings, uint64_t recipe, int own, CliBatch *batch);

#endif

/* How far a batch is: a line on terminals, or JSON for programs; and what a signal has to say. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stddef.h>

#include "report.h"

/* Nothing is shown for a single input, nor where standard error is no terminal. */
void cli_progress_begin(CliProgress how, bool quiet, size_t total);
void cli_progress_step(size_t done, const CliTally *tally);
void cli_progress_end(void);
/* Around whatever else goes to the terminal, from any thread: takes the line away, and lets no other print. */
void cli_progress_hold(void);
void cli_progress_release(void);

double cli_seconds(void); /* on a clock that never jumps */

/* SIGINT, SIGTERM, SIGHUP and SIGQUIT remove temporaries and say how many inputs were done before they end the
 * program; SIGPIPE becomes an error of the write. */
void cli_signals_install(void);
void cli_signals_count(size_t done, size_t total, bool resumable);
/* They remove this folder as well, and before it the outputs of up to two batches; NULL: none. For the main thread. */
void cli_signals_scratch(const char *folder);
void cli_signals_scratch_outputs(int which, const CliBatch *batch);

#endif

/* How far a batch is: a line on terminals, or JSON for programs (progress.c). */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stddef.h>

#include "report.h"

/* Nothing is shown for a single input, nor where standard error is no terminal. */
void cli_progress_begin(CliProgress how, bool quiet, size_t total);
void cli_progress_step(size_t done, const CliTally *tally);
void cli_progress_end(void);

double cli_seconds(void); /* on a clock that never jumps */

#endif

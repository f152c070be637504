/* Ending the program by a signal (signals.c). */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

#include "batch.h"

/* SIGINT, SIGTERM, SIGHUP and SIGQUIT remove temporaries and say how many inputs were done before they end the
 * program; SIGPIPE becomes an error of the write. */
void cli_signals_install(void);
void cli_signals_count(size_t done, size_t total, bool resumable);
/* They remove this folder as well, and before it the outputs of up to two batches; NULL: none. Call it in the
 * main thread. */
void cli_signals_scratch(const char *folder);
void cli_signals_scratch_outputs(int which, const CliBatch *batch);

#endif

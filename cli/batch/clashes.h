/* Clashes between the files of a command (clashes.c). */
#ifndef CLI_CLASHES_H
#define CLI_CLASHES_H

#include "batch.h"

/* HALO_ERR_USAGE where two of the files that will be written are the same, or one of them is read: outputs,
 * plots, the journal, standard output where it is a file; inputs, lists of them, and what the pipeline names.
 */
HaloStatus cli_refuse_clashes(const CliSettings *settings, const HaloPipeline *pipeline, const CliBatch *batch);

#endif

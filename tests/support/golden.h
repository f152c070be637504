/* Golden hashes: of the output of every operation for a few inputs, one line each in tests/golden.txt. They are
 * the same on every machine; a libc or a backend that changes a bit is noticed. */
#ifndef HALO_TEST_GOLDEN_H
#define HALO_TEST_GOLDEN_H

#include <stdio.h>

#include "pipelines.h"

/* Prints the file as the oracle makes it; returns an exit status. */
int golden_print(FILE *to);
/* Fails the test where a line of the file is missing, or where the runner gives another hash. The file is
 * $HALO_GOLDEN, else tests/golden.txt, else where it was when this was built. */
void golden_check(const Runner *run);

#endif

/* The oracle behind the table that every backend fills. */
#ifndef HALO_TEST_ORACLE_BACKEND_H
#define HALO_TEST_ORACLE_BACKEND_H

#include "halo/backend.h"
#include "oracle.h"

extern const HaloBackend oracle_backend;

/* The same, which runs all that can be a chain as one; set by oracle_chains_open(). */
extern HaloBackend oracle_chains;
void oracle_chains_open(void);

#endif

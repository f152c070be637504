/* The oracle as a backend's table. */
#ifndef HALO_TEST_ORACLE_BACKEND_H
#define HALO_TEST_ORACLE_BACKEND_H

#include "halo/backend.h"
#include "oracle.h"

extern const HaloBackend oracle_backend;

/* The same, which fuses every possible chain; set by oracle_chains_open(). */
extern HaloBackend oracle_chains;
void oracle_chains_open(void);

#endif

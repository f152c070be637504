/* The oracle behind the table that every backend fills. */
#ifndef HALO_TEST_ORACLE_BACKEND_H
#define HALO_TEST_ORACLE_BACKEND_H

#include "halo/backend.h"
#include "oracle.h"

extern const HaloBackend oracle_backend;

#endif

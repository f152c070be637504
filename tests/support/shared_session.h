/* A session with only the CPU, which the tests of a program share. */
#ifndef HALO_TEST_SHARED_SESSION_H
#define HALO_TEST_SHARED_SESSION_H

#include "halo/extend.h"

extern HaloSession *test_session;

/* Group set-up and tear-down for cmocka, which also removes the tests' folder. */
int test_session_open(void **state);
int test_session_close(void **state);
/* The same, and all devices (backends.h). */
int test_session_and_devices_open(void **state);
int test_session_and_devices_close(void **state);

/* The plan of this pipeline over such samples. */
HaloPlan *test_plan(const char *pipeline, const HaloShape *shape);

#endif

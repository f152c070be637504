/* The public interface (halo.h) for tests of arrays: calls that fail the test unless they succeed. */
#ifndef HALO_TEST_ARRAYS_H
#define HALO_TEST_ARRAYS_H

#include "halo/halo.h"

void array_ok(HaloStatus status, const char *what);
HaloSession *array_session(HaloOptions *options);
HaloPipeline *array_pipeline(HaloSession *session, const char *text);

/* A packed array of these axes. */
HaloArray array_packed(HaloType type, const char *axes, const int64_t *size, void *data);
size_t array_bytes(const HaloArray *array);

/* Runs on arrays whose output is allocated there, in C order. */
HaloArray array_run(HaloSession *session, const char *text, const HaloArray *inputs, size_t count);

#endif

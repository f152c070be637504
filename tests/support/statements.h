/* For tests of what a file says of its samples, after every operation. The samples hold a single bump, whose
 * place in the output is measured: markers, regions and places on a map have to point at it. */
#ifndef HALO_TEST_STATEMENTS_H
#define HALO_TEST_STATEMENTS_H

#include "codec.h"

typedef struct Bump {
    bool found;
    float height;
    double x, y;       /* its centre: of what is within a tenth of the highest */
    double wide, tall; /* its extent along each axis, over what is within two thirds */
} Bump;

/* The bump of a channel; `sums`: of the differences of neighbours, since samples add up. */
Bump statements_bump(const HaloBuf *data, int channel, bool sums);
/* Does the pipeline make cumulative sums? */
bool statements_add_up(const char *pipeline);

void statements_write(const char *path, const HaloFormat *format, const HaloInfo *info, const HaloBuf *data);
/* Runs a pipeline from file to file and loads what it wrote. False: the operation refuses such an input. */
bool statements_run(const char *pipeline, const char *in, const char *out, HaloInfo *info, HaloBuf *data);
/* Fails unless `said`, what the file says, is within so much of `is`, what the samples say. */
void statements_near(const char *pipeline, const char *what, double said, double is, double within);

/* Calls `check` with the example of every operation, and, of filters, with it and border=valid. */
typedef void StatementsCheck(const char *pipeline);
void statements_for_every_operation(StatementsCheck *check);

#endif

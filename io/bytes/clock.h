/* The clock by which source.c and sink.c time system calls. */
#ifndef HALO_IO_CLOCK_H
#define HALO_IO_CLOCK_H

#include <time.h>

static inline double io_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

#endif

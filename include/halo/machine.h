/* For halo's own folders: not installed, and hidden in libhalo.so.
 *
 * How much of the machine this process plans to use where no option says so. It is looked up once for the
 * process. */
#ifndef HALO_MACHINE_H
#define HALO_MACHINE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct HaloMachine {
    int threads;    /* as many as processors that it may run on, and as a cgroup's quota of them, rounded up */
    int64_t memory; /* bytes: three quarters of the machine's, or of a cgroup's limit where that is less */
    char why_threads[80], why_memory[80]; /* "a cgroup's quota is 1.5 processors" */
} HaloMachine;

const HaloMachine *halo_machine(void);

#ifdef __cplusplus
}
#endif
#endif

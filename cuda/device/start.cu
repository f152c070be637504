/* Starts CUDA beside other work: it takes as long as several files of a batch on a core. */
#include <atomic>
#include <stdlib.h>

#include "common.cuh"
#include "halo/thread.h"

enum Start { START_NOT_YET, START_RUNS, START_IS_OVER };

static std::atomic<int> state(START_NOT_YET);
static pthread_t thread;
static int first_index; /* after it, other GPUs of the host start at once */

/* Errors are found, and reported, when the device is opened. */
static void *start_main(void *)
{
    if (cudaSetDevice(first_index) == cudaSuccess) cudaFree(NULL);
    cudaGetLastError();
    state.store(START_IS_OVER);
    return NULL;
}

/* Before the process ends: CUDA must not be shut down while it starts. */
static void wait_for_start(void) { pthread_join(thread, NULL); }

bool cuda_started(int index)
{
    int expected = START_NOT_YET;
    if (!state.compare_exchange_strong(expected, START_RUNS)) return expected == START_IS_OVER;
    first_index = index;
    if (!halo_thread_start(&thread, start_main, NULL)) {
        state.store(START_IS_OVER);
        return true;
    }
    atexit(wait_for_start);
    return false;
}

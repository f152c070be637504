/* CUDA starts beside other work: it takes as long as several files of a batch do on a core. */
#include <atomic>
#include <stdlib.h>

#include "common.cuh"
#include "halo/thread.h"

enum Start { START_NOT_YET, START_RUNS, START_IS_OVER };

static std::atomic<int> state(START_NOT_YET);
static pthread_t thread;
static int first_index; /* others of the same host take no time after it */

/* What goes wrong is found, and said, by whoever opens the device. */
static void *start_main(void *)
{
    if (cudaSetDevice(first_index) == cudaSuccess) cudaFree(NULL);
    cudaGetLastError();
    state.store(START_IS_OVER);
    return NULL;
}

/* Before the process ends: CUDA is not to be taken down while it starts. */
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

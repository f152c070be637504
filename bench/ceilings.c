/* What this machine can do, whatever the program: fused multiply-adds out of registers, reading, and copying
 * past the caches, with a thread a core. Prints one line of JSON; peers_opencv.py makes floors of it.
 *
 *     cc -std=c17 -O3 -march=native -Iinclude -Icpu -Icpu/variant -DCPU_VARIANT=native bench/ceilings.c
 * -lpthread */
#define _DEFAULT_SOURCE /* madvise */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "vector.h"

#define FLOATS ((int64_t)16 << 20) /* of a thread: more than caches hold */
#define ROUNDS 2000000
#define CHAINS 12 /* more sums than an addition takes cycles */
#define TURNS 25
#define MOST_THREADS 64

typedef struct Part {
    const float *from;
    float *to;
    float result; /* so that the work is not left out */
    pthread_t thread;
} Part;

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static float first_lane(CpuVector v)
{
    float lane[CPU_LANES];
    vector_store(lane, v);
    return lane[0];
}

static void *fma_part(void *argument)
{
    Part *part = argument;
    CpuVector sum[CHAINS], a = vector_of(part->from[0]), b = vector_of(part->from[1]);
    CPU_UNROLL for (int c = 0; c < CHAINS; c++) sum[c] = vector_of((float)c);
    for (int64_t i = 0; i < ROUNDS; i++) {
        CPU_KEEP(a);
        CPU_KEEP(b);
        CPU_UNROLL for (int c = 0; c < CHAINS; c++) sum[c] = vector_fma(sum[c], a, b);
    }
    CPU_UNROLL for (int c = 0; c < CHAINS; c++) part->result += first_lane(sum[c]);
    return NULL;
}

static void *read_part(void *argument)
{
    Part *part = argument;
    CpuVector sum[4], one = vector_of(1.0f);
    CPU_UNROLL for (int c = 0; c < 4; c++) sum[c] = vector_of(0.0f);
    for (int64_t i = 0; i < FLOATS; i += 4 * CPU_LANES) {
        CPU_UNROLL for (int c = 0; c < 4; c++) sum[c] =
            vector_fma(vector_load(part->from + i + c * CPU_LANES), one, sum[c]);
    }
    CPU_UNROLL for (int c = 0; c < 4; c++) part->result += first_lane(sum[c]);
    return NULL;
}

static void *copy_part(void *argument)
{
    const Part *part = argument;
#if defined(__AVX__)
    for (int64_t i = 0; i < FLOATS; i += CPU_LANES) vector_stream(part->to + i, vector_load(part->from + i));
    _mm_sfence();
#else
    memcpy(part->to, part->from, (size_t)FLOATS * sizeof(float));
#endif
    return NULL;
}

/* The shortest of many turns. */
static double best_ms(void *(*work)(void *), Part *part, int threads)
{
    double best = 1e30;
    for (int turn = 0; turn < TURNS; turn++) {
        const double start = now_ms();
        int started = 1;
        while (started < threads && pthread_create(&part[started].thread, NULL, work, &part[started]) == 0)
            started++;
        if (started < threads) {
            fprintf(stderr, "ceilings: cannot start %d threads\n", threads);
            exit(1);
        }
        work(&part[0]);
        for (int i = 1; i < threads; i++) pthread_join(part[i].thread, NULL);
        const double ms = now_ms() - start;
        best = ms < best ? ms : best;
    }
    return best;
}

int main(void)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const int threads = cores < 1 ? 1 : cores > MOST_THREADS ? MOST_THREADS : (int)cores;
    const size_t bytes = (size_t)FLOATS * sizeof(float), all = 2 * bytes * (size_t)threads;
    Part part[MOST_THREADS] = {0};
    float *block = aligned_alloc((size_t)2 << 20, all);
    if (block == NULL) {
        fprintf(stderr, "ceilings: not enough memory\n");
        return 1;
    }
#ifdef MADV_HUGEPAGE
    madvise(block, all, MADV_HUGEPAGE);
#endif
    for (int64_t i = 0; i < 2 * FLOATS * threads; i++) block[i] = 0.5f;
    for (int i = 0; i < threads; i++) {
        part[i].from = block + 2 * i * FLOATS;
        part[i].to = block + (2 * i + 1) * FLOATS;
    }
    const double flops = 2.0 * ROUNDS * CHAINS * CPU_LANES * threads, moved = (double)bytes * threads;
    const double fma = flops / best_ms(fma_part, part, threads);
    const double read = moved / best_ms(read_part, part, threads);
    const double copy = 2 * moved / best_ms(copy_part, part, threads);
    printf("{\"type\": \"ceilings\", \"threads\": %d, \"fma_gflops\": %.1f, \"read_gbs\": %.1f, \"copy_gbs\": "
           "%.1f}\n",
           threads, fma * 1e-6, read * 1e-6, copy * 1e-6);
    free(block);
    return 0;
}

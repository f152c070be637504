/* Seeds for tests of arbitrary bytes: small files of every format that halo reads, writes or refuses. */
#ifndef HALO_TEST_SEEDS_H
#define HALO_TEST_SEEDS_H

#include "codec.h"
#include "random.h"

#include <stddef.h>

typedef struct Seed {
    const char *name; /* "png-3": what it is, and a number */
    uint8_t *at;
    size_t size;
} Seed;

/* Of the file formats: all types that halo writes, beginnings of what it only reads, and signatures of formats
 * that it refuses (formats.def, foreign.def). Made on the first call. */
const Seed *file_seeds(size_t *count);
/* The same for one fuzzer, tests/fuzz/fuzz_<name>.c. */
const Seed *seeds_for(const char *fuzzer, size_t *count);

/* seeds_bytes.c: silence in MP3, which halo does not write; metadata, as fuzz_metadata takes it; and a file
 * after the choice of an operation, as fuzz_run takes it. The caller frees the results of the first and the
 * last. They return how many there are. */
enum { MP3_SEEDS = 4, METADATA_SEEDS = 32 };
size_t mp3_seeds(Bytes seed[MP3_SEEDS]);
size_t metadata_seeds(Bytes seed[METADATA_SEEDS]);
Bytes run_seed(size_t i, const void *file, size_t size);

/* A copy with some bytes changed, inserted or removed, of at most `most` bytes; the caller frees it. */
uint8_t *mutate(Rng *rng, const Seed *seed, size_t most, size_t *size);

#endif

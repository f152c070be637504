/* All fuzzers as one program of libFuzzer, of which the environment variable HALO_FUZZER names one: png, merge,
 * …
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "halo/extend.h"

typedef int Fuzzer(const uint8_t *bytes, size_t size);

#define HALO_FUZZER(name) Fuzzer fuzz_##name;
#include "fuzzers.def"
#undef HALO_FUZZER

static const struct {
    const char *name;
    Fuzzer *fuzzer;
} rows[] = {
#define HALO_FUZZER(name) {#name, fuzz_##name},
#include "fuzzers.def"
#undef HALO_FUZZER
};

static Fuzzer *chosen;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *name = getenv("HALO_FUZZER");
    (void)argc;
    (void)argv;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && name != NULL; i++)
        if (strcmp(rows[i].name, name) == 0) chosen = rows[i].fuzzer;
    if (chosen != NULL) return 0;
    fprintf(stderr, "HALO_FUZZER: expected the name of a fuzzer, such as png, got '%s'\n",
            name != NULL ? name : "");
    exit(2);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) { return chosen(bytes, size); }

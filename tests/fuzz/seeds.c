/* fuzz_seeds FOLDER: what a fuzzer starts from, a folder each: FOLDER/png, FOLDER/merge, … */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "codec.h"
#include "seeds.h"

static const char *const fuzzers[] = {
#define HALO_FUZZER(name) #name,
#include "fuzzers.def"
#undef HALO_FUZZER
};

static void make_folder(const char *path)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST) return;
    perror(path);
    exit(1);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: fuzz_seeds FOLDER\n");
        return 2;
    }
    make_folder(argv[1]);
    for (size_t f = 0; f < sizeof fuzzers / sizeof *fuzzers; f++) {
        char path[4096];
        size_t count;
        const Seed *seed = seeds_for(fuzzers[f], &count);
        snprintf(path, sizeof path, "%s/%s", argv[1], fuzzers[f]);
        make_folder(path);
        for (size_t i = 0; i < count; i++) {
            snprintf(path, sizeof path, "%s/%s/%zu", argv[1], fuzzers[f], i);
            bytes_to_file(path, seed[i].at, seed[i].size);
        }
    }
    return test_folder_remove(NULL);
}

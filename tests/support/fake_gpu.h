/* A fake GPU: the CPU behind a table of calls that can fail; and a file that it processes. */
#ifndef HALO_TEST_FAKE_GPU_H
#define HALO_TEST_FAKE_GPU_H

#include "codec.h"
#include "halo/extend.h"

typedef struct Fake {
    const HaloBackend *cpu;
    int call, fails_at; /* calls are counted from 1; this one and all after it fail; 0: none */
    bool fails_once;    /* just that one */
    int uploads, downloads;
    int pins, unpins; /* of memory for copies */
    bool pins_none;
    char *pinned; /* the latest, */
    int64_t pinned_bytes;
    int of_pinned;   /* and how many copies were from and to it */
    int64_t memory;  /* bytes that it says it has */
    int64_t scratch; /* bytes a row of the output that each step takes besides; */
    int64_t rows;    /* these were asked for, */
    bool asking;     /* while nothing is computed */
    bool is_there, opens;
    int start_queries; /* how often `started` was called */
    int starts_for;    /* how many of these calls find it still starting */
} Fake;

extern Fake fake;
extern HaloBackend fake_gpu;   /* its table, as each session finds it */
extern int64_t fake_band_rows; /* of the sessions that are opened; 0: as they like */
extern int fake_share;         /* how many of them work side by side; 0: one */

/* A session with the CPU and this GPU, none of whose calls fails at first. */
HaloSession *fake_session(HaloDeviceChoice device);

extern char fake_source[64], fake_target[64];
/* Group set-up for cmocka: makes a picture that is read from then on. test_folder_remove takes it away. */
int fake_write_source(void **state);
int fake_write_picture(int64_t width);

/* The output's bytes, none after a failure, and the results. */
typedef struct Made {
    HaloStatus status;
    Bytes file;
    char *results;
    char backend[16], why[200];
    bool fell_back;
} Made;

/* Runs it over the source; the calls of the GPU are counted from here. */
Made make(HaloSession *session, const char *text);
void made_free(Made *made);
void expect_made(const char *text, const Made *made, const Made *expected, const char *backend);
/* On the CPU alone, and how many calls of the GPU the same takes. */
Made undisturbed(const char *text, int *calls);

#endif

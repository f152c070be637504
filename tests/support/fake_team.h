/* Several fake GPUs, each with memory of its own, for one caller at a time; and files that they process. */
#ifndef HALO_TEST_FAKE_TEAM_H
#define HALO_TEST_FAKE_TEAM_H

#include <pthread.h>
#include <stdatomic.h>

#include "codec.h"
#include "halo/extend.h"
#include "pipelines.h"

enum { TEAM_MOST = 3 };

/* Their settings, and what they did. */
typedef struct FakeTeam {
    int gpus;
    bool meet;              /* the first bands begin only when each GPU has one; `met` is 0 before */
    int fails_on, fails_at; /* this GPU fails from this call of its on, counted from 1; 0: none */
    bool refuses_to_open;   /* or it does not open at all */
    _Atomic(const char *) wrong;
    atomic_int failed, opened;
    int bands[TEAM_MOST]; /* that came up to each, of the latest picture */
    pthread_mutex_t lock; /* of what is below */
    pthread_cond_t moved;
    int met;
} FakeTeam;

extern FakeTeam fake_team;

/* Their table, which a session may hold in the place of a real GPU's. */
const HaloBackend *fake_team_table(void);

/* So many files are expected that the start of a GPU does not matter. */
#define TEAM_MANY_FILES ((int64_t)1 << 50)

/* Sessions with the CPU and these GPUs: any; with all of them, where their start does not count; and the CPU
 * alone. */
HaloSession *team_session(const HaloBackend *gpus, const HaloOptions *options);
HaloSession *team_open(const HaloBackend *gpus, int64_t band_rows);
HaloSession *team_cpu(void);
/* Fails the test where a GPU was called wrongly. */
void team_expect_well(const char *text);

/* A file of random samples, which is read from then on. */
void team_write_source(const HaloShape *shape, Rng *rng);
extern char team_source[64], team_target[64];

/* The output's bytes, none after a failure or without an output, and the results. */
typedef struct TeamMade {
    HaloStatus status;
    Bytes file;
    char *results;
    uint64_t clipped;
} TeamMade;

TeamMade team_make(HaloSession *session, const char *text, bool wants_output);
void team_made_free(TeamMade *made);
void team_expect(const char *text, const TeamMade *made, const TeamMade *expected);

/* So small that steps are predicted to take longer than reading and writing: all GPUs get a part. */
HaloShape team_picture(void);

#endif

/* One of several GPUs fails while they share an image: all of them stop, nothing is left behind, the message
 * names the GPU, and the next image succeeds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fake_team.h"

/* Each of its calls fails in turn: the failure is that GPU's, nothing is left, and the next image succeeds. All
 * others work when it fails, as each has a band. */
static void a_failure_ends_all(void **state)
{
    (void)state;
    static const char *const text[] = {"gauss:2", "median:3 | stats"};
    Rng rng = {5};
    const HaloShape shape = team_picture();
    const HaloBackend *gpus = fake_team_table();
    team_write_source(&shape, &rng);
    fake_team.gpus = TEAM_MOST;
    HaloSession *const alone = team_cpu();
    for (int p = 0; p < 2; p++) {
        TeamMade expected = team_make(alone, text[p], true);
        for (int at = 1, failed = 1; failed; at++) {
            HaloSession *const team = team_open(gpus, 10);
            fake_team.meet = true;
            fake_team.met = 0;
            fake_team.fails_on = at % TEAM_MOST;
            fake_team.fails_at = at;
            TeamMade made = team_make(team, text[p], true);
            failed = atomic_load(&fake_team.failed) > 0;
            char named[24];
            snprintf(named, sizeof named, "gpu:%d: ", fake_team.fails_on);
            if (failed && (made.status != HALO_ERR_DEVICE || strstr(halo_error(), named) == NULL ||
                           strstr(halo_error(), "unspecified launch failure") == NULL))
                fail_case(NULL, "%s: call %d: status %d: %s", text[p], at, made.status, halo_error());
            if (!failed) team_expect(text[p], &made, &expected);
            team_made_free(&made);
            fake_team.meet = false;
            fake_team.fails_at = 0;
            made = team_make(team, text[p], true);
            team_expect(text[p], &made, &expected);
            team_made_free(&made);
            halo_session_close(team);
            if (!failed && at < 6) fail_case(NULL, "%s: call %d was not made", text[p], at);
        }
        team_made_free(&expected);
    }
    halo_session_close(alone);
}

/* The same of a picture in memory, of which each has a half; the other one is done with its own. */
static void a_failure_in_memory(void **state)
{
    (void)state;
    Rng rng = {9};
    const HaloShape shape = team_picture();
    const HaloBackend *gpus = fake_team_table();
    fake_team.gpus = 2;
    HaloBuf in = random_input(&shape, false, &rng);
    for (int on = 0; on < 2; on++)
        for (int at = 1, failed = 1; failed; at++) {
            HaloSession *const team = team_open(gpus, 0);
            atomic_store(&fake_team.failed, 0);
            fake_team.meet = true;
            fake_team.met = 0;
            fake_team.fails_on = on;
            fake_team.fails_at = at;
            Outcome outcome = pipeline_run(team, "median:3 | stats", &in, NULL);
            failed = atomic_load(&fake_team.failed) > 0;
            fake_team.meet = false;
            fake_team.fails_at = 0;
            if (outcome.status != (failed ? HALO_ERR_DEVICE : HALO_OK) || (outcome.out.data != NULL) == failed)
                fail_case(NULL, "gpu:%d, call %d: status %d: %s", on, at, outcome.status, outcome.message);
            if (!failed && at < 6) fail_case(NULL, "gpu:%d: call %d was not made", on, at);
            outcome_free(&outcome);
            halo_session_close(team);
        }
    halo_buf_free(&in);
    team_expect_well("in memory");
}

static void a_gpu_that_does_not_open_is_an_error(void **state)
{
    (void)state;
    Rng rng = {6};
    const HaloShape shape = team_picture();
    const HaloBackend *gpus = fake_team_table();
    team_write_source(&shape, &rng);
    fake_team.gpus = TEAM_MOST;
    for (int i = 0; i < TEAM_MOST; i++) {
        HaloSession *const team = team_open(gpus, 10);
        fake_team.refuses_to_open = true;
        fake_team.fails_on = i;
        TeamMade made = team_make(team, "gauss:2", true);
        char named[40];
        snprintf(named, sizeof named, "gpu:%d: the GPU failed", i);
        if (made.status != HALO_ERR_DEVICE || strstr(halo_error(), named) == NULL)
            fail_case(NULL, "status %d: %s", made.status, halo_error());
        team_made_free(&made);
        fake_team.refuses_to_open = false;
        made = team_make(team, "gauss:2", true);
        assert_int_equal(made.status, HALO_OK);
        team_made_free(&made);
        halo_session_close(team);
    }
}

/* A file that is truncated fails while they work on its first bands. */
static void a_truncated_input_stops_all(void **state)
{
    (void)state;
    Rng rng = {7};
    const HaloShape shape = team_picture();
    const HaloBackend *gpus = fake_team_table();
    team_write_source(&shape, &rng);
    Bytes file = bytes_of_file(team_source);
    bytes_to_file(team_source, file.at, file.size * 2 / 3);
    for (int n = 1; n <= TEAM_MOST; n++) {
        fake_team.gpus = n;
        HaloSession *const team = team_open(gpus, 7);
        TeamMade made = team_make(team, "gauss:2 | stats", true);
        if (made.status != HALO_ERR_INPUT) fail_case(NULL, "status %d: %s", made.status, halo_error());
        team_made_free(&made);
        halo_session_close(team);
    }
    free(file.at);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failure_ends_all),
        cmocka_unit_test(a_failure_in_memory),
        cmocka_unit_test(a_gpu_that_does_not_open_is_an_error),
        cmocka_unit_test(a_truncated_input_stops_all),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, test_folder_remove);
}

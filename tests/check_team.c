/* Several GPUs, one image: fake GPUs process its bands at the same time, and give the bytes, the results and
 * the count of clipped samples of the CPU. Where the machine has several real GPUs, they do the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fake_team.h"

/* ---- the same bytes ------------------------------------------------------------------------------------- */

static const char *const pipeline_text[] = {
    "gauss:2",
    "gauss:1.3,border=mirror",
    "conv:mask=\"1x7: 1,2,3,4,5,6,7\",anchor=0+0,border=mirror",
    "conv:mask=\"2x6: 1,2,3,4,5,6,7,8,9,-1,-2,-3\",anchor=1+5,border=reflect",
    "median:7",
    "sobel | gauss:1",
    "invert",
    "unsharp:2",
    "gain:3 | depth:u8",
    "gauss:1,border=wrap",
    "gauss:1,border=valid",
    "pad:top=90,bottom=70,left=3,border=mirror | gauss:1",
    "flip:y | resize:60%",
    "resize:9x200,fit=exact",
    "resize:3,kernel=area",
    "rotate:90",
    "rotate:7",
    "gauss:1 | rotate:-100,fit=crop,kernel=cubic,border=mirror",
    "affine:0.3,0.1,0,0,0.4,5,fit=grow",
    "perspective:1,0.1,0,0,1,0,0.004,0,border=wrap",
    "undistort:-0.3,0.1,border=replicate",
    "gauss:1 | stats",
    "stats:percentiles=\"10 50\" | hist:16 | sobel | stats",
    "reduce:a+b | median:5 | hist",
    "gauss:3 | reduce:expr=\"max(a,b)\",identity=0 | stats",
    "normalize",
    "equalize",
    "scan:axis=y",
    "gauss:1 | scan:min",
    "integral | gauss:2",
    "scan:max,axis=y,exclusive=1 | flip:y",
    "scan:axis=y | crop:5x3+1+20,fit=1 | gauss:1",
    "crop:5x4+1+9,fit=1 | gauss:1",
    "dilate:9",
    "",
};
enum { PIPELINES = sizeof pipeline_text / sizeof *pipeline_text };

static const HaloBackend *at_work; /* fake or real */

static void same_bytes_body(Rng *rng)
{
    const char *const text = pipeline_text[rng_between(rng, 0, PIPELINES - 1)];
    const bool wants_output = !rng_once_in(rng, 5);
    const HaloShape shape = shape_of((HaloDtype)rng_between(rng, HALO_U8, HALO_F32), rng_between(rng, 1, 60),
                                     rng_between(rng, 1, 160), (int)rng_between(rng, 1, 3), false);
    fake_team.gpus = (int)rng_between(rng, 2, TEAM_MOST);
    team_write_source(&shape, rng);
    HaloSession *const alone = team_cpu();
    HaloSession *const team = team_open(at_work, rng_once_in(rng, 4) ? 0 : rng_between(rng, 1, 40));
    TeamMade expected = team_make(alone, text, wants_output);
    for (int file = 0; file < 2; file++) { /* with what the first left */
        TeamMade made = team_make(team, text, wants_output);
        team_expect(text, &made, &expected);
        team_made_free(&made);
    }
    /* In memory: halo_plan_execute. */
    HaloBuf in = random_input(&shape, rng_once_in(rng, 3), rng);
    Outcome one = pipeline_run(alone, text, &in, NULL), all = pipeline_run(team, text, &in, NULL);
    if (one.status != all.status || (one.status == HALO_OK && outcome_hash(&one) != outcome_hash(&all)) ||
        one.clipped != all.clipped)
        fail_case(NULL, "%s: in memory: status %d, and %d, or other samples", text, one.status, all.status);
    outcome_free(&one);
    outcome_free(&all);
    halo_buf_free(&in);
    team_made_free(&expected);
    halo_session_close(team);
    halo_session_close(alone);
    team_expect_well(text);
}

static void fake_gpus_give_the_same_bytes(void **state)
{
    (void)state;
    at_work = fake_team_table();
    for_each_case(__func__, 250, same_bytes_body);
}

static void real_gpus_give_the_same_bytes(void **state)
{
    (void)state;
    const HaloTables *tables = halo_tables();
    const char *const word = getenv("HALO_DEVICE");
    if (tables->backends < 2 || tables->backend[1]->count() < 2 ||
        (word != NULL && strstr("cuda", word) == NULL))
        return skip();
    at_work = tables->backend[1];
    for_each_case(__func__, 100, same_bytes_body);
}

/* ---- side by side --------------------------------------------------------------------------------------- */

/* The first band of each waits for those of the others, so that this ends only if they work at the same time;
 * every band is computed once. */
static void gpus_work_at_the_same_time(void **state)
{
    (void)state;
    static const char *const text[] = {"gauss:2", "median:5", "sobel | depth:f32"};
    Rng rng = {3};
    const HaloShape shape = team_picture();
    const HaloBackend *gpus = fake_team_table();
    team_write_source(&shape, &rng);
    HaloSession *const alone = team_cpu();
    for (int p = 0; p < 3; p++)
        for (int n = 2; n <= TEAM_MOST; n++) {
            fake_team.gpus = n;
            HaloSession *const team = team_open(gpus, 10);
            TeamMade expected = team_make(alone, text[p], true);
            fake_team.meet = true;
            fake_team.met = 0;
            TeamMade made = team_make(team, text[p], true);
            fake_team.meet = false;
            team_expect(text[p], &made, &expected);
            int bands = 0;
            for (int i = 0; i < TEAM_MOST; i++) {
                if ((fake_team.bands[i] > 0) != (i < n))
                    fail_case(NULL, "gpu:%d made %d bands", i, fake_team.bands[i]);
                bands += fake_team.bands[i];
            }
            assert_int_equal(bands, 21); /* of 203 rows */
            team_made_free(&made);
            team_made_free(&expected);
            halo_session_close(team);
        }
    halo_session_close(alone);
}

/* Rows that depend on those before them run in bands, too, on one GPU, which keeps their state. */
static void bands_in_order(void **state)
{
    (void)state;
    static const char *const text[] = {"scan:axis=y", "integral", "gauss:1 | scan:axis=y | gauss:2"};
    Rng rng = {5};
    const HaloShape shape = team_picture();
    const HaloBackend *gpus = fake_team_table();
    team_write_source(&shape, &rng);
    HaloSession *const alone = team_cpu();
    for (int p = 0; p < 3; p++) {
        fake_team.gpus = 2;
        HaloSession *const team = team_open(gpus, 10);
        TeamMade expected = team_make(alone, text[p], true);
        TeamMade made = team_make(team, text[p], true);
        team_expect(text[p], &made, &expected);
        assert_int_equal(fake_team.bands[0], 21 + 1); /* of 203 rows; and the state that they begin with */
        assert_int_equal(fake_team.bands[1], 0);
        team_made_free(&made);
        team_made_free(&expected);
        halo_session_close(team);
    }
    halo_session_close(alone);
}

/* In memory each has one band, of as many rows. */
static void halves_in_memory(void **state)
{
    (void)state;
    Rng rng = {4};
    const HaloShape shape = team_picture();
    const HaloBackend *gpus = fake_team_table();
    fake_team.gpus = 2;
    HaloBuf in = random_input(&shape, false, &rng);
    HaloSession *const alone = team_cpu(), *const team = team_open(gpus, 0);
    memset(fake_team.bands, 0, sizeof fake_team.bands);
    fake_team.meet = true;
    fake_team.met = 0;
    Outcome one = pipeline_run(alone, "gauss:2", &in, NULL), all = pipeline_run(team, "gauss:2", &in, NULL);
    fake_team.meet = false;
    assert_true(outcome_hash(&one) == outcome_hash(&all));
    assert_int_equal(fake_team.bands[0], 1);
    assert_int_equal(fake_team.bands[1], 1);
    outcome_free(&one);
    outcome_free(&all);
    halo_buf_free(&in);
    halo_session_close(team);
    halo_session_close(alone);
    team_expect_well("gauss:2");
}

/* ---- how many, and what is said ------------------------------------------------------------------------- */

static void expect_said(const HaloOptions *options, const char *text, int64_t side, const char *words)
{
    const HaloShape shape = test_shape(HALO_U8, side, side, 1);
    HaloSession *session = team_session(fake_team_table(), options);
    HaloPipeline *pipeline;
    HaloPlan *plan;
    char *said = NULL;
    size_t size;
    FILE *to = open_memstream(&said, &size);
    assert_int_equal(halo_pipeline_parse(session, text, &pipeline), HALO_OK);
    assert_int_equal(halo_plan_make(session, pipeline, &shape, NULL, &plan), HALO_OK);
    halo_plan_print(session, plan, to);
    fclose(to);
    if (strstr(said, words) == NULL) fail_case(NULL, "%s: '%s' is not said:\n%s", text, words, said);
    free(said);
    halo_plan_free(plan);
    halo_pipeline_free(pipeline);
    halo_session_close(session);
}

static void reports(void **state)
{
    (void)state;
    HaloOptions options = {.device = HALO_DEVICE_ALL, .jobs = 2, .files = TEAM_MANY_FILES};
    fake_team.gpus = 2;
    expect_said(&options, "gauss:2", 200, " ms in bands on 2)");
    expect_said(&options, "gauss:2", 200, "bands   2 of 100 rows; in turn on 2 devices, at most ");
    expect_said(&options, "normalize", 200, "(requested; one of 2 GPUs: this cannot run in bands)");
    expect_said(&options, "scan:axis=y", 200,
                "(requested; one of 2 GPUs: its rows depend on those before them)");
    options.jobs = 1;
    expect_said(&options, "gauss:2", 200, "(requested; one of 2 GPUs: each needs a thread)");
    options.jobs = 2;
    options.share = 2; /* the files of a batch have one each */
    expect_said(&options, "gauss:2", 200, "(requested)");
    options.share = 0;
    options.files = 0; /* a small picture is done before a second GPU has started; a large one is not */
    expect_said(&options, "gauss:2", 200, "(requested; one of 2 GPUs: predicted ");
    expect_said(&options, "median:101", 30000, " ms in bands on 2)");
    options.device = HALO_DEVICE_GPU;
    expect_said(&options, "median:101", 30000, "(requested)");
}

/* What is not used is not started. */
static void small_images_start_one(void **state)
{
    (void)state;
    Rng rng = {8};
    const HaloShape shape = team_picture();
    team_write_source(&shape, &rng);
    fake_team.gpus = TEAM_MOST;
    HaloSession *const session =
        team_session(fake_team_table(), &(HaloOptions){.device = HALO_DEVICE_ALL, .jobs = 2, .gpu = 4});
    atomic_store(&fake_team.opened, 0);
    TeamMade made = team_make(session, "gauss:2", true);
    assert_int_equal(made.status, HALO_OK);
    assert_int_equal(atomic_load(&fake_team.opened), 1);
    assert_int_equal(fake_team.bands[1], 1); /* number 4 of three */
    team_made_free(&made);
    halo_session_close(session);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fake_gpus_give_the_same_bytes),
        cmocka_unit_test(real_gpus_give_the_same_bytes),
        cmocka_unit_test(gpus_work_at_the_same_time),
        cmocka_unit_test(halves_in_memory),
        cmocka_unit_test(bands_in_order),
        cmocka_unit_test(reports),
        cmocka_unit_test(small_images_start_one),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, test_folder_remove);
}

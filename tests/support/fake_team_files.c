/* Sessions with the fake GPUs, and files that they process. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake_team.h"

/* ---- sessions ------------------------------------------------------------------------------------------- */

HaloSession *team_session(const HaloBackend *gpus, const HaloOptions *options)
{
    static const HaloBackend *both[2];
    static HaloTables tables; /* the session keeps a pointer to them */
    HaloSession *session = NULL;
    tables = *halo_tables();
    both[0] = tables.backend[0];
    both[1] = gpus;
    tables.backend = both;
    tables.backends = 2;
    if (halo_session_open_with(&tables, options, &session) != HALO_OK)
        fail_case(NULL, "no session: %s", halo_error());
    return session;
}

HaloSession *team_open(const HaloBackend *gpus, int64_t band_rows)
{
    return team_session(
        gpus,
        &(HaloOptions){.device = HALO_DEVICE_ALL, .jobs = 2, .files = TEAM_MANY_FILES, .band_rows = band_rows});
}

HaloSession *team_cpu(void)
{
    return team_session(halo_tables()->backend[0], &(HaloOptions){.device = HALO_DEVICE_CPU, .jobs = 1});
}

void team_expect_well(const char *text)
{
    const char *wrong = atomic_load(&fake_team.wrong);
    if (wrong != NULL) fail_case(NULL, "%s: %s", text, wrong);
}

/* ---- a file through them -------------------------------------------------------------------------------- */

char team_source[64], team_target[64];

TeamMade team_make(HaloSession *session, const char *text, bool wants_output)
{
    TeamMade made = {.file = {NULL, 0}};
    HaloPipeline *pipeline = NULL;
    HaloReport report = {0};
    const HaloJob job = {.input = team_source, .output = wants_output ? team_target : NULL};
    HaloStatus status = HALO_OK;
    memset(fake_team.bands, 0, sizeof fake_team.bands);
    atomic_store(&fake_team.failed, 0);
    HALO_TRY(halo_pipeline_parse(session, text, &pipeline));
    HALO_TRY(halo_run_job(session, pipeline, &job, &report));
    if (wants_output) made.file = bytes_of_file(team_target);
    made.results = results_text(&report.results);
    made.clipped = report.clipped;
    halo_report_clear(&report);
out:
    made.status = status;
    if ((access(team_target, F_OK) == 0) != (wants_output && status == HALO_OK))
        fail_case(NULL, "%s: status %d and the file", text, status);
    unlink(team_target);
    halo_pipeline_free(pipeline);
    team_expect_well(text);
    return made;
}

void team_made_free(TeamMade *made)
{
    free(made->file.at);
    free(made->results);
}

void team_expect(const char *text, const TeamMade *made, const TeamMade *expected)
{
    if (made->status != expected->status)
        fail_case(NULL, "%s: status %d, not %d: %s", text, made->status, expected->status, halo_error());
    if (made->status != HALO_OK) return;
    if (made->file.size != expected->file.size ||
        (made->file.size > 0 && memcmp(made->file.at, expected->file.at, made->file.size) != 0))
        fail_case(NULL, "%s: other bytes", text);
    if (strcmp(made->results, expected->results) != 0)
        fail_case(NULL, "%s: %s\nwhere the CPU has\n%s", text, made->results, expected->results);
    if (made->clipped != expected->clipped) fail_case(NULL, "%s: clipped samples", text);
}

void team_write_source(const HaloShape *shape, Rng *rng)
{
    const HaloInfo info = {.shape = *shape, .bits = shape->dtype == HALO_U16 ? 16 : 8};
    HaloBuf in = random_input(shape, false, rng);
    Bytes file;
    snprintf(team_source, sizeof team_source, "%s", test_path("team-in.npy"));
    snprintf(team_target, sizeof team_target, "%s", test_path("team-out.npy"));
    if (encode(&halo_format_npy, &info, &in, 0, &file) != HALO_OK) fail_case(NULL, "encode: %s", halo_error());
    bytes_to_file(team_source, file.at, file.size);
    free(file.at);
    halo_buf_free(&in);
}

HaloShape team_picture(void) { return shape_of(HALO_U8, 40, 203, 1, false); }

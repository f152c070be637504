/* The session that tests share. */
#include "shared_session.h"

#include "backends.h"
#include "codec.h"

HaloSession *test_session;

int test_session_open(void **state)
{
    (void)state;
    return halo_session_open_with(halo_tables(), &(HaloOptions){.device = HALO_DEVICE_CPU}, &test_session) ==
                   HALO_OK
               ? 0
               : -1;
}

int test_session_close(void **state)
{
    halo_session_close(test_session);
    return test_folder_remove(state);
}

int test_session_and_devices_open(void **state)
{
    return test_session_open(state) == 0 ? test_devices_open(state) : -1;
}

int test_session_and_devices_close(void **state)
{
    return test_session_close(state) == 0 ? test_devices_close(state) : -1;
}

HaloPlan *test_plan(const char *pipeline, const HaloShape *shape)
{
    HaloPipeline *parsed;
    HaloPlan *plan = NULL;
    if (halo_pipeline_parse(test_session, pipeline, &parsed) != HALO_OK ||
        halo_plan_make(test_session, parsed, shape, NULL, &plan) != HALO_OK)
        fail_case(NULL, "%s: %s", pipeline, halo_error());
    halo_pipeline_free(parsed);
    return plan;
}

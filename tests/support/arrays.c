/* Sessions, pipelines and arrays by the public interface, each expected to succeed. */
#include "arrays.h"

#include <stdlib.h>
#include <string.h>

#include "random.h"

void array_ok(HaloStatus status, const char *what)
{
    if (status != HALO_OK) fail_case(NULL, "%s: %s", what, halo_error());
}

HaloSession *array_session(HaloOptions *options)
{
    HaloSession *session = NULL;
    array_ok(halo_session_open(options, &session), "session");
    return session;
}

HaloPipeline *array_pipeline(HaloSession *session, const char *text)
{
    HaloPipeline *pipeline = NULL;
    array_ok(halo_pipeline_parse(session, text, &pipeline), text);
    return pipeline;
}

/* A packed array of these axes; all sizes are at most MOST_SIDE, and channels 4. */
HaloArray array_packed(HaloType type, const char *axes, const int64_t *size, void *data)
{
    HaloArray array;
    halo_array_defaults(&array);
    array.type = type;
    array.data = data;
    array.dims = (int)strlen(axes);
    strcpy(array.axes, axes);
    memcpy(array.size, size, sizeof *size * strlen(axes));
    return array;
}

size_t array_bytes(const HaloArray *array)
{
    size_t bytes = halo_type_size(array->type);
    for (int i = 0; i < array->dims; i++) bytes *= (size_t)array->size[i];
    return bytes;
}

/* Runs on arrays whose output is allocated here, in C order. */
HaloArray array_run(HaloSession *session, const char *text, const HaloArray *inputs, size_t count)
{
    HaloPipeline *pipeline = array_pipeline(session, text);
    HaloPlan *plan = NULL;
    HaloArray output;
    halo_array_defaults(&output);
    array_ok(halo_plan_open(session, pipeline, inputs, count, &plan), text);
    halo_pipeline_free(pipeline); /* plans do not point into it */
    array_ok(halo_plan_output(plan, 0, &output), text);
    output.data = malloc(array_bytes(&output));
    array_ok(halo_plan_run(plan, inputs, &output, NULL, NULL), text);
    halo_plan_close(plan);
    return output;
}

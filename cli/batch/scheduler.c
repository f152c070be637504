/* `--shard auto`: which part of a batch this process does, by the environment variables of a scheduler. */
#include <stdlib.h>
#include <string.h>

#include "batch.h"

/* Names of environment variables; NULL where the scheduler has none. */
typedef struct Scheduler {
    const char *index, *count, *first, *last, *step;
    int64_t begin;    /* the first index, unless a variable says it */
    const char *none; /* the index of a job that is not an array */
} Scheduler;

static const Scheduler arrays[] = {
    {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX",
     "SLURM_ARRAY_TASK_STEP", 0, ""},
    {"SGE_TASK_ID", NULL, "SGE_TASK_FIRST", "SGE_TASK_LAST", "SGE_TASK_STEPSIZE", 1, "undefined"},
    {"LSB_JOBINDEX", NULL, NULL, "LSB_JOBINDEX_END", "LSB_JOBINDEX_STEP", 1, "0"}, /* of LSF */
    {"PBS_ARRAY_INDEX", NULL, NULL, NULL, NULL, 1, ""},
    {"PBS_ARRAYID", NULL, NULL, NULL, NULL, 1, ""}, /* of Torque */
    {"AWS_BATCH_JOB_ARRAY_INDEX", "AWS_BATCH_JOB_ARRAY_SIZE", NULL, NULL, NULL, 0, ""},
    {"BATCH_TASK_INDEX", "BATCH_TASK_COUNT", NULL, NULL, NULL, 0, ""}, /* of Google Batch */
    {"CLOUD_RUN_TASK_INDEX", "CLOUD_RUN_TASK_COUNT", NULL, NULL, NULL, 0, ""},
    {"JOB_COMPLETION_INDEX", NULL, NULL, NULL, NULL, 0, ""}, /* of Kubernetes */
};

/* The tasks that one srun starts, in an array or not. A batch script has a SLURM_PROCID, too, which is 0: only
 * srun says of how many tasks. */
static const Scheduler step = {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", NULL, NULL, NULL, 0, ""};

/* Where a scheduler has no variable for the number of tasks, the user has to set this one. */
static const char shards_name[] = "HALO_SHARDS";

#define UNEVEN "the tasks of this array (%s) are not evenly spaced: give i/n instead"

typedef struct Place {
    int64_t at, of; /* from 0 */
    bool by_user;   /* HALO_SHARDS gave the number */
} Place;

/* HALO_ERR_USAGE where the variable is missing (without `preset`) or is no number. */
static HaloStatus read_variable(const char *name, const char *preset, int64_t *number)
{
    const char *set = getenv(name), *text = set != NULL ? set : preset;
    if (text == NULL)
        return halo_fail(HALO_ERR_USAGE,
                         "--shard auto: the environment variable %s is not set: set it, or give --shard=I/N",
                         name);
    if (!halo_read_count(text, CLI_MOST_SHARDS, number, NULL))
        return halo_fail(HALO_ERR_USAGE, "the environment variable %s is '%.40s', not a number", name, text);
    return HALO_OK;
}

/* How many tasks there are, which the first and last index and their step have to agree with. */
static HaloStatus count_tasks(const Scheduler *s, int64_t first, int64_t stride, Place *place)
{
    HaloStatus status = HALO_OK;
    int64_t last = 0;
    const bool has_last = s->last != NULL && (s->count != NULL || getenv(s->last) != NULL);
    if (has_last) HALO_TRY(read_variable(s->last, NULL, &last));
    if (s->count != NULL) {
        HALO_TRY(read_variable(s->count, NULL, &place->of));
        if (has_last && first + stride * (place->of - 1) != last) HALO_FAIL(HALO_ERR_USAGE, UNEVEN, s->index);
    } else if (has_last) {
        place->of = last < first ? 0 : (last - first) / stride + 1;
    } else {
        if (getenv(shards_name) == NULL)
            HALO_FAIL(HALO_ERR_USAGE, "%s is set, which does not tell the number of tasks: set %s to it",
                      s->index, shards_name);
        HALO_TRY(read_variable(shards_name, NULL, &place->of));
        place->by_user = true;
    }
out:
    return status;
}

/* LSF has no variable for the first index. Where the name of its job ends with the range of all indices,
 * "name[5-10]" or "name[1-9:2]%4", that says it; else the user's number of tasks does, from the last. */
static HaloStatus find_first(const Scheduler *s, int64_t stride, int64_t *first, Place *place)
{
    HaloStatus status = HALO_OK;
    const char *name = getenv("LSB_JOBNAME"), *at = name != NULL ? strrchr(name, '[') : NULL;
    int64_t begin = 0, end = 0, by = 1, last = 0;
    HALO_TRY(read_variable(s->last, NULL, &last));
    if (at != NULL && strchr(at, ',') != NULL) HALO_FAIL(HALO_ERR_USAGE, UNEVEN, s->index);
    if (at != NULL && halo_read_count(at + 1, CLI_MOST_SHARDS, &begin, &at) && *at == '-' &&
        halo_read_count(at + 1, CLI_MOST_SHARDS, &end, &at) &&
        (*at != ':' || halo_read_count(at + 1, CLI_MOST_SHARDS, &by, &at)) && *at == ']') {
        if (by != stride || end < begin || last < begin || (last - begin) / by != (end - begin) / by)
            HALO_FAIL(HALO_ERR_USAGE,
                      "LSB_JOBNAME is '%.60s', but %s is %lld, in steps of %lld: give i/n instead", name,
                      s->last, (long long)last, (long long)stride);
        *first = begin;
        goto out;
    }
    if (getenv(shards_name) == NULL)
        HALO_FAIL(HALO_ERR_USAGE, "%s is set, but nothing tells its first value: set %s to the number of tasks",
                  s->index, shards_name);
    HALO_TRY(read_variable(shards_name, NULL, &place->of));
    place->by_user = true;
    *first = last - stride * (place->of - 1);
    if (*first < s->begin)
        HALO_FAIL(HALO_ERR_USAGE, "%s is %lld, but %s is %lld, in steps of %lld", shards_name,
                  (long long)place->of, s->last, (long long)last, (long long)stride);
out:
    return status;
}

static HaloStatus read_place(const Scheduler *s, Place *place)
{
    HaloStatus status = HALO_OK;
    int64_t index = 0, first = s->begin, stride = 1;
    HALO_TRY(read_variable(s->index, NULL, &index));
    if (s->first != NULL) HALO_TRY(read_variable(s->first, NULL, &first));
    if (s->step != NULL) HALO_TRY(read_variable(s->step, "1", &stride));
    if (stride < 1) HALO_FAIL(HALO_ERR_USAGE, "the environment variable %s is 0", s->step);
    if (s->first == NULL && s->last != NULL && getenv(s->last) != NULL)
        HALO_TRY(find_first(s, stride, &first, place));
    HALO_TRY(count_tasks(s, first, stride, place));
    if (index < first || (index - first) % stride != 0 || (index - first) / stride >= place->of)
        HALO_FAIL(HALO_ERR_USAGE, "%s is %lld, which is not among the indices of %lld task%s from %lld%s%s",
                  s->index, (long long)index, (long long)place->of, halo_s(place->of), (long long)first,
                  place->by_user ? "; their number is by " : "", place->by_user ? shards_name : "");
    place->at = (index - first) / stride;
out:
    return status;
}

static bool is_set(const Scheduler *s)
{
    const char *index = getenv(s->index);
    return index != NULL && strcmp(index, s->none) != 0;
}

static HaloStatus find_array(const Scheduler **found)
{
    *found = NULL;
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        if (!is_set(&arrays[i])) continue;
        if (*found != NULL)
            return halo_fail(HALO_ERR_USAGE, "both %s and %s are set: unset one, or give i/n", (*found)->index,
                             arrays[i].index);
        *found = &arrays[i];
    }
    return HALO_OK;
}

static HaloStatus none_is_set(void)
{
    CliText names = {0};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        if (i > 0) cli_add(&names, ", ", 2);
        cli_add(&names, arrays[i].index, strlen(arrays[i].index));
    }
    const HaloStatus status =
        halo_fail(HALO_ERR_USAGE,
                  "auto needs a scheduler's variable: one of %s, or %s from srun; elsewhere "
                  "give i/n",
                  names.data, step.index);
    free(names.data);
    return status;
}

/* HALO_SHARDS where it is not needed: a check. */
static HaloStatus check_count(const CliSettings *settings)
{
    HaloStatus status = HALO_OK;
    int64_t expected = 0;
    if (getenv(shards_name) == NULL) return HALO_OK;
    HALO_TRY(read_variable(shards_name, NULL, &expected));
    if (expected != settings->shards)
        HALO_FAIL(HALO_ERR_USAGE, "%s is %lld, but %s has %lld task%s: unset it, or start as many", shards_name,
                  (long long)expected, settings->shard_by[0], (long long)settings->shards,
                  halo_s(settings->shards));
out:
    return status;
}

HaloStatus cli_scheduled_shard(CliSettings *settings)
{
    HaloStatus status = HALO_OK;
    const Scheduler *array;
    Place outer = {.of = 1}, inner = {.of = 1};
    HALO_TRY(find_array(&array));
    const bool by_srun = is_set(&step) && getenv(step.count) != NULL;
    if (array == NULL && !by_srun) return none_is_set();
    if (array != NULL) HALO_TRY(read_place(array, &outer));
    if (by_srun) HALO_TRY(read_place(&step, &inner));
    const int64_t count = outer.of * inner.of;
    if (count > CLI_MOST_SHARDS)
        HALO_FAIL(HALO_ERR_USAGE, "there are %lld tasks: the limit is %d", (long long)count, CLI_MOST_SHARDS);
    settings->shard = outer.at * inner.of + inner.at + 1;
    settings->shards = count;
    settings->shard_by[0] = array != NULL ? array->index : step.index;
    settings->shard_by[1] = array != NULL && inner.of > 1 ? step.index : NULL;
    if (!outer.by_user) status = check_count(settings);
out:
    return status;
}

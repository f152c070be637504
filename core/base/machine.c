/* The processors and the memory that this process may use. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "machine.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include "halo/text.h"
#include "memory.h"

static HaloMachine machine;

static void plan_threads(HaloMachine *plan, int online, int allowed, double quota)
{
    const size_t size = sizeof plan->why_threads;
    plan->threads = allowed;
    if (quota > 0 && ceil(quota) < allowed) {
        plan->threads = (int)ceil(quota);
        halo_snprintf(plan->why_threads, size, "a cgroup's quota is %.3g processor%s", quota,
                      quota == 1 ? "" : "s");
    } else if (allowed < online) {
        snprintf(plan->why_threads, size, "%d of the machine's %d processors may be used", allowed, online);
    } else {
        snprintf(plan->why_threads, size, "the machine has %d processor%s", online, halo_s(online));
    }
}

static void plan_memory(HaloMachine *plan, int64_t machine_has, int64_t limit)
{
    char text[32];
    const size_t size = sizeof plan->why_memory;
    const int64_t least = limit < machine_has ? limit : machine_has;
    plan->memory = least == INT64_MAX ? least : least / 4 * 3 + least % 4 * 3 / 4;
    if (plan->memory < 1) plan->memory = 1; /* none at all would stand for the default */
    if (limit < machine_has)
        snprintf(plan->why_memory, size, "three quarters of a cgroup's limit, %s", memory_text(limit, text));
    else
        snprintf(plan->why_memory, size, "three quarters of the machine's, %s", memory_text(machine_has, text));
}

HaloMachine machine_plan(int online, int allowed, int64_t memory, const CgroupLimits *limits)
{
    HaloMachine plan;
    plan_threads(&plan, online, allowed, limits->processors);
    plan_memory(&plan, memory, limits->memory);
    return plan;
}

/* The number of processors in the affinity mask, whose size depends on the kernel's configuration; 0: not
 * known. */
static int count_allowed(void)
{
    int count = 0;
#ifdef __linux__
    for (int most = 1024; most <= 1 << 20 && count == 0; most *= 2) {
        cpu_set_t *set = CPU_ALLOC(most);
        const size_t size = CPU_ALLOC_SIZE(most);
        if (set == NULL) break;
        if (sched_getaffinity(0, size, set) == 0) count = CPU_COUNT_S(size, set);
        CPU_FREE(set);
    }
#endif
    return count;
}

static void look_up(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE),
               cores = sysconf(_SC_NPROCESSORS_ONLN);
    const int online = cores > 0 ? (int)cores : 1, allowed = count_allowed();
    const CgroupLimits limits = cgroup_limits("");
    machine = machine_plan(online, allowed > 0 && allowed < online ? allowed : online,
                           pages > 0 && size > 0 ? (int64_t)pages * size : INT64_MAX, &limits);
}

const HaloMachine *halo_machine(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, look_up);
    return &machine;
}

/* Limits of control groups, of versions 1 and 2, which may be mounted side by side. A process is in one group
 * of each hierarchy, and what holds for a group holds for all groups in it: the smallest limit between the
 * process's own group and the mount point counts. In a container the mount point may be that own group, and
 * groups above it are not seen.
 */
#include "cgroup.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "halo/text.h"
#include "halo/words.h"

#define PATH_SIZE 1024 /* longer ones set no limit */

/* ---- one group ------------------------------------------------------------------------------------------ */

/* The first line of a file in a group's folder. */
static bool read_line(const char *folder, const char *name, char line[64])
{
    char path[PATH_SIZE + 64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    if (file == NULL) return false;
    const bool read = fgets(line, 64, file) != NULL;
    fclose(file);
    line[read ? strcspn(line, "\n") : 0] = 0;
    return read;
}

static void limit_memory(const char *folder, const char *name, CgroupLimits *limits)
{
    char line[64];
    int64_t bytes;
    if (!read_line(folder, name, line) || !halo_read_count(line, INT64_MAX, &bytes, NULL)) return; /* "max" */
    if (bytes > 0 && bytes < limits->memory) limits->memory = bytes;
}

static void limit_processors(int64_t quota, int64_t period, CgroupLimits *limits)
{
    const double processors = period > 0 ? (double)quota / (double)period : 0;
    if (processors > 0 && (limits->processors == 0 || processors < limits->processors))
        limits->processors = processors;
}

/* "50000 100000": microseconds of every period. "max 100000": no limit. */
static void read_version_2(const char *folder, CgroupLimits *limits)
{
    char line[64];
    const char *period;
    int64_t quota, length;
    limit_memory(folder, "memory.max", limits);
    limit_memory(folder, "memory.high", limits); /* beyond it a process is throttled until it stalls */
    if (read_line(folder, "cpu.max", line) && halo_read_count(line, INT64_MAX, &quota, &period) &&
        *period == ' ' && halo_read_count(period + 1, INT64_MAX, &length, NULL))
        limit_processors(quota, length, limits);
}

static void read_memory_1(const char *folder, CgroupLimits *limits)
{
    limit_memory(folder, "memory.limit_in_bytes", limits);
}

static void read_cpu_1(const char *folder, CgroupLimits *limits)
{
    char line[64];
    int64_t quota, length;
    if (read_line(folder, "cpu.cfs_quota_us", line) && halo_read_count(line, INT64_MAX, &quota, NULL) &&
        read_line(folder, "cpu.cfs_period_us", line) && halo_read_count(line, INT64_MAX, &length, NULL))
        limit_processors(quota, length, limits); /* a quota of -1: no limit */
}

/* ---- a hierarchy ---------------------------------------------------------------------------------------- */

/* The path of the process's group in the hierarchy with this controller ("": the one of version 2). */
static bool find_group(const char *root, const char *controller, char group[PATH_SIZE])
{
    char path[PATH_SIZE], *line = NULL;
    size_t capacity = 0;
    bool found = false;
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *file = fopen(path, "r");
    while (!found && file != NULL && getline(&line, &capacity, file) > 0) { /* "4:cpu,cpuacct:/path" */
        char *controllers = strchr(line, ':'), *at = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
        if (at == NULL) continue;
        *at++ = 0;
        at[strcspn(at, "\n")] = 0;
        found = *controller == 0 ? controllers[1] == 0 : halo_find_word(controllers + 1, ',', controller) >= 0;
        found = found && (size_t)snprintf(group, PATH_SIZE, "%s", at) < PATH_SIZE;
    }
    if (file != NULL) fclose(file);
    free(line);
    return found;
}

/* From the group up to the mount point. `top`: the group that is mounted there. */
static void climb(const char *root, const char *mount, const char *top, const char *controller,
                  void (*read)(const char *folder, CgroupLimits *limits), CgroupLimits *limits)
{
    char group[PATH_SIZE], folder[PATH_SIZE];
    const size_t above = strcmp(top, "/") == 0 ? 0 : strlen(top);
    if (!find_group(root, controller, group)) return;
    const bool inside = strncmp(group, top, above) == 0 && (group[above] == '/' || group[above] == 0) &&
                        strstr(group, "/..") == NULL;
    const char *below = !inside || strcmp(group, "/") == 0 ? "" : group + above;
    const size_t least = strlen(root) + strlen(mount);
    if ((size_t)snprintf(folder, sizeof folder, "%s%s%s", root, mount, below) >= sizeof folder) return;
    for (;;) {
        read(folder, limits);
        if (strlen(folder) <= least) break;
        *strrchr(folder, '/') = 0;
    }
}

/* ---- all of them ---------------------------------------------------------------------------------------- */

/* Spaces and the like are written as "\040". */
static void unescape(char *text)
{
    char *to = text;
    for (const char *at = text; *at != 0; at++)
        if (at[0] == '\\' && at[1] >= '0' && at[1] <= '3' && halo_is_digit(at[2]) && halo_is_digit(at[3])) {
            *to++ = (char)((at[1] - '0') << 6 | (at[2] - '0') << 3 | (at[3] - '0'));
            at += 3;
        } else {
            *to++ = *at;
        }
    *to = 0;
}

/* "31 23 0:28 /top /mount rw,relatime … - cgroup cgroup rw,cpu,cpuacct". */
static void read_mount(const char *root, char *line, CgroupLimits *limits)
{
    char *word[5], *at = line, *rest = strstr(line, " - ");
    if (rest == NULL) return;
    *rest = 0;
    rest += 3;
    rest[strcspn(rest, "\n")] = 0;
    const bool version_2 = strncmp(rest, "cgroup2 ", 8) == 0;
    if (!version_2 && strncmp(rest, "cgroup ", 7) != 0) return;
    for (int i = 0; i < 5; i++) {
        word[i] = at;
        at += strcspn(at, " ");
        if (*at == 0) return;
        *at++ = 0;
    }
    const char *options = strrchr(rest, ' ') + 1, *top = word[3], *mount = word[4];
    unescape(word[3]);
    unescape(word[4]);
    if (version_2) climb(root, mount, top, "", read_version_2, limits);
    if (!version_2 && halo_find_word(options, ',', "memory") >= 0)
        climb(root, mount, top, "memory", read_memory_1, limits);
    if (!version_2 && halo_find_word(options, ',', "cpu") >= 0)
        climb(root, mount, top, "cpu", read_cpu_1, limits);
}

CgroupLimits cgroup_limits(const char *root)
{
    CgroupLimits limits = {.memory = INT64_MAX};
    char path[PATH_SIZE], *line = NULL;
    size_t capacity = 0;
    snprintf(path, sizeof path, "%s/proc/self/mountinfo", root);
    FILE *file = fopen(path, "r");
    while (file != NULL && getline(&line, &capacity, file) > 0) read_mount(root, line, &limits);
    if (file != NULL) fclose(file);
    free(line);
    return limits;
}

/* What Linux's control groups leave this process of processors and memory. */
#ifndef CORE_BASE_CGROUP_H
#define CORE_BASE_CGROUP_H

#include <stdint.h>

typedef struct CgroupLimits {
    double processors; /* a quota, such as 1.5; 0: none */
    int64_t memory;    /* bytes; INT64_MAX: no limit */
} CgroupLimits;

/* `root` is "" except in tests: a folder with proc/self/mountinfo, proc/self/cgroup and the mounts. Files that
 * are missing or cannot be parsed set no limit. */
CgroupLimits cgroup_limits(const char *root);

#endif

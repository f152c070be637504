/* A session: tables, options, and the devices that its work runs on. */
#ifndef CORE_SESSION_H
#define CORE_SESSION_H

#include "base/memory.h"
#include "device/device.h"

/* The maximum number of GPUs that work on one image. */
#define SESSION_GPUS 16

struct HaloSession {
    const HaloTables *tables;
    HaloOptions options;
    HaloMemory memory;              /* of the present file */
    Device host, gpu[SESSION_GPUS]; /* one is opened, as a rule: gpu[0] */
    bool gpu_refused;               /* the GPU could not be opened, and is not tried again, */
    bool gpu_is_there;              /* although the machine has one */
    char gpu_reason[200];
};

/* Is a GPU required, so that the CPU is no substitute? */
static inline bool gpu_demanded(const HaloOptions *options)
{
    return options->device == HALO_DEVICE_GPU || options->device == HALO_DEVICE_ALL;
}

#endif

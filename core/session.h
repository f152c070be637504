/* A session: tables, options, and the devices that its work runs on. */
#ifndef CORE_SESSION_H
#define CORE_SESSION_H

#include "base/memory.h"
#include "device/device.h"

/* The maximum number of GPUs that work on one image. */
#define SESSION_GPUS 16

struct PlanAnalysis;

struct HaloSession {
    const HaloTables *tables;
    HaloOptions options;
    HaloMemory memory;              /* of the present file */
    Device host, gpu[SESSION_GPUS]; /* one is opened, as a rule: gpu[0] */
    bool on_host;                   /* the GPU failed on the present file, which is run again without it */
    bool gpu_refused;               /* the GPU could not be opened, and is not tried again, */
    bool gpu_is_there;              /* although the machine has one */
    char gpu_reason[200];
    char too_large[160]; /* why it does not hold the present plan; or empty */
    char not_there[80];  /* why it cannot run the present plan; or empty */
    float gain;          /* --guard: sound of this file is multiplied by it after the pipeline; 0: not */
    struct PlanAnalysis
        *analysis; /* of the present file (plan/analysis.h); NULL: its plan cannot have passes */
    bool upright;  /* its image is turned upright before its plan begins: secondary inputs have to be, too */
    const char *input;   /* its name; NULL: it has none (file/operand.h) */
    int64_t page, pages; /* the current page, from 0, and their number; 0: not known */
    HaloOperand *paired;    /* a secondary input of several pages, one for each of the input; or NULL */
    int operands;
    HaloOperand **operand; /* secondary inputs of this input alone, and later pages of any */
};

/* Is a GPU required, so that the CPU is no substitute? */
static inline bool gpu_demanded(const HaloOptions *options)
{
    return options->device == HALO_DEVICE_GPU || options->device == HALO_DEVICE_ALL;
}

#endif

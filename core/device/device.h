/* A device that a session works on: the CPU, or a GPU. It is opened on first use, and keeps spare buffers for
 * the next band and the next file, since allocating one may cost more than the step that fills it. */
#ifndef CORE_DEVICE_H
#define CORE_DEVICE_H

#include "base/memory.h"
#include "core.h"

#define DEVICE_SPARES 16
#define DEVICE_OPERANDS 4

/* A secondary input that is on the device, whole. */
typedef struct DeviceOperand {
    uint64_t serial; /* HaloOperand's; 0: none */
    HaloBuf data;
} DeviceOperand;

typedef struct Device {
    const HaloBackend *backend;
    HaloDevice *handle; /* the backend's own; NULL: not open */
    int index;          /* of those that the backend has */
    int jobs;           /* threads of the host, for what the backend does not do */
    char describe[96];
    HaloCeilings ceilings; /* once known */
    int spares;
    HaloBuf spare[DEVICE_SPARES];
    int64_t taken; /* bytes of buffers that are in use */
    int64_t limit; /* of these and the spares: beyond it, spares are freed; 0: none */
    DeviceOperand operand[DEVICE_OPERANDS];
    void *pinned; /* device_pinned */
    int64_t pinned_bytes;
    const HaloOptions *options; /* of its session: `progress`, */
    double told;                /* when that was called last (now_ms), */
    double done, part;          /* and of which part of the work: from `done` on (progress.h) */
    HaloMemory *memory;         /* of its session; NULL: without a limit */
} Device;

/* The devices that compute the bands of a plan in parallel: all of one backend, usually one. */
typedef struct Team {
    Device *device; /* [count] */
    int count;
} Team;

/* The vectors that loops on its host may use. */
static inline HaloSimd device_simd(const Device *device)
{
    return device->backend->simd != NULL ? device->backend->simd(device->handle) : HALO_SIMD_BASELINE;
}

HaloStatus device_open(Device *device, int index, int jobs);
void device_close(Device *device);
void device_trim(Device *device);                     /* frees spares, secondary inputs and pinned memory */
HaloStatus device_take(Device *device, HaloBuf *buf); /* a spare with rows as long, else a new one */
void device_give(Device *device, HaloBuf *buf);
/* A secondary input on the device, uploaded on first use; NULL if there is not enough memory to keep it.
 */
const HaloBuf *device_operand(Device *device, const HaloOperand *operand);
/* Frees spares and secondary inputs that the plan has no use for. */
void device_keep_only(Device *device, const HaloPlan *plan);
/* Pinned host memory, which is copied to and from the device at the full rate of the link. One such block is
 * kept for the next file, since allocating it takes as long as filling it. NULL: use any other memory. */
void *device_pinned(Device *device, int64_t bytes);
/* Bytes of device memory, free or in kept buffers, that one of `share` sessions may use. */
int64_t device_memory(const Device *device, int share);

/* The least memory that any of them has; and a description of them for messages. */
int64_t team_memory(Team team, int share);
void team_describe(Team team, char *text, size_t size);

#endif

/* Sessions: the tables, the options, and the devices, opened on first use. */
#include <stdlib.h>

#include "halo/machine.h"
#include "session.h"

HaloStatus halo_session_open_with(const HaloTables *tables, const HaloOptions *options, HaloSession **session)
{
    HaloSession *made = calloc(1, sizeof *made);
    *session = NULL;
    if (made == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    made->tables = tables;
    if (options != NULL) made->options = *options;
    if (made->options.max_pixels <= 0) made->options.max_pixels = HALO_MAX_PIXELS;
    if (made->options.max_memory <= 0) made->options.max_memory = halo_machine()->memory;
    if (made->options.jobs <= 0) made->options.jobs = halo_machine()->threads;
    if (made->options.share > 1) made->options.max_memory /= made->options.share;
    made->memory = (HaloMemory){.allowed = made->options.max_memory, .advice = "--max-memory sets the limit"};
    made->host.backend = tables->backend[0];
    for (int i = 0; i < SESSION_GPUS; i++)
        made->gpu[i].backend = tables->backends > 1 ? tables->backend[1] : NULL;
    if (gpu_demanded(&made->options) && made->gpu->backend == NULL) {
        halo_session_close(made);
        return halo_fail(HALO_ERR_DEVICE,
                         "this build of halo has no CUDA backend; --device cpu gives the same result");
    }
    *session = made;
    return HALO_OK;
}

void halo_session_trim(HaloSession *session)
{
    device_trim(&session->host);
    for (int i = 0; i < SESSION_GPUS; i++) device_trim(&session->gpu[i]);
}

void halo_session_close(HaloSession *session)
{
    if (session == NULL) return;
    device_close(&session->host);
    for (int i = 0; i < SESSION_GPUS; i++) device_close(&session->gpu[i]);
    free(session);
}

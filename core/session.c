/* Sessions: the tables, the options, the devices, opened on first use, and the sessions that public functions
 * borrow, so that any thread may use that of a program. */
#include <stdlib.h>
#include <unistd.h>

#include "halo/machine.h"
#include "session.h"

HaloStatus halo_session_open_with(const HaloTables *tables, const HaloOptions *options, HaloSession **session)
{
    HaloSession *made = calloc(1, sizeof *made);
    *session = NULL;
    if (made == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    made->tables = tables;
    pthread_mutex_init(&made->spares.lock, NULL);
    made->spares.process = getpid();
    if (options != NULL) made->options = made->spares.given = *options;
    if (made->options.max_pixels <= 0) made->options.max_pixels = HALO_MAX_PIXELS;
    if (made->options.max_memory <= 0) made->options.max_memory = halo_machine()->memory;
    if (made->options.jobs <= 0) made->options.jobs = halo_machine()->threads;
    if (made->options.share > 1) made->options.max_memory /= made->options.share;
    made->memory = (HaloMemory){.allowed = made->options.max_memory, .advice = "--max-memory sets the limit"};
    made->host.backend = tables->backend[0];
    made->host.options = &made->options;
    made->host.memory = &made->memory;
    for (int i = 0; i < SESSION_GPUS; i++) {
        made->gpu[i].backend = tables->backends > 1 ? tables->backend[1] : NULL;
        made->gpu[i].options = &made->options;
        made->gpu[i].memory = &made->memory;
    }
    if (gpu_demanded(&made->options) && made->gpu->backend == NULL) {
        halo_session_close(made);
        return halo_fail(HALO_ERR_DEVICE,
                         "this build of halo has no CUDA backend; --device=cpu gives the same result");
    }
    *session = made;
    return HALO_OK;
}

static void close_spares(HaloSession *session)
{
    SessionSpares *spares = &session->spares;
    while (spares->count > 0) halo_session_close(spares->spare[--spares->count]);
    free(spares->spare);
    pthread_mutex_destroy(&spares->lock);
}

static void trim_spares(HaloSession *session)
{
    SessionSpares *spares = &session->spares;
    pthread_mutex_lock(&spares->lock);
    for (int i = 0; i < spares->count; i++) halo_session_trim(spares->spare[i]);
    pthread_mutex_unlock(&spares->lock);
}

void halo_session_trim(HaloSession *session)
{
    if (session == NULL) return;
    device_trim(&session->host);
    for (int i = 0; i < SESSION_GPUS; i++) device_trim(&session->gpu[i]);
    trim_spares(session);
}

void halo_session_close(HaloSession *session)
{
    if (session == NULL) return;
    if (session->spares.process != getpid()) return; /* its threads and devices are the parent's */
    close_spares(session);
    device_close(&session->host);
    for (int i = 0; i < SESSION_GPUS; i++) device_close(&session->gpu[i]);
    free(session);
}

/* ---- sessions that are borrowed -------------------------------------------------------------------------- */

HaloStatus session_check(const HaloSession *session)
{
    if (session == NULL) return halo_fail(HALO_ERR_USAGE, "the session is NULL");
    if (session->spares.process == getpid()) return HALO_OK;
    return halo_fail(
        HALO_ERR_USAGE,
        "this session was opened before fork(), and its threads are the parent's: open one in the child");
}

static bool suits(const HaloSession *spare, int gpu)
{
    return gpu == HALO_HOST ? !spare->spares.of_gpu : spare->spares.of_gpu && spare->options.gpu == gpu;
}

/* The spare that was used last: its memory is warm. */
static HaloSession *take(SessionSpares *spares, int gpu)
{
    for (int i = spares->count - 1; i >= 0; i--) {
        HaloSession *spare = spares->spare[i];
        if (!suits(spare, gpu)) continue;
        spares->spare[i] = spares->spare[--spares->count];
        return spare;
    }
    return NULL;
}

HaloStatus session_borrow(HaloSession *session, int gpu, HaloSession **work)
{
    *work = NULL;
    const HaloStatus status = session_check(session);
    if (status != HALO_OK) return status;
    SessionSpares *spares = &session->spares;
    pthread_mutex_lock(&spares->lock);
    *work = take(spares, gpu);
    pthread_mutex_unlock(&spares->lock);
    if (*work != NULL) return HALO_OK;
    HaloOptions options = spares->given;
    if (gpu != HALO_HOST) {
        options.device = HALO_DEVICE_GPU;
        options.gpu = gpu;
    }
    const HaloStatus opened = halo_session_open_with(session->tables, &options, work);
    if (opened == HALO_OK) (*work)->spares.of_gpu = gpu != HALO_HOST;
    return opened;
}

void session_return(HaloSession *session, HaloSession *work)
{
    if (work == NULL) return;
    SessionSpares *spares = &session->spares;
    pthread_mutex_lock(&spares->lock);
    if (spares->count == spares->capacity) {
        const int capacity = 2 * spares->capacity + 4;
        HaloSession **more = realloc(spares->spare, sizeof(HaloSession *) * (size_t)capacity);
        if (more != NULL) spares->spare = more;
        if (more != NULL) spares->capacity = capacity;
    }
    const bool kept = spares->count < spares->capacity;
    if (kept) spares->spare[spares->count++] = work;
    pthread_mutex_unlock(&spares->lock);
    if (!kept) halo_session_close(work);
}

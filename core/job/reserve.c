#include "reserve.h"

#define LEAST_BYTES ((int64_t)64 << 20)
#define STEP_BYTES ((int64_t)32 << 20) /* ten milliseconds */

static void *reserve_space(void *context)
{
    Reserve *reserve = context;
    for (int64_t at = 0; at < reserve->bytes && !atomic_load(&reserve->stop); at += STEP_BYTES)
        if (!halo_sink_reserve(reserve->sink, at, smaller(STEP_BYTES, reserve->bytes - at))) break;
    return NULL;
}

void reserve_begin(Reserve *reserve, const HaloWriter *writer, const HaloShape *shape)
{
    reserve->runs = false;
    if (shape->kind != HALO_IMAGE || writer->format == NULL || !writer->format->plain) return;
    if (writer->sink == NULL || !halo_sink_seekable(writer->sink)) return;
    if (halo_shape_bytes(shape, &reserve->bytes) != HALO_OK || reserve->bytes < LEAST_BYTES) return;
    reserve->sink = writer->sink;
    atomic_init(&reserve->stop, false);
    reserve->runs = halo_thread_start(&reserve->thread, reserve_space, reserve);
}

void reserve_end(Reserve *reserve)
{
    if (!reserve->runs) return;
    atomic_store(&reserve->stop, true);
    pthread_join(reserve->thread, NULL);
    reserve->runs = false;
}

/* The fake GPU's table: calls that it passes on to the CPU, and what it counts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "each_primitive.h"
#include "fake_gpu.h"
#include "pipelines.h"

Fake fake;
HaloBackend fake_gpu;
int64_t fake_band_rows;
int fake_share;

static HaloStatus fails(void)
{
    fake.call++;
    if (fake.fails_at == 0 || fake.call < fake.fails_at) return HALO_OK;
    if (fake.fails_once && fake.call > fake.fails_at) return HALO_OK;
    return halo_fail(HALO_ERR_DEVICE, "the GPU failed: an unspecified launch failure");
}

static int fake_count(void)
{
    if (!fake.is_there) halo_fail(HALO_ERR_DEVICE, "no driver for it");
    return fake.is_there;
}

static bool fake_started(int index) { return (void)index, ++fake.start_queries > fake.starts_for; }

static HaloStatus fake_open(int index, int jobs, HaloDevice **device)
{
    if (fake.opens) return fake.cpu->open(index, jobs, device);
    return halo_fail(HALO_ERR_DEVICE, "the GPU failed: out of memory");
}

static int64_t fake_memory(HaloDevice *device) { return (void)device, fake.memory; }
static void fake_ask(HaloDevice *device)
{
    (void)device;
    fake.asking = true;
    fake.rows = 0;
}

static int64_t fake_asked(HaloDevice *device)
{
    (void)device;
    fake.asking = false;
    return fake.scratch * fake.rows;
}

static const char *fake_describe(HaloDevice *device) { return (void)device, "a fake GPU"; }

static void copy_rows(const HaloBuf *from, HaloBuf *to, const HaloBuf *rect)
{
    for (int64_t y = rect->y0; y < rect->y0 + rect->rows; y++)
        memcpy((void *)halo_at(to, rect->x0, y), halo_at(from, rect->x0, y), (size_t)halo_row_bytes(rect));
}

static HaloStatus fake_pin(HaloDevice *device, int64_t bytes, void **memory)
{
    (void)device;
    *memory = NULL;
    if (fake.pins_none) return halo_fail(HALO_ERR_LIMIT, "no more of it");
    fake.pins++;
    *memory = fake.pinned = malloc((size_t)bytes);
    fake.pinned_bytes = bytes;
    return HALO_OK;
}

static void fake_unpin(HaloDevice *device, void *memory)
{
    (void)device;
    fake.unpins++;
    free(memory);
}

static void count_pinned(const HaloBuf *host)
{
    const char *const at = host->data;
    if (fake.pinned == NULL || at < fake.pinned || at >= fake.pinned + fake.pinned_bytes) return;
    if (at + (host->rows - 1) * host->stride + halo_row_bytes(host) > fake.pinned + fake.pinned_bytes)
        fail_case(NULL, "rows go beyond what was pinned");
    fake.of_pinned++;
}

static HaloStatus fake_upload(HaloDevice *device, const HaloBuf *host, HaloBuf *to)
{
    const HaloStatus status = fails();
    fake.uploads++;
    count_pinned(host);
    (void)device;
    if (status == HALO_OK) copy_rows(host, to, to);
    return status;
}

static HaloStatus fake_download(HaloDevice *device, const HaloBuf *from, HaloBuf *host)
{
    const HaloStatus status = fails();
    fake.downloads++;
    count_pinned(host);
    (void)device;
    if (status == HALO_OK) copy_rows(from, host, host);
    return status;
}

static HaloStatus fake_copy(HaloDevice *device, const HaloBuf *from, HaloBuf *to)
{
    const HaloStatus status = fails();
    (void)device;
    if (status == HALO_OK) copy_rows(from, to, to);
    return status;
}

static HaloStatus fake_alloc(HaloDevice *device, HaloBuf *buf)
{
    const HaloStatus status = fails();
    return status == HALO_OK ? fake.cpu->alloc(device, buf) : status;
}

static HaloStatus fake_finish(HaloDevice *device, uint64_t *clipped)
{
    const HaloStatus status = fails();
    return status == HALO_OK ? fake.cpu->finish(device, clipped) : status;
}

#define DEVICE(d) d
#define DEFINE(name, parameters, arguments, one, other, made)         \
    static HaloStatus fake_##name parameters                          \
    {                                                                 \
        if (fake.asking) {                                            \
            fake.rows += made->rows;                                  \
            return HALO_ERR_LIMIT;                                    \
        }                                                             \
        const HaloStatus status = fails();                            \
        return status == HALO_OK ? fake.cpu->name arguments : status; \
    }
EACH_PRIMITIVE(DEFINE)
#undef DEFINE

HaloSession *fake_session(HaloDeviceChoice device)
{
    static const HaloBackend *both[2];
    static HaloTables tables; /* the session keeps a pointer to them */
    /* So many files that the start of a GPU does not matter: `auto` chooses it. */
    const HaloOptions options = {.device = device,
                                 .jobs = 1,
                                 .files = (int64_t)1 << 40,
                                 .band_rows = fake_band_rows,
                                 .share = fake_share};
    HaloSession *session = NULL;
    tables = *halo_tables();
    fake = (Fake){.cpu = tables.backend[0], .memory = 1 << 30, .is_there = true, .opens = true};
    fake_gpu = *fake.cpu;
    fake_gpu.name = "fake";
    fake_gpu.count = fake_count;
    fake_gpu.started = fake_started;
    fake_gpu.open = fake_open;
    fake_gpu.memory = fake_memory;
    fake_gpu.query_begin = fake_ask;
    fake_gpu.query_end = fake_asked;
    fake_gpu.describe = fake_describe;
    fake_gpu.upload = fake_upload;
    fake_gpu.download = fake_download;
    fake_gpu.copy = fake_copy;
    fake_gpu.pin = fake_pin;
    fake_gpu.unpin = fake_unpin;
    fake_gpu.mark = NULL;
    fake_gpu.elapsed = NULL;
    fake_gpu.alloc = fake_alloc;
    fake_gpu.finish = fake_finish;
#define SET(name, parameters, arguments, one, other, made) fake_gpu.name = fake_##name;
    EACH_PRIMITIVE(SET)
#undef SET
    both[0] = fake.cpu;
    both[1] = &fake_gpu;
    tables.backend = both;
    tables.backends = 2;
    if (halo_session_open_with(&tables, &options, &session) != HALO_OK)
        fail_case(NULL, "no session: %s", halo_error());
    return session;
}

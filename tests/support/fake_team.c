/* The table of the fake GPUs. */
#include "fake_team.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "each_primitive.h"

enum { BLOCKS = 64 };

/* The CPU with separate memory: it accepts only its own blocks. */
struct HaloDevice {
    int index;
    HaloDevice *cpu;
    atomic_int callers; /* callers at this time: one at most */
    struct {
        char *from, *to;
    } block[BLOCKS];
    int calls, bands;
};

static const HaloBackend *cpu;
FakeTeam fake_team = {.lock = PTHREAD_MUTEX_INITIALIZER, .moved = PTHREAD_COND_INITIALIZER};

static void complain(const char *what) { atomic_store(&fake_team.wrong, what); }

static void open_gate(int more)
{
    pthread_mutex_lock(&fake_team.lock);
    fake_team.met += more;
    pthread_cond_broadcast(&fake_team.moved);
    pthread_mutex_unlock(&fake_team.lock);
}

/* Each waits for the others, which succeeds only if all work at the same time. */
static void meet_others(void)
{
    struct timespec until;
    open_gate(1);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 20;
    pthread_mutex_lock(&fake_team.lock);
    while (fake_team.met < fake_team.gpus)
        if (pthread_cond_timedwait(&fake_team.moved, &fake_team.lock, &until) != 0) break;
    if (fake_team.met < fake_team.gpus) complain("they do not work at the same time");
    pthread_mutex_unlock(&fake_team.lock);
}

static HaloStatus fails(HaloDevice *device)
{
    if (fake_team.fails_at == 0 || fake_team.fails_on != device->index || ++device->calls < fake_team.fails_at)
        return HALO_OK;
    atomic_fetch_add(&fake_team.failed, 1);
    open_gate(TEAM_MOST);
    return halo_fail(HALO_ERR_DEVICE, "the GPU failed: an unspecified launch failure");
}

static int fake_count(void) { return fake_team.gpus; }

static HaloStatus fake_open(int index, int jobs, HaloDevice **device)
{
    HaloDevice *made = calloc(1, sizeof *made);
    (void)jobs;
    *device = NULL;
    if (fake_team.refuses_to_open && index == fake_team.fails_on) {
        free(made);
        return halo_fail(HALO_ERR_DEVICE, "the GPU failed: out of memory");
    }
    made->index = index;
    const HaloStatus status = cpu->open(0, 1, &made->cpu);
    if (status == HALO_OK) *device = made;
    atomic_fetch_add(&fake_team.opened, 1);
    return status;
}

static void fake_close(HaloDevice *device)
{
    for (int i = 0; i < BLOCKS; i++)
        if (device->block[i].from != NULL) complain("a block is left when its GPU is closed");
    cpu->close(device->cpu);
    free(device);
}

static const char *fake_describe(HaloDevice *device) { return (void)device, "a fake GPU"; }
static int64_t fake_memory(HaloDevice *device) { return (void)device, 1 << 30; }

static char *end_of(const HaloBuf *buf)
{
    return (char *)buf->data + (buf->rows - 1) * buf->stride + halo_row_bytes(buf);
}

static bool owns(const HaloDevice *device, const HaloBuf *buf)
{
    for (int i = 0; i < BLOCKS; i++)
        if (device->block[i].from != NULL && (char *)buf->data >= device->block[i].from &&
            end_of(buf) <= device->block[i].to)
            return true;
    return false;
}

static void begin(HaloDevice *device)
{
    if (atomic_fetch_add(&device->callers, 1) != 0) complain("two threads are at work on a GPU");
}

static void end(HaloDevice *device) { atomic_fetch_sub(&device->callers, 1); }

static HaloStatus fake_alloc(HaloDevice *device, HaloBuf *buf)
{
    begin(device);
    HaloStatus status = fails(device);
    if (status == HALO_OK) status = cpu->alloc(device->cpu, buf);
    int i = 0;
    while (i < BLOCKS - 1 && device->block[i].from != NULL) i++;
    if (status == HALO_OK) {
        device->block[i].from = buf->data;
        device->block[i].to = end_of(buf);
        memset(buf->data, 0xd0 + device->index, (size_t)(device->block[i].to - device->block[i].from));
    }
    end(device);
    return status;
}

static void fake_release(HaloDevice *device, HaloBuf *buf)
{
    begin(device);
    int i = 0;
    while (i < BLOCKS && device->block[i].from != buf->data) i++;
    if (i == BLOCKS)
        complain("a GPU is to release what it does not have");
    else
        device->block[i].from = NULL;
    if (i < BLOCKS) cpu->release(device->cpu, buf);
    end(device);
}

static void copy(const HaloBuf *from, const HaloBuf *to, const HaloBuf *rect)
{
    for (int64_t y = rect->y0; y < rect->y0 + rect->rows; y++)
        memcpy((void *)halo_at(to, rect->x0, y), halo_at(from, rect->x0, y), (size_t)halo_row_bytes(rect));
}

static HaloStatus fake_upload(HaloDevice *device, const HaloBuf *host, HaloBuf *to)
{
    begin(device);
    if (!owns(device, to) || owns(device, host)) complain("a band goes up into a buffer that is not the GPU's");
    if (fake_team.meet && device->bands++ == 0) meet_others();
    const HaloStatus status = fails(device);
    if (status == HALO_OK) copy(host, to, to);
    fake_team.bands[device->index]++;
    end(device);
    return status;
}

static HaloStatus fake_download(HaloDevice *device, const HaloBuf *from, HaloBuf *host)
{
    begin(device);
    if (!owns(device, from) || owns(device, host))
        complain("a band comes down from a buffer that is not the GPU's");
    const HaloStatus status = fails(device);
    if (status == HALO_OK) copy(from, host, host);
    end(device);
    return status;
}

static HaloStatus fake_copy(HaloDevice *device, const HaloBuf *from, HaloBuf *to)
{
    begin(device);
    if (!owns(device, from) || !owns(device, to)) complain("a copy of buffers that are not the GPU's");
    const HaloStatus status = fails(device);
    if (status == HALO_OK) copy(from, to, to);
    end(device);
    return status;
}

static HaloStatus fake_pin(HaloDevice *device, int64_t bytes, void **memory)
{
    *memory = malloc((size_t)bytes);
    return (void)device, *memory != NULL ? HALO_OK : halo_fail(HALO_ERR_LIMIT, "no memory");
}

static void fake_unpin(HaloDevice *device, void *memory) { (void)device, free(memory); }

static HaloStatus fake_finish(HaloDevice *device, uint64_t *clipped)
{
    begin(device);
    const HaloStatus done = cpu->finish(device->cpu, clipped), status = fails(device);
    end(device);
    return status != HALO_OK ? status : done;
}

#define DEVICE(d) d->cpu
#define DEFINE(name, parameters, arguments, one, other, made)     \
    static HaloStatus fake_##name parameters                      \
    {                                                             \
        begin(d);                                                 \
        if (!owns(d, one) || !owns(d, other) || !owns(d, made))   \
            complain(#name " of buffers that are not the GPU's"); \
        HaloStatus status = fails(d);                             \
        if (status == HALO_OK) status = cpu->name arguments;      \
        end(d);                                                   \
        return status;                                            \
    }
EACH_PRIMITIVE(DEFINE)
#undef DEFINE

const HaloBackend *fake_team_table(void)
{
    static HaloBackend table;
    cpu = halo_tables()->backend[0];
    table = (HaloBackend){.name = "fake",
                          .count = fake_count,
                          .open = fake_open,
                          .close = fake_close,
                          .describe = fake_describe,
                          .memory = fake_memory,
                          .alloc = fake_alloc,
                          .release = fake_release,
                          .upload = fake_upload,
                          .download = fake_download,
                          .copy = fake_copy,
                          .pin = fake_pin,
                          .unpin = fake_unpin,
                          .finish = fake_finish,
                          .uses_fft = cpu->uses_fft,
                          .sep_fast = cpu->sep_fast,
                          .can_fuse = cpu->can_fuse};
#define SET(name, parameters, arguments, one, other, made) table.name = fake_##name;
    EACH_PRIMITIVE(SET)
#undef SET
    return &table;
}

/* Opening devices, and running one call on all of them. */
#include "backends.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "halo/extend.h"

TestDevice test_device[TEST_DEVICES_MAX];
int test_devices;

static bool wanted(const char *name)
{
    const char *const word = getenv("HALO_DEVICE");
    return word == NULL || strstr(name, word) != NULL;
}

/* True unless the device should be there and is not. */
static bool add_device(const HaloBackend *backend, int index, int jobs, const char *name, bool must)
{
    TestDevice *const to = &test_device[test_devices];
    if (test_devices == TEST_DEVICES_MAX || !wanted(name)) return true;
    if (backend->open(index, jobs, &to->device) != HALO_OK) {
        fprintf(stderr, "%s is left out: %s\n", name, halo_error());
        return !must;
    }
    to->backend = backend;
    snprintf(to->name, sizeof to->name, "%s", name);
    test_devices++;
    return true;
}

static bool add_cpu(const HaloBackend *backend)
{
    static const char *const variant[] = TEST_VARIANTS;
    static const int jobs[] = {1, 3};
    bool ok = true;
    char name[32];
    const char *const before = getenv("HALO_CPU");
    char *const kept = before != NULL ? strdup(before) : NULL;
    for (size_t v = 0; v < sizeof variant / sizeof variant[0]; v++)
        for (int j = 0; j < 2; j++) {
            if (jobs[j] < TEST_LEAST_JOBS) continue;
            snprintf(name, sizeof name, "cpu %s -j%d", variant[v], jobs[j]);
            setenv("HALO_CPU", variant[v], 1);
            ok &= add_device(backend, 0, jobs[j], name, v == 0);
        }
    if (kept != NULL)
        setenv("HALO_CPU", kept, 1);
    else
        unsetenv("HALO_CPU");
    free(kept);
    return ok;
}

int test_devices_open(void **state)
{
    (void)state;
    const HaloTables *const tables = halo_tables();
    bool ok = true;
    char name[32];
    for (int b = 0; b < tables->backends; b++) {
        const HaloBackend *const backend = tables->backend[b];
        if (strcmp(backend->name, "cpu") == 0) {
            ok &= add_cpu(backend);
            continue;
        }
        const int count = backend->count();
        if (count <= 0) fprintf(stderr, "%s is left out: %s\n", backend->name, halo_error());
        for (int i = 0; i < count; i++) {
            snprintf(name, sizeof name, "%s %d", backend->name, i);
            ok &= add_device(backend, i, 0, name, true);
        }
    }
    return ok && test_devices > 0 ? 0 : -1;
}

int test_devices_close(void **state)
{
    (void)state;
    for (int d = 0; d < test_devices; d++) test_device[d].backend->close(test_device[d].device);
    test_devices = 0;
    return 0;
}

void expect_ok(const char *device, const char *what, HaloStatus status)
{
    if (status != HALO_OK) fail_case(device, "%s: status %d: %s", what, (int)status, halo_error());
}

HaloBuf test_lend(const TestDevice *device, const TestBuf *buf, HaloBuf *block)
{
    const HaloBackend *const backend = device->backend;
    *block = buf->block;
    if (backend->upload != NULL) {
        block->data = NULL;
        expect_ok(device->name, "alloc", backend->alloc(device->device, block));
        expect_ok(device->name, "upload", backend->upload(device->device, &buf->block, block));
    }
    return testbuf_view_of(buf, block);
}

void test_return(const TestDevice *device, HaloBuf *block)
{
    if (device->backend->upload != NULL) device->backend->release(device->device, block);
}

void test_run_on(const TestDevice *device, const char *what, TestCall *call, const void *parameters,
                 const TestBuf *a, const TestBuf *b, TestBuf *out, uint64_t *clipped)
{
    const HaloBackend *const backend = device->backend;
    HaloBuf block[3] = {{.data = NULL}};
    const HaloBuf first = test_lend(device, a, &block[0]);
    const HaloBuf second = b != NULL ? test_lend(device, b, &block[1]) : (HaloBuf){.data = NULL};
    HaloBuf dst = test_lend(device, out, &block[2]);
    const HaloBuf *const src[2] = {&first, b != NULL ? &second : NULL};
    expect_ok(device->name, what, call(backend, device->device, src, &dst, parameters));
    expect_ok(device->name, what, backend->finish(device->device, clipped));
    if (backend->download != NULL) {
        expect_ok(device->name, "download", backend->download(device->device, &block[2], &out->block));
        expect_ok(device->name, "download", backend->finish(device->device, NULL));
    }
    test_return(device, &block[0]);
    if (b != NULL) test_return(device, &block[1]);
    test_return(device, &block[2]);
}

void expect_everywhere(const char *what, TestCall *call, const void *parameters, const TestBuf *a,
                       const TestBuf *b, const TestBuf *expected, uint64_t clipped)
{
    for (int d = 0; d < test_devices; d++) {
        uint64_t counted = 0;
        TestBuf out = testbuf_like(expected);
        test_run_on(&test_device[d], what, call, parameters, a, b, &out, &counted);
        expect_same(test_device[d].name, what, expected, &out);
        if (counted != clipped)
            fail_case(test_device[d].name, "%s: expected %" PRIu64 " clipped samples, counted %" PRIu64, what,
                      clipped, counted);
        testbuf_free(&out);
    }
}

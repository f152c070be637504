/* Every device: the CPU in each variant that this machine can run, with one thread and with three, and every
 * GPU. HALO_DEVICE=word keeps those whose name contains the word. */
#ifndef HALO_TEST_BACKENDS_H
#define HALO_TEST_BACKENDS_H

#include "buffers.h"
#include "halo/backend.h"
#include "halo/plan.h"

typedef struct TestDevice {
    const HaloBackend *backend;
    HaloDevice *device;
    char name[32]; /* "cpu v3 -j1", "cuda 0" */
} TestDevice;

enum { TEST_DEVICES_MAX = 16 };
/* Values of HALO_CPU that tests use. All variants share data between threads in the same way, and the thread
 * sanitizer is slow: with it only the best variant runs, and no device has one thread. */
#if defined(__SANITIZE_THREAD__)
#define TEST_VARIANTS \
    {                 \
        ""            \
    }
#define TEST_LEAST_JOBS 3
#elif defined(__aarch64__)
#define TEST_VARIANTS      \
    {                      \
        "baseline", "neon" \
    }
#define TEST_LEAST_JOBS 1
#else
#define TEST_VARIANTS          \
    {                          \
        "baseline", "v3", "v4" \
    }
#define TEST_LEAST_JOBS 1
#endif

extern TestDevice test_device[TEST_DEVICES_MAX];
extern int test_devices;

/* Group set-up and tear-down for cmocka. */
int test_devices_open(void **state);
int test_devices_close(void **state);

/* Fails the test unless status is HALO_OK. */
void expect_ok(const char *device, const char *what, HaloStatus status);

/* One call of a primitive on a device; src[1] is NULL where there is one source. */
typedef HaloStatus TestCall(const HaloBackend *backend, HaloDevice *device, const HaloBuf *const src[2],
                            HaloBuf *dst, const void *parameters);

/* Makes the call on every device and compares samples, guard bytes and the number of clipped samples. `b` may
 * be NULL. */
void expect_everywhere(const char *what, TestCall *call, const void *parameters, const TestBuf *a,
                       const TestBuf *b, const TestBuf *expected, uint64_t clipped);

/* Makes the call on one device; the samples come to `out`. */
void test_run_on(const TestDevice *device, const char *what, TestCall *call, const void *parameters,
                 const TestBuf *a, const TestBuf *b, TestBuf *out, uint64_t *clipped);

/* Moves a test buffer's block to the device (or shares it, where that works on host memory) and gives the
 * view; `block` is to be released by test_return. */
HaloBuf test_lend(const TestDevice *device, const TestBuf *buf, HaloBuf *block);
void test_return(const TestDevice *device, HaloBuf *block);

#endif

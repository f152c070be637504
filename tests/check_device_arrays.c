/* Arrays on a GPU (halo.h): every operation gives there what it gives in host memory, on the caller's stream,
 * in the caller's memory, with the caller's allocator. Only of builds with CUDA; skipped where there is no GPU.
 */
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "halo/halo.h"
#include "random.h"

static void ok(HaloStatus status, const char *what)
{
    if (status != HALO_OK) fail_case("cuda", "%s: %s", what, halo_error());
}

static void cuda_ok(cudaError_t error, const char *what)
{
    if (error != cudaSuccess) fail_case("cuda", "%s: %s", what, cudaGetErrorString(error));
}

static bool has_gpu(void)
{
    int count = 0;
    if (cudaGetDeviceCount(&count) == cudaSuccess && count > 0) return true;
    cudaGetLastError();
    return false;
}

static size_t bytes_of(const HaloArray *array)
{
    size_t bytes = halo_type_size(array->type);
    for (int i = 0; i < array->dims; i++) bytes *= (size_t)array->size[i];
    return bytes;
}

static HaloArray picture(HaloType type, int64_t rows, int64_t columns, int64_t channels, void *data)
{
    HaloArray array;
    halo_array_defaults(&array);
    array.type = type;
    array.data = data;
    array.dims = channels > 1 ? 3 : 2;
    array.size[0] = rows;
    array.size[1] = columns;
    array.size[2] = channels;
    return array;
}

/* The array on the GPU, with `gap` bytes behind each row; *memory is to be freed. */
static HaloArray to_gpu(const HaloArray *host, size_t gap, void **memory)
{
    HaloArray array = *host;
    const size_t row = bytes_of(host) / (size_t)host->size[0], pitch = row + gap;
    cuda_ok(cudaMalloc(memory, pitch * (size_t)host->size[0]), "cudaMalloc");
    cuda_ok(cudaMemcpy2D(*memory, pitch, host->data, row, row, (size_t)host->size[0], cudaMemcpyHostToDevice),
            "copy");
    array.data = *memory;
    array.gpu = 0;
    int64_t stride = (int64_t)halo_type_size(array.type);
    for (int i = array.dims - 1; i > 0; i--) {
        array.stride[i] = stride;
        stride *= array.size[i];
    }
    array.stride[0] = (int64_t)pitch;
    return array;
}

/* Runs `text` on two arrays, the second where it names one; allocates the output, in host memory.
 * HALO_ERR_DEVICE where there is no GPU code.
 */
static HaloStatus run(HaloSession *session, const char *text, const HaloArray in[2], cudaStream_t stream,
                      HaloArray *out)
{
    HaloPipeline *pipeline = NULL;
    HaloPlan *plan = NULL;
    halo_array_defaults(out);
    HaloStatus status = halo_pipeline_parse(session, text, &pipeline);
    if (status == HALO_OK)
        status = halo_plan_open(session, pipeline, in, strstr(text, "@2") != NULL ? 2 : 1, &plan);
    if (status == HALO_OK) status = halo_plan_output(plan, 0, out);
    if (status == HALO_OK) {
        const size_t bytes = bytes_of(out);
        void *host = malloc(bytes), *device = NULL;
        if (in[0].gpu != HALO_HOST) cuda_ok(cudaMalloc(&device, bytes), "cudaMalloc");
        out->data = device != NULL ? device : host;
        status = halo_plan_run(plan, in, out, stream, NULL);
        if (device != NULL) {
            cuda_ok(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream), "copy");
            cuda_ok(cudaStreamSynchronize(stream), text);
            cudaFree(device);
        }
        out->data = host;
        out->gpu = HALO_HOST;
    }
    halo_plan_close(plan);
    halo_pipeline_free(pipeline);
    return status;
}

/* ---- every operation --------------------------------------------------------------------------------------
 */

static void fill(Rng *rng, HaloType type, void *data, size_t bytes)
{
    uint8_t *at = data;
    for (size_t i = 0; i < bytes; i++) at[i] = (uint8_t)rng_next(rng);
    for (size_t i = 0; i < bytes / 4 && type == HALO_TYPE_F32; i++) ((float *)data)[i] = rng_float(rng, 0, 1);
}

static void operations(Rng *rng)
{
    if (!has_gpu()) skip();
    static const HaloType types[] = {HALO_TYPE_U8, HALO_TYPE_U16, HALO_TYPE_F32};
    HaloOperation operation = {.struct_size = sizeof operation};
    const HaloType type = types[rng_between(rng, 0, 2)];
    const int64_t rows = rng_between(rng, 20, 90), columns = rng_between(rng, 20, 90),
                  channels = rng_between(rng, 0, 1) ? 3 : 1;
    HaloArray host[2], there[2], wanted, got;
    void *memory[2];
    HaloSession *session = NULL;
    cudaStream_t stream;
    ok(halo_session_open(NULL, &session), "session");
    cuda_ok(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
    for (int i = 0; i < 2; i++) {
        host[i] = picture(type, rows, columns, channels, malloc((size_t)(rows * columns * channels) * 4));
        if (type == HALO_TYPE_F32) host[i].white = 1;
        fill(rng, type, host[i].data, bytes_of(&host[i]));
        there[i] = to_gpu(&host[i], (size_t)rng_between(rng, 0, 3) * halo_type_size(type), &memory[i]);
    }
    int compared = 0;
    for (size_t i = 0; halo_operation(i, &operation) == HALO_OK; i++) {
        char text[300];
        if (!operation.images || operation.result || strchr(operation.example, '.') != NULL) continue;
        snprintf(text, sizeof text, "%s", operation.example);
        if (run(session, text, host, NULL, &wanted) == HALO_OK) {
            const HaloStatus status = run(session, text, there, stream, &got);
            const bool refused = strstr(halo_error(), "no GPU code") != NULL ||
                                 strstr(halo_error(), "depends on the samples") != NULL; /* deskew */
            if (status != HALO_OK && !refused) fail_case("cuda", "%s: %s", text, halo_error());
            if (status == HALO_OK && memcmp(got.data, wanted.data, bytes_of(&wanted)) != 0)
                fail_case("cuda", "%s of %s %lld x %lld differs", text, halo_type_name(type),
                          (long long)columns, (long long)rows);
            compared += status == HALO_OK;
            free(got.data);
        }
        free(wanted.data);
    }
    for (int i = 0; i < 2; i++) {
        free(host[i].data);
        cudaFree(memory[i]);
    }
    cudaStreamDestroy(stream);
    halo_session_close(session);
    if (compared < 25) fail_case("cuda", "only %d operations were compared", compared);
}

static void pipelines(Rng *rng)
{
    if (!has_gpu()) skip();
    static const char *const texts[] = {"add:@2",   "gauss:2 | subtract:@2 | median:3",
                                        "",         "normalize | stats",
                                        "blend:@2", "crop:20x20 | gauss:1",
                                        "equalize"};
    HaloSession *session = NULL;
    void *memory[2];
    HaloArray host[2], there[2], wanted, got;
    cudaStream_t stream;
    const char *text = texts[rng_between(rng, 0, 6)];
    const int64_t rows = rng_between(rng, 20, 300), columns = rng_between(rng, 20, 300);
    ok(halo_session_open(NULL, &session), "session");
    cuda_ok(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
    for (int i = 0; i < 2; i++) {
        host[i] = picture(HALO_TYPE_U8, rows, columns, 3, malloc((size_t)(rows * columns * 3)));
        fill(rng, HALO_TYPE_U8, host[i].data, bytes_of(&host[i]));
        there[i] = to_gpu(&host[i], 0, &memory[i]);
    }
    ok(run(session, text, host, NULL, &wanted), text);
    for (int k = 0; k < 3; k++) { /* on the caller's stream, the legacy default one, and again */
        ok(run(session, text, there, k == 1 ? NULL : stream, &got), text);
        if (memcmp(got.data, wanted.data, bytes_of(&wanted)) != 0) fail_case("cuda", "%s differs", text);
        free(got.data);
    }
    free(wanted.data);
    for (int i = 0; i < 2; i++) {
        free(host[i].data);
        cudaFree(memory[i]);
    }
    cudaStreamDestroy(stream);
    halo_session_close(session);
}

/* ---- streams, results, memory -------------------------------------------------------------------------------
 */

/* A run that is queued behind a copy sees what it copied: it is on that stream, and nothing waits. */
static void in_order_of_the_stream(void **state)
{
    (void)state;
    if (!has_gpu()) skip();
    enum { SIDE = 4096 };
    const size_t bytes = (size_t)SIDE * SIDE;
    uint8_t *pinned, *back, *in, *out;
    cudaStream_t stream;
    HaloSession *session = NULL;
    HaloPipeline *pipeline = NULL;
    HaloPlan *plan = NULL;
    cuda_ok(cudaMallocHost((void **)&pinned, bytes), "host");
    cuda_ok(cudaMallocHost((void **)&back, bytes), "host");
    cuda_ok(cudaMalloc((void **)&in, bytes), "in");
    cuda_ok(cudaMalloc((void **)&out, bytes), "out");
    cuda_ok(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
    HaloArray input = picture(HALO_TYPE_U8, SIDE, SIDE, 1, in),
              output = picture(HALO_TYPE_U8, SIDE, SIDE, 1, out);
    input.gpu = output.gpu = 0;
    ok(halo_session_open(NULL, &session), "session");
    ok(halo_pipeline_parse(session, "box:5", &pipeline), "pipeline");
    ok(halo_plan_open(session, pipeline, &input, 1, &plan), "plan");
    for (int k = 1; k <= 8; k++) {
        memset(pinned, 10 * k, bytes);
        cuda_ok(cudaMemcpyAsync(in, pinned, bytes, cudaMemcpyHostToDevice, stream), "up");
        ok(halo_plan_run(plan, &input, &output, stream, NULL), "run");
        cuda_ok(cudaMemcpyAsync(back, out, bytes, cudaMemcpyDeviceToHost, stream), "down");
        cuda_ok(cudaStreamSynchronize(stream), "wait");
        for (size_t i = 0; i < bytes; i += 4097) assert_int_equal(back[i], 10 * k);
    }
    halo_plan_close(plan);
    halo_pipeline_free(pipeline);
    halo_session_close(session);
    cudaFree(in);
    cudaFree(out);
    cudaFreeHost(pinned);
    cudaFreeHost(back);
    cudaStreamDestroy(stream);
}

static void results_of_arrays(void **state)
{
    (void)state;
    if (!has_gpu()) skip();
    static uint8_t image[100 * 100];
    void *memory;
    HaloSession *session = NULL;
    HaloPipeline *pipeline = NULL;
    HaloPlan *plan = NULL;
    HaloReport *report = NULL;
    for (size_t i = 0; i < sizeof image; i++) image[i] = (uint8_t)(i % 200);
    const HaloArray host = picture(HALO_TYPE_U8, 100, 100, 1, image), there = to_gpu(&host, 0, &memory);
    ok(halo_session_open(NULL, &session), "session");
    ok(halo_pipeline_parse(session, "stats", &pipeline), "pipeline");
    ok(halo_plan_open(session, pipeline, &there, 1, &plan), "plan");
    ok(halo_plan_run(plan, &there, NULL, NULL, &report), "run");
    assert_string_equal(halo_report_backend(report), "cuda");
    const char *name;
    const void *data;
    bool found = false;
    for (int at = 0; (name = halo_report_column(report, 0, at, NULL, &data)) != NULL; at++)
        if (strcmp(name, "mean") == 0) found = *(const double *)data == 99.5;
    assert_true(found);
    halo_report_close(report);
    halo_plan_close(plan);
    halo_pipeline_free(pipeline);
    halo_session_close(session);
    cudaFree(memory);
}

typedef struct Pool {
    int allocs, frees;
    size_t bytes;
} Pool;

static void *pool_alloc(void *context, int gpu, size_t bytes, void *stream)
{
    Pool *pool = context;
    void *memory = NULL;
    (void)gpu;
    if (cudaMallocAsync(&memory, bytes, (cudaStream_t)stream) != cudaSuccess) return NULL;
    pool->allocs++;
    pool->bytes += bytes;
    return memory;
}

static void pool_free(void *context, int gpu, void *memory, void *stream)
{
    (void)gpu;
    ((Pool *)context)->frees++;
    cudaFreeAsync(memory, (cudaStream_t)stream);
}

static void memory_of_the_caller(void **state)
{
    (void)state;
    if (!has_gpu()) skip();
    static float image[300 * 300];
    Pool pool = {0};
    void *memory;
    HaloOptions options;
    HaloSession *session = NULL;
    HaloArray out;
    halo_options_defaults(&options);
    options.gpu_alloc = pool_alloc;
    options.gpu_free = pool_free;
    options.context = &pool;
    const HaloArray host = picture(HALO_TYPE_F32, 300, 300, 1, image);
    const HaloArray there[2] = {to_gpu(&host, 0, &memory), host};
    ok(halo_session_open(&options, &session), "session");
    HaloPipeline *pipeline = NULL;
    HaloPlan *plan = NULL;
    ok(halo_pipeline_parse(session, "gauss:3 | median:5", &pipeline), "pipeline");
    ok(halo_plan_open(session, pipeline, there, 1, &plan), "plan");
    halo_array_defaults(&out);
    ok(halo_plan_output(plan, 0, &out), "output");
    cuda_ok(cudaMalloc(&out.data, bytes_of(&out)), "out");
    ok(halo_plan_run(plan, there, &out, NULL, NULL), "run");
    cuda_ok(cudaDeviceSynchronize(), "wait");
    assert_true(pool.allocs > 0 && pool.bytes >= 300 * 300 * 4);
    halo_plan_close(plan);
    halo_pipeline_free(pipeline);
    halo_session_close(session);
    assert_int_equal(pool.allocs, pool.frees);
    cudaFree(memory);
    cudaFree(out.data);
}

/* Over the input, over the other, and half a picture further on: as in memory of its own. */
static void over_the_input(Rng *rng)
{
    if (!has_gpu()) skip();
    static const char *const texts[] = {"median:3", "gauss:2", "flip:y", "sobel", "subtract:@2", "gain:2x"};
    const char *text = texts[rng_between(rng, 0, 5)];
    const int64_t rows = rng_between(rng, 20, 300), columns = rng_between(rng, 20, 300),
                  way = rng_between(rng, 0, 2);
    const size_t bytes = (size_t)(rows * columns);
    HaloSession *session = NULL;
    HaloPipeline *pipeline = NULL;
    HaloPlan *plan = NULL;
    HaloArray host[2], there[2], wanted;
    cudaStream_t stream;
    char *memory, *got = malloc(bytes);
    ok(halo_session_open(NULL, &session), "session");
    cuda_ok(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
    cuda_ok(cudaMalloc((void **)&memory, 3 * bytes), "memory");
    for (int i = 0; i < 2; i++) {
        host[i] = picture(HALO_TYPE_U8, rows, columns, 1, malloc(bytes));
        fill(rng, HALO_TYPE_U8, host[i].data, bytes);
        there[i] = host[i];
        there[i].data = memory + (size_t)i * bytes;
        there[i].gpu = 0;
        cuda_ok(cudaMemcpy(there[i].data, host[i].data, bytes, cudaMemcpyHostToDevice), "copy");
    }
    ok(run(session, text, host, NULL, &wanted), text);
    HaloArray out = there[way == 1];
    if (way == 2) out.data = memory + bytes / 2;
    ok(halo_pipeline_parse(session, text, &pipeline), text);
    ok(halo_plan_open(session, pipeline, there, strstr(text, "@2") != NULL ? 2 : 1, &plan), text);
    ok(halo_plan_run(plan, there, &out, stream, NULL), text);
    cuda_ok(cudaMemcpyAsync(got, out.data, bytes, cudaMemcpyDeviceToHost, stream), "copy");
    cuda_ok(cudaStreamSynchronize(stream), text);
    if (memcmp(got, wanted.data, bytes) != 0) fail_case("cuda", "%s over an input, way %d", text, (int)way);
    halo_plan_close(plan);
    halo_pipeline_free(pipeline);
    halo_session_close(session);
    cudaStreamDestroy(stream);
    cudaFree(memory);
    for (int i = 0; i < 2; i++) free(host[i].data);
    free(wanted.data);
    free(got);
}

static void mixed_places_are_refused(void **state)
{
    (void)state;
    if (!has_gpu()) skip();
    static uint8_t image[64];
    void *memory;
    HaloSession *session = NULL;
    HaloPipeline *pipeline = NULL;
    HaloPlan *plan = NULL;
    HaloArray host = picture(HALO_TYPE_U8, 8, 8, 1, image), there[2] = {to_gpu(&host, 0, &memory), host};
    ok(halo_session_open(NULL, &session), "session");
    ok(halo_pipeline_parse(session, "add:@2", &pipeline), "pipeline");
    assert_int_equal(halo_plan_open(session, pipeline, there, 2, &plan), HALO_ERR_USAGE);
    there[1] = there[0];
    ok(halo_plan_open(session, pipeline, there, 2, &plan), "plan");
    assert_int_equal(halo_plan_run(plan, there, &host, NULL, NULL),
                     HALO_ERR_USAGE); /* the output is not there */
    there[0].stride[1] = 2;
    assert_int_equal(halo_plan_run(plan, there, &there[1], NULL, NULL), HALO_ERR_USAGE);
    assert_non_null(strstr(halo_error(), "make such a copy"));
    halo_plan_close(plan);
    halo_pipeline_free(pipeline);
    halo_session_close(session);
    cudaFree(memory);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(operations, 6),
        random_test(pipelines, 20),
        cmocka_unit_test(in_order_of_the_stream),
        cmocka_unit_test(results_of_arrays),
        cmocka_unit_test(memory_of_the_caller),
        random_test(over_the_input, 40),
        cmocka_unit_test(mixed_places_are_refused),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

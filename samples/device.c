/* Blurs an array that is in the memory of a GPU, on a stream of the program's own: nothing is copied, nothing
 * waits.
 *
 *     cc device.c -o device $(pkg-config --cflags --libs halo) -I$CUDA/include -L$CUDA/lib64 -lcudart &&
 *     ./device */
#include <cuda_runtime_api.h>
#include <halo/halo.h>
#include <stdio.h>

#define SIDE 2048

/* Of the whole program; HALO_OK where the work is queued. */
static HaloStatus queue_blur(HaloSession *session, const HaloArray *in, HaloArray *out, cudaStream_t stream)
{
    HaloPipeline *pipeline = NULL;
    HaloPlan *plan = NULL;
    HaloStatus status = halo_pipeline_parse(session, "gauss:4", &pipeline);
    if (status == HALO_OK) status = halo_plan_open(session, pipeline, in, 1, &plan);
    if (status == HALO_OK) status = halo_plan_run(plan, in, out, stream, NULL);
    halo_plan_close(plan);
    halo_pipeline_free(pipeline);
    return status;
}

int main(void)
{
    HaloSession *session = NULL;
    HaloArray in, out;
    cudaStream_t stream;
    void *memory = NULL, *made = NULL;
    float corner = 0;
    const size_t bytes = (size_t)SIDE * SIDE * sizeof(float);
    if (cudaMalloc(&memory, bytes) != cudaSuccess || cudaMalloc(&made, bytes) != cudaSuccess ||
        cudaStreamCreate(&stream) != cudaSuccess) {
        fprintf(stderr, "device: there is no GPU with %zu bytes of free memory\n", 2 * bytes);
        return 77; /* as tests that are left out */
    }
    cudaMemsetAsync(memory, 0, bytes, stream);
    halo_array_defaults(&in);
    in.data = memory;
    in.gpu = 0;
    in.type = HALO_TYPE_F32;
    in.dims = 2;
    in.size[0] = in.size[1] = SIDE;
    out = in;
    out.data = made;
    HaloStatus status = halo_session_open(NULL, &session);
    if (status == HALO_OK) status = queue_blur(session, &in, &out, stream);
    if (status != HALO_OK) fprintf(stderr, "device: %s\n", halo_error());
    cudaMemcpyAsync(&corner, made, sizeof corner, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    if (status == HALO_OK) printf("the first sample is %g\n", (double)corner);
    halo_session_close(session);
    cudaStreamDestroy(stream);
    cudaFree(memory);
    cudaFree(made);
    return status == HALO_OK ? 0 : 1;
}

/* Runs the ladder: lays out the data of a family, runs every rung at every size, compares with the CPU's
 * results, and times the last size.
 *
 * Results are overwritten with a pattern before a rung runs, so that a kernel that computes nothing cannot
 * pass on what the one before it left. */
#include <stdlib.h>

#include "device/timing.cuh"
#include "ladder.cuh"

namespace
{

const LadderFamily *const families[] = {
    &ladder_reduce_ha, &ladder_reduce_warp, &ladder_reduce_tree, &ladder_reduce_steps,
    &ladder_conv1d,    &ladder_conv2d,      &ladder_scan,        &ladder_histogram,
};

constexpr int rungs_most = 32;

/* What is known of a family's rungs so far. */
struct Score {
    int checked[rungs_most] = {}, wrong[rungs_most] = {};
    double n[rungs_most] = {};
};

struct Ladder {
    HaloDevice *device;
    HaloRungSeen *seen;
    void *context;
    HaloCeilings ceilings;
    bool check_only;
};

/* ---- the data of one case ------------------------------------------------------------------------------- */

/* Everything a case needs, on both sides; released with it. */
struct CaseData {
    void *host_in = NULL, *host_expected = NULL;
    void *in = NULL, *out = NULL, *scratch = NULL, *expected = NULL;
    unsigned long long *wrong = NULL;
    int64_t in_bytes = 0, out_bytes = 0;

    ~CaseData()
    {
        free(host_in);
        free(host_expected);
        for (void *block : {in, out, scratch, expected, (void *)wrong}) cudaFree(block);
    }
};

HaloStatus ladder_alloc_host(int64_t bytes, void **data)
{
    *data = malloc((size_t)cuda_max(bytes, 1));
    if (*data == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory for the ladder's data");
    return HALO_OK;
}

HaloStatus ladder_alloc(int64_t bytes, void **data)
{
    CUDA_TRY(cudaMalloc(data, (size_t)cuda_max(bytes, 16)));
    return HALO_OK;
}

HaloStatus case_sizes(const LadderFamily *family, const LadderCase *size, CaseData *data)
{
    int64_t n;
    if (!halo_mul(size->width, size->height, &n) || !halo_mul(n, family->element, &data->in_bytes) ||
        !halo_mul(family->words(size), sizeof(uint32_t), &data->out_bytes))
        return halo_fail(HALO_ERR_LIMIT, "a size of the ladder is too large");
    return HALO_OK;
}

HaloStatus make_case(HaloDevice *device, const LadderFamily *family, const LadderCase *size, CaseData *data)
{
    CUDA_PASS(case_sizes(family, size, data));
    CUDA_PASS(ladder_alloc_host(data->in_bytes, &data->host_in));
    CUDA_PASS(ladder_alloc_host(data->out_bytes, &data->host_expected));
    CUDA_PASS(ladder_alloc(data->in_bytes, &data->in));
    CUDA_PASS(ladder_alloc(data->out_bytes, &data->out));
    CUDA_PASS(ladder_alloc(data->out_bytes, &data->expected));
    CUDA_PASS(ladder_alloc(cuda_max(data->in_bytes, LADDER_SCRATCH_LEAST), &data->scratch));
    CUDA_TRY(cudaMalloc((void **)&data->wrong, sizeof *data->wrong));
    family->fill(size, data->host_in);
    family->expect(size, data->host_in, (uint32_t *)data->host_expected);
    cudaStream_t stream = device->stream;
    CUDA_TRY(cudaMemcpyAsync(data->in, data->host_in, (size_t)data->in_bytes, cudaMemcpyHostToDevice, stream));
    CUDA_TRY(cudaMemcpyAsync(data->expected, data->host_expected, (size_t)data->out_bytes,
                             cudaMemcpyHostToDevice, stream));
    if (family->constants != NULL) CUDA_PASS(family->constants(device, size));
    CUDA_TRY(cudaStreamSynchronize(stream));
    return HALO_OK;
}

/* ---- one rung at one size ------------------------------------------------------------------------------- */

__global__ void count_wrong(const uint32_t *a, const uint32_t *b, int64_t n, unsigned long long *wrong)
{
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (int64_t)gridDim.x * blockDim.x)
        if (a[i] != b[i]) atomicAdd(wrong, 1ull);
}

HaloStatus compare(LadderRun *run, const LadderFamily *family, const CaseData *data, bool *right)
{
    const int64_t words = family->words(&run->size);
    unsigned long long wrong;
    CUDA_TRY(cudaMemsetAsync(data->wrong, 0, sizeof *data->wrong, run->device->stream));
    LADDER_LAUNCH(run, count_wrong, (unsigned)cuda_min(ladder_blocks(words, 256), 4096), 256,
                  (const uint32_t *)run->out, (const uint32_t *)data->expected, words, data->wrong);
    CUDA_PASS(cuda_fetch(run->device, &wrong, data->wrong, sizeof wrong));
    *right = wrong == 0;
    return HALO_OK;
}

struct Timed {
    LadderRun *run;
    LadderStep *launch;
};

HaloStatus launch_timed(void *context)
{
    const Timed *const timed = (const Timed *)context;
    return timed->launch(timed->run);
}

/* Runs it once and compares, then (`ms` not NULL) as often as timing asks. */
HaloStatus climb(LadderRun *run, const LadderFamily *family, const LadderRung *rung, const CaseData *data,
                 bool *right, double *ms)
{
    CUDA_TRY(cudaMemsetAsync(run->out, 0xa5, (size_t)data->out_bytes, run->device->stream));
    if (rung->prepare != NULL) CUDA_PASS(rung->prepare(run));
    CUDA_PASS(rung->launch(run));
    if (rung->collect != NULL) CUDA_PASS(rung->collect(run));
    CUDA_PASS(compare(run, family, data, right));
    Timed timed = {run, rung->launch};
    return ms != NULL ? cuda_time(run->device, launch_timed, &timed, ms) : HALO_OK;
}

HaloStatus run_rung(const Ladder *ladder, const LadderFamily *family, const LadderCase *size,
                    const CaseData *data, int index, Score *score, double *ms)
{
    const LadderRung *const rung = &family->rung[index];
    bool right = false;
    LadderRun run = {};
    run.device = ladder->device;
    run.size = *size;
    if (ms != NULL && rung->timed != 0) run.size.width = cuda_min(size->width, rung->timed);
    run.n = ladder_elements(&run.size);
    if (rung->launch == NULL || run.n < rung->least) return HALO_OK;
    run.in = data->in;
    run.out = data->out;
    run.scratch = data->scratch;
    const HaloStatus status = climb(&run, family, rung, data, &right, ms);
    cudaFree(run.temp);
    CUDA_PASS(status);
    score->checked[index]++;
    score->wrong[index] += !right;
    score->n[index] = (double)run.n;
    return HALO_OK;
}

/* ---- a family ------------------------------------------------------------------------------------------- */

void tell(const Ladder *ladder, const LadderFamily *family, int index, const Score *score, double ms)
{
    const LadderRung *const rung = &family->rung[index];
    HaloRung row = {};
    row.family = family->name;
    row.name = rung->name;
    row.change = rung->change;
    row.note = rung->note;
    row.n = score->n[index];
    row.bytes = row.n * (double)(rung->bytes != 0 ? rung->bytes : family->bytes);
    row.ms = ms;
    row.ceiling_gbs = family->copies ? ladder->ceilings.copy_gbs : ladder->ceilings.read_gbs;
    row.predicted = rung->predicted;
    row.checked = score->checked[index];
    row.wrong = score->wrong[index];
    ladder->seen(&row, ladder->context);
}

/* Halves what is timed until it fits a smaller GPU, with room for the product's and CUB's own memory. */
HaloStatus fit(const LadderFamily *family, LadderCase *size)
{
    size_t left, total;
    CUDA_TRY(cudaMemGetInfo(&left, &total));
    for (;;) {
        CaseData need;
        CUDA_PASS(case_sizes(family, size, &need));
        int64_t *const side = size->height > 1 ? &size->height : &size->width;
        if (6 * (need.in_bytes + need.out_bytes) <= (int64_t)left || *side <= 2) return HALO_OK;
        *side /= 2;
    }
}

HaloStatus check_awkward(const Ladder *ladder, const LadderFamily *family, Score *score)
{
    for (int i = 0; i < family->sizes - 1; i++) {
        CaseData data;
        CUDA_PASS(make_case(ladder->device, family, &family->size[i], &data));
        for (int k = 0; k < family->rungs; k++)
            CUDA_PASS(run_rung(ladder, family, &family->size[i], &data, k, score, NULL));
    }
    return HALO_OK;
}

HaloStatus run_family(const Ladder *ladder, const LadderFamily *family)
{
    Score score;
    CUDA_PASS(check_awkward(ladder, family, &score));
    if (ladder->check_only) {
        for (int k = 0; k < family->rungs; k++) tell(ladder, family, k, &score, 0);
        return HALO_OK;
    }
    CaseData data;
    LadderCase size = family->size[family->sizes - 1];
    CUDA_PASS(fit(family, &size));
    CUDA_PASS(make_case(ladder->device, family, &size, &data));
    for (int k = 0; k < family->rungs; k++) {
        double ms = 0;
        CUDA_PASS(run_rung(ladder, family, &size, &data, k, &score, &ms));
        tell(ladder, family, k, &score, ms);
    }
    return HALO_OK;
}

/* "reduce" is all of "reduce/…". */
bool is_asked(const char *asked, const char *name)
{
    const size_t length = strlen(asked);
    return strncmp(asked, name, length) == 0 && (name[length] == 0 || name[length] == '/');
}

} // namespace

HaloStatus halo_ladder(HaloDevice *device, const char *family, HaloRungSeen *seen, void *context)
{
    const char *const mode = getenv("HALO_LADDER");
    Ladder ladder = {device, seen, context, {}, mode != NULL && strcmp(mode, "check") == 0};
    bool found = false;
    CUDA_PASS(cuda_use(device));
    for (const LadderFamily *f : families) {
        if (family != NULL && !is_asked(family, f->name)) continue;
        found = true;
        if (!ladder.check_only) CUDA_PASS(cuda_ceilings(device, &ladder.ceilings));
        CUDA_PASS(run_family(&ladder, f));
    }
    if (!found)
        return halo_fail(HALO_ERR_USAGE,
                         "unknown ladder family '%s'; expected reduce/ha, reduce/warp, reduce/tree, "
                         "reduce/steps, conv1d, conv2d, scan or histogram",
                         family);
    return HALO_OK;
}

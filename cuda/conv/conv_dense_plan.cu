/* Dense masks on the host: runs of taps, stages of runs that share their samples, pieces of stages that share a
 * launch. Between pieces the accumulators are in memory. */
#include "conv_dense.cuh"

static const int run_most = 256; /* taps, or as many as fit a stage */
static const int run_work = 6;   /* what a run costs besides, in taps */
static const int look_work = 60; /* the cost of examining the samples of a picture, in the same unit */

typedef struct Plan {
    HaloDevice *device;
    DenseArgs *args;
    int64_t shared;      /* bytes */
    int most;            /* taps of a run */
    DenseLaunch *launch; /* NULL: pieces are just counted */
    int pieces;
    ConvTarget dst, sums;
} Plan;

/* Converts positions in the mask to offsets in the tiles of the stages. */
static void place_runs(DenseArgs *args)
{
    for (int k = 0, r = 0; k < args->stages; k++) {
        DenseStage *s = &args->stage[k];
        s->pitch = dense_pitch(args, s->cols);
        for (; r < s->end; r++)
            args->run[r].at = (args->run[r].at / args->conv.width - s->y) * s->pitch +
                              args->run[r].at % args->conv.width - s->x;
    }
}

/* Launches the kernel with the runs so far. */
static HaloStatus finish_piece(Plan *plan, bool last)
{
    DenseArgs *args = plan->args;
    if (plan->launch != NULL) {
        args->conv.dst = last ? plan->dst : plan->sums;
        args->last = last;
        args->sums = plan->pieces > 0 ? plan->sums.data : NULL;
        args->sums_stride = plan->sums.stride;
        place_runs(args);
        CUDA_PASS(plan->launch(plan->device, args));
    }
    plan->pieces++;
    args->stages = args->runs = args->pairs = 0;
    return HALO_OK;
}

/* Adds the run to the stage, if its box may grow so far. */
static bool joins(const Plan *plan, DenseStage *s, int x, int y, int taps)
{
    const int from = x < s->x ? x : s->x, end = x + taps > s->x + s->cols ? x + taps : s->x + s->cols;
    if (dense_bytes(plan->args, end - from, y + 1 - s->y) > plan->shared) return false;
    s->x = from;
    s->cols = end - from;
    s->rows = y + 1 - s->y;
    return true;
}

/* `taps` taps of the mask's row y from column x on, which is a multiple of 4, since samples come in quads. */
static HaloStatus add_run(Plan *plan, const float *tap, int x, int y, int taps)
{
    DenseArgs *args = plan->args;
    const int pairs = (taps + 1) / 2;
    if (args->runs == dense_runs || args->pairs + pairs > dense_taps / 2) CUDA_PASS(finish_piece(plan, false));
    if (args->stages == 0 || !joins(plan, &args->stage[args->stages - 1], x, y, taps)) {
        if (args->stages == dense_stages) CUDA_PASS(finish_piece(plan, false));
        args->stage[args->stages++] = {x, y, taps, 1, 0, 0};
    }
    /* Its position in the mask, until place_runs() converts it. */
    args->run[args->runs] = {y * args->conv.width + x, (uint16_t)taps, (uint16_t)args->pairs};
    for (int i = 0; i < taps; i++) {
        float2 *const pair = &args->tap[args->pairs + i / 2];
        *(i % 2 ? &pair->y : &pair->x) = tap[i];
    }
    args->stage[args->stages - 1].end = ++args->runs;
    args->pairs += pairs;
    return HALO_OK;
}

/* Taps from *x on that make a run; *x goes to its first. 0: there are no more in this row. */
static int find_run(const float *row, int width, int most, bool sparse, int *x)
{
    const auto quad = [&](int at) { /* taps of the quad up to its last that is not zero */
                                    int taps = 0;
                                    for (int i = 0; i < 4 && at + i < width; i++)
                                        if (!sparse || row[at + i] != 0.0f) taps = i + 1;
                                    return taps;
    };
    while (*x < width && quad(*x) == 0) *x += 4;
    int end = *x, taps = 0;
    for (int last; end < width && end - *x < most && (last = quad(end)) > 0; end += 4) taps = end + last - *x;
    return taps;
}

static HaloStatus all_runs(Plan *plan, const float *tap, bool sparse)
{
    const int width = plan->args->conv.width;
    plan->pieces = 0;
    for (int y = 0; y < plan->args->conv.height; y++) {
        const float *const row = tap + (int64_t)y * width;
        for (int x = 0, taps; (taps = find_run(row, width, plan->most, sparse, &x)) > 0; x += conv_round4(taps))
            CUDA_PASS(add_run(plan, row + x, x, y, taps));
    }
    return finish_piece(plan, true);
}

/* Products with a zero tap are +0 or -0, unless a sample is not finite; and no sum is -0, which +0 would
 * change, since multiples of a tap by integers do not underflow. */
bool dense_leaves_zeros(const ConvArgs *conv)
{
    const float value = halo_border_value(conv->src.border, conv->src.value);
    return conv->src.dtype != HALO_F32 && value - value == 0.0f && value == truncf(value);
}

bool conv_sparse_takes(const ConvArgs *args, const HaloConv *conv)
{
    const int width = args->width, height = args->height;
    const float value = halo_border_value(args->src.border, args->src.value);
    const bool looks = args->src.dtype == HALO_F32 && value - value == 0.0f; /* whether samples are finite */
    double work = run_work + (looks ? look_work : 0);
    if (!(looks || dense_leaves_zeros(args)) || width == 1 || height == 1) return false;
    for (int y = 0; y < height; y++)
        for (int x = 0, taps; (taps = find_run(conv->tap + (int64_t)y * width, width, run_most, true, &x)) > 0;
             x += conv_round4(taps))
            work += taps + run_work;
    return work < 0.7 * width * height;
}

HaloStatus dense_pieces(HaloDevice *device, DenseArgs *args, const float *tap, bool sparse, int64_t shared,
                        DenseLaunch *launch)
{
    Plan plan = {device, args, shared, run_most, NULL, 0, args->conv.dst, args->conv.dst};
    const ConvTarget *dst = &plan.dst;
    while (dense_bytes(args, plan.most, 1) > shared) plan.most /= 2;
    CUDA_PASS(all_runs(&plan, tap, sparse));
    if (plan.pieces > 1 && !(dst->dtype == HALO_F32 && conv_plain(*dst)))
        CUDA_PASS(long_sums(device, dst->cols * dst->channels, dst->rows, &plan.sums));
    plan.launch = launch;
    return all_runs(&plan, tap, sparse);
}

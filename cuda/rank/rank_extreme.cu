/* The minimum and the maximum of every window, at a cost that hardly grows with it: along rows, then down columns of
 * that. A wide window takes several passes: the extremes over n of the extremes over m are those over n + m - 1. */
#include "rank_runs.cuh"

/* The widest window of one pass, all channels together. */
static const int64_t rows_most = 2048;

/* Two buffers of keys by turns, the second only where there are more than two passes. */
struct ExtremeBuffers {
    char *keys[2];
    int next;
};

static char *next_buffer(ExtremeBuffers *buffers)
{
    char *const keys = buffers->keys[buffers->next];
    buffers->next = 1 - buffers->next;
    return keys;
}

/* What a pass left is what the next one reads. */
static void read_kept(ExtremeArgs *args)
{
    args->from = args->to;
    args->from_pitch = args->to_pitch;
    args->rank.src = args->to;
    args->rank.src_stride = args->to_pitch;
    args->rank.src_width = args->cols / args->rank.channels;
    args->rank.src_height = args->lines;
    args->rank.src_x0 = args->rank.src_y0 = args->rank.x0 = args->rank.y0 = 0;
    args->rank.border = HALO_BORDER_REPLICATE; /* and never met */
}

static int64_t widest(const RankArgs *rank) { return cuda_max(2, rows_most / rank->channels); }

static HaloStatus along_rows(HaloDevice *device, ExtremeArgs *args, ExtremeBuffers *buffers, HaloDtype samples,
                             HaloDtype keys)
{
    int64_t left = args->rank.width - 1; /* steps of the window that are still to be taken */
    for (bool first = true; first || left > 0; first = false) {
        const int64_t window = cuda_min(left + 1, widest(&args->rank));
        left -= window - 1;
        args->cols = args->rank.cols + left * args->rank.channels;
        args->to = left == 0 && args->rank.height == 1 ? NULL : next_buffer(buffers);
        args->turn = first ? args->turned : 0;
        CUDA_PASS(rank_rows(device, args, window, first ? samples : keys, keys));
        read_kept(args);
    }
    return HALO_OK;
}

static HaloStatus down_columns(HaloDevice *device, ExtremeArgs *args, ExtremeBuffers *buffers, HaloDtype keys)
{
    for (int64_t left = args->rank.height - 1; left > 0;) {
        const int64_t window = cuda_min(left + 1, rank_columns_most(device));
        left -= window - 1;
        args->lines = args->rank.rows + left;
        args->to = left > 0 ? next_buffer(buffers) : NULL;
        CUDA_PASS(rank_columns(device, args, window, keys));
        read_kept(args);
    }
    return HALO_OK;
}

bool rank_extreme_takes(const RankArgs *args)
{
    return (args->fraction == 0.0 || args->fraction == 1.0) && args->channels <= 64;
}

/* A line, where all that a window has across it is the same samples: one row, or one column without gaps, which is one. */
static RankArgs as_line(const RankArgs *rank, HaloDtype samples)
{
    RankArgs line = *rank;
    const int64_t pixel = rank->channels * (int64_t)halo_dtype_size(samples);
    if (rank->border < HALO_BORDER_REPLICATE || rank->border > HALO_BORDER_WRAP) return line;
    if (rank->src_width == 1 && rank->src_stride == pixel && rank->cols == rank->channels &&
        rank->dst_stride == rank->channels * (int64_t)halo_dtype_size(rank->dtype)) {
        line.src_x0 = rank->src_y0;
        line.src_y0 = 0;
        line.src_width = rank->src_height;
        line.src_height = 1;
        line.x0 = rank->y0;
        line.width = rank->height;
        line.cols = rank->rows * rank->channels;
        line.rows = 1;
        line.src_stride = line.dst_stride = 0; /* there is one row, wherever the next would lie */
    }
    if (line.src_height == 1) {
        line.y0 = 0;
        line.height = 1;
    }
    return line;
}

HaloStatus rank_extreme(HaloDevice *device, const RankArgs *picture, HaloDtype samples, HaloDtype keys)
{
    const RankArgs line = as_line(picture, samples), *const rank = &line;
    ExtremeArgs args = {};
    ExtremeBuffers buffers = {};
    const int64_t most = widest(rank), wide = rank->cols + cuda_max(0, rank->width - most) * rank->channels; /* at first */
    const bool two = rank->width <= most && rank->height <= rank_columns_most(device);
    int64_t bytes;
    void *block;
    args.rank = *rank;
    args.turned = (keys == HALO_F32 ? extreme_turn<float> : extreme_turn<uint8_t>)(rank->fraction);
    args.lines = rank->rows + rank->height - 1;
    args.from_pitch = args.to_pitch = round_up(wide * (int64_t)halo_dtype_size(keys), 16);
    if (!halo_mul(args.lines, args.to_pitch, &bytes) || bytes > INT64_MAX / 2)
        return halo_fail(HALO_ERR_LIMIT, "%lld lines of extremes are too many", (long long)args.lines);
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_BETWEEN, two ? bytes : 2 * bytes, &block));
    buffers.keys[0] = (char *)block;
    buffers.keys[1] = (char *)block + (two ? 0 : bytes);
    CUDA_PASS(along_rows(device, &args, &buffers, samples, keys));
    return down_columns(device, &args, &buffers, keys);
}

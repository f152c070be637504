/* The minimum and the maximum of every window, at a cost that hardly grows with it: along rows, then down
 * columns of that. A wide window takes several passes: the extremes over n of the extremes over m are those
 * over n + m - 1. */
#include "rank_runs.cuh"

/* The widest window of one pass, all channels together. */
static const int64_t rows_most = 2048;

/* Two buffers of keys, used alternately; the second only where there are more than two passes. */
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

/* The result of a pass is the input of the next one. */
static void read_kept(ExtremeArgs *args)
{
    args->from = args->to;
    args->from_pitch = args->to_pitch;
    args->rank.src = args->to;
    args->rank.src_stride = args->to_pitch;
    args->rank.src_width = args->cols / args->rank.channels;
    args->rank.src_height = args->lines;
    args->rank.src_x0 = args->rank.src_y0 = args->rank.x0 = args->rank.y0 = 0;
    args->rank.border = HALO_BORDER_REPLICATE; /* and never read */
}

static int64_t widest(const RankArgs *rank) { return cuda_max(2, rows_most / rank->channels); }

static HaloStatus extreme_horizontal(HaloDevice *device, ExtremeArgs *args, ExtremeBuffers *buffers,
                                     HaloDtype keys)
{
    int64_t left = args->rank.width - 1; /* steps of the window that are still to be taken */
    for (bool first = true; first || left > 0; first = false) {
        const int64_t window = cuda_min(left + 1, widest(&args->rank));
        left -= window - 1;
        args->cols = args->rank.cols + left * args->rank.channels;
        args->to = left == 0 && args->rank.height == 1 ? NULL : next_buffer(buffers);
        args->flip = first ? args->flip_back : 0;
        CUDA_PASS(rank_rows(device, args, window, keys));
        read_kept(args);
    }
    return HALO_OK;
}

static HaloStatus extreme_vertical(HaloDevice *device, ExtremeArgs *args, ExtremeBuffers *buffers,
                                   HaloDtype keys)
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

static HaloStatus extremes(HaloDevice *device, const RankArgs *rank, HaloDtype keys)
{
    ExtremeArgs args = {};
    ExtremeBuffers buffers = {};
    const int64_t most = widest(rank),
                  wide = rank->cols + cuda_max(0, rank->width - most) * rank->channels; /* at first */
    const bool two = rank->width <= most && rank->height <= rank_columns_most(device);
    int64_t bytes;
    void *block = NULL;
    args.rank = *rank;
    args.flip_back = (keys == HALO_F32 ? extreme_flip<float> : extreme_flip<uint8_t>)(rank->fraction);
    args.lines = rank->rows + rank->height - 1;
    args.from_pitch = args.to_pitch = round_up(wide * (int64_t)halo_dtype_size(keys), 16);
    if (!halo_mul(args.lines, args.to_pitch, &bytes) || bytes > INT64_MAX / 2)
        return halo_fail(HALO_ERR_LIMIT, "the window's extremes need too many lines, %lld: use --device cpu",
                         (long long)args.lines);
    if (!two || rank->height > 1)
        CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_BETWEEN, two ? bytes : 2 * bytes, &block));
    buffers.keys[0] = (char *)block;
    buffers.keys[1] = (char *)block + (two ? 0 : bytes);
    CUDA_PASS(extreme_horizontal(device, &args, &buffers, keys));
    return extreme_vertical(device, &args, &buffers, keys);
}

/* ---- lines ----------------------------------------------------------------------------------------------- */

/* An image of one row, or of one column without gaps, as a line: across it a window repeats the same samples.
 */
static RankArgs as_line(const RankArgs *rank, HaloDtype keys)
{
    RankArgs line = *rank;
    const int64_t pixel = rank->channels * (int64_t)halo_dtype_size(keys);
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
        line.src_stride = line.dst_stride = 0; /* there is one row, so the stride is not used */
    }
    if (line.src_height == 1) {
        line.y0 = 0;
        line.height = 1;
    }
    return line;
}

/* Outputs of a strip, so that rows and strips begin at a multiple of 16 bytes; a line is cut only if it has
 * enough strips. */
static const int64_t strip_unit = 16, strip_cols = 128 * strip_unit, strips_fewest = 16;

/* Of a line, `count` outputs from `first` on. */
static RankArgs part_of(const RankArgs *line, int64_t first, int64_t count)
{
    RankArgs part = *line;
    part.x0 += first;
    part.dst += first * line->channels * (int64_t)halo_dtype_size(line->dtype);
    part.cols = count * line->channels;
    return part;
}

/* The same as rows of a picture, one strip below the other, whose windows all lie inside: rows overlap by a
 * window. */
static RankArgs strips_of(const RankArgs *line, HaloDtype keys, int64_t first, int64_t strips)
{
    RankArgs rows = part_of(line, first, strip_cols);
    const int64_t pixel = line->channels * (int64_t)halo_dtype_size(keys);
    rows.src += (line->y0 - line->src_y0) * line->src_stride + (rows.x0 - line->src_x0) * pixel;
    rows.src_x0 = rows.src_y0 = rows.x0 = rows.y0 = 0;
    rows.src_width = strip_cols + line->width - 1;
    rows.src_height = rows.rows = strips;
    rows.src_stride = strip_cols * pixel;
    rows.dst_stride = strip_cols * line->channels * (int64_t)halo_dtype_size(line->dtype);
    return rows;
}

/* A line would leave most of a block idle: it is cut into strips, as rows of a picture. The ends, where windows
 * reach beyond the line, and the rest remain a line. */
static HaloStatus extremes_of_line(HaloDevice *device, const RankArgs *line, HaloDtype keys)
{
    const int64_t outputs = line->cols / line->channels,
                  inside = line->src_width - (line->width - 1) - line->x0;
    const int64_t first = round_up(cuda_max(0, -line->x0), strip_unit),
                  strips = (cuda_min(outputs, inside) - first) / strip_cols;
    if (strips < strips_fewest) return extremes(device, line, keys);
    const int64_t last = first + strips * strip_cols;
    const RankArgs head = part_of(line, 0, first), tail = part_of(line, last, outputs - last);
    const RankArgs rows = strips_of(line, keys, first, strips);
    CUDA_PASS(extremes(device, &rows, keys));
    if (first > 0) CUDA_PASS(extremes(device, &head, keys));
    return last < outputs ? extremes(device, &tail, keys) : HALO_OK;
}

HaloStatus rank_extreme(HaloDevice *device, const RankArgs *picture, HaloDtype keys)
{
    const RankArgs rank = as_line(picture, keys);
    const bool line = rank.rows == 1 && rank.height == 1 && rank.y0 >= 0 && rank.y0 < rank.src_height;
    return (line && rank.width <= widest(&rank) ? extremes_of_line : extremes)(device, &rank, keys);
}

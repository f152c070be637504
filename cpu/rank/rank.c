/* Rank filters. The image is cut into tiles. Minima and maxima have ways of their own (extreme.c, span.c), and
 * so has what lies between (middle.c). */
#include "rank.h"

#include "double/double.h"
#include "middle.h"
#include "primitives.h"
#include "strips.h"

/* ---- tiles ---------------------------------------------------------------------------------------------- */

static void run_task(void *context, int64_t index, int worker)
{
    const CpuRank *r = context;
    const int64_t x = index % r->tiles * r->tile_cols, y = index / r->tiles * r->tile_rows;
    CpuRankTask task = {.r = r, .scratch = r->scratch + worker * r->scratch_bytes};
    uint64_t clipped = 0;
    task.line = (float *)(void *)(task.scratch + r->at_line);
    task.x = r->dst->x0 + x;
    task.y = r->dst->y0 + y;
    task.cols = least(r->tile_cols, r->dst->cols - x);
    task.rows = least(r->tile_rows, r->dst->rows - y);
    task.wide = task.cols + r->rank->window.width - 1;
    task.high = task.rows + r->rank->window.height - 1;
    task.keys = cpu_rank_extreme_keys(&task);
    if (r->span != NULL && r->small)
        cpu_rank_span_small(&task, &clipped);
    else if (r->span != NULL)
        cpu_rank_span(&task, &clipped);
    else if (r->small)
        cpu_rank_extreme_small(&task, &clipped);
    else
        cpu_rank_extreme(&task, &clipped);
    if (r->stream) r->device->kernels->rows->fence();
    cpu_count_clipped(r->device, clipped);
}

/* ---- laying out ----------------------------------------------------------------------------------------- */

/* Outputs of a task, at least: rows, and bytes of a row of keys. Two windows' height of lines should stay in
 * the second-level cache; short rows take nearly twice as long, where the picture is in no cache. */
#define EXTREME_BYTES (384 << 10)
#define EXTREME_LINE 8192
#define EXTREME_ROWS 64

/* False where sizes do not fit 63 bits. */
static bool choose_scratch(CpuRank *r)
{
    const HaloRank *rank = r->rank;
    const int64_t channels = r->dst->shape.channels;
    int64_t total = 0;
    const bool spans = r->span != NULL && !r->small;
    const int64_t elements = spans ? cpu_rank_span_elements(r)
                                   : most(EXTREME_BYTES / (2 * rank->window.height), EXTREME_LINE) /
                                         (int64_t)halo_dtype_size(r->keys);
    const int64_t wide = (spans ? 1 : 4) * rank->window.width;
    r->tile_cols = least(r->dst->cols, most(divide_up(elements, channels), wide));
    r->tile_rows = least(r->dst->rows, most(EXTREME_ROWS, 4 * rank->window.height));
    r->tiles = divide_up(r->dst->cols, r->tile_cols);
    /* A block may begin with the last sample of a row. */
    if (!halo_mul(r->tile_cols + rank->window.width - 1, channels, &r->pitch)) return false;
    r->pitch += CPU_RANK_LANES;
    if (!cpu_reserve(&total, r->pitch, sizeof(float), &r->at_line)) return false;
    if (!(spans             ? cpu_rank_span_scratch
          : r->span != NULL ? cpu_rank_span_small_scratch
                            : cpu_rank_extreme_scratch)(r, &total))
        return false;
    r->scratch_bytes = total;
    return true;
}

/* Medians of larger windows are counted, which takes no vectors. */
#define STRIPS_MEDIAN 7

typedef struct Strips {
    HaloDevice *device;
    const HaloRank *rank;
    HaloStore store;
} Strips;

static HaloStatus make_strips(void *context, const HaloBuf *src, HaloBuf *dst, const HaloWindow *window)
{
    const Strips *p = context;
    HaloRank rank = *p->rank;
    rank.window = *window;
    return cpu_rank(p->device, src, dst, &rank, p->store);
}

HaloStatus cpu_rank(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloRank *rank, HaloStore store)
{
    if (cpu_is_double(src, dst)) return cpu_double_rank(device, src, dst, rank);
    HaloStatus status = HALO_OK;
    int64_t n;
    void *scratch;
    CpuRank r = {.rank = rank, .store = store, .dst = dst, .device = device};
    r.source = cpu_window_stencil(device, src, dst, &rank->window);
    if (dst->cols < 1 || dst->rows < 1) goto out;
    if (rank->window.width < 1 || rank->window.height < 1 ||
        !halo_mul(rank->window.width, rank->window.height, &n) || src->shape.dtype > HALO_F32 ||
        dst->shape.dtype > HALO_F32 || src->shape.channels != dst->shape.channels ||
        !(rank->fraction >= 0.0 && rank->fraction <= 1.0) || !cpu_holds_needed(&r.source))
        HALO_FAIL(HALO_ERR_BUG, "internal: the source of a rank filter does not hold the samples it needs");
    r.keys = halo_rank_keys(src->shape.dtype, rank->window.border, rank->window.value);
    r.extreme = rank->fraction == 0.0 || rank->fraction == 1.0;
    r.plain = r.keys == dst->shape.dtype && store.num == 1.0f && store.den == 1.0f;
    r.stream = cpu_streams(dst) && r.plain;
    HALO_TRY(cpu_rank_span_open(&r));
    r.small = r.span != NULL ? cpu_rank_span_is_small(&r)
                             : rank->window.width <= CPU_RANK_SMALL && rank->window.height <= CPU_RANK_SMALL;
    if (r.span == NULL && cpu_are_columns(src, dst)) { /* ranks of a transposed image are the same */
        const HaloBuf from = cpu_as_line(src);
        HaloBuf to = cpu_as_line(dst);
        HaloRank transposed = *rank;
        transposed.window = cpu_transposed(&rank->window);
        HALO_TRY(cpu_rank(device, &from, &to, &transposed, store));
        goto out;
    }
    const bool compared =
        r.extreme || (rank->window.width <= STRIPS_MEDIAN && rank->window.height <= STRIPS_MEDIAN);
    if (compared && cpu_has_strips(src, dst, &rank->window, 1)) {
        Strips strips = {device, rank, store};
        HALO_TRY(cpu_strips(device, src, dst, &rank->window, 1, make_strips, &strips));
        goto out;
    }
    if (!r.extreme) {
        HALO_TRY(cpu_rank_middle(device, src, dst, rank, store));
        goto out;
    }
    if (!choose_scratch(&r))
        HALO_FAIL(HALO_ERR_LIMIT, "a window of %lld x %lld needs more memory than can be addressed",
                  (long long)rank->window.width, (long long)rank->window.height);
    HALO_TRY(cpu_scratch_each(device, &r.scratch_bytes, &scratch));
    r.scratch = scratch;
    const double outputs = (double)dst->cols * (double)dst->rows * dst->shape.channels;
    const double work = outputs * (r.span != NULL ? 2.0 * (double)rank->window.height : 16.0);
    cpu_run(device, cpu_workers(device, work), r.tiles * divide_up(dst->rows, r.tile_rows), run_task, &r);
out:
    cpu_rank_span_close(&r);
    return status;
}

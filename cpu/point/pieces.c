/* Pieces of rows, over threads. */
#include "pieces.h"

/* Elements in a piece. */
#define PIECE 2048
/* Bytes by tables are read and written at the memory's speed, so that results go past the caches from fewer
 * bytes on than elsewhere. */
#define TABLE_STREAM_BYTES (12 << 20)

void cpu_pieces_load(const Pieces *p, const HaloBuf *from, int64_t x, int64_t y, int64_t pixels, float *row)
{
    p->device->kernels->rows->load[from->shape.dtype](halo_at(from, x, y), pixels * from->shape.channels, row);
}

bool cpu_pieces_hold(const HaloBuf *src, const HaloBuf *dst, int64_t dx, int64_t dy)
{
    const int64_t x = dst->x0 + dx, y = dst->y0 + dy;
    return dst->shape.dtype <= HALO_F32 && x >= src->x0 && y >= src->y0 &&
           x + dst->cols <= src->x0 + src->cols && y + dst->rows <= src->y0 + src->rows;
}

/* Pixels from (x, y) on, where they belong. */
static void make(const Pieces *p, char *scratch, int64_t x, int64_t y, int64_t pixels, uint64_t *clipped)
{
    float *row = (float *)(void *)(scratch + p->at_row), *other = (float *)(void *)(scratch + p->at_other);
    const CpuRowKernels *rows = p->device->kernels->rows;
    const HaloDtype dtype = p->dst->shape.dtype;
    const int64_t n = pixels * p->dst->shape.channels;
    void *to = halo_at(p->dst, x, y), *made = p->stream ? scratch + p->at_spare : to;
    if (p->make_bytes != NULL)
        p->make_bytes(p, x, y, pixels, made);
    else
        rows->store[dtype](p->make(p, row, other, x, y, pixels), n, p->store, made, clipped);
    if (p->stream) rows->stream(made, n * (int64_t)halo_dtype_size(dtype), to);
}

static void look(const Pieces *p, int64_t x, int64_t y, int64_t pixels, uint64_t *clipped)
{
    uint8_t spare[PIECE];
    const void *const from = halo_at(p->a, x, y);
    void *const to = halo_at(p->dst, x, y);
    if (p->stream && cpu_tables_look_past(p->tables, from, pixels, to)) return;
    cpu_tables_look(p->tables, from, pixels, p->stream ? spare : to, clipped);
    if (p->stream) p->device->kernels->rows->stream(spare, pixels * p->dst->shape.channels, to);
}

static void run_task(void *context, int64_t index, int worker)
{
    const Pieces *p = context;
    const HaloBuf *dst = p->dst;
    char *scratch = p->scratch + worker * p->scratch_bytes;
    const int64_t y_first = index / p->piece_tasks * p->rows_per_task;
    const int64_t first = index % p->piece_tasks * p->pieces_per_task;
    const int64_t y_end = dst->rows - y_first < p->rows_per_task ? dst->rows : y_first + p->rows_per_task;
    const int64_t end = p->pieces - first < p->pieces_per_task ? p->pieces : first + p->pieces_per_task;
    uint64_t clipped = 0;
    for (int64_t k = y_first; k < y_end; k++) {
        for (int64_t piece = first; piece < end; piece++) {
            const int64_t at = piece * p->pixels, left = dst->cols - at;
            const int64_t pixels = left < p->pixels ? left : p->pixels;
            const int64_t x = dst->x0 + at, y = dst->y0 + k;
            if (p->tables != NULL)
                look(p, x, y, pixels, &clipped);
            else
                make(p, scratch, x, y, pixels, &clipped);
        }
    }
    if (p->stream) p->device->kernels->rows->fence();
    cpu_count_clipped(p->device, clipped);
}

/* Not where more is read than written, as for gray: that takes longer. */
static bool streams(const Pieces *p)
{
    const HaloBuf *dst = p->dst;
    if (p->tables == NULL) return cpu_streams(dst) && p->make_bytes == NULL;
    return dst->shape.dtype == HALO_U8 && dst->rows > 0 && dst->stride > TABLE_STREAM_BYTES / dst->rows;
}

HaloStatus cpu_pieces_run(Pieces *p)
{
    HaloStatus status = HALO_OK;
    const HaloBuf *dst = p->dst;
    int64_t elements, bytes, at, total = 0;
    void *scratch;
    if (dst->cols < 1 || dst->rows < 1) goto out;
    p->stream = streams(p);
    p->pixels = PIECE / p->widest < 1 ? 1 : PIECE / p->widest;
    if (p->pixels >= 64) p->pixels -= p->pixels % 64; /* so that pieces are whole cache lines */
    if (!halo_mul(p->pixels, p->widest, &elements) || !halo_mul(elements, sizeof(float), &bytes) ||
        !cpu_reserve(&total, bytes, 1, &p->at_row) || !cpu_reserve(&total, bytes, 1, &p->at_other) ||
        !cpu_reserve(&total, bytes, 1, &p->at_spare))
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for pixels of %d channels", p->widest);
    p->scratch_bytes = total;
    if (p->tables == NULL) {
        HALO_TRY(cpu_scratch_each(p->device, &p->scratch_bytes, &scratch));
        p->scratch = scratch;
    }

    /* Tasks of some 64 pieces: of many rows, or parts of a long one. */
    p->pieces = (dst->cols + p->pixels - 1) / p->pixels;
    p->pieces_per_task = p->pieces < 64 ? p->pieces : 64;
    p->piece_tasks = (p->pieces + p->pieces_per_task - 1) / p->pieces_per_task;
    p->rows_per_task = 64 / p->pieces_per_task;
    at = (dst->rows + p->rows_per_task - 1) / p->rows_per_task;
    const double work = (double)dst->cols * (double)dst->rows * p->widest * 4;
    cpu_run(p->device, cpu_workers(p->device, work), at * p->piece_tasks, run_task, p);
out:
    return status;
}

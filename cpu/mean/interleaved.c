/* Horizontal sums of several lines of floats at once, for windows of several rows: the lines are interleaved, a
 * pixel of each after the other, so that vectors run across them. In pieces, for which the first-level cache
 * has space. What lies beside the picture are pixels of it again, or one value: they are put there side by
 * side.
 */
#include <string.h>

#include "halo/means.h"
#include "mean.h"

#define MOST_WIDTH 256
#define PIECE 128
#define PIECE_WINDOWS 4

bool cpu_mean_is_interleaved(const CpuMean *m)
{
    return m->source.src->shape.width > 1 && m->window.width > 1 && m->window.height > 1 &&
           !m->window.nan_ignore && m->kept == 0 && m->window.width <= MOST_WIDTH &&
           (m->kind == HALO_MEAN_PLAIN ||
            m->dst->shape.channels % CPU_MEAN_LINES != 0); /* vectors as they are */
}

bool cpu_mean_interleaved_scratch(CpuMean *m, int64_t *total)
{
    const int64_t width = m->window.width, elements = CPU_MEAN_LINES * m->dst->shape.channels;
    if (!cpu_mean_is_interleaved(m)) return true;
    m->piece = width > PIECE / PIECE_WINDOWS ? PIECE_WINDOWS * width : PIECE;
    m->piece = least(m->piece, m->tile_cols);
    const int64_t read = (m->piece + width - 1) * elements;
    return cpu_reserve(total, read, sizeof(float), &m->at_lines) &&
           cpu_reserve(total, read, sizeof(float), &m->at_interleaved) &&
           cpu_reserve(total, m->kind != HALO_MEAN_PLAIN ? read : 0, sizeof(double),
                       &m->at_interleaved_square) &&
           cpu_reserve(total, m->piece * elements, sizeof(double), &m->at_interleaved_sum) &&
           cpu_reserve(total, cpu_mean_horizontal_workspace(m->piece, width, elements), sizeof(double),
                       &m->at_interleaved_workspace);
}

/* Of what windows read: pixels [x, x + wide) of the source, of which it has [in, in_end). */
typedef struct Piece {
    const CpuMeanTask *task;
    int64_t x, wide, in, in_end;
} Piece;

static float *floats_at(const CpuMeanTask *task, int64_t at) { return (float *)(void *)(task->scratch + at); }

static double *doubles_at(const CpuMeanTask *task, int64_t at)
{
    return (double *)(void *)(task->scratch + at);
}

/* Where in the piece the pixel is that lies in its column x; negative where it is the border's value. False
 * where it is none of the piece. */
static bool find_pixel(const Piece *p, int64_t x, int64_t *at)
{
    const CpuStencil *source = &p->task->m->source;
    const int64_t from = halo_border_index(x, source->src->shape.width, source->border);
    *at = from - p->x;
    if (from < 0) *at = -1;
    return from < 0 || (from >= p->in && from < p->in_end);
}

static Piece piece_of(const CpuMeanTask *task, int64_t first, int64_t count)
{
    const CpuMean *m = task->m;
    const int64_t x = task->x + first + m->source.ox, end = x + count + m->window.width - 1;
    Piece p = {task, x, end - x, most(x, 0), least(end, m->source.src->shape.width)};
    bool found = p.in < p.in_end;
    int64_t at;
    if (found && m->source.border == HALO_BORDER_REPLICATE) return p;
    for (int64_t i = x; found && i < p.in; i++) found = find_pixel(&p, i, &at);
    for (int64_t i = p.in_end; found && i < end; i++) found = find_pixel(&p, i, &at);
    if (!found) p.in = x, p.in_end = end; /* all of it is read line by line */
    return p;
}

/* Line `row` of it: where it lies, or as one of the task's lines. */
static const float *line_of(const Piece *p, int64_t row, int64_t line)
{
    const CpuMean *m = p->task->m;
    const HaloBuf *src = m->source.src;
    const int64_t y = p->task->y + m->window.oy + row,
                  source = halo_border_index(y, src->shape.height, m->source.border);
    float *const workspace =
        floats_at(p->task, m->at_lines) + line * (m->piece + m->window.width - 1) * src->shape.channels;
    const bool inside = source >= 0 && p->in >= 0 && p->in_end <= src->shape.width;
    if (src->shape.dtype == HALO_F32 && inside &&
        ((uintptr_t)src->data | (uintptr_t)src->stride) % sizeof(float) == 0)
        return halo_at(src, p->in, source);
    CpuStencil plain = m->source;
    plain.ox = plain.reach = 0;
    cpu_source_line(&plain, p->in, y, p->in_end - p->in, workspace);
    return workspace;
}

/* Puts what lies beside the picture in columns [x, end), `pixel` elements each. */
static void put_outside(const Piece *p, int64_t x, int64_t end, int64_t pixel, float *side_by_side)
{
    const bool repeated = p->task->m->source.border == HALO_BORDER_REPLICATE; /* the same one everywhere */
    int64_t at = -1;
    if (x < end) (void)find_pixel(p, x, &at);
    for (; x < end; x++) {
        float *const to = side_by_side + (x - p->x) * pixel;
        if (!repeated) (void)find_pixel(p, x, &at);
        if (at >= 0)
            for (int64_t i = 0; i < pixel; i += CPU_MEAN_LINES) /* of a size that is known: no call */
                memcpy(to + i, side_by_side + at * pixel + i, CPU_MEAN_LINES * sizeof *to);
        else
            for (int64_t i = 0; i < pixel; i++) to[i] = p->task->m->source.value;
    }
}

/* The sums along the lines, or along their squares, to the places of their rows. */
static void sum_plane(const Piece *p, const CpuMeanLine *along, const float *x, int plane, void *const to[])
{
    const CpuMean *m = p->task->m;
    const CpuMeanKernels *kernels = m->device->kernels->mean;
    const int64_t n = along->count * m->dst->shape.channels;
    double *const sum = doubles_at(p->task, m->at_interleaved_sum), *const workspace = doubles_at(
                                                                        p->task, m->at_interleaved_workspace);
    double *const square = doubles_at(p->task, m->at_interleaved_square);
    if (plane == 1) kernels->square(x, p->wide * along->channels, square);
    cpu_mean_horizontal(kernels, plane == 1, plane == 1 ? (const void *)square : x, along, workspace, sum);
    if (m->kind == HALO_MEAN_PLAIN)
        kernels->separate(sum, n, 1.0 / m->scale, (float *const *)to);
    else
        kernels->separate_doubles(sum, n, (double *const *)to);
}

void cpu_mean_interleaved(const CpuMeanTask *task, int64_t row)
{
    const CpuMean *m = task->m;
    const int64_t channels = m->dst->shape.channels, pixel = channels * CPU_MEAN_LINES;
    const int64_t size = m->kind == HALO_MEAN_PLAIN ? (int64_t)sizeof(float) : (int64_t)sizeof(double);
    float *const x = floats_at(task, m->at_interleaved);
    for (int64_t first = 0; first < task->cols; first += m->piece) {
        const Piece p = piece_of(task, first, least(task->cols - first, m->piece));
        const CpuMeanLine along = {task->x + first, p.wide - m->window.width + 1, m->window.width,
                                   halo_mean_run(m->window.width), pixel};
        const float *from[CPU_MEAN_LINES];
        for (int64_t l = 0; l < CPU_MEAN_LINES; l++) from[l] = line_of(&p, row + l, l);
        m->device->kernels->mean->interleave(from, (p.in_end - p.in) * channels, x + (p.in - p.x) * pixel);
        put_outside(&p, p.x, p.in, pixel, x);
        put_outside(&p, p.in_end, p.x + p.wide, pixel, x);
        for (int plane = 0; plane < cpu_mean_planes(m); plane++) {
            void *to[CPU_MEAN_LINES];
            for (int64_t l = 0; l < CPU_MEAN_LINES; l++)
                to[l] = (char *)cpu_mean_ring_line(task, row + l, plane) + first * channels * size;
            sum_plane(&p, &along, x, plane, to);
        }
    }
}

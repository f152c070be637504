/* Sequential algorithms along time: sound is cut into chunks, whose samples become lines of f64. Chunks are
 * made in order where the algorithm has a state, else side by side. */
#include "halo/sequence.h"

#include <stdatomic.h>
#include <string.h>

#include "device.h"
#include "halo/numerics.h"
#include "primitives.h"

#define CHUNK 16384 /* frames of the result */
#define RUN 1024    /* of them stored at a time */

typedef struct Sequence {
    const HaloBuf *src[2];
    int sources;
    HaloBuf *dst;
    const HaloSequence *how;
    HaloStore store;
    int lines;     /* of a task: all channels, or 1 */
    int64_t chunk; /* frames of the result in a call */
    int64_t chunks;
    bool in_order;
    int64_t state_bytes;                  /* of a task */
    int64_t at_src[2], at_dst;            /* scratch of a worker: lines of samples, */
    int64_t at_row, at_kind, at_pointers; /* a run to store, that of the kind, pointers to lines; */
    int64_t scratch_bytes, state_at;      /* all of it; states behind those of all workers */
    int64_t longest[2];                   /* frames of a source that a chunk needs */
    char *scratch;
    HaloDevice *device;
    atomic_uint_least64_t replaced;
} Sequence;

/* The frames of source k that frames `part` of the result need. */
static HaloSpan frames_of(const Sequence *s, int k, HaloSpan part)
{
    const HaloSequenceKind *kind = s->how->kind;
    const HaloShape *shape = &s->src[k]->shape;
    if (kind->whole) return (HaloSpan){0, shape->width};
    if (kind->reads != NULL) part = kind->reads(s->how->how, k, shape, part);
    const int64_t from = least(most(0, part.from), shape->width - 1);
    return (HaloSpan){from, most(from + 1, least(part.to, shape->width))};
}

static HaloSpan frames_of_chunk(const Sequence *s, int64_t chunk)
{
    const int64_t from = s->dst->x0 + chunk * s->chunk;
    return (HaloSpan){from, least(from + s->chunk, s->dst->x0 + s->dst->cols)};
}

static void load(const Sequence *s, int k, HaloSpan frames, int first, double **line)
{
    const HaloBuf *src = s->src[k];
    const int64_t size = (int64_t)halo_dtype_size(src->shape.dtype);
    const bool one = src->shape.channels == 1;
    const char *at = (const char *)halo_at(src, frames.from, 0);
    for (int c = 0; c < s->lines; c++)
        s->device->kernels->scan->to_f64[src->shape.dtype](
            at + (one ? 0 : first + c) * size, frames.to - frames.from, src->shape.channels, line[c]);
}

static void store_line(const Sequence *s, int channel, HaloSpan frames, const double *line, float *row,
                       uint64_t *clipped)
{
    const int64_t channels = s->dst->shape.channels, size = (int64_t)halo_dtype_size(s->dst->shape.dtype);
    float *const packed = row + RUN;
    for (int64_t x = frames.from, n; x < frames.to; x += n) {
        char *to = (char *)halo_at(s->dst, x, 0) + channel * size;
        n = least(RUN, frames.to - x);
        if (s->dst->shape.dtype == HALO_F64) {
            for (int64_t i = 0; i < n; i++)
                ((double *)(void *)to)[i * channels] = halo_canonical_f64(line[x - frames.from + i]);
            continue;
        }
        for (int64_t i = 0; i < n; i++) row[i] = halo_canonical((float)line[x - frames.from + i]);
        s->device->kernels->rows->store[s->dst->shape.dtype](row, n, s->store, packed, clipped);
        for (int64_t i = 0; i < n; i++)
            memcpy(to + i * channels * size, (const char *)packed + i * size, (size_t)size);
    }
}

/* Lines `apart` samples long, one after the other. */
static double **lay_lines(double **pointer, char *scratch, int lines, int64_t apart)
{
    for (int c = 0; c < lines; c++) pointer[c] = (double *)(void *)scratch + c * apart;
    return pointer;
}

static HaloSequenceLines lines_of(const HaloBuf *buf, int lines, HaloSpan frames, double **at)
{
    return (HaloSequenceLines){.channels = lines,
                               .from = frames.from,
                               .to = frames.to,
                               .width = buf->shape.width,
                               .rate = buf->shape.rate,
                               .at = at};
}

/* Samples of a line that are not those of the source, in frames that no call before has counted. */
static uint64_t replaced_in(const Sequence *s, HaloSpan frames, const HaloSequenceLines *src, int from,
                            const double *line)
{
    uint64_t count = 0;
    for (int64_t x = most(frames.from, s->how->replaced->upto); x < frames.to; x++) {
        const double was = src->at[from][x - src->from], is = line[x - frames.from];
        count += !(was == is || (was != was && is != is));
    }
    return count;
}

/* One chunk of the lines from channel `first` on. */
static void run_chunk(Sequence *s, int64_t chunk, int first, int worker, uint64_t *clipped)
{
    char *const scratch = s->scratch + worker * s->scratch_bytes;
    double **pointer = (double **)(void *)(scratch + s->at_pointers);
    const int made = s->how->kind->by_channel ? 1 : s->dst->shape.channels;
    const HaloSpan frames = frames_of_chunk(s, chunk);
    HaloSequenceLines src[2], dst;
    HaloSequencePart part = {
        .dst = &dst, .channel = first, .scratch = scratch + s->at_kind, .simd = cpu_simd(s->device)};
    for (int k = 0; k < s->sources; k++, pointer += s->lines) {
        const HaloSpan need = frames_of(s, k, frames);
        lay_lines(pointer, scratch + s->at_src[k], s->lines, s->longest[k]);
        load(s, k, need, first, pointer);
        src[k] = lines_of(s->src[k], s->lines, need, pointer);
        part.src[k] = &src[k];
    }
    dst = lines_of(s->dst, made, frames, lay_lines(pointer, scratch + s->at_dst, made, s->chunk));
    if (s->how->state != NULL)
        part.state = (char *)s->how->state + first * s->state_bytes;
    else if (s->state_bytes > 0)
        part.state = s->scratch + s->state_at + first * s->state_bytes;
    s->how->kind->run(s->how->how, &part);
    for (int c = 0; c < made && s->how->replaced != NULL; c++)
        s->replaced += replaced_in(s, frames, &src[0], c, dst.at[c]);
    for (int c = 0; c < made; c++)
        store_line(s, first + c, frames, dst.at[c], (float *)(void *)(scratch + s->at_row), clipped);
}

static void run_task(void *context, int64_t index, int worker)
{
    Sequence *s = context;
    uint64_t clipped = 0;
    if (s->in_order)
        for (int64_t k = 0; k < s->chunks; k++) run_chunk(s, k, (int)index, worker, &clipped);
    else
        run_chunk(s, index % s->chunks, (int)(index / s->chunks), worker, &clipped);
    cpu_count_clipped(s->device, clipped);
}

static void find_chunks(Sequence *s)
{
    const HaloSequenceKind *kind = s->how->kind;
    s->lines = kind->by_channel ? 1 : s->src[0]->shape.channels;
    s->chunk = kind->whole ? s->dst->cols : least(CHUNK, s->dst->cols);
    s->chunks = (s->dst->cols + s->chunk - 1) / s->chunk;
    s->in_order = kind->state != NULL;
    s->state_bytes = s->in_order ? kind->state(s->how->how, &s->src[0]->shape) : 0;
    for (int64_t i = 0; i < s->chunks; i++)
        for (int k = 0; k < s->sources; k++) {
            const HaloSpan need = frames_of(s, k, frames_of_chunk(s, i));
            s->longest[k] = most(s->longest[k], need.to - need.from);
        }
}

static bool holds(const Sequence *s)
{
    const HaloBuf *dst = s->dst;
    if (dst->rows != 1 || dst->shape.dtype == HALO_I64) return false;
    if (s->how->kind->state != NULL && s->how->state == NULL && dst->x0 != 0) return false;
    for (int k = 0; k < s->sources; k++) {
        const HaloBuf *src = s->src[k];
        const HaloSpan need = frames_of(s, k, (HaloSpan){dst->x0, dst->x0 + dst->cols});
        if (src->rows != 1 || src->shape.dtype == HALO_I64 || need.from < src->x0 ||
            need.to > src->x0 + src->cols ||
            (src->shape.channels != s->src[0]->shape.channels && (k == 0 || src->shape.channels != 1)))
            return false;
    }
    return !s->how->kind->by_channel || dst->shape.channels == s->src[0]->shape.channels;
}

static HaloStatus reserve(Sequence *s)
{
    HaloStatus status = HALO_OK;
    const HaloSequenceKind *kind = s->how->kind;
    const int made = kind->by_channel ? 1 : s->dst->shape.channels;
    const int64_t own = kind->scratch == NULL ? 0 : kind->scratch(s->how->how, &s->src[0]->shape);
    const int64_t states = s->how->state != NULL ? 0 : s->dst->shape.channels / made;
    int64_t total = 0, all = 0;
    void *scratch;
    bool fits = true;
    for (int k = 0; k < s->sources; k++)
        fits = fits && cpu_reserve(&total, s->longest[k], s->lines * (int64_t)sizeof(double), &s->at_src[k]);
    fits = fits && cpu_reserve(&total, s->chunk, made * (int64_t)sizeof(double), &s->at_dst) &&
           cpu_reserve(&total, 2 * RUN, sizeof(float), &s->at_row) &&
           cpu_reserve(&total, 1, own, &s->at_kind) &&
           cpu_reserve(&total, s->sources * s->lines + made, sizeof(double *), &s->at_pointers);
    total = (total + CPU_ALIGNMENT - 1) / CPU_ALIGNMENT * CPU_ALIGNMENT;
    fits = fits && cpu_reserve(&all, s->device->jobs, total, &s->state_at) &&
           cpu_reserve(&all, states, s->state_bytes, &s->state_at);
    if (!fits) HALO_FAIL(HALO_ERR_LIMIT, "%s needs more memory than can be addressed", kind->name);
    s->scratch_bytes = total;
    HALO_TRY(cpu_scratch(s->device, all, &scratch));
    s->scratch = scratch;
    memset(s->scratch + s->state_at, 0, (size_t)(states * s->state_bytes));
out:
    return status;
}

HaloStatus cpu_sequence(HaloDevice *device, const HaloBuf *const src[], int sources, HaloBuf *dst,
                        const HaloSequence *sequence, HaloStore store)
{
    HaloStatus status = HALO_OK;
    Sequence s = {.src = {src[0], sources > 1 ? src[1] : NULL},
                  .sources = sources,
                  .dst = dst,
                  .how = sequence,
                  .store = store,
                  .device = device};
    if (dst->cols < 1 || dst->rows < 1) goto out;
    if (!device->querying && !holds(&s))
        HALO_FAIL(HALO_ERR_BUG, "internal: the source of %s does not hold the samples it needs",
                  sequence->kind->name);
    find_chunks(&s);
    HALO_TRY(reserve(&s));
    const int64_t tasks = sequence->kind->by_channel ? dst->shape.channels : 1;
    const double work = (double)dst->cols * dst->shape.channels * 10.0;
    cpu_run(device, cpu_workers(device, work), s.in_order ? tasks : tasks * s.chunks, run_task, &s);
    if (sequence->replaced != NULL && !device->querying) {
        sequence->replaced->count += s.replaced;
        sequence->replaced->upto = most(sequence->replaced->upto, dst->x0 + dst->cols);
    }
out:
    return status;
}

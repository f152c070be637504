/* The oracle of sequences: the kind is called once, for the result as it is wanted. */
#include <stdlib.h>

#include "halo/sequence.h"
#include "oracle.h"

typedef struct Frames {
    int64_t from, to;
} Frames;

/* The frames of source k that a result needs: all, those that the kind names, or the same. */
static Frames frames_of(const HaloSequence *how, int k, const HaloBuf *src, const HaloBuf *dst)
{
    const int64_t width = src->shape.width;
    HaloSpan span = {dst->x0, dst->x0 + dst->cols};
    if (how->kind->whole) return (Frames){0, width};
    if (how->kind->reads != NULL) span = how->kind->reads(how->how, k, &src->shape, span);
    const int64_t from = span.from < 0 ? 0 : span.from < width ? span.from : width - 1;
    return (Frames){from, span.to <= from ? from + 1 : span.to < width ? span.to : width};
}

/* Every channel of a buffer, one after the other, or its only one for each; samples where it is a source. */
static double **lines_of(const HaloBuf *buf, Frames frames, int channels, bool source)
{
    double **line = malloc(sizeof *line * (size_t)channels);
    if (line == NULL) abort();
    for (int c = 0; c < channels; c++) {
        line[c] = calloc((size_t)(frames.to - frames.from), sizeof **line);
        if (line[c] == NULL) abort();
        for (int64_t x = frames.from; x < frames.to && source; x++)
            line[c][x - frames.from] = (double)oracle_get(buf, x, 0, buf->shape.channels > 1 ? c : 0);
    }
    return line;
}

static void free_lines(double **line, int channels)
{
    for (int c = 0; c < channels; c++) free(line[c]);
    free(line);
}

static HaloSequenceLines part_of(const HaloShape *shape, Frames frames, double **line, int channels)
{
    return (HaloSequenceLines){channels, frames.from, frames.to, shape->width, shape->rate, line};
}

uint64_t oracle_sequence(const HaloBuf *const src[], int sources, HaloBuf *dst, const HaloSequence *how,
                         HaloStore store)
{
    const HaloSequenceKind *kind = how->kind;
    const Frames result = {dst->x0, dst->x0 + dst->cols};
    const int made = dst->shape.channels, calls = kind->by_channel ? made : 1, lines = made / calls;
    double **in[2] = {NULL, NULL}, **out = lines_of(dst, result, made, false);
    const size_t state = kind->state == NULL ? 0 : (size_t)kind->state(how->how, &src[0]->shape),
                 scratch = kind->scratch == NULL ? 0 : (size_t)kind->scratch(how->how, &src[0]->shape);
    Frames need[2] = {{0, 0}, {0, 0}};
    uint64_t clipped = 0;
    for (int k = 0; k < sources; k++) {
        need[k] = frames_of(how, k, src[k], dst);
        in[k] = lines_of(src[k], need[k], src[0]->shape.channels, true);
    }
    for (int c = 0; c < calls; c++) {
        const int seen = kind->by_channel ? 1 : src[0]->shape.channels;
        HaloSequenceLines from[2] = {part_of(&src[0]->shape, need[0], in[0] + c, seen)};
        HaloSequenceLines to = part_of(&dst->shape, result, out + c, lines);
        if (sources > 1) from[1] = part_of(&src[1]->shape, need[1], in[1] + c, seen);
        HaloSequencePart part = {.src = {&from[0], sources > 1 ? &from[1] : NULL}, .dst = &to, .channel = c};
        void *const own = calloc(state + 1, 1);
        part.state = how->state != NULL ? (char *)how->state + (size_t)c * state : own;
        part.scratch = aligned_alloc(64, (scratch + 64) / 64 * 64);
        if (own == NULL || part.scratch == NULL) abort();
        kind->run(how->how, &part);
        free(own);
        free(part.scratch);
    }
    for (int c = 0; c < made; c++)
        for (int64_t x = result.from; x < result.to; x++)
            clipped += oracle_put(dst, x, 0, c, (float)out[c][x - result.from], store);
    for (int k = 0; k < sources; k++) free_lines(in[k], src[0]->shape.channels);
    free_lines(out, made);
    return clipped;
}

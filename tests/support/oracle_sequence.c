/* The oracle of sequences: the kind is called once, for all of the result that is wanted. */
#include <stdlib.h>

#include "halo/sequence.h"
#include "oracle.h"

/* Frames [from, to) of every channel of a buffer, or of its only one for each; samples where it is a source. */
static double **lines_of(const HaloBuf *buf, int channels, int64_t from, int64_t to, bool source)
{
    double **line = malloc(sizeof *line * (size_t)channels);
    if (line == NULL) abort();
    for (int c = 0; c < channels; c++) {
        line[c] = calloc((size_t)(to - from), sizeof **line);
        if (line[c] == NULL) abort();
        for (int64_t x = from; x < to && source; x++)
            line[c][x - from] = oracle_wide(buf, x, 0, buf->shape.channels > 1 ? c : 0);
    }
    return line;
}

static void free_lines(double **line, int channels)
{
    for (int c = 0; c < channels; c++) free(line[c]);
    free(line);
}

static HaloSequenceLines part_of(const HaloBuf *buf, int64_t from, int64_t to, double **line, int channels)
{
    return (HaloSequenceLines){channels, from, to, buf->shape.width, buf->shape.rate, line};
}

/* The frames that are wanted; those before them, too, where a state begins with the sound. */
static HaloSpan made_of(const HaloBuf *dst, const HaloSequence *how)
{
    const bool begins = how->kind->state != NULL && how->state == NULL;
    if (how->kind->whole) return (HaloSpan){0, dst->shape.width};
    return (HaloSpan){begins ? 0 : dst->x0, dst->x0 + dst->cols};
}

/* The frames of source k that these need. */
static HaloSpan needed(const HaloSequence *how, int k, const HaloShape *src, HaloSpan made)
{
    if (how->kind->whole) return (HaloSpan){0, src->width};
    if (how->kind->reads != NULL) made = how->kind->reads(how->how, k, src, made);
    if (made.from < 0) made.from = 0;
    if (made.from > src->width - 1) made.from = src->width - 1;
    if (made.to > src->width) made.to = src->width;
    if (made.to < made.from + 1) made.to = made.from + 1;
    return made;
}

uint64_t oracle_sequence(const HaloBuf *const src[], int sources, HaloBuf *dst, const HaloSequence *how,
                         HaloStore store)
{
    const HaloSequenceKind *kind = how->kind;
    const HaloSpan span = made_of(dst, how);
    const int made = dst->shape.channels, calls = kind->by_channel ? made : 1, lines = made / calls;
    double **in[2] = {NULL, NULL}, **out = lines_of(dst, dst->shape.channels, span.from, span.to, false);
    const size_t state = kind->state == NULL ? 0 : (size_t)kind->state(how->how, &src[0]->shape),
                 scratch = kind->scratch == NULL ? 0 : (size_t)kind->scratch(how->how, &src[0]->shape);
    uint64_t clipped = 0;
    HaloSpan need[2];
    for (int k = 0; k < sources; k++) {
        need[k] = needed(how, k, &src[k]->shape, span);
        in[k] = lines_of(src[k], src[0]->shape.channels, need[k].from, need[k].to, true);
    }
    for (int c = 0; c < calls; c++) {
        const int seen = kind->by_channel ? 1 : src[0]->shape.channels;
        HaloSequenceLines from[2], to = part_of(dst, span.from, span.to, out + c, lines);
        for (int k = 0; k < sources; k++) from[k] = part_of(src[k], need[k].from, need[k].to, in[k] + c, seen);
        HaloSequencePart part = {.src = {&from[0], sources > 1 ? &from[1] : NULL}, .dst = &to, .channel = c};
        void *const zeros = calloc(state + 1, 1);
        part.state = how->state != NULL ? (char *)how->state + (size_t)c * state : zeros;
        part.scratch = aligned_alloc(64, (scratch + 64) / 64 * 64);
        if (zeros == NULL || part.scratch == NULL) abort();
        kind->run(how->how, &part);
        free(zeros);
        free(part.scratch);
    }
    for (int c = 0; c < made; c++)
        for (int64_t x = dst->x0; x < dst->x0 + dst->cols; x++)
            if (dst->shape.dtype == HALO_F64)
                oracle_put_wide(dst, x, 0, c, out[c][x - span.from]);
            else
                clipped += oracle_put(dst, x, 0, c, (float)out[c][x - span.from], store);
    for (int k = 0; k < sources; k++) free_lines(in[k], src[0]->shape.channels);
    free_lines(out, made);
    return clipped;
}

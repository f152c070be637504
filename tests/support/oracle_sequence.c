/* The oracle of sequences: the kind is called once for all of a buffer, which may be a part of the result. */
#include <stdlib.h>

#include "halo/sequence.h"
#include "oracle.h"

/* Every channel of a buffer, one after the other; samples where it is a source. */
static double **lines_of(const HaloBuf *buf, bool source)
{
    const int channels = buf->shape.channels;
    double **line = malloc(sizeof *line * (size_t)channels);
    if (line == NULL) abort();
    for (int c = 0; c < channels; c++) {
        line[c] = calloc((size_t)buf->cols, sizeof **line);
        if (line[c] == NULL) abort();
        for (int64_t x = 0; x < buf->cols && source; x++)
            line[c][x] = (double)oracle_get(buf, buf->x0 + x, 0, c);
    }
    return line;
}

static void free_lines(double **line, int channels)
{
    for (int c = 0; c < channels; c++) free(line[c]);
    free(line);
}

static HaloSequenceLines all_of(const HaloBuf *buf, double **line, int channels)
{
    return (HaloSequenceLines){channels, buf->x0, buf->x0 + buf->cols, buf->shape.width, buf->shape.rate, line};
}

uint64_t oracle_sequence(const HaloBuf *const src[], int sources, HaloBuf *dst, const HaloSequence *how,
                         HaloStore store)
{
    const HaloSequenceKind *kind = how->kind;
    const int made = dst->shape.channels, calls = kind->by_channel ? made : 1, lines = made / calls;
    double **in[2] = {NULL, NULL}, **out = lines_of(dst, false);
    const size_t state = kind->state == NULL ? 0 : (size_t)kind->state(how->how, &src[0]->shape),
                 scratch = kind->scratch == NULL ? 0 : (size_t)kind->scratch(how->how, &src[0]->shape);
    uint64_t clipped = 0;
    for (int k = 0; k < sources; k++) in[k] = lines_of(src[k], true);
    for (int c = 0; c < calls; c++) {
        const int seen = kind->by_channel ? 1 : src[0]->shape.channels;
        HaloSequenceLines from[2] = {all_of(src[0], in[0] + c, seen)};
        HaloSequenceLines to = all_of(dst, out + c, lines);
        if (sources > 1) from[1] = all_of(src[1], in[1] + c, seen);
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
        for (int64_t x = 0; x < dst->cols; x++)
            clipped += oracle_put(dst, dst->x0 + x, 0, c, (float)out[c][x], store);
    for (int k = 0; k < sources; k++) free_lines(in[k], src[k]->shape.channels);
    free_lines(out, made);
    return clipped;
}

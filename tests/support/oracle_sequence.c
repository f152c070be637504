/* The oracle of sequences: the kind is called once, for all of the result. */
#include <stdlib.h>

#include "halo/sequence.h"
#include "oracle.h"

/* Every channel of a buffer, one after the other; samples where it is a source. */
static double **lines_of(const HaloBuf *buf, bool source)
{
    const int64_t width = buf->shape.width;
    const int channels = buf->shape.channels;
    double **line = malloc(sizeof *line * (size_t)channels);
    if (line == NULL) abort();
    for (int c = 0; c < channels; c++) {
        line[c] = calloc((size_t)width, sizeof **line);
        if (line[c] == NULL) abort();
        for (int64_t x = 0; x < width && source; x++) line[c][x] = oracle_wide(buf, x, 0, c);
    }
    return line;
}

static void free_lines(double **line, int channels)
{
    for (int c = 0; c < channels; c++) free(line[c]);
    free(line);
}

static HaloSequenceLines whole(const HaloShape *shape, double **line, int channels)
{
    return (HaloSequenceLines){channels, 0, shape->width, shape->width, shape->rate, line};
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
        HaloSequenceLines from[2] = {whole(&src[0]->shape, in[0] + c, seen)};
        HaloSequenceLines to = whole(&dst->shape, out + c, lines);
        if (sources > 1) from[1] = whole(&src[1]->shape, in[1] + c, seen);
        HaloSequencePart part = {.src = {&from[0], sources > 1 ? &from[1] : NULL}, .dst = &to, .channel = c};
        part.state = calloc(state + 1, 1);
        part.scratch = aligned_alloc(64, (scratch + 64) / 64 * 64);
        if (part.state == NULL || part.scratch == NULL) abort();
        kind->run(how->how, &part);
        free(part.state);
        free(part.scratch);
    }
    for (int c = 0; c < made; c++)
        for (int64_t x = 0; x < dst->shape.width; x++)
            if (dst->shape.dtype == HALO_F64)
                oracle_put_wide(dst, x, 0, c, out[c][x]);
            else
                clipped += oracle_put(dst, x, 0, c, (float)out[c][x], store);
    for (int k = 0; k < sources; k++) free_lines(in[k], src[k]->shape.channels);
    free_lines(out, made);
    return clipped;
}

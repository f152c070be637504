#include "trace.h"

#include <math.h>
#include <stdlib.h>

#include "text/text.h"

#define MOST_BINS (1 << 16)   /* many times the pixels of a plot, */
#define MOST_VALUES (1 << 21) /* of which many channels have fewer */

Trace trace_new(int channels)
{
    const int64_t few = MOST_VALUES / channels / 2 * 2, most = few < MOST_BINS ? few : MOST_BINS;
    const size_t values = (size_t)channels * (size_t)most;
    return (Trace){.channels = channels,
                   .limit = most,
                   .per = 1,
                   .least = cli_alloc(values, sizeof(double)),
                   .most = cli_alloc(values, sizeof(double))};
}

/* Twice as many frames in a bin, half as many bins. */
static void halve(Trace *trace)
{
    const int channels = trace->channels;
    for (int64_t bin = 0; bin < trace->bins; bin++)
        for (int c = 0; c < channels; c++) {
            const int64_t to = bin / 2 * channels + c, from = bin * channels + c;
            trace->least[to] = bin % 2 ? fmin(trace->least[to], trace->least[from]) : trace->least[from];
            trace->most[to] = bin % 2 ? fmax(trace->most[to], trace->most[from]) : trace->most[from];
        }
    trace->bins = (trace->bins + 1) / 2;
    trace->per *= 2;
}

static double sample_at(const HaloBuf *rows, int64_t i)
{
    switch (rows->shape.dtype) {
    case HALO_U8: return ((const uint8_t *)rows->data)[i];
    case HALO_U16: return ((const uint16_t *)rows->data)[i];
    case HALO_I64: return (double)((const int64_t *)rows->data)[i];
    case HALO_F64: return ((const double *)rows->data)[i];
    default: return (double)((const float *)rows->data)[i];
    }
}

/* fmin and fmax take the number where the other is NaN. */
void trace_add(Trace *trace, const HaloBuf *rows)
{
    const int channels = trace->channels;
    for (int64_t i = 0; i < rows->cols; i++) {
        if (trace->frames == trace->bins * trace->per) {
            if (trace->bins == trace->limit) halve(trace);
            for (int c = 0; c < channels; c++)
                trace->least[trace->bins * channels + c] = trace->most[trace->bins * channels + c] = NAN;
            trace->bins++;
        }
        const int64_t at = (trace->bins - 1) * channels;
        for (int c = 0; c < channels; c++) {
            const double v = sample_at(rows, i * channels + c);
            double *least = &trace->least[at + c], *most = &trace->most[at + c];
            if (!(v >= *least)) *least = isnan(v) ? *least : v;
            if (!(v <= *most)) *most = isnan(v) ? *most : v;
        }
        trace->frames++;
    }
}

void trace_free(Trace *trace)
{
    free(trace->least);
    free(trace->most);
}

/* `--explain`: prints an explanation as text. */
#include <stdio.h>

#include "core.h"
#include "halo/escape.h"

static void print_shape(const HaloShape *shape, FILE *to)
{
    if (shape->kind == HALO_AUDIO && shape->width < 0)
        fprintf(to, "frames until it ends");
    else if (shape->kind == HALO_AUDIO)
        fprintf(to, "%lld frame%s", (long long)shape->width, halo_s(shape->width));
    else
        fprintf(to, "%lld x %lld", (long long)shape->width, (long long)shape->height);
    fprintf(to, ", %d channel%s%s, %s", shape->channels, halo_s(shape->channels),
            shape->kind == HALO_IMAGE && shape->alpha >= 0 ? " with alpha" : "", halo_dtype_name(shape->dtype));
    if (shape->kind == HALO_AUDIO)
        halo_fprintf(to, ", %g Hz\n", shape->rate);
    else
        halo_fprintf(to, shape->numbers ? ", numbers\n" : ", white %g\n", (double)shape->white);
}

static void print_step(const HaloExplanation *explanation, int i, FILE *to)
{
    const HaloExplainedStep *step = &explanation->step[i];
    fprintf(to, "  %2d  %-10s %-48s v%d", i + 1, step->op, step->method, step->src[0]);
    for (int k = 1; k < step->sources; k++) fprintf(to, ", v%d", step->src[k]);
    if (step->dst >= 0) fprintf(to, " -> v%d %s", step->dst, halo_dtype_name(step->dtype));
    halo_fprintf(to, "  %.2f MB, %.2f Mflop%s\n", step->bytes / 1e6, step->flops / 1e6,
                 explanation->input.width < 0 ? " a second" : "");
}

/* What --precision fast changes. */
static void print_fast(const HaloExplanation *explanation, FILE *to)
{
    int count = 0;
    for (int i = 0; i < explanation->steps; i++) count += !explanation->step[i].exact;
    if (count == 0) {
        fputs("fast    changes nothing here: every step is exact\n", to);
        return;
    }
    fprintf(to, "fast    step%s", halo_s(count));
    for (int i = 0, said = 0; i < explanation->steps; i++) {
        if (explanation->step[i].exact) continue;
        fprintf(to, "%s %d", said == 0 ? "" : said + 1 == count ? " and" : ",", i + 1);
        said++;
    }
    fprintf(to, " may differ a little from exact: docs/numerics.md has the bound\n");
}

/* How many rows or frames at a time, and what they take. */
static void print_bands(const HaloExplanation *explanation, FILE *to)
{
    const bool sound = explanation->input.kind == HALO_AUDIO;
    const char *unit = sound ? "frame" : "row";
    fputs(sound ? "blocks  " : "bands   ", to);
    if (explanation->bands >= 0) fprintf(to, "%lld ", (long long)explanation->bands);
    fprintf(to, "of %lld %s%s; ", (long long)explanation->band, unit, halo_s(explanation->band));
    if (explanation->devices > 1)
        halo_fprintf(to, "in turn on %d devices, at most %.2f MB on each\n", explanation->devices,
                     explanation->memory / 1e6);
    else if (!explanation->on_host)
        halo_fprintf(to, "at most %.2f MB on the device\n", explanation->memory / 1e6);
    else if (explanation->flows)
        halo_fprintf(to, "at most %.2f MB in memory, read%s as they come%s\n", explanation->memory / 1e6,
                     explanation->keeps ? "" : " and written",
                     explanation->keeps ? ", and written when all is made" : "");
    else
        halo_fprintf(to, "at most %.2f MB in memory, %.2f MB of it between the steps\n",
                     explanation->memory / 1e6, explanation->between / 1e6);
    if (explanation->block_ms > 0)
        halo_fprintf(to,
                     "latency blocks of %.4g ms, the filters look %.4g ms ahead: the first output comes after "
                     "%.4g ms\n",
                     explanation->block_ms, explanation->ahead_ms,
                     explanation->block_ms + explanation->ahead_ms);
}

void halo_explanation_print(const HaloExplanation *explanation, FILE *to)
{
    fprintf(to, "input   v%d: ", explanation->in);
    print_shape(&explanation->input, to);
    if (explanation->shrunk > 1)
        fprintf(to, "        read at 1/%lld of its width and height, from the file's coarser detail alone\n",
                (long long)explanation->shrunk);
    for (int i = 0; i < explanation->operands; i++) {
        fprintf(to, "with    v%d: ", explanation->operand[i].value);
        halo_put_escaped(to, explanation->operand[i].path);
        fputs(", ", to);
        print_shape(&explanation->operand[i].shape, to);
    }
    for (int i = 0; i < explanation->steps; i++) print_step(explanation, i, to);
    if (explanation->steps == 0) fprintf(to, "  nothing is computed: the samples are copied\n");
    if (explanation->wants_output) {
        fprintf(to, "output  v%d: ", explanation->out);
        print_shape(&explanation->output, to);
    }
    if (explanation->fast) print_fast(explanation, to);
    if (explanation->backend == NULL) {
        fprintf(to, "backend none: %s\n", explanation->why);
        return;
    }
    const char *variant = explanation->variant;
    fprintf(to, "backend %s%s%s (%s)\n", explanation->backend, variant != NULL ? " " : "",
            variant != NULL ? variant : "", explanation->why);
    print_bands(explanation, to);
}

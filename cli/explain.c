/* `--explain`: what would be done with a file, in words or as JSON, one object a line. The keys are promised.
 */
#include "halo/machine.h"
#include "text/json.h"
#include "work.h"

static const char *why_threads(const HaloOptions *options)
{
    return options->jobs > 0 ? "--jobs" : halo_machine()->why_threads;
}

static int64_t max_memory(const HaloOptions *options)
{
    return options->max_memory > 0 ? options->max_memory : halo_machine()->memory;
}

static const char *why_memory(const HaloOptions *options)
{
    return options->max_memory > 0 ? "--max-memory" : halo_machine()->why_memory;
}

static void print_jobs(FILE *to, const HaloOptions *options, int workers, int threads)
{
    if (workers > 1)
        fprintf(to, "jobs    %d thread%s for each of %d files at a time", threads, halo_s(threads), workers);
    else if (threads > 1)
        fprintf(to, "jobs    %d threads that cut each file into slices", threads);
    else
        fprintf(to, "jobs    1 thread");
    fprintf(to, " (%s)\n", why_threads(options));
    halo_fprintf(to, "limit   %.1f MB in memory", (double)max_memory(options) / workers / 1e6);
    fprintf(to, "%s (%s)\n", workers > 1 ? " for each of them" : "", why_memory(options));
}

/* A value of the plan: its number, and what it holds. */
static void record_value(CliJson *json, const char *key, HaloReg value, const HaloShape *shape)
{
    json_open(json, key, '{');
    json_int(json, "value", value);
    json_text(json, "kind", shape->kind == HALO_AUDIO ? "audio" : "image");
    if (shape->width >= 0)
        json_int(json, "width", shape->width);
    else
        json_null(json, "width");
    json_int(json, "height", shape->height);
    json_int(json, "channels", shape->channels);
    json_text(json, "dtype", halo_dtype_name(shape->dtype));
    if (shape->kind == HALO_AUDIO) json_number(json, "rate", shape->rate);
    json_close(json, '}');
}

/* The secondary inputs. */
static void record_operands(CliJson *json, const HaloExplanation *explanation)
{
    json_open(json, "with", '[');
    for (int i = 0; i < explanation->operands; i++) {
        const HaloExplainedOperand *operand = &explanation->operand[i];
        json_open(json, NULL, '{');
        json_text(json, "file", operand->path);
        record_value(json, "value", operand->value, &operand->shape);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void record_steps(CliJson *json, const HaloExplanation *explanation)
{
    json_open(json, "steps", '[');
    for (int i = 0; i < explanation->steps; i++) {
        const HaloExplainedStep *step = &explanation->step[i];
        json_open(json, NULL, '{');
        json_text(json, "op", step->op);
        json_text(json, "method", step->method);
        json_open(json, "from", '[');
        for (int k = 0; k < step->sources; k++) json_int(json, NULL, step->src[k]);
        json_close(json, ']');
        if (step->dst >= 0)
            json_int(json, "to", step->dst);
        else
            json_null(json, "to");
        json_text(json, "dtype", step->dst >= 0 ? halo_dtype_name(step->dtype) : NULL);
        json_number(json, "bytes", step->bytes);
        json_number(json, "flops", step->flops);
        json_bool(json, "exact", step->exact);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_bool(json, "per_second", explanation->input.width < 0); /* bytes and flops */
}

static void record_bands(CliJson *json, const HaloExplanation *explanation)
{
    json_open(json, "bands", '{');
    json_text(json, "unit", explanation->input.kind == HALO_AUDIO ? "frames" : "rows");
    if (explanation->bands >= 0)
        json_int(json, "count", explanation->bands);
    else
        json_null(json, "count");
    json_int(json, "size", explanation->band);
    json_bool(json, "flow", explanation->flows);
    json_close(json, '}');
    json_open(json, "memory", '{');
    json_text(json, "of", explanation->on_host ? "host" : "device");
    json_number(json, "bytes", explanation->memory);
    json_number(json, "between", explanation->between);
    json_close(json, '}');
    if (explanation->block_ms == 0) return;
    json_open(json, "latency", '{');
    json_number(json, "block_ms", explanation->block_ms);
    json_number(json, "ahead_ms", explanation->ahead_ms);
    json_number(json, "first_ms", explanation->block_ms + explanation->ahead_ms);
    json_close(json, '}');
}

static void record(FILE *to, const CliItem *item, const HaloExplanation *explanation,
                   const HaloOptions *options, int workers, int threads)
{
    CliJson json = {.to = to};
    json_open(&json, NULL, '{');
    json_text(&json, "type", "plan");
    json_text(&json, "file", item->input);
    json_text(&json, "output", item->output);
    record_value(&json, "in", explanation->in, &explanation->input);
    json_int(&json, "shrunk", explanation->shrunk);
    record_operands(&json, explanation);
    record_steps(&json, explanation);
    if (explanation->wants_output)
        record_value(&json, "out", explanation->out, &explanation->output);
    else
        json_null(&json, "out");
    json_text(&json, "precision", explanation->fast ? "fast" : "exact");
    json_text(&json, "backend", explanation->backend);
    json_text(&json, "variant", explanation->variant);
    json_text(&json, "why", explanation->why);
    if (explanation->backend != NULL) json_int(&json, "devices", explanation->devices);
    if (explanation->backend != NULL) record_bands(&json, explanation);
    json_int(&json, "workers", workers);
    json_int(&json, "threads", threads);
    json_text(&json, "threads_why", why_threads(options));
    json_int(&json, "max_memory", max_memory(options) / workers); /* for each of the workers */
    json_text(&json, "max_memory_why", why_memory(options));
    json_close(&json, '}');
    json_end_line(&json);
}

void cli_print_plan(const CliWork *work, const CliItem *item, const HaloExplanation *explanation, FILE *to)
{
    int workers, threads;
    const HaloOptions *options = &work->settings->engine;
    cli_share_jobs(work->settings, work->batch.count, &workers, &threads);
    if (work->settings->json) {
        record(to, item, explanation, options, workers, threads);
        return;
    }
    if (work->batch.count > 1) cli_print_name(to, item->input, "\n");
    halo_explanation_print(explanation, to);
    print_jobs(to, options, workers, threads);
}

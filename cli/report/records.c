/* Results as JSON, one object a line. The keys are promised: docs and tests name them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report.h"
#include "text/json.h"

/* A position: [x, y] in images, the frame in sound. */
static void record_place(CliJson *json, const char *key, const HaloShape *shape, int64_t at)
{
    if (at < 0) {
        json_null(json, key);
    } else if (shape->kind == HALO_AUDIO) {
        json_int(json, key, at);
    } else {
        json_open(json, key, '[');
        json_int(json, NULL, at % shape->width);
        json_int(json, NULL, at / shape->width);
        json_close(json, ']');
    }
}

static void record_detail(CliJson *json, const HaloDetail *detail, const HaloStats *s)
{
    char key[32];
    if (detail->full) {
        json_number(json, "skewness", s->skewness);
        json_number(json, "kurtosis", s->kurtosis);
        json_number(json, "entropy", s->entropy);
    }
    if (detail->percents == 0) return;
    json_open(json, "percentile", '{');
    for (int i = 0; i < detail->percents; i++) {
        snprintf(key, sizeof key, "%.10g", detail->percent[i]);
        json_number(json, key, s->percentile[i]);
    }
    json_close(json, '}');
}

static void record_level(CliJson *json, const HaloShape *shape, const HaloStats *s)
{
    const CliLevel level = cli_level(shape, s);
    json_open(json, "level", '{');
    json_number(json, "peak", level.peak);
    json_number(json, "peak_dbfs", level.peak_dbfs);
    json_number(json, "rms_dbfs", level.rms_dbfs);
    json_number(json, "crest", level.crest);
    json_number(json, "dc_offset", s->mean);
    json_close(json, '}');
}

static void record_time(CliJson *json, const char *key, const HaloResult *result, int64_t frame)
{
    char text[HALO_TIME_SIZE];
    const char *time = halo_result_time(result, frame, text);
    if (time != NULL) json_text(json, key, time);
}

/* `file`: of a data set, the files with the minimum and the maximum; NULL: a single file. */
static void record_stats(CliJson *json, const HaloResult *result, const HaloStats *s, const char *const file[2])
{
    const HaloShape *shape = &result->shape;
    json_uint(json, "count", s->count);
    json_number(json, "min", s->min);
    record_place(json, "min_at", shape, s->min_at);
    record_time(json, "min_time", result, s->min_at);
    if (file != NULL) json_text(json, "min_file", file[0]);
    json_number(json, "max", s->max);
    record_place(json, "max_at", shape, s->max_at);
    record_time(json, "max_time", result, s->max_at);
    if (file != NULL) json_text(json, "max_file", file[1]);
    if (s->exact)
        json_uint(json, "sum", s->isum);
    else
        json_number(json, "sum", s->sum);
    json_number(json, "mean", s->mean);
    json_number(json, "sd", s->sd);
    json_number(json, "rms", s->rms);
    json_number(json, "product", s->product);
    json_int(json, "product_sign", s->product_sign);
    json_number(json, "product_log2", s->product_log2);
    json_uint(json, "nan", s->nan);
    json_uint(json, "inf", s->inf);
    json_uint(json, "zero", s->zero);
    record_detail(json, &result->detail, s);
    if (halo_is_sound(shape)) record_level(json, shape, s);
}

static void record_shape(CliJson *json, const HaloShape *shape)
{
    json_text(json, "kind", shape->kind == HALO_AUDIO ? "audio" : "image");
    if (shape->height > 0) { /* a data set has no size */
        json_int(json, "width", shape->width);
        json_int(json, "height", shape->height);
    }
    json_int(json, "channels", shape->channels);
    json_text(json, "dtype", halo_dtype_name(shape->dtype));
    if (shape->kind == HALO_AUDIO) json_number(json, "rate", shape->rate);
    if (shape->numbers) json_bool(json, "numbers", true);
}

static void record_channels(CliJson *json, const CliSubject *subject, const HaloResult *result)
{
    char text[16];
    const HaloHistogram *h = &result->hist;
    json_open(json, "channel", '[');
    for (int c = 0; c < result->shape.channels; c++) {
        json_open(json, NULL, '{');
        json_text(json, "name", halo_result_channel(result, c, text));
        if (result->type == HALO_RESULT_STATS) {
            record_stats(json, result, &result->channel[c], subject->place != NULL ? subject->place[c] : NULL);
        } else if (result->type == HALO_RESULT_FOLD) {
            json_number(json, "value", result->fold.value[c]);
        } else if (result->type == HALO_RESULT_TABLE) {
            cli_record_table(json, &result->table[c]);
        } else {
            json_open(json, "counts", '[');
            for (int64_t b = 0; b < h->bins; b++) json_uint(json, NULL, h->count[c * h->bins + b]);
            json_close(json, ']');
            json_uint(json, "below", h->below[c]);
            json_uint(json, "above", h->above[c]);
            json_uint(json, "nan", h->nan[c]);
        }
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void record_members(CliJson *json, const CliSubject *subject, const HaloResult *result)
{
    switch (result->type) {
    case HALO_RESULT_STATS:
    case HALO_RESULT_TABLE: record_shape(json, &result->shape); break;
    case HALO_RESULT_FOLD:
        json_text(json, "expr", result->fold.expr);
        json_text(json, "map", result->fold.map);
        json_number(json, "identity", result->fold.identity);
        break;
    case HALO_RESULT_HIST:
        json_int(json, "bins", result->hist.bins);
        json_open(json, "range", '[');
        json_number(json, NULL, result->hist.lo);
        json_number(json, NULL, result->hist.hi);
        json_close(json, ']');
        break;
    }
    record_channels(json, subject, result);
    if (result->type == HALO_RESULT_HIST || result->type == HALO_RESULT_TABLE) return;
    json_open(json, "all", '{');
    if (result->type == HALO_RESULT_STATS)
        record_stats(json, result, &result->all,
                     subject->place != NULL ? subject->place[result->shape.channels] : NULL);
    else
        json_number(json, "value", result->fold.value[result->shape.channels]);
    json_close(json, '}');
    if (result->type != HALO_RESULT_STATS || !halo_is_sound(&result->shape)) return;
    json_open(json, "loudness", '{');
    json_number(json, "integrated", result->loudness.integrated);
    json_number(json, "range", result->loudness.range);
    json_number(json, "true_peak", result->loudness.true_peak);
    if (result->loudness.unknown != NULL) json_text(json, "unknown", result->loudness.unknown);
    json_close(json, '}');
}

void cli_record_result(FILE *to, const CliSubject *subject, const HaloResult *result)
{
    static const char *const type[] = {
        [HALO_RESULT_STATS] = "stats", [HALO_RESULT_HIST] = "histogram", [HALO_RESULT_FOLD] = "reduce"};
    CliJson json = {.to = to};
    json_open(&json, NULL, '{');
    json_text(&json, "type", result->type == HALO_RESULT_TABLE ? result->table->name : type[result->type]);
    json_text(&json, "file", subject->file);
    if (subject->file == NULL) json_uint(&json, "files", subject->files);
    if (subject->file != NULL && result->image > 0) json_int(&json, "index", result->image);
    record_members(&json, subject, result);
    if (subject->notes != NULL) cli_record_notes(&json, subject->notes, NULL);
    json_close(&json, '}');
    json_end_line(&json);
}

/* Notes go with the record of the output; where there is none, with the results, if there are any. */
void cli_record_results(FILE *to, const CliItem *item, const HaloReport *report)
{
    const HaloResults *results = &report->results;
    bool noted = false;
    for (int i = 0; i < HALO_NOTES; i++) noted = noted || report->notes.count[i] > 0;
    const CliSubject subject = {.file = item->input,
                                .notes = noted && item->output == NULL ? &report->notes : NULL};
    for (int i = 0; i < results->count; i++) cli_record_result(to, &subject, &results->item[i]);
}

void cli_record_file(FILE *to, const CliItem *item, const char *outcome, const char *error,
                     const HaloReport *report)
{
    CliJson json = {.to = to};
    json_open(&json, NULL, '{');
    json_text(&json, "type", "file");
    json_text(&json, "file", item->input);
    json_text(&json, "output", item->output);
    json_text(&json, "status", outcome);
    json_text(&json, "error", error);
    if (report == NULL) {
        json_null(&json, "clipped");
        json_null(&json, "peak");
        json_null(&json, "ms");
    } else {
        json_uint(&json, "clipped", report->clipped);
        if (report->peak != 0.0f)
            json_number(&json, "peak", (double)report->peak);
        else
            json_null(&json, "peak");
        json_open(&json, "ms", '{');
        json_number(&json, "read", report->ms.read);
        json_number(&json, "decode", report->ms.decode);
        json_number(&json, "upload", report->ms.upload);
        json_number(&json, "compute", report->ms.compute);
        json_number(&json, "download", report->ms.download);
        json_number(&json, "encode", report->ms.encode);
        json_number(&json, "write", report->ms.write);
        json_close(&json, '}');
        cli_record_notes(&json, &report->notes, NULL);
    }
    json_close(&json, '}');
    json_end_line(&json);
}

void cli_tally_device(CliTally *tally, const char *backend, const char *device)
{
    const size_t there = strlen(tally->device);
    if (tally->backend == NULL) {
        tally->backend = backend;
        snprintf(tally->device, sizeof tally->device, "%s", device);
        return;
    }
    if (strcmp(tally->backend, backend) != 0) tally->backend = "several";
    if (strstr(tally->device, device) == NULL && there + strlen(device) + 3 <= sizeof tally->device)
        snprintf(tally->device + there, sizeof tally->device - there, "; %s", device);
}

void cli_record_summary(FILE *to, const CliTally *tally)
{
    CliJson json = {.to = to};
    json_open(&json, NULL, '{');
    json_text(&json, "type", "summary");
    json_uint(&json, "ok", tally->ok);
    json_uint(&json, "failed", tally->failed);
    json_uint(&json, "skipped", tally->skipped);
    json_number(&json, "seconds", tally->seconds);
    json_text(&json, "backend", tally->backend);
    json_text(&json, "device", tally->backend != NULL ? tally->device : NULL);
    cli_record_notes(&json, &tally->noted.all, tally->noted.inputs);
    json_close(&json, '}');
    json_end_line(&json);
}

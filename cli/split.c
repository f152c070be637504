/* `halo split`: a file for each part of a sound. The parts are found first, then each is a run of `trim` or
 * `channels`, so that markers, times and tags follow as they do there. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "batch/clashes.h"
#include "batch/signals.h"
#include "halo/pauses.h"
#include "halo/time.h"
#include "report/report.h"

/* A part of an input: frames, or a channel. */
typedef struct Part {
    int64_t from, to;
    int channel; /* from 1; 0: all */
} Part;

typedef struct Split {
    const CliSettings *settings;
    const HaloShape *raw;
    HaloSession *session;
    CliBatch inputs, parts;
    Part *part; /* [parts.count] */
    size_t capacity;
    CliFates fates;
} Split;

static void add_part(Split *split, const CliItem *input, Part part)
{
    const size_t count = split->parts.count;
    const size_t number = count > 0 && strcmp(split->parts.item[count - 1].input, input->input) == 0
                              ? split->parts.item[count - 1].part + 1
                              : 1;
    split->part = cli_grow(split->part, count, &split->capacity, sizeof *split->part);
    split->parts.item = cli_grow(split->parts.item, count, &split->parts.capacity, sizeof *split->parts.item);
    split->part[count] = part;
    split->parts.item[count] =
        (CliItem){.input = cli_copy(input->input), .dir = cli_copy(input->dir), .part = number};
    split->parts.count++;
}

/* ---- where to cut --------------------------------------------------------------------------------------- */

/* Takes "keep=TIME" out of the parameters, which are copied to `rest`: how much of a pause is kept, in seconds.
 */
static HaloStatus take_keep(const char *text, CliText *rest, double *keep)
{
    *keep = 0.1;
    cli_add(rest, "", 0);
    for (const char *at = text; *at != 0;) {
        const size_t length = strcspn(at, ",");
        HaloTimeUnit unit;
        if (strncmp(at, "keep=", 5) == 0) {
            const char *end = halo_read_time(at + 5, keep, &unit);
            if (end != at + length || *keep < 0 || unit == HALO_TIME_FRAMES)
                return halo_fail(HALO_ERR_USAGE, "--at: keep has to be a time, such as keep=100ms");
        } else {
            if (rest->length > 0) cli_add_char(rest, ',');
            cli_add(rest, at, length);
        }
        at += length + (at[length] == ',');
    }
    return HALO_OK;
}

/* What lies between pauses, with some of the pause on either side. */
static HaloStatus cut_at_silence(Split *split, const CliItem *input, const char *text)
{
    HaloStatus status = HALO_OK;
    HaloPauses pauses = {0};
    CliText rest = {0};
    double seconds;
    HALO_TRY(take_keep(text, &rest, &seconds));
    HALO_TRY(halo_pauses_find(split->session, input->input, split->raw, rest.data, &pauses));
    const int64_t keep = (int64_t)rint(seconds * pauses.shape.rate);
    const size_t before = split->parts.count;
    int64_t from = 0, sound = 0; /* of the part: with some of the pause before it, and without */
    for (int64_t i = 0; i <= pauses.count; i++) {
        const bool last = i == pauses.count;
        const HaloPause pause = last ? (HaloPause){pauses.shape.width, pauses.shape.width} : pauses.pause[i];
        const int64_t half = (pause.to - pause.from) / 2, some = keep < half ? keep : half;
        if (pause.from > sound) add_part(split, input, (Part){.from = from, .to = pause.from + some});
        from = pause.to - some;
        sound = pause.to;
    }
    if (split->parts.count == before)
        HALO_FAIL(HALO_ERR_INPUT, "silent from beginning to end; level= sets what is silence");
out:
    free(rest.data);
    halo_pauses_free(&pauses);
    return status;
}

/* Parts between ascending frames; those at 0 make none. */
static HaloStatus cut_at_frames(Split *split, const CliItem *input, const HaloInfo *info, const int64_t *frame,
                                size_t count)
{
    int64_t from = 0;
    for (size_t i = 0; i < count; i++) {
        if (frame[i] >= info->shape.width)
            return halo_fail(HALO_ERR_INPUT, "a cut at %.6g s is behind the end, at %.6g s",
                             (double)frame[i] / info->shape.rate, (double)info->shape.width / info->shape.rate);
        if (frame[i] > from) add_part(split, input, (Part){.from = from, .to = frame[i]});
        from = frame[i] > from ? frame[i] : from;
    }
    add_part(split, input, (Part){.from = from, .to = info->shape.width});
    return HALO_OK;
}

static HaloStatus cut_at_times(Split *split, const CliItem *input, const HaloInfo *info, const char *text)
{
    HaloStatus status = HALO_OK;
    int64_t *frame = cli_alloc(strlen(text) + 1, sizeof *frame);
    size_t count = 0;
    for (const char *at = text; at != NULL && *at != 0; at += *at == ',') {
        double amount;
        HaloTimeUnit unit;
        at = halo_read_time(at, &amount, &unit);
        if (at == NULL || (*at != 0 && *at != ',') || amount < 0)
            HALO_FAIL(
                HALO_ERR_USAGE,
                "--at: expected silence, cue, channels, every:TIME, or times such as 0:30,1:00, found '%.60s'",
                text);
        frame[count] = (int64_t)rint(unit == HALO_TIME_FRAMES ? amount : fmin(amount * info->shape.rate, 1e18));
        if (count > 0 && frame[count] <= frame[count - 1])
            HALO_FAIL(HALO_ERR_USAGE, "--at: times have to ascend, and those of '%.60s' do not", text);
        count++;
    }
    HALO_TRY(cut_at_frames(split, input, info, frame, count));
out:
    free(frame);
    return status;
}

static HaloStatus cut_every(Split *split, const CliItem *input, const HaloInfo *info, const char *text)
{
    double amount;
    HaloTimeUnit unit;
    const char *end = halo_read_time(text, &amount, &unit);
    const double step = unit == HALO_TIME_FRAMES ? amount : amount * info->shape.rate;
    if (end == NULL || *end != 0 || !(step >= 1.0))
        return halo_fail(HALO_ERR_USAGE, "--at: every: needs a time, such as every:10min, found '%.60s'", text);
    if ((double)info->shape.width / step > 1e6)
        return halo_fail(HALO_ERR_USAGE, "--at: %s would be more than a million parts", input->input);
    int64_t from = 0;
    for (int64_t k = 1; from < info->shape.width; k++) {
        const int64_t to = (int64_t)fmin(rint((double)k * step), (double)info->shape.width);
        add_part(split, input, (Part){.from = from, .to = to});
        from = to;
    }
    return HALO_OK;
}

static HaloStatus cut_at_markers(Split *split, const CliItem *input, const HaloInfo *info)
{
    HaloStatus status = HALO_OK;
    int64_t *frame = NULL;
    size_t count = 0;
    HALO_TRY(halo_meta_markers(&info->meta, info->shape.rate, &frame, &count));
    while (count > 0 && frame[count - 1] >= info->shape.width) count--;
    if (count == 0) HALO_FAIL(HALO_ERR_INPUT, "no markers and no chapters to cut at");
    HALO_TRY(cut_at_frames(split, input, info, frame, count));
out:
    free(frame);
    return status;
}

static HaloStatus find_parts(Split *split, const CliItem *input)
{
    HaloStatus status = HALO_OK;
    HaloInfo info = {0};
    const char *at = split->settings->at != NULL ? split->settings->at : "silence";
    if (input->status != HALO_OK) HALO_FAIL(input->status, "%s", input->error);
    if (strcmp(input->input, "-") == 0)
        HALO_FAIL(HALO_ERR_USAGE, "standard input can be read once: give a file");
    HALO_TRY(halo_file_info(split->session, input->input, split->raw, &info, NULL));
    if (info.shape.kind != HALO_AUDIO) HALO_FAIL(HALO_ERR_INPUT, "this is an image, and only sounds are split");
    if (strncmp(at, "silence", 7) == 0 && (at[7] == 0 || at[7] == ':')) {
        status = cut_at_silence(split, input, at + 7 + (at[7] == ':'));
        goto out;
    }
    if (strcmp(at, "channels") == 0) {
        for (int c = 1; c <= info.shape.channels; c++) add_part(split, input, (Part){.channel = c});
        goto out;
    }
    if (info.shape.width < 0)
        HALO_FAIL(HALO_ERR_INPUT, "the file does not state its length: convert it to WAV first");
    status = strcmp(at, "cue") == 0          ? cut_at_markers(split, input, &info)
             : strncmp(at, "every:", 6) == 0 ? cut_every(split, input, &info, at + 6)
                                             : cut_at_times(split, input, &info, at);
out:
    halo_meta_free(&info.meta);
    return status;
}

/* ---- parts ---------------------------------------------------------------------------------------------- */

static HaloStatus write_part(Split *split, const CliItem *item, const Part *part, HaloReport *report)
{
    HaloStatus status = HALO_OK;
    const CliSettings *settings = split->settings;
    HaloPipeline *pipeline = NULL;
    char *text = part->channel > 0 ? cli_format("channels:%d", part->channel)
                                   : cli_format("trim:%lldf,%lldf", (long long)part->from, (long long)part->to);
    const HaloJob job = {.input = item->input,
                         .output = item->output,
                         .to = settings->to,
                         .raw = split->raw,
                         .force = settings->force ? HALO_FORCE_YES : HALO_FORCE_NO,
                         .write = settings->write};
    HALO_TRY(halo_pipeline_parse(split->session, text, &pipeline));
    HALO_TRY(halo_run_job(split->session, pipeline, &job, report));
out:
    halo_pipeline_free(pipeline);
    free(text);
    return status;
}

static void say_planned(const Split *split)
{
    for (size_t i = 0; i < split->parts.count; i++)
        cli_say("%s -> %s", split->parts.item[i].input, split->parts.item[i].output);
}

static HaloStatus write_parts(Split *split)
{
    CliNoted noted = {0};
    for (size_t i = 0; i < split->parts.count; i++) {
        const CliItem *item = &split->parts.item[i];
        HaloReport report = {0};
        cli_signals_count(i, split->parts.count, false);
        HaloStatus outcome = cli_make_folders(item->output, split->settings->write.sync);
        if (outcome == HALO_OK) outcome = write_part(split, item, &split->part[i], &report);
        if (outcome == HALO_ERR_PIPE) return outcome;
        if (outcome == HALO_OK) {
            cli_noted_add(&noted, &report.notes);
        } else {
            char *error = cli_failure(item, outcome);
            cli_complain("%s", error);
            free(error);
        }
        cli_count_fate(&split->fates, outcome);
        halo_report_clear(&report);
    }
    if (!split->settings->quiet) cli_noted_say(&noted, &split->parts, false);
    return HALO_OK;
}

static HaloStatus split_all(Split *split, const CliSettings *settings)
{
    HaloStatus status = HALO_OK;
    HaloPipeline *copy = NULL;
    HALO_TRY(halo_session_open_with(halo_tables(), &settings->engine, &split->session));
    HALO_TRY(cli_find_inputs(settings, (const char *const *)settings->word, settings->words, &split->inputs));
    for (size_t i = 0; i < split->inputs.count; i++) {
        const HaloStatus outcome = find_parts(split, &split->inputs.item[i]);
        if (outcome == HALO_ERR_USAGE) return outcome;
        if (outcome == HALO_OK) continue;
        char *error = cli_failure(&split->inputs.item[i], outcome);
        cli_complain("%s", error);
        free(error);
        cli_count_fate(&split->fates, outcome);
    }
    HALO_TRY(halo_pipeline_parse(split->session, "", &copy));
    HALO_TRY(cli_name_outputs(settings, &split->parts));
    HALO_TRY(cli_refuse_clashes(settings, copy, &split->parts));
    if (settings->dry_run)
        say_planned(split);
    else
        HALO_TRY(write_parts(split));
out:
    halo_pipeline_free(copy);
    return status;
}

int cli_split(const CliSettings *given)
{
    CliSettings settings = *given;
    if (settings.out_dir == NULL) settings.out_dir = ".";
    Split split = {.settings = &settings, .raw = settings.raw.kind != 0 ? &settings.raw : NULL};
    cli_ink_setup(STDOUT_FILENO, settings.no_color);
    const HaloStatus status = split_all(&split, &settings);
    if (status != HALO_OK && status != HALO_ERR_PIPE) cli_complain("split: %s", halo_error());
    cli_batch_free(&split.inputs);
    cli_batch_free(&split.parts);
    free(split.part);
    halo_session_close(split.session);
    return status != HALO_OK ? (int)status : cli_fates_exit(&split.fates);
}

/* `halo merge`: turns what the parts of a batch printed into what a single machine would have printed. */
#include <float.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "halo/lines.h"
#include "halo/utf8.h"
#include "merge.h"
#include "text/page.h"
#include "totals.h"

/* Bytes of a line: the counts of the largest histogram fit, and a file that is something else does not take all
 * memory. */
#define MOST_LINE ((size_t)256 << 20)
/* Parts are read twice, so that what comes from a pipe is kept. */
#define MOST_PIPED ((size_t)256 << 20)

/* What one part printed. */
typedef struct Shard {
    const char *path;
    HaloSource *source;
    CliText piped; /* all of it, where the source cannot go back */
    int64_t shard, of, first, inputs, all, failed;
    const char *recipe;
    JsonValue *record, *summary; /* NULL: there is no such line */
    CliText kept[2];             /* what these two point into */
} Shard;

/* The beginnings of two objects, as halo writes them. All other lines are passed on as they are. */
static const char shard_begins[] = "{\"type\":\"shard\",", summary_begins[] = "{\"type\":\"summary\",";

static bool begins(const char *line, size_t length, const char *with)
{
    return length >= strlen(with) && memcmp(line, with, strlen(with)) == 0;
}

/* ---- reading -------------------------------------------------------------------------------------------- */

static HaloStatus keep_piped(Shard *shard)
{
    HaloStatus status = HALO_OK;
    char *block = cli_alloc(1, 65536);
    size_t got = 1;
    while (got > 0) {
        HALO_TRY(halo_source_read(shard->source, block, 65536, &got));
        cli_add(&shard->piped, block, got);
        if (memchr(block, 0, got) != NULL) HALO_FAIL(HALO_ERR_INPUT, "contains a NUL byte: it is not JSON");
        if (shard->piped.length > MOST_PIPED)
            HALO_FAIL(HALO_ERR_LIMIT,
                      "from a pipe at most %zu MiB are read: save it in a file, which may be larger",
                      MOST_PIPED >> 20);
    }
    halo_source_close(shard->source);
    shard->source = NULL;
    HALO_TRY(halo_source_from_memory(shard->piped.data, shard->piped.length, &shard->source));
out:
    free(block);
    return status;
}

static HaloStatus read_record(const HaloLines *lines, const char *line, size_t length, CliText *kept,
                              JsonValue **record)
{
    if (*record != NULL) return halo_fail(HALO_ERR_INPUT, "contains several shards; give a file for each");
    cli_add(kept, line, length);
    const HaloStatus status = json_read(kept->data, record);
    return status == HALO_OK ? status : halo_fail_at(status, "line %lld", lines->line);
}

/* Lines are passed on as they are, so that they have to be what JSON may be: UTF-8 without control characters.
 */
static bool is_text(const char *line, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)line[i] < ' ' && line[i] != '\t' && !(line[i] == '\r' && i + 1 == length))
            return false;
    return halo_utf8_valid(line, length) && memchr(line, 0x7f, length) == NULL;
}

static HaloStatus read_lines(Shard *shard, HaloLines *lines)
{
    HaloStatus status = HALO_OK;
    char *line;
    size_t length;
    while (true) {
        HALO_TRY(halo_lines_next(lines, '\n', &line, &length));
        if (line == NULL) break;
        if (memchr(line, 0, length) != NULL)
            HALO_FAIL(HALO_ERR_INPUT, "line %lld contains a NUL byte: it is not JSON", lines->line);
        if (!is_text(line, length))
            HALO_FAIL(HALO_ERR_INPUT, "line %lld contains bytes invalid in JSON: it is damaged", lines->line);
        if (begins(line, length, shard_begins))
            HALO_TRY(read_record(lines, line, length, &shard->kept[0], &shard->record));
        else if (begins(line, length, summary_begins))
            HALO_TRY(read_record(lines, line, length, &shard->kept[1], &shard->summary));
    }
out:
    return status;
}

/* Without its record a part is cut off, or something else: the first line that is no JSON says more. */
static HaloStatus no_record(HaloLines *lines)
{
    HaloStatus status = HALO_OK;
    JsonValue *value = NULL;
    char *line;
    size_t length;
    while (true) {
        HALO_TRY(halo_lines_next(lines, '\n', &line, &length));
        if (line == NULL) break;
        if (strspn(line, " \t\r") == length) continue;
        status = json_read(line, &value);
        if (status != HALO_OK) halo_fail_at(status, "line %lld", lines->line);
        HALO_TRY(status);
        json_free(value);
    }
    status = halo_fail(HALO_ERR_INPUT,
                       "is incomplete: the last object that 'halo … --shard i/n --json' prints is missing");
out:
    return status;
}

static HaloStatus read_shard(Shard *shard)
{
    HaloStatus status = HALO_OK;
    HaloLines lines = {0};
    HALO_TRY(halo_source_open(shard->path, &shard->source));
    if (!halo_source_seekable(shard->source)) HALO_TRY(keep_piped(shard));
    lines = halo_lines_of(shard->source, MOST_LINE);
    HALO_TRY(read_lines(shard, &lines));
    if (shard->record == NULL) {
        halo_lines_free(&lines);
        lines = halo_lines_of(shard->source, MOST_LINE);
        HALO_TRY(halo_source_seek(shard->source, 0));
        HALO_TRY(no_record(&lines));
    }
    HALO_TRY(json_get_range(shard->record, "of", 1, TOTALS_MOST, &shard->of));
    HALO_TRY(json_get_range(shard->record, "shard", 1, shard->of, &shard->shard));
    HALO_TRY(json_get_range(shard->record, "all", 0, TOTALS_MOST, &shard->all));
    HALO_TRY(json_get_range(shard->record, "first", 0, shard->all, &shard->first));
    HALO_TRY(json_get_range(shard->record, "inputs", 0, shard->all - shard->first, &shard->inputs));
    HALO_TRY(json_get_range(shard->record, "failed", 0, shard->inputs, &shard->failed));
    HALO_TRY(json_get_text(shard->record, "recipe", &shard->recipe));
out:
    halo_lines_free(&lines);
    return status == HALO_OK ? status : halo_fail_about(status, shard->path);
}

static int by_shard(const void *a, const void *b)
{
    const Shard *x = a, *y = b;
    return (x->shard > y->shard) - (x->shard < y->shard);
}

/* Checks that all parts are there, each once, and of the same batch. */
static HaloStatus check_set(const Shard *shard, size_t count)
{
    HaloStatus status = HALO_OK;
    int64_t next = 0;
    for (size_t i = 0; i < count; i++) {
        const Shard *s = &shard[i];
        if (s->of != shard[0].of || s->all != shard[0].all || strcmp(s->recipe, shard[0].recipe) != 0)
            HALO_FAIL(HALO_ERR_INPUT, "%s and %s are not shards of the same batch", shard[0].path, s->path);
        if (i > 0 && s->shard == s[-1].shard)
            HALO_FAIL(HALO_ERR_INPUT, "%s and %s are both shard %lld", s[-1].path, s->path,
                      (long long)s->shard);
        if (s->shard != (int64_t)i + 1)
            HALO_FAIL(HALO_ERR_INPUT, "shard %zu of %lld is missing", i + 1, (long long)s->of);
        if (s->first != next)
            HALO_FAIL(HALO_ERR_INPUT, "%s does not begin where the previous shard ends", s->path);
        next = s->first + s->inputs;
    }
    if ((int64_t)count != shard[0].of)
        HALO_FAIL(HALO_ERR_INPUT, "shard %zu of %lld is missing", count + 1, (long long)shard[0].of);
    if (next != shard[0].all)
        HALO_FAIL(HALO_ERR_INPUT, "the shards do not add up to the batch: they come from different runs");
out:
    return status;
}

/* ---- printing ------------------------------------------------------------------------------------------- */

static HaloStatus print_lines(FILE *to, const Shard *shard)
{
    HaloStatus status = HALO_OK;
    HaloLines lines = halo_lines_of(shard->source, MOST_LINE);
    char *line;
    size_t length;
    HALO_TRY(halo_source_seek(shard->source, 0));
    while (!ferror(to)) {
        HALO_TRY(halo_lines_next(&lines, '\n', &line, &length));
        if (line == NULL) break;
        if (begins(line, length, shard_begins) || begins(line, length, summary_begins)) continue;
        if (length > 0 && line[length - 1] == '\r') length--; /* of CR LF */
        fwrite(line, 1, length, to);
        fputc('\n', to);
    }
out:
    halo_lines_free(&lines);
    return status == HALO_OK ? status : halo_fail_about(status, shard->path);
}

static HaloStatus read_totals(const Shard *shard, size_t count, CliTotals *totals)
{
    for (size_t i = 0; i < count; i++) {
        const HaloStatus status = cli_totals_read(totals, shard[i].record);
        if (status != HALO_OK) return halo_fail_about(status, shard[i].path);
    }
    return HALO_OK;
}

static void add_device(const JsonValue *one, CliTally *sum)
{
    const JsonValue *backend = json_find(one, "backend"), *device = json_find(one, "device");
    if (backend == NULL || device == NULL || backend->type != JSON_TEXT || device->type != JSON_TEXT) return;
    cli_tally_device(sum, backend->text, device->text);
}

static HaloStatus read_summary(const Shard *shard, int64_t *ok, int64_t *failed, int64_t *skipped,
                               double *seconds)
{
    HaloStatus status = HALO_OK;
    HALO_TRY(json_get_range(shard->summary, "ok", 0, TOTALS_MOST, ok));
    HALO_TRY(json_get_range(shard->summary, "failed", 0, TOTALS_MOST, failed));
    HALO_TRY(json_get_range(shard->summary, "skipped", 0, TOTALS_MOST, skipped));
    HALO_TRY(json_get_finite(shard->summary, "seconds", 0, DBL_MAX, seconds));
out:
    return status == HALO_OK ? status : halo_fail_about(status, shard->path);
}

/* Parts run at the same time: the batch took as long as the longest. */
static HaloStatus read_summaries(const Shard *shard, size_t count, CliTally *sum)
{
    HaloStatus status = HALO_OK;
    for (size_t i = 0; i < count; i++) {
        int64_t ok = 0, failed = 0, skipped = 0;
        double seconds = 0;
        if (shard[i].summary == NULL) continue;
        HALO_TRY(read_summary(&shard[i], &ok, &failed, &skipped, &seconds));
        sum->ok += (size_t)ok;
        sum->failed += (size_t)failed;
        sum->skipped += (size_t)skipped;
        if (seconds > sum->seconds) sum->seconds = seconds;
        add_device(shard[i].summary, sum);
    }
out:
    return status;
}

static HaloStatus merge(Shard *shard, size_t count, FILE *to, CliMerged *merged)
{
    HaloStatus status = HALO_OK;
    CliTotals *totals = cli_totals_new(0);
    CliTally sum = {0};
    for (size_t i = 0; i < count; i++) HALO_TRY(read_shard(&shard[i]));
    qsort(shard, count, sizeof *shard, by_shard);
    HALO_TRY(check_set(shard, count));
    HALO_TRY(read_totals(shard, count, totals));
    HALO_TRY(read_summaries(shard, count, &sum));
    for (size_t i = 0; i < count; i++) HALO_TRY(print_lines(to, &shard[i]));
    cli_totals_print(to, totals, true);
    merged->apart = cli_totals_whole(totals) != HALO_OK;
    if (shard[0].summary != NULL) cli_record_summary(to, &sum);
out:
    cli_totals_free(totals);
    return status;
}

HaloStatus cli_merge_parts(const char *const *path, size_t count, FILE *to, CliMerged *merged)
{
    Shard *shard = cli_alloc(count, sizeof *shard);
    *merged = (CliMerged){0};
    for (size_t i = 0; i < count; i++) shard[i].path = path[i];
    const HaloStatus status = merge(shard, count, to, merged);
    for (size_t i = 0; i < count; i++) {
        merged->inputs = shard[i].all;
        merged->failed += shard[i].failed;
        halo_source_close(shard[i].source);
        json_free(shard[i].record);
        json_free(shard[i].summary);
        free(shard[i].piped.data);
        free(shard[i].kept[0].data);
        free(shard[i].kept[1].data);
    }
    free(shard);
    return status;
}

int cli_merge(const CliSettings *settings)
{
    HaloStatus status = HALO_OK;
    CliMerged merged = {0};
    if (settings->words == 0)
        HALO_FAIL(HALO_ERR_USAGE, "the shards are missing: halo merge %s", settings->command->usage);
    FILE *page = cli_page_through(true, NULL, STDOUT_FILENO);
    HALO_TRY(cli_merge_parts(settings->word, settings->words, page, &merged));
    HALO_TRY(cli_page_close());
    if (merged.apart && merged.failed > 0) cli_complain("merge: %s", CLI_TOTALS_APART);
    if (merged.failed > 0) /* as one machine would have ended */
        HALO_FAIL(HALO_ERR_INPUT, "%lld of %lld inputs failed", (long long)merged.failed,
                  (long long)merged.inputs);
    if (merged.apart) HALO_FAIL(HALO_ERR_INPUT, "%s", CLI_TOTALS_APART);
out:
    if (status != HALO_OK && status != HALO_ERR_PIPE) cli_complain("merge: %s", halo_error());
    return status;
}

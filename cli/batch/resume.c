/* --resume: reads journals, and looks up each item in them. */
#include "resume.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "halo/lines.h"

#define FIELDS 8 /* of the longest line: what, output, its size and time, input, its size and time, recipe */

typedef struct Entry {
    char what; /* '+' begun, '=' done, '-' failed; '~' begun to be compared, '!' compared */
    const char *output, *input;
    CliStamp made, from;
    uint64_t recipe;
} Entry;

/* Longer lines are none of halo's: paths are shorter. */
#define MOST_LINE 65536

/* What the journals say of an item. The order of their lines does not matter, as there may be several journals.
 */
typedef struct Tally {
    const char *output; /* below the folder */
    CliItem *item;
    int64_t begun, failed, done, comparing;
} Tally;

/* Of all items, by their outputs: journals are read line by line, however long they are. */
typedef struct Log {
    uint64_t recipe;
    Tally *tally;
    size_t count;
} Log;

/* ---- lines ---------------------------------------------------------------------------------------------- */

static void unescape(char *name)
{
    char *to = name;
    for (; *name != 0; name++) {
        if (*name == '\\' && name[1] != 0) {
            name++;
            *to++ = *name == 't' ? '\t' : *name == 'n' ? '\n' : *name;
        } else {
            *to++ = *name;
        }
    }
    *to = 0;
}

static bool read_stamp(char *const field[2], CliStamp *stamp)
{
    return halo_read_int(field[0], INT64_MIN, INT64_MAX, &stamp->size, NULL) &&
           halo_read_int(field[1], INT64_MIN, INT64_MAX, &stamp->time, NULL);
}

/* False for incomplete lines and anything else: the recipe, of fixed length, stands last. */
static bool read_line(char *line, Entry *entry)
{
    char *field[FIELDS] = {0};
    int fields = 0;
    for (char *at = line; at != NULL && fields < FIELDS; fields++) {
        field[fields] = at;
        at = strchr(at, '\t');
        if (at != NULL) *at++ = 0;
    }
    const bool done = fields == FIELDS && strcmp(field[0], "=") == 0;
    if (!done && (fields != 3 || strlen(field[0]) != 1 || strchr("+-~!", *field[0]) == NULL)) return false;
    const char *recipe = field[fields - 1];
    *entry = (Entry){.what = *field[0], .output = field[1]};
    if (strlen(recipe) != 16 || !halo_read_hex(recipe, 16, &entry->recipe)) return false;
    unescape(field[1]);
    if (!done) return true;
    entry->input = field[4];
    unescape(field[4]);
    return read_stamp(field + 2, &entry->made) && read_stamp(field + 5, &entry->from);
}

static int by_output(const void *a, const void *b)
{
    return strcmp(((const Tally *)a)->output, ((const Tally *)b)->output);
}

static bool same(CliStamp a, CliStamp b) { return a.size >= 0 && a.size == b.size && a.time == b.time; }

/* An item is done where a line says so and its input and output still are as the line says. */
static void take_entry(const Log *log, const Entry *entry)
{
    const Tally key = {.output = entry->output};
    Tally *tally = log->count > 0 ? bsearch(&key, log->tally, log->count, sizeof key, by_output) : NULL;
    if (tally == NULL) return;
    CliItem *item = tally->item;
    tally->begun += entry->what == '+';
    tally->failed += entry->what == '-';
    tally->done += entry->what == '=';
    tally->comparing += (entry->what == '~') - (entry->what == '!');
    item->done =
        item->done ||
        (entry->what == '=' && entry->recipe == log->recipe && strcmp(entry->input, item->input) == 0 &&
         same(entry->made, cli_stamp(item->output)) && same(entry->from, cli_stamp(item->input)));
}

typedef struct Place {
    int fd;
    off_t at;
} Place;

static HaloStatus take_bytes(void *from, void *bytes, size_t size, size_t *got)
{
    Place *place = from;
    ssize_t n;
    do n = pread(place->fd, bytes, size, place->at);
    while (n < 0 && errno == EINTR);
    if (n < 0) return halo_fail(HALO_ERR_INPUT, "%s", strerror(errno));
    place->at += n;
    *got = (size_t)n;
    return HALO_OK;
}

static HaloStatus read_journal(const Log *log, int fd, const char *path)
{
    HaloStatus status = HALO_OK;
    Place place = {.fd = fd};
    HaloLines lines = {.take = take_bytes, .from = &place, .most = MOST_LINE, .skip_long = true};
    Entry entry;
    char *line;
    size_t length;
    while (true) {
        HALO_TRY(halo_lines_next(&lines, '\n', &line, &length));
        if (line == NULL) break;
        const bool whole = strlen(line) == length; /* no line that halo wrote has zero bytes */
        if (whole && read_line(line, &entry)) take_entry(log, &entry);
    }
out:
    halo_lines_free(&lines);
    return status == HALO_OK ? status : halo_fail_about(status, path);
}

static HaloStatus read_other(const Log *log, const char *path)
{
    int fd;
    HaloStatus status = cli_journal_file(path, O_RDONLY, &fd);
    if (status != HALO_OK) return status;
    status = read_journal(log, fd, path);
    close(fd);
    return status;
}

/* Those of other parts, or of a run without parts, count as well. */
static HaloStatus read_others(const Log *log, const CliSettings *settings, const char *own)
{
    HaloStatus status = HALO_OK;
    DIR *folder = opendir(settings->out_dir);
    if (folder == NULL) return HALO_OK; /* nothing is there yet */
    for (const struct dirent *entry; status == HALO_OK && (entry = readdir(folder)) != NULL;) {
        char *path = cli_format("%s/%s", settings->out_dir, entry->d_name);
        struct stat a, b;
        const bool is_journal =
            strncmp(entry->d_name, CLI_JOURNAL_NAME, sizeof CLI_JOURNAL_NAME - 1) == 0 && lstat(path, &a) == 0;
        const bool is_own =
            is_journal && own != NULL && lstat(own, &b) == 0 && a.st_ino == b.st_ino && a.st_dev == b.st_dev;
        if (is_journal && !is_own) status = read_other(log, path);
        free(path);
    }
    closedir(folder);
    return status;
}

/* ---- what they say of an item -----------------------------------------------------------------------------
 */

/* Every output that was begun, and not given up, is halo's own and may be replaced. */
static void mark(const Tally *tally, bool touch)
{
    tally->item->ours = tally->begun > tally->failed;
    if (touch && tally->begun + tally->comparing > tally->failed + tally->done)
        halo_sink_sweep(tally->item->output);
}

HaloStatus cli_resume(const CliSettings *settings, uint64_t recipe, int own, CliBatch *batch)
{
    HaloStatus status = HALO_OK;
    Log log = {.recipe = recipe, .tally = cli_alloc(batch->count, sizeof *log.tally)};
    char *path = cli_journal_path(settings);
    const size_t prefix = cli_below_out_dir(settings);
    for (size_t i = 0; i < batch->count; i++) {
        CliItem *item = &batch->item[i];
        if (item->output != NULL)
            log.tally[log.count++] = (Tally){.output = item->output + prefix, .item = item};
    }
    if (log.count > 0) qsort(log.tally, log.count, sizeof *log.tally, by_output);
    HALO_TRY(read_others(&log, settings, own >= 0 ? path : NULL));
    if (own >= 0) HALO_TRY(read_journal(&log, own, path));
    for (size_t i = 0; i < log.count; i++) mark(&log.tally[i], own >= 0);
out:
    free(log.tally);
    free(path);
    return status;
}

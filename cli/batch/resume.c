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

#define NAME ".halo-journal"
#define FIELDS 8 /* of the longest line: what, output, its size and time, input, its size and time, recipe */

typedef struct Entry {
    char what; /* '+' begun, '=' done, '-' failed; '~' begun to be compared, '!' compared */
    const char *output, *input;
    CliStamp made, from;
    uint64_t recipe;
} Entry;

typedef struct Log {
    char **text; /* of each journal; what the entries' names point into */
    size_t texts, text_room;
    Entry *entry;
    size_t entries, entry_room;
} Log;

/* ---- where ---------------------------------------------------------------------------------------------- */

char *cli_journal_path(const CliSettings *settings)
{
    const size_t length = strlen(settings->out_dir);
    const char *slash = length > 0 && settings->out_dir[length - 1] == '/' ? "" : "/";
    if (settings->shards == 0) return cli_format("%s%s%s", settings->out_dir, slash, NAME);
    return cli_format("%s%s%s-%lld-of-%lld", settings->out_dir, slash, NAME, (long long)settings->shard,
                      (long long)settings->shards);
}

HaloStatus cli_journal_file(const char *path, int flags, int *fd)
{
    HaloStatus status = HALO_OK;
    struct stat st;
    *fd = open(path, flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
    if (*fd < 0) HALO_TRY(halo_fail_on(HALO_ERR_OUTPUT, path, ": cannot open it: %s", strerror(errno)));
    if (fstat(*fd, &st) != 0)
        HALO_TRY(halo_fail_on(HALO_ERR_OUTPUT, path, ": cannot look at it: %s", strerror(errno)));
    if (!S_ISREG(st.st_mode))
        HALO_TRY(
            halo_fail_on(HALO_ERR_OUTPUT, path, ": cannot be a journal, it is no regular file: remove it"));
out:
    if (status != HALO_OK && *fd >= 0) {
        close(*fd);
        *fd = -1;
    }
    return status;
}

size_t cli_below_out_dir(const CliSettings *settings)
{
    const size_t length = strlen(settings->out_dir);
    return length + (length == 0 || settings->out_dir[length - 1] != '/');
}

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

static void read_lines(Log *log, char *text)
{
    Entry entry;
    for (char *line = text, *next; line != NULL; line = next) {
        next = strchr(line, '\n');
        if (next != NULL) *next++ = 0;
        if (!read_line(line, &entry)) continue;
        log->entry = cli_grow(log->entry, log->entries, &log->entry_room, sizeof *log->entry);
        log->entry[log->entries++] = entry;
    }
}

static HaloStatus read_journal(Log *log, int fd, const char *path)
{
    CliText text = {0};
    char block[65536];
    ssize_t got = 0;
    off_t at = 0;
    do {
        got = pread(fd, block, sizeof block, at);
        if (got > 0) cli_add(&text, block, (size_t)got);
        if (got > 0) at += got;
    } while (got > 0 || (got < 0 && errno == EINTR));
    if (got < 0) {
        free(text.data);
        return halo_fail_on(HALO_ERR_INPUT, path, ": %s", strerror(errno));
    }
    if (text.data == NULL) return HALO_OK;
    for (size_t i = 0; i < text.length; i++) /* of no line that halo wrote, and would end the text */
        if (text.data[i] == 0) text.data[i] = '?';
    log->text = cli_grow(log->text, log->texts, &log->text_room, sizeof *log->text);
    log->text[log->texts++] = text.data;
    read_lines(log, text.data);
    return HALO_OK;
}

static HaloStatus read_other(Log *log, const char *path)
{
    int fd;
    HaloStatus status = cli_journal_file(path, O_RDONLY, &fd);
    if (status != HALO_OK) return status;
    status = read_journal(log, fd, path);
    close(fd);
    return status;
}

/* Those of other parts, or of a run without parts, count as well. */
static HaloStatus read_others(Log *log, const CliSettings *settings, const char *own)
{
    HaloStatus status = HALO_OK;
    DIR *folder = opendir(settings->out_dir);
    if (folder == NULL) return HALO_OK; /* nothing is there yet */
    for (const struct dirent *entry; status == HALO_OK && (entry = readdir(folder)) != NULL;) {
        char *path = cli_format("%s/%s", settings->out_dir, entry->d_name);
        struct stat a, b;
        const bool is_journal = strncmp(entry->d_name, NAME, sizeof NAME - 1) == 0 && stat(path, &a) == 0;
        const bool is_own = is_journal && own != NULL && stat(own, &b) == 0 && a.st_ino == b.st_ino && a.st_dev == b.st_dev;
        if (is_journal && !is_own) status = read_other(log, path);
        free(path);
    }
    closedir(folder);
    return status;
}

/* ---- what they say of an item -----------------------------------------------------------------------------
 */

static int by_output(const void *a, const void *b)
{
    return strcmp(((const Entry *)a)->output, ((const Entry *)b)->output);
}

static bool same(CliStamp a, CliStamp b) { return a.size >= 0 && a.size == b.size && a.time == b.time; }

/* An item is done where a line says so and its input and output still are as the line says. Every output that
 * was begun, and not given up, is halo's own and may be replaced. The order of lines does not matter, as there
 * may be several journals. */
static void mark(const Log *log, uint64_t recipe, const char *below, bool touch, CliItem *item)
{
    size_t low = 0, high = log->entries;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(log->entry[middle].output, below) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    int begun = 0, failed = 0, done = 0, comparing = 0;
    for (size_t i = low; i < log->entries && strcmp(log->entry[i].output, below) == 0; i++) {
        const Entry *entry = &log->entry[i];
        begun += entry->what == '+';
        failed += entry->what == '-';
        done += entry->what == '=';
        comparing += (entry->what == '~') - (entry->what == '!');
        item->done = item->done ||
                     (entry->what == '=' && entry->recipe == recipe && strcmp(entry->input, item->input) == 0 &&
                      same(entry->made, cli_stamp(item->output)) && same(entry->from, cli_stamp(item->input)));
    }
    item->ours = begun > failed;
    if (touch && begun + comparing > failed + done) halo_sink_sweep(item->output);
}

HaloStatus cli_resume(const CliSettings *settings, uint64_t recipe, int own, CliBatch *batch)
{
    HaloStatus status = HALO_OK;
    Log log = {0};
    char *path = cli_journal_path(settings);
    const size_t prefix = cli_below_out_dir(settings);
    HALO_TRY(read_others(&log, settings, own >= 0 ? path : NULL));
    if (own >= 0) HALO_TRY(read_journal(&log, own, path));
    if (log.entries > 0) qsort(log.entry, log.entries, sizeof *log.entry, by_output);
    for (size_t i = 0; i < batch->count; i++)
        if (batch->item[i].output != NULL)
            mark(&log, recipe, batch->item[i].output + prefix, own >= 0, &batch->item[i]);
out:
    for (size_t i = 0; i < log.texts; i++) free(log.text[i]);
    free(log.text);
    free(log.entry);
    free(path);
    return status;
}

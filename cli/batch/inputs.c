/* The inputs of a command: files as they are named, folders walked, lists read. */
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "batch.h"
#include "halo/lines.h"

typedef struct Walk {
    const CliSettings *settings;
    CliBatch *batch;
    bool has_out;
    struct stat out; /* --out-dir: halo does not feed on its own outputs */
} Walk;

static CliItem *add_item(CliBatch *batch, const char *input, const char *dir)
{
    batch->item = cli_grow(batch->item, batch->count, &batch->capacity, sizeof *batch->item);
    CliItem *item = &batch->item[batch->count++];
    *item = (CliItem){.input = cli_copy(input), .dir = cli_copy(dir)};
    return item;
}

/* Some formats are folders, such as Zarr. */
static const char *folder_reason(const char *path)
{
    static char reason[256];
    char extension[HALO_WORD_SIZE];
    const HaloForeign *foreign = halo_tables()->foreign_named(halo_lower_extension(path, extension));
    if (foreign == NULL || foreign->way_out == NULL) return "is a folder; -r takes the files in it";
    snprintf(reason, sizeof reason, "%s is not a format that halo reads: convert it first: %s", foreign->name,
             foreign->way_out);
    return reason;
}

static void add_failed(CliBatch *batch, const char *input, const char *reason)
{
    CliItem *item = add_item(batch, input, "");
    item->status = halo_fail_on(HALO_ERR_INPUT, input, ": %s", reason);
    item->error = cli_failure(item, item->status);
}

/* Does a file's name have the extension of a readable format, or of one that this build leaves out, which fails
 * with a message? Tables (CSV, text) count only on request, since notes and lists often lie beside images. */
static bool is_known(const CliSettings *settings, const char *path)
{
    char extension[HALO_WORD_SIZE];
    const HaloFormat *format = halo_find_format(halo_lower_extension(path, extension));
    if (settings->raw.kind != 0 || settings->engine.read_as != NULL) return true;
    const HaloForeign *foreign = format == NULL ? halo_tables()->foreign_named(extension) : NULL;
    if (format == NULL) return foreign != NULL && foreign->library != NULL;
    return format->open != NULL && (!format->named || !format->text || settings->include.count > 0);
}

/* ---- --include and --exclude --------------------------------------------------------------------------- */

/* The name alone, or the path as it is below the folder that was named. */
static bool matches(const CliWords *globs, const char *path)
{
    const char *name = halo_base_name(path);
    for (size_t i = 0; i < globs->count; i++)
        if (fnmatch(globs->word[i], name, 0) == 0 || fnmatch(globs->word[i], path, 0) == 0) return true;
    return false;
}

static bool is_selected(const CliSettings *settings, const char *path)
{
    return (settings->include.count == 0 || matches(&settings->include, path)) &&
           !matches(&settings->exclude, path);
}

/* ---- folders ------------------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* The names in a folder, sorted, hidden ones left out. Read whole before anything deeper is opened, so that
 * depth costs no file descriptors. */
static bool read_folder(const char *path, char ***names, size_t *count)
{
    size_t capacity = 0;
    DIR *folder = opendir(path);
    *names = NULL;
    *count = 0;
    if (folder == NULL) return false;
    errno = 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] == '.') continue;
        *names = cli_grow(*names, *count, &capacity, sizeof **names);
        (*names)[(*count)++] = cli_copy(entry->d_name);
    }
    const int error = errno;
    closedir(folder);
    if (*count > 0) qsort(*names, *count, sizeof **names, by_name);
    errno = error;
    return error == 0;
}

/* Links to folders are not followed inside a walk, as find and grep do, so it always ends. */
static void walk(const Walk *w, const char *path, const char *below)
{
    char **name;
    size_t names;
    const size_t length = strlen(path);
    const char *slash = length > 0 && path[length - 1] == '/' ? "" : "/";
    if (!read_folder(path, &name, &names)) add_failed(w->batch, path, strerror(errno));
    for (size_t i = 0; i < names; i++) {
        struct stat st;
        char *inner = cli_format("%s%s%s", path, slash, name[i]);
        char *deeper = cli_format("%s%s%s", below, *below != 0 ? "/" : "", name[i]);
        if (lstat(inner, &st) != 0)
            add_failed(w->batch, inner, strerror(errno));
        else if (S_ISDIR(st.st_mode)) {
            const bool is_out = w->has_out && st.st_dev == w->out.st_dev && st.st_ino == w->out.st_ino;
            if (!is_out && !matches(&w->settings->exclude, deeper)) walk(w, inner, deeper);
        } else if (is_known(w->settings, inner) && is_selected(w->settings, deeper) &&
                   (S_ISREG(st.st_mode) || (stat(inner, &st) == 0 && S_ISREG(st.st_mode))))
            add_item(w->batch, inner, below);
        free(inner);
        free(deeper);
        free(name[i]);
    }
    free(name);
}

/* Named files are tried, whatever their extension, unless they are left out. */
static void add_path(const Walk *w, const char *path)
{
    struct stat st;
    if (strcmp(path, "-") == 0)
        add_item(w->batch, path, "");
    else if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode)) {
        if (is_selected(w->settings, path)) add_item(w->batch, path, "");
    } else if (w->settings->recursive)
        walk(w, path, "");
    else
        add_failed(w->batch, path, folder_reason(path));
}

/* Paths are shorter than this: a longer line is of a file that is no list. */
#define MOST_PATH 65536
/* What a list may take unless --max-memory says so: some millions of paths. */
#define LIST_MEMORY ((int64_t)1 << 30)

/* A list that never ends must not take all memory: `held` is what its items have taken so far. */
static HaloStatus hold_item(const CliSettings *settings, size_t length, int64_t *held)
{
    const int64_t allowed = settings->engine.max_memory > 0 ? settings->engine.max_memory : LIST_MEMORY;
    *held += (int64_t)(2 * length + 2 * sizeof(CliItem));
    if (*held <= allowed) return HALO_OK;
    return halo_fail(HALO_ERR_LIMIT,
                     "its paths need more memory than %lld KiB; raise the limit with --max-memory",
                     (long long)(allowed + 1023) / 1024);
}

/* The next path of a list; NULL at its end. Lines may end with CR LF. */
static HaloStatus next_path(HaloLines *lines, char end, char **path, size_t *length)
{
    const HaloStatus status = halo_lines_next(lines, end, path, length);
    if (status == HALO_OK && *path == NULL) return HALO_OK;
    const char *text = status == HALO_OK ? *path : lines->text;
    const size_t size = status == HALO_OK ? *length : lines->filled;
    if (end != 0 && size > 0 && memchr(text, 0, size) != NULL)
        return halo_fail(HALO_ERR_INPUT, "contains NUL bytes: use --files0-from for such a list");
    if (status != HALO_OK) return status;
    if (end == 0 && *length == 0) return halo_fail(HALO_ERR_INPUT, "name %lld is empty", lines->line);
    if (end == '\n' && *length > 0 && (*path)[*length - 1] == '\r') (*path)[--*length] = 0;
    return HALO_OK;
}

/* A list of paths, each ended by `end`. */
static HaloStatus add_list(const Walk *w, const char *list, char end)
{
    HaloStatus status = HALO_OK;
    HaloSource *source = NULL;
    HaloLines lines = {0};
    HaloRead read = {.what = "the list of inputs"};
    char *path;
    size_t length;
    int64_t held = 0;
    HALO_TRY(halo_source_open(list, &source));
    if (halo_source_identity(source, &read)) {
        read.mode = 0; /* none of it goes into outputs */
        cli_batch_reads(w->batch, &read);
    }
    lines = halo_lines_of(source, MOST_PATH);
    if (end == '\n') HALO_TRY(halo_lines_skip_mark(&lines));
    while (true) {
        HALO_TRY(next_path(&lines, end, &path, &length));
        if (path == NULL) break;
        HALO_TRY(hold_item(w->settings, length, &held));
        if (length > 0) add_path(w, path);
    }
out:
    if (status != HALO_OK) halo_fail_about(status, source != NULL ? halo_source_name(source) : list);
    halo_lines_free(&lines);
    halo_source_close(source);
    return status;
}

HaloStatus cli_find_inputs(const CliSettings *settings, const char *const *path, size_t paths, CliBatch *batch)
{
    HaloStatus status = HALO_OK;
    Walk w = {.settings = settings, .batch = batch};
    w.has_out = settings->out_dir != NULL && stat(settings->out_dir, &w.out) == 0;
    for (size_t i = 0; i < paths; i++) add_path(&w, path[i]);
    if (settings->files_from != NULL) HALO_TRY(add_list(&w, settings->files_from, '\n'));
    if (settings->files0_from != NULL) HALO_TRY(add_list(&w, settings->files0_from, 0));
    if (batch->count == 0 && settings->include.count + settings->exclude.count > 0)
        HALO_FAIL(HALO_ERR_INPUT, "--include and --exclude leave no input");
    if (batch->count == 0 && paths > 0)
        HALO_TRY(halo_fail_on(HALO_ERR_INPUT, path[0],
                              ": no file of a known format in it; see 'halo list formats'"));
    if (batch->count == 0 && (settings->files_from != NULL || settings->files0_from != NULL))
        HALO_FAIL(HALO_ERR_INPUT, "the list of inputs is empty");
    if (batch->count == 0)
        HALO_FAIL(HALO_ERR_USAGE, "an input is missing: halo %s %s", settings->command->name,
                  settings->command->usage);
out:
    return status;
}

/* Writing the journal of a batch; resume.c reads it. */
#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "resume.h"
#include "text/page.h"

#define MOST_TRIES 100 /* to open a journal that others remove */

struct CliJournal {
    char *path;
    size_t prefix; /* of outputs, which the journal names as they are below its folder */
    uint64_t recipe;
    int fd;
    bool keep; /* it was requested, or existed before */
    bool failed;
    pthread_mutex_t lock;
};

/* ---- lines ---------------------------------------------------------------------------------------------- */

/* Fields end with a tab and lines with a newline: names that hold any have it escaped. */
static void add_name(CliText *line, const char *name)
{
    for (; *name != 0; name++) {
        const char letter = *name == '\\' ? '\\' : *name == '\t' ? 't' : *name == '\n' ? 'n' : 0;
        if (letter != 0) cli_add_char(line, '\\');
        cli_add_char(line, letter != 0 ? letter : *name);
    }
    cli_add_char(line, '\t');
}

static void add_stamp(CliText *line, CliStamp stamp)
{
    char text[64];
    cli_add(line, text,
            (size_t)snprintf(text, sizeof text, "%lld\t%lld\t", (long long)stamp.size, (long long)stamp.time));
}

/* In one call: other runs may be writing to the same journal. A journal that cannot be written is no reason to
 * stop: what it lacks is done again. */
static void write_line(CliJournal *journal, CliText *line)
{
    cli_add_char(line, '\n');
    pthread_mutex_lock(&journal->lock);
    if (!journal->failed && write(journal->fd, line->data, line->length) != (ssize_t)line->length) {
        journal->failed = true;
        cli_complain("%s: cannot write: %s; --resume will redo the outputs not recorded in it", journal->path,
                     strerror(errno));
    }
    pthread_mutex_unlock(&journal->lock);
    free(line->data);
}

static void add_recipe(CliText *line, uint64_t recipe)
{
    char text[32];
    cli_add(line, text, (size_t)snprintf(text, sizeof text, "%016llx", (unsigned long long)recipe));
}

static void note(CliJournal *journal, char what, const CliItem *item)
{
    CliText line = {0};
    cli_add_char(&line, what);
    cli_add_char(&line, '\t');
    add_name(&line, item->output + journal->prefix);
    add_recipe(&line, journal->recipe);
    write_line(journal, &line);
}

static void note_done(CliJournal *journal, const CliItem *item, CliStamp input)
{
    CliText line = {0};
    cli_add(&line, "=\t", 2);
    add_name(&line, item->output + journal->prefix);
    add_stamp(&line, cli_stamp(item->output));
    add_name(&line, item->input);
    add_stamp(&line, input);
    add_recipe(&line, journal->recipe);
    write_line(journal, &line);
}

/* An existing file of the user must not be taken for halo's own: it will be refused, or compared. */
CliBegun cli_journal_begin(CliJournal *journal, const CliItem *item, HaloForce force)
{
    if (journal == NULL) return (CliBegun){0};
    const bool own = force == HALO_FORCE_YES || !cli_in_the_way(item->output);
    const CliBegun begun = {own ? '+' : force == HALO_FORCE_SAME ? '~' : 0, cli_stamp(item->input)};
    if (begun.what != 0) note(journal, begun.what, item);
    return begun;
}

void cli_journal_end(CliJournal *journal, const CliItem *item, CliBegun begun, HaloStatus outcome)
{
    if (journal == NULL || begun.what == 0) return;
    if (begun.what == '~') {
        note(journal, '!', item);
        if (outcome != HALO_OK) return;
        note(journal, '+', item); /* it is what halo makes */
    }
    if (outcome == HALO_OK)
        note_done(journal, item, begun.input);
    else
        note(journal, '-', item);
}

/* ---- opening -------------------------------------------------------------------------------------------- */

/* Runs that write into the same folder share the journal. One that resumes has it to itself while it reads,
 * since it removes temporaries that seem left over. On file systems without locks nothing is locked. */
static bool lock(int fd, short type, bool wait)
{
    struct flock request = {.l_type = type, .l_whence = SEEK_SET};
    int result;
    do result = fcntl(fd, wait ? F_SETLKW : F_SETLK, &request);
    while (result != 0 && errno == EINTR);
    return result == 0 || (errno != EACCES && errno != EAGAIN);
}

static void wait_for_turn(const CliJournal *journal, bool alone)
{
    if (!alone) {
        lock(journal->fd, F_RDLCK, true);
    } else if (!lock(journal->fd, F_WRLCK, false)) {
        cli_complain("waiting for another halo process that is using %s", journal->path);
        lock(journal->fd, F_WRLCK, true);
    }
}

/* The run before may have removed the journal while this one waited for it. */
static HaloStatus look(const CliJournal *journal, bool *there)
{
    struct stat open_one, named;
    const bool known = fstat(journal->fd, &open_one) == 0 && lstat(journal->path, &named) == 0;
    *there = known && open_one.st_dev == named.st_dev && open_one.st_ino == named.st_ino;
    if (known || errno == ENOENT) return HALO_OK;
    return halo_fail_on(HALO_ERR_OUTPUT, journal->path, ": cannot access it: %s", strerror(errno));
}

static HaloStatus open_locked(CliJournal *journal, bool alone)
{
    HaloStatus status = HALO_OK;
    bool there = false;
    for (int i = 0; i < MOST_TRIES && !there; i++) {
        if (journal->fd >= 0) close(journal->fd);
        HALO_TRY(cli_journal_file(journal->path, O_RDWR | O_CREAT | O_APPEND, &journal->fd));
        wait_for_turn(journal, alone);
        HALO_TRY(look(journal, &there));
    }
    if (!there)
        HALO_TRY(halo_fail_on(HALO_ERR_OUTPUT, journal->path,
                              ": cannot open it: it keeps disappearing while being opened"));
out:
    return status;
}

/* Does another kind of file have the journal's name? A journal that is only not writable does not count. */
static bool is_other_thing(const char *path)
{
    struct stat st;
    int fd;
    if (lstat(path, &st) != 0) return false;
    if (!S_ISREG(st.st_mode)) return true;
    if (access(path, R_OK) != 0) return false;
    if (cli_journal_file(path, O_RDONLY, &fd) != HALO_OK) return true;
    close(fd);
    return false;
}

/* Begins a new line, which names the process that writes the following ones. */
static void write_head(CliJournal *journal, const char *text)
{
    CliText line = {0};
    char last = '\n';
    const off_t size = lseek(journal->fd, 0, SEEK_END);
    if (size > 0 && pread(journal->fd, &last, 1, size - 1) == 1 && last != '\n') cli_add_char(&line, '\n');
    cli_add(&line, CLI_JOURNAL_HEAD, sizeof CLI_JOURNAL_HEAD - 1);
    cli_add(&line, halo_version(), strlen(halo_version()));
    cli_add_char(&line, '\t');
    add_recipe(&line, journal->recipe);
    cli_add_char(&line, '\t');
    add_name(&line, text);
    write_line(journal, &line);
}

HaloStatus cli_journal_open(const CliSettings *settings, uint64_t recipe, const char *text, CliBatch *batch,
                            CliJournal **out)
{
    HaloStatus status = HALO_OK;
    CliJournal *journal = NULL;
    *out = NULL;
    if (settings->resume && settings->out_dir == NULL)
        return halo_fail(HALO_ERR_USAGE, "--resume needs --out-dir");
    if (settings->explain || settings->out_dir == NULL || settings->split ||
        (batch->count < 2 && !settings->resume))
        return HALO_OK;
    if (settings->dry_run) return settings->resume ? cli_resume(settings, recipe, -1, batch) : HALO_OK;
    journal = cli_alloc(1, sizeof *journal);
    journal->path = cli_journal_path(settings);
    journal->prefix = cli_below_out_dir(settings);
    journal->recipe = recipe;
    journal->fd = -1;
    pthread_mutex_init(&journal->lock, NULL);
    status = cli_make_folders(journal->path, settings->write.sync);
    if (status == HALO_OK) status = open_locked(journal, settings->resume);
    if (status != HALO_OK && !settings->resume && !is_other_thing(journal->path)) {
        cli_journal_close(journal, false); /* opening the outputs will report what is wrong with the folder */
        return HALO_OK;
    }
    HALO_TRY(status);
    journal->keep = settings->resume || lseek(journal->fd, 0, SEEK_END) > 0;
    if (settings->resume) HALO_TRY(cli_resume(settings, recipe, journal->fd, batch));
    lock(journal->fd, F_RDLCK, true);
    write_head(journal, text);
    *out = journal;
out:
    if (status != HALO_OK) cli_journal_close(journal, false);
    return status;
}

void cli_journal_close(CliJournal *journal, bool all_well)
{
    if (journal == NULL) return;
    if (journal->fd >= 0) {
        if (all_well && !journal->keep && lock(journal->fd, F_WRLCK, false)) unlink(journal->path);
        close(journal->fd);
    }
    pthread_mutex_destroy(&journal->lock);
    free(journal->path);
    free(journal);
}

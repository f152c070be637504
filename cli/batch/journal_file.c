/* Journals as files: where they lie, which file is one, and what they record of others. */
#include "resume.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *cli_journal_path(const CliSettings *settings)
{
    const size_t length = strlen(settings->out_dir);
    const char *slash = length > 0 && settings->out_dir[length - 1] == '/' ? "" : "/";
    if (settings->shards == 0) return cli_format("%s%s%s", settings->out_dir, slash, CLI_JOURNAL_NAME);
    return cli_format("%s%s%s-%lld-of-%lld", settings->out_dir, slash, CLI_JOURNAL_NAME,
                      (long long)settings->shard, (long long)settings->shards);
}

/* A new file is empty. Of one whose run was killed while it wrote the first line there may be a part. */
static bool begins_like_a_journal(int fd)
{
    char head[sizeof CLI_JOURNAL_HEAD];
    ssize_t got;
    do got = pread(fd, head, sizeof CLI_JOURNAL_HEAD - 1, 0);
    while (got < 0 && errno == EINTR);
    return got < 0 || memcmp(head, CLI_JOURNAL_HEAD, (size_t)got) == 0; /* reading it will say what is wrong */
}

/* Lines are appended to it, so it must be what it seems: not what a link leads to, nor a user's own file. */
HaloStatus cli_journal_file(const char *path, int flags, int *fd)
{
    HaloStatus status = HALO_OK;
    struct stat st;
    *fd = open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
    if (*fd < 0 && errno == ELOOP)
        HALO_TRY(halo_fail_on(HALO_ERR_OUTPUT, path,
                              ": cannot be the journal of this run, it is a symbolic link: remove it"));
    if (*fd < 0) HALO_TRY(halo_fail_on(HALO_ERR_OUTPUT, path, ": cannot open it: %s", strerror(errno)));
    if (fstat(*fd, &st) != 0)
        HALO_TRY(halo_fail_on(HALO_ERR_OUTPUT, path, ": cannot access it: %s", strerror(errno)));
    if (!S_ISREG(st.st_mode))
        HALO_TRY(halo_fail_on(HALO_ERR_OUTPUT, path,
                              ": cannot be the journal of this run, it is not a regular file: remove it"));
    if (!begins_like_a_journal(*fd))
        HALO_TRY(halo_fail_on(HALO_ERR_OUTPUT, path,
                              ": cannot be the journal of this run, it was not written by halo: move it away"));
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

#ifdef __APPLE__
#define st_mtim st_mtimespec /* its name before POSIX had one */
#endif

CliStamp cli_stamp(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode)) return (CliStamp){-1, -1};
    return (CliStamp){st.st_size, (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec};
}

/* How far a batch is: a line on terminals, or JSON for programs. */
#include "progress.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "text/json.h"

static struct {
    bool line, json;
    size_t total;
    double begun, drawn;
} progress; /* the main thread's */

/* Who has it may print. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static bool shown; /* there is a line */

double cli_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void cli_progress_begin(CliProgress how, bool quiet, size_t total)
{
    const char *terminal = getenv("TERM");
    progress.line = how == CLI_PROGRESS_AUTO && !quiet && total > 1 && isatty(STDERR_FILENO) &&
                    terminal != NULL && strcmp(terminal, "dumb") != 0;
    progress.json = how == CLI_PROGRESS_JSON;
    progress.total = total;
    progress.begun = cli_seconds();
}

/* Inputs that are skipped take no time, and say nothing of those to come. */
static void draw_line(size_t done, size_t failed, size_t skipped, double seconds)
{
    const double rate = seconds > 0 ? (double)(done - skipped) / seconds : 0;
    const long left = rate > 0 ? (long)((double)(progress.total - done) / rate + 0.5) : 0;
    pthread_mutex_lock(&turn);
    fprintf(stderr, "\r\033[K%zu of %zu", done, progress.total);
    if (rate > 0) fprintf(stderr, ", %.1f a second, %ld:%02ld left", rate, left / 60, left % 60);
    if (failed > 0) fprintf(stderr, ", %zu failed", failed);
    shown = true;
    pthread_mutex_unlock(&turn);
}

void cli_progress_step(size_t done, const CliTally *tally)
{
    const double now = cli_seconds();
    if (progress.json) {
        CliJson json = {.to = stderr};
        cli_progress_hold();
        json_open(&json, NULL, '{');
        json_text(&json, "type", "progress");
        json_uint(&json, "done", done);
        json_uint(&json, "total", progress.total);
        json_uint(&json, "failed", tally->failed);
        json_uint(&json, "skipped", tally->skipped);
        json_number(&json, "seconds", now - progress.begun);
        json_close(&json, '}');
        json_end_line(&json);
        cli_progress_release();
    } else if (progress.line && now - progress.drawn > 0.1) { /* ten times a second is enough for eyes */
        progress.drawn = now;
        draw_line(done, tally->failed, tally->skipped, now - progress.begun);
    }
}

void cli_progress_hold(void)
{
    pthread_mutex_lock(&turn);
    if (shown) fputs("\r\033[K", stderr);
    shown = false;
}

void cli_progress_release(void) { pthread_mutex_unlock(&turn); }

void cli_progress_end(void)
{
    cli_progress_hold();
    cli_progress_release();
    progress.line = progress.json = false;
}

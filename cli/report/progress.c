/* How far a batch is: a line on terminals, or JSON for programs. */
#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "text/json.h"
#include "text/page.h"
#include "text/text.h"

static struct {
    bool line, json;
    size_t total;
    double begun, drawn;
} progress; /* the main thread's */

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

/* Skipped inputs take no time, so they do not count for the estimate. */
static void draw_line(size_t done, size_t failed, size_t skipped, double seconds)
{
    const double rate = seconds > 0 ? (double)(done - skipped) / seconds : 0;
    const long left = rate > 0 ? (long)((double)(progress.total - done) / rate + 0.5) : 0;
    char *speed =
        rate > 0 ? cli_format(", %.1f a second, %ld:%02ld left", rate, left / 60, left % 60) : cli_copy("");
    char *failures = failed > 0 ? cli_format(", %zu failed", failed) : cli_copy("");
    char *line = cli_format("%zu of %zu%s%s", done, progress.total, speed, failures);
    cli_terminal_line(line);
    free(speed);
    free(failures);
    free(line);
}

void cli_progress_step(size_t done, const CliTally *tally)
{
    const double now = cli_seconds();
    if (progress.json) {
        CliJson json = {.to = stderr};
        cli_terminal_hold();
        json_open(&json, NULL, '{');
        json_text(&json, "type", "progress");
        json_uint(&json, "done", done);
        json_uint(&json, "total", progress.total);
        json_uint(&json, "failed", tally->failed);
        json_uint(&json, "skipped", tally->skipped);
        json_number(&json, "seconds", now - progress.begun);
        json_close(&json, '}');
        json_end_line(&json);
        cli_terminal_release();
    } else if (progress.line && now - progress.drawn > 0.1) { /* ten times a second is enough for eyes */
        progress.drawn = now;
        draw_line(done, tally->failed, tally->skipped, now - progress.begun);
    }
}

void cli_progress_end(void)
{
    cli_terminal_hold();
    cli_terminal_release();
    progress.line = progress.json = false;
}

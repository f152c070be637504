/* What SIGINT, SIGTERM, SIGHUP and SIGQUIT do: leave nothing half-written, say how far the work was, and end
 * the program as they would have without us, so that a shell's loop ends as well. */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "signals.h"

static volatile sig_atomic_t done_count, total_count, has_journal;
static bool on_terminal; /* which has just shown ^C */
static pthread_t main_thread;
static const char *volatile scratch_folder;
static const CliBatch *volatile scratch_outputs[2];

/* Only functions that a signal handler may call. */
static char *put_number(char *end, int value)
{
    do *--end = (char)('0' + value % 10);
    while ((value /= 10) > 0);
    return end;
}

static void say(const char *text, size_t length)
{
    const ssize_t ignored = write(STDERR_FILENO, text, length);
    (void)ignored;
}

static void say_number(int value)
{
    char digits[16];
    const char *first = put_number(digits + sizeof digits, value);
    say(first, (size_t)(digits + sizeof digits - first));
}

static void remove_scratch(void)
{
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; scratch_outputs[k] != NULL && i < scratch_outputs[k]->count; i++)
            if (scratch_outputs[k]->item[i].output != NULL) unlink(scratch_outputs[k]->item[i].output);
    if (scratch_folder != NULL) rmdir(scratch_folder);
}

static void say_how_far(void)
{
    static const char begin[] = "halo: stopped, ", middle[] = " of ", end[] = " inputs done",
                      hint[] = "; the same command with --resume goes on";
    if (on_terminal) say("\n", 1);
    if (total_count == 0) return;
    say(begin, sizeof begin - 1);
    say_number((int)done_count);
    say(middle, sizeof middle - 1);
    say_number((int)total_count);
    say(end, sizeof end - 1);
    if (has_journal) say(hint, sizeof hint - 1);
    say("\n", 1);
}

/* The default action: the process ends by the signal, for SIGQUIT with a core dump where the system is set up
 * for them. The first process of a container has no default action, and exits. */
static void die_of(int signal_number)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigset_t this_one;
    sigemptyset(&this_one);
    sigaddset(&this_one, signal_number);
    sigaction(signal_number, &action, NULL);
    raise(signal_number);
    pthread_sigmask(SIG_UNBLOCK, &this_one, NULL);
    _exit(128 + signal_number);
}

/* Runs in the main thread, which does nothing else from then on. Other threads go on, but cannot make files any
 * more. */
static void stop(int signal_number)
{
    if (!pthread_equal(pthread_self(), main_thread)) {
        pthread_kill(main_thread, signal_number);
        return;
    }
    halo_sink_abandon_all();
    remove_scratch();
    say_how_far();
    die_of(signal_number);
}

void cli_signals_install(void)
{
    static const int stops[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    struct sigaction action = {.sa_handler = stop}, before;
    main_thread = pthread_self();
    on_terminal = isatty(STDERR_FILENO);
    sigfillset(&action.sa_mask); /* a second signal waits */
    for (size_t i = 0; i < sizeof stops / sizeof stops[0]; i++)
        if (sigaction(stops[i], NULL, &before) == 0 &&
            before.sa_handler != SIG_IGN) /* ignored by the parent: nohup, a shell's background */
            sigaction(stops[i], &action, NULL);
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL);
    sigaction(SIGXFSZ, &action, NULL); /* a file that may not grow is a write that fails */
}

void cli_signals_count(size_t done, size_t total, bool resumable)
{
    done_count = (sig_atomic_t)done;
    total_count = (sig_atomic_t)total;
    has_journal = resumable;
}

void cli_signals_scratch(const char *folder) { scratch_folder = folder; }
void cli_signals_scratch_outputs(int which, const CliBatch *batch) { scratch_outputs[which] = batch; }

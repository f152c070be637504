/* What halo prints: gathered in memory and written in one place, so that every failure of standard output is
 * noticed with its reason, and no control character out of a file's name or contents reaches a terminal
 * (halo/escape.h). */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include <stdbool.h>
#include <stdio.h>

#include "halo/fail.h"
#include "halo/format.h"

/* A fresh page to print to, which is all text or all JSON. In text control characters are escaped when it is
 * sent, but for line breaks, tabs and the colours of cli_ink(); halo_put_escaped() prints a name that must not
 * break the line. JSON stays as it is. */
FILE *cli_page_open(bool json);
/* Does what is printed stay as it is? CSV does, but for a terminal. */
bool cli_page_is_raw(bool json, bool csv, int descriptor);
/* The same, but what is printed goes to a file, or, where `sink` is NULL, to a descriptor as it comes, in
 * blocks: for more than should lie in memory. cli_page_close writes the rest, and says what became of it. */
FILE *cli_page_through(bool json, HaloSink *sink, int descriptor);
HaloStatus cli_page_close(void);
/* Writes the page to a file descriptor and closes it. HALO_ERR_PIPE when its reader has closed it,
 * HALO_ERR_OUTPUT for anything else. */
HaloStatus cli_page_send(int descriptor);
/* The same for the last page of a command: reports a failure and returns the exit status. */
int cli_page_end(int descriptor);

/* File descriptors 0 to 2 that are closed are opened on nothing, so that no file of ours takes their place. */
void cli_page_guard_standard(void);

/* Around whatever goes to the terminal, from any thread: takes the line of progress away, and lets no other
 * print. */
void cli_terminal_hold(void);
void cli_terminal_release(void);
/* Shows this line of progress in place of the one before. Here, too, control characters are escaped. */
void cli_terminal_line(const char *line);

/* "halo: …" on standard error, on a line of its own; from any thread. Control characters are escaped, also line
 * breaks but those with two spaces behind them: a message's own further lines, which no name makes look like
 * another message. */
void cli_complain(const char *format, ...) HALO_PRINTF(1, 2);
/* The same without "halo: ". */
void cli_say(const char *format, ...) HALO_PRINTF(1, 2);

/* The look of a page: colours only on terminals, where nothing forbids them. */
typedef enum CliInk { CLI_PLAIN, CLI_BOLD, CLI_FAINT, CLI_RED, CLI_GREEN, CLI_BLUE } CliInk;
void cli_ink_setup(int descriptor, bool no_color);
const char *cli_ink(CliInk ink); /* the escape sequence, or "" */
/* How wide a drawing on standard output may be: that of the terminal, within bounds; elsewhere 80. */
int cli_columns(void);
/* False where the environment asks for a character set other than UTF-8. */
bool cli_unicode(void);

#endif

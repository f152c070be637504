/* Descriptions of the tables' rows, for lists, help, the manual page and the generated documents. */
#ifndef CLI_DESCRIBE_H
#define CLI_DESCRIBE_H

#include <stdio.h>

#include "options.h"

#define CLI_LINE 80 /* characters of a line of help */

/* "images", "audio", "images, audio" */
const char *cli_kinds(unsigned kinds);
/* What a value may be: "number, 0.1 to 100 pixels", "magnitude|x|y". */
void cli_describe_domain(const HaloParam *param, unsigned kinds, CliText *text);
/* "sigma", "truncate=4", "[anchor]": as it would be typed. */
void cli_describe_key(const HaloParam *param, CliText *text);

/* Help is written once and broken to fit: `text` in lines up to `width`, all but the first after `indent`
 * spaces. Counts characters, not bytes. */
void cli_wrap(FILE *to, const char *text, int indent, int width);

/* The page of an operation, as `halo help gauss` prints it. */
void cli_print_op(FILE *to, const HaloOp *op);

/* topics.c */
typedef struct CliTopic {
    const char *name, *help;       /* one word, one line */
    const char *text;              /* in lines of up to CLI_LINE characters */
    void (*print_table)(FILE *to); /* stands before the text; NULL: none */
} CliTopic;
extern const CliTopic cli_topics[];
extern const int cli_topic_count;
const CliTopic *cli_find_topic(const char *name);
void cli_print_topic(FILE *to, const CliTopic *topic);

/* generate.c, complete.c: for --generate. */
void cli_generate_man(FILE *to);
void cli_generate_ops_table(FILE *to);
void cli_complete_bash(FILE *to);
void cli_complete_zsh(FILE *to);
void cli_complete_fish(FILE *to);

#endif

/* The search of `halo help WORD`: case does not matter, nor do plurals, hyphens and blanks inside of a name. */
#include "search.h"

#include <stdlib.h>
#include <string.h>

#include "describe.h"
#include "text/page.h"

/* ---- words in a text ------------------------------------------------------------------------------------ */

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

/* Part of a word: a letter, a digit, a byte of UTF-8. */
static bool in_word(char c)
{
    return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') || c == '_' || (c & 0x80);
}

/* Is this the end of a word, but for the ending of a plural? "gauss" is no plural. */
static bool ends_word(const char *at)
{
    if (!in_word(at[0])) return true;
    if (at[0] == 'e' && at[1] == 's') return !in_word(at[2]);
    return at[0] == 's' && lower(at[-1]) != 's' && !in_word(at[1]);
}

/* Does the text begin with these words, or their plural? "flat field" is flat-field and flatfield, too. */
static bool begins(const char *text, const char *words, size_t length)
{
    static const char joints[] = "-_ ";
    int letters = 0;
    for (size_t i = 0; i < length; i++) {
        if (strchr(joints, words[i]) != NULL) continue;
        if (letters > 0) text += strspn(text, joints);
        if (*text == 0 || lower(*text) != lower(words[i])) return false;
        text++;
        letters++;
    }
    return letters > 1 && ends_word(text);
}

static bool has_words(const char *text, const char *words, size_t length)
{
    if (text == NULL || length == 0) return false;
    for (const char *at = text; *at != 0; at++)
        if (in_word(*at) && (at == text || !in_word(at[-1])) && begins(at, words, length)) return true;
    return false;
}

/* The words may be a plural themselves. */
static bool names(const char *text, const char *words, size_t length)
{
    if (has_words(text, words, length)) return true;
    if (length < 4 || lower(words[length - 1]) != 's') return false;
    return has_words(text, words, length - 1) ||
           (lower(words[length - 2]) == 'e' && has_words(text, words, length - 2));
}

/* Some of the texts have the words beside each other, or all of them have each of the words somewhere. */
static bool is_about(const char *const text[], int texts, const char *words)
{
    bool each = false;
    for (int i = 0; i < texts; i++)
        if (names(text[i], words, strlen(words))) return true;
    for (const char *at = words + strspn(words, " "); *at != 0;) {
        const size_t length = strcspn(at, " ");
        each = false;
        for (int i = 0; i < texts && !each; i++) each = names(text[i], at, length);
        if (!each) return false;
        at += length;
        at += strspn(at, " ");
    }
    return each;
}

/* ---- what is found -------------------------------------------------------------------------------------- */

typedef struct Answer {
    FILE *to; /* NULL: nothing is printed */
    const char *words;
    const char *section; /* the last that was begun */
    bool found;
} Answer;

/* Something was found; its section begins where it is the first in it. */
static bool begin(Answer *answer, const char *section)
{
    answer->found = true;
    if (answer->to == NULL) return false;
    if (answer->section != section)
        fprintf(answer->to, "\n%s%s%s\n", cli_ink(CLI_BOLD), section, cli_ink(CLI_PLAIN));
    answer->section = section;
    return true;
}

static void list_name(Answer *answer, const char *section, const char *name, const char *help)
{
    if (!begin(answer, section)) return;
    fprintf(answer->to, "  %-11s  ", name);
    cli_wrap(answer->to, help, 15, CLI_LINE);
}

/* "divide:flat.png" and "gain, offset" name these operations. */
static bool here_names(const char *here, const char *op)
{
    const size_t length = strlen(op);
    for (const char *at = here; *at != 0; at++)
        if (in_word(*at) && (at == here || strchr(" [|", at[-1]) != NULL) && strncmp(at, op, length) == 0 &&
            !in_word(at[length]))
            return true;
    return false;
}

static bool is_elsewhere(const char *words, const char *name)
{
    for (int i = 0; i < cli_elsewhere_count; i++) {
        const CliElsewhere *row = &cli_elsewhere[i];
        if (is_about(&row->elsewhere, 1, words) && here_names(row->here, name)) return true;
    }
    return false;
}

/* Operations that are called so, here or elsewhere; or all others whose help speaks of it. */
static void list_ops(Answer *answer, bool called)
{
    const HaloTables *tables = halo_tables();
    for (int i = 0; i < tables->ops; i++) {
        const HaloOp *op = tables->op[i];
        const char *const text[] = {op->name, op->synonyms, op->known_as, op->help};
        if ((is_about(text, 3, answer->words) || is_elsewhere(answer->words, op->name)) == called &&
            (called || is_about(text, 4, answer->words)))
            list_name(answer, "Operations", op->name, op->help);
    }
}

static void list_names(Answer *answer)
{
    for (int i = 0; i < cli_command_count; i++) {
        const CliCommand *command = &cli_commands[i];
        const char *const text[] = {command->name, command->help};
        if (is_about(text, 2, answer->words)) list_name(answer, "Commands", command->name, command->help);
    }
    for (int i = 0; i < cli_topic_count; i++) {
        const char *const text[] = {cli_topics[i].name, cli_topics[i].help};
        if (is_about(text, 2, answer->words))
            list_name(answer, "Topics", cli_topics[i].name, cli_topics[i].help);
    }
    list_ops(answer, true);
    list_ops(answer, false);
}

static void list_params(Answer *answer)
{
    const HaloTables *tables = halo_tables();
    for (int i = 0; i < tables->ops; i++) {
        const HaloOp *op = tables->op[i];
        for (int p = 0; p < op->params; p++)
            if (is_about(&op->param[p].key, 1, answer->words))
                list_name(answer, "Operations with this parameter", op->name, op->param[p].help);
    }
}

/* "(halo run, convert)": which commands an option is for. */
static void add_commands(CliText *text, const CliOption *option)
{
    const char *before = " (halo ";
    for (int i = 0; i < cli_command_count; i++) {
        if (!(option->commands & cli_commands[i].bit)) continue;
        char *name = cli_format("%s%s", before, cli_commands[i].name);
        cli_add(text, name, strlen(name));
        free(name);
        before = ", ";
    }
    if (*before == ',') cli_add_char(text, ')');
}

static void list_options(Answer *answer)
{
    const char *words = answer->words + strspn(answer->words, "-");
    for (int i = 0; i < cli_option_count; i++) {
        const CliOption *option = &cli_options[i];
        if (!is_about(&option->name, 1, words)) continue;
        CliText help = {0};
        char *name = cli_format("--%s", option->name);
        cli_add(&help, option->help, strlen(option->help));
        add_commands(&help, option);
        list_name(answer, "Options", name, help.data);
        free(help.data);
        free(name);
    }
}

static void list_elsewhere(Answer *answer)
{
    for (int i = 0; i < cli_elsewhere_count; i++) {
        const CliElsewhere *row = &cli_elsewhere[i];
        if (!is_about(&row->elsewhere, 1, answer->words) || !begin(answer, "Names in other tools, and here"))
            continue;
        char *line = cli_format("%s: %s", row->elsewhere, row->here);
        fputs("  ", answer->to);
        cli_wrap(answer->to, line, 4, CLI_LINE);
        free(line);
    }
}

static void list_recipes(Answer *answer)
{
    for (int i = 0; i < cli_recipe_count; i++) {
        const CliRecipe *recipe = &cli_recipes[i];
        if (!is_about(&recipe->heading, 1, answer->words) || !begin(answer, "In the cookbook")) continue;
        fprintf(answer->to, "  %s\n", recipe->heading);
        for (const char *at = recipe->commands; *at != 0; at += strcspn(at, "\n") + 1)
            fprintf(answer->to, "    %.*s\n", (int)strcspn(at, "\n"), at);
    }
}

bool cli_search(FILE *to, const char *words)
{
    Answer answer = {.to = to, .words = words};
    if (to != NULL)
        fprintf(to, "Found for '%s%s%s'; 'halo help NAME' says more:\n", cli_ink(CLI_BOLD), words,
                cli_ink(CLI_PLAIN));
    list_names(&answer);
    list_params(&answer);
    list_options(&answer);
    list_elsewhere(&answer);
    list_recipes(&answer);
    return answer.found;
}

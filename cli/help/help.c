/* Help: from the tables, examples first. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "describe.h"
#include "search.h"
#include "text/page.h"

static void print_option(FILE *to, const CliOption *option)
{
    char *left = option->letter != 0
                     ? cli_format("-%c, --%s%s%s", option->letter, option->name,
                                  option->value != NULL ? " " : "", option->value != NULL ? option->value : "")
                     : cli_format("    --%s%s%s", option->name, option->value != NULL ? " " : "",
                                  option->value != NULL ? option->value : "");
    fprintf(to, "  %-24s  ", left);
    cli_wrap(to, option->help, 28, CLI_LINE);
    free(left);
}

/* The sections from `first` on. */
static void print_options(FILE *to, unsigned commands, int first)
{
    for (int section = first; section < CLI_SECTIONS; section++) {
        bool begun = false;
        for (int i = 0; i < cli_option_count; i++) {
            const CliOption *option = &cli_options[i];
            if (option->section != (CliSection)section || !(option->commands & commands)) continue;
            if (!begun)
                fprintf(to, "\n%s%s%s\n", cli_ink(CLI_BOLD), cli_section_names[section], cli_ink(CLI_PLAIN));
            begun = true;
            print_option(to, option);
        }
    }
}

static void print_examples(FILE *to, const char *examples)
{
    while (*examples != 0) {
        const size_t length = strcspn(examples, "\n");
        fprintf(to, "  %.*s\n", (int)length, examples);
        examples += length + (examples[length] != 0);
    }
}

static void print_params(FILE *to, const HaloOp *op)
{
    if (op == NULL || op->params == 0) return;
    fprintf(to, "\n%sWhat is computed%s\n", cli_ink(CLI_BOLD), cli_ink(CLI_PLAIN));
    for (int i = 0; i < op->params; i++) {
        const HaloParam *param = &op->param[i];
        CliText words = {0};
        char *left =
            cli_format("    --%s%s", param->key, param->type == HALO_PARAM_SWITCH ? " [0|1]" : " VALUE");
        cli_add(&words, param->help, strlen(param->help));
        cli_add(&words, " (", 2);
        cli_describe_domain(param, op->kinds, &words);
        if (param->preset != NULL && *param->preset != 0) {
            char *preset = cli_format("; default %s", param->preset);
            cli_add(&words, preset, strlen(preset));
            free(preset);
        }
        cli_add_char(&words, ')');
        fprintf(to, "  %-24s  ", left);
        cli_wrap(to, words.data, 28, CLI_LINE);
        free(left);
        free(words.data);
    }
}

/* The operation that has the command's name. */
static void print_same_op(FILE *to, const HaloOp *op)
{
    if (op == NULL) return;
    fprintf(to, "\n%sAs an operation of a pipeline%s\n", cli_ink(CLI_BOLD), cli_ink(CLI_PLAIN));
    cli_print_op(to, op);
}

static void print_command(FILE *to, const CliCommand *command)
{
    fprintf(to, "%shalo %s%s: %s\n\n", cli_ink(CLI_BOLD), command->name, cli_ink(CLI_PLAIN), command->help);
    print_examples(to, command->examples);
    fprintf(to, "\n%sUsage%s\n  halo %s %s [OPTION…]\n", cli_ink(CLI_BOLD), cli_ink(CLI_PLAIN), command->name,
            command->usage);
    if (command->bit == CLI_RUN)
        fputs("\n"
              "A pipeline is OP[:key=value,…], several joined by |; values without keys fill\n"
              "the parameters in their order: gauss:2 is gauss:sigma=2. 'halo list ops' names\n"
              "the operations, 'halo help gauss' explains one, 'halo help pipelines' the rest.\n"
              "Where one takes another file, [PIPELINE] in its place is the result of that\n"
              "pipeline on the same samples: 'subtract:[median:51]'; or on those of a file:\n"
              "'add:[guest.wav | gain:-3dB]'. Such branches nest at most 64 deep, and there\n"
              "are at most 4096 operations.\n"
              "Options may stand anywhere; -- ends them; - is standard input or output.\n",
              to);
    print_params(to, cli_command_op(command));
    print_same_op(to, halo_find_op(command->name));
    print_options(to, command->bit, 0);
}

/* "units, border, alpha" */
static void add_topics(CliText *text)
{
    for (int i = 0; i < cli_topic_count; i++) {
        if (i > 0) cli_add(text, ", ", 2);
        cli_add(text, cli_topics[i].name, strlen(cli_topics[i].name));
    }
}

/* Of a help of several sentences the first. */
static void print_brief(FILE *to, const char *name, const char *help)
{
    const char *semicolon = strchr(help, ';'), *stop = strstr(help, ". ");
    size_t length = strlen(help);
    if (semicolon != NULL) length = (size_t)(semicolon - help);
    if (stop != NULL && (size_t)(stop - help) < length) length = (size_t)(stop - help);
    char *brief = cli_format("%.*s", (int)length, help);
    fprintf(to, "  %-8s ", name);
    cli_wrap(to, brief, 10, CLI_LINE);
    free(brief);
}

static void print_overview(FILE *to)
{
    fprintf(to, "%shalo%s %s filters and measures images and audio, on CPU and GPU with the same result.\n\n",
            cli_ink(CLI_BOLD), cli_ink(CLI_PLAIN), halo_version());
    fputs("  halo run gauss:2 in.png -o out.png              blur\n"
          "  halo run 'gray | sobel' in.png -o edges.png     one operation after the other\n"
          "  halo run sharpen photos/ -r --out-dir out       a whole folder\n"
          "  halo run average:5ms in.wav -o out.wav          audio; windows in time\n"
          "  halo stats in.png                               minimum, mean, standard deviation …\n",
          to);
    fprintf(to, "\n%sCommands%s\n", cli_ink(CLI_BOLD), cli_ink(CLI_PLAIN));
    for (int i = 0; i < cli_command_count; i++) print_brief(to, cli_commands[i].name, cli_commands[i].help);
    fprintf(to, "\n%sHelp%s\n", cli_ink(CLI_BOLD), cli_ink(CLI_PLAIN));
    CliText topics = {0};
    add_topics(&topics);
    fprintf(to,
            "  halo help COMMAND    its options, as COMMAND --help\n"
            "  halo help OPERATION  such as gauss; 'halo list ops' names them all\n"
            "  halo help TOPIC      %s\n"
            "  halo help WORD       by task: halo help noise, halo help 'flat field'\n"
            "  halo --version       the version and what this build can do\n"
            "  halo --generate WHAT man, complete-bash, complete-zsh or complete-fish: print it\n"
            "\nExit status: 0 done, 1 an input failed, 2 usage, 3 device, 4 output, 5 memory\n"
            "or size, 6 a limit of 'compare' exceeded, 70 an internal error: please report.\n",
            topics.data);
    free(topics.data);
}

static const char *topic_at(int i, const void *list)
{
    const HaloTables *tables = list;
    if (i < cli_command_count) return cli_commands[i].name;
    i -= cli_command_count;
    return i < cli_topic_count ? cli_topics[i].name : tables->op[i - cli_topic_count]->name;
}

static int unknown_topic(const char *word)
{
    const HaloTables *tables = halo_tables();
    const int names_in_all = cli_command_count + cli_topic_count + tables->ops;
    const char *near = halo_nearest(word, names_in_all, topic_at, tables);
    CliText topics = {0};
    add_topics(&topics);
    if (near != NULL)
        cli_complain("no command, operation or topic '%.80s'; did you mean '%s'?", word, near);
    else
        cli_complain(
            "no command, operation or topic '%.80s'; see 'halo --help', 'halo list ops' and 'halo list "
            "formats'; topics: %s",
            word, topics.data);
    free(topics.data);
    return HALO_ERR_USAGE;
}

/* A name that is both a command and an operation (stats) is the command. */
static void print_topic(FILE *to, const char *topic)
{
    const CliCommand *command = cli_find_command(topic);
    const CliTopic *other = cli_find_topic(topic);
    const HaloOp *op = halo_find_op(topic);
    if (command != NULL)
        print_command(to, command);
    else if (other != NULL) {
        fprintf(to, "%s%s%s: %s\n\n", cli_ink(CLI_BOLD), other->name, cli_ink(CLI_PLAIN), other->help);
        cli_print_topic(to, other);
    } else if (op != NULL)
        cli_print_op(to, op);
    else
        cli_search(to, topic);
}

static bool is_topic(const char *word)
{
    return cli_find_command(word) != NULL || cli_find_topic(word) != NULL || halo_find_op(word) != NULL;
}

/* `halo help flat field`, without quotes: all words in one text, where they are not all topics; or NULL. */
static char *joined_words(const CliSettings *settings)
{
    CliText words = {0};
    bool topics = true;
    for (size_t i = 0; i < settings->words; i++) {
        topics = topics && is_topic(settings->word[i]);
        if (i > 0) cli_add_char(&words, ' ');
        cli_add(&words, settings->word[i], strlen(settings->word[i]));
    }
    if (!topics && cli_search(NULL, words.data)) return words.data;
    free(words.data);
    return NULL;
}

/* What was asked for, one after the other. */
static int print_topics(const CliSettings *settings)
{
    const char *joined = joined_words(settings);
    const char **word = joined != NULL ? &joined : settings->word;
    const size_t words = joined != NULL ? 1 : settings->words;
    for (size_t i = 0; i < words; i++)
        if (!is_topic(word[i]) && !cli_search(NULL, word[i])) return unknown_topic(word[i]);
    cli_ink_setup(STDOUT_FILENO, settings->no_color);
    FILE *page = cli_page_open(false);
    for (size_t i = 0; i < words; i++) {
        if (i > 0) fputc('\n', page);
        print_topic(page, word[i]);
    }
    free((char *)joined);
    return cli_page_end(STDOUT_FILENO);
}

/* `halo --help`, `halo run --help`, `halo help run`, `halo help gauss`, `halo help units`, `halo help noise`.
 */
int cli_help(const CliSettings *settings)
{
    const CliCommand *command = settings->command;
    const bool asks = command != NULL && command->bit == CLI_HELP;
    if (asks && settings->words > 0) return print_topics(settings);
    cli_ink_setup(STDOUT_FILENO, settings->no_color);
    FILE *page = cli_page_open(false);
    if (command != NULL && (!asks || settings->help))
        print_command(page, command);
    else
        print_overview(page);
    return cli_page_end(STDOUT_FILENO);
}

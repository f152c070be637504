/* argv, by the table of options, made into settings. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "help/search.h"
#include "options.h"

typedef struct Parser {
    CliSettings *settings;
    char **arg; /* what is left */
    int args;
    bool seen[CLI_MOST_OPTIONS];         /* which rows of the table were used */
    const char *value[CLI_MOST_OPTIONS]; /* of each of them; NULL: a flag */
} Parser;

static const char *command_at(int i, const void *list)
{
    (void)list;
    return cli_commands[i].name;
}

/* The names that --name may be: the options of the command, then the parameters of its operation. */
typedef struct Names {
    int count;
    const char *name[128];
} Names;

static const char *name_at(int i, const void *list) { return ((const Names *)list)->name[i]; }

static const HaloOp *op_of(const CliSettings *settings)
{
    return settings->command != NULL ? cli_command_op(settings->command) : NULL;
}

/* What other tools call it, where the command has such an option. */
static const char *known_elsewhere(const char *name, unsigned bit)
{
    static const struct {
        const char *theirs, *ours;
    } known[] = {{"tolerance", "at-most"}, {"fuzz", "at-most"},          {"threshold", "at-most"},
                 {"threads", "jobs"},      {"workers", "jobs"},          {"overwrite", "force"},
                 {"yes", "force"},         {"output-dir", "out-dir"},    {"outdir", "out-dir"},
                 {"format", "to"},         {"compression", "png-level"}, {"gpu", "device"},
                 {"memory", "max-memory"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        for (int k = 0; k < cli_option_count; k++)
            if (strcmp(known[i].theirs, name) == 0 && strcmp(known[i].ours, cli_options[k].name) == 0 &&
                (cli_options[k].commands & bit))
                return known[i].ours;
    return NULL;
}

static HaloStatus unknown_option(const CliSettings *settings, const char *name)
{
    const unsigned bit = settings->command != NULL ? settings->command->bit : CLI_ANYWHERE;
    const char *in = settings->command != NULL ? settings->command->name : "";
    const char *gap = *in != 0 ? " " : "";
    const HaloOp *op = op_of(settings);
    Names names = {0};
    for (int i = 0; i < cli_option_count; i++)
        if (cli_options[i].commands & bit) names.name[names.count++] = cli_options[i].name;
    for (int i = 0; op != NULL && i < op->params && names.count < 128; i++)
        names.name[names.count++] = op->param[i].key;
    const char *near = known_elsewhere(name, bit);
    if (near == NULL) near = halo_nearest(name, names.count, name_at, &names);
    if (near != NULL)
        return halo_fail(HALO_ERR_USAGE, "unknown option '--%.80s'; did you mean '--%s'?", name, near);
    return halo_fail(HALO_ERR_USAGE, "unknown option '--%.80s'; see 'halo%s%s --help'", name, gap, in);
}

static HaloStatus set_option(Parser *parser, const CliOption *option, const char *value)
{
    CliSettings *settings = parser->settings;
    char *const place = (char *)settings + option->offset;
    bool *const seen = &parser->seen[option - cli_options];
    /* If a number or word is given twice, the last one counts. Of two files one would be ignored silently, so
     * that is an error. */
    if (*seen && option->value != NULL && option->read == NULL && option->choices == NULL)
        return halo_fail(HALO_ERR_USAGE, "--%s is given twice, but accepts one %s", option->name,
                         option->value);
    *seen = true;
    if (option->value == NULL) {
        *(bool *)place = true;
        return HALO_OK;
    }
    if (value == NULL) {
        if (parser->args == 0)
            return halo_fail(HALO_ERR_USAGE, "--%s needs a value: --%s %s", option->name, option->name,
                             option->value);
        value = *parser->arg++;
        parser->args--;
    }
    parser->value[option - cli_options] = value;
    if (option->read == NULL) {
        int choice;
        *(const char **)place = value;
        const HaloStatus status =
            option->choices != NULL ? halo_read_choice(value, option->choices, &choice) : HALO_OK;
        return status == HALO_OK ? status : halo_fail_at(status, "--%s", option->name);
    }
    const HaloStatus status = option->read(settings, value);
    return status == HALO_OK ? status : halo_fail_at(status, "--%s", option->name);
}

/* What a switch may be set to. */
static bool is_switch_word(const char *word)
{
    return halo_find_word(HALO_WORDS_ON, '|', word) >= 0 || halo_find_word(HALO_WORDS_OFF, '|', word) >= 0;
}

/* Is it one pair of brackets, with a pipeline between them? */
static bool is_branch(const char *value)
{
    int depth = 0;
    for (const char *at = value; *at != 0; at++) {
        depth += (*at == '[') - (*at == ']');
        if (depth <= 0) return at > value && at[1] == 0;
    }
    return false;
}

/* Adds a parameter of the command's operation, as it stands in a pipeline. */
static HaloStatus set_param(Parser *parser, const HaloParam *param, const char *value)
{
    CliText *args = &parser->settings->op_args;
    if (value == NULL && param->type == HALO_PARAM_SWITCH &&
        (parser->args == 0 || !is_switch_word(*parser->arg) || access(*parser->arg, F_OK) == 0)) {
        value = "1"; /* a switch may stand alone, and a file may be called 1 */
    } else if (value == NULL) {
        if (parser->args == 0) return halo_fail(HALO_ERR_USAGE, "--%s needs a value", param->key);
        value = *parser->arg++;
        parser->args--;
    }
    const bool text = param->type == HALO_PARAM_TEXT; /* it goes in quotes */
    const bool branch = param->type == HALO_PARAM_SOURCE && is_branch(value);
    if (!branch && strpbrk(value, text ? "\"" : ",|\"'[]") != NULL)
        return halo_fail(HALO_ERR_USAGE,
                         "--%s: a quotation mark, comma, | or bracket is not allowed in '%.80s'", param->key,
                         value);
    if (args->length > 0) cli_add_char(args, ',');
    cli_add(args, param->key, strlen(param->key));
    cli_add(args, "=\"", text ? 2 : 1);
    cli_add(args, value, strlen(value));
    cli_add(args, "\"", text);
    return HALO_OK;
}

static HaloStatus parse_long(Parser *parser, const char *text)
{
    const char *equals = strchr(text, '=');
    const size_t length = equals != NULL ? (size_t)(equals - text) : strlen(text);
    const char *value = equals != NULL ? equals + 1 : NULL;
    const HaloOp *op = op_of(parser->settings);
    /* An operation's own parameters go before options of the same name. */
    for (int i = 0; op != NULL && i < op->params; i++)
        if (strlen(op->param[i].key) == length && memcmp(op->param[i].key, text, length) == 0)
            return set_param(parser, &op->param[i], value);
    for (int i = 0; i < cli_option_count; i++) {
        const CliOption *option = &cli_options[i];
        if (strlen(option->name) != length || memcmp(option->name, text, length) != 0) continue;
        if (option->value == NULL && value != NULL)
            return halo_fail(HALO_ERR_USAGE, "--%s takes no value", option->name);
        return set_option(parser, option, value);
    }
    char word[96] = {0};
    memcpy(word, text, length < 95 ? length : 95);
    return unknown_option(parser->settings, word);
}

/* "-rf", "-j8", "-j 8", "-ofile". */
static HaloStatus parse_short(Parser *parser, const char *letters)
{
    for (; *letters != 0; letters++) {
        const CliOption *option = NULL;
        for (int i = 0; i < cli_option_count && option == NULL; i++)
            if (cli_options[i].letter == *letters) option = &cli_options[i];
        if (option == NULL)
            return halo_fail(HALO_ERR_USAGE,
                             "unknown option '-%c'; see 'halo --help'; put -- before names that start with -",
                             *letters);
        if (option->value != NULL) return set_option(parser, option, letters[1] != 0 ? letters + 1 : NULL);
        const HaloStatus status = set_option(parser, option, NULL);
        if (status != HALO_OK) return status;
    }
    return HALO_OK;
}

/* Users often type an operation or a whole pipeline in place of the command. */
static HaloStatus unknown_command(const char *word)
{
    char first[64];
    const size_t length = strcspn(word, ":| ");
    snprintf(first, sizeof first, "%.*s", (int)(length < sizeof first ? length : sizeof first - 1), word);
    const HaloOp *op = halo_find_op(first);
    if (op != NULL) {
        const bool bare = word[length] == 0;
        return halo_fail(HALO_ERR_USAGE, "'%.80s' is %s: halo run '%.200s' INPUT%s; see 'halo help %s'", word,
                         bare ? "an operation" : "a pipeline", bare ? op->example : word,
                         op->result ? "" : " -o OUTPUT", op->name);
    }
    char names[120];
    if (halo_known_as(halo_tables(), first, names, sizeof names))
        return halo_fail(
            HALO_ERR_USAGE,
            "unknown command '%.80s'; did you mean the operation %s, as in halo run gauss:2 INPUT -o OUTPUT?",
            word, names);
    const char *near = halo_nearest(word, cli_command_count, command_at, NULL);
    if (near != NULL)
        return halo_fail(HALO_ERR_USAGE, "unknown command '%.80s'; did you mean '%s'?", word, near);
    if (cli_search(NULL, word))
        return halo_fail(HALO_ERR_USAGE, "unknown command '%.80s'; 'halo help %.80s' finds what does it here",
                         word, word);
    return halo_fail(HALO_ERR_USAGE, "unknown command '%.80s'; see 'halo --help'", word);
}

static HaloStatus parse_word(CliSettings *settings, const char *word)
{
    if (settings->command != NULL) {
        settings->word = cli_grow(settings->word, settings->words, &settings->capacity, sizeof *settings->word);
        settings->word[settings->words++] = word;
        return HALO_OK;
    }
    settings->command = cli_find_command(word);
    if (settings->command != NULL) return HALO_OK;
    return unknown_command(word);
}

/* Options may precede the command, so this is known only at the end. */
static HaloStatus check_places(const Parser *parser)
{
    const CliCommand *command = parser->settings->command;
    const unsigned bit = command != NULL ? command->bit : CLI_BARE;
    for (int i = 0; i < cli_option_count; i++) {
        if (!parser->seen[i] || cli_options[i].commands & bit) continue;
        if (command != NULL)
            return halo_fail(HALO_ERR_USAGE, "--%s is not an option of 'halo %s'; see 'halo %s --help'",
                             cli_options[i].name, command->name, command->name);
        return halo_fail(HALO_ERR_USAGE, "--%s needs a command; see 'halo --help'", cli_options[i].name);
    }
    return HALO_OK;
}

/* The options on which an output depends, beside the input and the pipeline: two commands with the same recipe
 * make the same bytes. In the order of the table, since that on the command line does not matter. */
static void note_recipe(Parser *parser)
{
    CliText *recipe = &parser->settings->recipe;
    for (int i = 0; i < cli_option_count; i++) {
        if (!parser->seen[i] || cli_options[i].commands & CLI_SAME) continue;
        cli_add(recipe, " --", 3);
        cli_add(recipe, cli_options[i].name, strlen(cli_options[i].name));
        if (parser->value[i] == NULL) continue;
        cli_add_char(recipe, ' ');
        cli_add(recipe, parser->value[i], strlen(parser->value[i]));
    }
    cli_add_tags(&parser->settings->tags, recipe);
}

/* `halo convert IN OUT`: without -o and --out-dir the second of two words is the output. */
static void find_output(CliSettings *settings)
{
    const CliCommand *command = settings->command;
    if (command == NULL || command->bit != CLI_CONVERT || settings->words != 2) return;
    if (settings->output == NULL && settings->out_dir == NULL)
        settings->output = settings->word[--settings->words];
}

HaloStatus cli_parse(int argc, char **argv, CliSettings *settings)
{
    Parser parser = {.settings = settings, .arg = argv + 1, .args = argc > 0 ? argc - 1 : 0};
    bool ended = false;
    HaloStatus status = HALO_OK;
    while (parser.args > 0 && status == HALO_OK) {
        const char *arg = *parser.arg++;
        parser.args--;
        if (ended || arg[0] != '-' || arg[1] == 0)
            status = parse_word(settings, arg);
        else if (strcmp(arg, "--") == 0)
            ended = true;
        else
            status = arg[1] == '-' ? parse_long(&parser, arg + 2) : parse_short(&parser, arg + 1);
    }
    note_recipe(&parser);
    find_output(settings);
    return status == HALO_OK ? check_places(&parser) : status;
}

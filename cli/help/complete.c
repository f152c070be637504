/* Completions for bash, zsh and fish, from the tables. Words of a pipeline come from `halo --complete`. */
#include <stdlib.h>
#include <string.h>

#include "describe.h"

/* Inside single quotes of a shell. */
static void put_quoted(FILE *to, const char *text)
{
    fputc('\'', to);
    for (; *text != 0; text++) {
        if (*text == '\'')
            fputs("'\\''", to);
        else
            fputc(*text, to);
    }
    fputc('\'', to);
}

static void put_op_names(FILE *to)
{
    const HaloTables *tables = halo_tables();
    for (int i = 0; i < tables->ops; i++) fprintf(to, "%s%s", i > 0 ? " " : "", tables->op[i]->name);
}

static void put_command_names(FILE *to)
{
    for (int i = 0; i < cli_command_count; i++) fprintf(to, "%s%s", i > 0 ? " " : "", cli_commands[i].name);
}

static void put_format_names(FILE *to)
{
    const HaloTables *tables = halo_tables();
    const char *space = "";
    for (int i = 0; i < tables->formats; i++) {
        if (tables->format[i]->create == NULL) continue;
        fprintf(to, "%s%s", space, tables->format[i]->name);
        space = " ";
    }
}

/* The words an option's value may be, or false where it is a file or something else. */
static bool put_values(FILE *to, const CliOption *option)
{
    char text[64];
    if (strcmp(option->name, "to") == 0) {
        put_format_names(to);
        return true;
    }
    if (option->choices == NULL) return false;
    for (int i = 0; halo_word(option->choices, '|', i, text) != NULL; i++)
        fprintf(to, "%s%s", i > 0 ? " " : "", text);
    return true;
}

static bool has_values(const CliOption *option)
{
    return option->choices != NULL || strcmp(option->name, "to") == 0;
}

/* "--bins --min …" of the operation that a command is short for. */
static void put_param_options(FILE *to, const CliCommand *command)
{
    const HaloOp *op = cli_command_op(command);
    for (int i = 0; op != NULL && i < op->params; i++) fprintf(to, " --%s", op->param[i].key);
}

/* The first word after a command, where it is not a file. */
static bool put_first_words(FILE *to, const CliCommand *command)
{
    if (command->bit == CLI_LIST)
        fputs("ops masks formats devices", to);
    else if (command->bit == CLI_HELP) {
        put_command_names(to);
        for (int i = 0; i < cli_topic_count; i++) fprintf(to, " %s", cli_topics[i].name);
        fputc(' ', to);
        put_op_names(to);
    } else
        return false;
    return true;
}

/* ---- bash ----------------------------------------------------------------------------------------------- */

/* Options as words; those that take a value as a pattern; values by option; all by `case`. */
static void put_bash_options(FILE *to, unsigned commands)
{
    for (int i = 0; i < cli_option_count; i++)
        if (cli_options[i].commands & commands) fprintf(to, " --%s", cli_options[i].name);
}

void cli_complete_bash(FILE *to)
{
    fputs("# bash completion for halo; put it where bash-completion looks, or source it\n"
          "_halo_pipeline() # the word behind a command, in quotes that are still open, or in none\n{\n"
          "    local typed=${COMP_LINE:0:COMP_POINT} cut=''\n"
          "    typed=${typed#*\" $1 \"}\n"
          "    case $typed in\n"
          "    \\'*\\'* | \\\"*\\\"*) return 1 ;;\n"
          "    [\\'\\\"]*) typed=${typed:1} ;;\n"
          "    *' '*) return 1 ;;\n"
          "    *) cut=${typed%\"${typed##*[:=]}\"} ;; # bash completes what stands behind these\n"
          "    esac\n"
          "    mapfile -t COMPREPLY < <(\"${COMP_WORDS[0]}\" --complete \"$typed\" 2> /dev/null)\n"
          "    COMPREPLY=(\"${COMPREPLY[@]#\"$cut\"}\")\n"
          "    ((${#COMPREPLY[@]} == 0)) || compopt -o nospace 2> /dev/null\n"
          "    return 0\n}\n_halo()\n{\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command='' at=0 i "
          "options=''\n"
          "    COMPREPLY=()\n    for ((i = 1; i < COMP_CWORD; i++)); do\n"
          "        [[ ${COMP_WORDS[i]} != -* ]] && { command=${COMP_WORDS[i]}; at=$i; break; }\n    done\n"
          "    case $before in\n",
          to);
    for (int i = 0; i < cli_option_count; i++) {
        if (!has_values(&cli_options[i])) continue;
        fprintf(to, "    --%s) mapfile -t COMPREPLY < <(compgen -W '", cli_options[i].name);
        put_values(to, &cli_options[i]);
        fputs("' -- \"$word\"); return ;;\n", to);
    }
    fputs("    esac\n    case $command in\n    '') options='", to);
    put_command_names(to);
    put_bash_options(to, CLI_BARE);
    fputs("' ;;\n", to);
    for (int i = 0; i < cli_command_count; i++) {
        const CliCommand *command = &cli_commands[i];
        fprintf(to, "    %s)\n        options='", command->name);
        put_bash_options(to, command->bit);
        put_param_options(to, command);
        fputs("'\n", to);
        if (command->bit == CLI_RUN)
            fputs("        [[ $word != -* ]] && _halo_pipeline run && return\n", to);
        else if (command->bit == CLI_LIST || command->bit == CLI_HELP) {
            fputs("        ((at == COMP_CWORD - 1)) && options+=' ", to);
            put_first_words(to, command);
            fputs("'\n", to);
        }
        fputs("        ;;\n", to);
    }
    fputs("    esac\n    mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n}\n"
          "complete -o default -F _halo halo\n",
          to);
}

/* ---- zsh ------------------------------------------------------------------------------------------------ */

/* '[' and ']' delimit descriptions in _arguments, ':' separates its fields. */
static void put_zsh_description(FILE *to, const char *text)
{
    for (; *text != 0; text++) {
        if (*text == '\'')
            fputs("'\\''", to);
        else {
            if (*text == '[' || *text == ']' || *text == ':' || *text == '\\') fputc('\\', to);
            fputc(*text, to);
        }
    }
}

static void put_zsh_action(FILE *to, const CliOption *option)
{
    if (option->value == NULL) return;
    fprintf(to, ":%s:", option->value);
    if (has_values(option)) {
        fputc('(', to);
        put_values(to, option);
        fputc(')', to);
    } else if (strcmp(option->value, "FILE") == 0) {
        fputs("_files", to);
    } else if (strcmp(option->value, "DIR") == 0) {
        fputs("_files -/", to);
    } else {
        fputc(' ', to);
    }
}

/* Lines of an _arguments call; the last ends with a backslash. */
static void put_zsh_options(FILE *to, unsigned commands, const HaloOp *op)
{
    for (int i = 0; i < cli_option_count; i++) {
        const CliOption *option = &cli_options[i];
        if (!(option->commands & commands)) continue;
        for (int is_short = 0; is_short <= (option->letter != 0); is_short++) {
            if (is_short)
                fprintf(to, "            '-%c[", option->letter);
            else
                fprintf(to, "            '--%s[", option->name);
            put_zsh_description(to, option->help);
            fputc(']', to);
            put_zsh_action(to, option);
            fputs("' \\\n", to);
        }
    }
    for (int i = 0; op != NULL && i < op->params; i++) {
        fprintf(to, "            '--%s[", op->param[i].key);
        put_zsh_description(to, op->param[i].help);
        fprintf(to, "]%s' \\\n", op->param[i].type == HALO_PARAM_SWITCH ? "" : ":VALUE: ");
    }
}

void cli_complete_zsh(FILE *to)
{
    fputs("#compdef halo\n# zsh completion for halo; put it into a folder of $fpath as _halo\n"
          "_halo_pipeline()\n{\n"
          "    compadd -Q -S '' -- ${(f)\"$(halo --complete \"${(Q)PREFIX}\" 2> /dev/null)\"}\n}\n_halo()\n{\n"
          "    local context state line\n    typeset -A opt_args\n"
          "    if ((CURRENT == 2)) && [[ $PREFIX == -* ]]; then\n        _arguments -s \\\n",
          to);
    put_zsh_options(to, CLI_BARE, NULL);
    fputs("            '*: :'\n        return\n    elif ((CURRENT == 2)); then\n        _values command \\\n",
          to);
    for (int i = 0; i < cli_command_count; i++) {
        fprintf(to, "            '%s[", cli_commands[i].name);
        put_zsh_description(to, cli_commands[i].help);
        fputs(i + 1 < cli_command_count ? "]' \\\n" : "]'\n", to);
    }
    fputs("        return\n    fi\n    local command=$words[2]\n    shift words\n    ((CURRENT--))\n    case "
          "$command in\n",
          to);
    for (int i = 0; i < cli_command_count; i++) {
        const CliCommand *command = &cli_commands[i];
        fprintf(to, "    %s)\n        _arguments -s \\\n", command->name);
        put_zsh_options(to, command->bit, cli_command_op(command));
        if (command->bit == CLI_RUN)
            fputs("            '1: :_halo_pipeline' \\\n", to);
        else if (command->bit == CLI_LIST || command->bit == CLI_HELP) {
            fputs("            '1: :(", to);
            put_first_words(to, command);
            fputs(")' \\\n", to);
        }
        fputs("            '*:input:_files' ;;\n", to);
    }
    fputs("    esac\n}\nif [[ $funcstack[1] == _halo ]]; then _halo \"$@\"; else compdef _halo halo; fi\n", to);
}

/* ---- fish ----------------------------------------------------------------------------------------------- */

static void put_fish_option(FILE *to, const CliOption *option, const char *condition)
{
    fputs("complete -c halo -n ", to);
    put_quoted(to, condition);
    fprintf(to, " -l %s", option->name);
    if (option->letter != 0) fprintf(to, " -s %c", option->letter);
    if (has_values(option)) {
        fputs(" -x -a '", to);
        put_values(to, option);
        fputc('\'', to);
    } else if (option->value != NULL) {
        fputs(" -r", to);
    }
    fputs(" -d ", to);
    put_quoted(to, option->help);
    fputc('\n', to);
}

void cli_complete_fish(FILE *to)
{
    fputs("# fish completion for halo; put it into ~/.config/fish/completions/halo.fish\n"
          "function __halo_pipeline # what is typed of one, in quotes that are still open, or in none\n"
          "    set -l typed (commandline -ct | string trim -l -c \"'\\\"\")\n"
          "    halo --complete \"$typed\" 2> /dev/null\nend\n",
          to);
    for (int i = 0; i < cli_command_count; i++) {
        fprintf(to, "complete -c halo -n __fish_use_subcommand -f -a %s -d ", cli_commands[i].name);
        put_quoted(to, cli_commands[i].help);
        fputc('\n', to);
    }
    for (int o = 0; o < cli_option_count; o++)
        if (cli_options[o].commands == CLI_BARE) put_fish_option(to, &cli_options[o], "__fish_use_subcommand");
    for (int i = 0; i < cli_command_count; i++) {
        const CliCommand *command = &cli_commands[i];
        const HaloOp *op = cli_command_op(command);
        char *condition = cli_format("__fish_seen_subcommand_from %s", command->name);
        for (int o = 0; o < cli_option_count; o++)
            if (cli_options[o].commands & command->bit) put_fish_option(to, &cli_options[o], condition);
        for (int p = 0; op != NULL && p < op->params; p++) {
            fputs("complete -c halo -n ", to);
            put_quoted(to, condition);
            fprintf(to, " -l %s%s -d ", op->param[p].key, op->param[p].type == HALO_PARAM_SWITCH ? "" : " -x");
            put_quoted(to, op->param[p].help);
            fputc('\n', to);
        }
        if (command->bit == CLI_RUN)
            fprintf(to, "complete -c halo -n '%s' -a '(__halo_pipeline)'\n", condition);
        else if (command->bit == CLI_LIST || command->bit == CLI_HELP) {
            fprintf(to, "complete -c halo -n '%s' -f -a '", condition);
            put_first_words(to, command);
            fputs("'\n", to);
        }
        free(condition);
    }
}

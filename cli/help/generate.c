/* `halo --generate`: the manual page and the README's table, from the tables. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "describe.h"
#include "text/page.h"

/* ---- manual page ---------------------------------------------------------------------------------------- */

/* Text as roff has it: nothing in it is a command, hyphens are hyphens, and lines may end behind a bar. */
static void put_roff(FILE *to, const char *text)
{
    bool start = true;
    for (; *text != 0; text++) {
        if (start && (*text == '.' || *text == '\'')) fputs("\\&", to);
        if (*text == '\\')
            fputs("\\e", to);
        else if (*text == '-')
            fputs("\\-", to);
        else if (*text == '|')
            fputs("|\\:", to);
        else if (*text == '\'')
            fputs("\\(aq", to);
        else if (strncmp(text, "…", 3) == 0) {
            fputs("...", to);
            text += 2;
        } else
            fputc(*text, to);
        start = *text == '\n';
    }
}

static void put_param(FILE *to, const HaloParam *param, unsigned kinds)
{
    CliText key = {0}, domain = {0};
    cli_describe_key(param, &key);
    cli_describe_domain(param, kinds, &domain);
    fputs(".TP\n.B ", to);
    put_roff(to, key.data);
    fputc('\n', to);
    put_roff(to, param->help);
    fputs("\n(", to);
    put_roff(to, domain.data);
    fputs(")\n", to);
    free(key.data);
    free(domain.data);
}

static void put_option(FILE *to, const CliOption *option)
{
    fputs(".TP\n", to);
    if (option->letter != 0) fprintf(to, "\\fB\\-%c\\fR, ", option->letter);
    fputs("\\fB\\-\\-", to);
    put_roff(to, option->name);
    fputs("\\fR", to);
    if (option->value != NULL) fprintf(to, " \\fI%s\\fR", option->value);
    fputc('\n', to);
    put_roff(to, option->help);
    fputs(" (", to);
    const char *comma = "";
    if ((option->commands & CLI_ANYWHERE) == CLI_ANYWHERE)
        fputs("everywhere", to);
    else
        for (int i = 0; i < cli_command_count; i++)
            if (option->commands & cli_commands[i].bit) {
                fprintf(to, "%s%s", comma, cli_commands[i].name);
                comma = ", ";
            }
    if (*comma == 0 && option->commands == CLI_BARE) fputs("without a command", to);
    fputs(")\n", to);
}

static void put_commands(FILE *to)
{
    fputs(".SH COMMANDS\n", to);
    for (int i = 0; i < cli_command_count; i++) {
        fprintf(to, ".TP\n.B halo %s ", cli_commands[i].name);
        put_roff(to, cli_commands[i].usage);
        fputc('\n', to);
        put_roff(to, cli_commands[i].help);
        fputc('\n', to);
    }
}

static void put_ops(FILE *to)
{
    const HaloTables *tables = halo_tables();
    int common, most = 0;
    const HaloParam *shared = NULL;
    fputs(".SH OPERATIONS\nA pipeline is\n.IR OP [: KEY = VALUE ,...]\nor several of them joined by |. Values "
          "without keys fill the parameters in their order:\n.B clamp:16,235\nis\n.BR clamp:min=16,max=235 .\n"
          "A key is shown with its default; keys in brackets have none and are "
          "optional.\n",
          to);
    for (int i = 0; i < tables->ops; i++) {
        const HaloOp *op = tables->op[i];
        fprintf(to, ".SS %s\n", op->name);
        put_roff(to, op->help);
        fprintf(to, " (%s). Example:\n.B ", cli_kinds(op->kinds));
        put_roff(to, op->example);
        fputc('\n', to);
        for (int p = 0; p < op->params; p++) put_param(to, &op->param[p], op->kinds);
        const HaloParam *own = halo_common_params(op, &common);
        if (common > most) shared = own;
        if (common > most) most = common;
    }
    fputs(".SS every filter\nThe operations that look at neighbours take border, alpha and nan as well; on and "
          "mask are for every operation that makes samples, but those with a mask of their own:\n",
          to);
    for (int p = 0; p < most; p++) put_param(to, &shared[p], HALO_IMAGE | HALO_AUDIO);
}

static void put_topics(FILE *to)
{
    fputs(".SH TOPICS\n", to);
    for (int i = 0; i < cli_topic_count; i++) {
        fprintf(to, ".SS %s\n", cli_topics[i].name);
        put_roff(to, cli_topics[i].help);
        fputs("\n.PP\n.nf\n", to);
        CliText text = {0};
        FILE *stream = cli_text_stream(&text);
        cli_print_topic(stream, &cli_topics[i]);
        fclose(stream);
        put_roff(to, text.data);
        free(text.data);
        fputs(".fi\n", to);
    }
}

static void put_examples(FILE *to)
{
    fputs(".SH EXAMPLES\n.nf\n", to);
    for (int i = 0; i < cli_command_count; i++) put_roff(to, cli_commands[i].examples);
    fputs(".fi\n", to);
}

void cli_generate_man(FILE *to)
{
    fprintf(to, ".TH HALO 1 \"\" \"halo %s\" \"User Commands\"\n", halo_version());
    fputs(".SH NAME\nhalo \\- filter and measure images and audio\n.SH SYNOPSIS\n.B halo\n.I COMMAND\n"
          "[\\fIARGUMENT\\fR...] [\\fIOPTION\\fR...]\n.SH DESCRIPTION\n"
          "halo sends images and audio through pipelines of operations: convolutions, point operations, "
          "statistics,\n"
          "histograms and scans, on the CPU or a GPU, with the same samples on both. Options may stand "
          "anywhere;\n"
          ".B \\-\\-\nends them, and\n.B \\-\nis standard input or output.\n",
          to);
    put_commands(to);
    put_examples(to);
    fputs(".SH OPTIONS\n", to);
    for (int section = 0; section < CLI_SECTIONS; section++) {
        fprintf(to, ".SS %s\n", cli_section_names[section]);
        for (int i = 0; i < cli_option_count; i++)
            if (cli_options[i].section == (CliSection)section) put_option(to, &cli_options[i]);
    }
    fputs(".PP\n.BR stats ,\n.B hist\nand\n.B scan\nalso take the keys of their operation as options:\n"
          ".B \\-\\-bins 64\nis\n.BR bins=64 .\n",
          to);
    put_ops(to);
    put_topics(to);
    fputs(".SH EXIT STATUS\n0 all done, 1 an input failed, 2 usage, 3 device, 4 output could not be written, 5 "
          "not enough memory or input too large,\n6 a limit of \\(oqcompare\\(cq exceeded, 70 an internal "
          "error, which please "
          "report, 128+n a signal. Of several inputs: 1 when some failed and others went on.\n"
          ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nno colours, when not empty\n.TP\n.B HALO_CPU\nthe instruction "
          "set to use: "
          "baseline, v3 or v4; on 64-bit ARM baseline or neon\n"
          ".TP\n.B HALO_SHARDS\nthe number of tasks, for \\-\\-shard auto where the scheduler does not tell "
          "it\n",
          to);
}

/* ---- the table of operations ---------------------------------------------------------------------------- */

static void put_markdown(FILE *to, const char *text)
{
    for (; *text != 0; text++) {
        if (*text == '|') fputc('\\', to);
        fputc(*text, to);
    }
}

void cli_generate_ops_table(FILE *to)
{
    const HaloTables *tables = halo_tables();
    fputs("| operation | for | keys (defaults) | what it does |\n|---|---|---|---|\n", to);
    for (int i = 0; i < tables->ops; i++) {
        const HaloOp *op = tables->op[i];
        fprintf(to, "| `%s` | %s | ", op->name, cli_kinds(op->kinds));
        for (int p = 0; p < op->params; p++) {
            CliText key = {0};
            cli_describe_key(&op->param[p], &key);
            fputs(p > 0 ? ", `" : "`", to);
            put_markdown(to, key.data);
            fputc('`', to);
            free(key.data);
        }
        fputs(" | ", to);
        put_markdown(to, op->help);
        fputs(" |\n", to);
    }
}

int cli_generate(const CliSettings *settings)
{
    static void (*const make[])(FILE *) = {cli_generate_man, cli_complete_bash, cli_complete_zsh,
                                           cli_complete_fish, cli_generate_ops_table};
    int which = 0;
    if (halo_read_choice(settings->generate, "man|complete-bash|complete-zsh|complete-fish|ops-table",
                         &which) != HALO_OK) {
        cli_complain("--generate: %s", halo_error());
        return HALO_ERR_USAGE;
    }
    make[which](cli_page_open(false));
    return cli_page_end(STDOUT_FILENO);
}

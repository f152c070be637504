/* Descriptions of the tables' rows. */
#include "describe.h"
#include "halo/utf8.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "text/page.h"

static void add(CliText *text, const char *words) { cli_add(text, words, strlen(words)); }

static void add_made(CliText *text, char *made)
{
    add(text, made);
    free(made);
}

const char *cli_kinds(unsigned kinds)
{
    if (kinds == (HALO_IMAGE | HALO_AUDIO)) return "images, audio";
    return kinds == HALO_AUDIO ? "audio" : "images";
}

static void add_range(CliText *text, const HaloParam *param)
{
    const bool low = isfinite(param->min) && fabs(param->min) < 1e15,
               high = isfinite(param->max) && fabs(param->max) < 1e15;
    if (param->min == 0 && param->max == 0) return;
    if (low && high)
        add_made(text, cli_format(", %.10g to %.10g", param->min, param->max));
    else if (low)
        add_made(text, cli_format(", at least %.10g", param->min));
    else if (high)
        add_made(text, cli_format(", at most %.10g", param->max));
}

void cli_describe_domain(const HaloParam *param, unsigned kinds, CliText *text)
{
    static const char *const type[] = {[HALO_PARAM_NUMBER] = "number",
                                       [HALO_PARAM_INTEGER] = "integer",
                                       [HALO_PARAM_SWITCH] = "0 or 1",
                                       [HALO_PARAM_CHOICE] = "choice",
                                       [HALO_PARAM_LENGTH] = "length",
                                       [HALO_PARAM_FREQUENCY] = "Hz; 4kHz",
                                       [HALO_PARAM_LEVEL] = "level, or percent of full scale: 50%",
                                       [HALO_PARAM_FACTOR] = "factor: 2, 150%, -6dB",
                                       [HALO_PARAM_MASK] = "mask in quotes, file or name",
                                       [HALO_PARAM_BORDER] = "border",
                                       [HALO_PARAM_POINT] = "X+Y",
                                       [HALO_PARAM_FILE] = "file",
                                       [HALO_PARAM_SOURCE] = "file or [pipeline]",
                                       [HALO_PARAM_TEXT] = "text"};
    if (param->choices != NULL) add(text, param->choices);
    if (param->choices != NULL && param->type != HALO_PARAM_LEVEL) return;
    if (param->choices != NULL) add(text, ", ");
    if (param->type == HALO_PARAM_TEXT && param->unit != NULL) { /* its help says how it is written */
        add(text, param->unit);
        return;
    }
    if (param->type == HALO_PARAM_FACTOR && param->unit != NULL) {
        add(text, "decibels: 6dB, or a factor: 2x, 150%");
        return;
    }
    add(text, type[param->type]);
    if (param->duration) { /* its range is of samples */
        add(text, " in seconds; also 5ms, 1:30 or 480f (frames)");
        return;
    }
    if (param->type == HALO_PARAM_NUMBER || param->type == HALO_PARAM_INTEGER ||
        param->type == HALO_PARAM_LENGTH || param->type == HALO_PARAM_FREQUENCY ||
        param->type == HALO_PARAM_LEVEL)
        add_range(text, param);
    if (param->unit != NULL && param->type != HALO_PARAM_FREQUENCY)
        add_made(text, cli_format(" %s", param->unit));
    if (param->type == HALO_PARAM_LENGTH && (kinds & HALO_AUDIO)) add(text, "; on audio also a time: 5ms");
}

void cli_describe_key(const HaloParam *param, CliText *text)
{
    if (param->preset != NULL && *param->preset != 0)
        add_made(text, cli_format("%s=%s", param->key, param->preset));
    else if (param->preset != NULL)
        add_made(text, cli_format("[%s]", param->key));
    else
        add(text, param->key);
}

void cli_wrap(FILE *to, const char *text, int indent, int width)
{
    int column = indent;
    while (*text != 0) {
        const size_t length = strcspn(text, " ");
        char *word = cli_format("%.*s", (int)length, text);
        const int wide = halo_utf8_count(word);
        if (column > indent && column + 1 + wide > width) {
            fprintf(to, "\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', to);
            column++;
        }
        fputs(word, to);
        column += wide;
        free(word);
        text += length;
        while (*text == ' ') text++;
    }
    fputc('\n', to);
}

static void print_param(FILE *to, const HaloParam *param, unsigned kinds, int width)
{
    CliText key = {0}, words = {0};
    cli_describe_key(param, &key);
    add(&words, param->help);
    if (param->type != HALO_PARAM_BORDER) { /* whose help names its values already */
        add(&words, " (");
        cli_describe_domain(param, kinds, &words);
        add(&words, ")");
    }
    fprintf(to, "  %-*s  ", width, key.data);
    cli_wrap(to, words.data, width + 4, CLI_LINE);
    free(key.data);
    free(words.data);
}

static int key_width(const HaloParam *param, int params, int width)
{
    for (int i = 0; i < params; i++) {
        CliText key = {0};
        cli_describe_key(&param[i], &key);
        if ((int)key.length > width) width = (int)key.length;
        free(key.data);
    }
    return width;
}

/* "gauss:2 is gauss:sigma=2", by the plain values that the example begins with; of a switch by 1, which is not
 * the default. */
static void print_positional(FILE *to, const HaloOp *op)
{
    const char *at = strchr(op->example, ':');
    const size_t length = strlen(op->param[0].key);
    CliText plain = {0}, keyed = {0};
    if (at != NULL && strncmp(at + 1, op->param[0].key, length) == 0 && at[1 + length] == '=') at += 1 + length;
    for (int i = 0; i < op->params; i++) {
        const HaloParam *param = &op->param[i];
        const int value = at != NULL ? (int)strcspn(at + 1, ",= \"[|") : 0;
        const bool whole = value > 0 && (at[1 + value] == 0 || at[1 + value] == ',') && param->list == 0 &&
                           param->type != HALO_PARAM_SWITCH;
        const char *preset = param->type == HALO_PARAM_SWITCH               ? "1"
                             : param->preset != NULL && *param->preset != 0 ? param->preset
                                                                            : "…";
        if (!whole && i > 0) break;
        char *text = whole ? cli_format("%.*s", value, at + 1) : cli_copy(preset);
        add_made(&plain, cli_format("%c%s", i > 0 ? ',' : ':', text));
        add_made(&keyed, cli_format("%c%s=%s", i > 0 ? ',' : ':', param->key, text));
        free(text);
        if (!whole) break;
        at += 1 + value;
        if (*at == 0) break;
    }
    char *line = cli_format("Parameters; %s may be left out: %s%s is %s%s",
                            op->params > 1 ? "keys, in this order," : "the key", op->name, plain.data, op->name,
                            keyed.data);
    fputc('\n', to);
    cli_wrap(to, line, 0, CLI_LINE);
    free(line);
    free(plain.data);
    free(keyed.data);
}

void cli_print_op(FILE *to, const HaloOp *op)
{
    int common;
    const HaloParam *param = halo_common_params(op, &common);
    int width = key_width(op->param, op->params, 0);
    width = key_width(param, common, width);
    char *title = cli_format("%s (%s)", op->help, cli_kinds(op->kinds));
    fprintf(to, "%s%s%s: ", cli_ink(CLI_BOLD), op->name, cli_ink(CLI_PLAIN));
    cli_wrap(to, title, (int)strlen(op->name) + 2, CLI_LINE);
    free(title);
    fprintf(to, "\n  halo run '%s' INPUT%s\n", op->example, op->result ? "" : " -o OUTPUT");
    if (op->synonyms != NULL) {
        fputs("\nAliases:      ", to);
        cli_wrap(to, op->synonyms, 14, 79);
    }
    if (op->known_as != NULL) {
        fputs("\nSearch words: ", to);
        cli_wrap(to, op->known_as, 14, 79);
    }
    if (op->params > 0) print_positional(to, op);
    for (int i = 0; i < op->params; i++) print_param(to, &op->param[i], op->kinds, width);
    if (common > 0) fprintf(to, "\nAs every %s:\n", op->filter ? "filter" : "operation that makes samples");
    for (int i = 0; i < common; i++) print_param(to, &param[i], op->kinds, width);
    if (common == 0 || strcmp(param[common - 1].key, "mask") == 0) return;
    fputc('\n', to);
    char *line = cli_format("mask is a key of its own here; a mask that mixes the result with the input: "
                            "on:1,[%s:…],mask=FILE (with the numbers of all channels)",
                            op->name);
    cli_wrap(to, line, 0, CLI_LINE);
    free(line);
}

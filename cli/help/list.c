/* `halo list`: what there is, from the tables. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "describe.h"
#include "text/json.h"
#include "text/page.h"

static void record_words(CliJson *json, const char *key, const char *list)
{
    char text[64];
    json_open(json, key, '[');
    for (int i = 0; halo_word(list, '|', i, text) != NULL; i++) json_text(json, NULL, text);
    json_close(json, ']');
}

static void record_kinds(CliJson *json, unsigned kinds)
{
    json_open(json, "kinds", '[');
    if (kinds & HALO_IMAGE) json_text(json, NULL, "image");
    if (kinds & HALO_AUDIO) json_text(json, NULL, "audio");
    json_close(json, ']');
}

/* ---- operations ----------------------------------------------------------------------------------------- */

static void record_param(CliJson *json, const HaloParam *param)
{
    static const char *const type[] = {
        [HALO_PARAM_NUMBER] = "number", [HALO_PARAM_INTEGER] = "integer", [HALO_PARAM_SWITCH] = "switch",
        [HALO_PARAM_CHOICE] = "choice", [HALO_PARAM_LENGTH] = "length",   [HALO_PARAM_FREQUENCY] = "frequency",
        [HALO_PARAM_MASK] = "mask",     [HALO_PARAM_BORDER] = "border",   [HALO_PARAM_POINT] = "point",
        [HALO_PARAM_FILE] = "file",     [HALO_PARAM_TEXT] = "text",       [HALO_PARAM_SOURCE] = "source",
        [HALO_PARAM_LEVEL] = "level",   [HALO_PARAM_FACTOR] = "factor",
    };
    const bool bounded = param->min != 0 || param->max != 0;
    json_open(json, NULL, '{');
    json_text(json, "key", param->key);
    json_text(json, "type", type[param->type]);
    json_bool(json, "required", param->preset == NULL);
    json_text(json, "default", param->preset != NULL && *param->preset != 0 ? param->preset : NULL);
    if (bounded) {
        json_number(json, "min", param->min);
        json_number(json, "max", param->max);
    }
    if (param->choices != NULL) record_words(json, "choices", param->choices);
    if (param->unit != NULL) json_text(json, "unit", param->unit);
    json_text(json, "help", param->help);
    json_close(json, '}');
}

static void record_op(FILE *to, const HaloOp *op)
{
    CliJson json = {.to = to};
    int common;
    const HaloParam *shared = halo_common_params(op, &common);
    json_open(&json, NULL, '{');
    json_text(&json, "type", "op");
    json_text(&json, "name", op->name);
    json_text(&json, "help", op->help);
    json_text(&json, "example", op->example);
    record_kinds(&json, op->kinds);
    json_bool(&json, "filter", op->filter);
    json_bool(&json, "result", op->result);
    json_open(&json, "params", '[');
    for (int i = 0; i < op->params; i++) record_param(&json, &op->param[i]);
    for (int i = 0; i < common; i++) record_param(&json, &shared[i]);
    json_close(&json, ']');
    json_close(&json, '}');
    json_end_line(&json);
}

static void print_op_keys(FILE *to, const HaloOp *op)
{
    CliText keys = {0};
    for (int i = 0; i < op->params; i++) {
        if (i > 0) cli_add(&keys, ", ", 2);
        cli_describe_key(&op->param[i], &keys);
    }
    if (op->params > 0) {
        fprintf(to, "             %s", cli_ink(CLI_FAINT));
        cli_wrap(to, keys.data, 13, CLI_LINE);
        fputs(cli_ink(CLI_PLAIN), to);
    }
    free(keys.data);
}

static void list_ops(FILE *to, const CliSettings *settings)
{
    const HaloTables *tables = halo_tables();
    for (int i = 0; i < tables->ops; i++) {
        const HaloOp *op = tables->op[i];
        if (settings->json) {
            record_op(to, op);
            continue;
        }
        fprintf(to, "%s%-11s%s  ", cli_ink(CLI_BOLD), op->name, cli_ink(CLI_PLAIN));
        char *help = cli_format("%s (%s)", op->help, cli_kinds(op->kinds));
        cli_wrap(to, help, 13, CLI_LINE);
        free(help);
        print_op_keys(to, op);
    }
    if (!settings->json)
        fputs("\nA key shows its default; [keys] have none and may be left out. Filters also take border, "
              "alpha and nan.\n"
              "'halo help OPERATION' says more.\n",
              to);
}

/* ---- masks, formats, devices ---------------------------------------------------------------------------- */

static void print_mask_rows(FILE *to, const HaloMaskRow *mask)
{
    int width = 1;
    char cell[32];
    for (int i = 0; i < mask->width * mask->height; i++) {
        const int length = snprintf(cell, sizeof cell, "%.4g", mask->tap[i]);
        if (length > width) width = length;
    }
    for (int y = 0; y < mask->height; y++) {
        fputs("    ", to);
        for (int x = 0; x < mask->width; x++) fprintf(to, " %*.4g", width, mask->tap[y * mask->width + x]);
        fputc('\n', to);
    }
}

static void list_masks(FILE *to, const CliSettings *settings)
{
    const HaloTables *tables = halo_tables();
    for (int i = 0; i < tables->masks; i++) {
        const HaloMaskRow *mask = &tables->mask[i];
        if (settings->json) {
            CliJson json = {.to = to};
            json_open(&json, NULL, '{');
            json_text(&json, "type", "mask");
            json_text(&json, "name", mask->name);
            json_text(&json, "help", mask->help);
            json_int(&json, "width", mask->width);
            json_int(&json, "height", mask->height);
            json_open(&json, "taps", '[');
            for (int t = 0; t < mask->width * mask->height; t++) json_number(&json, NULL, mask->tap[t]);
            json_close(&json, ']');
            json_close(&json, '}');
            json_end_line(&json);
        } else {
            fprintf(to, "%s%s%s: %s\n", cli_ink(CLI_BOLD), mask->name, cli_ink(CLI_PLAIN), mask->help);
            print_mask_rows(to, mask);
        }
    }
    if (!settings->json)
        fputs("\nFor conv: halo run conv:NAME INPUT -o OUTPUT. Masks may also be text or files.\n", to);
}

static const char *dtype_list(unsigned dtypes, CliText *text)
{
    for (HaloDtype d = HALO_U8; d < HALO_DTYPES; d++) {
        if (!(dtypes >> d & 1)) continue;
        if (text->length > 0) cli_add_char(text, '|');
        cli_add(text, halo_dtype_name(d), strlen(halo_dtype_name(d)));
    }
    return text->data != NULL ? text->data : "";
}

/* What a format holds beside samples, with `between` between the words. */
static const char *holds_list(const HaloFormat *format, const char *between, CliText *text)
{
    for (int i = 0; i < HALO_META_KINDS; i++) {
        if ((format->holds >> i & 1) == 0) continue;
        const char *name = format->comment && 1 << i == HALO_META_TEXT ? "comments" : halo_meta_name(i);
        if (text->length > 0) cli_add(text, between, strlen(between));
        cli_add(text, name, strlen(name));
    }
    return text->data != NULL ? text->data : "";
}

static const char *pages_of(const HaloFormat *format)
{
    static const char *const words[] = {[HALO_ONE_IMAGE] = "one",
                                        [HALO_SEVERAL_IN_STREAMS] = "in pipes",
                                        [HALO_SEVERAL_ALIKE] = "alike",
                                        [HALO_SEVERAL] = "any"};
    return words[format->several];
}

static void record_format(FILE *to, const HaloFormat *format, const char *dtypes)
{
    CliJson json = {.to = to};
    CliText holds = {0};
    json_open(&json, NULL, '{');
    json_text(&json, "type", "format");
    json_text(&json, "name", format->name);
    json_text(&json, "help", format->help);
    json_text(&json, "extensions", format->extensions);
    json_bool(&json, "reads", format->open != NULL);
    json_bool(&json, "writes", format->create != NULL);
    record_kinds(&json, format->kinds);
    record_words(&json, "dtypes", dtypes);
    if (format->kinds & HALO_IMAGE) json_bool(&json, "alpha", format->with_alpha != 0);
    if (format->kinds & HALO_IMAGE) json_text(&json, "pages", pages_of(format));
    record_words(&json, "metadata", holds_list(format, "|", &holds));
    json_close(&json, '}');
    json_end_line(&json);
    free(holds.data);
}

static void print_format(FILE *to, const HaloFormat *format, const char *dtypes)
{
    const char *does = format->open == NULL ? "write" : format->create == NULL ? "read" : "read, write";
    const bool image = (format->kinds & HALO_IMAGE) != 0;
    CliText holds = {0};
    const char *meta = holds_list(format, ", ", &holds);
    char *more = cli_format("%s%s%s%s%s%s", image && format->with_alpha != 0 ? "alpha; " : "",
                            image ? "pages: " : "", image ? pages_of(format) : "",
                            image && *meta != 0 ? "; " : "", *meta != 0 ? "keeps " : "", meta);
    fprintf(to, "%s%-6s%s  ", cli_ink(CLI_BOLD), format->name, cli_ink(CLI_PLAIN));
    cli_wrap(to, format->help, 8, CLI_LINE);
    fprintf(to, "        %s%s; %s%s%s; %s%s\n", cli_ink(CLI_FAINT), does, cli_kinds(format->kinds),
            *dtypes != 0 ? " as " : "", dtypes, format->extensions, cli_ink(CLI_PLAIN));
    if (*more != 0) {
        fprintf(to, "        %s", cli_ink(CLI_FAINT));
        cli_wrap(to, more, 8, CLI_LINE);
        fputs(cli_ink(CLI_PLAIN), to);
    }
    free(more);
    free(holds.data);
}

/* What is known, and not read. */
static void print_foreign(FILE *to)
{
    const HaloForeign *row;
    fputs("\nNot read, and the way out; IN and OUT stand for files:\n", to);
    for (int i = 0; (row = halo_tables()->foreign_row(i)) != NULL; i++) {
        char *text = row->library != NULL
                         ? cli_format("%s: this build lacks %s", row->name, row->library)
                         : cli_format("%s: %s", row->name, row->way_out != NULL ? row->way_out : "-");
        fputs("  ", to);
        cli_wrap(to, text, 8, CLI_LINE);
        free(text);
    }
}

static void list_formats(FILE *to, const CliSettings *settings)
{
    const HaloTables *tables = halo_tables();
    for (int i = 0; i < tables->formats; i++) {
        CliText dtypes = {0};
        const char *list = dtype_list(tables->format[i]->dtypes, &dtypes);
        if (settings->json)
            record_format(to, tables->format[i], list);
        else
            print_format(to, tables->format[i], list);
        free(dtypes.data);
    }
    if (!settings->json) print_foreign(to);
}

static void list_device(FILE *to, const CliSettings *settings, const char *backend, int index,
                        const char *description, const char *error)
{
    const bool gpu = strcmp(backend, "cpu") != 0;
    char *name = gpu ? cli_format("gpu:%d", index) : cli_copy("cpu");
    if (settings->json) {
        CliJson json = {.to = to};
        json_open(&json, NULL, '{');
        json_text(&json, "type", "device");
        json_text(&json, "name", error == NULL ? name : NULL);
        json_text(&json, "backend", backend);
        json_text(&json, "device", description);
        json_text(&json, "error", error);
        json_close(&json, '}');
        json_end_line(&json);
    } else {
        fprintf(to, "%-8s%-8s%s\n", error == NULL ? name : "-", backend, error != NULL ? error : description);
    }
    free(name);
}

/* Devices, unlike the tables, have to be opened to describe them. */
static void list_devices(FILE *to, const CliSettings *settings)
{
    const HaloTables *tables = halo_tables();
    for (int b = 0; b < tables->backends; b++) {
        const HaloBackend *backend = tables->backend[b];
        const int count = backend->count();
        if (count == 0) list_device(to, settings, backend->name, 0, NULL, halo_error());
        for (int i = 0; i < count; i++) {
            HaloDevice *device = NULL;
            if (backend->open(i, 0, &device) != HALO_OK) {
                list_device(to, settings, backend->name, i, NULL, halo_error());
                continue;
            }
            list_device(to, settings, backend->name, i, backend->describe(device), NULL);
            backend->close(device);
        }
    }
    if (tables->backends == 1 && !settings->json) fputs("-       cuda    this build has no CUDA backend\n", to);
}

int cli_list(const CliSettings *settings)
{
    static void (*const list[])(FILE *, const CliSettings *) = {list_ops, list_masks, list_formats,
                                                                list_devices};
    int topic = 0;
    HaloStatus status = settings->words > 1 ? halo_fail(HALO_ERR_USAGE, "one topic at a time") : HALO_OK;
    if (status == HALO_OK && settings->words == 1)
        status = halo_read_choice(settings->word[0], "ops|masks|formats|devices", &topic);
    if (status != HALO_OK) {
        cli_complain("list: %s", halo_error());
        return status;
    }
    cli_ink_setup(STDOUT_FILENO, settings->no_color);
    FILE *page = cli_page_open(settings->json);
    list[topic](page, settings);
    if (settings->words == 0 && !settings->json)
        fputs("There are lists of masks, formats and devices, too.\n", page);
    return cli_page_end(STDOUT_FILENO);
}

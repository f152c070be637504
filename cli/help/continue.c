/* `halo --complete TEXT`: what may stand at the end of a pipeline that is being typed, for the shells'
 * completions. Each line is the text with one more word. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "describe.h"
#include "text/page.h"

/* What is typed, and what of it stays in front of every line. */
typedef struct Typed {
    const char *text;
    size_t kept;
} Typed;

static void put(FILE *to, const Typed *typed, const char *word, const char *behind)
{
    const char *begun = typed->text + typed->kept;
    if (strncmp(word, begun, strlen(begun)) == 0)
        fprintf(to, "%.*s%s%s\n", (int)typed->kept, typed->text, word, behind);
}

static void put_ops(FILE *to, const Typed *typed)
{
    const HaloTables *tables = halo_tables();
    for (int i = 0; i < tables->ops; i++) {
        const HaloOp *op = tables->op[i];
        put(to, typed, op->name, "");
        if (op->params > 0 || op->filter) put(to, typed, op->name, ":");
    }
}

static void put_values(FILE *to, const Typed *typed, const HaloParam *param)
{
    const HaloTables *tables = halo_tables();
    char word[64];
    for (int i = 0; halo_word(param->choices, '|', i, word) != NULL; i++) put(to, typed, word, "");
    for (int i = 0; param->type == HALO_PARAM_MASK && i < tables->masks; i++)
        put(to, typed, tables->mask[i].name, "");
}

static void put_keys(FILE *to, const Typed *typed, const HaloParam *param, int params)
{
    for (int i = 0; i < params; i++)
        put(to, typed, param[i].key, param[i].type == HALO_PARAM_SWITCH ? "" : "=");
}

static const HaloParam *find_param(const HaloParam *param, int params, const char *key, size_t length)
{
    for (int i = 0; i < params; i++)
        if (strlen(param[i].key) == length && memcmp(param[i].key, key, length) == 0) return &param[i];
    return NULL;
}

/* Behind "op:" or a comma: a key, or a value of the first parameter; behind '=' a value of that key. */
static void put_argument(FILE *to, Typed *typed, const HaloOp *op, bool first)
{
    int commons;
    const HaloParam *common = halo_common_params(&commons);
    const char *at = typed->text + typed->kept, *equals = strchr(at, '=');
    if (!op->filter) commons = 0;
    if (equals == NULL) {
        if (first && op->params > 0) put_values(to, typed, &op->param[0]);
        put_keys(to, typed, op->param, op->params);
        put_keys(to, typed, common, commons);
        return;
    }
    const HaloParam *param = find_param(op->param, op->params, at, (size_t)(equals - at));
    if (param == NULL) param = find_param(common, commons, at, (size_t)(equals - at));
    typed->kept += (size_t)(equals - at) + 1;
    if (param != NULL) put_values(to, typed, param);
}

static size_t behind_blanks(const char *text, size_t at) { return at + strspn(text + at, " \t"); }

static void put_all(FILE *to, const char *text)
{
    size_t step = 0, argument = 0;
    const char *name_end = NULL;
    bool first = true;
    for (size_t i = 0; text[i] != 0; i++) {
        if (strchr("|[", text[i]) != NULL) {
            step = i + 1;
            name_end = NULL;
        } else if (text[i] == ':' && name_end == NULL) {
            name_end = text + i;
            argument = i + 1;
            first = true;
        } else if (text[i] == ',') {
            argument = i + 1;
            first = false;
        }
    }
    step = behind_blanks(text, step);
    Typed typed = {text, name_end == NULL ? step : behind_blanks(text, argument)};
    if (name_end == NULL) {
        put_ops(to, &typed);
        return;
    }
    char *name = cli_format("%.*s", (int)(name_end - text - (int64_t)step), text + step);
    const HaloOp *op = halo_find_op(name);
    if (op != NULL) put_argument(to, &typed, op, first);
    free(name);
}

int cli_complete(const char *text)
{
    put_all(cli_page_open(), text);
    return cli_page_end(STDOUT_FILENO);
}

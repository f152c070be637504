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
        int common;
        halo_common_params(op, &common);
        if (op->params + common > 0) put(to, typed, op->name, ":");
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

/* Behind "op:" or a comma: a key, or a value of the parameter whose turn it is (-1: of none, since there is a
 * key before); behind '=' a value of that key. */
static void put_argument(FILE *to, Typed *typed, const HaloOp *op, int turn)
{
    int commons;
    const HaloParam *common = halo_common_params(op, &commons);
    const char *at = typed->text + typed->kept, *equals = strchr(at, '=');
    if (equals == NULL) {
        if (turn >= 0 && turn < op->params) put_values(to, typed, &op->param[turn]);
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

/* Where what is typed stands: in the name of an operation, or behind it. */
typedef struct Place {
    size_t step, argument;
    const char *name_end; /* NULL: it is still the name */
    int turn;             /* the arguments before it; -1: one of them has a key */
} Place;

#define BRANCHES 16

/* Brackets are branches, which end where the step goes on that they are in. */
static Place place_at_end(const char *text)
{
    Place place = {0}, outer[BRANCHES];
    int depth = 0;
    for (size_t i = 0; text[i] != 0; i++) {
        if (text[i] == '[' && depth < BRANCHES) outer[depth++] = place;
        if (text[i] == ']' && depth > 0) {
            place = outer[--depth];
        } else if (strchr("|[", text[i]) != NULL) {
            place.step = i + 1;
            place.name_end = NULL;
        } else if (text[i] == ':' && place.name_end == NULL) {
            place.name_end = text + i;
            place.argument = i + 1;
            place.turn = 0;
        } else if (text[i] == ',') {
            place.argument = i + 1;
            place.turn += place.turn >= 0;
        } else if (text[i] == '=') {
            place.turn = -1;
        }
    }
    return place;
}

static void put_all(FILE *to, const char *text)
{
    const Place place = place_at_end(text);
    const size_t step = behind_blanks(text, place.step);
    Typed typed = {text, place.name_end == NULL ? step : behind_blanks(text, place.argument)};
    if (place.name_end == NULL) {
        put_ops(to, &typed);
        return;
    }
    char *name = cli_format("%.*s", (int)(place.name_end - text - (int64_t)step), text + step);
    const HaloOp *op = halo_find_op(name);
    if (op != NULL) put_argument(to, &typed, op, place.turn);
    free(name);
}

int cli_complete(const char *text)
{
    put_all(cli_page_open(false), text);
    return cli_page_end(STDOUT_FILENO);
}

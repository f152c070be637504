/* Parses the text of a pipeline, "op:key=value,… | op …", into calls with checked values. */
#include <stdlib.h>
#include <string.h>

#include "halo/words.h"
#include "pipeline.h"
#include "split.h"

/* ---- one value ------------------------------------------------------------------------------------------ */

static const char *key_at(int i, const void *list) { return call_param(list, i)->key; }

static HaloStatus unknown_key(const Call *call, Span key)
{
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)(key.length < 60 ? key.length : 60), key.at);
    const char *near = halo_nearest(word, call->values, key_at, call);
    if (call->values == 0)
        return halo_fail(HALO_ERR_USAGE, "%s takes no parameters, found '%s'", call->op->name, word);
    if (near != NULL)
        return halo_fail(HALO_ERR_USAGE, "%s has no parameter '%s'; did you mean '%s'?", call->op->name, word,
                         near);
    return halo_fail(HALO_ERR_USAGE, "%s has no parameter '%s'; see 'halo help %s'", call->op->name, word,
                     call->op->name);
}

/* The key before '=', if there is one: letters and underscores only, so that the text of a mask is not taken
 * for a key.
 */
static bool has_key(Span piece, Span *key, Span *value)
{
    size_t n = 0;
    while (n < piece.length && (halo_is_letter(piece.at[n]) || piece.at[n] == '_')) n++;
    size_t equals = n;
    while (equals < piece.length && halo_is_blank(piece.at[equals])) equals++;
    if (n == 0 || equals >= piece.length || piece.at[equals] != '=') return false;
    *key = (Span){piece.at, n};
    *value = span_trimmed(piece.at + equals + 1, piece.at + piece.length);
    return true;
}

static HaloStatus set_value(Parser *parser, Call *call, int i, Span span)
{
    HaloStatus status = HALO_OK;
    const HaloParam *param = call_param(call, i);
    char where[96];
    char *text = NULL;
    snprintf(where, sizeof where, "%s: %s", call->op->name, param->key);
    if (call->value[i].given) HALO_FAIL(HALO_ERR_USAGE, "%s is given twice", where);
    const bool quoted = span_within(span, "\"\"", &span) || span_within(span, "''", &span);
    text = span_copy(span);
    if (text == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    HALO_TRY(value_parse(parser, param, text, quoted, where, &call->value[i], &call->owned[i]));
    call->value[i].given = true;
out:
    free(text);
    return status;
}

/* One "key=value", or a bare value for the first parameter. */
static HaloStatus parse_argument(Parser *parser, Call *call, Span piece, bool first)
{
    Span key, value;
    const bool bare = !has_key(piece, &key, &value);
    if (bare) {
        if (first && call->op->params > 0) {
            const HaloParam *param = &call->op->param[0];
            const bool named_switch = param->type == HALO_PARAM_SWITCH && piece.length == strlen(param->key) &&
                                      memcmp(piece.at, param->key, piece.length) == 0;
            return set_value(parser, call, 0, named_switch ? (Span){"1", 1} : piece);
        }
        key = piece;
        value = (Span){"1", 1}; /* a switch may stand alone */
    }
    for (int i = 0; i < call->values; i++) {
        const HaloParam *param = call_param(call, i);
        if (strlen(param->key) != key.length || memcmp(param->key, key.at, key.length) != 0) continue;
        if (bare && param->type != HALO_PARAM_SWITCH)
            return halo_fail(HALO_ERR_USAGE, "%s: %s needs a value: %s=…", call->op->name, param->key,
                             param->key);
        return set_value(parser, call, i, value);
    }
    if (bare && !first && call->values > 0)
        return halo_fail(
            HALO_ERR_USAGE, "%s: '%.*s' needs its key, as in key=value (only %s may be given without one)",
            call->op->name, (int)(key.length < 60 ? key.length : 60), key.at, call_param(call, 0)->key);
    return unknown_key(call, key);
}

/* ---- one call ------------------------------------------------------------------------------------------- */

static const char *op_at(int i, const void *list) { return ((const HaloTables *)list)->op[i]->name; }

const HaloOp *halo_find_op_in(const HaloTables *tables, const char *name)
{
    for (int i = 0; i < tables->ops; i++)
        if (strcmp(tables->op[i]->name, name) == 0) return tables->op[i];
    for (int i = 0; i < tables->ops; i++)
        if (halo_find_word(tables->op[i]->synonyms, ' ', name) >= 0) return tables->op[i];
    return NULL;
}

static HaloStatus find_op(const HaloTables *tables, Span name, const HaloOp **op)
{
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)(name.length < 60 ? name.length : 60), name.at);
    *op = halo_find_op_in(tables, word);
    if (*op != NULL) return HALO_OK;
    if (name.length == 0) return halo_fail(HALO_ERR_USAGE, "an operation is missing in the pipeline");
    const size_t letters = strcspn(word, "(=");
    char names[120];
    if (word[letters] != 0) {
        word[letters] = 0;
        const bool known = halo_find_op_in(tables, word) != NULL;
        return halo_fail(HALO_ERR_USAGE, "%.*s: parameters follow a colon, as in %s:…", (int)name.length,
                         name.at, known ? word : "gauss");
    }
    if (halo_known_as(tables, word, names, sizeof names))
        return halo_fail(HALO_ERR_USAGE, "unknown operation '%s'; did you mean %s?", word, names);
    const char *near = halo_nearest(word, tables->ops, op_at, tables);
    if (near != NULL)
        return halo_fail(HALO_ERR_USAGE, "unknown operation '%s'; did you mean '%s'?", word, near);
    return halo_fail(HALO_ERR_USAGE, "unknown operation '%s'; see 'halo list ops'", word);
}

/* Sets defaults of parameters that were not given; a required parameter without a default is an error. */
static HaloStatus fill_presets(Parser *parser, Call *call)
{
    for (int i = 0; i < call->values; i++) {
        const HaloParam *param = call_param(call, i);
        if (call->value[i].given) continue;
        if (param->preset == NULL)
            return halo_fail(HALO_ERR_USAGE, "%s needs %s (%s): for example %s", call->op->name, param->key,
                             param->help, call->op->example);
        if (param->preset[0] == 0) continue;
        const HaloStatus status =
            value_parse(parser, param, param->preset, false, call->op->name, &call->value[i], &call->owned[i]);
        if (status != HALO_OK) return status;
    }
    return HALO_OK;
}

/* Is the value of this argument a text, without quotes, such as a list of numbers? */
static bool is_bare_text(const Call *call, Span argument, bool first)
{
    Span key = {0}, value = argument;
    const bool keyed = has_key(argument, &key, &value);
    if (value.length == 0 || *value.at == '"' || *value.at == '\'') return false;
    if (!keyed) return first && call->op->params > 0 && call->op->param[0].type == HALO_PARAM_TEXT;
    for (int i = 0; i < call->op->params; i++) {
        const HaloParam *param = &call->op->param[i];
        if (strlen(param->key) == key.length && memcmp(param->key, key.at, key.length) == 0)
            return param->type == HALO_PARAM_TEXT;
    }
    return false;
}

/* The end of the numbers, with units or without, that follow at `stop`, each behind a comma: "percentiles=1,99"
 * and "trim:1s,2:30" have one argument. */
static const char *end_of_numbers(const char *stop, const char *end)
{
    while (stop < end && *stop == ',') {
        const char *at = stop + 1;
        while (at < end && halo_is_blank(*at)) at++;
        if (at == end || strchr("0123456789.+-", *at) == NULL) break;
        const char *next = at;
        while (next < end && strchr(",=\"'[]", *next) == NULL) next++;
        if (next < end && *next != ',') break;
        stop = next;
    }
    return stop;
}

static HaloStatus begin_call(const HaloOp *op, Call *call)
{
    call->op = op;
    call->values = op->params + (op->filter ? CORE_COMMON : 0);
    call->value = calloc((size_t)call->values + 1, sizeof *call->value);
    call->owned = calloc((size_t)call->values + 1, sizeof *call->owned);
    return call->value != NULL && call->owned != NULL ? HALO_OK
                                                      : halo_fail(HALO_ERR_LIMIT, "not enough memory");
}

static HaloStatus parse_call(Parser *parser, Span piece, Call *call)
{
    const HaloOp *op;
    const char *end = piece.at + piece.length;
    const char *colon = memchr(piece.at, ':', piece.length);
    const Span name = span_trimmed(piece.at, colon != NULL ? colon : end);
    if (++parser->operations > HALO_MAX_OPERATIONS)
        return halo_fail(HALO_ERR_USAGE, "the pipeline has more than %d operations: split it into two runs",
                         HALO_MAX_OPERATIONS);
    HaloStatus status = find_op(parser->session->tables, name, &op);
    if (status == HALO_OK) status = begin_call(op, call);
    if (status != HALO_OK) return status;
    bool first = true;
    for (const char *at = colon; at != NULL && at < end; first = false) {
        const char *stop;
        status = span_end(at + 1, end, ',', &stop);
        if (status != HALO_OK) return status;
        Span argument = span_trimmed(at + 1, stop);
        if (is_bare_text(call, argument, first))
            argument = span_trimmed(at + 1, stop = end_of_numbers(stop, end));
        if (argument.length == 0) return halo_fail(HALO_ERR_USAGE, "%s: a value is missing", call->op->name);
        status = parse_argument(parser, call, argument, first);
        if (status != HALO_OK) return status;
        at = stop < end ? stop : NULL;
    }
    return fill_presets(parser, call);
}

/* Operations that select pages do so before anything is computed. */
static HaloStatus check_place(const Parser *parser, const HaloPipeline *pipeline)
{
    const HaloOp *op = pipeline->call[pipeline->calls - 1].op;
    if (!op->selects || (pipeline->calls == 1 && parser->nesting == 0)) return HALO_OK;
    return halo_fail(HALO_ERR_USAGE,
                     "%s: has to be the first operation of a pipeline, and cannot be in a branch", op->name);
}

/* ---- the whole ------------------------------------------------------------------------------------------ */

HaloStatus pipeline_parse(Parser *parser, const char *text, HaloPipeline **pipeline)
{
    HaloStatus status = HALO_OK;
    const char *end = text + strlen(text);
    int calls = 1;
    HaloPipeline *made = calloc(1, sizeof *made);
    *pipeline = NULL;
    for (const char *c = text; c < end; c++) calls += *c == '|';
    if (made == NULL || (made->call = calloc((size_t)calls, sizeof *made->call)) == NULL)
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    if (span_trimmed(text, end).length > 0) {
        for (const char *at = text; at != NULL;) {
            const char *stop;
            HALO_TRY(span_end(at, end, '|', &stop));
            HALO_TRY(parse_call(parser, span_trimmed(at, stop), &made->call[made->calls++]));
            HALO_TRY(check_place(parser, made));
            at = stop < end ? stop + 1 : NULL;
        }
    }
    *pipeline = made;
    made = NULL;
out:
    halo_pipeline_free(made);
    return status;
}

HaloStatus pipeline_of(HaloSession *session, const HaloOp *op, const char *where, const char *text,
                       HaloPipeline **pipeline)
{
    HaloStatus status = HALO_OK;
    Parser parser = {.session = session};
    HaloPipeline *made = calloc(1, sizeof *made);
    *pipeline = NULL;
    if (made == NULL || (made->call = calloc(1, sizeof *made->call)) == NULL)
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    Call *call = &made->call[made->calls++];
    HALO_TRY(begin_call(op, call));
    HALO_TRY(value_parse(&parser, &op->param[0], text, true, where, &call->value[0], &call->owned[0]));
    call->value[0].given = true;
    HALO_TRY(fill_presets(&parser, call));
    *pipeline = made;
    made = NULL;
out:
    halo_pipeline_free(made);
    return status;
}

HaloStatus halo_pipeline_parse(HaloSession *session, const char *text, HaloPipeline **pipeline)
{
    return pipeline_parse(&(Parser){.session = session}, text, pipeline);
}

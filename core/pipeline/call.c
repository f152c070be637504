/* Parses the text of a pipeline, "op:key=value,… | op …", into calls with checked values. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "argument.h"
#include "halo/words.h"
#include "split.h"

ParamName param_name(const char *op, const char *key)
{
    ParamName name;
    if (strcmp(op, key) == 0)
        snprintf(name.text, sizeof name.text, "%s", op);
    else
        snprintf(name.text, sizeof name.text, "%s: %s", op, key);
    return name;
}

static HaloStatus set_value(Parser *parser, Call *call, int i, Span span)
{
    HaloStatus status = HALO_OK;
    const HaloParam *param = call_param(call, i);
    const ParamName where = param_name(call->op->name, param->key);
    char *text = NULL;
    if (call->value[i].given) HALO_FAIL(HALO_ERR_USAGE, "%s is given twice", where.text);
    const bool quoted = span_within(span, "\"\"", &span) || span_within(span, "''", &span);
    text = span_copy(span);
    if (text == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    HALO_TRY(value_parse(parser, param, text, quoted, where.text, &call->value[i], &call->owned[i]));
    call->value[i].given = true;
out:
    free(text);
    return status;
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
    const size_t letters = strcspn(word, "(=,");
    const bool marked = strpbrk(word, "(=") != NULL;
    const char mark = word[letters];
    char names[120];
    word[letters] = 0;
    const bool known = halo_find_op_in(tables, word) != NULL;
    if (marked || known)
        return halo_fail(HALO_ERR_USAGE, "%.*s: parameters follow a colon, as in %s:…", (int)name.length,
                         name.at, known ? word : "gauss");
    word[letters] = mark;
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

static HaloStatus begin_call(const HaloOp *op, Call *call)
{
    int common;
    call->op = op;
    halo_common_params(op, &common);
    call->values = op->params + common;
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
    Argument argument = {0};
    for (const char *at = colon; at != NULL && at < end;) {
        const char *stop;
        status = span_end(at + 1, end, ',', &stop);
        if (status != HALO_OK) return status;
        const Span next = span_trimmed(at + 1, stop);
        if (next.length == 0) return halo_fail(HALO_ERR_USAGE, "%s: a value is missing", call->op->name);
        status = argument_find(call, next, &argument);
        if (status != HALO_OK) return status;
        stop = argument_end(call, &argument, stop, end);
        if (call_param(call, argument.param)->list > 0) argument.value = span_trimmed(argument.value.at, stop);
        status = set_value(parser, call, argument.param, argument.value);
        if (status != HALO_OK) return status;
        at = stop < end ? stop : NULL;
    }
    return fill_presets(parser, call);
}

/* ---- a file at the beginning of a branch ---------------------------------------------------------------- */

static const HaloParam file_param[] = {
    {.key = "file", .type = HALO_PARAM_SOURCE, .help = "that the branch begins with"},
};

const HaloOp pipeline_file = {
    .name = "branch", .example = "branch", .kinds = HALO_IMAGE | HALO_AUDIO, HALO_PARAMS(file_param)};

/* Is it a path, not an operation? In quotes it is; else it has an extension, a folder or a field, is there, or
 * names an array. */
static bool is_path(const HaloTables *tables, Span piece)
{
    char path[1024], name[64];
    const char *colon = memchr(piece.at, ':', piece.length);
    const Span word = span_trimmed(piece.at, colon != NULL ? colon : piece.at + piece.length);
    if (piece.length == 0 || piece.length >= sizeof path) return false;
    if (strchr("\"'", *piece.at) != NULL) return true;
    snprintf(name, sizeof name, "%.*s", (int)(word.length < 60 ? word.length : 60), word.at);
    if (halo_find_op_in(tables, name) != NULL) return false;
    snprintf(path, sizeof path, "%.*s", (int)piece.length, piece.at);
    if (operand_array(path) > 0) return true;
    return strpbrk(path, "/{") != NULL || halo_is_letter(*halo_extension(path)) || access(path, F_OK) == 0;
}

static HaloStatus parse_file(Parser *parser, Span piece, Call *call)
{
    HaloStatus status = begin_call(&pipeline_file, call);
    return status == HALO_OK ? set_value(parser, call, 0, piece) : status;
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
            const Span piece = span_trimmed(at, stop);
            Call *call = &made->call[made->calls++];
            if (at == text && parser->nesting > 0 && is_path(parser->session->tables, piece))
                HALO_TRY(parse_file(parser, piece, call));
            else
                HALO_TRY(parse_call(parser, piece, call));
            HALO_TRY(check_place(parser, made));
            at = stop < end ? stop + 1 : NULL;
        }
    }
    HALO_TRY(pipeline_check_light(made));
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
    if (pipeline == NULL) return halo_fail(HALO_ERR_USAGE, "pipeline is NULL");
    *pipeline = NULL;
    if (text == NULL) return halo_fail(HALO_ERR_USAGE, "the text of the pipeline is NULL");
    const HaloStatus status = session_check(session);
    return status == HALO_OK ? pipeline_parse(&(Parser){.session = session}, text, pipeline) : status;
}

/* The text of a pipeline, "op:key=value,… | op …", made into calls with checked values. */
#include <stdlib.h>
#include <string.h>

#include "pipeline.h"

static const HaloParam common[CORE_COMMON] = {
    {.key = "border",
     .type = HALO_PARAM_BORDER,
     .preset = "",
     .choices = "zero|constant|replicate|reflect|mirror|wrap|valid|keep",
     .help =
         "what lies outside: zero, constant=V, replicate (images), reflect, mirror (audio), wrap, valid, keep"},
    {.key = "alpha",
     .type = HALO_PARAM_CHOICE,
     .preset = "",
     .choices = "premul|straight|ignore",
     .help = "weigh colours by their alpha (premul), filter alpha as a channel, or copy it (ignore)"},
    {.key = "nan",
     .type = HALO_PARAM_CHOICE,
     .preset = "propagate",
     .choices = "propagate|ignore|error",
     .help = "let NaN spread, leave it out and reweigh, or refuse the input"},
};

const HaloParam *halo_common_params(int *count)
{
    *count = CORE_COMMON;
    return common;
}

const HaloParam *call_param(const Call *call, int i)
{
    return i < call->op->params ? &call->op->param[i] : &common[i - call->op->params];
}

/* ---- text ----------------------------------------------------------------------------------------------- */

/* A piece of the pipeline's text. */
typedef struct Span {
    const char *at;
    size_t length;
} Span;

static Span trimmed(const char *from, const char *to)
{
    while (from < to && halo_is_blank(*from)) from++;
    while (to > from && halo_is_blank(to[-1])) to--;
    return (Span){from, (size_t)(to - from)};
}

/* The end of the piece that starts at `at` and runs up to any of `stops` outside quotes; NULL when a quote is
 * left open. */
static const char *piece_end(const char *at, const char *end, const char *stops)
{
    char quote = 0;
    for (; at < end; at++) {
        if (quote != 0) {
            if (*at == quote) quote = 0;
        } else if (*at == '"' || *at == '\'') {
            quote = *at;
        } else if (strchr(stops, *at) != NULL) {
            return at;
        }
    }
    return quote == 0 ? end : NULL;
}

static char *copy_of(Span span)
{
    char *copy = malloc(span.length + 1);
    if (copy == NULL) return NULL;
    memcpy(copy, span.at, span.length);
    copy[span.length] = 0;
    return copy;
}

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

/* The key before '=', where the piece has one: letters and underscores only, so that a mask's text is no key.
 */
static bool has_key(Span piece, Span *key, Span *value)
{
    size_t n = 0;
    while (n < piece.length && (halo_is_letter(piece.at[n]) || piece.at[n] == '_')) n++;
    size_t equals = n;
    while (equals < piece.length && halo_is_blank(piece.at[equals])) equals++;
    if (n == 0 || equals >= piece.length || piece.at[equals] != '=') return false;
    *key = (Span){piece.at, n};
    *value = trimmed(piece.at + equals + 1, piece.at + piece.length);
    return true;
}

static HaloStatus set_value(HaloSession *session, Call *call, int i, Span span)
{
    HaloStatus status = HALO_OK;
    const HaloParam *param = call_param(call, i);
    char where[96];
    char *text = NULL;
    bool quoted = false;
    snprintf(where, sizeof where, "%s: %s", call->op->name, param->key);
    if (call->value[i].given) HALO_FAIL(HALO_ERR_USAGE, "%s is given twice", where);
    if (span.length >= 2 && (span.at[0] == '"' || span.at[0] == '\'') &&
        span.at[span.length - 1] == span.at[0]) {
        span = (Span){span.at + 1, span.length - 2};
        quoted = true;
    }
    text = copy_of(span);
    if (text == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    HALO_TRY(value_parse(session, param, text, quoted, where, &call->value[i], &call->text[i], &call->mask[i]));
    call->value[i].given = true;
out:
    free(text);
    return status;
}

/* One "key=value", or a bare value for the first parameter. */
static HaloStatus parse_argument(HaloSession *session, Call *call, Span piece, bool first)
{
    Span key, value;
    const bool bare = !has_key(piece, &key, &value);
    if (bare) {
        if (first && call->op->params > 0) {
            const HaloParam *param = &call->op->param[0];
            const bool named_switch = param->type == HALO_PARAM_SWITCH && piece.length == strlen(param->key) &&
                                      memcmp(piece.at, param->key, piece.length) == 0;
            return set_value(session, call, 0, named_switch ? (Span){"1", 1} : piece);
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
        return set_value(session, call, i, value);
    }
    if (bare && !first && call->values > 0)
        return halo_fail(
            HALO_ERR_USAGE, "%s: '%.*s' needs its key (only the first parameter, %s, goes without)",
            call->op->name, (int)(key.length < 60 ? key.length : 60), key.at, call_param(call, 0)->key);
    return unknown_key(call, key);
}

/* ---- one call ------------------------------------------------------------------------------------------- */

static const char *op_at(int i, const void *list) { return ((const HaloTables *)list)->op[i]->name; }

static HaloStatus find_op(const HaloTables *tables, Span name, const HaloOp **op)
{
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)(name.length < 60 ? name.length : 60), name.at);
    for (int i = 0; i < tables->ops; i++) {
        *op = tables->op[i];
        if (strcmp(word, (*op)->name) == 0) return HALO_OK;
    }
    if (name.length == 0) return halo_fail(HALO_ERR_USAGE, "an operation is missing in the pipeline");
    char names[120];
    if (halo_known_as(tables, word, names, sizeof names))
        return halo_fail(HALO_ERR_USAGE, "unknown operation '%s'; did you mean %s?", word, names);
    const char *near = halo_nearest(word, tables->ops, op_at, tables);
    if (near != NULL)
        return halo_fail(HALO_ERR_USAGE, "unknown operation '%s'; did you mean '%s'?", word, near);
    return halo_fail(HALO_ERR_USAGE, "unknown operation '%s'; 'halo list ops' names them all", word);
}

/* Defaults where nothing was given; what has none and is needed is an error. */
static HaloStatus fill_presets(HaloSession *session, Call *call)
{
    for (int i = 0; i < call->values; i++) {
        const HaloParam *param = call_param(call, i);
        if (call->value[i].given) continue;
        if (param->preset == NULL)
            return halo_fail(HALO_ERR_USAGE, "%s needs %s (%s): for example %s", call->op->name, param->key,
                             param->help, call->op->example);
        if (param->preset[0] == 0) continue;
        const HaloStatus status = value_parse(session, param, param->preset, false, call->op->name,
                                              &call->value[i], &call->text[i], &call->mask[i]);
        if (status != HALO_OK) return status;
    }
    return HALO_OK;
}

static HaloStatus parse_call(HaloSession *session, Span piece, Call *call)
{
    const char *end = piece.at + piece.length;
    const char *colon = memchr(piece.at, ':', piece.length);
    const Span name = trimmed(piece.at, colon != NULL ? colon : end);
    HaloStatus status = find_op(session->tables, name, &call->op);
    if (status != HALO_OK) return status;
    call->values = call->op->params + (call->op->filter ? CORE_COMMON : 0);
    call->value = calloc((size_t)call->values + 1, sizeof *call->value);
    call->text = calloc((size_t)call->values + 1, sizeof *call->text);
    call->mask = calloc((size_t)call->values + 1, sizeof(HaloMask *));
    if (call->value == NULL || call->text == NULL || call->mask == NULL)
        return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    bool first = true;
    for (const char *at = colon; at != NULL && at < end; first = false) {
        const char *stop = piece_end(at + 1, end, ",");
        const Span argument = trimmed(at + 1, stop);
        if (argument.length == 0) return halo_fail(HALO_ERR_USAGE, "%s: a value is missing", call->op->name);
        status = parse_argument(session, call, argument, first);
        if (status != HALO_OK) return status;
        at = stop < end ? stop : NULL;
    }
    return fill_presets(session, call);
}

/* ---- the whole ------------------------------------------------------------------------------------------ */

HaloStatus halo_pipeline_parse(HaloSession *session, const char *text, HaloPipeline **pipeline)
{
    HaloStatus status = HALO_OK;
    const char *end = text + strlen(text);
    int calls = 1;
    HaloPipeline *made = calloc(1, sizeof *made);
    *pipeline = NULL;
    for (const char *c = text; c < end; c++) calls += *c == '|';
    if (made == NULL || (made->call = calloc((size_t)calls, sizeof *made->call)) == NULL)
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    if (trimmed(text, end).length > 0) {
        for (const char *at = text; at != NULL;) {
            const char *stop = piece_end(at, end, "|");
            if (stop == NULL) HALO_FAIL(HALO_ERR_USAGE, "a quote is left open in the pipeline: %.80s", at);
            HALO_TRY(parse_call(session, trimmed(at, stop), &made->call[made->calls++]));
            at = stop < end ? stop + 1 : NULL;
        }
    }
    *pipeline = made;
    made = NULL;
out:
    halo_pipeline_free(made);
    return status;
}

void halo_pipeline_free(HaloPipeline *pipeline)
{
    if (pipeline == NULL) return;
    for (int c = 0; c < pipeline->calls; c++) {
        Call *call = &pipeline->call[c];
        for (int i = 0; i < call->values && call->text != NULL; i++) free(call->text[i]);
        for (int i = 0; i < call->values && call->mask != NULL; i++)
            if (call->mask[i] != NULL) {
                halo_mask_free(call->mask[i]);
                free(call->mask[i]);
            }
        free(call->value);
        free(call->text);
        free(call->mask);
    }
    free(pipeline->call);
    free(pipeline);
}

bool halo_pipeline_reads(const HaloPipeline *pipeline, size_t i, HaloRead *read)
{
    for (int c = 0; c < pipeline->calls; c++) {
        const Call *call = &pipeline->call[c];
        for (int v = 0; v < call->values; v++) {
            const HaloMask *mask = call->value[v].mask;
            if (mask == NULL || !mask->filed || i-- > 0) continue;
            *read = (HaloRead){{mask->file[0], mask->file[1]}, "read by the pipeline"};
            return true;
        }
    }
    return false;
}

bool halo_pipeline_only_measures(const HaloPipeline *pipeline)
{
    for (int c = 0; c < pipeline->calls; c++)
        if (!pipeline->call[c].op->result) return false;
    return pipeline->calls > 0;
}

bool pipeline_changes(const HaloPipeline *pipeline)
{
    return pipeline->calls > 0 && !halo_pipeline_only_measures(pipeline);
}

bool pipeline_recodes(const HaloPipeline *pipeline)
{
    int light = 0;
    for (int c = 0; c < pipeline->calls; c++) light += pipeline->call[c].op->light;
    return light != 0;
}

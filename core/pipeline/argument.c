/* Which parameter of a call an argument is for: by its key, or by its place among those without one. */
#include <stdio.h>
#include <string.h>

#include "argument.h"
#include "halo/words.h"

#define KEYS_SIZE 256

static const char *key_at(int i, const void *list) { return call_param(list, i)->key; }

static HaloStatus unknown_key(const Call *call, Span key)
{
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)(key.length < 60 ? key.length : 60), key.at);
    const char *near = halo_nearest(word, call->values, key_at, call);
    if (call->op->params == 0 && !call->op->filter && near == NULL)
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

static int find_key(const Call *call, Span key)
{
    for (int i = 0; i < call->values; i++) {
        const char *name = call_param(call, i)->key;
        if (strlen(name) == key.length && memcmp(name, key.at, key.length) == 0) return i;
    }
    return -1;
}

/* "low, high, taps": the keys of an operation in the order in which values without keys fill them. */
static const char *keys_in_order(const HaloOp *op, char text[KEYS_SIZE])
{
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i < op->params && used < KEYS_SIZE; i++)
        used += (size_t)snprintf(text + used, KEYS_SIZE - used, "%s%s", i > 0 ? ", " : "", op->param[i].key);
    return text;
}

static HaloStatus refuse_position(const Call *call, Span piece, bool keyed)
{
    char keys[KEYS_SIZE];
    const int length = (int)(piece.length < 60 ? piece.length : 60);
    keys_in_order(call->op, keys);
    if (call->op->params == 0 && !call->op->filter) return unknown_key(call, piece);
    if (call->op->params == 0)
        return halo_fail(HALO_ERR_USAGE, "%s: '%.*s' needs its key before it, as border= in border=wrap",
                         call->op->name, length, piece.at);
    if (keyed)
        return halo_fail(HALO_ERR_USAGE,
                         "%s: '%.*s' follows a value with a key, so it needs its own: the keys in order are %s",
                         call->op->name, length, piece.at, keys);
    return halo_fail(HALO_ERR_USAGE, "%s: '%.*s' is one value too many: the keys in order are %s",
                     call->op->name, length, piece.at, keys);
}

/* Decibels are a factor: where a level is next they go to the first factor behind it, as normalize's peak. */
static int find_factor(const Call *call, int i, Span value)
{
    const bool decibels =
        value.length > 2 && value.at[value.length - 2] == 'd' && value.at[value.length - 1] == 'B';
    if (!decibels || call_param(call, i)->type != HALO_PARAM_LEVEL) return i;
    for (int k = i + 1; k < call->op->params; k++)
        if (call_param(call, k)->type == HALO_PARAM_FACTOR) return k;
    return i;
}

HaloStatus argument_find(const Call *call, Span piece, Argument *argument)
{
    Span key = piece, value = piece;
    const bool equals = has_key(piece, &key, &value);
    const int found = find_key(call, key), next = argument->position;
    const bool may = !argument->keyed && next < call->op->params;
    const bool of_border = may && found < 0 && call->op->param[next].type == HALO_PARAM_BORDER;
    if (found >= 0 && (equals || call_param(call, found)->type == HALO_PARAM_SWITCH)) {
        argument->value = equals ? value : (Span){"1", 1};
        argument->param = found;
        argument->keyed = true;
        return HALO_OK;
    }
    if (equals && !of_border) return unknown_key(call, key);
    if (!may && found >= 0)
        return halo_fail(HALO_ERR_USAGE, "%s: %.*s needs a value: %.*s=…", call->op->name, (int)key.length,
                         key.at, (int)key.length, key.at);
    if (!may) return refuse_position(call, piece, argument->keyed);
    argument->value = piece;
    argument->param = find_factor(call, next, piece);
    argument->keyed = argument->param != next;
    argument->position++;
    return HALO_OK;
}

/* May this be one more value of a list? It is a number, with a unit or without; or, where no other parameter
 * follows the list, a word. */
static bool is_item(const Call *call, int param, Span piece)
{
    Span key, value;
    if (piece.length == 0 || strchr("\"'[", *piece.at) != NULL || has_key(piece, &key, &value)) return false;
    return strchr("0123456789.+-", *piece.at) != NULL ||
           (param == call->op->params - 1 && find_key(call, piece) < 0);
}

const char *argument_end(const Call *call, const Argument *argument, const char *stop, const char *end)
{
    const HaloParam *param = call_param(call, argument->param);
    const bool quoted = argument->value.length > 0 && strchr("\"'", *argument->value.at) != NULL;
    for (int items = 1; items < param->list && !quoted && stop < end; items++) {
        const char *next = stop + 1;
        while (next < end && strchr(",\"'[]", *next) == NULL) next++;
        if ((next < end && *next != ',') || !is_item(call, argument->param, span_trimmed(stop + 1, next)))
            break;
        stop = next;
    }
    return stop;
}

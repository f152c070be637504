/* Values of parameters: parsed with the pipeline, bound to an input when a plan is made. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/border.h"
#include "file/operand.h"
#include "halo/time.h"
#include "halo/words.h"
#include "pipeline.h"
#include "split.h"

/* Also a fraction: 1/65535. */
static bool number_at(const char *text, double *number, const char **end)
{
    double divisor;
    if (!halo_read_number(text, number, end)) return false;
    if (**end == '/') {
        if (!halo_read_number(*end + 1, &divisor, end)) return false;
        *number /= divisor;
    }
    return isfinite(*number);
}

static HaloStatus in_range(const HaloParam *param, const char *text, const char *where, double v)
{
    if (param->min == 0 && param->max == 0) return HALO_OK;
    if (v >= param->min && v <= param->max) return HALO_OK;
    if (isinf(param->max))
        return halo_fail(HALO_ERR_USAGE, "%s: %s is too small; at least %g is needed", where, text, param->min);
    return halo_fail(HALO_ERR_USAGE, "%s: %s is outside %.10g to %.10g", where, text, param->min, param->max);
}

/* A number with one of a few units behind it: {"ms", 0.001}. *unit is the index, or -1 for none. */
typedef struct Unit {
    const char *name;
    double factor;
} Unit;

static HaloStatus with_unit(const HaloParam *param, const char *text, const char *where, const Unit *units,
                            int count, double *number, int *unit)
{
    const char *end;
    *unit = -1;
    if (!number_at(text, number, &end))
        return halo_fail(HALO_ERR_USAGE, "%s: expected a number, found '%.60s'", where, text);
    while (halo_is_blank(*end)) end++;
    for (int i = 0; i < count; i++)
        if (strcmp(end, units[i].name) == 0) *unit = i;
    if (*end != 0 && *unit < 0)
        return halo_fail(HALO_ERR_USAGE, "%s: expected a number, found '%.60s'", where, text);
    if (*unit >= 0) *number *= units[*unit].factor;
    return in_range(param, text, where, *number);
}

/* "1.25", "125%", "5:4" */
static HaloStatus parse_number(const HaloParam *param, const char *text, const char *where, double *number)
{
    static const Unit percent[] = {{"%", 0.01}};
    const char *end;
    double divisor;
    int unit;
    if (!param->ratio || !number_at(text, number, &end) || *end != ':')
        return with_unit(param, text, where, percent, param->ratio, number, &unit);
    if (!number_at(end + 1, &divisor, &end) || *end != 0)
        return halo_fail(HALO_ERR_USAGE, "%s: expected a number, found '%.60s'", where, text);
    *number /= divisor;
    return in_range(param, text, where, *number);
}

/* Times are checked after their conversion to samples. */
static HaloStatus parse_length(const HaloParam *param, const char *text, const char *where, HaloValue *value)
{
    HaloTimeUnit unit = HALO_TIME_PLAIN;
    const char *end = halo_read_time(text, &value->number, &unit);
    if (end == NULL || *end != 0)
        return halo_fail(HALO_ERR_USAGE, "%s: expected a number, found '%.60s'", where, text);
    const bool seconds = unit == HALO_TIME_SECONDS || (unit == HALO_TIME_PLAIN && param->duration);
    value->integer = seconds ? LENGTH_SECONDS : unit == HALO_TIME_FRAMES ? LENGTH_FRAMES : LENGTH_SAMPLES;
    return seconds ? HALO_OK : in_range(param, text, where, value->number);
}

/* Like in_range; of what is in decibels, the range is in decibels, too. */
static HaloStatus factor_in_range(const HaloParam *param, const char *text, const char *where, double v,
                                  bool decibels)
{
    if (!decibels || !(param->min > 0) || in_range(param, text, where, v) == HALO_OK)
        return in_range(param, text, where, v);
    return halo_fail(HALO_ERR_USAGE, "%s: %s is outside %.4gdB to %.4gdB", where, text, 20 * log10(param->min),
                     20 * log10(param->max));
}

/* Decibels are of an amplitude: 20 for ten times as much. A number with a sign may mean decibels or a factor,
 * and so may every number where decibels are usual. */
static HaloStatus parse_factor(const HaloParam *param, const char *text, const char *where, HaloValue *value)
{
    static const Unit units[] = {{"%", 0.01}, {"x", 1.0}, {"dB", 1.0}, {"db", 1.0}};
    int unit = -1;
    HaloParam free_range = *param;
    free_range.min = free_range.max = 0;
    const bool factor = *text != '-' || !(param->min >= 0 && param->max > 0);
    const HaloStatus status = with_unit(&free_range, text, where, units, 4, &value->number, &unit);
    if (status == HALO_OK && unit < 0 && (value->number < 0 || *text == '+' || param->unit != NULL))
        return halo_fail(HALO_ERR_USAGE, "%s: %.30s needs a unit: %.30sdB for decibels%s%.30s%s", where, text,
                         text, factor ? ", or " : "", factor ? text : "", factor ? "x for a factor" : "");
    if (unit > 1) value->number = pow(10.0, value->number / 20);
    return status == HALO_OK ? factor_in_range(param, text, where, value->number, unit > 1) : status;
}

/* A number, a percentage, or one of a few words. */
static HaloStatus parse_level(const HaloParam *param, const char *text, const char *where, HaloValue *value)
{
    static const Unit percent[] = {{"%", 1.0}};
    const int word = param->choices != NULL ? halo_find_word(param->choices, '|', text) : -1;
    const char *end;
    int unit = -1;
    value->integer = word + 1;
    if (word >= 0) return HALO_OK;
    if (param->choices != NULL && !number_at(text, &value->number, &end))
        return halo_fail(HALO_ERR_USAGE, "%s: expected a number, a percentage or %s, found '%.60s'", where,
                         param->choices, text);
    HaloParam free_range = *param; /* percentages are checked after their conversion to levels */
    free_range.min = free_range.max = 0;
    const HaloStatus status = with_unit(&free_range, text, where, percent, 1, &value->number, &unit);
    value->percent = unit >= 0;
    return status == HALO_OK && unit < 0 ? in_range(param, text, where, value->number) : status;
}

/* The parameter's own check comes first, unless the text is nearly one of the choices. */
static HaloStatus parse_choice(const HaloParam *param, const char *text, const char *where, int64_t *index)
{
    HaloStatus status = HALO_OK;
    char near[HALO_WORD_SIZE];
    int choice = 0;
    if (param->check != NULL && halo_find_word(param->choices, '|', text) < 0 &&
        halo_nearest_choice(text, param->choices, near) == NULL)
        HALO_TRY(param->check(where, text));
    status = halo_read_choice(text, param->choices, &choice);
    if (status != HALO_OK) halo_fail_at(status, "%s", where);
    *index = choice;
out:
    return status;
}

static HaloStatus parse_switch(const char *text, const char *where, int64_t *on)
{
    *on = halo_find_word(HALO_WORDS_ON, '|', text) >= 0;
    if (*on || halo_find_word(HALO_WORDS_OFF, '|', text) >= 0) return HALO_OK;
    return halo_fail(HALO_ERR_USAGE, "%s: expected 1 or 0, found '%.60s'", where, text);
}

/* "reflect", or "constant=0.5", or "constant=50%". */
static HaloStatus parse_border(const HaloParam *param, const char *text, const char *where, HaloValue *value)
{
    if (strncmp(text, "constant=", 9) == 0) {
        const char *end = "?";
        value->integer = HALO_BORDER_CONSTANT;
        const bool well = number_at(text + 9, &value->number, &end);
        value->percent = strcmp(end, "%") == 0;
        if (well && (*end == 0 || value->percent)) return HALO_OK;
        return halo_fail(HALO_ERR_USAGE, "%s: expected a number after constant=, found '%.60s'", where,
                         text + 9);
    }
    if (strcmp(text, "constant") == 0)
        return halo_fail(HALO_ERR_USAGE, "%s: constant needs its value: border=constant=128", where);
    const int known = border_known_as(text);
    if (known >= 0)
        return halo_fail(HALO_ERR_USAGE, "%s: '%s' of other tools is '%s' here", where, text,
                         border_row((HaloBorder)known)->word);
    return parse_choice(param, text, where, &value->integer); /* the choices stand in the order of HaloBorder */
}

/* "3", "3+4", "3x4" and "-3-4". */
static HaloStatus parse_point(const HaloParam *param, const char *text, const char *where, HaloValue *value)
{
    const char *second;
    int64_t *point = value->point;
    value->integer = param->choices != NULL && halo_find_word(param->choices, '|', text) >= 0;
    if (value->integer) return HALO_OK;
    value->from_end[0] = value->from_end[1] = *text == '-';
    if (halo_read_int(text, INT64_MIN, INT64_MAX, &point[0], &second)) {
        point[1] = point[0];
        if (*second == 0) return HALO_OK; /* one number stands for both */
        if (*second == '+' || *second == 'x')
            second++;
        else if (*second != '-')
            second = "";
        value->from_end[1] = *second == '-';
        if (halo_read_int(second, INT64_MIN, INT64_MAX, &point[1], NULL)) return HALO_OK;
    }
    return halo_fail(HALO_ERR_USAGE, "%s: expected X+Y (for example 1+1), found '%.60s'", where, text);
}

static HaloStatus parse_mask(HaloSession *session, const char *text, bool quoted, HaloValue *value,
                             Owned *owned)
{
    value->mask = owned->mask = calloc(1, sizeof *owned->mask);
    if (owned->mask == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    return mask_resolve(session, text, quoted, owned->mask);
}

static HaloStatus keep_text(const char *text, HaloValue *value, Owned *owned)
{
    owned->text = malloc(strlen(text) + 1);
    if (owned->text == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    value->text = strcpy(owned->text, text);
    return HALO_OK;
}

/* A branch in brackets; a file that is the same for all inputs, and read now; or a file for each input, read
 * later. */
static HaloStatus parse_source(Parser *parser, const char *text, bool quoted, const char *where,
                               HaloValue *value, Owned *owned)
{
    HaloStatus status = HALO_OK;
    Span inner;
    char *name = NULL;
    bool fields;
    if (!quoted && span_within((Span){text, strlen(text)}, "[]", &inner)) {
        owned->text = span_copy(inner);
        if (owned->text == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
        if (parser->nesting >= HALO_MAX_NESTING)
            HALO_FAIL(HALO_ERR_USAGE,
                      "%s: branches are nested more than %d deep: run the inner ones separately and use their "
                      "outputs",
                      where, HALO_MAX_NESTING);
        parser->nesting++;
        HALO_TRY(pipeline_parse(parser, owned->text, &owned->branch));
        parser->nesting--;
        value->branch = owned->branch;
        if (halo_pipeline_only_measures(owned->branch))
            HALO_FAIL(HALO_ERR_USAGE, "%s: [%s] only measures, and has no output", where, owned->text);
        return HALO_OK;
    }
    HALO_TRY(keep_text(text, value, owned));
    if (!quoted && operand_array(text) > 0) return HALO_OK;
    HALO_TRY(operand_fields(text, &fields));
    if (fields) return HALO_OK;
    if (strchr(text, '{') != NULL) HALO_TRY(operand_name(text, NULL, &name)); /* {{ and }} are braces */
    HALO_TRY(operand_load(parser->session, name != NULL ? name : text, &owned->operand));
    value->operand = owned->operand;
out:
    free(name);
    return status;
}

/* All of a file, for every input that follows. */
static HaloStatus parse_file(HaloSession *session, const HaloParam *param, const char *text, const char *where,
                             HaloValue *value, Owned *owned)
{
    HaloStatus status = HALO_OK;
    const uint8_t *bytes;
    if (*text == 0) return halo_fail(HALO_ERR_USAGE, "%s: expected a file", where);
    HALO_TRY(keep_text(text, value, owned));
    if (param->check != NULL && param->check(where, text) == HALO_OK) return HALO_OK;
    KeptFile *const file = owned->file = calloc(1, sizeof *file);
    if (file == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    file->memory =
        (HaloMemory){.allowed = session->options.max_memory, .advice = "--max-memory sets the limit"};
    HALO_TRY(halo_source_open(text, &file->source));
    halo_source_count(file->source, &file->memory);
    status = halo_source_slurp(file->source, &bytes, &value->size);
    if (status != HALO_OK) return halo_fail_about(status, text);
    value->bytes = bytes;
out:
    return status;
}

HaloStatus value_parse(Parser *parser, const HaloParam *param, const char *text, bool quoted, const char *where,
                       HaloValue *value, Owned *owned)
{
    static const Unit hertz[] = {{"Hz", 1.0}, {"kHz", 1000.0}, {"k", 1000.0}};
    HaloStatus status = HALO_OK;
    int unit = -1;
    switch (param->type) {
    case HALO_PARAM_NUMBER: return parse_number(param, text, where, &value->number);
    case HALO_PARAM_FREQUENCY: return with_unit(param, text, where, hertz, 3, &value->number, &unit);
    case HALO_PARAM_INTEGER:
        HALO_TRY(with_unit(param, text, where, NULL, 0, &value->number, &unit));
        if (value->number != floor(value->number) || fabs(value->number) > 9e15)
            HALO_FAIL(HALO_ERR_USAGE, "%s: expected an integer, found '%.60s'", where, text);
        value->integer = (int64_t)value->number;
        return HALO_OK;
    case HALO_PARAM_LENGTH: return parse_length(param, text, where, value);
    case HALO_PARAM_FACTOR: return parse_factor(param, text, where, value);
    case HALO_PARAM_LEVEL: return parse_level(param, text, where, value);
    case HALO_PARAM_SWITCH: return parse_switch(text, where, &value->integer);
    case HALO_PARAM_CHOICE: return parse_choice(param, text, where, &value->integer);
    case HALO_PARAM_BORDER: return parse_border(param, text, where, value);
    case HALO_PARAM_POINT: return parse_point(param, text, where, value);
    case HALO_PARAM_MASK: return parse_mask(parser->session, text, quoted, value, owned);
    case HALO_PARAM_SOURCE: return parse_source(parser, text, quoted, where, value, owned);
    case HALO_PARAM_FILE: return parse_file(parser->session, param, text, where, value, owned);
    case HALO_PARAM_TEXT: HALO_TRY(param->check(where, text)); return keep_text(text, value, owned);
    }
out:
    return status;
}

/* Times become samples. */
static HaloStatus bind_length(const HaloParam *param, const HaloShape *shape, const char *where,
                              HaloValue *value)
{
    const bool frames = value->integer == LENGTH_FRAMES;
    char text[32];
    halo_snprintf(text, sizeof text, frames ? "%gf" : "%g s", value->number);
    if (shape->kind != HALO_AUDIO)
        return halo_fail(HALO_ERR_USAGE, "%s: a time (%s) is for audio only; give pixels", where, text);
    if (frames) return HALO_OK;
    const bool none = value->number == 0;
    value->number = rint(value->number * shape->rate);
    if (!none && value->number < 1)
        return halo_fail(HALO_ERR_USAGE, "%s: %s is less than one sample at %g Hz%s", where, text, shape->rate,
                         halo_rate_hint(shape->rate));
    halo_snprintf(text, sizeof text, "%.0f samples", value->number);
    return in_range(param, text, where, value->number);
}

/* Percentages become levels. */
static HaloStatus bind_level(const HaloParam *param, const HaloShape *shape, const char *where,
                             HaloValue *value)
{
    char text[32];
    halo_snprintf(text, sizeof text, "%g%%", value->number);
    if (shape->numbers && !param->of_result)
        return halo_fail(HALO_ERR_INPUT, "%s: %s needs a full scale, which the input lacks: give a number%s",
                         where, text, shape->kind == HALO_IMAGE ? ", or --white" : "");
    value->number = value->number * (double)shape->white / 100;
    return in_range(param, text, where, value->number);
}

HaloStatus value_bind(const HaloOp *op, const HaloParam *param, const HaloShape *shape, HaloValue *value)
{
    const ParamName where = param_name(op->name, param->key);
    if (param->type == HALO_PARAM_LENGTH && value->integer != LENGTH_SAMPLES)
        return bind_length(param, shape, where.text, value);
    if (value->percent) return bind_level(param, shape, where.text, value);
    return HALO_OK;
}

/* Random inputs, and the text of pipelines made from the rows of an operation's parameters. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "draw.h"
#include "pipelines.h"

HaloBuf random_input(const HaloShape *shape, bool special, Rng *rng)
{
    HaloBuf buf;
    if (halo_buf_alloc(&buf, shape) != HALO_OK) fail_case(NULL, "no memory for the input");
    TestBuf whole = {.view = buf, .block = buf};
    testbuf_fill(&whole, special, rng);
    return buf;
}

static void add(char *text, size_t size, const char *format, ...) HALO_PRINTF(3, 4);
static void add(char *text, size_t size, const char *format, ...)
{
    const size_t length = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + length, size - length, format, args);
    va_end(args);
}

/* A number that the row allows, near its lower end: large windows are slow and test nothing more, as are the
 * tables of weights for rates and ratios of many digits. */
static double draw_number(Rng *rng, const HaloParam *param, double span)
{
    const bool free_range = param->min == 0 && param->max == 0;
    double lo = free_range ? -3 : param->min, hi = free_range ? 3 : param->max;
    if (free_range && rng_once_in(rng, 3)) hi = 300;
    if (lo < -span) lo = -span;
    if (hi > lo + span) hi = lo + span;
    return lo + (hi - lo) * rng_unit(rng);
}

static void add_mask(Rng *rng, HaloKind kind, char *text, size_t size)
{
    const int width = (int)rng_between(rng, 1, 6),
              height = kind == HALO_AUDIO ? 1 : (int)rng_between(rng, 1, 6);
    add(text, size, "\"%dx%d:", width, height);
    for (int i = 0; i < width * height; i++)
        if (rng_once_in(rng, 2))
            add(text, size, "%s%d", i > 0 ? "," : " ", (int)rng_between(rng, -3, 4));
        else
            add(text, size, "%s%.4g", i > 0 ? "," : " ", (double)rng_float(rng, -1, 1));
    add(text, size, "\"");
}

static void add_choice(Rng *rng, const char *choices, char *text, size_t size)
{
    int count = 1;
    for (const char *c = choices; *c != '\0'; c++) count += *c == '|';
    const char *word = choices;
    for (int64_t skip = rng_between(rng, 0, count - 1); skip > 0; skip--) word = strchr(word, '|') + 1;
    const int length = (int)strcspn(word, "|");
    add(text, size, "%.*s", length, word);
    if (strncmp(word, "constant", 8) == 0) add(text, size, "=%.3g", (double)rng_float(rng, -2, 40));
}

/* Of times one with a unit: plain numbers are seconds, and make long sounds. */
static bool suits(const HaloParam *param, const char *text)
{
    const bool time = param->check("", "1ms") == HALO_OK;
    return param->check("", text) == HALO_OK && (!time || strpbrk(text, "sf") != NULL);
}

/* One of some texts that the parameter takes. */
static void add_text(Rng *rng, const HaloParam *param, char *text, size_t size)
{
    static const char *const word[] = {"a+b",
                                       "max(a,b)",
                                       "a > b ? a : b",
                                       "fma(a, b, 0.5)",
                                       "v",
                                       "v*v",
                                       "abs(v-100)",
                                       "0",
                                       "-inf",
                                       "1/3",
                                       "1,50,99.9",
                                       "0 25 100",
                                       "9x4",
                                       "3x5+1+0",
                                       "40%",
                                       "7x",
                                       "2,97",
                                       "30",
                                       "3ms,7f",
                                       "4ms",
                                       "previous",
                                       "0s-5ms",
                                       "-9ms",
                                       "-40,-5",
                                       "mono",
                                       "1",
                                       "0.25*1+1, 1",
                                       "lab",
                                       "oklch",
                                       "hsv>srgb",
                                       "0,0",
                                       "250,240,215",
                                       "1,0.1,2,-0.1,0.9,-3",
                                       "1,0.1,-2,0,0.9,3,0.002,-0.001",
                                       "white",
                                       "#f80"};
    const char *one;
    int tries = 0;
    do {
        one = word[rng_between(rng, 0, (int64_t)(sizeof word / sizeof *word) - 1)];
        if (tries++ == 10000) fail_case(NULL, "no text here suits %s=: one has to be added", param->key);
    } while (!suits(param, one));
    add(text, size, "\"%s\"", one);
}

static void add_value(Rng *rng, const HaloParam *param, HaloKind kind, char *text, size_t size)
{
    switch (param->type) {
    case HALO_PARAM_NUMBER: add(text, size, param->ratio ? "%.2g" : "%.5g", draw_number(rng, param, 60)); break;
    case HALO_PARAM_INTEGER: add(text, size, "%.0f", ceil(draw_number(rng, param, 10) - 0.5)); break;
    case HALO_PARAM_SWITCH: add(text, size, "%d", (int)rng_between(rng, 0, 1)); break;
    case HALO_PARAM_FREQUENCY: add(text, size, "%d", 50 * (int)rng_between(rng, 1, 79)); break;
    case HALO_PARAM_LEVEL:
        if (param->choices != NULL && rng_once_in(rng, 3))
            add_choice(rng, param->choices, text, size);
        else if (rng_once_in(rng, 3))
            add(text, size, "%.4g%%", 100 * rng_unit(rng));
        else
            add(text, size, "%.5g", draw_number(rng, param, 60));
        break;
    case HALO_PARAM_FACTOR:
        add(text, size, rng_once_in(rng, 2) ? "%.5gx" : "%.3gdB", draw_number(rng, param, 60));
        break;
    case HALO_PARAM_POINT:
        add(text, size, "%d+%d", (int)rng_between(rng, 0, 3), (int)rng_between(rng, 0, 1));
        break;
    case HALO_PARAM_MASK: add_mask(rng, kind, text, size); break;
    case HALO_PARAM_CHOICE:
    case HALO_PARAM_BORDER: add_choice(rng, param->choices, text, size); break;
    case HALO_PARAM_SOURCE: add(text, size, "[gauss:%.3g]", 0.5 + rng_unit(rng)); break;
    case HALO_PARAM_FILE:
        if (param->check != NULL)
            add_text(rng, param, text, size);
        else
            add(text, size, "/dev/null");
        break;
    case HALO_PARAM_TEXT: add_text(rng, param, text, size); break;
    case HALO_PARAM_LENGTH:
        if (kind == HALO_AUDIO && (param->duration || rng_once_in(rng, 4)))
            add(text, size, "%.3gms", 0.3 + 3 * rng_unit(rng));
        else if (param->min >= 1 && rng_once_in(rng, 2)) /* a window; what may be below 1 is a sigma */
            add(text, size, "%.0f", ceil(draw_number(rng, param, 24)));
        else
            add(text, size, "%.4g", draw_number(rng, param, 5));
    }
}

static void add_param(Rng *rng, const HaloParam *param, HaloKind kind, char *mark, char *text, size_t size)
{
    add(text, size, "%c%s=", *mark, param->key);
    add_value(rng, param, kind, text, size);
    *mark = ',';
}

void draw_values(Rng *rng, const HaloOp *op, HaloKind kind, int values, bool keyed, char *text, size_t size)
{
    snprintf(text, size, "%s", op->name);
    for (int p = 0; p < values; p++) {
        add(text, size, "%c", p > 0 ? ',' : ':');
        if (keyed) add(text, size, "%s=", op->param[p].key);
        add_value(rng, &op->param[p], kind, text, size);
    }
}

/* Masks and sources stand in place of other parameters, or of each other, where they are optional. */
static bool stands_alone(const HaloParam *param)
{
    return param->type == HALO_PARAM_MASK || param->type == HALO_PARAM_SOURCE;
}

void draw_pipeline(Rng *rng, const HaloOp *op, HaloKind kind, char *text, size_t size)
{
    char mark = ':';
    int common;
    const HaloParam *const shared = halo_common_params(op, &common);
    snprintf(text, size, "%s", op->name);
    for (int p = 0; p < op->params; p++)
        if (op->param[p].preset == NULL || rng_once_in(rng, stands_alone(&op->param[p]) ? 8 : 2))
            add_param(rng, &op->param[p], kind, &mark, text, size);
    for (int p = 0; op->filter && strcmp(shared[p].key, "on") != 0; p++)
        if (rng_once_in(rng, shared[p].type == HALO_PARAM_BORDER ? 1 : 3))
            add_param(rng, &shared[p], kind, &mark, text, size);
}

void example_pipeline(const HaloOp *op, HaloKind kind, char *text, size_t size)
{
    snprintf(text, size, "%s", op->example);
    if (kind == HALO_AUDIO && strcmp(op->name, "pad") == 0) /* pixels would be seconds */
        snprintf(text, size, "pad:8f,border=mirror");
    for (int p = 0; p < op->params; p++)
        if (op->param[p].type == HALO_PARAM_MASK && op->param[p].preset == NULL &&
            strchr(op->example, '"') == NULL)
            snprintf(text, size, "%s:%s=\"5x1: 1,-2,3,0.5,0.25\"", op->name, op->param[p].key);
}

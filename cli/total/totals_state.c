/* --total: the state that a part of a batch writes, as JSON, and how it is read. Numbers are read back exactly
 * as they were. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "totals_part.h"

/* ---- moments -------------------------------------------------------------------------------------------- */

typedef struct Field {
    const char *key;
    size_t offset;
    enum { UINT, INT, REAL } type;
} Field;

#define FIELD(member, kind)                          \
    {                                                \
#member, offsetof(HaloMoments, member), kind \
    }
static const Field fields[] = {
    FIELD(count, UINT), FIELD(nan, UINT),    FIELD(inf, UINT),     FIELD(zero, UINT),
    FIELD(min, REAL),   FIELD(max, REAL),    FIELD(min_at, INT),   FIELD(max_at, INT),
    FIELD(isum, UINT),  FIELD(isq_lo, UINT), FIELD(isq_hi, UINT),  FIELD(sum, REAL),
    FIELD(mean, REAL),  FIELD(m2, REAL),     FIELD(product, REAL), FIELD(product_exp, INT),
};
#define FIELDS (sizeof fields / sizeof fields[0])

static void write_moments(CliJson *json, const HaloMoments *moments)
{
    for (size_t i = 0; i < FIELDS; i++) {
        const char *at = (const char *)moments + fields[i].offset;
        switch (fields[i].type) {
        case UINT: json_uint(json, fields[i].key, *(const uint64_t *)at); break;
        case INT: json_int(json, fields[i].key, *(const int64_t *)at); break;
        case REAL: json_number(json, fields[i].key, *(const double *)at); break;
        }
    }
}

static HaloStatus read_moments(const JsonValue *object, HaloMoments *moments)
{
    HaloStatus status = HALO_OK;
    for (size_t i = 0; i < FIELDS; i++) {
        char *at = (char *)moments + fields[i].offset;
        switch (fields[i].type) {
        case UINT: HALO_TRY(json_get_uint(object, fields[i].key, (uint64_t *)at)); break;
        case INT: HALO_TRY(json_get_int(object, fields[i].key, (int64_t *)at)); break;
        case REAL: HALO_TRY(json_get_number(object, fields[i].key, (double *)at)); break;
        }
    }
    if (moments->nan > moments->count) HALO_FAIL(HALO_ERR_INPUT, "invalid: more NaN than samples");
    if (isnan(moments->min) || isnan(moments->max)) HALO_FAIL(HALO_ERR_INPUT, "\"min\" or \"max\" is null");
out:
    return status;
}

/* ---- writing -------------------------------------------------------------------------------------------- */

static void write_nodes(CliJson *json, const Group *group)
{
    static const char *const number[] = {"min_number", "max_number"}, *const file[] = {"min_file", "max_file"};
    json_open(json, "nodes", '[');
    for (size_t n = 0; n < group->nodes; n++) {
        json_open(json, NULL, '{');
        json_int(json, "at", group->node[n].at);
        json_open(json, "channel", '[');
        for (int c = 0; c < group->like.shape.channels; c++) {
            const Part *part = &group->node[n].channel[c];
            json_open(json, NULL, '{');
            write_moments(json, &part->moments);
            for (int k = 0; k < 2; k++) {
                json_int(json, number[k], part->number[k]);
                json_text(json, file[k], part->file[k]);
            }
            json_close(json, '}');
        }
        json_close(json, ']');
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_numbers(CliJson *json, const char *key, const uint64_t *number, int64_t count)
{
    json_open(json, key, '[');
    for (int64_t i = 0; i < count; i++) json_uint(json, NULL, number[i]);
    json_close(json, ']');
}

static void write_counts(CliJson *json, const HaloHistogram *hist)
{
    json_int(json, "bins", hist->bins);
    if (hist->own) json_bool(json, "own", true);
    if (hist->count == NULL) return; /* ranges that differ */
    json_number(json, "lo", hist->lo);
    json_number(json, "hi", hist->hi);
    write_numbers(json, "count", hist->count, hist->bins * hist->channels);
    write_numbers(json, "below", hist->below, hist->channels);
    write_numbers(json, "above", hist->above, hist->channels);
    write_numbers(json, "nan", hist->nan, hist->channels);
}

void cli_totals_write(CliJson *json, const CliTotals *totals)
{
    json_open(json, "state", '[');
    for (size_t i = 0; totals != NULL && i < totals->groups; i++) {
        const Group *group = &totals->group[i];
        const HaloShape *shape = &group->like.shape;
        json_open(json, NULL, '{');
        json_int(json, "result", group->result);
        json_int(json, "first", group->first);
        json_uint(json, "files", group->files);
        json_text(json, "kind", shape->kind == HALO_AUDIO ? "audio" : "image");
        json_text(json, "dtype", halo_dtype_name(shape->dtype));
        json_int(json, "channels", shape->channels);
        json_int(json, "alpha", shape->alpha);
        json_number(json, "rate", shape->rate);
        json_number(json, "white", (double)shape->white);
        if (shape->numbers) json_bool(json, "numbers", true);
        if (group->like.type == HALO_RESULT_STATS)
            write_nodes(json, group);
        else
            write_counts(json, &group->like.hist);
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* ---- reading -------------------------------------------------------------------------------------------- */

/* The inputs of one part, the only ones that its state may name. */
typedef struct Span {
    CliTotals *totals;
    int64_t first, last;
} Span;

static HaloStatus read_part(const Span *span, const JsonValue *object, Part *part)
{
    static const char *const number[] = {"min_number", "max_number"}, *const file[] = {"min_file", "max_file"};
    HaloStatus status = HALO_OK;
    const char *name;
    HALO_TRY(read_moments(object, &part->moments));
    for (int k = 0; k < 2; k++) {
        HALO_TRY(json_get_range(object, number[k], -1, span->last, &part->number[k]));
        if (part->number[k] < 0 && part->moments.count > part->moments.nan)
            HALO_FAIL(HALO_ERR_INPUT, "\"%s\" names no file", number[k]);
        if (part->number[k] < 0) continue;
        HALO_TRY(json_get_text(object, file[k], &name));
        part->file[k] = cli_copy(name);
    }
out:
    return status;
}

static HaloStatus read_node(const Span *span, const JsonValue *object, Group *group)
{
    HaloStatus status = HALO_OK;
    const JsonValue *channel;
    const int channels = group->like.shape.channels;
    Node node = {0, cli_alloc((size_t)channels, sizeof *node.channel)};
    int64_t count;
    HALO_TRY(json_get_range(object, "at", span->first, span->last, &node.at));
    HALO_TRY(json_get_array(object, "channel", &channel, &count));
    if (count != channels)
        HALO_FAIL(HALO_ERR_INPUT, "an entry of \"nodes\" has a wrong number of channels, %lld",
                  (long long)count);
    if (group->nodes > 0 && node.at <= group->node[group->nodes - 1].at)
        HALO_FAIL(HALO_ERR_INPUT, "the shards overlap at input %lld", (long long)node.at);
    for (int c = 0; c < channels; c++, channel = channel->next)
        HALO_TRY(read_part(span, channel, &node.channel[c]));
    totals_push(span->totals, group, node);
    node = (Node){0};
out:
    if (node.channel != NULL) totals_free_node(&node, channels);
    return status;
}

static HaloStatus read_numbers(const JsonValue *object, const char *key, uint64_t *number, int64_t wanted)
{
    HaloStatus status = HALO_OK;
    const JsonValue *value;
    int64_t count;
    HALO_TRY(json_get_array(object, key, &value, &count));
    if (count != wanted)
        HALO_FAIL(HALO_ERR_INPUT, "\"%s\" has a wrong number of values, %lld", key, (long long)count);
    for (int64_t i = 0; i < count; i++, value = value->next)
        if (!json_is_uint(value, &number[i]))
            HALO_FAIL(HALO_ERR_INPUT, "\"%s\" contains a number that is not an integer", key);
out:
    return status;
}

/* The bins of `like`, whose range, where it is `own`, may differ from the group's. */
static HaloStatus read_counts(const JsonValue *object, const HaloHistogram *like, Group *group)
{
    HaloStatus status = HALO_OK;
    const int channels = group->like.shape.channels;
    HaloHistogram more = {0};
    const JsonValue *value;
    int64_t there, wanted;
    if (isnan(like->lo)) return totals_add_counts(&group->like.hist, like);
    HALO_TRY(json_get_array(object, "count", &value, &there));
    if (!halo_mul(like->bins, channels, &wanted) || wanted != there) /* before there is space for them */
        HALO_FAIL(HALO_ERR_INPUT, "\"count\" has a wrong number of values, %lld", (long long)there);
    HALO_TRY(halo_histogram_alloc(&more, channels, like->bins, like->lo, like->hi));
    more.own = like->own;
    HALO_TRY(read_numbers(object, "count", more.count, more.bins * channels));
    HALO_TRY(read_numbers(object, "below", more.below, channels));
    HALO_TRY(read_numbers(object, "above", more.above, channels));
    HALO_TRY(read_numbers(object, "nan", more.nan, channels));
    HALO_TRY(totals_add_counts(&group->like.hist, &more));
out:
    halo_histogram_free(&more);
    return status;
}

static HaloStatus read_shape(const JsonValue *object, HaloShape *shape)
{
    HaloStatus status = HALO_OK;
    const char *kind, *dtype;
    int64_t channels = 0, alpha = -1;
    double white = 0;
    HALO_TRY(json_get_text(object, "kind", &kind));
    HALO_TRY(json_get_text(object, "dtype", &dtype));
    HALO_TRY(json_get_int(object, "channels", &channels));
    HALO_TRY(json_get_int(object, "alpha", &alpha));
    HALO_TRY(json_get_finite(object, "rate", 0, DBL_MAX, &shape->rate));
    HALO_TRY(json_get_finite(object, "white", 0, (double)FLT_MAX, &white));
    shape->white = (float)white;
    shape->numbers = json_find(object, "numbers") != NULL;
    shape->kind = strcmp(kind, "audio") == 0 ? HALO_AUDIO : HALO_IMAGE;
    if (shape->kind == HALO_IMAGE && strcmp(kind, "image") != 0)
        HALO_FAIL(HALO_ERR_INPUT, "\"kind\" is %.20s, neither image nor audio", kind);
    for (shape->dtype = HALO_U8; shape->dtype < HALO_DTYPES; shape->dtype++)
        if (strcmp(dtype, halo_dtype_name(shape->dtype)) == 0) break;
    if (shape->dtype == HALO_DTYPES || channels < 1 || channels > INT16_MAX || alpha < -1 || alpha >= channels)
        HALO_FAIL(HALO_ERR_INPUT, "invalid \"channels\", \"alpha\" or \"dtype\": %lld channels of %.20s",
                  (long long)channels, dtype);
    shape->channels = (int)channels;
    shape->alpha = (int)alpha;
out:
    return status;
}

/* Adds a group of the part to the group of the totals that has the same kind of files and measurement. */
static HaloStatus read_group(const Span *span, const JsonValue *object)
{
    HaloStatus status = HALO_OK;
    HaloResult like = {.type = json_find(object, "nodes") != NULL ? HALO_RESULT_STATS : HALO_RESULT_HIST};
    int64_t result = 0, first = 0, count = 0, files = 0;
    const JsonValue *node = NULL;
    HALO_TRY(json_get_range(object, "result", 0, INT32_MAX, &result));
    HALO_TRY(json_get_range(object, "first", span->first, span->last, &first));
    HALO_TRY(json_get_range(object, "files", 1, span->last - span->first + 1, &files));
    HALO_TRY(read_shape(object, &like.shape));
    if (like.type == HALO_RESULT_HIST) {
        HALO_TRY(json_get_range(object, "bins", 1, INT64_MAX, &like.hist.bins));
        like.hist.own = json_find(object, "own") != NULL;
        like.hist.lo = like.hist.hi = NAN; /* ranges that differ have none */
        if (!like.hist.own || json_find(object, "count") != NULL) {
            HALO_TRY(json_get_finite(object, "lo", -DBL_MAX, DBL_MAX, &like.hist.lo));
            HALO_TRY(json_get_finite(object, "hi", like.hist.lo, DBL_MAX, &like.hist.hi));
        }
    } else {
        HALO_TRY(json_get_array(object, "nodes", &node, &count));
        if (count == 0) HALO_FAIL(HALO_ERR_INPUT, "invalid: \"nodes\" is empty");
    }
    Group *group = totals_group(span->totals, result, &like, first);
    group->files += (uint64_t)files;
    if (like.type == HALO_RESULT_HIST) HALO_TRY(read_counts(object, &like.hist, group));
    for (; node != NULL; node = node->next) HALO_TRY(read_node(span, node, group));
out:
    return status;
}

HaloStatus cli_totals_read(CliTotals *totals, const JsonValue *part)
{
    HaloStatus status = HALO_OK;
    const JsonValue *group;
    Span span = {.totals = totals};
    int64_t count, inputs = 0;
    HALO_TRY(json_get_range(part, "first", 0, TOTALS_MOST, &span.first));
    HALO_TRY(json_get_range(part, "inputs", 0, TOTALS_MOST, &inputs));
    span.last = span.first + inputs - 1;
    HALO_TRY(json_get_array(part, "state", &group, &count));
    for (; group != NULL; group = group->next) HALO_TRY(read_group(&span, group));
out:
    return status;
}

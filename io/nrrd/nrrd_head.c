/* Reads NRRD's header: lines "field: value", "key:=value" and comments. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "halo/text.h"
#include "halo/words.h"
#include "meta/meta.h"
#include "nrrd.h"

enum { MOST_LINES = 10000 };

static HaloStatus bad(const char *field, const char *value)
{
    return halo_fail(HALO_ERR_INPUT, "bad '%.30s' in the NRRD header: '%.60s'", field, value);
}

/* ---- values --------------------------------------------------------------------------------------------- */

static const char *skip_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t') at++;
    return at;
}

/* "nan" stands for what is not said. */
static bool next_number(const char **at, double *value)
{
    const char *text = skip_blanks(*at);
    *at = text + 3;
    if (strncmp(text, "nan", 3) == 0 || strncmp(text, "NaN", 3) == 0) {
        *value = (double)NAN;
        return true;
    }
    return halo_read_number(text, value, at);
}

/* "(1,0,0)" or "none". */
static bool next_vector(const char **at, int dimensions, double vector[3])
{
    const char *text = skip_blanks(*at);
    for (int i = 0; i < 3; i++) vector[i] = 0;
    if (strncmp(text, "none", 4) == 0) {
        for (int i = 0; i < 3; i++) vector[i] = (double)NAN;
        *at = text + 4;
        return true;
    }
    if (*text++ != '(') return false;
    for (int i = 0; i < dimensions; i++) {
        if (!next_number(&text, &vector[i])) return false;
        text = skip_blanks(text);
        if (*text++ != (i + 1 < dimensions ? ',' : ')')) return false;
    }
    *at = text;
    return true;
}

/* In quotation marks, cut to its place. */
static bool next_quoted(const char **at, char text[16])
{
    const char *from = skip_blanks(*at);
    if (*from++ != '"') return false;
    const size_t length = strcspn(from, "\"");
    const size_t kept = length < 15 ? length : 15;
    memcpy(text, from, kept);
    text[kept] = 0;
    if (from[length] != '"') return false;
    *at = from + length + 1;
    return true;
}

static bool is_done(const char *at) { return *skip_blanks(at) == 0; }

/* ---- fields --------------------------------------------------------------------------------------------- */

typedef HaloStatus Field(NrrdHead *head, const char *value);

static HaloStatus parse_type(NrrdHead *head, const char *value)
{
    static const struct {
        const char *names;
        char kind;
        int size;
    } types[] = {
        {"signed char|int8|int8_t", 'i', 1},
        {"uchar|unsigned char|uint8|uint8_t", 'u', 1},
        {"short|short int|signed short|signed short int|int16|int16_t", 'i', 2},
        {"ushort|unsigned short|unsigned short int|uint16|uint16_t", 'u', 2},
        {"int|signed int|int32|int32_t", 'i', 4},
        {"uint|unsigned int|uint32|uint32_t", 'u', 4},
        {"longlong|long long|long long int|signed long long|signed long long int|int64|int64_t", 'i', 8},
        {"ulonglong|unsigned long long|unsigned long long int|uint64|uint64_t", 'u', 8},
        {"float", 'f', 4},
        {"double", 'f', 8},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (halo_find_word(types[i].names, '|', value) >= 0) {
            head->kind = types[i].kind;
            head->size = types[i].size;
            return HALO_OK;
        }
    return halo_fail(HALO_ERR_INPUT, "NRRD of type '%.40s'; halo reads integers and floats", value);
}

static HaloStatus parse_dimension(NrrdHead *head, const char *value)
{
    int64_t axes;
    if (!halo_read_int(value, 1, NRRD_MOST_AXES, &axes, NULL)) return bad("dimension", value);
    head->axes = (int)axes;
    return HALO_OK;
}

static HaloStatus parse_sizes(NrrdHead *head, const char *value)
{
    const char *at = value;
    for (int i = 0; i < head->axes; i++) {
        at = skip_blanks(at);
        if (!halo_read_int(at, 1, INT64_MAX, &head->axis[i].size, &at)) return bad("sizes", value);
    }
    return is_done(at) ? HALO_OK : bad("sizes", value);
}

static HaloStatus parse_encoding(NrrdHead *head, const char *value)
{
    head->raw = strcmp(value, "raw") == 0;
    head->gzip = halo_find_word("gzip|gz", '|', value) >= 0;
    if (head->raw || head->gzip) return HALO_OK;
    return halo_fail(HALO_ERR_INPUT,
                     "NRRD with the encoding '%.40s': convert it with 'unu save -f nrrd -e gzip'", value);
}

static HaloStatus parse_endian(NrrdHead *head, const char *value)
{
    head->little = strcmp(value, "little") == 0;
    head->big = strcmp(value, "big") == 0;
    return head->little || head->big ? HALO_OK : bad("endian", value);
}

static HaloStatus parse_kinds(NrrdHead *head, const char *value)
{
    const char *at = skip_blanks(value);
    for (int i = 0; i < head->axes && *at != 0; i++) {
        char word[32];
        const size_t length = strcspn(at, " \t");
        snprintf(word, sizeof word, "%.*s", (int)(length < 31 ? length : 31), at);
        NrrdAxis *axis = &head->axis[i];
        axis->alpha = strcmp(word, "RGBA-color") == 0;
        axis->kind = halo_find_word("domain|space", '|', word) >= 0 ? NRRD_DOMAIN
                     : strcmp(word, "time") == 0                    ? NRRD_TIME
                     : strcmp(word, "list") == 0                    ? NRRD_LIST
                     : halo_find_word("???|none", '|', word) >= 0   ? NRRD_UNKNOWN
                                                                    : NRRD_COLOUR;
        at = skip_blanks(at + length);
    }
    return HALO_OK;
}

static HaloStatus parse_spacings(NrrdHead *head, const char *value)
{
    const char *at = value;
    for (int i = 0; i < head->axes; i++)
        if (!next_number(&at, &head->axis[i].spacing)) return bad("spacings", value);
    return HALO_OK;
}

static HaloStatus parse_mins(NrrdHead *head, const char *value)
{
    const char *at = value;
    for (int i = 0; i < head->axes; i++)
        if (!next_number(&at, &head->axis[i].first)) return bad("axis mins", value);
    return HALO_OK;
}

static HaloStatus parse_units(NrrdHead *head, const char *value)
{
    const char *at = value;
    for (int i = 0; i < head->axes; i++)
        if (!next_quoted(&at, head->axis[i].unit)) return bad("units", value);
    return HALO_OK;
}

static HaloStatus parse_space(NrrdHead *head, const char *value)
{
    static const struct {
        const char *names;
        double sign[2];
    } spaces[] = {{"left-posterior-superior|LPS|left-posterior-superior-time|LPST", {1, 1}},
                  {"right-anterior-superior|RAS|right-anterior-superior-time|RAST", {-1, -1}},
                  {"left-anterior-superior|LAS|left-anterior-superior-time|LAST", {1, -1}}};
    head->dimensions = strstr(value, "time") != NULL || strstr(value, "ST") != NULL ? 4 : 3;
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        if (halo_find_word(spaces[i].names, '|', value) < 0) continue;
        head->patient = true;
        head->sign[0] = spaces[i].sign[0];
        head->sign[1] = spaces[i].sign[1];
    }
    if (strcmp(value, "LAS") == 0 || strcmp(value, "RAS") == 0) head->dimensions = 3;
    return HALO_OK;
}

static HaloStatus parse_space_dimension(NrrdHead *head, const char *value)
{
    int64_t dimensions;
    if (!halo_read_int(value, 1, 8, &dimensions, NULL)) return bad("space dimension", value);
    head->dimensions = (int)dimensions;
    return HALO_OK;
}

/* A space of more than three dimensions is not kept. */
static HaloStatus parse_directions(NrrdHead *head, const char *value)
{
    const char *at = value;
    if (head->dimensions < 1 || head->dimensions > 3) return HALO_OK;
    for (int i = 0; i < head->axes; i++)
        if (!next_vector(&at, head->dimensions, head->axis[i].direction)) return bad("space directions", value);
    head->directed = true;
    return HALO_OK;
}

static HaloStatus parse_origin(NrrdHead *head, const char *value)
{
    const char *at = value;
    if (head->dimensions < 1 || head->dimensions > 3) return HALO_OK;
    return next_vector(&at, head->dimensions, head->origin) ? HALO_OK : bad("space origin", value);
}

static HaloStatus parse_space_units(NrrdHead *head, const char *value)
{
    const char *at = value;
    return next_quoted(&at, head->space_unit) ? HALO_OK : bad("space units", value);
}

static HaloStatus parse_line_skip(NrrdHead *head, const char *value)
{
    return halo_read_int(value, 0, INT32_MAX, &head->skip_lines, NULL) ? HALO_OK : bad("line skip", value);
}

static HaloStatus parse_byte_skip(NrrdHead *head, const char *value)
{
    return halo_read_int(value, -1, INT64_MAX / 4, &head->skip_bytes, NULL) ? HALO_OK : bad("byte skip", value);
}

static HaloStatus parse_file(NrrdHead *head, const char *value)
{
    if (strncmp(value, "LIST", 4) == 0 || strchr(value, '%') != NULL)
        return halo_fail(HALO_ERR_INPUT,
                         "the samples are in several files: 'unu save -f nrrd' puts them into one");
    if (*value == 0 || strlen(value) >= sizeof head->file) return bad("data file", value);
    strcpy(head->file, value);
    return HALO_OK;
}

/* ---- lines ---------------------------------------------------------------------------------------------- */

static const struct {
    const char *names;
    Field *parse;
} fields[] = {
    {"type", parse_type},
    {"dimension", parse_dimension},
    {"sizes", parse_sizes},
    {"encoding", parse_encoding},
    {"endian", parse_endian},
    {"kinds", parse_kinds},
    {"spacings", parse_spacings},
    {"axis mins|axismins", parse_mins},
    {"units", parse_units},
    {"space", parse_space},
    {"space dimension", parse_space_dimension},
    {"space directions", parse_directions},
    {"space origin", parse_origin},
    {"space units", parse_space_units},
    {"line skip|lineskip", parse_line_skip},
    {"byte skip|byteskip", parse_byte_skip},
    {"data file|datafile", parse_file},
};

/* Of a text, in place: \\n is a line break, \\\\ a backslash. */
static char *unescape(char *text)
{
    char *to = text;
    for (const char *at = text; *at != 0; at++) {
        const bool escaped = *at == '\\' && (at[1] == 'n' || at[1] == '\\');
        if (escaped) at++;
        *to++ = escaped && *at == 'n' ? '\n' : *at;
    }
    *to = 0;
    return text;
}

/* Fields that only describe, such as the range of samples, are left out. */
static HaloStatus parse_line(NrrdHead *head, HaloMeta *meta, char *line)
{
    char *equals = strstr(line, ":="), *colon = strstr(line, ": ");
    if (line[0] == '#') return HALO_OK;
    if (equals != NULL && (colon == NULL || equals < colon)) {
        *equals = 0;
        return *line == 0 ? HALO_OK
                          : halo_text_add(meta, line, unescape(equals + 2), strlen(equals + 2), HALO_UTF_8);
    }
    if (colon == NULL) return bad("line", line);
    *colon = 0;
    const char *value = skip_blanks(colon + 2);
    for (char *end = colon + 2 + strlen(colon + 2); end > value && (end[-1] == ' ' || end[-1] == '\t');)
        *--end = 0;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (halo_find_word(fields[i].names, '|', line) >= 0) return fields[i].parse(head, value);
    if (strcmp(line, "content") == 0)
        return halo_text_add(meta, "Description", value, strlen(value), HALO_UTF_8);
    return HALO_OK;
}

/* Without its end; *ended: the file ends here. */
static HaloStatus next_line(HaloSource *source, char *line, bool *ended)
{
    size_t size = 0, got;
    for (*ended = false;;) {
        char c;
        const HaloStatus status = halo_source_read(source, &c, 1, &got);
        if (status != HALO_OK) return status;
        *ended = got == 0;
        if (*ended || c == '\n') break;
        if (size == NRRD_MOST_LINE - 1 || c == 0)
            return halo_fail(HALO_ERR_INPUT, "a line of the NRRD header is too long, or no text");
        line[size++] = c;
    }
    if (size > 0 && line[size - 1] == '\r') size--;
    line[size] = 0;
    return HALO_OK;
}

static HaloStatus check(const NrrdHead *head)
{
    if (head->kind == 0 || head->axes == 0 || head->axis[0].size == 0 || (!head->raw && !head->gzip))
        return halo_fail(HALO_ERR_INPUT, "the NRRD header lacks type, dimension, sizes or encoding");
    if (head->size > 1 && !head->little && !head->big)
        return halo_fail(HALO_ERR_INPUT, "the NRRD header lacks endian");
    if (head->skip_bytes < 0 && head->gzip)
        return halo_fail(HALO_ERR_INPUT, "byte skip: -1 is for raw samples");
    return HALO_OK;
}

/* A header without samples ends with its file. */
HaloStatus nrrd_read_head(HaloSource *source, NrrdHead *head, HaloMeta *meta)
{
    HaloStatus status = HALO_OK;
    bool ended;
    char *line = malloc(NRRD_MOST_LINE);
    *head = (NrrdHead){.sign = {1, 1, 1}};
    for (int i = 0; i < NRRD_MOST_AXES; i++) {
        NrrdAxis *axis = &head->axis[i];
        axis->kind = NRRD_UNKNOWN;
        axis->spacing = axis->first = axis->direction[0] = (double)NAN;
    }
    if (line == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for a line");
    HALO_TRY(next_line(source, line, &ended));
    if (strncmp(line, "NRRD000", 7) != 0 || line[7] < '1' || line[7] > '5')
        HALO_FAIL(HALO_ERR_INPUT, "not an NRRD file, or of a version after 5");
    for (int lines = 0; !ended; lines++) {
        if (lines == MOST_LINES) HALO_FAIL(HALO_ERR_INPUT, "the NRRD header is too long");
        HALO_TRY(next_line(source, line, &ended));
        if (*line == 0) break;
        HALO_TRY(parse_line(head, meta, line));
    }
    HALO_TRY(check(head));
out:
    free(line);
    return status;
}

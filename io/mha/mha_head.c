/* Reads the header of MetaImage: lines "Key = value". */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "halo/text.h"
#include "halo/words.h"
#include "meta/grid.h"
#include "meta/meta.h"
#include "mha.h"

enum { MOST_LINE = 4096, MOST_LINES = 1000 };

static HaloStatus bad(const char *key, const char *value)
{
    return halo_fail(HALO_ERR_INPUT, "bad '%s' in the MetaImage header: '%.60s'", key, value);
}

static const char *skip_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t') at++;
    return at;
}

/* As many numbers as there are, up to `most`; how many, or -1. */
static int numbers(const char *text, double *value, int most)
{
    int count = 0;
    for (text = skip_blanks(text); *text != 0; text = skip_blanks(text))
        if (count == most || !halo_read_number(text, &value[count++], &text)) return -1;
    return count;
}

static HaloStatus parse_sizes(MhaHead *head, const char *value)
{
    const char *at = value;
    for (int i = 0; i < head->dimensions; i++) {
        at = skip_blanks(at);
        if (!halo_read_int(at, 1, INT64_MAX, &head->size[i], &at)) return bad("DimSize", value);
    }
    return *skip_blanks(at) == 0 && head->dimensions > 0 ? HALO_OK : bad("DimSize", value);
}

static HaloStatus parse_type(MhaHead *head, const char *value)
{
    static const struct {
        const char *name;
        char kind;
        int bytes;
    } types[] = {{"MET_UCHAR", 'u', 1},      {"MET_CHAR", 'i', 1},      {"MET_USHORT", 'u', 2},
                 {"MET_SHORT", 'i', 2},      {"MET_UINT", 'u', 4},      {"MET_INT", 'i', 4},
                 {"MET_ULONG_LONG", 'u', 8}, {"MET_LONG_LONG", 'i', 8}, {"MET_ULONG", 'u', 4},
                 {"MET_LONG", 'i', 4},       {"MET_FLOAT", 'f', 4},     {"MET_DOUBLE", 'f', 8}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].name, value) == 0) {
            head->kind = types[i].kind;
            head->bytes = types[i].bytes;
            return HALO_OK;
        }
    return halo_fail(HALO_ERR_INPUT, "MetaImage of type '%.40s'; halo reads integers and floats", value);
}

static HaloStatus parse_file(MhaHead *head, const char *value)
{
    if (halo_find_word("LOCAL|Local|local", '|', value) >= 0) return HALO_OK;
    if (strncmp(value, "LIST", 4) == 0 || strchr(value, '%') != NULL)
        return halo_fail(HALO_ERR_INPUT, "the samples are in several files; ITK puts them into one");
    if (*value == 0 || strlen(value) >= sizeof head->file) return bad("ElementDataFile", value);
    strcpy(head->file, value);
    return HALO_OK;
}

static bool is_true(const char *value) { return *value == 'T' || *value == 't' || *value == '1'; }

static HaloStatus parse_numbers(MhaHead *head, const char *key, const char *value, double *to)
{
    head->placed = true;
    return numbers(value, to, MHA_MOST_DIMENSIONS) == head->dimensions ? HALO_OK : bad(key, value);
}

/* Keys that only describe, such as CenterOfRotation, are left out. */
static HaloStatus parse_value(MhaHead *head, HaloMeta *meta, const char *key, const char *value)
{
    int64_t count = 0;
    const int dimensions = head->dimensions;
    if (strcmp(key, "ObjectType") == 0)
        return strcmp(value, "Image") == 0
                   ? HALO_OK
                   : halo_fail(HALO_ERR_INPUT, "a MetaIO object '%.40s', and no image", value);
    if (strcmp(key, "NDims") == 0) {
        if (!halo_read_int(value, 1, MHA_MOST_DIMENSIONS, &count, NULL)) return bad(key, value);
        head->dimensions = (int)count;
    }
    if (strcmp(key, "DimSize") == 0) return parse_sizes(head, value);
    if (strcmp(key, "ElementType") == 0) return parse_type(head, value);
    if (strcmp(key, "ElementDataFile") == 0) return parse_file(head, value);
    if (strcmp(key, "ElementSpacing") == 0) return parse_numbers(head, key, value, head->spacing);
    if (halo_find_word("Offset|Position|Origin", '|', key) >= 0)
        return parse_numbers(head, key, value, head->offset);
    if (halo_find_word("TransformMatrix|Rotation|Orientation", '|', key) >= 0) {
        head->turned = true;
        if (numbers(value, head->matrix, MHA_MOST_DIMENSIONS * MHA_MOST_DIMENSIONS) != dimensions * dimensions)
            return bad(key, value);
    }
    if (halo_find_word("BinaryDataByteOrderMSB|ElementByteOrderMSB", '|', key) >= 0) head->big = is_true(value);
    if (strcmp(key, "CompressedData") == 0) head->compressed = is_true(value);
    if (strcmp(key, "BinaryData") == 0 && !is_true(value))
        return halo_fail(HALO_ERR_INPUT, "MetaImage with samples as text is not supported");
    if (strcmp(key, "HeaderSize") == 0 && !halo_read_int(value, -1, INT64_MAX / 4, &head->skip, NULL))
        return bad(key, value);
    if (strcmp(key, "ElementNumberOfChannels") == 0 &&
        !halo_read_int(value, 1, HALO_MAX_CHANNELS, &head->channels, NULL))
        return bad(key, value);
    if (strcmp(key, "DistanceUnits") == 0) strncpy(head->unit, value, sizeof head->unit - 1);
    if (strcmp(key, "Comment") == 0 && *value != 0)
        return halo_text_add(meta, "Description", value, strlen(value), HALO_UTF_8);
    return HALO_OK;
}

static HaloStatus next_line(HaloSource *source, char line[MOST_LINE], bool *ended)
{
    size_t size = 0, got;
    for (;;) {
        char c;
        const HaloStatus status = halo_source_read(source, &c, 1, &got);
        if (status != HALO_OK) return status;
        *ended = got == 0;
        if (*ended || c == '\n') break;
        if (size == MOST_LINE - 1 || c == 0)
            return halo_fail(HALO_ERR_INPUT, "a line of the MetaImage header is too long, or no text");
        line[size++] = c;
    }
    while (size > 0 && halo_is_blank(line[size - 1])) size--;
    line[size] = 0;
    return HALO_OK;
}

static HaloStatus check(const MhaHead *head)
{
    if (head->dimensions == 0 || head->size[0] == 0 || head->kind == 0)
        return halo_fail(HALO_ERR_INPUT, "the MetaImage header lacks NDims, DimSize or ElementType");
    if (head->skip < 0 && head->compressed)
        return halo_fail(HALO_ERR_INPUT, "HeaderSize = -1 is for samples that are not compressed");
    return HALO_OK;
}

HaloStatus mha_read_head(HaloSource *source, MhaHead *head, HaloMeta *meta)
{
    HaloStatus status = HALO_OK;
    char line[MOST_LINE];
    bool ended = false, last = false;
    *head = (MhaHead){.channels = 1, .unit = "mm"};
    for (int i = 0; i < MHA_MOST_DIMENSIONS; i++) head->spacing[i] = 1;
    for (int lines = 0; !last; lines++) {
        HALO_TRY(next_line(source, line, &ended));
        if (ended && *line == 0)
            HALO_FAIL(HALO_ERR_INPUT, "truncated: a MetaImage header without ElementDataFile");
        if (lines == MOST_LINES) HALO_FAIL(HALO_ERR_INPUT, "the MetaImage header is too long");
        char *equals = strchr(line, '=');
        if (*line == 0) continue;
        if (equals == NULL)
            HALO_FAIL(HALO_ERR_INPUT, "a line of the MetaImage header without '=': '%.40s'", line);
        char *end = equals;
        while (end > line && halo_is_blank(end[-1])) end--;
        *end = 0;
        last = strcmp(line, "ElementDataFile") == 0;
        HALO_TRY(parse_value(head, meta, line, skip_blanks(equals + 1)));
    }
    HALO_TRY(check(head));
out:
    return status;
}

/* Columns, rows, and up to three dimensions of pages; an array keeps its slowest dimension first. */
HaloStatus mha_array(const MhaHead *head, HaloArrayHead *array, HaloGrid *grid)
{
    int count = 0, pages = 0;
    *array = (HaloArrayHead){.kind = head->kind, .size = head->bytes, .little = !head->big, .counts = true};
    for (int i = MHA_MOST_DIMENSIONS - 1; i >= 0; i--) {
        const int64_t size = i < head->dimensions ? head->size[i] : 1;
        if (i > 1 && size == 1) continue;
        pages += i > 1;
        if (pages > 3)
            return halo_fail(
                HALO_ERR_INPUT,
                "a MetaImage of more than five dimensions, width and height among them, is not supported");
        array->dim[count] = size;
        array->axes.letter[count++] = i == 0 ? 'w' : i == 1 ? 'h' : i == 2 ? 'n' : 't';
    }
    if (head->channels > 1) {
        array->dim[count] = head->channels;
        array->axes.letter[count++] = 'c';
    }
    array->dims = array->axes.count = count;
    const int dimensions = head->dimensions < 3 ? head->dimensions : 3;
    *grid = (HaloGrid){.known = head->placed || head->turned, .patient = true};
    memcpy(grid->unit, head->unit, sizeof grid->unit);
    grid->step[1][1] = 1; /* of a line */
    for (int axis = 0; axis < dimensions; axis++) {
        grid->origin[axis] = head->offset[axis];
        for (int i = 0; i < dimensions; i++)
            grid->step[axis][i] =
                head->spacing[axis] * (head->turned ? head->matrix[axis * head->dimensions + i] : i == axis);
    }
    if (head->dimensions > 3 && head->size[3] > 1) grid->interval = fabs(head->spacing[3]);
    if (!grid->known) *grid = (HaloGrid){0};
    if (grid->known) halo_grid_check(grid);
    return HALO_OK;
}

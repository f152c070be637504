/* Reads tables of colours: .cube (Adobe's specification 1.0, with the input ranges of Resolve), and numbers in
 * one or three columns. */
#include "lut.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "halo/format.h"
#include "halo/lines.h"
#include "halo/text.h"

#define MOST_BYTES 4096 /* of a line */
#define LEAST_SIZE 2
#define MOST_CUBE 256
#define MOST_CURVE 65536
#define MOST_LEVEL 16

typedef struct Reader {
    const char *path;
    HaloLines lines;
    Lut *lut;
    bool sized;          /* it says how many entries there are: it is a .cube */
    int64_t rows, space; /* that were read, and that `value` holds */
} Reader;

static HaloStatus fail_line(const Reader *r, const char *expected, const char *line)
{
    return halo_fail(HALO_ERR_INPUT, "%s: line %lld: expected %s, found '%.40s'", r->path, r->lines.line,
                     expected, line);
}

/* Numbers to the end of the line, with blanks, commas or semicolons between; how many, or -1. */
static int read_numbers(const char *at, double number[4])
{
    int count = 0;
    for (;;) {
        at += strspn(at, " \t\r");
        if (*at == 0 || *at == '#') return count;
        if (count == 4 || !halo_read_number(at, &number[count], &at)) return -1;
        if (!isfinite((float)number[count++])) return -1;
        at += strspn(at, " \t\r");
        if (*at == ',' || *at == ';') at++;
    }
}

bool lut_parse(const char *text, Lut *lut)
{
    double value[LUT_INLINE];
    const char *at = text;
    int count = 0;
    while (count < LUT_INLINE && halo_read_number(at, &value[count], &at) && isfinite((float)value[count])) {
        count++;
        if (*at != ',') break;
        at++;
    }
    *lut = (Lut){.size = count, .columns = 1, .max = {1.0, 1.0, 1.0}};
    if (*at != 0 || count < LEAST_SIZE) return false;
    lut->value = malloc(sizeof value);
    if (lut->value != NULL) memcpy(lut->value, value, sizeof value);
    return lut->value != NULL;
}

static HaloStatus read_size(Reader *r, const char *line, const char *at, bool cube)
{
    double number[4];
    const double most = cube ? MOST_CUBE : MOST_CURVE;
    if (r->sized)
        return halo_fail(HALO_ERR_INPUT, "%s: line %lld: a second table: halo reads files of one", r->path,
                         r->lines.line);
    if (r->rows > 0 || read_numbers(at, number) != 1 || number[0] != floor(number[0]) ||
        number[0] < LEAST_SIZE || number[0] > most)
        return fail_line(r,
                         cube ? "a size from 2 to 256, before the entries"
                              : "a size from 2 to 65536, before the "
                                "entries",
                         line);
    r->sized = true;
    r->lut->cube = cube;
    r->lut->columns = 3;
    r->lut->size = (int)number[0];
    return HALO_OK;
}

/* Three numbers, or with `both` the least and the greatest of all three. */
static HaloStatus read_domain(Reader *r, const char *line, const char *at, double *min, double *max)
{
    double number[4];
    const bool both = min != NULL && max != NULL;
    if (read_numbers(at, number) != (both ? 2 : 3))
        return fail_line(r, both ? "the least and the greatest input" : "three numbers", line);
    for (int c = 0; c < 3; c++) {
        if (min != NULL) min[c] = number[both ? 0 : c];
        if (max != NULL) max[c] = number[both ? 1 : c];
    }
    return HALO_OK;
}

/* A line that begins with a letter. */
static HaloStatus read_keyword(Reader *r, const char *line)
{
    const size_t length = strcspn(line, " \t\r");
    const char *const at = line + length;
    Lut *lut = r->lut;
#define IS(word) (length == strlen(word) && memcmp(line, word, length) == 0)
    if (IS("TITLE")) return HALO_OK;
    if (IS("LUT_1D_SIZE")) return read_size(r, line, at, false);
    if (IS("LUT_3D_SIZE")) return read_size(r, line, at, true);
    if (IS("DOMAIN_MIN")) return read_domain(r, line, at, lut->min, NULL);
    if (IS("DOMAIN_MAX")) return read_domain(r, line, at, NULL, lut->max);
    if (IS("LUT_1D_INPUT_RANGE") || IS("LUT_3D_INPUT_RANGE"))
        return read_domain(r, line, at, lut->min, lut->max);
#undef IS
    return fail_line(r, "a keyword of .cube, or numbers", line);
}

static int64_t rows_expected(const Lut *lut)
{
    const int64_t size = lut->size;
    return lut->cube ? size * size * size : size;
}

static HaloStatus read_row(Reader *r, const char *line)
{
    Lut *lut = r->lut;
    double number[4];
    const int count = read_numbers(line, number);
    if (!r->sized && r->rows == 0) lut->columns = count == 1 ? 1 : 3;
    if (count != lut->columns) return fail_line(r, lut->columns == 1 ? "a number" : "three numbers", line);
    if (r->rows >= (r->sized ? rows_expected(lut) : MOST_CURVE))
        return halo_fail(HALO_ERR_INPUT, "%s: line %lld: more than %lld entries", r->path, r->lines.line,
                         (long long)r->rows);
    if (r->rows == r->space) {
        const int64_t space = r->space > 0 ? 2 * r->space : 1024;
        double *more = realloc(lut->value, (size_t)(space * 3) * sizeof *more);
        if (more == NULL) return halo_fail(HALO_ERR_LIMIT, "%s: not enough memory for its entries", r->path);
        lut->value = more;
        r->space = space;
    }
    for (int c = 0; c < count; c++) lut->value[r->rows * count + c] = number[c];
    r->rows++;
    return HALO_OK;
}

static HaloStatus check(const Reader *r)
{
    Lut *lut = r->lut;
    if (!r->sized) lut->size = (int)r->rows;
    if (lut->size < LEAST_SIZE || r->rows != rows_expected(lut))
        return halo_fail(HALO_ERR_INPUT, "%s: it has %lld entries, expected %s%lld", r->path,
                         (long long)r->rows, r->sized ? "" : "at least ",
                         (long long)(r->sized ? rows_expected(lut) : LEAST_SIZE));
    for (int c = 0; c < 3; c++)
        if (!(lut->min[c] < lut->max[c]))
            return halo_fail(HALO_ERR_INPUT, "%s: its domain from %g to %g is empty", r->path, lut->min[c],
                             lut->max[c]);
    return HALO_OK;
}

HaloStatus lut_read(const char *path, const void *bytes, size_t size, Lut *lut)
{
    HaloStatus status = HALO_OK;
    HaloSource *source = NULL;
    Reader r = {.path = path, .lut = lut};
    char *line;
    size_t length;
    *lut = (Lut){.max = {1.0, 1.0, 1.0}};
    HALO_TRY(halo_source_from_memory(bytes, size, &source));
    r.lines = halo_lines_of(source, MOST_BYTES);
    HALO_TRY(halo_lines_skip_mark(&r.lines));
    for (;;) {
        HALO_TRY(halo_lines_next(&r.lines, '\n', &line, &length));
        if (line == NULL) break;
        if (memchr(line, 0, length) != NULL)
            HALO_FAIL(HALO_ERR_INPUT, "%s: line %lld: this is no text", path, r.lines.line);
        line += strspn(line, " \t\r");
        if (*line == 0 || *line == '#') continue;
        HALO_TRY((*line >= 'A' && *line <= 'Z') || (*line >= 'a' && *line <= 'z') ? read_keyword(&r, line)
                                                                                  : read_row(&r, line));
    }
    HALO_TRY(check(&r));
out:
    halo_lines_free(&r.lines);
    halo_source_close(source);
    if (status != HALO_OK) lut_free(lut);
    return status;
}

static double sample_of(const HaloBuf *picture, int64_t x, int64_t y, int channel)
{
    const void *at = halo_at(picture, x, y);
    switch (picture->shape.dtype) {
    case HALO_U8: return (double)((const uint8_t *)at)[channel];
    case HALO_U16: return (double)((const uint16_t *)at)[channel];
    case HALO_F64: return ((const double *)at)[channel];
    default: return (double)((const float *)at)[channel];
    }
}

HaloStatus lut_from_picture(const char *path, const HaloBuf *picture, Lut *lut)
{
    const HaloShape *shape = &picture->shape;
    const int colours = shape->channels - (shape->alpha >= 0);
    int level = 2;
    *lut = (Lut){.cube = true, .columns = 3, .max = {1.0, 1.0, 1.0}};
    while (level < MOST_LEVEL && (int64_t)level * level * level < shape->width) level++;
    lut->size = level * level;
    if (shape->kind != HALO_IMAGE || shape->width != shape->height || colours != 3 ||
        (int64_t)level * level * level != shape->width)
        return halo_fail(
            HALO_ERR_INPUT,
            "%s: this is no Hald image, which has three colours and as many rows as columns, n^3 for "
            "a level n from 2 to 16",
            path);
    const int64_t entries = shape->width * shape->height;
    lut->value = malloc((size_t)(3 * entries) * sizeof *lut->value);
    if (lut->value == NULL) return halo_fail(HALO_ERR_LIMIT, "%s: not enough memory for its entries", path);
    for (int64_t i = 0; i < entries; i++)
        for (int c = 0; c < 3; c++) {
            const int channel = c + (shape->alpha >= 0 && c >= shape->alpha);
            lut->value[3 * i + c] =
                sample_of(picture, i % shape->width, i / shape->width, channel) / (double)shape->white;
        }
    return HALO_OK;
}

void lut_free(Lut *lut)
{
    free(lut->value);
    lut->value = NULL;
}

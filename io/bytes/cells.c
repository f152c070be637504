/* Parses tables of text (CSV) with a state machine, byte by byte. */
#include "halo/cells.h"

#include <string.h>

#include "halo/text.h"

/* The state of the parser. CLOSED: after a quotation mark in a quoted text, which may be its end. */
enum { BEFORE, INSIDE, QUOTED, CLOSED, COMMENT };

static bool is_break(char c) { return c == '\n' || c == '\r'; }

/* ---- the machine ---------------------------------------------------------------------------------------- */

static void end_cell(HaloCells *cells, const char *row)
{
    if (cells->state == BEFORE) cells->from = cells->to = cells->size;
    if (cells->count < HALO_MOST_CELLS)
        cells->cell[cells->count] = (HaloCell){.at = cells->from,
                                               .length = cells->to - cells->from,
                                               .quoted = cells->to > cells->from && row[cells->from] == '"'};
    cells->count++;
    cells->state = BEFORE;
}

static void begin_cell(HaloCells *cells, char c)
{
    cells->from = cells->size;
    cells->to = cells->size + 1;
    cells->state = c == '"' ? QUOTED : INSIDE;
    if (c == '#' && cells->comments && cells->from == 0) cells->state = COMMENT;
}

/* Skips bytes that cannot end a cell. */
static void pass_plain(HaloCells *cells, const char *row, size_t size)
{
    size_t at = cells->size;
    if (cells->state == INSIDE) {
        while (at < size && (unsigned char)row[at] > ' ' && row[at] != cells->separator) at++;
        if (at > cells->size) cells->to = at;
    } else if (cells->state == QUOTED) {
        while (at < size && (unsigned char)row[at] > ' ' && row[at] != '"') at++;
    }
    cells->size = at;
}

/* Takes one byte, which is not a line break, except in quotation marks. */
static void take_byte(HaloCells *cells, const char *row)
{
    const char c = row[cells->size];
    const bool blank = halo_is_blank(c),
               separator = c == cells->separator || (cells->separator == ' ' && blank);
    switch (cells->state) {
    case QUOTED:
        if (c == '"') cells->state = CLOSED;
        cells->to = cells->size + 1;
        cells->breaks += c == '\r' || (c == '\n' && row[cells->size - 1] != '\r');
        break;
    case CLOSED:
        if (c == '"') {
            cells->state = QUOTED;
            break;
        }
        cells->state = INSIDE; /* fallthrough */
    case INSIDE:
        if (separator)
            end_cell(cells, row);
        else if (!blank)
            cells->to = cells->size + 1;
        break;
    case BEFORE:
        if (separator && cells->separator != ' ')
            end_cell(cells, row);
        else if (!blank)
            begin_cell(cells, c);
        break;
    default: break;
    }
    cells->size++;
}

/* Ends the last cell of a row. A separator at the end of a row is followed by an empty cell. */
static void end_row(HaloCells *cells, const char *row)
{
    if (cells->state == COMMENT) cells->count = 0;
    if (cells->state == INSIDE || cells->state == CLOSED || (cells->state == BEFORE && cells->count > 0))
        if (cells->state != BEFORE || cells->separator != ' ') end_cell(cells, row);
}

/* Continues the current row, of which `size` bytes are in memory. True: it is complete. */
static HaloStatus scan(HaloCells *cells, const char *row, size_t size, bool *complete)
{
    *complete = false;
    while (!*complete) {
        pass_plain(cells, row, size);
        if (cells->size == size) break;
        const char c = row[cells->size];
        if (c == 0 && cells->state != COMMENT)
            return halo_fail(HALO_ERR_INPUT, "line %lld contains a NUL byte: it is not a table",
                             cells->line + cells->breaks);
        if (!is_break(c) || cells->state == QUOTED) {
            take_byte(cells, row);
            continue;
        }
        end_row(cells, row);
        cells->size++;
        *complete = true;
    }
    return HALO_OK;
}

/* ---- rows ----------------------------------------------------------------------------------------------- */

static HaloStatus not_closed(const HaloCells *cells)
{
    return halo_fail(HALO_ERR_INPUT, "line %lld, column %d: a quotation mark is not closed", cells->line,
                     cells->count + 1);
}

static HaloStatus too_long(const HaloCells *cells)
{
    if (cells->state == QUOTED) return not_closed(cells);
    return halo_fail(HALO_ERR_INPUT, "line %lld has more than %zu bytes", cells->line, cells->lines.most);
}

/* Behind CR, LF is a part of the same line break. */
static HaloStatus skip_lf(HaloCells *cells)
{
    HaloStatus status = HALO_OK;
    HaloLines *lines = &cells->lines;
    if (!cells->after_cr || (lines->begin == lines->filled && lines->at_end)) return HALO_OK;
    if (lines->begin == lines->filled) HALO_TRY(halo_lines_fill(lines));
    if (lines->begin < lines->filled && lines->text[lines->begin] == '\n') lines->begin++;
    cells->after_cr = false;
out:
    return status;
}

/* Reads the row that begins the text, and leaves it there: count 0 where it has no cell. */
static HaloStatus read_row(HaloCells *cells)
{
    HaloStatus status = HALO_OK;
    HaloLines *lines = &cells->lines;
    bool complete = false;
    HALO_TRY(skip_lf(cells));
    cells->line = lines->line + 1;
    cells->state = BEFORE;
    cells->count = 0;
    cells->size = 0;
    cells->breaks = 0;
    while (true) {
        const size_t there = lines->filled - lines->begin;
        if (there > 0) HALO_TRY(scan(cells, lines->text + lines->begin, there, &complete));
        if (cells->size > lines->most) HALO_TRY(too_long(cells));
        if (complete || lines->at_end) break;
        HALO_TRY(halo_lines_fill(lines));
    }
    cells->begin = lines->begin;
    if (complete) return HALO_OK;
    if (cells->state == QUOTED) HALO_TRY(not_closed(cells));
    if (cells->size > 0) end_row(cells, lines->text + lines->begin);
out:
    return status;
}

/* What is read from now on stands behind the present row. */
static void pass_row(HaloCells *cells)
{
    HaloLines *lines = &cells->lines;
    if (cells->size > 0) cells->after_cr = lines->text[cells->begin + cells->size - 1] == '\r';
    lines->begin = cells->begin + cells->size;
    lines->line += cells->breaks + 1;
}

HaloStatus halo_cells_next(HaloCells *cells)
{
    HaloStatus status;
    do {
        status = read_row(cells);
        if (status == HALO_OK) pass_row(cells);
    } while (status == HALO_OK && cells->count == 0 && cells->size > 0);
    return status;
}

/* Does this separator divide the row that begins the text? *open: behind it, a quotation mark is not closed. */
static HaloStatus divides(HaloCells *cells, char separator, bool *yes, bool *open)
{
    cells->separator = separator;
    const HaloStatus status = read_row(cells);
    *open = status != HALO_OK && cells->state == QUOTED;
    *yes = status == HALO_OK && cells->count > 1;
    return *open ? HALO_OK : status;
}

/* Are quotation marks only where they enclose a whole cell? Elsewhere they are taken as part of the cell, but
 * hint that the separator is another one. */
static bool is_clean(const HaloCells *cells)
{
    const int kept = cells->count < HALO_MOST_CELLS ? cells->count : HALO_MOST_CELLS;
    for (int i = 0; i < kept; i++) {
        const HaloCell *cell = &cells->cell[i];
        const char *text = cells->lines.text + cells->begin + cell->at;
        size_t at = 1;
        while (cell->quoted && at < cell->length &&
               (text[at] != '"' || (at + 1 < cell->length && text[at + 1] == '"')))
            at += text[at] == '"' ? 2 : 1;
        if (cell->quoted && at + 1 < cell->length) return false;
        if (!cell->quoted && memchr(text, '"', cell->length) != NULL) return false;
    }
    return true;
}

/* The first separator that divides the row cleanly, else the first that divides it. A quotation mark that one
 * separator leaves open may be inside of a cell with another. */
static HaloStatus find_separator(HaloCells *cells, const char *may)
{
    HaloStatus status = HALO_OK;
    char otherwise = ' ', first = 0;
    bool yes = false, open, clean = false;
    for (int i = 0; may[i] != 0 && !clean; i++) {
        HALO_TRY(divides(cells, may[i], &yes, &open));
        if (open) otherwise = may[i];
        if (yes && first == 0) first = may[i];
        clean = yes && is_clean(cells);
    }
    if (!clean) cells->separator = first != 0 ? first : otherwise;
out:
    return status;
}

static void begin(HaloCells *cells, HaloSource *source, char separator, bool comments)
{
    cells->lines = halo_lines_of(source, HALO_MOST_ROW);
    cells->separator = separator;
    cells->comments = comments;
    cells->after_cr = false;
}

HaloStatus halo_cells_of(HaloCells *cells, HaloSource *source, char separator)
{
    begin(cells, source, separator, false);
    return halo_cells_next(cells);
}

HaloStatus halo_cells_open(HaloCells *cells, HaloSource *source, const char *separators, bool comments)
{
    HaloStatus status = HALO_OK;
    begin(cells, source, 0, comments); /* which divides nothing */
    HALO_TRY(halo_lines_skip_mark(&cells->lines));
    for (bool blank = true; blank;) {
        HALO_TRY(read_row(cells));
        blank = cells->count == 0 && cells->size > 0;
        if (blank) pass_row(cells);
    }
    HALO_TRY(find_separator(cells, separators));
    HALO_TRY(halo_cells_next(cells));
out:
    return status;
}

/* Before the present row. */
static void go_back(HaloCells *cells)
{
    cells->lines.begin = cells->begin;
    cells->lines.line = cells->line - 1;
    cells->after_cr = false;
}

HaloStatus halo_cells_keep(HaloCells *cells, HaloMemory *memory, int64_t *held)
{
    HaloStatus status = HALO_OK;
    HaloLines *lines = &cells->lines;
    const size_t most = lines->most;
    go_back(cells);
    lines->most = SIZE_MAX;
    while (!lines->at_end && status == HALO_OK) {
        const size_t capacity = lines->capacity;
        status = halo_lines_fill(lines);
        const int64_t more = (int64_t)(lines->capacity - capacity);
        if (status == HALO_OK && more > 0 && (status = halo_memory_hold(memory, more)) == HALO_OK)
            *held += more;
    }
    lines->most = most;
    HALO_TRY(status);
    HALO_TRY(halo_cells_next(cells));
    cells->kept_from = cells->begin;
    cells->kept_line = cells->line;
out:
    return status;
}

HaloStatus halo_cells_return(HaloCells *cells)
{
    cells->begin = cells->kept_from;
    cells->line = cells->kept_line;
    go_back(cells);
    return halo_cells_next(cells);
}

void halo_cells_free(HaloCells *cells) { halo_lines_free(&cells->lines); }

/* Removes the quotation marks in place. */
static void unquote(char *text, HaloCell *cell)
{
    const char *end = text + cell->length;
    char *to = text;
    bool quoted = true;
    for (const char *from = text + 1; from < end; from++) {
        if (quoted && *from == '"') {
            quoted = from + 1 < end && from[1] == '"';
            if (!quoted) continue;
            from++;
        }
        *to++ = *from;
    }
    cell->length = (size_t)(to - text);
    cell->quoted = false;
}

const char *halo_cell(HaloCells *cells, int i, size_t *length)
{
    HaloCell *cell = &cells->cell[i];
    char *text = cells->lines.text + cells->begin + cell->at;
    if (cell->quoted) unquote(text, cell);
    *length = cell->length;
    return text;
}

/* Drawing with characters: lines of Braille dots, pictures of half blocks in colours; without UTF-8 or colours
 * of what ASCII has. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "canvas.h"
#include "halo/utf8.h"
#include "text/page.h"
#include "text/text.h"

enum { ACROSS = 2, DOWN = 4 }; /* dots of a character */

typedef struct Cell {
    uint8_t dots; /* bit 2 * row + column */
    uint32_t ink; /* of the dots or the letter */
    char letter[5];
    bool inked;       /* the letter has a colour */
    bool shaded[2];   /* the upper and the lower half, */
    uint32_t half[2]; /* with these colours */
} Cell;

typedef struct Text {
    Canvas canvas;
    int columns, rows;
    Cell *cell; /* [rows][columns] */
    bool unicode, colours;
} Text;

static Cell *cell_at(Text *text, int row, int column)
{
    if (row < 0 || row >= text->rows || column < 0 || column >= text->columns) return NULL;
    return &text->cell[row * text->columns + column];
}

static void put_dot(Text *text, int x, int y, uint32_t rgb)
{
    if (x < 0 || y < 0) return;
    Cell *cell = cell_at(text, y / DOWN, x / ACROSS);
    if (cell == NULL) return;
    cell->dots |= (uint8_t)(1u << (y % DOWN * ACROSS + x % ACROSS));
    cell->ink = rgb;
}

/* ---- marks ---------------------------------------------------------------------------------------------- */

/* At least a dot. */
static void box(Canvas *canvas, double x, double y, double width, double height, uint32_t rgb)
{
    const int left = (int)rint(x), right = (int)fmax(rint(x + width), left + 1);
    const int top = (int)rint(y), bottom = (int)fmax(rint(y + height), top + 1);
    for (int j = top; j < bottom; j++)
        for (int i = left; i < right; i++) put_dot((Text *)canvas, i, j, rgb);
}

/* Halves of characters, as wide as a character. */
static void shade(Canvas *canvas, double x, double y, double width, double height, uint32_t rgb)
{
    const int tall = DOWN / 2;
    const int left = (int)rint(x / ACROSS), right = (int)rint((x + width) / ACROSS);
    const int top = (int)rint(y / tall), bottom = (int)rint((y + height) / tall);
    for (int j = top; j < bottom; j++)
        for (int i = left; i < right; i++) {
            Cell *cell = j < 0 ? NULL : cell_at((Text *)canvas, j / 2, i);
            if (cell == NULL) continue;
            cell->shaded[j % 2] = true;
            cell->half[j % 2] = rgb;
        }
}

static void draw_steps(Canvas *canvas, const CanvasSteps *steps, uint32_t rgb)
{
    double left = steps->left;
    for (int k = 0; k < steps->count; left = steps->right[k++])
        if (steps->top[k] < steps->bottom)
            box(canvas, left, fmin(steps->top[k], steps->bottom - 1), steps->right[k] - left,
                steps->bottom - steps->top[k], rgb);
}

static void draw_segment(Text *text, const double a[2], const double b[2], bool dashed, uint32_t rgb)
{
    const double length = fmax(fabs(b[0] - a[0]), fabs(b[1] - a[1]));
    const int count = (int)fmin(ceil(length), 1e5);
    for (int i = 0; i <= count; i++) {
        const double part = count > 0 ? (double)i / count : 0;
        const int x = (int)floor(a[0] + part * (b[0] - a[0])), y = (int)floor(a[1] + part * (b[1] - a[1]));
        if (!dashed || (x + y) % 4 < 2) put_dot(text, x, y, rgb);
    }
}

static void draw_line(Canvas *canvas, const CanvasLine *line, uint32_t rgb)
{
    for (int64_t k = 0; k + 1 < line->count; k++) {
        const double a[2] = {line->x[k], line->y[k]}, b[2] = {line->x[k + 1], line->y[k + 1]};
        draw_segment((Text *)canvas, a, b, line->dashed, rgb);
    }
}

static void draw_text(Canvas *canvas, double x, double y, CanvasAlign align, double size, uint32_t rgb,
                      const char *text)
{
    Text *to = (Text *)canvas;
    CliText shown = {0};
    int letters = 0;
    (void)size;
    cli_add_escaped(&shown, text, strlen(text), "");
    for (const char *at = shown.data; *at != 0; at++) letters += ((uint8_t)*at & 0xc0) != 0x80;
    const int from = (int)rint(x / ACROSS) - (align == CANVAS_LEFT     ? 0
                                              : align == CANVAS_MIDDLE ? letters / 2
                                                                       : letters);
    const int row = (int)floor(y / DOWN);
    int column = from < 0                                                 ? 0
                 : from + letters > to->columns && align == CANVAS_MIDDLE ? to->columns - letters
                                                                          : from;
    for (const char *at = shown.data; *at != 0; column++) {
        Cell *cell = cell_at(to, row, column);
        size_t length = 1;
        while (((uint8_t)at[length] & 0xc0) == 0x80) length++;
        if (cell != NULL && length < sizeof cell->letter) {
            memcpy(cell->letter, at, length);
            cell->letter[length] = 0;
            if (length > 1 && !to->unicode) strcpy(cell->letter, "?");
            cell->ink = rgb;
            cell->inked = rgb != CANVAS_INK;
        }
        at += length;
    }
    free(shown.data);
}

/* ---- characters ----------------------------------------------------------------------------------------- */

/* The bits of Braille's dots, by rows. */
static uint32_t braille(uint8_t dots)
{
    static const uint8_t bit[ACROSS * DOWN] = {0, 3, 1, 4, 2, 5, 6, 7};
    uint32_t code = 0x2800;
    for (int i = 0; i < ACROSS * DOWN; i++)
        if (dots >> i & 1) code |= 1u << bit[i];
    return code;
}

/* ASCII by where the dots are: above, below, in the middle, or in all rows. */
static const char *ascii(uint8_t dots)
{
    static const char *const by_rows[16] = {" ", "'", "-", "\"", "-", ":", "-", "|",
                                            ".", ":", ":", "|",  ".", "|", "|", "|"};
    int rows = 0;
    for (int row = 0; row < DOWN; row++)
        if (dots >> (ACROSS * row) & 3) rows |= 1 << row;
    return dots == 0xff ? "#" : by_rows[rows];
}

static void put_glyph(CliText *out, const Text *text, const Cell *cell)
{
    if (!text->unicode) {
        cli_add(out, ascii(cell->dots), 1);
    } else if (cell->dots == 0xff) {
        cli_add(out, "█", strlen("█"));
    } else {
        const uint32_t code = braille(cell->dots);
        const char utf8[3] = {(char)(0xe0 | code >> 12), (char)(0x80 | (code >> 6 & 0x3f)),
                              (char)(0x80 | (code & 0x3f))};
        cli_add(out, utf8, 3);
    }
}

/* One of the 6 x 6 x 6 colours, or of the 24 grays, of terminals with 256 colours. */
static void put_colour(CliText *out, int where, uint32_t rgb)
{
    const int r = (int)(rgb >> 16 & 255), g = (int)(rgb >> 8 & 255), b = (int)(rgb & 255);
    const bool gray = abs(r - g) < 8 && abs(g - b) < 8 && r >= 8 && r < 244;
    const int index = gray ? 232 + (r - 8) / 10 : 16 + (r + 25) / 51 * 36 + (g + 25) / 51 * 6 + (b + 25) / 51;
    char text[24];
    cli_add(out, text, (size_t)snprintf(text, sizeof text, "\033[%d;5;%dm", where, index));
}

static double light(uint32_t rgb)
{
    return (0.299 * (rgb >> 16 & 255) + 0.587 * (rgb >> 8 & 255) + 0.114 * (rgb & 255)) / 255;
}

static void put_shade(CliText *out, const Text *text, const Cell *cell)
{
    static const char ramp[] = " .:-=+*#%@";
    double sum = 0;
    for (int i = 0; i < 2; i++) sum += cell->shaded[i] ? light(cell->half[i]) : 0;
    if (!text->colours) {
        cli_add_char(out, ramp[(int)(sum / (cell->shaded[0] + cell->shaded[1]) * 9.999)]);
        return;
    }
    const bool below = !cell->shaded[0]; /* the lower half alone */
    put_colour(out, 38, cell->half[below]);
    if (cell->shaded[0] && cell->shaded[1]) put_colour(out, 48, cell->half[1]);
    if (text->unicode)
        cli_add(out, below ? "▄" : "▀", strlen("▀"));
    else
        cli_add_char(out, cell->shaded[0] && cell->shaded[1] ? '"' : below ? '_' : '"');
    cli_add(out, "\033[0m", 4);
}

static void put_cell(CliText *out, const Text *text, const Cell *cell)
{
    const bool letter = cell->letter[0] != 0,
               coloured = text->colours && (letter ? cell->inked : cell->dots != 0);
    if (!letter && (cell->shaded[0] || cell->shaded[1])) {
        put_shade(out, text, cell);
        return;
    }
    if (coloured) put_colour(out, 38, cell->ink);
    if (letter)
        cli_add(out, cell->letter, strlen(cell->letter));
    else if (cell->dots != 0)
        put_glyph(out, text, cell);
    else
        cli_add_char(out, ' ');
    if (coloured) cli_add(out, "\033[0m", 4);
}

static HaloStatus write_text(Canvas *canvas, HaloSink *sink)
{
    const Text *text = (const Text *)canvas;
    CliText out = {0};
    for (int row = 0; row < text->rows; row++) {
        const Cell *cell = &text->cell[row * text->columns];
        int end = text->columns;
        while (end > 0 && cell[end - 1].letter[0] == 0 && cell[end - 1].dots == 0 && !cell[end - 1].shaded[0] &&
               !cell[end - 1].shaded[1])
            end--;
        for (int column = 0; column < end; column++) put_cell(&out, text, &cell[column]);
        cli_add_char(&out, '\n');
    }
    const HaloStatus status = halo_sink_write(sink, out.data, out.length);
    free(out.data);
    return status;
}

static void free_text(Canvas *canvas)
{
    free(((Text *)canvas)->cell);
    free(canvas);
}

Canvas *canvas_text(int rows)
{
    Text *text = cli_alloc(1, sizeof *text);
    text->columns = cli_columns();
    text->rows = rows;
    text->unicode = cli_unicode();
    text->colours = *cli_ink(CLI_BOLD) != 0;
    text->cell = cli_alloc((size_t)(text->columns * rows), sizeof *text->cell);
    text->canvas = (Canvas){.width = ACROSS * text->columns,
                            .height = DOWN * rows,
                            .letter = ACROSS,
                            .line = DOWN,
                            .cell = 2,
                            .coarse = true,
                            .box = box,
                            .shade = shade,
                            .steps = draw_steps,
                            .draw = draw_line,
                            .text = draw_text,
                            .write = write_text,
                            .free = free_text};
    return &text->canvas;
}

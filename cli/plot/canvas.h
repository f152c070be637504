/* Something to draw a plot on: SVG, pixels that become PNG, or characters of a terminal. Lengths are pixels, or
 * dots, of which a character has 2 x 4; y goes down. */
#ifndef CLI_CANVAS_H
#define CLI_CANVAS_H

#include <stdbool.h>
#include <stdint.h>

#include "halo/extend.h"

#define CANVAS_WIDTH 800 /* of pictures */
#define CANVAS_HEIGHT 400
#define CANVAS_INK 0x333333 /* of text */

typedef enum CanvasAlign { CANVAS_LEFT, CANVAS_MIDDLE, CANVAS_RIGHT } CanvasAlign;

/* A staircase over a bottom line: step k ends at right[k], and begins where the last one ends. */
typedef struct CanvasSteps {
    double left, bottom;
    const double *right, *top;
    int count;
} CanvasSteps;

/* Straight from point to point. */
typedef struct CanvasLine {
    const double *x, *y;
    int64_t count;
    bool dashed;
} CanvasLine;

typedef struct Canvas Canvas;

struct Canvas {
    double width, height;
    double letter, line; /* about as wide and as high as text of ticks is */
    double panel;        /* the height of a panel, of which there may be several one below the other */
    double cell;         /* the smallest square that `shade` tells from its neighbours */
    bool coarse;         /* characters: they have no space for a grid and for tick marks */

    void (*box)(Canvas *, double x, double y, double width, double height, uint32_t rgb);
    /* The same as a part of a picture: of any two colours the lighter one looks lighter, also without colours.
     */
    void (*shade)(Canvas *, double x, double y, double width, double height, uint32_t rgb);
    /* Filled, so that what lies behind shows through, and outlined. */
    void (*steps)(Canvas *, const CanvasSteps *steps, uint32_t rgb);
    void (*draw)(Canvas *, const CanvasLine *line, uint32_t rgb);
    /* `y` is the line the letters stand on; `size` about their height with what goes below it. */
    void (*text)(Canvas *, double x, double y, CanvasAlign align, double size, uint32_t rgb, const char *text);
    HaloStatus (*write)(Canvas *, HaloSink *sink); /* all of it, once */
    void (*free)(Canvas *);
};

Canvas *canvas_svg(double height);
Canvas *canvas_png(double height);
/* As wide as the terminal, or 80 columns, and `rows` high. */
Canvas *canvas_text(int rows);

/* By the extension of a path, "-" for a terminal: HALO_ERR_USAGE where none is meant. */
HaloStatus canvas_check(const char *path);
bool canvas_is_text(const char *path);
/* For so many panels; on a terminal with this many lines each, or 0: as usual. */
Canvas *canvas_for(const char *path, int panels, int lines);
/* Writes what is drawn to a file and frees the canvas. */
HaloStatus canvas_save(Canvas *canvas, const char *path, const HaloSinkOptions *options);

#endif

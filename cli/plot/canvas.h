/* Something to draw a plot on: SVG, or pixels that become PNG. Lengths are pixels, y goes down. */
#ifndef CLI_CANVAS_H
#define CLI_CANVAS_H

#include <stdbool.h>
#include <stdint.h>

#include "halo/extend.h"

#define CANVAS_WIDTH 800
#define CANVAS_HEIGHT 400

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
    void (*box)(Canvas *, double x, double y, double width, double height, uint32_t rgb);
    /* Filled, so that what lies behind shows through, and outlined. */
    void (*steps)(Canvas *, const CanvasSteps *steps, uint32_t rgb);
    void (*line)(Canvas *, const CanvasLine *line, uint32_t rgb);
    /* `y` is the line the letters stand on; `size` about their height with what goes below it. */
    void (*text)(Canvas *, double x, double y, CanvasAlign align, double size, const char *text);
    HaloStatus (*write)(Canvas *, HaloSink *sink); /* all of it, once */
    void (*free)(Canvas *);
};

Canvas *canvas_svg(void);
Canvas *canvas_png(void);

/* By the extension of a path: HALO_ERR_USAGE where neither is meant. */
HaloStatus canvas_check(const char *path);
Canvas *canvas_for(const char *path);
/* Writes what is drawn to a file and frees the canvas. */
HaloStatus canvas_save(Canvas *canvas, const char *path, const HaloSinkOptions *options);

#endif

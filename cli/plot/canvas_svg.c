/* Drawing by writing SVG. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "canvas.h"
#include "text/text.h"

typedef struct Svg {
    Canvas canvas;
    CliText text;
    FILE *to;
} Svg;

static void box(Canvas *canvas, double x, double y, double width, double height, uint32_t rgb)
{
    fprintf(((Svg *)canvas)->to,
            "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"#%06x\"/>\n", x, y, width,
            height, rgb);
}

static void draw_steps(Canvas *canvas, const CanvasSteps *steps, uint32_t rgb)
{
    FILE *to = ((Svg *)canvas)->to;
    fprintf(to, "<path fill=\"#%06x\" fill-opacity=\"0.3\" stroke=\"#%06x\" d=\"M%g %g", rgb, rgb, steps->left,
            steps->bottom);
    for (int k = 0; k < steps->count; k++) fprintf(to, "V%.2fH%.2f", steps->top[k], steps->right[k]);
    fprintf(to, "V%gZ\"/>\n", steps->bottom);
}

static void draw_line(Canvas *canvas, const CanvasLine *line, uint32_t rgb)
{
    FILE *to = ((Svg *)canvas)->to;
    fprintf(to, "<polyline fill=\"none\" stroke=\"#%06x\" stroke-width=\"1.5\"%s points=\"", rgb,
            line->dashed ? " stroke-dasharray=\"6 4\"" : "");
    for (int64_t k = 0; k < line->count; k++)
        fprintf(to, "%s%.2f,%.2f", k > 0 ? " " : "", line->x[k], line->y[k]);
    fputs("\"/>\n", to);
}

static void draw_text(Canvas *canvas, double x, double y, CanvasAlign align, double size, uint32_t rgb,
                      const char *text)
{
    static const char *const anchor[] = {"start", "middle", "end"};
    FILE *to = ((Svg *)canvas)->to;
    CliText shown = {0}; /* XML allows neither control characters nor what is not UTF-8 */
    cli_add_escaped(&shown, text, strlen(text), "");
    fprintf(to, "<text x=\"%.2f\" y=\"%.2f\" font-size=\"%g\" text-anchor=\"%s\"", x, y, size, anchor[align]);
    if (rgb != CANVAS_INK) fprintf(to, " fill=\"#%06x\"", rgb);
    fputc('>', to);
    for (const char *at = shown.data; *at != 0; at++) {
        if (*at == '&')
            fputs("&amp;", to);
        else if (*at == '<')
            fputs("&lt;", to);
        else if (*at == '>')
            fputs("&gt;", to);
        else
            fputc(*at, to);
    }
    fputs("</text>\n", to);
    free(shown.data);
}

static HaloStatus write_svg(Canvas *canvas, HaloSink *sink)
{
    Svg *svg = (Svg *)canvas;
    fputs("</svg>\n", svg->to);
    if (fflush(svg->to) != 0 || ferror(svg->to))
        return halo_fail(HALO_ERR_LIMIT, "not enough memory for the plot");
    return halo_sink_write(sink, svg->text.data, svg->text.length);
}

static void free_svg(Canvas *canvas)
{
    Svg *svg = (Svg *)canvas;
    fclose(svg->to);
    free(svg->text.data);
    free(svg);
}

Canvas *canvas_svg(double height)
{
    Svg *svg = cli_alloc(1, sizeof *svg);
    svg->canvas = (Canvas){.width = CANVAS_WIDTH,
                           .height = height,
                           .letter = 6,
                           .line = 15,
                           .cell = 4,
                           .box = box,
                           .shade = box,
                           .steps = draw_steps,
                           .draw = draw_line,
                           .text = draw_text,
                           .write = write_svg,
                           .free = free_svg};
    svg->to = cli_text_stream(&svg->text);
    fprintf(svg->to,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %g\" font-family=\"sans-serif\" "
            "stroke-linejoin=\"round\" "
            "fill=\"#%06x\">\n<rect width=\"%d\" height=\"%g\" fill=\"white\"/>\n",
            CANVAS_WIDTH, height, CANVAS_INK, CANVAS_WIDTH, height);
    return &svg->canvas;
}

/* Which canvas a file is, how large it is, and how it gets there. */
#include "canvas.h"

#include <string.h>

#include "halo/words.h"

enum { KIND_SVG, KIND_PNG, KIND_TEXT };

#define OUTSIDE 71 /* pixels above and below the panels */

static int kind_of(const char *path)
{
    char extension[HALO_WORD_SIZE];
    if (strcmp(path, "-") == 0) return KIND_TEXT;
    return halo_find_word("svg,png", ',', halo_lower_extension(path, extension));
}

HaloStatus canvas_check(const char *path)
{
    if (kind_of(path) >= 0) return HALO_OK;
    return halo_fail(HALO_ERR_USAGE, "plots are .svg or .png, or - for the terminal: '%s' is neither", path);
}

bool canvas_is_text(const char *path) { return kind_of(path) == KIND_TEXT; }

Canvas *canvas_for(const char *path, int panels, int lines)
{
    const double pixels = panels == 1 ? CANVAS_HEIGHT - OUTSIDE : panels == 2 ? 200 : panels <= 4 ? 150 : 110;
    if (lines == 0) lines = panels == 1 ? 20 : panels == 2 ? 11 : 8;
    Canvas *canvas = kind_of(path) == KIND_PNG    ? canvas_png(OUTSIDE + panels * pixels)
                     : kind_of(path) == KIND_TEXT ? canvas_text(2 + panels * lines)
                                                  : canvas_svg(OUTSIDE + panels * pixels);
    canvas->panel = canvas->coarse ? lines * canvas->line : pixels;
    return canvas;
}

HaloStatus canvas_save(Canvas *canvas, const char *path, const HaloSinkOptions *options)
{
    HaloStatus status = HALO_OK;
    HaloSink *sink = NULL;
    HALO_TRY(halo_sink_open(path, options, &sink));
    HALO_TRY(canvas->write(canvas, sink));
    status = halo_sink_commit(sink);
    sink = NULL;
out:
    halo_sink_abandon(sink);
    canvas->free(canvas);
    return status;
}

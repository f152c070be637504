/* Which canvas a file is, and how it gets there. */
#include "canvas.h"

#include "halo/words.h"

static int kind_of(const char *path)
{
    char extension[HALO_WORD_SIZE];
    return halo_find_word("svg,png", ',', halo_lower_extension(path, extension));
}

HaloStatus canvas_check(const char *path)
{
    return kind_of(path) >= 0 ? HALO_OK
                              : halo_fail(HALO_ERR_USAGE, "plots are .svg or .png: '%s' is neither", path);
}

Canvas *canvas_for(const char *path) { return kind_of(path) == 1 ? canvas_png() : canvas_svg(); }

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

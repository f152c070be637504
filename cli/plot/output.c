#include "output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chart.h"
#include "picture.h"
#include "series.h"

typedef struct Plotter {
    const PlotOutput *output;
    Canvas *canvas; /* of a picture */
    Trace trace;
    Picture picture;
    int panels; /* of the picture */
} Plotter;

static const PlotOutput *output_of(const HaloWriter *writer) { return (const PlotOutput *)writer->format; }

static HaloStatus check_channels(const HaloShape *shape, int most)
{
    if (shape->channels <= most) return HALO_OK;
    return halo_fail(HALO_ERR_INPUT, "a plot shows up to %d channels, not %d: choose some with channels:1,2",
                     most, shape->channels);
}

/* ---- pictures ------------------------------------------------------------------------------------------- */

/* Of the sound that a spectrogram is made from: its rate and length, as far as steps before say. False: the
 * image is none. */
static bool sound_before(const HaloChanges *changes, double *rate, double *seconds)
{
    double frames = (double)changes->from.width;
    *rate = changes->from.rate;
    if (changes->from.kind != HALO_AUDIO) return false;
    for (int i = 0; i < changes->moves && !changes->move[i].lost; i++) {
        if (changes->move[i].pieces == 0) *rate *= fabs(changes->move[i].scale[0]);
        frames = (double)changes->move[i].size[0];
    }
    *seconds = frames / *rate;
    return true;
}

static PictureScale scale_of(const Picture *picture, bool spectrum)
{
    const double white = (double)picture->shape.white;
    if (!spectrum || picture->shape.dtype != HALO_F32) return picture_range(picture);
    return (PictureScale){0, white, white > 1 ? " dB" : ""};
}

/* The picture keeps its proportions, or, a spectrogram, fills the frame. */
static void fit(const HaloShape *shape, Frame *frame)
{
    const double wide = (frame->right - frame->left) / (double)shape->width,
                 high = (frame->bottom - frame->top) / (double)shape->height, cell = frame->canvas->cell;
    if (wide < high)
        frame->bottom = frame->top + fmax(rint(wide * (double)shape->height / cell), 1) * cell;
    else
        frame->right = frame->left + fmax(rint(high * (double)shape->width / cell), 1) * cell;
    if (frame->canvas->coarse) frame->bottom = ceil(frame->bottom / frame->canvas->line) * frame->canvas->line;
}

static void draw_panel(const HaloWriter *writer, const Plotter *plotter, int panel, const PictureScale *scale)
{
    const HaloShape *shape = &writer->info.shape;
    double rate, seconds;
    char name[32] = "", caption[64];
    const bool spectrum = sound_before(&writer->changes, &rate, &seconds);
    Frame frame = frame_on(plotter->canvas, panel, scale != NULL ? PICTURE_BESIDE : 0);
    if (spectrum) {
        frame.x = (Axis){.hi = seconds, .kind = seconds >= PLOT_CLOCK_FROM ? AXIS_CLOCK : AXIS_NUMBER};
        frame.y.hi = rate / 2;
        if (plotter->panels > 1) snprintf(name, sizeof name, "channel %d: ", panel + 1);
        snprintf(caption, sizeof caption, "%sHz by %s", name, frame.x.kind == AXIS_CLOCK ? "time" : "seconds");
    } else {
        frame.x.hi = (double)shape->width;
        frame.y = (Axis){.hi = (double)shape->height, .down = true};
        fit(shape, &frame);
        if (plotter->panels > 1) snprintf(name, sizeof name, "channel %d: ", panel + 1);
        snprintf(caption, sizeof caption, "%spixels", name);
    }
    frame_caption(&frame, caption);
    frame_ticks_x(&frame, panel == plotter->panels - 1);
    frame_ticks_y(&frame);
    picture_draw(&plotter->picture, &frame, panel, scale);
    frame_lines(&frame);
    if (panel > 0) return;
    char *title = plot_title(plotter->output);
    frame_title(&frame, title);
    free(title);
}

static void draw_picture(const HaloWriter *writer, const Plotter *plotter)
{
    const Picture *picture = &plotter->picture;
    PictureScale scale = scale_of(picture, picture->peaks);
    const bool plain = picture_is_plain(picture);
    if (picture->peaks && *scale.unit != 0) { /* decibels above the floor, shown as those below full scale */
        for (int64_t i = 0; i < (int64_t)picture->across * picture->down * picture->shape.channels; i++)
            picture->cell[i] -= picture->shape.white;
        scale.lo = -scale.hi;
        scale.hi = 0;
    }
    for (int p = 0; p < plotter->panels; p++) draw_panel(writer, plotter, p, plain ? NULL : &scale);
}

/* ---- as a format ---------------------------------------------------------------------------------------- */

static HaloStatus create(HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = &writer->info.shape;
    const PlotOutput *output = output_of(writer);
    Plotter *plotter = writer->state = cli_alloc(1, sizeof *plotter);
    plotter->output = output;
    if (shape->kind == HALO_IMAGE && output->settings->command->bit == CLI_WAVEFORM)
        HALO_FAIL(HALO_ERR_INPUT,
                  "an image has no waveform: halo plot draws it; --rate HZ reads an array as sound");
    if (shape->kind == HALO_IMAGE) HALO_TRY(check_channels(shape, CHART_MOST));
    if (shape->kind == HALO_AUDIO) {
        plotter->trace = trace_new(shape->channels);
        return HALO_OK;
    }
    const Picture like = {.shape = *shape, .peaks = writer->changes.from.kind == HALO_AUDIO};
    plotter->panels = picture_is_plain(&like) ? 1 : shape->channels;
    plotter->canvas = canvas_for(output->path, plotter->panels, 0);
    plotter->picture = picture_new(shape, like.peaks, plotter->canvas);
out:
    return status;
}

static HaloStatus add(HaloWriter *writer, const HaloBuf *rows)
{
    Plotter *plotter = writer->state;
    if (rows->shape.kind == HALO_AUDIO)
        trace_add(&plotter->trace, rows);
    else
        picture_add(&plotter->picture, rows);
    return HALO_OK;
}

static HaloStatus finish(HaloWriter *writer)
{
    Plotter *plotter = writer->state;
    HaloStatus status = HALO_OK;
    if (plotter->canvas == NULL && plotter->trace.channels > CHART_MOST)
        plot_many(writer, plotter->output, &plotter->trace, &plotter->canvas);
    else if (plotter->canvas == NULL)
        HALO_TRY(plot_series(writer, plotter->output, &plotter->trace, &plotter->canvas));
    else
        draw_picture(writer, plotter);
    status = plotter->canvas->write(plotter->canvas, writer->sink);
out:
    return status;
}

static void discard(HaloWriter *writer)
{
    Plotter *plotter = writer->state;
    if (plotter == NULL) return;
    if (plotter->canvas != NULL) plotter->canvas->free(plotter->canvas);
    trace_free(&plotter->trace);
    picture_free(&plotter->picture);
    free(plotter);
    writer->state = NULL;
}

void plot_notes(HaloNotes *notes)
{
    static const HaloNote kinds[] = {HALO_NOTE_METADATA, HALO_NOTE_OUTDATED, HALO_NOTE_THROUGH_F32,
                                     HALO_NOTE_TURNED, HALO_NOTE_ASSUMED_RATE};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) notes->count[kinds[i]] = 0;
}

/* It takes any samples as they are. */
PlotOutput plot_output(const CliSettings *settings, const char *path, const char *input)
{
    return (PlotOutput){.format = {.name = "plot",
                                   .help = "a drawing",
                                   .kinds = HALO_IMAGE | HALO_AUDIO,
                                   .dtypes = (1u << HALO_DTYPES) - 1,
                                   .channels = HALO_ANY_CHANNELS,
                                   .with_alpha = HALO_ANY_CHANNELS,
                                   .holds = HALO_META_TIMES,
                                   .keeps_units = true,
                                   .text = canvas_is_text(path),
                                   .glance = PICTURE_COLUMNS,
                                   .endless = true,
                                   .create = create,
                                   .write = add,
                                   .finish = finish,
                                   .discard = discard},
                        .settings = settings,
                        .path = path,
                        .input = input};
}

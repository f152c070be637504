/* --plot of `halo objects`: the outlines and the numbers of regions over the picture. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "halo/utf8.h"
#include "picture.h"
#include "plot.h"

#define OUTLINE 0xffb000
#define NUMBER 0xfff0a0
#define SHADOW 0x101010
#define NUMBERS_ALWAYS 100 /* of more regions those have their number that have room for it */

enum { LABEL, AREA, TOP, LEFT, BOTTOM, RIGHT, ROW, COLUMN }; /* columns of the table */

/* ---- what regions are found by --------------------------------------------------------------------------- */

/* The value of an argument of the command's operation; NULL: it is not given. The caller frees it. */
static char *argument(const CliSettings *settings, const char *key)
{
    const size_t length = strlen(key);
    int depth = 0;
    const char *begin = settings->op_args.data;
    for (const char *at = begin; at != NULL; at++) {
        depth += (*at == '[') - (*at == ']');
        if (*at != 0 && (*at != ',' || depth > 0)) continue;
        if (strncmp(begin, key, length) == 0 && begin[length] == '=')
            return strndup(begin + length + 1, (size_t)(at - begin) - length - 1);
        if (*at == 0) break;
        begin = at + 1;
    }
    return NULL;
}

/* The pipeline that makes the labels which the table is of; empty: they are the input's own. */
static char *label_pipeline(const CliSettings *settings, const HaloReport *report)
{
    static const char *const keys[] = {"min", "max", "connect"};
    char *const threshold = argument(settings, "threshold"), *const labels = argument(settings, "labels");
    CliText text = {0};
    bool selects = threshold != NULL;
    cli_add(&text, "", 0);
    if (threshold != NULL) {
        cli_add(&text, "gray | threshold:", 17);
        cli_add(&text, threshold, strlen(threshold));
        cli_add(&text, " | ", 3);
    }
    cli_add(&text, "label:connect=8", 15);
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        char *const value = argument(settings, keys[k]);
        if (value == NULL) continue;
        if (k == 2)
            text.length -= strlen("connect=8");
        else
            cli_add_char(&text, ',');
        cli_add(&text, keys[k], strlen(keys[k]));
        cli_add_char(&text, '=');
        cli_add(&text, value, strlen(value));
        selects = selects || k < 2;
        free(value);
    }
    const bool own = labels != NULL && strcmp(labels, "auto") != 0 ? strcmp(labels, "no") != 0
                                                                   : report->input.numbers && !selects;
    if (own) text.length = 0;
    cli_add(&text, "", 1);
    free(threshold);
    free(labels);
    return text.data;
}

/* Takes `in`, which may be what it gives. */
static HaloStatus run(HaloSession *session, const char *text, HaloBuf *in, HaloBuf *out)
{
    HaloStatus status = HALO_OK;
    HaloPipeline *pipeline = NULL;
    HaloPlan *plan = NULL;
    HALO_TRY(halo_pipeline_parse(session, text, &pipeline));
    HALO_TRY(halo_plan_make(session, pipeline, &in->shape, NULL, &plan));
    HALO_TRY(halo_plan_execute(session, plan, in, out, NULL, NULL));
out:
    halo_plan_free(plan);
    halo_pipeline_free(pipeline);
    return status;
}

/* A picture in a file, or [a pipeline] of the input. */
static HaloStatus load(HaloSession *session, const char *of, const HaloBuf *in, HaloBuf *out)
{
    HaloStatus status = HALO_OK;
    HaloInfo info = {0};
    if (of != NULL && *of != '[') {
        HALO_TRY(halo_load_buf(session, of, &info, out));
        halo_meta_free(&info.meta);
        return HALO_OK;
    }
    char *const text = strndup(of != NULL ? of + 1 : "", of != NULL ? strlen(of) - 2 : 0);
    HaloBuf from = *in;
    status = run(session, text != NULL ? text : "", &from, out);
    free(text);
out:
    return status;
}

/* ---- drawn ----------------------------------------------------------------------------------------------- */

/* Neighbouring edges of cells are one line: along row borders (`down` false), or column borders. */
static void draw_edges(const Picture *labels, const Frame *frame, bool down)
{
    const int lines = down ? labels->across : labels->down, length = down ? labels->down : labels->across;
    const double wide = frame->x.hi / labels->across, high = frame->y.hi / labels->down;
    for (int k = 0; k <= lines; k++) {
        int begin = -1;
        for (int i = 0; i <= length; i++) {
            float one = 0, other = 0;
            if (i < length && k > 0) one = labels->cell[down ? i * lines + k - 1 : (k - 1) * length + i];
            if (i < length && k < lines) other = labels->cell[down ? i * lines + k : k * length + i];
            if (i < length && one != other) {
                if (begin < 0) begin = i;
                continue;
            }
            if (begin < 0) continue;
            const double at = k * (down ? wide : high), from = begin * (down ? high : wide),
                         to = i * (down ? high : wide);
            const double x[2] = {frame_x(frame, down ? at : from), frame_x(frame, down ? at : to)},
                         y[2] = {frame_y(frame, down ? from : at), frame_y(frame, down ? to : at)};
            frame->canvas->draw(frame->canvas, &(CanvasLine){.x = x, .y = y, .count = 2}, OUTLINE);
            begin = -1;
        }
    }
}

static void draw_numbers(const HaloTable *table, const Frame *frame)
{
    Canvas *const canvas = frame->canvas;
    for (int64_t r = 0; r < table->rows; r++) {
        const double *row = table->cell + r * table->columns;
        char text[32];
        const int letters = snprintf(text, sizeof text, "%.0f", row[LABEL]);
        const double x = frame_x(frame, row[COLUMN] + 0.5),
                     y = frame_y(frame, row[ROW] + 0.5) + (canvas->coarse ? 0 : 4);
        const double wide = frame_x(frame, row[RIGHT]) - frame_x(frame, row[LEFT]),
                     high = frame_y(frame, row[BOTTOM]) - frame_y(frame, row[TOP]);
        if (table->rows > NUMBERS_ALWAYS && (wide < letters * canvas->letter || high < canvas->line)) continue;
        if (!canvas->coarse) canvas->text(canvas, x + 1, y + 1, CANVAS_MIDDLE, 11, SHADOW, text);
        canvas->text(canvas, x, y, CANVAS_MIDDLE, 11, NUMBER, text);
    }
}

/* The picture keeps its proportions. */
static void fit(const HaloShape *shape, Frame *frame)
{
    const double cell = frame->canvas->cell;
    const double scale = fmin((frame->right - frame->left) / (double)shape->width,
                              (frame->bottom - frame->top) / (double)shape->height);
    frame->right = frame->left + fmax(rint(scale * (double)shape->width / cell), 1) * cell;
    frame->bottom = frame->top + fmax(rint(scale * (double)shape->height / cell), 1) * cell;
    if (frame->canvas->coarse) frame->bottom = ceil(frame->bottom / frame->canvas->line) * frame->canvas->line;
}

static void draw(const CliSettings *settings, const char *input, const HaloBuf *picture, const HaloBuf *labels,
                 const HaloTable *table, Canvas *canvas)
{
    Picture shown = picture_new(&picture->shape, false, canvas),
            regions = picture_new(&labels->shape, true, canvas);
    const bool plain = picture_is_plain(&shown);
    Frame frame = frame_on(canvas, 0, plain ? 0 : PICTURE_BESIDE);
    char title[128], caption[64], count[32];
    const char *name = settings->title != NULL ? settings->title : halo_base_name(input);
    picture_add(&shown, picture);
    picture_add(&regions, labels);
    const PictureScale scale = plain ? (PictureScale){0} : picture_range(&shown);
    frame.x.hi = (double)picture->shape.width;
    frame.y = (Axis){.hi = (double)picture->shape.height, .down = true};
    fit(&picture->shape, &frame);
    snprintf(title, sizeof title, "%.*s", (int)halo_utf8_fit(name, 60), name);
    snprintf(caption, sizeof caption, "%s object%s; pixels", cli_thousands((uint64_t)table->rows, count),
             halo_s(table->rows));
    frame_title(&frame, title);
    frame_caption(&frame, caption);
    frame_ticks_x(&frame, true);
    frame_ticks_y(&frame);
    picture_draw(&shown, &frame, 0, plain ? NULL : &scale);
    draw_edges(&regions, &frame, false);
    draw_edges(&regions, &frame, true);
    draw_numbers(table, &frame);
    frame_lines(&frame);
    picture_free(&shown);
    picture_free(&regions);
}

HaloStatus cli_plot_objects(const CliSettings *settings, HaloSession *session, const char *input,
                            const HaloReport *report, const HaloTable *table)
{
    HaloStatus status = HALO_OK;
    HaloInfo info = {0};
    HaloBuf in = {0}, labels = {0}, picture = {0};
    char *const text = label_pipeline(settings, report), *const of = argument(settings, "of");
    HaloRead read;
    const HaloSinkOptions options = {.force = settings->force,
                                     .read = &read,
                                     .reads = cli_read_of(input, &read),
                                     .sync = settings->write.sync};
    if (strcmp(input, "-") == 0 || settings->raw.kind != 0)
        HALO_FAIL(HALO_ERR_USAGE,
                  "--plot of objects reads the picture again: it has to be a file with a header");
    HALO_TRY(halo_load_buf(session, input, &info, &in));
    HALO_TRY(run(session, text, &in, &labels));
    HALO_TRY(load(session, of, &in, &picture));
    if (picture.shape.width != labels.shape.width || picture.shape.height != labels.shape.height)
        HALO_FAIL(HALO_ERR_INPUT, "--plot: the picture and its labels differ in size");
    Canvas *canvas = canvas_for(settings->plot, 1, 0);
    draw(settings, input, &picture, &labels, table, canvas);
    HALO_TRY(canvas_save(canvas, settings->plot, &options));
out:
    halo_meta_free(&info.meta);
    halo_buf_free(&in);
    halo_buf_free(&labels);
    halo_buf_free(&picture);
    free(text);
    free(of);
    return status;
}

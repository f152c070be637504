/* deskew: straightens scans, whose angle is found by projections of their rows. */
#include <math.h>

#include "ops.h"
#include "rotation.h"

enum { DESKEW_LIMIT, DESKEW_FIT, DESKEW_WARP };

#define CELLS 1536 /* the picture is looked at in at most so many cells a side */
#define LEAST_STEP 0.01
static const double pi = 3.14159265358979323846;

/* ---- cells ----------------------------------------------------------------------------------------------- */

/* A picture as square cells of colour samples; those at the ends may have fewer pixels. */
typedef struct Cells {
    int64_t width, height, side; /* of the picture, and of a cell, in pixels */
    int64_t columns, rows;
    int channels, alpha;
} Cells;

static Cells cells_of(const HaloShape *shape)
{
    Cells cells = {
        .width = shape->width, .height = shape->height, .channels = shape->channels, .alpha = shape->alpha};
    const int64_t longer = shape->width > shape->height ? shape->width : shape->height;
    cells.side = (longer + CELLS - 1) / CELLS;
    cells.columns = (shape->width + cells.side - 1) / cells.side;
    cells.rows = (shape->height + cells.side - 1) / cells.side;
    return cells;
}

static double sample_at(const void *row, HaloDtype dtype, int64_t e)
{
    if (dtype == HALO_U8) return (double)((const uint8_t *)row)[e];
    if (dtype == HALO_U16) return (double)((const uint16_t *)row)[e];
    const float v = ((const float *)row)[e];
    return isfinite(v) ? (double)v : 0.0;
}

static void take_row(const Cells *cells, const HaloBuf *rows, int64_t y, double *sum)
{
    const void *const row = halo_at(rows, 0, y);
    for (int64_t x = 0, e = 0; x < cells->width; x++)
        for (int c = 0; c < cells->channels; c++, e++)
            if (c != cells->alpha) sum[x / cells->side] += sample_at(row, rows->shape.dtype, e);
}

/* Sums become means, in f32. */
static void divide(const Cells *cells, double *cell)
{
    for (int64_t j = 0; j < cells->rows; j++)
        for (int64_t i = 0; i < cells->columns; i++) {
            const int64_t over = i < cells->columns - 1 ? cells->side : cells->width - i * cells->side,
                          down = j < cells->rows - 1 ? cells->side : cells->height - j * cells->side;
            double *const one = &cell[j * cells->columns + i];
            *one = (double)(float)(*one / (double)(over * down));
        }
}

static void take(const void *how, void *found, const HaloBuf *rows)
{
    const Cells *cells = how;
    const int64_t end = rows->y0 + rows->rows;
    for (int64_t y = rows->y0; y < end; y++)
        take_row(cells, rows, y, (double *)found + y / cells->side * cells->columns);
    if (end == cells->height) divide(cells, found);
}

/* ---- projections ----------------------------------------------------------------------------------------- */

/* The mean of each row of the picture whose rows go down by this slope, of which half is there at least; the
 * others are left out, as NaN. A sample between two rows is a mixture of them. */
static void project(const Cells *cells, const double *mean, double slope, double *row, double *count)
{
    for (int64_t j = 0; j < cells->rows; j++) row[j] = count[j] = 0.0;
    for (int64_t i = 0; i < cells->columns; i++) {
        const double down = slope * ((double)i - (double)(cells->columns - 1) / 2), whole = floor(down);
        const double share = down - whole;
        const int64_t by = (int64_t)whole, first = by < 0 ? -by : 0,
                      past = cells->rows - 1 - by < cells->rows ? cells->rows - 1 - by : cells->rows;
        for (int64_t j = first; j < past; j++) {
            const double *const at = mean + (j + by) * cells->columns + i;
            row[j] += (1.0 - share) * at[0] + share * at[cells->columns];
            count[j] += 1.0;
        }
    }
    for (int64_t j = 0; j < cells->rows; j++)
        row[j] = 2.0 * count[j] < (double)cells->columns ? NAN : row[j] / count[j];
}

/* How much rows differ from those two before: most where lines of text, or edges, lie along them. */
static double score(const Cells *cells, const double *mean, double degrees, double *row)
{
    double sum = 0.0, rows = 0.0;
    project(cells, mean, tan(degrees * (pi / 180.0)), row, row + cells->rows);
    for (int64_t j = 2; j < cells->rows; j++) {
        const double step = row[j] - row[j - 2];
        if (step != step) continue;
        sum += step * step;
        rows += 1.0;
    }
    return rows > 0.0 ? sum / rows : 0.0;
}

/* The best one of so many steps to either side; of equal ones the nearest. */
static double best_of(const Cells *cells, const double *mean, double from, double step, int steps, double *row)
{
    double best = from, most = score(cells, mean, from, row);
    for (int k = 1; k <= steps; k++)
        for (int side = -1; side <= 1; side += 2) {
            const double at = from + side * k * step, is = score(cells, mean, at, row);
            if (!(is > most)) continue;
            most = is;
            best = at;
        }
    return best;
}

/* By how much the picture's rows fall to the right. */
static HaloStatus find_angle(HaloBuilder *builder, const Cells *cells, const double *mean, double limit,
                             double *angle)
{
    double *const row = halo_build_keep(builder, (size_t)(2 * cells->rows) * sizeof *row);
    if (row == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    *angle = best_of(cells, mean, 0.0, 0.25, (int)floor(limit / 0.25), row);
    *angle = best_of(cells, mean, *angle, 0.05, 4, row);
    *angle = best_of(cells, mean, *angle, LEAST_STEP, 4, row);
    *angle = LEAST_STEP * floor(*angle / LEAST_STEP + 0.5); /* exact steps add up to others */
    return HALO_OK;
}

/* ---- the operation --------------------------------------------------------------------------------------- */

static HaloStatus build_deskew(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloShape shape = *halo_build_shape(builder, in);
    Cells *const cells = halo_build_keep(builder, sizeof *cells);
    HaloWarp warp = {.by = HALO_WARP_AFFINE};
    const void *found;
    double angle = 0.0;
    if (cells == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    *cells = cells_of(&shape);
    const HaloAnalysis analysis = {.part = {0, shape.width},
                                   .bytes = cells->columns * cells->rows * (int64_t)sizeof(double),
                                   .how = cells,
                                   .take = take};
    HALO_TRY(halo_build_analysis_of_frames(builder, in, &analysis, &found));
    HALO_TRY(find_angle(builder, cells, found, arg[DESKEW_LIMIT].number, &angle));
    HALO_TRY(halo_build_note(builder, HALO_NOTE_ANGLE, angle == 0.0 ? 0.0 : -angle));
    *out = in;
    if (angle == 0.0) goto out;
    const Rotation turn = rotation_by(-angle);
    rotation_size(&shape, &turn, (RotationFit)arg[DESKEW_FIT].integer, &warp);
    rotation_matrix(&shape, &turn, NULL, &warp);
    HALO_TRY(warp_build(builder, &warp, arg + DESKEW_WARP, in, -1, out));
out:
    return status;
}

static const HaloParam deskew_param[] = {
    [DESKEW_LIMIT] = {.key = "limit",
                      .type = HALO_PARAM_NUMBER,
                      .preset = "10",
                      .min = 0.25,
                      .max = 45,
                      .unit = "degrees",
                      .help = "the largest angle that is looked for"},
    [DESKEW_FIT] = ROTATION_FIT("keep"),
    WARP_PARAMS(DESKEW_WARP, "replicate"),
};

const HaloOp halo_op_deskew = {.name = "deskew",
                               .help = "straighten a scan: rows of text become horizontal",
                               .known_as = "straighten unskew autorotate skew textcleaner",
                               .example = "deskew",
                               .within = true,
                               .kinds = HALO_IMAGE,
                               .upright = true,
                               HALO_PARAMS(deskew_param),
                               .build = build_deskew};

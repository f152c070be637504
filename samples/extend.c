/* An operation of one's own: glow, in which what is bright shines over what is around it. Together with all
 * that halo has, it runs pipelines such as "glow:12 | gauss:1" on a file.
 *
 *     cc extend.c -o extend $(pkg-config --cflags --libs halo) -lm && ./extend glow:12 in.png out.png */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <halo/extend.h>

/* ---- the operation: from its arguments to steps that compute it ----------------------------------------- */

enum { RADIUS, AMOUNT, LEVEL };

static const HaloParam glow_param[] = {
    [RADIUS] = {.key = "radius",
                .type = HALO_PARAM_INTEGER,
                .preset = "8",
                .min = 1,
                .max = 64,
                .unit = "pixels",
                .help = "how far the light goes"},
    [AMOUNT] =
        {.key = "amount", .type = HALO_PARAM_NUMBER, .preset = "0.5", .max = 100, .help = "how strong it is"},
    [LEVEL] = {.key = "level",
               .type = HALO_PARAM_NUMBER,
               .preset = "0.6",
               .max = 1,
               .help = "what is brighter shines, as a part of full scale"},
};

/* Weights that fall to 0 at the distance `radius`, and sum to 1. */
static void fill_cone(float *tap, int64_t radius)
{
    const int64_t side = 2 * radius + 1;
    double sum = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0; i < side * side; i++) {
            const double x = (double)(i % side - radius), y = (double)(i / side - radius);
            const double weight = fmax(0, 1 - sqrt(x * x + y * y) / (double)(radius + 1));
            if (pass == 0)
                sum += weight;
            else
                tap[i] = (float)(weight / sum);
        }
}

static HaloStatus build_glow(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloShape shape = *halo_build_shape(builder, in);
    const int64_t radius = arg[RADIUS].integer, side = 2 * radius + 1;
    HaloReg bright, light, sum;
    float *tap = (float *)halo_build_keep(builder, (size_t)(side * side) * sizeof *tap);
    const HaloMap above = {.kind = HALO_MAP_POINTS,
                           .points = 2,
                           .point = {{.op = HALO_POINT_ADD, .a = -(float)arg[LEVEL].number * shape.white},
                                     {.op = HALO_POINT_CLAMP, .a = 0, .b = shape.white}}};
    const HaloConv spread = {.window = {.width = side,
                                        .height = side,
                                        .ox = -radius,
                                        .oy = -radius,
                                        .border = HALO_BORDER_REPLICATE},
                             .tap = tap};
    const HaloCombine add = {.kind = HALO_COMBINE_ADD, .amount = (float)arg[AMOUNT].number};
    const HaloCombine keep_alpha = {.kind = HALO_COMBINE_COPY_ALPHA};
    if (tap == NULL) HALO_FAIL(HALO_ERR_LIMIT, "glow: not enough memory");
    fill_cone(tap, radius);
    HALO_TRY(halo_build_map(builder, in, &above, &bright));
    HALO_TRY(halo_build_conv(builder, bright, &spread, &light));
    HALO_TRY(halo_build_combine(builder, in, light, &add, &sum));
    if (shape.alpha >= 0) HALO_TRY(halo_build_combine(builder, sum, in, &keep_alpha, &sum));
    *out = sum;
out:
    return status;
}

static const HaloOp glow = {.name = "glow",
                            .help = "bright places shine over what is around them",
                            .known_as = "bloom",
                            .example = "glow:12",
                            .kinds = HALO_IMAGE,
                            HALO_PARAMS(glow_param),
                            .build = build_glow};

/* ---- the program ---------------------------------------------------------------------------------------- */

/* halo's tables, and one operation more. *ops is the caller's to free, after the session. */
static HaloStatus add_op(const HaloOp *op, HaloTables *tables, const HaloOp ***ops)
{
    *tables = *halo_tables();
    *ops = (const HaloOp **)malloc((size_t)(tables->ops + 1) * sizeof **ops);
    if (*ops == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    memcpy(*ops, tables->op, (size_t)tables->ops * sizeof **ops);
    (*ops)[tables->ops++] = op;
    tables->op = *ops;
    return HALO_OK;
}

int main(int argc, char **argv)
{
    if (argc != 4) return fprintf(stderr, "usage: extend PIPELINE INPUT OUTPUT\n"), HALO_ERR_USAGE;
    HaloStatus status = HALO_OK;
    HaloTables tables;
    const HaloOp **ops = NULL;
    HaloSession *session = NULL;
    HaloPipeline *pipeline = NULL;
    const HaloJob job = {.input = argv[2], .output = argv[3], .force = HALO_FORCE_YES};
    HaloReport report = {0};
    HALO_TRY(add_op(&glow, &tables, &ops));
    HALO_TRY(halo_session_open_with(&tables, NULL, &session));
    HALO_TRY(halo_pipeline_parse(session, argv[1], &pipeline));
    HALO_TRY(halo_run_job(session, pipeline, &job, &report));
    printf("%s: %lld x %lld, on %s\n", argv[3], (long long)report.input.width, (long long)report.input.height,
           report.backend);
out:
    if (status != HALO_OK) fprintf(stderr, "extend: %s\n", halo_error());
    halo_report_clear(&report);
    halo_pipeline_free(pipeline);
    halo_session_close(session);
    free(ops);
    return status;
}

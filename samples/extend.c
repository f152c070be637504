/* An operation of one's own: glow, in which what is bright shines over what is around it. Together with all
 * that halo has, it runs pipelines such as "glow:12 | gauss:1" on a file.
 *
 *     cc extend.c -o extend $(pkg-config --cflags --libs halo) -lm && ./extend glow:12 in.png out.png */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <halo/extend.h>

/* ---- the operation: from its arguments to steps that compute it ----------------------------------------- */

enum { RADIUS, AMOUNT, LEVEL, PARAMS };

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

/* What is brighter than `level` shows by how much. */
static void shine(float level, float white, HaloMap *map)
{
    memset(map, 0, sizeof *map);
    map->kind = HALO_MAP_POINTS;
    map->points = 2;
    map->point[0].op = HALO_POINT_ADD;
    map->point[0].a = -level * white;
    map->point[1].op = HALO_POINT_CLAMP;
    map->point[1].b = white;
}

/* Convolves with the square of taps round a sample. */
static void spread(const float *tap, int64_t radius, HaloConv *conv)
{
    memset(conv, 0, sizeof *conv);
    conv->window.width = conv->window.height = 2 * radius + 1;
    conv->window.ox = conv->window.oy = -radius;
    conv->window.border = HALO_BORDER_REPLICATE;
    conv->tap = tap;
}

static HaloStatus build_glow(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloShape shape = *halo_build_shape(builder, in);
    const int64_t radius = arg[RADIUS].integer, side = 2 * radius + 1;
    HaloReg bright, light, sum;
    HaloMap above;
    HaloConv round;
    HaloCombine add, keep_alpha;
    float *tap = (float *)halo_build_keep(builder, (size_t)(side * side) * sizeof *tap);
    if (tap == NULL) HALO_FAIL(HALO_ERR_LIMIT, "glow: not enough memory");
    fill_cone(tap, radius);
    shine((float)arg[LEVEL].number, shape.white, &above);
    spread(tap, radius, &round);
    memset(&add, 0, sizeof add);
    add.kind = HALO_COMBINE_ADD;
    add.amount = (float)arg[AMOUNT].number;
    HALO_TRY(halo_build_map(builder, in, &above, &bright));
    HALO_TRY(halo_build_conv(builder, bright, &round, &light));
    HALO_TRY(halo_build_combine(builder, in, light, &add, &sum));
    memset(&keep_alpha, 0, sizeof keep_alpha);
    keep_alpha.kind = HALO_COMBINE_COPY_ALPHA;
    if (shape.alpha >= 0) HALO_TRY(halo_build_combine(builder, sum, in, &keep_alpha, &sum));
    *out = sum;
out:
    return status;
}

/* ---- its row: static, so that all members which are not set are 0 --------------------------------------- */

static HaloParam glow_param[PARAMS];
static HaloOp glow;

/* In C, and in C++ from C++20 on, this may be an initialiser: {.name = "glow", …, HALO_PARAMS(glow_param)}. */
static void describe_glow(void)
{
    HaloParam *radius = &glow_param[RADIUS], *amount = &glow_param[AMOUNT], *level = &glow_param[LEVEL];
    radius->key = "radius";
    radius->type = HALO_PARAM_INTEGER;
    radius->preset = "8";
    radius->min = 1;
    radius->max = 64;
    radius->unit = "pixels";
    radius->help = "how far the light goes";
    amount->key = "amount";
    amount->type = HALO_PARAM_NUMBER;
    amount->preset = "0.5";
    amount->max = 100;
    amount->help = "how strong it is";
    level->key = "level";
    level->type = HALO_PARAM_NUMBER;
    level->preset = "0.6";
    level->max = 1;
    level->help = "what is brighter shines, as a part of full scale";
    glow.name = "glow";
    glow.help = "bright places shine over what is around them";
    glow.known_as = "bloom";
    glow.example = "glow:12";
    glow.kinds = HALO_IMAGE;
    glow.param = glow_param;
    glow.params = PARAMS;
    glow.build = build_glow;
}

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
    HaloJob job;
    HaloReport report;
    memset(&job, 0, sizeof job);
    memset(&report, 0, sizeof report);
    job.input = argv[2];
    job.output = argv[3];
    job.force = HALO_FORCE_YES;
    describe_glow();
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

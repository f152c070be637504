/* expr: arithmetic on samples. */
#include "expression.h"
#include "halo/expr.h"
#include "ops.h"

#define SOURCES 8

enum { EXPR_TEXT, EXPR_SOURCES };

/* The words alone: which sources there will be, and of how many channels, is not known yet. */
static HaloStatus check_text(const char *where, const char *text)
{
    HaloExpr expr;
    ExpressionInput input = {.white = 1.0};
    for (int i = 0; i < SOURCES; i++) input.given[i] = true;
    return expression_of_samples(where, text, &input, &expr);
}

/* What the names stand for, and the sources that are given; those that the expression does not use, too. */
static HaloStatus find_sources(HaloBuilder *builder, const HaloValue *arg, HaloStep *step,
                               ExpressionInput *input)
{
    HaloStatus status = HALO_OK;
    const HaloReg in = step->src[0];
    for (int i = 0; i < SOURCES; i++) {
        if (!arg[EXPR_SOURCES + i].given) continue;
        HALO_TRY(
            halo_build_source(builder, &arg[EXPR_SOURCES + i], in, HALO_FIT_LIKE, &step->src[step->sources]));
        input->given[i] = true;
        input->source[i] = step->sources;
        input->other[i] = halo_build_shape(builder, step->src[step->sources])->channels;
        step->sources++;
    }
    const HaloShape *shape = halo_build_shape(builder, in);
    input->channels = shape->channels;
    input->alpha = shape->alpha;
    input->sound = shape->kind == HALO_AUDIO;
    input->width = (double)shape->width;
    input->height = (double)shape->height;
    input->white = (double)shape->white;
    input->rate = shape->rate;
    input->page = (double)halo_build_page(builder);
    input->numbers = shape->numbers;
out:
    return status;
}

static HaloStatus build_expr(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    HaloStep step = {.primitive = HALO_EXPR, .sources = 1, .src = {in}};
    ExpressionInput input = {0};
    HaloExpr *expr = halo_build_keep(builder, sizeof *expr);
    if (expr == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    HALO_TRY(find_sources(builder, arg, &step, &input));
    HALO_TRY(expression_of_samples("expr", arg[EXPR_TEXT].text, &input, expr));
    step.u.expr = expr;
    if (halo_build_endless(builder, in) && expression_uses(arg[EXPR_TEXT].text, "w"))
        halo_build_wants_length(builder);
    HALO_TRY(halo_build_step(builder, &step, out));
out:
    return status;
}

#define SOURCE(letter)                                                            \
    {                                                                             \
        .key = letter, .type = HALO_PARAM_SOURCE, .preset = "",                   \
        .help = "another picture or sound, " letter                               \
                " in the expression: a file, or [a pipeline]; of the same size, " \
                "or one pixel, with as many channels or one; its full scale "     \
                "becomes that of the input"                                       \
    }

static const HaloParam expr_param[] = {
    [EXPR_TEXT] =
        {.key = "expr",
         .type = HALO_PARAM_TEXT,
         .help = "of v, the sample; the sources a … h; channels v1, v2 … or r, g, b; x, y and z, the page, "
                 "from 0; t, seconds; c, the channel from 0; w and h, the size; white, the full scale, and "
                 "50%, half of it; pi (b, c and h are sources where those are given); by + - * / % ^, "
                 "comparisons, && || !, ?:, and select min max abs sign "
                 "floor ceil round trunc fract sqrt clamp mix exp log log2 log10 pow sin cos tan atan2 "
                 "isnan fma",
         .check = check_text},
    SOURCE("a"),
    SOURCE("b"),
    SOURCE("c"),
    SOURCE("d"),
    SOURCE("e"),
    SOURCE("f"),
    SOURCE("g"),
    SOURCE("h"),
};

static bool turns(const HaloValue *arg) { return expression_uses(arg[EXPR_TEXT].text, "xywh"); }

const HaloOp halo_op_expr = {.name = "expr",
                             .help = "arithmetic on samples, and those of up to eight other pictures or sounds",
                             .known_as =
                                 "math calc formula fx aeval geq numexpr lambda ndvi calculator evaluate",
                             .example = "expr:\"(v-a)/(v+a)\",a=[gauss:20]",
                             .upright_of = turns,
                             .kinds = HALO_IMAGE | HALO_AUDIO,
                             .scale = HALO_SCALE_ANY,
                             HALO_PARAMS(expr_param),
                             .build = build_expr};

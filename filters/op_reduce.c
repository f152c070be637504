/* reduce: a reduction of the user's own, over every channel and over all of them. */
#include <stdio.h>
#include <string.h>

#include "expression.h"
#include "halo/program.h"
#include "ops.h"

enum { REDUCE_EXPR, REDUCE_IDENTITY, REDUCE_MAP };

static HaloStatus check_expr(const char *where, const char *text)
{
    HaloProgram program;
    return expression_compile(where, text, "ab", &program);
}

static HaloStatus check_map(const char *where, const char *text)
{
    HaloProgram program;
    return expression_compile(where, text, "v", &program);
}

static HaloStatus check_identity(const char *where, const char *text)
{
    HaloProgram program;
    return expression_compile(where, text, "", &program);
}

static HaloStatus keep_program(HaloBuilder *builder, const char *where, const HaloValue *value,
                               const char *names, const HaloProgram **program, const char **text)
{
    HaloProgram *kept = halo_build_keep(builder, sizeof *kept);
    char *copy = halo_build_keep(builder, strlen(value->text) + 1);
    if (kept == NULL || copy == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    *program = kept;
    *text = strcpy(copy, value->text);
    return expression_compile(where, value->text, names, kept);
}

static HaloStatus build_reduce(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    HaloFold fold = {0};
    HaloProgram identity;
    *out = in;
    HALO_TRY(keep_program(builder, "reduce: expr", &arg[REDUCE_EXPR], "ab", &fold.join, &fold.join_text));
    HALO_TRY(keep_program(builder, "reduce: map", &arg[REDUCE_MAP], "v", &fold.map, &fold.map_text));
    HALO_TRY(expression_compile("reduce: identity", arg[REDUCE_IDENTITY].text, "", &identity));
    fold.identity = halo_program_run(&identity, 0.0, 0.0, 0.0);
    HALO_TRY(halo_build_fold(builder, in, &fold));
out:
    return status;
}

static const HaloParam reduce_param[] = {
    {.key = "expr",
     .type = HALO_PARAM_TEXT,
     .help = "combines a and b, commutative and associative, by + - * / min max abs sqrt fma, comparisons, && "
             "|| ! and ?:",
     .check = check_expr},
    {.key = "identity",
     .type = HALO_PARAM_TEXT,
     .preset = "0",
     .help = "identity element: 0 for a sum, 1 for a product, -inf for max",
     .check = check_identity},
    {.key = "map",
     .type = HALO_PARAM_TEXT,
     .preset = "v",
     .help = "is applied to every sample v first, such as v*v; samples that are NaN are left out",
     .check = check_map},
};

const HaloOp halo_op_reduce = {.name = "reduce",
                               .help = "your own reduction, such as the sum of squares",
                               .known_as = "fold aggregate",
                               .example = "reduce:expr=\"max(a,b)\",map=\"abs(v)\"",
                               .kinds = HALO_IMAGE | HALO_AUDIO,
                               .result = true,
                               HALO_PARAMS(reduce_param),
                               .build = build_reduce};

/* Expressions of samples of several values. */
#include "halo/expr.h"

#include "primitive.h"

static HaloStatus shape(const HaloStep *step, const HaloShape *const src[], HaloShape *dst)
{
    *dst = *src[0];
    dst->dtype = primitive_dtype(src, step->sources);
    for (int k = 1; k < step->sources; k++)
        if (!(is_same_size(src[k], dst) || halo_is_pixel(src[k])) ||
            (src[k]->channels != 1 && src[k]->channels != dst->channels))
            return halo_fail(HALO_ERR_BUG, "internal: values of an expression have different shapes");
    if (!step->u.expr->single) return HALO_OK;
    dst->channels = src[0]->alpha >= 0 ? 2 : 1;
    dst->alpha = src[0]->alpha >= 0 ? 1 : -1;
    return HALO_OK;
}

static Part reads(const HaloStep *step, int k, const HaloShape *src, Part part)
{
    (void)step;
    return k > 0 && halo_is_pixel(src) && !part_is_empty(part) ? part_of_all(src) : part;
}

static bool placed(const HaloStep *step, const HaloShape *const src[])
{
    (void)src;
    return step->u.expr->placed;
}

static double flops(const HaloStep *step, double samples) { return samples * step->u.expr->length; }

static double core_ns(const HaloStep *step, const HaloShape *src)
{
    double ns = 0.5;
    (void)src;
    for (int i = 0; i < step->u.expr->length; i++)
        ns += halo_expr_is_function(step->u.expr->at[i].code) ? 8.0 : 0.15;
    return ns;
}

static void describe(const HaloStep *step, bool sound, bool exact, char *text, size_t size)
{
    (void)sound, (void)exact;
    snprintf(text, size, "expression of %d steps", step->u.expr->length);
}

static bool offered(const HaloBackend *backend) { return backend->expr != NULL; }

static HaloStatus run(const HaloBackend *backend, HaloDevice *device, const HaloStep *step,
                      const HaloBuf *const src[], HaloBuf *dst)
{
    return backend->expr(device, src, step->sources, dst, step->u.expr, step->store);
}

const Primitive primitive_expr = {
    .name = "expr",
    .stores = true,
    .blind = true,
    .shape = shape,
    .reads = reads,
    .placed = placed,
    .flops = flops,
    .core_ns = core_ns,
    .describe = describe,
    .offered = offered,
    .run = run,
};

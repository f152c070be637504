/* What operations on colours have in common. */
#include "colours.h"

#include "halo/mix.h"

HaloStatus colours_three(const char *op, const HaloShape *shape)
{
    const int colours = shape->channels - (shape->alpha >= 0);
    if (colours == 3) return HALO_OK;
    return halo_fail(HALO_ERR_INPUT, "%s works on three colours, and its input has %d%s", op, colours,
                     colours == 1 ? ": channels:1,1,1 makes three of one" : "");
}

/* Terms of weight 0 are left out, so that no infinity becomes NaN. */
HaloStatus colours_mix(HaloBuilder *builder, const double weight[3][3], HaloReg in, HaloReg *out)
{
    const HaloShape *shape = halo_build_shape(builder, in);
    int *const begin = halo_build_keep(builder, sizeof *begin * (size_t)(shape->channels + 1));
    HaloMixTerm *const term = halo_build_keep(builder, sizeof *term * 10);
    int terms = 0;
    if (begin == NULL || term == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    for (int c = 0, row = 0; c < shape->channels; c++) {
        begin[c] = terms;
        if (c == shape->alpha) {
            term[terms++] = (HaloMixTerm){c, 1.0};
            continue;
        }
        for (int s = 0, k = 0; s < shape->channels; s++) {
            if (s == shape->alpha) continue;
            if (weight[row][k] != 0.0) term[terms++] = (HaloMixTerm){s, weight[row][k]};
            k++;
        }
        row++;
    }
    begin[shape->channels] = terms;
    const HaloStep step = {
        .primitive = HALO_MIX,
        .sources = 1,
        .src = {in},
        .u.mix = {.channels = shape->channels, .alpha = shape->alpha, .begin = begin, .term = term}};
    return halo_build_step(builder, &step, out);
}

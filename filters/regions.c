/* What operations on regions have in common. */
#include "regions.h"

#include "halo/mix.h"

HaloStatus regions_colours(HaloBuilder *builder, HaloReg in, HaloReg *out)
{
    const HaloShape shape = *halo_build_shape(builder, in);
    const int colours = shape.channels - 1;
    *out = in;
    if (shape.alpha < 0) return HALO_OK;
    int *begin = halo_build_keep(builder, ((size_t)colours + 1) * sizeof *begin);
    HaloMixTerm *term = halo_build_keep(builder, (size_t)colours * sizeof *term);
    if (begin == NULL || term == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    for (int c = 0; c < colours; c++) {
        begin[c] = c;
        term[c] = (HaloMixTerm){c + (c >= shape.alpha), 1.0};
    }
    begin[colours] = colours;
    const HaloStep step = {.primitive = HALO_MIX,
                           .sources = 1,
                           .src = {in},
                           .u.mix = {.channels = colours, .alpha = -1, .begin = begin, .term = term}};
    return halo_build_step(builder, &step, out);
}

HaloStatus regions_gray(HaloBuilder *builder, HaloReg in, HaloReg *out)
{
    const HaloShape *shape = halo_build_shape(builder, in);
    const HaloMap map = {.kind = HALO_MAP_GRAY, .w = {.2126f, .7152f, .0722f}}; /* as gray has it */
    *out = in;
    if (shape->channels - (shape->alpha >= 0) != 3) return HALO_OK;
    return halo_build_map(builder, in, &map, out);
}

HaloStatus regions_source(HaloBuilder *builder, const char *op, HaloReg in, bool alone, HaloReg *out)
{
    const HaloShape *shape = halo_build_shape(builder, in);
    const int colours = shape->channels - (shape->alpha >= 0);
    *out = in;
    if (colours != 1)
        return halo_fail(HALO_ERR_INPUT,
                         "%s works on one channel, and its input has %d: put gray before it, or channels:1 for "
                         "the first one",
                         op, colours);
    return alone ? regions_colours(builder, in, out) : HALO_OK;
}

HaloStatus regions_check_sizes(const char *op, const HaloValue *min, const HaloValue *max)
{
    if (!max->given || max->integer >= min->integer) return HALO_OK;
    return halo_fail(HALO_ERR_USAGE, "%s: max (%lld) is less than min (%lld)", op, (long long)max->integer,
                     (long long)min->integer);
}

int regions_connect(const HaloValue *value) { return value->integer == 0 ? 4 : 8; }

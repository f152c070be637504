/* The list of primitives. */
#include "primitive.h"

extern const Primitive primitive_conv, primitive_sep, primitive_map, primitive_combine, primitive_reduce,
    primitive_fold, primitive_hist, primitive_scan, primitive_rank, primitive_mean, primitive_equalize,
    primitive_gather, primitive_resample, primitive_bilateral, primitive_mix, primitive_fade,
    primitive_sections, primitive_spectrum, primitive_sequence, primitive_table, primitive_regions,
    primitive_find_regions, primitive_distance, primitive_objects, primitive_suppress, primitive_reconstruct,
    primitive_thin, primitive_watershed, primitive_expr, primitive_warp, primitive_color, primitive_match,
    primitive_dither, primitive_local, primitive_groups, primitive_chain, primitive_extremes;

static const Primitive *const primitives[HALO_PRIMITIVES] = {
    [HALO_CONV] = &primitive_conv,         [HALO_SEP] = &primitive_sep,
    [HALO_MAP] = &primitive_map,           [HALO_COMBINE] = &primitive_combine,
    [HALO_REDUCE] = &primitive_reduce,     [HALO_FOLD] = &primitive_fold,
    [HALO_HIST] = &primitive_hist,         [HALO_SCAN] = &primitive_scan,
    [HALO_RANK] = &primitive_rank,         [HALO_MEAN] = &primitive_mean,
    [HALO_EQUALIZE] = &primitive_equalize, [HALO_GATHER] = &primitive_gather,
    [HALO_RESAMPLE] = &primitive_resample, [HALO_BILATERAL] = &primitive_bilateral,
    [HALO_MIX] = &primitive_mix,           [HALO_FADE] = &primitive_fade,
    [HALO_SECTIONS] = &primitive_sections, [HALO_SPECTRUM] = &primitive_spectrum,
    [HALO_SEQUENCE] = &primitive_sequence, [HALO_TABLE] = &primitive_table,
    [HALO_REGIONS] = &primitive_regions,   [HALO_FIND_REGIONS] = &primitive_find_regions,
    [HALO_DISTANCE] = &primitive_distance, [HALO_OBJECTS] = &primitive_objects,
    [HALO_SUPPRESS] = &primitive_suppress, [HALO_RECONSTRUCT] = &primitive_reconstruct,
    [HALO_THIN] = &primitive_thin,         [HALO_WATERSHED] = &primitive_watershed,
    [HALO_EXPR] = &primitive_expr,         [HALO_WARP] = &primitive_warp,
    [HALO_COLOR] = &primitive_color,       [HALO_MATCH] = &primitive_match,
    [HALO_DITHER] = &primitive_dither,     [HALO_LOCAL] = &primitive_local,
    [HALO_GROUPS] = &primitive_groups,     [HALO_CHAIN] = &primitive_chain,
    [HALO_EXTREMES] = &primitive_extremes,
};

const Primitive *primitive_of(const HaloStep *step) { return primitives[step->primitive]; }

bool primitive_is_double(const HaloStep *step, const HaloShape *reg)
{
    const Primitive *primitive = primitive_of(step);
    const bool to_f64 = step->dst >= 0 && reg[step->dst].dtype == HALO_F64;
    bool from_f64 = false;
    for (int k = 0; k < step->sources; k++) from_f64 = from_f64 || reg[step->src[k]].dtype == HALO_F64;
    return from_f64 ? to_f64 || !primitive->narrows : to_f64 && primitive->stores;
}

/* equalize and clahe: every level as often as the others, in all of an image or in tiles of it. */
#include "ops.h"

/* Beyond this the tables take more memory than images do. */
#define TILES_MOST 64

enum { CHANNELS_ALL, CHANNELS_EACH };

static HaloStatus build_equalize(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    const HaloShape *shape = halo_build_shape(builder, in);
    const HaloEqualize equalize = {.tiles_x = 1,
                                   .tiles_y = 1,
                                   .tile_width = shape->width,
                                   .tile_height = shape->height,
                                   .from_least = true,
                                   .joint = arg[0].integer == CHANNELS_ALL};
    return halo_build_equalize(builder, in, &equalize, out);
}

enum { CLAHE_TILES, CLAHE_LIMIT, CLAHE_CHANNELS };

/* K. Zuiderveld, "Contrast limited adaptive histogram equalization", Graphics Gems IV, 1994, with the tiles
 * that OpenCV takes: where either side is no multiple of their number, both sides grow to the next one. */
static HaloStatus build_clahe(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    const HaloShape *shape = halo_build_shape(builder, in);
    const int64_t tiles = arg[CLAHE_TILES].integer, width = shape->width, height = shape->height;
    const bool grows = width % tiles != 0 || height % tiles != 0;
    const HaloEqualize equalize = {.tiles_x = tiles,
                                   .tiles_y = tiles,
                                   .tile_width = width / tiles + grows,
                                   .tile_height = height / tiles + grows,
                                   .limit = arg[CLAHE_LIMIT].number,
                                   .joint = arg[CLAHE_CHANNELS].integer == CHANNELS_ALL,
                                   .mixed = true};
    return halo_build_equalize(builder, in, &equalize, out);
}

#define CHANNELS_PARAM                                                                        \
    {                                                                                         \
        .key = "channels", .type = HALO_PARAM_CHOICE, .preset = "all", .choices = "all|each", \
        .help = "count the colours together, which keeps their balance, or each by itself"    \
    }

static const HaloParam equalize_param[] = {CHANNELS_PARAM};

static const HaloParam clahe_param[] = {
    {.key = "tiles",
     .type = HALO_PARAM_INTEGER,
     .preset = "8",
     .min = 1,
     .max = TILES_MOST,
     .help = "number of tiles per side"},
    {.key = "limit",
     .type = HALO_PARAM_NUMBER,
     .preset = "2",
     .min = 0,
     .max = 65536,
     .help = "clip limit of the histogram bins, as a multiple of their mean; 0: none"},
    CHANNELS_PARAM,
};

const HaloOp halo_op_equalize = {.name = "equalize",
                                 .help = "spread the levels evenly (histogram equalization)",
                                 .synonyms = "equalise histeq",
                                 .example = "equalize",
                                 .scale = HALO_SCALE_NEEDS,
                                 .kinds = HALO_IMAGE,
                                 HALO_PARAMS(equalize_param),
                                 .build = build_equalize};

const HaloOp halo_op_clahe = {.name = "clahe",
                              .help = "equalize in tiles, with limited contrast",
                              .known_as = "adapthist contrast",
                              .example = "clahe:tiles=8,limit=2",
                              .scale = HALO_SCALE_NEEDS,
                              .upright = true,
                              .kinds = HALO_IMAGE,
                              HALO_PARAMS(clahe_param),
                              .build = build_clahe};

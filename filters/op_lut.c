/* lut: samples and colours through tables of files; match; quantize. */
#include <string.h>

#include "colours.h"
#include "filter.h"
#include "halo/color.h"
#include "halo/picture.h"
#include "halo/words.h"
#include "lut.h"
#include "ops.h"

enum { LUT_FILE, LUT_WHITE };

/* The entries in units of the samples: by columns; of a cube, four a colour. */
static void fill_values(const Lut *lut, double unit, float *value)
{
    const int64_t size = lut->size, entries = lut->cube ? size * size * size : size;
    for (int64_t i = 0; i < entries; i++)
        for (int c = 0; c < lut->columns; c++)
            value[lut->cube ? 4 * i + c : c * size + i] = (float)(lut->value[i * lut->columns + c] * unit);
    for (int64_t i = 0; lut->cube && i < entries; i++) value[4 * i + 3] = 0.0f;
}

static HaloStatus fill_color(HaloBuilder *builder, const Lut *lut, double white, double unit, HaloColor *color)
{
    HaloStatus status = HALO_OK;
    const int64_t size = lut->size, entries = lut->cube ? 4 * size * size * size : size * lut->columns;
    float *value = halo_build_keep(builder, (size_t)entries * sizeof *value);
    if (value == NULL)
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for a table of %lld values", (long long)entries);
    fill_values(lut, unit, value);
    for (int64_t i = 0; i < entries; i++)
        if (!(value[i] - value[i] == 0.0f))
            HALO_FAIL(HALO_ERR_INPUT, "lut: an entry is beyond 32-bit floats in units of the samples");
    *color = (HaloColor){.kind = lut->cube ? HALO_COLOR_CUBE : HALO_COLOR_CURVES,
                         .size = lut->size,
                         .columns = lut->columns,
                         .value = value};
    for (int c = 0; c < 3; c++) {
        const double step = (double)(lut->size - 1) / (lut->max[c] - lut->min[c]);
        HALO_TRY(filter_f32("lut: entries a unit", step / white, &color->scale[c]));
        HALO_TRY(filter_f32("lut: begin of the domain", -lut->min[c] * step, &color->offset[c]));
    }
out:
    return status;
}

/* By the name: text has one of these extensions, and everything else is a picture. */
static HaloStatus read_table(HaloBuilder *builder, const HaloValue *file, Lut *lut)
{
    HaloStatus status = HALO_OK;
    char extension[HALO_WORD_SIZE];
    HaloOperand *held = NULL;
    const HaloBuf *picture;
    if (halo_find_word("cube|txt|csv|tsv|dat", '|', halo_lower_extension(file->text, extension)) >= 0)
        return lut_read(file->text, file->bytes, file->size, lut);
    HALO_TRY(halo_build_picture(builder, file, &held, &picture));
    HALO_TRY(lut_from_picture(file->text, picture, lut));
out:
    halo_picture_release(held);
    return status;
}

static HaloStatus build_lut(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = halo_build_shape(builder, in);
    const double white = (double)shape->white;
    HaloStep step = {.primitive = HALO_COLOR, .sources = 1, .src = {in}};
    Lut lut = {0};
    if (!lut_parse(arg[LUT_FILE].text, &lut)) HALO_TRY(read_table(builder, &arg[LUT_FILE], &lut));
    if (lut.cube || lut.columns == 3) HALO_TRY(colours_three("lut", shape));
    HALO_TRY(fill_color(builder, &lut, white, white / arg[LUT_WHITE].number, &step.u.color));
    HALO_TRY(halo_build_step(builder, &step, out));
out:
    lut_free(&lut);
    return status;
}

/* ---- match ----------------------------------------------------------------------------------------------- */

static HaloStatus build_match(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    HaloReg reference;
    HALO_TRY(halo_build_source(builder, &arg[0], in, HALO_FIT_ANY, &reference));
    const HaloShape *src = halo_build_shape(builder, in), *ref = halo_build_shape(builder, reference);
    const int colours = src->channels - (src->alpha >= 0), others = ref->channels - (ref->alpha >= 0);
    if (colours != others)
        HALO_FAIL(HALO_ERR_INPUT,
                  "match: the input has %d colours, its reference %d: make both gray, or choose "
                  "channels",
                  colours, others);
    const HaloStep step = {.primitive = HALO_MATCH, .sources = 2, .src = {in, reference}};
    HALO_TRY(halo_build_step(builder, &step, out));
out:
    return status;
}

/* ---- quantize -------------------------------------------------------------------------------------------- */

static HaloStatus build_quantize(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    const double white = (double)halo_build_shape(builder, in)->white, most = (double)(arg[0].integer - 1);
    const HaloMap map = {.kind = HALO_MAP_POINTS,
                         .points = 3,
                         .point = {{.op = HALO_POINT_MUL, .a = most / white},
                                   {.op = HALO_POINT_QUANTISE, .a = most},
                                   {.op = HALO_POINT_MUL, .a = white / most}}};
    return halo_build_map(builder, in, &map, out);
}

static HaloStatus check_entries(const char *where, const char *text)
{
    Lut lut;
    const bool entries = lut_parse(text, &lut);
    lut_free(&lut);
    return entries ? HALO_OK
                   : halo_fail(HALO_ERR_USAGE, "%s: expected a file, or two finite numbers and more", where);
}

static const HaloParam lut_param[] = {
    [LUT_FILE] =
        {.key = "file",
         .type = HALO_PARAM_FILE,
         .list = LUT_INLINE,
         .check = check_entries,
         .help = "a .cube of one or three dimensions, numbers in one or three columns (.txt, .csv), or a Hald "
                 "image; or two numbers and more: entries of samples from 0 to full scale, evenly spaced"},
    [LUT_WHITE] = {.key = "white",
                   .type = HALO_PARAM_NUMBER,
                   .preset = "1",
                   .min = 1e-6,
                   .max = 1e9,
                   .help = "what full scale is in the file: 255 where it has entries of 8 bits"},
};

static const HaloParam match_param[] = {
    {.key = "reference",
     .type = HALO_PARAM_SOURCE,
     .unplaced = true,
     .help = "a picture whose histogram each colour gets: a file, or [a pipeline]"},
};

static const HaloParam quantize_param[] = {
    {.key = "levels",
     .type = HALO_PARAM_INTEGER,
     .min = 2,
     .max = 65536,
     .help = "how many are left of each channel, evenly spaced from 0 to full scale"},
};

const HaloOp halo_op_lut = {.name = "lut",
                            .help = "colours or samples through a table of a file",
                            .known_as =
                                "lut3d lut1d clut cube color grading haldclut applylut maplut curves table",
                            .example = "lut:0,0.7,1",
                            .kinds = HALO_IMAGE,
                            .scale = HALO_SCALE_NEEDS,
                            HALO_PARAMS(lut_param),
                            .build = build_lut};

const HaloOp halo_op_match = {.name = "match",
                              .help = "give a picture the histogram of another",
                              .known_as = "match_histograms histogram matching color transfer",
                              .example = "match:[gamma:2]",
                              .kinds = HALO_IMAGE,
                              .scale = HALO_SCALE_NEEDS,
                              HALO_PARAMS(match_param),
                              .build = build_match};

const HaloOp halo_op_quantize = {.name = "quantize",
                                 .help = "round to few levels",
                                 .synonyms = "quantise posterize",
                                 .known_as = "posterise elbg levels reduce colors",
                                 .example = "quantize:16",
                                 .kinds = HALO_IMAGE,
                                 .scale = HALO_SCALE_NEEDS,
                                 HALO_PARAMS(quantize_param),
                                 .build = build_quantize};

/* What a file says of its samples has to be true of the output's. Every operation runs on a sound and a picture
 * that carry every kind of statement about places, levels and channels. Where things are is found in the
 * samples themselves: a single bump, whose place in the output is measured, is what markers point at. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bytes/endian.h"
#include "codec.h"
#include "meta/meta.h"
#include "shared_session.h"

/* ---- where the bump is ---------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Distances from the median of one channel, or, where samples add up, from the sample before; `most` is the
 * largest. */
static float *distances(const HaloBuf *data, int channel, bool sums, float *most)
{
    const int channels = data->shape.channels;
    const int64_t count = data->cols * data->rows;
    float *value = malloc((size_t)count * sizeof *value), *sorted = malloc((size_t)count * sizeof *sorted);
    assert_non_null(value);
    assert_non_null(sorted);
    for (int64_t i = 0; i < count; i++) {
        const void *at = halo_at(data, i % data->cols, i / data->cols);
        value[i] = data->shape.dtype == HALO_U8    ? ((const uint8_t *)at)[channel]
                   : data->shape.dtype == HALO_U16 ? ((const uint16_t *)at)[channel]
                                                   : ((const float *)at)[channel];
    }
    assert_true(channel < channels);
    memcpy(sorted, value, (size_t)count * sizeof *value);
    qsort(sorted, (size_t)count, sizeof *sorted, by_value);
    const float median = sorted[count / 2];
    *most = 0.0f;
    for (int64_t i = count - 1; i >= 0; i--) {
        value[i] = fabsf(value[i] - (sums ? value[i > 0 ? i - 1 : 0] : median));
        if (value[i] > *most) *most = value[i];
    }
    free(sorted);
    return value;
}

typedef struct Bump {
    bool found;
    float height;
    double x, y;       /* its centre: of what is within a tenth of the highest */
    double wide, tall; /* its extent along each axis, over what is within two thirds */
} Bump;

static Bump bump_of(const HaloBuf *data, int channel, bool sums)
{
    Bump bump = {0};
    double n = 0, from[2] = {1e9, 1e9}, to[2] = {-1, -1};
    float *value = distances(data, channel, sums, &bump.height);
    for (int64_t i = 0; i < data->cols * data->rows; i++) {
        const double place[2] = {(double)(i % data->cols), (double)(i / data->cols)};
        for (int axis = 0; axis < 2 && value[i] > 0.3f * bump.height; axis++) {
            from[axis] = fmin(from[axis], place[axis]);
            to[axis] = fmax(to[axis], place[axis]);
        }
        if (!(value[i] >= 0.9f * bump.height)) continue;
        bump.x += place[0];
        bump.y += place[1];
        n++;
    }
    bump.found = bump.height > 0 && n > 0;
    bump.x /= n;
    bump.y /= n;
    bump.wide = to[0] - from[0];
    bump.tall = to[1] - from[1];
    free(value);
    return bump;
}

/* ---- sound ---------------------------------------------------------------------------------------------- */

#define RATE 16000.0
#define FRAMES 4000
#define AT 1500
#define TIME_OF_DAY 480000
#define CHANNELS 6

static void le(uint8_t *to, uint64_t value) { halo_put_le(to, value, 4); }

/* A marker, a region and a loop at the bump, another marker at the end, the time of day, a loudness. */
static HaloMeta sound_meta(void)
{
    HaloMeta meta = {0};
    uint8_t cue[4 + 2 * 24] = {0}, smpl[36 + 24] = {0}, bext[602] = {0}, adtl[4 + 8 + 20] = "adtlltxt",
                        cart[2048] = {0};
    le(cue, 2);
    for (int i = 0; i < 2; i++) {
        uint8_t *point = cue + 4 + 24 * i;
        le(point, (uint64_t)i + 1);
        memcpy(point + 8, "data", 4);
        le(point + 4, i == 0 ? AT : FRAMES - 1);
        le(point + 20, i == 0 ? AT : FRAMES - 1);
    }
    le(smpl + 8, 62500);
    le(smpl + 28, 1);
    le(smpl + 36 + 8, AT);
    le(smpl + 36 + 12, AT + 40);
    le(adtl + 8, 20);
    le(adtl + 12, 1);
    le(adtl + 16, 41);
    halo_put_le(bext + 338, TIME_OF_DAY, 8);
    halo_put_le(bext + 346, 2, 2);
    halo_put_le(bext + 412, (uint16_t)-2300, 2);
    memcpy(cart + 684, "SEG1", 4);
    le(cart + 688, AT);
    assert_int_equal(halo_chunk_add(&meta, "bext", false, bext, sizeof bext), HALO_OK);
    assert_int_equal(halo_chunk_add(&meta, "cart", false, cart, sizeof cart), HALO_OK);
    assert_int_equal(halo_chunk_add(&meta, "cue ", false, cue, sizeof cue), HALO_OK);
    assert_int_equal(halo_chunk_add(&meta, "smpl", false, smpl, sizeof smpl), HALO_OK);
    assert_int_equal(halo_chunk_add(&meta, "LIST", false, adtl, sizeof adtl), HALO_OK);
    assert_int_equal(halo_chunk_add(&meta, "iXML", false, "<BWFXML/>", 9), HALO_OK);
    return meta;
}

static HaloMeta sound_texts(void)
{
    HaloMeta meta = {0};
    char chapter[32], frame[32];
    snprintf(chapter, sizeof chapter, "00:00:00.%03d", (int)(AT * 1000 / RATE + 0.5));
    snprintf(frame, sizeof frame, "%d", AT);
    const char *const texts[][2] = {{"CHAPTER001", chapter},  {"CHAPTER001NAME", "the bump"},
                                    {"LOOPSTART", frame},     {"LOOPLENGTH", "40"},
                                    {"Title", "a bump"},      {"REPLAYGAIN_TRACK_GAIN", "-3.00 dB"},
                                    {"R128_TRACK_GAIN", "12"}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_int_equal(halo_text_add(&meta, texts[i][0], texts[i][1], strlen(texts[i][1]), HALO_UTF_8),
                         HALO_OK);
    return meta;
}

/* Channel c has a bump of height (c + 1) / 8. */
static HaloBuf sound_data(void)
{
    const HaloShape shape = {.kind = HALO_AUDIO,
                             .dtype = HALO_F32,
                             .width = FRAMES,
                             .height = 1,
                             .channels = CHANNELS,
                             .alpha = -1,
                             .white = 1.0f,
                             .rate = RATE};
    HaloBuf data;
    assert_int_equal(halo_buf_alloc(&data, &shape), HALO_OK);
    for (int64_t i = 0; i < FRAMES; i++)
        for (int c = 0; c < CHANNELS; c++)
            ((float *)data.data)[i * CHANNELS + c] =
                (float)((c + 1) / 8.0 * exp(-0.5 * (double)((i - AT) * (i - AT)) / 64.0));
    return data;
}

static void write_as(const char *path, const HaloFormat *format, const HaloInfo *info, const HaloBuf *data)
{
    Bytes file;
    if (encode(format, info, data, 0, &file) != HALO_OK) fail_msg("%s: %s", path, halo_error());
    bytes_to_file(path, file.at, file.size);
    free(file.at);
}

static const HaloBlob *chunk_of(const HaloMeta *meta, const char *id)
{
    for (size_t i = 0; i < meta->chunks; i++)
        if (memcmp(meta->chunk[i].id, id, 4) == 0) return &meta->chunk[i].bytes;
    return NULL;
}

static void expect_near(const char *pipeline, const char *what, double said, double is, double within)
{
    if (!(fabs(said - is) <= within))
        fail_msg("'%s': %s at %g, and the samples say %g", pipeline, what, said, is);
}

/* A difference of neighbours is largest on the slope of the bump. */
static double slack(const char *pipeline) { return strncmp(pipeline, "preemphasis", 11) == 0 ? 10 : 4; }

static void check_chunks(const char *pipeline, const HaloInfo *info, const Bump *bump, bool same)
{
    const HaloBlob *cue = chunk_of(&info->meta, "cue "), *smpl = chunk_of(&info->meta, "smpl"),
                   *bext = chunk_of(&info->meta, "bext"), *adtl = chunk_of(&info->meta, "LIST"),
                   *cart = chunk_of(&info->meta, "cart");
    const double by = info->shape.rate / RATE;
    const bool backwards = strstr(pipeline, "reverse") != NULL, pieces = strstr(pipeline, "silence") != NULL;
    assert_non_null(bext);
    assert_non_null(smpl);
    assert_non_null(cart);
    const bool loud = halo_get_le(bext->data + 412, 2) == (uint16_t)-2300;
    if (*pipeline == 0 ? !loud : loud && !same) fail_msg("'%s': the loudness of bext", pipeline);
    if (!backwards)
        expect_near(pipeline, "time of day", (double)halo_get_le(bext->data + 338, 8),
                    (TIME_OF_DAY + AT) * by - bump->x, slack(pipeline));
    if (halo_get_le(smpl->data + 8, 4) != (uint64_t)rint(1e9 / info->shape.rate))
        fail_msg("'%s': the period of smpl", pipeline);
    if (cue == NULL) fail_msg("'%s': its marker is gone", pipeline);
    const double first = (double)halo_get_le(cue->data + 24, 4);
    if (backwards) { /* the region begins with its end */
        expect_near(pipeline, "marker", first + 40 * by, bump->x, slack(pipeline));
    } else {
        expect_near(pipeline, "marker", first, bump->x, slack(pipeline));
        expect_near(pipeline, "timer", (double)halo_get_le(cart->data + 688, 4), bump->x, slack(pipeline));
    }
    if (adtl == NULL) fail_msg("'%s': its region is gone", pipeline);
    if (pieces) return; /* region and loop reach into silence */
    expect_near(pipeline, "length of the region", (double)halo_get_le(adtl->data + 16, 4), 41 * by, 2);
    if (halo_get_le(smpl->data + 28, 4) != 1) fail_msg("'%s': its loop is gone", pipeline);
    expect_near(pipeline, "loop", (double)halo_get_le(smpl->data + (backwards ? 48 : 44), 4), bump->x,
                slack(pipeline));
}

static void check_texts(const char *pipeline, const HaloInfo *info, const Bump *bump, bool same)
{
    const char *chapter = halo_text_find(&info->meta, "CHAPTER001"),
               *loop = halo_text_find(&info->meta, "LOOPSTART");
    const bool pieces = strstr(pipeline, "silence") != NULL, backwards = strstr(pipeline, "reverse") != NULL;
    int hours, minutes, seconds, ms;
    const bool gain = halo_text_find(&info->meta, "REPLAYGAIN_TRACK_GAIN") != NULL,
               r128 = halo_text_find(&info->meta, "R128_TRACK_GAIN") != NULL;
    if (*pipeline == 0 ? !gain || !r128 : (gain || r128) && !same) fail_msg("'%s': its gains", pipeline);
    if (chapter == NULL || halo_text_find(&info->meta, "CHAPTER001NAME") == NULL)
        fail_msg("'%s': its chapter is gone", pipeline);
    assert_int_equal(sscanf(chapter, "%d:%d:%d.%d", &hours, &minutes, &seconds, &ms), 4);
    expect_near(pipeline, "chapter", ((hours * 60 + minutes) * 60 + seconds + ms / 1000.0) * info->shape.rate,
                bump->x, slack(pipeline) + 0.001 * info->shape.rate);
    assert_non_null(halo_text_find(&info->meta, "Title"));
    if (pieces) return;
    assert_non_null(loop);
    const double by = info->shape.rate / RATE;
    expect_near(pipeline, "loop", atof(loop) + (backwards ? 39 * by : 0), bump->x, slack(pipeline));
}

/* The masks of the channels say where their sound comes from: a bump's height tells which channel it was. */
static void check_speakers(const char *pipeline, const HaloInfo *info, const HaloBuf *data)
{
    uint32_t mask = info->speakers;
    if (strncmp(pipeline, "channels", 8) != 0) { /* heights are other ones */
        if (data->shape.channels == CHANNELS && mask != 0x3f) fail_msg("'%s': its speakers", pipeline);
        return;
    }
    if (mask == 0 && data->shape.channels <= 2) return; /* nothing is said */
    for (int c = 0; c < data->shape.channels && mask != 0; c++, mask &= mask - 1) {
        const double source = 8.0 * (double)bump_of(data, c, false).height - 1.0;
        const uint32_t bit = mask & (0u - mask);
        if (fabs(source - rint(source)) < 0.05 && bit != (uint32_t)1 << (int)rint(source))
            fail_msg("'%s': channel %d was %g, and its speaker is %x", pipeline, c, source, bit);
    }
}

static bool same_samples(const HaloBuf *a, const HaloBuf *b)
{
    int64_t bytes;
    if (a->shape.kind != b->shape.kind || a->shape.width != b->shape.width ||
        a->shape.height != b->shape.height || a->shape.channels != b->shape.channels ||
        a->shape.dtype != b->shape.dtype || a->shape.rate != b->shape.rate)
        return false;
    assert_int_equal(halo_shape_bytes(&a->shape, &bytes), HALO_OK);
    return memcmp(a->data, b->data, (size_t)bytes) == 0;
}

/* False: the operation refuses such an input, or leaves no bump. */
static bool run(const char *pipeline, const char *in, const char *out, HaloInfo *info, HaloBuf *data)
{
    HaloPipeline *parsed;
    HaloReport report;
    const HaloJob job = {.input = in, .output = out, .force = HALO_FORCE_YES};
    if (halo_pipeline_parse(test_session, pipeline, &parsed) != HALO_OK)
        fail_msg("'%s': %s", pipeline, halo_error());
    const HaloStatus status = halo_run(test_session, parsed, &job, &report);
    halo_pipeline_free(parsed);
    if (status != HALO_OK) return false;
    halo_report_free(&report);
    if (halo_load(test_session, out, info, data) != HALO_OK) fail_msg("'%s': %s", pipeline, halo_error());
    return true;
}

typedef struct Files {
    char wav[600], flac[600], out_wav[600], out_flac[600], png[600], out_png[600], tiff[600], out_tiff[600];
    HaloBuf sound, picture;
} Files;

static bool adds_up(const char *pipeline)
{
    return strncmp(pipeline, "scan", 4) == 0 || strncmp(pipeline, "integral", 8) == 0;
}

static int checked;

static void check_sound(const char *pipeline, const Files *files)
{
    HaloInfo info;
    HaloBuf data;
    for (int i = 0; i < 2; i++) {
        if (!run(pipeline, i == 0 ? files->wav : files->flac, i == 0 ? files->out_wav : files->out_flac, &info,
                 &data))
            return;
        const Bump bump = bump_of(&data, 0, adds_up(pipeline));
        const bool same = same_samples(&files->sound, &data) || *pipeline == 0;
        if (bump.found && bump.height > 1e-4f) {
            (i == 0 ? check_chunks : check_texts)(pipeline, &info, &bump, same);
            if (i == 0) check_speakers(pipeline, &info, &data);
            checked++;
        }
        halo_buf_free(&data);
        halo_meta_free(&info.meta);
    }
}

/* ---- pictures ------------------------------------------------------------------------------------------- */

#define WIDE 96
#define HIGH 64

static const char xmp_text[] =
    "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>"
    "<rdf:Description xmlns:tiff='http://ns.adobe.com/tiff/1.0/' tiff:ImageWidth='96' tiff:ImageLength='64'/>"
    "</rdf:RDF></x:xmpmeta>";

/* A directory with both resolutions and the size. */
static uint8_t exif_bytes[] = "II*\0\10\0\0\0\4\0"
                              "\0\1\3\0\1\0\0\0\x60\0\0\0"
                              "\1\1\3\0\1\0\0\0\x40\0\0\0"
                              "\x1a\1\5\0\1\0\0\0\x3e\0\0\0"
                              "\x1b\1\5\0\1\0\0\0\x46\0\0\0"
                              "\0\0\0\0"
                              "\x2c\1\0\0\1\0\0\0"
                              "\x96\0\0\0\1\0\0";

/* A bump that is wider than high. */
static HaloBuf picture_data(void)
{
    const HaloShape shape = shape_of(HALO_U8, WIDE, HIGH, 3, false);
    HaloBuf data;
    assert_int_equal(halo_buf_alloc(&data, &shape), HALO_OK);
    for (int64_t i = 0; i < WIDE * HIGH; i++) {
        const double x = (double)(i % WIDE) - 40, y = (double)(i / WIDE) - 28;
        memset((uint8_t *)data.data + 3 * i, (int)(40 + 180 * exp(-0.5 * (x * x / 64 + y * y / 9))), 3);
    }
    return data;
}

static bool holds(const HaloBlob *blob, const char *text)
{
    const size_t size = strlen(text);
    for (size_t i = 0; i + size <= blob->size; i++)
        if (memcmp(blob->data + i, text, size) == 0) return true;
    return false;
}

static void check_picture(const char *pipeline, const Files *files)
{
    HaloInfo info;
    HaloBuf data;
    char wide[32], high[32];
    if (!run(pipeline, files->png, files->out_png, &info, &data)) return;
    const HaloShape *shape = &data.shape;
    const Bump bump = bump_of(&data, 0, adds_up(pipeline));
    const bool turned = bump.tall > bump.wide;
    const HaloMeta *meta = &info.meta;
    snprintf(wide, sizeof wide, "ImageWidth='%lld'", (long long)shape->width);
    snprintf(high, sizeof high, "ImageLength='%lld'", (long long)shape->height);
    assert_true(meta->exif.size > 62);
    if (halo_get_le(meta->exif.data + 18, 2) != (uint64_t)shape->width ||
        halo_get_le(meta->exif.data + 30, 2) != (uint64_t)shape->height)
        fail_msg("'%s': EXIF's size", pipeline);
    if (!holds(&meta->xmp, wide) || !holds(&meta->xmp, high)) fail_msg("'%s': XMP's size", pipeline);
    if (bump.found && !adds_up(pipeline) && strncmp(pipeline, "motion", 6) != 0) {
        const size_t x = (size_t)halo_get_le(meta->exif.data + 42, 4);
        expect_near(pipeline, "dots along x", meta->resolution[0], turned ? 5906 : 11811, 1);
        expect_near(pipeline, "dots along y", meta->resolution[1], turned ? 11811 : 5906, 1);
        expect_near(pipeline, "EXIF's dots along x", (double)halo_get_le(meta->exif.data + x, 4),
                    turned ? 150 : 300, 0);
        checked++;
    }
    const bool linear = strncmp(pipeline, "linear", 6) == 0;
    if (linear != (meta->gamma == 1.0) || linear == (meta->srgb > 0)) fail_msg("'%s': its gamma", pipeline);
    halo_buf_free(&data);
    halo_meta_free(&info.meta);
}

/* ---- pictures of TIFF ----------------------------------------------------------------------------------- */

#define MAP_X 500000.0
#define MAP_Y 4600000.0
#define METRES 10.0

static void put_double(uint8_t *to, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    halo_put_le(to, bits, 8);
}

static double get_double(const HaloBlob *blob, size_t i)
{
    const uint64_t bits = halo_get_le(blob->data + 8 * i, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static HaloMeta tiff_meta(void)
{
    HaloMeta meta = {0};
    uint8_t scale[24] = {0}, tie[48] = {0};
    const char shape[] = "{\"shape\": [64, 96, 3]}";
    put_double(scale, METRES);
    put_double(scale + 8, METRES);
    put_double(tie + 24, MAP_X);
    put_double(tie + 32, MAP_Y);
    assert_int_equal(halo_blob_set(&meta.geo[HALO_GEO_SCALE], scale, sizeof scale), HALO_OK);
    assert_int_equal(halo_blob_set(&meta.geo[HALO_GEO_TIEPOINTS], tie, sizeof tie), HALO_OK);
    assert_int_equal(halo_blob_set(&meta.geo[HALO_GEO_NODATA], "40", 3), HALO_OK);
    assert_int_equal(halo_text_add(&meta, "Description", shape, sizeof shape - 1, HALO_UTF_8), HALO_OK);
    return meta;
}

/* Slopes of one direction, whose negatives are cut off, lie beside the bump; another picture may cover it. */
static bool hides_bump(const char *pipeline)
{
    return strncmp(pipeline, "prewitt:axis", 12) == 0 || strncmp(pipeline, "emboss", 6) == 0 ||
           strncmp(pipeline, "over", 4) == 0;
}

/* Where a place of the picture, counted from the corner of its first pixel, lies on the map. */
static void on_map(const HaloMeta *meta, double x, double y, double map[2])
{
    const HaloBlob *scale = &meta->geo[HALO_GEO_SCALE], *tie = &meta->geo[HALO_GEO_TIEPOINTS],
                   *all = &meta->geo[HALO_GEO_TRANSFORM];
    if (all->size > 0) {
        for (size_t i = 0; i < 2; i++)
            map[i] = get_double(all, 4 * i) * x + get_double(all, 4 * i + 1) * y + get_double(all, 4 * i + 3);
        return;
    }
    assert_true(scale->size == 24 && tie->size == 48);
    map[0] = get_double(tie, 3) + (x - get_double(tie, 0)) * get_double(scale, 0);
    map[1] = get_double(tie, 4) - (y - get_double(tie, 1)) * get_double(scale, 1);
}

static void check_tiff(const char *pipeline, const Files *files)
{
    HaloInfo info;
    HaloBuf data;
    double map[2];
    if (!run(pipeline, files->tiff, files->out_tiff, &info, &data)) return;
    const Bump bump = bump_of(&data, 0, adds_up(pipeline));
    const HaloShape *shape = &data.shape;
    const bool like = shape->width == WIDE && shape->height == HIGH && shape->channels == 3;
    if (halo_text_find(&info.meta, "Description") != NULL && !like) fail_msg("'%s': its shape", pipeline);
    if (bump.found && !adds_up(pipeline) && !hides_bump(pipeline)) {
        on_map(&info.meta, bump.x + 0.5, bump.y + 0.5, map);
        expect_near(pipeline, "the map's x", (map[0] - MAP_X) / METRES, 40.5, 3);
        expect_near(pipeline, "the map's y", (MAP_Y - map[1]) / METRES, 28.5, 3);
        checked++;
    }
    /* "No data" is the ground, 40: that is so as long as samples are those of the input. */
    if (info.meta.geo[HALO_GEO_NODATA].size > 0) {
        bool kept = shape->dtype == HALO_U8;
        const uint8_t *sample = data.data;
        for (int64_t k = 0; kept && k < shape->width * shape->height * shape->channels; k++)
            kept = (sample[k] >= 40 && sample[k] <= 220) || sample[k] == 0; /* 0: of a border */
        if (!kept) fail_msg("'%s': no data", pipeline);
    }
    halo_buf_free(&data);
    halo_meta_free(&info.meta);
}

/* ---- all operations ------------------------------------------------------------------------------------- */

static Files make_files(void)
{
    Files files = {.sound = sound_data(), .picture = picture_data()};
    HaloInfo wav = {.bits = 32, .real = true, .speakers = 0x3f, .meta = sound_meta()};
    HaloInfo flac = {.bits = 24, .meta = sound_texts()};
    HaloInfo png = {.bits = 8, .meta = {.resolution = {11811, 5906}, .gamma = 0.45455, .srgb = 1}};
    snprintf(files.wav, sizeof files.wav, "%s", test_path("in.wav"));
    snprintf(files.flac, sizeof files.flac, "%s", test_path("in.flac"));
    snprintf(files.png, sizeof files.png, "%s", test_path("in.png"));
    snprintf(files.out_wav, sizeof files.out_wav, "%s", test_path("out.wav"));
    snprintf(files.out_flac, sizeof files.out_flac, "%s", test_path("out.flac"));
    snprintf(files.out_png, sizeof files.out_png, "%s", test_path("out.png"));
    assert_int_equal(halo_blob_set(&png.meta.exif, exif_bytes, sizeof exif_bytes), HALO_OK);
    assert_int_equal(halo_blob_set(&png.meta.xmp, xmp_text, sizeof xmp_text - 1), HALO_OK);
    write_as(files.wav, &halo_format_wav, &wav, &files.sound);
    write_as(files.flac, &halo_format_flac, &flac, &files.sound);
    write_as(files.png, &halo_format_png, &png, &files.picture);
    halo_meta_free(&wav.meta);
    halo_meta_free(&flac.meta);
    halo_meta_free(&png.meta);
#ifdef HALO_HAVE_TIFF
    HaloInfo tiff = {.bits = 8, .meta = tiff_meta()};
    snprintf(files.tiff, sizeof files.tiff, "%s", test_path("in.tif"));
    snprintf(files.out_tiff, sizeof files.out_tiff, "%s", test_path("out.tif"));
    write_as(files.tiff, &halo_format_tiff, &tiff, &files.picture);
    halo_meta_free(&tiff.meta);
#endif
    return files;
}

static void check_all(const char *pipeline, const Files *files)
{
    check_sound(pipeline, files);
    check_picture(pipeline, files);
#ifdef HALO_HAVE_TIFF
    check_tiff(pipeline, files);
#endif
}

static void every_operation(void **unused)
{
    (void)unused;
    static const char *const more[] = {"",
                                       "rate:8k",
                                       "rate:44100",
                                       "trim:50ms",
                                       "trim:20ms,200ms",
                                       "trim:20ms,-20ms | rate:8k | reverse",
                                       "reverse | trim:10ms",
                                       "pad:left=200,right=10",
                                       "silence:-50dB,min=1ms,all=1",
                                       "channels:1,2",
                                       "channels:5,6",
                                       "channels:6,5,4,3,2,1",
                                       "channels:1,3,4,6",
                                       "channels:2,1,3,4",
                                       "gauss:2 | transpose | crop:40x60+5+8",
                                       "resize:50% | rotate:90",
                                       "flip:x | rotate:270 | pad:3"};
    Files files = make_files();
    const HaloTables *tables = halo_tables();
    char text[256];
    for (int i = 0; i < tables->ops; i++) {
        const HaloOp *op = tables->op[i];
        if (op->result || strstr(op->example, ".txt") != NULL) continue;
        for (int valid = 0; valid <= (int)op->filter; valid++) {
            snprintf(text, sizeof text, "%s%s", op->example,
                     valid == 0                         ? ""
                     : strchr(op->example, ':') != NULL ? ",border=valid"
                                                        : ":border=valid");
            check_all(text, &files);
        }
    }
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) check_all(more[i], &files);
    if (checked < 200) fail_msg("only %d outputs had a bump to be found", checked);
    halo_buf_free(&files.sound);
    halo_buf_free(&files.picture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_operation)};
    return cmocka_run_group_tests(tests, test_session_open, test_session_close);
}

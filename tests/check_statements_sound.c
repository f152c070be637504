/* What a sound file says of its samples is true of the output's too: markers, regions, loops, times, loudness
 * and loudspeakers, after every operation (statements.h). */
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
#include "statements.h"

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

static const HaloBlob *chunk_of(const HaloMeta *meta, const char *id)
{
    for (size_t i = 0; i < meta->chunks; i++)
        if (memcmp(meta->chunk[i].id, id, 4) == 0) return &meta->chunk[i].bytes;
    return NULL;
}

/* A difference of neighbours is largest on the slope of the bump, and a mean of what came before behind it.
 * Pieces that keep their pitch are moved by up to 12 ms. */
static double slack(const char *pipeline)
{
    static const char *const late[] = {"preemphasis", "ewma", "diff"};
    if (strncmp(pipeline, "tempo", 5) == 0 || strncmp(pipeline, "pitch", 5) == 0) return 0.012 * RATE + 4;
    for (size_t i = 0; i < sizeof late / sizeof *late; i++)
        if (strncmp(pipeline, late[i], strlen(late[i])) == 0) return 10;
    return 4;
}

/* How much longer sound gets at the same rate. */
static double stretch(const char *pipeline)
{
    return strcmp(pipeline, "speed:1.25") == 0 || strcmp(pipeline, "tempo:1.25") == 0 ? 0.8 : 1.0;
}

static void check_chunks(const char *pipeline, const HaloInfo *info, const Bump *bump, bool same)
{
    const HaloBlob *cue = chunk_of(&info->meta, "cue "), *smpl = chunk_of(&info->meta, "smpl"),
                   *bext = chunk_of(&info->meta, "bext"), *adtl = chunk_of(&info->meta, "LIST"),
                   *cart = chunk_of(&info->meta, "cart");
    const double rate = info->shape.rate / RATE, by = rate * stretch(pipeline);
    const bool backwards = strstr(pipeline, "reverse") != NULL, pieces = strstr(pipeline, "silence") != NULL;
    assert_non_null(bext);
    assert_non_null(smpl);
    assert_non_null(cart);
    const bool loud = halo_get_le(bext->data + 412, 2) == (uint16_t)-2300;
    if (*pipeline == 0 ? !loud : loud && !same) fail_msg("'%s': the loudness of bext", pipeline);
    if (!backwards)
        statements_near(pipeline, "time of day", (double)halo_get_le(bext->data + 338, 8),
                        TIME_OF_DAY * rate + AT * by - bump->x, slack(pipeline));
    if (halo_get_le(smpl->data + 8, 4) != (uint64_t)rint(1e9 / info->shape.rate))
        fail_msg("'%s': the period of smpl", pipeline);
    if (cue == NULL) fail_msg("'%s': its marker is gone", pipeline);
    const double first = (double)halo_get_le(cue->data + 24, 4);
    if (backwards) { /* the region begins with its end */
        statements_near(pipeline, "marker", first + 40 * by, bump->x, slack(pipeline));
    } else {
        statements_near(pipeline, "marker", first, bump->x, slack(pipeline));
        statements_near(pipeline, "timer", (double)halo_get_le(cart->data + 688, 4), bump->x, slack(pipeline));
    }
    if (adtl == NULL) fail_msg("'%s': its region is gone", pipeline);
    if (pieces) return; /* region and loop reach into silence */
    statements_near(pipeline, "length of the region", (double)halo_get_le(adtl->data + 16, 4), 41 * by, 2);
    if (halo_get_le(smpl->data + 28, 4) != 1) fail_msg("'%s': its loop is gone", pipeline);
    statements_near(pipeline, "loop", (double)halo_get_le(smpl->data + (backwards ? 48 : 44), 4), bump->x,
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
    statements_near(pipeline, "chapter",
                    ((hours * 60 + minutes) * 60 + seconds + ms / 1000.0) * info->shape.rate, bump->x,
                    slack(pipeline) + 0.001 * info->shape.rate);
    assert_non_null(halo_text_find(&info->meta, "Title"));
    if (pieces) return;
    assert_non_null(loop);
    const double by = info->shape.rate / RATE * stretch(pipeline);
    statements_near(pipeline, "loop", atof(loop) + (backwards ? 39 * by : 0), bump->x, slack(pipeline));
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
        const double source = 8.0 * (double)statements_bump(data, c, false).height - 1.0;
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

static char wav[600], flac[600], out_wav[600], out_flac[600];
static HaloBuf sound;
static int checked;

/* Do frames of the result stand for something else than times? */
static bool has_axis(const char *pipeline)
{
    return strncmp(pipeline, "psd", 3) == 0 || strncmp(pipeline, "xcorr", 5) == 0;
}

static void check_sound(const char *pipeline)
{
    HaloInfo info;
    HaloBuf data;
    if (strcmp(pipeline, "pad:8,border=mirror") == 0)
        pipeline = "pad:8f,border=mirror";                                             /* pixels, not seconds */
    if (strncmp(pipeline, "mel", 3) == 0 || strncmp(pipeline, "mfcc", 4) == 0) return; /* no whole rate */
    for (int i = 0; i < 2; i++) {
        if (!statements_run(pipeline, i == 0 ? wav : flac, i == 0 ? out_wav : out_flac, &info, &data)) return;
        const Bump bump = statements_bump(&data, 0, statements_add_up(pipeline));
        const bool same = same_samples(&sound, &data) || *pipeline == 0;
        if (has_axis(pipeline)) {
            if (chunk_of(&info.meta, "cue ") != NULL) fail_msg("'%s': a marker has no time there", pipeline);
        } else if (bump.found && bump.height > 1e-4f) {
            (i == 0 ? check_chunks : check_texts)(pipeline, &info, &bump, same);
            if (i == 0) check_speakers(pipeline, &info, &data);
            checked++;
        }
        halo_buf_free(&data);
        halo_meta_free(&info.meta);
    }
}

static void make_files(void)
{
    HaloInfo of_wav = {.bits = 32, .real = true, .speakers = 0x3f, .meta = sound_meta()};
    HaloInfo of_flac = {.bits = 24, .meta = sound_texts()};
    sound = sound_data();
    snprintf(wav, sizeof wav, "%s", test_path("in.wav"));
    snprintf(flac, sizeof flac, "%s", test_path("in.flac"));
    snprintf(out_wav, sizeof out_wav, "%s", test_path("out.wav"));
    snprintf(out_flac, sizeof out_flac, "%s", test_path("out.flac"));
    statements_write(wav, &halo_format_wav, &of_wav, &sound);
    statements_write(flac, &halo_format_flac, &of_flac, &sound);
    halo_meta_free(&of_wav.meta);
    halo_meta_free(&of_flac.meta);
}

static void every_operation(void **state)
{
    (void)state;
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
    make_files();
    statements_for_every_operation(check_sound);
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) check_sound(more[i]);
    if (checked < 100) fail_msg("only %d outputs had a bump to be found", checked);
    halo_buf_free(&sound);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_operation)};
    return cmocka_run_group_tests(tests, test_session_open, test_session_close);
}

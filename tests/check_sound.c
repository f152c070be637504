/* Sound that is processed in blocks: samples and results are those of the whole at once, for any block, from
 * files and from pipes of unknown length; WAVE's header and chunks are right. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "codec.h"
#include "pipelines.h"

static const char *const pipeline_text[] = {
    "",
    "average:5",
    "gauss:3,border=reflect",
    "gauss:2 | average:4,border=zero | gauss:1,border=constant=0.5",
    "conv:mask=\"1x7: 1,2,3,4,5,6,7\",anchor=0+0,border=mirror",
    "conv:mask=\"1x6: 1,2,3,4,5,6\",anchor=5+0,border=reflect",
    "average:9,border=valid",
    "average:9,border=valid | gauss:1 | average:4,border=valid",
    "stats",
    "hist",
    "stats | hist",
    "gauss:2 | stats",
    "stats | average:9,border=valid | stats | hist:bins=7 | average:30,border=valid | stats",
    "unsharp:2",
    "gauss:1,border=keep",
    "median:window=5",
    "gauss:2,nan=ignore",
    "gauss:2,nan=error | stats",
    "average:5,border=wrap",
    "normalize",
    "savgol:window=7,order=2,edge=interp",
    "reduce:expr=\"max(a,b)\",map=\"abs(v)\" | gauss:1 | stats",
    "conv:mask=\"1x3: 1,2,1\",stride=3 | stats | gauss:1",
    "average:300,border=mirror | stats",
    "trim:7f,200f",
    "trim:40f | average:9 | stats",
    "average:9,border=mirror | trim:11f,length=90f | gauss:2 | stats",
    "stats | trim:5f,40f",
    "trim:-90f,-7f | gauss:1",
    "pad:20f,31f",
    "pad:3f,150f | average:9,border=reflect | trim:2f,120f | pad:9f,3f | stats",
    "gauss:2 | pad:400f,5f,border=replicate",
    "reverse | average:5",
    "conv:mask=\"1x3: 1,2,1\",stride=4 | trim:3f | pad:1f,1f",
    "rate:12k",
    "average:9 | rate:6k | gauss:1 | stats",
    "rate:22.05k | trim:30f | average:9,border=reflect | rate:8k",
    "stats | rate:4k | pad:5f,3f",
    "silence:0.97,min=2f",
    "stats | silence:0.9,min=5f",
    "hist:bins=9 | average:5 | silence:0.8,min=3f | stats",
    "average:40 | silence:0.35,min=1f | reverse | gauss:1 | stats",
    "stats | normalize | silence:0.9,min=5f | fade:0f,9f | silence:0.8,min=3f",
    "trim:9f | silence:0.9,min=1f | pad:3f,7f | average:5",
    "add:[gain:0.5],at=250f",
    "average:9 | subtract:[gauss:2 | trim:40f],at=5f | pad:3f,1f | stats",
    "multiply:[trim:3f,60f | reverse],at=-30f",
    "blend:[pad:20f,9f],at=7f,amount=0.3 | average:5,border=reflect",
    "fir:file=\"7x1: 1,-2,3,0.5,0.25,4,-1\",phase=causal",
    "gauss:2 | fir:file=\"9x1: 1,-2,3,0.5,0.25,4,-1,0.5,2\",phase=causal,tail=1 | stats",
    "trim:4f | fir:file=\"3x1: 1,-2,3\",tail=1 | fir:file=\"6x1: 1,-2,3,4,5,6\",phase=causal | pad:2f,3f",
    "silence:0.5,min=2f,all=1 | average:7 | stats",
    "gauss:1 | silence:0.3,min=1f,all=1 | silence:0.6,min=3f,all=1 | trim:1f | pad:2f,1f",
    "blend:[silence:1e-9,min=1f | invert]",
    "lowpass:900,design=butterworth,phase=causal | trim:5000f",
    "gauss:2 | notch:50,phase=causal | trim:3000f,length=40f | stats",
    "trim:300f | lowpass:900,design=butterworth,phase=causal | trim:2000f | average:9,border=mirror | "
    "highpass:80,design=butterworth,phase=causal | trim:1500f,4000f | rate:6k",
    "notch:50,phase=causal | rate:12k | peak:1kHz,gain=3dB,phase=causal | trim:4000f | pad:90f,3f",
    "blend:[lowpass:900,design=butterworth,phase=causal | trim:3000f | pad:50f,0f]",
    "subtract:[notch:50,phase=causal | trim:2000f | stats] | lowpass:900,design=butterworth,phase=causal | "
    "trim:100f",
    "lowpass:900,design=butterworth,phase=causal | trim:2000f | subtract:[notch:50,phase=causal | trim:3000f]",
    "lowpass:900,design=butterworth,phase=causal | trim:2000f | reverse",
    "notch:50,phase=causal | reverse | gauss:2",
    "gauss:2 | lowpass:900,design=butterworth | reverse | stats",
    "stats | lowpass:900,design=butterworth,phase=causal | trim:20000f | normalize",
    "lowpass:900,design=butterworth,phase=causal | silence:0.4,min=1f,all=1",
    "lowpass:900,design=butterworth,phase=causal | average:300,border=mirror | trim:4000f,length=100f",
};
enum { PIPELINES = sizeof pipeline_text / sizeof *pipeline_text };

typedef struct Case {
    const char *text;
    HaloBuf in;
    Outcome expected;
} Case;

/* ---- ways in -------------------------------------------------------------------------------------------- */

/* The bytes come through a pipe, from a child; the name of its end. */
static pid_t into_pipe(const void *bytes, size_t size, char name[32], int *end)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        for (size_t at = 0; at < size;) {
            const ssize_t n = write(ends[1], (const char *)bytes + at, size - at);
            if (n < 0) _exit(1);
            at += (size_t)n;
        }
        _exit(0);
    }
    close(ends[1]);
    snprintf(name, 32, "/dev/fd/%d", ends[0]);
    *end = ends[0];
    return child;
}

static HaloStatus run(HaloSession *session, const char *text, const HaloJob *job, HaloReport *report)
{
    HaloPipeline *pipeline = NULL;
    HaloStatus status = halo_pipeline_parse(session, text, &pipeline);
    if (status == HALO_OK) status = halo_run_job(session, pipeline, job, report);
    halo_pipeline_free(pipeline);
    return status;
}

static HaloSession *open_session(int jobs, int64_t band)
{
    const HaloOptions options = {.device = HALO_DEVICE_CPU, .jobs = jobs, .band_rows = band};
    HaloSession *session = NULL;
    if (halo_session_open_with(halo_tables(), &options, &session) != HALO_OK)
        fail_case(NULL, "no session: %s", halo_error());
    return session;
}

/* ---- the same samples ----------------------------------------------------------------------------------- */

static void expect_as_whole(const Case *c, HaloStatus status, const HaloReport *report, const char *target)
{
    const Outcome *whole = &c->expected;
    /* Of two mistakes the one that needs the length is found first only where that is known. */
    const bool two = status == HALO_ERR_USAGE && whole->status == HALO_ERR_INPUT;
    if (status != whole->status && !two)
        fail_case(NULL, "%s: status %d (%s), but %d (%s) at once", c->text, status,
                  status != HALO_OK ? halo_error() : "", whole->status, whole->message);
    if ((access(target, F_OK) == 0) != (status == HALO_OK)) fail_case(NULL, "%s: the file", c->text);
    if (status != HALO_OK) return;
    char *results = results_text(&report->results);
    if (strcmp(results, whole->results) != 0)
        fail_case(NULL, "%s: %lld frames: expected\n%s\nfound\n%s", c->text, (long long)c->in.cols,
                  whole->results, results);
    free(results);
    Bytes got = bytes_of_file(target);
    if (got.size != (size_t)halo_row_bytes(&whole->out) || memcmp(got.at, whole->out.data, got.size) != 0)
        fail_case(NULL, "%s: %lld frames: other samples", c->text, (long long)c->in.cols);
    free(got.at);
    unlink(target);
}

/* Blocks of a few frames for short sounds only: thousands of blocks take long and test nothing more. */
static int64_t draw_block(Rng *rng, int64_t frames)
{
    static const int64_t block[] = {0, 1000, 4096, 8192, 100, 1, 3, 7};
    return block[rng_between(rng, 0, frames > 6000 ? 3 : 7)];
}

static void run_in_blocks(const Case *c, Rng *rng, bool piped, const char *source, const char *target)
{
    const size_t size = (size_t)halo_row_bytes(&c->in);
    HaloSession *session = open_session((int)rng_between(rng, 1, 3), draw_block(rng, c->in.shape.width));
    HaloReport report = {0};
    HaloShape raw = c->in.shape;
    char name[32];
    int end = -1, outcome;
    pid_t child = 0;
    raw.width = -1;
    if (piped) child = into_pipe(c->in.data, size, name, &end);
    const HaloJob job = {.input = piped ? name : source, .output = target, .to = &halo_format_raw, .raw = &raw};
    const HaloStatus status = run(session, c->text, &job, &report);
    if (piped) {
        close(end);
        waitpid(child, &outcome, 0);
    }
    expect_as_whole(c, status, &report, target);
    if (status == HALO_OK) halo_report_clear(&report);
    halo_session_close(session);
}

static void blocks_make_no_difference(Rng *rng)
{
    Case c = {.text = pipeline_text[rng_between(rng, 0, PIPELINES - 1)]};
    const int64_t round = 4096 * rng_between(rng, 1, 6);
    const HaloShape shape = {.kind = HALO_AUDIO,
                             .dtype = HALO_F32,
                             .width = rng_once_in(rng, 3)   ? rng_between(rng, 1, 60)
                                      : rng_once_in(rng, 2) ? rng_between(rng, round - 20, round + 20)
                                                            : rng_between(rng, 1, 30000),
                             .height = 1,
                             .channels = (int)rng_between(rng, 1, 3),
                             .alpha = -1,
                             .white = 1.0f,
                             .rate = 8000};
    c.in = random_input(&shape, rng_once_in(rng, 4), rng);
    HaloSession *session = open_session(1, 0);
    c.expected = pipeline_run(session, c.text, &c.in, &halo_format_raw);
    halo_session_close(session);
    char source[64], target[64];
    snprintf(source, sizeof source, "%s", test_path("sound.raw"));
    snprintf(target, sizeof target, "%s", test_path("out.raw"));
    bytes_to_file(source, c.in.data, (size_t)halo_row_bytes(&c.in));
    for (int i = 0; i < 3; i++) run_in_blocks(&c, rng, i == 1, source, target);
    outcome_free(&c.expected);
    halo_buf_free(&c.in);
}

/* ---- WAVE ----------------------------------------------------------------------------------------------- */

static void put(Bytes *file, const void *bytes, size_t size)
{
    file->at = realloc(file->at, file->size + size);
    assert_non_null(file->at);
    memcpy(file->at + file->size, bytes, size);
    file->size += size;
}

static void put_u32(Bytes *file, uint32_t v)
{
    const uint8_t b[4] = {(uint8_t)v, (uint8_t)(v >> 8), (uint8_t)(v >> 16), (uint8_t)(v >> 24)};
    put(file, b, 4);
}

static uint32_t u32_at(const Bytes *file, size_t at)
{
    const uint8_t *b = file->at + at;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static void put_chunk(Bytes *file, const char *id, const char *text, size_t size)
{
    put(file, id, 4);
    put_u32(file, (uint32_t)size);
    put(file, text, size);
    if (size % 2 == 1) put(file, "", 1);
}

/* 16-bit stereo, `frames` of it, with chunks before and behind the samples; lengths as said. */
static Bytes make_wave(int frames, bool known)
{
    static const uint8_t format[16] = {1, 0, 2, 0, 0x40, 0x1f, 0, 0, 0, 0x7d, 0, 0, 4, 0, 16, 0};
    Bytes file = {NULL, 0};
    put(&file, "RIFF????WAVE", 12);
    put_chunk(&file, "bext", "a broadcast of 21 by", 21);
    put_chunk(&file, "JUNK", "filling", 7);
    put_chunk(&file, "fmt ", (const char *)format, sizeof format);
    put_chunk(&file, "LIST", "INFOINAM\5\0\0\0lake\0\0IART\3\0\0\0me\0", 4 + 8 + 6 + 8 + 3);
    put(&file, "data", 4);
    put_u32(&file, known ? (uint32_t)frames * 4 : 0xffffffffu);
    for (int i = 0; i < frames * 2; i++) put(&file, (const uint8_t[]){(uint8_t)(i * 7), (uint8_t)(i >> 3)}, 2);
    if (known) put_chunk(&file, "cue ", "\1\0\0\0\1\0\0\0\0\0\0\0data\0\0\0\0\0\0\0\0\5\0\0\0", 28);
    const uint32_t riff = known ? (uint32_t)file.size - 8 : 0xffffffffu;
    for (int b = 0; b < 4; b++) file.at[4 + b] = (uint8_t)(riff >> 8 * b);
    return file;
}

/* Where a chunk's body starts, or 0. */
static size_t find_chunk(const Bytes *file, const char *id)
{
    for (size_t at = 12; at + 8 <= file->size;) {
        const size_t size = u32_at(file, at + 4);
        if (memcmp(file->at + at, id, 4) == 0) return at + 8;
        if (memcmp(file->at + at, "data", 4) == 0 && size == 0xffffffffu) return 0;
        at += 8 + size + size % 2;
    }
    return 0;
}

static Bytes run_wave(const Bytes *in, bool piped, const HaloWriteOptions *write)
{
    char source[64], target[64], name[32];
    int end = -1, outcome;
    pid_t child = 0;
    HaloReport report = {0};
    snprintf(source, sizeof source, "%s", test_path("in.wav"));
    snprintf(target, sizeof target, "%s", test_path("out.wav"));
    bytes_to_file(source, in->at, in->size);
    if (piped) child = into_pipe(in->at, in->size, name, &end);
    HaloSession *session = open_session(2, 1000);
    const HaloJob job = {.input = piped ? name : source, .output = target, .write = *write};
    if (run(session, "", &job, &report) != HALO_OK) fail_msg("%s", halo_error());
    if (piped) {
        close(end);
        waitpid(child, &outcome, 0);
    }
    Bytes out = bytes_of_file(target);
    halo_report_clear(&report);
    halo_session_close(session);
    unlink(target);
    return out;
}

static void expect_samples(const Bytes *in, const Bytes *out, int frames)
{
    const size_t from = find_chunk(in, "data") != 0 ? find_chunk(in, "data") : in->size - (size_t)frames * 4;
    const size_t to = find_chunk(out, "data");
    assert_true(to > 0);
    assert_int_equal(u32_at(out, to - 4), frames * 4);
    assert_int_equal(u32_at(out, 4), out->size - 8);
    assert_memory_equal(in->at + from, out->at + to, (size_t)frames * 4);
}

static void chunks_of_wave_are_kept(void **state)
{
    (void)state;
    Bytes in = make_wave(5001, true);
    for (int piped = 0; piped < 2; piped++) {
        Bytes out = run_wave(&in, piped, &(HaloWriteOptions){0});
        expect_samples(&in, &out, 5001);
        assert_memory_equal(out.at + find_chunk(&out, "bext"), "a broadcast of 21 by", 21);
        assert_memory_equal(out.at + find_chunk(&out, "LIST"), "INFOINAM\5\0\0\0lake", 16);
        assert_true(find_chunk(&out, "cue ") >
                    find_chunk(&out, "data")); /* also from a pipe: the file can wait */
        assert_int_equal(find_chunk(&out, "JUNK"), 0);
        free(out.at);
        out = run_wave(&in, piped, &(HaloWriteOptions){.strip = true});
        expect_samples(&in, &out, 5001);
        assert_int_equal(out.size, 44 + 5001 * 4);
        free(out.at);
    }
    free(in.at);
}

static void unknown_lengths_are_corrected(void **state)
{
    (void)state;
    for (int frames = 999; frames < 3002; frames += 1001) {
        Bytes in = make_wave(frames, false);
        Bytes out = run_wave(&in, true, &(HaloWriteOptions){0});
        expect_samples(&in, &out, frames);
        assert_true(find_chunk(&out, "JUNK") == 20); /* space for the sizes of RF64 */
        Bytes again = run_wave(&out, false, &(HaloWriteOptions){0});
        expect_samples(&out, &again, frames);
        free(in.at), free(out.at), free(again.at);
    }
}

/* More than 4 GiB by the header alone: what a writer of known length says before the samples come. */
static void long_sound_becomes_rf64(void **state)
{
    (void)state;
    const char *path = test_path("long.wav");
    HaloSink *sink;
    assert_int_equal(halo_sink_open(path, &(HaloSinkOptions){0}, &sink), HALO_OK);
    HaloWriter writer = {.format = &halo_format_wav, .sink = sink, .info = {.bits = 16}};
    writer.info.shape = (HaloShape){.kind = HALO_AUDIO,
                                    .dtype = HALO_F32,
                                    .width = (int64_t)3 << 30,
                                    .height = 1,
                                    .channels = 1,
                                    .alpha = -1,
                                    .white = 1.0f,
                                    .rate = 48000};
    assert_int_equal(halo_format_wav.create(&writer), HALO_OK);
    halo_format_wav.discard(&writer);
    assert_int_equal(halo_sink_commit(sink), HALO_OK);
    Bytes head = bytes_of_file(path);
    assert_memory_equal(head.at, "RF64\xff\xff\xff\xffWAVEds64\x1c\0\0\0", 20);
    assert_int_equal(u32_at(&head, 28) + ((uint64_t)u32_at(&head, 32) << 32), (uint64_t)6 << 30);
    assert_int_equal(u32_at(&head, 36) + ((uint64_t)u32_at(&head, 40) << 32), (uint64_t)3 << 30);
    assert_int_equal(u32_at(&head, 20) + ((uint64_t)u32_at(&head, 24) << 32),
                     ((uint64_t)6 << 30) + head.size - 8);
    free(head.at);
    unlink(path);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(blocks_make_no_difference, 400),
        cmocka_unit_test(chunks_of_wave_are_kept),
        cmocka_unit_test(unknown_lengths_are_corrected),
        cmocka_unit_test(long_sound_becomes_rf64),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, test_folder_remove);
}

/* Removing silence, and causal filters with their tails, against plain loops. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "pipelines.h"

enum { LONGEST = 90 };

/* ---- silence -------------------------------------------------------------------------------------------- */

static bool is_silent(const HaloBuf *in, int64_t frame, float level)
{
    const float *at = halo_at(in, frame, 0);
    for (int c = 0; c < in->shape.channels; c++)
        if (!(at[c] > -level && at[c] < level)) return false;
    return true;
}

static HaloShape draw_short_sound(Rng *rng)
{
    return (HaloShape){.kind = HALO_AUDIO,
                       .dtype = HALO_F32,
                       .width = rng_between(rng, 1, LONGEST),
                       .height = 1,
                       .channels = (int)rng_between(rng, 1, 3),
                       .alpha = -1,
                       .white = 1.0f,
                       .rate = 8000};
}

/* Mostly zeros, or just below the level, and here and there a sample that reaches it, or a NaN. */
static HaloBuf draw_silence(Rng *rng, float level)
{
    const HaloShape shape = draw_short_sound(rng);
    HaloBuf in = random_input(&shape, false, rng);
    const int64_t samples = shape.width * shape.channels, few = rng_between(rng, 1, 60);
    for (int64_t i = 0; i < samples; i++) {
        float *v = (float *)in.data + i;
        *v = rng_once_in(rng, 2) ? nextafterf(level, 0.0f) : 0.0f;
        if (rng_once_in(rng, few)) *v = level;
        if (rng_once_in(rng, 2)) *v = -*v;
        if (rng_once_in(rng, 9 * few)) *v = NAN;
    }
    return in;
}

/* The frames that are kept, in order. */
static int64_t frames_left(const HaloBuf *in, float level, int64_t least, bool all, int64_t kept[])
{
    int64_t count = 0;
    for (int64_t i = 0; i < in->cols; i++) {
        int64_t from = i, to = i; /* the silence around this frame */
        while (from > 0 && is_silent(in, from - 1, level)) from--;
        while (to < in->cols && is_silent(in, to, level)) to++;
        const bool goes = is_silent(in, i, level) && to - from >= least && (all || from == 0 || to == in->cols);
        if (!goes) kept[count++] = i;
    }
    return count;
}

static void silence_is_removed(Rng *rng)
{
    char text[80];
    int64_t kept[LONGEST];
    const float level = 0.25f;
    const int64_t least = rng_between(rng, 1, 9);
    const bool all = rng_once_in(rng, 2);
    HaloBuf in = draw_silence(rng, level);
    const int64_t left = frames_left(&in, level, least, all, kept);
    snprintf(text, sizeof text, "silence:0.25,min=%df,all=%d", (int)least, all);
    Outcome outcome = expect_everywhere_alike(text, &in, NULL);
    if ((outcome.status == HALO_OK) != (left > 0))
        fail_case(NULL, "%s: %d frames are left, and it says %s", text, (int)left, outcome.message);
    if (left > 0 && outcome.out.cols != left)
        fail_case(NULL, "%s: %d frames, not %d", text, (int)outcome.out.cols, (int)left);
    for (int64_t i = 0; i < left; i++)
        if (memcmp(halo_at(&outcome.out, i, 0), halo_at(&in, kept[i], 0), 4 * (size_t)in.shape.channels) != 0)
            fail_case(NULL, "%s: frame %d is not %d", text, (int)i, (int)kept[i]);
    outcome_free(&outcome);
    halo_buf_free(&in);
}

/* The output length depends on the samples, so planning from a shape alone fails. */
static void silence_needs_samples(void **state)
{
    (void)state;
    HaloSession *session = runner[0].session;
    HaloPipeline *pipeline;
    HaloPlan *plan;
    const HaloShape shape = {HALO_AUDIO, HALO_F32, 100, 1, 1, -1, 1, 8000, false};
    assert_int_equal(halo_pipeline_parse(session, "silence", &pipeline), HALO_OK);
    assert_int_equal(halo_plan_make(session, pipeline, &shape, NULL, &plan), HALO_ERR_USAGE);
    assert_null(plan);
    halo_pipeline_free(pipeline);
}

/* ---- impulse responses ---------------------------------------------------------------------------------- */

enum { RESPONSE = 40 };

/* h(k) x(n - k) added up from the oldest sample on, with silence around the sound. */
static float responded(const HaloBuf *in, int64_t n, int channel, const float *h, int64_t taps)
{
    float sum = 0.0f;
    for (int64_t k = taps - 1; k >= 0; k--) {
        const bool there = n - k >= 0 && n - k < in->cols;
        sum = fmaf(h[k], there ? ((const float *)halo_at(in, n - k, 0))[channel] : 0.0f, sum);
    }
    return sum;
}

static void causal_filters_start_with_the_sound(Rng *rng)
{
    char text[RESPONSE * 20 + 60];
    float h[RESPONSE];
    const HaloShape shape = draw_short_sound(rng);
    const int64_t taps = rng_between(rng, 1, RESPONSE);
    const bool tail = rng_once_in(rng, 2);
    HaloBuf in = random_input(&shape, false, rng);
    int used = snprintf(text, sizeof text, "fir:file=\"%dx1:", (int)taps);
    for (int64_t k = 0; k < taps; k++) {
        h[k] = rng_float(rng, -1, 1);
        used += snprintf(text + used, sizeof text - (size_t)used, "%s %.9g", k > 0 ? "," : "", (double)h[k]);
    }
    snprintf(text + used, sizeof text - (size_t)used, "\",phase=causal%s", tail ? ",tail=1" : "");
    Outcome outcome = run_ok(text, &in);
    const HaloBuf *out = &outcome.out;
    assert_int_equal(out->cols, in.cols + (tail ? taps - 1 : 0));
    for (int64_t n = 0; n < out->cols; n++)
        for (int c = 0; c < shape.channels; c++) {
            const float got = ((const float *)halo_at(out, n, 0))[c], want = responded(&in, n, c, h, taps);
            if (got != want) fail_case(NULL, "%s: %g at %d, not %g", text, (double)got, (int)n, (double)want);
        }
    outcome_free(&outcome);
    halo_buf_free(&in);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(silence_is_removed, 300),
        cmocka_unit_test(silence_needs_samples),
        random_test(causal_filters_start_with_the_sound, 200),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, runners_open, runners_close);
}

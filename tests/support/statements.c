/* Files with a bump, what is run on them, and where the bump is afterwards. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shared_session.h"
#include "statements.h"

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

Bump statements_bump(const HaloBuf *data, int channel, bool sums)
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

void statements_write(const char *path, const HaloFormat *format, const HaloInfo *info, const HaloBuf *data)
{
    Bytes file;
    if (encode(format, info, data, 0, &file) != HALO_OK) fail_msg("%s: %s", path, halo_error());
    bytes_to_file(path, file.at, file.size);
    free(file.at);
}

void statements_near(const char *pipeline, const char *what, double said, double is, double within)
{
    if (!(fabs(said - is) <= within))
        fail_msg("'%s': %s at %g, and the samples say %g", pipeline, what, said, is);
}

bool statements_run(const char *pipeline, const char *in, const char *out, HaloInfo *info, HaloBuf *data)
{
    HaloPipeline *parsed;
    HaloReport report;
    const HaloJob job = {.input = in, .output = out, .force = HALO_FORCE_YES};
    if (halo_pipeline_parse(test_session, pipeline, &parsed) != HALO_OK)
        fail_msg("'%s': %s", pipeline, halo_error());
    const HaloStatus status = halo_run_job(test_session, parsed, &job, &report);
    halo_pipeline_free(parsed);
    if (status != HALO_OK) return false;
    halo_report_clear(&report);
    if (halo_load_buf(test_session, out, info, data) != HALO_OK) fail_msg("'%s': %s", pipeline, halo_error());
    return true;
}

bool statements_add_up(const char *pipeline)
{
    return strncmp(pipeline, "scan", 4) == 0 || strncmp(pipeline, "integra", 7) == 0;
}

void statements_for_every_operation(StatementsCheck *check)
{
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
            check(text);
        }
    }
}

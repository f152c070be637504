/* Aligns pictures with a reference. */
#include <stdlib.h>
#include <string.h>

#include "file/file.h"
#include "part.h"

typedef struct Work {
    HaloSession *session;
    const HaloShape *raw;
    HaloPool *pool;
    HaloShape shape; /* of the reference */
    const char *reference;
    Planes planes;
    double *spectrum[3]; /* of the reference, of another, and of their correlation */
    int64_t held;
} Work;

/* The mean of the colours of a pixel. */
#define MEAN(Sample)                                                                        \
    for (int64_t x = 0; x < shape->width; x++) {                                            \
        double sum = 0.0;                                                                   \
        for (int c = 0; c < channels; c++)                                                  \
            if (c != shape->alpha) sum += (double)((const Sample *)from)[x * channels + c]; \
        to[x] = sum / (double)colours;                                                      \
    }

static void take_row(const HaloBuf *data, int64_t y, double *to)
{
    const HaloShape *shape = &data->shape;
    const int channels = shape->channels, colours = channels - (shape->alpha >= 0);
    const void *from = halo_at(data, 0, y);
    switch (shape->dtype) {
    case HALO_U8: MEAN(uint8_t) break;
    case HALO_U16: MEAN(uint16_t) break;
    case HALO_F32: MEAN(float) break;
    case HALO_I64: MEAN(int64_t) break;
    default: MEAN(double)
    }
}

static HaloStatus check(const Work *work, const HaloSource *source, const HaloShape *shape)
{
    const HaloShape *first = &work->shape;
    if (shape->kind != HALO_IMAGE)
        return halo_fail_on(HALO_ERR_INPUT, halo_source_name(source),
                            " is audio, and only images can be aligned; compare finds the lag of sounds");
    if (first->channels == 0 || (first->width == shape->width && first->height == shape->height))
        return HALO_OK;
    return halo_fail_on(HALO_ERR_INPUT, halo_source_name(source),
                        " is %lld x %lld, and %s is %lld x %lld: pictures have to be of one size",
                        (long long)shape->width, (long long)shape->height, work->reference,
                        (long long)first->width, (long long)first->height);
}

/* The transforms for pictures of the reference's size. */
static HaloStatus prepare(Work *work)
{
    HaloStatus status = HALO_OK;
    HaloMemory *memory = &work->session->memory;
    HALO_TRY(planes_open(work->shape.width, work->shape.height, work->session->options.jobs, work->pool, memory,
                         &work->planes));
    const int64_t bytes = 3 * planes_size(&work->planes) * (int64_t)sizeof(double);
    HALO_TRY(halo_memory_hold(memory, bytes));
    work->held = bytes;
    for (int i = 0; i < 3; i++) {
        work->spectrum[i] = malloc((size_t)bytes / 3);
        if (work->spectrum[i] == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    }
out:
    return status;
}

/* The spectrum of the first picture of a file. */
static HaloStatus transform(Work *work, const char *path, int which)
{
    HaloStatus status = HALO_OK;
    HaloSource *source = NULL;
    HaloReader reader = {0};
    HaloBuf data = {0};
    HALO_TRY(halo_source_open(path, &source));
    halo_source_count(source, &work->session->memory);
    HALO_TRY(load_open_wide(work->session, source, work->raw, &reader));
    HALO_TRY(check(work, source, &reader.info.shape));
    if (work->shape.channels == 0) {
        work->shape = reader.info.shape;
        HALO_TRY(prepare(work));
    }
    HALO_TRY(load_samples(&reader, &data));
    for (int64_t y = 0; y < data.shape.height; y++)
        take_row(&data, y, work->spectrum[which] + y * 2 * work->planes.bins);
    planes_forward(&work->planes, work->spectrum[which]);
out:
    halo_memory_free(&work->session->memory, &data);
    load_close(&reader);
    halo_source_close(source);
    return status;
}

HaloStatus halo_align(HaloSession *session, const char *reference, const char *const *input, size_t inputs,
                      const HaloShape *raw, HaloShift **shift)
{
    HaloStatus status = HALO_OK;
    Work work = {.session = session, .raw = raw, .reference = reference};
    *shift = NULL;
    atomic_store(&session->memory.held, 0);
    HALO_TRY(halo_pool_new(session->options.jobs, &work.pool));
    *shift = calloc(inputs + 1, sizeof **shift);
    if (*shift == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    HALO_TRY(transform(&work, reference, 0));
    for (size_t i = 0; i < inputs; i++) {
        bool found;
        HALO_TRY(transform(&work, input[i], 1));
        HALO_TRY(correlate(&work.planes, work.spectrum[0], work.spectrum[1], work.spectrum[2], &(*shift)[i],
                           &found));
        if (!found)
            HALO_FAIL(HALO_ERR_INPUT, "%s cannot be aligned with %s: samples are all 0, or not finite",
                      input[i], reference);
    }
out:
    for (int i = 0; i < 3; i++) free(work.spectrum[i]);
    if (work.held > 0) halo_memory_release(&session->memory, work.held);
    planes_close(&work.planes);
    halo_pool_free(work.pool);
    if (status != HALO_OK) free(*shift);
    if (status != HALO_OK) *shift = NULL;
    return status;
}

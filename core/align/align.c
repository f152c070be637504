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
    bool rotation; /* rotations and scales are looked for, with: */
    Rotations rotations;
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
    if (work->rotation) HALO_TRY(rotations_open(&work->planes, work->session->options.jobs, &work->rotations));
out:
    return status;
}

static HaloStatus transform(const Work *work, int which)
{
    const HaloStatus status = planes_window(&work->planes, work->spectrum[which]);
    if (status == HALO_OK) planes_forward(&work->planes, work->spectrum[which]);
    return status;
}

/* The spectrum of the first picture of a file; where rotations are looked for, the picture, less its mean. */
static HaloStatus load(Work *work, const char *path, int which)
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
        take_row(&data, y,
                 work->rotation ? work->rotations.picture + y * data.shape.width
                                : work->spectrum[which] + y * 2 * work->planes.bins);
    if (work->rotation)
        rotations_centre(&work->rotations);
    else
        HALO_TRY(transform(work, which));
out:
    halo_memory_free(&work->session->memory, &data);
    load_close(&reader);
    halo_source_close(source);
    return status;
}

static HaloStatus load_reference(Work *work)
{
    HaloStatus status = HALO_OK;
    HALO_TRY(load(work, work->reference, 0));
    if (!work->rotation) return HALO_OK;
    const Transformation none = {.scale = 1.0};
    rotations_polar(&work->rotations, none, work->spectrum[1], 0);
    rotations_show(&work->rotations, none, work->spectrum[0]);
    HALO_TRY(transform(work, 0));
out:
    return status;
}

/* The shift of the picture once it is turned and scaled. */
static HaloStatus shift_of(const Work *work, Transformation by, HaloShift *shift, bool *found)
{
    rotations_show(&work->rotations, by, work->spectrum[1]);
    shift->rotation = remainder(by.rotation, 360.0);
    shift->scale = by.scale;
    const HaloStatus status = transform(work, 1);
    return status != HALO_OK ? status
                             : correlate(&work->planes, true, work->spectrum[0], work->spectrum[1],
                                         work->spectrum[2], shift, found);
}

/* Magnitudes of spectra do not tell a rotation from one by half a turn more: the better one counts. */
static HaloStatus find_rotation(const Work *work, HaloShift *shift, bool *found)
{
    HaloStatus status = HALO_OK;
    Transformation by;
    HaloShift other = {0};
    HALO_TRY(rotations_find(&work->rotations, work->spectrum[1], &by, found));
    if (!*found) goto out;
    HALO_TRY(shift_of(work, by, shift, found));
    by.rotation += 180.0;
    HALO_TRY(shift_of(work, by, &other, found));
    if (other.peak > shift->peak) *shift = other;
out:
    return status;
}

HaloStatus halo_align(HaloSession *session, const char *reference, const char *const *input, size_t inputs,
                      const HaloShape *raw, bool rotation, HaloShift **shift)
{
    HaloStatus status = HALO_OK;
    Work work = {.session = session, .raw = raw, .reference = reference, .rotation = rotation};
    *shift = NULL;
    atomic_store(&session->memory.held, 0);
    HALO_TRY(halo_pool_new(session->options.jobs, &work.pool));
    *shift = calloc(inputs + 1, sizeof **shift);
    if (*shift == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    HALO_TRY(load_reference(&work));
    for (size_t i = 0; i < inputs; i++) {
        HaloShift *const one = &(*shift)[i];
        bool found;
        one->scale = 1.0;
        HALO_TRY(load(&work, input[i], 1));
        HALO_TRY(rotation ? find_rotation(&work, one, &found)
                          : correlate(&work.planes, true, work.spectrum[0], work.spectrum[1], work.spectrum[2],
                                      one, &found));
        if (!found)
            HALO_FAIL(HALO_ERR_INPUT, "%s cannot be aligned with %s: samples are all the same, or not finite",
                      input[i], reference);
    }
out:
    for (int i = 0; i < 3; i++) free(work.spectrum[i]);
    if (work.held > 0) halo_memory_release(&session->memory, work.held);
    if (work.rotations.planes != NULL) rotations_close(&work.rotations);
    planes_close(&work.planes);
    halo_pool_free(work.pool);
    if (status != HALO_OK) free(*shift);
    if (status != HALO_OK) *shift = NULL;
    return status;
}

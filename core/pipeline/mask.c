/* A mask value: a quoted string, else an existing file (text, or any format that holds one channel), else a
 * name from the table. */
#include <float.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "file/file.h"
#include "pipeline.h"

#define MASK_FILE_LIMIT (64 << 20)

static const char *mask_at(int i, const void *list) { return ((const HaloTables *)list)->mask[i].name; }

static HaloStatus by_name(const HaloTables *tables, const char *name, HaloMask *mask)
{
    for (int i = 0; i < tables->masks; i++) {
        const HaloMaskRow *row = &tables->mask[i];
        if (strcmp(row->name, name) != 0) continue;
        const HaloStatus status = halo_mask_alloc(mask, row->width, row->height);
        if (status == HALO_OK)
            memcpy(mask->tap, row->tap, sizeof *row->tap * (size_t)row->width * (size_t)row->height);
        return status;
    }
    const char *near = halo_nearest(name, tables->masks, mask_at, tables);
    if (near != NULL)
        return halo_fail(HALO_ERR_USAGE, "mask '%.200s' is neither a file nor a name; did you mean '%s'?", name,
                         near);
    return halo_fail(HALO_ERR_USAGE,
                     "mask '%.200s' is neither a file nor a name ('halo list masks'); coefficients need quotes",
                     name);
}

/* An impulse response: each channel has a row of taps. */
static HaloStatus from_sound(const HaloReader *reader, const HaloBuf *data, HaloMask *mask)
{
    const HaloShape *shape = &data->shape;
    const HaloStatus status = halo_mask_alloc(mask, shape->width, shape->channels);
    if (status != HALO_OK) return status;
    mask->height = 1;
    mask->anchor_y = 0;
    mask->channels = shape->channels;
    if (!reader->info.rate_said) mask->rate = shape->rate;
    for (int64_t x = 0; x < shape->width; x++)
        for (int c = 0; c < shape->channels; c++)
            mask->tap[c * shape->width + x] = (double)((const float *)data->data)[x * shape->channels + c];
    return HALO_OK;
}

/* Masks in text are checked where they are read. */
static HaloStatus check_taps(const char *path, const HaloMask *mask)
{
    for (int64_t i = 0; i < mask->width * mask->height * mask->channels; i++)
        if (!(fabs(mask->tap[i]) <= FLT_MAX))
            return halo_fail_on(HALO_ERR_USAGE, path,
                                ": coefficient %lld is %g: a mask has numbers within 32-bit floats",
                                (long long)i + 1, mask->tap[i]);
    return HALO_OK;
}

/* Coefficients from a one-channel image or array (NPY, PFM, …), or from sound. */
static HaloStatus from_samples(const HaloReader *reader, const HaloBuf *data, HaloMask *mask)
{
    const HaloShape *shape = &data->shape;
    if (shape->kind == HALO_AUDIO && shape->dtype == HALO_F32) return from_sound(reader, data, mask);
    if (shape->channels != 1)
        return halo_fail_on(HALO_ERR_USAGE, halo_source_name(reader->source),
                            ": a mask has one channel, this has %d", shape->channels);
    const HaloStatus status = halo_mask_alloc(mask, shape->width, shape->height);
    if (status != HALO_OK) return status;
    for (int64_t y = 0; y < shape->height; y++)
        for (int64_t x = 0; x < shape->width; x++) {
            const void *at = halo_at(data, x, y);
            mask->tap[y * shape->width + x] = shape->dtype == HALO_U8    ? *(const uint8_t *)at
                                              : shape->dtype == HALO_U16 ? *(const uint16_t *)at
                                                                         : (double)*(const float *)at;
        }
    return HALO_OK;
}

static HaloStatus too_large(const char *path)
{
    return halo_fail_on(HALO_ERR_USAGE, path, " is too large for a mask: at most %d MiB are read",
                        MASK_FILE_LIMIT >> 20);
}

static HaloStatus by_text(HaloSource *source, const char *path, HaloMask *mask)
{
    const uint8_t *bytes;
    size_t size;
    const HaloStatus status = halo_source_slurp(source, &bytes, &size);
    if (status == HALO_ERR_LIMIT) return too_large(path);
    if (status != HALO_OK) return halo_fail_about(status, path);
    return halo_mask_parse(path, (const char *)bytes, size, mask);
}

static HaloStatus by_file(HaloSession *session, const char *path, HaloMask *mask)
{
    HaloStatus status = HALO_OK;
    HaloSource *source = NULL;
    HaloReader reader = {0};
    HaloBuf data = {0};
    HaloMemory memory = {.allowed = MASK_FILE_LIMIT, .advice = "masks are no larger"};
    const uint8_t *head;
    size_t got;
    HALO_TRY(halo_source_open(path, &source));
    if (halo_source_size(source) > MASK_FILE_LIMIT) HALO_TRY(too_large(path));
    halo_source_count(source, &memory);
    HALO_TRY(halo_source_peek(source, 64, &head, &got));
    bool samples = false;
    for (int i = 0; i < session->tables->formats; i++) {
        const HaloFormat *format = session->tables->format[i];
        samples = samples || (format->probe != NULL && format->probe(head, got));
    }
    if (samples) {
        status = load_open(session, source, NULL, &reader);
        reader.memory = &memory;
        HALO_TRY(status);
        HALO_TRY(load_samples(&reader, &data));
        HALO_TRY(from_samples(&reader, &data, mask));
        HALO_TRY(check_taps(path, mask));
    } else {
        HALO_TRY(by_text(source, path, mask));
    }
    HaloRead read = {0};
    mask->filed = halo_source_identity(source, &read);
    memcpy(mask->file, read.id, sizeof read.id);
out:
    load_close(&reader);
    halo_buf_free(&data);
    halo_source_close(source);
    return status;
}

HaloStatus mask_resolve(HaloSession *session, const char *text, bool quoted, HaloMask *mask)
{
    struct stat st;
    if (quoted) return halo_mask_parse("mask", text, strlen(text), mask);
    if (stat(text, &st) == 0 && !S_ISDIR(st.st_mode)) return by_file(session, text, mask);
    return by_name(session->tables, text, mask);
}

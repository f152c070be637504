/* Secondary inputs: files that pipelines name. */
#include <stdlib.h>

#include "file.h"
#include "side.h"

/* Shorter sound is read once, and is in memory for all inputs. */
#define SHORT_BYTES ((int64_t)256 << 10)

/* Sound in a file, which can be opened again, and whose length is known. */
static bool stays_in_file(const HaloReader *reader)
{
    const HaloShape *shape = &reader->info.shape;
    int64_t bytes;
    return shape->kind == HALO_AUDIO && shape->width > 0 && halo_source_size(reader->source) >= 0 &&
           halo_source_seekable(reader->source) && halo_shape_bytes(shape, &bytes) == HALO_OK &&
           bytes > SHORT_BYTES;
}

HaloMemory side_memory(const HaloSide *side)
{
    return (HaloMemory){.allowed = side->max_memory, .advice = "--max-memory sets the limit"};
}

static HaloStatus read_first(HaloSession *session, HaloSide *side)
{
    HaloStatus status = HALO_OK;
    HaloSource *source = NULL;
    HaloReader reader = {0};
    HaloMemory memory = side_memory(side);
    HALO_TRY(halo_source_open(side->path, &source));
    halo_source_count(source, &memory);
    status = load_open(session, source, NULL, &reader);
    reader.memory = &memory;
    HALO_TRY(status);
    side->tables = session->tables;
    side->format = reader.format;
    side->options = reader.options;
    side->data.shape = reader.info.shape;
    if (!stays_in_file(&reader)) {
        HALO_TRY(load_samples(&reader, &side->data));
        atomic_store(&side->there, true);
        side->notes = reader.info.notes;
    }
    side->orientation =
        reader.info.shape.kind == HALO_IMAGE ? halo_exif_orientation(&reader.info.meta.exif) : 1;
    HALO_TRY(side_count_pages(side, &reader));
    if (halo_source_identity(source, side->file.id)) side->file.what = "read by the pipeline";
out:
    load_close(&reader);
    halo_source_close(source);
    return status == HALO_OK ? status : halo_fail_about(status, side->path);
}

HaloStatus side_open(const HaloSide *side, SideReader *to)
{
    HaloStatus status = HALO_OK;
    const HaloShape *was = &side->data.shape, *now = &to->reader.info.shape;
    *to = (SideReader){.memory = side_memory(side)};
    HALO_TRY(halo_source_open(side->path, &to->source));
    halo_source_count(to->source, &to->memory);
    HALO_TRY(load_open_as(to->source, side->format, &side->options, side->jobs, &to->memory, &to->reader));
    if (now->width != was->width || now->channels != was->channels || now->dtype != was->dtype ||
        now->rate != was->rate)
        HALO_FAIL(HALO_ERR_INPUT, "has changed while it was being read");
out:
    return status == HALO_OK ? status : halo_fail_about(status, side->path);
}

void side_close(SideReader *reader)
{
    load_close(&reader->reader);
    halo_source_close(reader->source);
    reader->source = NULL;
}

static HaloStatus read_rest(HaloSide *side)
{
    HaloStatus status = HALO_OK;
    SideReader reader = {0};
    HaloBuf data = {0};
    HALO_TRY(side_open(side, &reader));
    status = load_samples(&reader.reader, &data);
    if (status != HALO_OK) halo_fail_about(status, side->path);
    HALO_TRY(status);
    side->data = data;
    atomic_store(&side->there, true);
out:
    side_close(&reader);
    return status;
}

HaloStatus side_want(HaloSide *side)
{
    HaloStatus status = HALO_OK;
    if (atomic_load(&side->there)) return HALO_OK;
    pthread_mutex_lock(&side->reading);
    if (!atomic_load(&side->there)) status = read_rest(side);
    pthread_mutex_unlock(&side->reading);
    return status;
}

HaloStatus side_load(HaloSession *session, const char *path, HaloSide **side)
{
    HaloSide *made = side_new(path);
    *side = NULL;
    if (made == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    made->jobs = session->options.jobs;
    made->max_memory = session->options.max_memory;
    const HaloStatus status = read_first(session, made);
    if (status == HALO_OK)
        *side = made;
    else
        side_release(made);
    return status;
}

/* Counted as what is read is. */
static HaloStatus turn_side(HaloSide *side)
{
    HaloMemory memory = side_memory(side);
    HaloSide *made = side_new(side->path);
    if (made == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    const HaloStatus status = turn_samples(&memory, &side->data, side->orientation, &made->data);
    made->orientation = 1;
    atomic_store(&made->there, true);
    if (status == HALO_OK)
        side->upright = made;
    else
        side_release(made);
    return status == HALO_OK ? status : halo_fail_about(status, side->path);
}

HaloStatus side_upright(HaloSide *side, HaloSide **upright)
{
    HaloStatus status = HALO_OK;
    *upright = side;
    if (side->orientation == 1) return HALO_OK;
    pthread_mutex_lock(&side->measuring);
    if (side->upright == NULL) status = turn_side(side);
    *upright = side->upright;
    pthread_mutex_unlock(&side->measuring);
    return status;
}

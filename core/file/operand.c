/* Secondary inputs: files that pipelines name. */
#include <stdlib.h>

#include "file.h"
#include "halo/rounded.h"
#include "operand.h"

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

/* What f64 loses in a plan that computes in f32, as readers count it. */
static void count_rounded(const HaloBuf *data, HaloNotes *notes)
{
    const double *sample = data->data;
    HaloLost lost = {0};
    if (data->shape.dtype != HALO_F64) return;
    for (int64_t i = 0; i < data->cols * data->shape.channels; i++) halo_float_of_double(sample[i], &lost);
    halo_note_lost(notes, &lost, false);
}

static HaloStatus read_first(HaloSession *session, HaloOperand *operand)
{
    HaloStatus status = HALO_OK;
    HaloSource *source = NULL;
    HaloReader reader = {0};
    HaloMemory memory = operand_memory(operand);
    HALO_TRY(halo_source_open(operand->path, &source));
    halo_source_count(source, &memory);
    status = load_open_wide(session, source, NULL, &reader);
    reader.memory = &memory;
    HALO_TRY(status);
    if (!load_computes_wide(session, &reader.info)) load_narrow(&reader);
    reader.options.wide = reader.info.shape.dtype == HALO_F64;
    operand->tables = session->tables;
    operand->format = reader.format;
    operand->options = reader.options;
    operand->data.shape = reader.info.shape;
    if (!stays_in_file(&reader)) {
        HALO_TRY(load_samples(&reader, &operand->data));
        atomic_store(&operand->there, true);
        operand->notes = reader.info.notes;
        count_rounded(&operand->data, &operand->narrow);
    }
    const HaloBlob *icc = &reader.info.meta.icc;
    HALO_TRY(operand_set_profile(operand, load_profile(icc), icc));
    operand->orientation =
        reader.info.shape.kind == HALO_IMAGE ? halo_exif_orientation(&reader.info.meta.exif) : 1;
    HALO_TRY(operand_count_pages(operand, &reader));
    if (halo_source_identity(source, &operand->file)) operand->file.what = "read by the pipeline";
out:
    load_close(&reader);
    halo_source_close(source);
    return status == HALO_OK ? status : halo_fail_about(status, operand->path);
}

static HaloStatus read_rest(HaloOperand *operand)
{
    HaloStatus status = HALO_OK;
    OperandReader reader = {0};
    HaloBuf data = {0};
    HALO_TRY(operand_open(operand, &reader));
    status = load_samples(&reader.reader, &data);
    if (status != HALO_OK) halo_fail_about(status, operand->path);
    HALO_TRY(status);
    operand->data = data;
    atomic_store(&operand->there, true);
out:
    operand_close(&reader);
    return status;
}

HaloStatus operand_want(HaloOperand *operand)
{
    HaloStatus status = HALO_OK;
    if (atomic_load(&operand->there)) return HALO_OK;
    pthread_mutex_lock(&operand->reading);
    if (!atomic_load(&operand->there)) status = read_rest(operand);
    pthread_mutex_unlock(&operand->reading);
    return status;
}

HaloStatus operand_load(HaloSession *session, const char *path, HaloOperand **operand)
{
    HaloOperand *made = operand_new(path);
    *operand = NULL;
    if (made == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    made->jobs = session->options.jobs;
    made->max_memory = session->options.max_memory;
    const HaloStatus status = read_first(session, made);
    if (status == HALO_OK)
        *operand = made;
    else
        operand_release(made);
    return status;
}

/* Rotates the operand upright. The new buffer counts towards the memory limit as the read one did. */
static HaloStatus turn_operand(HaloOperand *operand)
{
    HaloMemory memory = operand_memory(operand);
    HaloOperand *made = operand_new(operand->path);
    if (made == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    HaloStatus status = turn_samples(&memory, &operand->data, operand->orientation, &made->data);
    made->orientation = 1;
    if (status == HALO_OK) status = operand_set_profile(made, operand->profile, &operand->icc);
    made->notes = operand->notes;
    atomic_store(&made->there, true);
    if (status == HALO_OK)
        operand->upright = made;
    else
        operand_release(made);
    return status == HALO_OK ? status : halo_fail_about(status, operand->path);
}

HaloStatus operand_upright(HaloOperand *operand, HaloOperand **upright)
{
    HaloStatus status = HALO_OK;
    *upright = operand;
    if (operand->orientation == 1) return HALO_OK;
    pthread_mutex_lock(&operand->measuring);
    if (operand->upright == NULL) status = turn_operand(operand);
    *upright = operand->upright;
    pthread_mutex_unlock(&operand->measuring);
    return status;
}

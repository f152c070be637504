/* A 64-bit hash of a pipeline: pipelines that could give different results have different hashes. Masks enter
 * by their coefficients, and other files by their bytes, so editing one changes the hash. */
#include <string.h>

#include "file/file.h"
#include "file/operand.h"
#include "pipeline.h"

/* FNV-1a, by Fowler, Noll and Vo; its offset and prime for 64 bits. */
static uint64_t add_bytes(uint64_t hash, const void *bytes, size_t size)
{
    for (const uint8_t *b = bytes; size-- > 0; b++) hash = (hash ^ *b) * 0x100000001b3u;
    return hash;
}

static uint64_t add_text(uint64_t hash, const char *text)
{
    return text != NULL ? add_bytes(hash, text, strlen(text) + 1) : add_bytes(hash, "", 1);
}

static uint64_t add_mask(uint64_t hash, const HaloMask *mask)
{
    const int64_t shape[] = {mask->width, mask->height, mask->anchor_x, mask->anchor_y};
    const int64_t count = mask->width * mask->height * mask->channels;
    hash = add_bytes(hash, shape, sizeof shape);
    hash = add_bytes(hash, &mask->scale, sizeof mask->scale);
    hash = add_bytes(hash, &mask->bias, sizeof mask->bias);
    return add_bytes(hash, mask->tap, (size_t)count * sizeof *mask->tap);
}

#define FRAMES_AT_A_TIME ((int64_t)1 << 14)

/* A file that cannot be read enters as far as it can be read: it fails when it is used. */
static uint64_t add_sound_in_file(uint64_t hash, const HaloOperand *operand)
{
    OperandReader reader = {0};
    HaloShape shape = operand->data.shape;
    HaloBuf rows = {0};
    int64_t left = shape.width, got = 1;
    shape.width = smaller(left, FRAMES_AT_A_TIME);
    HaloStatus status = operand_open(operand, &reader);
    if (status == HALO_OK) status = halo_buf_alloc(&rows, &shape);
    for (; status == HALO_OK && left > 0 && got > 0; left -= got) {
        rows.cols = smaller(left, shape.width);
        status = load_rows(&reader.reader, &rows, &got);
        hash = add_bytes(hash, rows.data, (size_t)halo_row_bytes(&rows));
    }
    halo_buf_free(&rows);
    operand_close(&reader);
    return hash;
}

static uint64_t add_samples(uint64_t hash, const HaloBuf *data)
{
    for (int64_t y = 0; y < data->shape.height; y++)
        hash = add_bytes(hash, halo_at(data, 0, y), (size_t)halo_row_bytes(data));
    return hash;
}

static uint64_t add_page(uint64_t hash, HaloOperand *operand, int64_t page)
{
    HaloOperand *of_page;
    if (operand_load_page(operand, page, &of_page) != HALO_OK) return hash;
    hash = add_samples(hash, &of_page->data);
    operand_release(of_page);
    return hash;
}

/* Secondary inputs enter by their samples. */
static uint64_t add_operand(uint64_t hash, HaloOperand *operand)
{
    const HaloShape *shape = &operand->data.shape;
    const int64_t size[] = {shape->width, shape->height, shape->channels, shape->dtype};
    hash = add_bytes(hash, size, sizeof size);
    if (!atomic_load(&operand->there)) return add_sound_in_file(hash, operand);
    hash = add_samples(hash, &operand->data);
    for (int64_t page = 1; page < operand->pages; page++) hash = add_page(hash, operand, page);
    return hash;
}

static uint64_t add_pipeline(uint64_t hash, const HaloPipeline *pipeline);

static uint64_t add_value(uint64_t hash, const HaloValue *value)
{
    hash = add_bytes(hash, &value->number, sizeof value->number);
    hash = add_bytes(hash, &value->integer, sizeof value->integer);
    hash = add_bytes(hash, value->point, sizeof value->point);
    hash = add_bytes(hash, value->from_end, sizeof value->from_end);
    hash = add_bytes(hash, &value->percent, 1);
    hash = add_bytes(hash, &value->given, 1);
    hash = add_text(hash, value->text);
    if (value->bytes != NULL) hash = add_bytes(hash, value->bytes, value->size);
    if (value->operand != NULL) hash = add_operand(hash, value->operand);
    if (value->branch != NULL) hash = add_pipeline(hash, value->branch);
    return value->mask != NULL ? add_mask(hash, value->mask) : hash;
}

static uint64_t add_pipeline(uint64_t hash, const HaloPipeline *pipeline)
{
    for (int c = 0; c < pipeline->calls; c++) {
        const Call *call = &pipeline->call[c];
        hash = add_text(hash, call->op->name);
        for (int i = 0; i < call->values; i++) hash = add_value(hash, &call->value[i]);
    }
    return hash;
}

uint64_t halo_pipeline_fingerprint(const HaloPipeline *pipeline, const char *more)
{
    return add_pipeline(add_text(add_text(0xcbf29ce484222325u, halo_version()), more), pipeline);
}

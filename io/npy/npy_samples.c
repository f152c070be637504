/* Samples of NPY: as they are, or on their way to f32. */
#include "npyreader.h"

#include "bytes/endian.h"
#include "samples/half.h"
#include "samples/image.h"

#define MAX_EXACT 16777216 /* up to 2^24 every integer is a 32-bit float */

/* The type the samples get; all but u8, u16 and f32 pass through a conversion to f32. */
HaloDtype npy_native_dtype(const NpyHead *head)
{
    if (head->kind == 'b' || (head->kind == 'u' && head->size == 1)) return HALO_U8;
    return head->kind == 'u' && head->size == 2 ? HALO_U16 : HALO_F32;
}

bool npy_is_native(const NpyHead *head)
{
    return npy_native_dtype(head) != HALO_F32 || (head->kind == 'f' && head->size == 4);
}

/* `count` samples in host order to f32. */
static HaloStatus convert(const NpyReader *state, float *to, size_t count)
{
    const NpyHead *head = &state->head;
    for (size_t i = 0; i < count; i++) {
        if (head->kind == 'f') {
            to[i] = head->size == 2   ? halo_float_of_half(state->block.u16[i])
                    : head->size == 4 ? state->block.f32[i]
                                      : (float)state->block.f64[i];
        } else if (head->kind == 'b') {
            to[i] = state->block.i8[i] != 0 ? 1.0f : 0.0f;
        } else if (head->kind == 'u' && head->size <= 2) {
            to[i] = (float)(head->size == 1 ? state->block.u8[i] : state->block.u16[i]);
        } else if (head->size <= 2) {
            to[i] = (float)(head->size == 1 ? state->block.i8[i] : state->block.i16[i]);
        } else if (head->kind == 'u') {
            const uint64_t v = head->size == 4 ? state->block.u32[i] : state->block.u64[i];
            if (v > MAX_EXACT) {
                return halo_fail(HALO_ERR_INPUT, "sample %llu does not fit a 32-bit float",
                                 (unsigned long long)v);
            }
            to[i] = (float)v;
        } else {
            const int64_t v = head->size == 4 ? state->block.i32[i] : state->block.i64[i];
            if (v > MAX_EXACT || v < -MAX_EXACT) {
                return halo_fail(HALO_ERR_INPUT, "sample %lld does not fit a 32-bit float", (long long)v);
            }
            to[i] = (float)v;
        }
    }
    return HALO_OK;
}

static HaloStatus read_native(HaloReader *reader, void *row, size_t samples)
{
    const NpyReader *state = reader->state;
    const NpyHead *head = &state->head;
    HaloStatus status = HALO_OK;
    uint8_t *at = row;
    HALO_TRY(halo_image_take(reader, row, samples * (size_t)head->size, state->row, 0));
    if (head->size > 1 && head->little != halo_host_is_little())
        halo_swap_bytes(row, samples, (size_t)head->size);
    for (size_t i = 0; head->kind == 'b' && i < samples; i++) at[i] = at[i] != 0;
out:
    return status;
}

HaloStatus npy_samples_read_floats(HaloReader *reader, float *row, size_t samples, size_t *got)
{
    NpyReader *state = reader->state;
    const size_t size = (size_t)state->head.size;
    HaloStatus status = HALO_OK;
    size_t n, bytes;
    bool ended = false;
    for (*got = 0; *got < samples && !ended; *got += n) {
        n = samples - *got < NPY_BLOCK_BYTES / size ? samples - *got : NPY_BLOCK_BYTES / size;
        if (reader->info.shape.width < 0) {
            HALO_TRY(halo_source_read(reader->source, &state->block, n * size, &bytes));
            ended = bytes < n * size;
            n = bytes / size;
        } else {
            HALO_TRY(halo_image_take(reader, &state->block, n * size, state->row, 0));
        }
        if (size > 1 && state->head.little != halo_host_is_little()) halo_swap_bytes(&state->block, n, size);
        HALO_TRY(convert(state, row + *got, n));
    }
out:
    return status;
}

HaloStatus npy_samples_read(HaloReader *reader, void *row, size_t samples)
{
    const NpyReader *state = reader->state;
    size_t got;
    return npy_is_native(&state->head) ? read_native(reader, row, samples)
                                       : npy_samples_read_floats(reader, row, samples, &got);
}

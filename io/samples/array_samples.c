/* Reads samples of arrays, unchanged or converted to f32 or f64. */
#include "array.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "bytes/endian.h"
#include "halo/half.h"
#include "halo/rounded.h"
#include "image.h"

/* The type the samples get; all but u8, u16 and f32 pass through a conversion to f32. */
HaloDtype halo_array_dtype(const HaloArrayHead *head)
{
    if (head->scaled) return HALO_F32;
    if (head->kind == 'b' || (head->kind == 'u' && head->size == 1)) return HALO_U8;
    return head->kind == 'u' && head->size == 2 ? HALO_U16 : HALO_F32;
}

bool halo_array_is_native(const HaloArrayHead *head)
{
    return halo_array_dtype(head) != HALO_F32 || (!head->scaled && head->kind == 'f' && head->size == 4);
}

bool halo_array_is_wide(const HaloArrayHead *head)
{
    return head->kind != 'b' && head->size > (head->kind == 'f' ? 4 : 2);
}

static void convert_reals(const HaloArrayReader *state, float *to, size_t count, HaloLost *lost)
{
    if (state->head.size == 8)
        halo_floats_of_doubles(state->block.f64, to, count, lost);
    else if (state->head.size == 4)
        memcpy(to, state->block.f32, count * sizeof *to);
    else
        for (size_t i = 0; i < count; i++) to[i] = halo_float_of_half(state->block.u16[i]);
}

/* Integers of more than 24 bits are looked for only where there is a large one. */
static void convert_unsigned(const HaloArrayReader *state, float *to, size_t count, HaloLost *lost)
{
    const int size = state->head.size;
    uint64_t all = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t v = size == 8   ? state->block.u64[i]
                           : size == 4 ? state->block.u32[i]
                           : size == 2 ? state->block.u16[i]
                                       : state->block.u8[i];
        to[i] = (float)v;
        all |= v;
    }
    for (size_t i = 0; i < count && all >> 24 != 0; i++)
        lost->rounded += halo_has_more_bits(size == 8 ? state->block.u64[i] : state->block.u32[i]);
}

static void convert_signed(const HaloArrayReader *state, float *to, size_t count, HaloLost *lost)
{
    const int size = state->head.size;
    uint64_t all = 0;
    for (size_t i = 0; i < count; i++) {
        const int64_t v = size == 8   ? state->block.i64[i]
                          : size == 4 ? state->block.i32[i]
                          : size == 2 ? state->block.i16[i]
                                      : state->block.i8[i];
        to[i] = (float)v;
        all |= (uint64_t)(v ^ v >> 63);
    }
    for (size_t i = 0; i < count && all >> 23 != 0; i++)
        halo_float_of_signed(size == 8 ? state->block.i64[i] : state->block.i32[i], lost);
}

/* `count` samples in host order to f32; *lost counts what that loses. */
static void convert(const HaloArrayReader *state, float *to, size_t count, HaloLost *lost)
{
    switch (state->head.kind) {
    case 'f': convert_reals(state, to, count, lost); break;
    case 'u': convert_unsigned(state, to, count, lost); break;
    case 'i': convert_signed(state, to, count, lost); break;
    default:
        for (size_t i = 0; i < count; i++) to[i] = state->block.i8[i] != 0 ? 1.0f : 0.0f;
    }
}

/* The same to f64, which only 64-bit integers may lose something in. */
static void convert_wide(const HaloArrayReader *state, double *to, size_t count, HaloLost *lost)
{
    const HaloArrayHead *head = &state->head;
    for (size_t i = 0; i < count; i++) switch (head->kind) {
        case 'f':
            to[i] = head->size == 8   ? state->block.f64[i]
                    : head->size == 4 ? (double)state->block.f32[i]
                                      : (double)halo_float_of_half(state->block.u16[i]);
            break;
        case 'u':
            to[i] = head->size == 8   ? halo_double_of_unsigned(state->block.u64[i], lost)
                    : head->size == 4 ? state->block.u32[i]
                    : head->size == 2 ? state->block.u16[i]
                                      : state->block.u8[i];
            break;
        case 'i':
            to[i] = head->size == 8   ? halo_double_of_signed(state->block.i64[i], lost)
                    : head->size == 4 ? state->block.i32[i]
                    : head->size == 2 ? state->block.i16[i]
                                      : state->block.i8[i];
            break;
        default: to[i] = state->block.i8[i] != 0;
        }
}

/* Both by the one formula, of which f32 is rounded once. */
static void convert_scaled(HaloArrayReader *state, HaloDtype dtype, void *to, size_t count, HaloLost *lost)
{
    const HaloArrayHead *head = &state->head;
    double *v = dtype == HALO_F64 ? to : state->scaled;
    convert_wide(state, v, count, lost);
    for (size_t i = 0; i < count; i++) v[i] = head->slope * v[i] + head->offset;
    for (size_t i = 0; i < count && dtype != HALO_F64; i++) ((float *)to)[i] = halo_float_of_double(v[i], lost);
}

/* ---- from the file, or from where all of it is held ------------------------------------------------------ */

static HaloStatus truncated(const HaloReader *reader, int64_t bytes)
{
    const HaloArrayReader *state = reader->state;
    return halo_fail(HALO_ERR_INPUT, "truncated: %lld of %lld samples", (long long)(bytes / state->head.size),
                     (long long)state->layout.samples);
}

int64_t halo_array_bytes(const HaloArrayHead *head)
{
    int64_t bytes = head->size;
    for (int i = 0; i < head->dims; i++)
        if (!halo_mul(bytes, head->dim[i], &bytes)) return INT64_MAX;
    return bytes;
}

HaloStatus halo_array_expect(const HaloReader *reader, int64_t bytes)
{
    const HaloArrayReader *state = reader->state;
    if (reader->options.tolerate || bytes >= halo_array_bytes(&state->head)) return HALO_OK;
    return halo_fail(HALO_ERR_INPUT, "damaged: %lld bytes are too few for the samples of the array",
                     (long long)bytes);
}

/* Bytes from `at` on, counted from the first sample, were read. */
static HaloStatus add_to_sum(HaloArrayReader *state, int64_t at, const void *bytes, size_t size)
{
    const int64_t all = halo_array_bytes(&state->head);
    if (!state->sum.checked || at != state->sum.bytes) return HALO_OK;
    for (size_t done = 0; done < size;) {
        const size_t part = size - done < UINT32_MAX ? size - done : UINT32_MAX;
        state->sum.crc = (uint32_t)crc32(state->sum.crc, (const Bytef *)bytes + done, (unsigned)part);
        done += part;
    }
    state->sum.bytes += (int64_t)size;
    if (state->sum.bytes < all || state->sum.crc == state->sum.wanted) return HALO_OK;
    return halo_fail(HALO_ERR_INPUT,
                     "damaged: the array has another checksum than its archive says; --tolerate reads it");
}

HaloStatus halo_array_hold(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    HaloArrayReader *state = reader->state;
    HaloSource *source = state->source;
    const int64_t bytes = state->layout.samples * state->head.size,
                  left = halo_source_size(source) - state->start;
    const bool strict = !reader->options.tolerate;
    size_t got;
    if (state->held != NULL) return HALO_OK;
    if (strict && halo_source_seekable(source) && left < bytes) return truncated(reader, left);
    HALO_TRY(halo_memory_hold(reader->memory, bytes));
    state->held_bytes = bytes;
    state->held = calloc((size_t)bytes, 1);
    if (state->held == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to read an array");
    if (halo_source_seekable(source)) HALO_TRY(halo_source_seek(source, state->start));
    HALO_TRY(halo_source_read(source, state->held, (size_t)bytes, &got));
    if (strict && (int64_t)got < bytes) return truncated(reader, (int64_t)got);
    if ((int64_t)got < bytes) halo_image_damaged(reader, -1); /* samples of a row lie apart */
    HALO_TRY(add_to_sum(state, 0, state->held, got));
out:
    return status;
}

/* Samples of a row from sample `first` on, channel by channel and column by column. */
static void gather(const HaloReader *reader, int64_t first, uint8_t *to, size_t samples)
{
    const HaloArrayReader *state = reader->state;
    const HaloArrayLayout *layout = &state->layout;
    const size_t size = (size_t)state->head.size;
    const int64_t channels = layout->channel.length, row = state->series ? 0 : state->row;
    int64_t x = first / channels, c = first % channels;
    const uint8_t *from =
        state->held + (halo_array_page(layout, reader->options.image) + row * layout->row.step) * (int64_t)size;
    for (size_t i = 0; i < samples; i++) {
        memcpy(to + i * size, from + (x * layout->column.step + c * layout->channel.step) * (int64_t)size,
               size);
        if (++c < channels) continue;
        c = 0;
        x++;
    }
}

/* With --tolerate what is missing, or cannot be inflated, is 0. */
static HaloStatus take_bytes(HaloReader *reader, void *to, size_t size)
{
    HaloArrayReader *state = reader->state;
    size_t got;
    const int64_t at = halo_source_tell(state->source) - state->start;
    const HaloStatus status = halo_source_read(state->source, to, size, &got);
    if (status != HALO_OK && (status != HALO_ERR_INPUT || !reader->options.tolerate)) return status;
    if (got == size) return add_to_sum(state, at, to, size);
    memset((char *)to + got, 0, size - got);
    return halo_image_ends(reader, state->row);
}

HaloStatus halo_array_seek(HaloReader *reader, int64_t sample)
{
    HaloStatus status = HALO_OK;
    HaloArrayReader *state = reader->state;
    HaloSource *source = state->source;
    const int64_t to = state->start + sample * state->head.size;
    if (halo_source_seekable(source)) return halo_source_seek(source, to);
    for (int64_t left; (left = to - halo_source_tell(source)) > 0;) {
        size_t got;
        const size_t want = left < HALO_ARRAY_BLOCK ? (size_t)left : HALO_ARRAY_BLOCK;
        HALO_TRY(halo_source_read(source, &state->block, want, &got));
        if (got == 0) break; /* reading finds it truncated */
    }
out:
    return status;
}

/* Samples as they are in the file, in the order of this machine; *got: fewer only where a series of unknown
 * length ends. */
static HaloStatus take(HaloReader *reader, int64_t first, void *to, size_t samples, size_t *got)
{
    HaloStatus status = HALO_OK;
    const HaloArrayReader *state = reader->state;
    const size_t size = (size_t)state->head.size;
    *got = samples;
    if (state->held != NULL) {
        gather(reader, first, to, samples);
    } else if (reader->info.shape.width < 0) {
        HALO_TRY(halo_source_read(state->source, to, samples * size, got));
        *got /= size;
    } else {
        HALO_TRY(take_bytes(reader, to, samples * size));
    }
    if (size > 1 && state->head.little != halo_host_is_little()) halo_swap_bytes(to, *got, size);
out:
    return status;
}

static HaloStatus read_native(HaloReader *reader, int64_t first, void *row, size_t samples)
{
    const HaloArrayReader *state = reader->state;
    uint8_t *at = row;
    size_t got;
    const HaloStatus status = take(reader, first, row, samples, &got);
    for (size_t i = 0; status == HALO_OK && state->head.kind == 'b' && i < samples; i++) at[i] = at[i] != 0;
    return status;
}

HaloStatus halo_array_take_reals(HaloReader *reader, HaloDtype dtype, int64_t first, void *row, size_t samples,
                                 size_t *got)
{
    HaloArrayReader *state = reader->state;
    const size_t most = HALO_ARRAY_BLOCK / (size_t)(state->head.scaled ? 8 : state->head.size);
    HaloStatus status = HALO_OK;
    HaloLost lost = {0};
    size_t n, want;
    for (*got = 0; *got < samples; *got += n) {
        want = samples - *got < most ? samples - *got : most;
        HALO_TRY(take(reader, first + (int64_t)*got, &state->block, want, &n));
        if (state->head.scaled)
            convert_scaled(state, dtype, (char *)row + *got * halo_dtype_size(dtype), n, &lost);
        else if (dtype == HALO_F64)
            convert_wide(state, (double *)row + *got, n, &lost);
        else
            convert(state, (float *)row + *got, n, &lost);
        if (n == want) continue;
        *got += n;
        break;
    }
out:
    halo_note_lost(&reader->info.notes, &lost, dtype == HALO_F64);
    return status;
}

HaloStatus halo_array_take(HaloReader *reader, HaloDtype dtype, int64_t first, void *row, size_t samples)
{
    const HaloArrayReader *state = reader->state;
    size_t got;
    return halo_array_is_native(&state->head) ? read_native(reader, first, row, samples)
                                              : halo_array_take_reals(reader, dtype, first, row, samples, &got);
}

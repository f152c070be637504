#include "stored.h"

#include <math.h>
#include <string.h>

#include "bytes/endian.h"
#include "halo/half.h"

#define BLOCK_SAMPLES 1024

static bool is_usual(const HaloInfo *info)
{
    switch (info->stored) {
    case HALO_STORED_UNSIGNED: return info->shape.dtype <= HALO_U16;
    case HALO_STORED_FLOAT: return info->bits == 8 * (int)halo_dtype_size(info->shape.dtype);
    case HALO_STORED_SIGNED:
    case HALO_STORED_BOOL: return false;
    default: return true;
    }
}

bool halo_stored_again(const HaloWriter *writer)
{
    return writer->changes.stored && writer->options.bits == 0 && !is_usual(&writer->info) &&
           halo_changes_keep_values(&writer->changes);
}

static double sample_at(HaloDtype dtype, const void *from, int64_t i)
{
    switch (dtype) {
    case HALO_U8: return ((const uint8_t *)from)[i];
    case HALO_U16: return ((const uint16_t *)from)[i];
    case HALO_F32: return (double)((const float *)from)[i];
    default: return ((const double *)from)[i];
    }
}

static void put_integer(const HaloInfo *info, double sample, void *to, uint64_t *clipped)
{
    const bool has_sign = info->stored == HALO_STORED_SIGNED;
    const int bits = info->stored == HALO_STORED_BOOL ? 1 : info->bits - has_sign;
    const double end = ldexp(1.0, bits), least = has_sign ? -end : 0.0, value = rint(sample);
    const bool below = !(value >= least), above = value >= end;
    const uint64_t top = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    uint64_t word = below ? 0 : above ? top : value < 0 ? 0 - (uint64_t)-value : (uint64_t)value;
    if (below && has_sign && !isnan(sample)) word = 0 - ((uint64_t)1 << bits);
    *clipped += below || above;
    const uint8_t byte = (uint8_t)word;
    const uint16_t half = (uint16_t)word;
    const uint32_t single = (uint32_t)word;
    switch (info->bits) {
    case 8: memcpy(to, &byte, 1); break;
    case 16: memcpy(to, &half, 2); break;
    case 32: memcpy(to, &single, 4); break;
    default: memcpy(to, &word, 8);
    }
}

static void put_float(const HaloInfo *info, double sample, void *to)
{
    const uint16_t half = halo_half_of_float((float)sample);
    const float single = (float)sample;
    switch (info->bits) {
    case 16: memcpy(to, &half, 2); break;
    case 32: memcpy(to, &single, 4); break;
    default: memcpy(to, &sample, 8);
    }
}

void halo_stored_convert(const HaloInfo *info, const HaloBuf *rows, int64_t y, int64_t first, int64_t count,
                         void *to, uint64_t *clipped)
{
    const char *from = (const char *)rows->data + y * rows->stride;
    for (int64_t i = 0; i < count; i++) {
        const double sample = sample_at(rows->shape.dtype, from, first + i);
        char *const at = (char *)to + i * (info->bits / 8);
        if (info->stored == HALO_STORED_FLOAT)
            put_float(info, sample, at);
        else
            put_integer(info, sample, at, clipped);
    }
}

HaloStatus halo_stored_write(HaloWriter *writer, const HaloBuf *rows)
{
    HaloStatus status = HALO_OK;
    const HaloInfo *info = &writer->info;
    const int64_t samples = rows->cols * rows->shape.channels;
    const size_t size = (size_t)info->bits / 8;
    uint8_t block[BLOCK_SAMPLES * 8];
    for (int64_t y = 0; y < rows->rows; y++)
        for (int64_t done = 0; done < samples;) {
            const int64_t count = samples - done < BLOCK_SAMPLES ? samples - done : BLOCK_SAMPLES;
            halo_stored_convert(info, rows, y, done, count, block, &writer->clipped);
            if (!halo_host_is_little() && size > 1) halo_swap_bytes(block, (size_t)count, size);
            HALO_TRY(halo_sink_write(writer->sink, block, (size_t)count * size));
            done += count;
        }
out:
    return status;
}

/* Converts samples of sound to f32 and back, with correctly rounded operations only: the same on every machine.
 */
#include "pcm.h"

#include <math.h>
#include <string.h>

#include "bytes/endian.h"
#include "halo/rounded.h"

static HaloStatus refuse_rate(const char *format, double rate)
{
    if (rate > 0 && rate < 1)
        return halo_fail(
            HALO_ERR_INPUT,
            "%s has whole sample rates from 1 Hz on, and this is %.6g Hz: --rate sets another for the "
            "same frames; or write a table (.csv) or an array (.npy)",
            format, rate);
    if (rate != 0) return halo_fail(HALO_ERR_INPUT, "a sample rate of %g cannot be written", rate);
    return halo_fail(HALO_ERR_INPUT,
                     "frames without a sample rate, such as frequencies, are no sound: write a table "
                     "(.csv) or an array (.npy)");
}

HaloStatus halo_pcm_whole_rate(HaloWriter *writer, double most, double *rate)
{
    const double exact = writer->info.shape.rate;
    *rate = rint(exact);
    if (!(*rate >= 1 && *rate <= most)) return refuse_rate(writer->format->name, exact);
    if (fabs(*rate - exact) <= 1e-9 * exact) return HALO_OK;
    halo_note(&writer->notes, HALO_NOTE_WHOLE_RATE, 1);
    writer->notes.rate = exact;
    return HALO_OK;
}

HaloPcm halo_pcm_like(int bits, bool real)
{
    if (real) return (HaloPcm){.bits = bits > 32 ? 64 : 32, .real = true};
    return (HaloPcm){.bits = bits > 24 ? 32 : bits > 16 ? 24 : bits > 8 || bits <= 0 ? 16 : 8};
}

/* ---- in ------------------------------------------------------------------------------------------------- */

static void unpack_16(const uint8_t *from, float *to, int64_t count, int low)
{
    for (int64_t i = 0; i < count; i++)
        to[i] = (float)(int16_t)(uint16_t)(from[2 * i + low] | from[2 * i + 1 - low] << 8) * 0x1p-15f;
}

/* Of any size, left-justified in 32 bits. */
static inline double integer_at(const HaloPcm *pcm, const uint8_t *from)
{
    const int size = pcm->bits / 8;
    uint32_t v = 0;
    for (int b = 0; b < size; b++) v |= (uint32_t)from[b] << (pcm->big ? 24 - 8 * b : 32 - 8 * (size - b));
    if (pcm->raised) v ^= 0x80000000u;
    return (double)(int32_t)v * 0x1p-31;
}

static void unpack_integers(const HaloPcm *pcm, const uint8_t *from, float *to, int64_t count)
{
    for (int64_t i = 0; i < count; i++) to[i] = (float)integer_at(pcm, from + i * pcm->bits / 8);
}

static void unpack_floats(const HaloPcm *pcm, const uint8_t *from, float *to, int64_t count, uint64_t *rounded)
{
    const bool swap = pcm->big == halo_host_is_little();
    if (pcm->bits == 32) {
        memcpy(to, from, (size_t)count * sizeof *to);
        if (swap) halo_swap_bytes(to, (size_t)count, 4);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        double v;
        memcpy(&v, from + 8 * i, 8);
        if (swap) halo_swap_bytes(&v, 1, 8);
        to[i] = (float)v;
        *rounded += halo_is_rounded(v, to[i]);
    }
}

void halo_pcm_unpack(const HaloPcm *pcm, const uint8_t *from, float *to, int64_t count, uint64_t *rounded)
{
    if (pcm->real)
        unpack_floats(pcm, from, to, count, rounded);
    else if (pcm->bits == 16 && !pcm->raised)
        unpack_16(from, to, count, pcm->big ? 1 : 0);
    else
        unpack_integers(pcm, from, to, count);
}

void halo_pcm_unpack_f64(const HaloPcm *pcm, const uint8_t *from, double *to, int64_t count)
{
    const bool swap = pcm->big == halo_host_is_little();
    if (!pcm->real) {
        for (int64_t i = 0; i < count; i++) to[i] = integer_at(pcm, from + i * pcm->bits / 8);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        float single;
        uint8_t bytes[8];
        const size_t size = (size_t)pcm->bits / 8;
        memcpy(bytes, from + (size_t)i * size, size);
        if (swap) halo_swap_bytes(bytes, 1, size);
        memcpy(&single, bytes, sizeof single);
        memcpy(&to[i], bytes, sizeof *to);
        if (size == sizeof single) to[i] = single;
    }
}

/* ---- out ------------------------------------------------------------------------------------------------ */

int64_t halo_pcm_quantise(double sample, int bits, uint64_t *clipped)
{
    const double full = (double)((int64_t)1 << (bits - 1));
    double value = rint(sample * full);
    if (isnan(value)) {
        value = 0;
        ++*clipped;
    } else if (value >= full) {
        /* With more than 24 bits the greatest integers become 1 in f32, and the way back does not count as
         * clipping. */
        *clipped += bits <= 24 || sample > 1.0;
        value = full - 1;
    } else if (value < -full) {
        value = -full;
        ++*clipped;
    }
    return (int64_t)value;
}

/* The same for 16 bits without a branch, for vectors: f32 holds only integers from 2^23 on, so that adding
 * 1.5 times that rounds, half to even, what is below 2^22. */
static void quantise_16(const float *from, int16_t *to, int count, uint64_t *clipped)
{
    static const float whole = 0x1.8p23f;
    int32_t lost = 0;
    for (int i = 0; i < count; i++) {
        float v = from[i] * 32768.0f;
        v = v > 40000.0f ? 40000.0f : v;
        v = v < -40000.0f ? -40000.0f : v;
        v = (v + whole) - whole;
        lost += !(v >= -32768.0f && v <= 32767.0f);
        v = v > 32767.0f ? 32767.0f : v;
        v = v < -32768.0f ? -32768.0f : v;
        v = v == v ? v : 0.0f;
        to[i] = (int16_t)(int32_t)v;
    }
    *clipped += (uint64_t)lost;
}

static void pack_16(const HaloPcm *pcm, const float *from, uint8_t *to, int64_t count, uint64_t *clipped)
{
    int16_t block[1024];
    for (int64_t done = 0; done < count;) {
        const int n = count - done < 1024 ? (int)(count - done) : 1024;
        quantise_16(from + done, block, n, clipped);
        if (pcm->big == halo_host_is_little()) halo_swap_bytes(block, (size_t)n, 2);
        memcpy(to + 2 * done, block, 2 * (size_t)n);
        done += n;
    }
}

/* Sample i of f32 or f64. */
static inline double sample_at(HaloDtype dtype, const void *from, int64_t i)
{
    return dtype == HALO_F64 ? ((const double *)from)[i] : (double)((const float *)from)[i];
}

static void pack_integers(const HaloPcm *pcm, HaloDtype dtype, const void *from, uint8_t *to, int64_t count,
                          uint64_t *clipped)
{
    const int size = pcm->bits / 8;
    for (int64_t i = 0; i < count; i++, to += size) {
        uint32_t v = (uint32_t)halo_pcm_quantise(sample_at(dtype, from, i), pcm->bits, clipped);
        if (pcm->raised) v ^= (uint32_t)1 << (pcm->bits - 1);
        for (int b = 0; b < size; b++) to[b] = (uint8_t)(v >> 8 * (pcm->big ? size - 1 - b : b));
    }
}

static void pack_floats(const HaloPcm *pcm, HaloDtype dtype, const void *from, uint8_t *to, int64_t count)
{
    const bool swap = pcm->big == halo_host_is_little();
    if ((size_t)pcm->bits / 8 == halo_dtype_size(dtype)) {
        memcpy(to, from, (size_t)count * halo_dtype_size(dtype));
    } else {
        for (int64_t i = 0; i < count; i++) {
            const double v = sample_at(dtype, from, i);
            const float single = (float)v;
            if (pcm->bits == 32)
                memcpy(to + 4 * i, &single, 4);
            else
                memcpy(to + 8 * i, &v, 8);
        }
    }
    if (swap) halo_swap_bytes(to, (size_t)count, (size_t)pcm->bits / 8);
}

void halo_pcm_pack(const HaloPcm *pcm, HaloDtype dtype, const void *from, uint8_t *to, int64_t count,
                   uint64_t *clipped)
{
    if (pcm->real)
        pack_floats(pcm, dtype, from, to, count);
    else if (pcm->bits == 16 && !pcm->raised && dtype == HALO_F32)
        pack_16(pcm, from, to, count, clipped);
    else
        pack_integers(pcm, dtype, from, to, count, clipped);
}

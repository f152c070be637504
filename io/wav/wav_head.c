/* Walks the chunks of WAVE, RF64 and Wave64: finds the samples, and reads the metadata around them. */
#include <stdlib.h>
#include <string.h>

#include "bytes/endian.h"
#include "meta/info_list.h"
#include "wav.h"

#define MAX_CHUNK_BYTES (16 << 20)
#define MAX_CHUNKS 64
#define PEEK_BYTES 4096

/* ---- a walk that takes nothing -------------------------------------------------------------------------- */

/* `size` bytes at `at`: of a file, anywhere; on a pipe, within what can be looked at. */
static bool look(HaloSource *source, int64_t at, void *bytes, size_t size)
{
    const uint8_t *head;
    size_t got;
    const bool seeks = halo_source_seekable(source);
    if (seeks && halo_source_seek(source, at) != HALO_OK) return false;
    const int64_t from = seeks ? 0 : at;
    if (from > PEEK_BYTES) return false;
    /* No more than that: the rest may not have been recorded yet. */
    if (halo_source_peek(source, (size_t)from + size, &head, &got) != HALO_OK) return false;
    if (from > (int64_t)got || (size_t)((int64_t)got - from) < size) return false;
    memcpy(bytes, head + from, size);
    return true;
}

/* How many bytes a sample takes where that is more than its bits need; 0: no more. Where the bytes per second
 * are those of packed samples, or these are of 16 bits at most, which are not padded, the size of a frame is
 * wrong. */
static int padded(const WavHead *head, int64_t frame, int64_t per_second)
{
    const int channels = head->channels, bits = head->pcm.bits;
    if (bits <= 16 || channels < 1 || frame % channels != 0 || per_second != frame * head->rate) return 0;
    return frame / channels * 8 >= bits + 8 ? (int)(frame / channels) : 0;
}

/* PCM and floats whose frames lie side by side. */
static bool take_format(HaloSource *source, int64_t at, int64_t length, WavHead *head)
{
    uint8_t f[40];
    if (length < 16 || !look(source, at, f, length < 40 ? 16 : 40)) return false;
    unsigned tag = (unsigned)halo_get(f, 2, head->big);
    const int bits = (int)halo_get(f + 14, 2, head->big);
    if (tag == WAV_EXTENSIBLE) {
        if (length < 40) return false;
        tag = (unsigned)halo_get(f + 24, 2, head->big);
        head->speakers = (uint32_t)halo_get(f + 20, 4, head->big);
    }
    head->channels = (int)halo_get(f + 2, 2, head->big);
    head->rate = (uint32_t)halo_get(f + 4, 4, head->big);
    head->pcm = (HaloPcm){.bits = bits, .real = tag == WAV_FLOAT, .big = head->big, .raised = bits == 8};
    const int64_t frame_bytes = (int64_t)halo_get(f + 12, 2, head->big);
    if (tag == WAV_PCM || tag == WAV_FLOAT)
        head->padded = padded(head, frame_bytes, (int64_t)halo_get(f + 8, 4, head->big));
    const bool integers = tag == WAV_PCM && (bits == 8 || bits == 16 || bits == 24 || bits == 32);
    const bool floats = tag == WAV_FLOAT && (bits == 32 || bits == 64);
    return (integers || floats) && head->channels >= 1 && head->channels <= 1024 && head->rate >= 1 &&
           head->rate <= 0x7fffffff && frame_bytes == head->channels * halo_pcm_size(&head->pcm);
}

/* How many bytes of samples follow. A length that may stand for "unknown" is believed where a file holds that
 * many; a length of 0 where the length of the whole is no placeholder. */
static int64_t sample_bytes(HaloSource *source, const WavHead *head, int64_t length, int64_t wide, bool whole)
{
    const int64_t size = halo_source_size(source), there = size - head->start;
    const bool narrow = head->layout == &wav_riff;
    if (wide >= 0 && length == 0xffffffff) return wide;
    if (length == 0 && whole) return 0;
    if (!narrow && length != 0) return length; /* WAV_UNKNOWN is -1, too */
    if (!snd_is_placeholder((uint64_t)length) || (size >= 0 && length > 0 && length <= there)) return length;
    return -1;
}

/* How the file begins: sets the layout. *whole: the length of the whole is no placeholder. */
static bool look_begin(HaloSource *source, WavHead *head, bool *whole)
{
    uint8_t begin[40];
    const int64_t size = halo_source_size(source);
    if (!look(source, 0, begin, 12)) return false;
    const bool w64 = memcmp(begin, "riff", 4) == 0;
    if (w64 && !look(source, 0, begin, sizeof begin)) return false;
    head->layout = w64 ? &wav_w64 : &wav_riff;
    head->big = begin[3] == 'X';
    const uint64_t total = w64 ? halo_get_le(begin + 16, 8) : halo_get(begin + 4, 4, head->big) + 8;
    *whole = size >= 0 && total >= (uint64_t)size;
    return true;
}

HaloStatus wav_head(HaloSource *source, WavHead *head, bool *ours)
{
    uint8_t lead[24], body[16];
    WavChunk chunk;
    int64_t wide = -1;
    bool has_format = false, whole;
    *head = (WavHead){0};
    *ours = false;
    if (!look_begin(source, head, &whole)) goto out;
    const WavLayout *layout = head->layout;
    int64_t at = layout->first;
    while (look(source, at, lead, (size_t)layout->lead) && wav_chunk_read(layout, lead, head->big, &chunk)) {
        const int64_t start = at + layout->lead;
        if (memcmp(chunk.id, "data", 4) == 0) {
            head->start = start;
            head->bytes = sample_bytes(source, head, chunk.length, wide, whole);
            *ours = has_format && head->bytes != 0;
            break;
        }
        if (chunk.length == WAV_UNKNOWN || chunk.length > INT64_MAX / 2 - start) break;
        if (memcmp(chunk.id, "fmt ", 4) == 0 && !has_format) {
            has_format = take_format(source, start, chunk.length, head);
            if (!has_format) break;
        }
        if (memcmp(chunk.id, "ds64", 4) == 0 && look(source, start, body, 16)) {
            const uint64_t bytes = halo_get_le(body + 8, 8);
            wide = bytes > 0 && bytes <= INT64_MAX / 2 ? (int64_t)bytes : -1;
        }
        at = start + chunk.length + wav_pad(layout, chunk.length);
    }
out:
    return halo_source_seekable(source) ? halo_source_seek(source, 0) : HALO_OK;
}

/* ---- a walk that takes what is said --------------------------------------------------------------------- */

/* Chunks that stay true when samples change: neither counts nor peaks of them, and no filling. */
static bool is_kept(const char *id)
{
    static const char kept[][5] = {"bext", "iXML", "axml", "chna", "LIST", "cue ", "smpl", "inst", "plst",
                                   "acid", "cart", "_PMX", "umid", "id3 ", "ID3 ", "strc", "DISP", "link"};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (memcmp(id, kept[i], 4) == 0) return true;
    return false;
}

static HaloStatus skip(HaloSource *source, int64_t bytes)
{
    uint8_t buffer[4096];
    size_t got;
    if (halo_source_seekable(source)) return halo_source_seek(source, halo_source_tell(source) + bytes);
    for (; bytes > 0; bytes -= (int64_t)got) {
        const size_t want = bytes < (int64_t)sizeof buffer ? (size_t)bytes : sizeof buffer;
        const HaloStatus status = halo_source_read(source, buffer, want, &got);
        if (status != HALO_OK || got < want) return status;
    }
    return HALO_OK;
}

static HaloStatus take_chunk(HaloSource *source, const char *id, bool behind, int64_t size, HaloMeta *meta)
{
    HaloStatus status = HALO_OK;
    size_t got;
    HaloBlob body = {.data = malloc((size_t)size + 1), .size = (size_t)size};
    if (body.data == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for a chunk of WAVE");
    HALO_TRY(halo_source_read(source, body.data, body.size, &got));
    if (got < body.size) goto out; /* truncated: ignored */
    if (memcmp(id, "LIST", 4) == 0) HALO_TRY(info_list_take(&body, meta));
    HALO_TRY(halo_chunk_add(meta, id, behind, body.data, body.size));
out:
    free(body.data);
    return status;
}

HaloStatus wav_chunks(HaloSource *source, const WavHead *head, bool behind, HaloMeta *meta)
{
    HaloStatus status = HALO_OK;
    const WavLayout *layout = head->layout;
    uint8_t lead[24];
    WavChunk chunk;
    size_t got;
    for (;;) {
        HALO_TRY(halo_source_read(source, lead, (size_t)layout->lead, &got));
        if (got < (size_t)layout->lead || !wav_chunk_read(layout, lead, head->big, &chunk)) break;
        if (!behind && memcmp(chunk.id, "data", 4) == 0) break;
        const int64_t size = chunk.length, whole = halo_source_size(source);
        if (size == WAV_UNKNOWN || (whole >= 0 && size > whole - halo_source_tell(source))) break;
        if (is_kept(chunk.id) && !head->big && size > 0 && size <= MAX_CHUNK_BYTES &&
            meta->chunks < MAX_CHUNKS) {
            HALO_TRY(take_chunk(source, chunk.id, behind, size, meta));
            HALO_TRY(skip(source, wav_pad(layout, size)));
        } else {
            HALO_TRY(skip(source, size + wav_pad(layout, size)));
        }
    }
out:
    return status;
}

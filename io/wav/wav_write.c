/* Writes WAVE, RF64 (EBU Tech 3306) if 32 bits do not hold the length, and Wave64, which has 64.
 *
 * If the length is known, the header is right from the start, also on pipes. Otherwise a file reserves space
 * for RF64's sizes and gets its header at the end; on a pipe both lengths are 0xffffffff, which readers of
 * pipes take for "until the end"; those of Wave64 are 2^62. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "meta/info_list.h"
#include "wav_out.h"

/* The texts that came with other formats; WAVE's own stand in its chunks. */
static HaloStatus make_info(HaloWriter *writer)
{
    const HaloMeta *meta = &writer->info.meta;
    WavWriter *state = writer->state;
    bool own = false;
    for (size_t i = 0; i < meta->chunks; i++) own = own || info_list_is(&meta->chunk[i]);
    for (size_t i = 0; i < meta->texts; i++)
        if (!info_list_holds(meta, i, own)) halo_text_left_out(&writer->notes, &meta->text[i]);
    return own ? HALO_OK : info_list_make(meta, &state->info);
}

HaloStatus wav_create(HaloWriter *writer, int major)
{
    HaloStatus status = HALO_OK;
    HaloShape *shape = &writer->info.shape;
    WavWriter *state = writer->state = malloc(sizeof *state);
    if (state == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to write audio");
    memset(state, 0, offsetof(WavWriter, block));
    state->layout = major == SF_FORMAT_W64 ? &wav_w64 : &wav_riff;
    state->pcm = halo_pcm_like(writer->info.bits, writer->info.real);
    state->pcm.raised = state->pcm.bits == 8;
    state->endless = shape->width < 0;
    const int64_t frame = shape->channels * halo_pcm_size(&state->pcm);
    HALO_TRY(halo_pcm_whole_rate(writer, 0x7fffffff, &shape->rate));
    if (shape->channels > 1024 || (!state->endless && shape->width > INT64_MAX / 4 / frame))
        HALO_FAIL(HALO_ERR_INPUT, "%s cannot hold %d channels", writer->format->name, shape->channels);
    HALO_TRY(make_info(writer));
    state->behind = wav_chunks_bytes(writer, true);
    const int64_t bytes = state->endless ? -1 : shape->width * frame;
    state->wanted_wide = major == SF_FORMAT_RF64;
    state->wide = state->wanted_wide && !state->endless;
    if (!state->endless && wav_needs_wide(writer, wav_total_bytes(writer, bytes, state->behind)))
        state->wide = true;
    HALO_TRY(wav_put_header(writer, state->endless ? -1 : wav_total_bytes(writer, bytes, state->behind), bytes,
                            shape->width));
    state->start = state->at;
out:
    return status;
}

/* ---- samples and the end -------------------------------------------------------------------------------- */

HaloStatus wav_write(HaloWriter *writer, const HaloBuf *rows)
{
    HaloStatus status = HALO_OK;
    WavWriter *state = writer->state;
    const int64_t samples = rows->cols * rows->shape.channels, size = halo_pcm_size(&state->pcm);
    const int64_t sample = (int64_t)halo_dtype_size(rows->shape.dtype);
    for (int64_t done = 0; done < samples;) {
        const int64_t count = samples - done < WAV_BLOCK_SAMPLES ? samples - done : WAV_BLOCK_SAMPLES;
        halo_pcm_pack(&state->pcm, rows->shape.dtype, (const char *)rows->data + done * sample, state->block,
                      count, &writer->clipped);
        HALO_TRY(wav_put(writer, state->block, (size_t)(count * size)));
        done += count;
    }
    state->frames += rows->cols;
out:
    return status;
}

/* The header again, with what is known now. */
static HaloStatus rewrite_header(HaloWriter *writer, int64_t bytes, int64_t behind)
{
    HaloStatus status = HALO_OK;
    WavWriter *state = writer->state;
    const int64_t end = state->at, total = wav_total_bytes(writer, bytes, behind);
    state->wide = state->wide || (state->endless && (state->wanted_wide || wav_needs_wide(writer, total)));
    HALO_TRY(halo_sink_seek(writer->sink, 0));
    HALO_TRY(wav_put_header(writer, total, bytes, state->frames));
    HALO_TRY(halo_sink_seek(writer->sink, end));
out:
    return status;
}

/* Chunks that came after the samples of a pipe are not counted in the header yet, so they are written only if
 * the header can be corrected. */
HaloStatus wav_finish(HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    WavWriter *state = writer->state;
    const int64_t bytes = state->at - state->start;
    int64_t behind = wav_chunks_bytes(writer, true);
    const bool seeks = halo_sink_seekable(writer->sink);
    const bool fits =
        state->wide || state->endless || !wav_needs_wide(writer, wav_total_bytes(writer, bytes, behind));
    /* A reader that reads to the end would take the padding for samples. */
    if (seeks || !state->endless) HALO_TRY(wav_put_pad(writer, bytes));
    if (behind != state->behind && (!seeks || !fits)) behind = state->behind;
    if (behind > 0 && behind == wav_chunks_bytes(writer, true)) HALO_TRY(wav_put_chunks(writer, true));
    if (seeks && (state->endless || behind != state->behind)) HALO_TRY(rewrite_header(writer, bytes, behind));
out:
    return status;
}

void wav_discard(HaloWriter *writer)
{
    WavWriter *state = writer->state;
    if (state != NULL) free(state->info.data);
    free(state);
    writer->state = NULL;
}

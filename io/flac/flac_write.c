/* Writes FLAC of 8, 16 or 24 bits, or of 32, if it was read from such integers and not computed: halo rounds,
 * libFLAC packs. The header, with the length and the MD5 of all samples, is updated at the end; if the sink
 * cannot seek, the file is assembled in memory first. */
#ifdef HALO_HAVE_FLAC
#include <FLAC/metadata.h>
#include <FLAC/stream_encoder.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bytes/spool.h"
#include "flac.h"
#include "meta/comment.h"
#include "samples/pcm.h"

#define BLOCK_SAMPLES 16384
#define MOST_BLOCK_BYTES (1u << FLAC__STREAM_METADATA_LENGTH_LEN)

typedef struct FlacWriter {
    HaloSink *sink;
    bool spools;
    HaloSpool spool;
    int64_t at;        /* of the file */
    HaloStatus status; /* the first failure of the sink */
    FLAC__StreamEncoder *encoder;
    FLAC__StreamMetadata **block; /* of metadata */
    unsigned blocks;
    int bits;
    FLAC__int32 samples[BLOCK_SAMPLES];
} FlacWriter;

/* ---- what libFLAC calls --------------------------------------------------------------------------------- */

static FLAC__StreamEncoderWriteStatus put_bytes(const FLAC__StreamEncoder *encoder, const FLAC__byte *bytes,
                                                size_t size, uint32_t samples, uint32_t frame, void *context)
{
    FlacWriter *state = context;
    (void)encoder, (void)samples, (void)frame;
    if (state->status == HALO_OK)
        state->status = state->spools ? halo_spool_write(&state->spool, state->at, bytes, size)
                                      : halo_sink_write(state->sink, bytes, size);
    state->at += (int64_t)size;
    return state->status == HALO_OK ? FLAC__STREAM_ENCODER_WRITE_STATUS_OK
                                    : FLAC__STREAM_ENCODER_WRITE_STATUS_FATAL_ERROR;
}

static FLAC__StreamEncoderSeekStatus go_to(const FLAC__StreamEncoder *encoder, FLAC__uint64 place,
                                           void *context)
{
    FlacWriter *state = context;
    (void)encoder;
    if (state->status == HALO_OK && !state->spools) state->status = halo_sink_seek(state->sink, (int64_t)place);
    state->at = (int64_t)place;
    return state->status == HALO_OK ? FLAC__STREAM_ENCODER_SEEK_STATUS_OK
                                    : FLAC__STREAM_ENCODER_SEEK_STATUS_ERROR;
}

static FLAC__StreamEncoderTellStatus tell(const FLAC__StreamEncoder *encoder, FLAC__uint64 *place,
                                          void *context)
{
    (void)encoder;
    *place = (FLAC__uint64)((FlacWriter *)context)->at;
    return FLAC__STREAM_ENCODER_TELL_STATUS_OK;
}

/* ---- metadata ------------------------------------------------------------------------------------------- */

static HaloStatus no_memory(void) { return halo_fail(HALO_ERR_LIMIT, "not enough memory to write audio"); }

static HaloStatus add_comment(void *context, const char *comment, size_t size)
{
    FLAC__StreamMetadata *block = context;
    FLAC__StreamMetadata_VorbisComment_Entry entry = {.length = (FLAC__uint32)size,
                                                      .entry = (FLAC__byte *)(uintptr_t)comment};
    if (size >= MOST_BLOCK_BYTES - block->length - 4) return HALO_OK; /* no block holds that much */
    return FLAC__metadata_object_vorbiscomment_append_comment(block, entry, true) ? HALO_OK : no_memory();
}

/* There may be one icon of each of two kinds, and the first is a PNG of 32 x 32 (RFC 9639, 8.8). */
static bool is_another_icon(const FlacWriter *state, const FLAC__StreamMetadata_Picture *picture)
{
    if (picture->type != FLAC__STREAM_METADATA_PICTURE_TYPE_FILE_ICON_STANDARD &&
        picture->type != FLAC__STREAM_METADATA_PICTURE_TYPE_FILE_ICON)
        return false;
    for (unsigned i = 0; i < state->blocks; i++)
        if (state->block[i]->type == FLAC__METADATA_TYPE_PICTURE &&
            state->block[i]->data.picture.type == picture->type)
            return true;
    return picture->type == FLAC__STREAM_METADATA_PICTURE_TYPE_FILE_ICON_STANDARD &&
           strcmp(picture->mime_type, "-->") != 0 &&
           (strcmp(picture->mime_type, "image/png") != 0 || picture->width != 32 || picture->height != 32);
}

static HaloStatus make_blocks(HaloWriter *writer)
{
    FlacWriter *state = writer->state;
    const HaloMeta *meta = &writer->info.meta;
    HaloStatus status = HALO_OK;
    char speakers[FLAC_SPEAKERS_TEXT];
    const bool speaks = flac_speakers_comment(&writer->info, speakers);
    if (meta->texts == 0 && meta->pictures == 0 && !speaks) return HALO_OK;
    state->block = calloc(meta->pictures + 1, sizeof *state->block);
    if (state->block == NULL) return no_memory();
    FLAC__StreamMetadata *said = state->block[0] =
        FLAC__metadata_object_new(FLAC__METADATA_TYPE_VORBIS_COMMENT);
    if (said == NULL) return no_memory();
    state->blocks = 1;
    if (speaks) HALO_TRY(add_comment(said, speakers, strlen(speakers)));
    HALO_TRY(halo_comments_put(meta, false, &writer->notes, add_comment, said));
    for (size_t i = 0; i < meta->pictures; i++) {
        FLAC__StreamMetadata *block = flac_make_picture(&meta->picture[i], &status);
        if (status != HALO_OK) goto out;
        if (block != NULL && is_another_icon(state, &block->data.picture)) {
            FLAC__metadata_object_delete(block);
            block = NULL;
        }
        if (block != NULL)
            state->block[state->blocks++] = block;
        else
            halo_note_left_out(&writer->notes, HALO_META_PICTURES);
    }
out:
    return status;
}

/* ---- the file ------------------------------------------------------------------------------------------- */

static HaloStatus open_encoder(HaloWriter *writer, unsigned rate)
{
    FlacWriter *state = writer->state;
    FLAC__StreamEncoder *encoder = state->encoder = FLAC__stream_encoder_new();
    if (encoder == NULL) return no_memory();
    FLAC__stream_encoder_set_channels(encoder, (unsigned)writer->info.shape.channels);
    FLAC__stream_encoder_set_bits_per_sample(encoder, (unsigned)state->bits);
    FLAC__stream_encoder_set_sample_rate(encoder, rate);
    FLAC__stream_encoder_set_compression_level(encoder, 5);
    FLAC__stream_encoder_set_streamable_subset(encoder, FLAC__format_sample_rate_is_subset(rate));
    if (state->blocks > 0 && !FLAC__stream_encoder_set_metadata(encoder, state->block, state->blocks))
        return no_memory();
    const FLAC__StreamEncoderInitStatus done =
        FLAC__stream_encoder_init_stream(encoder, put_bytes, go_to, tell, NULL, state);
    if (state->status != HALO_OK || done == FLAC__STREAM_ENCODER_INIT_STATUS_OK) return state->status;
    if (FLAC__stream_encoder_get_state(encoder) == FLAC__STREAM_ENCODER_MEMORY_ALLOCATION_ERROR)
        return no_memory();
    return halo_fail(HALO_ERR_OUTPUT, "cannot write FLAC: %s", FLAC__StreamEncoderInitStatusString[done]);
}

HaloStatus flac_create(HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = &writer->info.shape;
    double rate;
    const int wish = writer->info.bits;
    if (writer->options.bits > 24 || writer->options.floats)
        HALO_FAIL(HALO_ERR_USAGE, "FLAC is written with 8, 16 or 24 bits");
    FlacWriter *state = writer->state = malloc(sizeof *state);
    if (state == NULL) return no_memory();
    memset(state, 0, offsetof(FlacWriter, samples));
    state->sink = writer->sink;
    state->spool.memory = writer->memory;
    state->spools = !halo_sink_seekable(writer->sink);
    state->bits = writer->info.real || wish > 16 ? 24 : wish > 8 || wish <= 0 ? 16 : 8;
    if (shape->dtype == HALO_F64 && !writer->info.real && wish > 24) state->bits = 32;
    HALO_TRY(halo_pcm_whole_rate(writer, FLAC__MAX_SAMPLE_RATE, &rate));
    if (shape->channels < 1 || shape->channels > (int)FLAC__MAX_CHANNELS)
        HALO_FAIL(HALO_ERR_INPUT, "FLAC cannot store %d channels at %d Hz", shape->channels, (int)rate);
    HALO_TRY(make_blocks(writer));
    HALO_TRY(open_encoder(writer, (unsigned)rate));
out:
    return status;
}

static HaloStatus encoder_failed(const FlacWriter *state)
{
    if (state->status != HALO_OK) return state->status;
    if (FLAC__stream_encoder_get_state(state->encoder) == FLAC__STREAM_ENCODER_MEMORY_ALLOCATION_ERROR)
        return no_memory();
    return halo_fail(HALO_ERR_OUTPUT, "cannot write FLAC: %s",
                     FLAC__stream_encoder_get_resolved_state_string(state->encoder));
}

HaloStatus flac_write(HaloWriter *writer, const HaloBuf *rows)
{
    FlacWriter *state = writer->state;
    const int channels = writer->info.shape.channels;
    const bool wide = rows->shape.dtype == HALO_F64;
    for (int64_t done = 0; done < rows->cols;) {
        const int64_t most = BLOCK_SAMPLES / channels, left = rows->cols - done;
        const int64_t count = left < most ? left : most;
        const void *from = halo_at(rows, rows->x0 + done, rows->y0);
        for (int64_t i = 0; i < count * channels; i++) {
            const double sample = wide ? ((const double *)from)[i] : (double)((const float *)from)[i];
            state->samples[i] = (FLAC__int32)halo_pcm_quantise(sample, state->bits, &writer->clipped);
        }
        if (!FLAC__stream_encoder_process_interleaved(state->encoder, state->samples, (unsigned)count))
            return encoder_failed(state);
        done += count;
    }
    return HALO_OK;
}

HaloStatus flac_finish(HaloWriter *writer)
{
    FlacWriter *state = writer->state;
    if (!FLAC__stream_encoder_finish(state->encoder)) return encoder_failed(state);
    if (state->status != HALO_OK || !state->spools) return state->status;
    return halo_sink_write(writer->sink, state->spool.bytes, (size_t)state->spool.end);
}

void flac_discard(HaloWriter *writer)
{
    FlacWriter *state = writer->state;
    if (state == NULL) return;
    if (state->status == HALO_OK) state->status = HALO_ERR_OUTPUT; /* discards what libFLAC still writes */
    if (state->encoder != NULL) FLAC__stream_encoder_delete(state->encoder);
    for (unsigned i = 0; i < state->blocks; i++) FLAC__metadata_object_delete(state->block[i]);
    free(state->block);
    halo_spool_free(&state->spool);
    free(state);
    writer->state = NULL;
}

#endif

/* The callbacks through which libFLAC reads bytes and seeks. */
#ifdef HALO_HAVE_FLAC
#include "flacreader.h"

void flac_keep_failure(FlacReader *state, HaloStatus status)
{
    if (state->failed.status == HALO_OK && status != HALO_OK) halo_failure_keep(&state->failed, status);
}

bool flac_goes_back(const FlacReader *state)
{
    const HaloSource *source = state->reader->source;
    return halo_source_seekable(source) && halo_source_size(source) >= 0;
}

static FLAC__StreamDecoderReadStatus give_bytes(const FLAC__StreamDecoder *decoder, FLAC__byte *to,
                                                size_t *size, void *context)
{
    FlacReader *state = context;
    size_t got = 0;
    (void)decoder;
    flac_keep_failure(state, halo_source_read(state->reader->source, to, *size, &got));
    *size = got;
    if (state->failed.status != HALO_OK) return FLAC__STREAM_DECODER_READ_STATUS_ABORT;
    return got > 0 ? FLAC__STREAM_DECODER_READ_STATUS_CONTINUE : FLAC__STREAM_DECODER_READ_STATUS_END_OF_STREAM;
}

/* libFLAC looks for a frame by these, where the source can go back. */
static FLAC__StreamDecoderSeekStatus go_to_byte(const FLAC__StreamDecoder *decoder, FLAC__uint64 to,
                                                void *context)
{
    FlacReader *state = context;
    (void)decoder;
    flac_keep_failure(state, halo_source_seek(state->reader->source, (int64_t)to));
    return state->failed.status == HALO_OK ? FLAC__STREAM_DECODER_SEEK_STATUS_OK
                                           : FLAC__STREAM_DECODER_SEEK_STATUS_ERROR;
}

static FLAC__StreamDecoderTellStatus tell_byte(const FLAC__StreamDecoder *decoder, FLAC__uint64 *at,
                                               void *context)
{
    const FlacReader *state = context;
    (void)decoder;
    *at = (FLAC__uint64)halo_source_tell(state->reader->source);
    return FLAC__STREAM_DECODER_TELL_STATUS_OK;
}

static FLAC__StreamDecoderLengthStatus tell_size(const FLAC__StreamDecoder *decoder, FLAC__uint64 *size,
                                                 void *context)
{
    const FlacReader *state = context;
    (void)decoder;
    *size = (FLAC__uint64)halo_source_size(state->reader->source);
    return FLAC__STREAM_DECODER_LENGTH_STATUS_OK;
}

static FLAC__bool is_at_end(const FLAC__StreamDecoder *decoder, void *context)
{
    const FlacReader *state = context;
    (void)decoder;
    return halo_source_tell(state->reader->source) >= halo_source_size(state->reader->source);
}

FLAC__StreamDecoderInitStatus flac_listen(FlacReader *state, FLAC__StreamDecoderWriteCallback take_frames,
                                          FLAC__StreamDecoderMetadataCallback take_block,
                                          FLAC__StreamDecoderErrorCallback note_damage)
{
    const bool back = flac_goes_back(state);
    return FLAC__stream_decoder_init_stream(state->decoder, give_bytes, back ? go_to_byte : NULL, tell_byte,
                                            back ? tell_size : NULL, back ? is_at_end : NULL, take_frames,
                                            take_block, note_damage, state);
}

#endif

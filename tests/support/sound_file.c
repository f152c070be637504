#include "sound_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

const HaloFormat *const lossless_sound[LOSSLESS_SOUND] = {&halo_format_wav,  &halo_format_flac,
                                                          &halo_format_aiff, &halo_format_au,
                                                          &halo_format_w64,  &halo_format_rf64};

HaloInfo sound_info(int bits, bool real, int channels, int64_t frames)
{
    return (HaloInfo){.shape = {.kind = HALO_AUDIO,
                                .dtype = HALO_F32,
                                .width = frames,
                                .height = 1,
                                .channels = channels,
                                .alpha = -1,
                                .white = 1.0f,
                                .rate = 22050},
                      .bits = bits,
                      .real = real};
}

HaloStatus save_sound_to(const char *name, const HaloFormat *format, const HaloInfo *info, float *samples,
                         int64_t frames, uint64_t *clipped)
{
    const HaloSinkOptions options = {.force = true};
    HaloSink *sink = NULL;
    HaloStatus status = halo_sink_open(name, &options, &sink);
    if (status != HALO_OK) return status;
    HaloWriter writer = {.format = format, .sink = sink, .info = *info};
    status = format->create(&writer);
    const int64_t half = frames / 2; /* in two calls, as bands come */
    for (int part = 0; part < 2 && status == HALO_OK; part++) {
        const int64_t first = part ? half : 0, count = part ? frames - half : half;
        HaloBuf rows = {.shape = info->shape, .x0 = first, .cols = count, .rows = 1};
        rows.data = samples + first * info->shape.channels;
        status = format->write(&writer, &rows);
    }
    if (status == HALO_OK) status = format->finish(&writer);
    format->discard(&writer);
    if (clipped) *clipped = writer.clipped;
    if (status == HALO_OK) return halo_sink_commit(sink);
    halo_sink_abandon(sink);
    return status;
}

Bytes save_sound(const HaloFormat *format, int bits, bool real, int channels, float *samples, int64_t frames,
                 uint64_t *clipped)
{
    const HaloInfo info = sound_info(bits, real, channels, frames);
    static char path[4200]; /* of the one file that is written and read again */
    snprintf(path, sizeof path, "%s/sound", test_folder());
    const HaloStatus status = save_sound_to(path, format, &info, samples, frames, clipped);
    if (status != HALO_OK) fail_msg("%s, %d bits: %s", format->name, bits, halo_error());
    return bytes_of_file(path);
}

HaloStatus load_sound_from(HaloSource *source, const HaloFormat *format, bool tolerate, Sound *sound)
{
    HaloReader reader = {.format = format, .source = source, .options = {.tolerate = tolerate}};
    HaloStatus status = format->open(&reader);
    *sound = (Sound){.info = reader.info};
    if (status == HALO_OK) {
        const HaloShape *shape = &reader.info.shape;
        const int64_t capacity = shape->width < 0 ? 1 << 20 : shape->width;
        sound->at = malloc((size_t)(capacity * shape->channels) * sizeof(float));
        assert_non_null(sound->at);
        while (sound->frames < capacity && status == HALO_OK) { /* in calls of odd sizes */
            const int64_t left = capacity - sound->frames, count = left < 70001 ? left : 70001;
            HaloBuf rows = {.shape = *shape, .x0 = sound->frames, .cols = count, .rows = 1};
            rows.data = sound->at + sound->frames * shape->channels;
            int64_t got;
            status = format->read(&reader, &rows, &got);
            sound->frames += got;
            if (got < count) break;
        }
    }
    format->close(&reader);
    if (status != HALO_OK) {
        halo_meta_free(&reader.info.meta);
        sound->info.meta = (HaloMeta){0};
        free(sound->at);
        sound->at = NULL;
    }
    return status;
}

HaloStatus load_sound(Bytes file, const HaloFormat *format, bool tolerate, Sound *sound)
{
    HaloSource *source;
    assert_int_equal(halo_source_from_memory(file.at, file.size, &source), HALO_OK);
    const HaloStatus status = load_sound_from(source, format, tolerate, sound);
    halo_source_close(source);
    return status;
}

Sound must_load_sound(Bytes file, const HaloFormat *format)
{
    Sound sound;
    if (load_sound(file, format, false, &sound) != HALO_OK) fail_msg("%s: %s", format->name, halo_error());
    return sound;
}

void must_refuse_sound(Bytes file, const HaloFormat *format, const char *because)
{
    Sound sound;
    assert_int_equal(load_sound(file, format, false, &sound), HALO_ERR_INPUT);
    if (!strstr(halo_error(), because)) fail_msg("\"%s\" does not speak of \"%s\"", halo_error(), because);
}

float *ramp(int bits, int64_t count)
{
    float *samples = malloc((size_t)count * sizeof *samples);
    const int64_t full = (int64_t)1 << (bits - 1);
    for (int64_t i = 0; i < count; i++) /* spread over the range, ends included */
        samples[i] = (float)((double)(-full + i * (2 * full - 1) / (count - 1)) / (double)full);
    return samples;
}

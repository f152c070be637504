/* Quality and bit rate of lossy codecs. libsndfile has one number for both: a level of compression from 0, the
 * best, to 1. */
#include "snd_rate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bytes/endian.h"
#include "bytes/spool.h"
#include "halo/text.h"
#include "halo/thread.h"

static HaloStatus refuse(const HaloWriter *writer, double least, double most)
{
    const HaloShape *shape = &writer->info.shape;
    return halo_fail(HALO_ERR_USAGE, "--bitrate: %s of %d channel%s at %.10g Hz has %.0fk to %.0fk, not %dk",
                     writer->format->name, shape->channels, halo_s(shape->channels), shape->rate, ceil(least),
                     floor(most), writer->options.bitrate);
}

/* libsndfile has learnt some of this over the years; the one that is there may be older. */
static HaloStatus not_settable(const HaloWriter *writer)
{
    return halo_fail(HALO_ERR_USAGE, "this libsndfile cannot set the quality or bit rate of %s",
                     writer->format->name);
}

/* ---- Opus: 6 to 256 kilobits per second and channel ----------------------------------------------------- */

static double opus_level(double kbps) { return 1 - (kbps - 6) / 250; }

static HaloStatus level_of_opus(const HaloWriter *writer, double *level)
{
    const int channels = writer->info.shape.channels, kbps = writer->options.bitrate;
    if (kbps == 0) { /* in equal ratios */
        *level = opus_level(6 * pow(256.0 / 6, writer->options.quality / 100.0));
        return HALO_OK;
    }
    *level = opus_level((double)kbps / channels);
    return *level >= 0 && *level <= 1 ? HALO_OK : refuse(writer, 6.0 * channels, 256.0 * channels);
}

/* ---- MP3: V0 to V9.9, or a constant rate ---------------------------------------------------------------- */

static HaloStatus level_of_mp3(const HaloWriter *writer, SNDFILE *file, double *level)
{
    const bool full = writer->info.shape.rate >= 32000; /* MPEG-1; others are MPEG-2 and 2.5 */
    const double least = full ? 32 : 8,
                 most = full                               ? 320
                        : writer->info.shape.rate >= 16000 ? 160
                                                           : 64,
                 range = full ? 288 : 152; /* of libsndfile */
    const int kbps = writer->options.bitrate;
    int mode = kbps > 0 ? SF_BITRATE_MODE_CONSTANT : SF_BITRATE_MODE_VARIABLE;
    if (kbps > 0 && (kbps < least || kbps > most)) return refuse(writer, least, most);
    sf_command(file, SFC_SET_BITRATE_MODE, &mode, sizeof mode);
    if (sf_command(file, SFC_GET_BITRATE_MODE, NULL, 0) != mode) return not_settable(writer);
    *level = kbps > 0 ? (least + range - kbps - 0.5) / range : 1 - writer->options.quality / 100.0;
    if (*level < 0) *level = 0;
    return HALO_OK;
}

/* ---- Vorbis: q0 to q10, each of which has a nominal rate ------------------------------------------------ */

/* A file without sound, whose header names the rate. */
typedef struct Trial {
    SF_INFO info;
    HaloSpool spool;
    int64_t at, end;
    double level, kbps; /* kbps 0: there is no such file */
} Trial;

static sf_count_t trial_length(void *user) { return ((Trial *)user)->end; }
static sf_count_t trial_tell(void *user) { return ((Trial *)user)->at; }

static sf_count_t trial_seek(sf_count_t offset, int whence, void *user)
{
    Trial *trial = user;
    return trial->at = offset + (whence == SEEK_CUR ? trial->at : whence == SEEK_END ? trial->end : 0);
}

static sf_count_t trial_read(void *bytes, sf_count_t size, void *user)
{
    (void)bytes, (void)size, (void)user;
    return 0;
}

static sf_count_t trial_write(const void *bytes, sf_count_t size, void *user)
{
    Trial *trial = user;
    if (size <= 0 || halo_spool_write(&trial->spool, trial->at, bytes, (size_t)size) != HALO_OK) return 0;
    trial->at += size;
    if (trial->at > trial->end) trial->end = trial->at;
    return size;
}

static HaloStatus run_trial(void *context)
{
    enum { NOMINAL = 28 + 20, HEADER = 28 + 30 };
    static SF_VIRTUAL_IO vio = {trial_length, trial_seek, trial_read, trial_write, trial_tell};
    Trial *trial = context;
    SF_INFO info = trial->info;
    trial->at = trial->end = 0;
    trial->kbps = 0;
    SNDFILE *file = sf_open_virtual(&vio, SFM_WRITE, &info, trial);
    float *silence = file != NULL ? calloc((size_t)info.channels, sizeof *silence) : NULL;
    if (silence != NULL) {
        sf_command(file, SFC_SET_COMPRESSION_LEVEL, &trial->level, sizeof trial->level);
        sf_writef_float(file, silence, 1);
    }
    if (file != NULL) sf_close(file);
    free(silence);
    if (trial->end >= HEADER && memcmp(trial->spool.bytes + 28, "\1vorbis", 7) == 0)
        trial->kbps = (double)halo_get_le(trial->spool.bytes + NOMINAL, 4) / 1000;
    return trial->kbps > 0 ? HALO_OK : halo_fail(HALO_ERR_LIMIT, "not enough memory to encode Ogg");
}

/* The level whose nominal rate is the wanted one. */
static HaloStatus level_of_vorbis(const HaloWriter *writer, const SF_INFO *info, double *level)
{
    HaloStatus status = HALO_OK;
    Trial trial = {.info = *info, .spool = {.memory = writer->memory}};
    double range[2] = {0, 1}, kbps[2];
    if (writer->options.bitrate == 0) {
        *level = 1 - writer->options.quality / 100.0;
        return HALO_OK;
    }
    for (int i = 0; i < 2; i++) {
        trial.level = range[i];
        HALO_TRY(halo_thread_call(run_trial, &trial));
        kbps[i] = trial.kbps;
    }
    if (writer->options.bitrate > ceil(kbps[0]) || writer->options.bitrate < floor(kbps[1]))
        HALO_TRY(refuse(writer, kbps[1], kbps[0]));
    for (int i = 0; i < 10; i++) {
        trial.level = (range[0] + range[1]) / 2;
        HALO_TRY(halo_thread_call(run_trial, &trial));
        range[trial.kbps < writer->options.bitrate] = trial.level;
    }
    *level = (range[0] + range[1]) / 2;
out:
    halo_spool_free(&trial.spool);
    return status;
}

HaloStatus snd_set_rate(const HaloWriter *writer, SNDFILE *file, const SF_INFO *info)
{
    HaloStatus status = HALO_OK;
    double level = 0;
    if (writer->options.quality == 0 && writer->options.bitrate == 0) return HALO_OK;
    switch (info->format & SF_FORMAT_SUBMASK) {
    case SF_FORMAT_OPUS: HALO_TRY(level_of_opus(writer, &level)); break;
    case SF_FORMAT_VORBIS: HALO_TRY(level_of_vorbis(writer, info, &level)); break;
    case SF_FORMAT_MPEG_LAYER_III: HALO_TRY(level_of_mp3(writer, file, &level)); break;
    default: return HALO_OK;
    }
    if (sf_command(file, SFC_SET_COMPRESSION_LEVEL, &level, sizeof level) != SF_TRUE)
        HALO_TRY(not_settable(writer));
out:
    return status;
}

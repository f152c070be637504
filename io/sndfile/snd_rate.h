/* Quality and bit rate of lossy codecs (snd_rate.c). */
#ifndef HALO_IO_SND_RATE_H
#define HALO_IO_SND_RATE_H

#include "libsndfile.h"

#include "halo/format.h"

/* Sets what --quality or --bitrate says, before the first sample; without them it does nothing. */
HaloStatus snd_set_rate(const HaloWriter *writer, SNDFILE *file, const SF_INFO *info);

#endif

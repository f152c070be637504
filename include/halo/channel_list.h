/* Lists of channels, as `on=` takes them (core/base/channel_list.c). */
#ifndef HALO_CHANNEL_LIST_H
#define HALO_CHANNEL_LIST_H

#include "halo/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HALO_CHANNEL_RUNS 12

/* Channels in rising order, counted from 0, as runs of neighbours. */
typedef struct HaloChannelList {
    int runs, first[HALO_CHANNEL_RUNS], last[HALO_CHANNEL_RUNS];
} HaloChannelList;

/* "2,3" or "1-3,5", counted from 1; HALO_ERR_USAGE with a message that begins with `where`. */
HALO_API HaloStatus halo_read_channels(const char *where, const char *text, HaloChannelList *list);
/* The check of such a parameter. */
HALO_API HaloStatus halo_check_channels(const char *where, const char *text);
HALO_API int halo_count_channels(const HaloChannelList *list);

#ifdef __cplusplus
}
#endif
#endif

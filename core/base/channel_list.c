/* Lists of channels as the user writes them: "2,3", "1-3,5". */
#include "halo/channel_list.h"

#include "halo/fail.h"
#include "halo/text.h"

#define MOST 65536

static bool read_run(const char *text, int64_t *first, int64_t *last, const char **end)
{
    if (!halo_read_int(text, 1, MOST, first, end)) return false;
    *last = *first;
    if (**end == '-' && !halo_read_int(*end + 1, *first, MOST, last, end)) return false;
    while (halo_is_blank(**end)) (*end)++;
    return **end == ',' || **end == 0;
}

HaloStatus halo_read_channels(const char *where, const char *text, HaloChannelList *list)
{
    int64_t first, last, before = 0;
    *list = (HaloChannelList){0};
    for (const char *at = text, *end; at != NULL; at = *end == ',' ? end + 1 : NULL) {
        while (halo_is_blank(*at)) at++;
        if (!read_run(at, &first, &last, &end) || first <= before)
            return halo_fail(HALO_ERR_USAGE,
                             "%s: expected channels in rising order, counted from 1, such as 2,3 or 1-3, found "
                             "'%.60s'",
                             where, text);
        before = last;
        if (list->runs > 0 && list->last[list->runs - 1] == first - 2) {
            list->last[list->runs - 1] = (int)last - 1;
            continue;
        }
        if (list->runs == HALO_CHANNEL_RUNS)
            return halo_fail(HALO_ERR_USAGE, "%s: more than %d ranges of channels: use several operations",
                             where, HALO_CHANNEL_RUNS);
        list->first[list->runs] = (int)first - 1;
        list->last[list->runs++] = (int)last - 1;
    }
    return HALO_OK;
}

HaloStatus halo_check_channels(const char *where, const char *text)
{
    HaloChannelList list;
    return halo_read_channels(where, text, &list);
}

int halo_count_channels(const HaloChannelList *list)
{
    int count = 0;
    for (int i = 0; i < list->runs; i++) count += list->last[i] - list->first[i] + 1;
    return count;
}

#include "border.h"

#include "halo/words.h"

#define ROW(name, word, index, reach, pads, default_of, also, help) \
    {word, HALO_REACH_##reach, default_of, also},
static const Border table[] = {HALO_BORDERS(ROW)};
#undef ROW

const Border *border_row(HaloBorder border) { return &table[border]; }

HaloBorder border_default(HaloKind kind)
{
    int border = 0;
    while ((table[border].default_of & (int)kind) == 0) border++;
    return (HaloBorder)border;
}

int border_known_as(const char *text)
{
    for (int i = 0; i < HALO_BORDER_COUNT; i++)
        if (halo_find_word(table[i].also, ' ', text) >= 0) return i;
    return -1;
}

/* The meaning of an array's dimensions, and the strides of its samples. */
#include "array.h"

#include <limits.h>
#include <string.h>

#include "halo/text.h"

static HaloStatus refuse(const HaloArrayHead *head)
{
    const long long last = head->dim[head->dims - 1];
    if (head->dims == 3)
        return halo_fail(HALO_ERR_INPUT,
                         "an array of 3 dimensions, the last of %lld: use --axes=nhw (or zyx) for pages, "
                         "--axes=hwc for channels",
                         last);
    return halo_fail(HALO_ERR_INPUT,
                     "an array of %d dimensions, the last of %lld: name them with --axes, such as nhwc or tzyx",
                     head->dims, last);
}

/* The layout without --axes: a last dimension of up to 4 is channels. */
static HaloStatus guess(const HaloArrayHead *head, HaloAxes *axes)
{
    static const char *const usual[] = {"w", "hw", "hwc", "nhwc"};
    if (head->dims > 4 || (head->dims > 2 && head->dim[head->dims - 1] > 4)) return refuse(head);
    *axes = (HaloAxes){.count = head->dims};
    memcpy(axes->letter, usual[head->dims - 1], (size_t)head->dims);
    return HALO_OK;
}

static HaloStatus choose(const HaloArrayHead *head, const char *text, HaloAxes *axes)
{
    if (text == NULL && head->axes.count > 0) *axes = head->axes;
    if (text == NULL) return head->axes.count > 0 ? HALO_OK : guess(head, axes);
    const HaloStatus status = halo_read_axes(text, axes);
    if (status != HALO_OK || axes->count == head->dims) return status;
    return halo_fail(HALO_ERR_INPUT, "an array of %d dimensions; name them with --axes, such as %s", head->dims,
                     head->dims > 4    ? "tzhwc"
                     : head->dims == 4 ? "nhwc"
                     : head->dims == 3 ? "hwc or nhw"
                                       : "hw");
}

/* The dimension's place in the layout. */
static HaloArrayAxis *axis_of(HaloArrayLayout *layout, char letter)
{
    switch (letter) {
    case 'h': return &layout->row;
    case 'w': return &layout->column;
    case 'c': return &layout->channel;
    default: return &layout->page[layout->page_axes++];
    }
}

/* Lengths, and the steps of an array in C's order or Fortran's. Volumes follow one another as a whole, however
 * their samples lie. */
static HaloStatus place(const HaloArrayHead *head, const HaloAxes *axes, HaloArrayLayout *layout)
{
    int64_t step[HALO_MOST_AXES];
    *layout = (HaloArrayLayout){.row = {1, 0}, .column = {1, 0}, .channel = {1, 0}, .pages = 1, .samples = 1};
    for (int i = 0; i < head->dims; i++) {
        const int at = head->fortran ? i : head->dims - 1 - i;
        step[at] = layout->samples;
        if (!halo_mul(layout->samples, head->dim[at], &layout->samples) || layout->samples > INT64_MAX / 16)
            return halo_fail(HALO_ERR_LIMIT, "the array has more samples than can be addressed");
    }
    for (int i = 0; i < head->dims; i++)
        if (axes->letter[i] == 't') layout->page[layout->page_axes++] = (HaloArrayAxis){head->dim[i], step[i]};
    for (int i = 0; i < head->dims; i++)
        if (axes->letter[i] != 't') *axis_of(layout, axes->letter[i]) = (HaloArrayAxis){head->dim[i], step[i]};
    for (int i = 0; i < layout->page_axes; i++) layout->pages *= layout->page[i].length;
    layout->axes = *axes;
    return HALO_OK;
}

/* Would this axis have the same step in C's order of pages, rows, columns and channels? Takes its part of
 * `step`. */
static bool in_order(const HaloArrayAxis *axis, int64_t *step)
{
    const bool same = axis->length == 1 || axis->step == *step;
    *step *= axis->length;
    return same;
}

static bool is_plain(const HaloArrayLayout *layout)
{
    int64_t step = 1;
    bool plain = in_order(&layout->channel, &step);
    plain = in_order(&layout->column, &step) && plain;
    plain = in_order(&layout->row, &step) && plain;
    for (int i = layout->page_axes - 1; i >= 0; i--) plain = in_order(&layout->page[i], &step) && plain;
    return plain;
}

HaloStatus halo_array_lay_out(const HaloArrayHead *head, const char *text, HaloArrayLayout *layout)
{
    HaloStatus status = HALO_OK;
    HaloAxes axes;
    HALO_TRY(choose(head, text, &axes));
    HALO_TRY(place(head, &axes, layout));
    if (layout->pages < 1) HALO_FAIL(HALO_ERR_INPUT, "the array has no pages");
    const long long channels = layout->channel.length;
    if (channels > INT_MAX) HALO_FAIL(HALO_ERR_INPUT, "the array has too many channels, %lld", channels);
    if (axes.alpha && (channels == 1 || channels == 3))
        HALO_FAIL(HALO_ERR_INPUT, "%lld channel%s: ',alpha' in --axes needs 2 or 4 channels", channels,
                  halo_s(channels));
    layout->plain = is_plain(layout);
out:
    return status;
}

HaloStatus halo_array_lay_out_series(const HaloArrayHead *head, HaloArrayLayout *layout)
{
    if (head->dims > 2)
        return halo_fail(HALO_ERR_INPUT,
                         "an array of %d dimensions: --rate expects frames, or frames by channels", head->dims);
    const HaloStatus status = place(head, &(HaloAxes){.letter = "wc", .count = head->dims}, layout);
    const int64_t frames = layout->column.length, channels = layout->channel.length;
    layout->plain = is_plain(layout);
    if (status != HALO_OK || (frames >= 1 && channels >= 1 && channels <= HALO_MAX_CHANNELS)) return status;
    return halo_fail(HALO_ERR_INPUT, "invalid number of frames or channels: %lld frames with %lld channels",
                     (long long)frames, (long long)channels);
}

int64_t halo_array_page(const HaloArrayLayout *layout, int64_t page)
{
    int64_t sample = 0;
    for (int i = layout->page_axes - 1; i >= 0; i--) {
        sample += page % layout->page[i].length * layout->page[i].step;
        page /= layout->page[i].length;
    }
    return sample;
}

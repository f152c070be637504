/* The oracle's scans in bands, of rows of pictures or of frames of sound: all so far is scanned once more. */
#include <stdlib.h>
#include <string.h>

#include "oracle_device.h"

void oracle_scans_close(HaloDevice *device)
{
    for (int i = 0; i < ORACLE_SCANS; i++) halo_buf_free(&device->seen[i]);
}

/* Of several scans, one may end before another: its place is free while those behind it are taken. */
static int place_of(HaloDevice *device, const HaloScanBand *band)
{
    int at = 0;
    while (at < ORACLE_SCANS && device->state[at] != band->state) at++;
    if (at < ORACLE_SCANS) return at;
    at = 0;
    while (at < ORACLE_SCANS - 1 && device->state[at] != NULL) at++;
    return at;
}

static void copy_part(const HaloBuf *part, const HaloBuf *from, const HaloBuf *to)
{
    for (int64_t y = part->y0; y < part->y0 + part->rows; y++)
        memcpy(halo_at(to, part->x0, y), halo_at(from, part->x0, y), (size_t)halo_row_bytes(part));
}

static void scan_band(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloScanBand *band)
{
    const bool sound = dst->cols < dst->shape.width; /* else a part has whole rows */
    const int at = place_of(device, band);
    HaloBuf *const seen = &device->seen[at], whole;
    const int64_t begin = sound ? src->x0 : src->y0, end = begin + (sound ? src->cols : src->rows);
    if (begin == 0) {
        halo_buf_free(seen);
        halo_buf_alloc(seen, &src->shape);
        device->state[at] = band->state;
    }
    copy_part(src, src, seen);
    HaloBuf so_far = *seen;
    HaloShape shape = dst->shape;
    if (sound)
        so_far.shape.width = shape.width = so_far.cols = end;
    else
        so_far.shape.height = shape.height = so_far.rows = end;
    halo_buf_alloc(&whole, &shape);
    oracle_scan(&so_far, &whole, &band->scan);
    copy_part(dst, &whole, dst);
    halo_buf_free(&whole);
    if (end < (sound ? src->shape.width : src->shape.height)) return;
    halo_buf_free(seen);
    device->state[at] = NULL;
}

HaloStatus oracle_run_scan(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloScan *scan)
{
    if (dst->cols < dst->shape.width || dst->rows < dst->shape.height)
        scan_band(device, src, dst, (const HaloScanBand *)(const void *)scan);
    else
        oracle_scan(src, dst, scan);
    return HALO_OK;
}

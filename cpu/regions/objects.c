/* Measures the regions of a labelled picture: sums over runs of equal labels, and, where labels differ, lengths
 * of borders and Euler numbers. Each worker has sums of its own where they are small. */
#include "halo/objects.h"

#include <string.h>

#include "measured.h"
#include "primitives.h"

#define STRIP_ROWS 64
/* Sums of all workers together, at most; else one worker measures. */
#define MOST_BYTES ((int64_t)256 << 20)
/* Labels of rows y - 2 to y + 2, and the bits of as many rows. */
#define ROWS 5
#define PAD 64 /* before and behind a row: zeros, which kernels read */

typedef struct Objects {
    const HaloBuf *labels, *of; /* rows of the picture that have come last */
    const HaloObjects *how;
    int64_t from, upto; /* rows that are measured now */
    HaloDevice *device;
    CpuLabelCheck *check; /* [workers] */
    HaloObjectList *list; /* [lists] */
    int lists;
    char *scratch; /* [workers] */
    int64_t pitch, words, at_bits, scratch_bytes;
} Objects;

/* Of a row, a bit for each pixel and one more: is it another label than the one before, than the one above, is
 * it not 0, and does another label lie beside, above or below it? */
typedef struct Bits {
    uint64_t *beside, *above, *set, *border;
} Bits;

/* Rows round row y, with zeros outside of the picture. */
typedef struct Rows {
    const Objects *o;
    uint32_t *label; /* [ROWS][pitch] */
    uint64_t *bits;  /* [ROWS][4][words] */
    int64_t next;    /* the row of labels to come */
} Rows;

/* ---- rows that came before --------------------------------------------------------------------------------
 */

enum { KEPT_LABELS = 2 * HALO_OBJECTS_LATE, KEPT_SAMPLES = HALO_OBJECTS_LATE };

/* Row y where it is kept: labels first. */
static void *kept_row(const Objects *o, bool labels, int64_t y)
{
    const int64_t each = halo_row_bytes(o->labels);
    char *const at = o->how->kept;
    return labels ? at + y % KEPT_LABELS * each
                  : at + KEPT_LABELS * each + y % KEPT_SAMPLES * halo_row_bytes(o->of);
}

/* A buffer that has row y. */
static HaloBuf buffer_of(const Objects *o, bool labels, int64_t y)
{
    HaloBuf buf = labels ? *o->labels : *o->of;
    if (y >= buf.y0) return buf;
    buf.data = kept_row(o, labels, y);
    buf.y0 = y;
    buf.rows = 1;
    return buf;
}

static void keep_rows(const Objects *o)
{
    const int64_t end = o->labels->y0 + o->labels->rows;
    for (int64_t y = most(o->labels->y0, end - KEPT_LABELS); y < end; y++)
        memcpy(kept_row(o, true, y), halo_at(o->labels, 0, y), (size_t)halo_row_bytes(o->labels));
    for (int64_t y = most(o->labels->y0, end - KEPT_SAMPLES); y < end && o->of != NULL; y++)
        memcpy(kept_row(o, false, y), halo_at(o->of, 0, y), (size_t)halo_row_bytes(o->of));
}

static uint32_t *label_row(const Rows *rows, int64_t y)
{
    return rows->label + (y + ROWS) % ROWS * rows->o->pitch + PAD;
}

static Bits bits_row(const Rows *rows, int64_t y)
{
    const int64_t words = rows->o->words;
    uint64_t *const at = rows->bits + (y + ROWS) % ROWS * 4 * words;
    return (Bits){at, at + words, at + 2 * words, at + 3 * words};
}

/* Pixels of a region beside, above or below which there is another label; of the row that has one below. */
static void find_border(const Rows *rows, int64_t y)
{
    const Bits here = bits_row(rows, y), below = bits_row(rows, y + 1);
    const int64_t words = rows->o->words;
    for (int64_t w = 0; w < words; w++) {
        const uint64_t next = w + 1 < words ? here.beside[w + 1] << 63 : 0;
        here.border[w] =
            here.set[w] & (here.beside[w] | here.beside[w] >> 1 | next | here.above[w] | below.above[w]);
    }
}

static void load_rows(Rows *rows, int64_t upto)
{
    const Objects *o = rows->o;
    for (; rows->next <= upto; rows->next++) {
        const int64_t y = rows->next;
        uint32_t *const row = label_row(rows, y);
        const Bits bits = bits_row(rows, y);
        if (y < 0 || y >= o->labels->shape.height) {
            memset(row, 0, (size_t)o->labels->cols * sizeof *row);
        } else {
            const HaloBuf labels = buffer_of(o, true, y);
            cpu_labels(o->device, &labels, y, row);
        }
        o->device->kernels->regions->edges(row, label_row(rows, y - 1), o->words, bits.beside, bits.above,
                                           bits.set);
        find_border(rows, y - 1);
    }
}

/* The first bit [x, n) that is set; n: none. */
static int64_t next_set(const uint64_t *bits, int64_t x, int64_t n)
{
    int64_t w = x / 64;
    if (x >= n) return n;
    uint64_t word = bits[w] & ~(uint64_t)0 << x % 64;
    while (word == 0) {
        if (++w * 64 >= n) return n;
        word = bits[w];
    }
    return least(n, w * 64 + __builtin_ctzll(word));
}

/* ---- borders -------------------------------------------------------------------------------------------- */

static bool in_border(const uint64_t *border, const uint32_t *label, int64_t x, uint32_t of)
{
    return label[x] == of && (border[x / 64] >> x % 64 & 1) != 0;
}

/* K. Benkrid and D. Crookes, 2000: what a pixel of a border counts depends on those beside it. */
static void add_border(const Rows *rows, int64_t x, int64_t y, HaloObjectList *list)
{
    const uint32_t *const label[3] = {label_row(rows, y - 1), label_row(rows, y), label_row(rows, y + 1)};
    const uint64_t *const border[3] = {bits_row(rows, y - 1).border, bits_row(rows, y).border,
                                       bits_row(rows, y + 1).border};
    const uint32_t of = label[1][x];
    HaloObject *const object = &list->object[of - 1];
    int beside = 0, diagonal = 0;
    for (int j = 0; j < 3; j++) {
        const int ends =
            (x > 0 && in_border(border[j], label[j], x - 1, of)) + in_border(border[j], label[j], x + 1, of);
        if (j == 1)
            beside += ends;
        else
            diagonal += ends;
        if (j != 1) beside += in_border(border[j], label[j], x, of);
    }
    switch (10 * diagonal + 2 * beside) {
    case 4:
    case 6:
    case 14:
    case 16:
    case 24:
    case 26: object->straight++; break;
    case 20:
    case 32: object->diagonal++; break;
    case 12:
    case 22: object->corner++; break;
    default: break;
    }
}

/* ---- Euler numbers -------------------------------------------------------------------------------------- */

/* S. Gray, 1971: windows of 2 x 2 with one pixel of a region count 1, with three -1, with two on a diagonal -2,
 * or 2 where diagonal neighbours are not connected. */
static void add_window(const uint32_t cell[4], int diagonal, HaloObjectList *list)
{
    for (int k = 0; k < 4; k++) {
        int count = 0;
        bool again = cell[k] == 0;
        for (int i = 0; i < 4; i++) {
            count += cell[i] == cell[k];
            again = again || (i < k && cell[i] == cell[k]);
        }
        if (again) continue;
        int64_t *const quads = &list->object[cell[k] - 1].quads;
        if (count == 1) *quads += 1;
        if (count == 3) *quads -= 1;
        if (count == 2 && cell[3 - k] == cell[k]) *quads += diagonal; /* cells 0 and 3, 1 and 2 */
    }
}

/* Windows whose lower row is y. */
static void add_windows(const Rows *rows, int64_t y, HaloObjectList *list)
{
    const Objects *o = rows->o;
    const uint32_t *up = label_row(rows, y - 1), *here = label_row(rows, y);
    const Bits upper = bits_row(rows, y - 1), lower = bits_row(rows, y);
    for (int64_t w = 0; w < o->words; w++)
        for (uint64_t differ = upper.beside[w] | lower.beside[w] | lower.above[w]; differ != 0;
             differ &= differ - 1) {
            const int64_t x = w * 64 + __builtin_ctzll(differ);
            const uint32_t cell[4] = {up[x - 1], up[x], here[x - 1], here[x]};
            add_window(cell, o->how->connect == 8 ? -2 : 2, list);
        }
}

/* ---- rows ----------------------------------------------------------------------------------------------- */

static void add_row(const Rows *rows, int64_t y, HaloObjectList *list)
{
    const Objects *o = rows->o;
    const int64_t width = o->labels->cols;
    const uint32_t *const label = label_row(rows, y);
    const Bits bits = bits_row(rows, y);
    const HaloBuf of = o->of != NULL ? buffer_of(o, false, y) : (HaloBuf){0};
    for (int64_t x = next_set(bits.beside, 0, width), upto; x < width; x = upto) {
        upto = next_set(bits.beside, x + 1, width);
        if (label[x] == 0) continue;
        for (int64_t from = x; from < upto; from += CPU_OBJECT_RUN) {
            const int64_t n = least(CPU_OBJECT_RUN, upto - from);
            cpu_add_run(&list->object[label[x] - 1], from, y, n);
            if (o->of != NULL) cpu_add_samples(&of, from, y, n, label[x] - 1, list);
        }
    }
    for (int64_t w = 0; w < o->words; w++)
        for (uint64_t border = bits.border[w]; border != 0; border &= border - 1)
            add_border(rows, w * 64 + __builtin_ctzll(border), y, list);
    add_windows(rows, y, list);
}

static void strip_task(void *context, int64_t strip, int worker)
{
    const Objects *o = context;
    HaloObjectList *const list = &o->list[o->lists > 1 ? worker : 0];
    const int64_t height = o->labels->shape.height, first = o->from + strip * STRIP_ROWS,
                  last = least(first + STRIP_ROWS, o->upto) - 1;
    char *const own = o->scratch + worker * o->scratch_bytes;
    Rows rows = {.o = o,
                 .label = (uint32_t *)(void *)own,
                 .bits = (uint64_t *)(void *)(own + o->at_bits),
                 .next = first - 2};
    memset(own, 0, (size_t)o->scratch_bytes);
    for (int64_t y = first; y <= last; y++) {
        load_rows(&rows, y + 2);
        add_row(&rows, y, list);
    }
    if (last + 1 == height) add_windows(&rows, height, list);
}

/* ---- all ------------------------------------------------------------------------------------------------ */

static void check_task(void *context, int64_t strip, int worker)
{
    const Objects *o = context;
    const HaloBuf *labels = o->labels;
    for (int64_t i = strip * STRIP_ROWS; i < least((strip + 1) * STRIP_ROWS, labels->rows); i++)
        cpu_check_labels(o->device, labels, labels->y0 + i, &o->check[worker]);
}

/* The greatest label. */
static HaloStatus check_labels(const Objects *o, int workers, int64_t *regions)
{
    const HaloBuf *labels = o->labels;
    CpuLabelCheck all = {.bad = -1};
    for (int i = 0; i < workers; i++) o->check[i] = all;
    cpu_run(o->device, workers, divide_up(labels->rows, STRIP_ROWS), check_task, (void *)(uintptr_t)o);
    for (int i = 0; i < workers; i++) {
        const int64_t bad = o->check[i].bad;
        all.greatest = o->check[i].greatest > all.greatest ? o->check[i].greatest : all.greatest;
        if (bad >= 0 && (all.bad < 0 || bad < all.bad)) all.bad = bad;
    }
    *regions = (int64_t)all.greatest;
    if (all.bad < 0) return HALO_OK;
    const int64_t x = all.bad % labels->cols, y = all.bad / labels->cols;
    return halo_fail(HALO_ERR_INPUT, HALO_NO_OBJECT, HALO_MAX_REGIONS, (long long)x, (long long)y,
                     (double)*(const float *)halo_at(labels, x, y));
}

static HaloStatus prepare(Objects *o, int workers)
{
    HaloStatus status = HALO_OK;
    int64_t total = 0, one = 0, at, at_check;
    void *scratch;
    o->words = o->labels->cols / 64 + 1;
    o->pitch = 64 * o->words + PAD;
    if (o->labels->cols >= INT32_MAX / 2 || o->labels->shape.height >= INT32_MAX / 2 ||
        !cpu_reserve(&one, ROWS * o->pitch, sizeof(uint32_t), &at) ||
        !cpu_reserve(&one, ROWS * 4 * o->words, sizeof(uint64_t), &o->at_bits) ||
        !cpu_reserve(&total, workers, one, &at) || !cpu_reserve(&total, workers, sizeof *o->check, &at_check))
        HALO_FAIL(HALO_ERR_LIMIT, "%lld x %lld pixels are too many to be measured: crop or resize before",
                  (long long)o->labels->cols, (long long)o->labels->shape.height);
    o->scratch_bytes = one;
    HALO_TRY(cpu_scratch(o->device, total, &scratch));
    o->scratch = scratch;
    o->check = (CpuLabelCheck *)(void *)(o->scratch + at_check);
out:
    return status;
}

/* Sums of workers are added behind all rows of a picture, or behind each band: then only few. */
#define FEW_REGIONS 65536

static int lists_for(const Objects *o, const HaloObjectList *out, int64_t regions, int workers)
{
    const HaloBuf *of = o->of;
    const int64_t each =
        (int64_t)sizeof(HaloObject) +
        (of == NULL ? 0
                    : of->shape.channels * (of->shape.dtype > HALO_U16 ? (int64_t)sizeof(HaloObjectFloats)
                                                                       : (int64_t)sizeof(HaloObjectIntegers)));
    if (o->how->kept != NULL && regions > FEW_REGIONS) return 1;
    return regions * workers <= least(MOST_BYTES, halo_memory_left(out->memory) / 2) / each ? workers : 1;
}

#define MOST_LISTS 64

static bool is_measured(const HaloBuf *labels, const HaloBuf *of, const HaloObjects *objects)
{
    if (labels->shape.channels != 1 || labels->shape.dtype > HALO_F32 || labels->cols != labels->shape.width ||
        (objects->kept == NULL && labels->rows != labels->shape.height))
        return false;
    return of == NULL || (of->shape.dtype <= HALO_F32 && of->cols == labels->cols && of->rows == labels->rows &&
                          of->cols == of->shape.width && of->y0 == labels->y0);
}

HaloStatus cpu_objects(HaloDevice *device, const HaloBuf *labels, const HaloBuf *of, const HaloObjects *objects,
                       HaloObjectList *out)
{
    HaloStatus status = HALO_OK;
    HaloObjectList list[MOST_LISTS] = {0};
    Objects o = {.labels = labels, .of = of, .how = objects, .device = device, .list = list};
    int64_t regions = 0;
    int workers = cpu_workers(device, 10.0 * (double)labels->cols * (double)labels->rows);
    HALO_TRY(prepare(&o, workers));
    if (!is_measured(labels, of, objects))
        HALO_FAIL(HALO_ERR_BUG, "internal: regions of pictures that differ are measured");
    const int64_t end = labels->y0 + labels->rows;
    o.from = most(0, labels->y0 - HALO_OBJECTS_LATE);
    o.upto = end == labels->shape.height ? end : most(0, end - HALO_OBJECTS_LATE);
    HALO_TRY(check_labels(&o, workers, &regions));
    HALO_TRY(halo_object_list_alloc(out, regions, of != NULL ? &of->shape : NULL));
    o.lists = workers <= MOST_LISTS ? lists_for(&o, out, out->regions, workers) : 1;
    if (o.lists == 1) workers = 1;
    list[0] = *out;
    for (int i = 1; i < o.lists; i++)
        HALO_TRY(halo_object_list_alloc(&list[i], out->regions, of != NULL ? &of->shape : NULL));
    cpu_run(device, workers, divide_up(o.upto - o.from, STRIP_ROWS), strip_task, &o);
    for (int i = 1; i < o.lists; i++) cpu_join_objects(&list[0], &list[i]);
    if (objects->kept != NULL) keep_rows(&o);
out:
    for (int i = 1; i < MOST_LISTS; i++) halo_object_list_free(&list[i]);
    return status;
}

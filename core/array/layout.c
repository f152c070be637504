/* Reads what an array is: the meaning of its dimensions, and whether halo can work on it where it lies. */
#include <math.h>
#include <string.h>

#include "array.h"
#include "halo/struct.h"

/* ---- types ---------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    size_t size;
} types[] = {[HALO_TYPE_U8] = {"u8", 1},   [HALO_TYPE_U16] = {"u16", 2}, [HALO_TYPE_U32] = {"u32", 4},
             [HALO_TYPE_I8] = {"i8", 1},   [HALO_TYPE_I16] = {"i16", 2}, [HALO_TYPE_I32] = {"i32", 4},
             [HALO_TYPE_I64] = {"i64", 8}, [HALO_TYPE_F16] = {"f16", 2}, [HALO_TYPE_F32] = {"f32", 4},
             [HALO_TYPE_F64] = {"f64", 8}};

static bool is_type(HaloType type) { return type >= HALO_TYPE_U8 && type <= HALO_TYPE_F64; }

size_t halo_type_size(HaloType type) { return is_type(type) ? types[type].size : 0; }

const char *halo_type_name(HaloType type) { return is_type(type) ? types[type].name : NULL; }

HaloType layout_type(HaloDtype dtype)
{
    static const HaloType type[] = {[HALO_U8] = HALO_TYPE_U8,
                                    [HALO_U16] = HALO_TYPE_U16,
                                    [HALO_F32] = HALO_TYPE_F32,
                                    [HALO_I64] = HALO_TYPE_I64,
                                    [HALO_F64] = HALO_TYPE_F64};
    return type[dtype];
}

/* The type that samples are computed in: of sound and series f64 where f32 does not hold them all. */
static HaloDtype dtype_of(HaloType type, bool along_time)
{
    switch (type) {
    case HALO_TYPE_U8: return along_time ? HALO_F32 : HALO_U8;
    case HALO_TYPE_U16: return along_time ? HALO_F32 : HALO_U16;
    case HALO_TYPE_U32:
    case HALO_TYPE_I32:
    case HALO_TYPE_I64:
    case HALO_TYPE_F64: return along_time ? HALO_F64 : HALO_F32;
    default: return HALO_F32;
    }
}

/* Signed integers that are sound become fractions of full scale, as those of files do. */
static float scale_of(const HaloArray *array)
{
    if (!(array->rate > 0) || array->white != 0) return 1.0f;
    switch (array->type) {
    case HALO_TYPE_I8: return 0x1p-7f;
    case HALO_TYPE_I16: return 0x1p-15f;
    case HALO_TYPE_I32: return 0x1p-31f;
    default: return 1.0f;
    }
}

/* ---- dimensions ------------------------------------------------------------------------------------------ */

void halo_array_defaults(HaloArray *array)
{
    if (array == NULL) return;
    memset(array, 0, sizeof *array);
    array->struct_size = sizeof *array;
    array->alpha = HALO_NONE;
    array->gpu = HALO_HOST;
}

static HaloStatus default_axes(HaloArray *array, const char *name)
{
    static const char *const pictures[] = {"w", "hw", "hwc", "nhwc"}, *const sounds[] = {"t", "tc"};
    const bool sound = array->rate > 0;
    const int most = sound ? 2 : 4;
    if (array->dims > most || (array->dims >= 3 && array->size[array->dims - 1] > 4))
        return halo_fail(HALO_ERR_USAGE,
                         "%s has %d dimensions%s: axes has to say what they are, such as 'nhw', 'hwc' or 'tc'",
                         name, array->dims,
                         array->dims >= 3 && !sound ? ", of which the last is longer than 4" : "");
    strcpy(array->axes, sound ? sounds[array->dims - 1] : pictures[array->dims - 1]);
    return HALO_OK;
}

/* Which of rows, columns and channels a letter is; -1: pages; -2: none of these. */
static int meaning(char letter, bool sound)
{
    if (letter == 'c') return LAYOUT_CHANNELS;
    if (sound) return letter == 't' ? LAYOUT_COLUMNS : letter == 'n' ? -1 : -2;
    if (letter == 'h' || letter == 'y') return LAYOUT_ROWS;
    if (letter == 'w' || letter == 'x') return LAYOUT_COLUMNS;
    return letter == 'n' || letter == 'z' || letter == 't' ? -1 : -2;
}

static HaloStatus wrong_axes(const HaloArray *array, const char *name)
{
    return halo_fail(HALO_ERR_USAGE,
                     "%s has %d dimension%s and the axes '%.8s': expected a letter for each, %s", name,
                     array->dims, halo_s(array->dims), array->axes,
                     array->rate > 0 ? "of sound n (sounds), then t (frames) and c (channels)"
                                     : "pages n, z or t first, then rows h or y, columns w or x, channels c");
}

static HaloStatus read_axes(Layout *layout, const char *name)
{
    HaloArray *array = &layout->array;
    const bool sound = array->rate > 0;
    layout->dim[LAYOUT_ROWS] = layout->dim[LAYOUT_COLUMNS] = layout->dim[LAYOUT_CHANNELS] = -1;
    if (array->axes[0] == 0) {
        const HaloStatus status = default_axes(array, name);
        if (status != HALO_OK) return status;
    }
    if (strnlen(array->axes, sizeof array->axes) != (size_t)array->dims) return wrong_axes(array, name);
    layout->pages = 1;
    for (int i = 0; i < array->dims; i++) {
        const int which = meaning(array->axes[i], sound);
        const bool late = which == -1 && i > 0 && meaning(array->axes[i - 1], sound) >= 0;
        if (which == -2 || late || (which >= 0 && layout->dim[which] >= 0) ||
            memchr(array->axes, array->axes[i], (size_t)i) != NULL)
            return wrong_axes(array, name);
        if (which >= 0) layout->dim[which] = i;
        if (which == -1 && !halo_mul(layout->pages, array->size[i], &layout->pages))
            return halo_fail(HALO_ERR_LIMIT, "%s is too large", name);
    }
    return layout->dim[LAYOUT_COLUMNS] >= 0 ? HALO_OK : wrong_axes(array, name);
}

/* Strides in C order where there are none; all offsets have to fit 63 bits. */
static HaloStatus read_strides(HaloArray *array, const char *name)
{
    bool given = false;
    int64_t bytes = (int64_t)halo_type_size(array->type), reach = 0;
    for (int i = 0; i < array->dims; i++) given = given || array->stride[i] != 0;
    for (int i = array->dims - 1; i >= 0; i--) {
        int64_t along;
        if (!given) array->stride[i] = bytes;
        const int64_t step = array->stride[i] < 0 ? -array->stride[i] : array->stride[i];
        if (array->stride[i] == INT64_MIN || !halo_mul(bytes, array->size[i], &bytes) ||
            !halo_mul(step, array->size[i] - 1, &along) || along > INT64_MAX - reach)
            return halo_fail(HALO_ERR_LIMIT, "%s is too large", name);
        reach += along;
    }
    return HALO_OK;
}

static int64_t size_of(const Layout *layout, int which)
{
    return layout->dim[which] < 0 ? 1 : layout->array.size[layout->dim[which]];
}

static int64_t stride_of(const Layout *layout, int which)
{
    return layout->dim[which] < 0 ? 0 : layout->array.stride[layout->dim[which]];
}

/* ---- all of it ------------------------------------------------------------------------------------------- */

static HaloStatus check_values(const HaloArray *array, const char *name)
{
    if (!is_type(array->type)) return halo_fail(HALO_ERR_USAGE, "%s has no element type (HaloType)", name);
    if (array->dims < 1 || array->dims > HALO_MAX_DIMS)
        return halo_fail(HALO_ERR_USAGE, "%s has %d dimensions: expected 1 to %d", name, array->dims,
                         HALO_MAX_DIMS);
    for (int i = 0; i < array->dims; i++)
        if (array->size[i] < 1)
            return halo_fail(HALO_ERR_USAGE, "%s is empty: dimension %d has the size %lld", name, i + 1,
                             (long long)array->size[i]);
    if (!(array->rate >= 0 && isfinite(array->rate)))
        return halo_fail(HALO_ERR_USAGE, "%s has a rate of %g: expected frames per second, or 0 for a picture",
                         name, array->rate);
    if (!isfinite(array->white) || (array->white < 0 && array->white != HALO_NO_SCALE))
        return halo_fail(HALO_ERR_USAGE,
                         "%s has a full scale of %g: expected more than 0, or 0 for that of its type", name,
                         array->white);
    if (array->gpu < HALO_HOST)
        return halo_fail(HALO_ERR_USAGE, "%s is on GPU %d: expected one from 0 on", name, array->gpu);
    return HALO_OK;
}

/* Full scale: what is given; that of the type; of sound 1. Floats of pictures have none, and are numbers, as
 * are unsigned integers along time. */
static void set_scale(const HaloArray *array, HaloShape *shape)
{
    const bool picture = array->rate == 0, floats = shape->dtype > HALO_U16;
    const bool counts =
        array->type == HALO_TYPE_U8 || array->type == HALO_TYPE_U16 || array->type == HALO_TYPE_U32;
    shape->numbers = array->white == HALO_NO_SCALE || (array->white == 0 && (picture ? floats : counts));
    shape->white = array->white > 0 ? (float)array->white : halo_dtype_white(shape->dtype);
}

static HaloStatus set_shape(Layout *layout, const char *name)
{
    HaloArray *array = &layout->array;
    HaloShape *shape = &layout->shape;
    const int64_t channels = size_of(layout, LAYOUT_CHANNELS);
    int64_t bytes;
    if (channels > HALO_MAX_CHANNELS)
        return halo_fail(HALO_ERR_LIMIT, "%s has %lld channels, and %d is the limit", name, (long long)channels,
                         HALO_MAX_CHANNELS);
    if (array->alpha < HALO_NONE || array->alpha >= channels || (array->alpha >= 0 && array->rate > 0))
        return halo_fail(HALO_ERR_USAGE, "%s has no channel %d that could be alpha", name, array->alpha);
    *shape = (HaloShape){.kind = array->rate > 0 ? HALO_AUDIO : HALO_IMAGE,
                         .dtype = dtype_of(array->type, array->rate > 0),
                         .width = size_of(layout, LAYOUT_COLUMNS),
                         .height = size_of(layout, LAYOUT_ROWS),
                         .channels = (int)channels,
                         .alpha = array->alpha,
                         .rate = array->rate};
    set_scale(array, shape);
    return halo_shape_bytes(shape, &bytes);
}

/* Halo's buffers have no gaps but those between rows, and samples at multiples of their size. */
static bool is_direct(const Layout *layout)
{
    const HaloShape *shape = &layout->shape;
    const int64_t size = (int64_t)halo_dtype_size(shape->dtype), pixel = size * shape->channels;
    const int64_t row = stride_of(layout, LAYOUT_ROWS), column = stride_of(layout, LAYOUT_COLUMNS);
    return layout_type(shape->dtype) == layout->array.type && layout->scale == 1.0f &&
           (uintptr_t)layout->array.data % (uintptr_t)size == 0 &&
           (shape->channels == 1 || stride_of(layout, LAYOUT_CHANNELS) == size) &&
           (shape->width == 1 || column == pixel) &&
           (shape->height == 1 || (row >= pixel * shape->width && row % size == 0));
}

HaloStatus layout_read(const HaloArray *array, const char *name, Layout *layout)
{
    HaloStatus status = HALO_OK;
    *layout = (Layout){0};
    if (array == NULL) HALO_FAIL(HALO_ERR_USAGE, "%s is NULL", name);
    halo_array_defaults(&layout->array);
    HALO_TRY(halo_struct_read(&layout->array, sizeof layout->array, array, array->struct_size, name,
                              "halo_array_defaults"));
    HALO_TRY(check_values(&layout->array, name));
    HALO_TRY(read_strides(&layout->array, name));
    HALO_TRY(read_axes(layout, name));
    HALO_TRY(set_shape(layout, name));
    layout->scale = scale_of(&layout->array);
    layout->direct = is_direct(layout);
out:
    return status;
}

void layout_narrow(Layout *layout)
{
    if (layout->shape.dtype != HALO_F64) return;
    layout->shape.dtype = HALO_F32;
    layout->direct = is_direct(layout);
}

void layout_widen(Layout *layout)
{
    if (dtype_of(layout->array.type, true) != HALO_F64) return;
    layout->shape.dtype = HALO_F64;
    layout->direct = is_direct(layout);
}

/* A result has the dimensions of the input, and one for channels where it has several and the input has none.
 */
static void axes_like(const HaloShape *shape, const Layout *like, HaloArray *array)
{
    const bool same = like->shape.kind == shape->kind;
    int dims = 0;
    for (int i = 0; i < like->array.dims; i++) {
        const int which = meaning(like->array.axes[i], like->shape.kind == HALO_AUDIO);
        if (which >= 0 && !same) continue;
        array->axes[dims] = like->array.axes[i];
        array->size[dims++] = which == LAYOUT_ROWS       ? shape->height
                              : which == LAYOUT_COLUMNS  ? shape->width
                              : which == LAYOUT_CHANNELS ? shape->channels
                                                         : like->array.size[i];
    }
    const char *missing = same ? "" : shape->kind == HALO_AUDIO ? "t" : "hw";
    const bool rows = same && shape->kind == HALO_IMAGE && like->dim[LAYOUT_ROWS] < 0 && shape->height > 1;
    if (rows) missing = "h";
    for (; *missing != 0 && dims < HALO_MAX_DIMS; missing++) {
        array->axes[dims] = *missing;
        array->size[dims++] = *missing == 'h' ? shape->height : shape->width;
    }
    if (shape->channels > 1 && memchr(array->axes, 'c', (size_t)dims) == NULL && dims < HALO_MAX_DIMS) {
        array->axes[dims] = 'c';
        array->size[dims++] = shape->channels;
    }
    array->dims = dims;
}

HaloStatus layout_of_result(const HaloShape *shape, const Layout *like, Layout *result)
{
    HaloArray array;
    halo_array_defaults(&array);
    array.type = layout_type(shape->dtype);
    array.rate = shape->kind == HALO_AUDIO ? shape->rate : 0;
    array.white = shape->numbers ? HALO_NO_SCALE : (double)shape->white;
    array.alpha = shape->alpha;
    array.gpu = like->array.gpu;
    axes_like(shape, like, &array);
    const HaloStatus status = layout_read(&array, "the output", result);
    if (status == HALO_OK) layout_set_shape(result, shape);
    return status;
}

void layout_set_shape(Layout *layout, const HaloShape *shape)
{
    layout->shape = *shape;
    layout->scale = 1.0f;
    layout->direct = is_direct(layout);
}

void layout_describe(const HaloShape *shape, int64_t pages, HaloArray *array)
{
    const bool sound = shape->kind == HALO_AUDIO;
    const char *axes = sound ? "tc" : "nhwc";
    const int64_t size[] = {pages, shape->height, shape->width, shape->channels};
    halo_array_defaults(array);
    array->type = layout_type(shape->dtype);
    array->rate = sound ? shape->rate : 0;
    array->white = shape->numbers ? HALO_NO_SCALE : (double)shape->white;
    array->alpha = shape->alpha;
    for (int i = sound ? 2 : pages > 0 ? 0 : 1; i < 4; i++) {
        if (i == 3 && shape->channels == 1) continue;
        array->axes[array->dims] = axes[sound ? i - 2 : i];
        array->size[array->dims++] = size[i];
    }
}

HaloStatus layout_match(const Layout *planned, const Layout *layout, const char *name)
{
    const HaloArray *a = &planned->array, *b = &layout->array;
    bool same = a->type == b->type && a->dims == b->dims && a->rate == b->rate && a->gpu == b->gpu &&
                a->alpha == b->alpha && strcmp(a->axes, b->axes) == 0 &&
                planned->shape.white == layout->shape.white && planned->shape.numbers == layout->shape.numbers;
    for (int i = 0; same && i < a->dims; i++) same = a->size[i] == b->size[i];
    if (same) return HALO_OK;
    return halo_fail(HALO_ERR_USAGE,
                     "%s is not as it was planned for, by type, size, axes, rate, full scale, alpha or device",
                     name);
}

char *layout_page(const Layout *layout, int64_t page)
{
    const HaloArray *array = &layout->array;
    char *at = array->data;
    for (int i = array->dims - 1; i >= 0; i--) {
        if (i == layout->dim[LAYOUT_ROWS] || i == layout->dim[LAYOUT_COLUMNS] ||
            i == layout->dim[LAYOUT_CHANNELS])
            continue;
        at += page % array->size[i] * array->stride[i];
        page /= array->size[i];
    }
    return at;
}

void layout_move(Layout *layout, void *data)
{
    HaloArray *array = &layout->array;
    int64_t bytes = (int64_t)halo_type_size(array->type);
    array->data = data;
    for (int i = array->dims - 1; i >= 0; i--) {
        array->stride[i] = bytes;
        bytes *= array->size[i];
    }
    layout->direct = is_direct(layout);
}

HaloBuf layout_buffer(const Layout *layout, int64_t page)
{
    const HaloShape *shape = &layout->shape;
    const int64_t row = (int64_t)halo_dtype_size(shape->dtype) * shape->channels * shape->width;
    return (HaloBuf){.shape = *shape,
                     .cols = shape->width,
                     .rows = shape->height,
                     .stride = shape->height > 1 ? stride_of(layout, LAYOUT_ROWS) : row,
                     .data = layout_page(layout, page)};
}

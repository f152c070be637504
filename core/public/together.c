/* Several arrays at a time: stacks, and how two differ. */
#include <stdlib.h>
#include <string.h>

#include "array/array.h"
#include "compare/part.h"
#include "halo/numerics.h"
#include "halo/struct.h"
#include "public.h"
#include "stack/part.h"

/* The pages of arrays as buffers: where they lie, or copies. */
typedef struct Pages {
    Layout *layout; /* [arrays] */
    size_t arrays;
    HaloBuf *page; /* [count] */
    bool *own;     /* [count] the page is a copy */
    int64_t count;
} Pages;

static void free_pages(Pages *pages)
{
    for (int64_t i = 0; i < pages->count && pages->own != NULL; i++)
        if (pages->own[i]) halo_buf_free(&pages->page[i]);
    free(pages->layout);
    free(pages->page);
    free(pages->own);
}

static HaloStatus read_layouts(const HaloArray inputs[], size_t count, Pages *pages)
{
    HaloStatus status = HALO_OK;
    char name[40];
    if (inputs == NULL || count == 0 || count > 1000000) HALO_FAIL(HALO_ERR_USAGE, "there is no input");
    pages->layout = calloc(count, sizeof *pages->layout);
    if (pages->layout == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    pages->arrays = count;
    for (size_t i = 0; i < count; i++) {
        /* Elements of an array of structs are as large as the caller's compiler made them. */
        const HaloArray *input = (const HaloArray *)((const char *)inputs + i * inputs->struct_size);
        snprintf(name, sizeof name, "array %zu", i + 1);
        HALO_TRY(layout_read(input, name, &pages->layout[i]));
        if (pages->layout[i].array.data == NULL || pages->layout[i].array.gpu != HALO_HOST)
            HALO_FAIL(HALO_ERR_USAGE, "%s %s", name,
                      pages->layout[i].array.data == NULL ? "has no data" : "is on a GPU: copy it first");
        pages->count += pages->layout[i].pages;
    }
out:
    return status;
}

static HaloStatus open_pages(HaloSession *work, const HaloArray inputs[], size_t count, Pages *pages)
{
    HaloStatus status = HALO_OK;
    int64_t at = 0;
    HALO_TRY(read_layouts(inputs, count, pages));
    pages->page = calloc((size_t)pages->count, sizeof *pages->page);
    pages->own = calloc((size_t)pages->count, sizeof *pages->own);
    if (pages->page == NULL || pages->own == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    for (size_t i = 0; i < count; i++)
        for (int64_t page = 0; page < pages->layout[i].pages; page++, at++) {
            if (progress_is_due(&work->host)) HALO_TRY(progress_tell(&work->host, 0));
            if (pages->layout[i].direct)
                pages->page[at] = layout_buffer(&pages->layout[i], page);
            else
                HALO_TRY(convert_in(&pages->layout[i], page, &pages->page[at]));
            pages->own[at] = !pages->layout[i].direct;
        }
out:
    return status;
}

/* ---- stacks ---------------------------------------------------------------------------------------------- */

typedef struct Stacking {
    Pages pages;
    StackWhat what;
    Across across;
    HaloBuf out;
    Layout output;
    char *workspace; /* of each worker: results, samples and the scratch memory of across_make */
    int64_t each, pitch;
} Stacking;

/* Results become the output's samples as those of the program do: by way of f32, rounded half to even. */
static void store(const Stacking *run, const double *from, int64_t n, char *to)
{
    unsigned clipped;
    const float white = halo_dtype_white(run->out.shape.dtype);
    for (int64_t i = 0; i < n; i++) switch (run->out.shape.dtype) {
        case HALO_U8: ((uint8_t *)to)[i] = (uint8_t)halo_quantise((float)from[i], white, &clipped); break;
        case HALO_U16:
            ((uint16_t *)(void *)to)[i] = (uint16_t)halo_quantise((float)from[i], white, &clipped);
            break;
        case HALO_F32: ((float *)(void *)to)[i] = (float)from[i]; break;
        default: ((double *)(void *)to)[i] = from[i];
        }
}

static void stack_row(void *context, int64_t y, int worker)
{
    const Stacking *run = context;
    double *result = (double *)(void *)(run->workspace + worker * run->each);
    char *samples = (char *)(result + ACROSS_MOST), *scratch = samples + run->across.count * run->pitch;
    const int64_t size = (int64_t)halo_dtype_size(run->across.dtype),
                  out_size = (int64_t)halo_dtype_size(run->out.shape.dtype),
                  all = run->out.shape.width * run->out.shape.channels;
    for (int64_t from = 0; from < all; from += ACROSS_MOST) {
        const int64_t n = smaller(ACROSS_MOST, all - from);
        for (int64_t k = 0; k < run->across.count; k++) {
            const HaloBuf *page = &run->pages.page[k];
            memcpy(samples + k * run->pitch, (const char *)page->data + y * page->stride + from * size,
                   (size_t)(n * size));
        }
        across_make(&run->across, samples, run->pitch, n, scratch, result);
        store(run, result, n, (char *)run->out.data + y * run->out.stride + from * out_size);
    }
}

static HaloStatus check_stack(const Stacking *run)
{
    const HaloShape *first = &run->pages.layout[0].shape;
    for (size_t i = 0; i < run->pages.arrays; i++) {
        const HaloShape *shape = &run->pages.layout[i].shape;
        if (shape->dtype > HALO_F32)
            return halo_fail(HALO_ERR_USAGE, "array %zu is of 64 bits: stacks are of u8, u16 and f32", i + 1);
        if (shape->kind != first->kind || shape->dtype != first->dtype || shape->width != first->width ||
            shape->height != first->height || shape->channels != first->channels)
            return halo_fail(HALO_ERR_USAGE, "array %zu is not like the first, by size, channels and type",
                             i + 1);
    }
    return HALO_OK;
}

/* The output is like a page of the first array, or f32 or f64. */
static HaloStatus open_output(const HaloArray *output, Stacking *run)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = &run->pages.layout[0].shape, *given = &run->output.shape;
    HALO_TRY(layout_read(output, "the output", &run->output));
    HALO_TRY(layout_check_output(&run->output, "the output"));
    const HaloType type = run->output.array.type;
    if (run->output.array.data == NULL || run->output.array.gpu != HALO_HOST || run->output.pages != 1)
        HALO_FAIL(HALO_ERR_USAGE, "the output has to be one page in host memory");
    if (given->width != shape->width || given->height != shape->height || given->channels != shape->channels)
        HALO_FAIL(HALO_ERR_USAGE, "the output is of another size than the arrays");
    if (type != layout_type(shape->dtype) && type != HALO_TYPE_F32 && type != HALO_TYPE_F64)
        HALO_FAIL(HALO_ERR_USAGE, "the output is of type %s: expected that of the arrays, f32 or f64",
                  halo_type_name(type));
    run->output.shape.dtype = type == HALO_TYPE_F64   ? HALO_F64
                              : type == HALO_TYPE_F32 ? HALO_F32
                                                      : shape->dtype;
    HALO_TRY(halo_buf_alloc(&run->out, &run->output.shape));
out:
    return status;
}

static HaloStatus stack(HaloSession *work, Stacking *run)
{
    HaloStatus status = HALO_OK;
    HaloPool *pool = NULL;
    run->across = (Across){&run->what, run->pages.layout[0].shape.dtype, run->pages.count};
    run->pitch = ACROSS_MOST * (int64_t)halo_dtype_size(run->across.dtype);
    run->each =
        ACROSS_MOST * (int64_t)sizeof(double) + run->pages.count * run->pitch + across_scratch(&run->across);
    run->each = (run->each + 63) / 64 * 64;
    const int64_t held = run->each * work->options.jobs;
    HALO_TRY(halo_pool_new(work->options.jobs, &pool));
    HALO_TRY(halo_memory_hold(&work->memory, held));
    run->workspace = aligned_alloc(64, (size_t)held);
    if (run->workspace != NULL) status = progress_run(&work->host, pool, run->out.shape.height, stack_row, run);
    halo_memory_release(&work->memory, held);
    if (run->workspace == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    HALO_TRY(status);
    convert_out(&run->out, &run->output, 0);
out:
    free(run->workspace);
    halo_pool_free(pool);
    return status;
}

HaloStatus halo_stack_arrays(HaloSession *session, const char *what, const HaloArray inputs[], size_t count,
                             const HaloArray *output)
{
    HaloStatus status = HALO_OK;
    HaloSession *work = NULL;
    Stacking run = {0};
    HALO_TRY(session_check(session));
    if (what == NULL) HALO_FAIL(HALO_ERR_USAGE, "what the stack becomes is NULL");
    HALO_TRY(session_borrow(session, HALO_HOST, &work));
    atomic_store(&work->memory.held, 0);
    HALO_TRY(stack_parse(work, what, &run.what));
    HALO_TRY(open_pages(work, inputs, count, &run.pages));
    HALO_TRY(check_stack(&run));
    HALO_TRY(open_output(output, &run));
    HALO_TRY(stack(work, &run));
out:
    halo_buf_free(&run.out);
    free_pages(&run.pages);
    stack_forget(&run.what);
    session_return(session, work);
    return status;
}

/* ---- differences ----------------------------------------------------------------------------------------- */

static HaloStatus check_two(const Pages *pages)
{
    const HaloShape *a = &pages->layout[0].shape, *b = &pages->layout[1].shape;
    if (pages->count != 2)
        return halo_fail(HALO_ERR_USAGE,
                         "arrays of several pages cannot be compared at once: compare page by page");
    if (a->kind != b->kind || a->rate != b->rate)
        return halo_fail(HALO_ERR_USAGE,
                         "only sounds of one sample rate can be compared: resample one of them (rate:48000)");
    if ((a->kind == HALO_AUDIO || a->width == b->width) && a->height == b->height && a->channels == b->channels)
        return HALO_OK;
    return halo_fail(HALO_ERR_USAGE,
                     "the arrays are of different sizes: %lld x %lld with %d channels, and %lld x %lld with %d",
                     (long long)a->width, (long long)a->height, a->channels, (long long)b->width,
                     (long long)b->height, b->channels);
}

#define SAMPLES_SHARE 0.2 /* of the time of a comparison */

static HaloStatus compare(HaloSession *work, const Pages *pages, HaloComparison *all)
{
    HaloStatus status = HALO_OK;
    HaloPool *pool = NULL;
    const HaloShape *a = &pages->layout[0].shape, *b = &pages->layout[1].shape;
    *all = (HaloComparison){.shape = *a, .other_width = b->width};
    HALO_TRY(halo_pool_new(work->options.jobs, &pool));
    const Pair pair = {.a = &pages->page[0],
                       .b = &pages->page[1],
                       .scale = a->numbers || b->numbers ? 1.0 : (double)a->white / (double)b->white,
                       .pool = pool,
                       .jobs = work->options.jobs,
                       .memory = &work->memory,
                       .device = &work->host};
    progress_of_part(pair.device, 0, SAMPLES_SHARE);
    HALO_TRY(compare_samples(&pair, all));
    progress_of_part(pair.device, SAMPLES_SHARE, 1);
    HALO_TRY(compare_structure(&pair, all));
    HALO_TRY(compare_lag(&pair, all));
out:
    progress_of_part(&work->host, 0, 1);
    halo_pool_free(pool);
    return status;
}

HaloStatus halo_compare_arrays(HaloSession *session, const HaloArray inputs[2], HaloDifference *difference)
{
    HaloStatus status = HALO_OK;
    HaloSession *work = NULL;
    Pages pages = {0};
    HaloComparison all;
    HALO_TRY(session_check(session));
    if (difference == NULL) HALO_FAIL(HALO_ERR_USAGE, "the difference is NULL");
    HALO_TRY(session_borrow(session, HALO_HOST, &work));
    atomic_store(&work->memory.held, 0);
    HALO_TRY(open_pages(work, inputs, 2, &pages));
    HALO_TRY(check_two(&pages));
    HALO_TRY(compare(work, &pages, &all));
    const HaloDifference own = {.samples = (int64_t)all.samples,
                                .differing = (int64_t)all.differing,
                                .max = all.max,
                                .mean = all.mean,
                                .rmse = all.rmse,
                                .max_x = all.max_x,
                                .max_y = all.max_y,
                                .max_channel = all.max_channel,
                                .psnr = all.psnr,
                                .ssim = all.ssim,
                                .lag = all.lag,
                                .correlation = all.correlation};
    HALO_TRY(halo_struct_write(difference, difference->struct_size, &own, sizeof own, "the difference",
                               "{sizeof(HaloDifference)}"));
out:
    free_pages(&pages);
    session_return(session, work);
    return status;
}

/* Stacks of arrays. */
#include <stdlib.h>
#include <string.h>

#include "halo/numerics.h"
#include "pages.h"
#include "session.h"
#include "stack/part.h"

typedef struct Stacking {
    Pages pages;
    StackWhat what;
    Across across;
    HaloBuf out;
    Layout output;
    char *workspace; /* of each worker: results, samples and the scratch memory of across_make */
    int64_t each, pitch;
    _Atomic uint64_t clipped;
} Stacking;

/* Results become the output's samples as those of the program do: by way of f32, rounded half to even. */
static void store(Stacking *run, const double *from, int64_t n, char *to)
{
    unsigned clipped = 0, one;
    const float white = halo_dtype_white(run->out.shape.dtype);
    for (int64_t i = 0; i < n; i++) switch (run->out.shape.dtype) {
        case HALO_U8:
            ((uint8_t *)to)[i] = (uint8_t)halo_quantise((float)from[i], white, &one);
            clipped += one;
            break;
        case HALO_U16:
            ((uint16_t *)(void *)to)[i] = (uint16_t)halo_quantise((float)from[i], white, &one);
            clipped += one;
            break;
        case HALO_F32: ((float *)(void *)to)[i] = (float)from[i]; break;
        default: ((double *)(void *)to)[i] = from[i];
        }
    run->clipped += clipped;
}

static void stack_row(void *context, int64_t y, int worker)
{
    Stacking *run = context;
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
        HALO_FAIL(HALO_ERR_USAGE, "the output is of type %s: expected %s%sf32 or f64", halo_type_name(type),
                  shape->dtype == HALO_F32 ? "" : halo_dtype_name(shape->dtype),
                  shape->dtype == HALO_F32 ? "" : ", ");
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
    HALO_TRY(pages_open(work, inputs, count, false, &run.pages));
    HALO_TRY(check_stack(&run));
    HALO_TRY(open_output(output, &run));
    HALO_TRY(stack(work, &run));
    pages_tell_lost(work, &run.pages, run.clipped);
out:
    halo_buf_free(&run.out);
    pages_free(&run.pages);
    stack_forget(&run.what);
    session_return(session, work);
    return status;
}

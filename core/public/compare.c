/* How two arrays differ. */
#include "compare/part.h"
#include "halo/struct.h"
#include "pages.h"
#include "session.h"

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
    HALO_TRY(pages_open(work, inputs, 2, true, &pages));
    HALO_TRY(check_two(&pages));
    HALO_TRY(compare(work, &pages, &all));
    pages_tell_lost(work, &pages, 0);
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
    pages_free(&pages);
    session_return(session, work);
    return status;
}

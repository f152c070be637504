/* Levels and spectra of frames. */
#include "halo/spectrum.h"

#include "primitive.h"

static bool has_levels(const HaloStep *step) { return step->u.spectrum.kind == HALO_SPECTRUM_LEVELS; }

static bool has_bands(const HaloStep *step) { return step->u.spectrum.kind == HALO_SPECTRUM_BANDS; }

static HaloStatus shape(const HaloStep *step, const HaloShape *const src[], HaloShape *dst)
{
    const HaloSpectrum *spectrum = &step->u.spectrum;
    *dst = *src[0];
    dst->dtype = HALO_F32;
    dst->width = halo_spectrum_frames(spectrum, src[0]->width);
    if (src[0]->kind != HALO_AUDIO) return halo_fail(HALO_ERR_BUG, "internal: a spectrum got an image");
    if (has_levels(step)) {
        dst->channels = 2 * src[0]->channels;
        dst->rate = src[0]->rate / (double)spectrum->hop;
        dst->numbers = true;
        return HALO_OK;
    }
    if (has_bands(step)) {
        dst->width = 1 + src[0]->width / spectrum->hop;
        dst->channels = (int)spectrum->bands * src[0]->channels;
        dst->rate = src[0]->rate / (double)spectrum->hop;
        return HALO_OK;
    }
    if (spectrum->table || spectrum->strips) {
        dst->width = (dst->width - 1) / halo_spectrum_held(spectrum, src[0]->width) + 1;
        dst->channels = (int)(spectrum->window / 2 + 1) * src[0]->channels;
        dst->rate = src[0]->rate / (double)spectrum->hop;
        dst->numbers = true;
        return HALO_OK;
    }
    dst->kind = HALO_IMAGE;
    dst->width = (dst->width - 1) / halo_spectrum_held(spectrum, src[0]->width) + 1;
    dst->height = spectrum->window / 2 + 1;
    dst->white = spectrum->kind == HALO_SPECTRUM_DECIBELS ? (float)-spectrum->floor : 1.0f;
    dst->rate = 0;
    dst->numbers = false;
    return HALO_OK;
}

static Part reads(const HaloStep *step, int k, const HaloShape *src, Part part)
{
    const HaloSpectrum *spectrum = &step->u.spectrum;
    const int64_t before = has_levels(step) ? 0 : spectrum->window / 2;
    (void)k;
    if (part_is_empty(part)) return part;
    if (spectrum->made != NULL) return (Part){0, 1, 0, 1};
    const int64_t held = halo_spectrum_held(spectrum, src->width);
    const int64_t from = part.x0 * held * spectrum->hop - before;
    const int64_t to = (part.x1 * held - 1) * spectrum->hop - before + spectrum->window;
    return (Part){smaller(larger(0, from), src->width - 1), larger(1, smaller(to, src->width)), 0, 1};
}

static void glance(HaloStep *step, int64_t columns)
{
    if (!has_levels(step) && !has_bands(step) && !step->u.spectrum.table) step->u.spectrum.columns = columns;
}

/* Frame k of levels stands for samples from k * hop on; its centre is theirs. One of spectra has its centre at
 * k * hop. */
static void moves(const HaloStep *step, HaloMove *move)
{
    const bool spectra = has_bands(step) || step->u.spectrum.table;
    move->lost = !has_levels(step) && !spectra;
    move->mixed = spectra;
    move->timed = has_levels(step) ? HALO_TIMED_SPANS : spectra ? HALO_TIMED_SAMPLES : HALO_NOT_TIMED;
    move->scale[0] = 1.0 / (double)step->u.spectrum.hop;
    if (has_levels(step)) move->offset[0] = 0.5 * move->scale[0] - 0.5;
}

static double flops(const HaloStep *step, double samples)
{
    const HaloSpectrum *spectrum = &step->u.spectrum;
    double steps = 2.0;
    for (int64_t n = spectrum->window; n > 1; n /= 2) steps += 2.5;
    return has_levels(step) ? 2.0 * samples * (double)spectrum->window : 2.0 * samples * steps;
}

static void describe(const HaloStep *step, bool sound, bool exact, char *text, size_t size)
{
    const HaloSpectrum *spectrum = &step->u.spectrum;
    (void)sound, (void)exact;
    if (has_levels(step))
        snprintf(text, size, "levels of %lld frames at a time", (long long)spectrum->window);
    else if (has_bands(step))
        snprintf(text, size, "%lld bands of spectra of %lld frames, every %lld", (long long)spectrum->bands,
                 (long long)spectrum->window, (long long)spectrum->hop);
    else
        snprintf(text, size, "spectra of %lld frames, every %lld", (long long)spectrum->window,
                 (long long)spectrum->hop);
}

static bool offered(const HaloBackend *backend) { return backend->spectrum != NULL; }

static HaloStatus run(const HaloBackend *backend, HaloDevice *device, const HaloStep *step,
                      const HaloBuf *const src[], HaloBuf *dst)
{
    return backend->spectrum(device, src[0], dst, &step->u.spectrum, step->store);
}

const Primitive primitive_spectrum = {
    .name = "spectrum",
    .stores = true,
    .shape = shape,
    .glance = glance,
    .reads = reads,
    .moves = moves,
    .flops = flops,
    .describe = describe,
    .offered = offered,
    .run = run,
};

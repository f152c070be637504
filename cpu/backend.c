/* The CPU backend's table. */
#include "device.h"
#include "fft.h"
#include "primitives.h"

static int count(void) { return 1; }

const HaloBackend halo_backend_cpu = {
    .name = "cpu",
    .count = count,
    .open = cpu_open,
    .close = cpu_close,
    .describe = cpu_describe,
    .alloc = cpu_alloc,
    .release = cpu_release,
    .finish = cpu_finish,
    .doubles = true,
    .scans_sound = true,
    .query_begin = cpu_query_begin,
    .query_end = cpu_query_end,
    .conv = cpu_conv,
    .sep = cpu_sep,
    .map = cpu_map,
    .combine = cpu_combine,
    .reduce = cpu_reduce,
    .fold = cpu_fold,
    .hist = cpu_hist,
    .scan = cpu_scan,
    .rank = cpu_rank,
    .mean = cpu_mean,
    .bilateral = cpu_bilateral,
    .local = cpu_local,
    .equalize = cpu_equalize,
    .gather = cpu_gather,
    .resample = cpu_resample,
    .sections = cpu_sections,
    .sequence = cpu_sequence,
    .spectrum = cpu_spectrum,
    .regions = cpu_regions,
    .distance = cpu_distance,
    .objects = cpu_objects,
    .mix = cpu_mix,
    .fade = cpu_fade,
    .ceilings = cpu_ceilings,
    .uses_fft = cpu_fft_takes,
};

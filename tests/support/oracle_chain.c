/* A backend that runs every chain, link after link, each over only what the next ones read. */
#include <stdlib.h>

#include "halo/chain.h"
#include "halo/measures.h"
#include "oracle_backend.h"
#include "oracle_device.h"
#include "primitive/primitive.h"

static void needs(const HaloChain *chain, const HaloBuf *dst, Part *need)
{
    need[chain->links] = (Part){dst->x0, dst->x0 + dst->cols, dst->y0, dst->y0 + dst->rows};
    for (int i = chain->links - 1; i >= 0; i--)
        for (int k = 0; k < chain->link[i].sources; k++) {
            const HaloStep *link = &chain->link[i];
            const HaloReg r = link->src[k];
            need[r] = part_joined(need[r], primitive_of(link)->reads(link, k, &chain->value[r], need[i + 1]));
        }
}

static HaloStatus run_chain(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloChain *chain,
                            HaloStore store)
{
    HaloStatus status = HALO_OK;
    Part need[HALO_CHAIN_LINKS + 1] = {{0}};
    HaloBuf value[HALO_CHAIN_LINKS + 1] = {{.data = NULL}};
    needs(chain, dst, need);
    value[0] = *src;
    for (int i = 0; i < chain->links && status == HALO_OK; i++) {
        HaloStep link = chain->link[i];
        const HaloBuf *const sources[HALO_MAX_SOURCES] = {&value[link.src[0]], &value[link.src[1]]};
        if (i == chain->links - 1) {
            link.store = store;
            status = primitive_of(&link)->run(&oracle_chains, device, &link, sources, dst);
        } else if (!part_is_empty(need[i + 1])) {
            value[i + 1].shape = chain->value[i + 1];
            part_set(&value[i + 1], need[i + 1]);
            status = oracle_chains.alloc(device, &value[i + 1]);
            if (status == HALO_OK)
                status = primitive_of(&link)->run(&oracle_chains, device, &link, sources, &value[i + 1]);
        }
    }
    for (int i = 1; i < chain->links; i++) oracle_chains.release(device, &value[i]);
    return status;
}

/* Of all samples at once; whatever else is known of them is left out. */
static HaloStatus run_extremes(HaloDevice *device, const HaloBuf *src, const HaloChain *chain, HaloMoments *out)
{
    HaloBuf made = {.shape = chain->value[chain->links]};
    part_set(&made, part_of_all(&made.shape));
    HaloStatus status = oracle_chains.alloc(device, &made);
    if (status == HALO_OK) status = run_chain(device, src, &made, chain, (HaloStore){1.0f, 1.0f});
    if (status == HALO_OK) oracle_reduce(&made, out);
    for (int c = 0; c < made.shape.channels; c++) {
        const HaloMoments all = out[c];
        out[c] = halo_moments_none();
        out[c].count = all.count;
        out[c].nan = all.nan == all.count ? all.count : 0;
        out[c].min = all.min;
        out[c].max = all.max;
    }
    oracle_chains.release(device, &made);
    return status;
}

static bool any(const HaloShape *src, const HaloShape *dst, const HaloChain *chain)
{
    (void)src, (void)dst, (void)chain;
    return true;
}

static int64_t memory(HaloDevice *device)
{
    (void)device;
    return INT64_MAX / 4;
}

/* As a GPU, which scans sound at once. */
static HaloStatus scan_all(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloScan *scan)
{
    const bool whole = src->cols == src->shape.width && dst->cols == dst->shape.width;
    if (dst->shape.kind == HALO_AUDIO && !whole)
        return halo_fail(HALO_ERR_BUG, "internal: a part of a sound is scanned");
    return oracle_run_scan(device, src, dst, scan);
}

HaloBackend oracle_chains;

void oracle_chains_open(void)
{
    oracle_chains = oracle_backend;
    oracle_chains.name = "oracle in chains";
    oracle_chains.scan = scan_all;
    oracle_chains.scans_sound = false;
    oracle_chains.sequence = NULL; /* the oracle makes all of it at once */
    oracle_chains.memory = memory;
    oracle_chains.chain = run_chain;
    oracle_chains.can_fuse = any;
    oracle_chains.extremes = run_extremes;
    oracle_chains.can_fuse_extremes = any;
}

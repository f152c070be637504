/* Percentiles of floats by passes over the samples, which need not be in memory at once: each pass counts some
 * more bits of the samples that begin like those that are looked for, as a radix sort does, and so takes as
 * long whatever the samples are. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "percentile.h"

#define MOST_COUNTERS ((int64_t)1 << 21) /* of all scopes together */
#define MOST_BITS 16                     /* that a pass counts, */
#define LEAST_BITS 4                     /* and the fewest */
#define FEW_SCOPES 64                    /* so many have tables of 2^16 entries */

/* A sample that is wanted: `rank`-th of those whose keys begin with `prefix`. */
typedef struct Wanted {
    uint64_t rank, prefix;
} Wanted;

/* A channel; or, the last, all but alpha together. */
typedef struct Scope {
    int wanted, prefixes;
    Wanted *wanted_at;                      /* two for each percentile, in its order */
    uint64_t prefix[2 * HALO_MAX_PERCENTS]; /* those of `wanted_at`, rising, each once */
    uint8_t *first;                         /* [2^lead + 1]: the first prefix that begins with these bits */
    uint64_t *count;                        /* [prefixes][2^bits] */
} Scope;

struct Search {
    HaloDtype dtype;
    int channels, alpha, scopes;
    int known, bits, lead; /* bits of keys: known of all that are wanted, counted in this pass, in `first` */
    Scope *scope;          /* [scopes] */
};

static int width_of(const Search *search) { return search->dtype == HALO_F64 ? 64 : 32; }

/* Floats as integers in the same order; -0 lies just below 0. */
static uint64_t key_of_f32(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits >> 31 ? ~bits : bits | 0x80000000u;
}

static uint64_t key_of_f64(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits >> 63 ? ~bits : bits | ((uint64_t)1 << 63);
}

static double value_of(HaloDtype dtype, uint64_t key)
{
    double wide;
    if (dtype == HALO_F64) {
        const uint64_t bits = key >> 63 ? key ^ ((uint64_t)1 << 63) : ~key;
        memcpy(&wide, &bits, sizeof wide);
        return wide;
    }
    float narrow;
    const uint32_t low = (uint32_t)key, bits = low >> 31 ? low ^ 0x80000000u : ~low;
    memcpy(&narrow, &bits, sizeof narrow);
    return (double)narrow;
}

/* ---- a pass --------------------------------------------------------------------------------------------- */

/* Is there one scope alone, since a single channel is also all of them? */
static bool is_single(int channels, int alpha) { return channels == 1 && alpha != 0; }

/* In the first pass, the counts of all channels together are the sum of theirs. */
static bool is_sum(const Search *search, int scope) { return scope == search->channels && search->known == 0; }

static HaloStatus begin_scope(const Search *search, Scope *scope)
{
    const size_t leads = ((size_t)1 << search->lead) + 1;
    free(scope->first);
    free(scope->count);
    scope->first = calloc(leads, 1);
    scope->count = calloc(((size_t)scope->prefixes << search->bits) + 1, sizeof *scope->count);
    if (scope->first == NULL || scope->count == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    for (int k = 0; k < scope->prefixes; k++)
        scope->first[(scope->prefix[k] >> (search->known - search->lead)) + 1]++;
    for (size_t k = 1; k < leads; k++) scope->first[k] = (uint8_t)(scope->first[k] + scope->first[k - 1]);
    return HALO_OK;
}

/* As many bits as the counters allow, and at least a few. */
static HaloStatus begin_pass(Search *search)
{
    int64_t rows = 0;
    for (int k = 0; k < search->scopes; k++) rows += search->scope[k].prefixes;
    search->bits = LEAST_BITS;
    while (search->bits < MOST_BITS && rows << (search->bits + 1) <= MOST_COUNTERS) search->bits++;
    if (search->bits > width_of(search) - search->known) search->bits = width_of(search) - search->known;
    search->lead = search->scopes <= FEW_SCOPES ? 16 : 8;
    if (search->lead > search->known) search->lead = search->known;
    HaloStatus status = HALO_OK;
    for (int k = 0; k < search->scopes && status == HALO_OK; k++)
        status = begin_scope(search, &search->scope[k]);
    return status;
}

static inline void count_key(const Search *search, Scope *scope, int width, uint64_t key)
{
    const uint64_t lead = search->lead > 0 ? key >> (width - search->lead) : 0;
    const uint64_t digit = key >> (width - search->known - search->bits) & (((uint64_t)1 << search->bits) - 1);
    for (int k = scope->first[lead]; k < scope->first[lead + 1]; k++)
        if (search->known == 0 || key >> (width - search->known) == scope->prefix[k])
            scope->count[((uint64_t)k << search->bits) + digit]++;
}

static void count_f32(const Search *search, Scope *scope, const float *v, int64_t n)
{
    for (int64_t i = 0; i < n; i++, v += search->channels)
        if (*v == *v) count_key(search, scope, 32, key_of_f32(*v));
}

static void count_f64(const Search *search, Scope *scope, const double *v, int64_t n)
{
    for (int64_t i = 0; i < n; i++, v += search->channels)
        if (*v == *v) count_key(search, scope, 64, key_of_f64(*v));
}

/* A channel of a row, for a scope. */
static void count_channel(const Search *search, Scope *scope, const void *row, int channel, int64_t n)
{
    if (search->dtype == HALO_F64)
        count_f64(search, scope, (const double *)row + channel, n);
    else
        count_f32(search, scope, (const float *)row + channel, n);
}

void search_add(Search *search, const HaloBuf *block)
{
    for (int64_t y = block->y0; y < block->y0 + block->rows; y++)
        for (int c = 0; c < search->channels; c++) {
            const void *row = halo_at(block, block->x0, y);
            const int all = search->channels;
            count_channel(search, &search->scope[c], row, c, block->cols);
            if (all < search->scopes && !is_sum(search, all) && c != search->alpha)
                count_channel(search, &search->scope[all], row, c, block->cols);
        }
}

/* ---- between two passes --------------------------------------------------------------------------------- */

static int ascending(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* Goes on to the digit that holds the sample. */
static void narrow(const Search *search, const Scope *scope, Wanted *wanted)
{
    int k = 0;
    while (scope->prefix[k] != wanted->prefix) k++;
    const uint64_t *count = scope->count + ((uint64_t)k << search->bits);
    const uint64_t digit = (uint64_t)count_rank(count, (int64_t)1 << search->bits, wanted->rank);
    for (uint64_t d = 0; d < digit; d++) wanted->rank -= count[d];
    wanted->prefix = wanted->prefix << search->bits | digit;
}

static void narrow_all(const Search *search, Scope *scope)
{
    for (int i = 0; i < scope->wanted; i++) narrow(search, scope, &scope->wanted_at[i]);
    for (int i = 0; i < scope->wanted; i++) scope->prefix[i] = scope->wanted_at[i].prefix;
    qsort(scope->prefix, (size_t)scope->wanted, sizeof *scope->prefix, ascending);
    scope->prefixes = 0;
    for (int i = 0; i < scope->wanted; i++)
        if (scope->prefixes == 0 || scope->prefix[i] != scope->prefix[scope->prefixes - 1])
            scope->prefix[scope->prefixes++] = scope->prefix[i];
}

/* The samples before and behind every percentile; of none, nothing is wanted. The first pass has counted how
 * many there are. */
static void want(const Search *search, const HaloDetail *detail, Scope *scope)
{
    uint64_t n = 0;
    for (int64_t d = 0; d < (int64_t)1 << search->bits; d++) n += scope->count[d];
    for (int i = 0; i < detail->percents && n > 0; i++) {
        const Place place = place_of(detail->percent[i], n);
        scope->wanted_at[scope->wanted++].rank = place.before;
        scope->wanted_at[scope->wanted++].rank = place.after;
    }
}

static void add_up(const Search *search, Scope *all)
{
    for (int c = 0; c < search->channels; c++)
        for (int64_t d = 0; c != search->alpha && d < (int64_t)1 << search->bits; d++)
            all->count[d] += search->scope[c].count[d];
}

HaloStatus search_next(Search *search, const HaloDetail *detail, bool *found)
{
    for (int k = 0; k < search->scopes; k++) {
        Scope *scope = &search->scope[k];
        if (is_sum(search, k)) add_up(search, scope);
        if (search->known == 0) want(search, detail, scope);
        narrow_all(search, scope);
    }
    search->known += search->bits;
    *found = search->known == width_of(search);
    return *found ? HALO_OK : begin_pass(search);
}

void search_take(const Search *search, const HaloDetail *detail, HaloResult *result)
{
    for (int k = 0; k < search->scopes; k++) {
        const Scope *scope = &search->scope[k];
        HaloStats *s = k < search->channels ? &result->channel[k] : &result->all;
        for (int i = 0; i < detail->percents; i++) {
            const Place place = place_of(detail->percent[i], s->count - s->nan);
            const Wanted *at = &scope->wanted_at[2 * i];
            s->percentile[i] = scope->wanted == 0
                                   ? (double)NAN
                                   : place_value(&place, value_of(search->dtype, at[0].prefix) + 0.0,
                                                 value_of(search->dtype, at[1].prefix) + 0.0);
        }
    }
    if (search->scopes == search->channels)
        memcpy(result->all.percentile, result->channel[0].percentile, sizeof result->all.percentile);
}

/* ---- all of it ------------------------------------------------------------------------------------------ */

int64_t search_bytes(const HaloShape *shape, const HaloDetail *detail)
{
    const int64_t scopes = shape->channels + !is_single(shape->channels, shape->alpha),
                  wanted = 2 * (int64_t)detail->percents, rows = scopes * larger(wanted, 1);
    const int64_t counters = larger(smaller(rows << MOST_BITS, MOST_COUNTERS), rows << LEAST_BITS),
                  leads = (1 << (scopes <= FEW_SCOPES ? 16 : 8)) + 1;
    return counters * (int64_t)sizeof(uint64_t) +
           scopes * (leads + (int64_t)sizeof(Scope) + (wanted + 1) * (int64_t)sizeof(Wanted));
}

HaloStatus search_open(const HaloShape *shape, const HaloDetail *detail, Search **search)
{
    HaloStatus status = HALO_OK;
    Search *made = calloc(1, sizeof *made);
    *search = made;
    if (made == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    made->dtype = shape->dtype;
    made->channels = shape->channels;
    made->alpha = shape->alpha;
    made->scopes = shape->channels + !is_single(shape->channels, shape->alpha);
    made->scope = calloc((size_t)made->scopes, sizeof *made->scope);
    if (made->scope == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    for (int k = 0; k < made->scopes; k++) {
        Scope *scope = &made->scope[k];
        scope->prefixes = 1;
        scope->wanted_at = calloc(2 * (size_t)detail->percents + 1, sizeof *scope->wanted_at);
        if (scope->wanted_at == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    }
    HALO_TRY(begin_pass(made));
out:
    return status;
}

void search_close(Search *search)
{
    for (int k = 0; search != NULL && search->scope != NULL && k < search->scopes; k++) {
        free(search->scope[k].wanted_at);
        free(search->scope[k].first);
        free(search->scope[k].count);
    }
    if (search != NULL) free(search->scope);
    free(search);
}

/* Counters of one type: define COUNT (the type), TYPE (its suffix) and UP_TO(sum, index), how many of 16 sums
 * are no greater than the index. */
#define N(name) CPU_PASTE(name, TYPE)

static CPU_INLINE void N(change)(COUNT *restrict to, const COUNT *restrict add, const COUNT *restrict take)
{
    for (int k = 0; k < 16; k++) to[k] = (COUNT)(to[k] + add[k] - take[k]);
}

static CPU_INLINE void N(join)(COUNT *restrict to, const COUNT *restrict add)
{
    for (int k = 0; k < 16; k++) to[k] = (COUNT)(to[k] + add[k]);
}

/* What a sample adds to the sums: 1 from its place on. */
static const COUNT N(step)[16][16] = {
    {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, {0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
    {0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, {0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
    {0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
    {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1},
    {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1},
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1},
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1},
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}};

static CPU_INLINE COUNT *N(fine_at)(const CpuCounts *c, int64_t part, int64_t column)
{
    return (COUNT *)c->fine + (part * c->columns + column) * 16;
}

static void N(count_columns)(const CpuCounts *c, const uint8_t *gone, const uint8_t *come, int64_t apart)
{
    COUNT *coarse = c->coarse;
    for (int64_t i = 0; i < c->columns; i++, coarse += 16) {
        const uint8_t in = come[i * apart];
        if (gone != NULL) {
            const uint8_t out = gone[i * apart];
            COUNT *const from = N(fine_at)(c, out >> 4, i);
            N(change)(coarse, N(step)[in >> 4], N(step)[out >> 4]);
            for (int k = 0; k < 16; k++) from[k] = (COUNT)(from[k] - N(step)[out & 15][k]);
        } else {
            N(join)(coarse, N(step)[in >> 4]);
        }
        N(join)(N(fine_at)(c, in >> 4, i), N(step)[in & 15]);
    }
}

/* Brings the fine sums of a part to the window at x; `at` is where they were last. A window that has nothing in
 * common with that one, or little, is summed anew: so no column is added more than twice for a part. */
static CPU_INLINE void N(catch_up)(const CpuCounts *c, int64_t part, int64_t at, int64_t x, COUNT *sum)
{
    if (2 * (x - at) > c->width || at < 0) {
        const COUNT *column = N(fine_at)(c, part, x);
        memset(sum, 0, 16 * sizeof *sum);
        for (int64_t i = 0; i < c->width; i++, column += 16) N(join)(sum, column);
        return;
    }
    const COUNT *gone = N(fine_at)(c, part, at), *come = gone + c->width * 16;
    for (int64_t i = at; i < x; i++, gone += 16, come += 16) N(change)(sum, come, gone);
}

static CPU_INLINE void N(windows)(const CpuCounts *c, int64_t n, bool nan, int64_t apart, uint8_t *bin,
                                  uint32_t *rest)
{
    COUNT coarse[16] = {0}, sum[16][16];
    const COUNT *gone = c->coarse, *come = gone;
    int64_t at[16], index = c->index;
    for (int k = 0; k < 16; k++) at[k] = -1;
    for (int64_t i = 0; i < c->width; i++, come += 16) N(join)(coarse, come);
    for (int64_t x = 0; x < n; x++) {
        if (x > 0) {
            N(change)(coarse, come, gone);
            come += 16;
            gone += 16;
        }
        if (nan && (int64_t)coarse[14] < c->samples) { /* all but NaN lie before the last part */
            if (!c->nan_ignore || coarse[14] == 0) {
                rest[x] = CPU_COUNT_NAN;
                continue;
            }
            index = halo_rank_index(c->fraction, (int64_t)coarse[14]);
        } else {
            index = c->index;
        }
        const int part = UP_TO(coarse, index);
        const int64_t left = index - (part > 0 ? (int64_t)coarse[part - 1] : 0);
        if (at[part] != x) N(catch_up)(c, part, at[part], x, sum[part]);
        at[part] = x;
        const int place = UP_TO(sum[part], left);
        bin[x * apart] = (uint8_t)(part * 16 + place);
        if (rest != NULL) rest[x] = (uint32_t)(left - (place > 0 ? (int64_t)sum[part][place - 1] : 0));
    }
}

static void N(count_windows)(const CpuCounts *c, int64_t n, int64_t apart, uint8_t *bin, uint32_t *rest)
{
    if (rest == NULL)
        N(windows)(c, n, false, apart, bin, NULL);
    else if (c->nan)
        N(windows)(c, n, true, apart, bin, rest);
    else
        N(windows)(c, n, false, apart, bin, rest);
}
#undef N
#undef COUNT
#undef TYPE
#undef UP_TO

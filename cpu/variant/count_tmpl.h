/* Counters of one type: define COUNT (the type), TYPE (its suffix) and UP_TO(sum, index), how many of 16 sums
 * are no greater than the index. */
#define N(name) CPU_PASTE(name, TYPE)

/* 16 counters, as vectors where the compiler has them: the sums of a window, and a column's. */
#if defined(__GNUC__)
typedef COUNT N(Sums) __attribute__((vector_size(16 * sizeof(COUNT))));
typedef COLUMN N(Column) __attribute__((vector_size(16 * sizeof(COLUMN))));
#define WIDEN(column) __builtin_convertvector(column, N(Sums))

static CPU_INLINE void N(slide)(COUNT *sum, const COLUMN *come, const COLUMN *gone)
{
    N(Sums) s;
    N(Column) in, out;
    memcpy(&s, sum, sizeof s);
    memcpy(&in, come, sizeof in);
    memcpy(&out, gone, sizeof out);
    s = s + WIDEN(in) - WIDEN(out);
    memcpy(sum, &s, sizeof s);
}

static CPU_INLINE void N(join)(COUNT *sum, const COLUMN *come)
{
    N(Sums) s;
    N(Column) in;
    memcpy(&s, sum, sizeof s);
    memcpy(&in, come, sizeof in);
    s += WIDEN(in);
    memcpy(sum, &s, sizeof s);
}

/* Adds a step to a column's counters, or takes it away. */
static CPU_INLINE void N(change)(COLUMN *column, const COLUMN *step, bool add)
{
    N(Column) c, by;
    memcpy(&c, column, sizeof c);
    memcpy(&by, step, sizeof by);
    c = add ? c + by : c - by;
    memcpy(column, &c, sizeof c);
}
#undef WIDEN
#else
static CPU_INLINE void N(slide)(COUNT *sum, const COLUMN *come, const COLUMN *gone)
{
    for (int k = 0; k < 16; k++) sum[k] = (COUNT)(sum[k] + come[k] - gone[k]);
}

static CPU_INLINE void N(join)(COUNT *sum, const COLUMN *come)
{
    for (int k = 0; k < 16; k++) sum[k] = (COUNT)(sum[k] + come[k]);
}

static CPU_INLINE void N(change)(COLUMN *column, const COLUMN *step, bool add)
{
    for (int k = 0; k < 16; k++) column[k] = (COLUMN)(add ? column[k] + step[k] : column[k] - step[k]);
}
#endif

/* What a sample adds to the sums: 1 from its place on. */
static const COLUMN N(step)[16][16] = {
    {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, {0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
    {0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, {0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
    {0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
    {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1},
    {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1},
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1},
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1},
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}};

static CPU_INLINE COLUMN *N(fine_at)(const CpuCounts *c, int64_t part, int64_t column)
{
    return (COLUMN *)c->fine + (part * c->columns + column) * 16;
}

static void N(count_columns)(const CpuCounts *c, const uint8_t *gone, const uint8_t *come, int64_t apart)
{
    COLUMN *coarse = c->coarse;
    for (int64_t i = 0; i < c->columns; i++, coarse += 16) {
        const int in = come[i * apart];
        if (gone != NULL) {
            const int out = gone[i * apart];
            if (out == in) continue;
            N(change)(coarse, N(step)[out >> 4], false);
            N(change)(N(fine_at)(c, out >> 4, i), N(step)[out & 15], false);
        }
        N(change)(coarse, N(step)[in >> 4], true);
        N(change)(N(fine_at)(c, in >> 4, i), N(step)[in & 15], true);
    }
}

/* Brings the fine sums of a part to the window at x; `at` is where they were last. A window that has nothing in
 * common with that one, or little, is summed anew: so no column is added more than twice for a part. */
static CPU_INLINE void N(catch_up)(const CpuCounts *c, int64_t part, int64_t at, int64_t x, COUNT *sum)
{
    if (2 * (x - at) > c->width || at < 0) {
        const COLUMN *column = N(fine_at)(c, part, x);
        memset(sum, 0, 16 * sizeof *sum);
        for (int64_t i = 0; i < c->width; i++, column += 16) N(join)(sum, column);
        return;
    }
    const COLUMN *gone = N(fine_at)(c, part, at), *come = gone + c->width * 16;
    for (int64_t i = at; i < x; i++, gone += 16, come += 16) N(slide)(sum, come, gone);
}

/* Each array of 16 sums is preceded by a 0. */
static CPU_INLINE void N(windows)(const CpuCounts *c, int64_t n, bool nan, int64_t apart, uint8_t *bin,
                                  uint32_t *rest)
{
    COUNT padded[32] = {0}, fine_counts[16][32];
    COUNT *const coarse = padded + 16;
    const COLUMN *gone = c->coarse, *come = gone;
    int64_t at[16], index = c->index;
    for (int k = 0; k < 16; k++) {
        at[k] = -1;
        fine_counts[k][15] = 0;
    }
    for (int64_t i = 0; i < c->width; i++, come += 16) N(join)(coarse, come);
    for (int64_t x = 0; x < n; x++) {
        if (x > 0) {
            N(slide)(coarse, come, gone);
            come += 16;
            gone += 16;
        }
        if (nan) { /* all but NaN lie before the last part */
            const int64_t numbers = (int64_t)coarse[14];
            if (numbers < c->samples && (!c->nan_ignore || numbers == 0)) {
                rest[x] = CPU_COUNT_NAN;
                continue;
            }
            index = numbers < c->samples ? halo_rank_index(c->fraction, numbers) : c->index;
            if (c->upper && numbers < c->samples) index = numbers - 1 - index;
        }
        const int part = UP_TO(coarse, index);
        const int64_t left = index - (int64_t)coarse[part - 1];
        COUNT *const fine = fine_counts[part] + 16;
        if (at[part] != x) N(catch_up)(c, part, at[part], x, fine);
        at[part] = x;
        const int place = UP_TO(fine, left);
        bin[x * apart] = (uint8_t)(part * 16 + place);
        if (rest != NULL) rest[x] = (uint32_t)(left - (int64_t)fine[place - 1]);
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
#undef COLUMN
#undef COUNT
#undef TYPE
#undef UP_TO

/* Medians of one type of keys: define KEY (the type), TYPE (its suffix), and, where the machine has
 * instructions for them, LESSER and GREATER of two vectors; NAN_KEY, where there is one, is the greatest key.
 *
 * Columns are sorted once for all windows that share them: first the lines of the columns' least, second, …
 * samples, then from these, which lie side by side, the windows. */
#define N(name) CPU_PASTE(name, TYPE)
#define VECTOR N(Keys)
#define PER ((int64_t)(sizeof(VECTOR) / sizeof(KEY)))

#if defined(__GNUC__)
typedef KEY VECTOR __attribute__((vector_size(KEYS)));
typedef __typeof__((VECTOR){0} < (VECTOR){0}) N(KeyBits); /* what a comparison gives, and masks */
#else
typedef KEY VECTOR;
#endif

static CPU_INLINE VECTOR N(take)(const void *line, int64_t i)
{
    VECTOR v;
    memcpy(&v, (const KEY *)line + i, sizeof v);
    return v;
}

static CPU_INLINE void N(put)(void *line, int64_t i, VECTOR v) { memcpy((KEY *)line + i, &v, sizeof v); }

static CPU_INLINE VECTOR N(least)(VECTOR a, VECTOR b)
{
#if defined(LESSER)
    return (VECTOR)LESSER(a, b);
#elif defined(__GNUC__)
    const N(KeyBits) less = a < b;
    return (VECTOR)(((N(KeyBits))a & less) | ((N(KeyBits))b & ~less));
#else
    return a < b ? a : b;
#endif
}

static CPU_INLINE VECTOR N(most)(VECTOR a, VECTOR b)
{
#if defined(LESSER)
    return (VECTOR)GREATER(a, b);
#elif defined(__GNUC__)
    const N(KeyBits) less = a < b;
    return (VECTOR)(((N(KeyBits))b & less) | ((N(KeyBits))a & ~less));
#else
    return a < b ? b : a;
#endif
}

static CPU_INLINE void N(order)(VECTOR *a, VECTOR *b)
{
    const VECTOR low = N(least)(*a, *b);
    *b = N(most)(*a, *b);
    *a = low;
}

static CPU_INLINE VECTOR N(middle)(VECTOR a, VECTOR b, VECTOR c)
{
    N(order)(&a, &b);
    return N(most)(a, N(least)(b, c));
}

/* NaN where the greatest sample is. */
static CPU_INLINE VECTOR N(or_nan)(VECTOR median, VECTOR greatest)
{
#if !defined(NAN_KEY)
    (void)greatest;
    return median;
#elif defined(__GNUC__)
    return median | (VECTOR)(greatest == NAN_KEY);
#else
    return greatest == NAN_KEY ? greatest : median;
#endif
}

/* Where the vector from element i on starts: no vector reaches behind n elements, if these have space for one.
 */
static CPU_INLINE int64_t N(start)(int64_t i, int64_t n) { return i + PER > n && n >= PER ? n - PER : i; }

/* Pixels at both ends of the columns become what the first and the last of the picture are. */
static CPU_INLINE void N(repeat)(int side, const CpuMedianLines *of, int64_t n)
{
    const int64_t step = of->step, begin = of->left * step, end = begin + n;
    for (int j = 0; j < side; j++) {
        KEY *const sorted = (KEY *)of->spare + j * of->pitch;
        for (int64_t i = begin - 1; i >= 0; i--) sorted[i] = sorted[i + step];
        for (int64_t i = end; i < end + of->right * step; i++) sorted[i] = sorted[i - step];
    }
}

/* The columns of `side` lines, sorted. A line may end with its last element, if it has one vector. */
static CPU_INLINE void N(columns)(int side, const CpuMedianLines *of)
{
    const void *const *line = of->line;
    const int64_t n = of->n + (side - 1 - of->left - of->right) * of->step;
    KEY *const sorted = (KEY *)of->spare + of->left * of->step;
    for (int64_t i = 0; i < n; i += PER) {
        VECTOR v[5];
        const int64_t at = N(start)(i, n);
        for (int j = 0; j < side; j++) v[j] = N(take)(line[j], at);
        if (side == 3) {
            N(order)(&v[1], &v[2]);
            N(order)(&v[0], &v[1]);
            N(order)(&v[1], &v[2]);
        } else {
            N(order)(&v[0], &v[3]);
            N(order)(&v[1], &v[4]);
            N(order)(&v[0], &v[2]);
            N(order)(&v[1], &v[3]);
            N(order)(&v[0], &v[1]);
            N(order)(&v[2], &v[4]);
            N(order)(&v[1], &v[2]);
            N(order)(&v[3], &v[4]);
            N(order)(&v[2], &v[3]);
        }
        for (int j = 0; j < side; j++) N(put)(sorted + j * of->pitch, at, v[j]);
    }
    N(repeat)(side, of, n);
}

static void N(median3)(const CpuMedianLines *of, void *out)
{
    const int64_t step = of->step, n = of->n;
    const KEY *const low = of->spare, *const middle = low + of->pitch, *const high = middle + of->pitch;
    N(columns)(3, of);
    for (int64_t from = 0; from < n; from += PER) {
        const int64_t i = N(start)(from, n);
        const VECTOR a = N(take)(low, i), b = N(take)(low, i + step), c = N(take)(low, i + 2 * step);
        const VECTOR d = N(take)(middle, i), e = N(take)(middle, i + step), f = N(take)(middle, i + 2 * step);
        const VECTOR g = N(take)(high, i), h = N(take)(high, i + step), k = N(take)(high, i + 2 * step);
        const VECTOR median =
            N(middle)(N(most)(N(most)(a, b), c), N(middle)(d, e, f), N(least)(N(least)(g, h), k));
        N(put)(out, i, N(or_nan)(median, N(most)(N(most)(g, h), k)));
    }
}

/* With columns and rows in order, of 25 samples only the 13 along the rising diagonal can be the median: two
 * each of the first and the last row, three each of the others. The last of these exchanges were found by
 * search, and tried on all columns of zeros and ones. */
static void N(median5)(const CpuMedianLines *of, void *out)
{
    const int64_t step = of->step, n = of->n, pitch = of->pitch;
    const KEY *const sorted = of->spare;
    N(columns)(5, of);
    for (int64_t from = 0; from < n; from += PER) {
        const int64_t i = N(start)(from, n);
#define LINE(j)                                                                                                \
    N(take)                                                                                                    \
    (sorted + (j)*pitch, i), N(take)(sorted + (j)*pitch, i + step), N(take)(sorted + (j)*pitch, i + 2 * step), \
        N(take)(sorted + (j)*pitch, i + 3 * step), N(take)(sorted + (j)*pitch, i + 4 * step)
#define ORDER(a, b) N(order)(&v[a], &v[b])
        VECTOR v[25] = {LINE(0), LINE(1), LINE(2), LINE(3), LINE(4)};
        /* the two greatest of the first row */
        ORDER(0, 3), ORDER(1, 4), ORDER(2, 3), ORDER(0, 2), ORDER(1, 3), ORDER(2, 4), ORDER(3, 4);
        /* the three greatest of the second */
        ORDER(5, 8), ORDER(8, 7), ORDER(6, 9), ORDER(5, 6), ORDER(7, 9), ORDER(6, 8), ORDER(6, 7), ORDER(7, 8);
        /* the three in the middle of the third */
        ORDER(10, 13), ORDER(11, 14), ORDER(10, 12), ORDER(11, 13), ORDER(10, 11), ORDER(12, 14);
        ORDER(11, 12), ORDER(13, 14), ORDER(12, 13);
        /* the three least of the fourth */
        ORDER(19, 18), ORDER(15, 16), ORDER(19, 17), ORDER(15, 19), ORDER(17, 19), ORDER(18, 19);
        ORDER(16, 18), ORDER(16, 17);
        /* the two least of the last; its greatest tells of NaN */
        const VECTOR greatest = N(most)(N(most)(N(most)(v[20], v[21]), N(most)(v[22], v[23])), v[24]);
        ORDER(20, 23), ORDER(21, 24), ORDER(20, 22), ORDER(21, 23), ORDER(20, 21), ORDER(22, 24), ORDER(21, 22);
        /* the middle of what is left */
        ORDER(15, 8), ORDER(17, 21), ORDER(12, 4), ORDER(3, 7), ORDER(13, 9), ORDER(11, 12), ORDER(16, 13);
        ORDER(7, 16), ORDER(20, 8), ORDER(17, 8), ORDER(4, 17), ORDER(20, 12), ORDER(12, 16), ORDER(4, 16);
        ORDER(12, 4);
        N(put)(out, i, N(or_nan)(v[4], greatest));
#undef LINE
#undef ORDER
    }
}
#undef N
#undef VECTOR
#undef PER

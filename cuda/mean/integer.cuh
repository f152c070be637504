/* Column sums of integers, which are exact in any order: a thread keeps the sums of several columns over the
 * rows of the window. Rows that enter are added, rows that leave are read again and subtracted. */
#ifndef HALO_CUDA_MEAN_INTEGER_CUH
#define HALO_CUDA_MEAN_INTEGER_CUH

#include "sums.cuh"

static const int integer_threads = 256;

/* How sums become results. */
struct IntegerMeans {
    MeanTarget target;
    bool rescales;
    bool plain; /* sums do not exceed 2^24, and means are only rounded, and fit */
    float count, inverse;
};

/* ---- words ----------------------------------------------------------------------------------------------- */

/* The four samples of a word, as sums. */
CUDA_INLINE void integer_unpack(uint32_t word, uint32_t v[4])
{
#pragma unroll
    for (int i = 0; i < 4; i++) v[i] = __byte_perm(word, 0, 0x4440 + i);
}

CUDA_INLINE void integer_unpack(uint2 word, uint32_t v[4])
{
    v[0] = word.x & 0xffff;
    v[1] = word.x >> 16;
    v[2] = word.y & 0xffff;
    v[3] = word.y >> 16;
}

/* A word with the same sample four times. */
CUDA_INLINE void integer_repeat(unsigned sample, uint32_t *word) { *word = sample * 0x1010101; }
CUDA_INLINE void integer_repeat(unsigned sample, uint2 *word) { word->x = word->y = sample * 0x10001; }

/* One sample of a word. */
CUDA_INLINE void integer_insert(uint32_t *word, unsigned sample, int i) { *word |= sample << 8 * i; }
CUDA_INLINE unsigned integer_extract(uint32_t word, int i) { return word >> 8 * i & 0xff; }

CUDA_INLINE void integer_insert(uint2 *word, unsigned sample, int i)
{
    (i < 2 ? word->x : word->y) |= sample << 16 * (i % 2);
}

CUDA_INLINE unsigned integer_extract(uint2 word, int i)
{
    return (i < 2 ? word.x : word.y) >> 16 * (i % 2) & 0xffff;
}

/* Sums of words for the fewest instructions: of bytes two per word, which hold up to 257 rows. */
struct IntegerBytes {
    uint32_t even, odd;
    __device__ __forceinline__ void add(uint32_t word)
    {
        even += word & 0xff00ff;
        odd += word >> 8 & 0xff00ff;
    }
    __device__ __forceinline__ uint32_t sum(int i) const
    {
        return (i % 2 == 0 ? even : odd) >> 16 * (i / 2) & 0xffff;
    }
};

struct IntegerShorts {
    uint32_t sums[4];
    __device__ __forceinline__ void add(uint2 word)
    {
        uint32_t v[4];
        integer_unpack(word, v);
#pragma unroll
        for (int i = 0; i < 4; i++) sums[i] += v[i];
    }
    __device__ __forceinline__ uint32_t sum(int i) const { return sums[i]; }
};

/* ---- columns --------------------------------------------------------------------------------------------- */

/* Bytes from the first row to this one; both factors fit 32 bits, so the product is one instruction. */
CUDA_INLINE uint64_t integer_down(const MeanSource &s, int row)
{
    return (uint64_t)(unsigned)row * (unsigned)s.stride;
}

/* The columns of a thread: words that are integer_threads words apart. */
template <typename S, int Words> struct IntegerColumns {
    using Word = typename std::conditional<sizeof(S) == 1, uint32_t, uint2>::type;
    static constexpr int batch = sizeof(S) * Words > 1 ? 4 : 8; /* rows in flight, both entering and leaving */
    const char *word[Words];                                    /* in the source's first row */
    bool as_words;                                              /* does the warp read words, everywhere? */
    const int *at; /* else: the sample of the row; -1: outside. Separate, since loops index it */
    Word outside;
    uint32_t sum[4 * Words];

    /* Sample by sample, in a loop: rare, so the code is short and `at` takes no registers. */
    template <int Rows>
    __device__ __forceinline__ void read_singly(const MeanSource &s, const int (&row)[Rows],
                                                Word (&v)[Rows][Words]) const
    {
#pragma unroll
        for (int j = 0; j < Words; j++) {
#pragma unroll
            for (int k = 0; k < Rows; k++) v[k][j] = {};
#pragma unroll 1
            for (int i = 0; i < 4; i++) {
                const int from = at[4 * j + i];
                const char *const first = s.data + max(from, 0) * (int)sizeof(S);
#pragma unroll
                for (int k = 0; k < Rows; k++) {
                    const S sample = __ldg((const S *)(first + integer_down(s, row[k])));
                    integer_insert(&v[k][j], from < 0 ? integer_extract(outside, i) : (unsigned)sample, i);
                }
            }
        }
    }

    /* Loads the rows row(0), row(1), …; `beside` has a bit for each row outside, in whose place something is
     * read. */
    template <int Rows, typename Row>
    __device__ __forceinline__ void fetch(const MeanSource &s, Row row, unsigned beside,
                                          Word (&v)[Rows][Words]) const
    {
        if (as_words) {
#pragma unroll
            for (int k = 0; k < Rows; k++) {
                const uint64_t vertical = integer_down(s, row(k));
#pragma unroll
                for (int j = 0; j < Words; j++) v[k][j] = __ldg((const Word *)(word[j] + vertical));
            }
        } else {
            int rows[Rows];
#pragma unroll
            for (int k = 0; k < Rows; k++) rows[k] = row(k);
            read_singly(s, rows, v);
        }
        if (beside == 0) return;
#pragma unroll
        for (int k = 0; k < Rows; k++)
#pragma unroll
            for (int j = 0; j < Words; j++)
                if (beside >> k & 1) v[k][j] = outside;
    }

    /* A row enters or leaves the window. */
    template <bool Comes> __device__ __forceinline__ void move(const Word (&row)[Words])
    {
#pragma unroll
        for (int j = 0; j < Words; j++) {
            uint32_t v[4];
            integer_unpack(row[j], v);
#pragma unroll
            for (int i = 0; i < 4; i++) sum[4 * j + i] += Comes ? v[i] : 0u - v[i];
        }
    }
};

/* The sums of a step's rows: adds come(k), the windows' last row, calls put(k), and subtracts gone(k), their
 * first. `beside` has a bit for each entering row, then for each leaving one. */
template <int Rows, typename S, int Words, typename Come, typename Gone, typename Put>
CUDA_INLINE void integer_step(const MeanSource &s, IntegerColumns<S, Words> *c, unsigned beside, Come come,
                              Gone gone, Put put)
{
    typedef IntegerColumns<S, Words> Columns;
    constexpr int batch = Rows < Columns::batch ? Rows : Columns::batch;
    constexpr unsigned some = (1u << batch) - 1;
#pragma unroll
    for (int r = 0; r < Rows; r += batch) {
        typename Columns::Word more[batch][Words], less[batch][Words];
        c->fetch(
            s, [&](int k) { return come(r + k); }, beside >> r & some, more);
        c->fetch(
            s, [&](int k) { return gone(r + k); }, beside >> (Rows + r) & some, less);
#pragma unroll
        for (int k = 0; k < batch; k++) {
            c->template move<true>(more[k]);
            put(r + k);
            c->template move<false>(less[k]);
        }
    }
}

/* Adds `count` rows, at most a warp: rows of a window before its last. */
template <typename S, int Words, typename Row>
CUDA_INLINE void integer_begin(const MeanSource &s, int count, IntegerColumns<S, Words> *c, unsigned beside,
                               Row row)
{
    constexpr int batch = sizeof(S) * Words > 2 ? 4 : 8; /* rows in flight */
    typename std::conditional<sizeof(S) == 1, IntegerBytes, IntegerShorts>::type some[Words] = {};
#pragma unroll 1
    for (int first = 0; first < count; first += batch) {
        typename IntegerColumns<S, Words>::Word come[batch][Words];
        c->fetch(
            s, [&](int k) { return row(min(first + k, count - 1)); }, beside >> first, come);
#pragma unroll
        for (int k = 0; k < batch; k++)
            if (first + k < count)
#pragma unroll
                for (int j = 0; j < Words; j++) some[j].add(come[k][j]);
    }
#pragma unroll
    for (int i = 0; i < 4 * Words; i++) c->sum[i] += some[i / 4].sum(i % 4);
}

/* ---- means ----------------------------------------------------------------------------------------------- */

/* A sum, which f32 holds, over the count, rounded once: as in mean_divided. */
CUDA_INLINE float integer_quotient(const IntegerMeans &m, uint32_t sum)
{
    const float s = (float)(int)sum;
    float q = s * m.inverse;
    q = halo_fma(halo_fma(-q, m.count, s), m.inverse, q);
    return halo_fma(halo_fma(-q, m.count, s), m.inverse, q);
}

/* Turns sums into means, with the target's scale unless Plain. */
template <bool Plain, int Count>
CUDA_INLINE void integer_quotients(const IntegerMeans &m, const uint32_t (&sum)[Count], float (&mean)[Count])
{
    if constexpr (Plain) {
#pragma unroll
        for (int i = 0; i < Count; i++) mean[i] = integer_quotient(m, sum[i]);
    } else {
        double wide[Count];
#pragma unroll
        for (int i = 0; i < Count; i++)
            wide[i] = __hiloint2double(0x43300000, (int)sum[i]) - 0x1p52; /* faster than a conversion */
        mean_quotients<Count>(wide, m.target.finish, mean);
        if (m.rescales)
#pragma unroll
            for (int i = 0; i < Count; i++) mean[i] = cuda_rescale(mean[i], m.target.store);
    }
}

template <typename D, bool Plain>
CUDA_INLINE D integer_sample(const IntegerMeans &m, float mean, unsigned *clipped)
{
    if constexpr (!Plain)
        return cuda_sample<D>(mean, {1.0f, 1.0f}, clipped);
    else if constexpr (sizeof(D) == sizeof(float))
        return mean;
    else
        return (D)__float_as_uint(mean + 12582912.0f); /* 1.5 * 2^23, whose ulp is 1 */
}

/* ---- launching ------------------------------------------------------------------------------------------- */

/* Are the window sums exact in 32 bits, and the row sums exact in f32 as between two passes? */
static inline bool integer_fits(const MeanJob *job)
{
    const HaloWindow &w = job->window;
    const MeanSource &s = job->source;
    int64_t row = 0, sum = 0;
    if (s.dtype == HALO_F32 || halo_rank_keys(s.dtype, w.border, w.value) != s.dtype || s.stride > INT32_MAX)
        return false;
    return halo_mul(w.width, mean_white(s), &row) && row <= mean_exact && halo_mul(w.height, row, &sum) &&
           sum <= UINT32_MAX;
}

static inline IntegerMeans integer_means(const MeanJob *job)
{
    IntegerMeans m = {};
    const int64_t count = job->window.width * job->window.height;
    m.target = job->target;
    m.target.finish.count = (double)count;
    m.target.finish.inverse = 1.0 / m.target.finish.count;
    m.count = (float)count;
    m.inverse = 1.0f / m.count;
    m.rescales = job->target.store.num != 1.0f || job->target.store.den != 1.0f;
    m.plain =
        count * mean_white(job->source) <= mean_exact && !m.rescales && job->target.dtype >= job->source.dtype;
    return m;
}

#endif

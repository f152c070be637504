/* Columns of whole numbers, whose sums are exact in any order: a thread keeps the sums of a few columns over as
 * many rows as the window has. What comes is added, what leaves is read again and taken away. */
#ifndef HALO_CUDA_MEAN_WHOLE_CUH
#define HALO_CUDA_MEAN_WHOLE_CUH

#include "sums.cuh"

static const int whole_threads = 256;

/* What becomes of sums. */
struct WholeMeans {
    MeanTarget target;
    bool rescales;
    bool plain; /* sums do not go beyond 2^24, and means are stored just rounded, and fit */
    float count, inverse;
};

/* ---- words ----------------------------------------------------------------------------------------------- */

/* Four samples of a row, side by side, as sums. */
__device__ __forceinline__ static void whole_unpack(uint32_t word, uint32_t v[4])
{
#pragma unroll
    for (int i = 0; i < 4; i++) v[i] = __byte_perm(word, 0, 0x4440 + i);
}

__device__ __forceinline__ static void whole_unpack(uint2 word, uint32_t v[4])
{
    v[0] = word.x & 0xffff;
    v[1] = word.x >> 16;
    v[2] = word.y & 0xffff;
    v[3] = word.y >> 16;
}

/* The same four times. */
__device__ __forceinline__ static void whole_repeat(unsigned sample, uint32_t *word)
{
    *word = sample * 0x1010101;
}
__device__ __forceinline__ static void whole_repeat(unsigned sample, uint2 *word)
{
    word->x = word->y = sample * 0x10001;
}

/* One of them. */
__device__ __forceinline__ static void whole_insert(uint32_t *word, unsigned sample, int i)
{
    *word |= sample << 8 * i;
}
__device__ __forceinline__ static unsigned whole_extract(uint32_t word, int i) { return word >> 8 * i & 0xff; }

__device__ __forceinline__ static void whole_insert(uint2 *word, unsigned sample, int i)
{
    (i < 2 ? word->x : word->y) |= sample << 16 * (i % 2);
}

__device__ __forceinline__ static unsigned whole_extract(uint2 word, int i)
{
    return (i < 2 ? word.x : word.y) >> 16 * (i % 2) & 0xffff;
}

/* Sums of words as they are added up quickest: of bytes two to a word, which hold those of 257 rows. */
struct WholeBytes {
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

struct WholeShorts {
    uint32_t sums[4];
    __device__ __forceinline__ void add(uint2 word)
    {
        uint32_t v[4];
        whole_unpack(word, v);
#pragma unroll
        for (int i = 0; i < 4; i++) sums[i] += v[i];
    }
    __device__ __forceinline__ uint32_t sum(int i) const { return sums[i]; }
};

/* ---- columns --------------------------------------------------------------------------------------------- */

/* Bytes from the first row to this one; both fit 32 bits, of which the product takes one instruction. */
__device__ __forceinline__ static uint64_t whole_down(const MeanSource &s, int row)
{
    return (uint64_t)(unsigned)row * (unsigned)s.stride;
}

/* The columns of a thread: words that lie whole_threads of them apart. */
template <typename S, int Words> struct WholeColumns {
    using Word = typename std::conditional<sizeof(S) == 1, uint32_t, uint2>::type;
    static constexpr int batch =
        sizeof(S) * Words > 1 ? 4 : 8; /* rows of a step on their way, both those that come and those that go */
    const char *word[Words];           /* in the source's first row */
    bool whole;                        /* are those of the warp, all of them, read as they are? */
    const int *at; /* else: where from, in samples of a row; -1: outside. Apart, since loops go through it */
    Word outside;
    uint32_t sum[4 * Words];

    /* Sample by sample, in a loop: what few warps do is to be short, and `at` to take no registers. */
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
                    const S sample = __ldg((const S *)(first + whole_down(s, row[k])));
                    whole_insert(&v[k][j], from < 0 ? whole_extract(outside, i) : (unsigned)sample, i);
                }
            }
        }
    }

    /* Some rows, which are row(0), row(1), …; of `beside` a bit for each that lies outside: something is read
     * in its place. */
    template <int Rows, typename Row>
    __device__ __forceinline__ void fetch(const MeanSource &s, Row row, unsigned beside,
                                          Word (&v)[Rows][Words]) const
    {
        if (whole) {
#pragma unroll
            for (int k = 0; k < Rows; k++) {
                const uint64_t down = whole_down(s, row(k));
#pragma unroll
                for (int j = 0; j < Words; j++) v[k][j] = __ldg((const Word *)(word[j] + down));
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

    /* A row that comes into the window, or leaves it. */
    template <bool Comes> __device__ __forceinline__ void move(const Word (&row)[Words])
    {
#pragma unroll
        for (int j = 0; j < Words; j++) {
            uint32_t v[4];
            whole_unpack(row[j], v);
#pragma unroll
            for (int i = 0; i < 4; i++) sum[4 * j + i] += Comes ? v[i] : 0u - v[i];
        }
    }
};

/* The sums of a step's rows: come(k), of the windows' last row, is added, put(k) is told, and gone(k), of their
 * first, leaves. Of `beside` a bit for each that comes, and behind these for each that goes. */
template <int Rows, typename S, int Words, typename Come, typename Gone, typename Put>
__device__ __forceinline__ static void whole_step(const MeanSource &s, WholeColumns<S, Words> *c,
                                                  unsigned beside, Come come, Gone gone, Put put)
{
    typedef WholeColumns<S, Words> Columns;
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

/* Adds `count` rows, a warp of them at most: of those of a window before its last. */
template <typename S, int Words, typename Row>
__device__ __forceinline__ static void whole_begin(const MeanSource &s, int count, WholeColumns<S, Words> *c,
                                                   unsigned beside, Row row)
{
    constexpr int batch = sizeof(S) * Words > 2 ? 4 : 8; /* rows on their way */
    typename std::conditional<sizeof(S) == 1, WholeBytes, WholeShorts>::type some[Words] = {};
#pragma unroll 1
    for (int first = 0; first < count; first += batch) {
        typename WholeColumns<S, Words>::Word come[batch][Words];
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
__device__ __forceinline__ static float whole_quotient(const WholeMeans &m, uint32_t sum)
{
    const float s = (float)(int)sum;
    float q = s * m.inverse;
    q = halo_fma(halo_fma(-q, m.count, s), m.inverse, q);
    return halo_fma(halo_fma(-q, m.count, s), m.inverse, q);
}

/* Some sums become means, `Plain` or not, scaled as the target has them. */
template <bool Plain, int Count>
__device__ __forceinline__ static void whole_quotients(const WholeMeans &m, const uint32_t (&sum)[Count],
                                                       float (&mean)[Count])
{
    if constexpr (Plain) {
#pragma unroll
        for (int i = 0; i < Count; i++) mean[i] = whole_quotient(m, sum[i]);
    } else {
        double wide[Count];
#pragma unroll
        for (int i = 0; i < Count; i++)
            wide[i] = __hiloint2double(0x43300000, (int)sum[i]) - 0x1p52; /* quicker than it is converted */
        mean_quotients<Count>(wide, m.target.finish, mean);
        if (m.rescales)
#pragma unroll
            for (int i = 0; i < Count; i++) mean[i] = cuda_rescale(mean[i], m.target.store);
    }
}

template <typename D, bool Plain>
__device__ __forceinline__ static D whole_sample(const WholeMeans &m, float mean, unsigned *clipped)
{
    if constexpr (!Plain)
        return cuda_sample<D>(mean, {1.0f, 1.0f}, clipped);
    else if constexpr (sizeof(D) == sizeof(float))
        return mean;
    else
        return (D)__float_as_uint(mean + 12582912.0f); /* 1.5 * 2^23, whose last digit is 1 */
}

/* ---- launching ------------------------------------------------------------------------------------------- */

/* Are the sums of the job's windows exact, in 32 bits, and those of rows as they would lie between two passes?
 */
static inline bool whole_fits(const MeanJob *job)
{
    const HaloWindow &w = job->window;
    const MeanSource &s = job->source;
    int64_t row = 0, sum = 0;
    if (s.dtype == HALO_F32 || halo_rank_keys(s.dtype, w.border, w.value) != s.dtype || s.stride > INT32_MAX)
        return false;
    return halo_mul(w.width, mean_white(s), &row) && row <= mean_exact && halo_mul(w.height, row, &sum) &&
           sum <= UINT32_MAX;
}

static inline WholeMeans whole_means(const MeanJob *job)
{
    WholeMeans m = {};
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

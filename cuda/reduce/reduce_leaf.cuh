/* The samples of a leaf of f32, for reduce_float.cu and reduce_small.cu. docs/numerics.md has the order. */
#ifndef HALO_CUDA_REDUCE_LEAF_CUH
#define HALO_CUDA_REDUCE_LEAF_CUH

#include "reduce_tree.cuh"

/* One thread's part of a leaf: `Own` lanes. */
template <int Own> struct Lanes {
    double s[Own], q[Own], product[Own];
    int product_exp; /* of them all: exponents add up in any order */
    unsigned nan, inf, zero;
    float low, high;

    static __device__ __forceinline__ Lanes none()
    {
        Lanes lanes = {};
#pragma unroll
        for (int i = 0; i < Own; i++) lanes.product[i] = 1.0;
        lanes.low = INFINITY;
        lanes.high = -INFINITY;
        return lanes;
    }
};

/* Moves a lane's exponent out of its product; 0, infinity and NaN stay. In 64 bits: with __hiloint2double(),
 * ptxas 13.0 lost the lower half in reduce_small.cu. */
CUDA_INLINE void normalise_lane(double *product, int *exponent)
{
    const int64_t bits = __double_as_longlong(*product);
    const int e = (int)(bits >> 52) & 0x7ff;
    if ((unsigned)(e - 1) >= 0x7feu) return;
    *exponent += e - 1023;
    *product = __longlong_as_double((bits & ~((int64_t)0x7ff << 52)) | (int64_t)1023 << 52);
}

/* Necessary before exponents can overflow: every fourth row. Rounding does not depend on the exponent. */
template <int Own> CUDA_INLINE void normalise(Lanes<Own> *lanes)
{
#pragma unroll
    for (int i = 0; i < Own; i++) normalise_lane(&lanes->product[i], &lanes->product_exp);
}

/* Sums and products of some rows: row b has a sample of each lane. `Special`: there may be NaN and infinities.
 */
template <bool Product, bool Special, int Rows, int Own>
CUDA_INLINE void take(const float (&v)[Rows][Own], double k, Lanes<Own> *lanes)
{
#pragma unroll
    for (int b = 0; b < Rows; b++) {
#pragma unroll
        for (int i = 0; i < Own; i++) {
            if (Special) {
                lanes->nan += v[b][i] != v[b][i];
                lanes->inf += halo_abs(v[b][i]) == INFINITY;
                if (v[b][i] != v[b][i]) continue;
            }
            const double x = (double)v[b][i], d = x - k;
            lanes->s[i] += d;
            lanes->q[i] += d * d;
            if (Product) lanes->product[i] *= x;
        }
        if (Product && b % 4 == 3) normalise(lanes);
    }
}

/* Extremes and zeros of some rows. Is there a NaN or an infinity among them? */
template <int Rows, int Own> CUDA_INLINE bool survey(const float (&v)[Rows][Own], Lanes<Own> *lanes)
{
    float test = 0.0f; /* 0 times anything else is 0 */
#pragma unroll
    for (int b = 0; b < Rows; b++)
#pragma unroll
        for (int i = 0; i < Own; i++) {
            lanes->low = fminf(lanes->low, v[b][i]);
            lanes->high = fmaxf(lanes->high, v[b][i]);
            lanes->zero += v[b][i] == 0.0f;
            test = __fmaf_rn(v[b][i], 0.0f, test);
        }
    return test != test;
}

/* ---- its moments ----------------------------------------------------------------------------------------- */

/* A leaf's sums, before its moments. n: samples that are not NaN. */
struct Leaf {
    double s, q, product;
    float k;
    int n, product_exp;
};

/* v / n. Nearly all leaves are full, and 4096 has an exact reciprocal. */
CUDA_INLINE double shared_out(double v, int n)
{
    return n == HALO_LEAF ? v * (1.0 / HALO_LEAF) : v / (double)n;
}

template <bool Product> CUDA_INLINE Node node_of(const Leaf &leaf)
{
    Node node = Node::none();
    const double n = (double)leaf.n, k = (double)leaf.k;
    if (leaf.n > 0) {
        const double m2 = leaf.q - shared_out(leaf.s * leaf.s, leaf.n);
        node.means = {n, k * n + leaf.s, k + shared_out(leaf.s, leaf.n), m2 < 0.0 ? 0.0 : m2};
    }
    if (Product) halo_product_merge(&node.product, &node.product_exp, leaf.product, leaf.product_exp);
    return node;
}

#endif

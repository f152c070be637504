/* A mask as a sum of few products of a column and a row: its singular value decomposition by one-sided Jacobi
 * rotations (Demmel and Veselic, "Jacobi's method is more accurate than QR", 1992). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lowrank.h"

/* The residual that is allowed, relative to the sum of magnitudes of the mask: a tenth of what 8 bits need. */
#define REST 1e-6
/* Columns count as orthogonal when the cosine of their angle is below this. */
#define ANGLE 1e-14
#define SWEEPS 40

/* Columns of `long_side` numbers, `short_side` of them, and the rotations that made them orthogonal. */
typedef struct Columns {
    int64_t long_side, short_side;
    double *u; /* [short_side][long_side] */
    double *v; /* [short_side][short_side], row c belongs to column c */
} Columns;

static double dot(const double *a, const double *b, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static void rotate(double *a, double *b, int64_t n, double c, double s)
{
    for (int64_t i = 0; i < n; i++) {
        const double x = a[i], y = b[i];
        a[i] = c * x - s * y;
        b[i] = s * x + c * y;
    }
}

/* Makes columns p and q orthogonal; false where they are. */
static bool orthogonalise(Columns *m, int64_t p, int64_t q)
{
    double *a = m->u + p * m->long_side, *b = m->u + q * m->long_side;
    const double aa = dot(a, a, m->long_side), bb = dot(b, b, m->long_side), ab = dot(a, b, m->long_side);
    if (ab == 0.0 || fabs(ab) <= ANGLE * sqrt(aa * bb)) return false;
    const double zeta = (bb - aa) / (2.0 * ab);
    const double t = (zeta < 0 ? -1.0 : 1.0) / (fabs(zeta) + sqrt(1.0 + zeta * zeta));
    const double c = 1.0 / sqrt(1.0 + t * t);
    rotate(a, b, m->long_side, c, c * t);
    rotate(m->v + p * m->short_side, m->v + q * m->short_side, m->short_side, c, c * t);
    return true;
}

static void decompose(Columns *m)
{
    bool turned = true;
    for (int sweep = 0; turned && sweep < SWEEPS; sweep++) {
        turned = false;
        for (int64_t p = 0; p + 1 < m->short_side; p++)
            for (int64_t q = p + 1; q < m->short_side; q++) turned = orthogonalise(m, p, q) || turned;
    }
}

/* The longest column that has not been taken. */
static int64_t longest(const Columns *m, const bool *taken)
{
    int64_t best = -1;
    double most = -1;
    for (int64_t c = 0; c < m->short_side; c++) {
        const double *u = m->u + c * m->long_side, length = dot(u, u, m->long_side);
        if (taken[c] || length <= most) continue;
        best = c;
        most = length;
    }
    return best;
}

/* Subtracts the product of column c from the residual; returns the sum of its magnitudes. */
static double take_away(const Columns *m, int64_t c, double *rest)
{
    double sum = 0;
    for (int64_t i = 0; i < m->short_side; i++)
        for (int64_t k = 0; k < m->long_side; k++) {
            double *left = &rest[i * m->long_side + k];
            *left -= m->v[c * m->short_side + i] * m->u[c * m->long_side + k];
            sum += fabs(*left);
        }
    return sum;
}

static bool all_finite(const float *tap, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(tap[i])) return false;
    return true;
}

int lowrank_split(const float *tap, int64_t width, int64_t height, int most, float *column, float *row)
{
    const bool tall = height >= width;
    Columns m = {.long_side = tall ? height : width, .short_side = tall ? width : height};
    const size_t n = (size_t)(width * height), side = (size_t)m.short_side;
    int rank = 0;
    if (most < 1 || m.short_side > LOWRANK_SIDE || !all_finite(tap, width * height)) return 0;
    double *rest = malloc(n * sizeof *rest), total = 0, left;
    bool *taken = calloc(side, sizeof *taken);
    m.u = malloc(n * sizeof *m.u);
    m.v = calloc(side * side, sizeof *m.v);
    if (rest == NULL || taken == NULL || m.u == NULL || m.v == NULL) goto out;
    for (int64_t i = 0; i < m.short_side; i++) {
        m.v[i * m.short_side + i] = 1.0;
        for (int64_t k = 0; k < m.long_side; k++) {
            const double v = (double)(tall ? tap[k * width + i] : tap[i * width + k]);
            m.u[i * m.long_side + k] = rest[i * m.long_side + k] = v;
            total += fabs(v);
        }
    }
    decompose(&m);
    left = total;
    while (left > REST * total && rank < most && rank < m.short_side) {
        const int64_t c = longest(&m, taken);
        const double *u = m.u + c * m.long_side, *v = m.v + c * m.short_side;
        const double share = sqrt(sqrt(dot(u, u, m.long_side))); /* half of the length to each side */
        if (share == 0.0) break;
        taken[c] = true;
        for (int64_t k = 0; k < m.long_side; k++)
            *(tall ? column + rank * height + k : row + rank * width + k) = (float)(u[k] / share);
        for (int64_t i = 0; i < m.short_side; i++)
            *(tall ? row + rank * width + i : column + rank * height + i) = (float)(v[i] * share);
        rank++;
        left = take_away(&m, c, rest);
    }
    if (left > REST * total) rank = 0;
out:
    free(rest);
    free(taken);
    free(m.u);
    free(m.v);
    return rank;
}

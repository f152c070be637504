/* The oracle of folds: programs read from their end, and the tree of docs/numerics.md cut from the top. */
#include <math.h>
#include <stdlib.h>

#include "oracle.h"

typedef struct Reading {
    const HaloProgram *program;
    int at; /* one past the next instruction to read */
    double a, b, k;
} Reading;

static double least(double x, double y) { return isnan(x) ? x : isnan(y) ? y : y < x ? y : x; }
static double greatest(double x, double y) { return isnan(x) ? x : isnan(y) ? y : y > x ? y : x; }

/* The value that the instruction before `at` leaves: those it takes lie just before it, the last one first. */
static double value_before(Reading *r)
{
    const HaloInstruction now = r->program->at[--r->at];
    double x, y, z;
    switch (now.code) {
    case HALO_CODE_NUMBER: return now.number;
    case HALO_CODE_A: return r->a;
    case HALO_CODE_B: return r->b;
    case HALO_CODE_K: return r->k;
    case HALO_CODE_NEG: return -value_before(r);
    case HALO_CODE_ABS: return fabs(value_before(r));
    case HALO_CODE_SQRT: return sqrt(value_before(r));
    case HALO_CODE_NOT: return value_before(r) == 0.0;
    default: break;
    }
    z = now.code == HALO_CODE_FMA || now.code == HALO_CODE_SELECT ? value_before(r) : 0.0;
    y = value_before(r);
    x = value_before(r);
    switch (now.code) {
    case HALO_CODE_ADD: return x + y;
    case HALO_CODE_SUB: return x - y;
    case HALO_CODE_MUL: return x * y;
    case HALO_CODE_DIV: return x / y;
    case HALO_CODE_MIN: return least(x, y);
    case HALO_CODE_MAX: return greatest(x, y);
    case HALO_CODE_LT: return x < y;
    case HALO_CODE_LE: return x <= y;
    case HALO_CODE_GT: return x > y;
    case HALO_CODE_GE: return x >= y;
    case HALO_CODE_EQ: return x == y;
    case HALO_CODE_NE: return x != y;
    case HALO_CODE_AND: return x != 0.0 && y != 0.0;
    case HALO_CODE_OR: return x != 0.0 || y != 0.0;
    case HALO_CODE_FMA: return fma(x, y, z);
    case HALO_CODE_SELECT: return x != 0.0 ? y : z;
    default: abort();
    }
}

double oracle_program(const HaloProgram *program, double a, double b, double k)
{
    Reading r = {program, program->length, a, b, k};
    const double value = value_before(&r);
    if (r.at != 0) abort(); /* it leaves more than one value */
    return value;
}

/* Joins `count` neighbours: the greatest power of two of them first. */
static double join(const HaloFold *fold, double k, const double *value, int64_t count)
{
    int64_t left = 1;
    if (count == 1) return value[0];
    while (2 * left < count) left *= 2;
    return oracle_program(fold->join, join(fold, k, value, left), join(fold, k, value + left, count - left), k);
}

void oracle_fold(const HaloBuf *src, const HaloFold *fold, double *out)
{
    const int64_t width = src->shape.width, n = width * src->shape.height, leaves = (n + 4095) / 4096;
    double *const lane = oracle_memory(leaves * 128, sizeof *lane);
    double *const leaf = oracle_memory(leaves, sizeof *leaf);
    for (int c = 0; c < src->shape.channels; c++) {
        const double k = fold->k != NULL ? fold->k[c] : 0.0;
        for (int64_t l = 0; l < leaves * 128; l++) lane[l] = fold->identity;
        for (int64_t p = 0; p < n; p++) {
            const double v = oracle_wide(src, p % width, p / width, c);
            double *const to = lane + p / 4096 * 128 + p % 128;
            if (!isnan(v)) *to = oracle_program(fold->join, *to, oracle_program(fold->map, v, v, k), k);
        }
        for (int64_t l = 0; l < leaves; l++) leaf[l] = join(fold, k, lane + l * 128, 128);
        out[c] = join(fold, k, leaf, leaves);
    }
    free(lane);
    free(leaf);
}

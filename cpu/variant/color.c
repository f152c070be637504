/* Pixels of three colours in other coordinates, and through tables (halo/color.h): loops over planes, one for
 * each space. */
#include "halo/spaces.h"

#include "variant.h"

typedef struct Planes {
    double x[CPU_COLOR_PIXELS], y[CPU_COLOR_PIXELS], z[CPU_COLOR_PIXELS];
} Planes;

#define SPACES(each)                                                                                  \
    each(SRGB) each(HSV) each(HSL) each(YCBCR) each(LINEAR) each(XYZ) each(LAB) each(LCH) each(OKLAB) \
        each(OKLCH)

#define DEFINE(space)                                                                                      \
    static void decode_##space(Planes *p, int64_t n, double white, bool d65)                               \
    {                                                                                                      \
        CPU_APART for (int64_t i = 0; i < n; i++)                                                          \
        {                                                                                                  \
            const HaloTriple v =                                                                           \
                halo_space_decode(HALO_SPACE_##space, halo_triple(p->x[i], p->y[i], p->z[i]), white, d65); \
            p->x[i] = v.x, p->y[i] = v.y, p->z[i] = v.z;                                                   \
        }                                                                                                  \
    }                                                                                                      \
    static void encode_##space(Planes *p, int64_t n, double white, bool d65)                               \
    {                                                                                                      \
        CPU_APART for (int64_t i = 0; i < n; i++)                                                          \
        {                                                                                                  \
            const HaloTriple v =                                                                           \
                halo_space_encode(HALO_SPACE_##space, halo_triple(p->x[i], p->y[i], p->z[i]), white, d65); \
            p->x[i] = v.x, p->y[i] = v.y, p->z[i] = v.z;                                                   \
        }                                                                                                  \
    }
SPACES(DEFINE)

typedef void Coordinates(Planes *, int64_t, double, bool);
#define DECODE(space) [HALO_SPACE_##space] = decode_##space,
#define ENCODE(space) [HALO_SPACE_##space] = encode_##space,
static Coordinates *const decode[HALO_SPACES] = {SPACES(DECODE)}, *const encode[HALO_SPACES] = {SPACES(ENCODE)};

static void to_light(double *v, int64_t n)
{
    CPU_APART for (int64_t i = 0; i < n; i++) v[i] = halo_light_of(v[i]);
}
static void to_code(double *v, int64_t n)
{
    CPU_APART for (int64_t i = 0; i < n; i++) v[i] = halo_code_of(v[i]);
}

static void convert(float *row, int64_t pixels, int channels, const int at[3], const HaloColor *color)
{
    Planes p;
    const double white = halo_color_scale(color);
    for (int64_t i = 0; i < pixels; i++) {
        p.x[i] = (double)row[i * channels + at[0]];
        p.y[i] = (double)row[i * channels + at[1]];
        p.z[i] = (double)row[i * channels + at[2]];
    }
    decode[color->from](&p, pixels, white, color->d65);
    const bool light = color->from >= HALO_SPACE_LINEAR;
    if (light != (color->to >= HALO_SPACE_LINEAR)) {
        double *const plane[3] = {p.x, p.y, p.z};
        for (int c = 0; c < 3; c++) (light ? to_code : to_light)(plane[c], pixels);
    }
    encode[color->to](&p, pixels, white, color->d65);
    for (int64_t i = 0; i < pixels; i++) {
        row[i * channels + at[0]] = (float)p.x[i];
        row[i * channels + at[1]] = (float)p.y[i];
        row[i * channels + at[2]] = (float)p.z[i];
    }
}

static void curves(float *row, int64_t pixels, int channels, int alpha, const HaloColor *color)
{
    for (int c = 0, k = 0; c < channels; c++) {
        if (c == alpha) continue;
        const int column = color->columns > 1 ? k : 0;
        const float *const value = color->value + (int64_t)column * color->size;
        for (int64_t i = c; i < pixels * channels; i += channels)
            row[i] = halo_table_curve(color, value, column < 3 ? column : 0, row[i]);
        k++;
    }
}

static void cube(float *row, int64_t pixels, int channels, const int at[3], const HaloColor *color)
{
    for (float *v = row; v < row + pixels * channels; v += channels) {
        const float r = halo_table_place(color, 0, v[at[0]]), g = halo_table_place(color, 1, v[at[1]]),
                    b = halo_table_place(color, 2, v[at[2]]);
        const float sum = r + g + b;
        if (sum != sum) {
            v[at[0]] = v[at[1]] = v[at[2]] = sum;
            continue;
        }
        const HaloTetrahedron t = halo_tetrahedron(color->size, r, g, b);
        for (int c = 0; c < 3; c++) v[at[c]] = halo_table_cube(&t, color->value + c);
    }
}

static void run(float *row, int64_t pixels, int channels, int alpha, const HaloColor *color)
{
    int at[3];
    if (color->kind == HALO_COLOR_CURVES) {
        curves(row, pixels, channels, alpha, color);
        return;
    }
    for (int c = 0; c < 3; c++) at[c] = c + (alpha >= 0 && c >= alpha);
    if (color->kind == HALO_COLOR_CUBE) {
        cube(row, pixels, channels, at, color);
        return;
    }
    if (color->kind == HALO_COLOR_GAINS) {
        for (int64_t i = 0; i < pixels * channels; i += channels)
            for (int c = 0; c < 3; c++) row[i + at[c]] = row[i + at[c]] * color->scale[c];
        return;
    }
    for (int64_t i = 0; i < pixels; i += CPU_COLOR_PIXELS)
        convert(row + i * channels, pixels - i < CPU_COLOR_PIXELS ? pixels - i : CPU_COLOR_PIXELS, channels, at,
                color);
    const float white = halo_color_alpha(color);
    for (int64_t i = alpha; alpha >= 0 && white != 1.0f && i < pixels * channels; i += channels)
        row[i] = row[i] / white;
}

const CpuColorKernels CPU_TABLE(color) = {.run = run};

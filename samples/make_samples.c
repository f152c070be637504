/* Makes halo's samples: two images, a sticker and a recording, drawn and composed by formulas.
 *
 *     cc -O2 -ffp-contract=off samples/make_samples.c -o make_samples -lpng -lm && ./make_samples samples */
#include <math.h>
#include <png.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Rgb {
    double r, g, b;
} Rgb;

static Rgb mix(Rgb a, Rgb b, double t)
{
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return (Rgb){a.r + t * (b.r - a.r), a.g + t * (b.g - a.g), a.b + t * (b.b - a.b)};
}

static Rgb add(Rgb a, Rgb b, double t) { return (Rgb){a.r + t * b.r, a.g + t * b.g, a.b + t * b.b}; }

/* ---- noise ---------------------------------------------------------------------------------------------- */

/* 0..1 for a lattice point: an integer hash. */
static double hash(int64_t x, int64_t y)
{
    uint64_t h = (uint64_t)x * 0x9e3779b97f4a7c15u ^ (uint64_t)y * 0xc2b2ae3d27d4eb4fu;
    h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
    h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
    return (double)(h >> 40) / 16777216.0;
}

static double ease(double t) { return t * t * (3 - 2 * t); }

/* Value noise, 0..1. */
static double noise(double x, double y)
{
    const double x0 = floor(x), y0 = floor(y), tx = ease(x - x0), ty = ease(y - y0);
    const int64_t i = (int64_t)x0, j = (int64_t)y0;
    const double above = hash(i, j) + tx * (hash(i + 1, j) - hash(i, j));
    const double below = hash(i, j + 1) + tx * (hash(i + 1, j + 1) - hash(i, j + 1));
    return above + ty * (below - above);
}

/* Octaves of it, 0..1. */
static double fractal(double x, double y, int octaves)
{
    double sum = 0, weight = 0.5;
    for (int i = 0; i < octaves; i++, weight /= 2, x = 2 * x + 17.3, y = 2 * y + 9.1)
        sum += weight * noise(x, y);
    return sum / (1 - 2 * weight);
}

/* About normal, mean 0, standard deviation 1. */
static double grain(int64_t x, int64_t y)
{
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += hash(x * 12 + i, y + 7919);
    return sum;
}

/* ---- the photograph: a lake at dusk, (u, v) in 0..1.5 × 0..1 -------------------------------------------- */

#define SHORE 0.60

static Rgb sky(double u, double v)
{
    static const Rgb high = {0.13, 0.24, 0.46}, low = {0.97, 0.70, 0.47}, sun = {1.0, 0.85, 0.55};
    Rgb c = mix(high, low, pow(v / SHORE, 1.3));
    const double cloud = fractal(u * 2.4, v * 9, 5) - 0.46;
    c = mix(c, (Rgb){0.93, 0.62, 0.55}, cloud * 3.2);
    c = mix(c, (Rgb){0.40, 0.35, 0.47}, (cloud - 0.09) * 3.5);
    const double d = hypot(u - 1.02, v - 0.40);
    c = add(c, sun, 0.55 * exp(-d * 9));
    return d < 0.035 ? (Rgb){1.0, 0.95, 0.80} : c;
}

/* A treeline: each cell holds a fir of its own height. */
static double firs(double u, double cells, double height)
{
    const double at = u * cells, cell = floor(at), t = fabs(at - cell - 0.5) * 2;
    return height * (0.35 + 0.65 * hash((int64_t)cell, 77)) * (1 - t) * (0.9 + 0.1 * sin(60 * t));
}

static int cabin(double u, double v, Rgb *c)
{
    const double x = u - 0.30, y = v - 0.505;
    if (x > 0.135 && x < 0.155 && y > -0.075 && y < 0) /* chimney */
        *c = (Rgb){0.30, 0.16, 0.14};
    else if (y > -0.07 && y < 0.005 && fabs(x - 0.09) < (y + 0.07) * 1.6 + 0.01) /* roof */
        *c = fmod(y * 90, 1.0) < -0.8 ? (Rgb){0.22, 0.11, 0.11} : (Rgb){0.36, 0.16, 0.14};
    else if (x > 0 && x < 0.18 && y >= 0 && y < 0.085) { /* logs, a door, two windows */
        *c = mix((Rgb){0.27, 0.18, 0.13}, (Rgb){0.38, 0.26, 0.18}, fmod(y * 95, 1.0));
        if (x > 0.075 && x < 0.105 && y > 0.03) *c = (Rgb){0.16, 0.10, 0.09};
        const double w = x < 0.09 ? x - 0.022 : x - 0.122, h = y - 0.022;
        const int frame = fabs(w - 0.018) < 0.002 || fabs(h - 0.015) < 0.002;
        if (w > 0 && w < 0.036 && h > 0 && h < 0.03)
            *c = frame ? (Rgb){0.2, 0.12, 0.1} : (Rgb){1.0, 0.86, 0.45};
    } else
        return 0;
    return 1;
}

/* What stands above the water. */
static Rgb land(double u, double v)
{
    static const Rgb tint[3] = {{0.53, 0.47, 0.56}, {0.36, 0.35, 0.45}, {0.22, 0.26, 0.31}};
    Rgb c;
    if (cabin(u, v, &c)) return c;
    const double meadow = SHORE - 0.012 - 0.02 * noise(u * 5, 3);
    if (v > meadow) return mix((Rgb){0.19, 0.23, 0.11}, (Rgb){0.33, 0.33, 0.15}, fractal(u * 40, v * 160, 3));
    const double wood = meadow + 0.004 - 0.06 * noise(u * 3.1, 8) * (u > 0.62 || u < 0.27) - firs(u, 46, 0.075);
    if (v > wood)
        return mix((Rgb){0.06, 0.11, 0.10}, (Rgb){0.16, 0.22, 0.14}, fractal(u * 70, v * 90, 3) * 1.3 - 0.3);
    for (int k = 2; k >= 0; k--) {
        const double ridge = 0.34 + 0.07 * k - (0.24 - 0.05 * k) * (fractal(u * (1.5 + k), 31.7 * k, 6) - 0.4);
        const double snow = fractal(u * 22, v * 30, 4) - 0.62 + (0.36 - v) * 3;
        if (v > ridge) {
            const double slope = fractal(u * 14 + v * 9, v * 22 + k, 5) - 0.5;
            c = mix(add(tint[k], (Rgb){1, 0.9, 0.8}, 0.28 * slope), (Rgb){0.93, 0.80, 0.72},
                    (v - ridge) * (0.9 - 0.2 * k));
            return k == 0 && snow > 0 ? mix(c, (Rgb){0.97, 0.88, 0.86}, snow * 4) : c;
        }
    }
    return sky(u, v);
}

static int lettered(double x, double y) /* HALO in a 5×7 face, one unit a dot */
{
    static const char *const rows[7] = {
        "1...1..1...1.....111.", "1...1.1.1..1....1...1", "1...1.1.1..1....1...1", "11111.111..1....1...1",
        "1...1.1.1..1....1...1", "1...1.1.1..1....1...1", "1...1.1.1..1111..111."};
    const int i = (int)floor(x), j = (int)floor(y);
    return i >= 0 && i < 21 && j >= 0 && j < 7 && rows[j][i] == '1';
}

static Rgb scene(double u, double v)
{
    const double x = u - 1.12, y = v - 0.70;
    if (x > 0 && x < 0.30 && y > 0 && y < 0.115) { /* a sign board */
        const Rgb wood = mix((Rgb){0.62, 0.46, 0.30}, (Rgb){0.76, 0.60, 0.41}, fractal(u * 8, v * 120, 3));
        const int edge = x < 0.006 || x > 0.294 || y < 0.006 || y > 0.109;
        return edge || lettered((x - 0.028) / 0.0117, (y - 0.0165) / 0.0117) ? (Rgb){0.17, 0.11, 0.09} : wood;
    }
    if (y > 0 && ((x > 0.04 && x < 0.058) || (x > 0.24 && x < 0.258)))
        return mix((Rgb){0.30, 0.21, 0.15}, (Rgb){0.44, 0.32, 0.22}, noise(u * 160, v * 14));
    const double grass = 0.955 - 0.05 * noise(u * 3, 1) - 0.055 * pow(noise(u * 150, 4), 2);
    if (v > grass)
        return mix((Rgb){0.08, 0.11, 0.05}, (Rgb){0.36, 0.40, 0.16},
                   noise(u * 150, v * 12) * 1.2 - (v - grass) * 3);
    if (v < SHORE) return land(u, v);
    const double depth = (v - SHORE) / (1 - SHORE);
    const double ripple = noise(u * 24 / (0.3 + depth), v * 170 / (0.4 + depth)) - 0.5;
    Rgb c = land(u + 0.02 * ripple * depth, SHORE - 0.004 - (v - SHORE) * 0.95 + 0.07 * ripple * (0.2 + depth));
    c = mix(c, (Rgb){0.12, 0.20, 0.28}, 0.22 + 0.33 * depth);
    return add(c, (Rgb){0.9, 0.75, 0.6}, 0.16 * ripple);
}

static uint8_t byte(double v) { return (uint8_t)rint(255 * (v < 0 ? 0 : v > 1 ? 1 : v)); }

static void draw_photo(uint8_t *at, int width, int height)
{
    enum { FINE = 3 }; /* samples a pixel along each side */
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++, at += 3) {
            Rgb sum = {0, 0, 0};
            for (int k = 0; k < FINE * FINE; k++) {
                const double sx = x + (k % FINE + 0.5) / FINE, sy = y + (double)(k / FINE + 0.5) / FINE;
                sum = add(sum, scene(sx / height, sy / height), 1.0 / (FINE * FINE));
            }
            const double film = 0.004 * grain(x, y);
            at[0] = byte(sum.r + film), at[1] = byte(sum.g + film), at[2] = byte(sum.b + film);
        }
}

/* ---- the micrograph: faint cells on an uneven background, 16 bits, big-endian as PNG has it
 * ------------------- */

static void draw_cells(uint8_t *at, int width, int height)
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++, at += 2) {
            double v =
                9200 + 500 * sin(x * 0.011 + 0.4) + 350 * cos(y * 0.014) + 250 * fractal(x * 0.03, y * 0.03, 3);
            for (int k = 0; k < 26; k++) {
                const double dx = x - width * hash(k, 1), dy = y - height * hash(k, 2),
                             size = 5 + 9 * hash(k, 3);
                const double turn = 3.1416 * hash(k, 4), a = dx * cos(turn) + dy * sin(turn);
                const double b = (dy * cos(turn) - dx * sin(turn)) * (1 + 0.5 * hash(k, 5)),
                             d = hypot(a, b) / size;
                const double light = 300 + 900 * hash(k, 6);
                v += light * (0.55 * exp(-pow(d, 4)) + 0.5 * exp(-pow((d - 1) * 5, 2)));
                v += 1.2 * light * exp(-pow(hypot(a - size * 0.25, b) / (0.28 * size), 2)); /* the nucleus */
            }
            const unsigned sample = (unsigned)rint(v + 45 * grain(x, y + 1000));
            at[0] = (uint8_t)(sample >> 8), at[1] = (uint8_t)sample;
        }
}

/* ---- the sticker: a flower whose edge fades; where nothing is to be seen its colour is black
 * ------------------- */

static void draw_sticker(uint8_t *at, int size)
{
    for (int y = 0; y < size; y++)
        for (int x = 0; x < size; x++, at += 4) {
            const double dx = (x + 0.5) / size * 2 - 1, dy = (y + 0.5) / size * 2 - 1;
            const double r = hypot(dx, dy), turn = atan2(dy, dx), rim = 0.66 + 0.13 * cos(6 * turn);
            const double alpha = 1 / (1 + exp((r - rim - 0.07) * 38));
            Rgb c = mix((Rgb){0.96, 0.36, 0.42}, (Rgb){0.99, 0.80, 0.35}, r / rim * 1.1 - 0.1);
            c = mix(c, (Rgb){0.80, 0.16, 0.36}, 0.35 * pow(fabs(sin(3 * turn)), 9));
            c = mix((Rgb){0.42, 0.23, 0.12}, c, (r - 0.25) * 40);
            c = mix(c, (Rgb){1, 1, 1}, (r - rim) * 40); /* a white edge */
            const double eye = fmin(hypot(dx - 0.09, dy + 0.06), hypot(dx + 0.09, dy + 0.06));
            if (eye < 0.03 || (dy > 0.05 && fabs(hypot(dx, dy - 0.02) - 0.11) < 0.016))
                c = (Rgb){1, 0.96, 0.85};
            at[3] = byte(alpha);
            at[0] = at[3] ? byte(c.r) : 0, at[1] = at[3] ? byte(c.g) : 0, at[2] = at[3] ? byte(c.b) : 0;
        }
}

/* ---- the recording: plucked notes, hiss, hum and a click */

static void compose(int16_t *at, int count, double rate)
{
    static const double notes[8] = {261.63, 329.63, 392.00, 523.25, 440.00, 349.23, 392.00, 261.63};
    const double pi = 3.14159265358979323846;
    for (int i = 0; i < count; i++) {
        const double t = i / rate;
        double v = 0.010 * grain(i, 5) + 0.025 * sin(2 * pi * 50 * t) + 0.010 * sin(2 * pi * 150 * t);
        for (int k = 0; k < 8; k++) {
            const double since = t - 0.24 * k;
            if (since < 0) continue;
            const double attack = 1 - exp(-since * 400);
            for (int h = 1; h <= 5; h++)
                v += 0.26 / h * attack * exp(-since * (3.0 + 1.6 * h)) * sin(2 * pi * h * notes[k] * since);
        }
        if (i == count / 2) v = 0.9; /* one bad sample */
        at[i] = (int16_t)rint(32767 * (v > 1 ? 1 : v < -1 ? -1 : v));
    }
}

/* ---- files
 * ------------------------------------------------------------------------------------------------------------
 */

static FILE *create(const char *folder, const char *name)
{
    char path[1024];
    if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, name) >= sizeof path) exit(1);
    FILE *file = fopen(path, "wb");
    if (file) return file;
    perror(path);
    exit(1);
}

static void finish(FILE *file)
{
    if (fclose(file) == 0) return;
    perror("make_samples");
    exit(1);
}

static void save_png(FILE *file, const uint8_t *at, int width, int height, int depth, int colour, int pixel)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    png_init_io(png, file);
    png_set_compression_level(png, 9);
    png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, depth, colour, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    for (int y = 0; y < height; y++) png_write_row(png, at + (size_t)y * (size_t)(width * pixel));
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    finish(file);
}

static void put(uint8_t *at, uint32_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) at[i] = (uint8_t)(value >> 8 * i);
}

static void save_wav(FILE *file, const int16_t *at, int count, int rate)
{
    uint8_t head[44] = "RIFF....WAVEfmt ", two[2];
    memcpy(head + 36, "data", 4);
    put(head + 4, 36 + 2 * (uint32_t)count, 4), put(head + 40, 2 * (uint32_t)count, 4);
    put(head + 16, 16, 4), put(head + 20, 1, 2), put(head + 22, 1, 2); /* PCM, one channel */
    put(head + 24, (uint32_t)rate, 4), put(head + 28, 2 * (uint32_t)rate, 4);
    put(head + 32, 2, 2), put(head + 34, 16, 2);
    fwrite(head, 1, sizeof head, file);
    for (int i = 0; i < count; i++) {
        put(two, (uint16_t)at[i], 2);
        fwrite(two, 1, 2, file);
    }
    finish(file);
}

int main(int argc, char **argv)
{
    static uint8_t photo[384 * 256 * 3], cells[224 * 168 * 2], sticker[160 * 160 * 4];
    static int16_t sound[2 * 22050];
    if (argc != 2) {
        fprintf(stderr, "usage: make_samples FOLDER\n");
        return 2;
    }
    draw_photo(photo, 384, 256);
    save_png(create(argv[1], "lake.png"), photo, 384, 256, 8, PNG_COLOR_TYPE_RGB, 3);
    draw_cells(cells, 224, 168);
    save_png(create(argv[1], "cells.png"), cells, 224, 168, 16, PNG_COLOR_TYPE_GRAY, 2);
    draw_sticker(sticker, 160);
    save_png(create(argv[1], "sticker.png"), sticker, 160, 160, 8, PNG_COLOR_TYPE_RGB_ALPHA, 4);
    compose(sound, 2 * 22050, 22050);
    save_wav(create(argv[1], "notes.wav"), sound, 2 * 22050, 22050);
    return 0;
}

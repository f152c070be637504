#include "sections.h"

#include <complex.h>
#include <math.h>

#include "halo/time.h"

static const double pi = 3.14159265358979323846;

HaloStatus sections_check(const char *what, double frequency, double rate)
{
    if (frequency > 0.0 && frequency < rate / 2.0) return HALO_OK;
    return halo_fail(HALO_ERR_USAGE,
                     "%s has to be above 0 and below %.10g Hz, half the sample rate, not %.10g%s", what,
                     rate / 2.0, frequency, halo_rate_hint(rate));
}

static HaloStatus take(HaloBuilder *builder, int capacity, SectionList *list)
{
    *list = (SectionList){.capacity = capacity,
                          .section = halo_build_keep(builder, sizeof(HaloSection) * (size_t)capacity)};
    return list->section != NULL ? HALO_OK : halo_fail(HALO_ERR_LIMIT, "not enough memory");
}

/* One more, with coefficients divided by a0. */
static void add(SectionList *list, const double b[3], const double a[3])
{
    if (list->count == list->capacity) return; /* callers have counted */
    list->section[list->count++] = (HaloSection){
        .b0 = b[0] / a[0], .b1 = b[1] / a[0], .b2 = b[2] / a[0], .a1 = a[1] / a[0], .a2 = a[2] / a[0]};
}

/* (n2 s^2 + n1 s + n0) / (d2 s^2 + d1 s + d0) with s = (1 - 1/z) / (1 + 1/z). */
static void add_analogue(SectionList *list, const double n[3], const double d[3])
{
    const double b[3] = {n[2] + n[1] + n[0], 2.0 * (n[0] - n[2]), n[2] - n[1] + n[0]};
    const double a[3] = {d[2] + d[1] + d[0], 2.0 * (d[0] - d[2]), d[2] - d[1] + d[0]};
    add(list, b, a);
}

/* (n1 s + n0) / (s + d0), which has one pole. */
static void add_first_order(SectionList *list, double n1, double n0, double d0)
{
    const double b[3] = {n1 + n0, n0 - n1, 0.0}, a[3] = {1.0 + d0, d0 - 1.0, 0.0};
    add(list, b, a);
}

/* The edge of an analogue filter that becomes this one. */
static double warped(double frequency) { return tan(pi * frequency); }

/* ---- Butterworth ---------------------------------------------------------------------------------------- */

/* Pole k of the low-pass filter whose edge is 1, of those with a positive imaginary part, or on the real axis.
 */
static double complex prototype_pole(int order, int k)
{
    const double angle = pi * (2.0 * k + 1.0) / (2.0 * order);
    return 2 * k + 1 == order ? -1.0 : -sin(angle) + cos(angle) * I;
}

static void add_edge(SectionList *list, double edge, bool high, double complex pole)
{
    const double d[3] = {edge * edge, -2.0 * creal(pole) * edge, 1.0};
    const double low_pass[3] = {edge * edge, 0.0, 0.0}, high_pass[3] = {0.0, 0.0, 1.0};
    if (cimag(pole) == 0.0)
        add_first_order(list, high ? 1.0 : 0.0, high ? 0.0 : edge, edge);
    else
        add_analogue(list, high ? high_pass : low_pass, d);
}

/* s becomes (s^2 + low high) / (s (high - low)): a pole becomes two. */
static void add_band(SectionList *list, double low, double high, double complex pole)
{
    const double width = high - low, middle = low * high;
    const double n[3] = {0.0, width, 0.0};
    if (cimag(pole) == 0.0) {
        const double d[3] = {middle, width, 1.0};
        add_analogue(list, n, d);
        return;
    }
    const double complex half = 0.5 * width * pole, root = csqrt(half * half - middle);
    for (int sign = 1; sign >= -1; sign -= 2) {
        const double complex moved = half + sign * root;
        const double d[3] = {creal(moved) * creal(moved) + cimag(moved) * cimag(moved), -2.0 * creal(moved),
                             1.0};
        add_analogue(list, n, d);
    }
}

HaloStatus sections_butterworth(HaloBuilder *builder, double low, double high, int order, SectionList *list)
{
    const bool band = low > 0.0 && high < 0.5;
    const HaloStatus status = take(builder, band ? order : (order + 1) / 2, list);
    for (int k = 0; status == HALO_OK && 2 * k < order; k++)
        if (band)
            add_band(list, warped(low), warped(high), prototype_pole(order, k));
        else
            add_edge(list, warped(low > 0.0 ? low : high), low > 0.0, prototype_pole(order, k));
    return status;
}

/* ---- Chebyshev ------------------------------------------------------------------------------------------ */

/* Poles lie on an ellipse. Of an even order the gain at 0 Hz is that of the lowest ripple, which the first
 * section takes. */
HaloStatus sections_chebyshev(HaloBuilder *builder, double edge, int order, double ripple, SectionList *list)
{
    const double low = pow(10.0, -0.05 * ripple), epsilon = sqrt(pow(10.0, 0.1 * ripple) - 1.0),
                 mu = asinh(1.0 / epsilon) / order, scale = warped(edge);
    const HaloStatus status = take(builder, order / 2, list);
    for (int k = 0; status == HALO_OK && k < order / 2; k++) {
        const double angle = pi * (2.0 * k + 1.0) / (2.0 * order);
        const double re = -sinh(mu) * sin(angle) * scale, im = cosh(mu) * cos(angle) * scale;
        const double square = re * re + im * im;
        const double n[3] = {k == 0 ? low * square : square, 0.0, 0.0}, d[3] = {square, -2.0 * re, 1.0};
        add_analogue(list, n, d);
    }
    return status;
}

/* ---- equalizers ----------------------------------------------------------------------------------------- */

HaloStatus sections_notch(HaloBuilder *builder, double frequency, double q, int64_t harmonics,
                          SectionList *list)
{
    const double width = tan(pi * frequency / q);
    int64_t count = harmonics;
    while (count > 1 && (double)count * frequency >= 0.5) count--;
    const HaloStatus status = take(builder, (int)count, list);
    for (int64_t k = 1; status == HALO_OK && k <= count; k++) {
        const double middle = cos(2.0 * pi * frequency * (double)k);
        const double b[3] = {1.0, -2.0 * middle, 1.0}, a[3] = {1.0 + width, -2.0 * middle, 1.0 - width};
        add(list, b, a);
    }
    return status;
}

HaloStatus sections_peak(HaloBuilder *builder, double frequency, double q, double gain, SectionList *list)
{
    const double root = sqrt(gain), alpha = sin(2.0 * pi * frequency) / (2.0 * q),
                 middle = cos(2.0 * pi * frequency);
    const double b[3] = {1.0 + alpha * root, -2.0 * middle, 1.0 - alpha * root};
    const double a[3] = {1.0 + alpha / root, -2.0 * middle, 1.0 - alpha / root};
    const HaloStatus status = take(builder, 1, list);
    if (status == HALO_OK) add(list, b, a);
    return status;
}

/* With s in units of its edge: A (A s^2 + sqrt(A) s / q + 1) / (s^2 + sqrt(A) s / q + A), A = sqrt(gain), is
 * the high shelf; the low one has the powers of s in the other order. */
HaloStatus sections_shelf(HaloBuilder *builder, double frequency, double q, double gain, bool high,
                          SectionList *list)
{
    const double root = sqrt(gain), slope = sqrt(root) / q, edge = warped(frequency);
    const double raised[3] = {root * edge * edge, root * slope * edge, root * root},
                 level[3] = {root * edge * edge, slope * edge, 1.0};
    const double low_raised[3] = {root * root * edge * edge, root * slope * edge, root},
                 low_level[3] = {edge * edge, slope * edge, root};
    const HaloStatus status = take(builder, 1, list);
    if (status != HALO_OK) return status;
    if (high)
        add_analogue(list, raised, level);
    else
        add_analogue(list, low_raised, low_level);
    return HALO_OK;
}

/* ---- the step ------------------------------------------------------------------------------------------- */

/* The states after 1 for ever: y = g x, g being the gain at 0 Hz. */
static void find_states(SectionList *list)
{
    double x = 1.0;
    for (int k = 0; k < list->count; k++) {
        HaloSection *c = &list->section[k];
        const double y = x * ((c->b0 + c->b1 + c->b2) / (1.0 + c->a1 + c->a2));
        c->z1 = c->b2 * x - c->a2 * y;
        c->z0 = c->b1 * x + c->z1 - c->a1 * y;
        x = y;
    }
}

/* As many samples as SciPy's sosfiltfilt takes: three times the coefficients of the filter as one fraction. */
static int64_t extension(const SectionList *list)
{
    int b = 0, a = 0;
    for (int k = 0; k < list->count; k++) {
        b += list->section[k].b2 == 0.0;
        a += list->section[k].a2 == 0.0;
    }
    return 3 * (2 * list->count + 1 - (b < a ? b : a));
}

HaloStatus sections_step(HaloBuilder *builder, HaloReg in, SectionList *list, bool zero_phase, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    find_states(list);
    const HaloSections sections = {
        .count = list->count, .section = list->section, .zero_phase = zero_phase, .extend = extension(list)};
    if (!zero_phase) HALO_TRY(halo_build_rising(builder, in));
    if (halo_build_common(builder)->nan == HALO_NAN_ERROR) HALO_TRY(halo_build_refuse_nan(builder, in));
    HALO_TRY(halo_build_sections(builder, in, &sections, out));
out:
    return status;
}

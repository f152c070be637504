/* Converts text to numbers, and floats to text, fast: a table from a sensor has millions. */
#include "csv.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "halo/rounded.h"
#include "halo/text.h"

/* All powers of ten that a double holds exactly: with an integer below 2^53, one operation rounds once. */
static const double ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                             1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
#define MOST_TEN 22
#define EXACT ((uint64_t)1 << 53)

/* Is this double no float, and as near to one float as to another? What it was rounded from may be nearer to
 * one of them. Below the normal floats any double counts as such. */
static bool is_between(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (bits & 0x1fffffff) == 0x10000000 || (value != 0 && value < (double)FLT_MIN);
}

/* digits * 10^power to the nearest float (NULL: not wanted), and the nearest double, where that takes one
 * operation on doubles. */
static bool quickly(uint64_t digits, int power, float *value, double *near)
{
    if (digits >= EXACT || power < -MOST_TEN || power > MOST_TEN) return false;
    *near = power < 0 ? (double)digits / ten[-power] : (double)digits * ten[power];
    if (value == NULL) return true;
    *value = (float)*near;
    return !is_between(*near);
}

/* ---- reading -------------------------------------------------------------------------------------------- */

static bool is_word(const char *text, size_t length, const char *word)
{
    for (size_t i = 0; i < length; i++)
        if ((text[i] | 0x20) != word[i]) return false; /* never behind the word's end, which is no letter */
    return word[length] == 0;
}

/* The general case. */
static bool read_slowly(const char *text, size_t length, float *value, double *near)
{
    char buffer[512], *copy = length < sizeof buffer ? buffer : malloc(length + 1);
    if (copy == NULL) return false;
    memcpy(copy, text, length);
    copy[length] = 0;
    const bool read = (value == NULL || halo_read_float(copy, value)) && halo_read_number(copy, near, NULL);
    if (copy != buffer) free(copy);
    return read;
}

/* A number without its sign, as the nearest float and the nearest double. */
static bool read_digits(const char *text, size_t length, float *value, double *near)
{
    uint64_t digits = 0;
    size_t i = 0, count = 0;
    int power = 0, exponent = 0;
    bool exact = true;
    for (bool point = false; i < length && (halo_is_digit(text[i]) || (text[i] == '.' && !point)); i++) {
        if (text[i] == '.') {
            point = true;
            continue;
        }
        exact = exact && digits < EXACT / 10;
        if (exact) digits = digits * 10 + (uint64_t)(text[i] - '0');
        power -= point;
        count++;
    }
    if (count == 0) return false;
    if (i < length && (text[i] == 'e' || text[i] == 'E')) {
        const bool negative = ++i < length && text[i] == '-';
        if (i < length && (text[i] == '-' || text[i] == '+')) i++;
        if (i == length) return false;
        for (; i < length && halo_is_digit(text[i]); i++)
            if (exponent < 10000) exponent = exponent * 10 + (text[i] - '0');
        if (negative) exponent = -exponent;
    }
    if (i < length) return false;
    return (exact && quickly(digits, power + exponent, value, near)) || read_slowly(text, length, value, near);
}

/* Has a number from 2^23 on a fraction, or more digits than any float is written with? */
static bool has_many_digits(double number)
{
    if (number >= (double)EXACT) return false; /* not known */
    uint64_t digits = (uint64_t)number;
    if ((double)digits != number) return true;
    while (digits % 10 == 0) digits /= 10;
    return digits >= 1000000000;
}

/* Does the float lose more than a fraction of the number? Not where it is written with these same digits, as
 * floats are that others wrote. */
static bool is_rounded(double number, float value)
{
    char text[CSV_NUMBER_SIZE + 1];
    double written;
    if (!halo_is_rounded(number, value) && !halo_is_vanished(number, value)) return false;
    if (value != 0 && has_many_digits(number)) return true;
    text[csv_write_number(value, text)] = 0;
    return !halo_read_number(text, &written, NULL) || written != number;
}

/* Is this integer another number as f64? Or is a number 0 there that is none? */
static bool loses_digits(const char *text, size_t length, double wide)
{
    uint64_t integer = 0;
    size_t digits = 0;
    if (wide > 0 && wide < (double)EXACT) return false;
    for (size_t i = 0; i < length && text[i] != 'e' && text[i] != 'E'; i++) {
        if (wide == 0 && text[i] >= '1' && text[i] <= '9') return true;
        if (wide == 0) continue;
        if (!halo_is_digit(text[i]) || ++digits > 19) return text[i] != '.' && digits > 19;
        integer = integer * 10 + (uint64_t)(text[i] - '0');
    }
    return wide > 0 && digits == length && (wide >= 0x1p64 || (uint64_t)wide != integer);
}

/* A number with its sign, as the nearest double and, where wanted, the nearest float, and its size without the
 * sign. */
static CsvNumber read_signed(const char *text, size_t length, float *value, double *wide)
{
    while (length > 0 && halo_is_blank(text[length - 1])) length--;
    while (length > 0 && halo_is_blank(*text)) text++, length--;
    const bool negative = length > 0 && text[0] == '-', sign = negative || (length > 0 && text[0] == '+');
    text += sign;
    length -= sign;
    CsvNumber read = CSV_NUMBER;
    if (is_word(text, length, "nan")) {
        *wide = (double)NAN;
        if (value != NULL) *value = NAN;
    } else if (is_word(text, length, "inf") || is_word(text, length, "infinity")) {
        *wide = (double)INFINITY;
        if (value != NULL) *value = INFINITY;
    } else if (!read_digits(text, length, value, wide)) {
        return CSV_NO_NUMBER;
    } else if (value != NULL) {
        if (isinf(*value)) return CSV_TOO_LARGE;
        if (is_rounded(*wide, *value)) read = CSV_ROUNDED;
    } else {
        if (isinf(*wide)) return CSV_TOO_LARGE;
        if (loses_digits(text, length, *wide)) read = CSV_ROUNDED;
    }
    if (negative) *wide = -*wide;
    if (negative && value != NULL) *value = -*value;
    return read;
}

CsvNumber csv_read_number(const char *text, size_t length, float *value)
{
    double wide;
    return read_signed(text, length, value, &wide);
}

CsvNumber csv_read_wide(const char *text, size_t length, double *value)
{
    return read_signed(text, length, NULL, value);
}

/* ---- writing -------------------------------------------------------------------------------------------- */

size_t csv_put_digits(uint64_t digits, int count, int power, char *to)
{
    char all[CSV_NUMBER_SIZE] = {0};
    for (int i = count - 1; i >= 0; i--, digits /= 10) all[i] = (char)('0' + digits % 10);
    size_t n = 0;
    if (power < -5 || power > 14) {
        to[n++] = all[0];
        if (count > 1) to[n++] = '.';
        for (int i = 1; i < count; i++) to[n++] = all[i];
        return n + (size_t)halo_snprintf(to + n, CSV_NUMBER_SIZE - 2 - n, "e%+03d", power);
    }
    for (int i = power < 0 ? power : 0; i < count || i <= power; i++) {
        if (i == power + 1 && power >= 0) to[n++] = '.';
        to[n++] = i < 0 || i >= count ? '0' : all[i];
        if (i == power && power < 0) to[n++] = '.';
    }
    return n;
}

static bool nearest(uint64_t digits, int power, float *value)
{
    char text[40];
    double near;
    if (quickly(digits, power, value, &near)) return true;
    if (digits >= EXACT) return false;
    halo_snprintf(text, sizeof text, "%llue%d", (unsigned long long)digits, power);
    return halo_read_float(text, value);
}

/* Tries one digit more at a time, until the text is read back as the same float. */
static size_t put_shortest(float value, char *to)
{
    const double size = value;
    int power = (int)floor(log10(size));
    for (int count = 1; count <= 9; count++) {
        const int shift = count - 1 - power;
        float read;
        if (shift < -MOST_TEN || shift > MOST_TEN) break;
        uint64_t digits = (uint64_t)llround(shift < 0 ? size / ten[-shift] : size * ten[shift]);
        if (!nearest(digits, -shift, &read) || read != value) continue;
        if (digits >= (uint64_t)ten[count]) { /* 9.99 is about 10 */
            digits /= 10;
            power++;
        }
        return csv_put_digits(digits, count, power, to);
    }
    for (int count = 1;; count++) { /* very large or small: rare and slow */
        float read;
        double near;
        const size_t length = (size_t)halo_snprintf(to, CSV_NUMBER_SIZE - 1, "%.*e", count - 1, size);
        if (count == 9 || (read_digits(to, length, &read, &near) && read == value)) return length;
    }
}

size_t csv_write_number(float value, char text[CSV_NUMBER_SIZE])
{
    size_t n = 0;
    if (isnan(value)) return (size_t)halo_snprintf(text, CSV_NUMBER_SIZE, "nan");
    if (signbit(value)) text[n++] = '-';
    if (isinf(value)) return n + (size_t)halo_snprintf(text + n, CSV_NUMBER_SIZE - n, "inf");
    if (value == 0.0f) {
        text[n++] = '0';
        return n;
    }
    return n + put_shortest(fabsf(value), text + n);
}

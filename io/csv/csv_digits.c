/* Converts f64 to the shortest text that is read back as the same number. In the usual range decimals are made
 * exactly, in 128-bit integers. */
#include <math.h>
#include <string.h>

#include "csv.h"
#include "halo/text.h"

#define EXACT ((uint64_t)1 << 53)
#define MOST_DIGITS 17

__extension__ typedef unsigned __int128 Wide;

static const uint64_t ten[] = {1,
                               10,
                               100,
                               1000,
                               10000,
                               100000,
                               1000000,
                               10000000,
                               100000000,
                               1000000000,
                               10000000000,
                               100000000000,
                               1000000000000,
                               10000000000000,
                               100000000000000,
                               1000000000000000,
                               10000000000000000,
                               100000000000000000,
                               1000000000000000000};

static int digits_of(uint64_t integer)
{
    int count = 1;
    while (count < 19 && integer >= ten[count]) count++;
    return count;
}

/* mantissa / 2^shift, from 10^power on, below ten times that. */
typedef struct Binary {
    uint64_t mantissa;
    int shift, power;
} Binary;

/* *digits: the number in so many, to the nearest. Is that read back as the same number? */
static bool try_digits(const Binary *number, int count, uint64_t *digits)
{
    const int scale = count - 1 - number->power;
    const Wide unit = scale <= 18 ? (Wide)ten[scale] : (Wide)ten[18] * ten[scale - 18];
    const Wide exact = number->mantissa * unit, half = (Wide)1 << (number->shift - 1);
    *digits = (uint64_t)((exact + half) >> number->shift);
    const Wide made = (Wide)*digits << number->shift, off = made > exact ? made - exact : exact - made;
    /* Half a unit of the mantissa; below a power of two the next number is half as far away. */
    return number->mantissa == EXACT / 2 ? 4 * off < unit : 2 * off < unit;
}

/* Numbers from 1e-5 to 1e14: then all products stay below 2^127. */
static bool put_exactly(double value, char *to, size_t *length)
{
    int exponent;
    Binary number;
    uint64_t digits = 0;
    if (!(value >= 1e-5 && value < 1e14)) return false;
    number.mantissa = (uint64_t)ldexp(frexp(value, &exponent), 53);
    number.shift = 53 - exponent;
    number.power = (int)floor(log10(value));
    int count = 15; /* a shorter text has zeros behind it */
    while (count < MOST_DIGITS && !try_digits(&number, count, &digits)) count++;
    if (count == MOST_DIGITS) try_digits(&number, count, &digits);
    int power = number.power + digits_of(digits) - count; /* 9.99 is about 10 */
    for (count = digits_of(digits); count > 1 && digits % 10 == 0; count--) digits /= 10;
    *length = csv_put_digits(digits, count, power, to);
    return true;
}

/* From "d.ddde+dd", of so many digits. */
static size_t put_text(const char *text, int count, char *to)
{
    uint64_t digits = 0;
    int64_t power = 0;
    const char *at = text;
    for (; *at != 'e' && *at != 0; at++)
        if (halo_is_digit(*at)) digits = digits * 10 + (uint64_t)(*at - '0');
    if (*at == 'e') halo_read_int(at + 1 + (at[1] == '+'), -400, 400, &power, &at);
    return csv_put_digits(digits, count, (int)power, to);
}

static size_t put_shortest(double value, char *to)
{
    char text[CSV_NUMBER_SIZE];
    int count = 1;
    size_t length;
    if (value < (double)EXACT && value == floor(value))
        return (size_t)halo_snprintf(to, CSV_NUMBER_SIZE - 1, "%llu", (unsigned long long)value);
    if (put_exactly(value, to, &length)) return length;
    for (double read; count < MOST_DIGITS; count++) { /* very large or small: rare and slow */
        halo_snprintf(text, sizeof text, "%.*e", count - 1, value);
        if (halo_read_number(text, &read, NULL) && read == value) break;
    }
    halo_snprintf(text, sizeof text, "%.*e", count - 1, value);
    return put_text(text, count, to);
}

size_t csv_write_wide(double value, char text[CSV_NUMBER_SIZE])
{
    size_t n = 0;
    if (isnan(value)) return (size_t)halo_snprintf(text, CSV_NUMBER_SIZE, "nan");
    if (signbit(value)) text[n++] = '-';
    if (isinf(value)) return n + (size_t)halo_snprintf(text + n, CSV_NUMBER_SIZE - n, "inf");
    if (value == 0.0) {
        text[n++] = '0';
        return n;
    }
    return n + put_shortest(fabs(value), text + n);
}

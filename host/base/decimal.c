/* decimal.c -- see decimal.h. Most numbers of a file have at most 19 digits and a small power of ten; these need no
 * arithmetic of many words (Clinger 1990, "How to read floating point numbers accurately", section 4). */
#include "host/base/decimal.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- which text is a number ---------------------------------------------------------------------------- */

static size_t count_digits(const char *text)
{
    return strspn(text, "0123456789");
}

size_t pio_number_length(const char *text)
{
    size_t i = text[0] == '-' || text[0] == '+' ? 1 : 0;
    size_t whole = count_digits(text + i), part = 0;
    i += whole;
    if (text[i] == '.') {
        part = count_digits(text + i + 1);
        if (!whole && !part) return 0;
        i += 1 + part;
    }
    if (!whole && !part) return 0;
    if (text[i] == 'e' || text[i] == 'E') {
        size_t sign = text[i + 1] == '-' || text[i + 1] == '+' ? 1 : 0;
        size_t power = count_digits(text + i + 1 + sign);
        if (power) i += 1 + sign + power;
    }
    return i;
}

/* ---- its value ------------------------------------------------------------------------------------------ */

enum { MOST_DIGITS = 19, /* of a number below 2^64 */ MOST_POWER = 27 /* 5^27 < 2^63 */ };

#if LDBL_MANT_DIG == 64
static bool is_exact; /* the processor keeps 64 bits of a mantissa, which an emulated one may not */

__attribute__((constructor)) static void try_precision(void)
{
    volatile uint64_t most = UINT64_MAX;
    const long double x = (long double)most;
    uint64_t mantissa;
    memcpy(&mantissa, &x, sizeof mantissa);
    is_exact = mantissa == UINT64_MAX;
}

/* Computes m 10^power by one operation on exact numbers of 64 bits. Returns false if its rounding to 53 bits may differ
 * from that of the exact value: then the remaining 11 bits are half a unit, or next to it. */
static bool by_one_operation(uint64_t m, int power, double *value)
{
    static const long double ten_to[MOST_POWER + 1] = {
        1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,  1e10L, 1e11L, 1e12L, 1e13L,
        1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L, 1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};
    uint64_t mantissa;
    if (!is_exact || power < -MOST_POWER || power > MOST_POWER) return false;
    const long double x = power < 0 ? (long double)m / ten_to[-power] : (long double)m * ten_to[power];
    memcpy(&mantissa, &x, sizeof mantissa);
    const unsigned between = (unsigned)(mantissa & 0x7ff);
    *value = (double)x;
    return between < 0x3ff || between > 0x401;
}
#else
static bool by_one_operation(uint64_t m, int power, double *value)
{
    (void)m;
    (void)power;
    (void)value;
    return false;
}
#endif

typedef struct {
    uint64_t m;                   /* the first digits as a number */
    int digits, dropped, written; /* after leading zeros; of those, not in m; all digits */
} mantissa;

static const char *read_digits(const char *at, mantissa *d)
{
    const char *begin = at;
    for (; *at >= '0' && *at <= '9'; at++) {
        if (!d->digits && *at == '0') continue;
        if (d->digits < MOST_DIGITS)
            d->m = 10 * d->m + (uint64_t)(*at - '0');
        else
            d->dropped++;
        d->digits++;
    }
    d->written += at > begin;
    return at;
}

/* Reads the power after `e`, which is bounded, and returns the end of the number. */
static const char *read_power(const char *at, int *power)
{
    if (*at != 'e' && *at != 'E') return at;
    const bool minus = at[1] == '-', sign = minus || at[1] == '+';
    const char *digit = at + 1 + sign;
    int p = 0;
    if (!(*digit >= '0' && *digit <= '9')) return at;
    for (; *digit >= '0' && *digit <= '9'; digit++)
        if (p < 100000) p = 10 * p + (*digit - '0');
    *power = minus ? -p : p;
    return digit;
}

size_t pio_decimal(const char *text, double *value)
{
    mantissa d = {0, 0, 0, 0};
    int power = 0;
    const char *at = read_digits(text + (*text == '-' || *text == '+'), &d);
    if (*at == '.') {
        const char *point = at;
        at = read_digits(point + 1, &d);
        power = (int)(point + 1 - at < -100000 ? -100000 : point + 1 - at);
    }
    if (!d.written) return 0;
    int given = 0;
    at = read_power(at, &given);
    if (!d.digits)
        *value = 0;
    else if (d.dropped || !by_one_operation(d.m, power + given, value))
        *value = fabs(strtod(text, NULL));
    if (*text == '-') *value = -*value;
    return (size_t)(at - text);
}

/* ---- the decimal point ---------------------------------------------------------------------------------- */

pio_locale pio_locale_begin(void)
{
    /* In glibc the "C" locale is a constant: nothing is allocated and nothing need be freed. */
    return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

void pio_locale_end(pio_locale old)
{
    uselocale((locale_t)old);
}

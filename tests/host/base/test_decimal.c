/* test_decimal.c -- numbers of files are rounded as strtod() rounds them, and end where a number ends. */
#include "host/base/decimal.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static uint64_t seed = 88172645463325252ULL;

/* Marsaglia 2003, "Xorshift RNGs". */
static uint64_t draw(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static int64_t numbers, different, twice_rounded;

/* The result of an operation on 64 bits that is rounded again without a check. */
static bool naive_differs(const char *text, double right)
{
    char *end;
    const long double x = strtold(text, &end);
    return !same_bits((double)x, right);
}

static void expect_as_strtod(const char *text)
{
    char *end, *copy = strdup(text); /* in a block of its size: sanitizers see what is read behind it */
    double got = -1;
    const double want = strtod(text, &end);
    assert_non_null(copy);
    const size_t length = pio_decimal(copy, &got);
    free(copy);
    numbers++;
    twice_rounded += naive_differs(text, want);
    if (same_bits(got, want) && length == (size_t)(end - text) && length == pio_number_length(text)) return;
    if (different++ < 5)
        print_message("'%s': %zu characters, %.17g instead of %td characters, %.17g\n", text, length, got, end - text,
                      want);
}

/* The middle between two neighbours, cut to 19 digits, and what is next to it: where to round is decided by the last
 * digits. */
static void try_middle(double x)
{
    char text[60];
    const long double middle = ((long double)x + (long double)nextafter(x, INFINITY)) / 2;
    snprintf(text, sizeof text, "%.18Le", middle);
    expect_as_strtod(text);
    for (int digit = '0'; digit <= '9'; digit += 3) {
        text[19 + (text[0] == '-')] = (char)digit;
        expect_as_strtod(text);
    }
}

static void numbers_are_rounded_as_strtod_rounds_them(void **state)
{
    enum { FORMATS = 8, TRIALS = 200000 };
    char text[400];
    (void)state;
    for (int i = 0; i < TRIALS; i++) {
        const double sign = draw() & 1 ? -1 : 1, x = sign * (double)draw() * pow(2, (double)(draw() % 140) - 110);
        switch (i % FORMATS) { /* a format that is no literal cannot be checked */
        case 0:
            snprintf(text, sizeof text, "%.17g", x);
            break;
        case 1:
            snprintf(text, sizeof text, "%.16g", x);
            break;
        case 2:
            snprintf(text, sizeof text, "%.15g", x);
            break;
        case 3:
            snprintf(text, sizeof text, "%.9g", x);
            break;
        case 4:
            snprintf(text, sizeof text, "%.6f", x);
            break;
        case 5:
            snprintf(text, sizeof text, "%.3e", x);
            break;
        case 6:
            snprintf(text, sizeof text, "%+.18e", x);
            break;
        default:
            snprintf(text, sizeof text, "%.25g", x);
            break;
        }
        expect_as_strtod(text);
        if (i % 4 == 0) try_middle(x * pow(2, 60));
        snprintf(text, sizeof text, "%llu.%llue%d", (unsigned long long)(draw() >> draw() % 60),
                 (unsigned long long)(draw() >> draw() % 60), (int)(draw() % 700) - 350);
        expect_as_strtod(text);
    }
    print_message(
        "%lld numbers, %lld are rounded otherwise (at most 0); rounded twice, %lld would be (at least 1000)\n",
        (long long)numbers, (long long)different, (long long)twice_rounded);
    assert_int_equal(different, 0);
    if (LDBL_MANT_DIG == 64) assert_true(twice_rounded >= 1000);
}

static void a_number_ends_where_it_ends(void **state)
{
    static const char *const texts[] = {"0",
                                        "-0",
                                        "+0.0",
                                        "00012",
                                        ".5",
                                        "5.",
                                        "-.5e1,",
                                        "1e",
                                        "1e+",
                                        "1e5x",
                                        "1.5.2",
                                        "1e400",
                                        "-1e400",
                                        "1e-400",
                                        "0e99999",
                                        "4.9e-324",
                                        "2.4e-324",
                                        "1e99999999999",
                                        "1e-99999999999",
                                        "0.1 0.2",
                                        "1,2",
                                        "1\n2",
                                        "12345678901234567890",
                                        "18446744073709551615",
                                        "18446744073709551616",
                                        "0.000000000000000000000000000000001",
                                        "100000000000000000000000000000000000",
                                        "9007199254740993",
                                        "1.7976931348623159e308",
                                        "2.2250738585072011e-308"};
    static const char *const none[] = {"", "-", "+", ".", "e5", "-.e1", "x", "inf", "nan", "-inf", " 1"};
    double value;
    (void)state;
    different = 0;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) expect_as_strtod(texts[i]);
    assert_int_equal(different, 0);
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) assert_int_equal(pio_decimal(none[i], &value), 0);
    assert_int_equal(pio_decimal("0x10", &value), 1); /* strtod() reads 16 */
    assert_true(same_bits(value, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_rounded_as_strtod_rounds_them),
        cmocka_unit_test(a_number_ends_where_it_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

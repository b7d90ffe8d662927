/* test_html.c -- texts and numbers of pages, and the ticks of axes. */
#include "host/report/html.h"
#include "host/report/plot.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What is written to the stream, between begin() and expect(). */
static struct {
    FILE *to;
    char *text;
    size_t size;
} w;

static void begin(void)
{
    w.to = open_memstream(&w.text, &w.size);
    assert_non_null(w.to);
}

static void expect(const char *text)
{
    assert_int_equal(fclose(w.to), 0);
    assert_string_equal(w.text, text);
    free(w.text);
}

static void expect_text(const char *text, const char *escaped)
{
    begin();
    pio_html_text(w.to, text);
    expect(escaped);
}

static void expect_number(double value, int digits, const char *text)
{
    begin();
    pio_html_number(w.to, value, digits);
    expect(text);
}

static void no_text_opens_an_element_or_ends_an_attribute(void **state)
{
    (void)state;
    expect_text("<script>alert('a & \"b\"')</script>",
                "&lt;script&gt;alert(&#39;a &amp; &quot;b&quot;&#39;)&lt;/script&gt;");
    expect_text("\u03b1 m\u00b2 \U0001F600\n\tend", "\u03b1 m\u00b2 \U0001F600\n\tend");
    expect_text(NULL, "");
}

static void what_is_no_text_becomes_the_replacement_character(void **state)
{
    (void)state;
    expect_text("a\x01z\x7F", "a\uFFFDz\uFFFD");
    expect_text("\xC0\xBC", "\uFFFD\uFFFD");                     /* an overlong < */
    expect_text("\xED\xA0\x80", "\uFFFD\uFFFD\uFFFD");           /* half of a pair of UTF-16 */
    expect_text("\xF4\x90\x80\x80", "\uFFFD\uFFFD\uFFFD\uFFFD"); /* above U+10FFFF */
    expect_text("cut \xE2\x82", "cut \uFFFD\uFFFD");
    expect_text("txt.\u202Eexe", "txt.\uFFFDexe"); /* turns the direction */
}

static void numbers_have_the_digits_that_were_requested(void **state)
{
    (void)state;
    expect_number(0, 6, "0");
    expect_number(-1.5, 6, "-1.5");
    expect_number(120000, 6, "120000");
    expect_number(1234567, 6, "1234567");
    expect_number(0.00012, 6, "0.00012");
    expect_number(1.2e-7, 6, "1.2\u00d710\u207b\u2077");
    expect_number(9.99999999e12, 3, "1\u00d710\u00b9\u00b3");
    expect_number((double)NAN, 6, "-");
    expect_number((double)INFINITY, 6, "-");
}

static void base64_is_that_of_rfc_4648(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foobar", "Zm9vYmFy"}, {"\xFF\xFE", "//4="}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char want[64];
        begin();
        pio_html_data(w.to, "image/png", pairs[i][0], strlen(pairs[i][0]));
        snprintf(want, sizeof want, "data:image/png;base64,%s", pairs[i][1]);
        expect(want);
    }
}

/* Compares the ticks of a scale with `n` values, and their labels with words joined by blanks. */
static void expect_ticks(pio_scale s, const double *ticks, int n, const char *labels)
{
    begin();
    for (int k = 0; k < n; k++) {
        assert_true(fabs(pio_scale_tick(&s, k) - ticks[k]) <= 1e-9 * fabs(ticks[n - 1]));
        if (k) fputc(' ', w.to);
        pio_scale_label(w.to, &s, pio_scale_tick(&s, k));
    }
    assert_true(isnan(pio_scale_tick(&s, n)));
    expect(labels);
}

static void ticks_are_round_and_their_labels_differ(void **state)
{
    (void)state;
    expect_ticks(pio_scale_make(0, 10, false, 5, true), (double[]){0, 2, 4, 6, 8, 10}, 6, "0 2 4 6 8 10");
    expect_ticks(pio_scale_make(-1, 1, false, 4, true), (double[]){-1, -0.5, 0, 0.5, 1}, 5, "-1.0 -0.5 0.0 0.5 1.0");
    const pio_scale pascals = pio_scale_make(100e3, 300e3, false, 4, true);
    assert_int_equal(pascals.exponent, 3);
    expect_ticks(pascals, (double[]){1e5, 1.5e5, 2e5, 2.5e5, 3e5}, 5, "100 150 200 250 300");
    expect_ticks(pio_scale_make(1e-3, 1e3, true, 6, true), (double[]){1e-3, 1e-2, 0.1, 1, 10, 100, 1000}, 7,
                 "10\u207b\u00b3 10\u207b\u00b2 10\u207b\u00b9 10\u2070 10\u00b9 10\u00b2 10\u00b3");
}

static void less_than_two_decades_have_ticks_between_the_powers(void **state)
{
    (void)state;
    expect_ticks(pio_scale_make(100e3, 300e3, true, 5, false), (double[]){1e5, 2e5}, 2, "10\u2075 2\u00d710\u2075");
}

static void one_value_has_a_scale_too(void **state)
{
    (void)state;
    const pio_scale s = pio_scale_make(3, 3, false, 5, true), zero = pio_scale_make(0, 0, false, 5, true),
                    ten = pio_scale_make(10, 10, true, 5, true);
    assert_true(s.lo < 3 && s.hi > 3 && zero.lo < 0 && zero.hi > 0);
    assert_true(pio_scale_at(&ten, 10) >= 0 && pio_scale_at(&ten, 10) <= 1);
    assert_true(isnan(pio_scale_at(&ten, 0)) && isnan(pio_scale_at(&ten, -1)) && isnan(pio_scale_at(&s, (double)NAN)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_text_opens_an_element_or_ends_an_attribute),
        cmocka_unit_test(what_is_no_text_becomes_the_replacement_character),
        cmocka_unit_test(numbers_have_the_digits_that_were_requested),
        cmocka_unit_test(base64_is_that_of_rfc_4648),
        cmocka_unit_test(ticks_are_round_and_their_labels_differ),
        cmocka_unit_test(less_than_two_decades_have_ticks_between_the_powers),
        cmocka_unit_test(one_value_has_a_scale_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_byte_input.c -- words of a file that are read quickly are those that the plain ways read, and have the same
 * values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "host/base/byte_input.h"
#include "host/base/decimal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 200000, LONGEST = 70 };

static uint64_t random_state = 88172645463325252u;
static unsigned random_below(unsigned n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (unsigned)(random_state >> 33) % n;
}

/* Mostly short, of these characters; now and then longer than a word may be. */
static void random_word(char *word, const char *of)
{
    const unsigned length = 1 + random_below(random_below(50) ? 14 : LONGEST);
    for (unsigned i = 0; i < length; i++) word[i] = of[random_below((unsigned)strlen(of))];
    word[length] = '\0';
}

/* The word, between blanks or at the end of the text. */
static pio_input input_of(char *text, const char *word, piola_error *error)
{
    static const char *const behind[] = {"", " ", "\n", "\t7", "\r\n", " x"};
    const int n = sprintf(text, "%s%s%s", random_below(2) ? " " : "", word, behind[random_below(6)]);
    return (pio_input){.path = "words", .text = text, .size = (size_t)n, .error = error};
}

static void numbers_are_those_of_strtod(void **state)
{
    int read = 0;
    (void)state;
    for (int i = 0; i < WORDS; i++) {
        char word[LONGEST + 2], text[LONGEST + 10];
        piola_error error;
        random_word(word, random_below(3) ? "0123456789.5e-" : "01.eE+-xnaif/");
        pio_input in = input_of(text, word, &error);
        const size_t length = strlen(word), begin = strspn(text, " ");
        const double plain = strtod(word, NULL), got = pio_input_number(&in, "a number");
        const bool good = length < PIO_INPUT_WORD && pio_number_length(word) == length && isfinite(plain);
        if (good == (in.status != PIOLA_OK)) fail_msg("'%s': %s", text, in.status ? error.message : "is read");
        if (!good) continue;
        read++;
        if (memcmp(&plain, &got, sizeof got) != 0) fail_msg("'%s': %.17g is not %.17g", text, got, plain);
        assert_int_equal(in.at, begin + length);
        assert_int_equal(in.mark, begin);
    }
    print_message("%d of %d words are numbers\n", read, WORDS);
    assert_true(read > WORDS / 20);
}

static void whole_numbers_are_those_of_strtoll(void **state)
{
    int read = 0;
    (void)state;
    for (int i = 0; i < WORDS; i++) {
        static const int64_t most[] = {9, 70000, INT32_MAX, INT64_MAX};
        char word[LONGEST + 2], text[LONGEST + 10], *end;
        piola_error error;
        random_word(word, random_below(3) ? "0123456789" : "0123-+.x");
        pio_input in = input_of(text, word, &error);
        const int64_t high = most[random_below(4)], low = random_below(2) ? 0 : -high;
        const int64_t got = pio_input_integer(&in, low, high, "a number");
        errno = 0;
        const long long plain = strtoll(word, &end, 10);
        const bool good =
            end > word && !*end && !errno && strlen(word) < PIO_INPUT_WORD && plain >= low && plain <= high;
        if (good == (in.status != PIOLA_OK)) fail_msg("'%s': %s", text, in.status ? error.message : "is read");
        if (good && got != plain) fail_msg("'%s': %lld is not %lld", text, (long long)got, plain);
        read += good;
    }
    print_message("%d of %d words are whole numbers in their range\n", read, WORDS);
    assert_true(read > WORDS / 20);
}

/* What is read quickly, as corners of polygons are, the plain way reads too. */
static void what_is_quick_is_what_sscanf_says(void **state)
{
    static const char rest_of[] = "/0123456789-";
    int read = 0;
    (void)state;
    for (int i = 0; i < WORDS; i++) {
        char word[LONGEST + 2], text[LONGEST + 10], rest = '/';
        piola_error error;
        int64_t got;
        long long plain;
        int length = 0;
        random_word(word, random_below(2) ? "123456789/" : "0123456789/-+.");
        pio_input in = input_of(text, word, &error);
        if (!pio_input_try_integer(&in, 1, INT32_MAX, rest_of, &got)) {
            assert_true(in.at == strspn(text, " "));
            continue;
        }
        read++;
        const int found = sscanf(word, "%11lld%n%c", &plain, &length, &rest);
        if (found < 1 || rest != '/' || plain != got || strlen(word) >= PIO_INPUT_WORD ||
            strspn(word + length, rest_of) < strlen(word + length))
            fail_msg("'%s' is read as %lld", text, (long long)got);
        assert_int_equal(in.at, strspn(text, " ") + strlen(word));
    }
    print_message("%d of %d words are corners\n", read, WORDS);
    assert_true(read > WORDS / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_those_of_strtod),
        cmocka_unit_test(whole_numbers_are_those_of_strtoll),
        cmocka_unit_test(what_is_quick_is_what_sscanf_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

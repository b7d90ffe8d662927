/* test_json.c -- the JSON writer against a strict reader, and files that appear whole or not at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "host/base/json.h"
#include "host/base/new_file.h"
#include "tests/host/base/json_checker.h"

#include <dirent.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <signal.h>
#include <unistd.h>

static uint64_t bits(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static void the_checker_refuses_what_is_not_json(void **state)
{
    (void)state;
    const char *wrong[] = {"",      "{",         "{\"a\":}",    "[1,]",         "[1 2]",
                           "{a:1}", "01",        "1.",          "nan",          "NaN",
                           "[1]x",  "\"\n\"",    "\"\\x\"",     "\"\xC0\xAF\"", "\"\xED\xA0\x80\"",
                           "\"abc", "{\"a\" 1}", "\"\\u12g4\"", "+1",           "1e",
                           ".5",    "\"\xFF\"",  "{\"a\":1,}"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) assert_non_null(check_json(wrong[i]));
    assert_null(check_json(" {\"a\": [1, -2.5e-3, true, null, \"\\u00e9\\n\xC3\xA9\"], \"b\": {}} "));
    printf("refused: %zu of %zu faulty texts\n", sizeof wrong / sizeof *wrong, sizeof wrong / sizeof *wrong);
}

static void write_everything(pio_json *json)
{
    const double numbers[] = {1, 0.5, NAN, -3e-300};
    pio_json_begin_object(json, NULL);
    pio_json_string(json, "command", "grad");
    pio_json_string(json, "quote\"d \\ key\n", "tab\t bell\a quote\" back\\ \x7f");
    pio_json_string(json, "absent", NULL);
    pio_json_double(json, "half", 0.5);
    pio_json_double(json, "nan", NAN);
    pio_json_double(json, "inf", -INFINITY);
    pio_json_integer(json, "least", INT64_MIN);
    pio_json_integer(json, "most", INT64_MAX);
    pio_json_bool(json, "yes", true);
    pio_json_bool(json, "no", false);
    pio_json_null(json, "nothing");
    pio_json_doubles(json, "numbers", numbers, 4);
    pio_json_doubles(json, "none", NULL, 0);
    pio_json_begin_array(json, "rows");
    for (int i = 0; i < 2; i++) {
        pio_json_begin_object(json, NULL);
        pio_json_integer(json, "i", i);
        pio_json_end_object(json);
    }
    pio_json_string(json, NULL, "last");
    pio_json_end_array(json);
    pio_json_begin_object(json, "empty object");
    pio_json_end_object(json);
    pio_json_begin_array(json, "empty array");
    pio_json_end_array(json);
    pio_json_end_object(json);
}

static void every_kind_of_value_is_valid_json_at_every_indent(void **state)
{
    (void)state;
    for (int indent = 0; indent <= 4; indent += 2) {
        pio_json json;
        piola_error error;
        pio_json_to_memory(&json, indent);
        write_everything(&json);
        assert_int_equal(pio_json_finish(&json, &error), PIOLA_OK);
        assert_null(check_json(json.text));
        assert_int_equal(strlen(json.text), json.size);
        assert_int_equal(strchr(json.text, '\n') == NULL, indent == 0);
        assert_non_null(strstr(json.text, "-9223372036854775808"));
        assert_non_null(strstr(json.text, "\\u0007"));
        assert_non_null(strstr(json.text, "tab\\t"));
        printf("indent %d: %zu bytes, valid\n", indent, json.size);
        pio_json_free(&json);
        pio_json_free(&json);
    }
}

static void the_exact_text_is_as_expected(void **state)
{
    (void)state;
    const double numbers[] = {1, 2.5};
    pio_json json;
    pio_json_to_memory(&json, 2);
    pio_json_begin_object(&json, NULL);
    pio_json_integer(&json, "a", 1);
    pio_json_begin_array(&json, "b");
    pio_json_bool(&json, NULL, true);
    pio_json_end_array(&json);
    pio_json_doubles(&json, "c", numbers, 2);
    pio_json_end_object(&json);
    assert_int_equal(pio_json_finish(&json, NULL), PIOLA_OK);
    assert_string_equal(json.text, "{\n  \"a\": 1,\n  \"b\": [\n    true\n  ],\n  \"c\": [1, 2.5]\n}");
    pio_json_free(&json);
}

static void utf8_is_kept_and_invalid_bytes_are_replaced(void **state)
{
    (void)state;
#define BAD "\xEF\xBF\xBD"
    const char *cases[][2] = {
        {"\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80",
         "\"\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80\""}, /* valid, 2 to 4 bytes */
        {"a\xFFz", "\"a" BAD "z\""},
        {"a\xC3", "\"a" BAD "\""},                       /* cut short by the end */
        {"\xE2\x82z", "\"" BAD "z\""},                   /* cut short: one replacement for the started sequence */
        {"\xC0\xAF", "\"" BAD BAD "\""},                 /* overlong */
        {"\xED\xA0\x80", "\"" BAD BAD BAD "\""},         /* surrogate */
        {"\xF4\x90\x80\x80", "\"" BAD BAD BAD BAD "\""}, /* above U+10FFFF */
        {"\xF4\x8F\xBF\xBF", "\"\xF4\x8F\xBF\xBF\""},    /* U+10FFFF */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pio_json json;
        pio_json_to_memory(&json, 0);
        pio_json_string(&json, NULL, cases[i][0]);
        assert_int_equal(pio_json_finish(&json, NULL), PIOLA_OK);
        assert_string_equal(json.text, cases[i][1]);
        assert_null(check_json(json.text));
        pio_json_free(&json);
    }
}

static void doubles_read_back_the_same_bits_in_the_fewest_digits(void **state)
{
    (void)state;
    char text[PIO_JSON_DOUBLE];
    const struct {
        double value;
        const char *text;
    } known[] = {{0, "0"},
                 {-0.0, "-0.0"},
                 {1, "1"},
                 {100, "100"},
                 {0.1, "0.1"},
                 {-2.5, "-2.5"},
                 {1e22, "1e+22"},
                 {1e-7, "1e-07"},
                 {120000, "120000"},
                 {1.0 / 3, "0.3333333333333333"},
                 {NAN, "null"},
                 {INFINITY, "null"},
                 {5e-324, "5e-324"},
                 {0.1 + 0.2, "0.30000000000000004"},
                 {9007199254740993.0, "9007199254740992"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        assert_string_equal(pio_format_double(text, known[i].value), known[i].text);
    }
    uint64_t x = 88172645463325252u;
    size_t wrong = 0, longer = 0, n = 200000;
    for (size_t i = 0; i < n; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17; /* xorshift64, Marsaglia 2003 */
        uint64_t pattern = x;
        if (i % 4 == 0) pattern = bits((double)(x >> 40)); /* whole numbers too */
        double value;
        memcpy(&value, &pattern, sizeof value);
        if (!isfinite(value)) continue;
        pio_format_double(text, value);
        if (bits(strtod(text, NULL)) != bits(value) || check_json(text)) wrong++;
        if (strlen(text) > 24) longer++;
    }
    printf("random doubles: %zu, wrong %zu (threshold 0), longer than 24 characters %zu (threshold 0)\n", n, wrong,
           longer);
    assert_int_equal(wrong, 0);
    assert_int_equal(longer, 0);
}

static void the_point_does_not_follow_the_locale(void **state)
{
    (void)state;
    const char *names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    bool set = false;
    for (size_t i = 0; i < 4 && !set; i++) set = setlocale(LC_NUMERIC, names[i]) != NULL;
    if (!set) {
        printf("not checked: no locale with a decimal comma is installed\n");
        skip();
    }
    char text[PIO_JSON_DOUBLE];
    pio_format_double(text, 1.5);
    setlocale(LC_NUMERIC, "C");
    assert_string_equal(text, "1.5");
}

static void misuse_is_reported_and_not_written(void **state)
{
    (void)state;
    for (int kind = 0; kind < 7; kind++) {
        pio_json json;
        piola_error error = {0};
        pio_json_to_memory(&json, 0);
        if (kind < 5) pio_json_begin_object(&json, NULL);
        if (kind == 0) pio_json_integer(&json, NULL, 1); /* no key in an object */
        if (kind == 1) pio_json_end_array(&json);        /* the wrong bracket */
        if (kind == 3) pio_json_end_object(&json), pio_json_end_object(&json);
        if (kind == 4) pio_json_end_object(&json), pio_json_bool(&json, NULL, true); /* two values at the top */
        if (kind == 5) pio_json_bool(&json, "key", true);
        for (int i = 0; kind == 6 && i <= PIO_JSON_DEPTH; i++) pio_json_begin_array(&json, NULL);
        assert_int_equal(pio_json_finish(&json, &error), PIOLA_INTERNAL); /* kind 2: left open */
        assert_int_equal(error.status, PIOLA_INTERNAL);
        assert_true(strlen(error.message) > 10);
        printf("misuse %d: %s\n", kind, error.message);
        pio_json_free(&json);
    }
    pio_json json;
    pio_json_to_memory(&json, 0);
    assert_int_equal(pio_json_finish(&json, NULL), PIOLA_INTERNAL); /* nothing at all */
    pio_json_free(&json);
}

static void a_full_disk_is_an_error(void **state)
{
    (void)state;
    FILE *full = fopen("/dev/full", "w");
    if (!full) {
        printf("not checked: no /dev/full\n");
        skip();
    }
    pio_json json;
    piola_error error = {0};
    pio_json_to_file(&json, full, 2);
    write_everything(&json);
    assert_int_equal(pio_json_finish(&json, &error), PIOLA_IO);
    printf("%s\n", error.message);
    fclose(full);
}

/* ---- files ----------------------------------------------------------------------------------------------- */

static int entries(const char *folder)
{
    DIR *d = opendir(folder);
    int n = 0;
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(d);
    return n;
}

static void assert_holds(const char *path, const char *bytes)
{
    char text[256] = {0};
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    assert_int_equal(n, strlen(bytes));
    assert_string_equal(text, bytes);
}

static void a_file_is_replaced_whole_and_nothing_else_is_left(void **state)
{
    (void)state;
    char folder[] = "/tmp/piola_json_XXXXXX", path[64], link[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/result.json", folder);
    snprintf(link, sizeof link, "%s/link", folder);
    assert_int_equal(pio_write_file_atomically(path, "first", 5, NULL), PIOLA_OK);
    assert_holds(path, "first");
    assert_int_equal(pio_write_file_atomically(path, "second text", 11, NULL), PIOLA_OK);
    assert_holds(path, "second text");
    assert_int_equal(pio_write_file_atomically(path, "", 0, NULL), PIOLA_OK);
    assert_holds(path, "");
    assert_int_equal(entries(folder), 1);
    mode_t mask = umask(0);
    umask(mask);
    struct stat s;
    assert_int_equal(stat(path, &s), 0);
    assert_int_equal(s.st_mode & 0777, 0666 & ~mask);
    assert_int_equal(symlink(path, link), 0);
    assert_int_equal(pio_write_file_atomically(link, "own", 3, NULL), PIOLA_OK);
    assert_holds(path, "");
    assert_holds(link, "own");
    unlink(link);
    unlink(path);
    rmdir(folder);
}

static void a_failed_write_leaves_the_old_file(void **state)
{
    (void)state;
    char folder[] = "/tmp/piola_json_XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/result.json", folder);
    assert_int_equal(pio_write_file_atomically(path, "old", 3, NULL), PIOLA_OK);
    static char large[100000];
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 5000;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    piola_error error = {0};
    piola_status status = pio_write_file_atomically(path, large, sizeof large, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, handler);
    assert_int_equal(status, PIOLA_IO);
    printf("%s\n", error.message);
    assert_holds(path, "old");
    assert_int_equal(entries(folder), 1);
    unlink(path);
    rmdir(folder);
}

static void what_is_not_a_file_is_refused(void **state)
{
    (void)state;
    const char *paths[] = {"/dev/null", "/tmp", "/tmp/", "/nowhere/at/all/x.json", ""};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        piola_error error = {0};
        assert_int_equal(pio_write_file_atomically(paths[i], "x", 1, &error), PIOLA_CANNOT_CREATE);
        printf("%s\n", error.message);
    }
    struct stat s;
    assert_int_equal(stat("/dev/null", &s), 0);
    assert_true(S_ISCHR(s.st_mode));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_checker_refuses_what_is_not_json),
        cmocka_unit_test(every_kind_of_value_is_valid_json_at_every_indent),
        cmocka_unit_test(the_exact_text_is_as_expected),
        cmocka_unit_test(utf8_is_kept_and_invalid_bytes_are_replaced),
        cmocka_unit_test(doubles_read_back_the_same_bits_in_the_fewest_digits),
        cmocka_unit_test(the_point_does_not_follow_the_locale),
        cmocka_unit_test(misuse_is_reported_and_not_written),
        cmocka_unit_test(a_full_disk_is_an_error),
        cmocka_unit_test(a_file_is_replaced_whole_and_nothing_else_is_left),
        cmocka_unit_test(a_failed_write_leaves_the_old_file),
        cmocka_unit_test(what_is_not_a_file_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

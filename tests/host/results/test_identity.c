/* test_identity.c -- whether a run may be continued: never one of another scene or program; on another machine only
 * with permission. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "host/results/identity.h"

static const char here[] = "program: piola 1, gcc 14\n"
                           "precision: f64\n"
                           "data: 0123\n"
                           "machine's instruction set: x86-64-v3\n"
                           "machine's libm: glibc 2.36\n"
                           "scene: {a: 1,\n b: 2}\n";

/* Returns `here` with one text in place of another. */
static const char *with(const char *old, const char *new)
{
    static char text[1024];
    const char *at = strstr(here, old);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - here), here, new, at + strlen(old));
    return text;
}

static void expect(const char *there, bool accept, piola_status want, const char *says)
{
    char differs[400];
    piola_error error = {0};
    const piola_status got = pio_identity_admit("the_record", there, here, accept, differs, sizeof differs, &error);
    print_message("%d, wanted %d: %s\n", got, want, got ? error.message : differs);
    assert_int_equal(got, want);
    assert_non_null(strstr(got ? error.message : differs, says));
    if (!got && !*says) assert_int_equal(differs[0], '\0');
}

static void the_same_run_is_admitted(void **state)
{
    (void)state;
    expect(here, false, PIOLA_OK, "");
    expect(here, true, PIOLA_OK, "");
}

static void another_machine_needs_leave(void **state)
{
    (void)state;
    const char *v4 = "instruction set ('x86-64-v4' there, 'x86-64-v3' here)";
    expect(with("v3", "v4"), false, PIOLA_REFUSED, v4);
    expect(with("v3", "v4"), false, PIOLA_REFUSED, "--accept-different-machine");
    expect(with("v3", "v4"), true, PIOLA_OK, v4);
    expect(with("v3\nmachine's libm: glibc 2.36", "v4\nmachine's libm: glibc 2.41"), false, PIOLA_REFUSED,
           "glibc 2.41");
}

static void another_run_is_refused_with_and_without_leave(void **state)
{
    (void)state;
    for (int accept = 0; accept < 2; accept++) {
        expect(with("piola 1", "piola 2"), accept, PIOLA_BAD_DATA, "program ('piola 2, gcc 14' there");
        expect(with("f64", "f32"), accept, PIOLA_BAD_DATA, "precision");
        expect(with("0123", "0124"), accept, PIOLA_BAD_DATA, "data");
        expect(with("b: 2", "b: 3"), accept, PIOLA_BAD_DATA, "scene");
        expect(with(" b: 2}\n", " b: 2}\n "), accept, PIOLA_BAD_DATA, "scene");
        expect(
            with("f64\ndata: 0123\nmachine's instruction set: x86-64-v3", /* a line of the run and one of the machine */
                 "f32\ndata: 0123\nmachine's instruction set: x86-64-v4"),
            accept, PIOLA_BAD_DATA, "precision");
    }
}

/* Truncations of a text and other texts are other runs, however short. */
static void what_is_no_identity_is_another_run(void **state)
{
    (void)state;
    char text[sizeof here], differs[400];
    for (size_t n = 0; n + 1 < sizeof here; n++) {
        memcpy(text, here, n);
        text[n] = '\0';
        assert_int_equal(pio_identity_compare(text, here, differs, sizeof differs), PIO_OTHER_RUN);
        assert_int_equal(pio_identity_compare(here, text, differs, sizeof differs), PIO_OTHER_RUN);
        assert_true(differs[0]);
    }
    expect("scene: ", true, PIOLA_BAD_DATA, "");
    expect("\n\n:\n: :", true, PIOLA_BAD_DATA, "");
    expect(with("machine's libm: glibc 2.36\n", ""), true, PIOLA_BAD_DATA, "lines");
    print_message("%zu truncations distinguished from the whole\n", sizeof here - 1);
}

/* A difference that is longer than its buffer is cut at its end, and nothing else changes. */
static void a_long_difference_fits_its_room(void **state)
{
    (void)state;
    char there[4096], differs[400];
    memset(there, 'x', sizeof there - 1);
    there[sizeof there - 1] = '\0';
    memcpy(there, "machine's libm: ", 16);
    assert_int_equal(pio_identity_compare(there, "machine's libm: glibc", differs, sizeof differs), PIO_OTHER_MACHINE);
    assert_int_equal(strlen(differs), sizeof differs - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_run_is_admitted),
        cmocka_unit_test(another_machine_needs_leave),
        cmocka_unit_test(another_run_is_refused_with_and_without_leave),
        cmocka_unit_test(what_is_no_identity_is_another_run),
        cmocka_unit_test(a_long_difference_fits_its_room),
    };
    return cmocka_run_group_tests_name("identity", tests, NULL, NULL);
}

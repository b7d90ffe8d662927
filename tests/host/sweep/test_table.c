/* test_table.c -- the table of a sweep: what is read from results, and what is written of it. */
#include "host/sweep/table.h"

#include "host/base/file.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char first[] =
    "{\"command\": \"grad\", \"exit\": 0, \"message\": \"done\", \"objective\": 0.1,\n"
    " \"terms\": {\"a\": 0.1}, \"constraints\": [{\"constraint\": \"mass\", \"value\": 3}],\n"
    " \"observations\": {\"tip\": {\"time\": [0.5, 1], \"value\": [[1, 2], [3, 4e-300]]}},\n"
    " \"parameters\": {\"m.E\": {\"unit\": \"Pa\", \"value\": 5, \"gradient\": -1.7976931348623157e308},\n"
    "  \"b.v\": {\"value\": [1, 2], \"gradient\": [null, 0.1]}, \"field\": {\"values\": 9, \"file\": \"x\"}}}";
static const char second[] = "{\"exit\": 76, \"message\": \"step 3: \\\"NaN\\\", at 1\\n\"}";

static char folder[] = "test_table_XXXXXX", path[200];

static int begin(void **state)
{
    (void)state;
    return !mkdtemp(folder);
}

static int end(void **state)
{
    (void)state;
    (void)unlink(path);
    return rmdir(folder);
}

static const char *write_file(const char *text)
{
    snprintf(path, sizeof path, "%s/file", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    return path;
}

static void make(pio_table *t, pio_members *m)
{
    static const char *const over[] = {"m.E=1 kPa,2 kPa", "law=\"x\""};
    piola_error error = {0};
    assert_int_equal(pio_members_create(m, &(pio_members_of){.over = over, .n_over = 2}, &error), PIOLA_OK);
    assert_int_equal(pio_table_create(t, m, &error), PIOLA_OK);
    assert_int_equal(pio_table_add(t, 0, write_file(first), &error), PIOLA_OK);
    t->ends[0] = (pio_table_member){.exit = 0, .folder = "members/00000"};
    t->ends[1] = (pio_table_member){.exit = 76, .cause = "step 3: \"NaN\", at\n1", .folder = "members/00001"};
}

static void a_result_becomes_columns_with_the_bits_of_its_numbers(void **state)
{
    static const struct {
        const char *name;
        size_t n;
        double v[4];
    } right[] = {{"objective", 1, {0.1}},
                 {"terms/a", 1, {0.1}},
                 {"constraints/mass", 1, {3}},
                 {"design/m.E", 1, {5}},
                 {"gradient/m.E", 1, {-1.7976931348623157e308}},
                 {"design/b.v", 2, {1, 2}},
                 {"gradient/b.v", 2, {NAN, 0.1}},
                 {"observations/tip/time", 2, {0.5, 1}},
                 {"observations/tip/value", 4, {1, 2, 3, 4e-300}}};
    pio_table t;
    pio_members m;
    (void)state;
    make(&t, &m);
    assert_int_equal(t.n_columns, sizeof right / sizeof *right);
    for (size_t c = 0; c < t.n_columns; c++) {
        const pio_cells *cells = &t.columns[c].cells[0];
        assert_string_equal(t.columns[c].name, right[c].name);
        assert_int_equal(cells->n, right[c].n);
        for (size_t k = 0; k < cells->n; k++)
            if (isnan(right[c].v[k]))
                assert_true(isnan(cells->v[k]));
            else
                assert_memory_equal(&cells->v[k], &right[c].v[k], sizeof(double));
        assert_int_equal(t.columns[c].cells[1].n, 0);
    }
    assert_int_equal(t.columns[8].inner, 2);
    pio_table_free(&t);
    pio_members_free(&m);
}

static void the_csv_has_a_row_for_each_member(void **state)
{
    static const char right[] =
        "member,folder,exit,cause,parameters/m.E [Pa],parameters/law,objective,terms/a,constraints/mass,design/m.E,"
        "gradient/m.E,design/b.v[0],design/b.v[1],gradient/b.v[0],gradient/b.v[1],observations/tip/time[0],"
        "observations/tip/time[1],observations/tip/value[0][0],observations/tip/value[0][1],"
        "observations/tip/value[1][0],observations/tip/value[1][1]\r\n"
        "0,members/00000,0,,1000,\"\"\"x\"\"\",0.1,0.1,3,5,-1.7976931348623157e+308,1,2,,0.1,0.5,1,1,2,3,4e-300\r\n"
        "1,members/00001,76,\"step 3: \"\"NaN\"\", at 1\",2000,\"\"\"x\"\"\",,,,,,,,,,,,,,,\r\n";
    pio_table t;
    pio_members m;
    piola_error error = {0};
    char *text;
    size_t size;
    (void)state;
    make(&t, &m);
    assert_int_equal(pio_table_write_csv(&t, path, &error), PIOLA_OK);
    assert_int_equal(pio_file_read(path, 1 << 16, &text, &size, &error), PIOLA_OK);
    assert_string_equal(text, right);
    free(text);
    pio_table_free(&t);
    pio_members_free(&m);
}

static void an_outcome_is_read_and_what_is_none_is_not(void **state)
{
    static const char *const none[] = {
        "", "{", "[1]", "{\"exit\": \"0\"}", "{\"message\": \"done\"}", "{\"exit\": -3}"};
    pio_table t;
    pio_members m;
    piola_error error = {0};
    const char *message;
    int exit;
    (void)state;
    make(&t, &m);
    assert_true(pio_table_exit(&t, write_file(second), &exit, &message));
    assert_int_equal(exit, 76);
    assert_string_equal(message, "step 3: \"NaN\", at 1\n");
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_false(pio_table_exit(&t, write_file(none[i]), &exit, &message));
    assert_int_equal(pio_table_add(&t, 1, write_file(none[1]), &error), PIOLA_BAD_DATA);
    assert_int_equal(pio_table_text(&t, write_file(second), "message", &message, &error), PIOLA_OK);
    assert_int_equal(pio_table_text(&t, path, "exit", &message, &error), PIOLA_BAD_DATA);
    assert_int_equal(pio_table_text(&t, "/nowhere/file", "exit", &message, &error), PIOLA_NO_INPUT);
    pio_table_free(&t);
    pio_members_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_result_becomes_columns_with_the_bits_of_its_numbers),
        cmocka_unit_test(the_csv_has_a_row_for_each_member),
        cmocka_unit_test(an_outcome_is_read_and_what_is_none_is_not),
    };
    return cmocka_run_group_tests(tests, begin, end);
}

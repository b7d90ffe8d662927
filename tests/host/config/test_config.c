/* test_config.c -- numbers with units, and numeric tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "host/config/config.h"
#include "host/data/csv.h"
#include "tests/host/scene/scene_helpers.h"

#include <unistd.h>

/* ---- numbers ------------------------------------------------------------------------------------------- */

static void quantities_are_rounded_once(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        cfg_quantity quantity;
        double value;
    } cases[] = {{"0.1 ms", CFG_TIME, 1e-4},
                 {"2 min", CFG_TIME, 120},
                 {"3us", CFG_TIME, 3e-6},
                 {"1.07 g/cm3", CFG_DENSITY, 1070},
                 {"7 g", CFG_MASS, 7e-3},
                 {"3 kg", CFG_MASS, 3},
                 {"4.7 GPa", CFG_PRESSURE, 4.7e9},
                 {"1e3 kPa", CFG_PRESSURE, 1e6},
                 {"0.3 MPa", CFG_PRESSURE, 3e5},
                 {"1.3 mPa.s", CFG_VISCOSITY, 1.3e-3},
                 {"7 mm/s", CFG_VELOCITY, 7e-3},
                 {"7 mm/s2", CFG_ACCELERATION, 7e-3},
                 {"2 1/mm", CFG_WAVE_NUMBER, 2000},
                 {"0.5 1/ms2", CFG_RATE_SQUARED, 5e5},
                 {"3 mJ", CFG_ENERGY, 3e-3},
                 {"1 kB", CFG_MEMORY, 1000},
                 {"1 KiB", CFG_MEMORY, 1024},
                 {"2 TiB", CFG_MEMORY, 2199023255552.0},
                 {"60 GB", CFG_MEMORY, 6e10},
                 {"360 deg/s", CFG_ANGLE_RATE, 360 * (3.14159265358979323846 / 180)},
                 {"010", CFG_ONE, 10},
                 {"1e6", CFG_ONE, 1e6},
                 {"+.5", CFG_ONE, 0.5},
                 {"-5.", CFG_ONE, -5},
                 {"1E+2", CFG_ONE, 100},
                 {"0e999", CFG_ONE, 0},
                 {"3 kPa", CFG_ANY, 3000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char why[400] = "";
        double value = NAN;
        if (!pio_quantity_parse(cases[i].text, cases[i].quantity, &value, why, sizeof why))
            fail_msg("'%s': %s", cases[i].text, why);
        equal(value, cases[i].value);
    }
}

static void what_is_no_number_is_refused(void **state)
{
    (void)state;
    static const char *const cases[] = {"",    ".",    "-",     "e5",   "0x1F", "0b1",   "1e",       "1.2.3", "--1",
                                        "1,",  ".inf", "-.inf", ".nan", "nan",  "inf",   "infinity", "1 ",    "0x1p3",
                                        "1_0", "1:30", "yes",   "~",    "null", "1e5e5", "1 000"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char why[400] = "";
        double value;
        if (strcmp(cases[i], "1 ") == 0) continue; /* a blank behind a number is nothing */
        if (pio_quantity_parse(cases[i], CFG_ONE, &value, why, sizeof why)) fail_msg("'%s' was read", cases[i]);
        assert_true(strlen(why) > 0);
    }
}

/* ---- csv ----------------------------------------------------------------------------------------------- */

static void tables_are_read(void **state)
{
    (void)state;
    pio_csv csv;
    piola_error error;
    assert_int_equal(pio_csv_load(&csv, GOOD "parts/points.csv", &error), PIOLA_OK);
    assert_int_equal(csv.n_columns, 4);
    assert_int_equal(csv.n_rows, 4);
    int y = pio_csv_column(&csv, "y", &error);
    assert_int_equal(y, 3);
    equal(csv.values[3 * csv.n_columns + (size_t)y], 0.4);
    assert_int_equal(pio_csv_column(&csv, "partcle", &error), -1);
    assert_non_null(strstr(error.message, "points.csv:2:1: error: no column 'partcle'; did you mean 'particle'?"));
    pio_csv_fault(&csv, 1, 2, &error, "at %d", 5);
    assert_non_null(strstr(error.message, "points.csv:4:9: error: at 5"));
    pio_csv_free(&csv);
}

static void bad_tables_are_refused_at_the_right_place(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } cases[] = {{"", ":1:1: error: the file is empty"},
                 {"\n# only\n", ":1:1: error: the file is empty"},
                 {"a,b\n", "error: no rows behind the header"},
                 {"a,b\n1\n", ":2:1: error: 1 cells in this row, but the header has 2 columns"},
                 {"a,b\n1,2,3\n", ":2:5: error: more cells than the 2 columns"},
                 {"a,b\n1,x\n", ":2:3: error: 'x' in column 'b' is not a number"},
                 {"a,b\n1, nan\n", ":2:4: error: 'nan' in column 'b' is not a number"},
                 {"a,b\n1,0x10\n", ":2:3: error: '0x10' in column 'b' is not a number"},
                 {"a,b\n1,inf\n", "is not a number"},
                 {"a,b\n1,1e999\n", ":2:3: error: '1e999' is too large"},
                 {"a,b\n1,\n", ":2:3: error: an empty cell in column 'b'"},
                 {"a,,b\n1,2,3\n", ":1:3: error: an empty column name"},
                 {"a,a\n1,2\n", ":1:3: error: the column 'a' occurs twice"},
                 {"1,2\n3,4\n", ":1:1: error: '1' is a number; the first line must name the columns"},
                 {"a,b\r\n1,2\r\n3;4\r\n", ":3:1: error: '3;4' in column 'a' is not a number"}};
    char path[] = "/tmp/piola_csv_XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pio_csv csv;
        piola_error error = {0};
        FILE *to = fopen(path, "w");
        assert_non_null(to);
        fputs(cases[i].text, to);
        fclose(to);
        piola_status status = pio_csv_load(&csv, path, &error);
        if (status != PIOLA_BAD_DATA || !strstr(error.message, cases[i].words) || csv.values)
            fail_msg("case %zu: status %d, '%s', want '%s'", i, (int)status, error.message, cases[i].words);
    }
    unlink(path);
    pio_csv csv;
    assert_int_equal(pio_csv_load(&csv, path, NULL), PIOLA_NO_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantities_are_rounded_once),
        cmocka_unit_test(what_is_no_number_is_refused),
        cmocka_unit_test(tables_are_read),
        cmocka_unit_test(bad_tables_are_refused_at_the_right_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

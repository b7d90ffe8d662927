/* test_control_weights.c -- weights of a network in HDF5: the same numbers come back, and each file without them is
 * rejected with its cause. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "host/scene/control_weights.h"

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { COUNT = 6 };
#define FILE_NAME "control_weights.h5"
#define SET "/piola/gradient/control.mind.weights/value"

static void put(hid_t file, const char *name, hid_t type, const void *values, hsize_t rows)
{
    const hid_t space = H5Screate_simple(1, &rows, NULL), with = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(with, 1);
    const hid_t set = H5Dcreate2(file, name, type, space, with, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
    H5Pclose(with);
    H5Sclose(space);
}

static void write_file(void)
{
    double values[COUNT] = {0.1, -2.5, 1.0 / 3, 4e-300, 0, 7};
    const hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), text = H5Tcopy(H5T_C_S1);
    assert_true(file >= 0);
    put(file, SET, H5T_NATIVE_DOUBLE, values, COUNT);
    values[3] = (double)NAN;
    put(file, "/spoiled", H5T_NATIVE_DOUBLE, values, COUNT);
    put(file, "/words", text, "abcdef", COUNT);
    H5Tclose(text);
    H5Fclose(file);
}

static void weights_come_back_to_the_bit(void **state)
{
    static const double given[COUNT] = {0.1, -2.5, 1.0 / 3, 4e-300, 0, 7};
    double found[COUNT];
    piola_error error;
    (void)state;
    write_file();
    if (pio_control_weights(FILE_NAME, SET, found, COUNT, &error)) fail_msg("%s", error.message);
    assert_memory_equal(found, given, sizeof given);
    unlink(FILE_NAME);
}

static void refused_with(piola_status status, const char *path, const char *set, size_t count, const char *what)
{
    double found[2 * COUNT];
    piola_error error = {0};
    assert_int_equal(pio_control_weights(path, set, found, count, &error), status);
    print_message("  %s\n", error.message);
    if (!strstr(error.message, what)) fail_msg("'%s' does not say '%s'", error.message, what);
}

static void refused(const char *path, const char *set, size_t count, const char *what)
{
    refused_with(PIOLA_BAD_DATA, path, set, count, what);
}

/* Weights that lie elsewhere, or nowhere, are not weights of this file. */
static void links_are_not_followed(void **state)
{
    (void)state;
    write_file();
    const hid_t file = H5Fopen(FILE_NAME, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(H5Lcreate_external(FILE_NAME, SET, file, "outside", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    assert_true(H5Lcreate_soft(SET, file, "soft", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    H5Fclose(file);
    refused(FILE_NAME, "/outside", COUNT, "there is no dataset /outside");
    refused(FILE_NAME, "/soft", COUNT, "there is no dataset /soft");
    unlink(FILE_NAME);
}

static void files_without_them_are_refused(void **state)
{
    (void)state;
    write_file();
    refused(FILE_NAME, SET, COUNT + 1, "has 6 numbers; the network has 7 weights");
    refused(FILE_NAME, "/piola/gradient/other/value", COUNT, "there is no dataset");
    refused(FILE_NAME, "/piola/gradient", COUNT, "there is no dataset");
    refused(FILE_NAME, "/spoiled", COUNT, "/spoiled[3]: nan is not a finite number");
    refused(FILE_NAME, "/words", COUNT, "/words holds no numbers");
    FILE *text = fopen(FILE_NAME, "w");
    assert_non_null(text);
    fputs("no HDF5", text);
    fclose(text);
    refused(FILE_NAME, SET, COUNT, "not an HDF5 file");
    unlink(FILE_NAME);
    refused_with(PIOLA_NO_INPUT, FILE_NAME, SET, COUNT, "No such file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_come_back_to_the_bit),
        cmocka_unit_test(files_without_them_are_refused),
        cmocka_unit_test(links_are_not_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

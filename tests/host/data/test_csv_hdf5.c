/* test_csv_hdf5.c -- tables in HDF5 files: the same numbers as in text, and one clear fault for each file that is
 * none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "host/data/csv.h"
#include "host/model/model.h"
#include "tests/sanitized.h"
#include "tests/host/scene/load_scene.h"

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BASE PIO_SOURCE_DIR "/tests/data/bad_scenes/parts/mesh.yaml"
enum { ROWS = 4 };
static const double time[ROWS] = {0.5, 0.5, 1, 1}, x[ROWS] = {0.1, 1.1, 0.2, 1.3}, y[ROWS] = {0, 1e-3, 1, 1.5},
                    weight[ROWS] = {1, 3, 2, 0};
static const int node[ROWS] = {0, 2, 0, 2};

static void put(hid_t file, const char *name, hid_t type, const void *values, int rank, hsize_t rows)
{
    const hsize_t size[2] = {rows, 1};
    const hid_t space = H5Screate_simple(rank, size, NULL);
    const hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(set >= 0);
    assert_true(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
    H5Sclose(space);
}

static hid_t begin(const char *path)
{
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(file >= 0);
    return file;
}

/* Columns, and beside them what is none: a group, a table of two dimensions, a text. */
static void write_markers(const char *path, const double *weights)
{
    const hid_t file = begin(path), text = H5Tcopy(H5T_C_S1);
    put(file, "time", H5T_NATIVE_DOUBLE, time, 1, ROWS);
    put(file, "node", H5T_NATIVE_INT, node, 1, ROWS);
    put(file, "x", H5T_NATIVE_DOUBLE, x, 1, ROWS);
    put(file, "y", H5T_NATIVE_DOUBLE, y, 1, ROWS);
    if (weights) put(file, "weight", H5T_NATIVE_DOUBLE, weights, 1, ROWS);
    put(file, "image", H5T_NATIVE_DOUBLE, x, 2, ROWS);
    put(file, "remark", text, "w", 1, 1);
    H5Gclose(H5Gcreate2(file, "more", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Tclose(text);
    H5Fclose(file);
}

static void columns_come_back_to_the_bit(void **state)
{
    static const char *const names[] = {"node", "time", "weight", "x", "y"};
    pio_csv csv;
    piola_error error;
    (void)state;
    write_markers("markers.h5", weight);
    if (pio_csv_load(&csv, "markers.h5", &error)) fail_msg("%s", error.message);
    assert_int_equal(csv.n_columns, 5);
    assert_int_equal(csv.n_rows, ROWS);
    for (size_t c = 0; c < 5; c++) assert_string_equal(csv.columns[c], names[c]);
    for (size_t r = 0; r < ROWS; r++) {
        const double want[5] = {node[r], time[r], weight[r], x[r], y[r]};
        assert_memory_equal(csv.values + 5 * r, want, sizeof want);
    }
    assert_int_equal(strlen(csv.sha256), 64);
    assert_int_equal(pio_csv_column(&csv, "wieght", &error), -1);
    print_message("%s\n", error.message);
    assert_non_null(strstr(error.message, "markers.h5: error: no column 'wieght'; did you mean 'weight'?"));
    pio_csv_fault(&csv, 2, 3, &error, "at %d", 5);
    print_message("%s\n", error.message);
    assert_non_null(strstr(error.message, "markers.h5: error: /x[2]: at 5"));
    pio_csv_free(&csv);
}

static void expect(const char *words)
{
    pio_csv csv;
    piola_error error = {0};
    const piola_status rc = pio_csv_load(&csv, "markers.h5", &error);
    print_message("%s\n", error.message);
    assert_int_equal(rc, PIOLA_BAD_DATA);
    if (!strstr(error.message, words)) fail_msg("the message lacks '%s'", words);
    assert_null(csv.values);
}

static void files_that_are_no_table_are_refused(void **state)
{
    const double bad[ROWS] = {1, (double)NAN, 2, 3};
    (void)state;
    hid_t file = begin("markers.h5");
    put(file, "image", H5T_NATIVE_DOUBLE, x, 2, ROWS);
    H5Fclose(file);
    expect("no columns");
    file = begin("markers.h5");
    put(file, "time", H5T_NATIVE_DOUBLE, time, 1, ROWS);
    put(file, "x", H5T_NATIVE_DOUBLE, x, 1, ROWS - 1);
    H5Fclose(file);
    expect("/x has 3 numbers and /time 4");
    file = begin("markers.h5");
    put(file, "time", H5T_NATIVE_DOUBLE, bad, 1, ROWS);
    H5Fclose(file);
    expect("/time[1]: nan is not a finite number");
    write_markers("markers.h5", NULL);
    assert_int_equal(truncate("markers.h5", 700), 0);
    expect("damaged");
}

/* A table with one bit of it flipped is read, or refused with its name, and nothing else ends. */
static void a_damaged_table_does_no_harm(void **state)
{
    (void)state;
    char data[20000];
    int opened = 0, refused = 0;
    write_markers("markers.h5", weight);
    FILE *file = fopen("markers.h5", "rb");
    assert_non_null(file);
    const size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    assert_true(size > 1000 && size < sizeof data);
    for (size_t i = 0; i < size; i += 1 + size / (TEST_SANITIZED ? 40 : 400)) {
        pio_csv csv;
        piola_error error;
        const char bit = (char)(1 << (i * 5 + i / 8) % 8);
        data[i] ^= bit;
        file = fopen("markers.h5", "wb");
        assert_true(file && fwrite(data, 1, size, file) == size && fclose(file) == 0);
        data[i] ^= bit;
        const piola_status rc = pio_csv_load(&csv, "markers.h5", &error);
        if (rc && !strstr(error.message, "markers.h5")) fail_msg("byte %zu: '%s'", i, error.message);
        assert_true(rc == PIOLA_OK || rc == PIOLA_BAD_DATA);
        *(rc ? &refused : &opened) += 1;
        pio_csv_free(&csv);
    }
    print_message("%d damaged tables read, %d refused\n", opened, refused);
    assert_true(opened && refused);
}

/* Through a scene: samples, places and weights of a distance. */
static void a_distance_takes_its_markers_and_their_weights_from_it(void **state)
{
    static const char *const sets[] = {"time={load_steps: 2, duration: 1 s}",
                                       "observe=[{name: d, type: distance, body: one, points: {file: markers.h5}}]"};
    const double none[ROWS] = {1, 3, 0, 0};
    pio_scene *scene = NULL;
    pio_model *m = NULL;
    piola_error error = {0};
    (void)state;
    for (int k = 0; k < 2; k++) {
        write_markers(PIO_SOURCE_DIR "/tests/data/bad_scenes/parts/markers.h5", k ? none : weight);
        if (load_scene(&scene, BASE, sets, 2, stderr, &error)) fail_msg("%s", error.message);
        const piola_status rc = pio_model_create(&m, scene, &error);
        if (k) {
            print_message("%s\n", error.message);
            assert_int_equal(rc, PIOLA_BAD_DATA);
            assert_non_null(strstr(error.message, "/weight[2]: all weights at 1 s are 0"));
        } else {
            if (rc) fail_msg("%s", error.message);
            const pio_observation_desc *d = &m->observations[0];
            assert_int_equal(d->samples, 2);
            assert_int_equal(d->rows, 2);
            for (int r = 0; r < ROWS; r++) {
                assert_true(fabs(d->points[2 * r] - x[r]) <= 0 && fabs(d->points[2 * r + 1] - y[r]) <= 0);
                assert_true(fabs(d->point_weight[r] - weight[r]) <= 0);
            }
            assert_int_equal(d->marker[2], 1);
            pio_model_free(m);
        }
        pio_scene_free(scene);
        unlink(PIO_SOURCE_DIR "/tests/data/bad_scenes/parts/markers.h5");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_come_back_to_the_bit),
        cmocka_unit_test(a_damaged_table_does_no_harm),
        cmocka_unit_test(files_that_are_no_table_are_refused),
        cmocka_unit_test(a_distance_takes_its_markers_and_their_weights_from_it),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink("markers.h5");
    return failed;
}

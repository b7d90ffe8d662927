/* test_snapshot_mesh.c -- the rules of meshes in snapshots. What is written comes back in test_snapshot.c. */
#include "tests/host/snapshot/snapshot_sample.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static char folder[] = "/tmp/piola_mesh_XXXXXX";
static char path[64], partial[64];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/m.vtkhdf", folder);
    snprintf(partial, sizeof partial, "%s/m.partial.vtkhdf", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    (void)unlink(path);
    (void)unlink(partial);
    return rmdir(folder);
}

static void refuse_def(const pio_snapshot_def *def, const char *text)
{
    piola_error error;
    pio_snapshot *s = NULL;
    assert_int_equal(pio_snapshot_create(&s, def, &error), PIOLA_INTERNAL);
    if (!strstr(error.message, text)) fail_msg("'%s' does not say '%s'", error.message, text);
    assert_null(s);
}

static const struct {
    uint8_t type;
    int nodes, dimension;
} known[] = {{5, 3, 2},  {22, 6, 2},  {9, 4, 2},  {23, 8, 2},  {28, 9, 2},
             {10, 4, 3}, {24, 10, 3}, {12, 8, 3}, {25, 20, 3}, {29, 27, 3}};
enum { KNOWN = sizeof known / sizeof *known };

static void kinds_of_cells_are_those_of_vtk(void **state)
{
    (void)state;
    int found = 0;
    for (int type = -1; type < 300; type++) {
        if (pio_cell_nodes(type)) found++;
        assert_int_equal(pio_cell_name(type) != NULL, pio_cell_nodes(type) > 0);
    }
    for (size_t i = 0; i < KNOWN; i++) assert_int_equal(pio_cell_nodes(known[i].type), known[i].nodes);
    assert_int_equal(found, KNOWN);
}

static void a_wrong_mesh_is_refused(void **state)
{
    (void)state;
    pio_snapshot_field fields[SAMPLE_FIELDS];
    const pio_snapshot_def good = sample_def(&sample_cases[6], path, fields); /* 2D */
    pio_snapshot_mesh mesh = *good.mesh;
    pio_snapshot_def def = good;
    uint8_t types[SAMPLE_CELLS];
    int64_t offsets[SAMPLE_CELLS + 1], connectivity[27 * SAMPLE_CELLS];
    const size_t cells = (size_t)mesh.n_cells;
    memcpy(types, mesh.types, cells);
    memcpy(offsets, mesh.offsets, (cells + 1) * sizeof *offsets);
    memcpy(connectivity, mesh.connectivity, (size_t)offsets[cells] * sizeof *connectivity);
    mesh = (pio_snapshot_mesh){mesh.n_cells, types, offsets, connectivity};
    def.mesh = &mesh;
    types[3] = 1, refuse_def(&def, "cell 3 of type 1: a cell of a type that does not exist");
    for (size_t i = 0; i < KNOWN; i++) {
        types[3] = known[i].type;
        if (types[3] != PIO_CELL_QUAD4) refuse_def(&def, known[i].dimension == 3 ? "three dimensions" : "the offsets");
    }
    types[3] = PIO_CELL_TRI3, refuse_def(&def, "cell 3 of type 5: the offsets");
    types[3] = PIO_CELL_QUAD4, offsets[0] = 1, refuse_def(&def, "begin with 0");
    offsets[0] = 0, connectivity[7] = 50, refuse_def(&def, "entry 7 of the connectivity is 50");
    connectivity[7] = -1, refuse_def(&def, "there are 50 points");
    connectivity[7] = 0, mesh.n_cells = 0, refuse_def(&def, "one cell");
    mesh.n_cells = INT64_MAX / 8, refuse_def(&def, "too many");
    mesh.n_cells = (int64_t)cells, mesh.offsets = NULL, refuse_def(&def, "NULL");
    mesh.offsets = offsets, def.mesh = NULL, refuse_def(&def, "cells of a mesh");
    def.mesh = &mesh;
    def.n_integration = 0, refuse_def(&def, "field 7 'stress_points': a field lies at");
    def.n_integration = -1, refuse_def(&def, "integration points");
    def.n_integration = INT64_MAX / 8, refuse_def(&def, "integration points");
    def.n_integration = good.n_integration;
    fields[0].when = PIO_SNAPSHOT_STATIC, refuse_def(&def, "displacement");
    fields[0].when = PIO_SNAPSHOT_FRAME, fields[0].units = "mm", refuse_def(&def, "displacement");
    fields[0].units = "m", fields[0].components = 3, refuse_def(&def, "displacement");
    fields[0].components = 2, fields[0].name = "u", refuse_def(&def, "displacement");
    def.kind = PIO_SNAPSHOT_HISTORY; /* which may lack it */
    piola_error error;
    pio_snapshot *s = NULL;
    assert_int_equal(pio_snapshot_create(&s, &def, &error), PIOLA_OK);
    const double *none[SAMPLE_FIELDS] = {NULL};
    assert_int_equal(pio_snapshot_frame(s, 0, NULL, none, &error), PIOLA_INTERNAL);
    assert_non_null(strstr(error.message, "static points"));
    pio_snapshot_abandon(s);
}

static void wrong_values_at_cells_are_named(void **state)
{
    (void)state;
    piola_error error;
    pio_snapshot *s = NULL;
    pio_snapshot_field fields[SAMPLE_FIELDS];
    const sample_case *c = &sample_cases[5];
    const pio_snapshot_def def = sample_def(c, path, fields);
    double values[9 * SAMPLE_CELLS] = {0};
    assert_int_equal(pio_snapshot_create(&s, &def, &error), PIOLA_OK);
    assert_int_equal(sample_frame(s, c, 0, &error), PIOLA_OK);
    values[58] = 0.5;
    assert_int_equal(pio_snapshot_static(s, "group", values, &error), PIOLA_NUMERICAL);
    assert_non_null(strstr(error.message, "group of cell 58"));
    values[58] = INFINITY;
    assert_int_equal(pio_snapshot_adjoint(s, 0, "adj_stress", values, &error), PIOLA_NUMERICAL);
    assert_non_null(strstr(error.message, "adj_stress of cell 6 is inf"));
    values[58] = 0; /* control */
    assert_int_equal(pio_snapshot_static(s, "group", values, &error), PIOLA_OK);
    assert_int_equal(pio_snapshot_adjoint(s, 0, "adj_stress", values, &error), PIOLA_OK);
    pio_snapshot_abandon(s);
}

/* What a file takes is known before it is written: within a tenth, or 64 KiB of what HDF5 keeps of it. */
static void the_bytes_of_a_file_are_foreseen(void **state)
{
    (void)state;
    for (int i = 5; i < 7; i++) { /* of states; a history has gradients too */
        piola_error error;
        struct stat st;
        char name[400];
        pio_snapshot_field fields[SAMPLE_FIELDS];
        sample_case c = sample_cases[i];
        snprintf(name, sizeof name, "%s/%s", folder, c.name);
        c.frames *= 10;
        const pio_snapshot_def def = sample_def(&c, name, fields);
        const double foreseen = pio_snapshot_expected_bytes(&def, c.cells, def.mesh->offsets[c.cells]);
        assert_int_equal(sample_write(&c, folder, &error), PIOLA_OK);
        assert_int_equal(stat(name, &st), 0);
        print_message("%s: %lld bytes, foreseen %.0f, %+.1f %%\n", c.name, (long long)st.st_size, foreseen,
                      100 * (foreseen / (double)st.st_size - 1));
        assert_true(fabs(foreseen - (double)st.st_size) < 0.1 * (double)st.st_size + 65536);
        assert_true(fabs(1.5 * foreseen - (double)st.st_size) > 0.1 * (double)st.st_size); /* control */
        (void)unlink(name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_of_cells_are_those_of_vtk),
        cmocka_unit_test(a_wrong_mesh_is_refused),
        cmocka_unit_test(wrong_values_at_cells_are_named),
        cmocka_unit_test(the_bytes_of_a_file_are_foreseen),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

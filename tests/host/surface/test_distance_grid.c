/* test_distance_grid.c -- are the distances about a surface those of its shape, with the right sign, as far as
 * requested? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "host/surface/distance_grid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double half[3] = {0.3, 0.2, 0.5};

/* A box about the origin, in a file of its own. */
static void load_box(pio_trimesh *surface)
{
    static const int face[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    char path[] = "/tmp/piola_box_XXXXXX";
    piola_error error;
    FILE *f = fdopen(mkstemp(path), "w");
    assert_non_null(f);
    for (int v = 0; v < 8; v++)
        fprintf(f, "v %g %g %g\n", v & 1 ? half[0] : -half[0], v & 2 ? half[1] : -half[1], v & 4 ? half[2] : -half[2]);
    for (int t = 0; t < 12; t++) fprintf(f, "f %d %d %d\n", face[t][0] + 1, face[t][1] + 1, face[t][2] + 1);
    fclose(f);
    const piola_status rc = pio_trimesh_load(surface, path, 1, &error);
    unlink(path);
    if (rc) fail_msg("%s", error.message);
}

static double of_box(const double x[3])
{
    double square = 0, most = -INFINITY;
    for (int a = 0; a < 3; a++) {
        const double q = fabs(x[a]) - half[a];
        square += q > 0 ? q * q : 0;
        most = fmax(most, q);
    }
    return most > 0 ? sqrt(square) : most;
}

static void distances_are_those_of_the_shape(void **state)
{
    (void)state;
    pio_trimesh surface;
    pio_distance_grid grid;
    piola_error error;
    const double spacing = 0.043, beyond = 0.07;
    double worst = 0, nearest = INFINITY;
    load_box(&surface);
    if (pio_distance_grid_create(&grid, &surface, spacing, beyond, &error)) fail_msg("%s", error.message);
    for (int i = 0; i < grid.count[0]; i++)
        for (int j = 0; j < grid.count[1]; j++)
            for (int k = 0; k < grid.count[2]; k++) {
                const int at[3] = {i, j, k};
                double x[3];
                int rim = 0;
                for (int a = 0; a < 3; a++) x[a] = grid.low[a] + at[a] * spacing;
                for (int a = 0; a < 3; a++) rim |= at[a] == 1 || at[a] == grid.count[a] - 2;
                const double d = grid.distance[(i * grid.count[1] + j) * grid.count[2] + k];
                worst = fmax(worst, fabs(d - of_box(x)));
                if (rim) nearest = fmin(nearest, d);
            }
    print_message("%d x %d x %d distances, wrong by at most %.1e m (threshold 1e-15); the lattice's rim is %.4g m away "
                  "(threshold %.4g)\n",
                  grid.count[0], grid.count[1], grid.count[2], worst, nearest, beyond);
    assert_true(worst <= 1e-15);
    assert_true(nearest > beyond);
    free(grid.distance);
    pio_trimesh_free(&surface);
}

static void a_lattice_too_fine_is_refused(void **state)
{
    (void)state;
    pio_trimesh surface;
    pio_distance_grid grid;
    piola_error error;
    load_box(&surface);
    assert_int_equal(pio_distance_grid_create(&grid, &surface, 1e-4, 0, &error), PIOLA_BAD_DATA);
    print_message("%s\n", error.message);
    assert_non_null(strstr(error.message, "a smaller `scale`"));
    pio_trimesh_free(&surface);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_are_those_of_the_shape),
        cmocka_unit_test(a_lattice_too_fine_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_shape.c -- what lies in a closed mesh, how far it is, and how it and points become particles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "host/scene/fill.h"
#include "host/model/shape_distance.h"

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_NAME "shape.obj"

static uint64_t random_state = 88172645463325252u;
/* In [-1, 1). */
static double random_number(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (double)(random_state >> 11) * 0x1p-52 - 1;
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* ---- surfaces ----------------------------------------------------------------------------------------------- */

/* The faces of a box whose corners are numbered from `first`, outward, or inward for a cavity. */
static void put_box(FILE *file, int first, const double low[3], const double high[3], bool inward)
{
    static const int quad[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {2, 3, 7, 6}, {0, 4, 7, 3}, {1, 2, 6, 5}};
    static const int at[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                 {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    for (int c = 0; c < 8; c++)
        fprintf(file, "v %.17g %.17g %.17g\n", at[c][0] ? high[0] : low[0], at[c][1] ? high[1] : low[1],
                at[c][2] ? high[2] : low[2]);
    for (int f = 0; f < 6; f++) {
        fprintf(file, "f");
        for (int k = 0; k < 4; k++) fprintf(file, " %d", first + quad[f][inward ? 3 - k : k]);
        fprintf(file, "\n");
    }
}

static void open_surface(pio_shape *shape, const scene_geometry *g)
{
    piola_error error;
    *shape = pio_shape_of(g, 3);
    if (pio_trimesh_load(&shape->surface, FILE_NAME, g->scale, &error)) fail_msg("%s", error.message);
    if (pio_trimesh_lines_create(&shape->lines, &shape->surface, &error)) fail_msg("%s", error.message);
}

static const scene_geometry mesh = {.name = (char *)(uintptr_t) "mesh", .shape = PIO_CLOSED_MESH, .scale = 1};

/* A box with a box-shaped cavity, tested on a lattice whose lines along x pass through edges, corners and the diagonals
 * of faces. */
static void lines_through_edges_and_corners_count_once(void **state)
{
    static const double low[3] = {0, 0, 0}, high[3] = {4, 4, 4}, from[3] = {1, 1, 1}, to[3] = {3, 2, 3};
    FILE *file = fopen(FILE_NAME, "w");
    pio_shape shape;
    int tested = 0, wrong = 0, in = 0;
    (void)state;
    assert_non_null(file);
    put_box(file, 1, low, high, false);
    put_box(file, 9, from, to, true);
    assert_int_equal(fclose(file), 0);
    open_surface(&shape, &mesh);
    assert_true(fabs(shape.surface.volume - 60) < 1e-12);
    for (int i = -1; i < 19; i++)
        for (int j = 0; j <= 16; j++)
            for (int k = 0; k <= 16; k++) {
                const double x[3] = {0.25 * i + 0.125, 0.25 * j, 0.25 * k};
                bool inside = x[0] > 0 && x[0]<4, cavity = x[0]> 1 && x[0] < 3;
                for (int a = 1; a < 3; a++) { /* a point of a face is moved to larger y and z */
                    inside &= x[a] >= low[a] && x[a] < high[a];
                    cavity &= x[a] >= from[a] && x[a] < to[a];
                }
                const int winding = pio_trimesh_winding(shape.lines, x);
                wrong += winding != (inside && !cavity);
                in += winding;
                tested++;
            }
    print_message("%d of %d points are inside, %d wrong (threshold 0)\n", in, tested, wrong);
    assert_int_equal(wrong, 0);
    pio_shape_close(&shape);
}

/* A ball of triangles: about a random axis, so that nothing is aligned, n rings of 2 n. */
static void write_ball(int n, const double center[3], double radius)
{
    FILE *file = fopen(FILE_NAME, "w");
    double m[3][3] = {{0.36, 0.48, -0.8}, {-0.8, 0.6, 0}, {0.48, 0.64, 0.6}}; /* a rotation */
    assert_non_null(file);
    for (int i = 0; i <= n; i++)
        for (int j = 0; j < 2 * n; j++) {
            const double t = M_PI * i / n, p = M_PI * j / n, u[3] = {sin(t) * cos(p), sin(t) * sin(p), cos(t)};
            const bool pole = i == 0 || i == n; /* one place, to the bit */
            double x[3];
            for (int a = 0; a < 3; a++)
                x[a] = center[a] +
                       radius * (pole ? m[a][2] * (i ? -1 : 1) : m[a][0] * u[0] + m[a][1] * u[1] + m[a][2] * u[2]);
            fprintf(file, "v %.17g %.17g %.17g\n", x[0], x[1], x[2]);
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 2 * n; j++) {
            const int a = 1 + 2 * n * i + j, b = 1 + 2 * n * i + (j + 1) % (2 * n);
            fprintf(file, "f %d %d %d %d\n", a, a + 2 * n, b + 2 * n, b);
        }
    assert_int_equal(fclose(file), 0);
}

/* Returns an upper bound of the distance, from many points of every triangle. */
static double sampled_distance(const pio_trimesh *s, const double x[3])
{
    double best = INFINITY;
    for (int32_t t = 0; t < s->n_triangles; t++)
        for (int i = 0; i <= 24; i++)
            for (int j = 0; i + j <= 24; j++) {
                double sum = 0;
                for (int a = 0; a < 3; a++) {
                    const double *v = s->vertex + a;
                    const int32_t *c = s->triangle + 3 * t;
                    const double at = (i * v[3 * c[0]] + j * v[3 * c[1]] + (24 - i - j) * v[3 * c[2]]) / 24;
                    sum += (x[a] - at) * (x[a] - at);
                }
                best = fmin(best, sum);
            }
    return sqrt(best);
}

static void a_ball_of_triangles_is_a_ball(void **state)
{
    static const double center[3] = {0.3, -0.2, 1};
    const double radius = 0.5, sag = radius * (1 - cos(M_PI / 24)) * 2;
    pio_shape shape;
    pio_shape_measure measure;
    piola_error error;
    double worst = 0, below = 0, above = 0;
    int wrong = 0;
    (void)state;
    write_ball(24, center, radius);
    open_surface(&shape, &mesh);
    assert_int_equal(pio_shape_measure_open(&measure, &shape, &error), PIOLA_OK);
    for (int i = 0; i < 20000; i++) {
        double x[3], r = 0;
        for (int a = 0; a < 3; a++) {
            x[a] = center[a] + 0.8 * random_number();
            r += (x[a] - center[a]) * (x[a] - center[a]);
        }
        const double exact = sqrt(r) - radius, d = pio_shape_distance(&measure, x);
        worst = fmax(worst, fabs(d - exact));
        wrong += fabs(exact) > sag && (exact < 0) != pio_shape_holds(&shape, x);
        if (i >= 60) continue;
        const double sampled = sampled_distance(&shape.surface, x) - fabs(d);
        below = fmin(below, sampled);
        above = fmax(above, sampled);
    }
    print_message("distance from the true ball: %.3g m (threshold %.3g); wrong sides %d (0); from every triangle: "
                  "%.1e .. %.1e "
                  "m (-1e-15 .. 2e-3)\n",
                  worst, sag, wrong, below, above);
    assert_true(worst < sag && below >= -1e-15 && above < 2e-3);
    assert_int_equal(wrong, 0);
    pio_shape_measure_close(&measure);
    pio_shape_close(&shape);
}

static void distances_from_simple_shapes_are_exact(void **state)
{
    const scene_geometry box = {.shape = PIO_BOX, .min = {0, 0, 0}, .max = {2, 4, 6}},
                         ball = {.shape = PIO_BALL, .center = {1, 1, 1}, .radius = 2},
                         can = {.shape = PIO_CYLINDER, .center = {1, 1, 1}, .radius = 2, .height = 4, .axis = 1};
    static const struct {
        double x[3], box, ball, can;
    } points[] = {{{1, 1, 1}, -1, -2, -2}, {{5, 8, 3}, 5, 6.306623862918075, 6.139103111796}, {{1, 1, 4}, -1, 1, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        const scene_geometry *const all[] = {&box, &ball, &can};
        const double wanted[] = {points[i].box, points[i].ball, points[i].can};
        for (int k = 0; k < 3; k++) {
            pio_shape shape = pio_shape_of(all[k], 3);
            pio_shape_measure measure;
            assert_int_equal(pio_shape_measure_open(&measure, &shape, NULL), PIOLA_OK);
            const double d = pio_shape_distance(&measure, points[i].x);
            const double corner = hypot(hypot(4, 2) - 2, 5); /* of the second point from the cylinder's rim */
            assert_true(fabs(d - (k == 2 && i == 1 ? corner : wanted[k])) < 1e-12);
        }
    }
}

/* ---- particles ---------------------------------------------------------------------------------------------- */

static void a_mesh_is_filled_with_its_own_volume(void **state)
{
    static const double center[3] = {0.3, -0.2, 1}, offset[3] = {1, 2, 3};
    (void)state;
    write_ball(16, center, 0.5);
    for (int method = SCENE_REGULAR; method <= SCENE_CUT; method++) {
        pio_shape shape;
        pio_fill_result f;
        piola_error error;
        double mean[3] = {0}, volume = 0;
        open_surface(&shape, &mesh);
        const pio_filling how = {{offset[0], offset[1], offset[2]}, 0.1, 8, (scene_fill)method, 7, 0};
        if (pio_fill(&shape, &how, &f, &error)) fail_msg("%s", error.message);
        for (int64_t p = 0; p < f.n; p++) volume += f.volumes ? f.volumes[p] : f.volume;
        for (int64_t p = 0; p < f.n; p++)
            for (int a = 0; a < 3; a++)
                mean[a] += (f.position[3 * p + a] - offset[a]) * (f.volumes ? f.volumes[p] : f.volume) / volume;
        print_message("%lld particles, volume %.6f of %.6f, centroid off by %.1e %.1e %.1e m (threshold 5e-3)\n",
                      (long long)f.n, volume, shape.surface.volume, mean[0] - center[0], mean[1] - center[1],
                      mean[2] - center[2]);
        assert_true(fabs(volume - shape.surface.volume) < 1e-12);
        assert_true(method == SCENE_CUT ? f.n > 4600 && f.n < 5000 : f.n > 3800 && f.n < 4400);
        for (int a = 0; a < 3; a++) {
            assert_true(fabs(mean[a] - center[a]) < 5e-3);
            assert_true(fabs(f.centroid[a] - center[a]) < 1e-10);
        }
        free(f.position);
        free(f.volumes);
        pio_shape_close(&shape);
    }
}

/* Two boxes in one file, the second one in, beside or across the first, or turned over: filled or refused. */
static void what_holds_a_place_twice_is_refused(void **state)
{
    static const struct {
        const char *what;
        double from[3], to[3];
        bool inward;
        const char *words; /* NULL: it is filled */
    } list[] = {{"apart", {6, 0, 0}, {7, 4, 4}, false, NULL},
                {"touching", {4, 0, 0}, {6, 4, 4}, false, NULL},
                {"a cavity", {1, 1, 1}, {3, 2, 3}, true, NULL},
                {"nested", {1, 1, 1}, {3, 2, 3}, false, "2 of them enclose"},
                {"nested between sites", {1.5, 1.5, 1.5}, {1.7, 1.7, 1.7}, false, "2 of them enclose"},
                {"across", {3, 1, 1}, {6, 3, 3}, false, "2 of them enclose"},
                {"turned over", {6, 0, 0}, {7, 4, 4}, true, "inside out"}};
    static const double low[3] = {0, 0, 0}, high[3] = {4, 4, 4}, offset[3] = {0};
    (void)state;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        pio_shape shape;
        pio_fill_result f = {0};
        piola_error error = {0};
        FILE *file = fopen(FILE_NAME, "w");
        assert_non_null(file);
        put_box(file, 1, low, high, false);
        put_box(file, 9, list[k].from, list[k].to, list[k].inward);
        assert_int_equal(fclose(file), 0);
        open_surface(&shape, &mesh);
        const piola_status rc = pio_shape_check(&shape, &error);
        print_message("%s: %s\n", list[k].what, rc ? error.message : "filled");
        assert_int_equal(rc, list[k].words ? PIOLA_BAD_DATA : PIOLA_OK);
        if (list[k].words) assert_non_null(strstr(error.message, list[k].words));
        const bool sampled = k != 4; /* sites every 0.8 m or so: none lies in that box */
        const pio_filling how = {{offset[0], offset[1], offset[2]}, 0.8, 1, SCENE_REGULAR, 1, 0};
        const piola_status filled = pio_fill(&shape, &how, &f, &error);
        assert_int_equal(filled, list[k].words && sampled ? PIOLA_BAD_DATA : PIOLA_OK);
        if (filled) assert_null(f.position);
        free(f.position);
        pio_shape_close(&shape);
    }
}

static void put_column(hid_t file, const char *name, const double *values, hsize_t rows)
{
    const hid_t space = H5Screate_simple(1, &rows, NULL);
    const hid_t set = H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(set >= 0 && H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
    H5Sclose(space);
}

/* The particles of a table in 2D. */
static piola_status fill_from(const scene_geometry *g, const char *path, const double offset[3], pio_fill_result *f,
                              piola_error *error)
{
    pio_csv csv;
    piola_status rc = pio_csv_load(&csv, path, error);
    *f = (pio_fill_result){0};
    if (!rc) rc = pio_fill_points(g, &csv, offset, 2, f, error);
    pio_csv_free(&csv);
    return rc;
}

static void points_are_the_same_from_every_kind_of_file(void **state)
{
    static const double x[3] = {0.1, 0.25, 0.4}, y[3] = {1, 2, 0.3}, volume[3] = {1, 2, 5}, offset[3] = {10, 20, 0};
    static const char *const names[] = {"points.csv", "points.ply", "points.h5"};
    const scene_geometry g = {.name = (char *)(uintptr_t) "dots", .shape = PIO_POINTS, .scale = 0.5, .volume = NAN};
    (void)state;
    write_text("points.csv", "x,y,volume\n0.1,1,1\n0.25,2,2\n0.4,0.3,5\n");
    write_text("points.ply",
               "ply\nformat ascii 1.0\nelement vertex 3\nproperty double x\nproperty double y\nproperty double "
               "volume\nend_header\n0.1 1 1\n0.25 2 2\n0.4 0.3 5\n");
    const hid_t file = H5Fcreate("points.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(file >= 0);
    put_column(file, "x", x, 3);
    put_column(file, "y", y, 3);
    put_column(file, "volume", volume, 3);
    H5Fclose(file);
    for (size_t k = 0; k < 3; k++) {
        pio_fill_result f;
        piola_error error;
        if (fill_from(&g, names[k], offset, &f, &error)) fail_msg("%s", error.message);
        assert_int_equal(f.n, 3);
        for (int p = 0; p < 3; p++) {
            assert_true(fabs(f.position[2 * p] - (0.5 * x[p] + 10)) <= 0);
            assert_true(fabs(f.position[2 * p + 1] - (0.5 * y[p] + 20)) <= 0);
            assert_true(fabs(f.volumes[p] - 0.25 * volume[p]) <= 0);
        }
        assert_true(fabs(f.centroid[0] - 0.5 * (0.1 + 0.5 + 2) / 8) < 1e-15);
        free(f.position);
        free(f.volumes);
    }
}

/* A spoiled table is read or refused; that memory stays sound is for the sanitizers to see. */
static void spoiled_points_are_read_or_refused(void **state)
{
    static const char *const texts[] = {
        "x,y,volume\n0.1,1,1\n0.25,2,2\n0.4,0.3,5\n",
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty double x\nproperty double y\nproperty list uchar int "
        "of\nproperty double volume\nend_header\n0.1 1 2 3 4 1\n0.25 2 0 2\n0.4 0.3 1 1 5\n"};
    static const double offset[3] = {0};
    const scene_geometry g = {.name = (char *)(uintptr_t) "dots", .shape = PIO_POINTS, .scale = 1, .volume = NAN};
    int refused = 0, all = 0;
    (void)state;
    for (int trial = 0; trial < 1000; trial++, all++) {
        char text[400];
        pio_fill_result f;
        piola_error error = {0};
        snprintf(text, sizeof text, "%s", texts[trial % 2]);
        const double length = (double)strlen(text);
        for (int k = 0; k <= trial % 3; k++)
            text[(size_t)((random_number() + 1) / 2 * length)] = (char)(48 + 48 * random_number());
        write_text("points.csv", text);
        const piola_status rc = fill_from(&g, "points.csv", offset, &f, &error);
        assert_true(rc == PIOLA_OK || rc == PIOLA_BAD_DATA);
        assert_true(rc ? error.message[0] && !f.position : f.n > 0);
        refused += rc != PIOLA_OK;
        if (rc) continue;
        free(f.position);
        free(f.volumes);
    }
    print_message("%d of %d spoiled tables were refused (threshold: a third)\n", refused, all);
    assert_true(refused > all / 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_through_edges_and_corners_count_once),
        cmocka_unit_test(a_ball_of_triangles_is_a_ball),
        cmocka_unit_test(distances_from_simple_shapes_are_exact),
        cmocka_unit_test(a_mesh_is_filled_with_its_own_volume),
        cmocka_unit_test(what_holds_a_place_twice_is_refused),
        cmocka_unit_test(points_are_the_same_from_every_kind_of_file),
        cmocka_unit_test(spoiled_points_are_read_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

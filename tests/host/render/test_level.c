/* test_level.c -- surfaces of particles: areas and volumes against those of what they fill, closed surfaces, outward
 * normals, values, drops, bounds of the grid, the same bits for any number of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "host/render/level.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPACING 0.02
#define PI 3.14159265358979323846

enum { MOST = 200000 };

static double points[3 * MOST];
static float values[MOST];

static pio_level_set set_of(int dimension, size_t n)
{
    return (pio_level_set){.dimension = dimension,
                           .n = n,
                           .points = points,
                           .low = {-10, -10, -10},
                           .high = {10, 10, 10},
                           .spacing = SPACING,
                           .threads = 2};
}

static pio_level_surface make(const pio_level_set *set)
{
    pio_level_surface s;
    piola_error error = {0};
    if (pio_level_make(set, &s, &error) != PIOLA_OK) fail_msg("%s", error.message);
    return s;
}

/* Places particles at the middles of the cells of a lattice whose middles are within the ball or disc of this radius,
 * or in a box of half that width; returns their number. Places are moved by up to `shake` spacings. */
static size_t place(int dimension, double radius, bool box, double shake)
{
    size_t n = 0;
    const int half = (int)ceil(radius / SPACING), deep = dimension == 3 ? half : 1;
    uint32_t random = 1;
    for (int k = -deep; k < deep; k++) {
        for (int j = -half; j < half; j++) {
            for (int i = -half; i < half; i++) {
                const double p[3] = {(i + 0.5) * SPACING, (j + 0.5) * SPACING,
                                     dimension == 3 ? (k + 0.5) * SPACING : 0};
                const double r = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
                const double side = fmax(fabs(p[0]), fmax(fabs(p[1]), fabs(p[2])));
                if ((dimension == 2 && k < 0) || (box ? side > radius : r > radius)) continue;
                for (int c = 0; c < 3; c++) {
                    random = random * 1664525u + 1013904223u;
                    points[3 * n + (size_t)c] = p[c] + shake * SPACING * (random / 4294967296.0 - 0.5) * 2;
                }
                if (dimension == 2) points[3 * n + 2] = NAN; /* not read */
                n++;
            }
        }
    }
    assert_true(n < MOST);
    return n;
}

static void place_of(const pio_level_surface *s, uint32_t vertex, double out[3])
{
    for (int k = 0; k < 3; k++) out[k] = s->origin[k] + s->spacing * (double)s->vertex[vertex].place[k];
}

/* Returns the signed area in 2D, the volume in 3D, and in *skin the area of the surface. */
static double content(const pio_level_surface *s, int dimension, double *skin)
{
    double sum = 0;
    *skin = 0;
    for (size_t i = 0; i < s->n; i++) {
        double p[3][3], n[3];
        for (int v = 0; v < 3; v++) place_of(s, s->triangle[i][v], p[v]);
        for (int k = 0; k < 3; k++) {
            const int a = (k + 1) % 3, b = (k + 2) % 3;
            n[k] = (p[1][a] - p[0][a]) * (p[2][b] - p[0][b]) - (p[1][b] - p[0][b]) * (p[2][a] - p[0][a]);
        }
        *skin += sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) / 2;
        sum += dimension == 2 ? n[2] / 2 : (n[0] * p[0][0] + n[1] * p[0][1] + n[2] * p[0][2]) / 6;
    }
    return sum;
}

static int compare(const void *a, const void *b)
{
    return memcmp(a, b, 2 * sizeof(uint32_t));
}

/* Returns the number of sides of triangles that are not those of exactly one other, in the other direction. */
static size_t open_sides(const pio_level_surface *s)
{
    uint32_t(*side)[3] = malloc(3 * s->n * sizeof *side);
    size_t bad = 0;
    assert_non_null(side);
    for (size_t i = 0; i < 3 * s->n; i++) {
        const uint32_t a = s->triangle[i / 3][i % 3], b = s->triangle[i / 3][(i + 1) % 3];
        side[i][0] = a < b ? a : b;
        side[i][1] = a < b ? b : a;
        side[i][2] = a < b;
    }
    qsort(side, 3 * s->n, sizeof *side, compare);
    for (size_t i = 0; i < 3 * s->n;) {
        size_t count = 0, forward = 0;
        for (; i + count < 3 * s->n && !compare(side[i], side[i + count]); count++) forward += side[i + count][2];
        bad += count != 2 || forward != 1;
        i += count;
    }
    free(side);
    return bad;
}

/* ---- shapes ---------------------------------------------------------------------------------------------- */

static void contents_are_those_of_what_the_particles_fill(void **state)
{
    /* A mean over 2.5 spacings rounds edges with a radius r of 1.5 spacings, which takes 12 l (2 - pi / 2) r = 4.3 % of
     * the surface of a cube of 30 spacings; the faces of an even lattice lie 0.1 spacings within, 2 % of that cube;
     * a ball of 16 spacings has a curvature that moves its surface by a part of the square of their ratio. */
    const struct {
        int dimension;
        bool box;
        double radius, content, skin;
    } cases[] = {{2, false, 0.32, PI * 0.32 * 0.32, 0},
                 {2, true, 0.3, 0.36, 0},
                 {3, false, 0.32, 4 * PI / 3 * 0.32 * 0.32 * 0.32, 4 * PI * 0.32 * 0.32},
                 {3, true, 0.3, 0.216, 2.16}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        for (int shaken = 0; shaken < 2; shaken++) {
            const size_t n = place(cases[c].dimension, cases[c].radius, cases[c].box, 0.3 * shaken);
            const pio_level_set set = set_of(cases[c].dimension, n);
            pio_level_surface s = make(&set);
            double skin;
            const double found = content(&s, cases[c].dimension, &skin) / cases[c].content - 1;
            const double area = cases[c].skin > 0 ? skin / cases[c].skin - 1 : 0;
            printf("%dD %s, %s: %zu particles, %zu triangles, content %+.2f %% (2.5), surface %+.2f %% (5)\n",
                   cases[c].dimension, cases[c].box ? "box " : "ball", shaken ? "shaken" : "even  ", n, s.n,
                   100 * found, 100 * area);
            assert_true(fabs(found) < 0.025 && fabs(area) < 0.05);
            pio_level_free(&s);
            /* negative control: half a layer less */
            const double less = cases[c].radius - (cases[c].box ? SPACING : SPACING / 2);
            const pio_level_set thin = set_of(cases[c].dimension, place(cases[c].dimension, less, cases[c].box, 0));
            s = make(&thin);
            assert_true(content(&s, cases[c].dimension, &skin) / cases[c].content - 1 < -0.025);
            pio_level_free(&s);
        }
    }
}

static void a_face_lies_half_a_spacing_beyond_the_outermost_particles(void **state)
{
    (void)state;
    const pio_level_set set = set_of(3, place(3, 0.3, true, 0));
    pio_level_surface s = make(&set);
    double most = 0, within = 0;
    for (uint32_t i = 0; i < s.n_vertices; i++) {
        double p[3];
        place_of(&s, i, p);
        if (!(fabs(p[1]) < 0.15 && fabs(p[2]) < 0.15 && p[0] > 0)) continue;
        most = fmax(most, fabs(p[0] - 0.3) / SPACING);
        within = fmax(within, fabs(p[0] - 0.29) / SPACING); /* negative control: where the outermost particles are */
    }
    printf("the middle of a face is up to %.3f spacings from where the particles end (0.1), %.3f from the outermost\n",
           most, within);
    assert_true(most > 0 && most < 0.1 && within > 0.1);
    pio_level_free(&s);
}

static void each_side_has_two_triangles(void **state)
{
    (void)state;
    for (int c = 0; c < 3; c++) {
        /* ball; box; particles so far apart that there are drops, bridges and holes */
        const size_t n = place(3, 0.24, c == 1, c == 2 ? 2.5 : 0.3);
        const pio_level_set set = set_of(3, n);
        pio_level_surface s = make(&set);
        const size_t bad = open_sides(&s);
        printf("%zu triangles, %zu vertices: %zu sides without exactly two triangles of opposite directions (0)\n", s.n,
               s.n_vertices, bad);
        assert_true(s.n > 5000);
        assert_int_equal(bad, 0);
        s.n--; /* negative control: a triangle is lost */
        assert_int_equal(open_sides(&s), 3);
        pio_level_free(&s);
    }
}

static void normals_of_a_ball_point_away_from_its_middle(void **state)
{
    const pio_level_set set = set_of(3, place(3, 0.32, false, 0));
    pio_level_surface s = make(&set);
    double least = 1, mean = 0;
    (void)state;
    for (uint32_t i = 0; i < s.n_vertices; i++) {
        double p[3], dot = 0, r = 0;
        place_of(&s, i, p);
        for (int k = 0; k < 3; k++) dot += p[k] * (double)s.vertex[i].normal[k], r += p[k] * p[k];
        least = fmin(least, dot / sqrt(r));
        mean += dot / sqrt(r) / (double)s.n_vertices;
    }
    printf("cosine between normal and radius: %.4f at least (0.9), %.4f in the mean (0.98)\n", least, mean);
    assert_true(least > 0.9 && mean > 0.98);
    pio_level_free(&s);
}

static void a_drop_of_one_particle_is_a_ball(void **state)
{
    (void)state;
    points[0] = 0.1, points[1] = 0.2, points[2] = 0.3;
    const pio_level_set set = set_of(3, 1);
    pio_level_surface s = make(&set);
    double least = 1, most = 0;
    for (uint32_t i = 0; i < s.n_vertices; i++) {
        double p[3];
        place_of(&s, i, p);
        const double r = sqrt((p[0] - 0.1) * (p[0] - 0.1) + (p[1] - 0.2) * (p[1] - 0.2) + (p[2] - 0.3) * (p[2] - 0.3));
        least = fmin(least, r / SPACING);
        most = fmax(most, r / SPACING);
    }
    /* On the grid's edges through the particle it is exact; on others, chords of half a spacing cut something off. */
    printf("%zu triangles, radius %.3f to %.3f spacings (0.42 to 0.616, where 0.615 is exact)\n", s.n, least, most);
    assert_true(s.n > 20 && least > 0.42 && most > 0.55 && most < 0.616);
    assert_int_equal(open_sides(&s), 0);
    pio_level_free(&s);
}

/* ---- values, bounds, threads ------------------------------------------------------------------------------- */

static void values_are_means_of_those_around(void **state)
{
    const size_t n = place(3, 0.24, false, 0);
    pio_level_set set = set_of(3, n);
    double worst = 0;
    size_t grey = 0, wrong = 0;
    (void)state;
    set.values = values;
    for (size_t i = 0; i < n; i++) values[i] = points[3 * i + 2] < -0.1 ? NAN : (float)(0.5 + points[3 * i]);
    pio_level_surface s = make(&set);
    for (uint32_t i = 0; i < s.n_vertices; i++) {
        double p[3];
        place_of(&s, i, p);
        const bool none = isnan(s.vertex[i].value);
        grey += none;
        wrong += fabs(p[2] + 0.1) > 2.5 * SPACING && none != (p[2] < -0.1);
        if (!none) worst = fmax(worst, fabs((double)s.vertex[i].value - 0.5 - p[0]) / SPACING);
    }
    printf("a linear field is up to %.2f spacings beside its place (1.25); %zu vertices without a value, %zu wrongly "
           "(0)\n",
           worst, grey, wrong);
    assert_true(worst < 1.25 && grey > 100);
    assert_int_equal(wrong, 0);
    pio_level_free(&s);
}

static void grids_and_triangles_are_bounded(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        const size_t n = place(dimension, 0.2, false, 0);
        pio_level_set set = set_of(dimension, n);
        const double cell = SPACING / 2;
        for (int k = 0; k < dimension; k++) points[k] = 9, points[3 + k] = -9; /* two are far away */
        pio_level_surface s = make(&set);
        printf("%dD: cells of %.3g m where two particles are far (> %g), %zu triangles\n", dimension, s.cell, cell,
               s.n);
        assert_true(s.cell > cell && s.n > 0 && s.n < PIO_LEVEL_TRIANGLES);
        pio_level_free(&s);
        for (int k = 0; k < dimension; k++) points[k] = 11, points[3 + k] = -11; /* beyond what counts */
        s = make(&set);
        assert_true(fabs(s.cell - cell) < 1e-12);
        pio_level_free(&s);
        for (size_t i = 0; i < n; i++) points[3 * i] = NAN;
        s = make(&set);
        assert_int_equal(s.n, 0);
        pio_level_free(&s);
    }
    size_t n = 0; /* drops, which would have more triangles than there may be */
    for (; n < 50000; n++) {
        const size_t at[3] = {n % 37, n / 37 % 37, n / 1369};
        for (size_t k = 0; k < 3; k++) points[3 * n + k] = 3.5 * SPACING * (double)at[k];
    }
    const pio_level_set set = set_of(3, n);
    pio_level_surface s = make(&set);
    printf("drops: %zu triangles (at most %d), cells of %.3g m (> %g)\n", s.n, PIO_LEVEL_TRIANGLES, s.cell,
           SPACING / 2);
    assert_true(s.n <= PIO_LEVEL_TRIANGLES && s.n > 0);
    pio_level_free(&s);
}

static void bits_do_not_depend_on_the_threads(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        const size_t n = place(dimension, 0.24, false, 0.4);
        pio_level_set set = set_of(dimension, n);
        set.values = values;
        for (size_t i = 0; i < n; i++) values[i] = (float)points[3 * i + 1];
        set.threads = 1;
        pio_level_surface first = make(&set);
        for (set.threads = 2; set.threads <= 5; set.threads++) {
            pio_level_surface s = make(&set);
            assert_int_equal(s.n, first.n);
            assert_int_equal(s.n_vertices, first.n_vertices);
            assert_memory_equal(s.triangle, first.triangle, s.n * sizeof *s.triangle);
            assert_memory_equal(s.vertex, first.vertex, s.n_vertices * sizeof *s.vertex);
            pio_level_free(&s);
        }
        points[0] += 1e-4; /* negative control */
        pio_level_surface s = make(&set);
        assert_true(s.n_vertices != first.n_vertices ||
                    memcmp(s.vertex, first.vertex, s.n_vertices * sizeof *s.vertex) != 0);
        pio_level_free(&s);
        pio_level_free(&first);
    }
    printf("2D and 3D: the same vertices and triangles for 1 to 5 threads\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contents_are_those_of_what_the_particles_fill),
        cmocka_unit_test(a_face_lies_half_a_spacing_beyond_the_outermost_particles),
        cmocka_unit_test(each_side_has_two_triangles),
        cmocka_unit_test(normals_of_a_ball_point_away_from_its_middle),
        cmocka_unit_test(a_drop_of_one_particle_is_a_ball),
        cmocka_unit_test(values_are_means_of_those_around),
        cmocka_unit_test(grids_and_triangles_are_bounded),
        cmocka_unit_test(bits_do_not_depend_on_the_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

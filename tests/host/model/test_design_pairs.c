/* test_design_pairs.c -- smoothness and total variation of fields over particles: what they are on fields that are
 * known, where particles are in rows and where they are not. */
#include "host/model/design_filter.h"
#include "tests/host/scene/load_scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define FLAT PIO_SOURCE_DIR "/tests/data/bad_scenes/parts/base.yaml"
#define SPACE PIO_SOURCE_DIR "/tests/data/bad_scenes/parts/base_3d.yaml"
static const char
    *const flat[] = {"bodies=[{name: one, geometry: ball, material: soft}]",
                     "geometry=[{name: ball, type: box, min: [0.2, 0.2], max: [0.8, 0.7]}]", "name=flat"},
           *const space[] = {"bodies=[{name: one, geometry: ball, material: soft}]",
                             "geometry=[{name: ball, type: box, min: [0.2, 0.2, 0.2], max: [0.8, 0.7, 0.6]}]",
                             "method.grid.spacing=0.1"},
           *const shaken[] = {"bodies=[{name: one, geometry: ball, material: soft, fill: {method: jittered}}]",
                              "geometry=[{name: ball, type: box, min: [0.2, 0.2], max: [0.8, 0.7]}]", "name=shaken"};

/* A box of particles whose variables are in another order than they are. */
typedef struct {
    pio_scene *scene;
    pio_model *model;
    pio_pairs pairs;
    int32_t n, *index; /* number of particles; [n] variable of each */
    double *z, *bar;   /* [n] */
} box;

static box open_box(const char *path, const char *const *sets)
{
    box b = {0};
    piola_error error = {0};
    if (load_scene(&b.scene, path, sets, 3, stderr, &error)) fail_msg("%s", error.message);
    if (pio_model_create(&b.model, b.scene, &error)) fail_msg("%s", error.message);
    b.n = (int32_t)b.model->desc.particles.n;
    b.index = calloc((size_t)b.n, sizeof *b.index);
    b.z = calloc((size_t)b.n, sizeof *b.z);
    b.bar = calloc((size_t)b.n, sizeof *b.bar);
    for (int32_t p = 0; p < b.n; p++) b.index[p] = b.n - 1 - p;
    if (pio_particle_pairs(&b.pairs, b.model, b.index, &error)) fail_msg("%s", error.message);
    return b;
}

static void close_box(box *b)
{
    pio_pairs_free(&b->pairs);
    free(b->index);
    free(b->z);
    free(b->bar);
    pio_model_free(b->model);
    pio_scene_free(b->scene);
}

static const double *position(const box *b, int32_t variable)
{
    return b->model->desc.particles.position + (int64_t)(b->n - 1 - variable) * b->model->scene->method.dimension;
}

static double spacing(const box *b)
{
    return pow(b->model->desc.particles.volume[0], 1.0 / b->model->scene->method.dimension);
}

/* Returns whether all neighbours of the particle of a variable are in the box. */
static bool is_inner(const box *b, int32_t variable)
{
    static const double low[] = {0.2, 0.2, 0.2}, high[] = {0.8, 0.7, 0.6};
    const double *x = position(b, variable), h = 2 * spacing(b);
    for (int a = 0; a < b->model->scene->method.dimension; a++)
        if (x[a] < low[a] + h || x[a] > high[a] - h) return false;
    return true;
}

/* Sets z to the plane of slope g. */
static void set_plane(box *b, const double g[3])
{
    for (int32_t v = 0; v < b->n; v++) {
        b->z[v] = 0;
        for (int a = 0; a < b->model->scene->method.dimension; a++) b->z[v] += g[a] * position(b, v)[a];
    }
}

/* In rows of particles the squared slope of a plane is exact, whatever its direction. */
static void smoothness_of_a_plane_is_its_squared_slope_at_each_inner_particle(void **state)
{
    static const double slopes[][3] = {{2, -3, 0.5}, {0, 1, 0}, {1, 1, 1}};
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        box b = open_box(dim == 2 ? FLAT : SPACE, dim == 2 ? flat : space);
        const double V = b.model->desc.particles.volume[0];
        double worst = 0;
        int inner = 0;
        for (int k = 0; k < 3; k++) {
            double *own = calloc((size_t)b.n, sizeof *own), square = 0;
            for (int a = 0; a < dim; a++) square += slopes[k][a] * slopes[k][a];
            set_plane(&b, slopes[k]);
            for (int32_t p = 0; p < b.pairs.n; p++) {
                const double d = b.z[b.pairs.variable[p][0]] - b.z[b.pairs.variable[p][1]];
                own[b.pairs.variable[p][0]] += b.pairs.weight[p] * d * d;
            }
            for (int32_t v = 0; v < b.n; v++)
                if (is_inner(&b, v)) worst = fmax(worst, fabs(own[v] / (V * square) - 1)), inner++;
            free(own);
        }
        print_message("%dD: %d of %d particles, off by %.1e of it (threshold 1e-12)\n", dim, inner / 3, b.n, worst);
        assert_true(inner > 3 * 20);
        assert_true(worst < 1e-12);
        close_box(&b);
    }
}

/* Sets the least and the greatest variation of a plane of slope 1 in the middle of the box, in parts of the exact one,
 * of all directions. */
static void range_of_variations(box *b, int directions, double range[2])
{
    range[0] = INFINITY, range[1] = 0;
    for (int k = 0; k < directions; k++) {
        double sum = 0, volume = 0;
        const double turn = 3.14159265358979323846 * k / directions;
        const int dim = b->model->scene->method.dimension;
        set_plane(b, dim == 2 ? (const double[]){cos(turn), sin(turn), 0}
                              : (const double[]){cos(turn), sin(turn) * cos(3 * turn), sin(turn) * sin(3 * turn)});
        for (int32_t p = 0; p < b->pairs.n; p++)
            if (is_inner(b, b->pairs.variable[p][0]))
                sum += b->pairs.area[p] * fabs(b->z[b->pairs.variable[p][0]] - b->z[b->pairs.variable[p][1]]);
        for (int32_t v = 0; v < b->n; v++)
            if (is_inner(b, v)) volume += b->model->desc.particles.volume[b->n - 1 - v];
        range[0] = fmin(range[0], sum / volume);
        range[1] = fmax(range[1], sum / volume);
    }
}

/* Few neighbours are no circle: a slope along or across the rows counts somewhat less. */
static void variation_of_a_plane_is_its_slope_in_any_direction(void **state)
{
    const char *const paths[] = {FLAT, SPACE, FLAT}, *const * sets[] = {flat, space, shaken};
    (void)state;
    for (int k = 0; k < 3; k++) {
        box b = open_box(paths[k], sets[k]);
        double range[2];
        range_of_variations(&b, 24, range);
        print_message("variation is %.4f to %.4f of the exact one (0.92 to 1.08)\n", range[0], range[1]);
        assert_true(range[0] > 0.92 && range[0] <= range[1] && range[1] < 1.08);
        close_box(&b);
    }
}

static void their_derivatives_are_those_of_differences(void **state)
{
    box b = open_box(FLAT, shaken);
    double worst = 0;
    (void)state;
    for (int32_t v = 0; v < b.n; v++) b.z[v] = sin(1.7 * v + 0.3);
    pio_pairs_energy(&b.pairs, b.z, 0.5, b.bar);
    for (int32_t v = 0; v < b.n; v += 7) { /* exact for a square */
        const double kept = b.z[v];
        b.z[v] = kept + 0.5;
        const double up = pio_pairs_energy(&b.pairs, b.z, 1, NULL);
        b.z[v] = kept - 0.5;
        const double down = pio_pairs_energy(&b.pairs, b.z, 1, NULL);
        b.z[v] = kept;
        worst = fmax(worst, fabs(0.5 * (up - down) - b.bar[v]) / fabs(b.bar[v]));
    }
    print_message("derivatives off by %.1e of them (threshold 1e-11)\n", worst);
    assert_true(worst < 1e-11);
    close_box(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smoothness_of_a_plane_is_its_squared_slope_at_each_inner_particle),
        cmocka_unit_test(variation_of_a_plane_is_its_slope_in_any_direction),
        cmocka_unit_test(their_derivatives_are_those_of_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_design_filter.c -- the cone filter and the smoothness of a field: what they are on fields that are known. */
#include "host/model/design_filter.h"
#include "host/model/model_fem.h"
#include "tests/host/scene/load_scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static pio_scene *scene;
static pio_model *model;
static int32_t elements, *all;

static int open_model(void **state)
{
    piola_error error = {0};
    (void)state;
    if (load_scene(&scene, PIO_SOURCE_DIR "/tests/data/good_scenes/plane_stress.yaml", NULL, 0, NULL, &error) ||
        pio_model_create(&model, scene, &error))
        fail_msg("%s", error.message);
    elements = (int32_t)pio_model_items(model, false);
    all = malloc(sizeof *all * (size_t)elements);
    for (int32_t e = 0; all && e < elements; e++) all[e] = e;
    return all ? 0 : 1;
}

static int close_model(void **state)
{
    (void)state;
    free(all);
    pio_model_free(model);
    pio_scene_free(scene);
    return 0;
}

static pio_filter_desc *filter_of(double radius)
{
    pio_filter_desc *h;
    piola_error error = {0};
    if (pio_cone_filter(&h, model, all, elements, radius, &error)) fail_msg("%s", error.message);
    return h;
}

/* The centre of an element of the sheet, 2 x 1 in 6 x 3 cells. */
static void middle(int32_t e, double x[2])
{
    const int32_t *nodes = model->fem->desc.blocks[0].nodes + 4 * (size_t)e;
    for (int a = 0; a < 2; a++) {
        x[a] = 0;
        for (int k = 0; k < 4; k++) x[a] += model->fem->rest[2 * (size_t)nodes[k] + (size_t)a] / 4;
    }
}

static double random_number(void)
{
    static uint64_t r = 88172645463325252u; /* xorshift (Marsaglia 2003) */
    r ^= r << 13, r ^= r >> 7, r ^= r << 17;
    return ldexp((double)(r >> 11), -53);
}

/* The reference tests every pair of elements, not only those in neighbouring cells. */
static void weights_are_the_cones_of_all_elements_within_the_radius(void **state)
{
    double worst = 0;
    int entries = 0;
    (void)state;
    for (int k = 0; k < 3; k++) {
        const double radius[] = {0.2, 0.6, 5};
        pio_filter_desc *h = filter_of(radius[k]);
        for (int32_t i = 0; i < elements; i++) {
            double x[2], y[2], sum = 0;
            middle(i, x);
            for (int32_t j = 0; j < elements; j++)
                middle(j, y), sum += fmax(0, radius[k] - hypot(x[0] - y[0], x[1] - y[1]));
            for (int32_t j = 0; j < elements; j++) {
                double found = 0;
                middle(j, y);
                for (int32_t e = h->start[i]; e < h->start[i + 1]; e++)
                    if (h->from[e] == j) found = h->weight[e], entries++;
                worst = fmax(worst, fabs(found - fmax(0, radius[k] - hypot(x[0] - y[0], x[1] - y[1])) / sum));
            }
        }
        if (k == 0) assert_int_equal(h->start[elements], elements); /* nothing but itself */
        pio_filter_free(h);
    }
    print_message("%d weights, wrong by at most %.1e (threshold 1e-15)\n", entries, worst);
    assert_true(worst < 1e-15);
}

static void a_constant_stays_and_the_transpose_is_one(void **state)
{
    double z[64], y[64], Hz[64], Hty[64], left = 0, right = 0, worst = 0;
    pio_filter_desc *h = filter_of(0.6);
    (void)state;
    assert_true(elements <= 64);
    for (int32_t e = 0; e < elements; e++) z[e] = 3;
    pio_filter_apply(h, false, elements, z, Hz);
    for (int32_t e = 0; e < elements; e++) worst = fmax(worst, fabs(Hz[e] - 3));
    for (int32_t e = 0; e < elements; e++) z[e] = random_number(), y[e] = random_number();
    pio_filter_apply(h, false, elements, z, Hz);
    pio_filter_apply(h, true, elements, y, Hty);
    for (int32_t e = 0; e < elements; e++) left += y[e] * Hz[e], right += Hty[e] * z[e];
    print_message("constant off by %.1e, y.Hz - H'y.z = %.1e (thresholds 1e-14)\n", worst, left - right);
    assert_true(worst < 1e-14 && fabs(left - right) < 1e-14);
    pio_filter_apply(h, false, elements, y, Hty); /* control: H is not its own transpose at the edges */
    right = 0;
    for (int32_t e = 0; e < elements; e++) right += Hty[e] * z[e];
    assert_true(fabs(left - right) > 1e-6);
    pio_filter_free(h);
}

/* z = 2 x - 3 y: the integral of |grad z|^2 over the part of the sheet between middles, 13 per area; the rest is its
 * slope. */
static void smoothness_of_a_plane_is_its_squared_slope(void **state)
{
    double z[64], bar[64] = {0}, up, down;
    piola_error error = {0};
    pio_pairs pairs;
    (void)state;
    if (pio_pairs_create(&pairs, model, all, &error)) fail_msg("%s", error.message);
    assert_int_equal(pairs.n, 5 * 3 + 6 * 2);
    for (int32_t e = 0; e < elements; e++) {
        double x[2];
        middle(e, x);
        z[e] = 2 * x[0] - 3 * x[1];
    }
    const double energy = pio_pairs_energy(&pairs, z, 0.5, bar);
    const double expected = 4 * (5.0 / 3) + 9 * (2 * 2.0 / 3); /* slopes squared times the area between middles */
    print_message("energy %.15g, expected %.15g\n", energy, expected);
    assert_true(fabs(energy - expected) < 1e-13);
    for (int32_t e = 0; e < elements; e += 5) {
        const double kept = z[e];
        z[e] = kept + 0.5, up = pio_pairs_energy(&pairs, z, 1, NULL);
        z[e] = kept - 0.5, down = pio_pairs_energy(&pairs, z, 1, NULL);
        z[e] = kept;
        assert_true(fabs(0.5 * (up - down) - bar[e]) < 1e-13); /* exact for a square */
    }
    pio_pairs_free(&pairs);
}

/* A jump by s across a line that is 1 m long costs s, however steep; a smoothness would be s^2 over the distance of the
 * elements. */
static void variation_of_a_step_is_its_height_times_the_area_of_its_jump(void **state)
{
    double z[64], bar[64] = {0}, worst = 0, most = 0;
    const double width = 1e-3;
    piola_error error = {0};
    pio_pairs pairs;
    (void)state;
    if (pio_pairs_create(&pairs, model, all, &error)) fail_msg("%s", error.message);
    for (double height = 0.5; height < 3; height *= 2) {
        for (int32_t e = 0; e < elements; e++) {
            double x[2];
            middle(e, x);
            z[e] = x[0] > 1 ? height : 0;
        }
        const double variation = pio_pairs_variation(&pairs, z, width, 1, NULL);
        worst = fmax(worst, fabs(variation - (hypot(height, width) - width)));
    }
    print_message("variation off by %.1e (threshold 1e-14)\n", worst);
    assert_true(worst < 1e-14);
    for (int32_t e = 0; e < elements; e++) z[e] = random_number();
    pio_pairs_variation(&pairs, z, 0.3, 2, bar);
    for (int32_t e = 0; e < elements; e++) { /* of fourth order (Richardson 1911) */
        const double kept = z[e];
        double slope[2];
        for (int half = 0; half < 2; half++) {
            const double step = half ? 1e-3 : 2e-3;
            z[e] = kept + step;
            const double up = pio_pairs_variation(&pairs, z, 0.3, 1, NULL);
            z[e] = kept - step;
            slope[half] = (up - pio_pairs_variation(&pairs, z, 0.3, 1, NULL)) / step;
        }
        z[e] = kept;
        most = fmax(most, fabs((4 * slope[1] - slope[0]) / 3 - bar[e]));
    }
    print_message("slope off by %.1e (threshold 1e-9)\n", most);
    assert_true(most < 1e-9);
    pio_pairs_free(&pairs);
}

/* Checks that a scene with a changed filter is refused at the filter's radius, with these words; or else is none. */
static void check_radius(const char *file, const char *set, const char *words)
{
    pio_scene *changed = NULL;
    pio_model *made = NULL;
    piola_error error = {0};
    if (load_scene(&changed, file, (const char *const[]){set}, 1, NULL, &error)) fail_msg("%s", error.message);
    const piola_status rc = pio_model_create(&made, changed, &error);
    print_message("%s: %.*s\n", set, (int)strcspn(error.message, "\n"), error.message);
    assert_int_equal(rc, words ? PIOLA_BAD_DATA : PIOLA_OK);
    if (words) assert_non_null(strstr(error.message, words));
    pio_model_free(made);
    pio_scene_free(changed);
}

/* Of the sheet, 2 m x 1 m, and of particles. */
static void a_radius_beyond_all_distances_is_refused(void **state)
{
    static const char sheet[] = PIO_SOURCE_DIR "/tests/data/good_scenes/plane_stress.yaml";
    static const char particles[] = PIO_SOURCE_DIR "/tests/data/good_scenes/filled_2d.yaml";
    (void)state;
    check_radius(sheet, "design[0].filter.radius=2.236 m", NULL);
    check_radius(sheet, "design[0].filter.radius=2.237 m",
                 "design[0].filter.radius: a radius of 2.237 m is longer than the bodies are across, 2.236 m");
    check_radius(sheet, "design[0].filter.radius=2147483648", "design[0].filter.radius: ");
    check_radius(particles, "design[0].filter.radius=2147483648", "design[0].filter.radius: ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_the_cones_of_all_elements_within_the_radius),
        cmocka_unit_test(a_constant_stays_and_the_transpose_is_one),
        cmocka_unit_test(smoothness_of_a_plane_is_its_squared_slope),
        cmocka_unit_test(variation_of_a_step_is_its_height_times_the_area_of_its_jump),
        cmocka_unit_test(a_radius_beyond_all_distances_is_refused),
    };
    return cmocka_run_group_tests(tests, open_model, close_model);
}

/* test_model.c -- the description of a scene for an engine: fills conserve mass, samples weigh what they should, terms
 * differentiate. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/scene/fill.h"
#include "host/model/objective.h"
#include "tests/host/scene/load_scene.h"

static const char scene_file[] = PIO_SOURCE_DIR "/tests/data/good_scenes/solids_2d.yaml";

static void below(const char *what, double measured, double threshold)
{
    print_message("%-52s %.3e  threshold %.0e\n", what, measured, threshold);
    assert_true(measured <= threshold);
}

/* ---- fills ---------------------------------------------------------------------------------------------- */

static piola_status fill(const scene_geometry *shape, int dimension, pio_filling how, pio_fill_result *out,
                         piola_error *error)
{
    const pio_shape whole = pio_shape_of(shape, dimension);
    return pio_fill(&whole, &how, out, error);
}

static void every_fill_has_the_exact_volume_and_lies_inside(void **state)
{
    (void)state;
    char name[] = "s";
    const double pi = 3.14159265358979323846, offset[3] = {0.1, -0.2, 0.3};
    const scene_geometry shapes[] = {
        {.name = name, .shape = PIO_BOX, .min = {0, 0, 0}, .max = {0.5, 0.3, 0.2}},
        {.name = name, .shape = PIO_BALL, .center = {0.4, 0.5, 0.6}, .radius = 0.25},
        {.name = name, .shape = PIO_CYLINDER, .center = {0.4, 0.5, 0.6}, .radius = 0.2, .height = 0.4, .axis = 1}};
    const double volumes[] = {0.03, 4.0 / 3 * pi * pow(0.25, 3), pi * 0.04 * 0.4};
    for (int s = 0; s < 3; s++)
        for (int method = SCENE_REGULAR; method <= SCENE_JITTERED; method++) {
            pio_fill_result f;
            const pio_filling how = {{offset[0], offset[1], offset[2]}, 0.04, 8, (scene_fill)method, 7, 0};
            assert_int_equal(fill(&shapes[s], 3, how, &f, NULL), PIOLA_OK);
            below("volume, relative", fabs((double)f.n * f.volume / volumes[s] - 1), 1e-14);
            below("particles against volume / cell * 8, relative",
                  fabs((double)f.n / (volumes[s] / pow(0.04, 3) * 8) - 1), 0.05);
            double furthest = 0;
            for (int64_t i = 0; i < f.n; i++) {
                double r2 = 0;
                for (int a = 0; a < 3; a++) {
                    const double d = f.position[3 * i + a] - offset[a] - (s ? shapes[s].center[a] : 0);
                    if (s == 0)
                        assert_true(d > shapes[0].min[a] && d < shapes[0].max[a]);
                    else if (s == 1 || a != shapes[2].axis)
                        r2 += d * d;
                }
                furthest = fmax(furthest, s ? sqrt(r2) / shapes[s].radius : 0);
            }
            below("furthest from the axis, over the radius", furthest, 1);
            free(f.position);
        }
}

/* Compares the integral of the square of the distance from the centre with pi R^4/2 and 4 pi R^5/5. */
static void a_cut_fill_has_the_moments_of_a_ball(void **state)
{
    (void)state;
    char name[] = "s";
    const double pi = 3.14159265358979323846, R = 0.25;
    for (int dimension = 2; dimension <= 3; dimension++) {
        const scene_geometry ball = {.name = name, .shape = PIO_BALL, .radius = R};
        const double exact = dimension == 2 ? pi * pow(R, 4) / 2 : 4 * pi * pow(R, 5) / 5, cell = pow(0.02, dimension);
        double off[2];
        for (int cut = 0; cut < 2; cut++) {
            pio_fill_result f;
            const pio_filling how = {{0}, 0.04, 1 << dimension, cut ? SCENE_CUT : SCENE_REGULAR, 7, 0};
            double volume = 0, square = 0, least = 1, most = 0;
            assert_int_equal(fill(&ball, dimension, how, &f, NULL), PIOLA_OK);
            assert_true(!f.volumes == !cut);
            for (int64_t i = 0; i < f.n; i++) {
                const double v = cut ? f.volumes[i] : f.volume;
                volume += v;
                least = fmin(least, v / cell);
                most = fmax(most, v / cell);
                for (int a = 0; a < dimension; a++) square += v * pow(f.position[dimension * i + a], 2);
            }
            for (int64_t i = 0; i < f.n; i++)
                for (int a = 0; a < dimension; a++) square += (cut ? f.volumes[i] : f.volume) * 0.02 * 0.02 / 12;
            off[cut] = fabs(square / exact - 1);
            print_message("%dD: %lld particles of %.3f to %.3f cells\n", dimension, (long long)f.n, least, most);
            if (cut) assert_true(least > 0.03 && most < 1.05); /* the last: it is 25 cells wide */
            free(f.position);
            free(f.volumes);
        }
        print_message("without the cut the moment of inertia is off by %.2e\n", off[0]);
        below("moment of inertia of a cut fill, relative", off[1], 1.5e-3);
        assert_true(off[0] > 1.5e-3);
    }
}

static void jitter_depends_on_seed_and_stream_alone(void **state)
{
    (void)state;
    char name[] = "s";
    const scene_geometry box = {.name = name, .shape = PIO_BOX, .max = {1, 1, 0}};
    pio_fill_result f[4];
    const uint64_t seed[] = {1, 1, 2, 1}, stream[] = {0, 0, 0, 1};
    for (int k = 0; k < 4; k++) {
        const pio_filling how = {{0}, 0.1, 5, SCENE_JITTERED, seed[k], stream[k]};
        assert_int_equal(fill(&box, 2, how, &f[k], NULL), PIOLA_OK);
    }
    const size_t bytes = sizeof(double) * 2 * (size_t)f[0].n;
    assert_memory_equal(f[0].position, f[1].position, bytes);
    assert_int_not_equal(memcmp(f[0].position, f[2].position, bytes), 0);
    assert_int_not_equal(memcmp(f[0].position, f[3].position, bytes), 0);
    for (int k = 0; k < 4; k++) free(f[k].position);
}

static void a_shape_smaller_than_a_particle_is_refused(void **state)
{
    (void)state;
    char name[] = "dot";
    const scene_geometry dot = {.name = name, .shape = PIO_BALL, .radius = 1e-3};
    pio_fill_result f;
    piola_error error = {0};
    /* one lattice site, at the centre: kept. A ring without its centre would not be. */
    assert_int_equal(fill(&dot, 2, (pio_filling){{0}, 1, 4, SCENE_REGULAR, 0, 0}, &f, &error), PIOLA_OK);
    assert_int_equal(f.n, 1);
    free(f.position);
    int refused = 0;
    for (uint64_t seed = 0; seed < 64; seed++) {
        const piola_status rc = fill(&dot, 2, (pio_filling){{0}, 1, 4, SCENE_JITTERED, seed, 0}, &f, &error);
        refused += rc == PIOLA_BAD_DATA;
        if (!rc) free(f.position);
    }
    print_message("refused for %d of 64 seeds (a disc fills pi/4 of its box)\n%s\n", refused, error.message);
    assert_in_range(refused, 4, 28);
    assert_non_null(strstr(error.message, "dot"));
}

/* ---- samples -------------------------------------------------------------------------------------------- */

static pio_scene *scene;
static pio_model *model;

static int open_model(void **state)
{
    (void)state;
    piola_error error;
    if (load_scene(&scene, scene_file, NULL, 0, stderr, &error)) return -1;
    return pio_model_create(&model, scene, &error) ? -1 : 0;
}

static int close_model(void **state)
{
    (void)state;
    pio_model_free(model);
    pio_scene_free(scene);
    return 0;
}

/* A sample of a signal that is linear in time is exact: sum of weights 1, weighted step times = the sample's time. */
static void every_sample_is_exact_for_a_linear_signal(void **state)
{
    (void)state;
    assert_true(model->desc.n_sample_weights > 5);
    for (int o = 0; o < model->n_outputs; o++)
        for (int k = 0; k < model->outputs[o].samples; k++) {
            double sum = 0, mean = 0;
            for (int t = 0; t < model->desc.n_sample_weights; t++) {
                const pio_sample_weight *w = &model->sample_weights[t];
                if (w->observation != o || w->sample != k) continue;
                sum += w->weight;
                mean += w->weight * ((double)w->step - w->past) * scene->time.dt;
            }
            if (fabs(sum - 1) > 1e-12 || fabs(mean - model->outputs[o].time[k]) > 1e-9)
                print_message("%s[%d]: weights sum to %.17g, mean time %.12g, wanted %.12g\n", model->outputs[o].name,
                              k, sum, mean, model->outputs[o].time[k]);
            assert_true(fabs(sum - 1) <= 1e-12);
            assert_true(fabs(mean - model->outputs[o].time[k]) <= 1e-9);
        }
}

static void sample_weights_ascend_in_step_and_stay_in_the_run(void **state)
{
    (void)state;
    for (int t = 0; t < model->desc.n_sample_weights; t++) {
        assert_true(model->sample_weights[t].step >= 0 && model->sample_weights[t].step <= model->steps);
        if (t) assert_true(model->sample_weights[t].step >= model->sample_weights[t - 1].step);
    }
}

static void values_of_the_start_are_the_initial_ones_to_the_bit(void **state)
{
    (void)state;
    double *values = malloc(sizeof *values * (size_t)model->n_variables);
    double worst = 0;
    assert_non_null(values);
    pio_model_values(model, model->z0, values);
    for (int k = 0; k < model->n_parameters; k++)
        for (int v = 0; v < model->parameters[k].groups * model->parameters[k].components; v++) {
            const double want = model->parameters[k].initial[v], got = values[model->parameters[k].first + v];
            worst = fmax(worst, fabs(got - want) / fmax(fabs(want), 1e-3));
        }
    free(values);
    below("value of z0 against initial, relative", worst, 0);
}

static void particles_of_a_body_lie_together_and_ascend_in_cells(void **state)
{
    (void)state;
    const pio_grid_desc *g = &model->desc.grid;
    for (size_t b = 0; b < scene->matter.n_bodies; b++) {
        double before = -1;
        for (int64_t p = model->body_first[b]; p < model->body_first[b + 1]; p++) {
            assert_int_equal(model->body[p], b);
            const double i = floor((model->position[2 * p] - g->origin[0]) / g->spacing - 0.5);
            const double j = floor((model->position[2 * p + 1] - g->origin[1]) / g->spacing - 0.5);
            assert_true(i * g->nodes[1] + j >= before);
            before = i * g->nodes[1] + j;
        }
    }
}

/* ---- faults that only particles show ------------------------------------------------------------------- */

static void refused(const char *path, const char *const *words)
{
    pio_scene *bad = NULL;
    pio_model *none = NULL;
    piola_error error = {0};
    assert_int_equal(load_scene(&bad, path, NULL, 0, stderr, &error), PIOLA_OK);
    assert_int_equal(pio_model_create(&none, bad, &error), PIOLA_BAD_DATA);
    assert_null(none);
    print_message("%s\n", error.message);
    for (; *words; words++)
        if (!strstr(error.message, *words)) fail_msg("the message lacks '%s'", *words);
    pio_scene_free(bad);
}

static void a_particle_with_two_points_at_one_time_is_refused_at_the_first_second_one(void **state)
{
    (void)state;
    static const char *const words[] = {"twice.csv:5:5: error: ", "particle 1 has two points at 0.5 s", NULL};
    refused(PIO_SOURCE_DIR "/tests/data/bad_scenes/parts/twice.yaml", words);
}

static void a_design_that_governs_no_particle_is_refused_at_its_target(void **state)
{
    (void)state;
    static const char *const words[] = {"governs_none.yaml:4:43: error: design[0].target[1]: ",
                                        "'materials.soft.E' governs nothing", "remove one of the entries", NULL};
    refused(PIO_SOURCE_DIR "/tests/data/bad_scenes/parts/governs_none.yaml", words);
}

#define THIN PIO_SOURCE_DIR "/tests/data/bad_scenes/parts/thin.yaml"

/* Two that are thin go through each other; one that is is kept by any other, and the grid keeps all. */
static void two_bodies_too_thin_for_a_potential_are_refused(void **state)
{
    static const char *const words[] = {
        "thin.yaml:11:", "contact.model: ", "bodies 'one' at (0.225, 0.225) and 'two' at (0.225, 0.525) are so thin",
        "at least a spacing of the grid, 0.1 m, thick", NULL};
    static const struct {
        const char *sets[2];
        piola_status status;
    } list[] = {
        {{"bodies.one.geometry=dot", "bodies.two.geometry=dot"}, PIOLA_BAD_DATA},
        {{"bodies.one.geometry=dot", "seed=1"}, PIOLA_BAD_DATA},
        {{"bodies.one.geometry=plate", "seed=1"}, PIOLA_OK},
        {{"bodies.one.geometry=plate", "bodies.two.geometry=plate"}, PIOLA_OK},
        {{"bodies.one.geometry=ball", "seed=1"}, PIOLA_OK},
        {{"bodies.one.fill={particles_per_cell: 16}", "bodies.two.fill={particles_per_cell: 16}"}, PIOLA_BAD_DATA},
        {{"contact.model=grid", "seed=1"}, PIOLA_OK}};
    (void)state;
    refused(THIN, words);
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        pio_scene *thin = NULL;
        pio_model *made = NULL;
        piola_error error = {0};
        assert_int_equal(load_scene(&thin, THIN, list[k].sets, 2, stderr, &error), PIOLA_OK);
        const piola_status status = pio_model_create(&made, thin, &error);
        print_message("%s, %s: %s\n", list[k].sets[0], list[k].sets[1], status ? error.message : "accepted");
        assert_int_equal(status, list[k].status);
        pio_model_free(made);
        pio_scene_free(thin);
    }
}

/* In space a layer is thin, two are not, nor are the edges and corners of what is thick. */
static void a_layer_is_too_thin_in_space(void **state)
{
    static const char *const layers[] = {"[0.6, 0.6, 0.25]", "[0.6, 0.6, 0.3]", "[0.6, 0.25, 0.25]", "[0.6, 0.6, 0.6]"};
    (void)state;
    for (int k = 0; k < 4; k++) {
        char geometry[160];
        const char *sets[] = {geometry, "method.grid.spacing=0.1",
                              "bodies=[{name: one, geometry: it, material: soft}, "
                              "{name: two, geometry: it, material: soft, position: [0, 0, 0.1]}]",
                              "contact={fields: [{bodies: one}], model: potential}"};
        pio_scene *thin = NULL;
        pio_model *made = NULL;
        piola_error error = {0};
        snprintf(geometry, sizeof geometry, "geometry=[{name: it, type: box, min: [0.2, 0.2, 0.2], max: %s}]",
                 layers[k]);
        if (load_scene(&thin, PIO_SOURCE_DIR "/tests/data/bad_scenes/parts/base_3d.yaml", sets, 4, stderr, &error))
            fail_msg("%s", error.message);
        const piola_status status = pio_model_create(&made, thin, &error);
        print_message("to %s: %s\n", layers[k], status ? error.message : "accepted");
        assert_int_equal(status, k % 2 ? PIOLA_OK : PIOLA_BAD_DATA);
        pio_model_free(made);
        pio_scene_free(thin);
    }
}

/* ---- the objective -------------------------------------------------------------------------------------- */

static void objective_slope_is_the_derivative_of_every_sample(void **state)
{
    (void)state;
    pio_objective objective;
    piola_error error = {0};
    const size_t n = (size_t)model->n_samples;
    double *y = calloc(n, sizeof *y), *bar = calloc(n, sizeof *bar), worst = 0;
    assert_true(y && bar);
    if (pio_objective_create(&objective, model, &error)) fail_msg("%s", error.message);
    for (size_t i = 0; i < n; i++) y[i] = 0.3 + 0.1 * sin((double)(i + 1));
    const double J = pio_objective_evaluate(&objective, model, y, NULL, NULL, bar);
    int moved = 0;
    for (size_t i = 0; i < n; i++) { /* terms are at most quadratic: central differences are exact but for rounding */
        const double kept = y[i], e = 1e-2;
        y[i] = kept + e;
        const double up = pio_objective_evaluate(&objective, model, y, NULL, NULL, NULL);
        y[i] = kept - e;
        const double down = pio_objective_evaluate(&objective, model, y, NULL, NULL, NULL);
        y[i] = kept;
        moved += fabs(bar[i]) > 0;
        const double rounding = 4 * 2.2e-16 * fabs(J) / e, error_of = fabs((up - down) / (2 * e) - bar[i]);
        worst = fmax(worst, fmax(error_of - rounding, 0) / fmax(fabs(bar[i]), 1e-300));
    }
    print_message("%d of %zu samples matter; J = %.9g\n", moved, n, J);
    assert_true(moved > 3);
    below("slope against central difference beyond J's rounding, relative", worst, 1e-8);
    pio_objective_free(&objective);
    free(y);
    free(bar);
}

/* laws_3d.yaml: a and b share a field, c has one, all others share a third; only g is viscous, and a by design. */
static void particles_have_the_velocity_field_and_the_viscosity_of_their_body(void **state)
{
    static const int fields[] = {0, 0, 1, 2, 2, 2, 2};
    static const double viscosity[] = {0, 0, 0, 0, 0, 0, 20};
    pio_scene *laws = NULL;
    pio_model *made = NULL;
    piola_error error;
    int wrong = 0;
    (void)state;
    if (load_scene(&laws, PIO_SOURCE_DIR "/tests/data/good_scenes/laws_3d.yaml", NULL, 0, stderr, &error))
        fail_msg("%s", error.message);
    if (pio_model_create(&made, laws, &error)) fail_msg("%s", error.message);
    const pio_particles_desc *p = &made->desc.particles;
    assert_int_equal(p->fields, 3);
    for (int64_t i = 0; i < p->n; i++)
        wrong += p->field[i] != fields[p->body[i]] || fabs(p->viscosity[i] - viscosity[p->body[i]]) > 0;
    print_message("%d of %d particles in another field, or of another viscosity (threshold 0)\n", wrong, (int)p->n);
    assert_int_equal(wrong, 0);
    below("friction - 0.3", fabs(made->desc.friction - 0.3), 0);
    below("regularisation velocity - 10 mm/s", fabs(made->desc.regularisation_velocity - 0.01), 1e-17);
    int design = 0;
    for (int k = 0; k < made->n_parameters; k++) {
        design += made->designs[k].quantity == PIO_FRICTION;
        design += 10 * (made->designs[k].quantity == PIO_VISCOSITY);
    }
    assert_int_equal(design, 21); /* friction once, viscosities of solids twice */
    pio_model_free(made);
    pio_scene_free(laws);
}

static void walls_have_the_friction_of_their_face_and_its_design(void **state)
{
    pio_scene *rough;
    pio_model *made;
    piola_error error;
    int wrong = 0, designs = 0;
    (void)state;
    if (load_scene(&rough, PIO_SOURCE_DIR "/tests/data/good_scenes/walls_3d.yaml", NULL, 0, stderr, &error))
        fail_msg("%s", error.message);
    if (pio_model_create(&made, rough, &error)) fail_msg("%s", error.message);
    const pio_grid_desc *g = &made->desc.grid;
    static const double friction[3][2] = {{0, 0}, {0.4, 0.1}, {0.25, 0.3}};
    for (int a = 0; a < 3; a++)
        for (int side = 0; side < 2; side++) wrong += fabs(g->wall_friction[a][side] - friction[a][side]) > 0;
    below("faces with another friction", wrong, 0);
    below("friction velocity - 50 mm/s", fabs(g->wall_friction_velocity - 0.05), 1e-17);
    assert_int_equal(g->wall[0][1], PIO_WALL_STICKY_SEPARATE);
    for (int k = 0; k < made->n_parameters; k++)
        if (made->designs[k].quantity == PIO_WALL_FRICTION) designs = 10 * designs + made->designs[k].which;
    print_message("designs of the faces %d, one digit each\n", designs);
    assert_int_equal(designs, 245); /* y_min, z_min, z_max */
    pio_model_free(made);
    pio_scene_free(rough);
}

/* The good scene's paddle moves by numbers, and its post by a file of the same. */
static void an_obstacles_motion_from_a_file_is_that_of_its_numbers(void **state)
{
    pio_scene *moving;
    pio_model *made;
    piola_error error;
    (void)state;
    if (load_scene(&moving, PIO_SOURCE_DIR "/tests/data/good_scenes/obstacles_2d.yaml", NULL, 0, stderr, &error))
        fail_msg("%s", error.message);
    if (pio_model_create(&made, moving, &error)) fail_msg("%s", error.message);
    const pio_obstacle_desc *paddle = &made->desc.obstacles[1], *post = &made->desc.obstacles[2];
    print_message("%d points by numbers, %d by the file\n", paddle->n_points, post->n_points);
    assert_int_equal(paddle->n_points, 3);
    assert_int_equal(post->n_points, 3);
    assert_true(paddle->motion[2 * PIO_MOTION_NUMBERS] > 0.09);
    assert_memory_equal(paddle->motion, post->motion, 3 * PIO_MOTION_NUMBERS * sizeof(double));
    pio_model_free(made);
    pio_scene_free(moving);
}

int main(void)
{
    const struct CMUnitTest fills[] = {
        cmocka_unit_test(every_fill_has_the_exact_volume_and_lies_inside),
        cmocka_unit_test(a_cut_fill_has_the_moments_of_a_ball),
        cmocka_unit_test(jitter_depends_on_seed_and_stream_alone),
        cmocka_unit_test(a_shape_smaller_than_a_particle_is_refused),
    };
    const struct CMUnitTest faults[] = {
        cmocka_unit_test(a_particle_with_two_points_at_one_time_is_refused_at_the_first_second_one),
        cmocka_unit_test(a_design_that_governs_no_particle_is_refused_at_its_target),
        cmocka_unit_test(two_bodies_too_thin_for_a_potential_are_refused),
        cmocka_unit_test(a_layer_is_too_thin_in_space),
    };
    const struct CMUnitTest models[] = {
        cmocka_unit_test(every_sample_is_exact_for_a_linear_signal),
        cmocka_unit_test(sample_weights_ascend_in_step_and_stay_in_the_run),
        cmocka_unit_test(values_of_the_start_are_the_initial_ones_to_the_bit),
        cmocka_unit_test(particles_of_a_body_lie_together_and_ascend_in_cells),
        cmocka_unit_test(objective_slope_is_the_derivative_of_every_sample),
        cmocka_unit_test(particles_have_the_velocity_field_and_the_viscosity_of_their_body),
        cmocka_unit_test(walls_have_the_friction_of_their_face_and_its_design),
        cmocka_unit_test(an_obstacles_motion_from_a_file_is_that_of_its_numbers),
    };
    return cmocka_run_group_tests_name("fill", fills, NULL, NULL) +
           cmocka_run_group_tests_name("faults", faults, NULL, NULL) +
           cmocka_run_group_tests_name("model", models, open_model, close_model);
}

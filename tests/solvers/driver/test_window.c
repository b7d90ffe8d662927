/* test_window.c -- is the gradient of a window the derivative of J with the state at its beginning held, for both
 * methods, and the same bits for every schedule? The state there goes to the host and comes back to runs with other
 * designs; what differences of their samples say is what the adjoint must. */
#include "tests/solvers/fem/fem_case.h"
#include "tests/solvers/mpm/mpm_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { STEPS = 20, FIRST = 12, MOST_VARIABLES = 400, SAMPLES = 64, DIRECTIONS = 3 };

/* What is the same of either method: J = sum of linear_k times sample k. */
typedef struct {
    const pio_engine *engine;
    pio_engine_desc *desc;
    pio_sim *sim;
    size_t state; /* bytes */
    int samples, variables;
    double linear[SAMPLES], z[MOST_VARIABLES];
} subject;

static mpm_case particles;
static fem_case mesh;

static void need_ok(piola_status rc, const piola_error *error)
{
    if (rc) fail_msg("%s", error->message);
}

static void create(subject *s, int64_t first, int64_t slots)
{
    pio_engine_bytes bytes;
    piola_error error;
    s->desc->first = first;
    s->desc->slots = slots;
    need_ok(s->engine->create(s->desc, &s->sim, &bytes, &error), &error);
    s->state = bytes.state;
}

/* dJ/dz by the schedule, which is ended. */
static void gradient_by(subject *s, pio_schedule schedule, double *z_bar)
{
    double samples[2 * SAMPLES];
    sample_terms terms = {s->samples, s->linear, NULL};
    const pio_sweep sweep = {.context = &terms, .objective = sample_terms_objective};
    pio_sweep_result result;
    piola_error error;
    create(s, schedule.first, schedule.slots);
    need_ok(pio_gradient(s->engine, s->sim, &schedule,
                         &(pio_sweep_arrays){.z = s->z, .samples = samples, .n_samples = s->samples, .z_bar = z_bar},
                         &sweep, &result, &error),
            &error);
    s->engine->destroy(s->sim);
    pio_schedule_end(&schedule);
}

/* J of the run that goes on from `state`, number FIRST, with designs z; samples of what was before are not in it. */
static double J_after(subject *s, const double *z, const void *state)
{
    double before[SAMPLES], after[SAMPLES], J = 0;
    piola_error error;
    need_ok(s->engine->start(s->sim, z, &error), &error);
    need_ok(s->engine->samples(s->sim, before, &error), &error);
    need_ok(s->engine->state_in(s->sim, state, FIRST, &error), &error);
    need_ok(s->engine->advance(s->sim, STEPS - FIRST, &error), &error);
    need_ok(s->engine->check(s->sim, &error), &error);
    need_ok(s->engine->samples(s->sim, after, &error), &error);
    for (int k = 0; k < s->samples; k++) J += s->linear[k] * (after[k] - before[k]);
    return J;
}

static void compare_with_differences(subject *s, const char *name)
{
    static double of_window[MOST_VARIABLES], whole[MOST_VARIABLES];
    piola_error error;
    double worst = 0, other = 0;
    gradient_by(s, pio_schedule_window(pio_schedule_store_all(STEPS - FIRST, 1), FIRST), of_window);
    gradient_by(s, pio_schedule_store_all(STEPS, 1), whole);
    create(s, 0, 0);
    void *state = malloc(s->state);
    assert_non_null(state);
    need_ok(s->engine->start(s->sim, s->z, &error), &error);
    need_ok(s->engine->advance(s->sim, FIRST, &error), &error);
    need_ok(s->engine->state_out(s->sim, state, &error), &error);
    for (int d = 0; d < DIRECTIONS; d++) {
        const double e = 1e-4;
        double z[MOST_VARIABLES], J[4], slope = 0, of_whole = 0, scale = 0;
        for (int k = 0; k < 4; k++) {
            for (int v = 0; v < s->variables; v++)
                z[v] = s->z[v] + (k % 2 ? -1 : 1) * (k / 2 ? 2 : 1) * e * cos(1 + 7 * v * (d + 1) + d);
            J[k] = J_after(s, z, state);
        }
        for (int v = 0; v < s->variables; v++) {
            const double direction = cos(1 + 7 * v * (d + 1) + d);
            slope += of_window[v] * direction;
            of_whole += whole[v] * direction;
            scale += fabs(of_window[v] * direction);
        }
        const double difference = (8 * (J[0] - J[1]) - (J[2] - J[3])) / (12 * e);
        worst = fmax(worst, fabs(slope - difference) / scale);
        other = fmax(other, fabs(of_whole - difference) / scale);
    }
    print_message(
        "%s: window against differences %.2g (limit 1e-7); the whole gradient against them %.2g (over 1e-2)\n", name,
        worst, other);
    assert_true(worst <= 1e-7);
    assert_true(other > 1e-2); /* control */
    s->engine->destroy(s->sim);
    free(state);
}

static void compare_schedules(subject *s, const char *name, int initial)
{
    static double z_bar[5][MOST_VARIABLES];
    const int64_t length = STEPS - FIRST;
    const size_t bytes = sizeof(double) * (size_t)s->variables;
    double largest = 0;
    gradient_by(s, pio_schedule_window(pio_schedule_store_all(length, 1), FIRST), z_bar[0]);
    gradient_by(s, pio_schedule_window(pio_schedule_store_all(length, 2), FIRST), z_bar[1]);
    gradient_by(s, pio_schedule_window(pio_schedule_checkpoint(length, 2, 0, 1), FIRST), z_bar[2]);
    gradient_by(s, pio_schedule_window(pio_schedule_checkpoint(length, 3, 0, 2), FIRST), z_bar[3]);
    for (int k = 1; k < 4; k++) assert_memory_equal(z_bar[0], z_bar[k], bytes);
    for (int v = 0; v < initial; v++)
        if (fpclassify(z_bar[0][v]) != FP_ZERO) fail_msg("dJ/dz[%d] of the initial state is %g", v, z_bar[0][v]);
    gradient_by(s, pio_schedule_store_all(STEPS, 1), z_bar[4]);
    for (int v = 0; v < initial; v++) largest = fmax(largest, fabs(z_bar[4][v]));
    print_message(
        "%s: four schedules, the same bits; %d variables of the initial state: 0, of the whole run up to %g\n", name,
        initial, largest);
    assert_true(largest > 1e-3); /* control */
    gradient_by(s, pio_schedule_window(pio_schedule_store_all(STEPS, 1), 0), z_bar[1]);
    assert_memory_equal(z_bar[1], z_bar[4], bytes); /* a full window */
}

static subject subject_of(const pio_engine *engine, pio_engine_desc *desc, int samples, int variables,
                          const double *linear)
{
    subject s = {.engine = engine, .desc = desc, .samples = samples, .variables = variables};
    assert_true(samples <= SAMPLES && variables <= MOST_VARIABLES);
    memcpy(s.linear, linear, sizeof *linear * (size_t)samples);
    for (int v = 0; v < variables; v++) s.z[v] = 0.1 * sin(v);
    return s;
}

/* A solid and a fluid collide; observations before, at and after the beginning of the window, some of them between
 * states. */
static subject collision(int *initial)
{
    mpm_case *c = &particles;
    case_init(c, 26, 20, 12, 0.1, 2e-3, STEPS);
    for (int side = 0; side < 2; side++) {
        case_wall(c, 0, side, PIO_WALL_SEPARATE, side ? 22 : 2);
        case_wall(c, 1, side, PIO_WALL_SLIP, side ? 16 : 2);
        case_wall(c, 2, side, PIO_WALL_SLIP, side ? 8 : 2);
    }
    c->desc.gravity[1] = -9.81;
    const case_body solid = {
        .law = PIO_HYPER_FIXED_COROTATED, .parameters = {4e4, 0.3, 0}, .density = 1100, .velocity = {2, -1, 0.3}};
    const case_body fluid = {
        .law = PIO_TAIT, .parameters = {3e4, 7, 5}, .density = 1000, .velocity = {-1.5, -0.5, -0.4}};
    const double lo[2][3] = {{0.45, 0.3, 0.3}, {1.0, 0.25, 0.3}}, hi[2][3] = {{0.95, 0.8, 0.55}, {1.5, 0.65, 0.55}};
    case_block(c, &solid, lo[0], hi[0], 2, 0.3);
    case_block(c, &fluid, lo[1], hi[1], 2, 0.3);
    const int x = case_observe(c, PIO_MEAN_POSITION, 0, 1), v = case_observe(c, PIO_MEAN_VELOCITY, 1, 1);
    const int e = case_observe(c, PIO_KINETIC_ENERGY, 0, 1), d = case_observe_distance(c, 1, 2, 0.2);
    case_sample(c, x, STEPS, 0, 1);
    for (int64_t k = 0; k <= STEPS; k += 3) case_sample(c, v, k, 0, 0.1);
    for (int64_t k = 0; k <= STEPS; k++) case_sample(c, e, k, 0, 1e-3);
    case_sample(c, d, FIRST + 1, 0, 1)->past = 0.4;
    case_sample(c, d, STEPS - 2, 1, 1)->past = 0.3;
    case_design(c, PIO_VELOCITY, 0, CASE_SCALAR, 0, 2, 1);
    case_design(c, PIO_POSITION, 1, CASE_SCALAR, 0, 0, 0.1);
    *initial = c->variables;
    case_design(c, PIO_LAW_PARAMETER_0, 0, CASE_GROUPS, 1, log(4e4), 1);
    case_design(c, PIO_LAW_PARAMETER_2, 1, CASE_SCALAR, 0, 5, 1);
    case_design(c, PIO_DENSITY, 1, CASE_SCALAR, 0, 1000, 100);
    case_design(c, PIO_GRAVITY, -1, CASE_SCALAR, 0, -3, 1);
    piola_engine.destroy(case_create(c, 0, 1)); /* fills the description */
    return subject_of(&piola_engine, &c->desc, c->samples, c->variables, c->linear);
}

static void of_particles_it_is_the_derivative_with_the_state_held(void **unused)
{
    int initial;
    (void)unused;
    subject s = collision(&initial);
    compare_with_differences(&s, "particles");
    compare_schedules(&s, "particles", initial);
    case_free(&particles);
}

/* A damped body on springs under a load that follows it, one side of it constrained where a curve says. */
static subject swing(pio_integrator integrator, int *initial)
{
    const fem_material m[2] = {fem_material_of(PIO_HYPER_NEO_HOOKEAN, 1000), fem_material_of(PIO_HYPER_HENCKY, 1500)};
    static const pio_observable seen[] = {PIO_DISPLACEMENT, PIO_MEAN_VELOCITY, PIO_KINETIC_ENERGY,
                                          PIO_COMPLIANCE,   PIO_STRAIN_ENERGY, PIO_REACTION};
    static const double t[] = {0, 0.02}, moved[] = {0, 1};
    const pio_element_type box = FEM_DIM == 2 ? PIO_QUAD4 : PIO_HEX8;
    fem_case *c = &mesh;
    fem_case_begin(c, 0.001, STEPS);
    fem_case_grid(c, (fem_grid){box, box, {2, 2, 1}, NULL, 0.2});
    fem_case_matter(c, m, 2, 0.8);
    c->desc.gravity[1] = -9.81;
    fem_case_motion(c, integrator, 1, 2, 1e-4);
    fem_case_hold_side(c, 0, 0, 0, fem_case_support(c, 0.02, fem_case_curve(c, 2, t, moved)));
    for (int a = 1; a < FEM_DIM; a++) fem_case_hold_side(c, 0, 0, a, fem_case_support(c, 0, 0));
    const int pressure = fem_case_value(c, 40, 0, 0), push = fem_case_value(c, 20, -30, 10);
    fem_case_load(c, PIO_FOLLOWER, 0, 1, pressure, 0);
    fem_case_load(c, PIO_TRACTION, 1, 1, push, 0);
    for (int i = 0; i < c->n * FEM_DIM; i++)
        if (!fem_case_on_side(c, i / FEM_DIM, 0, 0)) c->initial_velocity[i] = 0.3 * fem_case_random(c);
    for (int k = 0; k < (integrator == PIO_LEAPFROG ? 5 : 6); k++) {
        const int o = fem_case_observe(c, seen[k], 1);
        for (int64_t step = k % 2; step <= STEPS; step += 1 + k % 3) fem_case_sample(c, o, step, 0, 0.1);
    }
    const int d = fem_case_observe(c, PIO_DISTANCE, 2);
    fem_case_sample(c, d, FIRST + 1, 0, 1)->past = 0.4;
    fem_case_sample(c, d, STEPS - 2, 1, 1)->past = 0.3;
    fem_case_design(c, PIO_VELOCITY, -1, FEM_SCALAR, fem_linear(0, 1), 0);
    fem_case_design(c, PIO_DISPLACED, -1, FEM_SCALAR, fem_linear(0, 0.01), 0);
    *initial = c->variables;
    fem_case_design_matter(c);
    fem_case_design(c, PIO_LOAD, -1, FEM_SCALAR, fem_linear(40, 10), pressure);
    fem_case_design(c, PIO_SUPPORT, -1, FEM_SCALAR, fem_linear(0.02, 0.01), 0);
    fem_case_design(c, PIO_STIFFNESS_DAMPING, -1, FEM_SCALAR, fem_linear(1e-4, 1e-5), 0);
    fem_case_describe(c, 0, 1);
    return subject_of(&piola_engine_fem, &c->desc, c->samples, c->variables, c->linear);
}

static void of_meshes_it_is_the_derivative_with_the_state_held(void **unused)
{
    static const char *const names[] = {[PIO_BACKWARD_EULER] = "backward Euler",
                                        [PIO_BDF2] = "BDF2",
                                        [PIO_NEWMARK] = "Newmark",
                                        [PIO_LEAPFROG] = "leapfrog"};
    (void)unused;
    for (int i = PIO_BACKWARD_EULER; i <= PIO_LEAPFROG; i++) {
        int initial;
        subject s = swing((pio_integrator)i, &initial);
        compare_with_differences(&s, names[i]);
        compare_schedules(&s, names[i], initial);
        fem_case_free(&mesh);
    }
}

static void a_window_outside_the_run_is_refused(void **unused)
{
    int initial;
    pio_engine_bytes bytes;
    piola_error error;
    (void)unused;
    for (int fem = 0; fem < 2; fem++) {
        subject s = fem ? swing(PIO_LEAPFROG, &initial) : collision(&initial);
        static const int64_t outside[] = {-1, STEPS, STEPS + 1};
        for (int k = 0; k < 3; k++) {
            s.desc->first = outside[k];
            assert_int_equal(s.engine->create(s.desc, &s.sim, &bytes, &error), PIOLA_INTERNAL);
        }
        if (fem)
            fem_case_free(&mesh);
        else
            case_free(&particles);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_particles_it_is_the_derivative_with_the_state_held),
        cmocka_unit_test(of_meshes_it_is_the_derivative_with_the_state_held),
        cmocka_unit_test(a_window_outside_the_run_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_layout.c -- does anything but the storage depend on the layout of fields? The same run in an engine of
 * records and in one built with PIO_BLOCK=16 (kernels/base/vec.h): states, samples and gradients must be the same bits.
 *
 * Both engines are modules that are loaded here, compiled without contraction to FMA: equal bits are a promise of the
 * text, not of which product of a sum gcc contracts in one layout or the other. The build defines the name piola_engine
 * as (*layout_engine), so that what mpm_case.c runs is the engine that the test has chosen. */
#include "tests/solvers/mpm/mpm_case.h"
#include "solvers/mpm/mpm.h"
#include "tests/solvers/engine/device_numbers.h"

#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { D = CASE_DIM, STEPS = 40, BLOCK = 16 };

const pio_engine *layout_engine;
enum { PLAIN, BLOCKS, LAYOUTS };
static const char *const paths[LAYOUTS] = {TEST_PLAIN_ENGINE, TEST_BLOCKS_ENGINE};
static void *modules[LAYOUTS];

static void choose(int layout)
{
    layout_engine = dlsym(modules[layout], "piola_engine");
    if (!layout_engine) fail_msg("%s: %s", paths[layout], dlerror());
}

/* They stay loaded to the end: threads of OpenMP wait in code that would go with the last of them. */
static int load_both(void **unused)
{
    (void)unused;
    for (int i = 0; i < LAYOUTS; i++) {
        modules[i] = dlopen(paths[i], RTLD_NOW | RTLD_LOCAL);
        if (!modules[i]) {
            print_error("%s\n", dlerror());
            return 1;
        }
    }
    return 0;
}

/* ---- the case -------------------------------------------------------------------------------------------- */

static void observe(mpm_case *c)
{
    const int x = case_observe(c, PIO_MEAN_POSITION, 0, 1), v = case_observe(c, PIO_MEAN_VELOCITY, 1, 1);
    const int e = case_observe(c, PIO_KINETIC_ENERGY, 0, 1), d = case_observe_distance(c, 1, 1, 0.2);
    const int f = case_observe(c, PIO_FRONT, 1, 1);
    c->observation[f].axis = D - 1;
    c->observation[f].sharpness = 40;
    case_sample(c, x, STEPS, 0, 1);
    case_sample(c, d, STEPS / 2, 0, 1);
    case_sample(c, f, STEPS - 3, 0, 1);
    for (int64_t s = 0; s <= STEPS; s += 3) case_sample(c, v, s, 0, 0.1);
    for (int64_t s = 0; s <= STEPS; s++) case_sample(c, e, s, 0, 1e-3);
}

/* A solid with driven fibres and a fluid collide between walls. Every quantity is a design, of one variable, of groups
 * or of one for each particle. Neither particles nor nodes fill their last block. */
static void collision(mpm_case *c, double dt)
{
    const double fibre[2][3] = {{1, 0.5, -0.3}, {0.2, 1, 0.4}}, dx = 0.1;
    case_init(c, 25, 19, 11, dx, dt, STEPS);
    for (int side = 0; side < 2; side++) {
        case_wall(c, 0, side, PIO_WALL_SEPARATE, side ? 22 : 2);
        case_wall(c, 1, side, PIO_WALL_STICKY, side ? 16 : 2);
        case_wall(c, 2, side, PIO_WALL_SLIP, side ? 8 : 2);
    }
    c->desc.gravity[1] = -9.81;
    const case_body solid = {.law = PIO_HYPER_FIXED_COROTATED,
                             .parameters = {4e4, 0.3, 0},
                             .density = 1100,
                             .velocity = {2, -1, 0.3},
                             .spin = {{0, -1.5, 0.2}, {1.5, 0, 0.1}, {-0.2, -0.1, 0}},
                             .centre = {0.7, 0.8, 0.4}};
    const case_body fluid = {
        .law = PIO_TAIT, .parameters = {3e4, 7, 5}, .density = 1000, .velocity = {-1.5, -0.5, -0.4}};
    const double lo[2][3] = {{0.35, 0.3, 0.3}, {1.1, 0.25, 0.3}}, hi[2][3] = {{1.05, 1.3, 0.45}, {1.8, 0.95, 0.45}};
    case_block(c, &solid, lo[0], hi[0], 2, 0.3);
    case_block(c, &fluid, lo[1], hi[1], 2, 0.3);
    case_particle(c, &solid, (const double[3]){1.2, 1.4, 0.5}, 1e-3);
    for (int k = 0; k < 2; k++)
        case_channel(c, &(pio_channel_desc){PIO_SINE, 3e3 * (k + 1), 12, 0.4 * k}, k ? 2 : 0, fibre[k]);
    observe(c);
    case_design(c, PIO_VELOCITY, 0, CASE_EACH, 0, 2, 1);
    case_design(c, PIO_VELOCITY, 1, CASE_GROUPS, 0, -1, 1);
    case_design(c, PIO_POSITION, 1, CASE_EACH, 0, 0, dx);
    case_design(c, PIO_LAW_PARAMETER_0, 0, CASE_EACH, 1, log(4e4), 1);
    case_design(c, PIO_LAW_PARAMETER_1, 0, CASE_EACH, 0, 0.3, 0.1);
    case_design(c, PIO_LAW_PARAMETER_1, 1, CASE_GROUPS, 0, 7, 1);
    case_design(c, PIO_LAW_PARAMETER_2, 1, CASE_EACH, 0, 5, 1);
    case_design(c, PIO_DENSITY, -1, CASE_EACH, 0, 1000, 100);
    case_design(c, PIO_GRAVITY, -1, CASE_SCALAR, 0, -3, 1);
    case_design(c, PIO_AMPLITUDE, -1, CASE_SCALAR, 0, 4e3, 1e3);
    case_design(c, PIO_FREQUENCY, -1, CASE_SCALAR, 0, 12, 1);
    case_design(c, PIO_PHASE, -1, CASE_SCALAR, 0, 0.3, 1);
    assert_true(c->n % BLOCK != 0 && c->n > 10 * BLOCK && 25 * 19 * (D == 3 ? 11 : 1) % BLOCK != 0);
}

/* ---- everything that a run gives ---------------------------------------------------------------------------- */

enum { MOST_PARTS = 64 };
typedef struct {
    int parts;
    struct {
        const char *name;
        double *values;
        size_t count;
    } part[MOST_PARTS];
} results;

static void keep(results *r, const char *name, const double *values, size_t count)
{
    double *copy = malloc(sizeof *copy * (count + 1));
    if (!copy || r->parts == MOST_PARTS) fail_msg("no room for %s", name);
    memcpy(copy, values, sizeof *copy * count);
    r->part[r->parts].name = name;
    r->part[r->parts].values = copy;
    r->part[r->parts++].count = count;
}

static void free_results(results *r)
{
    for (int i = 0; i < r->parts; i++) free(r->part[i].values);
    r->parts = 0;
}

static void keep_fields(results *r, pio_sim *sim, int64_t n, const char *const *fields)
{
    for (; *fields; fields++) {
        double *values = case_read(sim, *fields, n);
        keep(r, *fields, values, (size_t)(n * layout_engine->components(sim, *fields)));
        free(values);
    }
}

static const char *const state_fields[] = {"position", "velocity", "C", "offset", "F", "J", "pressure", "mass", NULL};
static const char *const other_fields[] = {"parameter_0",      "parameter_1",
                                           "parameter_2",      "density",
                                           "volume",           "adj_position",
                                           "adj_velocity",     "grad_position",
                                           "grad_velocity",    "grad_parameter_0",
                                           "grad_parameter_1", "grad_parameter_2",
                                           "grad_density",     NULL};

static void variables(const mpm_case *c, double *z)
{
    for (int i = 0; i < c->variables; i++) z[i] = 0.1 * sin(i);
}

static pio_sim *whole_run(mpm_case *c, results *r)
{
    static double z[CASE_VARIABLES], z_bar[CASE_VARIABLES];
    double samples[256] = {0}, gravity[D] = {0};
    piola_error error;
    pio_sim *sim = case_create(c, STEPS, 1);
    variables(c, z);
    const double forward = case_forward(c, sim, z);
    keep(r, "J of the run forward", &forward, 1);
    keep_fields(r, sim, c->n, state_fields);
    if (layout_engine->samples(sim, samples, &error)) fail_msg("samples: %s", error.message);
    keep(r, "samples", samples, (size_t)c->samples);
    const double J = case_gradient(c, sim, NULL, z, z_bar);
    keep(r, "J", &J, 1);
    keep(r, "z_bar", z_bar, (size_t)c->variables);
    keep_fields(r, sim, c->n, other_fields);
    assert_int_equal(device_gravity_bar(sim, gravity), 0);
    keep(r, "gravity_bar", gravity, D);
    return sim;
}

/* Numbers that are not the same bits, of all or of one part (NULL: all). */
static size_t different(const results *a, const results *b, const char *part)
{
    size_t count = 0;
    assert_int_equal(a->parts, b->parts);
    for (int i = 0; i < a->parts; i++) {
        assert_string_equal(a->part[i].name, b->part[i].name);
        assert_int_equal(a->part[i].count, b->part[i].count);
        if (part && strcmp(part, a->part[i].name)) continue;
        for (size_t k = 0; k < a->part[i].count; k++)
            count += memcmp(&a->part[i].values[k], &b->part[i].values[k], sizeof(double)) != 0;
    }
    return count;
}

static const double *values_of(const results *r, const char *name)
{
    for (int i = 0; i < r->parts; i++)
        if (!strcmp(r->part[i].name, name)) return r->part[i].values;
    fail_msg("nothing is kept of %s", name);
    return NULL;
}

/* ---- tests ------------------------------------------------------------------------------------------------ */

static void both_layouts_give_the_same_bits(void **unused)
{
    static mpm_case c;
    results r[LAYOUTS] = {{0}};
    (void)unused;
    for (int i = 0; i < LAYOUTS; i++) {
        choose(i);
        collision(&c, 2e-3);
        if (i == 0) print_message("  %d particles, %d variables, %d steps\n", (int)c.n, c.variables, STEPS);
        layout_engine->destroy(whole_run(&c, &r[i]));
        case_free(&c);
    }
    for (int i = 0; i < r[PLAIN].parts; i++) {
        const char *name = r[PLAIN].part[i].name;
        const double *v = r[PLAIN].part[i].values;
        size_t zeros = 0, finite = 0, count = r[PLAIN].part[i].count;
        for (size_t k = 0; k < count; k++) zeros += fabs(v[k]) <= 0, finite += isfinite(v[k]) != 0;
        print_message("  %-22s %6zu numbers, %5zu of them zero, %zu differ\n", name, count, zeros,
                      different(&r[PLAIN], &r[BLOCKS], name));
        assert_true(finite == count && zeros < count);
    }
    assert_int_equal(different(&r[PLAIN], &r[BLOCKS], NULL), 0);

    /* the comparison can fail: one bit, and a volume that is one rounding away */
    uint64_t bits;
    double *one = r[BLOCKS].part[3].values + 5;
    memcpy(&bits, one, sizeof bits);
    bits ^= 1;
    memcpy(one, &bits, sizeof bits);
    assert_int_equal(different(&r[PLAIN], &r[BLOCKS], NULL), 1);
    free_results(&r[BLOCKS]);
    collision(&c, 2e-3);
    c.volume[7] *= 1 + 0x1p-52;
    layout_engine->destroy(whole_run(&c, &r[BLOCKS]));
    case_free(&c);
    print_message("  one volume larger by 2^-52: %zu numbers of the state's velocity differ, %zu of z_bar\n",
                  different(&r[PLAIN], &r[BLOCKS], "velocity"), different(&r[PLAIN], &r[BLOCKS], "z_bar"));
    assert_true(different(&r[PLAIN], &r[BLOCKS], "velocity") > 0 && different(&r[PLAIN], &r[BLOCKS], "z_bar") > 0);
    for (int i = 0; i < LAYOUTS; i++) free_results(&r[i]);
}

/* Where this file expects component c of item i; it does not use field_at. */
static size_t expected_at(int layout, size_t n, size_t components, size_t c, size_t i)
{
    (void)n;
    return layout == PLAIN ? i * components + c : (i / BLOCK * components + c) * BLOCK + i % BLOCK;
}

/* Numbers of a stored field that are not `values`; device memory is host memory here. */
static size_t misplaced(int layout, const real *stored, const int *id, size_t n, size_t components,
                        const double *values)
{
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < components; c++) {
            const double expected = values[(id ? (size_t)id[i] : i) * components + c];
            if (!(fabs(stored[expected_at(layout, n, components, c, i)] - expected) <= 0)) wrong++;
        }
    return wrong;
}

static void assert_padding_is_zero(const real *field, size_t n, size_t components)
{
    const size_t blocks = (n + BLOCK - 1) / BLOCK;
    for (size_t c = 0; c < components; c++)
        for (size_t i = n; i < blocks * BLOCK; i++)
            assert_true(fabs(field[expected_at(BLOCKS, n, components, c, i)]) <= 0);
}

static void the_storage_is_that_of_the_layout(void **unused)
{
    static mpm_case c;
    (void)unused;
    for (int i = 0; i < LAYOUTS; i++) {
        results r = {0};
        choose(i);
        collision(&c, 2e-3);
        pio_sim *sim = whole_run(&c, &r);
        const mpm_sim *m = mpm_of(sim);
        const mpm_state *s = &m->particles.state[m->particles.current];
        const size_t n = (size_t)c.n;
        double *velocity = case_read(sim, "velocity", c.n);
        const size_t right = misplaced(i, s->velocity, s->id, n, D, velocity);
        const size_t wrong = misplaced(1 - i, s->velocity, s->id, n, D, velocity);
        const size_t constants = (size_t)m->material.constants;
        const double *bar = values_of(&r, "grad_parameter_0");
        size_t parameters = 0;
        for (size_t k = 0; k < n; k++)
            if (!(fabs(m->material.parameters_bar[expected_at(i, n, constants, 0, k)] - bar[k]) <= 0)) parameters++;
        print_message("  %s: of %zu velocities %zu are not at their place, %zu not at that of the other layout\n",
                      i ? "blocks" : "plain", n * D, right, wrong);
        assert_int_equal(right, 0);
        assert_true(wrong > n);
        assert_true(constants > 1 && parameters == 0);
        assert_true(misplaced(i, m->material.parameters_bar, NULL, n, 1, bar) > 0); /* as if it were the only one */
        if (i == BLOCKS) {
            assert_padding_is_zero(s->velocity, n, D);
            assert_padding_is_zero(s->F, n, D * D);
            assert_padding_is_zero(m->particles.bar[0].F, n, D * D);
            assert_padding_is_zero(m->particles.bar[1].velocity, n, D);
            assert_padding_is_zero(m->material.parameters_bar, n, (size_t)m->material.constants);
            assert_padding_is_zero(m->grid.velocity, (size_t)m->grid.nodes, D);
            assert_padding_is_zero(m->grid.node_bar, (size_t)m->grid.nodes, D + 1);
        }
        free(velocity);
        free_results(&r);
        layout_engine->destroy(sim);
        case_free(&c);
    }
}

/* The check for NaN reads padding too; a false alarm would end the run. */
static void the_watch_for_nan_sees_none_in_the_padding(void **unused)
{
    static mpm_case c;
    results watched = {0}, plain = {0};
    (void)unused;
    choose(PLAIN);
    collision(&c, 2e-3);
    layout_engine->destroy(whole_run(&c, &plain));
    case_free(&c);
    choose(BLOCKS);
    collision(&c, 2e-3);
    assert_int_equal(setenv("PIOLA_NAN_WATCH", "1", 1), 0);
    layout_engine->destroy(whole_run(&c, &watched));
    assert_int_equal(different(&plain, &watched, NULL), 0);

    /* and it does look: a velocity that is not a number */
    static double z[CASE_VARIABLES];
    piola_error error;
    c.velocity[c.n * D - 1] = (double)NAN; /* of the particle that no design moves */
    pio_sim *sim = case_create(&c, 0, 1);
    assert_int_not_equal(layout_engine->start(sim, z, &error), PIOLA_OK);
    print_message("  %s\n", error.message);
    assert_non_null(strstr(error.message, "velocity"));
    layout_engine->destroy(sim);
    assert_int_equal(unsetenv("PIOLA_NAN_WATCH"), 0);
    free_results(&watched);
    free_results(&plain);
    case_free(&c);
}

static void a_fault_says_the_same(void **unused)
{
    static mpm_case c;
    static double z[CASE_VARIABLES];
    piola_error error[LAYOUTS];
    (void)unused;
    for (int i = 0; i < LAYOUTS; i++) {
        choose(i);
        collision(&c, 0.02); /* too long for waves, which activation makes faster */
        variables(&c, z);
        pio_sim *sim = case_create(&c, 0, 1);
        assert_int_equal(layout_engine->start(sim, z, &error[i]), PIOLA_OK);
        assert_int_equal(layout_engine->check(sim, &error[i]), PIOLA_NUMERICAL);
        layout_engine->destroy(sim);
        case_free(&c);
    }
    print_message("  %s\n", error[PLAIN].message);
    assert_string_equal(error[PLAIN].message, error[BLOCKS].message);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_layouts_give_the_same_bits),
        cmocka_unit_test(the_storage_is_that_of_the_layout),
        cmocka_unit_test(the_watch_for_nan_sees_none_in_the_padding),
        cmocka_unit_test(a_fault_says_the_same),
    };
    return cmocka_run_group_tests(tests, load_both, NULL);
}

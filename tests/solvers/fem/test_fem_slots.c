/* test_fem_slots.c -- does a slot keep the history of each integrator and no more, and give the bits of whole
 * states? */
#include "tests/solvers/fem/fem_case.h"
#include "tests/solvers/engine/slot_runner.h"
#include "solvers/fem/fem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { D = FEM_DIM, STEPS = 7 };
static const pio_element_type box = FEM_DIM == 2 ? PIO_QUAD4 : PIO_HEX8;

static const struct {
    pio_integrator integrator;
    const char *name;
    int kept; /* vectors */
} ways[] = {{PIO_STATIC, "static", 1},
            {PIO_BACKWARD_EULER, "backward Euler", 2},
            {PIO_BDF2, "BDF2", 4},
            {PIO_NEWMARK, "Newmark", 3},
            {PIO_LEAPFROG, "leapfrog", 2}};
enum { WAYS = sizeof ways / sizeof *ways };

/* A damped block that is bent hard by a force that comes at once, in halved steps where these are implicit.
 * `reactions`: one is observed without a sample weight, so that slots keep whole states, or (2) in every state. */
static void bent(fem_case *c, pio_integrator integrator, int reactions)
{
    const fem_material m = {.law = PIO_HYPER_NEO_HOOKEAN, .parameters = {1000, 0.3}, .density = 2};
    const int explicit = integrator == PIO_LEAPFROG, moves = integrator != PIO_STATIC;
    fem_case_begin(c, explicit ? 2e-3 : 0.25, STEPS);
    c->random = 5;
    const int ramp = fem_case_curve(c, 2, (double[]){0, 0.25 * STEPS}, (double[]){moves ? 0.5 : 0, 1});
    fem_case_grid(c, (fem_grid){box, box, {4, 2, 1}, NULL, 0.1});
    fem_case_matter(c, &m, 1, 0.9);
    const int moved = fem_case_support(c, 0.03, moves ? ramp : -1), steady = fem_case_support(c, 0, -1);
    for (int a = 0; a < D; a++) fem_case_hold_side(c, 0, 0, a, a == 1 && moves ? moved : steady);
    fem_case_load(c, PIO_TRACTION, 0, 1, fem_case_value(c, 150, 150, 150), ramp);
    if (moves) fem_case_motion(c, integrator, 0, 0.1, explicit ? 0 : 0.0005);
    if (!explicit) {
        c->fem.newton_iterations = fem_case_is_f32() ? 6 : 4; /* so few that some steps are halved */
        c->fem.adjoint_tolerance = fem_case_is_f32() ? 1e-4 : 1e-9;
        c->fem.newton_tolerance = D == 3 && !fem_case_is_f32() ? 1e-7 : c->fem.adjoint_tolerance;
        c->fem.halvings = 4;
    }
    const int tip = fem_case_observe(c, PIO_DISPLACEMENT, 1), near = fem_case_observe(c, PIO_DISTANCE, 1);
    fem_case_sample(c, tip, STEPS, 0, 1);
    fem_case_sample(c, tip, 2, 0, 0.7);
    fem_case_sample(c, near, 5, 0, 3)->past = 0.4;
    fem_case_design(c, PIO_LAW_PARAMETER_0, -1, FEM_EACH, fem_linear(1000, 100), 0);
    fem_case_design(c, PIO_LOAD, -1, FEM_SCALAR, fem_linear(150, 30), 0);
    fem_case_design(c, PIO_POSITION, -1, FEM_EACH, fem_linear(0, 0.02), 0);
    c->fem.n_values = 1;
    if (moves) {
        fem_case_sample(c, fem_case_observe(c, PIO_KINETIC_ENERGY, 1), 4, 0, 0.4);
        fem_case_design(c, PIO_DENSITY, -1, FEM_SCALAR, fem_linear(2, 0.5), 0);
        fem_case_design(c, PIO_MASS_DAMPING, -1, FEM_SCALAR, fem_linear(0.1, 0.1), 0);
        fem_case_design(c, PIO_SUPPORT, -1, FEM_SCALAR, fem_linear(0.03, 0.02), moved);
    }
    if (!reactions || explicit) return; /* the leapfrog refuses them */
    const int reaction = fem_case_observe(c, PIO_REACTION, 1);
    for (int s = 0; reactions == 2 && s <= STEPS; s++) fem_case_sample(c, reaction, s, 0, 0.01);
}

static slot_runner runner_of(fem_case *c)
{
    return slot_runner_of(&piola_engine_fem, fem_case_create(c, STEPS + 1, 1), fem_case_terms(c), c->n, c->variables);
}

static uint64_t gradient(slot_runner *r, pio_schedule schedule)
{
    static double z[FEM_VARIABLES], z_bar[FEM_VARIABLES], samples[2 * FEM_SAMPLES];
    const pio_sweep sweep = slot_runner_sweep(r);
    pio_sweep_result result;
    piola_error error;
    for (int i = 0; i < r->variables; i++) z[i] = 0.1 * sin(i);
    if (pio_gradient(&piola_engine_fem, r->sim, &schedule,
                     &(pio_sweep_arrays){.z = z, .samples = samples, .n_samples = r->terms.samples, .z_bar = z_bar},
                     &sweep, &result, &error))
        fail_msg("%s", error.message);
    pio_schedule_end(&schedule);
    const uint64_t hash = fem_case_hash(FEM_HASH_START, &result.J, sizeof result.J);
    return fem_case_hash(hash, z_bar, sizeof *z_bar * (size_t)r->variables) ^ fem_case_hash_gradients(r->sim);
}

static void every_plan_gives(slot_runner *r, const char *name, uint64_t expected)
{
    static const int plans[][3] = {{1, 0, 1}, {2, 0, 2}, {3, 0, 1}, {6, 0, 2}, {1, 1, 1}, {2, 2, 1}, {1, 4, 2}};
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        const uint64_t hash = gradient(r, pio_schedule_checkpoint(STEPS, plans[i][0], plans[i][1], plans[i][2]));
        print_message("  %-16s %d states, %d elsewhere, %d sweeps: %016llx\n", name, plans[i][0], plans[i][1],
                      plans[i][2], (unsigned long long)hash);
        assert_true(hash == expected);
    }
    assert_true(gradient(r, pio_schedule_store_all(STEPS, 1)) == expected);
}

static size_t vector_bytes(const fem_case *c)
{
    return sizeof(real) * (size_t)(c->n * D);
}

static void slots_with_the_history_alone_give_the_bits_of_whole_states(void **unused)
{
    (void)unused;
    for (int i = 0; i < WAYS; i++) {
        fem_case c;
        int parts = 1;
        bent(&c, ways[i].integrator, 1);
        slot_runner whole = runner_of(&c);
        assert_int_equal(whole.sim->slot_bytes, vector_bytes(&c) * (size_t)fem_of(whole.sim)->state.n_vectors);
        const uint64_t expected = gradient(&whole, pio_schedule_store_all(STEPS, 1));
        slot_runner_free(&whole);
        fem_case_free(&c);
        bent(&c, ways[i].integrator, 0);
        slot_runner r = runner_of(&c);
        print_message("  %s: %zu bytes per node\n", ways[i].name, r.sim->slot_bytes / (size_t)c.n);
        assert_int_equal(r.sim->slot_bytes, vector_bytes(&c) * (size_t)ways[i].kept);
        every_plan_gives(&r, ways[i].name, expected);
        for (int s = 0; s < STEPS; s++) {
            pio_step_record record;
            assert_true(piola_engine_fem.record(r.sim, s, &record));
            if (record.parts > parts) parts = record.parts;
        }
        print_message("  %s: a step was taken in %d parts\n", ways[i].name, parts);
        if (!fem_case_is_f32() && ways[i].integrator != PIO_LEAPFROG) assert_true(parts > 1);
        slot_runner_free(&r);
        fem_case_free(&c);
    }
}

static void where_reactions_are_observed_the_acceleration_is_kept(void **unused)
{
    (void)unused;
    for (int i = 0; i < WAYS; i++) {
        fem_case c;
        bent(&c, ways[i].integrator, 2);
        slot_runner r = runner_of(&c);
        assert_int_equal(r.sim->slot_bytes, vector_bytes(&c) * (size_t)fem_of(r.sim)->state.n_vectors);
        every_plan_gives(&r, ways[i].name, gradient(&r, pio_schedule_store_all(STEPS, 1)));
        slot_runner_free(&r);
        fem_case_free(&c);
    }
}

static void an_acceleration_that_was_not_kept_is_refused_until_a_step_makes_it(void **unused)
{
    static double z[FEM_VARIABLES];
    (void)unused;
    for (int i = 1; i < WAYS - 1; i++) {
        const int remade = ways[i].integrator != PIO_NEWMARK;
        piola_error error;
        fem_case c;
        bent(&c, ways[i].integrator, 0);
        slot_runner r = runner_of(&c);
        double *a = malloc(sizeof *a * (size_t)(c.n * D));
        assert_non_null(a);
        assert_int_equal(piola_engine_fem.start(r.sim, z, &error), PIOLA_OK);
        assert_int_equal(piola_engine_fem.advance(r.sim, 3, &error), PIOLA_OK);
        assert_int_equal(piola_engine_fem.save(r.sim, 0, &error), PIOLA_OK);
        assert_int_equal(piola_engine_fem.read(r.sim, "acceleration", a, &error), PIOLA_OK);
        assert_int_equal(piola_engine_fem.advance(r.sim, 1, &error), PIOLA_OK);
        const uint64_t at4 = fem_case_hash_state(r.sim);
        assert_int_equal(piola_engine_fem.load(r.sim, 0, &error), PIOLA_OK);
        assert_int_equal(piola_engine_fem.read(r.sim, "acceleration", a, &error), remade ? PIOLA_USAGE : PIOLA_OK);
        if (remade) print_message("  %s: %s\n", ways[i].name, error.message);
        assert_int_equal(piola_engine_fem.components(r.sim, "acceleration"), D);
        assert_int_equal(piola_engine_fem.advance(r.sim, 1, &error), PIOLA_OK);
        assert_int_equal(piola_engine_fem.read(r.sim, "acceleration", a, &error), PIOLA_OK);
        assert_true(fem_case_hash_state(r.sim) == at4);
        free(a);
        slot_runner_free(&r);
        fem_case_free(&c);
    }
}

static const char *const fields[] = {
#define FIELD(letter, name, when, kept, unit, meaning) #name,
#include "kernels/fem/fem_fields.def"
#undef FIELD
};

/* Of the state at hand; NULL where it has no such field, or *status says why not. */
static double *field_of(const slot_runner *r, const char *name, piola_status *status)
{
    piola_error error;
    const size_t n = (size_t)piola_engine_fem.components(r->sim, name) * (size_t)r->items;
    double *values = n ? malloc(sizeof *values * n) : NULL;
    *status = values ? piola_engine_fem.read(r->sim, name, values, &error) : PIOLA_OK;
    if (!*status) return values;
    free(values);
    return NULL;
}

/* Steps 4 to 7 change every field of the list, and what a slot keeps of it comes back. */
static void a_slot_gives_back_the_fields_that_the_list_says_it_keeps_and_no_other(void **unused)
{
    static double z[FEM_VARIABLES];
    double *before[STATES];
    (void)unused;
    for (int i = 0; i < WAYS; i++) {
        int had = 0, kept = 0;
        piola_status status;
        piola_error error;
        fem_case c;
        bent(&c, ways[i].integrator, 0);
        slot_runner r = runner_of(&c);
        const size_t bytes = sizeof(double) * (size_t)(c.n * D);
        assert_int_equal(piola_engine_fem.start(r.sim, z, &error), PIOLA_OK);
        assert_int_equal(piola_engine_fem.advance(r.sim, 3, &error), PIOLA_OK);
        assert_int_equal(piola_engine_fem.save(r.sim, 0, &error), PIOLA_OK);
        for (int k = 0; k < STATES; k++) before[k] = field_of(&r, fields[k], &status);
        assert_int_equal(piola_engine_fem.advance(r.sim, STEPS - 3, &error), PIOLA_OK);
        for (int k = 0; k < STATES; k++) {
            double *now = field_of(&r, fields[k], &status);
            assert_true(!now == !before[k] && (!now || memcmp(now, before[k], bytes)));
            free(now);
        }
        assert_int_equal(piola_engine_fem.load(r.sim, 0, &error), PIOLA_OK);
        for (int k = 0; k < STATES; k++) {
            double *now = field_of(&r, fields[k], &status);
            had += before[k] != NULL;
            kept += now != NULL;
            assert_true((now != NULL) == (fem_of(r.sim)->state.kept_at[k] >= 0));
            if (now) assert_memory_equal(now, before[k], bytes);
            if (before[k] && !now) assert_int_equal(status, PIOLA_USAGE);
            free(now);
            free(before[k]);
        }
        print_message("  %s: %d fields, of which a slot keeps %d\n", ways[i].name, had, kept);
        assert_int_equal(had, fem_of(r.sim)->state.n_vectors);
        assert_int_equal(kept, ways[i].kept);
        slot_runner_free(&r);
        fem_case_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slots_with_the_history_alone_give_the_bits_of_whole_states),
        cmocka_unit_test(where_reactions_are_observed_the_acceleration_is_kept),
        cmocka_unit_test(an_acceleration_that_was_not_kept_is_refused_until_a_step_makes_it),
        cmocka_unit_test(a_slot_gives_back_the_fields_that_the_list_says_it_keeps_and_no_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_mpm_slots.c -- do states that are kept in compact slots come back to the bit, in less room, and is nothing lost
 * where there is too little of it? */
#include "tests/solvers/mpm/mpm_case.h"
#include "tests/solvers/engine/slot_runner.h"
#include "solvers/mpm/mpm.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { D = CASE_DIM, STEPS = 24, SLOTS = 12 };

/* Solids, fluids or both in a box with walls of each kind; channels of control; places between steps; every quantity is
 * a design. */
static void fall(mpm_case *c, int solids, int fluids)
{
    const double dx = 0.1;
    case_init(c, 26, 20, 12, dx, 2e-3, STEPS);
    for (int side = 0; side < 2; side++) {
        case_wall(c, 0, side, PIO_WALL_SEPARATE, side ? 22 : 2);
        case_wall(c, 1, side, PIO_WALL_STICKY, side ? 16 : 2);
        case_wall(c, 2, side, PIO_WALL_SLIP, side ? 8 : 2);
    }
    c->desc.gravity[1] = -9.81;
    case_body solid = {
        .law = PIO_HYPER_FIXED_COROTATED, .parameters = {4e4, 0.3, 0}, .density = 1100, .velocity = {2, -1, 0.3}};
    case_body fluid = {.law = PIO_TAIT, .parameters = {3e4, 7, 5}, .density = 1000, .velocity = {-1.5, -0.5, -0.4}};
    const double lo[2][3] = {{0.35, 0.3, 0.3}, {1.1, 0.25, 0.3}}, hi[2][3] = {{1.05, 1.1, 0.6}, {1.8, 0.95, 0.6}};
    const double fibre[3] = {1, 0.4, 0.2};
    int body[2] = {-1, -1};
    if (solids) body[0] = case_block(c, &solid, lo[0], hi[0], 2, 0.3);
    if (fluids) body[1] = case_block(c, &fluid, lo[1], hi[1], 2, 0.3);
    const int any = solids ? body[0] : body[1];
    const pio_channel_desc sine = {.signal = PIO_SINE, .amplitude = 3e3, .frequency = 40, .phase = 0.2};
    if (solids) case_channel(c, &sine, body[0], fibre);
    const int x = case_observe(c, PIO_MEAN_POSITION, any, 1), e = case_observe(c, PIO_KINETIC_ENERGY, any, 1);
    const int d = case_observe_distance(c, any, 1, 0.2);
    case_sample(c, x, STEPS, 0, 1);
    for (int64_t s = 0; s <= STEPS; s += 3) case_sample(c, e, s, 0, 1e-2);
    case_sample(c, d, STEPS / 2, 0, 1)->past = 0.4;
    case_sample(c, d, STEPS, 0, 1)->past = 0.7;
    case_design(c, PIO_VELOCITY, any, CASE_SCALAR, 0, 2, 1);
    case_design(c, PIO_POSITION, any, CASE_SCALAR, 0, 0, dx);
    case_design(c, PIO_LAW_PARAMETER_0, any, CASE_GROUPS, 1, log(4e4), 1);
    case_design(c, PIO_DENSITY, any, CASE_SCALAR, 0, 1000, 100);
    case_design(c, PIO_GRAVITY, -1, CASE_SCALAR, 0, -3, 1);
    if (solids) case_design(c, PIO_AMPLITUDE, -1, CASE_SCALAR, 0, 3e3, 1e3);
}

/* ---- gradients by schedules of two tiers ------------------------------------------------------------------ */

/* A state that goes out stays as it is. */
static piola_status keep(void *context, int64_t place, int64_t step, piola_error *error)
{
    const slot_runner *r = context;
    const uint64_t before = case_hash_state(r->sim, r->items);
    const piola_status rc = slot_runner_keep(context, place, step, error);
    assert_true(case_hash_state(r->sim, r->items) == before);
    return rc;
}

static slot_runner runner_of(mpm_case *c, int64_t slot_nodes)
{
    pio_engine_bytes bytes;
    piola_error error;
    c->desc.slot_nodes = slot_nodes;
    const slot_runner r = slot_runner_of(&piola_engine, case_create(c, SLOTS, 2), case_terms(c), c->n, c->variables);
    if (piola_engine.measure(&c->desc, &bytes, &error)) fail_msg("%s", error.message);
    assert_true(bytes.state == r.sim->slot_bytes && bytes.slot_nodes == mpm_of(r.sim)->slots.node_room);
    return r;
}

static piola_status run(slot_runner *r, pio_schedule *schedule, uint64_t *hash, piola_error *error)
{
    static double z[CASE_VARIABLES], z_bar[CASE_VARIABLES], samples[512];
    pio_sweep sweep = slot_runner_sweep(r);
    sweep.on_keep = keep;
    pio_sweep_result result;
    for (int i = 0; i < r->variables; i++) z[i] = 0.1 * sin(i);
    const piola_status rc =
        pio_gradient(&piola_engine, r->sim, schedule,
                     &(pio_sweep_arrays){.z = z, .samples = samples, .n_samples = r->terms.samples, .z_bar = z_bar},
                     &sweep, &result, error);
    if (rc) return rc;
    *hash = case_hash(CASE_HASH_START, z_bar, sizeof *z_bar * (size_t)r->variables);
    *hash = case_hash(*hash, &result.J, sizeof result.J) ^ case_hash_gradients(r->sim, r->items);
    return rc;
}

static const struct {
    int slots, kept, sweeps;
} plans[] = {{1, 0, 1}, {2, 0, 1}, {3, 0, 2}, {5, 0, 1}, {7, 0, 2}, {12, 0, 1},
             {1, 1, 1}, {2, 3, 1}, {3, 5, 2}, {4, 2, 2}, {8, 8, 1}};

static void every_plan_is_the_same(slot_runner *r, const char *what, uint64_t expected)
{
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        pio_schedule s = pio_schedule_checkpoint(STEPS, plans[i].slots, plans[i].kept, plans[i].sweeps);
        piola_error error;
        uint64_t hash = 0;
        const piola_status rc = run(r, &s, &hash, &error);
        pio_schedule_end(&s);
        if (rc) fail_msg("%s", error.message);
        print_message("  %s, %2d states, %d elsewhere, %d sweeps: %016llx\n", what, plans[i].slots, plans[i].kept,
                      plans[i].sweeps, (unsigned long long)hash);
        assert_true(hash == expected);
    }
}

static void compact_and_whole_states_give_the_same_gradient_bits_by_every_plan(void **unused)
{
    static const char *const kinds[] = {"", "solids", "fluids", "both"};
    (void)unused;
    for (int kind = 1; kind <= 3; kind++) {
        mpm_case c;
        piola_error error;
        uint64_t expected = 0, other = 0;
        char what[40];
        fall(&c, kind & 1, kind >> 1);
        slot_runner whole = runner_of(&c, 0);
        pio_schedule first = pio_schedule_checkpoint(STEPS, SLOTS, 0, 1);
        if (run(&whole, &first, &expected, &error)) fail_msg("%s", error.message);
        snprintf(what, sizeof what, "whole, %s", kinds[kind]);
        every_plan_is_the_same(&whole, what, expected);
        c.desc.slot_sums = 1;
        slot_runner with_sums = runner_of(&c, 0);
        c.desc.slot_sums = 0;
        assert_true(with_sums.sim->slot_bytes == whole.sim->slot_bytes && with_sums.sim->slot_extra > 0);
        snprintf(what, sizeof what, "with sums, %s", kinds[kind]);
        every_plan_is_the_same(&with_sums, what, expected);
        slot_runner_free(&with_sums);
        slot_runner compact = runner_of(&c, (int64_t)c.n);
        print_message("  %s: %.1f bytes per particle, whole %.1f\n", kinds[kind],
                      (double)compact.sim->slot_bytes / (double)c.n, (double)whole.sim->slot_bytes / (double)c.n);
        assert_true(compact.sim->slot_bytes < whole.sim->slot_bytes);
        snprintf(what, sizeof what, "compact, %s", kinds[kind]);
        every_plan_is_the_same(&compact, what, expected);
        /* not vacuous: another design has other bits */
        c.velocity[3] *= 1 + 1e-5;
        slot_runner changed = runner_of(&c, (int64_t)c.n);
        assert_int_equal(run(&changed, &first, &other, &error), PIOLA_OK);
        assert_true(other != expected);
        pio_schedule_end(&first);
        slot_runner_free(&whole);
        slot_runner_free(&compact);
        slot_runner_free(&changed);
        case_free(&c);
    }
}

/* ---- one state -------------------------------------------------------------------------------------------- */

static void advance(pio_sim *sim, int64_t steps)
{
    piola_error error;
    if (piola_engine.advance(sim, steps, &error) || piola_engine.check(sim, &error)) fail_msg("%s", error.message);
}

/* States 1 .. STEPS/2 are written where they stay. */
static void run_into_slots(pio_sim *sim, const double *z)
{
    piola_error error;
    if (piola_engine.start(sim, z, &error)) fail_msg("%s", error.message);
    for (int64_t s = 0; s < STEPS / 2; s++) {
        piola_engine.will_save(sim, s, s + 1);
        advance(sim, 1);
        assert_true(mpm_of(sim)->slots.home[mpm_of(sim)->particles.current] == s);
        if (piola_engine.save(sim, s, &error)) fail_msg("%s", error.message);
    }
}

static void a_state_in_a_slot_is_read_where_it_lies_and_not_written(void **unused)
{
    static double z[CASE_VARIABLES];
    piola_error error;
    pio_engine_bytes bytes;
    mpm_case c;
    uint64_t hash[STEPS / 2];
    (void)unused;
    fall(&c, 1, 1);
    c.desc.slot_sums = 1;
    slot_runner r = runner_of(&c, 0);
    if (piola_engine.start(r.sim, z, &error)) fail_msg("%s", error.message);
    for (int s = 0; s < STEPS / 2; s++) {
        advance(r.sim, 1);
        hash[s] = case_hash_state(r.sim, c.n);
    }
    run_into_slots(r.sim, z);
    for (int s = STEPS / 2 - 1; s >= 0; s--) { /* a state, those after it, and the state again */
        for (int again = 0; again < 2; again++) {
            if (piola_engine.load(r.sim, s, &error)) fail_msg("%s", error.message);
            assert_true(case_hash_state(r.sim, c.n) == hash[s]);
            advance(r.sim, 2);
            if (s + 2 < STEPS / 2) assert_true(case_hash_state(r.sim, c.n) == hash[s + 2]);
        }
    }
    /* its memory is complete without the slots */
    run_into_slots(r.sim, z);
    if (piola_engine.measure(&c.desc, &bytes, &error)) fail_msg("%s", error.message);
    char *memory = malloc(bytes.memory);
    assert_non_null(memory);
    if (piola_engine.memory_out(r.sim, 0, bytes.memory, memory, &error)) fail_msg("%s", error.message);
    assert_true(case_hash_state(r.sim, c.n) == hash[STEPS / 2 - 1]);
    slot_runner other = runner_of(&c, 0);
    if (piola_engine.start(other.sim, z, &error)) fail_msg("%s", error.message);
    if (piola_engine.memory_in(other.sim, 0, bytes.memory, memory, &error)) fail_msg("%s", error.message);
    assert_true(case_hash_state(other.sim, c.n) == hash[STEPS / 2 - 1]);
    advance(r.sim, 5);
    advance(other.sim, 5);
    assert_true(case_hash_state(other.sim, c.n) == case_hash_state(r.sim, c.n));
    free(memory);
    slot_runner_free(&other);
    slot_runner_free(&r);
    case_free(&c);
}

static void a_state_comes_back_to_the_bit_and_so_do_those_after_it(void **unused)
{
    static double z[CASE_VARIABLES];
    piola_error error;
    mpm_case c;
    (void)unused;
    fall(&c, 1, 1);
    slot_runner r = runner_of(&c, (int64_t)c.n);
    pio_sim *sim = r.sim;
    assert_int_equal(piola_engine.start(sim, z, &error), PIOLA_OK);
    const uint64_t at0 = case_hash_state(sim, c.n);
    assert_int_equal(piola_engine.save(sim, 0, &error), PIOLA_OK);
    advance(sim, 11);
    const uint64_t at11 = case_hash_state(sim, c.n);
    assert_int_equal(piola_engine.save(sim, 1, &error), PIOLA_OK);
    advance(sim, STEPS - 11);
    const uint64_t end = case_hash_state(sim, c.n);
    for (int again = 0; again < 2; again++) { /* the second time from a copy of the loaded state */
        assert_int_equal(piola_engine.load(sim, 1 + again, &error), PIOLA_OK);
        assert_int_equal(piola_engine.step(sim), 11);
        assert_true(case_hash_state(sim, c.n) == at11);
        assert_int_equal(piola_engine.save(sim, 2, &error), PIOLA_OK);
        advance(sim, STEPS - 11);
        assert_true(case_hash_state(sim, c.n) == end);
    }
    assert_int_equal(piola_engine.load(sim, 0, &error), PIOLA_OK);
    assert_int_equal(piola_engine.step(sim), 0);
    assert_true(case_hash_state(sim, c.n) == at0);
    advance(sim, STEPS);
    assert_true(case_hash_state(sim, c.n) == end);
    assert_true(at0 != at11 && at11 != end);
    assert_int_equal(piola_engine.load(sim, 3, &error), PIOLA_INTERNAL); /* nothing was saved there */
    slot_runner_free(&r);
    case_free(&c);
}

static void what_is_not_there_is_refused(void **unused)
{
    static double z[CASE_VARIABLES], bar[256];
    piola_error error;
    mpm_case c;
    (void)unused;
    fall(&c, 1, 0);
    slot_runner r = runner_of(&c, (int64_t)c.n);
    pio_sim *sim = r.sim;
    assert_int_equal(piola_engine.start(sim, z, &error), PIOLA_OK);
    advance(sim, 5);
    assert_int_equal(piola_engine.save(sim, 0, &error), PIOLA_OK);
    assert_int_equal(piola_engine.adjoint_begin(sim, bar, &error), PIOLA_OK);
    assert_int_equal(piola_engine.previous_state(sim, &error), PIOLA_OK);
    assert_int_equal(piola_engine.save(sim, 1, &error), PIOLA_INTERNAL); /* the step to state 4 is overwritten */
    print_message("  %s\n", error.message);
    assert_int_equal(piola_engine.state_out(sim, r.kept[0], &error), PIOLA_INTERNAL);
    assert_int_equal(piola_engine.load(sim, 0, &error), PIOLA_OK);
    assert_int_equal(piola_engine.previous_state(sim, &error), PIOLA_INTERNAL); /* state 4 has no velocities */
    print_message("  %s\n", error.message);
    slot_runner_free(&r);
    case_free(&c);
}

/* ---- too little room -------------------------------------------------------------------------------------- */

static void too_little_room_is_reported_with_what_would_do_and_that_does(void **unused)
{
    piola_error error;
    mpm_case c;
    uint64_t expected = 0, hash = 0;
    int64_t room = 40, most = 0;
    int tries = 0;
    (void)unused;
    fall(&c, 1, 1);
    slot_runner whole = runner_of(&c, 0);
    pio_schedule s = pio_schedule_checkpoint(STEPS, 3, 2, 1);
    assert_int_equal(run(&whole, &s, &expected, &error), PIOLA_OK);
    assert_int_equal(piola_engine.nodes_needed(whole.sim), 0);
    for (piola_status rc = PIOLA_NO_MEMORY; rc; tries++) {
        slot_runner r = runner_of(&c, room);
        assert_int_equal(mpm_of(r.sim)->slots.node_room, room);
        rc = run(&r, &s, &hash, &error);
        assert_true(rc == PIOLA_OK || rc == PIOLA_NO_MEMORY);
        const int64_t needed = piola_engine.nodes_needed(r.sim);
        if (rc) print_message("  room for %d: %s\n", (int)room, error.message);
        assert_true(rc ? needed > room : needed == 0);
        assert_true(tries < 20);
        if (rc) most = needed;
        if (rc) room = needed;
        slot_runner_free(&r);
    }
    print_message("  room for %d does, after %d tries: %016llx, whole %016llx\n", (int)room, tries,
                  (unsigned long long)hash, (unsigned long long)expected);
    assert_true(tries > 1 && most == room && hash == expected);
    slot_runner less = runner_of(&c, room - 1); /* and one less does not */
    assert_int_equal(run(&less, &s, &hash, &error), PIOLA_NO_MEMORY);
    pio_schedule_end(&s);
    slot_runner_free(&whole);
    slot_runner_free(&less);
    case_free(&c);
}

static void forward_runs_need_no_room(void **unused)
{
    static double z[CASE_VARIABLES];
    mpm_case c;
    (void)unused;
    fall(&c, 1, 1);
    slot_runner r = runner_of(&c, 1);
    assert_int_equal(mpm_of(r.sim)->slots.node_room, 1);
    case_forward(&c, r.sim, z); /* fails the test where it fails */
    assert_int_equal(piola_engine.nodes_needed(r.sim), 0);
    slot_runner_free(&r);
    case_free(&c);
}

static void a_slot_that_would_be_larger_than_the_state_holds_the_whole_state(void **unused)
{
    static const double at[][3] = {{0.5, 0.5, 0.5}, {1, 1, 0.6}};
    mpm_case c;
    (void)unused;
    case_init(&c, 40, 40, 14, 0.1, 1e-3, 4);
    case_body b = {.law = PIO_HYPER_NEO_HOOKEAN, .parameters = {1e4, 0.3}, .density = 1000, .velocity = {1, 0, 0}};
    for (int i = 0; i < 2; i++) case_particle(&c, &b, at[i], 1e-4); /* each far from the other: 9 or 27 nodes */
    slot_runner r = runner_of(&c, 2 * (D == 2 ? 9 : 27) * 8);
    const mpm_sim *sim = mpm_of(r.sim);
    print_message("  %d particles: %zu bytes, room %d\n", (int)c.n, r.sim->slot_bytes, sim->slots.node_room);
    assert_int_equal(sim->slots.node_room, 0);
    slot_runner_free(&r);
    case_free(&c);
}

static void the_active_nodes_at_the_start_are_counted_as_the_step_counts_them(void **unused)
{
    static double z[CASE_VARIABLES];
    piola_error error;
    pio_engine_bytes bytes;
    mpm_case c;
    (void)unused;
    fall(&c, 1, 1);
    c.desc.n_designs = 0; /* designs move particles */
    slot_runner r = runner_of(&c, (int64_t)c.n);
    assert_int_equal(piola_engine.measure(&c.desc, &bytes, &error), PIOLA_OK);
    assert_int_equal(piola_engine.start(r.sim, z, &error), PIOLA_OK);
    advance(r.sim, 1);
    pio_arena_open(&r.sim->arena);
    const int nodes = mpm_of(r.sim)->step->nodes;
    pio_arena_close(&r.sim->arena);
    print_message("  %d, on the host %d\n", nodes, (int)bytes.start_nodes);
    assert_int_equal(bytes.start_nodes, nodes);
    slot_runner_free(&r);
    case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compact_and_whole_states_give_the_same_gradient_bits_by_every_plan),
        cmocka_unit_test(a_state_in_a_slot_is_read_where_it_lies_and_not_written),
        cmocka_unit_test(a_state_comes_back_to_the_bit_and_so_do_those_after_it),
        cmocka_unit_test(what_is_not_there_is_refused),
        cmocka_unit_test(too_little_room_is_reported_with_what_would_do_and_that_does),
        cmocka_unit_test(forward_runs_need_no_room),
        cmocka_unit_test(a_slot_that_would_be_larger_than_the_state_holds_the_whole_state),
        cmocka_unit_test(the_active_nodes_at_the_start_are_counted_as_the_step_counts_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_mpm_reversible.c -- can the steps of the reversible integrator be reversed, to the bit? */
#include "tests/solvers/mpm/mpm_reversible_case.h"

/* f32 in 3D goes less far: its lattice is that of f32 in 2D, its kernels those of f64 in 3D. */
enum { D = CASE_DIM, FAR = sizeof(PIO_REAL) == 4 && D == 3 ? 2000 : 10000 };
enum { LONG = TEST_SANITIZED ? 60 : FAR, SHORT = TEST_SANITIZED ? 20 : 400 };

/* In 3D one particle a cell: eight would take a minute, and no bit comes back more truly. */
static void small_collision(mpm_case *c, const case_material *one, const case_material *two, int64_t steps)
{
    collision_of(c, one, two, steps, D == 2 ? 2 : 1);
}

/* As many steps back as forward; prints how far the run went in between. Returns the hash of the last state. */
static uint64_t there_and_back(mpm_case *c, pio_sim *sim, const char *what, int64_t steps)
{
    start_and_keep(sim);
    forwards(sim, steps);
    const uint64_t hash = hash_of(c, sim);
    const int64_t moved = differing(sim, 0);
    backwards(sim, steps);
    const int64_t left = differing(sim, 0);
    print_message("  %-44s %d particles, %d steps and back: %d words of the state had changed, %d differ\n", what,
                  (int)c->n, (int)steps, (int)moved, (int)left);
    assert_true(moved > 0);
    assert_int_equal(left, 0);
    assert_int_equal(piola_engine.step(sim), 0);
    return hash;
}

static void ten_thousand_steps_of_a_collision_come_back_to_the_bit(void **unused)
{
    mpm_case c;
    (void)unused;
    small_collision(&c, &materials[0], &materials[2], LONG);
    pio_sim *sim = case_create(&c, 1, 1);
    there_and_back(&c, sim, "two solids in a box", LONG);
    piola_engine.destroy(sim);
    case_free(&c);
}

static void a_solid_and_a_fluid_come_back_to_the_bit_and_threads_change_none(void **unused)
{
    uint64_t hash[3];
    mpm_case c;
    (void)unused;
    for (int threads = 1; threads <= 3; threads++) {
        small_collision(&c, &materials[3], &materials[9], SHORT);
        pio_sim *sim = case_create(&c, 1, threads);
        hash[threads - 1] = there_and_back(&c, sim, "solid and fluid", SHORT);
        piola_engine.destroy(sim);
        case_free(&c);
    }
    assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
}

static void every_law_comes_back_to_the_bit(void **unused)
{
    (void)unused;
    for (int m = 0; m < EVERY_MATERIAL; m++) {
        mpm_case c;
        small_collision(&c, &materials[m], &materials[(m + 4) % MATERIALS], SHORT);
        pio_sim *sim = case_create(&c, 1, 2);
        there_and_back(&c, sim, materials[m].name, SHORT);
        piola_engine.destroy(sim);
        case_free(&c);
    }
}

/* ---- a checkpoint, and a bit that is not what it was ------------------------------------------------------------- */

static void steps_are_reversed_from_a_checkpoint_too(void **unused)
{
    enum { KEPT = SHORT / 2 };
    mpm_case c;
    piola_error error;
    (void)unused;
    small_collision(&c, &materials[0], &materials[9], SHORT);
    pio_sim *sim = case_create(&c, 2, 2);
    start_and_keep(sim);
    forwards(sim, KEPT);
    must(piola_engine.save(sim, 1, &error), "save", &error);
    forwards(sim, SHORT - KEPT);
    const uint64_t end = hash_of(&c, sim);
    must(piola_engine.load(sim, 1, &error), "load", &error);
    assert_int_equal(piola_engine.step(sim), KEPT);
    assert_int_equal(differing(sim, 1), 0);
    backwards(sim, KEPT);
    assert_int_equal(differing(sim, 0), 0);
    forwards(sim, SHORT);
    assert_true(hash_of(&c, sim) == end);
    must(piola_engine.load(sim, 1, &error), "load", &error);
    forwards(sim, SHORT - KEPT);
    assert_true(hash_of(&c, sim) == end);
    piola_engine.destroy(sim);
    case_free(&c);
}

static void flip(mpm_case *c, pio_sim *sim, size_t at, int bit)
{
    size_t bytes;
    piola_error error;
    unsigned char *state = state_of(c, sim, &bytes);
    assert_true(at < bytes);
    state[at] ^= (unsigned char)(1 << bit);
    must(piola_engine.state_in(sim, state, piola_engine.step(sim), &error), "state", &error);
    free(state);
}

/* Little-endian: byte 0 of a number has its lowest bits. */
static void a_bit_that_is_changed_is_found(void **unused)
{
    mpm_case c;
    (void)unused;
    small_collision(&c, &materials[0], &materials[2], SHORT);
    pio_sim *sim = case_create(&c, 1, 1);
    start_and_keep(sim);
    flip(&c, sim, 8 * 7, 0);
    assert_int_equal(differing(sim, 0), 1);
    flip(&c, sim, 8 * 7, 0);
    assert_int_equal(differing(sim, 0), 0);
    forwards(sim, SHORT);
    flip(&c, sim, 8 * 7, 0);
    backwards(sim, SHORT);
    print_message("  the lowest bit of one place, changed at step %d: %d words of the first state differ\n", (int)SHORT,
                  (int)differing(sim, 0));
    assert_true(differing(sim, 0) > 0);
    piola_engine.destroy(sim);
    case_free(&c);
}

/* ---- damping ------------------------------------------------------------------------------------------------- */

/* Velocities lose a hundredth in a step: 0.0145 bits of each number, so that every 2200 steps 32 of them are
 * logged. */
static void damped_collision(mpm_case *c, int64_t steps)
{
    small_collision(c, &materials[0], &materials[9], steps);
    c->desc.damping = 10;
    pio_engine_bytes bytes;
    piola_error error;
    pio_sim *sim = case_create(c, 1, 1); /* so that the description is whole */
    piola_engine.destroy(sim);
    must(piola_engine.measure(&c->desc, &bytes, &error), "measure", &error);
    c->desc.residual_log = (int64_t)bytes.residual_log;
}

enum { DAMPED = TEST_SANITIZED ? 2300 : 5000 };

static void damped_steps_come_back_to_the_bit_with_what_they_logged(void **unused)
{
    mpm_case c;
    piola_error error;
    int64_t logged = 0;
    uint64_t hash[3];
    (void)unused;
    damped_collision(&c, DAMPED);
    const int64_t each = c.n * D * (int64_t)sizeof(uint32_t);
    for (int threads = 1; threads <= 2; threads++) {
        pio_sim *sim = case_create(&c, 1, threads);
        start_and_keep(sim);
        forwards(sim, DAMPED);
        must(piola_engine.residual_log_bytes(sim, &logged, &error), "residual_log_bytes", &error);
        hash[threads - 1] = hash_of(&c, sim);
        assert_int_equal(logged, c.desc.residual_log);
        backwards(sim, DAMPED);
        print_message("  damped: %d steps with %d records of %d bytes, and back: %d words differ\n", DAMPED,
                      (int)(logged / each), (int)each, (int)differing(sim, 0));
        assert_int_equal(logged, (DAMPED > 4500 ? 2 : 1) * each);
        assert_int_equal(differing(sim, 0), 0);
        must(piola_engine.residual_log_bytes(sim, &logged, &error), "residual_log_bytes", &error);
        assert_int_equal(logged, 0);
        piola_engine.destroy(sim);
    }
    c.desc.residual_log = 0; /* what is logged is dropped, but for the last */
    pio_sim *sim = case_create(&c, 1, 1);
    start_and_keep(sim);
    forwards(sim, DAMPED);
    hash[2] = hash_of(&c, sim);
    piola_status rc = PIOLA_OK;
    while (!rc && piola_engine.step(sim) > 0) rc = piola_engine.inverse_step(sim, &error);
    print_message("  without a residual log, back at step %d: %s\n", (int)piola_engine.step(sim),
                  rc ? error.message : "the first");
    assert_int_equal(rc, DAMPED > 4500 ? PIOLA_USAGE : PIOLA_OK);
    assert_true(rc || differing(sim, 0) == 0);
    piola_engine.destroy(sim);
    assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
    case_free(&c);
}

static void a_residual_log_that_is_too_short_is_reported(void **unused)
{
    mpm_case c;
    piola_error error;
    (void)unused;
    damped_collision(&c, DAMPED);
    c.desc.residual_log = 1;
    pio_sim *sim = case_create(&c, 1, 1);
    start_and_keep(sim);
    must(piola_engine.advance(sim, DAMPED, &error), "advance", &error);
    assert_int_equal(piola_engine.check(sim, &error), PIOLA_NO_MEMORY);
    print_message("  %s\n", error.message);
    piola_engine.destroy(sim);
    case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_thousand_steps_of_a_collision_come_back_to_the_bit),
        cmocka_unit_test(a_solid_and_a_fluid_come_back_to_the_bit_and_threads_change_none),
        cmocka_unit_test(every_law_comes_back_to_the_bit),
        cmocka_unit_test(steps_are_reversed_from_a_checkpoint_too),
        cmocka_unit_test(a_bit_that_is_changed_is_found),
        cmocka_unit_test(damped_steps_come_back_to_the_bit_with_what_they_logged),
        cmocka_unit_test(a_residual_log_that_is_too_short_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

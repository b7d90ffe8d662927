/* test_mpm_reversible.c -- can the steps of the reversible integrator be taken back, to the bit? */
#include "tests/mpm_reversible_case.h"

enum { D = CASE_DIM, LONG = TEST_SANITIZED ? 60 : 10000, SHORT = TEST_SANITIZED ? 20 : 400 };

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
    collision(&c, &materials[0], &materials[2], LONG);
    pio_sim *sim = case_create(&c, 1, 2);
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
        collision(&c, &materials[3], &materials[9], SHORT);
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
    for (int m = 0; m < MATERIALS; m++) {
        mpm_case c;
        collision(&c, &materials[m], &materials[(m + 4) % MATERIALS], SHORT);
        pio_sim *sim = case_create(&c, 1, 2);
        there_and_back(&c, sim, materials[m].name, SHORT);
        piola_engine.destroy(sim);
        case_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_thousand_steps_of_a_collision_come_back_to_the_bit),
        cmocka_unit_test(a_solid_and_a_fluid_come_back_to_the_bit_and_threads_change_none),
        cmocka_unit_test(every_law_comes_back_to_the_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

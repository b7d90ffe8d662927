/* test_checkpoint.c -- do schedules with few states run as few steps as can be? Against published counts, and against
 * recursions that try every choice. */
#include "tests/solvers/driver/schedule_judge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Steps run forward when every step's adjoint runs its own once more, by binomial checkpointing. */
static const struct {
    int64_t steps, slots, advances;
} oracle[] = {{10, 3, 15},      {100, 5, 316},        {100, 10, 222},       {1000, 10, 3636},
              {1000, 20, 2747}, {100000, 64, 349884}, {100000, 256, 266589}};

static void checkpoints_run_as_many_steps_as_the_published_optimum(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof oracle / sizeof *oracle; i++) {
        pio_schedule s = pio_schedule_checkpoint(oracle[i].steps, oracle[i].slots, 0, 1);
        interpreter m;
        const char *broken = judge(&s, &m);
        print_message("%6d steps, %3d states: %s, %d steps run and the last; %d are right; %d states at most\n",
                      (int)s.steps, (int)s.slots, broken ? broken : "legal", (int)m.forward - 1,
                      (int)oracle[i].advances, (int)m.peak);
        assert_null(broken);
        assert_int_equal(m.forward, oracle[i].advances + 1);
        assert_int_equal(pio_checkpoint_advances(s.steps, s.slots, 0), oracle[i].advances);
        assert_true(m.peak <= s.slots);
        pio_schedule_end(&s);
    }
}

enum { DP_STEPS = 120, DP_SLOTS = 9 };

/* The recursion itself, with no closed form: best[s][l]. */
static void fill_best(int64_t best[DP_SLOTS + 1][DP_STEPS + 1])
{
    for (int s = 1; s <= DP_SLOTS; s++)
        for (int l = 1; l <= DP_STEPS; l++) {
            best[s][l] = (int64_t)l * (l - 1) / 2;
            for (int m = 1; s > 1 && m < l; m++) {
                const int64_t t = m + best[s][m] + best[s - 1][l - m];
                if (t < best[s][l]) best[s][l] = t;
            }
        }
}

static void no_choice_of_states_runs_fewer_steps(void **unused)
{
    static int64_t best[DP_SLOTS + 1][DP_STEPS + 1];
    int64_t checked = 0;
    (void)unused;
    fill_best(best);
    for (int slots = 1; slots <= DP_SLOTS; slots++)
        for (int steps = 1; steps <= DP_STEPS; steps++)
            for (int64_t sweeps = 1; sweeps <= 3; sweeps += 2, checked++) {
                pio_schedule s = pio_schedule_checkpoint(steps, slots, 0, sweeps);
                interpreter m;
                const char *broken = judge(&s, &m);
                if (broken || m.forward != sweeps * (best[slots][steps] + 1) || m.peak > slots || m.held)
                    fail_msg("%d steps, %d states, %d sweeps: %s, %d steps run, %d are least, %d of %d states", steps,
                             slots, (int)sweeps, broken ? broken : "legal", (int)m.forward,
                             (int)(sweeps * (best[slots][steps] + 1)), (int)m.peak, slots);
                assert_int_equal(pio_checkpoint_advances(steps, slots, 0), best[slots][steps]);
                assert_int_equal(s.next(&s).kind, PIO_DONE);
                s.at = 0; /* begun anew, it is the same */
                assert_null(judge(&s, &m));
                pio_schedule_end(&s);
            }
    print_message("%d schedules are legal and run as few steps as the recursion's minimum\n", (int)checked);
}

enum { TWO_STEPS = 60, TWO_SLOTS = 4, TWO_KEPT = 7 };

/* Cut anywhere: the first of m steps into the second tier, run through, and their adjoints later; the rest likewise
 * with one state less. */
static int64_t best_cut(int64_t best[DP_SLOTS + 1][DP_STEPS + 1], int s, int l, int d)
{
    static int64_t known[TWO_SLOTS + 1][TWO_STEPS + 1][TWO_KEPT + 1];
    if (d == 0) return best[s][l];
    if (known[s][l][d]) return known[s][l][d];
    int64_t least = INT64_MAX;
    for (int m = 1; m < l; m++) {
        const int64_t t = l - m >= d ? m + best[s][m] + best_cut(best, s, l - m, d - 1) : INT64_MAX;
        if (t < least) least = t;
    }
    known[s][l][d] = least;
    return least;
}

static void no_cut_into_segments_runs_fewer_steps(void **unused)
{
    static int64_t best[DP_SLOTS + 1][DP_STEPS + 1];
    int64_t checked = 0;
    (void)unused;
    fill_best(best);
    for (int slots = 1; slots <= TWO_SLOTS; slots++)
        for (int steps = 2; steps <= TWO_STEPS; steps++)
            for (int kept = 1; kept <= TWO_KEPT && kept < steps; kept++, checked++) {
                const int64_t sweeps = 1 + checked % 2, least = best_cut(best, slots, steps, kept) + 1;
                pio_schedule s = pio_schedule_checkpoint(steps, slots, kept, sweeps);
                interpreter m;
                const char *broken = judge(&s, &m);
                if (broken || m.forward != sweeps * least || m.peak > slots || m.held || m.moves != 2 * kept * sweeps)
                    fail_msg("%d steps, %d and %d states, %d sweeps: %s, %d steps run, %d are least, %d moves", steps,
                             slots, kept, (int)sweeps, broken ? broken : "legal", (int)m.forward, (int)(sweeps * least),
                             (int)m.moves);
                assert_int_equal(pio_checkpoint_advances(steps, slots, kept), least - 1);
                pio_schedule_end(&s);
            }
    print_message("%d schedules of two tiers are legal and run as few steps as the best cut\n", (int)checked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checkpoints_run_as_many_steps_as_the_published_optimum),
        cmocka_unit_test(no_choice_of_states_runs_fewer_steps),
        cmocka_unit_test(no_cut_into_segments_runs_fewer_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

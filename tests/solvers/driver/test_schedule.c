/* test_schedule.c -- is the stream of actions legal, and does the driver carry it out? The engine here is a mock: its
 * state is its number, and it records its calls. */
#include "solvers/driver/driver.h"
#include "tests/solvers/driver/schedule_judge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void store_all_is_legal_and_runs_every_step_once(void **unused)
{
    static const int64_t lengths[] = {0, 1, 2, 10};
    (void)unused;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int64_t sweeps = 1; sweeps <= 3; sweeps++) {
            pio_schedule s = pio_schedule_store_all(lengths[i], sweeps);
            interpreter m;
            const char *broken = judge(&s, &m);
            print_message("%2d steps, %d sweeps: %s, %d run, %d slots at most (of %d)\n", (int)lengths[i], (int)sweeps,
                          broken ? broken : "legal", (int)m.forward, (int)m.peak, (int)s.slots);
            assert_null(broken);
            assert_int_equal(m.forward, lengths[i]);
            assert_int_equal(m.peak, lengths[i] + (sweeps > 1));
            assert_int_equal(m.held, 0);
            assert_int_equal(s.slots, lengths[i] + (sweeps > 1));
            assert_int_equal(s.next(&s).kind, PIO_DONE); /* and it stays so */
        }
}

static void reverse_is_legal_keeps_one_state_and_inverts_every_step(void **unused)
{
    static const int64_t lengths[] = {0, 1, 2, 10, 1000};
    (void)unused;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int64_t sweeps = 1; sweeps <= 3; sweeps++) {
            pio_schedule s = pio_schedule_reverse(lengths[i], sweeps);
            interpreter m;
            const char *broken = judge(&s, &m);
            print_message("%2d steps, %d sweeps: %s, %d run, %d inverted, %d slots at most\n", (int)lengths[i],
                          (int)sweeps, broken ? broken : "legal", (int)m.forward, (int)m.inverse_steps, (int)m.peak);
            assert_null(broken);
            assert_int_equal(m.forward, lengths[i] * sweeps);
            assert_int_equal(m.inverse_steps, lengths[i] * sweeps);
            assert_int_equal(m.peak, 1);
            assert_int_equal(m.held, 0);
            assert_int_equal(s.next(&s).kind, PIO_DONE);
        }
}

/* Streams with one mistake each, and a right one that recomputes. */
static pio_action listed_next(pio_schedule *s);
static const pio_action *listed;
static pio_action listed_next(pio_schedule *s)
{
    return listed[s->at++];
}

#define F(from, to)                                                                                                    \
    {                                                                                                                  \
        PIO_FORWARD, from, to, -1                                                                                      \
    }
#define S(state, slot)                                                                                                 \
    {                                                                                                                  \
        PIO_STORE, state, state, slot                                                                                  \
    }
#define L(state, slot)                                                                                                 \
    {                                                                                                                  \
        PIO_RESTORE, state, state, slot                                                                                \
    }
#define B(step)                                                                                                        \
    {                                                                                                                  \
        PIO_ADJOINT_STEP, step, step, -1                                                                               \
    }
#define T                                                                                                              \
    {                                                                                                                  \
        PIO_TURN, 2, 2, -1                                                                                             \
    }
#define X(state, slot)                                                                                                 \
    {                                                                                                                  \
        PIO_DISCARD, state, state, slot                                                                                \
    }
#define Y(state)                                                                                                       \
    {                                                                                                                  \
        PIO_PREVIOUS_STATE, state, state, -1                                                                           \
    }
#define U(state)                                                                                                       \
    {                                                                                                                  \
        PIO_INVERSE_STEP, state, state - 1, -1                                                                         \
    }
#define V(state, slot)                                                                                                 \
    {                                                                                                                  \
        PIO_VERIFY, state, state, slot                                                                                 \
    }
#define END                                                                                                            \
    {                                                                                                                  \
        PIO_DONE, 0, 0, -1                                                                                             \
    }
static const pio_action streams[][14] = {
    {S(0, 0), F(0, 2), T, L(0, 0), F(0, 1), B(1), L(0, 0), B(0), X(0, 0), END},    /* right */
    {F(0, 2), T, L(0, 0), B(1), B(0), END},                                        /* never stored */
    {S(0, 0), F(0, 2), T, L(0, 0), B(0), END},                                     /* step 1 forgotten */
    {S(0, 0), F(0, 2), T, L(0, 0), F(0, 1), B(1), B(0), END},                      /* the state of step 1 for step 0 */
    {S(0, 0), F(0, 1), S(1, 0), F(1, 2), END},                                     /* over a state that is kept */
    {S(0, 0), F(0, 1), T, B(0), END},                                              /* turned too early */
    {S(0, 0), F(0, 2), L(0, 0), F(0, 1), B(1), L(0, 0), B(0), END},                /* never turned */
    {S(0, 0), F(0, 2), T, L(0, 0), F(0, 1), B(1), X(0, 0), L(0, 0), B(0), END},    /* restored, but it was discarded */
    {S(0, 0), F(0, 2), T, L(0, 0), F(0, 1), B(1), END},                            /* ends early */
    {S(0, 0), F(0, 2), T, L(0, 0), F(0, 1), B(1), B(1), END},                      /* one step twice */
    {S(0, 0), F(0, 2), T, L(0, 0), F(0, 1), B(1), L(0, 0), B(0), F(0, 2), T, END}, /* a sweep too many */
    {S(0, 0), F(0, 2), T, L(0, 0), F(0, 1), B(1), F(1, 2), T, END},                /* turned with a step left */
    {S(0, 5), F(0, 2), END},                                                       /* no such slot */
    {S(0, 0), F(0, 2), T, Y(0), L(0, 0), END},                                     /* back two steps */
    {S(0, 0), F(0, 2), T, Y(1), B(1), Y(0), B(0), END},                            /* back again */
    {S(0, 0), F(0, 2), T, U(2), B(1), U(1), V(0, 0), B(0), END},                   /* right */
    {S(0, 0), F(0, 2), T, U(2), B(1), U(1), B(0), END},                            /* nothing verified */
    {S(0, 0), F(0, 2), T, U(2), B(1), U(2), V(0, 0), B(0), END},                   /* a step inverted twice */
    {S(0, 0), F(0, 2), T, U(2), V(1, 0), B(1), U(1), V(0, 0), B(0), END},          /* verified by another state */
    {F(0, 2), T, U(2), B(1), U(1), V(0, 0), B(0), END},                            /* by none */
    {S(0, 0), F(0, 2), T, {PIO_INVERSE_STEP, 2, 0, -1}, V(0, 0), B(0), END},       /* two steps at once */
    {F(1, 2), END}};

static void the_interpreter_refuses_each_mistake(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
        pio_schedule s = {.name = "listed", .steps = 2, .slots = 1, .sweeps = 1, .next = listed_next};
        interpreter m;
        listed = streams[i];
        const char *broken = judge(&s, &m);
        print_message("stream %d: %s\n", (int)i, broken ? broken : "legal");
        assert_int_equal(broken == NULL, i == 0 || i == 15);
    }
}

/* ---- the driver on a mock engine ------------------------------------------------------------------------- */

struct pio_sim {
    int64_t steps, current, kept[MOST];
    int64_t forward, adjoint; /* steps run; the step of the last adjoint step */
    int began, ended, wrong;
    int64_t first;           /* where sweeps end */
    int64_t frames[2][MOST]; /* states and adjoints announced */
    int n_frames[2], objectives;
    int64_t lost;  /* words in which the run of inverse steps misses its beginning */
    int64_t fault; /* check() fails from this state on, -1 never */
};

static piola_status mock_start(pio_sim *s, const double *z, piola_error *e)
{
    (void)z, (void)e;
    s->current = 0;
    return PIOLA_OK;
}
static piola_status mock_advance(pio_sim *s, int64_t steps, piola_error *e)
{
    (void)e;
    s->current += steps;
    s->forward += steps;
    return PIOLA_OK;
}
static piola_status mock_check(pio_sim *s, piola_error *e)
{
    (void)e;
    return s->fault >= 0 && s->current >= s->fault ? PIOLA_NUMERICAL : PIOLA_OK;
}
static piola_status mock_save(pio_sim *s, int64_t slot, piola_error *e)
{
    (void)e;
    s->kept[slot] = s->current;
    return PIOLA_OK;
}
static piola_status mock_load(pio_sim *s, int64_t slot, piola_error *e)
{
    (void)e;
    s->current = s->kept[slot];
    return PIOLA_OK;
}
static piola_status mock_begin(pio_sim *s, const double *samples_bar, piola_error *e)
{
    (void)samples_bar, (void)e;
    s->began++;
    s->wrong += s->current != s->steps;
    s->adjoint = s->steps;
    return PIOLA_OK;
}
static piola_status mock_adjoint_step(pio_sim *s, piola_error *e)
{
    (void)e;
    s->wrong += !s->began || s->current != s->adjoint - 1;
    s->adjoint = s->current;
    return PIOLA_OK;
}
static piola_status mock_end(pio_sim *s, double *value_bar, double *z_bar, piola_error *e)
{
    (void)value_bar, (void)z_bar, (void)e;
    s->ended++;
    s->wrong += s->adjoint != s->first || s->current != s->first;
    return PIOLA_OK;
}
static piola_status mock_samples(pio_sim *s, double *values, piola_error *e)
{
    (void)s, (void)values, (void)e;
    return PIOLA_OK;
}
static piola_status mock_previous_state(pio_sim *s, piola_error *e)
{
    (void)e;
    s->current--;
    return PIOLA_OK;
}
static piola_status mock_inverse_step(pio_sim *s, piola_error *e)
{
    (void)e;
    s->current--;
    return PIOLA_OK;
}
static piola_status mock_differs(pio_sim *s, int64_t slot, int64_t *words, piola_error *e)
{
    (void)e;
    *words = s->lost + (s->kept[slot] != s->current);
    return PIOLA_OK;
}
static void mock_calls(const pio_sim *s, pio_device_calls *calls)
{
    *calls = (pio_device_calls){.launches = s->forward};
}

static const pio_engine mock = {.start = mock_start,
                                .advance = mock_advance,
                                .check = mock_check,
                                .save = mock_save,
                                .load = mock_load,
                                .adjoint_begin = mock_begin,
                                .previous_state = mock_previous_state,
                                .inverse_step = mock_inverse_step,
                                .differs = mock_differs,
                                .adjoint_step = mock_adjoint_step,
                                .adjoint_end = mock_end,
                                .samples = mock_samples,
                                .calls = mock_calls};

static piola_status note(pio_sim *s, int back, int64_t step)
{
    if (s->n_frames[back] < MOST) s->frames[back][s->n_frames[back]++] = step;
    return PIOLA_OK;
}
static piola_status on_state(void *context, int64_t frame, int64_t step, piola_error *e)
{
    pio_sim *s = context;
    (void)e, (void)frame;
    s->wrong += s->current != step;
    return note(s, 0, step);
}
static piola_status on_adjoint(void *context, int64_t frame, int64_t step, piola_error *e)
{
    pio_sim *s = context;
    (void)e, (void)frame;
    s->wrong += s->adjoint != step;
    return note(s, 1, step);
}
static piola_status on_objective(void *context, int64_t sweep, const double *samples, double *J, double *samples_bar,
                                 piola_error *e)
{
    pio_sim *s = context;
    (void)samples, (void)samples_bar, (void)e;
    s->wrong += s->current != s->steps || sweep != s->objectives || sweep != s->ended;
    s->objectives++;
    *J = 42;
    return PIOLA_OK;
}

static piola_status on_gradient(void *context, int64_t sweep, piola_error *e)
{
    pio_sim *s = context;
    (void)e;
    s->wrong += sweep != s->ended - 1;
    return PIOLA_OK;
}

static pio_sweep sweep_of(pio_sim *s, const int64_t *frames, int64_t n)
{
    return (pio_sweep){.context = s,
                       .frames = frames,
                       .n_frames = n,
                       .on_state = on_state,
                       .on_adjoint = on_adjoint,
                       .objective = on_objective,
                       .on_gradient = on_gradient};
}

static void the_driver_runs_turns_and_announces_every_frame_once(void **unused)
{
    static const int64_t lengths[] = {0, 1, 2, 10, 62}, all[] = {0, 1, 2, 7, 10, 62};
    (void)unused;
    for (size_t i = 0; i < 4 * sizeof lengths / sizeof *lengths; i++) {
        const int64_t steps = lengths[i / 4], sweeps = i % 2 ? 3 : 1;
        const bool few = i % 4 > 1;
        pio_sim s = {.steps = steps, .fault = -1};
        int64_t frames = 0;
        while (frames < 6 && all[frames] <= steps) frames++;
        const pio_sweep sweep = sweep_of(&s, all, frames);
        pio_schedule schedule =
            few ? pio_schedule_checkpoint(steps, 3, 0, sweeps) : pio_schedule_store_all(steps, sweeps);
        const int64_t forward = few && steps ? sweeps * (pio_checkpoint_advances(steps, 3, 0) + 1) : steps;
        pio_sweep_result r;
        piola_error e;
        double samples[2];
        assert_int_equal(
            pio_gradient(&mock, &s, &schedule, &(pio_sweep_arrays){.samples = samples, .n_samples = 1}, &sweep, &r, &e),
            PIOLA_OK);
        print_message("%2d steps: %d forward, %d back, %d of %d frames out, %d back\n", (int)steps, (int)s.forward,
                      (int)r.adjoint_steps, s.n_frames[0], (int)frames, s.n_frames[1]);
        assert_int_equal(s.forward, forward);
        assert_int_equal(r.forward_steps, forward);
        assert_int_equal(r.adjoint_steps, steps * sweeps);
        assert_int_equal(s.began, sweeps);
        assert_int_equal(s.ended, sweeps);
        assert_int_equal(s.objectives, sweeps);
        assert_int_equal(s.wrong, 0);
        assert_int_equal(s.n_frames[0], frames);
        assert_int_equal(s.n_frames[1], frames);
        for (int f = 0; f < frames; f++) {
            assert_int_equal(s.frames[0][f], all[f]);
            assert_int_equal(s.frames[1][f], all[frames - 1 - f]);
        }
        pio_schedule_end(&schedule);
    }
}

/* Of any schedule of the window, with any number of steps before it; these are run once, whatever the sweeps. */
static void a_window_alone_has_adjoint_steps_and_the_steps_before_it_run_once(void **unused)
{
    static const int64_t lengths[] = {1, 2, 9, 40}, before[] = {0, 1, 30}, all[] = {0, 1, 2, 7, 10, 31, 62};
    (void)unused;
    for (size_t i = 0; i < 12 * sizeof lengths / sizeof *lengths; i++) {
        const int64_t length = lengths[i / 12], first = before[i % 3], sweeps = i / 3 % 2 ? 3 : 1,
                      steps = first + length;
        const bool few = i / 6 % 2;
        const int64_t kept = few && length > 4 ? 2 : 0;
        pio_schedule schedule = pio_schedule_window(
            few ? pio_schedule_checkpoint(length, 3, kept, sweeps) : pio_schedule_store_all(length, sweeps), first);
        const int64_t forward = few ? sweeps * (pio_checkpoint_advances(length, 3, kept) + 1) : length;
        interpreter m;
        const char *broken = judge(&schedule, &m);
        print_message("%2d steps, %2d before them, %d sweeps, %s: %s, %d run\n", (int)length, (int)first, (int)sweeps,
                      schedule.name, broken ? broken : "legal", (int)m.forward);
        assert_null(broken);
        assert_int_equal(m.forward, first + forward);
        assert_int_equal(m.held, 0);
        assert_int_equal(schedule.next(&schedule).kind, PIO_DONE);
        pio_schedule_end(&schedule);
        if (kept) continue; /* the mock has one tier */

        pio_sim s = {.steps = steps, .fault = -1, .first = first};
        int64_t frames = 0, seen = 0;
        while (frames < 7 && all[frames] <= steps) seen += all[frames++] >= first;
        const pio_sweep sweep = sweep_of(&s, all, frames);
        schedule = pio_schedule_window(
            few ? pio_schedule_checkpoint(length, 3, 0, sweeps) : pio_schedule_store_all(length, sweeps), first);
        pio_sweep_result r;
        piola_error e;
        double samples[2];
        assert_int_equal(
            pio_gradient(&mock, &s, &schedule, &(pio_sweep_arrays){.samples = samples, .n_samples = 1}, &sweep, &r, &e),
            PIOLA_OK);
        assert_int_equal(s.forward, first + forward);
        assert_int_equal(r.adjoint_steps, length * sweeps);
        assert_int_equal(s.ended, sweeps);
        assert_int_equal(s.wrong, 0);
        assert_int_equal(s.n_frames[0], frames);
        assert_int_equal(s.n_frames[1], seen); /* adjoints of the window's states alone */
        pio_schedule_end(&schedule);
    }
    /* the judge separates a window that is stored too early from one that is not */
    pio_schedule early = pio_schedule_store_all(5, 1);
    interpreter m;
    early.first = 2;
    assert_non_null(judge(&early, &m));
}

static void the_driver_recomputes_as_scheduled_and_announces_no_state_twice(void **unused)
{
    static const pio_action stream[] = {S(0, 0), F(0, 2), S(2, 1), F(2, 4), {PIO_TURN, 4, 4, -1},
                                        L(2, 1), F(2, 3), B(3),    L(2, 1), B(2),
                                        L(0, 0), F(0, 1), B(1),    L(0, 0), B(0),
                                        END};
    static const int64_t frames[] = {0, 1, 3, 4};
    pio_sim s = {.steps = 4, .fault = -1};
    const pio_sweep sweep = sweep_of(&s, frames, 4);
    pio_schedule schedule = {.name = "listed", .steps = 4, .slots = 2, .sweeps = 1, .next = listed_next};
    pio_sweep_result r;
    piola_error e;
    double samples[2];
    (void)unused;
    listed = stream;
    assert_int_equal(
        pio_gradient(&mock, &s, &schedule, &(pio_sweep_arrays){.samples = samples, .n_samples = 1}, &sweep, &r, &e),
        PIOLA_OK);
    print_message("4 steps and 2 again: %d forward, %d frames out, %d back\n", (int)r.forward_steps, s.n_frames[0],
                  s.n_frames[1]);
    assert_int_equal(r.forward_steps, 6);
    assert_int_equal(s.wrong, 0);
    assert_int_equal(s.n_frames[0], 4);
    assert_int_equal(s.n_frames[1], 4);
}

static void a_fault_ends_the_sweep_with_its_status(void **unused)
{
    pio_sim s = {.steps = 10, .fault = 6};
    const pio_sweep sweep = {.context = &s, .objective = on_objective};
    pio_schedule schedule = pio_schedule_store_all(10, 1);
    pio_sweep_result r;
    piola_error e;
    double samples[2];
    (void)unused;
    assert_int_equal(
        pio_gradient(&mock, &s, &schedule, &(pio_sweep_arrays){.samples = samples, .n_samples = 1}, &sweep, &r, &e),
        PIOLA_NUMERICAL);
    assert_int_equal(s.began, 0);
    assert_int_equal(s.objectives, 0);
    assert_int_equal(pio_forward(&mock, &s, 10, &(pio_sweep_arrays){.samples = samples}, &sweep, &r, &e),
                     PIOLA_NUMERICAL);
    assert_int_equal(s.objectives, 0);
}

static void a_schedule_that_does_not_turn_is_refused(void **unused)
{
    static const pio_action stream[] = {S(0, 0), F(0, 2), L(0, 0), F(0, 1), B(1), L(0, 0), B(0), END};
    pio_sim s = {.steps = 2, .fault = -1};
    const pio_sweep sweep = {.context = &s, .objective = on_objective};
    pio_schedule schedule = {.name = "listed", .steps = 2, .slots = 1, .sweeps = 1, .next = listed_next};
    pio_sweep_result r;
    piola_error e;
    double samples[2];
    (void)unused;
    listed = stream;
    assert_int_equal(
        pio_gradient(&mock, &s, &schedule, &(pio_sweep_arrays){.samples = samples, .n_samples = 1}, &sweep, &r, &e),
        PIOLA_INTERNAL);
    print_message("%s\n", e.message);
    assert_int_equal(s.began + s.ended, 0);
}

static void a_run_of_inverse_steps_delivers_no_gradient_unless_it_comes_to_its_beginning(void **unused)
{
    (void)unused;
    for (int lost = 0; lost < 2; lost++) {
        pio_sim s = {.steps = 10, .fault = -1, .lost = lost};
        const pio_sweep sweep = {.context = &s, .objective = on_objective, .on_gradient = on_gradient};
        pio_schedule schedule = pio_schedule_reverse(10, 2);
        pio_sweep_result r;
        piola_error e = {0};
        double samples[2];
        const piola_status rc =
            pio_gradient(&mock, &s, &schedule, &(pio_sweep_arrays){.samples = samples, .n_samples = 1}, &sweep, &r, &e);
        print_message("%d words lost: %d, %d gradients, %d steps inverted %s\n", lost, (int)rc, s.ended,
                      (int)r.inverse_steps, e.message);
        assert_int_equal(rc, lost ? PIOLA_NUMERICAL : PIOLA_OK);
        assert_int_equal(s.ended, lost ? 0 : 2);
        assert_int_equal(r.inverse_steps, lost ? 10 : 20);
        assert_int_equal(e.failure.kind, lost ? PIOLA_FAILED_REVERSAL : PIOLA_FAILED_NOT);
        assert_int_equal(s.wrong, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(store_all_is_legal_and_runs_every_step_once),
        cmocka_unit_test(reverse_is_legal_keeps_one_state_and_inverts_every_step),
        cmocka_unit_test(a_run_of_inverse_steps_delivers_no_gradient_unless_it_comes_to_its_beginning),
        cmocka_unit_test(the_interpreter_refuses_each_mistake),
        cmocka_unit_test(the_driver_runs_turns_and_announces_every_frame_once),
        cmocka_unit_test(a_window_alone_has_adjoint_steps_and_the_steps_before_it_run_once),
        cmocka_unit_test(the_driver_recomputes_as_scheduled_and_announces_no_state_twice),
        cmocka_unit_test(a_fault_ends_the_sweep_with_its_status),
        cmocka_unit_test(a_schedule_that_does_not_turn_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_schedule.c -- is the stream of actions legal, and does the driver carry it out? The engine here is a mock: its
 * state is its number, and it notes what it is told. */
#include "solvers/adjoint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 256 };

/* ---- an interpreter that knows nothing but the meaning of the actions ------------------------------------- */

typedef struct {
    int64_t steps, slots;        /* slots of both tiers */
    int64_t second, moves;       /* the first slot of the second tier; states written to it and read from it */
    int64_t current;             /* number of the current state */
    int64_t kept[MOST];          /* state in each slot, -1 */
    bool just_turned;            /* by the action before */
    int64_t reversed;            /* of this sweep steps steps-1 .. reversed are done */
    int64_t sweeps, turns;       /* back: wanted, begun */
    int64_t forward, held, peak; /* steps run, slots in use now and at most */
} interpreter;

/* NULL, or the rule that the action breaks. */
static const char *interpret(interpreter *m, const pio_action *a)
{
    const bool after_turn = m->just_turned;
    m->just_turned = a->kind == PIO_TURN;
    switch (a->kind) {
    case PIO_FORWARD:
        if (a->from != m->current) return "forward from a state that is not the current one";
        if (a->to <= a->from || a->to > m->steps) return "forward to nowhere";
        m->forward += a->to - a->from;
        m->current = a->to;
        return NULL;
    case PIO_STORE:
        if (a->from != m->current) return "the state stored is not the current one";
        if (a->slot < 0 || a->slot >= m->slots) return "stored where there is no slot";
        if (m->kept[a->slot] >= 0) return "stored in a slot that is taken";
        m->kept[a->slot] = m->current;
        m->moves += a->slot >= m->second;
        if (a->slot >= m->second) return NULL;
        if (++m->held > m->peak) m->peak = m->held;
        return NULL;
    case PIO_RESTORE:
        if (a->slot < 0 || a->slot >= m->slots || m->kept[a->slot] < 0) return "restored from an empty slot";
        if (m->kept[a->slot] != a->from) return "restored a state that is not in this slot";
        m->current = a->from;
        m->moves += a->slot >= m->second;
        return NULL;
    case PIO_TURN:
        if (m->current != m->steps || a->from != m->steps) return "turned before the end was reached";
        if (m->turns > 0 && m->reversed > 0) return "turned again with steps left";
        m->turns++;
        m->reversed = m->steps;
        return NULL;
    case PIO_BACK:
        if (!after_turn) return "went back without a turn";
        if (a->from != m->steps - 1) return "went back more than a step";
        m->current = a->from;
        return NULL;
    case PIO_REVERSE:
        if (m->turns == 0) return "reversed before it turned";
        if (a->from != m->current) return "reversed a step without its state";
        if (a->from != m->reversed - 1) return "reversed out of order";
        m->reversed = a->from;
        return NULL;
    case PIO_DISCARD:
        if (a->slot < 0 || a->slot >= m->slots || m->kept[a->slot] < 0) return "discarded an empty slot";
        m->kept[a->slot] = -1;
        m->held -= a->slot < m->second;
        return NULL;
    case PIO_DONE:
        if (m->turns != m->sweeps) return "done with too few sweeps, or too many";
        return m->reversed == 0 ? NULL : "done with steps left";
    }
    return "no such action";
}

/* Run a whole schedule; NULL or the first rule broken. */
static const char *judge(pio_schedule *s, interpreter *m)
{
    *m = (interpreter){
        .steps = s->steps, .slots = s->slots + s->kept, .second = s->slots, .reversed = s->steps, .sweeps = s->sweeps};
    for (int i = 0; i < MOST; i++) m->kept[i] = -1;
    if (m->slots > MOST) return "more slots than this test has";
    for (int64_t i = 0; i < 4000000; i++) {
        const pio_action a = s->next(s);
        const char *broken = interpret(m, &a);
        if (broken || a.kind == PIO_DONE) return broken;
    }
    return "it does not end";
}

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

/* ---- binomial checkpointing ------------------------------------------------------------------------------- */

/* Steps run forward when every step's adjoint runs its own once more: PHYSICS.md section 5. */
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

/* Cut anywhere: the first of m steps into the second tier, run through and reversed later; the rest likewise with one state less. */
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

/* Streams with one mistake each, and a right one that recomputes. */
static pio_action listed_next(pio_schedule *s);
static const pio_action *listed;
static pio_action listed_next(pio_schedule *s)
{
    return listed[s->at++];
}

static void the_interpreter_refuses_each_mistake(void **unused)
{
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
        PIO_REVERSE, step, step, -1                                                                                    \
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
        PIO_BACK, state, state, -1                                                                                     \
    }
#define END                                                                                                            \
    {                                                                                                                  \
        PIO_DONE, 0, 0, -1                                                                                             \
    }
    static const pio_action streams[][14] = {
        {S(0, 0), F(0, 2), T, L(0, 0), F(0, 1), B(1), L(0, 0), B(0), X(0, 0), END}, /* right */
        {F(0, 2), T, L(0, 0), B(1), B(0), END},                                     /* never stored */
        {S(0, 0), F(0, 2), T, L(0, 0), B(0), END},                                  /* step 1 forgotten */
        {S(0, 0), F(0, 2), T, L(0, 0), F(0, 1), B(1), B(0), END},                   /* the state of step 1 for step 0 */
        {S(0, 0), F(0, 1), S(1, 0), F(1, 2), END},                                  /* over a state that is kept */
        {S(0, 0), F(0, 1), T, B(0), END},                                           /* turned too early */
        {S(0, 0), F(0, 2), L(0, 0), F(0, 1), B(1), L(0, 0), B(0), END},             /* never turned */
        {S(0, 0), F(0, 2), T, L(0, 0), F(0, 1), B(1), X(0, 0), L(0, 0), B(0), END}, /* restored, but it was discarded */
        {S(0, 0), F(0, 2), T, L(0, 0), F(0, 1), B(1), END},                         /* ends early */
        {S(0, 0), F(0, 2), T, L(0, 0), F(0, 1), B(1), B(1), END},                   /* one step twice */
        {S(0, 0), F(0, 2), T, L(0, 0), F(0, 1), B(1), L(0, 0), B(0), F(0, 2), T, END}, /* a sweep too many */
        {S(0, 0), F(0, 2), T, L(0, 0), F(0, 1), B(1), F(1, 2), T, END},                /* turned with a step left */
        {S(0, 5), F(0, 2), END},                                                       /* no such slot */
        {S(0, 0), F(0, 2), T, Y(0), L(0, 0), END},                                     /* back two steps */
        {S(0, 0), F(0, 2), T, Y(1), B(1), Y(0), B(0), END},                            /* back again */
        {F(1, 2), END}};
    (void)unused;
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
        pio_schedule s = {.name = "listed", .steps = 2, .slots = 1, .sweeps = 1, .next = listed_next};
        interpreter m;
        listed = streams[i];
        const char *broken = judge(&s, &m);
        print_message("stream %d: %s\n", (int)i, broken ? broken : "legal");
        assert_int_equal(broken == NULL, i == 0);
    }
}

/* ---- the driver on a mock engine ------------------------------------------------------------------------- */

struct pio_sim {
    int64_t steps, current, kept[MOST];
    int64_t forward, reversed; /* steps run; the step reversed last */
    int began, ended, wrong;
    int64_t frames[2][MOST]; /* states and adjoints announced */
    int n_frames[2], objectives;
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
    s->reversed = s->steps;
    return PIOLA_OK;
}
static piola_status mock_reverse(pio_sim *s, piola_error *e)
{
    (void)e;
    s->wrong += !s->began || s->current != s->reversed - 1;
    s->reversed = s->current;
    return PIOLA_OK;
}
static piola_status mock_end(pio_sim *s, double *value_bar, double *z_bar, piola_error *e)
{
    (void)value_bar, (void)z_bar, (void)e;
    s->ended++;
    s->wrong += s->reversed != 0 || s->current != 0;
    return PIOLA_OK;
}
static piola_status mock_samples(pio_sim *s, double *values, piola_error *e)
{
    (void)s, (void)values, (void)e;
    return PIOLA_OK;
}
static piola_status mock_back(pio_sim *s, piola_error *e)
{
    (void)e;
    s->current--;
    return PIOLA_OK;
}
static const pio_engine mock = {.start = mock_start,
                                .advance = mock_advance,
                                .check = mock_check,
                                .save = mock_save,
                                .load = mock_load,
                                .reverse_begin = mock_begin,
                                .back = mock_back,
                                .reverse = mock_reverse,
                                .reverse_end = mock_end,
                                .samples = mock_samples};

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
    s->wrong += s->reversed != step;
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
        const pio_sweep sweep = {.context = &s,
                                 .frames = all,
                                 .n_frames = frames,
                                 .on_state = on_state,
                                 .on_adjoint = on_adjoint,
                                 .objective = on_objective,
                                 .on_gradient = on_gradient};
        pio_schedule schedule =
            few ? pio_schedule_checkpoint(steps, 3, 0, sweeps) : pio_schedule_store_all(steps, sweeps);
        const int64_t forward = few && steps ? sweeps * (pio_checkpoint_advances(steps, 3, 0) + 1) : steps;
        pio_sweep_result r;
        piola_error e;
        double samples[2];
        assert_int_equal(pio_gradient(&mock, &s, &schedule, NULL, samples, 1, &sweep, NULL, NULL, &r, &e), PIOLA_OK);
        print_message("%2d steps: %d forward, %d back, %d of %d frames out, %d back\n", (int)steps, (int)s.forward,
                      (int)r.reverse_steps, s.n_frames[0], (int)frames, s.n_frames[1]);
        assert_int_equal(s.forward, forward);
        assert_int_equal(r.forward_steps, forward);
        assert_int_equal(r.reverse_steps, steps * sweeps);
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

static void the_driver_recomputes_as_told_and_announces_no_state_twice(void **unused)
{
    static const pio_action stream[] = {S(0, 0), F(0, 2), S(2, 1), F(2, 4), {PIO_TURN, 4, 4, -1},
                                        L(2, 1), F(2, 3), B(3),    L(2, 1), B(2),
                                        L(0, 0), F(0, 1), B(1),    L(0, 0), B(0),
                                        END};
    static const int64_t frames[] = {0, 1, 3, 4};
    pio_sim s = {.steps = 4, .fault = -1};
    const pio_sweep sweep = {.context = &s,
                             .frames = frames,
                             .n_frames = 4,
                             .on_state = on_state,
                             .on_adjoint = on_adjoint,
                             .objective = on_objective};
    pio_schedule schedule = {.name = "listed", .steps = 4, .slots = 2, .sweeps = 1, .next = listed_next};
    pio_sweep_result r;
    piola_error e;
    double samples[2];
    (void)unused;
    listed = stream;
    assert_int_equal(pio_gradient(&mock, &s, &schedule, NULL, samples, 1, &sweep, NULL, NULL, &r, &e), PIOLA_OK);
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
    assert_int_equal(pio_gradient(&mock, &s, &schedule, NULL, samples, 1, &sweep, NULL, NULL, &r, &e), PIOLA_NUMERICAL);
    assert_int_equal(s.began, 0);
    assert_int_equal(s.objectives, 0);
    assert_int_equal(pio_forward(&mock, &s, 10, NULL, samples, &sweep, &r, &e), PIOLA_NUMERICAL);
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
    assert_int_equal(pio_gradient(&mock, &s, &schedule, NULL, samples, 1, &sweep, NULL, NULL, &r, &e), PIOLA_INTERNAL);
    print_message("%s\n", e.message);
    assert_int_equal(s.began + s.ended, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(store_all_is_legal_and_runs_every_step_once),
        cmocka_unit_test(checkpoints_run_as_many_steps_as_the_published_optimum),
        cmocka_unit_test(no_choice_of_states_runs_fewer_steps),
        cmocka_unit_test(no_cut_into_segments_runs_fewer_steps),
        cmocka_unit_test(the_interpreter_refuses_each_mistake),
        cmocka_unit_test(the_driver_runs_turns_and_announces_every_frame_once),
        cmocka_unit_test(the_driver_recomputes_as_told_and_announces_no_state_twice),
        cmocka_unit_test(a_fault_ends_the_sweep_with_its_status),
        cmocka_unit_test(a_schedule_that_does_not_turn_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_mpm_determinism.c -- are results the same bits for any number of threads, in every run, after a restart, in any
 * storage order and for any schedule? */
#include "tests/solvers/mpm/mpm_case.h"
#include "solvers/mpm/mpm.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { D = CASE_DIM, STEPS = 30 };

/* A solid and a fluid collide over a floor, `fine` cells to a decimetre. Every quantity is a design. */
static void collision(mpm_case *c, int fine, int steps)
{
    const double dx = 0.1 / fine;
    case_init(c, 24 * fine + 2, 18 * fine + 2, 10 * fine + 2, dx, 2e-3 / fine, steps);
    for (int side = 0; side < 2; side++) {
        case_wall(c, 0, side, PIO_WALL_SEPARATE, side ? 22 * fine : 2 * fine);
        case_wall(c, 1, side, PIO_WALL_STICKY, side ? 16 * fine : 2 * fine);
        case_wall(c, 2, side, PIO_WALL_SLIP, side ? 8 * fine : 2 * fine);
    }
    c->desc.gravity[1] = -9.81;
    case_body solid = {
        .law = PIO_HYPER_FIXED_COROTATED, .parameters = {4e4, 0.3, 0}, .density = 1100, .velocity = {2, -1, 0.3}};
    case_body fluid = {.law = PIO_TAIT, .parameters = {3e4, 7, 5}, .density = 1000, .velocity = {-1.5, -0.5, -0.4}};
    const double lo[2][3] = {{0.35, 0.3, 0.3}, {1.1, 0.25, 0.3}}, hi[2][3] = {{1.05, 1.3, 0.45}, {1.8, 0.95, 0.45}};
    case_block(c, &solid, lo[0], hi[0], 2, 0.3);
    case_block(c, &fluid, lo[1], hi[1], 2, 0.3);
    const int x = case_observe(c, PIO_MEAN_POSITION, 0, 1), v = case_observe(c, PIO_MEAN_VELOCITY, 1, 1);
    const int e = case_observe(c, PIO_KINETIC_ENERGY, 0, 1), d = case_observe_distance(c, 1, 1, 0.2);
    case_sample(c, x, steps, 0, 1);
    for (int64_t s = 0; s <= steps; s += 3) case_sample(c, v, s, 0, 0.1);
    for (int64_t s = 0; s <= steps; s++) case_sample(c, e, s, 0, 1e-3);
    case_sample(c, d, steps / 2, 0, 1)->past = 0.4;
    case_design(c, PIO_VELOCITY, 0, CASE_SCALAR, 0, 2, 1);
    case_design(c, PIO_POSITION, 1, CASE_SCALAR, 0, 0, dx);
    case_design(c, PIO_LAW_PARAMETER_0, 0, CASE_GROUPS, 1, log(4e4), 1);
    case_design(c, PIO_LAW_PARAMETER_2, 1, CASE_EACH, 0, 5, 1);
    case_design(c, PIO_DENSITY, 1, CASE_SCALAR, 0, 1000, 100);
    case_design(c, PIO_GRAVITY, -1, CASE_SCALAR, 0, -3, 1);
}

typedef struct {
    uint64_t state, gradients, vector; /* of fields, of gradient fields, of J and dJ/dz */
} hashes;

static hashes whole_run(mpm_case *c, pio_sim *sim, pio_schedule *schedule)
{
    static double z[CASE_VARIABLES], z_bar[CASE_VARIABLES];
    hashes h;
    for (int i = 0; i < c->variables; i++) z[i] = 0.1 * sin(i);
    double J = case_forward(c, sim, z);
    h.state = case_hash_state(sim, c->n);
    J = case_gradient(c, sim, schedule, z, z_bar);
    h.gradients = case_hash_gradients(sim, c->n);
    h.vector = case_hash(CASE_HASH_START, &J, sizeof J);
    h.vector = case_hash(h.vector, z_bar, sizeof *z_bar * (size_t)c->variables);
    return h;
}

static void print_hashes(const char *what, int number, hashes h)
{
    print_message("  %-28s %2d: state %016llx gradients %016llx J, dJ/dz %016llx\n", what, number,
                  (unsigned long long)h.state, (unsigned long long)h.gradients, (unsigned long long)h.vector);
}

static void assert_same(hashes a, hashes b)
{
    assert_true(a.state == b.state);
    assert_true(a.gradients == b.gradients);
    assert_true(a.vector == b.vector);
}

static void any_number_of_threads_gives_the_same_bits(void **unused)
{
    static const int threads[] = {1, 2, 3, 8, 1};
    static mpm_case c;
    hashes first = {0};
    (void)unused;
    collision(&c, D == 2 ? 4 : 2, 8);
    print_message("  %d particles\n", (int)c.n);
    assert_true(c.n > 4096); /* the backend runs less than that on one thread, whatever number is requested */
    for (int i = 0; i < 5; i++) {
        pio_sim *sim = case_create(&c, 8, threads[i]);
        for (int again = 0; again < (i == 1 ? 2 : 1); again++) { /* and twice in one simulation */
            const hashes h = whole_run(&c, sim, NULL);
            print_hashes("threads", threads[i], h);
            if (i == 0)
                first = h;
            else
                assert_same(h, first);
        }
        piola_engine.destroy(sim);
    }
    /* not vacuous: a small change of one initial velocity shows in all of it */
    c.velocity[7] *= 1 + 1e-4;
    pio_sim *sim = case_create(&c, 8, 1);
    const hashes h = whole_run(&c, sim, NULL);
    print_hashes("a velocity changed", 1, h);
    assert_true(h.state != first.state && h.gradients != first.gradients && h.vector != first.vector);
    piola_engine.destroy(sim);
    case_free(&c);
}

static void advance(pio_sim *sim, int64_t steps)
{
    piola_error error;
    if (piola_engine.advance(sim, steps, &error) || piola_engine.check(sim, &error)) fail_msg("%s", error.message);
}

static void a_restart_from_a_saved_state_gives_the_same_bits(void **unused)
{
    static mpm_case c;
    static double z[CASE_VARIABLES];
    piola_error error;
    (void)unused;
    collision(&c, 1, STEPS);
    pio_sim *sim = case_create(&c, 2, 1);
    assert_int_equal(piola_engine.start(sim, z, &error), PIOLA_OK);
    advance(sim, 17);
    assert_int_equal(piola_engine.save(sim, 1, &error), PIOLA_OK);
    const uint64_t at17 = case_hash_state(sim, c.n);
    advance(sim, STEPS - 17);
    const uint64_t end = case_hash_state(sim, c.n);
    assert_int_equal(piola_engine.load(sim, 1, &error), PIOLA_OK);
    assert_int_equal(piola_engine.step(sim), 17);
    const uint64_t again17 = case_hash_state(sim, c.n);
    advance(sim, STEPS - 17);
    const uint64_t again = case_hash_state(sim, c.n);
    print_message("  state 17: %016llx %016llx; state %d: %016llx %016llx\n", (unsigned long long)at17,
                  (unsigned long long)again17, STEPS, (unsigned long long)end, (unsigned long long)again);
    assert_true(at17 == again17);
    assert_true(end == again);
    assert_true(at17 != end);
    assert_int_not_equal(piola_engine.load(sim, 0, &error), PIOLA_OK); /* nothing was saved there */
    piola_engine.destroy(sim);
    case_free(&c);
}

/* How many kernels a step launches, which is what a small one costs a GPU: the sort by exceptions, both transfers, and
 * what counts the step. Where its state was not stored in the order of the lists, the sort is the full one. */
static void a_step_is_nine_launches(void **unused)
{
    static mpm_case c;
    static double z[CASE_VARIABLES];
    piola_error error;
    (void)unused;
    collision(&c, 1, STEPS);
    c.desc.n_sample_weights = 0; /* observations are launched in between */
    pio_sim *sim = case_create(&c, 2, 1);
    const pio_queue_counts *counts = &mpm_of(sim)->base.queue.counts;
    assert_int_equal(piola_engine.start(sim, z, &error), PIOLA_OK);
    for (int s = 0; s < 5; s++) {
        const int64_t launches = counts->launches, copies = counts->copies;
        advance(sim, 1);
        assert_int_equal(counts->launches - launches, s == 0 ? 10 : 9);
        assert_true(counts->copies - copies <= 1); /* check() reads the step block */
    }
    piola_engine.destroy(sim);
    case_free(&c);
}

/* ---- storage order --------------------------------------------------------------------------------------- */

static void permute_ints(int *a, const int *to, int n)
{
    int *b = malloc(sizeof *b * (size_t)n);
    if (!b) fail_msg("out of memory");
    for (int i = 0; i < n; i++) b[to[i]] = a[i];
    memcpy(a, b, sizeof *b * (size_t)n);
    free(b);
}

static void permute_reals(real *a, const int *to, int n, int components)
{
    const size_t record = sizeof *a * (size_t)components;
    real *b = malloc(record * (size_t)n);
    if (!b) fail_msg("out of memory");
    for (int i = 0; a && i < n; i++) memcpy(b + (ptrdiff_t)to[i] * components, a + (ptrdiff_t)i * components, record);
    if (a) memcpy(a, b, record * (size_t)n);
    free(b);
}

/* Put the particles of the current state into another order in memory (device memory is host memory here), which then
 * is no longer that of the lists. */
static void shuffle_storage(mpm_case *c, pio_sim *sim)
{
    const int n = (int)c->n;
    mpm_sim *m = mpm_of(sim);
    const mpm_state *s = &m->particles.state[m->particles.current];
    int *to = malloc(sizeof *to * (size_t)n);
    if (!to) fail_msg("out of memory");
    for (int i = 0; i < n; i++) to[i] = i;
    for (int i = n - 1; i > 0; i--) {
        const int j = (int)((case_random(c) + 1) / 2 * (i + 1)), t = to[i];
        to[i] = to[j];
        to[j] = t;
    }
    pio_arena_open(&sim->arena);
#define INT_FIELD(name, unit, meaning) permute_ints(s->name, to, n);
#define FIELD(name, components, when, unit, meaning) permute_reals(s->name, to, n, components);
#include "kernels/mpm/mpm_fields.def"
#undef INT_FIELD
#undef FIELD
    pio_arena_close(&sim->arena);
    m->slots.behind = BEHIND_NOTHING;
    m->slots.in_order = 0;
    free(to);
}

static void the_order_in_memory_does_not_matter(void **unused)
{
    static mpm_case c;
    static double z[CASE_VARIABLES];
    piola_error error;
    (void)unused;
    collision(&c, 1, STEPS);
    pio_sim *sim = case_create(&c, 1, 1);
    assert_int_equal(piola_engine.start(sim, z, &error), PIOLA_OK);
    advance(sim, STEPS);
    const uint64_t end = case_hash_state(sim, c.n);
    assert_int_equal(piola_engine.start(sim, z, &error), PIOLA_OK);
    for (int s = 0; s < STEPS; s++) {
        if (s % 7 == 0) shuffle_storage(&c, sim);
        advance(sim, 1);
    }
    const uint64_t shuffled = case_hash_state(sim, c.n);
    print_message("  %016llx, shuffled every 7th step %016llx\n", (unsigned long long)end,
                  (unsigned long long)shuffled);
    assert_true(end == shuffled);
    piola_engine.destroy(sim);
    case_free(&c);
}

/* ---- schedules ------------------------------------------------------------------------------------------- */

/* Keeps states 0, every, 2 every, ...; on the way back each step's state is recomputed from the one kept before it. */
typedef struct {
    pio_schedule schedule; /* first: next() gets a pointer to it */
    int64_t every, state, step;
    int phase; /* 0 store or forward on the way out, and turn, 1 restore, 2 recompute, 3 adjoint step, 4 discard */
} sparse_schedule;

static pio_action sparse_next(pio_schedule *schedule)
{
    sparse_schedule *s = (sparse_schedule *)schedule;
    if (s->schedule.at++ == 0) {
        s->state = 0;
        s->step = s->schedule.steps - 1;
        s->phase = 0;
    }
    const int64_t kept = s->step / s->every * s->every, slot = s->step / s->every;
    switch (s->phase) {
    case 0: {
        const int64_t from = s->state, left = s->schedule.steps - from;
        if (left == 0) {
            s->phase = 1;
            return (pio_action){PIO_TURN, from, from, -1};
        }
        if (s->schedule.at % 2 == 1) return (pio_action){PIO_STORE, from, from, from / s->every};
        s->state += left < s->every ? left : s->every;
        return (pio_action){PIO_FORWARD, from, s->state, -1};
    }
    case 1:
        s->phase = s->step > kept ? 2 : 3;
        return (pio_action){PIO_RESTORE, kept, kept, slot};
    case 2:
        s->phase = 3;
        return (pio_action){PIO_FORWARD, kept, s->step, -1};
    case 3:
        s->phase = s->step == kept ? 4 : 1;
        return (pio_action){PIO_ADJOINT_STEP, s->step--, 0, -1};
    default:
        s->phase = s->step >= 0 ? 1 : 5;
        if (s->step < -1) return (pio_action){PIO_DONE, 0, 0, -1};
        if (s->step < 0) s->step--;
        return (pio_action){PIO_DISCARD, 0, 0, 0};
    }
}

static void any_schedule_gives_the_same_gradient_bits(void **unused)
{
    static const int64_t every[] = {1, 2, 7, 29, STEPS};
    static mpm_case c;
    (void)unused;
    collision(&c, 1, STEPS);
    pio_sim *sim = case_create(&c, STEPS, 1);
    const hashes all = whole_run(&c, sim, NULL);
    print_hashes("keep everything", 1, all);
    for (size_t i = 0; i < sizeof every / sizeof *every; i++) {
        sparse_schedule s = {
            .schedule = {.name = "sparse", .steps = STEPS, .slots = STEPS, .sweeps = 1, .next = sparse_next},
            .every = every[i]};
        const hashes h = whole_run(&c, sim, &s.schedule);
        print_hashes("keep every", (int)every[i], h);
        assert_same(h, all);
    }
    for (int i = 0; i < 12; i++) {
        static const int64_t slots[] = {1, 2, 3, 4, 5, 7, 10, 15, 20, 25, STEPS - 1, STEPS};
        pio_schedule s = pio_schedule_checkpoint(STEPS, slots[i], 0, 1 + i % 2);
        const hashes h = whole_run(&c, sim, &s);
        print_hashes("checkpoints", (int)slots[i], h);
        assert_same(h, all);
        pio_schedule_end(&s);
    }
    piola_engine.destroy(sim);
    case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(a_restart_from_a_saved_state_gives_the_same_bits),
        cmocka_unit_test(a_step_is_nine_launches),
        cmocka_unit_test(the_order_in_memory_does_not_matter),
        cmocka_unit_test(any_schedule_gives_the_same_gradient_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

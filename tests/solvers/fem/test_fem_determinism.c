/* test_fem_determinism.c -- are results the same bits for any number of threads, in every run, after a restart and for
 * any schedule? And does no more than scalars travel to the host within a step? */
#include "tests/solvers/fem/fem_case.h"

#include "solvers/fem/fem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { D = FEM_DIM, STEPS = 4, SCALARS = 320 /* bytes: most that one download brings */ };

/* A block of two laws that is pulled, pressed, heavy and moved; every quantity is a design. */
static void block(fem_case *c, pio_element_type even, pio_element_type odd, int n0, int n1, int n2, int steps)
{
    const fem_material m[2] = {fem_material_of(PIO_HYPER_NEO_HOOKEAN, 1000),
                               fem_material_of(PIO_HYPER_FIXED_COROTATED, 1500)};
    fem_case_begin(c, 1.0 / steps, steps);
    c->fem.newton_tolerance = c->fem.adjoint_tolerance = fem_case_is_f32() ? 2e-3 : 1e-9;
    const int ramp = fem_case_curve(c, 2, (double[]){0, 1}, (double[]){0, 1});
    fem_case_grid(c, (fem_grid){even, odd, {n0, n1, n2}, NULL, 0.2});
    fem_case_matter(c, m, 2, 0.9);
    fem_case_clamp(c, 0, 0);
    fem_case_hold_side(c, 0, 1, 1, fem_case_support(c, 0.02, ramp));
    const int traction = fem_case_value(c, 20, -15, 5), pressure = fem_case_value(c, 25, 0, 0);
    fem_case_load(c, PIO_TRACTION, 0, 1, traction, ramp);
    fem_case_load(c, PIO_PRESSURE, 1, 1, pressure, ramp);
    c->desc.gravity[1] = -0.03;
    const int u = fem_case_observe(c, PIO_DISPLACEMENT, 1), near = fem_case_observe(c, PIO_DISTANCE, 1);
    const int reaction = fem_case_observe(c, PIO_REACTION, 1), work = fem_case_observe(c, PIO_COMPLIANCE, 1);
    for (int s = 0; s <= steps; s++) fem_case_sample(c, u, s, 0, 0.1);
    fem_case_sample(c, near, steps, 0, 1)->past = 0.3;
    fem_case_sample(c, reaction, steps / 2, 0, 0.01);
    fem_case_sample(c, work, steps, 0, 0.1);
    fem_case_design(c, PIO_POSITION, -1, FEM_EACH, fem_linear(0, 0.1 / n0), 0);
    fem_case_design(c, PIO_LAW_PARAMETER_0, 0, FEM_EACH, fem_logarithmic(log(1000), 0.2), 0);
    fem_case_design(c, PIO_LAW_PARAMETER_1, 1, FEM_GROUPS, fem_linear(0.3, 0.05), 0);
    fem_case_design(c, PIO_DENSITY, -1, FEM_GROUPS, fem_linear(1000, 100), 0);
    if (D == 2) fem_case_design(c, PIO_THICKNESS, -1, FEM_GROUPS, fem_linear(0.9, 0.1), 0);
    fem_case_design(c, PIO_LOAD, -1, FEM_SCALAR, fem_linear(20, 5), traction);
    fem_case_design(c, PIO_SUPPORT, -1, FEM_SCALAR, fem_linear(0.02, 0.01), 1);
    fem_case_design(c, PIO_GRAVITY, -1, FEM_SCALAR, fem_linear(-0.01, 0.02), 0);
}

static void small_block(fem_case *c)
{
    block(c, D == 2 ? PIO_TRI3 : PIO_HEX8, D == 2 ? PIO_QUAD4 : PIO_HEX8, 5, 4, 3, STEPS);
}

typedef struct {
    uint64_t state, gradients, vector; /* of fields, of gradient fields, of J and dJ/dz */
} hashes;

static hashes whole_run(fem_case *c, pio_sim *sim, pio_schedule *schedule)
{
    static double z[FEM_VARIABLES], z_bar[FEM_VARIABLES];
    hashes h;
    for (int i = 0; i < c->variables; i++) z[i] = 0.3 * sin(i);
    double J = fem_case_forward(c, sim, z, NULL);
    h.state = fem_case_hash_state(sim);
    J = fem_case_gradient(c, sim, schedule, z, z_bar);
    h.gradients = fem_case_hash_gradients(sim);
    h.vector = fem_case_hash(FEM_HASH_START, &J, sizeof J);
    h.vector = fem_case_hash(h.vector, z_bar, sizeof *z_bar * (size_t)c->variables);
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
    static const int threads[] = {1, 2, 3, 8};
    static fem_case c;
    hashes first = {0};
    (void)unused;
    if (D == 2)
        block(&c, PIO_TRI3, PIO_QUAD4, 66, 64, 1, 1);
    else
        block(&c, PIO_TET4, PIO_TET4, 10, 9, 8, 2);
    c.fem.newton_tolerance = c.fem.adjoint_tolerance = fem_case_is_f32() ? 1e-2 : 1e-4;
    print_message("  %d elements, %d nodes\n", c.elements, c.n);
    assert_true(c.elements > 4096); /* the backend runs less than that on one thread, whatever number is requested */
    for (int i = 0; i < 4; i++) {
        pio_sim *sim = fem_case_create(&c, 2, threads[i]);
        for (int again = 0; again < (i == 1 ? 2 : 1); again++) { /* and twice in one simulation */
            const hashes h = whole_run(&c, sim, NULL);
            print_hashes("threads", threads[i], h);
            if (i == 0)
                first = h;
            else
                assert_same(h, first);
        }
        piola_engine_fem.destroy(sim);
    }
    c.parameters[5 * 7] *= 1 + 1e-4; /* not vacuous: a small change of one element shows in all of it */
    c.design[1].index = c.design[2].index;
    pio_sim *sim = fem_case_create(&c, 2, 1);
    const hashes h = whole_run(&c, sim, NULL);
    print_hashes("an element changed", 1, h);
    assert_true(h.state != first.state && h.gradients != first.gradients && h.vector != first.vector);
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
}

static void advance(pio_sim *sim, int64_t steps)
{
    piola_error error;
    if (piola_engine_fem.advance(sim, steps, &error) || piola_engine_fem.check(sim, &error))
        fail_msg("%s", error.message);
}

static void a_restart_from_a_saved_state_gives_the_same_bits(void **unused)
{
    static fem_case c;
    static double z[FEM_VARIABLES];
    piola_error error;
    (void)unused;
    small_block(&c);
    pio_sim *sim = fem_case_create(&c, 2, 1);
    assert_int_equal(piola_engine_fem.start(sim, z, &error), PIOLA_OK);
    advance(sim, 2);
    assert_int_equal(piola_engine_fem.save(sim, 1, &error), PIOLA_OK);
    double *kept = fem_case_read(sim, "displacement");
    advance(sim, STEPS - 2);
    const uint64_t end = fem_case_hash_state(sim);
    assert_int_equal(piola_engine_fem.load(sim, 1, &error), PIOLA_OK);
    assert_int_equal(piola_engine_fem.step(sim), 2);
    double *loaded = fem_case_read(sim, "displacement");
    assert_memory_equal(kept, loaded, sizeof *kept * (size_t)(c.n * D));
    advance(sim, STEPS - 2);
    const uint64_t again = fem_case_hash_state(sim);
    print_message("  state %d: %016llx, after a restart from state 2: %016llx\n", STEPS, (unsigned long long)end,
                  (unsigned long long)again);
    assert_true(end == again);
    assert_int_not_equal(piola_engine_fem.load(sim, 0, &error), PIOLA_OK); /* nothing was saved there */
    free(kept);
    free(loaded);
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
}

/* ---- schedules ------------------------------------------------------------------------------------------- */

/* Keeps states 0, every, 2 every, ...; on the way back each step's state is computed again from the one kept before
 * it. */
typedef struct {
    pio_schedule schedule; /* first: next() gets a pointer to it */
    pio_action list[8 * STEPS];
} listed_schedule;

static pio_action listed_next(pio_schedule *schedule)
{
    return ((listed_schedule *)schedule)->list[schedule->at++];
}

static listed_schedule keep_every(int64_t every)
{
    listed_schedule s = {
        .schedule = {.name = "listed", .steps = STEPS, .slots = STEPS, .sweeps = 1, .next = listed_next}};
    int n = 0;
    for (int64_t step = 0; step < STEPS; step++) {
        if (step % every == 0) s.list[n++] = (pio_action){PIO_STORE, step, step, step / every};
        s.list[n++] = (pio_action){PIO_FORWARD, step, step + 1, -1};
    }
    s.list[n++] = (pio_action){PIO_TURN, STEPS, STEPS, -1};
    for (int64_t step = STEPS - 1; step >= 0; step--) {
        const int64_t kept = step / every * every;
        s.list[n++] = (pio_action){PIO_RESTORE, kept, kept, kept / every};
        if (step > kept) s.list[n++] = (pio_action){PIO_FORWARD, kept, step, -1};
        s.list[n++] = (pio_action){PIO_ADJOINT_STEP, step, 0, -1};
    }
    s.list[n] = (pio_action){PIO_DONE, 0, 0, -1};
    return s;
}

static void any_schedule_gives_the_same_gradient_bits(void **unused)
{
    static fem_case c;
    (void)unused;
    small_block(&c);
    pio_sim *sim = fem_case_create(&c, STEPS, 1);
    const hashes all = whole_run(&c, sim, NULL);
    print_hashes("keep everything", 1, all);
    for (int every = 1; every <= STEPS; every++) {
        listed_schedule s = keep_every(every);
        const hashes h = whole_run(&c, sim, &s.schedule);
        print_hashes("keep every", every, h);
        assert_same(h, all);
        pio_schedule few = pio_schedule_checkpoint(STEPS, every, 0, 1 + every % 2);
        const hashes again = whole_run(&c, sim, &few);
        print_hashes("checkpoints", every, again);
        assert_same(again, all);
        pio_schedule_end(&few);
    }
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
}

/* ---- what travels ------------------------------------------------------------------------------------------ */

static int downloads, uploads;
static size_t largest, largest_up;

static int counted_download(pio_stream stream, void *target, const void *source, size_t bytes)
{
    downloads++;
    largest = bytes > largest ? bytes : largest;
    return pio_backend_cpu.download(stream, target, source, bytes);
}

static int counted_upload(pio_stream stream, void *target, const void *source, size_t bytes)
{
    uploads++;
    largest_up = bytes > largest_up ? bytes : largest_up;
    return pio_backend_cpu.upload(stream, target, source, bytes);
}

static void only_scalars_come_to_the_host_within_a_step(void **unused)
{
    static fem_case c;
    static double z[FEM_VARIABLES], samples_bar[FEM_SAMPLES];
    static pio_backend counted;
    pio_sim *sim = NULL;
    piola_error error;
    pio_step_record r;
    (void)unused;
    small_block(&c);
    counted = pio_backend_cpu;
    counted.download = counted_download;
    counted.upload = counted_upload;
    fem_case_describe(&c, STEPS, 1);
    if (fem_create(&counted, &c.desc, &sim, NULL, &error)) fail_msg("%s", error.message);
    assert_int_equal(piola_engine_fem.start(sim, z, &error), PIOLA_OK);
    for (int s = 0; s < STEPS; s++) {
        assert_int_equal(piola_engine_fem.save(sim, s, &error), PIOLA_OK);
        downloads = uploads = 0;
        largest = largest_up = 0;
        if (piola_engine_fem.advance(sim, 1, &error)) fail_msg("%s", error.message);
        assert_true(piola_engine_fem.record(sim, s, &r));
        /* a look per linear iteration and three per solve; sums of an iteration, its slope, its search; faults once */
        const int most = r.linear_iterations + 12 * r.newton_iterations + 2;
        print_message("  step %d: %d Newton and %d linear iterations, %d downloads (at most %d) of up to %zu bytes, %d "
                      "uploads\n",
                      s, r.newton_iterations, r.linear_iterations, downloads, most, largest, uploads);
        assert_true(downloads > 0 && downloads <= most && largest <= SCALARS);
        assert_true(uploads <= r.newton_iterations && largest_up <= 8); /* no block is singular, so far */
    }
    for (int k = 0; k < c.samples; k++) samples_bar[k] = 1;
    assert_int_equal(piola_engine_fem.adjoint_begin(sim, samples_bar, &error), PIOLA_OK);
    for (int s = STEPS - 1; s >= 0; s--) {
        assert_int_equal(piola_engine_fem.load(sim, s, &error), PIOLA_OK);
        downloads = uploads = 0;
        largest = largest_up = 0;
        if (piola_engine_fem.adjoint_step(sim, &error)) fail_msg("%s", error.message);
        assert_true(piola_engine_fem.record(sim, s, &r));
        print_message("  step %d back: %d linear iterations, %d downloads of up to %zu bytes, %d uploads\n", s,
                      r.adjoint_iterations, downloads, largest, uploads);
        /* one for each iteration, and for two rounds what begins and ends a solve */
        assert_true(downloads > 0 && downloads <= r.adjoint_iterations + 2 * 8 && largest <= SCALARS);
        assert_true(uploads <= 1 && largest_up <= 8);
    }
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(a_restart_from_a_saved_state_gives_the_same_bits),
        cmocka_unit_test(any_schedule_gives_the_same_gradient_bits),
        cmocka_unit_test(only_scalars_come_to_the_host_within_a_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

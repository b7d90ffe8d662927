/* test_mpm_control.c -- do channels of control act as they say, is their adjoint the derivative, and does time come
 * from the step's number alone? */
#include "tests/solvers/mpm/mpm_case.h"
#include "solvers/mpm/mpm.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { D = CASE_DIM };

static const double oblique[3] = {2, 1, -0.5}, upright[3] = {0.3, 1, 0.2};

static double *z_of(const mpm_case *c)
{
    static double z[CASE_VARIABLES];
    for (int i = 0; i < c->variables; i++) z[i] = 0.3 * sin(1 + 2 * i);
    return z;
}

/* ---- physics --------------------------------------------------------------------------------------------- */

/* Stretch along the fibre of a free neo-Hookean solid with activation a: the stresses along and across vanish,
 *     mu (l1^2 - 1) + lambda ln J + a l1^2 = 0,   mu (l2^2 - 1) + lambda ln J = 0,   J = l1 l2^(d - 1),
 * hence l1 = l2 sqrt(mu/(mu + a)), and l2 by bisection. */
static double stretch(double mu, double lambda, double a, double *across)
{
    const double ratio = sqrt(mu / (mu + a));
    double lo = 0.5, hi = 2;
    for (int i = 0; i < 200; i++) {
        const double l = (lo + hi) / 2;
        if (mu * (l * l - 1) + lambda * log(ratio * pow(l, D)) < 0)
            lo = l;
        else
            hi = l;
    }
    *across = (lo + hi) / 2;
    return ratio * *across;
}

/* Mean of |F n| and, as det F = l1 l2^(d-1), of l2. */
static void measure(pio_sim *sim, const mpm_case *c, double *along, double *across)
{
    double *F = case_read(sim, "F", c->n), *J = case_read(sim, "J", c->n);
    *along = *across = 0;
    for (int64_t p = 0; p < c->n; p++) {
        double square = 0;
        for (int a = 0; a < D; a++) {
            double u = 0;
            for (int b = 0; b < D; b++) u += F[p * D * D + a * D + b] * c->fibre[0][b];
            square += u * u;
        }
        *along += sqrt(square) / (double)c->n;
        *across += pow(J[p] / sqrt(square), 1.0 / (D - 1)) / (double)c->n;
    }
    free(F);
    free(J);
}

static void an_activated_body_contracts_along_its_fibre(void **unused)
{
    static const double amplitudes[] = {6e3, -2e3};
    (void)unused;
    for (int i = 0; i < 2; i++) {
        static mpm_case c;
        const double mu = 8e3, lambda = 1.2e4, lo[3] = {0.5, 0.5, 0.4}, hi[3] = {0.8, 0.8, 0.7};
        const int64_t steps = 500; /* 1 s: some eight times that of the slowest wave there and back */
        case_init(&c, 14, 14, 12, 0.1, 2e-3, steps);
        case_body b = {.law = PIO_HYPER_NEO_HOOKEAN, .parameter_form = 1, .parameters = {mu, lambda}, .density = 1000};
        case_block(&c, &b, lo, hi, 2, 0);
        case_channel(&c, &(pio_channel_desc){PIO_SINE, amplitudes[i], 0.25, 0}, 0, oblique); /* its peak is at 1 s */
        pio_sim *sim = case_create(&c, 0, 1);
        case_forward(&c, sim, NULL);
        double along, across, exact_across;
        const double exact = stretch(mu, lambda, amplitudes[i], &exact_across);
        measure(sim, &c, &along, &across);
        print_message("  activation %g Pa: stretch %.4f along (exact %.4f), %.4f across (exact %.4f)\n", amplitudes[i],
                      along, exact, across, exact_across);
        assert_true(amplitudes[i] > 0 ? exact < 0.9 && across > 1 : exact > 1.05 && across < 1);
        case_below("stretch along the fibre / exact - 1", along / exact - 1, 0.005, 0.005);
        case_below("stretch across the fibre / exact - 1", across / exact_across - 1, 0.005, 0.005);
        piola_engine.destroy(sim);
        case_free(&c);
    }
}

/* ---- a case with everything -------------------------------------------------------------------------------- */

/* Two solids stand on a sticky floor, driven by a constant, and by a sine; a third channel drives none; a fluid falls
 * between them. `fine` cells to a decimetre. */
static void crawl(mpm_case *c, int fine, int64_t steps, int driven)
{
    const double dx = 0.1 / fine;
    case_init(c, 16 * fine + 2, 11 * fine + 2, 8 * fine + 2, dx, 2e-3 / fine, steps);
    case_wall(c, 1, 0, PIO_WALL_STICKY, 2 * fine);
    c->desc.gravity[1] = -9.81;
    case_body one = {
        .law = PIO_HYPER_NEO_HOOKEAN, .parameters = {2e4, 0.3, 0}, .density = 1000, .velocity = {0.2, -0.1, 0.1}};
    case_body two = {.law = PIO_HYPER_FIXED_COROTATED, .parameters = {3e4, 0.2, 0}, .density = 1200};
    case_body water = {.law = PIO_TAIT, .parameters = {2e4, 7, 5}, .density = 1000};
    const double lo[3][3] = {{0.3, 0.2, 0.3}, {0.95, 0.2, 0.3}, {0.72, 0.3, 0.3}};
    const double hi[3][3] = {{0.7, 0.6, 0.5}, {1.25, 0.6, 0.5}, {0.92, 0.5, 0.5}};
    case_block(c, &one, lo[0], hi[0], 2, 0.2);
    case_block(c, &two, lo[1], hi[1], 2, 0.2);
    case_block(c, &water, lo[2], hi[2], 2, 0.2);
    if (!driven) return;
    case_channel(c, &(pio_channel_desc){PIO_CONSTANT, 5e3, 3, 0.3}, 0, oblique);
    case_channel(c, &(pio_channel_desc){PIO_SINE, 9e3, 3, 0.4}, 1, upright);
    case_channel(c, &(pio_channel_desc){PIO_SINE, 4e3, 2, 1}, -1, upright);
}

/* Mean positions and what moves a particle, at the end and half-way. */
static void observe(mpm_case *c)
{
    const int64_t N = c->desc.steps;
    for (int body = 0; body < 2; body++) {
        const int x = case_observe(c, PIO_MEAN_POSITION, body, 2);
        case_sample(c, x, N, 0, 1);
        case_sample(c, x, N / 2, 1, 1);
    }
    const int d = case_observe_distance(c, 1, 1, 0.1);
    case_sample(c, d, N, 0, 10);
}

/* Amplitude, frequency and phase of all channels, and what acts through the stress of the fibres as well. */
static void design(mpm_case *c)
{
    case_design(c, PIO_AMPLITUDE, -1, CASE_SCALAR, 0, 7e3, 2e3);
    case_design(c, PIO_FREQUENCY, -1, CASE_SCALAR, 1, log(3), 0.3);
    case_design(c, PIO_PHASE, -1, CASE_SCALAR, 0, 0.5, 0.5);
    case_design(c, PIO_VELOCITY, 1, CASE_SCALAR, 0, 0.1, 0.5);
    case_design(c, PIO_LAW_PARAMETER_0, 0, CASE_GROUPS, 1, log(2e4), 0.3);
}

/* ---- derivatives ------------------------------------------------------------------------------------------- */

/* A gradient to be judged: J and z_bar = dJ/dz at z. */
typedef struct {
    mpm_case *c;
    pio_sim *sim;
    const double *z, *z_bar;
    double J;
} subject;

/* The verdict for the direction h, in the best of three windows of steps; `fault` is planted, as a relative error. */
static pio_taylor_row judge(const subject *g, const double *h, const char *name, double fault)
{
    enum { STEPS = 11 };
    static const double firsts[] = {2e-2, 1e-1, 2e-3};
    static double moved[CASE_VARIABLES];
    double step[STEPS], plus[STEPS], minus[STEPS];
    pio_taylor_row row = {0};
    for (int w = 0; w < 3; w++) {
        pio_taylor_direction d = {
            .name = name, .J0 = g->J, .n = STEPS, .step = step, .plus = plus, .minus = minus, .tolerance = 1e-7};
        for (int i = 0; i < g->c->variables; i++) {
            d.adjoint += (1 + fault) * g->z_bar[i] * h[i];
            d.scale += fabs(g->z_bar[i] * h[i]);
        }
        for (int k = 0; k < STEPS; k++) {
            step[k] = ldexp(firsts[w], -k);
            for (int side = 0; side < 2; side++) {
                for (int i = 0; i < g->c->variables; i++) moved[i] = g->z[i] + (side ? -1 : 1) * step[k] * h[i];
                (side ? minus : plus)[k] = case_forward(g->c, g->sim, moved);
            }
        }
        pio_taylor_check(&d, &row);
        if (row.verdict == PIO_TAYLOR_PASSED) break;
    }
    return row;
}

static void expect_derivative(const subject *g, const double *h, const char *name)
{
    const pio_taylor_row row = judge(g, h, name, 0);
    print_message("  %-40s <g,h> %12.5e, remainder %.1e (limit 1e-7)\n", name, row.adjoint, row.remainder);
    if (row.verdict != PIO_TAYLOR_PASSED) fail_msg("%s: %s", name, row.reason);
}

static void adjoint_is_the_derivative_for_amplitude_frequency_and_phase(void **unused)
{
    static const char *const names[] = {"amplitude", "frequency", "phase"};
    static mpm_case c;
    static double z_bar[CASE_VARIABLES], h[CASE_VARIABLES];
    (void)unused;
    crawl(&c, 1, 60, 1);
    observe(&c);
    design(&c);
    pio_sim *sim = case_create(&c, c.desc.steps, 1);
    const double *z = z_of(&c);
    const double J = case_gradient(&c, sim, NULL, z, z_bar);
    const subject g = {&c, sim, z, z_bar, J};
    for (int i = 0; i < 9; i++) {
        char name[64];
        const int quantity = i / 3, channel = i % 3;
        snprintf(name, sizeof name, "%s of channel %d", names[quantity], channel);
        if (channel == 2 || (channel == 0 && quantity > 0)) { /* drives none; not read by a constant */
            print_message("  %-40s %g, must be 0\n", name, z_bar[i]);
            assert_true(fabs(z_bar[i]) <= 0);
            continue;
        }
        memset(h, 0, sizeof h);
        h[i] = 1;
        expect_derivative(&g, h, name);
        assert_int_equal(judge(&g, h, name, 1e-5).verdict, PIO_TAYLOR_FAILED);
    }
    for (int i = 0; i < c.variables; i++) h[i] = case_random(&c);
    expect_derivative(&g, h, "everything, random");
    expect_derivative(&g, z_bar, "everything, gradient");
    piola_engine.destroy(sim);
    case_free(&c);
}

/* The same for each of the first steps: nothing can hide in a long sum. */
static void adjoint_is_the_derivative_of_the_first_steps(void **unused)
{
    (void)unused;
    for (int64_t steps = 1; steps <= 4; steps++) {
        static mpm_case c;
        static double z_bar[CASE_VARIABLES], h[CASE_VARIABLES];
        char name[64];
        crawl(&c, 1, steps, 1);
        observe(&c);
        memset(c.linear, 0, sizeof c.linear);
        memset(c.square, 0, sizeof c.square);
        c.linear[4 * D] = 1; /* distance at the end: state 1 feels the activation of step 0 in its velocities only */
        const int v = case_observe(&c, PIO_KINETIC_ENERGY, 1, 1);
        case_sample(&c, v, steps, 0, 1);
        design(&c);
        pio_sim *sim = case_create(&c, steps, 1);
        const double *z = z_of(&c);
        const double J = case_gradient(&c, sim, NULL, z, z_bar);
        assert_true(fabs(z_bar[1]) > 0 && fabs(z_bar[7]) > 0);              /* amplitude and phase of the sine */
        assert_true(steps == 1 ? fabs(z_bar[4]) <= 0 : fabs(z_bar[4]) > 0); /* frequency does nothing at t = 0 */
        for (int i = 0; i < c.variables; i++) h[i] = i < 9 ? case_random(&c) : 0;
        snprintf(name, sizeof name, "%d steps, random direction of control", (int)steps);
        expect_derivative(&(subject){&c, sim, z, z_bar, J}, h, name);
        piola_engine.destroy(sim);
        case_free(&c);
    }
}

/* A sine of frequency 0 is A sin(phi): J depends on A and phi through it alone, so dJ/dphi tan(phi) = A dJ/dA, and a
 * constant of that size gives the same. */
static void a_standing_sine_is_a_constant(void **unused)
{
    const double A = 9e3, phase = 0.6;
    double J[2], gradient[2][2], worst = 0;
    (void)unused;
    for (int constant = 0; constant < 2; constant++) {
        static mpm_case c;
        double z[2] = {0}, z_bar[2];
        crawl(&c, 1, 60, 0);
        const pio_channel_desc sine = {PIO_SINE, A, 0, phase}, same = {PIO_CONSTANT, A * sin(phase), 0, 0};
        case_channel(&c, constant ? &same : &sine, 1, upright);
        observe(&c);
        case_design(&c, PIO_AMPLITUDE, -1, CASE_SCALAR, 0, constant ? same.amplitude : A, 1);
        case_design(&c, PIO_PHASE, -1, CASE_SCALAR, 0, phase, 1);
        pio_sim *sim = case_create(&c, c.desc.steps, 1);
        J[constant] = case_gradient(&c, sim, NULL, z, z_bar);
        memcpy(gradient[constant], z_bar, sizeof z_bar);
        piola_engine.destroy(sim);
        case_free(&c);
    }
    worst = gradient[0][1] * tan(phase) / (A * gradient[0][0]) - 1;
    case_below("dJ/dphi tan(phi) / (A dJ/dA) - 1", worst, 1e-12, 1e-12);
    case_below("J of the sine / J of the constant - 1", J[0] / J[1] - 1, 1e-13, 1e-6);
    case_below("dJ/dA / (sin(phi) that of the constant) - 1", gradient[0][0] / (sin(phase) * gradient[1][0]) - 1, 1e-11,
               1e-3);
}

/* ---- bits ---------------------------------------------------------------------------------------------------- */

typedef struct {
    uint64_t state, gradients, vector;
} hashes;

static hashes whole_run(mpm_case *c, pio_sim *sim, pio_schedule *schedule)
{
    static double z_bar[CASE_VARIABLES];
    hashes h;
    double J = case_forward(c, sim, z_of(c));
    h.state = case_hash_state(sim, c->n);
    J = case_gradient(c, sim, schedule, z_of(c), z_bar);
    h.gradients = case_hash_gradients(sim, c->n);
    h.vector = case_hash(case_hash(CASE_HASH_START, &J, sizeof J), z_bar, sizeof *z_bar * (size_t)c->variables);
    print_message("  state %016llx gradients %016llx J, dJ/dz %016llx\n", (unsigned long long)h.state,
                  (unsigned long long)h.gradients, (unsigned long long)h.vector);
    return h;
}

static int same(hashes a, hashes b)
{
    return a.state == b.state && a.gradients == b.gradients && a.vector == b.vector;
}

static void zero_amplitude_gives_the_bits_of_a_run_without_channels(void **unused)
{
    static mpm_case c;
    hashes h[3];
    (void)unused;
    for (int i = 0; i < 3; i++) {
        crawl(&c, 1, 30, i);
        observe(&c);
        for (int k = 0; k < c.desc.n_channels; k++) c.channels[k].amplitude *= i == 2 ? 1e-3 : 0;
        pio_sim *sim = case_create(&c, 30, 1);
        h[i] = whole_run(&c, sim, NULL);
        piola_engine.destroy(sim);
        case_free(&c);
    }
    assert_true(same(h[0], h[1]));
    assert_true(h[2].state != h[0].state && h[2].gradients != h[0].gradients && h[2].vector != h[0].vector);
}

static void any_number_of_threads_gives_the_same_bits(void **unused)
{
    static const int threads[] = {1, 2, 3, 8};
    static mpm_case c;
    hashes first = {0};
    (void)unused;
    crawl(&c, D == 2 ? 6 : 3, 8, 1);
    observe(&c);
    design(&c);
    print_message("  %d particles\n", (int)c.n);
    assert_true(c.n > 4096); /* the backend runs less than that on one thread, whatever number is requested */
    for (int i = 0; i < 4; i++) {
        pio_sim *sim = case_create(&c, 8, threads[i]);
        const hashes h = whole_run(&c, sim, NULL);
        if (i == 0) first = h;
        assert_true(same(h, first));
        piola_engine.destroy(sim);
    }
    case_free(&c);
}

static void go(pio_sim *sim, int64_t steps)
{
    piola_error error;
    if (piola_engine.advance(sim, steps, &error) || piola_engine.check(sim, &error)) fail_msg("%s", error.message);
}

static void a_restart_from_a_saved_state_gives_the_same_bits(void **unused)
{
    static mpm_case c;
    piola_error error;
    (void)unused;
    crawl(&c, 1, 40, 1);
    pio_sim *sim = case_create(&c, 1, 1);
    assert_int_equal(piola_engine.start(sim, NULL, &error), PIOLA_OK);
    go(sim, 17);
    assert_int_equal(piola_engine.save(sim, 0, &error), PIOLA_OK);
    go(sim, 23);
    const uint64_t end = case_hash_state(sim, c.n);
    assert_int_equal(piola_engine.load(sim, 0, &error), PIOLA_OK);
    go(sim, 23);
    const uint64_t again = case_hash_state(sim, c.n);
    assert_int_equal(piola_engine.load(sim, 0, &error), PIOLA_OK); /* and with another time */
    pio_map(&sim->queue, mpm_set_index, 1, NULL, .step = mpm_of(sim)->step, .index = 0);
    go(sim, 23);
    const uint64_t late = case_hash_state(sim, c.n);
    print_message("  %016llx, restarted at step 17 %016llx, there with time 0 %016llx\n", (unsigned long long)end,
                  (unsigned long long)again, (unsigned long long)late);
    assert_true(end == again);
    assert_true(end != late);
    piola_engine.destroy(sim);
    case_free(&c);
}

/* Keeps state 0 alone and runs from there to each step whose adjoint is next. */
static pio_action from_start(pio_schedule *s)
{
    const int64_t at = s->at++ - 3, step = s->steps - 1 - at / 3;
    if (at == -3) return (pio_action){PIO_STORE, 0, 0, 0};
    if (at == -2) return (pio_action){PIO_FORWARD, 0, s->steps, -1};
    if (at == -1) return (pio_action){PIO_TURN, s->steps, s->steps, -1};
    if (step < 0) return (pio_action){PIO_DONE, 0, 0, -1};
    if (at % 3 == 0) return (pio_action){PIO_RESTORE, 0, 0, 0};
    if (at % 3 == 1) return (pio_action){PIO_FORWARD, 0, step, -1};
    return (pio_action){PIO_ADJOINT_STEP, step, step, -1};
}

static void recomputed_states_give_the_same_gradient_bits(void **unused)
{
    static mpm_case c;
    (void)unused;
    crawl(&c, 1, 20, 1);
    observe(&c);
    design(&c);
    pio_schedule s = {.name = "from the start", .steps = 20, .slots = 1, .sweeps = 1, .next = from_start};
    pio_sim *sim = case_create(&c, 20, 1);
    const hashes all = whole_run(&c, sim, NULL), recomputed = whole_run(&c, sim, &s);
    assert_true(same(all, recomputed));
    piola_engine.destroy(sim);
    case_free(&c);
}

/* ---- what is refused --------------------------------------------------------------------------------------- */

static void refused(mpm_case *c, const char *what)
{
    pio_engine_bytes bytes;
    piola_error error = {0};
    assert_int_equal(piola_engine.measure(&c->desc, &bytes, &error), PIOLA_BAD_DATA);
    print_message("  %s\n", error.message);
    if (!strstr(error.message, what)) fail_msg("'%s' does not say '%s'", error.message, what);
}

static void wrong_channels_are_refused(void **unused)
{
    static mpm_case c;
    (void)unused;
    crawl(&c, 1, 10, 1);
    design(&c);
    piola_engine.destroy(case_create(&c, 0, 1)); /* right as it is, and the description is filled in */
    const int32_t kept = c.channel[0];
    c.channel[0] = 3;
    refused(&c, "particle 0: channel 3 is none of the 3");
    c.channel[0] = -2;
    refused(&c, "particle 0: channel -2 is none of the 3");
    c.channel[0] = kept;
    c.channel[c.n - 1] = 1;
    refused(&c, "a fluid has no fibres for channel 1");
    c.channel[c.n - 1] = -1;
    c.fibre[2][0] += 0.01;
    refused(&c, "channel 2: its fibre has length");
    c.fibre[2][0] -= 0.01;
    c.channels[1].frequency = (double)NAN;
    refused(&c, "channel 1: amplitude 9000 Pa, frequency");
    c.channels[1].frequency = 3;
    c.channels[1].signal = (pio_signal)7;
    refused(&c, "channel 1: there is no signal 7");
    c.channels[1].signal = PIO_SINE;
    c.design[0].components = 4;
    refused(&c, "design 0 of control: 1 x 4 values from 0 on, for 3 channels");
    c.design[0].components = 3;
    c.desc.channels = NULL;
    refused(&c, "each needs a signal and a fibre");
    case_free(&c);
}

/* h sqrt((lambda + 2 mu + |A|)/rho)/dx: with this A it is 0.7. */
static void too_strong_an_amplitude_is_a_fault_of_the_time_step(void **unused)
{
    static mpm_case c;
    piola_error error = {0};
    (void)unused;
    crawl(&c, 1, 10, 1);
    c.channels[1].amplitude = -0.7 * 0.7 * 1200 * 2500 + 3e4 * 0.8 / (1.2 * 0.6);
    pio_sim *sim = case_create(&c, 0, 1);
    assert_int_equal(piola_engine.start(sim, NULL, &error), PIOLA_OK);
    assert_int_equal(piola_engine.check(sim, &error), PIOLA_NUMERICAL);
    print_message("  %s\n", error.message);
    assert_non_null(strstr(error.message, "cross 0.7 cells in one time step"));
    piola_engine.destroy(sim);
    case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_activated_body_contracts_along_its_fibre),
        cmocka_unit_test(a_standing_sine_is_a_constant),
        cmocka_unit_test(zero_amplitude_gives_the_bits_of_a_run_without_channels),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(a_restart_from_a_saved_state_gives_the_same_bits),
        cmocka_unit_test(recomputed_states_give_the_same_gradient_bits),
        cmocka_unit_test(wrong_channels_are_refused),
        cmocka_unit_test(too_strong_an_amplitude_is_a_fault_of_the_time_step),
        /* differences need double precision; the last two */
        cmocka_unit_test(adjoint_is_the_derivative_for_amplitude_frequency_and_phase),
        cmocka_unit_test(adjoint_is_the_derivative_of_the_first_steps),
    };
    const size_t count = sizeof tests / sizeof *tests - (case_is_f32() ? 2 : 0);
    return _cmocka_run_group_tests("control", tests, count, NULL, NULL);
}

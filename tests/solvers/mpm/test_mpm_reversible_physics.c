/* test_mpm_reversible_physics.c -- does the reversible integrator move bodies as it should: free flight, momentum,
 * energy, volume; does it agree with APIC; and what it refuses. */
#include "kernels/mpm/mpm_reversible_shear.h"
#include "tests/solvers/mpm/mpm_reversible_case.h"

enum { D = CASE_DIM, STEPS = TEST_SANITIZED ? 100 : 2000 };

/* ---- free flight --------------------------------------------------------------------------------------------- */

/* A block in a box whose walls it does not reach. */
static void block(mpm_case *c, int64_t steps)
{
    const double lo[3] = {0.6, 0.6, 0.5}, hi[3] = {1.0, 0.9, 0.7}, v[3] = {0.6, -0.4, 0.3};
    case_init(c, 24, 20, 14, 0.1, 1e-3, steps);
    penalty_walls(c, 4e4);
    case_body b = case_body_of(&materials[0], 1000);
    memcpy(b.velocity, v, sizeof v);
    case_block(c, &b, lo, hi, 2, 0.3);
}

/* Symplectic Euler: x_N = x_0 + N h v + N (N + 1) h^2 g/2. */
static void a_body_at_rest_in_itself_flies_exactly(void **unused)
{
    enum { N = 300 };
    mpm_case c;
    double worst = 0;
    (void)unused;
    block(&c, N);
    c.desc.gravity[1] = -3;
    pio_sim *sim = case_create(&c, 1, 1);
    start_and_keep(sim);
    forwards(sim, N);
    double *x = case_read(sim, "position", c.n);
    for (int64_t i = 0; i < c.n * D; i++) {
        const double h = c.desc.dt, fall = N * (N + 1) * h * h / 2 * c.desc.gravity[i % D];
        worst = fmax(worst, fabs(x[i] - (c.position[i] + N * h * c.velocity[i] + fall)));
    }
    case_below("|x_N - (x_0 + N h v + N (N + 1) h^2 g/2)|, m, N = 300", worst, 1e-12, 1e-6);
    free(x);
    piola_engine.destroy(sim);
    case_free(&c);
}

static void momentum_is_kept_in_free_flight(void **unused)
{
    mpm_case c;
    double first[D] = {0}, last[D] = {0}, worst = 0, size = 0;
    (void)unused;
    block(&c, STEPS / 4);
    for (int64_t i = 0; i < c.n; i++) { /* tumbling and stretched */
        c.velocity[i * D] = -2 * (c.position[i * D + 1] - 0.75) + 1.5 * (c.position[i * D] - 0.8);
        c.velocity[i * D + 1] = 2 * (c.position[i * D] - 0.8);
    }
    pio_sim *sim = case_create(&c, 1, 1);
    start_and_keep(sim);
    double *m = case_read(sim, "mass", c.n), *v = case_read(sim, "velocity", c.n);
    for (int64_t i = 0; i < c.n * D; i++) first[i % D] += m[i / D] * v[i];
    for (int64_t i = 0; i < c.n * D; i++) size += m[i / D] * fabs(v[i]);
    free(v);
    forwards(sim, STEPS / 4);
    v = case_read(sim, "velocity", c.n);
    for (int64_t i = 0; i < c.n * D; i++) last[i % D] += m[i / D] * v[i];
    for (int a = 0; a < D; a++) worst = fmax(worst, fabs(last[a] - first[a]) / size);
    case_below("momentum that came or went, of sum m |v|", worst, 1e-12, 1e-5);
    free(v);
    free(m);
    piola_engine.destroy(sim);
    case_free(&c);
}

/* ---- energy and volume --------------------------------------------------------------------------------------- */

/* Integral of r(d) from 0 on, m^2: r = d^2/(2 w) up to the depth w, d - w/2 beyond. */
static double wall_work(double d, double w)
{
    return d < w ? d * d * d / (6 * w) : w * w / 6 + (d - w) * (d - w) / 2 + (d - w) * w / 2;
}

/* Elastic, of gravity and of walls, J. */
static double potential(mpm_case *c, pio_sim *sim)
{
    double *x = case_read(sim, "position", c->n), *F = case_read(sim, "F", c->n), sum = 0;
    for (int64_t i = 0; i < c->n; i++) {
        hyper_constants parameters;
        mat f;
        for (int k = 0; k < PIO_LAW_CONSTANTS; k++) parameters.k[k] = (real)c->parameters[PIO_LAW_CONSTANTS * i + k];
        for (int k = 0; k < D * D; k++) f.m[k / D][k % D] = (real)F[i * D * D + k];
        sum += c->volume[i] *
               (double)hyper_psi(c->law[i], f, hyper_from_parameters(c->law[i], c->parameter_form[i], parameters));
        for (int a = 0; a < D; a++) {
            const double dx = c->desc.grid.spacing, *g = c->desc.gravity;
            const double low = c->desc.grid.face[a][0] * dx, high = c->desc.grid.face[a][1] * dx;
            const double d = fmax(0, low - x[i * D + a]) + fmax(0, x[i * D + a] - high);
            sum += c->density[i] * c->volume[i] * (c->desc.penalty * wall_work(d, dx / 2) - g[a] * x[i * D + a]);
        }
    }
    free(x);
    free(F);
    return sum;
}

/* Of the state at hand, and one step on: velocities are those of half a step before their state. */
static double energy(mpm_case *c, pio_sim *sim)
{
    double sum = potential(c, sim), *v = case_read(sim, "velocity", c->n);
    forwards(sim, 1);
    double *after = case_read(sim, "velocity", c->n);
    for (int64_t i = 0; i < c->n * D; i++)
        sum += 0.125 * c->density[i / D] * c->volume[i / D] * (v[i] + after[i]) * (v[i] + after[i]);
    free(v);
    free(after);
    return sum;
}

/* det Fbar of the numbers on the lattice, which lie after places, velocities and logarithms. */
static double volume_lost(mpm_case *c, pio_sim *sim)
{
    size_t bytes, at = 0;
    unsigned char *state = state_of(c, sim, &bytes);
    double worst = 0;
    for (int k = 0; k < 3; k++) at += (sizeof(int64_t) * (size_t)c->n * (k < 2 ? D : 1) + 255) & ~(size_t)255;
    const int64_t *F = (const int64_t *)(const void *)(state + at);
    for (int64_t i = 0; i < c->n; i++) {
        double f[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        for (int k = 0; k < D * D; k++) f[k / D][k % D] = ldexp((double)F[i * D * D + k], -48);
        const double det = f[0][0] * (f[1][1] * f[2][2] - f[1][2] * f[2][1]) -
                           f[0][1] * (f[1][0] * f[2][2] - f[1][2] * f[2][0]) +
                           f[0][2] * (f[1][0] * f[2][1] - f[1][1] * f[2][0]);
        worst = fmax(worst, fabs(det - 1));
    }
    free(state);
    return worst;
}

/* Largest change of the energy over two seconds of collisions, relative; and of the volume that the lattice's Fbar
 * has. */
static double energy_error(double dt, double *lost)
{
    enum { LOOKS = 20 };
    mpm_case c;
    double worst = 0;
    const int64_t every = TEST_SANITIZED ? 5 : llround(0.1 / dt);
    collision(&c, &materials[0], &materials[3], LOOKS * every + 1);
    c.desc.dt = dt;
    pio_sim *sim = case_create(&c, 1, 2);
    start_and_keep(sim);
    const double first = energy(&c, sim);
    for (int k = 0; k < LOOKS; k++) {
        forwards(sim, every - 1);
        worst = fmax(worst, fabs(energy(&c, sim) / first - 1));
        *lost = fmax(*lost, volume_lost(&c, sim));
    }
    piola_engine.destroy(sim);
    case_free(&c);
    return worst;
}

/* Not for good, as F is multiplied by I + h G and not by exp(h G); but to first order in the time step. */
static void energy_is_kept_to_first_order_in_the_time_step_and_volume_to_rounding(void **unused)
{
    double lost = 0;
    (void)unused;
    const double coarse = energy_error(1e-3, &lost), fine = energy_error(5e-4, &lost);
    case_below("energy that came in 2 s of collisions, dt = 1 ms, relative", coarse, 0.05, 0.05);
    case_below("the same, dt = 0.5 ms", fine, 0.025, 0.025);
    if (!TEST_SANITIZED) case_below("their ratio less 2", coarse / fine - 2, 0.4, 0.4);
    case_below("|det Fbar - 1|", lost, 1e-11, 1e-11);
}

/* ---- the strain of the lattice --------------------------------------------------------------------------------- */

static void the_lattice_strain_is_the_product_of_steps_and_comes_back(void **unused)
{
    enum { N = 1000 };
    static mat steps[N];
    static int64_t trace[DIM][DIM];
    quanta l = 0, F[DIM][DIM];
    long double product[DIM][DIM], worst = 0, largest = 0;
    mpm_case c;
    (void)unused;
    case_init(&c, 8, 8, 8, 0.1, 1e-3, 1);
    for (int i = 0; i < DIM * DIM; i++) {
        product[i / DIM][i % DIM] = i % (DIM + 1) == 0;
        F[i / DIM][i % DIM] = trace[i / DIM][i % DIM] = i % (DIM + 1) == 0 ? (int64_t)1 << 48 : 0;
    }
    for (int n = 0; n < N; n++) {
        long double next[DIM][DIM] = {{0}};
        for (int i = 0; i < DIM * DIM; i++) steps[n].m[i / DIM][i % DIM] = (real)(0.06 * case_random(&c));
        for (int i = 0; i < DIM; i++)
            for (int j = 0; j < DIM; j++)
                for (int k = 0; k < DIM; k++) next[i][j] += ((i == k) + (long double)steps[n].m[i][k]) * product[k][j];
        memcpy(product, next, sizeof next);
    }
    for (int n = 0; n < 2 * N; n++) {
        const mat A = steps[n < N ? n : 2 * N - 1 - n];
        const real e = det_less_one(A), log_det = log_of_one_and(e);
        const quanta q = quanta_of(W(log_det) * QUANTA_OF_LOG);
        shears by = {{R(0)}};
        assert_true(shears_of(unimodular_less_one(A, e, log_det), &by));
        assert_true(shear_all(F, &by, n < N ? 1 : -1));
        l += n < N ? q : -q;
        for (int i = 0; i < DIM * DIM && n == N - 1; i++) {
            const double s = exp(ldexp((double)l, -50) / DIM) * ldexp((double)F[i / DIM][i % DIM], -48);
            worst = fmaxl(worst, fabsl((long double)s - product[i / DIM][i % DIM]));
            largest = fmaxl(largest, fabsl(product[i / DIM][i % DIM]));
        }
    }
    case_below("F of the lattice less the product of a thousand steps, relative", (double)(worst / largest), 1e-12,
               1e-5);
    assert_true(!memcmp(F, trace, sizeof F) && l == 0);
    case_free(&c);
}

/* ---- APIC -------------------------------------------------------------------------------------------------------- */

/* A soft ball falls on the floor and bounces; its mean height at 12 times. Returns how far it would rise from its
 * lowest. */
static double bounce(int reversible, double height[12])
{
    enum { N = 480 };
    mpm_case c;
    piola_error error;
    const double centre[3] = {1.1, 0.75, 0.7};
    case_init(&c, 24, 20, 15, 0.1, 1e-3, N);
    if (reversible) penalty_walls(&c, 2e5);
    if (!reversible) case_wall(&c, 1, 0, PIO_WALL_SEPARATE, WALL_NODE);
    c.desc.gravity[1] = -9.81;
    case_body b = case_body_of(&materials[0], 1000);
    b.velocity[1] = -1;
    case_ball(&c, &b, centre, 0.3, 2, 0);
    const int o = case_observe(&c, PIO_MEAN_POSITION, 0, 12);
    for (int k = 0; k < 12; k++) case_sample(&c, o, (k + 1) * N / 12, k, 1);
    pio_sim *sim = case_create(&c, 1, 1);
    start_and_keep(sim);
    forwards(sim, N);
    double samples[12 * D];
    must(piola_engine.samples(sim, samples, &error), "samples", &error);
    double low = samples[1];
    for (int k = 0; k < 12; k++) {
        height[k] = samples[k * D + 1];
        low = fmin(low, height[k]);
    }
    const double v = (height[11] - height[9]) / (N / 6 * c.desc.dt), g = -c.desc.gravity[1];
    piola_engine.destroy(sim);
    case_free(&c);
    return height[10] + v * v / (2 * g) - low;
}

/* Particles go into a penalty wall, and stop about half a cell before a wall of the grid. */
static void a_soft_ball_bounces_as_high_as_with_apic(void **unused)
{
    double apic[12], own[12];
    (void)unused;
    const double high = bounce(0, apic), rise = bounce(1, own);
    for (int k = 0; k < 12; k++)
        print_message("  %3d ms: height %.4f m, by APIC %.4f m\n", 40 * (k + 1), own[k], apic[k]);
    print_message("  it rises by %.4f m, by APIC by %.4f m\n", rise, high);
    case_below("how far it rises less that of APIC, relative", rise / high - 1, 0.1, 0.1);
}

/* ---- what it refuses ------------------------------------------------------------------------------------------- */

static void refused(mpm_case *c, const char *words)
{
    pio_engine_bytes bytes;
    piola_error error = {0};
    case_describe(c);
    assert_int_equal(piola_engine.measure(&c->desc, &bytes, &error), PIOLA_BAD_DATA);
    print_message("  %s\n", error.message);
    assert_non_null(strstr(error.message, words));
    case_free(c);
}

static void what_has_no_inverse_is_refused_by_name(void **unused)
{
    mpm_case c;
    (void)unused;
    collision(&c, &materials[0], &materials[9], 1);
    for (int64_t i = 0; i < c.n; i++) c.parameters[PIO_LAW_CONSTANTS * i + 2] = 1;
    refused(&c, "viscosity");
    collision(&c, &materials[0], &materials[1], 1);
    c.viscous = 1;
    refused(&c, "viscosity of solids");
    for (int kind = PIO_WALL_STICKY; kind < PIO_WALL_PENALTY; kind++) {
        collision(&c, &materials[0], &materials[1], 1);
        c.desc.grid.wall[1][1] = kind;
        refused(&c, "penalty walls");
    }
    collision(&c, &materials[0], &materials[1], 1);
    c.desc.reversible = 0;
    refused(&c, "penalty walls belong to the reversible integrator");
    collision(&c, &materials[0], &materials[1], 1);
    c.desc.penalty = 0;
    refused(&c, "stiffness");
    collision(&c, &materials[0], &materials[1], 1);
    c.desc.penalty = 2e6;
    refused(&c, "at most 1/dt^2 = 1e+06");
    collision(&c, &materials[0], &materials[1], 1);
    c.desc.damping = 600;
    refused(&c, "0.5/dt = 500");
    collision(&c, &materials[0], &materials[1], 1);
    c.desc.damping = (double)NAN;
    refused(&c, "damping");
    block(&c, 1);
    for (int a = 0; a < D; a++) c.desc.grid.face[a][0] = -1, c.desc.grid.face[a][1] = c.desc.grid.nodes[a];
    c.desc.reversible = 0;
    c.desc.damping = 1;
    refused(&c, "belongs to the reversible integrator");
}

static void apic_takes_no_step_back(void **unused)
{
    mpm_case c;
    piola_error error;
    int64_t words;
    (void)unused;
    block(&c, 1);
    c.desc.reversible = 0;
    for (int a = 0; a < D; a++) c.desc.grid.face[a][0] = -1, c.desc.grid.face[a][1] = c.desc.grid.nodes[a];
    pio_sim *sim = case_create(&c, 1, 1);
    start_and_keep(sim);
    forwards(sim, 1);
    assert_int_equal(piola_engine.inverse_step(sim, &error), PIOLA_USAGE);
    assert_int_equal(piola_engine.differs(sim, 0, &words, &error), PIOLA_USAGE);
    piola_engine.destroy(sim);
    case_free(&c);
    block(&c, 1);
    sim = case_create(&c, 1, 1);
    start_and_keep(sim);
    assert_int_equal(piola_engine.inverse_step(sim, &error), PIOLA_USAGE);
    assert_non_null(strstr(error.message, "state 0"));
    piola_engine.destroy(sim);
    case_free(&c);
}

/* ---- faults ------------------------------------------------------------------------------------------------------ */

static void fails(mpm_case *c, int64_t steps, const char *words, piola_failure_kind kind)
{
    piola_error error = {0};
    pio_sim *sim = case_create(c, 1, 1);
    must(piola_engine.start(sim, NULL, &error), "start", &error);
    must(piola_engine.advance(sim, steps, &error), "advance", &error);
    assert_int_equal(piola_engine.check(sim, &error), PIOLA_NUMERICAL);
    print_message("  %s\n", error.message);
    assert_non_null(strstr(error.message, words));
    assert_int_equal(error.failure.kind, kind);
    piola_engine.destroy(sim);
    case_free(c);
}

/* A light particle in the middle of a cell, and heavy ones at its corners, which run together along x by `squeeze` dx/h
 * and around it by `turn` dx/h. */
static void four_around_one(mpm_case *c, double squeeze, double turn)
{
    case_init(c, 20, 20, 14, 0.1, 1e-3, 20);
    penalty_walls(c, 4e4);
    c->desc.cfl = 1;
    case_body b = case_body_of(&materials[0], 1000);
    const double middle[3] = {0.95, 0.95, 0.65}, unit = c->desc.grid.spacing / c->desc.dt;
    case_particle(c, &b, middle, 1e-9);
    for (int k = 0; k < 1 << D; k++) {
        const double sx = k & 1 ? 0.5 : -0.5, sy = k & 2 ? 0.5 : -0.5, sz = k & 4 ? 0.5 : -0.5;
        const double x[3] = {middle[0] + 0.1 * sx, middle[1] + 0.1 * sy, middle[2] + 0.1 * sz};
        b.velocity[0] = -unit * (squeeze * sx + turn * sy);
        b.velocity[1] = unit * turn * sx;
        case_particle(c, &b, x, 1e-3);
    }
}

static void what_leaves_the_range_of_its_numbers_is_a_fault_with_step_and_particle(void **unused)
{
    mpm_case c;
    (void)unused;
    block(&c, 10); /* more than a cell in a step, from the start */
    c.velocity[7 * D] = 150;
    fails(&c, 0, "particle 7", PIOLA_FAILED_CFL);
    block(&c, 10); /* more than half of one */
    for (int64_t i = 0; i < c.n; i++) c.velocity[i * D] = 60;
    fails(&c, 5, "crosses 0.6 cells", PIOLA_FAILED_CFL);
    block(&c, 40); /* no wall is as hard as that */
    c.desc.penalty = 1;
    for (int64_t i = 0; i < c.n; i++) c.velocity[i * D] = 45;
    fails(&c, 40, "left the grid", PIOLA_FAILED_LEFT_GRID);
    four_around_one(&c, 1.9, 0); /* falls into itself in one step */
    fails(&c, 20, "step 0 (t = 0.001 s), particle 0 at", PIOLA_FAILED_INVERTED);
    four_around_one(&c, 1.4, 0.5); /* det(I + h G) > 0, and no pivot */
    fails(&c, 20, "turned or sheared too far in one step", PIOLA_FAILED_INVERTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_at_rest_in_itself_flies_exactly),
        cmocka_unit_test(momentum_is_kept_in_free_flight),
        cmocka_unit_test(energy_is_kept_to_first_order_in_the_time_step_and_volume_to_rounding),
        cmocka_unit_test(the_lattice_strain_is_the_product_of_steps_and_comes_back),
        cmocka_unit_test(a_soft_ball_bounces_as_high_as_with_apic),
        cmocka_unit_test(what_has_no_inverse_is_refused_by_name),
        cmocka_unit_test(apic_takes_no_step_back),
        cmocka_unit_test(what_leaves_the_range_of_its_numbers_is_a_fault_with_step_and_particle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

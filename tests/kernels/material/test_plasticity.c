/* test_plasticity.c -- plastic maps and their adjoints, f64: 1e5 trial states of each law, stretches equal and nearly
 * equal among them. The dual build knows no principal directions (kernels/material/plasticity_smooth.h), so what is
 * compared are two computations of their own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "kernels/material/plasticity_map.h"
#include "tests/kernels/material/hyperelastic_samples.h"
#include "tests/kernels/material/test_plasticity.h"

enum { EACH = 12500, TWO_EQUAL = STATES, TWO_EQUAL_STRAIGHT, KINDS }; /* EACH * KINDS = 1e5 */
static const char *const names[PIO_PLASTIC_LAWS] = {"", "von Mises", "Drucker-Prager", "Herschel-Bulkley", "snow"};
/* A change of branch, where there is no derivative; and where the sign of a matrix, by which dual numbers clamp, loses
 * digits. */
static const double NEAR = 1e-6, NEAR_CLAMP = 1e-3;
static const double STEP = 1e-3; /* s */

static mat sample_stretches(int kind)
{
    double s[3];
    if (kind < STATES) return sample_state(kind);
    s[0] = s[1] = uniform(0.6, 1.6);
    s[2] = uniform(0.6, 1.6);
    if (kind == TWO_EQUAL_STRAIGHT) return diagonal(s);
    const mat Q = random_rotation();
    return mat_mul(Q, mat_mul_t(diagonal(s), random_rotation()));
}

/* Limits that about every other state exceeds; history of either kind. */
static void sample_plastic(int plastic, int kind, plastic_state *x)
{
    memset(x, 0, sizeof *x);
    const mat F = sample_stretches(kind);
    for (int i = 0; i < HYPER_NUMBERS; i++) x->F[i] = F.m[i / DIM][i % DIM];
    x->third = plastic == PIO_SNOW ? 0 : uniform(-0.1, 0.1);
    x->mu = uniform(1e4, 1e5);
    x->lambda = uniform(1e4, 1e5);
    x->a = uniform(0, 0.3);
    x->y[0] = x->mu * uniform(0.02, 0.8);
    x->y[1] = x->mu * uniform(0, 0.2);
    if (plastic == PIO_HERSCHEL_BULKLEY) {
        x->y[2] = exp(uniform(log(0.05), log(10))); /* the range of scenes */
        x->y[1] = x->y[0] * pow(STEP, x->y[2]) * pow(10, uniform(-1, 2));
    }
    if (plastic == PIO_DRUCKER_PRAGER) {
        x->y[0] = uniform(0.1, 1.2);
        x->y[1] = x->mu * (uniform(0, 1) < 0.5 ? 0 : uniform(0, 0.3));
        if (uniform(0, 1) < 0.5) x->a = 0;
    }
    if (plastic == PIO_SNOW) {
        x->a = uniform(-0.3, 0.3);
        x->y[0] = uniform(0.01, 0.4);
        x->y[1] = uniform(0.01, 0.4);
        x->y[2] = uniform(0, 10);
    }
}

static plastic_matter matter_of(const plastic_state *x)
{
    return (plastic_matter){x->mu, x->lambda, {x->y[0], x->y[1], x->y[2]}, STEP};
}

static plastic_strain strain_of(const plastic_state *x)
{
    return (plastic_strain){.F = matrix_of(x->F), .third = x->third, .a = x->a};
}

static plastic_outcome map(int plastic, const plastic_state *x, plastic_state *y)
{
    const plastic_matter m = matter_of(x);
    mat F = matrix_of(x->F);
    *y = *x;
    const plastic_outcome w =
        plastic == PIO_SNOW ? snow_map(&F, &y->a, &m) : hencky_map(plastic, &F, &y->third, &y->a, &m);
    for (int i = 0; i < HYPER_NUMBERS; i++) y->F[i] = F.m[i / DIM][i % DIM];
    return w;
}

/* w: cotangents of F', third', a' */
static plastic_state map_adj(int plastic, const plastic_state *x, const plastic_state *w)
{
    const plastic_matter m = matter_of(x);
    plastic_matter m_bar = {0, 0, {0, 0, 0}, 0};
    plastic_state r = *w;
    plastic_strain bar = strain_of(w);
    if (plastic == PIO_SNOW)
        snow_map_adj(matrix_of(x->F), &m, &bar.F, r.a, &m_bar);
    else
        hencky_map_adj(plastic, strain_of(x), &m, &bar, &m_bar);
    for (int i = 0; i < HYPER_NUMBERS; i++) r.F[i] = bar.F.m[i / DIM][i % DIM];
    r.third = bar.third;
    r.a = bar.a;
    r.mu = m_bar.mu;
    r.lambda = m_bar.lambda;
    memcpy(r.y, m_bar.y, sizeof r.y);
    return r;
}

/* A direction in units of what changes along it. */
static plastic_state sample_direction(const plastic_state *x)
{
    plastic_state d = {{0}, uniform(-1, 1), uniform(-1, 1), x->mu * uniform(-1, 1), x->lambda * uniform(-1, 1), {0}};
    for (int i = 0; i < HYPER_NUMBERS; i++) d.F[i] = uniform(-1, 1);
    for (int c = 0; c < 3; c++) d.y[c] = x->y[c] * uniform(-1, 1);
    return d;
}

static plastic_state sample_cotangent(void)
{
    plastic_state w = {{0}, uniform(-1, 1), uniform(-1, 1), 0, 0, {0}};
    for (int i = 0; i < HYPER_NUMBERS; i++) w.F[i] = uniform(-1, 1);
    return w;
}

/* a . b, and the sum of the sizes of its terms into *size */
static double pair(const plastic_state *a, const plastic_state *b, double *size)
{
    const double *p = (const double *)a, *q = (const double *)b;
    double s = 0;
    for (size_t i = 0; i < sizeof *a / sizeof *p; i++) {
        s += p[i] * q[i];
        *size += fabs(p[i] * q[i]);
    }
    return s;
}

typedef struct {
    double value, adjoint, wrong, naive;
    long flowed, apexes, skipped, not_finite;
} errors;

static int all_finite(const plastic_state *x)
{
    for (size_t i = 0; i < sizeof *x / sizeof(double); i++)
        if (!isfinite(((const double *)x)[i])) return 0;
    return 1;
}

/* The quotient (sigma'_i - sigma'_j)/(sigma_i - sigma_j) as it stands, off the diagonal, in place of the adjoint's
 * own. */
static double naive_error(int plastic, const plastic_state *x, const plastic_state *w, mat right)
{
    const plastic_matter m = matter_of(x);
    const hencky_flow r = hencky_flow_of(plastic, matrix_of(x->F), x->third, x->a, &m);
    const mat B = mat_t_mul(r.s.U, mat_mul(matrix_of(w->F), r.s.V)), A = mat_t_mul(r.s.U, mat_mul(right, r.s.V));
    double worst = 0;
    for (int i = 0; i < DIM; i++)
        for (int j = 0; j < DIM; j++) {
            const double gi = hencky_stretch(&r, i), gj = hencky_stretch(&r, j), si = r.s.sigma.x[i],
                         sj = r.s.sigma.x[j];
            if (i == j) continue;
            const double q = (gi - gj) / (si - sj), y = (gi + gj) / (si + sj);
            const double a = 0.5 * (q * (B.m[i][j] + B.m[j][i]) + y * (B.m[i][j] - B.m[j][i]));
            if (!isfinite(a)) return (double)INFINITY;
            worst = fmax(worst, fabs(a - A.m[i][j]));
        }
    return worst;
}

static errors check_states(int plastic)
{
    errors r = {0};
    seed = 11 + (uint64_t)plastic;
    for (int i = 0; i < EACH * KINDS; i++) {
        plastic_state x, y, value, along;
        const int kind = i % KINDS;
        sample_plastic(plastic, kind, &x);
        const plastic_state d = sample_direction(&x), w = sample_cotangent();
        const plastic_outcome way = map(plastic, &x, &y);
        const plastic_state bar = map_adj(plastic, &x, &w);
        double size = 0;
        r.flowed += way.branch == FLOW_LIMIT;
        r.apexes += way.branch == FLOW_APEX;
        r.not_finite += !all_finite(&y) || !all_finite(&bar);
        const int near = way.margin < (plastic == PIO_SNOW ? NEAR_CLAMP : NEAR);
        r.skipped += near;
        if (near) continue;
        plastic_dual(plastic, STEP, &x, &d, &value, &along);
        for (int k = 0; k < HYPER_NUMBERS; k++) r.value = worse(r.value, fabs(value.F[k] - y.F[k]));
        r.value = worse(r.value, fabs(value.a - y.a));
        r.value = worse(r.value, fabs(value.third - y.third));
        along.mu = along.lambda = along.y[0] = along.y[1] = along.y[2] = 0;
        const double forward = pair(&w, &along, &size), backward = pair(&bar, &d, &size);
        r.adjoint = worse(r.adjoint, fabs(forward - backward) / size);
        r.wrong = worse(r.wrong, fabs(forward - backward * (1 + 1e-6)) / size);
        if (plastic != PIO_SNOW && way.branch == FLOW_LIMIT && (kind == TWO_NEAR || kind == ALL_NEAR))
            r.naive = worse(r.naive, naive_error(plastic, &x, &w, matrix_of(bar.F)));
    }
    return r;
}

static void maps_and_adjoints_agree_with_dual_numbers(void **state)
{
    (void)state;
    for (int plastic = 1; plastic < PIO_PLASTIC_LAWS; plastic++) {
        const errors e = check_states(plastic);
        printf("%s: %d states, %ld flow, %ld at the apex, %ld left out near a change of branch\n", names[plastic],
               EACH * KINDS, e.flowed, e.apexes, e.skipped);
        report(names[plastic], "F', e_3', a' - those of the dual build", e.value, 1e-12);
        report(names[plastic], "w . J v - J^T w . v", e.adjoint, 1e-12);
        report(names[plastic], "numbers that are not finite", (double)e.not_finite, 0);
        assert_true(e.flowed > EACH && e.skipped < EACH);
        assert_true(plastic != PIO_DRUCKER_PRAGER || e.apexes > EACH);
        if (!(e.wrong > 0.5e-6)) fail_msg("an adjoint times 1 + 1e-6 passes: %.1e", e.wrong);
        if (plastic == PIO_SNOW) continue;
        printf("negative control, the quotient as it stands: %.1e\n", e.naive);
        assert_true(e.naive > 1e-8);
    }
    all_must_hold();
}

static void stress_and_its_adjoint_agree_with_dual_numbers(void **state)
{
    (void)state;
    for (int plastic = 1; plastic < PIO_PLASTIC_LAWS; plastic++) {
        double worst = 0, wrong = 0;
        seed = 21;
        for (int i = 0; i < 4000; i++) {
            plastic_state x, value, along;
            sample_plastic(plastic, i % KINDS, &x);
            const plastic_state d = sample_direction(&x), w = sample_cotangent();
            const plastic_matter m = matter_of(&x);
            plastic_matter m_bar = {0, 0, {0, 0, 0}, 0};
            plastic_state bar = {{0}, 0, 0, 0, 0, {0}};
            plastic_strain x_bar = {.F = mat_diag(R(0))};
            double size = 0, forward = 0;
            plastic_tau_dual(plastic, &x, &d, &value, &along);
            plastic_tau_adj(plastic, strain_of(&x), &m, matrix_of(w.F), &x_bar, &m_bar);
            bar.third = x_bar.third;
            bar.a = x_bar.a;
            for (int k = 0; k < HYPER_NUMBERS; k++) {
                bar.F[k] = x_bar.F.m[k / DIM][k % DIM];
                forward += w.F[k] * along.F[k];
                size += fabs(w.F[k] * along.F[k]);
            }
            bar.mu = m_bar.mu;
            bar.lambda = m_bar.lambda;
            memcpy(bar.y, m_bar.y, sizeof bar.y);
            const double backward = pair(&bar, &d, &size);
            if (!(size > 0)) continue; /* in 3D there is nothing to add but in snow */
            worst = worse(worst, fabs(forward - backward) / size);
            wrong = worse(wrong, fabs(forward - backward * (1 + 1e-6)) / size);
        }
        report(names[plastic], "added stress: w . J v - J^T w . v", worst, 1e-12);
        if (plastic == PIO_SNOW && !(wrong > 0.4e-6)) fail_msg("an adjoint times 1 + 1e-6 passes: %.1e", wrong);
    }
    all_must_hold();
}

/* ---- the laws themselves, by their equations in tensors: what they say of stress, not how it is reached
 * ----------------------- */

/* tau and its invariants of a state, with the third direction. */
static void invariants(const plastic_state *x, double *q, double *trace)
{
    const mat_svd s = svd_of(matrix_of(x->F));
    double e[3] = {0, 0, x->third}, square = 0;
    for (int i = 0; i < DIM; i++) e[i] = log((double)s.sigma.x[i]);
    const double l = e[0] + e[1] + e[2];
    for (int i = 0; i < 3; i++) square += (e[i] - l / 3) * (e[i] - l / 3);
    *q = sqrt(1.5 * square) * 2 * x->mu;
    *trace = (3 * x->lambda + 2 * x->mu) * l;
}

/* Drucker and Prager's cone of an angle: Mohr's and Coulomb's law in plane strain; in 3D in triaxial compression. */
static double fit(double angle)
{
    return DIM == 2 ? sqrt(2) / 3 * sin(angle) : sqrt(2.0 / 3) * 2 * sin(angle) / (3 - sin(angle));
}

/* By how much a flowed state misses the law's equation, relative. */
static double missed(int plastic, const plastic_state *x, const plastic_state *y, int branch)
{
    double q, trace, unused, before;
    invariants(y, &q, &trace);
    invariants(x, &unused, &before);
    const double K3 = 3 * x->lambda + 2 * x->mu, volume = fabs((trace - before) / K3);
    if (plastic == PIO_VON_MISES) return fabs(q / (x->y[0] + x->y[1] * y->a) - 1) + volume;
    if (plastic == PIO_HERSCHEL_BULKLEY)
        return fabs(q / (x->y[0] + x->y[1] * pow((y->a - x->a) / STEP, x->y[2])) - 1) + volume;
    const double A = fit(x->y[0]), apex = 3 * x->y[1] / tan(x->y[0]);
    const double gap = fabs(before / K3 + x->a - trace / K3 - y->a); /* ln of the volume is kept */
    if (branch == FLOW_APEX) return (q + fabs(trace - apex)) / x->mu + gap;
    return fabs(sqrt(2.0 / 3) * q - A * (apex - trace)) / x->mu + gap + y->a;
}

static void flowed_states_fulfil_the_equations_of_their_law_and_stay(void **state)
{
    (void)state;
    for (int plastic = 1; plastic < PIO_SNOW; plastic++) {
        double worst = 0, again = 0;
        seed = 31;
        for (int i = 0; i < 10000; i++) {
            plastic_state x, y, z;
            sample_plastic(plastic, i % KINDS, &x);
            if (plastic == PIO_HERSCHEL_BULKLEY) x.a = 0; /* its rate is a', not a difference that lost digits */
            const plastic_outcome w = map(plastic, &x, &y);
            if (w.branch == FLOW_ELASTIC) continue;
            worst = worse(worst, missed(plastic, &x, &y, w.branch));
            map(plastic, &y, &z);
            for (int k = 0; k < HYPER_NUMBERS && plastic != PIO_HERSCHEL_BULKLEY; k++)
                again = worse(again, fabs(z.F[k] - y.F[k]));
        }
        report(names[plastic], "stress off its law's equation", worst, 1e-11);
        report(names[plastic], "a second map moves what the first has done", again, 1e-12);
    }
    all_must_hold();
}

/* States that no sample meets: finite maps and adjoints. */
/* Sand under pressure is sheared in plane strain, in 3D compressed along one axis with equal pressure on the others,
 * until its stress stays: then Mohr's circle touches Coulomb's line, (s_1 - s_3)/2 = c cos phi - (s_1 + s_3)/2 sin
 * phi. */
static void sand_has_its_angle_of_friction(void **state)
{
    (void)state;
    double worst = 0;
    for (int degrees = 15; degrees <= 40; degrees += 5) {
        const double phi = degrees * acos(-1) / 180;
        plastic_state x = {.mu = 4e4, .lambda = 6e4, .y = {phi, degrees % 10 ? 0 : 300}}, y;
        double e[3];
        for (int i = 0; i < DIM; i++) x.F[(DIM + 1) * i] = 0.98;
        if (DIM == 2) x.third = log(0.98);
        for (int step = 0; step < 4000; step++) {
            for (int i = 0; i < DIM; i++) { /* along axis 0 shorter, along the last longer; volume kept */
                const double rate = DIM == 2 ? (i ? 1 : -1) : (i ? 0.5 : -1);
                for (int j = 0; j < DIM; j++) x.F[DIM * i + j] *= exp(1e-4 * rate);
            }
            map(PIO_DRUCKER_PRAGER, &x, &y);
            x = y;
        }
        for (int i = 0; i < 3; i++) e[i] = i < DIM ? log(x.F[(DIM + 1) * i]) : x.third;
        const double l = e[0] + e[1] + e[2], last = DIM == 2 ? e[1] : e[2];
        const double one = 2 * x.mu * e[0] + x.lambda * l, other = 2 * x.mu * last + x.lambda * l;
        const double off = (other - one) / 2 - x.y[1] * cos(phi) + (one + other) / 2 * sin(phi);
        worst = worse(worst, fabs(off) / fabs(one));
    }
    report("Drucker-Prager", "Mohr's circle off Coulomb's line, of the stress", worst, 1e-9);
    all_must_hold();
}

static void extreme_states_have_finite_adjoints(void **state)
{
    static const double stretches[] = {1, 1e-3, 1e3, 1 + 1e-16, 0.5, 30};
    long bad = 0, count = 0;
    (void)state;
    seed = 41;
    for (int plastic = 1; plastic < PIO_PLASTIC_LAWS; plastic++)
        for (int i = 0; i < 216 * 8; i++) {
            plastic_state x, y;
            const double s[3] = {stretches[i % 6], stretches[i / 6 % 6], stretches[i / 36 % 6]};
            sample_plastic(plastic, 0, &x);
            const mat F = i & 1 ? diagonal(s) : mat_mul(random_rotation(), diagonal(s));
            for (int k = 0; k < HYPER_NUMBERS; k++) x.F[k] = F.m[k / DIM][k % DIM];
            if (i / 216 % 2) x.a = x.third = 0;
            const plastic_state w = sample_cotangent();
            map(plastic, &x, &y);
            const plastic_state bar = map_adj(plastic, &x, &w);
            bad += !all_finite(&y) || !all_finite(&bar);
            count++;
        }
    printf("%ld extreme states\n", count);
    report("all laws", "maps or adjoints that are not finite", (double)bad, 0);
    all_must_hold();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_and_adjoints_agree_with_dual_numbers),
        cmocka_unit_test(stress_and_its_adjoint_agree_with_dual_numbers),
        cmocka_unit_test(flowed_states_fulfil_the_equations_of_their_law_and_stay),
        cmocka_unit_test(sand_has_its_angle_of_friction),
        cmocka_unit_test(extreme_states_have_finite_adjoints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

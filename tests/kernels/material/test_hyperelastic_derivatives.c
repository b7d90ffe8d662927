/* test_hyperelastic_derivatives.c -- every derivative of the hyperelastic laws against dual numbers, f64. The dual
 * build of the laws in principal stretches knows no principal directions (kernels/material/hyperelastic_smooth.h), so
 * what is compared there are two computations of their own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/kernels/material/hyperelastic_samples.h"
#include "tests/kernels/material/test_hyperelastic.h"

#define DERIVATIVE_BOUND 1e-12

static const char *const state_names[STATES] = {"moderate strain",  "stretches 1/4 to 4", "two stretches nearly equal",
                                                "all nearly equal", "all equal",          "all equal, unturned"};

static void numbers_of(mat m, double *v)
{
    for (int i = 0; i < HYPER_NUMBERS; i++) v[i] = m.m[i / DIM][i % DIM];
}

static double relative(double a, double b, double size)
{
    size = worse(size, worse(fabs(a), fabs(b)));
    return size <= 0 ? 0 : fabs(a - b) / size;
}

static double dot_of(const double *a, const double *b, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++) s += a[i] * b[i];
    return s;
}

/* Hencky's dP with the quotient (p_i - p_j)/(sigma_i - sigma_j) as it stands: right only where stretches are apart. */
static mat naive_dP(int law, mat F, mat dF, hyper_constants c)
{
    spectral_point r = spectral_at(hyper_own(law) == PIO_HYPER_OGDEN, F, c);
    const vec g = r.s.sigma, e = principal_logs(r.s), t = hencky_tau(e, c);
    for (int i = 0; i < DIM; i++)
        for (int j = 0; j < DIM; j++) {
            const real pi = t.x[i] / g.x[i], pj = t.x[j] / g.x[j];
            if (i == j || law != PIO_HYPER_HENCKY) continue;
            const real x = (pi - pj) / (g.x[i] - g.x[j]), y = (pi + pj) / (g.x[i] + g.x[j]);
            r.b.same.m[i][j] = R(0.5) * (x + y);
            r.b.swap.m[i][j] = R(0.5) * (x - y);
        }
    return spectral_apply(r, dF);
}

typedef struct {
    double psi, P, dP, stress, symmetry, wrong, naive;
} errors;

/* Largest errors at states of one kind: of psi and P against their dual twins, of P : dF against dpsi, of dP, of dP too
 * large by 1e-6 and of the naive quotient. */
static errors check_law(int law, int kind)
{
    errors r = {0};
    seed = 7;
    for (int i = 0; i < SAMPLES; i++) {
        hyper_point x = {{0}, {0}}, d = {{0}, {0}};
        double psi, dpsi, y[9], dy[9];
        sample_constants(law, x.k);
        const hyper_constants c = constants_of(x.k);
        const mat F = sample_state(kind), A = random_matrix(1), B = random_matrix(1);
        const mat P = law_P(law, F, c), dP = law_dP(law, F, A, c);
        const double scale = norm(P) + 0.1 * stiffness(law, x.k);
        numbers_of(F, x.F);
        numbers_of(A, d.F);
        hyper_dual(HYPER_PSI, law, 0, &x, &d, &psi, &dpsi);
        hyper_dual(HYPER_STRESS, law, 0, &x, &d, y, dy);
        r.psi = worse(r.psi, fabs(psi - law_psi(law, F, c)) / scale);
        r.stress = worse(r.stress, distance(P, matrix_of(y)) / scale);
        r.P = worse(r.P, relative(mat_ddot(P, A), dpsi, 0.1 * scale * norm(A)));
        r.dP = worse(r.dP, distance(dP, matrix_of(dy)) / norm(dP));
        r.wrong = worse(r.wrong, distance(mat_scale(1 + 1e-6, dP), matrix_of(dy)) / norm(dP));
        r.symmetry =
            worse(r.symmetry, relative(mat_ddot(dP, B), mat_ddot(law_dP(law, F, B, c), A), norm(dP) * norm(B)));
        if (law == PIO_HYPER_HENCKY) {
            const double e = distance(naive_dP(law, F, A, c), matrix_of(dy)) / norm(dP);
            r.naive = isnan(e) ? (double)INFINITY : worse(r.naive, e);
        }
    }
    return r;
}

static void stress_and_tangent_are_derivatives(void **state)
{
    (void)state;
    for (int law = 0; law < LAW_NUMBERS; law = next_law(law))
        for (int kind = 0; kind < STATES; kind++) {
            const errors e = check_law(law, kind);
            printf("%s, %s\n", law_names[law], state_names[kind]);
            report("", "psi - psi of the dual build", e.psi, DERIVATIVE_BOUND);
            report("", "P - P of the dual build", e.stress, DERIVATIVE_BOUND);
            report("", "P : dF - dpsi", e.P, DERIVATIVE_BOUND);
            report("", "dP(F; dF) - dP of the dual build", e.dP, DERIVATIVE_BOUND);
            report("", "dP(A) : B - dP(B) : A", e.symmetry, DERIVATIVE_BOUND);
            if (!(e.wrong > 0.9e-6)) fail_msg("dP times 1 + 1e-6 passes as dP: %.1e", e.wrong);
            if (law != PIO_HYPER_HENCKY) continue;
            printf("negative control, the quotient as it stands: %.1e\n", e.naive);
            if (kind == TWO_NEAR || kind == ALL_NEAR) assert_true(e.naive > 1e-8);
        }
    all_must_hold();
}

static void theta_is_the_derivative_by_every_constant(void **state)
{
    (void)state;
    for (int law = 0; law < LAW_NUMBERS; law = next_law(law)) {
        double worst = 0, wrong = 0;
        seed = 8;
        for (int i = 0; i < SAMPLES; i++) {
            hyper_point x = {{0}, {0}};
            double w[9];
            sample_constants(law, x.k);
            const hyper_constants c = constants_of(x.k);
            const mat F = sample_state(i % STATES), P_bar = random_matrix(1);
            hyper_constants bar = constants_of((const double[5]){1, 2, 3, 4, 5}); /* added to, not overwritten */
            hyper_theta(law, F, P_bar, c, &bar);
            numbers_of(F, x.F);
            numbers_of(P_bar, w);
            for (int p = 0; p < PIO_LAW_CONSTANTS; p++) {
                hyper_point d = {{0}, {0}};
                double y[9], dy[9];
                d.k[p] = 1;
                const int n = hyper_dual(HYPER_STRESS, law, 0, &x, &d, y, dy);
                const double forward = dot_of(w, dy, n), backward = bar.k[p] - (p + 1);
                const double unit =
                    hyper_own(law) == PIO_HYPER_OGDEN && p % 2 ? fabs(x.k[p - 1]) : 1; /* dP/dalpha_p: of order mu_p */
                const double size = worse(0.1 * sqrt(dot_of(dy, dy, n)) * norm(P_bar), 0.1 * unit);
                worst = worse(worst, relative(forward, backward, size));
                wrong = worse(wrong, relative(forward, backward * (1 + 1e-6), size));
            }
        }
        report(law_names[law], "theta - P_bar : dP/dk of the dual build", worst, DERIVATIVE_BOUND);
        if (!(wrong > 0.9e-6)) fail_msg("theta times 1 + 1e-6 passes as theta: %.1e", wrong);
    }
    all_must_hold();
}

static void parameters_and_their_adjoint_agree(void **state)
{
    (void)state;
    for (int law = 0; law < LAW_NUMBERS;
         law = next_law(law)) /* The form makes no difference to laws with constants of their own. */
        for (int by_lame_parameters = 0; by_lame_parameters < 2; by_lame_parameters++) {
            const int own = hyper_own(law) == PIO_HYPER_MOONEY_RIVLIN || hyper_own(law) == PIO_HYPER_OGDEN;
            double worst = 0, meaning = 0;
            seed = 9;
            for (int i = 0; i < SAMPLES; i++) {
                hyper_point x = {{0}, {0}};
                sample_constants(law, x.k);
                if (!own && !by_lame_parameters) x.k[1] = uniform(-0.5, 0.49);
                const hyper_constants parameters = constants_of(x.k),
                                      k = hyper_from_parameters(law, by_lame_parameters, parameters);
                double w[5], mu, lambda;
                for (int p = 0; p < PIO_LAW_CONSTANTS; p++) w[p] = uniform(-1, 1);
                hyper_constants bar = constants_of((const double[5]){0, 0, 0, 0, 0});
                hyper_from_parameters_adj(law, by_lame_parameters, parameters, constants_of(w), &bar);
                for (int p = 0; p < PIO_LAW_CONSTANTS; p++) {
                    hyper_point d = {{0}, {0}};
                    double y[9], dy[9];
                    d.k[p] = 1;
                    const int n = hyper_dual(HYPER_FROM_PARAMETERS, law, by_lame_parameters, &x, &d, y, dy);
                    worst = worse(worst, relative(dot_of(w, dy, n), bar.k[p], 0.1 * sqrt(dot_of(dy, dy, n))));
                }
                if (own) continue;
                small_strain(law, k.k, &mu, &lambda);
                const double E = mu * (3 * lambda + 2 * mu) / (lambda + mu), nu = lambda / (2 * (lambda + mu));
                meaning = worse(meaning, relative(by_lame_parameters ? mu : E, x.k[0], 0));
                meaning =
                    worse(meaning, relative(by_lame_parameters ? lambda : nu, x.k[1], by_lame_parameters ? 0 : 1));
            }
            report(law_names[law],
                   own                  ? "adjoint of its own constants"
                   : by_lame_parameters ? "adjoint of (mu, lambda)"
                                        : "adjoint of (E, nu)",
                   worst, DERIVATIVE_BOUND);
            if (own) continue;
            report(law_names[law], by_lame_parameters ? "mu, lambda of small strain" : "E, nu of small strain", meaning,
                   1e-13);
        }
    all_must_hold();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stress_and_tangent_are_derivatives),
        cmocka_unit_test(theta_is_the_derivative_by_every_constant),
        cmocka_unit_test(parameters_and_their_adjoint_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

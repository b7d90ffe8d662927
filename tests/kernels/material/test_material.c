/* test_material.c -- the pure functions: laws, logarithm, polar decomposition; values against published
 * or library ones, identities, and (f64, TEST_DUAL) derivatives against dual numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "kernels/material/law.h"
#include "kernels/mpm/mpm_transfer.h"
#include "tests/kernels/material/test_material.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SAMPLES = 400, NUMBERS = DIM * DIM };
static const double EPS = sizeof(real) == 4 ? (double)FLT_EPSILON : DBL_EPSILON;
#define DERIVATIVE_BOUND 1e-12

static uint64_t seed;
static double uniform(double lo, double hi)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return lo + (hi - lo) * (double)(seed >> 11) * 0x1p-53;
}

/* The larger; NaN if one of them is, so that it is never lost. */
static double worse(double a, double b)
{
    return isnan(a) || isnan(b) ? (double)NAN : a > b ? a : b;
}

static void report(const char *what, double measured, double bound)
{
    printf("%-52s %8.1e  bound %.1e\n", what, measured, bound);
    if (!(measured <= bound)) fail_msg("%s", what);
}

/* ---- points, as doubles and as the engine's numbers --------------------------------------------------------- */

static point sample_point(int law)
{
    point x;
    memset(&x, 0, sizeof x);
    for (int i = 0; i < NUMBERS; i++) {
        x.F[i] = (i % (DIM + 1) == 0) + uniform(-0.2, 0.2);
        x.C[i] = uniform(-20, 20);
    }
    x.J = uniform(0.8, 1.25);
    x.k[0] = uniform(1e4, 1e5);
    x.k[1] = law == PIO_TAIT ? uniform(1, 7.5) : uniform(1e4, 1e5);
    x.k[2] = uniform(0, 2);
    for (int a = 0; a < DIM; a++) x.n[a] = uniform(-1, 1);
    x.a = uniform(-1e4, 1e4);
    if (!hyper_has_own_parameters(law)) return x;
    for (int c = 2; c < 5; c++) x.k[c] = uniform(1e4, 1e5);
    if (hyper_own(law) == PIO_HYPER_OGDEN) {
        x.k[1] = uniform(1.4, 3);
        x.k[2] *= -0.5;
        x.k[3] = uniform(-2.5, -1.5);
    }
    return x;
}

static mat matrix_of(const double *v)
{
    mat m;
    for (int i = 0; i < NUMBERS; i++) m.m[i / DIM][i % DIM] = (real)v[i];
    return m;
}

static hyper_constants constants_of(const point *x)
{
    hyper_constants c;
    for (int i = 0; i < PIO_LAW_CONSTANTS; i++) c.k[i] = (real)x->k[i];
    return c;
}

static double norm(mat a)
{
    return sqrt((double)mat_ddot(a, a));
}
static double distance(mat a, mat b)
{
    return norm(mat_axpby(R(1), a, R(-1), b));
}
static mat solid_tau(int law, mat F, hyper_constants c)
{
    return mat_mul_t(solid_P(law, F, c), F);
}

/* The two laws of material.h; test_hyperelastic.c has the others. */
static const int pair[2] = {PIO_HYPER_NEO_HOOKEAN, PIO_HYPER_FIXED_COROTATED};

/* A rotation by a random angle: in each plane of two axes one. */
static mat random_rotation(void)
{
    mat q = mat_diag(R(1));
    for (int a = 0; a < DIM; a++)
        for (int b = a + 1; b < DIM; b++) {
            const double t = uniform(-3.14159, 3.14159);
            mat g = mat_diag(R(1));
            g.m[a][a] = g.m[b][b] = (real)cos(t);
            g.m[a][b] = (real)-sin(t);
            g.m[b][a] = (real)sin(t);
            q = mat_mul(q, g);
        }
    return q;
}

/* ---- values ------------------------------------------------------------------------------------------------- */

#if PIO_DIM == 3
/* Computed independently, 13 digits: mu = 1e5, lambda = 1.5e5. */
static const double known_F[9] = {1.10, 0.20, -0.05, 0.05, 0.90, 0.10, 0.02, -0.08, 1.15};
static const double known_psi[2] = {8.590744174422e+03, 8.871667483498e+03};
static const double known_P[2][9] = {
    {3.598996983116e+04, 2.393821349412e+04, -3.438906362690e+03, 2.103668918328e+04, 1.661570529754e+02,
     3.471790243976e+03, -2.612322110234e+03, -1.713480920990e+01, 4.546037433801e+04},
    {4.216076563143e+04, 2.374203552248e+04, -3.884365930816e+03, 1.981608291460e+04, 7.414208264629e+03,
     3.861984005201e+03, -2.548828104693e+03, -8.207745081188e+02, 5.110605065645e+04}};

static void solids_have_the_known_energy_and_stress(void **state)
{
    const double bound = sizeof(real) == 8 ? 1e-12 : 1e-5;
    const hyper_constants c = {{R(1e5), R(1.5e5)}};
    (void)state;
    for (int i = 0; i < 2; i++) {
        const int law = pair[i];
        const mat F = matrix_of(known_F), P = solid_P(law, F, c);
        double worst = 0, largest = 0;
        for (int k = 0; k < 9; k++) {
            worst = worse(worst, fabs((double)P.m[k / 3][k % 3] - known_P[i][k]));
            largest = worse(largest, fabs(known_P[i][k]));
        }
        report(i == 0 ? "neo-Hookean psi" : "fixed corotated psi",
               fabs((double)hyper_psi(law, F, c) / known_psi[i] - 1), bound);
        report(i == 0 ? "neo-Hookean P" : "fixed corotated P", worst / largest, bound);
    }
}
#endif

static void stress_is_symmetric_and_turns_with_the_body(void **state)
{
    double symmetry = 0, energy = 0, turned = 0, rest = 0;
    (void)state;
    seed = 1;
    for (int i = 0; i < SAMPLES; i++) {
        const int law = pair[i % 2];
        const point x = sample_point(law);
        const hyper_constants c = constants_of(&x);
        const mat F = matrix_of(x.F), Q = random_rotation(), P = solid_P(law, F, c), tau = solid_tau(law, F, c);
        const double scale = norm(P) + x.k[0] + x.k[1];
        symmetry = worse(symmetry, distance(tau, mat_transpose(tau)) / scale);
        energy = worse(energy, fabs((double)(hyper_psi(law, mat_mul(Q, F), c) - hyper_psi(law, F, c))) / scale);
        turned = worse(turned, distance(solid_P(law, mat_mul(Q, F), c), mat_mul(Q, P)) / scale);
        rest = worse(rest, norm(solid_P(law, Q, c)) / scale);
    }
    report("tau - tau^T", symmetry, 20 * EPS);
    report("psi(Q F) - psi(F)", energy, 20 * EPS);
    report("P(Q F) - Q P(F)", turned, 20 * EPS);
    report("P(Q): no stress in a body that only turned", rest, 20 * EPS);
}

/* Distance in units in the last place of the result. */
static double ulps(double x, double *worst_at)
{
    const real r = real_log((real)x);
    const long double exact = logl((long double)(real)x);
    int e;
    (void)frexpl(exact, &e);
    const long double unit = ldexpl(1, e - (sizeof(real) == 4 ? 24 : 53));
    const double d = exact == 0 ? (double)fabsl((long double)r) : (double)(fabsl((long double)r - exact) / unit);
    *worst_at = x;
    return d;
}

static void the_logarithm_is_good_to_two_units_in_the_last_place(void **state)
{
    const double exponents = sizeof(real) == 4 ? 37 : 307;
    double wide_range = 0, near_one = 0, at;
    (void)state;
    seed = 2;
    for (int i = 0; i < 200000; i++) {
        wide_range = worse(wide_range, ulps(pow(10, uniform(-exponents, exponents)), &at));
        wide_range = worse(wide_range, ulps(uniform(0.2, 5), &at));
        near_one = worse(near_one, ulps(1 + uniform(-1, 1) * pow(10, uniform(-16, -1)), &at));
    }
    for (int k = -30; k <= 30; k++) near_one = worse(near_one, ulps(1 + k * EPS / 2, &at));
    report("log, whole range, units in the last place", wide_range, 2);
    report("log, near 1, units in the last place", near_one, 2);
    assert_true(real_log(R(1)) >= 0 && real_log(R(1)) <= 0);
}

/* F = R S with S of this condition number or, in 3D, up to its square for cofactor and determinant. In 3D the inverse
 * is cof/det, whose relative error grows with the condition number; R is a rotation all the same, of an F that is off
 * by that. */
static void check_rotation(const char *what, double condition)
{
    const double bound = (DIM == 3 ? 20 + condition : 20) * EPS;
    double orthogonal = 0, symmetric = 0, determinant = 0, known = 0;
    seed = 3;
    for (int i = 0; i < SAMPLES; i++) {
        const mat Q = random_rotation(), V = random_rotation();
        mat d = mat_diag(R(1));
        for (int a = 0; a < DIM; a++) d.m[a][a] = (real)pow(condition, a == 0 ? 0 : a == 1 ? -1 : uniform(-1, 0));
        const mat S = mat_mul_t(mat_mul(V, d), V), F = mat_mul(Q, S), rot = polar_rotation(F);
        const mat A = mat_t_mul(rot, F);
        orthogonal = worse(orthogonal, distance(mat_mul_t(rot, rot), mat_diag(R(1))));
        determinant = worse(determinant, fabs((double)mat_det(rot, mat_cofactor(rot)) - 1));
        symmetric = worse(symmetric, distance(A, mat_transpose(A)) / norm(F));
        known = worse(known, distance(rot, Q) / condition);
    }
    printf("%s\n", what);
    report("  R R^T - I", orthogonal, 20 * EPS);
    report("  det R - 1", determinant, 20 * EPS);
    report("  R^T F - (R^T F)^T", symmetric, bound);
    report("  R - the rotation that F was made of, per condition", known, 20 * EPS);
}

static void the_polar_rotation_is_a_rotation_for_any_F(void **state)
{
    (void)state;
    check_rotation("moderate stretch", 2);
    check_rotation("condition number 100", 100);
    if (sizeof(real) == 4)
        check_rotation("condition number 3e3", 3e3);
    else
        check_rotation("condition number 1e6", 1e6);
}

/* ---- derivatives --------------------------------------------------------------------------------------------- */
#if TEST_DUAL

/* A direction that varies one of the arguments at `which` (0: F, 1: C, 2: J, 3 to 7: k, 8: a), in its own units. */
static point direction_of(const point *x, int which)
{
    point d;
    memset(&d, 0, sizeof d);
    for (int i = 0; i < NUMBERS; i++) {
        if (which == 0) d.F[i] = uniform(-1, 1);
        if (which == 1) d.C[i] = uniform(-20, 20);
    }
    if (which == 2) d.J = 1;
    if (which >= 3 && which < 8) d.k[which - 3] = x->k[which - 3];
    if (which == 8) d.a = x->a;
    return d;
}

static double dot_of(const double *a, const double *b, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++) s += a[i] * b[i];
    return s;
}

static void numbers_of(mat m, double *v)
{
    for (int i = 0; i < NUMBERS; i++) v[i] = m.m[i / DIM][i % DIM];
}

static double relative(double a, double b, double size)
{
    size = worse(size, worse(fabs(a), fabs(b)));
    return size <= 0 ? 0 : fabs(a - b) / size;
}

/* Largest relative error of P : dF = dpsi, and of dP, with P and dP multiplied by `factor`. */
static void check_solid(double factor, double *P_error, double *dP_error, double *symmetry)
{
    *P_error = *dP_error = *symmetry = 0;
    seed = 4;
    for (int i = 0; i < SAMPLES; i++) {
        const int law = pair[i % 2];
        const point x = sample_point(law), d = direction_of(&x, 0), e = direction_of(&x, 0);
        const hyper_constants c = constants_of(&x);
        const mat F = matrix_of(x.F), A = matrix_of(d.F), B = matrix_of(e.F);
        const mat dP = hyper_dP(law, F, A, c);
        const mat dPB = hyper_dP(law, F, B, c);
        double psi, dpsi, y[18], dy[18];
        dual_value(PSI, law, &x, &d, &psi, &dpsi);
        const mat P = solid_P(law, F, c);
        *P_error = worse(*P_error, relative(factor * mat_ddot(P, A), dpsi, 0.1 * norm(P) * norm(A)));
        dual_value(STRESS_P, law, &x, &d, y, dy);
        *dP_error = worse(*dP_error, distance(mat_scale(factor, dP), matrix_of(dy)) / norm(dP));
        *symmetry = worse(*symmetry, relative(mat_ddot(dP, B), mat_ddot(dPB, A), norm(dP) * norm(B)));
    }
}

static void solid_stress_and_tangent_are_derivatives(void **state)
{
    double P, dP, symmetry;
    (void)state;
    check_solid(1, &P, &dP, &symmetry);
    report("P : dF = dpsi", P, DERIVATIVE_BOUND);
    report("dP(F; dF)", dP, DERIVATIVE_BOUND);
    report("dP(A) : B = dP(B) : A", symmetry, DERIVATIVE_BOUND);
    check_solid(1 + 1e-6, &P, &dP, &symmetry);
    printf("negative control, scaled by 1 + 1e-6: %.1e, %.1e\n", P, dP);
    assert_true(P > DERIVATIVE_BOUND && dP > DERIVATIVE_BOUND);
}

static void solid_adjoint_of_every_law_is_the_transposed_derivative(void **state)
{
    double worst[8] = {0}, theta = 0;
    (void)state;
    seed = 5;
    for (int i = 0; i < 6 * SAMPLES; i++) {
        static const int quadratic[4] = {PIO_HYPER_NEO_HOOKEAN, PIO_HYPER_NEO_HOOKEAN_ISO, PIO_HYPER_MOONEY_RIVLIN,
                                         PIO_HYPER_OGDEN};
        const int own = PIO_HYPER_ST_VENANT + i % (PIO_HYPER_LAWS - PIO_HYPER_ST_VENANT);
        const int law = i < 4 * SAMPLES ? own : quadratic[i % 4] | PIO_VOLUME_QUADRATIC;
        const point x = sample_point(law), w = direction_of(&x, 0);
        const hyper_constants c = constants_of(&x);
        const mat F = matrix_of(x.F), W_ = matrix_of(w.F);
        mat F_bar = mat_diag(R(0));
        hyper_constants c_bar = {{0}}, P_bar_c = {{0}};
        solid_tau_adj(law, F, c, solid_P(law, F, c), W_, &F_bar, &c_bar);
        hyper_theta(law, F, W_, c, &P_bar_c);
        for (int which = 0; which < 3 + law_count(law); which += which ? 1 : 3) {
            const point d = direction_of(&x, which);
            double y[18], dy[18], wv[9], backward = 0;
            numbers_of(W_, wv);
            dual_value(TAU, law, &x, &d, y, dy);
            if (which == 0)
                backward = mat_ddot(F_bar, matrix_of(d.F));
            else
                backward = c_bar.k[which - 3] * d.k[which - 3];
            const double size = 0.1 * sqrt(dot_of(dy, dy, NUMBERS)) * norm(W_);
            worst[which] = worse(worst[which], relative(dot_of(wv, dy, NUMBERS), backward, size));
            if (!which) continue;
            dual_value(STRESS_P, law, &x, &d, y, dy);
            theta = worse(theta, relative(dot_of(wv, dy, NUMBERS), P_bar_c.k[which - 3] * d.k[which - 3],
                                          0.1 * sqrt(dot_of(dy, dy, NUMBERS)) * norm(W_)));
        }
    }
    report("solid_tau_adj, F", worst[0], DERIVATIVE_BOUND);
    report("solid_tau_adj, first constant", worst[3], DERIVATIVE_BOUND);
    report("solid_tau_adj, second constant", worst[4], DERIVATIVE_BOUND);
    report("solid_tau_adj, third constant", worst[5], DERIVATIVE_BOUND);
    report("solid_tau_adj, fourth constant", worst[6], DERIVATIVE_BOUND);
    report("solid_tau_adj, fifth constant", worst[7], DERIVATIVE_BOUND);
    report("P_theta", theta, DERIVATIVE_BOUND);
}

static void fluid_adjoint_is_the_transposed_derivative(void **state)
{
    double worst[7] = {0}, pressure = 0;
    (void)state;
    seed = 6;
    for (int i = 0; i < SAMPLES; i++) {
        const int law = PIO_LINEAR_FLUID + i % 2;
        const point x = sample_point(law), w = direction_of(&x, 1);
        const hyper_constants c = constants_of(&x);
        const mat C = matrix_of(x.C), W_ = matrix_of(w.C);
        fluid_state bar = {.C = mat_diag(R(0))};
        hyper_constants c_bar = {{0}}, p_c_bar = {{0}};
        real p_J_bar = 0;
        fluid_tau_adj(law, (fluid_state){.J = (real)x.J, .C = C}, c, W_, &bar, &c_bar);
        fluid_pressure_adj(law, (real)x.J, c, 1, &p_J_bar, &p_c_bar);
        for (int which = 1; which < 6; which++) {
            const point d = direction_of(&x, which);
            double y[18], dy[18], wv[9], p, dp;
            numbers_of(W_, wv);
            dual_value(FLUID_TAU, law, &x, &d, y, dy);
            const double backward = which == 1   ? mat_ddot(bar.C, matrix_of(d.C))
                                    : which == 2 ? bar.J * d.J
                                                 : c_bar.k[which - 3] * d.k[which - 3];
            /* K (e - 1) and its derivatives cancel near J = 1, where they are small: relative to K */
            const double size =
                0.1 * sqrt(dot_of(dy, dy, NUMBERS)) * norm(W_) + 0.01 * x.k[0] * norm(W_) * (which == 4);
            worst[which] = worse(worst[which], relative(dot_of(wv, dy, NUMBERS), backward, size));
            dual_value(PRESSURE, law, &x, &d, &p, &dp);
            const double p_back = which == 1 ? 0 : which == 2 ? p_J_bar * d.J : p_c_bar.k[which - 3] * d.k[which - 3];
            pressure = worse(pressure, relative(dp, p_back, 0.1 * x.k[0]));
        }
    }
    report("fluid_pressure_adj", pressure, DERIVATIVE_BOUND);
    report("fluid_tau_adj, C", worst[1], DERIVATIVE_BOUND);
    report("fluid_tau_adj, J", worst[2], DERIVATIVE_BOUND);
    report("fluid_tau_adj, K", worst[3], DERIVATIVE_BOUND);
    report("fluid_tau_adj, gamma", worst[4], DERIVATIVE_BOUND);
    report("fluid_tau_adj, eta", worst[5], DERIVATIVE_BOUND);
}

static void the_other_pure_adjoints_are_transposed_derivatives(void **state)
{
    double lame_parameters = 0, fibre_F = 0, fibre_a = 0, rotation = 0, logarithm = 0;
    (void)state;
    seed = 7;
    for (int i = 0; i < SAMPLES; i++) {
        point x = sample_point(0);
        double y[18], dy[18], wv[9];
        /* fibres */
        const mat F = matrix_of(x.F), W_ = random_rotation();
        vec n;
        for (int a = 0; a < DIM; a++) n.x[a] = (real)x.n[a];
        mat F_bar = mat_diag(R(0));
        const real a_bar = fibre_tau_adj(F, n, (real)x.a, W_, &F_bar);
        numbers_of(W_, wv);
        point d = direction_of(&x, 0);
        dual_value(FIBRE, 0, &x, &d, y, dy);
        fibre_F = worse(fibre_F, relative(dot_of(wv, dy, NUMBERS), mat_ddot(F_bar, matrix_of(d.F)),
                                          0.1 * sqrt(dot_of(dy, dy, NUMBERS))));
        /* polar decomposition, forward */
        dual_value(ROTATION, 0, &x, &d, y, dy);
        const mat tan = polar_rotation_tan(F, polar_rotation(F), matrix_of(d.F));
        rotation = worse(rotation, distance(tan, matrix_of(dy)) / (norm(tan) + 0.1 * norm(matrix_of(d.F))));
        d = direction_of(&x, 8);
        dual_value(FIBRE, 0, &x, &d, y, dy);
        fibre_a = worse(fibre_a, relative(dot_of(wv, dy, NUMBERS), a_bar * d.a, 0.1 * sqrt(dot_of(dy, dy, NUMBERS))));
        /* E and nu; the logarithm */
        x.k[1] = uniform(-0.5, 0.49);
        for (int which = 3; which < 5; which++) {
            const double w[2] = {uniform(-1, 1), uniform(-1, 1)};
            real E_bar = 0, nu_bar = 0;
            lame_parameters_of_adj((real)x.k[0], (real)x.k[1], (real)w[0], (real)w[1], &E_bar, &nu_bar);
            d = direction_of(&x, which);
            dual_value(LAME_PARAMETERS, 0, &x, &d, y, dy);
            lame_parameters =
                worse(lame_parameters, relative(dot_of(w, dy, 2), which == 3 ? E_bar * d.k[0] : nu_bar * d.k[1],
                                                0.1 * sqrt(dot_of(dy, dy, 2))));
        }
        d = direction_of(&x, 2);
        dual_value(LOGARITHM, 0, &x, &d, y, dy);
        logarithm = worse(logarithm, relative(y[0], real_log((real)x.J), 0));
    }
    report("lame_parameters_of_adj", lame_parameters, DERIVATIVE_BOUND);
    report("fibre_tau_adj, F", fibre_F, DERIVATIVE_BOUND);
    report("fibre_tau_adj, a", fibre_a, DERIVATIVE_BOUND);
    report("polar_rotation_tan", rotation, DERIVATIVE_BOUND);
    report("the logarithm of the dual build", logarithm, 4 * EPS);
}

static void spline_derivatives_are_derivatives(void **state)
{
    double worst = 0;
    (void)state;
    seed = 8;
    for (int i = 0; i < SAMPLES; i++) {
        point x = sample_point(0), d;
        double y[18], dy[18];
        memset(&d, 0, sizeof d);
        vec f;
        for (int a = 0; a < DIM; a++) {
            x.n[a] = uniform(0.5, 1.5);
            f.x[a] = (real)x.n[a];
            d.n[a] = 1;
        }
        const spline s = spline_at(f);
        dual_value(WEIGHTS, 0, &x, &d, y, dy);
        for (int k = 0; k < 3 * DIM; k++)
            worst = worse(worst, fabs(dy[k] - s.dw[k / 3][k % 3]) + fabs(y[k] - s.w[k / 3][k % 3]));
    }
    report("w and dw of the spline", worst, DERIVATIVE_BOUND);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
#if PIO_DIM == 3
        cmocka_unit_test(solids_have_the_known_energy_and_stress),
#endif
        cmocka_unit_test(stress_is_symmetric_and_turns_with_the_body),
        cmocka_unit_test(the_logarithm_is_good_to_two_units_in_the_last_place),
        cmocka_unit_test(the_polar_rotation_is_a_rotation_for_any_F),
#if TEST_DUAL
        cmocka_unit_test(solid_stress_and_tangent_are_derivatives),
        cmocka_unit_test(solid_adjoint_of_every_law_is_the_transposed_derivative),
        cmocka_unit_test(fluid_adjoint_is_the_transposed_derivative),
        cmocka_unit_test(the_other_pure_adjoints_are_transposed_derivatives),
        cmocka_unit_test(spline_derivatives_are_derivatives),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

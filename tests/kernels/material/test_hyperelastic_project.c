/* test_hyperelastic_project.c -- does a projected tangent lack the negative part of the true one, and nothing else?
 *
 * What is expected of an isotropic law is known in closed form (Smith, de Goes and Kim 2019, section 4): with stretches
 * s_i and
 * psi_i = dpsi/ds_i the eigenvalues of A are those of psi_ij, and for each two axes (psi_i + psi_j)/(s_i + s_j) and
 * (psi_i - psi_j)/(s_i - s_j). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "kernels/material/hyperelastic_project.h"
#include "tests/kernels/material/hyperelastic_samples.h"

enum { N = DIM * DIM };

/* Of a symmetric matrix, DIM x DIM, in closed form (Smith 1961). */
static void eigenvalues(double H[DIM][DIM], double *e)
{
    double mean = 0, p = 0, B[DIM][DIM];
    for (int i = 0; i < DIM; i++) mean += H[i][i] / DIM;
    for (int i = 0; i < DIM; i++)
        for (int j = 0; j < DIM; j++) {
            B[i][j] = H[i][j] - (i == j ? mean : 0);
            p += B[i][j] * B[i][j];
        }
    p = sqrt(p / (DIM == 3 ? 6 : 2));
    for (int k = 0; k < DIM; k++) e[k] = mean;
    if (!(p > 0)) return;
    if (DIM == 2) {
        e[0] += p;
        e[1] -= p;
        return;
    }
    double det = 0;
    for (int i = 0; i < DIM; i++) {
        const int j = (i + 1) % DIM, k = (i + 2) % DIM;
        det += B[0][i] * (B[1][j] * B[DIM - 1][k] - B[1][k] * B[DIM - 1][j]);
    }
    const double angle = acos(fmax(-1, fmin(1, det / (2 * p * p * p)))) / 3;
    for (int k = 0; k < DIM; k++) e[k] += 2 * p * cos(angle + k * 2.0943951023931953);
}

/* All N eigenvalues of A at F = diag(s). */
static int expected(int law, const double *s, hyper_constants c, double *e)
{
    const mat F = diagonal(s), P = law_P(law, F, c);
    double H[DIM][DIM];
    int n = DIM;
    for (int j = 0; j < DIM; j++) {
        mat dF = mat_diag(R(0));
        dF.m[j][j] = 1;
        const mat dP = law_dP(law, F, dF, c);
        for (int i = 0; i < DIM; i++) H[i][j] = (double)dP.m[i][i];
    }
    for (int i = 0; i < DIM; i++)
        for (int j = 0; j < i; j++) H[i][j] = H[j][i] = 0.5 * (H[i][j] + H[j][i]);
    eigenvalues(H, e);
    for (int i = 0; i < DIM; i++)
        for (int j = 0; j < i; j++) {
            const double p = (double)P.m[i][i], q = (double)P.m[j][j];
            e[n++] = (p + q) / (s[i] + s[j]);
            e[n++] = (p - q) / (s[i] - s[j]);
        }
    return n;
}

/* Is A + shift I positive definite? */
static int has_cholesky(real A[N][N], double shift)
{
    double L[N][N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0.5 * ((double)A[i][j] + (double)A[j][i]) + (i == j ? shift : 0);
            for (int k = 0; k < j; k++) sum -= L[i][k] * L[j][k];
            if (i == j && !(sum > 0)) return 0;
            L[i][j] = i == j ? sqrt(sum) : sum / L[j][j];
        }
    return 1;
}

typedef struct {
    double trace;      /* worst |tr A+ - sum of positive eigenvalues|/|A|; in f32 the quotients above lose digits */
    int indefinite;    /* samples with a negative eigenvalue */
    int still;         /* of their A+, how many are not positive semidefinite */
    int unseen;        /* of their A, how many are positive semidefinite: there the closed form is wrong */
    int other_bits;    /* of positive definite A, how many changed */
    int count_differs; /* how often the number of negative eigenvalues is another */
} outcome;

static outcome compare(int law)
{
    outcome o = {0};
    const double slack = sizeof(real) == 4 ? 1e-5 : 1e-12;
    seed = 5 + (uint64_t)law;
    for (int i = 0; i < SAMPLES; i++) {
        double k[PIO_LAW_CONSTANTS], s[3], e[N], size = 0, positive = 0, lowest = HUGE_VAL, trace = 0;
        real A[N][N], before[N][N];
        int negative = 0;
        sample_constants(law, k);
        for (int a = 0; a < 3; a++) s[a] = i % 2 ? uniform(0.25, 1) * (1 - 0.2 * a) : uniform(0.8, 1.3) + 0.01 * a;
        const mat F = mat_mul(random_rotation(), mat_mul_t(diagonal(s), random_rotation()));
        const int n = expected(law, s, constants_of(k), e);
        for (int a = 0; a < n; a++) size = fmax(size, fabs(e[a]));
        for (int a = 0; a < n; a++) {
            positive += fmax(e[a], 0);
            lowest = fmin(lowest, e[a]);
            negative += e[a] < 0;
        }
        if (fabs(lowest) < 100 * slack * size) continue; /* rounding decides */
        hyper_tangent(law, F, constants_of(k), A);
        memcpy(before, A, sizeof A);
        const int found = hyper_project(A);
        for (int a = 0; a < N; a++) trace += (double)A[a][a];
        o.trace = worse(o.trace, fabs(trace - positive) / size);
        o.indefinite += negative > 0;
        o.still += negative > 0 && !has_cholesky(A, slack * size);
        o.unseen += negative > 0 && has_cholesky(before, slack * size);
        o.other_bits += negative == 0 && memcmp(before, A, sizeof A) != 0;
        o.count_differs += (found > 0) != (negative > 0);
    }
    return o;
}

static void a_projected_tangent_lacks_the_negative_eigenvalues_and_no_others(void **state)
{
    (void)state;
    for (int law = 0; law < LAW_NUMBERS; law = next_law(law)) {
        if (law == PIO_HYPER_LINEAR) continue; /* not of stretches; below */
        const outcome o = compare(law);
        char what[64];
        snprintf(what, sizeof what, "tr A+, %d of %d indefinite", o.indefinite, SAMPLES);
        report(law_names[law], what, o.trace, sizeof(real) == 4 ? 5e-3 : 1e-11);
        report(law_names[law], "A+ with a negative eigenvalue", o.still, 0);
        report(law_names[law], "A without one where there should be", o.unseen, 0);
        report(law_names[law], "positive definite A that changed", o.other_bits, 0);
        report(law_names[law], "indefinite or not, found otherwise", o.count_differs, 0);
        assert_true(o.indefinite > SAMPLES / 50); /* not vacuous */
    }
    all_must_hold();
}

static void a_tangent_at_rest_keeps_its_bits(void **state)
{
    (void)state;
    for (int law = 0; law < LAW_NUMBERS; law = next_law(law)) {
        int changed = 0;
        seed = 3;
        for (int i = 0; i < SAMPLES; i++) {
            double k[PIO_LAW_CONSTANTS];
            real A[N][N], before[N][N];
            sample_constants(law, k);
            hyper_tangent(law, mat_diag(R(1)), constants_of(k), A);
            memcpy(before, A, sizeof A);
            changed += hyper_project(A) != 0 || memcmp(before, A, sizeof A) != 0;
        }
        report(law_names[law], "at rest, where rotations have eigenvalue 0: changed", changed, 0);
    }
    all_must_hold();
}

static void what_is_not_finite_is_left_alone(void **state)
{
    real A[N][N], before[N][N];
    (void)state;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) A[i][j] = (real)(i == j ? -1 : 0.25);
    A[1][1] = (real)NAN;
    memcpy(before, A, sizeof A);
    assert_int_equal(hyper_project(A), 0);
    assert_memory_equal(before, A, sizeof A);
    A[1][1] = -1; /* control */
    assert_true(hyper_project(A) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_projected_tangent_lacks_the_negative_eigenvalues_and_no_others),
        cmocka_unit_test(a_tangent_at_rest_keeps_its_bits),
        cmocka_unit_test(what_is_not_finite_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_pair_derivatives.c -- every derivative of the potential of pairs of surface parts against dual numbers, and its
 * matrices, f64. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "kernels/contact/pair_barrier.h"
#include "tests/kernels/contact/pair_samples.h"
#include "tests/kernels/contact/test_pair.h"

enum { TRIED = 2000, NUMBERS = PAIR_NODES * DIM, PARALLEL = STATES, ALL_STATES };

/* The bound of errors, as a fraction of what is compared: roundings of both sides. The twin's grow with the inverse
 * square of the sine between directions, of slivers to 1e10, where it differentiates what cancels. */
static double bound_of(int state)
{
    return state == SLIVER || state == PARALLEL ? 1e-7 : 1e-12;
}

static const char *name_of(int state)
{
    return state == PARALLEL ? "nearly parallel" : state_names[state];
}

/* Edges whose sine is a hundredth or less, where the mollifier varies. */
static void sample_any(int kind, int state, vec x[PAIR_NODES])
{
    sample_pair(kind, state == PARALLEL ? SCATTERED : state, x);
    if (state != PARALLEL || DIM == 2) return;
    const vec e = vec_axpby(R(1), x[1], R(-1), x[0]);
    x[3] = vec_axpby(R(1), vec_axpby(R(1), x[2], (real)uniform(0.5, 1.5), e), (real)uniform(0, 0.01), random_vec(1));
    if (uniform(0, 1) < 0.5)
        place_inside(kind, x, 0.02);
    else
        bring_near(kind, x, 0.02);
}

static int state_applies(int kind, int state)
{
    return state != PARALLEL || kind == PAIR_EDGES;
}

/* A pair with its potential and a direction. */
typedef struct {
    vec x[PAIR_NODES], X[PAIR_NODES], y[PAIR_NODES];
    pair_point at;
    pair_barrier p;
} sample;

static sample sample_at(int kind, int state)
{
    sample s;
    sample_any(kind, state, s.x);
    s.at.scale = uniform(1, 3);
    s.at.h = (double)pair_near_of(kind, s.x).d * uniform(1.1, 5);
    for (int i = 0; i < PAIR_NODES; i++) {
        s.X[i] = vec_axpby(R(1.2), s.x[i], R(0.02), random_vec(1));
        s.y[i] = random_vec(1);
        for (int c = 0; c < DIM; c++) {
            s.at.x[i * DIM + c] = s.x[i].x[c];
            s.at.rest[i * DIM + c] = s.X[i].x[c];
        }
    }
    s.p = pair_barrier_of(kind, s.x, s.X, s.at.scale, s.at.h);
    return s;
}

/* How far a derivative is from that of the dual build along y, as a fraction of the larger; 1e-6 more of it with
 * `scale` 1 + 1e-6. */
static double error_of(pair_function f, int kind, const sample *s, const vec *out, double scale)
{
    pair_point d = {{0}, {0}, 0, 0};
    double y[12], dy[12], error = 0, size = 0;
    for (int k = 0; k < NUMBERS; k++) d.x[k] = s->y[k / DIM].x[k % DIM];
    const int n = pair_dual(f, kind, &s->at, &d, y, dy);
    for (int k = 0; k < n; k++) {
        error += pow(scale * out[k / DIM].x[k % DIM] - dy[k], 2);
        size += pow(dy[k], 2);
    }
    return size > 0 ? sqrt(error / size) : sqrt(error);
}

static double along(const vec a[PAIR_NODES], const vec b[PAIR_NODES])
{
    double s = 0;
    for (int i = 0; i < PAIR_NODES; i++) s += vec_dot(a[i], b[i]);
    return s;
}

/* The same of a number, as a fraction of its slopes: along y it may be anything. */
static double error_along(pair_function f, int kind, const sample *s, const vec slope[PAIR_NODES])
{
    pair_point d = {{0}, {0}, 0, 0};
    double y, dy;
    for (int k = 0; k < NUMBERS; k++) d.x[k] = s->y[k / DIM].x[k % DIM];
    pair_dual(f, kind, &s->at, &d, &y, &dy);
    const double size = sqrt(along(slope, slope));
    return size > 0 ? fabs(dy - along(slope, s->y)) / size : fabs(dy);
}

static void slopes_and_products_are_derivatives(void **unused)
{
    (void)unused;
    for (int kind = 0; kind < KINDS; kind++)
        for (int state = 0; state < ALL_STATES; state++) {
            double e[6] = {0}, wrong = 0;
            int varies = 0;
            seed = 21;
            for (int n = 0; n < TRIED && state_applies(kind, state); n++) {
                const sample s = sample_at(kind, state);
                vec out[PAIR_NODES];
                for (int i = 0; i < PAIR_NODES; i++) out[i] = vec_scale(s.p.at.w[i], s.p.at.n);
                e[0] = worse(e[0], error_along(PAIR_DISTANCE, kind, &s, out));
                pair_curve(&s.p.at, s.y, out);
                e[1] = worse(e[1], error_of(PAIR_DISTANCE_SLOPES, kind, &s, out, 1));
                e[2] = worse(e[2], error_along(PAIR_EASE, kind, &s, s.p.ease.slope));
                pair_ease_curve(&s.p.ease, s.y, out);
                e[3] = worse(e[3], error_of(PAIR_EASE_SLOPES, kind, &s, out, 1));
                pair_slopes(&s.p, out);
                e[4] = worse(e[4], error_along(PAIR_ENERGY, kind, &s, out));
                pair_product(&s.p, s.y, out);
                e[5] = worse(e[5], error_of(PAIR_SLOPES, kind, &s, out, 1));
                wrong = worse(wrong, error_of(PAIR_SLOPES, kind, &s, out, 1 + 1e-6));
                varies += pair_ease_varies(&s.p.ease);
            }
            if (!state_applies(kind, state)) continue;
            printf("%s, %s: mollified %d of %d\n", kind_names[kind], name_of(state), varies, TRIED);
            report(kind_names[kind], "dd/dx - that of the dual build", e[0], bound_of(state));
            report(kind_names[kind], "d^2d/dx^2 y - that of the dual build", e[1], bound_of(state));
            report(kind_names[kind], "de/dx - that of the dual build", e[2], 1e-12);
            report(kind_names[kind], "d^2e/dx^2 y - that of the dual build", e[3], bound_of(state));
            report(kind_names[kind], "dPhi/dx - that of the dual build", e[4], bound_of(state));
            report(kind_names[kind], "d^2Phi/dx^2 y - that of the dual build", e[5], bound_of(state));
            report_control(kind_names[kind], "d^2Phi/dx^2 y times 1 + 1e-6", wrong, 0.9e-6);
            if (state == PARALLEL) assert_true(varies > TRIED / 2);
        }
    all_must_hold();
}

/* y . dPhi/dx along the direction of one parameter, by the dual build. */
static double dual_along(int kind, const sample *s, const pair_point *d)
{
    double y[12], dy[12], sum = 0;
    const int n = pair_dual(PAIR_SLOPES, kind, &s->at, d, y, dy);
    for (int k = 0; k < n; k++) sum += dy[k] * s->y[k / DIM].x[k % DIM];
    return sum;
}

static double relative(double a, double b, double size)
{
    size = worse(size, worse(fabs(a), fabs(b)));
    return size > 0 ? fabs(a - b) / size : 0;
}

static void cotangents_of_scale_distance_and_rest_are_derivatives(void **unused)
{
    (void)unused;
    for (int kind = 0; kind < KINDS; kind++)
        for (int state = 0; state < ALL_STATES; state++) {
            double e[3] = {0}, wrong = 0, stiff = 0;
            seed = 22;
            for (int n = 0; n < TRIED && state_applies(kind, state); n++) {
                const sample s = sample_at(kind, state);
                pair_point d = {{0}, {0}, 0, 0};
                vec X_bar[PAIR_NODES], out[PAIR_NODES];
                real scale_bar = 1, h_bar = 2; /* added to, not overwritten */
                double rest = 0;
                for (int i = 0; i < PAIR_NODES; i++) X_bar[i] = s.x[i];
                pair_slopes_adj(&s.p, s.y, s.X, &scale_bar, &h_bar, X_bar);
                pair_slopes(&s.p, out);
                const double size = sqrt(along(out, out));
                d.scale = 1;
                e[0] = worse(e[0], relative(scale_bar - 1, dual_along(kind, &s, &d), size / s.at.scale));
                d.scale = 0;
                d.h = 1;
                e[1] = worse(e[1], relative(h_bar - 2, dual_along(kind, &s, &d), size / s.at.h));
                wrong = worse(wrong, relative((h_bar - 2) * (1 + 1e-6), dual_along(kind, &s, &d), size / s.at.h));
                d.h = 0;
                for (int k = 0; k < NUMBERS; k++) {
                    d.rest[k] = uniform(-1, 1);
                    rest += (X_bar[k / DIM].x[k % DIM] - s.x[k / DIM].x[k % DIM]) * d.rest[k];
                }
                stiff = worse(stiff, fabs(rest));
                e[2] = worse(e[2], relative(rest, dual_along(kind, &s, &d), 10 * size));
            }
            if (!state_applies(kind, state)) continue;
            printf("%s, %s\n", kind_names[kind], name_of(state));
            report(kind_names[kind], "cotangent of the scale", e[0], bound_of(state));
            report(kind_names[kind], "cotangent of h", e[1], bound_of(state));
            report(kind_names[kind], "cotangents of places at rest", e[2], bound_of(state));
            report_control(kind_names[kind], "cotangent of h times 1 + 1e-6", wrong, 0.5e-6);
            if (state == PARALLEL) assert_true(stiff > 1e-3);
        }
    all_must_hold();
}

/* ---- matrices --------------------------------------------------------------------------------------------------- */

typedef struct {
    double m[NUMBERS][NUMBERS];
} square;

static square square_of(mat K[PAIR_NODES][PAIR_NODES])
{
    square s;
    for (int a = 0; a < NUMBERS; a++)
        for (int b = 0; b < NUMBERS; b++) s.m[a][b] = K[a / DIM][b / DIM].m[a % DIM][b % DIM];
    return s;
}

static double norm_of(const square *s)
{
    double sum = 0;
    for (int a = 0; a < NUMBERS; a++)
        for (int b = 0; b < NUMBERS; b++) sum += s->m[a][b] * s->m[a][b];
    return sqrt(sum);
}

/* The least eigenvalue of a symmetric matrix, and with `clipped` the norm of its positive part: Jacobi's rotations. */
static double least_eigenvalue(square s, double *clipped)
{
    double least = INFINITY, sum = 0;
    for (int sweep = 0; sweep < 12; sweep++)
        for (int p = 0; p < NUMBERS; p++)
            for (int q = p + 1; q < NUMBERS; q++) {
                const double angle = 0.5 * atan2(2 * s.m[p][q], s.m[p][p] - s.m[q][q]), c = cos(angle), t = sin(angle);
                for (int k = 0; k < NUMBERS; k++) {
                    const double x = s.m[k][p], y = s.m[k][q];
                    s.m[k][p] = c * x + t * y;
                    s.m[k][q] = c * y - t * x;
                }
                for (int k = 0; k < NUMBERS; k++) {
                    const double x = s.m[p][k], y = s.m[q][k];
                    s.m[p][k] = c * x + t * y;
                    s.m[q][k] = c * y - t * x;
                }
            }
    for (int p = 0; p < NUMBERS; p++) {
        least = fmin(least, s.m[p][p]);
        sum += pow(fmax(s.m[p][p], 0), 2);
    }
    *clipped = sqrt(sum);
    return least;
}

typedef struct {
    double product, symmetry, projected, above, exact_least, excess;
} matrix_errors;

static void check_matrix(int kind, int state, matrix_errors *e)
{
    const sample s = sample_at(kind, state);
    mat K[PAIR_NODES][PAIR_NODES], P[PAIR_NODES][PAIR_NODES];
    vec out[PAIR_NODES];
    double clipped, no;
    pair_matrix(&s.p, K);
    pair_matrix_projected(&s.p, P);
    pair_product(&s.p, s.y, out);
    const square k = square_of(K), p = square_of(P);
    const double size = norm_of(&k), projected_size = norm_of(&p);
    square difference = p;
    for (int a = 0; a < NUMBERS; a++) {
        double row = 0;
        for (int b = 0; b < NUMBERS; b++) {
            row += k.m[a][b] * s.y[b / DIM].x[b % DIM];
            difference.m[a][b] -= k.m[a][b];
            e->symmetry =
                worse(e->symmetry, fabs(k.m[a][b] - k.m[b][a]) + fabs(p.m[a][b] - p.m[b][a]) / projected_size);
        }
        e->product = worse(e->product, fabs(row - out[a / DIM].x[a % DIM]) / size);
    }
    e->projected = worse(e->projected, -least_eigenvalue(p, &no) / projected_size);
    e->above = worse(e->above, -least_eigenvalue(difference, &no) / projected_size);
    e->exact_least = worse(e->exact_least, -least_eigenvalue(k, &clipped) / size);
    e->excess = worse(e->excess, projected_size / clipped);
}

static void matrices_are_symmetric_and_the_projected_one_is_positive(void **unused)
{
    (void)unused;
    for (int kind = 0; kind < KINDS; kind++)
        for (int state = 0; state < ALL_STATES; state++) {
            matrix_errors e = {0, 0, 0, 0, 0, 0};
            seed = 23;
            for (int n = 0; n < TRIED / 2 && state_applies(kind, state); n++) check_matrix(kind, state, &e);
            if (!state_applies(kind, state)) continue;
            printf("%s, %s\n", kind_names[kind], name_of(state));
            report(kind_names[kind], "matrix times y - product/norm", e.product, 1e-14);
            report(kind_names[kind], "matrix - its transpose", e.symmetry, 1e-15);
            report(kind_names[kind], "-least eigenvalue of the projected one/norm", e.projected, 1e-14);
            report(kind_names[kind], "-least eigenvalue of projected - exact/norm", e.above, 1e-13);
            report(kind_names[kind], "norm/that of the exact one without negative parts", e.excess, 5);
            report_control(kind_names[kind], "-least eigenvalue of the exact one/norm", e.exact_least, 1e-3);
        }
    all_must_hold();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_and_products_are_derivatives),
        cmocka_unit_test(cotangents_of_scale_distance_and_rest_are_derivatives),
        cmocka_unit_test(matrices_are_symmetric_and_the_projected_one_is_positive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

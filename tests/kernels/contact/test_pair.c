/* test_pair.c -- the distance of pairs of surface parts: that of the closed parts in every region, right for parts
 * without an extent, continuous, and free of forces and moments of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "kernels/contact/pair_barrier.h"
#include "kernels/contact/pair_path.h"
#include "tests/kernels/contact/pair_samples.h"

enum { TRIED = 3000 };
/* Of distances, m, of parts of 1 m: roundings of positions, whatever the distance and the angles. */
#define DISTANCE_BOUND (sizeof(real) == 4 ? 1e-6 : 4e-15)

/* How far the weights are from those of two points of the parts, and r = sum w_i x_i from d n. */
static double weights_error(int kind, const pair_near *p, const vec x[PAIR_NODES])
{
    double worst = 0, sum[2] = {0};
    vec r = vec_zero();
    for (int i = 0; i < PAIR_NODES; i++) {
        const int second = i >= first_part(kind);
        const double w = (second ? -1 : 1) * (double)p->w[i];
        sum[second] += w;
        worst = worse(worst, -w);
        r = vec_axpby(R(1), r, p->w[i], x[i]);
    }
    for (int c = 0; c < DIM; c++) worst = worse(worst, fabs((double)(r.x[c] - p->d * p->n.x[c])));
    worst = worse(worst, fabs((double)vec_dot(p->n, p->n) - 1));
    return worse(worst, worse(fabs(sum[0] - 1), fabs(sum[1] - 1)));
}

/* By how much d is above the least distance of nodes along n, which no distance is below. */
static double plane_error(int kind, const pair_near *p, const vec x[PAIR_NODES])
{
    double least = INFINITY;
    for (int i = 0; i < first_part(kind); i++)
        for (int j = first_part(kind); j < PAIR_NODES; j++) {
            const double g = (double)vec_dot(p->n, vec_axpby(R(1), x[i], R(-1), x[j]));
            least = g < least ? g : least;
        }
    return (double)p->d - least;
}

/* The distance with the two parameters limited one by one: wrong where both are beyond their limits. */
static double limited_distance(int kind, const vec x[PAIR_NODES])
{
    const int edges = kind == PAIR_EDGES;
    vec r = vec_axpby(R(1), x[0], R(-1), x[edges ? 2 : 1]);
    const vec a[2] = {vec_axpby(R(1), x[1], R(-1), x[edges ? 0 : 2]),
                      vec_axpby(R(1), x[edges ? 2 : 1], R(-1), x[DIM == 2 ? 1 : DIM])};
    const double aa = (double)vec_dot(a[0], a[0]), ab = (double)vec_dot(a[0], a[1]), bb = (double)vec_dot(a[1], a[1]);
    const double ra = (double)vec_dot(r, a[0]), rb = (double)vec_dot(r, a[1]), det = aa * bb - ab * ab;
    double b[2] = {(ab * rb - bb * ra) / det, (ab * ra - aa * rb) / det};
    for (int k = 0; k < 2; k++) {
        b[k] = fmin(fmax(b[k], 0), 1);
        r = vec_axpby(R(1), r, (real)b[k], a[k]);
    }
    return sqrt((double)vec_dot(r, r));
}

static void the_distance_is_that_of_the_closed_parts(void **unused)
{
    (void)unused;
    for (int kind = 0; kind < KINDS; kind++)
        for (int state = 0; state < STATES; state++) {
            double weights = 0, plane = 0, search = 0, limited = 0;
            int regions[DIM + 2] = {0};
            seed = 11;
            for (int n = 0; n < TRIED; n++) {
                vec x[PAIR_NODES];
                int nodes = 0;
                sample_pair(kind, state, x);
                const pair_near p = pair_near_of(kind, x);
                const double d = searched_distance(kind, x, NULL, 0);
                for (int i = 0; i < PAIR_NODES; i++) nodes += fabs((double)p.w[i]) > 0;
                regions[nodes]++;
                weights = worse(weights, weights_error(kind, &p, x));
                plane = worse(plane, plane_error(kind, &p, x));
                search = worse(search, fabs((double)p.d - d));
                if (DIM == 3) limited = worse(limited, fabs(limited_distance(kind, x) - d));
            }
            printf("%s, %s: nodes that take part:", kind_names[kind], state_names[state]);
            for (int k = 2; k <= PAIR_NODES; k++) printf(" %d in %d", k, regions[k]);
            printf("\n");
            for (int k = 2; k <= PAIR_NODES && state == SCATTERED; k++) assert_true(regions[k] > TRIED / 100);
            report(kind_names[kind], "weights are those of nearest points, m", weights, DISTANCE_BOUND);
            report(kind_names[kind], "d - the least distance of nodes along n, m", plane, DISTANCE_BOUND);
            report(kind_names[kind], "d - distance by a search, m", search, DISTANCE_BOUND);
            if (DIM == 3 && state == SCATTERED)
                report_control(kind_names[kind], "parameters limited one by one, m", limited, 1e-2);
        }
    all_must_hold();
}

/* ---- parts without an extent ------------------------------------------------------------------------------------- */

typedef struct {
    const char *name;
    int kind;
    double x[PAIR_NODES][DIM], d;
} hard_pair;

static const hard_pair hard_pairs[] = {
#if PIO_DIM == 3
    {"triangle is an edge", PAIR_FACE, {{1, 1, 0}, {0, 0, 0}, {2, 0, 0}, {1, 0, 0}}, 1},
    {"triangle is an edge, point beyond it", PAIR_FACE, {{5, 4, 0}, {0, 0, 0}, {2, 0, 0}, {1, 0, 0}}, 5},
    {"triangle is a point", PAIR_FACE, {{0, 3, 4}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, 5},
    {"triangle with an edge of no length", PAIR_FACE, {{1, 0, 2}, {0, 0, 0}, {2, 0, 0}, {2, 0, 0}}, 2},
    {"point in the triangle", PAIR_FACE, {{0.25, 0.25, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, 0},
    {"point on a node", PAIR_FACE, {{1, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, 0},
    {"point in the plane beyond an edge", PAIR_FACE, {{0.5, -2, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, 2},
    {"point in the plane beyond a node", PAIR_FACE, {{4, -4, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, 5},
    {"parallel edges, side by side", PAIR_EDGES, {{0, 0, 0}, {1, 0, 0}, {0, 0, 2}, {1, 0, 2}}, 2},
    {"parallel edges, opposed", PAIR_EDGES, {{0, 0, 0}, {1, 0, 0}, {3, 0, 2}, {0.5, 0, 2}}, 2},
    {"parallel edges, apart", PAIR_EDGES, {{0, 0, 0}, {1, 0, 0}, {4, 4, 0}, {9, 4, 0}}, 5},
    {"edges on one line, apart", PAIR_EDGES, {{0, 0, 0}, {1, 0, 0}, {4, 0, 0}, {3, 0, 0}}, 2},
    {"edges on one line, over each other", PAIR_EDGES, {{0, 0, 0}, {2, 0, 0}, {1, 0, 0}, {3, 0, 0}}, 0},
    {"equal edges", PAIR_EDGES, {{0, 0, 0}, {1, 0, 0}, {0, 0, 0}, {1, 0, 0}}, 0},
    {"edges that cross", PAIR_EDGES, {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}}, 0},
    {"edges in a plane that do not cross", PAIR_EDGES, {{-1, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 1, 0}}, 1},
    {"edge of no length", PAIR_EDGES, {{0.5, 2, 0}, {0.5, 2, 0}, {0, 0, 0}, {1, 0, 0}}, 2},
    {"two edges of no length", PAIR_EDGES, {{3, 4, 0}, {3, 4, 0}, {0, 0, 0}, {0, 0, 0}}, 5},
    {"edges that are nearly parallel", PAIR_EDGES, {{-1, -1e-7, 2}, {1, 1e-7, 2}, {-1, 0, 0}, {1, 0, 0}}, 2},
#else
    {"edge of no length", PAIR_FACE, {{3, 4}, {0, 0}, {0, 0}}, 5},
    {"point on the edge", PAIR_FACE, {{0.25, 0}, {0, 0}, {1, 0}}, 0},
    {"point on a node", PAIR_FACE, {{1, 0}, {0, 0}, {1, 0}}, 0},
    {"point on the line of the edge", PAIR_FACE, {{3, 0}, {0, 0}, {1, 0}}, 2},
    {"point beside the edge", PAIR_FACE, {{0.5, 2}, {0, 0}, {1, 0}}, 2},
    {"all are one point", PAIR_FACE, {{1, 1}, {1, 1}, {1, 1}}, 0},
#endif
};

/* Whether every number that is computed of a pair is finite. */
static int all_finite(int kind, const vec x[PAIR_NODES], real h)
{
    const pair_barrier p = pair_barrier_of(kind, x, x, R(1), h);
    vec out[5][PAIR_NODES], y[PAIR_NODES];
    mat K[2][PAIR_NODES][PAIR_NODES];
    real sum = R(0), scale_bar = R(0), h_bar = R(0);
    for (int i = 0; i < PAIR_NODES; i++) {
        y[i] = random_vec(1);
        out[4][i] = vec_zero();
    }
    pair_curve(&p.at, y, out[0]);
    pair_slopes(&p, out[1]);
    pair_product(&p, y, out[2]);
    pair_ease_curve(&p.ease, y, out[3]);
    pair_slopes_adj(&p, y, x, &scale_bar, &h_bar, out[4]);
    pair_matrix(&p, K[0]);
    pair_matrix_projected(&p, K[1]);
    for (int i = 0; i < PAIR_NODES; i++) {
        for (int k = 0; k < 5; k++) sum += R(1e-30) * fabs(out[k][i].x[0] + out[k][i].x[1] + out[k][i].x[DIM - 1]);
        for (int j = 0; j < PAIR_NODES; j++)
            sum += R(1e-30) * (mat_ddot(K[0][i][j], mat_diag(R(1))) + K[1][i][j].m[0][0]);
        sum += R(1e-30) * (p.at.w[i] + vec_dot(p.at.slide[i], y[i]) + mat_trace(p.at.bend));
    }
    sum += R(1e-30) * (scale_bar + h_bar + p.at.n.x[0] + p.ease.value + (real)pair_free_path(kind, x, y, 0.1));
    return is_finite(sum) && isfinite((double)pair_energy(&p));
}

static void parts_may_have_no_extent(void **unused)
{
    (void)unused;
    for (size_t k = 0; k < sizeof hard_pairs / sizeof *hard_pairs; k++) {
        const hard_pair *hard = hard_pairs + k;
        vec x[PAIR_NODES];
        for (int i = 0; i < PAIR_NODES; i++)
            for (int c = 0; c < DIM; c++) x[i].x[c] = (real)hard->x[i][c];
        const pair_near p = pair_near_of(hard->kind, x);
        report(kind_names[hard->kind], hard->name, worse(fabs((double)p.d - hard->d), weights_error(hard->kind, &p, x)),
               sizeof(real) == 4 ? 1e-6 : 2e-15);
        if (!all_finite(hard->kind, x, R(4)) || !all_finite(hard->kind, x, R(10)))
            fail_msg("%s: a number is not finite", hard->name);
    }
    all_must_hold();
}

/* ---- balance ----------------------------------------------------------------------------------------------------- */

/* A rotation by chance: Gram and Schmidt's of a random matrix, with its determinant 1. */
static mat random_rotation(void)
{
    mat q;
    for (int r = 0; r < DIM; r++) {
        vec v = random_vec(1);
        for (int twice = 0; twice < 2; twice++)
            for (int s = 0; s < r; s++) {
                const vec w = mat_column(mat_transpose(q), s);
                v = vec_axpby(R(1), v, -vec_dot(v, w), w);
            }
        v = vec_scale(R(1) / sqrt(vec_dot(v, v)), v);
        for (int c = 0; c < DIM; c++) q.m[r][c] = v.x[c];
    }
    if (mat_det(q, mat_cofactor(q)) < R(0))
        for (int c = 0; c < DIM; c++) q.m[0][c] = -q.m[0][c];
    return q;
}

static double size_of(const vec f[PAIR_NODES])
{
    double s = 0;
    for (int i = 0; i < PAIR_NODES; i++) s += (double)vec_dot(f[i], f[i]);
    return sqrt(s);
}

/* Sets the sum of forces and of moments, each as a fraction of the forces, m. */
static void sums(const vec x[PAIR_NODES], const vec f[PAIR_NODES], double *force, double *moment)
{
    mat m = mat_diag(R(0));
    vec s = vec_zero();
    double spin = 0;
    for (int i = 0; i < PAIR_NODES; i++) {
        s = vec_axpby(R(1), s, R(1), f[i]);
        m = mat_axpby(R(1), m, R(1), mat_outer(x[i], f[i]));
    }
    for (int a = 0; a < DIM; a++)
        for (int b = 0; b < a; b++) spin += pow((double)(m.m[a][b] - m.m[b][a]), 2);
    *force = worse(*force, sqrt((double)vec_dot(s, s)) / size_of(f));
    *moment = worse(*moment, sqrt(spin) / size_of(f));
}

static void forces_and_moments_of_a_pair_sum_to_zero(void **unused)
{
    (void)unused;
    for (int kind = 0; kind < KINDS; kind++)
        for (int state = 0; state < STATES; state++) {
            double force = 0, moment = 0, wrong = 0, no = 0;
            seed = 5;
            for (int n = 0; n < TRIED; n++) {
                vec x[PAIR_NODES], f[PAIR_NODES];
                sample_pair(kind, state, x);
                const pair_barrier p = pair_barrier_of(kind, x, x, R(3), R(2) * pair_near_of(kind, x).d);
                pair_slopes(&p, f);
                if (!(size_of(f) > 0)) continue;
                sums(x, f, &force, &moment);
                f[0] = vec_scale(R(1.001), f[0]);
                sums(x, f, &wrong, &no);
            }
            /* what rounding makes of one component of a force, and of places of 1 m */
            report(kind_names[kind], "sum of forces/forces", force, 4 * EPS);
            report(kind_names[kind], "sum of moments/forces, m", moment, sizeof(real) == 4 ? 2e-6 : 1e-14);
            report_control(kind_names[kind], "one force is larger by 0.001", wrong, 1e-4);
        }
    all_must_hold();
}

static void rigid_motions_change_nothing(void **unused)
{
    (void)unused;
    for (int kind = 0; kind < KINDS; kind++) {
        double d = 0, turned = 0, sheared = 0;
        seed = 6;
        for (int n = 0; n < TRIED; n++) {
            vec x[PAIR_NODES], y[PAIR_NODES];
            const mat Q = random_rotation();
            const vec shift = random_vec(1);
            sample_pair(kind, n % 2, x);
            for (int i = 0; i < PAIR_NODES; i++) y[i] = vec_axpby(R(1), mat_apply(Q, x[i]), R(1), shift);
            const pair_near p = pair_near_of(kind, x), q = pair_near_of(kind, y);
            const vec off = vec_axpby(R(1), q.n, R(-1), mat_apply(Q, p.n));
            d = worse(d, fabs((double)(p.d - q.d)));
            turned = worse(turned, (double)p.d * sqrt((double)vec_dot(off, off)));
            for (int i = 0; i < PAIR_NODES; i++) y[i].x[0] += R(0.01) * y[i].x[1];
            sheared = worse(sheared, fabs((double)(p.d - pair_near_of(kind, y).d)));
        }
        report(kind_names[kind], "change of d, m", d, 4 * DISTANCE_BOUND);
        report(kind_names[kind], "change of n beside the rotation's, times d, m", turned, 10 * DISTANCE_BOUND);
        report_control(kind_names[kind], "sheared by 0.01, m", sheared, 1e-3);
    }
    all_must_hold();
}

/* ---- continuity -------------------------------------------------------------------------------------------------- */

/* Sets the largest changes along a path of `steps` steps of d and of dPhi/dx, Phi of the distance h and places X at
 * rest. */
static void changes(int kind, const vec x[PAIR_NODES], const vec dx[PAIR_NODES], const vec X[PAIR_NODES], double h,
                    int steps, double out[2])
{
    vec old[PAIR_NODES];
    real d = R(0);
    out[0] = out[1] = 0;
    for (int n = 0; n <= steps; n++) {
        vec at[PAIR_NODES], f[PAIR_NODES], off[PAIR_NODES];
        for (int i = 0; i < PAIR_NODES; i++) at[i] = vec_axpby(R(1), x[i], R(n) / R(steps), dx[i]);
        const pair_barrier p = pair_barrier_of(kind, at, X, R(1), (real)h);
        pair_slopes(&p, f);
        for (int i = 0; i < PAIR_NODES; i++) off[i] = vec_axpby(R(1), f[i], R(-1), old[i]);
        if (n) {
            out[0] = worse(out[0], fabs((double)(p.at.d - d)));
            out[1] = worse(out[1], size_of(off));
        }
        memcpy(old, f, sizeof old);
        d = p.at.d;
    }
}

static double shorter_edge(const vec x[PAIR_NODES])
{
    const vec u = vec_axpby(R(1), x[1], R(-1), x[0]), v = vec_axpby(R(1), x[DIM], R(-1), x[2]);
    return sqrt(fmin((double)vec_dot(u, u), (double)vec_dot(v, v)));
}

static void distances_and_forces_are_continuous_across_regions(void **unused)
{
    const int steps = sizeof(real) == 4 ? 300 : 3000;
    (void)unused;
    for (int kind = 0; kind < KINDS; kind++) {
        double of_d = 0, of_force = 0;
        seed = 9;
        for (int n = 0; n < 100; n++) { /* a point about the other part, at a distance from it */
            vec x[PAIR_NODES], dx[PAIR_NODES];
            double wide_steps[2], fine_steps[2];
            do sample_pair(kind, SCATTERED, x);
            while (kind == PAIR_EDGES && shorter_edge(x) < 0.5); /* forces turn over some hundredths of a length */
            x[0].x[0] += R(1.5);
            if (kind == PAIR_EDGES) x[1].x[0] += R(1.5);
            for (int i = 0; i < PAIR_NODES; i++) dx[i] = random_vec(i < first_part(kind) ? 0.4 : 0);
            changes(kind, x, dx, x, 4, steps, wide_steps);
            changes(kind, x, dx, x, 4, 10 * steps, fine_steps);
            of_d = worse(of_d, fine_steps[0] / wide_steps[0]);
            of_force = worse(of_force, fine_steps[1] / wide_steps[1]);
        }
        report(kind_names[kind], "largest change of d in a tenth of the step/in the step", of_d, 0.15);
        report(kind_names[kind], "the same of the force", of_force, 0.25);
    }
    all_must_hold();
}

static void forces_are_continuous_where_edges_are_parallel(void **unused)
{
    (void)unused;
    if (DIM == 2) skip();
    double with = 0, without = 0;
    seed = 10;
    for (int n = 0; n < 50; n++) { /* the first edge turns through the direction of the second */
        vec x[PAIR_NODES], dx[PAIR_NODES], X[PAIR_NODES];
        double fine_steps[2], wide_steps[2];
        const vec e = random_vec(1);
        for (int i = 0; i < PAIR_NODES; i++) {
            x[i] = vec_scale((real)(i % 2 ? uniform(0.6, 1) : uniform(-1, -0.6)), e);
            dx[i] = vec_scale(i < 2 ? R(i % 2 ? 0.04 : -0.04) : R(0), random_vec(1));
        }
        dx[1] = vec_scale(R(-1), dx[0]);
        const vec shift = random_vec(0.2);
        for (int i = 0; i < first_part(PAIR_EDGES); i++)
            x[i] = vec_axpby(R(1), vec_axpby(R(1), x[i], R(-0.5), dx[i]), R(1), shift);
        for (int i = 0; i < PAIR_NODES; i++) X[i] = vec_scale(R(1e-3), x[i]);
        changes(PAIR_EDGES, x, dx, x, 1, 401, wide_steps);
        changes(PAIR_EDGES, x, dx, x, 1, 4011, fine_steps);
        with = worse(with, fine_steps[1] / wide_steps[1]);
        changes(PAIR_EDGES, x, dx, X, 1, 401, wide_steps); /* as if the edges were long: no mollifier */
        changes(PAIR_EDGES, x, dx, X, 1, 4011, fine_steps);
        without = worse(without, fine_steps[1] / wide_steps[1]);
    }
    report("two edges", "largest change of force, tenth of the step/step", with, 0.25);
    report_control("two edges", "without the mollifier", without, 0.5);
    all_must_hold();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_distance_is_that_of_the_closed_parts),
        cmocka_unit_test(parts_may_have_no_extent),
        cmocka_unit_test(forces_and_moments_of_a_pair_sum_to_zero),
        cmocka_unit_test(rigid_motions_change_nothing),
        cmocka_unit_test(distances_and_forces_are_continuous_across_regions),
        cmocka_unit_test(forces_are_continuous_where_edges_are_parallel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

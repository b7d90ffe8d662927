/* test_pair_path.c -- how far pairs of surface parts may go: no step of 1e5 lets parts pass each other, in states that
 * are hard too, and none is cut that need not be.
 *
 * Whether parts pass is found without pair.h: from the roots of the volume that the four nodes span, or in 2D of the
 * area of three, where the point lies in the triangle or the edges cross. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "kernels/contact/pair_path.h"
#include "tests/kernels/contact/pair_samples.h"

enum { STEPS = 100000, PROBES = 2 };
#define KEPT 0.1

/* ---- whether parts pass ------------------------------------------------------------------------------------------ */

/* A polynomial of degree 3 or less, by powers. */
typedef struct {
    exact c[4];
} cubic;

static exact cubic_at(const cubic *p, exact t)
{
    return ((p->c[3] * t + p->c[2]) * t + p->c[1]) * t + p->c[0];
}

/* a + t b times c + t d is added, times sign, as a factor of e + t f. */
static void add_product(cubic *p, exact sign, const exact u[2], const exact v[2], const exact w[2])
{
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            for (int k = 0; k < 2; k++) p->c[i + j + k] += sign * u[i] * v[j] * w[k];
}

/* The volume of the nodes x + t dx, or their area. */
static cubic volume_of(const vec x[PAIR_NODES], const vec dx[PAIR_NODES])
{
    const exact one[2] = {1, 0};
    exact r[3][3][2] = {{{0}}}; /* edges from node 0, components, powers of t */
    cubic p = {{0}};
    for (int i = 0; i < DIM; i++)
        for (int c = 0; c < DIM; c++) {
            r[i][c][0] = (exact)x[i + 1].x[c] - (exact)x[0].x[c];
            r[i][c][1] = (exact)dx[i + 1].x[c] - (exact)dx[0].x[c];
        }
    for (int c = 0; c < DIM; c++) {
        const int e = (c + 1) % DIM, f = (c + 2) % DIM;
        if (DIM == 2) {
            add_product(&p, c ? -1 : 1, r[0][c], r[1][e], one);
        } else {
            add_product(&p, 1, r[0][c], r[1][e], r[2][f]);
            add_product(&p, -1, r[0][c], r[1][f], r[2][e]);
        }
    }
    return p;
}

/* Where p changes its sign between two places at which it is monotonic, or -1. */
static exact root_between(const cubic *p, exact lo, exact hi)
{
    const int rises = cubic_at(p, hi) > 0;
    if (!(hi > lo) || rises == (cubic_at(p, lo) > 0)) return -1;
    for (int n = 0; n < 80; n++) {
        const exact t = lo + (hi - lo) / 2;
        if ((cubic_at(p, t) > 0) == rises)
            hi = t;
        else
            lo = t;
    }
    return lo + (hi - lo) / 2;
}

/* Sets the roots of p in 0..end where it changes its sign; returns how many. */
static int roots_of(const cubic *p, exact end, exact root[3])
{
    exact at[4] = {0, end, end, end};
    const exact a = 3 * p->c[3], b = p->c[2], c = p->c[1], disc = b * b - a * c;
    int count = 0;
    if (disc > 0) { /* where the slope a t^2 + 2 b t + c vanishes */
        const exact q = -(b + (b < 0 ? -sqrtl(disc) : sqrtl(disc)));
        const exact t[2] = {q / a, c / q};
        const exact lo = t[0] < t[1] ? t[0] : t[1], hi = t[0] < t[1] ? t[1] : t[0];
        at[1] = lo > 0 && lo < end ? lo : lo > 0 ? end : 0;
        at[2] = hi > 0 && hi < end ? hi : hi > 0 ? end : 0;
    }
    for (int k = 0; k < 3; k++) {
        const exact t = root_between(p, at[k], at[k + 1]);
        if (t >= 0) root[count++] = t;
    }
    return count;
}

static exact dot(const exact a[3], const exact b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const exact a[3], const exact b[3], exact out[3])
{
    for (int c = 0; c < 3; c++) out[c] = a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
}

/* Whether two edges of a plane with this normal cross: each has the other's ends on its two sides. */
static int edges_cross(exact y[4][3], const exact normal[3])
{
    for (int k = 0; k < 2; k++) {
        exact e[3], p[3], q[3], r[3], s[3];
        for (int c = 0; c < 3; c++) {
            e[c] = y[2 * k + 1][c] - y[2 * k][c];
            p[c] = y[2 - 2 * k][c] - y[2 * k][c];
            q[c] = y[3 - 2 * k][c] - y[2 * k][c];
        }
        cross(e, p, r);
        cross(e, q, s);
        if ((dot(r, normal) > 0) == (dot(s, normal) > 0)) return 0;
    }
    return 1;
}

/* Whether the parts meet at x + t dx, where the nodes are in a plane. */
static int meet(int kind, const vec x[PAIR_NODES], const vec dx[PAIR_NODES], exact t)
{
    exact y[4][3] = {{0}}, a[3], b[3], normal[3];
    for (int i = 0; i < PAIR_NODES; i++)
        for (int c = 0; c < DIM; c++) y[i][c] = (exact)x[i].x[c] + t * (exact)dx[i].x[c];
    for (int c = 0; c < 3; c++) {
        a[c] = kind == PAIR_EDGES ? y[1][c] - y[0][c] : y[2][c] - y[1][c];
        b[c] = kind == PAIR_EDGES ? y[3][c] - y[2][c] : y[3][c] - y[1][c];
    }
    if (DIM == 2) { /* between the ends of the edge */
        for (int c = 0; c < 3; c++) b[c] = y[0][c] - y[1][c];
        return dot(b, a) >= 0 && dot(b, a) <= dot(a, a);
    }
    cross(a, b, normal);
    if (kind == PAIR_EDGES) return edges_cross(y, normal);
    for (int k = 0; k < 3; k++) { /* on the inner side of each edge */
        exact e[3], p[3], r[3];
        for (int c = 0; c < 3; c++) {
            e[c] = y[1 + (k + 1) % 3][c] - y[1 + k][c];
            p[c] = y[0][c] - y[1 + k][c];
        }
        cross(e, p, r);
        if (dot(r, normal) < 0) return 0;
    }
    return 1;
}

/* Whether the parts pass each other on the path up to t. */
static int pass(int kind, const vec x[PAIR_NODES], const vec dx[PAIR_NODES], double t)
{
    exact root[3];
    const cubic p = volume_of(x, dx);
    const int n = roots_of(&p, t, root);
    for (int k = 0; k < n; k++)
        if (meet(kind, x, dx, root[k])) return 1;
    return 0;
}

/* ---- steps by chance --------------------------------------------------------------------------------------------- */

/* Anything; close parts; slivers; all nodes near a plane, across which they move; fast ones; parallel edges or a point
 * over its part, which move as rigid bodies; nodes that move to where others are. */
enum { ANY, NEAR, THIN_PARTS, FLAT, FAST, PARALLEL, SWAPPED, MANNERS };
static const char *const manner_names[MANNERS] = {"any", "near", "slivers", "flat", "fast", "parallel", "swapped"};

static void sample_step(int kind, int manner, vec x[PAIR_NODES], vec dx[PAIR_NODES])
{
    const double size = pow(10, manner == FAST ? uniform(1, 5) : uniform(-2, 1));
    sample_pair(kind, manner == THIN_PARTS ? SLIVER : manner == NEAR ? CLOSE : SCATTERED, x);
    if (manner == PARALLEL && DIM == 3) {
        const vec e = vec_axpby(R(1), x[1], R(-1), x[kind == PAIR_EDGES ? 0 : 2]);
        x[3] = vec_axpby(R(1), x[2], (real)uniform(-1, 1), e);
    }
    for (int i = 0; i < PAIR_NODES; i++) {
        const int first = i < first_part(kind);
        dx[i] = manner == PARALLEL && i > 0 && first == (i - 1 < first_part(kind)) ? dx[i - 1] : random_vec(size);
        if (manner == SWAPPED) dx[i] = vec_axpby(R(1), x[(i + 2) % PAIR_NODES], R(-1), x[i]);
        if (manner == FLAT) x[i].x[DIM - 1] *= R(1e-4);
        if (manner == FLAT) dx[i].x[DIM - 1] *= R(1e-3);
    }
}

typedef struct {
    int cut, passing, fully, farther; /* steps that are cut; pass in the part that is free, in all, and in 1.2 of it */
    double less, loose;               /* the least d/(kept d) in the part; the largest where it is cut */
} outcome;

static void try_step(int kind, int manner, outcome *o)
{
    vec x[PAIR_NODES], dx[PAIR_NODES];
    sample_step(kind, manner, x, dx);
    const double d = searched_distance(kind, x, NULL, 0), t = pair_free_path(kind, x, dx, KEPT);
    o->passing += pass(kind, x, dx, t);
    o->fully += pass(kind, x, dx, 1);
    for (int k = 1; k <= PROBES; k++) {
        const double part = searched_distance(kind, x, dx, t * k / PROBES) / (KEPT * d);
        o->less = fmin(o->less, part);
        if (k == PROBES && t < 1) o->loose = fmax(o->loose, part);
    }
    if (!(t < 1)) return;
    o->cut++;
    o->farther += pass(kind, x, dx, 1.2 * t);
}

static void no_step_lets_parts_pass(void **unused)
{
    (void)unused;
    for (int kind = 0; kind < KINDS; kind++) {
        outcome all = {0, 0, 0, 0, INFINITY, 0};
        seed = 31;
        for (int manner = 0; manner < MANNERS; manner++) {
            outcome o = {0, 0, 0, 0, INFINITY, 0};
            for (int n = 0; n < STEPS / MANNERS + 1; n++) try_step(kind, manner, &o);
            printf("%-16s %-9s cut %5d, pass %d, in full %5d, in 1.2 of it %5d; d/kept %.12f to %.3f\n",
                   kind_names[kind], manner_names[manner], o.cut, o.passing, o.fully, o.farther, o.less, o.loose);
            all.passing += o.passing;
            all.fully += o.fully;
            all.farther += o.farther;
            all.less = fmin(all.less, o.less);
            all.loose = fmax(all.loose, o.loose);
        }
        report(kind_names[kind], "steps that pass, of 1e5", all.passing, 0);
        report(kind_names[kind], "1 - least distance/kept one", 1 - all.less, sizeof(real) == 4 ? 1e-5 : 1e-9);
        report(kind_names[kind], "distance/kept one where steps are cut", all.loose, 1.1001);
        report_control(kind_names[kind], "whole steps that pass", all.fully, 1000);
        report_control(kind_names[kind], "steps that pass in 1.2 of their free part", all.farther, 1000);
    }
    all_must_hold();
}

/* ---- hard ones --------------------------------------------------------------------------------------------------- */

typedef struct {
    const char *name;
    int kind;
    double x[PAIR_NODES][DIM], dx[PAIR_NODES][DIM], least, most; /* between which the free part is */
} hard_path;

static const hard_path hard_paths[] = {
#if PIO_DIM == 3
    /* 0.9 to 0.89 of the distance is free */
    {"a point falls on a triangle",
     PAIR_FACE,
     {{0.2, 0.2, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
     {{0, 0, -2}},
     0.4449,
     0.45},
    {"a point slides over a triangle, 1e6 of its size",
     PAIR_FACE,
     {{0.2, 0.2, 0.01}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
     {{1e6, 0, 0}},
     1,
     1},
    {"a point in the plane of a triangle",
     PAIR_FACE,
     {{0.2, -1, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
     {{0, 4, 0}},
     0.2224,
     0.225},
    {"a point meets a node", PAIR_FACE, {{-1, -1, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{2, 2, 0}}, 0.4449, 0.45},
    {"a point passes beside a triangle",
     PAIR_FACE,
     {{0.6, 0.6, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
     {{0, 0, -2}},
     1,
     1},
    {"a point falls on a triangle without an area",
     PAIR_FACE,
     {{0.5, 0, 1}, {0, 0, 0}, {1, 0, 0}, {0.3, 0, 0}},
     {{0, 0, -2}},
     0.4449,
     0.45},
    {"a triangle shrinks away",
     PAIR_FACE,
     {{0.5, 0.2, 0.01}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
     {{0, 0, 0}, {0.5, 0, 0}, {-0.5, 0, 0}, {0.5, -1, 0}},
     1,
     1},
    {"parts move as one",
     PAIR_FACE,
     {{0.2, 0.2, 1e-6}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
     {{5, 6, 7}, {5, 6, 7}, {5, 6, 7}, {5, 6, 7}},
     1,
     1},
    {"parts turn as one",
     PAIR_FACE,
     {{0.2, 0.2, 1e-4}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
     {{0, -0.2001, 0.1999}, {0, 0, 0}, {0, 0, 0}, {0, -1, 1}},
     1,
     1},
    {"parts part", PAIR_FACE, {{0.2, 0.2, 1e-6}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 0, 9}}, 1, 1},
    {"parts touch", PAIR_FACE, {{0.2, 0.2, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 0, 1}}, 0, 0},
    {"parallel edges meet",
     PAIR_EDGES,
     {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {1, 0, 1}},
     {{0, 0, 2}, {0, 0, 2}},
     0.4449,
     0.45},
    {"edges on one line meet",
     PAIR_EDGES,
     {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}},
     {{2, 0, 0}, {2, 0, 0}},
     0.4449,
     0.45},
    {"parallel edges slide, 1e6 of their size",
     PAIR_EDGES,
     {{0, 0, 0}, {1, 0, 0}, {0, 0, 0.01}, {1, 0, 0.01}},
     {{1e6, 0, 0}, {1e6, 0, 0}},
     1,
     1},
    {"crossed edges meet",
     PAIR_EDGES,
     {{-1, 0, 0}, {1, 0, 0}, {0, -1, 1}, {0, 1, 1}},
     {{0, 0, 2}, {0, 0, 2}},
     0.4449,
     0.45},
    {"an edge turns over into the other",
     PAIR_EDGES,
     {{-1, 0, 0}, {1, 0, 0}, {0.5, -1, 1}, {0.5, 1, 1}},
     {{0, 0, -4}, {0, 0, 4}}, /* (1 - 2 t)/sqrt(1 + 16 t^2) is 0.11 and 0.1 */
     0.395,
     0.405},
    {"edges without a length meet",
     PAIR_EDGES,
     {{0, 0, 0}, {0, 0, 0}, {0, 0, 1}, {0, 0, 1}},
     {{0, 0, 2}, {0, 0, 2}},
     0.4449,
     0.45},
    {"fast edges",
     PAIR_EDGES,
     {{-1, 0, 0}, {1, 0, 0}, {0, -1, 1}, {0, 1, 1}},
     {{0, 0, 2e6}, {0, 0, 2e6}},
     4.449e-7,
     4.5e-7},
#else
    {"a point falls on an edge", PAIR_FACE, {{0.2, 1}, {0, 0}, {1, 0}}, {{0, -2}}, 0.4449, 0.45},
    {"a point meets a node", PAIR_FACE, {{-1, 0}, {0, 0}, {1, 0}}, {{2, 0}}, 0.4449, 0.45},
    {"a point slides along an edge, 1e6 of its size", PAIR_FACE, {{0.2, 0.01}, {0, 0}, {1, 0}}, {{1e6, 0}}, 1, 1},
    {"a point passes beside an edge", PAIR_FACE, {{1.3, 1}, {0, 0}, {1, 0}}, {{0, -2}}, 1, 1},
    /* (1 - 2 t)/sqrt(1 + 16 t^2) is 0.11 and 0.1 */
    {"an edge turns into a point", PAIR_FACE, {{0.5, 1}, {0, 0}, {1, 0}}, {{0, 0}, {0, 0}, {0, 4}}, 0.395, 0.405},
    {"parts turn as one", PAIR_FACE, {{0.2, 1e-4}, {0, 0}, {1, 0}}, {{-0.2001, 0.1999}, {0, 0}, {-1, 1}}, 1, 1},
    {"an edge without a length", PAIR_FACE, {{0, 1}, {0, 0}, {0, 0}}, {{0, -2}}, 0.4449, 0.45},
    {"fast", PAIR_FACE, {{0.2, 1}, {0, 0}, {1, 0}}, {{0, -2e6}}, 4.449e-7, 4.5e-7},
    {"parts move as one", PAIR_FACE, {{0.2, 1e-6}, {0, 0}, {1, 0}}, {{5, 6}, {5, 6}, {5, 6}}, 1, 1},
    {"parts part", PAIR_FACE, {{0.2, 1e-6}, {0, 0}, {1, 0}}, {{0, 9}}, 1, 1},
    {"parts touch", PAIR_FACE, {{0.2, 0}, {0, 0}, {1, 0}}, {{0, 1}}, 0, 0},
#endif
};

static void hard_paths_are_as_free_as_they_are(void **unused)
{
    (void)unused;
    for (size_t k = 0; k < sizeof hard_paths / sizeof *hard_paths; k++) {
        const hard_path *hard = hard_paths + k;
        vec x[PAIR_NODES], dx[PAIR_NODES];
        for (int i = 0; i < PAIR_NODES; i++)
            for (int c = 0; c < DIM; c++) {
                x[i].x[c] = (real)hard->x[i][c];
                dx[i].x[c] = (real)hard->dx[i][c];
            }
        const double t = pair_free_path(hard->kind, x, dx, KEPT);
        printf("%-16s %-50s %.6g  between %.6g and %.6g\n", kind_names[hard->kind], hard->name, t, hard->least,
               hard->most);
        failures += !(t >= hard->least && t <= hard->most * (1 + EPS));
    }
    all_must_hold();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_step_lets_parts_pass),
        cmocka_unit_test(hard_paths_are_as_free_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_lanes.c -- what a CPU does to a batch of particles in whole registers, against the same one by one: loads and
 * stores of neighbours and of others, sums over the nodes of cells in several rows, and sums at nodes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "kernels/mpm/mpm_team_gather.h"
#include "kernels/mpm/mpm_team_spread.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ITEMS = 200, MOST = DIM * DIM, CASES = 400 };
static const double EPS = sizeof(real) == 4 ? (double)FLT_EPSILON : DBL_EPSILON;

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

static int below(int n)
{
    return (int)uniform(0, n);
}

/* Sets an order of all items: 0 as they are stored, 1 with few exchanged, 2 backwards. */
static void set_order(int *order, int kind)
{
    for (int i = 0; i < ITEMS; i++) order[i] = kind == 2 ? ITEMS - 1 - i : i;
    for (int k = 0; kind == 1 && k < 6; k++) {
        const int a = below(ITEMS), b = below(ITEMS), kept = order[a];
        order[a] = order[b];
        order[b] = kept;
    }
}

static void check_fields(const int *order, int first, int m, int components)
{
    static real field[ITEMS * MOST], expected[ITEMS * MOST];
    PER_LANE(real, x, MOST);
    PER_LANE(real, at_places, MOST);
    lane_items t;
    for (int i = 0; i < ITEMS * components; i++) expected[i] = field[i] = R(uniform(-1, 1));
    lanes_open(&t, order, ITEMS, first, m);
    lanes_load(x, field, ITEMS, components, &t);
    lanes_load_places(at_places, field, ITEMS, components, &t);
    for (int j = 0; j < m; j++) {
        assert_int_equal(t.item[j], order[first + j]);
        for (int c = 0; c < components; c++) {
            assert_true(x[c][j] == field[field_at(ITEMS, components, c, order[first + j])]);
            assert_true(at_places[c][j] == field[field_at(ITEMS, components, c, first + j)]);
        }
    }
    for (int j = 0; j < TEAM_LANES; j++) {
        for (int c = 0; c < components; c++) {
            assert_true(fabs(x[c][j]) <= R(1)); /* a number of some item, in lanes beyond too */
            x[c][j] = R(uniform(-1, 1));
        }
    }
    lanes_add(field, ITEMS, components, &t, x);
    for (int j = 0; j < m; j++)
        for (int c = 0; c < components; c++) expected[field_at(ITEMS, components, c, order[first + j])] += x[c][j];
    assert_memory_equal(field, expected, sizeof(real) * (size_t)(ITEMS * components));
    lanes_store(field, ITEMS, components, &t, x);
    for (int j = 0; j < m; j++)
        for (int c = 0; c < components; c++) expected[field_at(ITEMS, components, c, order[first + j])] = x[c][j];
    assert_memory_equal(field, expected, sizeof(real) * (size_t)(ITEMS * components));
    lanes_store_places(field, ITEMS, components, &t, x);
    for (int j = 0; j < m; j++)
        for (int c = 0; c < components; c++) expected[field_at(ITEMS, components, c, first + j)] = x[c][j];
    assert_memory_equal(field, expected, sizeof(real) * (size_t)(ITEMS * components));
}

static void items_are_moved_as_one_by_one(void **state)
{
    static const int components[] = {1, 2, DIM, DIM * DIM};
    int order[ITEMS];
    (void)state;
    seed = 1;
    for (int kind = 0; kind < 3; kind++) {
        set_order(order, kind);
        for (int k = 0; k < 4; k++) {
            for (int m = 1; m <= TEAM_LANES; m++) {
                check_fields(order, 0, m, components[k]);
                check_fields(order, below(ITEMS - TEAM_LANES), m, components[k]);
                check_fields(order, ITEMS - m, m, components[k]); /* nothing lies beyond */
            }
        }
    }
}

/* Sets a block whose cells have 0 .. most particles. */
static int set_cells(team_cells *t, int most)
{
    int cells = 0, particles = 0;
    while (particles == 0) {
        for (int c = 0; c < BLOCK_NODES; c++) {
            const int count = below(most + 1);
            if (count == 0) continue;
            t->cell[cells] = tile_cell(c);
            t->start[cells++] = particles;
            particles += count;
        }
    }
    t->start[cells] = particles;
    return cells;
}

/* The lanes of a batch. */
typedef struct {
    PER_LANE(real, f, DIM);
    PER_LANE(real, S, DIM);
    PER_LANE(real, M, DIM *DIM);
    PER_LANE(real, b, QUAD);
    PER_LANE(real, B, DIM *DIM);
    PER_LANE(real, slope, DIM);
} batch_lanes;

static void fill_lanes(batch_lanes *x)
{
    memset(x, 0, sizeof *x);
    for (int j = 0; j < TEAM_LANES; j++) {
        for (int c = 0; c < DIM; c++) x->f[c][j] = R(uniform(0.5, 1.5));
        for (int c = 0; c < DIM; c++) x->b[c][j] = R(uniform(-1, 1));
        for (int c = 0; c < DIM * DIM; c++) x->B[c][j] = R(uniform(-1, 1));
    }
}

/* Returns the larger error of the lanes' sums over nodes. */
static double gather_error(const team_cells *t, const team_batch *b, const node_vectors *y, batch_lanes *x,
                           double worst)
{
    for (int j = 0; j < b->m; j++) {
        const int at = t->cell[b->cell + run_of(t, b, j)];
        const spline w = spline_at(lane_vec(x->f, j));
        const vec slope = stencil_slope(y, NULL, at, R(0), &w, lane_vec(x->b, j), lane_mat(x->B, j));
        vec S;
        mat M;
        stencil_moments(y, at, &w, &S, &M);
        for (int c = 0; c < DIM; c++) {
            worst = worse(worst, fabs((double)(x->S[c][j] - S.x[c])));
            worst = worse(worst, fabs((double)(x->slope[c][j] - slope.x[c])));
            for (int d = 0; d < DIM; d++) worst = worse(worst, fabs((double)(x->M[DIM * c + d][j] - M.m[c][d])));
        }
    }
    return worst;
}

/* Adds the fields of the lanes to sums [TILE_NODES][DIM]. */
static void spread_plainly(const team_cells *t, const team_batch *b, batch_lanes *x, double (*sum)[DIM])
{
    for (int j = 0; j < b->m; j++) {
        const int at = t->cell[b->cell + run_of(t, b, j)];
        const spline w = spline_at(lane_vec(x->f, j));
        for (int q = 0; q < STENCIL; q++) {
            double weight = 1, field[DIM];
            for (int a = 0; a < DIM; a++) weight *= (double)w.w[a][stencil_place(a, q)];
            for (int c = 0; c < DIM; c++) {
                field[c] = (double)x->b[c][j];
                for (int a = 0; a < DIM; a++) field[c] += (double)x->B[DIM * c + a][j] * stencil_place(a, q);
                sum[at + tile_node(q)][c] += weight * field[c];
            }
        }
    }
}

static void cells_of_a_batch_are_those_one_by_one(void **state)
{
    static spread_batch spread;
    static tile_sums tile;
    const lanes_ahead none = ahead_of(NULL, NULL, 0);
    double gather = 0, scatter = 0;
    (void)state;
    seed = 2;
    for (int i = 0; i < CASES; i++) {
        static const int most[] = {1, 2, 4, 8, 40};
        team_cells t;
        node_vectors y;
        static double sum[TILE_NODES][DIM];
        const int cells = set_cells(&t, most[i % 5]);
        team_batch b;
        memset(sum, 0, sizeof sum);
        tile_clear(&tile);
        for (int c = 0; c < DIM; c++)
            for (int q = 0; q < TILE_NODES; q++) y.y[c][q] = R(uniform(-1, 1));
        b.cell = 0;
        for (int first = 0; first < t.start[cells]; first += TEAM_LANES) {
            batch_lanes x;
            lane_cells at;
            b = team_batch_at(&t, cells, first, b.cell);
            fill_lanes(&x);
            lane_cells_of(&at, &t, &b);
            team_moments(&y, &at, &none, x.f, x.S, x.M);
            team_slopes(&y, &at, x.f, x.b, x.B, x.slope);
            gather = gather_error(&t, &b, &y, &x, gather);
            spread_put(&spread, NULL, x.b, x.B);
            spread_weights(&spread, x.f);
            spread_add(&spread, &t, &b, &tile, &none);
            spread_plainly(&t, &b, &x, sum);
        }
        for (int q = 0; q < TILE_NODES; q++)
            for (int c = 0; c < DIM; c++) scatter = worse(scatter, fabs((double)tile.sum[q][c] - sum[q][c]));
    }
    printf("sums over nodes %.1e, at nodes %.1e\n", gather / EPS, scatter / EPS);
    assert_true(gather <= 16 * EPS);   /* sums of a few numbers of at most 5 */
    assert_true(scatter <= 200 * EPS); /* of some hundreds */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_are_moved_as_one_by_one),
        cmocka_unit_test(cells_of_a_batch_are_those_one_by_one),
    };
#ifdef TEST_NEEDS_V4
    if (!__builtin_cpu_supports("x86-64-v4")) return 77;
#endif
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_amg_pattern.c -- patterns of smoothed aggregation, on grids, beside what their definitions say of every pair of
 * rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/solvers/linear/amg_graph_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Couplings of 1/64 to 1, the same of (i,j) and (j,i), of which a float has every sum; with itself 1. */
static void vary_couplings(grid *g)
{
    for (int i = 0; i < g->rows; i++)
        for (int k = g->row_start[i]; k < g->row_start[i + 1]; k++) {
            const int64_t low = i < g->column[k] ? i : g->column[k], high = i + g->column[k] - low;
            g->coupling[k] = low == high ? 1 : (float)(1 + (int)(64 * unit(low * g->rows + high))) / 64;
        }
}

/* Which of rows x columns are there. */
typedef struct {
    int rows, columns;
    unsigned char *at;
} bitmap;

static bitmap bitmap_of(int rows, int columns)
{
    return (bitmap){rows, columns, take((int64_t)rows * columns, 1)};
}

static unsigned char *bits(const bitmap *b, int row)
{
    return b->at + (int64_t)row * b->columns;
}

static bitmap bitmap_from(int rows, int columns, const int *start, const int *column)
{
    bitmap b = bitmap_of(rows, columns);
    for (int i = 0; i < rows; i++)
        for (int k = start[i]; k < start[i + 1]; k++) bits(&b, i)[column[k]] = 1;
    return b;
}

static bitmap bitmap_transposed(const bitmap *a)
{
    bitmap b = bitmap_of(a->columns, a->rows);
    for (int i = 0; i < a->rows; i++)
        for (int j = 0; j < a->columns; j++) bits(&b, j)[i] = bits(a, i)[j];
    return b;
}

static bitmap bitmap_product(const bitmap *a, const bitmap *b)
{
    bitmap c = bitmap_of(a->rows, b->columns);
    for (int i = 0; i < a->rows; i++)
        for (int j = 0; j < a->columns; j++)
            for (int k = 0; k < b->columns && bits(a, i)[j]; k++) bits(&c, i)[k] |= bits(b, j)[k];
    return c;
}

/* Blocks that are not in the bitmap, are missing, or not in ascending order. */
static int pattern_faults(const bitmap *b, const int *start, const int *column)
{
    int wrong = start[0] != 0;
    for (int i = 0; i < b->rows; i++) {
        int has = 0, blocks = 0;
        for (int j = 0; j < b->columns; j++) blocks += bits(b, i)[j];
        for (int k = start[i]; k < start[i + 1]; k++) {
            const int inside = column[k] >= 0 && column[k] < b->columns && bits(b, i)[column[k]];
            const int ascends = k == start[i] || column[k] > column[k - 1];
            has += inside && ascends;
            wrong += !inside || !ascends;
        }
        wrong += blocks > has ? blocks - has : 0;
    }
    return wrong;
}

/* Rows of P^T that are not the blocks of the columns of P, in the order of their rows. */
static int transpose_faults(const pio_amg_step *s)
{
    int wrong = s->t_start[0] != 0 || s->t_start[s->coarse] != s->p_start[s->rows];
    for (int c = 0; c < s->coarse; c++)
        for (int t = s->t_start[c]; t < s->t_start[c + 1]; t++) {
            const int e = s->t_entry[t], row = s->t_row[t];
            wrong += s->p_column[e] != c || e < s->p_start[row] || e >= s->p_start[row + 1];
            wrong += t > s->t_start[c] && row <= s->t_row[t - 1];
        }
    return wrong;
}

/* What the patterns of a step should be: P of a smoothed step, and the products of a P. */
typedef struct {
    bitmap a, p, ap, next;
} wanted_patterns;

static bitmap smoothed_p(const pio_amg_step *s, const bitmap *a)
{
    bitmap p = bitmap_of(s->rows, s->coarse);
    for (int i = 0; i < s->rows; i++)
        for (int j = 0; j < s->rows; j++)
            if (bits(a, i)[j] && s->aggregate[i] >= 0 && s->aggregate[j] >= 0) bits(&p, i)[s->aggregate[j]] = 1;
    return p;
}

static wanted_patterns wanted_of(const pio_amg_step *s, const pio_amg_pattern *a)
{
    wanted_patterns w;
    w.a = bitmap_from(a->rows, a->rows, a->row_start, a->column);
    w.p = s->aggregate ? smoothed_p(s, &w.a) : bitmap_from(s->rows, s->coarse, s->p_start, s->p_column);
    w.ap = bitmap_product(&w.a, &w.p);
    bitmap t = bitmap_transposed(&w.p);
    w.next = bitmap_product(&t, &w.ap);
    for (int c = 0; c < s->coarse; c++) bits(&w.next, c)[c] = 1;
    free(t.at);
    return w;
}

static void wanted_free(wanted_patterns *w)
{
    free(w->a.at);
    free(w->p.at);
    free(w->ap.at);
    free(w->next.at);
}

/* Faults of P, P^T, A P and P^T A P. */
static int step_faults(const pio_amg_step *s, const wanted_patterns *w)
{
    return pattern_faults(&w->p, s->p_start, s->p_column) + transpose_faults(s) +
           pattern_faults(&w->ap, s->ap_start, s->ap_column) + pattern_faults(&w->next, s->row_start, s->column);
}

static int asymmetric(const bitmap *b)
{
    int n = 0;
    for (int i = 0; i < b->rows; i++)
        for (int j = 0; j < b->columns; j++) n += bits(b, i)[j] != bits(b, j)[i];
    return n;
}

/* Couplings that are not the sums over all pairs of members, and of aggregates with themselves not the largest. */
static int coupling_faults(const pio_amg_step *s, const pio_amg_pattern *a)
{
    double *sum = take((int64_t)s->coarse * s->coarse, sizeof *sum);
    int wrong = 0;
    for (int i = 0; i < s->rows; i++)
        for (int k = a->row_start[i]; k < a->row_start[i + 1]; k++) {
            const int c = s->aggregate[i], d = s->aggregate[a->column[k]];
            if (c >= 0 && d >= 0 && c != d) sum[(int64_t)c * s->coarse + d] += (double)a->coupling[k];
        }
    for (int c = 0; c < s->coarse; c++) {
        double *row = sum + (int64_t)c * s->coarse, most = 0;
        for (int d = 0; d < s->coarse; d++) most = fmax(most, row[d]);
        row[c] = most;
        for (int k = s->row_start[c]; k < s->row_start[c + 1]; k++) {
            wrong += fabs((double)s->coupling[k] - row[s->column[k]]) > 0;
            row[s->column[k]] = 0;
        }
        for (int d = 0; d < s->coarse; d++) wrong += row[d] > 0; /* one that has no block */
    }
    free(sum);
    return wrong;
}

static void expect_step(const pio_amg_step *s, const pio_amg_pattern *a, const char *what)
{
    wanted_patterns w = wanted_of(s, a);
    const int wrong = step_faults(s, &w), sums = s->coupling ? coupling_faults(s, a) : 0;
    const int sides = asymmetric(&w.a) + asymmetric(&w.next);
    print_message("%-28s %6d rows, %5d next, blocks of P %d, A P %d, P^T A P %d; faults (0): %d, of couplings %d, of "
                  "symmetry %d\n",
                  what, s->rows, s->coarse, s->p_start[s->rows], s->ap_start[s->rows], s->row_start[s->coarse], wrong,
                  sums, sides);
    assert_int_equal(wrong, 0);
    assert_int_equal(sums, 0);
    assert_int_equal(sides, 0);
    wanted_free(&w);
}

static pio_amg_pattern next_pattern(const pio_amg_step *s)
{
    return (pio_amg_pattern){s->coarse, s->row_start[s->coarse], s->row_start, s->column, s->coupling};
}

/* Two steps, one after the other, in a volume and in a plane. */
static void patterns_are_those_of_the_products(void **state)
{
    static const int size[2][3] = {{12, 11, 10}, {41, 37, 1}};
    (void)state;
    for (int plane = 0; plane < 2; plane++) {
        grid g = grid_of(size[plane][0], size[plane][1], size[plane][2]);
        unsigned char *out = some_left_out(&g);
        pio_amg_step s, next;
        vary_couplings(&g);
        assert_true(pio_amg_aggregate(&s, &g.pattern, out, THETA) && pio_amg_smoothed(&s, &g.pattern));
        expect_step(&s, &g.pattern, "first");
        const pio_amg_pattern coarse = next_pattern(&s);
        assert_true(pio_amg_aggregate(&next, &coarse, NULL, THETA) && pio_amg_smoothed(&next, &coarse));
        expect_step(&next, &coarse, "second");
        pio_amg_step_free(&next);
        pio_amg_step_free(&s);
        free(out);
        grid_free(&g);
    }
}

/* Each list with a number that is wrong, and right again. */
static void spoiled_patterns_are_noticed(void **state)
{
    grid g = grid_of(9, 8, 7);
    pio_amg_step s;
    (void)state;
    assert_true(pio_amg_aggregate(&s, &g.pattern, NULL, THETA) && pio_amg_smoothed(&s, &g.pattern));
    wanted_patterns w = wanted_of(&s, &g.pattern);
    int *const lists[] = {s.p_column, s.t_row, s.t_entry, s.ap_column, s.column, s.t_start, s.ap_start, s.row_start};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        for (int by = -1; by < 2; by += 2) {
            lists[k][1] += by;
            assert_true(step_faults(&s, &w) > 0);
            lists[k][1] -= by;
        }
    assert_int_equal(step_faults(&s, &w), 0);
    s.coupling[1] += 1;
    assert_int_equal(coupling_faults(&s, &g.pattern), 1);
    s.coupling[1] -= 1;
    assert_int_equal(coupling_faults(&s, &g.pattern), 0);
    wanted_free(&w);
    pio_amg_step_free(&s);
    grid_free(&g);
}

/* ---- a P that is given ------------------------------------------------------------------------------------- */

/* How many steps apart two nodes are, along the axis along which they are farthest. */
static int distance(const grid *g, int i, int j)
{
    int most = 0;
    for (int axis = 0; axis < 3; axis++) {
        most = abs(i % g->n[axis] - j % g->n[axis]) > most ? abs(i % g->n[axis] - j % g->n[axis]) : most;
        i /= g->n[axis];
        j /= g->n[axis];
    }
    return most;
}

/* Nodes with even numbers along all axes are corners, the others are means of those one step away. */
static void given_means(pio_amg_step *s, const grid *fine, const grid *coarse, int more)
{
    *s = (pio_amg_step){.rows = fine->rows, .coarse = coarse->rows + more};
    s->p_start = take(s->rows, sizeof(int));
    s->p_column = take(8 * (int64_t)s->rows, sizeof(int));
    for (int i = 0, n = 0; i < s->rows; i++) {
        for (int c = 0; c < coarse->rows; c++) {
            const int x = c % coarse->n[0], y = c / coarse->n[0] % coarse->n[1], z = c / coarse->n[0] / coarse->n[1];
            const int node = 2 * (x + fine->n[0] * (y + fine->n[1] * z));
            if (distance(fine, i, node) <= 1) s->p_column[n++] = c;
        }
        s->p_start[i + 1] = n;
    }
}

/* The next matrix has the neighbours of the grid of corners; two columns that no row has, blocks on the diagonal. */
static void means_of_corners_are_a_grid_again(void **state)
{
    (void)state;
    for (int more = 0; more <= 2; more += 2) {
        grid fine = grid_of(11, 9, 7), coarse = grid_of(6, 5, 4);
        pio_amg_step s;
        given_means(&s, &fine, &coarse, more);
        assert_true(pio_amg_given(&s, &fine.pattern));
        expect_step(&s, &fine.pattern, more ? "means, two columns more" : "means of corners");
        assert_null(s.aggregate);
        assert_null(s.coupling);
        assert_int_equal(s.row_start[s.coarse], coarse.pattern.blocks + more);
        assert_memory_equal(s.row_start, coarse.row_start, sizeof(int) * (size_t)(coarse.rows + 1));
        assert_memory_equal(s.column, coarse.column, sizeof(int) * (size_t)coarse.pattern.blocks);
        for (int k = 0; k < more; k++) assert_int_equal(s.column[coarse.pattern.blocks + k], coarse.rows + k);
        pio_amg_step_free(&s);
        assert_null(s.p_start);
        grid_free(&fine);
        grid_free(&coarse);
    }
}

/* ---- the rest ---------------------------------------------------------------------------------------------- */

static void nothing_is_left_of_rows_that_are_all_left_out(void **state)
{
    grid g = grid_of(5, 4, 3);
    unsigned char *out = take(g.rows, 1);
    pio_amg_step s;
    (void)state;
    memset(out, 1, (size_t)g.rows);
    assert_true(pio_amg_aggregate(&s, &g.pattern, out, THETA) && pio_amg_smoothed(&s, &g.pattern));
    assert_int_equal(s.coarse, 0);
    expect_step(&s, &g.pattern, "all left out");
    pio_amg_step_free(&s);
    free(out);
    grid_free(&g);
}

static int same(const void *a, const void *b, int n)
{
    return !memcmp(a, b, sizeof(int) * (size_t)n);
}

static void the_same_comes_out_twice(void **state)
{
    grid g = grid_of(12, 11, 10);
    pio_amg_step s[2];
    (void)state;
    vary_couplings(&g);
    for (int k = 0; k < 2; k++)
        assert_true(pio_amg_aggregate(&s[k], &g.pattern, NULL, THETA) && pio_amg_smoothed(&s[k], &g.pattern));
    const int rows = s[0].rows, coarse = s[0].coarse, p = s[0].p_start[rows], ap = s[0].ap_start[rows];
    const int next = s[0].row_start[coarse];
    assert_int_equal(s[1].coarse, coarse);
    assert_true(same(s[0].aggregate, s[1].aggregate, rows) && same(s[0].member_start, s[1].member_start, coarse + 1));
    assert_true(same(s[0].member, s[1].member, rows) && same(s[0].p_start, s[1].p_start, rows + 1));
    assert_true(same(s[0].p_column, s[1].p_column, p) && same(s[0].t_start, s[1].t_start, coarse + 1));
    assert_true(same(s[0].t_row, s[1].t_row, p) && same(s[0].t_entry, s[1].t_entry, p));
    assert_true(same(s[0].ap_start, s[1].ap_start, rows + 1) && same(s[0].ap_column, s[1].ap_column, ap));
    assert_true(same(s[0].row_start, s[1].row_start, coarse + 1) && same(s[0].column, s[1].column, next));
    assert_true(same(s[0].coupling, s[1].coupling, next)); /* floats are as long as ints */
    pio_amg_step_free(&s[0]);
    pio_amg_step_free(&s[1]);
    grid_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_are_those_of_the_products),
        cmocka_unit_test(spoiled_patterns_are_noticed),
        cmocka_unit_test(means_of_corners_are_a_grid_again),
        cmocka_unit_test(nothing_is_left_of_rows_that_are_all_left_out),
        cmocka_unit_test(the_same_comes_out_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

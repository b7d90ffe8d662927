/* test_amg_graph.c -- aggregates of smoothed aggregation, on grids: each is of the rows around a root; see
 * test_amg_pattern.c for what follows from them. */
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

/* A pattern, the rows that are left out of it or NULL, and how strongly each couples with itself. */
typedef struct {
    const pio_amg_pattern *a;
    const unsigned char *out;
    double *own;
} graph;

static graph graph_of(const pio_amg_pattern *a, const unsigned char *out)
{
    graph g = {a, out, take(a->rows, sizeof(double))};
    for (int i = 0; i < a->rows; i++)
        for (int k = a->row_start[i]; k < a->row_start[i + 1]; k++)
            if (a->column[k] == i) g.own[i] = (double)a->coupling[k];
    return g;
}

/* Whether block k of row i is a strong connection. */
static int strong(const graph *g, int i, int k)
{
    const int j = g->a->column[k];
    if (i == j || (g->out && (g->out[i] || g->out[j]))) return 0;
    return (double)g->a->coupling[k] > THETA * sqrt(g->own[i] * g->own[j]);
}

/* How many members of i's aggregate are within two strong connections of i, over its members alone; and whether all of
 * the strong neighbours of i are members: then i can be its root. */
static int members_near(const pio_amg_step *s, const graph *g, int i, int *all)
{
    const pio_amg_pattern *a = g->a;
    const int of = s->aggregate[i];
    int seen[1024], n = 1, begin = 0;
    seen[0] = i;
    *all = 1;
    for (int step = 0; step < 2; step++) {
        const int end = n;
        for (; begin < end; begin++)
            for (int k = a->row_start[seen[begin]]; k < a->row_start[seen[begin] + 1]; k++) {
                const int j = a->column[k];
                int known = 0;
                if (!strong(g, seen[begin], k)) continue;
                if (s->aggregate[j] != of && step == 0) *all = 0;
                for (int m = 0; m < n; m++) known |= seen[m] == j;
                if (s->aggregate[j] == of && !known && n < 1024) seen[n++] = j;
            }
    }
    return n;
}

typedef struct {
    int missing, not_out, members, no_root, largest, smallest;
    double mean;
} aggregate_report;

/* Rows without an aggregate, rows left out that have one, faults of the lists, and aggregates without a member that has
 * all of its strong neighbours, and all members within two connections: so they hang together. */
static aggregate_report examine(const pio_amg_step *s, const pio_amg_pattern *a, const unsigned char *out)
{
    aggregate_report r = {.smallest = s->rows};
    graph g = graph_of(a, out);
    int listed = 0;
    for (int i = 0; i < s->rows; i++) {
        const int left = out && out[i], of = s->aggregate[i];
        r.missing += !left && (of < 0 || of >= s->coarse);
        r.not_out += left && of != -1;
        listed += of >= 0;
    }
    r.members += s->member_start[0] != 0 || s->member_start[s->coarse] != listed;
    for (int c = 0; c < s->coarse; c++) {
        const int begin = s->member_start[c], size = s->member_start[c + 1] - begin;
        int roots = 0;
        for (int m = begin; m < begin + size; m++) {
            int all;
            r.members += s->aggregate[s->member[m]] != c || (m > begin && s->member[m] <= s->member[m - 1]);
            roots += members_near(s, &g, s->member[m], &all) == size && all;
        }
        r.no_root += roots == 0;
        r.largest = size > r.largest ? size : r.largest;
        r.smallest = size < r.smallest ? size : r.smallest;
    }
    free(g.own);
    r.mean = s->coarse ? (double)listed / s->coarse : 0;
    return r;
}

static int faults(const aggregate_report *r)
{
    return r->missing + r->not_out + r->members + r->no_root;
}

static aggregate_report expect_aggregates(const pio_amg_step *s, const pio_amg_pattern *a, const unsigned char *out,
                                          const char *what)
{
    const aggregate_report r = examine(s, a, out);
    print_message("%-28s %6d rows, %5d aggregates of %d to %d rows, mean %.1f; faults (0): %d %d %d %d\n", what,
                  s->rows, s->coarse, r.smallest, r.largest, r.mean, r.missing, r.not_out, r.members, r.no_root);
    assert_int_equal(faults(&r), 0);
    return r;
}

/* A root has its neighbours, and no aggregate more than what is two steps away: 27 to 125 in a volume, 9 to 25 in a
 * plane, less at faces. */
static void aggregates_are_of_rows_around_roots(void **state)
{
    static const int size[2][3] = {{22, 21, 20}, {90, 88, 1}};
    (void)state;
    for (int plane = 0; plane < 2; plane++) {
        grid g = grid_of(size[plane][0], size[plane][1], size[plane][2]);
        unsigned char *out = some_left_out(&g);
        pio_amg_step s;
        const int most = plane ? 25 : 125;
        const double low = plane ? 9 : 27, high = plane ? 16 : 64;
        for (int some = 0; some < 2; some++) {
            assert_true(pio_amg_aggregate(&s, &g.pattern, some ? out : NULL, THETA));
            const aggregate_report r = expect_aggregates(&s, &g.pattern, some ? out : NULL,
                                                         plane  ? some ? "plane, some left out" : "plane"
                                                         : some ? "volume, some left out"
                                                                : "volume");
            print_message("  largest at most %d, mean in %.0f to %.0f\n", most, low, high);
            assert_true(r.largest <= most);
            if (!some) assert_true(r.mean >= low && r.mean <= high);
            pio_amg_step_free(&s);
        }
        free(out);
        grid_free(&g);
    }
}

/* Each fault is planted, and found. */
static void wrong_aggregates_are_noticed(void **state)
{
    grid g = grid_of(12, 11, 10);
    unsigned char *out = some_left_out(&g);
    pio_amg_step s;
    int left = 0, row = 0;
    (void)state;
    assert_true(pio_amg_aggregate(&s, &g.pattern, out, THETA));
    while (!out[left]) left++;
    while (out[row]) row++;
    const int of = s.aggregate[row], *member = s.member + s.member_start[of], first = member[0];
    s.aggregate[row] = -1;
    assert_int_equal(examine(&s, &g.pattern, out).missing, 1);
    s.aggregate[row] = (of + s.coarse / 2) % s.coarse; /* far away */
    assert_true(examine(&s, &g.pattern, out).no_root > 0);
    s.aggregate[row] = of;
    s.aggregate[left] = of;
    assert_int_equal(examine(&s, &g.pattern, out).not_out, 1);
    s.aggregate[left] = -1;
    s.member[s.member_start[of]] = member[1];
    s.member[s.member_start[of] + 1] = first;
    assert_int_equal(examine(&s, &g.pattern, out).members, 1);
    s.member[s.member_start[of] + 1] = member[0];
    s.member[s.member_start[of]] = first;
    const aggregate_report r = examine(&s, &g.pattern, out);
    assert_int_equal(faults(&r), 0);
    pio_amg_step_free(&s);
    free(out);
    grid_free(&g);
}

/* Aggregates with rows on both sides of the plane between nodes n/2 - 1 and n/2. */
static int crossing(const grid *g, const pio_amg_step *s)
{
    int *sides = take(s->coarse, sizeof *sides), n = 0;
    for (int i = 0; i < g->rows; i++) sides[s->aggregate[i]] |= i % g->n[0] < g->n[0] / 2 ? 1 : 2;
    for (int c = 0; c < s->coarse; c++) n += sides[c] == 3;
    free(sides);
    return n;
}

/* Two regions that couple with a thousandth of what couples in them; and a stiff one beside a soft one, in units of
 * which couplings are relative to those of the rows with themselves. */
static void aggregates_keep_to_one_region(void **state)
{
    grid g = grid_of(12, 12, 12);
    pio_amg_step together, apart, scaled;
    (void)state;
    assert_true(pio_amg_aggregate(&together, &g.pattern, NULL, THETA));
    for (int i = 0; i < g.rows; i++)
        for (int k = g.row_start[i]; k < g.row_start[i + 1]; k++)
            if ((i % g.n[0] < g.n[0] / 2) != (g.column[k] % g.n[0] < g.n[0] / 2)) g.coupling[k] = 1e-3f;
    assert_true(pio_amg_aggregate(&apart, &g.pattern, NULL, THETA));
    expect_aggregates(&apart, &g.pattern, NULL, "two regions");
    print_message("aggregates of both regions: %d (0), of rows that couple alike: %d (more than 0)\n",
                  crossing(&g, &apart), crossing(&g, &together));
    assert_int_equal(crossing(&g, &apart), 0);
    assert_true(crossing(&g, &together) > 0);
    for (int i = 0; i < g.rows; i++)
        for (int k = g.row_start[i]; k < g.row_start[i + 1]; k++)
            g.coupling[k] = ldexpf(g.coupling[k], i % 7 + g.column[k] % 7 - 20);
    assert_true(pio_amg_aggregate(&scaled, &g.pattern, NULL, THETA));
    assert_int_equal(scaled.coarse, apart.coarse);
    assert_memory_equal(scaled.aggregate, apart.aggregate, sizeof(int) * (size_t)g.rows);
    pio_amg_step_free(&together);
    pio_amg_step_free(&apart);
    pio_amg_step_free(&scaled);
    grid_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aggregates_are_of_rows_around_roots),
        cmocka_unit_test(wrong_aggregates_are_noticed),
        cmocka_unit_test(aggregates_keep_to_one_region),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

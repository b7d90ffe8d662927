/* test_fem_lump.c -- the lumped masses of every element: positive, and those of Hinton, Rock and Zienkiewicz (1976),
 * where row sums of a serendipity element's mass matrix are negative at its corners.
 *
 * Of a square or cube with its nodes half-way, m_a/m is int N_a^2/sum_b int N_b^2: in eight nodes 3/76 at corners and
 * 16/76 on edges, in 20 nodes 7/248 and 16/248; the row sums int N_a are -1/12 and 1/3, -1/8 and 1/6. */
#include "kernels/fem/fem_inertia.h"
#include "solvers/engine/engine.h"
#include "tests/host/mesh/mesh_pieces.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const double rounding = sizeof(real) == 4 ? 1e-6 : 1e-14;

/* The unit square or cube, or a simplex with unit edges along the axes. */
typedef struct {
    fem_block block;
    real w[ELEMENT_POINTS], N[ELEMENT_POINTS * ELEMENT_NODES], dN[ELEMENT_POINTS * ELEMENT_NODES * DIM];
    real rest[ELEMENT_NODES * DIM], thick[1];
    int node[ELEMENT_NODES];
} single;

static void make_single(single *s, int type)
{
    const int nodes = element_nodes[type], points = element_points[RULE_MASS][type];
    fem_table_args a;
    memset(s, 0, sizeof *s);
    memset(&a, 0, sizeof a);
    a.type = type;
    a.points = points;
    a.w = s->w;
    a.N = s->N;
    a.dN = s->dN;
    for (int q = 0; q < points; q++) fem_table(q, &a);
    s->block.rule.type = type;
    s->block.rule.nodes = nodes;
    s->block.rule.points = points;
    s->block.rule.rdim = DIM;
    s->block.rule.w = s->w;
    s->block.rule.N = s->N;
    s->block.rule.dN = s->dN;
    s->block.n = 1;
    s->block.node = s->node;
    s->block.rest = s->rest;
    s->block.thick = DIM == 2 ? s->thick : NULL;
    s->thick[0] = R(1);
    for (int n = 0; n < nodes; n++) {
        s->node[n] = n;
        for (int c = 0; c < DIM; c++) s->rest[n * DIM + c] = R(0.5) * R(mesh_node_place(type, n)[c]);
    }
}

/* int N_a/V, what summing the rows of the mass matrix gives. */
static double row_sum(const single *s, const fem_lump *l, int a)
{
    double sum = 0;
    for (int q = 0; q < s->block.rule.points; q++)
        sum += (double)(fem_point_at(&s->block, 0, q).volume * s->N[q * s->block.rule.nodes + a]);
    return sum / (double)l->volume;
}

static void lumped_masses_are_positive_and_sum_to_the_mass(void **unused)
{
    (void)unused;
    for (int type = PIO_TRI3; type < PIO_ELEMENT_TYPES; type++) {
        single s;
        double sum = 0, least = 1, rows = 1;
        if (element_rdim[type] != DIM) continue;
        make_single(&s, type);
        const fem_lump l = fem_lump_of(&s.block, 0);
        for (int a = 0; a < element_nodes[type]; a++) {
            sum += (double)(l.S[a] / l.sum);
            least = fmin(least, (double)(l.S[a] / l.sum));
            rows = fmin(rows, row_sum(&s, &l, a));
        }
        print_message("  %2d nodes: least mass of a node %.6f (above 0) of the element's, by row sums %.6f; sum off by "
                      "%.1e (limit %.0e)\n",
                      element_nodes[type], least, rows, fabs(sum - 1), 4 * rounding);
        assert_true(least > 0 && fabs(sum - 1) <= 4 * rounding);
    }
}

static void those_of_serendipity_elements_are_the_exact_fractions(void **unused)
{
    static const int type = DIM == 2 ? PIO_QUAD8 : PIO_HEX20;
    static const double mass[2] = {DIM == 2 ? 3.0 / 76 : 7.0 / 248, DIM == 2 ? 16.0 / 76 : 16.0 / 248};
    static const double row[2] = {DIM == 2 ? -1.0 / 12 : -1.0 / 8, DIM == 2 ? 1.0 / 3 : 1.0 / 6};
    single s;
    double worst = 0;
    (void)unused;
    make_single(&s, type);
    const fem_lump l = fem_lump_of(&s.block, 0);
    for (int a = 0; a < element_nodes[type]; a++) {
        const int edge = a >= 1 << DIM;
        worst = fmax(worst, fabs((double)(l.S[a] / l.sum) - mass[edge]));
        worst = fmax(worst, fabs(row_sum(&s, &l, a) - row[edge]));
    }
    print_message("  corner %.6f, edge %.6f of the mass; these and row sums off by %.1e (limit %.0e)\n",
                  (double)(l.S[0] / l.sum), (double)(l.S[1 << DIM] / l.sum), worst, rounding);
    assert_true(worst <= rounding);
    assert_true(row_sum(&s, &l, 0) < 0); /* negative control: row sums are no masses */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lumped_masses_are_positive_and_sum_to_the_mass),
        cmocka_unit_test(those_of_serendipity_elements_are_the_exact_fractions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_fem_pairs_far.c -- how far a direction may go where some nodes go far: the search for what is near on the way
 * is not of all pieces with all, and finds what that would find. */
#include "tests/solvers/fem/fem_case_pairs.h"

#include "solvers/fem/fem_contact.h"
#include "solvers/fem/fem_pairs.h"
#include "kernels/fem/fem_pairs_implicit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { D = FEM_DIM, ROOM = 100000, FINE = FEM_DIM == 2 ? 400 : 30, COARSE = FEM_DIM == 2 ? 40 : 6 };

static int cells; /* along the blocks */

/* Elements are cubes of 0.2 m. */
static void apart(const double s[3], double x[3])
{
    x[0] = 0.2 * cells * s[0];
    x[1] = s[1] > 0.5 ? s[1] - 0.1 : s[1];
    x[2] = 0.2 * cells * s[2];
}

/* Two blocks of many elements, one 0.1 m above the other. */
static void blocks(fem_case *c, int along)
{
    const fem_material m = fem_material_of(PIO_HYPER_NEO_HOOKEAN, 1000);
    const pio_element_type type = D == 2 ? PIO_QUAD4 : PIO_HEX8;
    cells = along;
    fem_case_begin(c, 0.3, 1);
    fem_case_blocks(c, (fem_grid){type, type, {along, 5, along}, apart, 0});
    fem_case_matter(c, &m, 1, 0.9);
    const int zero = fem_case_support(c, 0, -1);
    for (int a = 0; a < D; a++) {
        fem_case_hold_side(c, 1, 0, a, zero);
        fem_case_hold_side(c, 1, 1, a, zero);
    }
    fem_case_pairs(c, 20, 0.02, 0, ROOM);
}

/* The part of a direction [nodes][D] that is free, and how many pieces points and edges are compared with. */
static double limit(fem_case *c, pio_sim *sim, const real *du, double *looked)
{
    fem_sim *f = fem_of(sim);
    const int queries = f->pairs.surface.points + f->pairs.surface.edges;
    int *number = calloc((size_t)queries, sizeof *number);
    double part = 0;
    piola_error error;
    assert_non_null(number);
    pio_queue_upload(&sim->queue, f->newton.du, du, sizeof *du * (size_t)(c->n * D));
    if (fem_contact_limit(f, f->state.u, f->newton.du, 1, &part, &error)) fail_msg("%s", error.message);
    pio_queue_download(&sim->queue, number, f->pairs.number, sizeof *number * (size_t)queries);
    assert_false(pio_queue_failed(&sim->queue));
    *looked = 0;
    for (int i = 0; i < queries; i++) *looked += number[i];
    free(number);
    return part;
}

/* The upper block's node that is the lowest, first, and one far from it. */
static int lowest(const fem_case *c)
{
    int at = -1;
    for (int i = 0; i < c->n; i++)
        if (fem_case_body(c, i) && (at < 0 || c->rest[i * D + 1] < c->rest[at * D + 1])) at = i;
    return at;
}

/* One node goes 1e6 m aside, down, or up and aside. */
static void a_node_that_goes_far_is_not_the_end_of_cells(void **unused)
{
    static fem_case c;
    static const char *const names[] = {"aside", "down", "up"};
    static const double way[3][2] = {{1e6, 0}, {0, -1e6}, {1e6, 1e6}};
    double usual;
    (void)unused;
    blocks(&c, FINE);
    pio_sim *sim = fem_case_start(&c);
    const fem_sim *f = fem_of(sim);
    const double pieces = f->pairs.surface.faces + f->pairs.surface.edges;
    const double queries = f->pairs.surface.points + f->pairs.surface.edges;
    real *du = calloc((size_t)(c.n * D), sizeof *du);
    assert_non_null(du);
    limit(&c, sim, du, &usual);
    print_message("  %.0f points and edges, each compared with %.1f of %.0f pieces where nothing moves\n", queries,
                  usual / queries, pieces);
    for (int k = 0; k < 3; k++) {
        double looked, part;
        memset(du, 0, sizeof *du * (size_t)(c.n * D));
        for (int a = 0; a < 2; a++) du[lowest(&c) * D + a] = (real)way[k][a];
        part = limit(&c, sim, du, &looked);
        print_message("  %s: %.3g of the way is free; each is compared with %.1f\n", names[k], part, looked / queries);
        assert_true(part > 0 && (k != 1 || part < 1e-6));
        fem_case_below("  pieces compared with, of those where nothing moves", looked / usual, 2, 0);
    }
    free(du);
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
}

/* The same with each piece compared with each point and edge, on the host: a CPU engine's memory is the host's. */
static double limit_of_all(const fem_sim *f, const real *du)
{
    const fem_pair_way way = {.rest = f->mesh.rest, .u = f->state.u, .du = du, .from = 0, .to = 1};
    const fem_pair_near_args a = fem_pairs_near(f, &way);
    double least = 1;
    for (int i = 0; i < a.s.points + a.s.edges; i++) {
        const pair_query q = pair_query_of(&a, i);
        const int kind = q.edge ? PAIR_EDGES : PAIR_FACE;
        int corner[FEM_PAIR_NODES];
        for (int other = q.edge ? q.least : 0; other < a.s.faces + (q.edge ? a.s.edges : 0); other++)
            if (pair_is_near(&a, &q, other, corner) && fem_pair_may_meet(&a, corner, kind))
                least = fmin(least, (double)fem_pair_free(&a.s, &way, corner, kind));
    }
    return least;
}

/* Random directions of 0.001 to 1000 m of all nodes, of a block, of one node in ten and of one alone. */
static void what_is_found_is_what_all_pairs_would_have(void **unused)
{
    static fem_case c;
    double worst = 0;
    int cut = 0, far = 0;
    (void)unused;
    blocks(&c, COARSE);
    pio_sim *sim = fem_case_start(&c);
    fem_sim *f = fem_of(sim);
    real *du = calloc((size_t)(c.n * D), sizeof *du);
    assert_non_null(du);
    for (int trial = 0; trial < 28; trial++) {
        const double size = pow(10, trial / 4 - 3.0);
        const int one = lowest(&c) + (int)(fem_case_random(&c) > 0);
        double looked;
        for (int i = 0; i < c.n * D; i++) {
            const int node = i / D;
            const int goes[4] = {1, fem_case_body(&c, node), node % 10 == 3, node == one};
            du[i] = (real)(goes[trial % 4] ? size * fem_case_random(&c) - (i % D == 1 && trial % 4 == 1 ? 3 * size : 0)
                                           : 0);
        }
        const double part = limit(&c, sim, du, &looked);
        cut += part < 1;
        for (int i = 0; i < f->pairs.surface.faces; i++) far += f->pairs.cell[i * D] == PAIR_FAR_CELL;
        worst = fmax(worst, fabs(part / limit_of_all(f, f->newton.du) - 1));
    }
    print_message("  %d of 28 directions are cut, %d pieces went far\n", cut, far);
    assert_true(cut >= 10 && far >= 6);
    fem_case_below("  the part that is free less that of all pairs, of it", worst, 1e-12,
                   0); /* engine and test round */
    free(du);
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_that_goes_far_is_not_the_end_of_cells),
        cmocka_unit_test(what_is_found_is_what_all_pairs_would_have),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

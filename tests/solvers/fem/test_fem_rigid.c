/* test_fem_rigid.c -- are the rigid motions that supports leave free found, and named in words, before anything is
 * solved? */
#include "tests/solvers/fem/fem_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { D = FEM_DIM };
static const pio_element_type box = FEM_DIM == 2 ? PIO_QUAD4 : PIO_HEX8;

static void right(const double s[3], double x[3])
{
    x[0] = s[0] + 2; /* far enough from the origin that a place is not zero by chance */
    x[1] = s[1];
    x[2] = s[2];
}

static void block(fem_case *c)
{
    const fem_material m = fem_material_of(PIO_HYPER_NEO_HOOKEAN, 1000);
    fem_case_begin(c, 1, 1);
    fem_case_grid(c, (fem_grid){box, box, {2, 2, 2}, right, 0});
    fem_case_matter(c, &m, 1, 1);
}

static void is_unconstrained(fem_case *c, const char *const *words)
{
    piola_error error = {0};
    pio_sim *sim = NULL;
    pio_engine_bytes bytes;
    fem_case_describe(c, 0, 1);
    const piola_status rc = piola_engine_fem.create(&c->desc, &sim, &bytes, &error);
    print_message("  %s\n", rc ? error.message : "constrained");
    assert_int_equal(rc, words ? PIOLA_BAD_DATA : PIOLA_OK);
    for (int i = 0; words && words[i]; i++)
        if (!strstr(error.message, words[i])) fail_msg("'%s' is missing", words[i]);
    if (!rc) piola_engine_fem.destroy(sim);
    assert_true(!rc || !sim);
    fem_case_free(c);
}

static void what_nothing_supports_is_reported(void **unused)
{
    static fem_case c;
    static const char *const words[] = {"around (2.5, 0.5", "moving along", "rotating about", NULL};
    (void)unused;
    block(&c);
    is_unconstrained(&c, words);
}

static void a_roller_leaves_what_lies_in_its_plane(void **unused)
{
    static fem_case c;
    static const char *const words2[] = {"from moving along x; ", NULL};
    static const char *const words3[] = {"from moving along", "and from rotating about an axis along y through", NULL};
    (void)unused;
    block(&c);
    fem_case_hold_side(&c, 1, 0, 1, fem_case_support(&c, 0, -1));
    is_unconstrained(&c, D == 2 ? words2 : words3);
}

static void a_pin_leaves_the_turn_about_it(void **unused)
{
    static fem_case c;
    static const char *const words2[] = {"nothing keeps it from rotating about (3, 0);", NULL};
    static const char *const words3[] = {"an axis along z through (3, 0, 0.5)", "an axis along y through (3, 0.5, 0)",
                                         "an axis along x through (2.5, 0, 0)", NULL};
    (void)unused;
    block(&c);
    const int zero = fem_case_support(&c, 0, -1), node = fem_case_at(&c, c.lines[0] - 1, 0, 0);
    for (int a = 0; a < D; a++) fem_case_hold(&c, node, a, zero);
    is_unconstrained(&c, D == 2 ? words2 : words3);
}

/* In 3D two pins are a hinge; a third makes it firm. In 2D two do. */
static void two_pins_are_a_hinge_in_space_and_firm_in_the_plane(void **unused)
{
    static fem_case c;
    static const char *const words[] = {"nothing keeps it from rotating about an axis along x through (", NULL};
    (void)unused;
    for (int pins = 2; pins <= D; pins++) {
        block(&c);
        const int zero = fem_case_support(&c, 0, -1);
        const int node[3] = {fem_case_at(&c, 0, 0, 0), fem_case_at(&c, c.lines[0] - 1, 0, 0),
                             fem_case_at(&c, 0, c.lines[1] - 1, 0)};
        for (int k = 0; k < pins; k++)
            for (int a = 0; a < D; a++) fem_case_hold(&c, node[k], a, zero);
        is_unconstrained(&c, pins < D ? words : NULL);
    }
}

static void three_rods_in_the_right_places_are_enough(void **unused)
{
    static fem_case c;
    (void)unused;
    block(&c);
    const int zero = fem_case_support(&c, 0, -1), last = c.lines[0] - 1;
    const int corner = fem_case_at(&c, 0, 0, 0), along_x = fem_case_at(&c, last, 0, 0),
              along_y = fem_case_at(&c, 0, last, 0);
    for (int a = 0; a < D; a++) fem_case_hold(&c, corner, a, zero);
    fem_case_hold(&c, along_x, 1, zero);
    if (D == 3) fem_case_hold(&c, along_x, 2, zero);
    if (D == 3) fem_case_hold(&c, along_y, 2, zero);
    is_unconstrained(&c, NULL);
}

/* The other way around: as many rods, all through one point. */
static void as_many_rods_through_one_point_are_not(void **unused)
{
    static fem_case c;
    static const char *const words[] = {"from rotating about", NULL};
    (void)unused;
    block(&c);
    const int zero = fem_case_support(&c, 0, -1), last = c.lines[0] - 1;
    const int corner = fem_case_at(&c, 0, 0, 0), along_x = fem_case_at(&c, last, 0, 0);
    for (int a = 0; a < D; a++) fem_case_hold(&c, corner, a, zero);
    fem_case_hold(&c, along_x, 0, zero); /* its line goes through the corner */
    is_unconstrained(&c, words);
}

/* Springs are supports along the directions in which they act, and in no other. */
static void springs_hold_along_what_they_act_on(void **unused)
{
    static fem_case c;
    static const char *const slides2[] = {"nothing keeps it from moving along x; ", NULL};
    static const char *const slides3[] = {"from moving along", "and from rotating about an axis along y through", NULL};
    static const char *const no_y[] = {"nothing keeps it from moving along y; ", NULL};
    (void)unused;
    block(&c);
    fem_case_load(&c, PIO_FOUNDATION, 1, 0, fem_case_value(&c, 1000, 0, 0), -1);
    is_unconstrained(&c, D == 2 ? slides2 : slides3);
    block(&c);
    fem_case_load(&c, PIO_SPRINGS, 1, 0, fem_case_value(&c, 1e-3, 1e6, 10), -1);
    is_unconstrained(&c, NULL);
    block(&c);
    fem_case_load(&c, PIO_SPRINGS, 0, 1, fem_case_value(&c, 1e3, 0, 10), -1);
    is_unconstrained(&c, no_y);
    block(&c);
    const int value = fem_case_value(&c, 5, 5, 5), last = c.lines[0] - 1;
    fem_case_springs(&c, fem_case_at(&c, 0, 0, 0), value);
    fem_case_springs(&c, fem_case_at(&c, last, 0, 0), value);
    if (D == 3) fem_case_springs(&c, fem_case_at(&c, 0, last, 0), value);
    is_unconstrained(&c, NULL);
    block(&c);
    fem_case_load(&c, PIO_FOUNDATION, 1, 0, fem_case_value(&c, 0, 0, 0), -1); /* no stiffness, no support */
    is_unconstrained(&c, (const char *const[]){"moving along", "rotating about", NULL});
}

/* ---- mechanisms ------------------------------------------------------------------------------------------- */

/* The cells of a 5 x 4 lattice (x 1 in 3D) from (2, 0) on, of unit edge, that a picture marks, its last line the
 * lowest; clamped are three nodes of the cell at the lower left. */
static void far_apart(const double s[3], double x[3])
{
    x[0] = 5 * s[0] + 2;
    x[1] = 4 * s[1];
    x[2] = s[2];
}

static void picture(fem_case *c, const char *const rows[4])
{
    const fem_material m = fem_material_of(PIO_HYPER_NEO_HOOKEAN, 1000);
    const int nodes = D == 2 ? 4 : 8;
    int number[128];
    fem_case_begin(c, 1, 1);
    fem_case_grid(c, (fem_grid){box, box, {5, 4, 1}, far_apart, 0});
    int32_t *node = (int32_t *)(uintptr_t)c->block[0].nodes; /* the case's own */
    int kept = 0, n = 0;
    for (int cell = 0; cell < 20; cell++) {
        if (rows[3 - cell / 5][cell % 5] == '.') continue;
        memmove(node + kept++ * nodes, node + cell * nodes, sizeof *node * (size_t)nodes);
    }
    for (int i = 0; i < c->n; i++) number[i] = -1;
    for (int k = 0; k < kept * nodes; k++) number[node[k]] = 0;
    for (int i = 0; i < c->n; i++) {
        if (number[i] < 0) continue;
        memmove(c->rest + n * D, c->rest + i * D, sizeof *c->rest * D);
        number[i] = n++;
    }
    for (int k = 0; k < kept * nodes; k++) node[k] = number[node[k]];
    for (int i = 0; i < c->n; i++) c->node_at[i] = number[c->node_at[i]];
    c->n = n;
    c->elements = c->block[0].n = kept;
    fem_case_matter(c, &m, 1, 1);
    const int zero = fem_case_support(c, 0, -1);
    for (int k = 0; k < 3; k++)
        for (int a = 0; a < D; a++) fem_case_hold(c, fem_case_at(c, k == 1, k == 2, 0), a, zero);
}

static void parts_that_share_a_node_or_an_edge_are_mechanisms(void **unused)
{
    static fem_case c;
    static const char *const two[4] = {".....", ".....", ".#...", "#...."};
    static const char *const longer[4] = {".....", "...#.", ".##..", "#...."};
    static const char *const words2[] = {"the part around (3.5, 1.5) of the body around (",
                                         "nothing keeps it from rotating about (3, 1); parts that share a node alone",
                                         NULL};
    static const char *const words3[] = {"the part around (3.5, 1.5, 0.5) of the body around (",
                                         "nothing keeps it from rotating about an axis along z through (3, 1, ",
                                         "parts that share a node or an edge alone can rotate about it", NULL};
    /* a chain: the next to what is constrained is named */
    static const char *const chain2[] = {"the part around (4, 1.5)", "from rotating about (3, 1);", NULL};
    static const char *const chain3[] = {"the part around (4, 1.5, 0.5)", "along z through (3, 1, ", NULL};
    (void)unused;
    picture(&c, two);
    is_unconstrained(&c, D == 2 ? words2 : words3);
    picture(&c, longer);
    is_unconstrained(&c, D == 2 ? chain2 : chain3);
}

/* Neighbours far from each other in the list of elements. */
static void shuffle(fem_case *c)
{
    const size_t nodes = D == 2 ? 4 : 8;
    const int n = c->block[0].n;
    int32_t *node = (int32_t *)(uintptr_t)c->block[0].nodes; /* the case's own */
    for (int e = n - 1; e > 0; e--) {
        const int other = (int)((unsigned)e * 2654435761u % (unsigned)n);
        int32_t kept[8];
        memcpy(kept, node + (size_t)e * nodes, sizeof *node * nodes);
        memcpy(node + (size_t)e * nodes, node + (size_t)other * nodes, sizeof *node * nodes);
        memcpy(node + (size_t)other * nodes, kept, sizeof *node * nodes);
    }
}

static void the_order_of_elements_does_not_matter(void **unused)
{
    static fem_case c;
    static const char *const two[4] = {".....", "..##.", ".###.", "#...."};
    const fem_material m = fem_material_of(PIO_HYPER_NEO_HOOKEAN, 1000);
    (void)unused;
    for (int shuffled = 0; shuffled < 2; shuffled++) {
        fem_case_begin(&c, 1, 1);
        fem_case_grid(&c, (fem_grid){box, box, {D == 2 ? 40 : 12, D == 2 ? 40 : 12, 12}, right, 0});
        fem_case_matter(&c, &m, 1, 1);
        fem_case_clamp(&c, 0, 0);
        if (shuffled) shuffle(&c);
        is_unconstrained(&c, NULL);
        picture(&c, two);
        if (shuffled) shuffle(&c);
        is_unconstrained(
            &c, (const char *const[]){"the part around (4.", D == 2 ? "about (3, 1);" : "z through (3, 1, ", NULL});
    }
}

static void three_parts_in_a_triangle_are_firm_and_four_in_a_loop_are_not(void **unused)
{
    static fem_case c;
    static const char *const triangle[4] = {".###.", "#...#", "#...#", "####."};
    static const char *const open[4] = {".###.", "#...#", "#....", "####."};
    static const char *const corner[4] = {".....", ".#...", "#.#..", "##..."};
    static const char *const loop[4] = {".##..", "#..#.", "#...#", "####."};
    (void)unused;
    picture(&c, triangle);
    is_unconstrained(&c, NULL);
    picture(&c, open);
    is_unconstrained(&c, (const char *const[]){"the part around (4.5, 3.5", D == 2 ? "about (3, 3)" : "(3, 3, ", NULL});
    picture(&c, corner); /* a smaller triangle: joints at (3, 2), (4, 2) and (4, 1) */
    is_unconstrained(&c, NULL);
    picture(&c, loop); /* joints at (3, 3), (5, 3), (6, 2) and (6, 1) */
    is_unconstrained(&c, (const char *const[]){"is unconstrained: nothing keeps it from rotating about", NULL});
}

/* A cell over a gap stands on two edges (2D: corners) of others. As far apart as it is wide they hold it; with next to
 * nothing between them it turns, whether it is the first of the elements or the last. */
static void what_hangs_by_a_hair_is_unconstrained_in_any_order(void **unused)
{
    static fem_case c;
    static const char *const bridge[4] = {".....", ".#...", "#.#..", "###.."};
    const int nodes = D == 2 ? 4 : 8;
    (void)unused;
    for (int trial = 0; trial < 4; trial++) {
        const int thin = trial % 2, first = trial / 2;
        picture(&c, bridge);
        int32_t *node = (int32_t *)(uintptr_t)c.block[0].nodes, *last = node + (c.elements - 1) * nodes;
        for (int k = 0; k < D - 1 && thin; k++) c.rest[D * fem_case_at(&c, 2, 2, k)] = 3 + 1e-9;
        for (int v = 0; v < nodes && first; v++) {
            const int32_t other = node[v];
            node[v] = last[v];
            last[v] = other;
        }
        is_unconstrained(
            &c, thin ? (const char *const[]){"is unconstrained: nothing keeps it from rotating about", NULL} : NULL);
    }
}

static void a_support_or_a_spring_constrains_a_mechanism(void **unused)
{
    static fem_case c;
    static const char *const two[4] = {".....", ".....", ".##..", "#...."};
    (void)unused;
    picture(&c, two);
    fem_case_hold(&c, fem_case_at(&c, 3, 2, 0), 1, fem_case_support(&c, 0, -1));
    is_unconstrained(&c, NULL);
    picture(&c, two);
    fem_case_springs(&c, fem_case_at(&c, 3, 1, 0), fem_case_value(&c, 0, 5, 0));
    is_unconstrained(&c, NULL);
    picture(&c, two); /* towards the hinge it holds nothing */
    fem_case_springs(&c, fem_case_at(&c, 3, 1, 0), fem_case_value(&c, 5, 0, 0));
    is_unconstrained(&c, (const char *const[]){"the part around (4, 1.5", NULL});
    picture(&c, two); /* a wind-brace on the constrained part does not help the other */
    fem_case_springs(&c, fem_case_at(&c, 0, 1, 0), fem_case_value(&c, 5, 5, 5));
    is_unconstrained(&c, (const char *const[]){"the part around (4, 1.5", NULL});
}

/* Two hexahedra at a single node turn about it in every direction. */
static void a_single_node_in_space_is_a_ball_joint(void **unused)
{
    static fem_case c;
    static const char *const words[] = {"an axis along x through", "an axis along y through", "an axis along z through",
                                        NULL};
    (void)unused;
    if (D == 2) skip();
    block(&c);
    int32_t *node = (int32_t *)(uintptr_t)c.block[0].nodes, number[27];
    int n = 0;
    memmove(node + 8, node + 7 * 8, 8 * sizeof *node); /* of 2 x 2 x 2 cells the first and the last */
    for (int i = 0; i < 27; i++) number[i] = -1;
    for (int k = 0; k < 16; k++) number[node[k]] = 0;
    for (int i = 0; i < 27; i++) {
        if (number[i] < 0) continue;
        memmove(c.rest + n * D, c.rest + i * D, sizeof *c.rest * D);
        number[i] = n++;
    }
    for (int k = 0; k < 16; k++) node[k] = number[node[k]];
    c.n = n;
    c.elements = c.block[0].n = 2;
    const int zero = fem_case_support(&c, 0, -1);
    for (int k = 0; k < 4; k++)
        for (int a = 0; a < D; a++) fem_case_hold(&c, node[k], a, zero);
    is_unconstrained(&c, words);
}

static void what_moves_in_time_may_be_loose(void **unused)
{
    static fem_case c;
    (void)unused;
    block(&c);
    fem_case_motion(&c, PIO_NEWMARK, 0, 0, 0);
    is_unconstrained(&c, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_nothing_supports_is_reported),
        cmocka_unit_test(a_roller_leaves_what_lies_in_its_plane),
        cmocka_unit_test(a_pin_leaves_the_turn_about_it),
        cmocka_unit_test(two_pins_are_a_hinge_in_space_and_firm_in_the_plane),
        cmocka_unit_test(three_rods_in_the_right_places_are_enough),
        cmocka_unit_test(as_many_rods_through_one_point_are_not),
        cmocka_unit_test(springs_hold_along_what_they_act_on),
        cmocka_unit_test(parts_that_share_a_node_or_an_edge_are_mechanisms),
        cmocka_unit_test(the_order_of_elements_does_not_matter),
        cmocka_unit_test(three_parts_in_a_triangle_are_firm_and_four_in_a_loop_are_not),
        cmocka_unit_test(what_hangs_by_a_hair_is_unconstrained_in_any_order),
        cmocka_unit_test(a_support_or_a_spring_constrains_a_mechanism),
        cmocka_unit_test(a_single_node_in_space_is_a_ball_joint),
        cmocka_unit_test(what_moves_in_time_may_be_loose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

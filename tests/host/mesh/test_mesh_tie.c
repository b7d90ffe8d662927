/* test_mesh_tie.c -- which nodes follow which where meshes do not match: weights that sum to 1 and keep linear
 * functions, and faces that have none opposite. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "host/mesh/mesh_tie.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const pio_element_type types[] = {PIO_TRI3, PIO_TRI6,  PIO_QUAD4, PIO_QUAD8, PIO_QUAD9,
                                         PIO_TET4, PIO_TET10, PIO_HEX8,  PIO_HEX20, PIO_HEX27};
enum { TYPES = sizeof types / sizeof *types };

/* A box from y = `floor` on, of width 1 and depth 1. */
static void box(pio_mesh *mesh, pio_element_type type, int nx, int nz, double floor, double width)
{
    const int32_t count[3] = {nx, 1, nz};
    const double origin[3] = {0, floor, 0}, size[3] = {width, 0.5, 1};
    piola_error error;
    assert_int_equal(pio_mesh_box(mesh, type, count, origin, size, &error), PIOLA_OK);
}

/* Ties the bottom of one mesh to the top of another. */
static piola_status tie(pio_mesh_ties *out, const pio_mesh *high, const pio_mesh *low, const char *ends, double gap,
                        pio_mesh_tie_fault *fault)
{
    pio_face_list bottom, top;
    piola_error error;
    assert_int_equal(pio_mesh_group_faces(high, "bottom", &bottom, &error), PIOLA_OK);
    assert_int_equal(pio_mesh_group_faces(low, "top", &top, &error), PIOLA_OK);
    const piola_status rc =
        pio_mesh_tie(out, (pio_mesh_side){high, &bottom, ends}, (pio_mesh_side){low, &top, NULL}, gap, fault, &error);
    free(bottom.item);
    free(top.item);
    return rc;
}

/* How far sum_k w_k is from 1, and sum_k w_k (x_k - x) from 0. */
static void measure(const pio_mesh_ties *t, const pio_mesh *high, const pio_mesh *low, double *sum, double *linear)
{
    *sum = *linear = 0;
    for (int32_t i = 0; i < t->n; i++) {
        double one = 0, x[3] = {0};
        for (int32_t k = t->start[i]; k < t->start[i + 1]; k++) {
            one += t->weight[k];
            for (int a = 0; a < 3; a++)
                x[a] += t->weight[k] *
                        (low->x[3 * (size_t)t->master[k] + (size_t)a] - high->x[3 * (size_t)t->node[i] + (size_t)a]);
        }
        *sum = fmax(*sum, fabs(one - 1));
        for (int a = 0; a < 3; a++) *linear = fmax(*linear, fabs(x[a]));
    }
}

/* Also where a support has the nodes at x = 0, which then follow the nodes at x = 0 alone. */
static void linear_functions_are_kept(void **unused)
{
    (void)unused;
    for (int t = 0; t < TYPES; t++)
        for (int s = 0; s < 2 * TYPES; s++) {
            pio_mesh high, low;
            pio_mesh_ties ties;
            pio_mesh_tie_fault fault;
            double sum, linear, beside = 0;
            const pio_element_type other = types[s / 2];
            if (pio_elements[types[t]].dimension != pio_elements[other].dimension) continue;
            box(&high, types[t], 3, 2, 0.5, 1);
            box(&low, other, 2, 3, 0, 1);
            char *ends = calloc((size_t)high.n_nodes, 1);
            assert_non_null(ends);
            for (int32_t i = 0; i < high.n_nodes; i++) ends[i] = s % 2 && high.x[3 * (size_t)i] < 1e-9;
            assert_int_equal(tie(&ties, &high, &low, ends, 1e-6, &fault), PIOLA_OK);
            measure(&ties, &high, &low, &sum, &linear);
            for (int32_t i = 0; i < ties.n; i++)
                for (int32_t k = ties.start[i]; k < ties.start[i + 1]; k++)
                    if (ends[ties.node[i]] && low.x[3 * (size_t)ties.master[k]] > 1e-9)
                        beside = fmax(beside, fabs(ties.weight[k]));
            print_message("%s on %s%s: %d nodes, sums off by %.2g, places by %.2g, ends by %.2g (threshold 1e-12)\n",
                          pio_elements[types[t]].name, pio_elements[other].name, s % 2 ? " with ends" : "", ties.n, sum,
                          linear, beside);
            assert_true(ties.n > 3 && sum < 1e-12 && linear < 1e-12 && beside < 1e-12);
            free(ends);
            pio_mesh_ties_free(&ties);
            pio_mesh_free(&high);
            pio_mesh_free(&low);
        }
}

/* Where meshes match, each node follows the one that is at its place. */
static void nodes_that_match_follow_each_other(void **unused)
{
    (void)unused;
    for (int t = 0; t < TYPES; t++) {
        pio_mesh high, low;
        pio_mesh_ties ties;
        pio_mesh_tie_fault fault;
        double worst = 0;
        box(&high, types[t], 3, 2, 0.5, 1);
        box(&low, types[t], 3, 2, 0, 1);
        assert_int_equal(tie(&ties, &high, &low, NULL, 1e-6, &fault), PIOLA_OK);
        for (int32_t i = 0; i < ties.n; i++)
            for (int32_t k = ties.start[i]; k < ties.start[i + 1]; k++) {
                double far = 0;
                for (int a = 0; a < 3; a++)
                    far += fabs(high.x[3 * (size_t)ties.node[i] + (size_t)a] -
                                low.x[3 * (size_t)ties.master[k] + (size_t)a]);
                worst = fmax(worst, fabs(ties.weight[k] - (far < 1e-9)));
            }
        print_message("%s: weights off by %.2g (threshold 1e-12)\n", pio_elements[types[t]].name, worst);
        assert_true(worst < 1e-12);
        pio_mesh_ties_free(&ties);
        pio_mesh_free(&high);
        pio_mesh_free(&low);
    }
}

/* A gap, and a face that is beyond the others, are found; a gap that is allowed is not. */
static void faces_without_another_are_found(void **unused)
{
    (void)unused;
    for (int t = 0; t < TYPES; t++) {
        pio_mesh high, low;
        pio_mesh_ties ties;
        pio_mesh_tie_fault fault;
        box(&high, types[t], 3, 2, 0.51, 1);
        box(&low, types[t], 2, 2, 0, 1);
        assert_int_equal(tie(&ties, &high, &low, NULL, 0.009, &fault), PIOLA_BAD_DATA);
        assert_true(fabs(fault.x[1] - 0.51) < 1e-12 && ties.n == 0);
        assert_int_equal(tie(&ties, &high, &low, NULL, 0.011, &fault), PIOLA_OK);
        pio_mesh_ties_free(&ties);
        pio_mesh_free(&low);
        box(&low, types[t], 2, 2, 0.01, 0.8);
        assert_int_equal(tie(&ties, &high, &low, NULL, 0.011, &fault), PIOLA_BAD_DATA);
        assert_true(fault.x[0] > 0.66 && !(fault.overlap > 0));
        pio_mesh_free(&high);
        pio_mesh_free(&low);
    }
}

/* Where meshes overlap by more than the gap, its depth is found; where they are apart by as much there is none. */
static void an_overlap_is_found_with_its_depth(void **unused)
{
    (void)unused;
    double worst = 0;
    for (int t = 0; t < TYPES; t++)
        for (int apart = 0; apart < 2; apart++) {
            pio_mesh high, low;
            pio_mesh_ties ties;
            pio_mesh_tie_fault fault;
            box(&high, types[t], 3, 2, apart ? 0.55 : 0.45, 1);
            box(&low, types[t], 2, 2, 0, 1);
            assert_int_equal(tie(&ties, &high, &low, NULL, 0.049, &fault), PIOLA_BAD_DATA);
            assert_int_equal(fault.reason, PIO_TIE_OPEN);
            worst = fmax(worst, fabs(fault.overlap - (apart ? 0 : 0.05)));
            assert_int_equal(tie(&ties, &high, &low, NULL, 0.051, &fault), PIOLA_OK); /* negative control */
            pio_mesh_ties_free(&ties);
            pio_mesh_free(&high);
            pio_mesh_free(&low);
        }
    print_message("  overlap of 0.05 m, or none: off by %.1e m at most (threshold 1e-12)\n", worst);
    assert_true(worst < 1e-12);
}

/* One face whose nodes are all in supports has none that takes the part of these, which is an error with its place. */
static void ends_without_others_are_found(void **unused)
{
    (void)unused;
    for (int t = 0; t < TYPES; t++) {
        pio_mesh high, low;
        pio_mesh_ties ties;
        pio_mesh_tie_fault fault;
        box(&high, types[t], 1, 1, 0.5, 1);
        box(&low, types[t], 3, 2, 0, 1);
        char *ends = malloc((size_t)high.n_nodes);
        assert_non_null(ends);
        memset(ends, 1, (size_t)high.n_nodes);
        assert_int_equal(tie(&ties, &high, &low, ends, 1e-6, &fault), PIOLA_BAD_DATA);
        assert_true(fault.reason == PIO_TIE_ALONE && fabs(fault.x[1] - 0.5) < 1e-12 && ties.n == 0);
        for (int32_t i = 0; i < high.n_nodes; i++) ends[i] = high.x[3 * (size_t)i] < 0.5;
        assert_int_equal(tie(&ties, &high, &low, ends, 1e-6, &fault), PIOLA_OK);
        free(ends);
        pio_mesh_ties_free(&ties);
        pio_mesh_free(&high);
        pio_mesh_free(&low);
    }
}

/* Digits of places are lost far from the origin, and nothing else: the two sides are moved by 1e5 edges. */
static void places_far_from_the_origin(void **unused)
{
    (void)unused;
    for (int t = 0; t < TYPES; t++) {
        pio_mesh mesh[2];
        pio_mesh_ties ties;
        pio_mesh_tie_fault fault;
        double sum, linear;
        const double far = 1e5 / 7, limit = 100 * 2.3e-16 * far;
        box(&mesh[0], types[t], 7, 2, 0.5, 1);
        box(&mesh[1], types[t], 6, 3, 0, 1);
        for (int side = 0; side < 2; side++)
            for (int32_t i = 0; i < mesh[side].n_nodes; i++) mesh[side].x[3 * (size_t)i] += far;
        assert_int_equal(tie(&ties, &mesh[0], &mesh[1], NULL, 1e-4, &fault), PIOLA_OK);
        measure(&ties, &mesh[0], &mesh[1], &sum, &linear);
        print_message("%s: sums off by %.2g (threshold 1e-9), places by %.2g (threshold %.2g)\n",
                      pio_elements[types[t]].name, sum, linear, limit);
        assert_true(sum < 1e-9 && linear < limit);
        pio_mesh_ties_free(&ties);
        for (int side = 0; side < 2; side++) pio_mesh_free(&mesh[side]);
    }
}

/* One face on very many others, whichever side follows. */
static void meshes_of_very_different_sizes(void **unused)
{
    static const int count[][2] = {{1, 20}, {1, 60}, {2, 200}};
    (void)unused;
    for (int t = 0; t < TYPES; t++)
        for (int i = 0; i < 6; i++) {
            pio_mesh high, low;
            pio_mesh_ties ties;
            pio_mesh_tie_fault fault;
            double sum, linear;
            box(&high, types[t], count[i / 2][i % 2], 1, 0.5, 1);
            box(&low, types[t], count[i / 2][1 - i % 2], 1, 0, 1);
            assert_int_equal(tie(&ties, &high, &low, NULL, 1e-6, &fault), PIOLA_OK);
            measure(&ties, &high, &low, &sum, &linear);
            print_message("%s: %d faces on %d, sums off by %.2g, places by %.2g (threshold 1e-11)\n",
                          pio_elements[types[t]].name, count[i / 2][i % 2], count[i / 2][1 - i % 2], sum, linear);
            assert_true(sum < 1e-11 && linear < 1e-11);
            pio_mesh_ties_free(&ties);
            pio_mesh_free(&high);
            pio_mesh_free(&low);
        }
}

/* A face that has two others opposite, here the same twice, has no mean of both. */
static void faces_with_two_others_are_found(void **unused)
{
    (void)unused;
    for (int t = 0; t < TYPES; t++) {
        pio_mesh high, low;
        pio_mesh_ties ties;
        pio_mesh_tie_fault fault;
        pio_face_list bottom, top;
        piola_error error;
        box(&high, types[t], 3, 2, 0.5, 1);
        box(&low, types[t], 2, 3, 0, 1);
        assert_int_equal(pio_mesh_group_faces(&high, "bottom", &bottom, &error), PIOLA_OK);
        assert_int_equal(pio_mesh_group_faces(&low, "top", &top, &error), PIOLA_OK);
        pio_face_list more = {.n = top.n + 1, .item = malloc(sizeof *more.item * ((size_t)top.n + 1))};
        assert_non_null(more.item);
        memcpy(more.item, top.item, sizeof *more.item * (size_t)top.n);
        more.item[top.n] = top.item[0];
        assert_int_equal(pio_mesh_tie(&ties, (pio_mesh_side){&high, &bottom, NULL}, (pio_mesh_side){&low, &more, NULL},
                                      1e-6, &fault, &error),
                         PIOLA_BAD_DATA);
        assert_true(fault.reason == PIO_TIE_TWICE && fabs(fault.x[1] - 0.5) < 1e-12 && ties.n == 0);
        free(bottom.item);
        free(top.item);
        free(more.item);
        pio_mesh_free(&high);
        pio_mesh_free(&low);
    }
}

/* Bends a mesh around an axis along z, with the radius 2 at y = 0.5. */
static void bend(pio_mesh *mesh)
{
    for (int32_t i = 0; i < mesh->n_nodes; i++) {
        double *x = mesh->x + 3 * (size_t)i;
        const double radius = 1.5 + x[1], angle = x[0] / 2;
        x[0] = radius * sin(angle);
        x[1] = radius * cos(angle);
    }
}

/* On a curved seam the two meshes have different polygons: weights sum to 1, and places differ by about the gap. */
static void curved_seams_need_a_gap(void **unused)
{
    (void)unused;
    for (int t = 0; t < TYPES; t++) {
        pio_mesh high, low;
        pio_mesh_ties ties;
        pio_mesh_tie_fault fault;
        double sum, linear;
        const double gap = pio_elements[types[t]].order > 1 ? 2e-4 : 0.008;
        box(&high, types[t], 5, 2, 0.5, 1);
        box(&low, types[t], 4, 3, 0, 1);
        bend(&high);
        bend(&low);
        assert_int_equal(tie(&ties, &high, &low, NULL, 1e-9, &fault), PIOLA_BAD_DATA);
        assert_int_equal(tie(&ties, &high, &low, NULL, gap, &fault), PIOLA_OK);
        measure(&ties, &high, &low, &sum, &linear);
        print_message("%s: sums off by %.2g (threshold 1e-12), places by %.2g (threshold %g)\n",
                      pio_elements[types[t]].name, sum, linear, gap);
        assert_true(sum < 1e-12 && linear < gap);
        pio_mesh_ties_free(&ties);
        pio_mesh_free(&high);
        pio_mesh_free(&low);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curved_seams_need_a_gap),
        cmocka_unit_test(linear_functions_are_kept),
        cmocka_unit_test(nodes_that_match_follow_each_other),
        cmocka_unit_test(ends_without_others_are_found),
        cmocka_unit_test(places_far_from_the_origin),
        cmocka_unit_test(meshes_of_very_different_sizes),
        cmocka_unit_test(faces_with_two_others_are_found),
        cmocka_unit_test(faces_without_another_are_found),
        cmocka_unit_test(an_overlap_is_found_with_its_depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

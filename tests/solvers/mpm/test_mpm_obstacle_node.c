/* test_mpm_obstacle_node.c -- what an obstacle does to one node: at the least speeds that it may have, and on an
 * edge. */
#include "solvers/mpm/mpm.h"
#include "tests/solvers/mpm/mpm_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { D = CASE_DIM };

static vec random_vec(mpm_case *c, double size)
{
    vec v;
    for (int a = 0; a < D; a++) v.x[a] = (real)(size * case_random(c));
    return v;
}

/* An obstacle has no velocities of its own but those at which friction and contact set in. So with these and the node's
 * smaller by 2^-26, down to the least that is accepted, it does the same to the bit, the derivatives too, unless a
 * power of them has no room in `real`. */
static void obstacles_at_the_least_regularisation_do_the_same_to_the_bit(void **unused)
{
    enum { NODES = 20000 };
    const real less = (real)ldexp(1, -26);
    mpm_case c = {.random = 9};
    int differ = 0, acted = 0;
    (void)unused;
    for (int i = 0; i < NODES; i++) {
        const int behaviour = i % 2 ? PIO_WALL_SEPARATE : PIO_WALL_SLIP;
        const obstacle_grip high = {.friction = (real)(0.5 + 0.5 * case_random(&c)),
                                    .friction_velocity = (real)0.068,
                                    .separation_velocity = (real)0.07};
        obstacle_grip low = high, bar[2] = {{0}};
        vec normal = random_vec(&c, 1), u = random_vec(&c, i % 3 ? 1 : 0.01), kept_bar = random_vec(&c, 1);
        vec normal_bar[2] = {vec_zero(), vec_zero()};
        low.separation_velocity *= less;
        low.friction_velocity *= less;
        normal = vec_scale((real)(1 / sqrt((double)vec_dot(normal, normal))), normal);
        if (i % 5 == 0) u = vec_zero();
        const vec v = vec_scale(less, u);
        const obstacle_contact large = obstacle_contact_of(behaviour, &high, normal, u),
                               small = obstacle_contact_of(behaviour, &low, normal, v);
        int same = large.acts == small.acts;
        if (large.acts) {
            const vec a = obstacle_contact_adj(&large, &high, normal, u, kept_bar, &normal_bar[0], &bar[0]),
                      b = obstacle_contact_adj(&small, &low, normal, v, kept_bar, &normal_bar[1], &bar[1]);
            same &= bar[1].friction == less * bar[0].friction && bar[1].friction_velocity == bar[0].friction_velocity &&
                    bar[1].separation_velocity == bar[0].separation_velocity;
            for (int k = 0; k < D; k++)
                same &= small.kept.x[k] == less * large.kept.x[k] && a.x[k] == b.x[k] &&
                        normal_bar[1].x[k] == less * normal_bar[0].x[k];
        }
        acted += large.acts;
        differ += !same;
    }
    print_message("  %d nodes (%d touch) regularised by %.3g m/s, %d differ from 0.07 m/s (threshold 0)\n", NODES,
                  acted, (double)(less * (real)0.07), differ);
    assert_true(acted > NODES / 10 && acted < NODES);
    assert_int_equal(differ, 0);
}

/* A node on an edge but for rounding, where normals turn from one face to the other within nothing, has a face's;
 * beside it the normal is between them and turns by 1/distance. */
static void on_an_edge_a_normal_is_that_of_a_face(void **unused)
{
    (void)unused;
    for (int kind = 0; kind < (D == 3 ? 2 : 1); kind++) {
        const obstacle_shape shape = {.type = kind ? PIO_CYLINDER : PIO_BOX,
                                      .half = {(real)0.05, (real)0.2},
                                      .radius = (real)0.05,
                                      .height = (real)0.2,
                                      .axis = 1,
                                      .width = (real)0.05,
                                      .scale = 1};
        for (int beside = 0; beside < 2; beside++) {
            vec y = vec_zero();
            double most = 0;
            for (int a = 0; a < 2; a++)
                y.x[a] =
                    (real)(a ? 0.2 : 0.05) + (beside ? (real)0.001 : (real)1e-16 + (real)(case_is_f32() ? 1e-8 : 0));
            const obstacle_near at = obstacle_near_of(&shape, shape.scale, NULL, y);
            for (int a = 0; a < D; a++)
                for (int b = 0; b < D; b++) most = fmax(most, fabs((double)at.turn.m[a][b]));
            print_message("  %s, %s: normal (%.3f, %.3f), turns by at most %.3g /m\n", kind ? "cylinder" : "box",
                          beside ? "1 mm beside an edge" : "on it", (double)at.normal.x[0], (double)at.normal.x[1],
                          most);
            if (beside)
                assert_true(most > 300 && fabs((double)at.normal.x[0] - sqrt(0.5)) < 1e-4);
            else
                assert_true(most < 21 && (double)(at.normal.x[0] * at.normal.x[1]) <= 0 && (double)at.d < 1e-6);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(obstacles_at_the_least_regularisation_do_the_same_to_the_bit),
        cmocka_unit_test(on_an_edge_a_normal_is_that_of_a_face),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

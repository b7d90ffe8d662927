/* test_mpm_push_gradient.c -- is the adjoint the derivative of motions that meet obstacles with a potential, and are
 * its bits the same for any number of threads and any plan of memory? In f64: differences of J need it. */
#include "tests/solvers/mpm/mpm_obstacle_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { STEPS = D == 3 ? 15 : 32 };

static const pio_shape_type types[MOST] = {PIO_PLANE, PIO_BALL,       PIO_BOX, D == 3 ? PIO_CYLINDER : PIO_BOX,
                                           PIO_BALL,  PIO_CLOSED_MESH};

/* Coordinates of the obstacles, the same along every axis, since a design has one constant: below a cube from 0.8 to
 * 1.2 m, and at two of its corners, so that each just touches it. */
static const double place[MOST] = {
    0.795, D == 3 ? 1.475 : 1.543, 0.637, D == 3 ? 1.327 : 1.363, D == 3 ? 0.7615 : 0.755, D == 3 ? 1.286 : 1.3176};

/* A cube of two solids that meets obstacles of every shape, some of which move, all with a potential; with `mixed` one
 * of them acts on the grid. Designs: velocities, stiffness of a material, and everything of obstacles `first` and
 * `first` + 1. */
static void push_crowd(mpm_case *c, pio_obstacle_desc list[MOST], int first, int mixed)
{
    static const double motion[2][PIO_MOTION_NUMBERS] = {{0, 0, 0, 0, 0}, {0.06, -0.01, -0.05, -0.01, 0.05}};
    static const case_body bodies[2] = {
        {.law = PIO_HYPER_NEO_HOOKEAN, .parameters = {2e4, 0.3}, .density = 1000, .velocity = {0.3, -1, 0.2}},
        {.law = PIO_HYPER_FIXED_COROTATED, .parameters = {3e4, 0.3}, .density = 1000, .velocity = {0.3, -0.5, 0.2}}};
    case_init(c, 20, 20, 20, 0.1, 2e-3, STEPS);
    for (int b = 0; b < 2; b++) {
        const double lo[3] = {b ? 1 : 0.8, 0.8, 0.8}, hi[3] = {b ? 1.2 : 1, 1.2, 1.2};
        case_block(c, &bodies[b], lo, hi, 2, 0.1);
    }
    for (int k = 0; k < MOST; k++) {
        pio_obstacle_desc *o = add_obstacle(c, list, types[k], PIO_WALL_SEPARATE, 1);
        for (int a = 0; a < 3; a++) {
            o->position[a] = place[k];
            o->rotation[a] = 0.01;
            o->size[a] = 0.4;
        }
        o->radius = k == 1 ? 0.5 : k == 4 ? 0.1 : 0.2;
        o->height = 0.8;
        o->axis = D - 1;
        o->friction = 0.2 + 0.1 * k;
        o->friction_velocity = o->separation_velocity = 0.05;
        o->turns[0] = 0.6;
        o->turns[D - 1] = 0.8;
        o->motion = &motion[0][0];
        o->n_points = k % 2 ? 2 : 0;
        if (o->type == PIO_CLOSED_MESH) mesh_of_ball(o, o->radius, 0.2, 0.1);
        o->model = mixed && k == first + 1 ? PIO_CONTACT_GRID : PIO_CONTACT_POTENTIAL;
        o->stiffness = 3e4 + 2e3 * k;
        o->contact_distance = 0.02 + 0.002 * k;
    }
    case_design(c, PIO_VELOCITY, -1, CASE_EACH, 0, 0, 1);
    case_design(c, PIO_LAW_PARAMETER_0, 0, CASE_SCALAR, 1, log(2e4), 0.3);
    for (int k = first; k < first + 2; k++) {
        const pio_obstacle_desc *o = &list[k];
        const int from = c->desc.n_designs;
        case_design(c, PIO_OBSTACLE_FRICTION, -1, CASE_SCALAR, 0, o->friction, 0.1);
        if (o->model == PIO_CONTACT_POTENTIAL) {
            case_design(c, PIO_OBSTACLE_STIFFNESS, -1, CASE_SCALAR, 1, log(o->stiffness), 0.3);
            case_design(c, PIO_OBSTACLE_DISTANCE, -1, CASE_SCALAR, 0, o->contact_distance, 0.003);
        }
        if (o->type == PIO_PLANE) /* elsewhere J hardly depends on it */
            case_design(c, PIO_OBSTACLE_FRICTION_VELOCITY, -1, CASE_SCALAR, 0, o->friction_velocity, 0.01);
        case_design(c, PIO_OBSTACLE_POSITION, -1, CASE_SCALAR, 0, place[k], 0.005);
        if (o->type != PIO_BALL) case_design(c, PIO_OBSTACLE_ROTATION, -1, CASE_SCALAR, 0, 0.01, 0.02);
        if (o->type != PIO_PLANE) case_design(c, PIO_OBSTACLE_SCALE, -1, CASE_SCALAR, 0, 1, 0.005);
        for (int e = from; e < c->desc.n_designs; e++) c->design[e].which = k;
        if (!o->n_points) continue;
        case_design_motion(c, k, 0, -0.005, 0.005);
        case_design_motion(c, k, -1, 0.02, 0.02);
    }
}

/* In space: everything at random, and with `each` the gradient of each design of an obstacle's place and potential. */
static void few_directions(mpm_taylor *t, int each)
{
    static double h[CASE_VARIABLES];
    mpm_taylor_random(t, h, 0, t->c->variables);
    mpm_taylor_direction(t, "everything, random", h);
    for (int d = 1; d < t->c->desc.n_designs && each; d++) {
        const pio_quantity quantity = t->c->design[d].quantity;
        if (quantity == PIO_OBSTACLE_FRICTION || quantity == PIO_OBSTACLE_FRICTION_VELOCITY) continue;
        mpm_taylor_gradient(t, h, case_design_first(t->c, d), case_design_count(t->c, d));
        mpm_taylor_direction(t, "gradient of a design", h);
    }
}

static void adjoint_is_the_derivative_for_every_shape_and_parameter(void **unused)
{
    (void)unused;
    for (int first = 0; first < 6; first += 2) {
        static mpm_taylor t;
        static mpm_case c;
        pio_obstacle_desc list[MOST];
        char what[64];
        push_crowd(&c, list, first, first == 2);
        mpm_observe_everything(&c, 0.35);
        mpm_taylor_begin(&t, &c, 0.1);
        if (first == 4) t.tolerance = 1e-6; /* a ball and a mesh at corners change J by little more than its rounding */
        if (D == 2)
            mpm_taylor_all(&t);
        else
            few_directions(&t, first == 0);
        snprintf(what, sizeof what, "obstacles %d and %d%s", first, first + 1, first == 2 ? ", one on the grid" : "");
        mpm_taylor_end(&t, what);
        case_free(&c);
    }
}

/* The same check refuses a gradient that is off by 1e-4, and one in which an obstacle's contribution is missing. */
static void wrong_gradients_of_potentials_are_refused(void **unused)
{
    static mpm_taylor t;
    static mpm_case c;
    static double h[CASE_VARIABLES];
    pio_obstacle_desc list[MOST];
    (void)unused;
    if (D == 3) skip(); /* the same text */
    push_crowd(&c, list, 0, 0);
    mpm_observe_everything(&c, 0.35);
    mpm_taylor_begin(&t, &c, 0.1);
    t.quiet = 1;
    assert_int_equal(c.design[2].quantity, PIO_OBSTACLE_FRICTION);
    for (int d = 2; d < 5; d++) {
        const int first = case_design_first(&c, d), count = case_design_count(&c, d);
        const double kept = t.z_bar[first];
        mpm_taylor_gradient(&t, h, first, count);
        for (int i = first; i < first + count; i++) t.z_bar[i] *= 1.0001;
        assert_int_equal(mpm_taylor_direction(&t, "scaled by 1.0001", h), PIO_TAYLOR_FAILED);
        for (int i = first; i < first + count; i++) t.z_bar[i] /= 1.0001;
        mpm_taylor_single(h, first);
        t.z_bar[first] = 0;
        assert_int_not_equal(mpm_taylor_direction(&t, "missing", h), PIO_TAYLOR_PASSED);
        t.z_bar[first] = kept;
    }
    assert_int_equal(t.passed, 0);
    piola_engine.destroy(t.sim);
    case_free(&c);
}

/* Bits of J, of dJ/dz and of the state. */
static uint64_t bits(mpm_case *c, int threads, int64_t slots)
{
    static double z[CASE_VARIABLES], z_bar[CASE_VARIABLES];
    pio_schedule s = pio_schedule_checkpoint(c->desc.steps, (int)slots, 0, 1);
    pio_sim *sim = case_create(c, slots, threads);
    for (int i = 0; i < c->variables; i++) z[i] = 0.1 * sin(i);
    const double J = case_gradient(c, sim, slots < c->desc.steps ? &s : NULL, z, z_bar);
    uint64_t hash = case_hash(CASE_HASH_START, &J, sizeof J);
    hash = case_hash(hash, z_bar, sizeof *z_bar * (size_t)c->variables);
    hash ^= case_hash_gradients(sim, c->n);
    pio_schedule_end(&s);
    piola_engine.destroy(sim);
    return hash;
}

static void threads_and_plans_of_memory_give_the_same_bits(void **unused)
{
    static const struct {
        int threads, slots, sums;
    } ways[] = {{1, 8, 0}, {2, 8, 0}, {3, 8, 1}, {2, 3, 0}, {1, 4, 1}};
    static mpm_case c;
    static const case_body b = {
        .law = PIO_HYPER_NEO_HOOKEAN, .parameters = {1e5, 0.3}, .density = 1000, .velocity = {1, -2, 0.5}};
    const double lo[3] = {0.22, 0.22, 0.22}, hi[3] = {D == 3 ? 0.62 : 1.9, D == 3 ? 0.62 : 1.9, 0.62};
    pio_obstacle_desc list[MOST];
    uint64_t first = 0;
    (void)unused;
    case_init(&c, D == 3 ? 20 : 55, D == 3 ? 20 : 55, 20, 0.04, 5e-4, 8);
    case_block(&c, &b, lo, hi, 2, 0.2);
    pio_obstacle_desc *o = add_obstacle(&c, list, PIO_PLANE, PIO_WALL_SEPARATE, 1);
    o->model = PIO_CONTACT_POTENTIAL;
    o->stiffness = 1.3e5;
    o->contact_distance = 0.01;
    o->friction = 0.3;
    o->position[1] = 0.222;
    case_sample(&c, case_observe(&c, PIO_MEAN_VELOCITY, 0, 1), 8, 0, 1);
    c.design[case_design(&c, PIO_OBSTACLE_POSITION, -1, CASE_SCALAR, 0, 0.222, 0.01)].which = 0;
    c.design[case_design(&c, PIO_OBSTACLE_STIFFNESS, -1, CASE_SCALAR, 0, 1.3e5, 1e4)].which = 0;
    print_message("  %d particles\n", (int)c.n);
    assert_true(c.n > 4096); /* the backend runs less than that on one thread */
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        c.desc.slot_sums = ways[k].sums;
        const uint64_t hash = bits(&c, ways[k].threads, ways[k].slots);
        print_message("  %d threads, %d states kept%s: %016llx\n", ways[k].threads, ways[k].slots,
                      ways[k].sums ? " with sums" : "", (unsigned long long)hash);
        if (k == 0) first = hash;
        assert_true(hash == first);
    }
    o->friction = 0.30001;
    assert_true(bits(&c, 1, 8) != first); /* not vacuous */
    case_free(&c);
}

/* Contact at the top of a box alone: as the box grows about its centre its face moves by half its height, and all
 * points of its motion together move it, too. The derivatives are those by its place, times half the height and 1. */
static void a_box_that_grows_or_moves_is_a_face_that_moves(void **unused)
{
    static const double lift[3][PIO_MOTION_NUMBERS] = {{0}, {0.03, 0, 0, 0, 0}, {0.2, 0, 0, 0, 0}};
    static const case_body b = {
        .law = PIO_HYPER_NEO_HOOKEAN, .parameters = {2e4, 0.3}, .density = 1000, .velocity = {0, -1, 0}};
    const double lo[3] = {0.8, 0.8, 0.8}, hi[3] = {1.2, 1.2, 1.2}, half = 0.145;
    (void)unused;
    for (int grid = 0; grid < 2; grid++) {
        static mpm_case c;
        static double z[CASE_VARIABLES], z_bar[CASE_VARIABLES];
        pio_obstacle_desc list[MOST];
        case_init(&c, 20, 20, 20, 0.1, 2e-3, 40);
        case_block(&c, &b, lo, hi, 2, 0.1);
        pio_obstacle_desc *o = add_obstacle(&c, list, PIO_BOX, PIO_WALL_SEPARATE, 1);
        for (int a = 0; a < 3; a++) {
            o->position[a] = 0.65;
            o->size[a] = a == 1 ? 2 * half : 2.5;
        }
        o->model = grid ? PIO_CONTACT_GRID : PIO_CONTACT_POTENTIAL;
        o->stiffness = 3e4;
        o->contact_distance = 0.02;
        o->motion = &lift[0][0];
        o->n_points = 3;
        case_sample(&c, case_observe(&c, PIO_MEAN_VELOCITY, 0, 1), 40, 0, 1);
        c.design[case_design(&c, PIO_OBSTACLE_POSITION, -1, CASE_SCALAR, 0, 0.65, 1)].which = 0;
        c.design[case_design(&c, PIO_OBSTACLE_SCALE, -1, CASE_SCALAR, 0, 1, 1)].which = 0;
        case_design_motion(&c, 0, 1, 0, 1);
        pio_sim *sim = case_create(&c, c.desc.steps, 1);
        case_gradient(&c, sim, NULL, z, z_bar);
        const double by_place = z_bar[1], *by_shift = z_bar + D + 1;
        const double grows = fabs(z_bar[D] / (half * by_place) - 1),
                     moves = fabs((by_shift[0] + by_shift[1] + by_shift[2]) / by_place - 1);
        print_message("  %s: dJ/dy %.6g /m; by its scale %.2g off half its height times that, by its motion %.2g off "
                      "it (threshold 1e-10)\n",
                      grid ? "on the grid" : "a potential", by_place, grows, moves);
        assert_true(fabs(by_place) > 1e-3 && fabs(by_shift[1] / by_place) > 0.01);
        assert_true(grows < 1e-10 && moves < 1e-10);
        piola_engine.destroy(sim);
        case_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adjoint_is_the_derivative_for_every_shape_and_parameter),
        cmocka_unit_test(wrong_gradients_of_potentials_are_refused),
        cmocka_unit_test(a_box_that_grows_or_moves_is_a_face_that_moves),
        cmocka_unit_test(threads_and_plans_of_memory_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

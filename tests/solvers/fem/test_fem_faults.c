/* test_fem_faults.c -- is every way in which a mesh's run can fail found, named and harmless?
 *
 * Each fault comes from a description that a host could pass on. It has its status and its words, it leaves no
 * simulation behind, and a run that failed can be started again. */
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

typedef struct {
    const char *name;
    void (*set_up)(fem_case *c, double *z);
    piola_status status;
    const char *expected[4]; /* all of these are in the message */
    int back;                /* found on the way back */
    piola_failure_kind kind, cause;
    int step; /* -1: of none */
    piola_failed_item of;
} fault_case;

static void pulled(fem_case *c, double *z)
{
    (void)z;
    fem_case_block(c, PIO_HYPER_NEO_HOOKEAN, 2);
}

/* ---- what the description says ----------------------------------------------------------------------------- */

static void wrong_node(fem_case *c, double *z)
{
    static int32_t nodes[512];
    (void)z;
    fem_case_block(c, PIO_HYPER_LINEAR, 1);
    memcpy(nodes, c->block[0].nodes, sizeof *nodes * (size_t)(c->block[0].n * mesh_nodes_of[c->block[0].type]));
    nodes[5] = c->n;
    c->block[0].nodes = nodes;
}

static void negative_node(fem_case *c, double *z)
{
    wrong_node(c, z);
    ((int32_t *)(uintptr_t)c->block[0].nodes)[5] = -1;
}

static void no_nodes(fem_case *c, double *z)
{
    (void)z;
    fem_case_block(c, PIO_HYPER_LINEAR, 1);
    c->n = 0;
}

static void too_many_steps(fem_case *c, double *z)
{
    (void)z;
    fem_case_block(c, PIO_HYPER_LINEAR, 1);
    c->desc.steps = INT64_C(1) << 40;
}

static void another_build(fem_case *c, double *z)
{
    (void)z;
    fem_case_block(c, PIO_HYPER_LINEAR, 1);
    c->desc.size = 8;
}

/* Ties a node to another one that no support has: a constrained node, or a free one; and with `both` that to this. */
static void tie(fem_case *c, int constrained, int both)
{
    static int32_t node[2], start[3] = {0, 1, 2}, to[2];
    static const double weight[2] = {1, 1};
    int found[2], n = 0;
    for (int i = 0; i < c->n && n < 2; i++) {
        int held = 0;
        for (int h = 0; h < c->fem.n_constrained; h++) held |= c->constrained_node[h] == i;
        if (!held) found[n++] = i;
    }
    node[0] = constrained ? c->constrained_node[0] : found[0];
    to[0] = found[1];
    node[1] = found[1];
    to[1] = found[0];
    c->fem.ties = (pio_tie_desc){1 + both, node, start, to, weight};
}

static void tied_and_constrained(fem_case *c, double *z)
{
    (void)z;
    fem_case_block(c, PIO_HYPER_LINEAR, 1);
    tie(c, 1, 0);
}

static void tied_to_each_other(fem_case *c, double *z)
{
    (void)z;
    fem_case_block(c, PIO_HYPER_LINEAR, 1);
    tie(c, 0, 1);
}

static void tied_to_no_node(fem_case *c, double *z)
{
    static const int32_t none = 1 << 20;
    (void)z;
    fem_case_block(c, PIO_HYPER_LINEAR, 1);
    tie(c, 0, 0);
    c->fem.ties.master = &none;
}

static void explicit_step_too_long(fem_case *c, double *z);
static void tied_explicitly(fem_case *c, double *z)
{
    explicit_step_too_long(c, z);
    tie(c, 0, 0);
}

/* ---- what is found before the first step ------------------------------------------------------------------- */

static void with_obstacles(fem_case *c, double *z)
{
    static const pio_obstacle_desc floor = {.type = PIO_PLANE};
    (void)z;
    fem_case_block(c, PIO_HYPER_LINEAR, 1);
    c->desc.n_obstacles = 1;
    c->desc.obstacles = &floor;
}

static void with_actuators(fem_case *c, double *z)
{
    static const pio_channel_desc channel = {.signal = PIO_CONSTANT};
    (void)z;
    fem_case_block(c, PIO_HYPER_LINEAR, 1);
    c->desc.n_channels = 1;
    c->desc.channels = &channel;
}

static void with_velocity_fields(fem_case *c, double *z)
{
    (void)z;
    fem_case_block(c, PIO_HYPER_LINEAR, 1);
    c->desc.particles.fields = 2;
}

static void inside_out_at_rest(fem_case *c, double *z)
{
    (void)z;
    fem_case_block(c, PIO_HYPER_LINEAR, 1);
    int32_t *node = (int32_t *)(uintptr_t)c->block[0].nodes + 3 * mesh_nodes_of[c->block[0].type], first = node[0];
    node[0] = node[1];
    node[1] = first;
}

static void shape_inside_out(fem_case *c, double *z)
{
    fem_case_block(c, PIO_HYPER_LINEAR, 1);
    fem_case_design(c, PIO_POSITION, -1, FEM_EACH, fem_linear(0, 1), 0);
    z[D * fem_case_at(c, c->order, c->order, D == 3)] = 5;
}

static void incompressible(fem_case *c, double *z)
{
    (void)z;
    fem_case_block(c, PIO_HYPER_NEO_HOOKEAN, 1);
    c->parameters[5 * 2 + 1] = 0.5;
}

static void negative_density(fem_case *c, double *z)
{
    (void)z;
    fem_case_block(c, PIO_HYPER_LINEAR, 1);
    c->density[3] = -7;
}

static void constant_is_no_number(fem_case *c, double *z)
{
    fem_case_block(c, PIO_HYPER_OGDEN, 1);
    fem_case_design(c, PIO_LAW_PARAMETER_2, -1, FEM_EACH, fem_linear(100, 1), 0);
    z[4] = (double)NAN;
}

/* ---- what is found in a step ------------------------------------------------------------------------------- */

static void too_large_a_move(fem_case *c, double *z)
{
    (void)z;
    fem_case_block(c, PIO_HYPER_NEO_HOOKEAN, 2);
    const double t[2] = {0.5, 1}, value[2] = {0, 1};
    fem_case_hold_side(c, 0, 1, 0, fem_case_support(c, -1.5, fem_case_curve(c, 2, t, value)));
}

static void too_few_iterations(fem_case *c, double *z)
{
    (void)z;
    fem_case_block(c, PIO_HYPER_NEO_HOOKEAN, 1);
    c->fem.newton_iterations = 1;
}

static void load_is_no_number(fem_case *c, double *z)
{
    fem_case_block(c, PIO_HYPER_HENCKY, 1);
    fem_case_design(c, PIO_LOAD, -1, FEM_SCALAR, fem_linear(0, 1), 0);
    z[1] = (double)NAN;
}

static void move_is_no_number(fem_case *c, double *z)
{
    fem_case_block(c, PIO_HYPER_LINEAR, 1);
    fem_case_hold_side(c, 0, 1, 0, fem_case_support(c, 0, -1));
    fem_case_design(c, PIO_SUPPORT, -1, FEM_SCALAR, fem_linear(0, 1), 1);
    z[0] = (double)NAN;
}

static void gravity_is_no_number(fem_case *c, double *z)
{
    fem_case_block(c, PIO_HYPER_LINEAR, 1);
    fem_case_design(c, PIO_GRAVITY, -1, FEM_SCALAR, fem_linear(0, 1), 0);
    z[1] = (double)INFINITY;
}

static void no_supports(fem_case *c, double *z)
{
    (void)z;
    fem_case_block(c, PIO_HYPER_LINEAR, 1);
    c->fem.n_constrained = 0;
}

/* A law with a negative modulus has no lowest potential: the body is not stable even at rest. */
static void negative_modulus(fem_case *c, double *z)
{
    (void)z;
    fem_case_block(c, PIO_HYPER_LINEAR, 1);
    for (int e = 0; e < c->elements; e++) c->parameters[5 * e] = -1000;
}

static void too_few_linear_iterations(fem_case *c, double *z)
{
    (void)z;
    fem_case_block(c, PIO_HYPER_LINEAR, 2);
    c->fem.linear_iterations = 3;
}

/* The leapfrog of a block whose waves cross many elements a second. */
static void explicit_step_too_long(fem_case *c, double *z)
{
    (void)z;
    fem_case_block(c, PIO_HYPER_LINEAR, 1);
    fem_case_motion(c, PIO_LEAPFROG, 1, 0, 0);
}

static void explicit_load_is_no_number(fem_case *c, double *z)
{
    fem_case_block(c, PIO_HYPER_LINEAR, 2);
    c->desc.dt = 1e-4;
    fem_case_motion(c, PIO_LEAPFROG, 1, 0, 0);
    fem_case_design(c, PIO_LOAD, -1, FEM_SCALAR, fem_linear(0, 1), 0);
    z[0] = (double)NAN;
}

/* A load so far beyond the modulus that the first direction turns elements inside out, however little of it is gone. */
static void no_lower_potential(fem_case *c, double *z)
{
    (void)z;
    fem_case_block(c, PIO_HYPER_NEO_HOOKEAN, 1);
    c->value[0][0] = -1e9;
}

/* ---- what is found on the way back ------------------------------------------------------------------------- */

static void adjoint_too_exact(fem_case *c, double *z)
{
    (void)z;
    fem_case_block(c, PIO_HYPER_NEO_HOOKEAN, 3);
    c->fem.adjoint_tolerance = 1e-33;
}

static void no_room_to_go_back(fem_case *c, double *z)
{
    (void)z;
    fem_case_block(c, PIO_HYPER_LINEAR, 1);
    c->desc.adjoint = 0;
}

#define OF_NO_KIND PIOLA_FAILED_NOT, PIOLA_FAILED_NOT, 0, PIOLA_FAILED_NOWHERE
#define BEFORE(kind, of) PIOLA_FAILED_##kind, PIOLA_FAILED_NOT, -1, PIOLA_FAILED_##of
#define IN_STEP(kind, step, of) PIOLA_FAILED_##kind, PIOLA_FAILED_NOT, step, PIOLA_FAILED_##of
#define OF_ADJOINT(cause, step, of) PIOLA_FAILED_ADJOINT, PIOLA_FAILED_##cause, step, PIOLA_FAILED_##of

/* clang-format off */
static const fault_case faults[] = {
    {"none", pulled, PIOLA_OK, {NULL}, 1, OF_NO_KIND},
    {"a node that is not there", wrong_node, PIOLA_BAD_DATA, {"an element has node", "and there are"}, 0, OF_NO_KIND},
    {"a negative node", negative_node, PIOLA_BAD_DATA, {"an element has node -1, and there are"}, 0, OF_NO_KIND},
    {"no nodes", no_nodes, PIOLA_BAD_DATA, {"0 nodes: from 1 to"}, 0, OF_NO_KIND},
    {"too many steps", too_many_steps, PIOLA_BAD_DATA, {"1099511627776 steps: at most"}, 0, OF_NO_KIND},
    {"another build", another_build, PIOLA_INTERNAL, {"of different builds"}, 0, OF_NO_KIND},
    {"a plane of no normal", with_obstacles, PIOLA_BAD_DATA, {"obstacle 0: a plane with a unit normal"}, 0, OF_NO_KIND},
    {"a channel of no signal", with_actuators, PIOLA_BAD_DATA, {"each needs a signal and a fibre"}, 0, OF_NO_KIND},
    {"velocity fields", with_velocity_fields, PIOLA_BAD_DATA, {"a mesh has no velocity fields of bodies"}, 0,
     OF_NO_KIND},
    {"a tied node that is constrained", tied_and_constrained, PIOLA_BAD_DATA,
     {"tied node ", "no support constrains a tied node"}, 0, OF_NO_KIND},
    {"nodes that are tied to each other", tied_to_each_other, PIOLA_BAD_DATA,
     {"tied node ", "masters are tied to nothing"}, 0, OF_NO_KIND},
    {"a master that is not there", tied_to_no_node, PIOLA_BAD_DATA, {"tied node ", "masters are nodes"}, 0, OF_NO_KIND},
    {"ties of a leapfrog", tied_explicitly, PIOLA_BAD_DATA, {"tied nodes are possible in static scenes"}, 0,
     OF_NO_KIND},
    {"inside out at rest", inside_out_at_rest, PIOLA_NUMERICAL, {"element 3 has no positive volume at rest"}, 0,
     BEFORE(REST_SHAPE, ELEMENT)},
    {"a shape inside out", shape_inside_out, PIOLA_NUMERICAL, {"element ", " has no positive volume at rest"}, 0,
     BEFORE(REST_SHAPE, ELEMENT)},
    {"nu = 1/2", incompressible, PIOLA_NUMERICAL, {"element 2: its law is not defined", "1000, 0.5"}, 0,
     BEFORE(CONSTANTS, ELEMENT)},
    {"a negative density", negative_density, PIOLA_NUMERICAL, {"element 3: ", "density -7 kg/m^3"}, 0,
     BEFORE(CONSTANTS, ELEMENT)},
    {"a constant that is NaN", constant_is_no_number, PIOLA_NUMERICAL, {"element 4: its law is not defined", "nan"}, 0,
     BEFORE(CONSTANTS, ELEMENT)},
    {"a negative modulus", negative_modulus, PIOLA_NUMERICAL,
     {"element 0: its law is not defined for the constants -1000"}, 0, BEFORE(CONSTANTS, ELEMENT)},
    {"no supports", no_supports, PIOLA_BAD_DATA,
     {"is unconstrained", "rotating about"}, 0, BEFORE(RIGID_MOTION, NOWHERE)},
    {"an explicit step too long", explicit_step_too_long, PIOLA_NUMERICAL,
     {"a time step of 1 s is unstable", "2/omega = "}, 0, BEFORE(TIME_STEP, NOWHERE)},
    {"an explicit step's load that is NaN", explicit_load_is_no_number, PIOLA_NUMERICAL,
     {"step 0: the velocity of node ", "not finite"}, 0, IN_STEP(NOT_FINITE, 0, NODE)},
    {"too large a move", too_large_a_move, PIOLA_NUMERICAL, {"step 1: the move of the supports", "element ",
                                                             "inside out"}, 0,
     IN_STEP(INVERTED, 1, ELEMENT)},
    {"Newton's limit", too_few_iterations, PIOLA_NUMERICAL, {"step 0: Newton's method", "after 1 iterations",
                                                             "at node"}, 0,
     IN_STEP(NEWTON, 0, NODE)},
    {"no lower potential", no_lower_potential, PIOLA_NUMERICAL, {"step 0: the line search", "residual", "at node"}, 0,
     IN_STEP(LINE_SEARCH, 0, NODE)},
    {"a load that is NaN", load_is_no_number, PIOLA_NUMERICAL, {"step 0: the residual is not finite"}, 0,
     IN_STEP(NOT_FINITE, 0, NODE)},
    {"a move that is NaN", move_is_no_number, PIOLA_NUMERICAL, {"step 0: the residual is not finite"}, 0,
     IN_STEP(NOT_FINITE, 0, NODE)},
    {"gravity that is infinite", gravity_is_no_number, PIOLA_NUMERICAL, {"step 0: the residual is not finite"}, 0,
     IN_STEP(NOT_FINITE, 0, NODE)},
    {"the linear limit", too_few_linear_iterations, PIOLA_NUMERICAL,
     {"step 0, a direction of Newton's method: PCG has not converged in 3"}, 0, IN_STEP(LINEAR_LIMIT, 0, NOWHERE)},
    {"an adjoint too exact", adjoint_too_exact, PIOLA_NUMERICAL,
     {"step 2, the adjoint solve: an iterative solve stagnates after"}, 1, OF_ADJOINT(STAGNATION, 2, NOWHERE)},
    {"no room to go back", no_room_to_go_back, PIOLA_INTERNAL, {"no room for cotangents"}, 1, OF_NO_KIND},
};
/* clang-format on */

/* Returns whether the failure differs from the expected one: kind, cause, step, item of the mesh, a solve's
 * residual. */
static int reports_otherwise(const fem_case *c, const fault_case *f, const piola_failure *said)
{
    const int64_t items = f->of == PIOLA_FAILED_NODE ? c->n : c->elements;
    const int solve = f->kind == PIOLA_FAILED_LINE_SEARCH || f->kind == PIOLA_FAILED_NEWTON ||
                      f->kind == PIOLA_FAILED_ADJOINT || f->kind == PIOLA_FAILED_LINEAR_LIMIT;
    if (said->kind != f->kind) return 1;
    if (f->kind == PIOLA_FAILED_NOT) return 0;
    return said->cause != f->cause || said->step != f->step || said->of != f->of ||
           (f->of != PIOLA_FAILED_NOWHERE && (said->item < 0 || said->item >= items)) || solve != (said->residual > 0);
}

/* Every kind of meshes, and of meshes and particles, has a case above; those of linear solves have theirs in
 * test_krylov.c, and as causes here. */
static int kinds_without_a_case(void)
{
    int without = 0;
    for (int kind = PIOLA_FAILED_NOT + 1; kind <= PIOLA_FAILED_ADJOINT; kind++) {
        int cases = 0;
        for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) cases += (int)faults[i].kind == kind;
        if (!cases) print_message("  no case of failure number %d\n", kind);
        without += !cases;
    }
    return without;
}

static void every_fault_is_found_and_named(void **unused)
{
    int wrong = 0;
    (void)unused;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        static fem_case c;
        static double z[FEM_VARIABLES];
        const fault_case *f = &faults[i];
        piola_error error;
        memset(z, 0, sizeof z);
        f->set_up(&c, z);
        const piola_status rc = fem_case_try(&c, z, f->back, &error);
        print_message("  %-26s %d: %s\n", f->name, (int)rc, rc ? error.message : "done");
        int missing = rc != f->status;
        for (int k = 0; k < 4 && f->expected[k]; k++) missing += !strstr(error.message, f->expected[k]);
        missing += reports_otherwise(&c, f, &error.failure);
        if (missing)
            print_message(
                "  ^ expected %d with '%s', kind %d; it is kind %d, cause %d, step %lld, item %lld, residual %g\n",
                (int)f->status, f->expected[0] ? f->expected[0] : "", (int)f->kind, (int)error.failure.kind,
                (int)error.failure.cause, (long long)error.failure.step, (long long)error.failure.item,
                error.failure.residual);
        wrong += missing;
        fem_case_free(&c);
    }
    assert_int_equal(wrong, 0);
    assert_int_equal(kinds_without_a_case(), 0);
}

/* The same simulation goes on after a design that failed, with the same bits as one that never did. */
static void a_failed_run_leaves_nothing_behind(void **unused)
{
    static fem_case c;
    double z[1] = {0}, bad[1] = {(double)NAN}, z_bar[1], again[1];
    piola_error error;
    (void)unused;
    fem_case_block(&c, PIO_HYPER_NEO_HOOKEAN, 2);
    fem_case_design(&c, PIO_LAW_PARAMETER_0, -1, FEM_SCALAR, fem_logarithmic(log(1000), 1), 0);
    pio_sim *sim = fem_case_create(&c, 2, 1);
    const double J = fem_case_gradient(&c, sim, NULL, z, z_bar);
    const uint64_t hash = fem_case_hash_gradients(sim);
    assert_int_equal(piola_engine_fem.start(sim, bad, &error), PIOLA_OK);
    assert_int_equal(piola_engine_fem.advance(sim, 2, &error), PIOLA_NUMERICAL);
    print_message("  %s\n", error.message);
    assert_true(fabs(fem_case_gradient(&c, sim, NULL, z, again) - J) <= 0);
    assert_true(fabs(again[0] - z_bar[0]) <= 0);
    assert_true(fem_case_hash_gradients(sim) == hash);
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
}

static void what_is_not_there_is_refused(void **unused)
{
    static fem_case c;
    piola_error error;
    pio_step_record record;
    double values[1];
    (void)unused;
    fem_case_block(&c, PIO_HYPER_LINEAR, 1);
    pio_sim *sim = fem_case_create(&c, 1, 1);
    assert_int_equal(piola_engine_fem.start(sim, NULL, &error), PIOLA_OK);
    assert_int_equal(piola_engine_fem.components(sim, "velocity"), 0);
    assert_int_equal(piola_engine_fem.items(sim, "velocity"), 0);
    assert_int_equal(piola_engine_fem.read(sim, "velocity", values, &error), PIOLA_USAGE);
    assert_non_null(strstr(error.message, "no field 'velocity'"));
    assert_int_equal(piola_engine_fem.save(sim, 1, &error), PIOLA_INTERNAL);
    assert_int_equal(piola_engine_fem.load(sim, 0, &error), PIOLA_INTERNAL);
    assert_int_equal(piola_engine_fem.record(sim, 1, &record), 0);
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fault_is_found_and_named),
        cmocka_unit_test(a_failed_run_leaves_nothing_behind),
        cmocka_unit_test(what_is_not_there_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* scene_table_fem_method.c -- how scenes of finite elements are discretised, move in time and are solved, and what is
 * written of them: their tables. */
#include "host/scene/scene_table.h"
#include "host/scene/scene_query.h"

#include <math.h>

static const char *const plane_names[] = {"strain", "stress", "axisymmetric", NULL};
static const char *const mass_names[] = {"consistent", "lumped", NULL};

/* ---- method, time, solver ------------------------------------------------------------------------------ */

static bool is_plane(const void *s)
{
    return ((const pio_scene *)s)->method.dimension == 2;
}

static const cfg_field method_fields[] = {
    {"type", CFG_ENUM, AT(pio_scene, method.type), .required = true, .values = pio_method_words,
     .meaning = "the discretisation: fem, finite elements on a mesh that moves with the body"},
    {"dimension", CFG_INTEGER, AT(pio_scene, method.dimension), .required = true, .range = {CFG_FROM | CFG_UP_TO, 2, 3},
     .meaning = "2 or 3; vectors have as many entries"},
    {"plane", CFG_ENUM, AT(pio_scene, fem.plane), .values = plane_names, .fallback = "strain", .present = is_plane,
     .meaning =
         "in 2D: strain, nothing moves across the plane; stress, nothing presses across it, and the body becomes "
         "thinner or thicker; axisymmetric, bodies are rings: x is the radius, y the axis, and forces, masses and "
         "volumes are those of the whole ring"},
    {"precision", CFG_ENUM, AT(pio_scene, method.precision), .values = pio_precision_words, .fallback = "f64",
     .meaning = "f32 halves the memory; equilibrium and gradients then hold to four or five digits"},
    END};
const cfg_table pio_fem_method_table = {.what = "method", .fields = method_fields};

static bool is_static(const void *s)
{
    return ((const pio_scene *)s)->fem.integrator == PIO_STATIC;
}
static bool is_modal(const void *s)
{
    return ((const pio_scene *)s)->fem.integrator == PIO_MODAL;
}
static bool is_moving(const void *s)
{
    return !is_static(s) && !is_modal(s);
}
static bool is_in_time(const void *s)
{
    return !is_modal(s);
}
static bool has_mass(const void *s)
{
    return !is_static(s);
}

static const cfg_field time_fields[] = {
    {"integrator", CFG_ENUM, AT(pio_scene, fem.integrator), .values = pio_integrator_words, .fallback = "static",
     .meaning =
         "static: equilibrium at every load step, without inertia; newmark keeps energy, backward_euler and bdf2 "
         "damp what the step does not resolve, all three for any dt; leapfrog solves no equations and needs short "
         "steps, and its velocities are those of dt/2 before their time; reversible_leapfrog and reversible_euler are "
         "leapfrog and backward_euler on a lattice of whole quanta: the first's steps are reversed to the bit without "
         "damping, the second's from a few bits that each leaves (gradient.memory.strategy: reverse); "
         "modal: no motion but its lowest modes, the frequencies and shapes of small free vibrations about rest"},
    {"load_steps", CFG_INTEGER, AT(pio_scene, time.load_steps), .fallback = "1",
     .range = {CFG_FROM | CFG_UP_TO, 1, 1000000}, .present = is_static,
     .meaning =
         "static: equal steps in which loads and supports reach their values; more make each step easier to solve"},
    {"dt", CFG_NUMBER, AT(pio_scene, time.dt), .computed = "duration/load_steps", .quantity = CFG_TIME, POSITIVE,
     .present = is_moving, .meaning = "time step of a motion, for which it is required"},
    {"modes", CFG_INTEGER, AT(pio_scene, time.modes), .computed = "required with modal",
     .range = {CFG_FROM | CFG_UP_TO, 1, 10000}, .present = is_modal,
     .meaning =
         "modal: so many of the lowest modes, those of rigid motions included: three of a free body in the plane, "
         "six in space"},
    {"repeated", CFG_NUMBER, AT(pio_scene, time.repeated), .fallback = "1e-6", .range = {CFG_FROM | CFG_BELOW, 0, 1},
     .present = is_modal,
     .meaning =
         "modal: neighbouring eigenvalues, squares of frequencies, whose difference is at most this fraction count "
         "as repeated: one of them alone has no derivative, their mean has"},
    {"duration", CFG_NUMBER, AT(pio_scene, time.duration), .fallback = "1", .quantity = CFG_TIME, POSITIVE,
     .present = is_in_time,
     .meaning = "time of the last step; a static scene has no other use for time than its curves and observations"},
    END};
const cfg_table pio_fem_time_table = {.what = "time", .fields = time_fields};

/* A tolerance that is not given fits the precision of the computation, which a command may change. */
static bool has_tolerance(const void *scene)
{
    return !isnan(((const pio_scene *)scene)->fem.newton_tolerance);
}
static bool has_adjoint_tolerance(const void *scene)
{
    return !isnan(((const pio_scene *)scene)->fem.adjoint_tolerance);
}

static bool has_solves(const void *scene)
{
    return !scene_leaps(((const pio_scene *)scene)->fem.integrator) && !is_modal(scene);
}
static bool has_iterations(const void *s)
{
    return has_solves(s) && ((const pio_scene *)s)->fem.linear != PIO_SOLVE_DIRECT;
}
static bool has_direct(const void *scene)
{
    return is_modal(scene) || (has_solves(scene) && ((const pio_scene *)scene)->fem.linear != PIO_SOLVE_PCG);
}

static const cfg_field solver_fields[] = {
    {"tolerance", CFG_NUMBER, AT(pio_scene, fem.newton_tolerance), .computed = "1e-10; computed in f32: 1e-3",
     .range = {CFG_OVER | CFG_BELOW, 0, 1}, .present = has_tolerance,
     .meaning =
         "of equilibrium: largest residual relative to the forces; smaller costs an iteration more. In f32 rounding "
         "leaves about 1e-6/strain: small strains need f64"},
    {"max_iterations", CFG_INTEGER, AT(pio_scene, fem.newton_iterations), .fallback = "30",
     .range = {CFG_FROM | CFG_UP_TO, 1, 1000}, .present = has_solves,
     .meaning = "of Newton's method in a step; then the step has failed"},
    {"adjoint_tolerance", CFG_NUMBER, AT(pio_scene, fem.adjoint_tolerance), .computed = "1e-10; computed in f32: 1e-3",
     .range = {CFG_OVER | CFG_BELOW, 0, 1}, .present = has_adjoint_tolerance,
     .meaning = "of the adjoint's linear solve: largest residual relative to its right-hand side; the gradient's error "
                "falls with it"},
    {"linear_iterations", CFG_INTEGER, AT(pio_scene, fem.linear_iterations), .fallback = "20000",
     .range = {CFG_FROM | CFG_UP_TO, 1, 100000000}, .present = has_iterations,
     .meaning = "of a linear solve; then it has failed"},
    {"halvings", CFG_INTEGER, AT(pio_scene, fem.halvings), .fallback = "6", .range = {CFG_FROM | CFG_UP_TO, 0, 20},
     .present = has_solves,
     .meaning = "of a step that fails: it is taken again in 2, 4, ... 2^halvings equal parts, recorded and repeated by "
                "gradient and check; 0: none"},
    {"projection", CFG_ENUM, AT(pio_scene, fem.projection), .values = pio_projection_words, .fallback = "auto",
     .present = has_solves,
     .meaning = "leaves the negative part of the tangents out of the matrix of Newton's method, which makes its "
                "directions descent directions: auto where the matrix turns out to be indefinite, always costs "
                "iterations; gradients never have it"},
    {"linear", CFG_ENUM, AT(pio_scene, fem.linear), .values = pio_solve_words, .fallback = "auto",
     .present = has_solves,
     .meaning =
         "of what is solved in a step: pcg, conjugate gradients, little memory and many iterations in slender or soft "
         "bodies; direct, by elimination (MUMPS), exact however slender the body; auto takes direct where a "
         "factorisation is less work than 8 iterations per element along the mesh and its memory is allowed, goes on "
         "with the other one where a solve fails, and says so"},
    {"preconditioner", CFG_ENUM, AT(pio_scene, fem.preconditioner), .values = pio_preconditioner_words,
     .fallback = "auto", .present = has_iterations,
     .meaning =
         "of pcg and of the solvers that replace it: jacobi, the inverted diagonal blocks, of little work and with "
         "iterations that grow with the length of the mesh; multigrid, coarser and coarser bodies by smoothed "
         "aggregation with their rigid motions, of a few tens of iterations where elements are about as thick as wide, "
         "and more memory; "
         "auto takes multigrid where jacobi would need more than 160 iterations, at 8 per element along the mesh, and "
         "four times as many where elements have nodes beside their corners"},
    {"direct_memory", CFG_NUMBER, AT(pio_scene, fem.direct_memory), .fallback = "2 GiB", .quantity = CFG_MEMORY,
     POSITIVE, .present = has_direct,
     .meaning = "bytes that elimination may take; what needs more is rejected before it starts, with auto solved by "
                "pcg; that goes on by elimination only if these bytes and gradient.memory.budget permit it"},
    {"product", CFG_ENUM, AT(pio_scene, fem.product), .values = pio_product_words, .fallback = "own",
     .present = has_solves,
     .meaning =
         "what multiplies matrix and vector in pcg and in the solvers that replace it: own, Piola's kernel; cusparse, "
         "NVIDIA's library on a GPU, which rounds otherwise and promises the same bits every time. Where it is missing "
         "the scene is rejected. It has no transposed product: with follower loads, the adjoint keeps Piola's"},
    {"mass", CFG_ENUM, AT(pio_scene, fem.mass), .values = mass_names,
     .computed = "consistent; with leapfrog, reversible_leapfrog and reversible_euler lumped", .present = has_mass,
     .meaning =
         "consistent masses couple neighbouring nodes, lumped ones (by HRZ) do not; gravity acts on the same masses"},
    END};
const cfg_table pio_fem_solver_table = {.what = "solver", .fields = solver_fields};

/* ---- output -------------------------------------------------------------------------------------------- */

#define OF_PARTICLES ((ONLY(SCENE_STATE_CAUCHY_STRESS) - 1) & ~ONLY(SCENE_STATE_J))

static bool has_state_fields(const void *s)
{
    return ((const pio_scene *)s)->output.state_fields.n > 0;
}
static bool has_state_per(const void *s)
{
    return ((const pio_scene *)s)->output.state_per.n > 0;
}

static const cfg_field states_fields[] = {
    {"every", CFG_NUMBER, AT(pio_scene, output.states_every), .computed = "time.duration/50", .quantity = CFG_TIME,
     POSITIVE, .present = is_in_time,
     .meaning = "time between frames, each with displacements and forces; every load step at most"},
    {"fields", CFG_TEXTS, AT(pio_scene, output.state_fields), .values = pio_state_words, .computed = "none",
     .without = OF_PARTICLES, .present = has_state_fields,
     .instead = "is a field of particles, method.type: mpm; meshes have cauchy_stress, von_mises, green_strain, J, "
                "energy_density, reaction, contact_force, contact_pressure and gap, and displacement, internal_force "
                "and the velocity of a motion always",
     .meaning = "what is written besides displacements and forces: Cauchy's stress (Pa, a 3 x 3 matrix, in 2D with the "
                "stress out of the plane), von Mises' stress (Pa), Green's strain (linear: the small strain), the "
                "volume ratio J, the strain energy per volume at rest (J/m3), the forces of supports on constrained "
                "nodes (N); of contact the force of obstacles and other surfaces on each node (N), the pressure, which "
                "is that force without friction for the area at rest (Pa), and the gap, the distance to the nearest "
                "of these as far as they touch (m); each makes files larger"},
    {"per", CFG_TEXTS, AT(pio_scene, output.state_per), .values = pio_place_words, .computed = "element",
     .present = has_state_per,
     .meaning =
         "where these fields are, but for reactions and contact, which are of nodes: element writes the mean over each "
         "element's volume at rest, node (with the ending _nodal) the mean of the elements around it, weighted "
         "by their volumes, point (with the ending _points) the value at each integration point"},
    END};
static const cfg_table states_table = {.what = "states output", .fields = states_fields};

static const cfg_field gradient_fields[] = {
    {"per", CFG_TEXTS, AT(pio_scene, output.gradient_per), .values = pio_gradient_per_words, .computed = "element",
     .meaning = "of derivatives with respect to what every element has, such as grad_E: element writes them; volume "
                "(with the ending _per_volume) what is left of them over the element's volume at rest, the field that "
                "does not depend on the mesh"},
    END};
static const cfg_table gradient_table = {.what = "gradient output", .fields = gradient_fields};

static const cfg_field output_fields[] = {
    {"directory", CFG_TEXT, AT(pio_scene, output.directory), .computed = "out/NAME",
     .meaning = "folder for the results, below the current or the scene's folder, else it needs --allow"},
    {"states", CFG_MAPPING, .table = &states_table, .meaning = "frames of the motion"},
    {"gradient", CFG_MAPPING, .table = &gradient_table, .meaning = "of `piola grad`: fields of the gradient"},
    {"adjoint", CFG_MAPPING, .table = &pio_adjoint_table, .present = pio_scene_has_adjoint, .computed = "no frames",
     .meaning = "of `piola grad`: frames of the objective's derivatives with respect to displacements, velocities and, "
                "where steps are solved for equilibrium, forces at that time"},
    {"checkpoint", CFG_MAPPING, .table = &pio_checkpoint_table,
     .meaning = "checkpoints, from which an interrupted run continues"},
    END};
const cfg_table pio_fem_output_table = {.what = "output", .fields = output_fields};

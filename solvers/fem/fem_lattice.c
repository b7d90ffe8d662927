/* fem_lattice.c -- motions whose displacements and velocities are whole quanta (kernels/fem/fem_lattice.h).
 *
 * The quantum of displacements is the extent of the smallest element at rest times goal/2048, and not below 2^-50
 * (2^-21 where numbers are f32), rounded down to a power of two; that of velocities is that of displacements over the
 * time step, likewise. The goal is that of Newton's method, a hundredth of the requested tolerance (in f32 the
 * tolerance, with 7 digits it can do no better): its convergence is quadratic, so that this is an iteration more in
 * every tenth step or so. What rounding to the lattice leaves of the forces is then below the tolerance where strains
 * are above 1/200,000, and what Newton's method leaves is below a quantum, as it should be where that is recorded
 * (fem_reversible_euler.c): finer quanta would make records of the digits of its residual. 2^-50 is four roundings of a
 * strain, 2^-21 is eight. */
#include "solvers/fem/fem.h"
#include "solvers/fem/fem_observe.h"

#include <math.h>
#include <stdlib.h>

static size_t vector_of(const fem_sim *f)
{
    return DIM * (size_t)f->mesh.nodes;
}

int fem_on_lattice(pio_integrator integrator)
{
    return integrator == PIO_REVERSIBLE_LEAPFROG || integrator == PIO_REVERSIBLE_EULER;
}

/* The inverse steps of the leapfrog have no record, and so it has no damping. */
static piola_status check_leapfrog(const pio_engine_desc *desc, piola_error *error)
{
    const pio_fem_desc *m = desc->fem;
    int damped = m->alpha || m->beta;
    for (int d = 0; d < desc->n_designs; d++)
        damped |= desc->designs[d].quantity == PIO_MASS_DAMPING || desc->designs[d].quantity == PIO_STIFFNESS_DAMPING;
    if (!damped) return PIOLA_OK;
    return sim_fail(
        error, PIOLA_BAD_DATA,
        "damping: the reversible leapfrog has none, since an inverse step would amplify what was lost; no damping, the "
        "leapfrog, or reversible backward Euler would be right");
}

/* Returns an error for what has no inverse. */
piola_status fem_lattice_check(const pio_engine_desc *desc, piola_error *error)
{
    const pio_fem_desc *m = desc->fem;
    if (desc->residual_log && m->integrator != PIO_REVERSIBLE_EULER)
        return sim_fail(error, PIOLA_BAD_DATA,
                        "a residual log of %lld bytes: backward Euler with reversible steps has one, no other "
                        "integrator of meshes",
                        (long long)desc->residual_log);
    if (m->integrator == PIO_REVERSIBLE_LEAPFROG) return check_leapfrog(desc, error);
    if (m->integrator != PIO_REVERSIBLE_EULER) return PIOLA_OK;
    if (!m->lumped)
        return sim_fail(error, PIOLA_BAD_DATA,
                        "consistent masses: an inverse step would have to solve for them exactly; lumped "
                        "masses would be right");
    for (int o = 0; o < desc->n_observations; o++)
        if (fem_reacts(desc->observations[o].type))
            return sim_fail(error, PIOLA_BAD_DATA,
                            "reversible states hold no accelerations, of which reactions are made; another "
                            "implicit integrator would be right");
    return PIOLA_OK;
}

/* The largest side of the box about an element, of the element where that is the least. */
static double smallest_element(const pio_fem_desc *m)
{
    double least = INFINITY;
    for (int b = 0; b < m->n_blocks; b++) {
        const int nodes = fem_nodes_of(m->blocks[b].type);
        for (ptrdiff_t e = 0; e < m->blocks[b].n; e++) {
            double side = 0;
            for (int a = 0; a < DIM; a++) {
                double low = INFINITY, high = -INFINITY;
                for (int i = 0; i < nodes; i++) {
                    const double x = m->rest[(ptrdiff_t)m->blocks[b].nodes[e * nodes + i] * DIM + a];
                    low = fmin(low, x);
                    high = fmax(high, x);
                }
                side = fmax(side, high - low);
            }
            least = fmin(least, side);
        }
    }
    return isfinite(least) && least > 0 ? least : 1;
}

double fem_goal(const fem_sim *f, double requested)
{
    const int closer = f->motion.integrator == PIO_REVERSIBLE_EULER && sizeof(real) == 8;
    return fmin(requested, closer ? 0.01 * f->newton.tolerance : f->newton.tolerance);
}

/* A hundredth of it where the next iteration is one more elimination by the factor at hand: of a slender body the
 * smooth error under a residual of 1e-10 is a hundred times as large, and costs hardly anything to take away. */
double fem_goal_after(const fem_sim *f, int iterations)
{
    const int cheap = f->motion.integrator == PIO_STATIC && f->matrix.constant.possible && f->linear.direct.table &&
                      f->linear.standby.by_factor && !f->linear.pressure.count;
    return f->newton.goal * (cheap && iterations > 0 ? 0.01 : 1);
}

/* Of the leapfrog, with L the mesh's largest extent: the quantum of displacements is at most 2^-53 L, they may reach
 * 128 L; that of velocities is at most 2^-59 L/dt, and these may reach 2 L/dt. Forces are known to the rounding of 1
 * times the strain's stress at best: f64 has no use for finer displacements, while velocities add up small
 * increments. */
enum { PLACE_BITS = 54, SPEED_BITS = 60 };

/* The power of two by which `size` has 2^(bits-1) quanta or more, and less than 2^bits. */
static double per(double size, int bits)
{
    int exponent;
    frexp(size, &exponent);
    return ldexp(1, bits - exponent);
}

/* The leapfrog's quanta. */
static void scale_leapfrog(fem_sim *f, const pio_engine_desc *desc)
{
    const pio_fem_desc *m = desc->fem;
    double size = 0;
    for (int c = 0; c < DIM; c++) {
        double low = m->rest[c], high = m->rest[c];
        for (int64_t i = 0; i < m->n; i++) {
            low = fmin(low, m->rest[i * DIM + c]);
            high = fmax(high, m->rest[i * DIM + c]);
        }
        size = fmax(size, high - low);
    }
    f->lattice.per_metre = per(size, PLACE_BITS);
    f->lattice.per_speed = per(size / desc->dt, SPEED_BITS);
}

void fem_lattice_scale(fem_sim *f, const pio_engine_desc *desc)
{
    if (desc->fem->integrator == PIO_REVERSIBLE_LEAPFROG) {
        scale_leapfrog(f, desc);
        return;
    }
    const int most = sizeof(real) == 4 ? 21 : 50, of_goal = 11 - ilogb(fem_goal(f, f->newton.tolerance));
    const int digits = of_goal < most ? of_goal : most;
    f->lattice.per_metre = ldexp(1, digits - ilogb(smallest_element(desc->fem)));
    f->lattice.per_speed = ldexp(f->lattice.per_metre, ilogb(desc->dt));
}

/* clang-format off */
void fem_lattice_layout(fem_sim *f, const pio_engine_desc *desc)
{
    pio_arena *arena = &f->base.arena;
    const size_t vector = vector_of(f);
    TAKE(arena, f->lattice.state, (size_t)f->state.n_kept * vector);
    TAKE(arena, f->lattice.origin, (size_t)f->state.n_kept * vector);
    TAKE(arena, f->lattice.factor_before, f->curves.n_curves);
    if (!desc->residual_log) return;
    TAKE(arena, f->lattice.residual, 2 * vector);
    TAKE(arena, f->lattice.free_list, vector);
    pio_residual_log_layout(&f->lattice.residual_log, &f->base.arena, desc->residual_log,
            (int)vector - f->supports.n_constrained, f->newton.scalars + FEM_RESIDUAL_LOG_LEVEL);
    f->lattice.residual_log.item = f->lattice.free_list;
}

/* Which unknowns are free, for records. */
piola_status fem_lattice_upload(fem_sim *f, const int *constrained, piola_error *error)
{
    pio_queue *q = &f->base.queue;
    int *list = malloc(sizeof *list * DIM * (size_t)f->mesh.nodes), n = 0;
    if (!list) return sim_fail(error, PIOLA_NO_MEMORY, "no host memory for %d nodes", f->mesh.nodes);
    for (int i = 0; i < f->mesh.nodes; i++)
        for (int c = 0; c < DIM; c++)
            if (!(constrained[i] >> c & 1)) list[n++] = i * DIM + c;
    if (n) pio_queue_upload(q, f->lattice.free_list, list, sizeof *list * (size_t)n);
    free(list);
    return PIOLA_OK;
}

fem_lattice fem_lattice_of(const fem_sim *f, int64_t *state)
{
    const size_t u = (size_t)f->state.kept_at[STATE_U], v = (size_t)f->state.kept_at[STATE_V], size = vector_of(f);
    return (fem_lattice){.u = state + u * size, .v = state + v * size, .per_metre = f->lattice.per_metre,
                         .per_speed = f->lattice.per_speed};
}

void fem_lattice_numbers(fem_sim *f)
{
    pio_map(&f->base.queue, fem_lattice_read, f->mesh.nodes, NULL,
            .s = fem_lattice_of(f, f->lattice.state), .u = f->state.u, .v = fem_state(f, f->state.u, STATE_V));
}

fem_span fem_span_before(const fem_sim *f, fem_span span)
{
    if (span.part) return (fem_span){span.step, span.part - 1, span.parts};
    if (!span.step) return fem_whole(-1);
    const int parts = f->stepping.records[span.step - 1].parts;
    return (fem_span){span.step - 1, parts - 1, parts};
}

/* At time 0 constrained unknowns have the velocity of the first step (fem_start_constrained). */
void fem_lattice_constrained(fem_sim *f, fem_span end)
{
    pio_queue *q = &f->base.queue;
    const int start = end.step < 0;
    const fem_span to = start ? fem_whole(0) : end;
    if (!f->supports.n_constrained) return;
    fem_curves(f, start ? end : fem_span_before(f, end), f->curves.factor);
    pio_queue_copy(q, f->lattice.factor_before, f->curves.factor,
            sizeof *f->curves.factor * (size_t)f->curves.n_curves);
    double *earlier = f->supports.earlier_value;
    if (earlier) pio_queue_copy(q, earlier, f->supports.value,
            sizeof *earlier * (size_t)f->supports.n_supports);
    fem_curves(f, to, f->curves.factor);
    pio_map(q, fem_lattice_constrain, f->supports.n_constrained, NULL,
            .node = f->supports.node, .axis = f->supports.axis, .support = f->supports.support,
            .value = f->supports.value, .curve = f->supports.curve, .before = f->lattice.factor_before,
            .after = f->curves.factor, .now = start ? f->lattice.factor_before : f->curves.factor,
            .before_value = earlier, .now_value = start || !earlier ? earlier : f->supports.value,
            .h = f->stepping.dt / to.parts, .s = fem_lattice_of(f, f->lattice.state), .step = f->step);
}

void fem_lattice_move(fem_sim *f, fem_span span, int sign)
{
    pio_map(&f->base.queue, fem_lattice_drift, f->mesh.nodes, NULL,
            .constrained = f->supports.constrained, .s = fem_lattice_of(f, f->lattice.state),
            .h = f->stepping.dt / span.parts,
            .sign = sign, .step = f->step);
}

void fem_lattice_begin(fem_sim *f)
{
    pio_queue *q = &f->base.queue;
    const fem_lattice s = fem_lattice_of(f, f->lattice.state);
    pio_map(q, fem_lattice_round, f->mesh.nodes, NULL, .constrained = f->supports.constrained,
            .per = f->lattice.per_metre,
            .x = f->state.u, .out = s.u, .step = f->step);
    pio_map(q, fem_lattice_round, f->mesh.nodes, NULL,
            .constrained = f->supports.constrained, .per = f->lattice.per_speed, .x = fem_state(f, f->state.u, STATE_V),
            .out = s.v, .step = f->step);
    fem_lattice_constrained(f, fem_whole(-1));
    fem_lattice_numbers(f);
    if (f->lattice.residual_log.capacity) pio_residual_log_empty(&f->lattice.residual_log, q, 0);
}
/* clang-format on */

/* ---- states of either kind ------------------------------------------------------------------------------------ */

static size_t number_bytes(const fem_sim *f)
{
    return sizeof(real) * vector_of(f) * (size_t)f->state.n_vectors;
}

void *fem_truth(fem_sim *f)
{
    return f->lattice.state ? (void *)f->lattice.state : (void *)f->state.u;
}

void fem_keep_origin(fem_sim *f)
{
    pio_queue_copy(&f->base.queue, f->state.origin, f->state.u, number_bytes(f));
    if (f->lattice.state) pio_queue_copy(&f->base.queue, f->lattice.origin, f->lattice.state, f->base.slot_bytes);
}

void fem_take_origin(fem_sim *f)
{
    pio_queue_copy(&f->base.queue, f->state.u, f->state.origin, number_bytes(f));
    if (f->lattice.state) pio_queue_copy(&f->base.queue, f->lattice.state, f->lattice.origin, f->base.slot_bytes);
}

/* Steps are recorded from here on, unless this state's past is in the residual log already. */
void fem_was_saved(fem_sim *f)
{
    pio_residual_log *log = &f->lattice.residual_log;
    if (!log->capacity || (log->kept && log->next == f->base.index)) return;
    if (log->next != f->base.index) pio_residual_log_empty(log, &f->base.queue, f->base.index);
    log->kept = log->first == f->base.index;
}

/* Records that were of another state's past are of no use. */
void fem_was_put(fem_sim *f, int kept)
{
    f->forces.external_of = -1;
    if (f->lattice.state) fem_lattice_numbers(f);
    if (!f->lattice.residual_log.capacity || f->lattice.residual_log.next == f->base.index) return;
    pio_residual_log_empty(&f->lattice.residual_log, &f->base.queue, f->base.index);
    f->lattice.residual_log.kept = kept;
}

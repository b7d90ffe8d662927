/* mpm_reversible.c -- the integrator whose steps have an exact inverse (kernels/mpm/mpm_reversible.h): one step,
 * its inverse, and its adjoint, which is that of the real-valued map, rounding being differentiated as the identity.
 *
 *     step                                    inverse                  adjoint
 *     sort                                    drift -
 *     force      m_i, a_i at x, F             sort                     drift_adj
 *     kick +     v' = gamma v + Q(h a)        momentum                 strain_adj, then of the means at nodes
 *     momentum   m_i, V_i at x, v'            strain -                 momentum_adj
 *     strain +   l, Fbar by V_i               force                    kick_adj, then of the means at nodes
 *     drift +    x' = x + Q(h v')             kick -                   force_adj
 *
 * After an inverse step what its adjoint reads is in memory: lists, a_i, V_i, and v' as the velocity of the other
 * state. Elsewhere the first three stages are run again, and nothing is kept of the kick. */
#include "solvers/mpm/mpm.h"

#include <math.h>

enum { LOGGED_BITS = 32, MOST_KEPT_BITS = 63 - DAMPING_BITS };

/* ---- what it takes -------------------------------------------------------------------------------------------- */

/* There must be no dissipating walls; a face that no node is at or beyond is no wall. */
static piola_status check_walls(const pio_engine_desc *desc, piola_error *error)
{
    int penalties = 0;
    for (int a = 0; a < DIM; a++)
        for (int side = 0; side < 2; side++) {
            const int face = desc->grid.face[a][side], penalty = desc->grid.wall[a][side] == PIO_WALL_PENALTY;
            if (side == 0 ? face < 0 : face >= desc->grid.nodes[a]) continue;
            penalties += penalty;
            if (desc->reversible && !penalty)
                return sim_fail(
                    error, PIOLA_BAD_DATA,
                    "axis %d: sticky, slip and separating walls dissipate energy that cannot be restored; the "
                    "reversible integrator has penalty walls",
                    a);
            if (!desc->reversible && penalty)
                return sim_fail(
                    error, PIOLA_BAD_DATA,
                    "axis %d: penalty walls belong to the reversible integrator; sticky, slip and separating "
                    "walls would be right",
                    a);
        }
    const double most = 1 / (desc->dt * desc->dt);
    if (penalties && !(desc->penalty > 0 && desc->penalty <= most))
        return sim_fail(error, PIOLA_BAD_DATA,
                        "penalty walls of stiffness %g 1/s2: above 0 and at most 1/dt^2 = %g would be right",
                        desc->penalty, most);
    return PIOLA_OK;
}

enum { GAMMA_BITS = 32 };

/* gamma 2^(DAMPING_BITS + GAMMA_BITS) */
static int64_t damping_factor(const pio_engine_desc *desc)
{
    return llrint(ldexp(exp(-desc->damping * desc->dt), DAMPING_BITS + GAMMA_BITS));
}

/* gamma 2^DAMPING_BITS of the step that begins with state number s: whole numbers whose sums are those of gamma,
 * rounded down. */
static int64_t damping_of(const mpm_sim *sim, int64_t s)
{
    const int64_t part = sim->reversible.gamma & (((int64_t)1 << GAMMA_BITS) - 1); /* s is below 2^29 */
    return (sim->reversible.gamma >> GAMMA_BITS) + ((s + 1) * part >> GAMMA_BITS) - (s * part >> GAMMA_BITS);
}

static piola_status check_damping(const pio_engine_desc *desc, piola_error *error)
{
    const double least = ldexp(1, -DAMPING_BITS - GAMMA_BITS) / desc->dt;
    if (desc->damping >= 0 && desc->damping <= 0) return PIOLA_OK;
    if (!desc->reversible)
        return sim_fail(error, PIOLA_BAD_DATA, "damping of %g 1/s belongs to the reversible integrator", desc->damping);
    if (!(desc->damping >= least && desc->damping * desc->dt <= 0.5))
        return sim_fail(error, PIOLA_BAD_DATA, "damping of %g 1/s: 0, or from %.3g to 0.5/dt = %g would be right",
                        desc->damping, least, 0.5 / desc->dt);
    return PIOLA_OK;
}

piola_status mpm_reversible_accepts(const pio_engine_desc *desc, piola_error *error)
{
    const pio_particles_desc *p = &desc->particles;
    if (desc->reversible && p->viscosity)
        return sim_fail(error, PIOLA_BAD_DATA,
                        "viscosity of solids dissipates energy that cannot be restored; the reversible integrator has "
                        "solids without viscosity");
    for (int64_t i = 0; desc->reversible && i < p->n; i++)
        if (law_is_fluid(p->law[i]) && p->law_parameters[PIO_LAW_CONSTANTS * i + 2] > 0)
            return sim_fail(
                error, PIOLA_BAD_DATA,
                "particle %lld: viscosity dissipates energy that cannot be restored; the reversible integrator has "
                "fluids without viscosity",
                (long long)i);
    for (int d = 0; desc->reversible && d < desc->n_designs; d++) {
        const pio_design_desc *e = &desc->designs[d];
        for (int64_t i = 0; e->quantity == PIO_LAW_PARAMETER_2 && i < p->n; i++)
            if (e->index[i] >= 0 && law_is_fluid(p->law[i]))
                return sim_fail(
                    error, PIOLA_BAD_DATA,
                    "design %d: viscosity dissipates energy that cannot be restored; it is 0 with the reversible "
                    "integrator",
                    d);
    }
    const piola_status rc = check_walls(desc, error);
    return rc ? rc : check_damping(desc, error);
}

/* The number of steps after which kept bits are logged, a function of gamma alone (up to the length of the run):
 * kept <= M becomes at most (M d + d - 1)/n, and must stay below 2^MOST_KEPT_BITS. */
static int64_t record_interval(int64_t n, int64_t steps)
{
    const uint64_t most = ((uint64_t)1 << MOST_KEPT_BITS) - 1, d = (uint64_t)1 << DAMPING_BITS;
    uint64_t kept = most >> LOGGED_BITS;
    int64_t every = 0;
    while (every <= steps) {
        kept = (kept * d + d - 1) / (uint64_t)n;
        if (kept > most) break;
        every++;
    }
    return every;
}

void mpm_reversible_begin(mpm_sim *sim, const pio_engine_desc *desc)
{
    int widest = 0, bits = 0;
    sim->reversible.used = desc->reversible;
    if (!sim->reversible.used) return;
    for (int a = 0; a < DIM; a++) widest = sim->grid.box.nodes[a] > widest ? sim->grid.box.nodes[a] : widest;
    while (bits < 31 && widest >> bits) bits++;
    sim->reversible.lattice.n = sim->particles.n;
    sim->reversible.lattice.bits = 61 - bits < 52 ? 61 - bits : 52;
    sim->reversible.penalty = desc->penalty;
    sim->reversible.damping = desc->damping;
    sim->reversible.gamma = damping_factor(desc);
    if (!(sim->reversible.damping > 0)) return;
    sim->reversible.record_every = record_interval(sim->reversible.gamma >> GAMMA_BITS, desc->steps);
    const size_t each = sizeof *sim->reversible.residual_log * field_size(sim->particles.n, DIM);
    sim->reversible.log_records = desc->residual_log > 0 ? desc->residual_log / (int64_t)each : 0;
}

/* Returns the number of records before state number `steps`: they are at the beginnings of steps record_every, 2
 * record_every, ... */
static int64_t records_before(const mpm_sim *sim, int64_t steps)
{
    return sim->reversible.record_every > 0 && steps > 0 ? (steps - 1) / sim->reversible.record_every : 0;
}

int mpm_reversible_returns(const mpm_sim *sim)
{
    const int64_t index = sim->base.index, number = records_before(sim, index);
    return number == records_before(sim, index - 1) ||
           (sim->reversible.residual_log && number <= sim->reversible.log_records) ||
           number == sim->reversible.last_record_number;
}

size_t mpm_reversible_log_bytes(const mpm_sim *sim, int64_t steps)
{
    return (size_t)records_before(sim, steps) * sizeof *sim->reversible.residual_log *
           field_size(sim->particles.n, DIM);
}

/* ---- stages --------------------------------------------------------------------------------------------------- */

/* clang-format off */
static void lattice_to_floats(mpm_sim *sim)
{
    pio_map(&sim->base.queue, mpm_lattice_read, sim->particles.n, NULL,
            .t = sim->reversible.lattice, .law = sim->material.law, .box = sim->grid.box, .step = sim->step,
            .out = sim->particles.state[sim->particles.current]);
}

void mpm_reversible_start(mpm_sim *sim)
{
    sim->reversible.last_record_number = sim->reversible.log_short = 0;
    pio_map(&sim->base.queue, mpm_lattice_round, sim->particles.n, NULL,
            .s = sim->particles.state[sim->particles.current], .t = sim->reversible.lattice, .law = sim->material.law,
            .box = sim->grid.box, .step = sim->step);
    mpm_reversible_settle(sim);
}

void mpm_reversible_settle(mpm_sim *sim)
{
    lattice_to_floats(sim);
    sim->reversible.fresh = 0;
}

/* Sums of cells to means at nodes. */
static void means(mpm_sim *sim, real *out)
{
    pio_queue *q = &sim->base.queue;
    pio_map(q, mpm_node_mean, sim->grid.nodes, &sim->step->nodes,
            .l = sim->grid.lists, .box = sim->grid.box, .sums = sim->grid.tiles, .components = DIM + 1,
            .nodes = sim->grid.nodes, .out = out);
    pio_halo(q, out);
}

static void force(mpm_sim *sim)
{
    pio_map(&sim->base.queue, mpm_force, sim->grid.max_blocks, &sim->step->blocks,
            .s = sim->particles.state[sim->particles.current], .matter = mpm_matter_of(sim), .l = sim->grid.lists,
            .box = sim->grid.box, .sums = sim->grid.tiles);
    means(sim, sim->grid.node_sums);
}

static void momentum(mpm_sim *sim, const real *velocity)
{
    pio_map(&sim->base.queue, mpm_momentum, sim->grid.max_blocks, &sim->step->blocks,
            .s = sim->particles.state[sim->particles.current], .matter = mpm_matter_of(sim), .l = sim->grid.lists,
            .box = sim->grid.box, .velocity = velocity, .sums = sim->grid.tiles);
    means(sim, sim->grid.velocity);
}

#define KICK_ARGS .s = sim->particles.state[sim->particles.current], .t = sim->reversible.lattice, \
    .l = sim->grid.lists, .step = sim->step, .box = sim->grid.box, \
    .nodes = sim->grid.nodes, .mean = sim->grid.node_sums, .stiffness = (real)sim->reversible.penalty

/* From the velocity of the current state to that of the other one. */
static void kick(mpm_sim *sim, int sign, int keep, int64_t *next_v)
{
    pio_map(&sim->base.queue, mpm_kick, sim->grid.max_blocks, &sim->step->blocks,
            KICK_ARGS, .damping = damping_of(sim, sim->base.index), .sign = sign, .keep = keep, .next_v = next_v,
            .velocity = sim->particles.state[1 - sim->particles.current].velocity);
}

#define STRAIN_ARGS .s = sim->particles.state[sim->particles.current], .t = sim->reversible.lattice, \
    .law = sim->material.law, .l = sim->grid.lists, .step = sim->step, \
    .box = sim->grid.box, .nodes = sim->grid.nodes, .mean = sim->grid.velocity

static void strain(mpm_sim *sim, int sign)
{
    pio_map(&sim->base.queue, mpm_strain, sim->grid.max_blocks, &sim->step->blocks, STRAIN_ARGS, .sign = sign);
}

/* Where something is observed between two steps, the places at the end that is left stay in `other`. */
static void drift(mpm_sim *sim, int sign)
{
    pio_queue *q = &sim->base.queue;
    const mpm_state *s = &sim->particles.state[sim->particles.current];
    if (sim->reversible.velocity_ahead) {
        pio_queue_copy(q, sim->reversible.other.cell, s->cell, sizeof *s->cell * (size_t)sim->particles.n);
        pio_queue_copy(q, sim->reversible.other.offset, s->offset,
                sizeof *s->offset * field_size(sim->particles.n, DIM));
    }
    pio_map(q, mpm_drift, sim->particles.n, &sim->step->particles,
            .t = sim->reversible.lattice, .sign = sign, .box = sim->grid.box, .step = sim->step, .id = s->id,
            .x = sim->reversible.lattice.x, .next_x = sim->reversible.lattice.x, .from = s->cell, .cell = s->cell,
            .offset = s->offset, .v = sim->reversible.lattice.v);
}

/* Moves the bits that a step from this state kept too many of to the log (sign 1), or back (sign -1). */
static void move_kept_bits(mpm_sim *sim, int sign, int to_log)
{
    const int64_t number = records_before(sim, sim->base.index + 1);
    if (number == records_before(sim, sim->base.index)) return;
    const int room = number <= sim->reversible.log_records;
    if (to_log && sim->reversible.residual_log && !room) sim->reversible.log_short = 1;
    const int logged = to_log && sim->reversible.residual_log && room;
    if (!logged && sign > 0) sim->reversible.last_record_number = number;
    uint32_t *record = logged ? sim->reversible.residual_log + (size_t)(number - 1) * field_size(sim->particles.n, DIM)
                              : sim->reversible.last_record;
    pio_map(&sim->base.queue, mpm_log_residuals, (int)field_size(sim->particles.n, DIM), NULL,
            .sign = sign, .kept = sim->reversible.lattice.kept, .log = record);
}

/* ---- a step, and its inverse
 * ----------------------------------------------------------------------------------------- */

void mpm_reversible_forward(mpm_sim *sim)
{
    move_kept_bits(sim, 1, !sim->base.turned);
    mpm_control_step(sim);
    mpm_sort(sim);
    force(sim);
    kick(sim, 1, 1, sim->reversible.lattice.v);
    momentum(sim, sim->particles.state[1 - sim->particles.current].velocity);
    strain(sim, 1);
    drift(sim, 1);
    pio_map(&sim->base.queue, mpm_advance, 1, NULL, .step = sim->step);
    sim->particles.current = 1 - sim->particles.current;
    sim->base.index++;
    sim->reversible.fresh = 0;
}

void mpm_reversible_inverse_step(mpm_sim *sim)
{
    drift(sim, -1);
    sim->base.index--;
    pio_map(&sim->base.queue, mpm_set_index, 1, NULL, .step = sim->step, .index = sim->base.index);
    mpm_control_step(sim);
    mpm_sort(sim);
    momentum(sim, sim->particles.state[sim->particles.current].velocity);
    strain(sim, -1);
    force(sim);
    kick(sim, -1, 1, sim->reversible.lattice.v);
    move_kept_bits(sim, -1, sim->reversible.last_record_number != records_before(sim, sim->base.index + 1));
    sim->particles.current = 1 - sim->particles.current;
    sim->reversible.fresh = 1;
}

/* The same lists, grid and velocities from the state at the beginning of the step. */
static void repeat_stages(mpm_sim *sim)
{
    const mpm_state *s = &sim->particles.state[sim->particles.current];
    mpm_control_step(sim);
    mpm_sort(sim);
    force(sim);
    move_kept_bits(sim, 1, 0);
    kick(sim, 1, 0, sim->reversible.velocity_ahead);
    move_kept_bits(sim, -1, 0);
    momentum(sim, sim->particles.state[1 - sim->particles.current].velocity);
    if (!sim->reversible.velocity_ahead) return;
    pio_map(&sim->base.queue, mpm_drift, sim->particles.n, &sim->step->particles,
            .t = sim->reversible.lattice, .sign = 1, .box = sim->grid.box, .step = sim->step, .id = s->id,
            .x = sim->reversible.lattice.x, .from = s->cell, .cell = sim->reversible.other.cell,
            .offset = sim->reversible.other.offset, .v = sim->reversible.velocity_ahead);
}

/* Cotangents of means at nodes, from those of cells to those of mass and sums. */
static void means_adj(mpm_sim *sim, const real *mean)
{
    pio_queue *q = &sim->base.queue;
    pio_map(q, mpm_node_sum, sim->grid.blocks, NULL,
            .l = sim->grid.lists, .box = sim->grid.box, .sums = sim->grid.tiles, .components = DIM,
            .nodes = sim->grid.nodes, .out = sim->grid.velocity_bar);
    pio_halo(q, sim->grid.velocity_bar);
    pio_map(q, mpm_node_mean_adj, sim->grid.nodes, &sim->step->nodes,
            .l = sim->grid.lists, .nodes = sim->grid.nodes, .mean = mean, .mean_bar = sim->grid.velocity_bar,
            .node_bar = sim->grid.node_bar);
}

static void gravity_adj(mpm_sim *sim)
{
    pio_queue *q = &sim->base.queue;
    for (int c = 0; c < DIM; c++) {
        pio_sum(q, mpm_kick_gravity, sim->particles.n, NULL, sim->base.scalar,
                .n = sim->particles.n, .component = c, .step = sim->step,
                .velocity_bar = sim->particles.bar[0].velocity);
        pio_map(q, add_scalar, 1, NULL, .term = sim->base.scalar, .total = sim->base.gravity_bar + c);
    }
}

static void strain_and_momentum_adj(mpm_sim *sim)
{
    pio_queue *q = &sim->base.queue;
    const mpm_state bar = sim->particles.bar[0];
    pio_map(q, mpm_drift_adj, sim->particles.n, NULL,
            .n = sim->particles.n, .step = sim->step, .inv_dx = sim->grid.box.inv_dx, .offset_bar = bar.offset,
            .velocity_bar = bar.velocity);
    pio_map(q, mpm_strain_adj, sim->grid.max_blocks, &sim->step->blocks,
            .fwd = {STRAIN_ARGS}, .bar = bar, .sums = sim->grid.tiles);
    means_adj(sim, sim->grid.velocity);
    pio_map(q, mpm_momentum_adj, sim->grid.max_blocks, &sim->step->blocks,
            .fwd = {.s = sim->particles.state[sim->particles.current], .matter = mpm_matter_of(sim),
            .l = sim->grid.lists, .box = sim->grid.box,
                    .velocity = sim->particles.state[1 - sim->particles.current].velocity},
            .nodes = sim->grid.nodes, .node_bar = sim->grid.node_bar, .offset_bar = bar.offset,
            .velocity_bar = bar.velocity, .mass_bar = sim->material.mass_bar);
}

static void kick_and_force_adj(mpm_sim *sim)
{
    pio_queue *q = &sim->base.queue;
    const mpm_state bar = sim->particles.bar[0];
    gravity_adj(sim);
    pio_map(q, mpm_kick_adj, sim->grid.max_blocks, &sim->step->blocks,
            .fwd = {KICK_ARGS},
            .gamma = (real)(sim->reversible.damping > 0 ? ldexp((double)damping_of(sim, sim->base.index),
                                                                         -DAMPING_BITS) : 1),
            .offset_bar = bar.offset, .velocity_bar = bar.velocity, .sums = sim->grid.tiles);
    means_adj(sim, sim->grid.node_sums);
    pio_map(q, mpm_force_adj, sim->grid.max_blocks, &sim->step->blocks,
            .fwd = {.s = sim->particles.state[sim->particles.current], .matter = mpm_matter_of(sim),
            .l = sim->grid.lists, .box = sim->grid.box}, .nodes = sim->grid.nodes, .node_bar = sim->grid.node_bar,
            .bar = bar, .mass_bar = sim->material.mass_bar, .k_bar = sim->material.k_bar,
            .activation_bar = sim->control.contribution);
}
/* clang-format on */

void mpm_reversible_adjoint(mpm_sim *sim)
{
    if (!sim->reversible.fresh) repeat_stages(sim);
    mpm_observe_between_adj(sim);
    strain_and_momentum_adj(sim);
    kick_and_force_adj(sim);
    mpm_control_step_adj(sim, &sim->particles.bar[0]);
    mpm_adjoint_norm(sim, &sim->particles.bar[0], sim->base.index, NORM_ARRIVED);
    mpm_observe_before_adj(sim);
    sim->reversible.fresh = 0;
}

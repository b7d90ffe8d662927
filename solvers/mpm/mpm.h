/* Room solvers/mpm: the engine of particles. */
/* mpm.h -- the MPM simulation: its device arrays, one step in each direction, observations and design. */
#ifndef PIOLA_SOLVERS_MPM_H
#define PIOLA_SOLVERS_MPM_H

#include "solvers/engine/sim_control.h"
#include "solvers/mpm/mpm_sim.h"

/* Returns the MPM simulation that `sim` is. */
static inline mpm_sim *mpm_of(pio_sim *sim)
{
    return (mpm_sim *)sim; /* base is its first member */
}

/* Lays out, or measures, all device memory of `sim` in its arena (mpm_memory.c). */
void mpm_layout(mpm_sim *sim, const pio_engine_desc *desc);
/* The member memory_out of pio_engine. Returns PIOLA_NO_MEMORY or PIOLA_UNAVAILABLE as sim_memory_out() does. */
piola_status mpm_memory_out(pio_sim *sim, size_t at, size_t n, void *bytes, piola_error *error);
/* The member memory_in of pio_engine. Returns PIOLA_NO_MEMORY or PIOLA_UNAVAILABLE as sim_memory_in() does. */
piola_status mpm_memory_in(pio_sim *sim, size_t at, size_t n, const void *bytes, piola_error *error);

/* ---- mpm_slot.c: compact slots ---------------------------------------------------------------------------------- */

/* Decides whether slots are compact, and their bytes; `whole`: those of a whole state. */
void mpm_slot_layout(mpm_sim *sim, const pio_engine_desc *desc, size_t whole);
/* Uploads the number of each particle among its kind. Returns PIOLA_NO_MEMORY without host memory, or PIOLA_UNAVAILABLE
 * after an error of the device. */
piola_status mpm_slot_upload(mpm_sim *sim, const pio_engine_desc *desc, piola_error *error);
/* Returns the number of active nodes at the start of a description; 0: unknown. */
int64_t mpm_slot_nodes(const mpm_sim *sim, const pio_engine_desc *desc);
/* The member save of pio_engine. Returns PIOLA_INTERNAL if there is no such slot, or the step that led to the current
 * state is not in memory, or PIOLA_UNAVAILABLE after an error of the device. */
piola_status mpm_slot_save(mpm_sim *sim, int64_t slot, piola_error *error);
/* The member load of pio_engine. Returns PIOLA_INTERNAL if the slot holds no state, or PIOLA_UNAVAILABLE after an error
 * of the device. */
piola_status mpm_slot_load(mpm_sim *sim, int64_t slot, piola_error *error);
/* The member state_out of pio_engine. Returns the errors of mpm_check_fault(), since a state after a fault cannot be
 * made again, and PIOLA_INTERNAL if the step that led to the state is not in memory. */
piola_status mpm_slot_out(mpm_sim *sim, void *bytes, piola_error *error);
/* The member state_in of pio_engine. Returns PIOLA_UNAVAILABLE after an error of the device. */
piola_status mpm_slot_in(mpm_sim *sim, const void *bytes, int64_t step, piola_error *error);
/* The member nodes_needed of pio_engine. */
int64_t mpm_slot_needed(const pio_sim *sim);

/* ---- mpm_state.c ------------------------------------------------------------------------------------------------ */

/* Takes the memory of a state, or without `integers` that of its cotangents. */
void mpm_state_layout(mpm_sim *sim, mpm_state *s, int integers);
/* Returns the state whose arrays lie in `memory`, slot_bytes long, as those of a state in the arena do. */
mpm_state mpm_state_at(mpm_sim *sim, char *memory);

/* ---- mpm_in_place.c: whole states that stay where they are written ---------------------------------------------- */

/* Decides what a slot has room for beside its state. */
void mpm_in_place_layout(mpm_sim *sim, const pio_engine_desc *desc);
/* Notes the states of the simulation's own, once they are laid out; returns 0 without host memory. */
int mpm_in_place_create(mpm_sim *sim);
/* Before state 0: no slot plays a part, and nothing is known of lists or sums. */
void mpm_in_place_start(mpm_sim *sim);
/* The member will_save of pio_engine. */
void mpm_will_save(pio_sim *sim, int64_t slot, int64_t state);
/* Before the other state is written: it is one of the simulation's own. */
void mpm_own_next(mpm_sim *sim);
/* Before the step from the current state: its end goes to the slot where it will be saved, if that is known. */
void mpm_place_next(mpm_sim *sim);
/* The member save of pio_engine, of whole states. Returns PIOLA_INTERNAL if there is no such slot, or PIOLA_UNAVAILABLE
 * after an error of the device. */
piola_status mpm_whole_save(mpm_sim *sim, int64_t slot, piola_error *error);
/* The member load of pio_engine, of whole states. Returns PIOLA_INTERNAL if the slot holds no state, or
 * PIOLA_UNAVAILABLE after an error of the device. */
piola_status mpm_whole_load(mpm_sim *sim, int64_t slot, piola_error *error);
/* Returns the memory of the current state, slot_bytes long, which then is in no slot. */
void *mpm_whole_own(mpm_sim *sim);
/* Before all that is in no slot is read as memory: the states that matter are there. */
void mpm_whole_leave(mpm_sim *sim);
/* Returns state `number`, one of the last that steps led to without a check in between. */
mpm_state mpm_state_number(mpm_sim *sim, int64_t number);
/* Before the step from the current state, and its adjoint: chooses where its sums at nodes are. Returns 1 where they
 * are there already, from the same step before. */
int mpm_sums_there(mpm_sim *sim);

/* ---- steps ------------------------------------------------------------------------------------------------------ */

/* Returns what kernels know of the particles (mpm_stage.c). */
mpm_matter mpm_matter_of(const mpm_sim *sim);
/* Takes the memory of lists of particles, blocks and nodes (mpm_stage.c). */
void mpm_lists_layout(mpm_sim *sim, mpm_lists *l);
/* Makes the lists of particles and active nodes of the current state, and their counts in the step block. */
void mpm_sort(mpm_sim *sim);
/* Lists the occupied blocks by where the particles of each cell begin. */
void mpm_list_blocks(mpm_sim *sim);
/* As mpm_sort(), into these lists and this step block. */
void mpm_sort_into(mpm_sim *sim, mpm_lists lists, mpm_step *step);
/* Computes the state after the current one into the other state, from the grid and lists of mpm_transfer(), without
 * FLIP and plastic flow. */
void mpm_move_trial(mpm_sim *sim);
/* As mpm_move_trial(), with FLIP and plastic flow; `counts`: plastic particles near a change of branch are counted
 * (mpm_move.c). */
void mpm_move(mpm_sim *sim, int counts);

/* Computes lists and grid of the current state (mpm_step.c). */
void mpm_transfer(mpm_sim *sim);
/* Runs one step. */
void mpm_forward(mpm_sim *sim);
/* Runs the adjoint of the step that leaves the current state. */
void mpm_adjoint_step(mpm_sim *sim);

/* Checks that the reversible integrator can run a description (mpm_reversible.c). Returns PIOLA_BAD_DATA, and what
 * would be right, if not. */
piola_status mpm_reversible_accepts(const pio_engine_desc *desc, piola_error *error);
/* Sets its constants from the description, before the layout. */
void mpm_reversible_begin(mpm_sim *sim, const pio_engine_desc *desc);
/* Puts the state of start() on the lattice. */
void mpm_reversible_start(mpm_sim *sim);
/* Computes the state from the lattice. */
void mpm_reversible_settle(mpm_sim *sim);
/* Runs one step. */
void mpm_reversible_forward(mpm_sim *sim);
/* Runs the inverse of the step that led to the current state. */
void mpm_reversible_inverse_step(mpm_sim *sim);
/* Runs the adjoint of the step that leaves the current state. */
void mpm_reversible_adjoint(mpm_sim *sim);
/* Returns whether the step before the current state has an inverse: the log holds what it needs. */
int mpm_reversible_returns(const mpm_sim *sim);
/* Returns the bytes of the log after so many steps. */
size_t mpm_reversible_log_bytes(const mpm_sim *sim, int64_t steps);

/* ---- observations ----------------------------------------------------------------------------------------------- */

/* Adds the contributions of state number `index` to all samples (mpm_observe.c). */
void mpm_observe_step(mpm_sim *sim, int64_t index);
/* Adds the cotangents of these contributions to those of the state. */
void mpm_observe_step_adj(mpm_sim *sim, int64_t index);
/* Sums the squares of the cotangents `bar` of state number `index`, and of the state, into entry `which`, see
 * sim_norms.c. */
void mpm_adjoint_norm(mpm_sim *sim, const mpm_state *bar, int64_t index, int which);

/* Computes the end of the present step again, into the other state, and adds the cotangents of it that come from
 * observations between the ends of the step (mpm_between.c). */
void mpm_observe_between_adj(mpm_sim *sim);
/* Adds the cotangents of the beginning of the step that come from them, once its cotangents have their first source. */
void mpm_observe_before_adj(mpm_sim *sim);

/* Lays out the memory of all targets (mpm_target.c). */
void mpm_target_layout(mpm_sim *sim);
/* Uploads the target of an observation. */
void mpm_target_upload(mpm_sim *sim, mpm_observation *observation, const pio_particles_desc *particles);
/* Adds a density misfit at one state, with its weight, to its sample, or with `adjoint` its cotangents to those of the
 * state. */
void mpm_observe_density(mpm_sim *sim, const pio_sample_weight *t, int adjoint);
/* Likewise of a separation. */
void mpm_observe_separation(mpm_sim *sim, const pio_sample_weight *t, int adjoint);

/* Returns what kernels know of one component of an observation (mpm_observe_sum.c). */
mpm_observe_args mpm_observe_args_of(const mpm_sim *sim, const mpm_observation *o, int sample, int axis);
/* Likewise of a sample between the ends of the step from state[past]. */
mpm_observe_args mpm_observe_args_between(const mpm_sim *sim, const pio_sample_weight *t, int past);
/* Sets *sum, device memory, to the sum of a component over particles. */
void mpm_observe_sum(mpm_sim *sim, const mpm_observe_args *args, double *sum);
/* Finds the quantile of a front in the current state: sets its place (kernels/mpm/mpm_quantile.h). */
void mpm_observe_quantile(mpm_sim *sim, const mpm_observation *o);
/* Adds `weight` times the adjoint of the component's value, given dJ/dvalue in `bar`, to the cotangents of the
 * state. */
void mpm_observe_sum_adj(mpm_sim *sim, const mpm_observe_args *args, const double *sum, const double *bar,
                         double weight);
/* Adds `weight` times the value of the sum in `scalar` to sample number `at`. */
void mpm_observe_put(mpm_sim *sim, const mpm_observe_args *args, double weight, int at);
/* Computes the masses, kg, of what is observed, once those of the particles are known. */
void mpm_observe_totals(mpm_sim *sim);

/* ---- design, control, obstacles --------------------------------------------------------------------------------- */

/* Applies z to the constants and the initial state (mpm_parameters.c). */
void mpm_design_apply(mpm_sim *sim);
void mpm_start_state(mpm_sim *sim); /* Sets the current state to state 0. */
/* Computes z_bar from the gradients of constants and initial state. */
void mpm_design_adj(mpm_sim *sim);

/* Checks the channels of control (mpm_control.c). Returns PIOLA_BAD_DATA, and what is wrong, if they cannot be, or
 * PIOLA_NO_MEMORY without host memory. */
piola_status mpm_control_accepts(const pio_engine_desc *desc, piola_error *error);
/* Uploads them. */
void mpm_control_upload(mpm_sim *sim, const pio_engine_desc *desc);
/* Sets the activations, Pa, of the channels in a step. */
void mpm_control_step(mpm_sim *sim);
/* Its adjoint, at the end of an adjoint step; `bar`: cotangents of the state at the beginning of the step. */
void mpm_control_step_adj(mpm_sim *sim, const mpm_state *bar);
/* Adds the contribution of a sample weight of effort or smoothness at the end of a step. */
void mpm_observe_control(mpm_sim *sim, const pio_sample_weight *t);

/* Checks the networks (mpm_feedback.c). Returns PIOLA_BAD_DATA, and what is wrong, if they cannot be. */
piola_status mpm_networks_accept(const pio_engine_desc *desc, piola_error *error);
/* Sets their shapes on the host, before the layout; returns 0 without memory. */
int mpm_networks_begin(mpm_sim *sim, const pio_engine_desc *desc);
/* Uploads their tables. */
void mpm_networks_upload(mpm_sim *sim);
/* Sets the activations of their channels in a step. */
void mpm_networks_step(mpm_sim *sim);
/* Zeroes what the adjoint accumulates, at the beginning of an adjoint sweep. */
void mpm_networks_adj_begin(mpm_sim *sim);
/* The adjoint of mpm_networks_step(); adds to `bar`, cotangents of the state at the beginning of the step. */
void mpm_networks_step_adj(mpm_sim *sim, const mpm_state *bar);

/* Checks the obstacles (mpm_obstacle.c). Returns PIOLA_BAD_DATA, and what is wrong, if they cannot be. */
piola_status mpm_obstacles_accept(const pio_engine_desc *desc, piola_error *error);
/* Allocates their host memory; returns 0 without memory. */
int mpm_obstacles_begin(mpm_sim *sim, const pio_engine_desc *desc);
/* Lays out their device memory. */
void mpm_obstacles_layout(mpm_sim *sim, const pio_engine_desc *desc);
/* Uploads them. */
void mpm_obstacles_upload(mpm_sim *sim, const pio_engine_desc *desc);
/* Returns the sums of mass and momentum of which the grid's velocities are made: with the impulses of obstacles
 * and of bodies that repel each other. */
static inline const real *mpm_grid_sums(const mpm_sim *sim)
{
    return sim->obstacles.pushed_sums ? sim->obstacles.pushed_sums : sim->grid.node_sums;
}
/* Adds the impulses of obstacles, and of bodies that repel each other, to the momentum at nodes, whose sums are there.
 */
void mpm_obstacles_push(mpm_sim *sim);
/* Applies them to the grid's velocities in a step. */
void mpm_obstacles_act(mpm_sim *sim);
/* The adjoint of mpm_obstacles_act(), without the dependence on where the material is. */
void mpm_obstacles_adj(mpm_sim *sim);
/* The rest of that adjoint, once mpm_g2p_adj and mpm_grid_adj have set what it adds to. */
void mpm_obstacles_mass_adjoint(mpm_sim *sim);
/* Counts one kind of kinks of this step into the simulation's scalar, see mpm_kinks.c. */
void mpm_obstacles_count(mpm_sim *sim, real part, real least);

/* Sets which kinks are counted in adjoint sweeps, see pio_engine.kinks (mpm_kinks.c). */
void mpm_kinks_begin(mpm_sim *sim, const pio_engine_desc *desc);
/* Lays out their device memory. */
void mpm_kinks_layout(mpm_sim *sim);
/* Zeroes the counts. */
void mpm_kinks_start(mpm_sim *sim);
/* Counts those of a step, once the grid's velocity_bar is known and before node_bar is. */
void mpm_kinks_count(mpm_sim *sim);
/* The member kinks of pio_engine. */
int64_t mpm_kinks(pio_sim *sim, int32_t i, pio_kinks *kinks);

/* ---- mpm_filter.c ----------------------------------------------------------------------------------------------- */

/* Lays out the memory of the filter of a design, which has one. */
void mpm_filter_layout(mpm_sim *sim, mpm_design *d);
/* Uploads it. */
void mpm_filter_upload(mpm_sim *sim, const mpm_design *d);
/* The member project of pio_engine. */
void mpm_filter_project(pio_sim *sim, int32_t design, double sharpness);
/* Returns the variables of a design after its filter and projection, if it has them, [variables]. */
const double *mpm_filter_apply(mpm_sim *sim, const mpm_design *d);
/* Returns where the cotangents of these belong, [variables]. */
double *mpm_filter_bar(const mpm_sim *sim, const mpm_design *d);
/* Makes of them those of the variables. */
void mpm_filter_adj(mpm_sim *sim, const mpm_design *d);
/* Checks particles that are filled in part. Returns PIOLA_BAD_DATA, and what would be right, if one cannot be. */
piola_status mpm_interpolation_accepts(const pio_engine_desc *desc, piola_error *error);

/* ---- FLIP, contact, plasticity ---------------------------------------------------------------------------------- */

/* Checks the FLIP ratio (mpm_flip.c). Returns PIOLA_BAD_DATA if it cannot be, or the integrator has none. */
piola_status mpm_flip_accepts(const pio_engine_desc *desc, piola_error *error);
/* Sets its constants from the description, before the layout. */
void mpm_flip_begin(mpm_sim *sim, const pio_engine_desc *desc);
/* Gathers the grid's momentum without forces, once its mass is known. */
void mpm_flip_gather(mpm_sim *sim);
/* Adds to the particles' velocities what they keep of their own, once mpm_g2p has moved them. */
void mpm_flip_keep(mpm_sim *sim);
/* The adjoint of both, once mpm_g2p_adj and mpm_grid_adj have set what it adds to. */
void mpm_flip_adjoint(mpm_sim *sim);

/* Checks the friction of the grid's walls (mpm_wall.c). Returns PIOLA_BAD_DATA, and what is wrong, if it cannot be. */
piola_status mpm_walls_accept(const pio_engine_desc *desc, piola_error *error);
/* Returns 1 where the wall of an axis and side does something along itself: friction, also as a design, or sticking. */
int mpm_wall_is_rough(const pio_engine_desc *desc, int a, int side);
/* Sets what the box knows of them, from the description. */
void mpm_walls_begin(mpm_sim *sim, const pio_engine_desc *desc);
/* Sets what the step block knows of them at the start of a run. */
void mpm_walls_start(const mpm_sim *sim, mpm_step *step);
/* Takes their memory. */
void mpm_walls_layout(mpm_sim *sim);
/* Applies friction and sticking of the walls to the velocities that mpm_grid made; args: its arguments. */
void mpm_walls_act(mpm_sim *sim, const mpm_grid_args *args);
/* Its adjoint, before that of mpm_grid. */
void mpm_walls_adjoint(mpm_sim *sim, const mpm_grid_args *args);
/* The rest of that adjoint, after that of mpm_grid: cotangents of masses and momenta. */
void mpm_walls_rest_adjoint(mpm_sim *sim);

/* Checks the velocity fields (mpm_contact.c). Returns PIOLA_BAD_DATA, and what is wrong, if they cannot be. */
piola_status mpm_contact_accepts(const pio_engine_desc *desc, piola_error *error);
/* Applies contact to the velocities that mpm_grid made of each field. */
void mpm_contact_step(mpm_sim *sim);
/* Its adjoint, before that of mpm_grid. */
void mpm_contact_adjoint(mpm_sim *sim);
/* The rest of that adjoint, after that of mpm_grid: cotangents of the masses, and by the volumes of the positions. */
void mpm_contact_matter_adjoint(mpm_sim *sim);

/* Checks velocity fields that repel each other (mpm_repel.c). Returns PIOLA_BAD_DATA, and what is wrong, if they cannot
 * be. */
piola_status mpm_repel_accepts(const pio_engine_desc *desc, piola_error *error);
/* Sets its constants from the description, before the layout. */
void mpm_repel_begin(mpm_sim *sim, const pio_engine_desc *desc);
/* Takes its memory. */
void mpm_repel_layout(mpm_sim *sim);
/* Sets the impulses of bodies at nodes, [nodes][DIM] N s, from where particles are. */
void mpm_repel_step(mpm_sim *sim, real *push);
/* Its adjoint: adds to the cotangents of the state, from those of the impulses. */
void mpm_repel_adjoint(mpm_sim *sim, const real *push_bar);
/* Returns what its kernels read and set. */
mpm_repel_args mpm_repel_args_of(const mpm_sim *sim);

/* Checks the friction of velocity fields that repel each other (mpm_rub.c). Returns PIOLA_BAD_DATA, and what is wrong,
 * if it cannot be. */
piola_status mpm_rub_accepts(const pio_engine_desc *desc, piola_error *error);
/* Finds whether there is any, before the layout and after mpm_repel_begin. */
void mpm_rub_begin(mpm_sim *sim, const pio_engine_desc *desc);
/* Takes its memory. */
void mpm_rub_layout(mpm_sim *sim);
/* Applies it to the velocities of the nodes of all fields. */
void mpm_rub_step(mpm_sim *sim);
/* Its adjoint, before that of mpm_grid. */
void mpm_rub_adjoint(mpm_sim *sim);
/* The rest of that adjoint, after that of mpm_grid: cotangents of the masses. */
void mpm_rub_mass_adjoint(mpm_sim *sim);

/* Checks the plastic laws of a description (mpm_plastic.c). Returns PIOLA_BAD_DATA, and what is wrong, if they cannot
 * be. */
piola_status mpm_plastic_accepts(const pio_engine_desc *desc, piola_error *error);
/* Uploads them. */
void mpm_plastic_upload(mpm_sim *sim, const pio_engine_desc *desc);
/* Checks the constants before the first step, for check(). */
void mpm_plastic_start(mpm_sim *sim);
/* Applies plastic flow to the trial state in the other state; `counts`: particles near a change of branch are
 * counted. */
void mpm_plastic_flow(mpm_sim *sim, int counts);
/* Begins an adjoint sweep: the count so far is that of the run. */
void mpm_plastic_adj_begin(mpm_sim *sim);
/* The adjoint of mpm_plastic_flow(). */
void mpm_plastic_flow_adj(mpm_sim *sim);
/* Returns how often particles were near a change of branch. */
int64_t mpm_plastic_kinks(mpm_sim *sim);

/* ---- fields and faults ------------------------------------------------------------------------------------------ */

/* The member components of pio_engine (mpm_fields.c). */
int32_t mpm_components(const pio_sim *sim, const char *field);
/* The member read of pio_engine. Returns PIOLA_USAGE if there is no such field, or PIOLA_UNAVAILABLE after an error of
 * the device. */
piola_status mpm_read(pio_sim *sim, const char *field, double *values, piola_error *error);
/* The member read_device of pio_engine. Returns the errors of mpm_read(), or PIOLA_NO_MEMORY. */
piola_status mpm_read_device(pio_sim *sim, const char *field, double **values, piola_error *error);
/* The member field of pio_engine. */
int mpm_field(const pio_sim *sim, int32_t i, char name[64]);

/* The member check of pio_engine: describes the fault in the step block (mpm_fault.c). Returns PIOLA_NUMERICAL with
 * step, particle and value, PIOLA_NO_MEMORY where a slot or the residual log has too little room, or PIOLA_UNAVAILABLE
 * after an error of the device; PIOLA_OK if there is none. */
piola_status mpm_check_fault(pio_sim *sim, piola_error *error);

#endif

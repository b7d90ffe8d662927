/* Room solvers/mpm: the engine of particles. */
/* mpm.h -- the MPM simulation: its device arrays, one step in each direction, observations and design. */
#ifndef PIOLA_SOLVERS_MPM_H
#define PIOLA_SOLVERS_MPM_H

#include "solvers/mpm/mpm_sim.h"

static inline mpm_sim *mpm_of(pio_sim *sim)
{
    return (mpm_sim *)sim; /* base is its first member */
}

/* mpm_memory.c: lay out (measure) all device memory of `sim` in its arena. */
void mpm_layout(mpm_sim *sim, const pio_engine_desc *desc);
/* See pio_engine. */
piola_status mpm_memory_out(pio_sim *sim, size_t at, size_t n, void *bytes, piola_error *error);
piola_status mpm_memory_in(pio_sim *sim, size_t at, size_t n, const void *bytes, piola_error *error);

/* mpm_slot.c: compact slots. Whether there are any, and their bytes; the number of each particle among its kind; how
 * many nodes are active as the description has it, 0: not known; what a slot holds to and from the device, or the host,
 * with the step's number. */
void mpm_slot_layout(mpm_sim *sim, const pio_engine_desc *desc, size_t whole);
piola_status mpm_slot_upload(mpm_sim *sim, const pio_engine_desc *desc, piola_error *error);
int64_t mpm_slot_nodes(const mpm_sim *sim, const pio_engine_desc *desc);
piola_status mpm_slot_save(mpm_sim *sim, int64_t slot, piola_error *error);
piola_status mpm_slot_load(mpm_sim *sim, int64_t slot, piola_error *error);
piola_status mpm_slot_out(mpm_sim *sim, void *bytes, piola_error *error);
piola_status mpm_slot_in(mpm_sim *sim, const void *bytes, int64_t step, piola_error *error);
int64_t mpm_slot_needed(const pio_sim *sim);

/* mpm_stage.c: what kernels know of the particles; lists of the current state, its own or these, with the counts of
 * cells and nodes in the step block; by the grid and the lists of `transfer` the state after the current one, into the
 * other, without what FLIP keeps and plastic flow. */
mpm_matter mpm_matter_of(const mpm_sim *sim);
void mpm_sort(mpm_sim *sim);
void mpm_sort_into(mpm_sim *sim, mpm_lists lists, mpm_step *step);
void mpm_move_trial(mpm_sim *sim);

/* mpm_move.c: the same with these; `counts`: plastic particles near a change of branch are counted. */
void mpm_move(mpm_sim *sim, int counts);

/* mpm_step.c: one step, and its adjoint. `transfer` recomputes lists and grid of the current state. */
void mpm_transfer(mpm_sim *sim);
void mpm_forward(mpm_sim *sim);
void mpm_adjoint_step(mpm_sim *sim);

/* mpm_reversible.c: whether a description has what the integrator can take back; what follows from it, before the
 * layout; the state of start() to the lattice, the lattice to the state; one step, one step taken back, the adjoint of
 * one. */
piola_status mpm_reversible_accepts(const pio_engine_desc *desc, piola_error *error);
void mpm_reversible_begin(mpm_sim *sim, const pio_engine_desc *desc);
void mpm_reversible_start(mpm_sim *sim);
void mpm_reversible_settle(mpm_sim *sim);
void mpm_reversible_forward(mpm_sim *sim);
void mpm_reversible_inverse_step(mpm_sim *sim);
void mpm_reversible_adjoint(mpm_sim *sim);
/* Whether the step before the current state can be taken back: what it spilled is there. Bytes that the tape has after
 * so many steps. */
int mpm_reversible_returns(const mpm_sim *sim);
size_t mpm_reversible_taped(const mpm_sim *sim, int64_t steps);

/* mpm_observe.c: add (forward), or add the cotangents of (reverse), all observations that touch state number
 * `index`. */
void mpm_observe_step(mpm_sim *sim, int64_t index);
void mpm_observe_step_adj(mpm_sim *sim, int64_t index);
/* Sums of squares of these cotangents, and of what they belong to, of state number `index`; see sim_norms.c. */
void mpm_adjoint_norm(mpm_sim *sim, const mpm_state *bar, int64_t index, int which);

/* mpm_between.c: the adjoint of what is observed between the ends of the step at hand, whose end is computed again into
 * the other state: cotangents of that; once those of the beginning have their first source, their part. */
void mpm_observe_between_adj(mpm_sim *sim);
void mpm_observe_before_adj(mpm_sim *sim);

/* mpm_target.c: memory of all targets, upload of one; add (forward) one touch of a density or a separation, or its
 * cotangents. */
void mpm_target_layout(mpm_sim *sim);
void mpm_target_upload(mpm_sim *sim, mpm_observation *observation, const pio_particles_desc *particles);
void mpm_density_touch(mpm_sim *sim, const pio_touch *touch, int reverse);
void mpm_separation_touch(mpm_sim *sim, const pio_touch *touch, int reverse);

/* mpm_observe_sum.c: what kernels know of one component of an observation; of a touch between the ends of the step from
 * state[past]; a sum of it over particles; its adjoint, given dJ/dvalue in `bar`, times weight; weight times the value
 * of the sum in `scalar` to sample number `at`; the masses of what is observed, once the particles' are known. */
mpm_observe_args mpm_observe_args_of(const mpm_sim *sim, const mpm_observation *o, int sample, int axis);
mpm_observe_args mpm_observe_args_between(const mpm_sim *sim, const pio_touch *touch, int past);
void mpm_observe_sum(mpm_sim *sim, const mpm_observe_args *args, double *sum);
void mpm_observe_sum_adj(mpm_sim *sim, const mpm_observe_args *args, const double *sum, const double *bar,
                         double weight);
void mpm_observe_put(mpm_sim *sim, const mpm_observe_args *args, double weight, int at);
void mpm_observe_totals(mpm_sim *sim);

/* mpm_parameters.c: z to constants and initial state, and gradients back to z. */
void mpm_design_apply(mpm_sim *sim);
void mpm_start_state(mpm_sim *sim); /* state 0 into the current one */
void mpm_design_adj(mpm_sim *sim);

/* mpm_control.c: whether channels of control are as they must be, their upload, and the stage of a step that fills
 * activation[], with its adjoint at the end of a step back. */
piola_status mpm_control_accepts(const pio_engine_desc *desc, piola_error *error);
void mpm_control_upload(mpm_sim *sim, const pio_engine_desc *desc);
void mpm_control_step(mpm_sim *sim);
void mpm_control_step_adj(mpm_sim *sim, const mpm_state *bar);
/* What a touch of effort or smoothness at the end of a step adds. */
void mpm_observe_control(mpm_sim *sim, const pio_touch *touch);
/* Is it one? Then the step before it has its adjoint. */
static inline int mpm_is_of_control(pio_observable type)
{
    return type == PIO_EFFORT || type == PIO_SMOOTHNESS;
}
/* Is it of one obstacle? Of a signal's channels? */
static inline int mpm_is_of_obstacle(pio_quantity quantity)
{
    return quantity >= PIO_OBSTACLE_POSITION && quantity <= PIO_OBSTACLE_ONSET;
}
static inline int mpm_is_of_channels(pio_quantity quantity)
{
    return quantity >= PIO_AMPLITUDE && quantity <= PIO_PHASE;
}
/* mpm_feedback.c: whether networks are as they must be; their shapes, on the host before the layout; whether a rate of
 * theirs is observed; to the device; activations of their channels; the beginning of a sweep back; the adjoint, which
 * adds to the cotangents of the state at the beginning of the step. */
int mpm_network_weights(const pio_network_desc *network); /* how many it has, of one that was accepted */
piola_status mpm_networks_accept(const pio_engine_desc *desc, piola_error *error);
int mpm_networks_begin(mpm_sim *sim, const pio_engine_desc *desc);
int mpm_networks_have_rates(const pio_engine_desc *desc);
void mpm_networks_upload(mpm_sim *sim);
void mpm_networks_step(mpm_sim *sim);
void mpm_networks_adj_begin(mpm_sim *sim);
void mpm_networks_step_adj(mpm_sim *sim, const mpm_state *bar);

/* mpm_obstacle.c: whether obstacles are as they must be, their host memory, arena and upload; what they do to the
 * grid's velocities in a step, with its adjoint, of which that of the places of material comes once mpm_g2p_adj and
 * mpm_grid_adj have set what it adds to; designs of them; the count of one kind of kinks of this step into the
 * simulation's scalar, see mpm_kinks.c. */
piola_status mpm_obstacles_accept(const pio_engine_desc *desc, piola_error *error);
int mpm_obstacles_begin(mpm_sim *sim, const pio_engine_desc *desc);
void mpm_obstacles_layout(mpm_sim *sim, const pio_engine_desc *desc);
void mpm_obstacles_upload(mpm_sim *sim, const pio_engine_desc *desc);
void mpm_obstacles_act(mpm_sim *sim);
void mpm_obstacles_adj_begin(mpm_sim *sim);
void mpm_obstacles_adj(mpm_sim *sim);
void mpm_obstacles_mass_adjoint(mpm_sim *sim);
void mpm_obstacle_design(mpm_sim *sim, const mpm_design *d, double *value, double *parameters, int back);
void mpm_obstacles_count(mpm_sim *sim, real part, real least);
/* mpm_kinks.c: kinks near which a sweep back goes: memory, none yet, those of a step, once the grid's
 * velocity_bar is known and before node_bar is; see pio_engine.kinks. */
void mpm_kinks_begin(mpm_sim *sim, const pio_engine_desc *desc);
void mpm_kinks_layout(mpm_sim *sim);
void mpm_kinks_start(mpm_sim *sim);
void mpm_kinks_count(mpm_sim *sim);
int64_t mpm_kinks(pio_sim *sim, int32_t i, pio_kinks *kinks);
/* mpm_flip.c: whether a description's share of FLIP is one, what follows from it before the layout; in a step the
 * momentum without forces once the grid's mass is known, what particles keep once mpm_g2p has moved them; in a step
 * back all of its adjoint, once mpm_g2p_adj and mpm_grid_adj have set what it adds to. */
piola_status mpm_flip_accepts(const pio_engine_desc *desc, piola_error *error);
void mpm_flip_begin(mpm_sim *sim, const pio_engine_desc *desc);
void mpm_flip_gather(mpm_sim *sim);
void mpm_flip_keep(mpm_sim *sim);
void mpm_flip_adjoint(mpm_sim *sim);

/* mpm_contact.c: whether velocity fields are as they must be; in a step the contact between what mpm_grid made of each;
 * in a step back its adjoint, before that of mpm_grid, and after it what the masses get, and through the volumes the
 * particles' places. */
piola_status mpm_contact_accepts(const pio_engine_desc *desc, piola_error *error);
void mpm_contact_step(mpm_sim *sim);
void mpm_contact_adjoint(mpm_sim *sim);
void mpm_contact_matter_adjoint(mpm_sim *sim);

/* mpm_plastic.c: whether the plastic laws of a description are as they must be, their upload, the check before the
 * first step; plastic flow at the end of a step, of trial states stored in the other state, `counts`: those near a
 * change of branch are counted; the beginning of a sweep back, whose count that is; the adjoint of flow; how many were
 * near. */
piola_status mpm_plastic_accepts(const pio_engine_desc *desc, piola_error *error);
void mpm_plastic_upload(mpm_sim *sim, const pio_engine_desc *desc);
void mpm_plastic_start(mpm_sim *sim);
void mpm_plastic_flow(mpm_sim *sim, int counts);
void mpm_plastic_adj_begin(mpm_sim *sim);
void mpm_plastic_flow_adj(mpm_sim *sim);
int64_t mpm_plastic_kinks(mpm_sim *sim);

/* mpm_fields.c: fields by name. */
int32_t mpm_components(const pio_sim *sim, const char *field);
piola_status mpm_read(pio_sim *sim, const char *field, double *values, piola_error *error);

/* mpm_fault.c: what the step block's fault says, in words. */
piola_status mpm_check_fault(pio_sim *sim, piola_error *error);

#endif
